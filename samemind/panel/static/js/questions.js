// Questions: what two memories say that cannot both hold, side by side, for a person to settle.

import { call } from "./api.js";
import { announce, h, keyed, say } from "./dom.js";
import { deviceName, hueOf, memoryNamed, reloadSoon, state } from "./state.js";
import { complain } from "./toasts.js";
import { ago, plural } from "./words.js";

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
      say(summary, open.length ? `${plural(open.length, "question")}: what was told cannot all be true. What you decide here holds on every device.` : "Nothing that was told contradicts anything else.");
      keyed(list, open, { key: (each) => each.id, make: question, update: updateQuestion });
      past.hidden = !done.length;
      keyed(settled, done, { key: (each) => `${each.id} ${each.settled_by} ${each.beliefs.length}`, make: past_ });
    },
  };
}

function subject(question) {
  const who = question.entity === "owner" ? "you" : question.entity;
  return `${who}: ${question.relation.replaceAll("_", " ")}`;
}

/** What a person said, rather than the fact that was read out of it. */
function textOf(side) {
  const memory = memoryNamed(side.rid);
  return memoryNamed(memory?.parent)?.text ?? memory?.text ?? side.text;
}

function past_(item) {
  const held = item.beliefs.filter((belief) => belief.standing === "held").map((belief) => belief.value);
  const by = { change: "changed since", resolution: "decided", severity: "too small to ask" }[item.settled_by] ?? "settled";
  return h("li", {}, h("strong", {}, subject(item)), ` ${[...new Set(held)].join(", ")} `, h("span", { class: "muted" }, `${by} · ${[...new Set([item.a.value, item.b.value])].join(" / ")}`));
}

/** Where, by whom and when it was said, and how many memories say so. */
function told(side) {
  const device = side.device === state.session.device_id ? "this device" : (side.device_name ?? deviceName(side.device));
  return [device, side.speaker, side.told_at && ago(side.told_at), side.rids.length > 1 && plural(side.rids.length, "memory", "memories")].filter(Boolean).join(" · ");
}

function question(item) {
  const element = h("li", { class: "question", data: { contradiction: item.id } });
  element.title_ = h("h2", {});
  element.a = sideOf("a", element);
  element.b = sideOf("b", element);
  element.foot = h(
    "div",
    { class: "question-foot" },
    h("button", { type: "button", on: { click: () => resolve(element, { keep_both: true }, "Both are kept") } }, "Both are true"),
    h("button", { type: "button", class: "quiet", on: { click: () => merge(element) } }, "Neither: say it anew…"),
  );
  element.others = h("ul", { class: "plain others" });
  element.before = h("p", { class: "muted before" });
  element.append(h("header", { class: "question-head" }, element.title_, (element.severity = h("span", { class: "severity" }))), h("div", { class: "sides" }, element.a.element, h("span", { class: "versus", "aria-hidden": "true" }, "or"), element.b.element), element.others, element.before, element.foot);
  return element;
}

function sideOf(letter, element) {
  const value = h("p", { class: "value" });
  const text = h("p", { class: "quote" });
  const meta = h("p", { class: "muted" });
  const button = h("button", { type: "button", class: "primary", on: { click: () => resolve(element, { [`keep_${letter}`]: true }, "Settled") } }, "This is true");
  return { element: h("section", { class: "side-card", data: { side: letter } }, value, text, meta, button), value, text, meta, button };
}

function updateQuestion(element, item) {
  element.item = item;
  say(element.title_, subject(item));
  say(element.severity, `${item.severity} severity`);
  element.dataset.severity = item.severity ?? "";
  for (const letter of ["a", "b"]) {
    const side = element[letter];
    say(side.value, item[letter].value);
    say(side.text, `“${textOf(item[letter])}”`);
    say(side.meta, told(item[letter]));
    side.element.style.setProperty("--hue", hueOf(item[letter].device));
    side.button.setAttribute("aria-label", `This is true: ${item[letter].value}`);
  }
  keyed(element.others, item.others, {
    key: (other) => other.rid,
    make: (other) => h("li", {}, h("strong", {}, other.value), h("span", { class: "muted" }, told(other)), h("button", { type: "button", on: { click: () => resolve(element, { keep: other.rid }, "Settled") } }, "This is true")),
  });
  say(element.before, item.resolutions.length > 1 ? `Decided otherwise before: ${item.resolutions.map((each) => `${each.device_name ?? deviceName(each.device)} kept ${each.kept.join(", ")}`).join("; ")}.` : "");
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
  const input = h("textarea", { rows: "2", "aria-label": "What is true instead" });
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
