// The inbox: what memory brings up by itself, until it is done or waved away, here or on any device.

import { call } from "./api.js";
import { announce, h, keyed, say } from "./dom.js";
import { ago, minute, plural, t } from "./i18n.js";
import { composeButton } from "./memories.js";
import { link } from "./router.js";
import { memoryNamed, reloadSoon, state } from "./state.js";
import { complain, notice } from "./toasts.js";
import { reasonOf, why } from "./words.js";

// A contradiction waits among the questions, and only there: "done" would not decide it.
const open = (each) => (each.status === "pending" || each.status === "delivered") && each.kind !== "conflict_escalation";

/** What somebody asked to be reminded of, and is due. */
export function reminders() {
  return (state.triggers ?? []).filter((each) => open(each) && each.kind === "reminder");
}

/** What memory noticed by itself: patterns, goals that stand still, what fades. Nobody waits for it.
 *  What two triggers say in the same words is one thing, and goes by both (`ids`). */
export function noticed() {
  const found = new Map();
  for (const each of state.triggers ?? []) {
    if (!open(each) || each.kind === "reminder") continue;
    const said = found.get(each.reason);
    if (said) said.ids.push(each.id);
    else found.set(each.reason, { ...each, ids: [each.id] });
  }
  return [...found.values()];
}

export function inboxView() {
  const summary = h("p", { class: "lead" });
  const list = h("ul", { class: "plain inbox", "aria-label": t("Reminders") });
  const others = h("ul", { class: "plain inbox", "aria-label": t("Noticed") });
  const otherPart = h("section", { class: "noticed", hidden: true }, h("h2", {}, t("Noticed")), h("p", { class: "muted" }, t("What samemind found by itself. You need not do anything about it.")), others);
  const think = h("button", { type: "button", on: { click: thinkNow } }, t("Think now"));
  const hint = h("div", { class: "empty" }, h("p", {}, t("To be reminded, write down when: “Dentist on 3 May at 9”. It appears here on that day.")), composeButton());
  const coming = h("ol", { class: "plain inbox coming", "aria-label": t("Coming up") });
  const comingPart = h("section", { class: "noticed", hidden: true }, h("h2", {}, t("Coming up")), coming);
  const element = h("div", { class: "view" }, h("header", { class: "view-head with-action" }, h("div", {}, h("h1", {}, t("Inbox")), summary), think), list, hint, comingPart, otherPart);

  async function thinkNow() {
    think.disabled = true;
    try {
      const thought = await call("think");
      reloadSoon();
      announce(thought.more ? t("Still thinking: this goes on in the background") : t("Finished thinking"));
    } catch (error) {
      complain(error);
    }
    think.disabled = false;
  }

  return {
    element,
    update() {
      const urgent = (a, b) => b.urgency - a.urgency;
      const [due, found] = [reminders().sort(urgent), noticed().sort(urgent)];
      say(summary, due.length ? plural(due.length, "{n} reminder.", "{n} reminders.") : t("No reminder is due. This is checked every few minutes."));
      hint.hidden = due.length + state.coming.length > 0;
      comingPart.hidden = !state.coming.length;
      keyed(coming, state.coming, { key: (each) => each.rid, make: comer, update: updateComer });
      otherPart.hidden = !found.length;
      keyed(list, due, { key: (each) => each.id, make: reminder, update: updateReminder });
      keyed(others, found, { key: (each) => each.id, make: reminder, update: updateReminder });
    },
  };
}

function reminder(item) {
  const element = h("li", { class: "reminder", data: { trigger: item.id } });
  const asked = item.kind === "reminder";
  // What somebody asked for says itself what it is about; of what was noticed, each memory is named below.
  element.said = asked && h("a", { href: link(`memory/${item.rids[0]}`) });
  element.reason = h("p", { class: "reminder-reason", dir: "auto" }, element.said);
  element.meta = h("p", { class: "muted" });
  element.about = h("ul", { class: "plain reminder-about" });
  element.meter = h("meter", { min: "0", max: "1" });
  element.append(
    element.reason,
    element.about,
    h(
      "footer",
      { class: "row" },
      asked && h("label", { class: "urgency" }, t("Urgency"), element.meter),
      element.meta,
      h("button", { type: "button", class: asked ? "primary" : "", on: { click: () => act(element, "act", t("Done")) } }, asked ? t("Done") : t("Seen")),
      snoozer(element),
      asked && h("button", { type: "button", class: "quiet", on: { click: () => act(element, "dismiss", t("Dismissed")) } }, t("Dismiss")),
    ),
  );
  return element;
}

function comer(item) {
  const element = h("li", { class: "coming-one", data: { coming: item.rid } });
  element.link = h("a", { href: link(`memory/${item.rid}`), dir: "auto" });
  element.when = h("p", { class: "muted" });
  element.append(element.link, element.when);
  return element;
}

function updateComer(element, item) {
  say(element.link, item.text);
  say(element.when, minute(new Date(item.due)));
}

const MORNING = 9;
const HOUR_MS = 3_600_000;

/** At nine in the morning of the day that is so many days ahead, where the browser is. */
function morning(days) {
  const at = new Date();
  at.setDate(at.getDate() + days);
  at.setHours(MORNING, 0, 0, 0);
  return at;
}

/** When something may come up again. */
const TIMES = [
  [() => t("In an hour"), () => new Date(Date.now() + HOUR_MS)],
  [() => t("Tomorrow morning"), () => morning(1)],
  [() => t("In a week"), () => morning(7)],
];

/** A choice of when it is to come up again, on every device. */
function snoozer(element) {
  const choice = h(
    "details",
    { class: "snooze", on: { keydown: (event) => event.key === "Escape" && choice.open && (event.stopPropagation(), (choice.open = false), choice.firstChild.focus()) } },
    h("summary", { class: "button" }, t("Later…")),
    h("div", { class: "row" }, TIMES.map(([said, when]) => h("button", { type: "button", on: { click: () => putOff(when()) } }, said()))),
  );
  function putOff(until) {
    choice.open = false;
    act(element, "snooze", t("It will appear again: {when}.", { when: minute(until) }), { until: until.toISOString() });
  }
  return choice;
}

function updateReminder(element, item) {
  element.item = item;
  say(element.said || element.reason, reasonOf(item.reason));
  element.meter.value = item.urgency;
  say(element.meta, [why(item.kind), item.expires_at && t("until {date}", { date: ago(item.expires_at) })].filter(Boolean).join(" · "));
  const isNew = (memory) => memory && !(element.said && item.reason.includes(memory.text));
  keyed(element.about, item.rids.map(memoryNamed).filter(isNew).slice(0, 3), {
    key: (memory) => memory.rid,
    make: (memory) => h("li", {}, h("a", { href: link(`memory/${memory.rid}`), dir: "auto" })),
    update: (li, memory) => say(li.firstChild, memory.text),
  });
}

async function act(element, verb, said, options = {}) {
  element.inert = true;
  try {
    for (const id of element.item.ids ?? [element.item.id]) await call(`triggers ${verb}`, { id, ...options });
    if (verb === "snooze") notice(said);
    else announce(said);
    reloadSoon();
  } catch (error) {
    element.inert = false;
    complain(error);
  }
}
