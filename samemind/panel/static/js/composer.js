// "+ Remember something": a line that opens into a text, and stays open for the next.

import { call } from "./api.js";
import { announce, h, icon } from "./dom.js";
import { link } from "./router.js";
import { reloadSoon } from "./state.js";
import { complain, notice } from "./toasts.js";
import { minute, t } from "./i18n.js";
import { CATEGORIES, categoryName } from "./words.js";

export function composer() {
  const input = h("textarea", { id: "composer-text", rows: "2", placeholder: t("Ann moved to Lisbon in May"), "aria-label": t("What to remember"), dir: "auto" });
  const category = h("select", { "aria-label": t("Category") }, h("option", { value: "" }, t("Any category")), CATEGORIES.slice(0, 3).map((name) => h("option", { value: name }, categoryName(name))));
  const button = h("button", { type: "button", class: "composer-open", "aria-keyshortcuts": "n", on: { click: open } }, icon("plus"), t("Remember something"));
  const form = h(
    "form",
    { class: "composer-form", hidden: true, on: { submit: (event) => (event.preventDefault(), remember()), keydown: leave } },
    input,
    h("div", { class: "composer-foot" }, category, h("button", { type: "button", class: "quiet", on: { click: close } }, t("Cancel")), h("button", { type: "submit", class: "primary" }, t("Remember"))),
  );
  const element = h("footer", { class: "composer" }, button, form);

  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      remember();
    }
  });

  // Wherever in the form: what was typed stays for the next time, and the panel stays open.
  function leave(event) {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    close();
  }

  function open() {
    button.hidden = true;
    form.hidden = false;
    input.focus();
  }

  function close() {
    form.hidden = true;
    button.hidden = false;
    button.focus();
  }

  async function remember() {
    const text = input.value.trim();
    if (!text) return;
    try {
      await tell({ text, source: "manual", ...(category.value ? { meta: [`category=${category.value}`] } : {}) });
      input.value = "";
      input.focus();
    } catch (error) {
      complain(error);
    }
  }

  /** Keep what was typed elsewhere, until it is remembered. */
  function keep(text) {
    input.value = [input.value.trim(), text].filter(Boolean).join("\n");
    notice(t("What you typed is kept under “Remember something”."));
  }

  return { element, open, keep };
}

/** Remember something, and say what came of it. */
export async function tell(options) {
  const done = await call("remember", options);
  reloadSoon();
  if (done.held) notice(t("This looks like a secret, so it stays on this device, under Settings."));
  else if (done.contradictions.length) notice(t("Remembered. It contradicts something: see Questions."), h("a", { href: link("questions") }, t("Settle it")));
  else if (done.reminder_missing) notice(t("Remembered, without a reminder: it names no certain time to come."));
  else if (done.reminder) notice(t("Remembered. The reminder is due: {when}.", { when: minute(done.reminder.due) }));
  else if (done.says_same.length) notice(t("Remembered. It was already known, so it is shown once."));
  else announce(t("Remembered"));
}
