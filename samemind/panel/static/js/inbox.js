// The inbox: what memory brings up by itself, until it is done or waved away, here or on any device.

import { call } from "./api.js";
import { announce, h, keyed, say } from "./dom.js";
import { ago, plural, t } from "./i18n.js";
import { link } from "./router.js";
import { memoryNamed, reloadSoon, state } from "./state.js";
import { complain } from "./toasts.js";
import { why } from "./words.js";

/** What is open; a contradiction waits among the questions, and only there: "done" would not decide it. */
export function reminders() {
  return (state.triggers ?? []).filter((each) => (each.status === "pending" || each.status === "delivered") && each.kind !== "conflict_escalation");
}

export function inboxView() {
  const summary = h("p", { class: "lead" });
  const list = h("ul", { class: "plain inbox" });
  const think = h("button", { type: "button", on: { click: thinkNow } }, t("Think now"));
  const hint = h("p", { class: "empty" }, t("To be reminded, write down when: “Dentist on 3 May at 9”. It comes up here on that day."));
  const element = h("div", { class: "view" }, h("header", { class: "view-head with-action" }, h("div", {}, h("h1", {}, t("Inbox")), summary), think), list, hint);

  async function thinkNow() {
    think.disabled = true;
    try {
      await call("think");
      reloadSoon();
      announce(t("Thought it over"));
    } catch (error) {
      complain(error);
    }
    think.disabled = false;
  }

  return {
    element,
    update() {
      const open = reminders().sort((a, b) => b.urgency - a.urgency);
      say(summary, open.length ? plural(open.length, "{n} thing worth a look.", "{n} things worth a look.") : t("Nothing to bring up. It is looked for every few minutes."));
      hint.hidden = open.length > 0;
      keyed(list, open, { key: (each) => each.id, make: reminder, update: updateReminder });
    },
  };
}

function reminder(item) {
  const element = h("li", { class: "reminder", data: { trigger: item.id } });
  element.reason = h("p", { class: "reminder-reason", dir: "auto" });
  element.meta = h("p", { class: "muted" });
  element.about = h("ul", { class: "plain reminder-about" });
  element.meter = h("meter", { min: "0", max: "1" });
  element.append(
    element.reason,
    element.about,
    h("footer", { class: "row" }, h("label", { class: "urgency" }, t("Urgency"), element.meter), element.meta, h("button", { type: "button", class: "primary", on: { click: () => act(element, "act", t("Done")) } }, t("Done")), h("button", { type: "button", class: "quiet", on: { click: () => act(element, "dismiss", t("Dismissed")) } }, t("Dismiss"))),
  );
  return element;
}

function updateReminder(element, item) {
  element.item = item;
  say(element.reason, item.reason);
  element.meter.value = item.urgency;
  say(element.meta, [why(item.kind), item.expires_at && t("until {date}", { date: ago(item.expires_at) })].filter(Boolean).join(" · "));
  keyed(element.about, item.rids.map(memoryNamed).filter(Boolean).slice(0, 3), {
    key: (memory) => memory.rid,
    make: (memory) => h("li", {}, h("a", { href: link(`memory/${memory.rid}`), dir: "auto" })),
    update: (li, memory) => say(li.firstChild, memory.text),
  });
}

async function act(element, verb, said) {
  element.inert = true;
  try {
    await call(`triggers ${verb}`, { id: element.item.id });
    announce(said);
    reloadSoon();
  } catch (error) {
    element.inert = false;
    complain(error);
  }
}
