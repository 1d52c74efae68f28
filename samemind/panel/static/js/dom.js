// Build the page out of elements and text. Nothing here can turn text into markup: whatever a memory says is
// shown as it was said.

import { t } from "./i18n.js";

const SVG = "http://www.w3.org/2000/svg";
// What takes longer than this says that it is being looked for.
export const WAITING_MS = 300;

/** An element. `props`: `class`, `on` (handlers), `data`, else attributes; false and null leave one out. */
export function h(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** The same for drawings. */
export function s(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
    } else if (name === "data") {
      Object.assign(element.dataset, value);
    } else if (name === "vars") {
      for (const [key, each] of Object.entries(value)) element.style.setProperty(key, each);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const STOPS = "a[href], button, input, select, textarea, summary, [tabindex='0']";

/** Go on in the first of these that can be stood in, else in the part of the page that holds them. */
function goOn(container, elements) {
  const stops = elements.flatMap((each) => [each, ...each.querySelectorAll(STOPS)]);
  const next = stops.find((each) => each.matches(STOPS) && !each.disabled && each.checkVisibility({ visibilityProperty: true }));
  if (next) next.focus();
  else (container.closest("[tabindex]") ?? document.getElementById("main")).focus({ preventScroll: true });
}

/** Show exactly these, in this order, and keep the elements of those that stay: focus and edits survive. Who stood in one
 *  that goes is then in the one that took its place. */
export function keyed(container, items, { key, make, update }) {
  const known = container.keyedChildren ?? new Map();
  const next = new Map();
  let place = container.firstChild;
  const focused = container.contains(document.activeElement) ? document.activeElement : null;
  const stood = [...known.values()].findIndex((each) => each.contains(focused));
  for (const item of items) {
    const id = key(item);
    let element = known.get(id);
    if (!element) element = make(item);
    update?.(element, item);
    next.set(id, element);
    if (element === place) place = place.nextSibling;
    else container.insertBefore(element, place);
  }
  for (const [id, element] of known) if (!next.has(id)) element.remove();
  container.keyedChildren = next;
  // What is moved loses the focus, and who works by keys would begin at the top again.
  if (focused?.isConnected) {
    if (focused !== document.activeElement) focused.focus({ preventScroll: true });
  } else if (focused) {
    const left = [...next.values()];
    goOn(container, [...left.slice(stood), ...left.slice(0, stood).reverse()]);
  }
}

/** The beginning of a text of more letters than that; an emoji is one letter, and never cut in two. */
export function cut(text, most) {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
}

/** A text with commands in it, as `t` gives it without values: each is shown as code, which no line break parts. */
export function coded(text, values) {
  return text.split(/\{(\w+)\}/).map((part, at) => (at % 2 ? h("code", { dir: "ltr" }, values[part]) : part));
}

/** Set a text only where it differs, so that screen readers are not told twice. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Tell those who cannot see it. What is told twice differs by a space, since a reader says nothing of the same text again. */
export function announce(text) {
  const announcer = document.getElementById("announcer");
  announcer.textContent = text && announcer.textContent === text ? `${text}\u00a0` : text;
}

const PATHS = {
  pin: "M4.5 2.5h7v11L8 10.8l-3.5 2.7z",
  clock: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zm0 2.6V8l2.4 1.6",
  trash: "M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5M6.8 7v4M9.2 7v4",
  close: "M4 4l8 8M12 4l-8 8",
  plus: "M8 3v10M3 8h10",
  check: "M3 8.5l3.4 3.4L13 4.8",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.4 10.4L14 14",
  home: "M2.5 7.5L8 3l5.5 4.5M4 6.8V13h8V6.8",
  devices: "M2 3.5h8.5v6.5H2zM4.5 12.5h3.5M11.5 6h3v7h-3z",
  question: "M8 2.5v11M5 13.5h6M2 5.5h12M4 5.5L2 10h4zM12 5.5L10 10h4z",
  inbox: "M2.5 9l1.8-5.5h7.4L13.5 9v4h-11zM2.5 9H6l.8 1.5h2.4L10 9h3.5",
  list: "M3 4h10M3 8h10M3 12h6",
  agents: "M3 5.5h10v7H3zM8 5.5V3M6 8.5v1M10 8.5v1M1.5 8v2M14.5 8v2",
  settings: "M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6M10 3.5v3M6 9.5v3",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  past: "M8 3a5 5 0 1 1-4.6 3M3.2 2.5V6h3.5M8 5.5V8l2 1.5",
  edit: "M3 13l.6-2.8L10.5 3.3l2.2 2.2-6.9 6.9z",
  graph: "M4 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM12 6.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM7 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM5.4 4.3l5.1.6M4.6 5.4l1.9 5.2M11.2 6.2L8 10.8",
};

/** A small drawing that says nothing by itself: the button around it has the name. */
export function icon(name) {
  return s("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" }, s("path", { d: PATHS[name] }));
}

/** A button with a drawing and a name. */
export function iconButton(name, label, click, props = {}) {
  return h("button", { type: "button", class: "icon-button", "aria-label": label, title: label, on: { click }, ...props }, icon(name));
}

/** Ask in place before something that cannot be taken back; answers true or false. Until then the box, a `.confirm` of the
 *  container, can `ask` in other words. Who asks again there takes back what was asked before. Who presses Enter twice leaves
 *  things as they are, and who has answered stands where they asked. */
export function confirmHere(container, question, yes, no = t("Keep")) {
  return new Promise((resolve) => {
    const before = document.activeElement;
    const answer = (value) => {
      const stood = box.contains(document.activeElement);
      box.remove();
      resolve(value);
      if (stood) queueMicrotask(() => before.focus()); // once whoever asked shows its button again
    };
    const said = h("p", {});
    const keep = h("button", { type: "button", on: { click: () => answer(false) } }, no);
    const box = h(
      "div",
      { class: "confirm", role: "group", on: { keydown: (e) => e.key === "Escape" && (e.stopPropagation(), answer(false)) } },
      said,
      h("button", { type: "button", class: "danger", on: { click: () => answer(true) } }, yes),
      keep,
    );
    box.keep = () => answer(false);
    box.ask = (text) => {
      say(said, text);
      box.setAttribute("aria-label", text);
    };
    box.ask(question);
    container.querySelector(":scope > .confirm")?.keep();
    container.append(box);
    keep.focus();
  });
}
