// Questions: what two memories say that cannot both hold, side by side, for a person to settle. What is decided keeps
// its place until one leaves the page, so that no other question comes under the pointer.

import { call } from "./api.js";
import { announce, h, keyed, say } from "./dom.js";
import { ago, date, fieldDay, list as listed, plural, t } from "./i18n.js";
import { fromOf } from "./row.js";
import { link } from "./router.js";
import { changed, hueOf, memoryNamed, state } from "./state.js";
import { byKeys, complain, undoButtons } from "./toasts.js";
import { subjectOf } from "./words.js";

const LATER_MS = 7 * 86_400_000;
// Decided on this page: they stay where they are until one goes to another page.
const decided = new Map();

/** Ask later, on every device: in so many milliseconds, or now. */
async function putOff(item, ms) {
  try {
    const until = ms ? new Date(Date.now() + ms).toISOString() : "now";
    const { snoozed_until } = await call("contradictions/snooze", { id: item.id, until });
    item.snoozed_until = snoozed_until;
    if (ms) announce(t("You will be asked again in a week."));
  } catch (error) {
    complain(error);
  }
  changed();
}

const isPutOff = ({ snoozed_until: until }) => Boolean(until) && Date.parse(until) > Date.now();

const windowOf = (id) => state.windows.find((each) => each.about === id);

export function openQuestions() {
  return (state.contradictions ?? []).filter((each) => each.status === "open" && each.attention !== "quiet" && !windowOf(each.id) && !isPutOff(each));
}

export function questionsView() {
  const summary = h("p", { class: "lead" });
  const list = h("ul", { class: "plain questions" });
  const empty = h("div", { class: "empty", hidden: true }, h("p", {}, t("When two memories cannot both be true, they are shown here side by side. What you decide applies on every device.")), h("p", {}, h("a", { href: link("memories") }, t("All memories"))));
  const offList = h("ul", { class: "plain settled" });
  const off = h("details", { class: "past", hidden: true }, h("summary", {}, t("Postponed")), offList);
  const settled = h("ul", { class: "plain settled" });
  const past = h("details", { class: "past", hidden: true }, h("summary", {}, t("Settled")), settled);
  const element = h("div", { class: "view" }, h("header", { class: "view-head" }, h("h1", {}, t("Questions")), summary), list, empty, off, past);
  return {
    element,
    update() {
      const open = openQuestions();
      const all = state.contradictions ?? [];
      for (const each of all) if (windowOf(each.id) && !decided.has(each.id)) decided.set(each.id, { item: each, said: t("Decided") });
      for (const id of [...decided.keys()]) if (open.some((each) => each.id === id) && !decided.get(id).pending) decided.delete(id);
      const shown = [...open, ...[...decided.entries()].filter(([id]) => !open.some((each) => each.id === id)).map(([, { item }]) => item)].sort(inPlace);
      say(summary, open.length ? plural(open.length, "{n} question: what was told cannot all be true. What you decide here applies on every device.", "{n} questions: what was told cannot all be true. What you decide here applies on every device.") : t("Nothing you told contradicts anything else."));
      empty.hidden = shown.length > 0;
      keyed(list, shown, { key: (each) => each.id, make: question, update: updateQuestion });
      const waiting = all.filter((each) => each.status === "open" && each.attention !== "quiet" && isPutOff(each));
      off.hidden = !waiting.length;
      keyed(offList, waiting, { key: (each) => each.id, make: (each) => h("li", { class: "row" }, h("span", { dir: "auto" }, `${subjectOf(each)}: ${each.a.value} / ${each.b.value}`), h("button", { type: "button", on: { click: () => putOff(each, 0) } }, t("Ask now"))) });
      const done = all.filter((each) => each.status !== "open" && !decided.has(each.id));
      past.hidden = !done.length;
      keyed(settled, done, { key: (each) => JSON.stringify([each.id, each.settled_by, each.beliefs, each.resolutions]), make: pastOf });
    },
    close: () => decided.clear(),
  };
}

// Each keeps the place in which it was first seen.
const places = new Map();
function inPlace(a, b) {
  for (const each of [a, b]) if (!places.has(each.id)) places.set(each.id, places.size);
  return places.get(a.id) - places.get(b.id);
}

/** What a person said, rather than the fact that was read out of it. */
function textOf(side) {
  const memory = memoryNamed(side.rid);
  return memoryNamed(memory?.parent)?.text ?? memory?.text ?? side.text;
}

