// Questions: what two memories say that cannot both hold, side by side, for a person to settle.

import { call } from "./api.js";
import { announce, h, keyed, say } from "./dom.js";
import { deviceName, memoryNamed, reloadSoon, state } from "./state.js";
import { complain } from "./toasts.js";
import { ago, hueOf, plural } from "./words.js";

export function openQuestions() {
  return (state.contradictions ?? []).filter((each) => each.status === "open");
}

export function questionsView() {
  const summary = h("p", { class: "lead" });
  const list = h("ul", { class: "plain questions" });
  const settled = h("ul", { class: "plain settled" });
  const past = h("details", { class: "past", hidden: true }, h("summary", {}, "Settled"), settled);
  const element = h("div", { class: "view" }, h("header", { class: "view-head" }, h("h1", {}, "Questions"), summary), list, past);
  return {
    element,
    update() {
      const open = openQuestions();
      const done = (state.contradictions ?? []).filter((each) => each.status !== "open");
      say(summary, open.length ? `${plural(open.length, "thing")} that cannot both hold. What you decide here holds on every device.` : "Nothing that was told contradicts anything else.");
      keyed(list, open, { key: (each) => each.id, make: question, update: updateQuestion });
      past.hidden = !done.length;
      keyed(settled, done, { key: (each) => `${each.id} ${each.status} ${each.action}`, make: (each) => h("li", {}, h("strong", {}, subject(each)), ` ${each.action ?? each.status}`, h("span", { class: "muted" }, ` · ${textOf(each.a)} / ${textOf(each.b)}`)) });
    },
  };
}

function subject(question) {
  return [question.entity, question.relation?.replaceAll("_", " ")].filter(Boolean).join(", ");
}

function memoryOf(side) {
  if (!side) return null;
  const rid = typeof side === "string" ? side : (side.rid ?? side.memory?.rid);
  return memoryNamed(rid) ?? (typeof side === "object" ? (side.memory ?? side) : null);
}

function textOf(side) {
  return memoryOf(side)?.text ?? side?.value ?? "";
}

function question(item) {
  const element = h("li", { class: "question", data: { contradiction: item.id } });
  element.title_ = h("h2", {});
  element.a = sideOf("a", element);
  element.b = sideOf("b", element);
  element.foot = h(
    "div",
    { class: "question-foot" },
    h("button", { type: "button", on: { click: () => resolve(element, { keep_both: true }, "Both are kept") } }, "Both hold"),
    h("button", { type: "button", class: "quiet", on: { click: () => merge(element) } }, "Say it anew…"),
  );
  element.append(h("header", { class: "question-head" }, element.title_, (element.severity = h("span", { class: "severity" }))), h("div", { class: "sides" }, element.a.element, h("span", { class: "versus", "aria-hidden": "true" }, "or"), element.b.element), element.foot);
  return element;
}

function sideOf(letter, element) {
  const text = h("p", { class: "quote" });
  const meta = h("p", { class: "muted" });
  const button = h("button", { type: "button", class: "primary", on: { click: () => resolve(element, { [`keep_${letter}`]: true }, "Settled") } }, "This holds");
  return { element: h("section", { class: "side-card", data: { side: letter } }, text, meta, button), text, meta, button };
}

function updateQuestion(element, item) {
  element.item = item;
  say(element.title_, subject(item));
  say(element.severity, item.severity ?? "");
  element.dataset.severity = item.severity ?? "";
  for (const letter of ["a", "b"]) {
    const side = element[letter];
    const memory = memoryOf(item[letter]);
    say(side.text, textOf(item[letter]));
    const device = memory?.device;
    say(side.meta, [device && (device === state.session.device_id ? "this device" : (memory.device_name ?? deviceName(device))), memory?.speaker, memory?.created_at && ago(memory.created_at)].filter(Boolean).join(" · "));
    if (device) side.element.style.setProperty("--hue", hueOf(device));
    side.button.setAttribute("aria-label", `This holds: ${textOf(item[letter])}`);
  }
}

async function resolve(element, how, said) {
  element.inert = true;
  try {
    await call("contradictions resolve", { id: element.item.id, ...how });
    announce(said);
    reloadSoon();
  } catch (error) {
    element.inert = false;
    complain(error);
  }
}

function merge(element) {
  if (element.querySelector("form")) return;
  const input = h("textarea", { rows: "2", "aria-label": "What holds instead" });
  input.value = textOf(element.item.b);
  const form = h(
    "form",
    { class: "stack", on: { submit: (event) => (event.preventDefault(), input.value.trim() && resolve(element, { merge: input.value.trim() }, "Settled")), keydown: (event) => event.key === "Escape" && form.remove() } },
    input,
    h("div", { class: "row" }, h("button", { type: "submit", class: "primary" }, "Remember this instead"), h("button", { type: "button", class: "quiet", on: { click: () => form.remove() } }, "Cancel")),
  );
  element.append(form);
  input.focus();
}
