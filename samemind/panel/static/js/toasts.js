// Notices at the foot of the page: what can still be taken back, and what went wrong.

import { call } from "./api.js";
import { announce, h, keyed } from "./dom.js";
import { state, subscribe } from "./state.js";
import { plural, t } from "./i18n.js";

const SHOWN_MS = 7000;
// Well within what the device waits for from one asking to the next, also where a page is late.
const HOLD_MS = 3000;
const toasts = document.getElementById("toasts");
let errors = [];
let only = null;
let stoodAt = null; // where whoever went into the notices came from
let next = 0;
const began = new Map(); // window → the notice before which it was first shown here
const kept = new Set(); // windows and notices that somebody wants more time for
let holding = 0;

/** Show what the device would not do. */
export function complain(error) {
  if (error.name === "AbortError") return;
  notice(error.message ?? String(error), error.hint, "error");
}

/** Show a sentence for a while, and as long as somebody stands in the notices, or points at them. `hint`: a smaller line below it, or a link; `back`: what takes back what it says, as long as it is shown. */
export function notice(text, hint = "", kind = "plain", back = null) {
  const entry = { id: `notice-${next}`, at: next++, text, hint, kind, back };
  const others = errors.filter((each) => each.kind !== "error" || each.text !== text || each.hint !== hint); // said again, it stands once
  errors = [...others.slice(-2), entry];
  if (kind !== "error") announce(back ? `${text}. ${byKeys()}` : text); // an alert tells itself
  render();
  const lapse = () => {
    if (kept.has(entry.id) || isSomebodyHere()) return setTimeout(lapse, SHOWN_MS);
    errors = errors.filter((each) => each !== entry);
    render();
  };
  setTimeout(lapse, SHOWN_MS);
}

/** Show one sentence and no other notice, until there is none to show: of what was noticed before, nothing is told any more. */
export function noticeOnly(text, hint) {
  errors = [];
  state.windows = [];
  only = text && { id: `notice-${next++}`, text, hint, kind: "error" };
  render();
}

/** Take back what was done last, if there is still time. */
export async function undoLast() {
  const last = state.windows.at(-1);
  const said = errors.findLast((each) => each.back);
  if (!last && !said) return false;
  await (!said || began.get(last?.id) > said.at ? undo(last.id) : takeBack(said));
  return true;
}

async function takeBack(entry) {
  errors = errors.filter((each) => each !== entry);
  render();
  try {
    await entry.back();
    announce(t("Undone."));
  } catch (error) {
    complain(error);
  }
}

/** Take back what waits in a window. */
export async function undo(id) {
  try {
    await call("panel/undo", { id });
    announce(t("Undone."));
  } catch (error) {
    complain(error);
  }
}

export const byKeys = () => t("Press U to undo, K for more time.");

/** Give all that can be taken back more time, or no more than it would have. */
export function keepAll() {
  const ids = [...state.windows, ...errors.filter((each) => each.back)].map((each) => each.id);
  if (!ids.length) return;
  const more = !ids.every((id) => kept.has(id));
  for (const id of ids) more ? kept.add(id) : kept.delete(id);
  announce(more ? t("There is more time. Press K again to end it.") : t("No more time."));
  hold();
}

/** What stands in an element by which a window can be taken back: its `data-window` names the window. */
export function undoButtons(id) {
  const more = () => {
    kept.delete(id) || kept.add(id);
    hold();
  };
  return [
    h("button", { type: "button", "aria-keyshortcuts": "u", on: { click: () => undo(id) } }, t("Undo")),
    h("button", { type: "button", class: "more-time", "aria-keyshortcuts": "k", "aria-pressed": String(kept.has(id)), on: { click: more } }, t("More time")),
  ];
}

const isSomebodyHere = () => toasts.matches(":is(:hover, :focus-within)");

/** Ask the device to wait for whoever is at the notices, or asked for more time; and again, as it waits for a while only.
 *  Where something is decided one stands at the button without having gone there: there only the pointer counts. */
function hold(again = false) {
  const elements = [...document.querySelectorAll("[data-window]")];
  for (const element of elements) {
    const id = element.dataset.window;
    const before = element.classList.contains("held");
    const held = kept.has(id) || (toasts.contains(element) ? isSomebodyHere() : element.matches(":hover"));
    element.classList.toggle("held", held);
    element.querySelector(".more-time").setAttribute("aria-pressed", String(kept.has(id)));
    if (held && (again || !before)) call("panel/hold", { id }).then(({ seconds }) => element.style.setProperty("--seconds", `${seconds}s`), () => {}); // the stream says when the device is away
  }
  clearTimeout(holding);
  if (elements.length) holding = setTimeout(hold, HOLD_MS, true);
}

for (const event of ["pointerover", "pointerout", "focusin", "focusout"]) {
  document.addEventListener(event, ({ target }) => target.closest?.(".toasts, [data-window]") && setTimeout(hold));
}

function render() {
  for (const { id } of state.windows) began.has(id) || began.set(id, next++);
  const stood = toasts.contains(document.activeElement);
  // What is decided about something is undone where it stands.
  keyed(toasts, only ? [only] : [...state.windows.filter((each) => !each.about || !location.hash.startsWith("#/questions")), ...errors], {
    key: (each) => each.id,
    make: (each) => (each.rids ? undoToast(each) : plainToast(each)),
  });
  if (stood && !toasts.contains(document.activeElement) && stoodAt?.isConnected) stoodAt.focus({ preventScroll: true });
}

function undoToast(window) {
  const text = window.edge ? t("Relation removed") : window.about ? t("Decided") : plural(window.rids.length, "{n} memory forgotten", "{n} memories forgotten");
  announce(`${text}. ${byKeys()}`);
  return h(
    "div",
    { class: "toast", data: { window: window.id }, vars: { "--seconds": `${window.seconds}s` } },
    h("span", {}, text),
    undoButtons(window.id),
    h("i", { class: "fuse", "aria-hidden": "true" }),
  );
}

function plainToast(entry) {
  return h(
    "div",
    { class: `toast ${entry.kind}`, role: entry.kind === "error" ? "alert" : null },
    h("span", {}, entry.text, entry.hint && h("small", {}, entry.hint)),
    entry.back && h("button", { type: "button", "aria-keyshortcuts": "u", on: { click: () => takeBack(entry) } }, t("Undo")),
    entry !== only && h("button", { type: "button", on: { click: () => ((errors = errors.filter((each) => each !== entry)), render()) } }, t("Close")),
  );
}

toasts.addEventListener("focusin", ({ relatedTarget }) => {
  if (!toasts.contains(relatedTarget)) stoodAt = relatedTarget;
});
subscribe(render);