function pastOf(item) {
  const held = [...new Set(item.beliefs.filter((belief) => belief.standing === "held").map((belief) => belief.value))];
  const since = item.settled_by === "change" && item.beliefs.find((belief) => belief.standing === "held")?.valid_from;
  const by = { change: since ? t("since {date}", { date: date(since) }) : t("changed since"), resolution: t("decided")}[item.settled_by] ?? t("settled");
  const again = h("button", { type: "button", class: "quiet", on: { click: () => asked(reopened(item, leave)) } }, t("Decide again"));
  const back = wasDecided(item) && h("button", { type: "button", class: "quiet", on: { click: () => takeBack(item) } }, t("Undo"));
  const stands = [h("span", { dir: "auto" }, h("strong", {}, subjectOf(item)), ` ${listed(held)} `), h("span", { class: "muted" }, `${by} · ${[item.a, item.b, ...item.others].map((side) => side.value).filter((value, place, all) => all.indexOf(value) === place).join(" / ")}`), again, back || ""];
  const row = h("li", { class: "settled-row", on: { keydown: (event) => event.key === "Escape" && !again.isConnected && leave() } }, stands);
  function asked(parts) {
    row.replaceChildren(...parts);
    row.querySelector("button").focus();
  }
  function leave() {
    row.replaceChildren(...stands);
    again.focus();
  }
  return row;
}

/** Whether somebody decided it: a decision that it changed says a second time, on one memory, what is true. */
function wasDecided({ settled_by, beliefs }) {
  const again = (held) => beliefs.some((each) => each.standing === "replaced" && each.rid === held.rid && each.value === held.value);
  return settled_by === "resolution" || beliefs.some((each) => each.standing === "held" && again(each));
}

/** Ask again what was decided, on every device. */
async function takeBack(item) {
  try {
    await call("contradictions/reopen", { id: item.id });
    announce(t("Undone."));
  } catch (error) {
    complain(error);
  }
  changed();
}

/** A question that was settled, asked once more. */
function reopened(item, leave) {
  const decideAnew = (how, said) => decided.get(item.id)?.pending || decide(item, how, said);
  const sides = [item.a, item.b, ...item.others].map((side) => h("button", { type: "button", class: "primary", dir: "auto", on: { click: () => decideAnew({ keep: side.rid }, t("{value} is true", { value: side.value })) } }, side.value));
  const both = h("button", { type: "button", on: { click: () => decideAnew({ keep_both: true }, t("Both are kept")) } }, t("Both: they are two things"));
  return [h("p", {}, h("strong", {}, subjectOf(item))), h("div", { class: "row" }, sides, both, h("button", { type: "button", class: "quiet", on: { click: leave } }, t("Cancel")))];
}

/** Where, by whom and when it was said, and how many memories say so. */
function told(side) {
  return [fromOf(side), side.speaker, side.told_at && ago(side.told_at), side.rids.length > 1 && plural(side.rids.length, "{n} memory", "{n} memories")].filter(Boolean).join(" · ");
}

function question(item) {
  const element = h("li", { class: "question", data: { contradiction: item.id } });
  element.title_ = h("h2", { dir: "auto" });
  element.a = sideOf("a", element);
  element.b = sideOf("b", element);
  element.foot = h(
    "div",
    { class: "question-foot" },
    h("button", { type: "button", on: { click: ({ currentTarget }) => since(element, currentTarget) } }, t("It changed: since when?")),
    h("button", { type: "button", on: { click: () => choose(element, { keep_both: true }, t("Both are kept")) } }, t("Both: they are two things")),
    h("button", { type: "button", class: "quiet", on: { click: ({ currentTarget }) => merge(element, currentTarget) } }, t("Neither: type what is right…")),
    h("button", { type: "button", class: "quiet", on: { click: () => putOff(element.item, LATER_MS) } }, t("Ask me later")),
  );
  element.others = h("ul", { class: "plain others" });
  element.before = h("p", { class: "muted before" });
  element.inside = h("div", { class: "question-inside" }, h("header", { class: "question-head" }, element.title_), h("div", { class: "sides" }, element.a.element, h("span", { class: "versus", "aria-hidden": "true" }, t("or")), element.b.element), element.others, element.before, element.foot);
  element.done = h("div", { class: "question-done", hidden: true });
  element.append(element.inside, element.done);
  return element;
}

function sideOf(letter, element) {
  const value = h("p", { class: "value", dir: "auto" });
  const text = h("a", { class: "quote", dir: "auto" });
  const meta = h("p", { class: "muted" });
  const button = h("button", { type: "button", class: "primary", on: { click: () => choose(element, { [`keep_${letter}`]: true }, t("{value} is true", { value: element.item[letter].value })) } }, t("This is true"));
  return { element: h("section", { class: "side-card", data: { side: letter } }, value, text, meta, button), value, text, meta, button };
}

