// Elements, times, notices: the small change of a page. Text is only ever set as text.
import { t, written } from "../../panel/static/js/i18n.js";

export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// A name within a sentence: of whichever script, it turns nothing around that stands beside it.
export const named = (name) => h("bdi", {}, name);

// A text with elements in it: `filled(t("Together with {device}"), { device: named("laptop") })`.
export const filled = (text, values) => text.split(/\{(\w+)\}/).map((part, at) => (at % 2 ? values[part] : part));

const STATES = {
  alone: () => t("On its own"),
  calling: () => t("Calling …"),
  away: () => t("Other devices away"),
  refused: () => t("Not let in"),
  crowded: () => t("No room there now"),
  syncing: (link) => filled(t("Syncing with {device}"), { device: named(link.name ?? "…") }),
  together: (link) => filled(t("Together with {device}"), { device: named(link.name ?? "…") }),
  off: () => "",
};
// How it stands with the other devices.
export const linkOf = (link) => STATES[link.state](link);

const SHAPES = {
  memories: "M4 6h16M4 12h16M4 18h10",
  due: "M12 7v5l3 2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z",
  questions: "M9 9a3 3 0 1 1 4.2 2.8c-.8.4-1.2 1-1.2 2.2M12 17.5v.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z",
  clear: "M7 7l10 10M17 7 7 17",
  voice: "M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3ZM6 11a6 6 0 0 0 12 0M12 17v4",
  devices: "M4 5h11v9H4zM2 17h13M17 9h5v10h-5z",
};
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(svg.namespaceURI, "path");
  path.setAttribute("d", SHAPES[name]);
  svg.append(path);
  return svg;
}

const DAY_MS = 86_400_000;
const midnight = (ms) => new Date(ms).setHours(0, 0, 0, 0);
const relative = new Intl.RelativeTimeFormat(written, { numeric: "auto" });
export const inWords = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// As it stands within a sentence.
export function dayIn(ms, now = Date.now()) {
  const days = Math.round((midnight(ms) - midnight(now)) / DAY_MS);
  if (Math.abs(days) < 2) return relative.format(days, "day");
  const year = new Date(ms).getFullYear() === new Date(now).getFullYear() ? undefined : "numeric";
  return new Intl.DateTimeFormat(written, { weekday: Math.abs(days) < 7 ? "long" : undefined, day: "numeric", month: "long", year }).format(ms);
}
export const timeOf = (ms) => new Intl.DateTimeFormat(written, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(ms);
export const dayOf = (ms) => inWords(dayIn(ms));
export const momentIn = (ms) => `${dayIn(ms)}, ${timeOf(ms)}`;
export const momentOf = (ms) => inWords(momentIn(ms));
// A day for good, whichever it is today.
export const dateIn = (ms) => new Intl.DateTimeFormat(written, { day: "numeric", month: "long", year: "numeric" }).format(ms);
// As a field for a date has it.
export const dateOf = (ms) => new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
const amount = (unit, digits) => new Intl.NumberFormat(written, { style: "unit", unit, minimumFractionDigits: digits, maximumFractionDigits: digits });
export const sizeOf = (bytes) => (bytes < 1e6 ? amount("kilobyte", 0).format(Math.ceil(bytes / 1e3)) : amount("megabyte", 1).format(bytes / 1e6));

// Set a text where it differs: what is told to those who cannot see it is told once.
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// Put something else in a place. Who stood in it, by keys or with a screen reader, goes on at `next`, not at the top of the page.
export function swap(place, next, ...children) {
  const stood = place.contains(document.activeElement);
  place.replaceChildren(...children);
  if (stood) next.focus();
}

const rows = (list) => [...list.querySelectorAll("[data-rid]")];
const choices = (row) => [...row.querySelectorAll("button, input, textarea")];

// Draw a list anew. Who stood in a row stands in it still, or in the one that took its place; behind the last, in the first new one.
export function redrawn(list, ...children) {
  const here = document.activeElement, before = rows(list);
  const stood = list.contains(here), old = before.findIndex((row) => row.contains(here));
  const place = old < 0 ? -1 : choices(before[old]).indexOf(here);
  list.replaceChildren(...children);
  if (!stood) return;
  const now = rows(list), same = now.find((row) => row.dataset.rid === before[old]?.dataset.rid);
  const row = same ?? now[Math.min(old < 0 ? before.length : old, now.length - 1)];
  const next = row ? (choices(row)[same ? place : 0] ?? choices(row)[0]) : document.getElementById("main");
  next.focus();
}

const NOTICE_MS = 6_000;
const isHeld = (box) => box.matches(":hover, :focus-within"); // somebody stands in it, and is about to press its button
// Say something at the foot of the page for a while, and as long as somebody stands in it.
export function notice(text, { error = false, action = null } = {}) {
  const box = h("div", { class: error ? "notice error" : "notice", role: error && "alert" }, h("span", {}, inWords(text)), action && h("button", { type: "button", onclick: () => { box.remove(); action.run(); } }, action.name));
  const all = document.getElementById("notices"); // which tells what comes into it, so that a notice tells nothing by itself but an error
  for (const other of [...all.children]) if (!isHeld(other)) other.remove();
  all.append(box);
  const lapse = () => (isHeld(box) ? setTimeout(lapse, NOTICE_MS) : box.remove());
  setTimeout(lapse, action || error ? NOTICE_MS * 2 : NOTICE_MS);
}
