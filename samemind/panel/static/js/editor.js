// Change a memory where it stands. Enter or leaving saves, Shift+Enter is a new line, Escape leaves it as it was.
// Nothing is written that did not change, and nothing of what another device changed meanwhile is lost unseen. Where it
// forgot the memory, what is typed stays until somebody remembers it as a new one, or discards it.

import { call } from "./api.js";
import { tell } from "./composer.js";
import { announce, h } from "./dom.js";
import { changed, learn } from "./state.js";
import { complain, notice } from "./toasts.js";
import { t } from "./i18n.js";
import { CATEGORIES, categoryName, categoryOf, difference } from "./words.js";

export function edit(item, memory, { whole }) {
  const editor = new Editor(item, memory, whole);
  item.editing = editor;
  return editor;
}

class Editor {
  constructor(item, memory, whole) {
    this.item = item;
    this.memory = memory;
    this.base = memory.text;
    this.whole = false;
    this.done = false;
    this.gone = false; // the memory, under the editor
    this.input = h("textarea", {
      "aria-label": t("Edit memory"),
      dir: "auto",
      rows: "1",
      on: { input: () => this.grow(), keydown: (event) => this.key(event), blur: (event) => this.left(event) },
    }, memory.text);
    this.news = h("div", { class: "editor-news", hidden: true });
    this.hint = h("p", { class: "editor-hint" }, t("Enter saves · Shift+Enter new line · Esc cancels"));
    this.element = h("div", { class: "editor", on: { keydown: (event) => this.leave(event) } }, this.news, this.input, this.hint);
    item.text.hidden = true;
    item.text.after(this.element);
    item.classList.add("editing");
    this.grow();
    this.input.focus();
    this.input.setSelectionRange(this.input.value.length, this.input.value.length);
    if (whole) this.widen();
  }

  /** Rewrite all of it, with its category. */
  widen() {
    this.whole = true;
    this.category = h(
      "select",
      { "aria-label": t("Category"), on: { blur: (event) => this.left(event) } },
      CATEGORIES.map((name) => h("option", { value: name, selected: name === categoryOf(this.memory) }, categoryName(name))),
    );
    this.element.classList.add("whole");
    this.element.append(h("div", { class: "editor-foot" }, this.category, h("button", { type: "button", class: "primary", on: { click: () => this.save() } }, t("Save"))));
    this.input.select();
    this.input.focus();
  }

  key(event) {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      this.save(true);
    }
  }

  leave(event) {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    this.close(true);
    announce(t("Not changed"));
  }

  left(event) {
    if (!this.gone && !this.element.contains(event.relatedTarget) && document.hasFocus()) this.save();
  }

  async save(focus = false) {
    if (this.done) return;
    if (this.gone) return this.news.querySelector("button").focus(); // asked for: it goes to every device again
    const text = this.input.value.trim();
    const category = this.category?.value ?? categoryOf(this.memory);
    const rewrites = text !== "" && text !== this.base;
    if (!rewrites && category === categoryOf(this.memory)) return this.close(focus);
    this.done = true;
    try {
      let memory = this.memory;
      if (rewrites) memory = await call("edit", { rid: memory.rid, text, was: this.base });
      if (category !== categoryOf(this.memory)) {
        memory = await call("set", { rid: memory.rid, values: [`meta.category=${category === "other" ? "" : category}`] });
      }
      this.close(focus);
      learn(memory);
      const [before, after, rid] = [this.base, text, memory.rid];
      if (memory.held) announce(t("This looks like a secret, so it stays on this device, under Settings."));
      else if (rewrites) notice(t("Saved"), "", "plain", async () => learn(await call("edit", { rid, text: before, was: after })));
      else announce(t("Saved"));
    } catch (error) {
      this.done = false;
      if (error.code === "changed_meanwhile") {
        this.overtaken(await call("get", { rid: this.memory.rid }));
      } else if (error.status === 404) {
        this.forgotten();
      } else {
        complain(error);
        this.input.focus();
      }
    }
  }

  /** Another device, or another page, changed it while it was being edited here. */
  overtaken(memory) {
    if (memory.text === this.base || this.done) return;
    const shown = difference(this.base, memory.text).map(([kind, text]) => h(kind === "new" ? "ins" : kind === "gone" ? "del" : "span", {}, text));
    this.base = memory.text;
    this.memory = memory;
    this.tell(
      t("This memory was changed in the meantime on another page or device."),
      h("p", {}, h("strong", {}, t("Changed in the meantime: ")), shown),
      h("button", { type: "button", on: { click: () => this.close(true) } }, t("Use that")),
      h("span", {}, t(" or continue: saving replaces it with your text.")),
    );
    this.input.focus();
  }

  /** It was forgotten elsewhere, or is about to be. */
  forgotten() {
    if (this.gone || this.done) return;
    this.gone = this.hint.hidden = true;
    const said = t("This memory was forgotten in the meantime on another page or device.");
    this.tell(
      said,
      h("p", {}, h("strong", {}, said), " ", t("Your text is still here.")),
      h("button", { type: "button", on: { click: () => this.tellAnew() } }, t("Save as a new memory")),
      h("button", { type: "button", on: { click: () => this.close(true) } }, t("Discard")),
    );
  }

  /** It is there again: forgetting it was taken back. */
  returned() {
    if (!this.gone || this.done) return;
    this.gone = this.hint.hidden = false;
    this.news.hidden = true;
  }

  /** Look whether it is still there, where no list says so. */
  async look() {
    if (this.gone || this.looking) return;
    this.looking = true;
    try {
      await call("get", { rid: this.memory.rid });
    } catch (error) {
      if (error.status === 404) this.forgotten();
    } finally {
      this.looking = false;
    }
  }

  async tellAnew() {
    const { workspace } = this.memory;
    const category = this.category?.value ?? categoryOf(this.memory);
    try {
      await tell({ text: this.input.value.trim(), source: "manual", ...(category === "other" ? {} : { meta: [`category=${category}`] }), ...(workspace ? { workspace } : {}) });
      this.close(true);
    } catch (error) {
      complain(error);
    }
  }

  /** What nobody wrote but here, of a memory that is gone. */
  get orphan() {
    const text = this.input.value.trim();
    return this.gone && text !== this.base ? text : "";
  }

  tell(said, ...news) {
    this.news.hidden = false;
    this.news.replaceChildren(...news);
    announce(said);
  }

  grow() {
    this.input.style.height = "auto";
    this.input.style.height = `${this.input.scrollHeight}px`;
  }

  close(focus = false) {
    this.done = true;
    this.item.editing = null;
    this.item.classList.remove("editing");
    this.item.text.hidden = false;
    this.element.remove();
    if (focus) this.item.text.focus();
    if (this.gone) changed(); // and what stood here for the editor alone goes
  }
}