function updateQuestion(element, item) {
  element.item = item;
  const done = decided.get(item.id);
  element.classList.toggle("decided", Boolean(done));
  element.inside.hidden = Boolean(done);
  element.done.hidden = !done;
  if (done) {
    const waits = windowOf(item.id);
    const stands = done.pending ? "asked" : String(waits?.id);
    // The card stays as tall as it was: nothing moves under the pointer.
    if (element.dataset.waits !== stands) {
      element.dataset.waits = stands;
      const buttons = waits ? [h("div", { class: "row", data: { window: waits.id } }, undoButtons(waits.id))] : [h("button", { type: "button", on: { click: () => takeBack(item) } }, t("Undo"))];
      element.done.replaceChildren(h("p", {}, h("strong", { dir: "auto" }, `${subjectOf(item)}: `), done.said), ...(done.pending ? [] : buttons));
    }
    return;
  }
  element.style.minHeight = "";
  delete element.dataset.waits;
  say(element.title_, subjectOf(item));
  element.dataset.severity = item.severity ?? "";
  for (const letter of ["a", "b"]) {
    const side = element[letter];
    say(side.value, item[letter].value);
    say(side.text, t("“{text}”", { text: textOf(item[letter]) }));
    side.text.setAttribute("href", link(`memory/${item[letter].rid}`));
    say(side.meta, told(item[letter]));
    side.element.style.setProperty("--hue", hueOf(item[letter].device));
    side.button.setAttribute("aria-label", t("This is true: {value}", { value: item[letter].value }));
  }
  keyed(element.others, item.others, {
    key: (other) => other.rid,
    make: (other) => h("li", {}, h("strong", { dir: "auto" }, other.value), h("span", { class: "muted" }, told(other)), h("button", { type: "button", on: { click: () => choose(element, { keep: other.rid }, t("{value} is true", { value: other.value })) } }, t("This is true"))),
  });
  say(element.before, item.resolutions.length > 1 ? t("Decided differently before: {how}.", { how: item.resolutions.map((each) => `${fromOf(each)}: ${each.kept.join(", ")}`).join("; ") }) : "");
}

async function choose(element, how, said) {
  element.style.minHeight = `${element.offsetHeight}px`;
  element.inert = true;
  await decide(element.item, how, said);
  element.inert = false;
  element.done.querySelector("button")?.focus({ preventScroll: true });
}

/** Decide in ten seconds: until then nothing is written, and it can be undone. */
async function decide(item, how, said) {
  decided.set(item.id, { item, said, pending: true });
  try {
    const waits = await call("panel/decide", { id: item.id, ...how });
    if (!state.windows.some((each) => each.id === waits.id)) state.windows = [...state.windows.filter((each) => each.about !== item.id), waits];
    decided.set(item.id, { item, said });
    announce(`${said}. ${byKeys()}`);
  } catch (error) {
    decided.delete(item.id);
    complain(error);
  }
  changed();
}

/** It was one thing, and then the other: ask from when on. */
function since(element, asked) {
  const { item } = element;
  const sides = [item.a, item.b, ...item.others];
  const which = h("select", { "aria-label": t("What is true now") }, sides.map((side) => h("option", { value: side.rid, selected: side === item.b }, side.value)));
  const day = h("input", { type: "date", required: true, "aria-label": t("Since when") });
  const last = sides.map((side) => side.told_at).filter(Boolean).sort().at(-1);
  day.value = fieldDay(last === undefined ? Date.now() : Date.parse(last));
  form(element, asked, [h("div", { class: "row changed-form" }, h("label", {}, t("Now it is"), which), h("label", {}, t("Since"), day))], t("It changed then"), () => decideIn(element, { keep: which.value, since: day.value }, t("{value} since {date}", { value: sides.find((side) => side.rid === which.value).value, date: date(`${day.value}T12:00`) })));
  which.focus();
}

function merge(element, asked) {
  const input = h("textarea", { rows: "2", "aria-label": t("What is true instead"), dir: "auto", on: { input: () => { element.typed = input.value; } } }, element.typed ?? textOf(element.item.b));
  form(element, asked, [input], t("Remember this instead"), () => (input.value.trim() ? decideIn(element, { merge: input.value.trim() }, input.value.trim()) : input.focus()));
  input.focus();
}

/** Ask for more below a question, in place of what was asked there before. Who leaves it stands where they asked. */
function form(element, asked, inside, yes, act) {
  const leave = () => {
    made.remove();
    asked.focus();
  };
  const made = h(
    "form",
    { class: "stack", on: { submit: (event) => (event.preventDefault(), act()), keydown: (event) => event.key === "Escape" && leave() } },
    inside,
    h("div", { class: "row" }, h("button", { type: "submit", class: "primary" }, yes), h("button", { type: "button", class: "quiet", on: { click: leave } }, t("Cancel"))),
  );
  element.querySelector("form")?.remove();
  element.inside.append(made);
}

function decideIn(element, how, said) {
  element.querySelector("form").remove();
  return choose(element, how, said);
}
