// Find anything from anywhere: Ctrl or Cmd and K, and type. The likeliest memory is one Enter away.

import { call } from "./api.js";
import { announce, h, icon, say } from "./dom.js";
import { plural, t } from "./i18n.js";
import { memoryRow } from "./row.js";
import { go, link, moment } from "./router.js";
import { complain } from "./toasts.js";

const TYPING_MS = 70;
const SHOWN = 8;
let dialog = null;

/** Open the search, or put the cursor back into it. `pages`: [{path, name}] that can be gone to by name. */
export function openPalette(pages) {
  if (dialog) {
    dialog.querySelector("input").focus();
    return;
  }
  const before = document.activeElement;
  const input = h("input", { type: "search", class: "palette-input", placeholder: t("Search memories, or go to a page"), "aria-label": t("Search"), autocomplete: "off", spellcheck: "false", dir: "auto", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list", "aria-autocomplete": "list" });
  const list = h("ul", { class: "plain palette-list", id: "palette-list", role: "listbox", "aria-label": t("Found") });
  const status = h("p", { class: "palette-status muted", role: "status" });
  let asking = new AbortController();
  let typing = 0;
  let at = 0;
  dialog = h(
    "dialog",
    { class: "palette", "aria-label": t("Search"), on: { close: closed, click: (event) => event.target === dialog && dialog.close() } },
    h("div", { class: "palette-head" }, icon("search"), input, h("button", { type: "button", class: "quiet", on: { click: () => dialog.close() } }, t("Close"))),
    status,
    list,
  );
  document.body.append(dialog);
  dialog.showModal();
  input.focus();
  input.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(look, TYPING_MS);
  });
  input.addEventListener("keydown", keys);
  look();

  function closed() {
    asking.abort();
    clearTimeout(typing);
    dialog.remove();
    dialog = null;
    if (before?.isConnected) before.focus({ preventScroll: true });
  }

  async function look() {
    const query = input.value.trim();
    asking.abort();
    asking = new AbortController();
    const places = pages.filter((page) => !query || page.name().toLowerCase().startsWith(query.toLowerCase()));
    if (!query) {
      show([], places, "");
      say(status, t("Type what you remember of it: words, or what it was about."));
      return;
    }
    try {
      const found = await call("panel/search", { query, k: SHOWN, ...moment() }, asking.signal);
      if (query !== input.value.trim()) return;
      show(found.memories, places, query, found.close);
      say(status, found.close ? plural(found.close, "{n} memory found", "{n} memories found") : t("Nothing close. The nearest:"));
    } catch (error) {
      if (error.name !== "AbortError") complain(error);
    }
  }

  function show(memories, places, query) {
    at = 0;
    const options = [
      ...memories.map((memory) => ({ address: link(`memory/${memory.rid}`), inside: memoryRow(memory, { query }) })),
      ...(query ? [{ address: link("memories", { q: query }), inside: h("span", { class: "palette-page" }, icon("search"), t("Everything that matches “{query}”", { query })) }] : []),
      ...places.slice(0, query ? 3 : 12).map((page) => ({ address: link(page.path), inside: h("span", { class: "palette-page" }, icon(page.icon), page.name()) })),
    ];
    list.replaceChildren(
      ...options.map((option, place) => {
        const inside = option.inside;
        if (inside.tagName === "A") inside.setAttribute("tabindex", "-1");
        return h("li", { role: "option", id: `palette-${place}`, class: "palette-option", data: { address: option.address }, on: { click: (event) => (event.preventDefault(), choose(option.address)), pointermove: () => mark(place) } }, inside.tagName === "A" ? [...inside.childNodes] : inside);
      }),
    );
    mark(0);
  }

  function mark(place) {
    const options = [...list.children];
    if (!options.length) return;
    at = (place + options.length) % options.length;
    options.forEach((option, number) => option.setAttribute("aria-selected", String(number === at)));
    input.setAttribute("aria-activedescendant", options[at].id);
    options[at].scrollIntoView({ block: "nearest" });
  }

  function choose(address) {
    dialog.close();
    go(address);
    announce("");
  }

  function keys(event) {
    if (event.key === "Escape") {
      event.preventDefault(); // a browser would empty the field first
      dialog.close();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      mark(at + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter" && list.children[at]) {
      event.preventDefault();
      choose(event.ctrlKey || event.metaKey ? link("memories", { q: input.value.trim() }) : list.children[at].dataset.address);
    }
  }
}
