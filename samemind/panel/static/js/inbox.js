// The inbox: what memory brings up by itself, until it is done or waved away, here or on any device.

import { call } from "./api.js";
import { announce, h, keyed, say } from "./dom.js";
import { reveal } from "./memories.js";
import { memoryNamed, reloadSoon, state } from "./state.js";
import { complain } from "./toasts.js";
import { ago, plural, WHY } from "./words.js";

export function inboxView() {
  const summary = h("p", { class: "lead" });
  const list = h("ul", { class: "plain inbox" });
  const think = h("button", { type: "button", on: { click: thinkNow } }, "Think now");
  const element = h("div", { class: "view" }, h("header", { class: "view-head with-action" }, h("div", {}, h("h1", {}, "Inbox"), summary), think), list);

  async function thinkNow() {
    think.disabled = true;
    try {
      await call("think");
      reloadSoon();
      announce("Thought it over");
    } catch (error) {
      complain(error);
    }
    think.disabled = false;
  }

  return {
    element,
    update() {
      const open = (state.triggers ?? []).filter((each) => each.status === "pending" || each.status === "delivered").sort((a, b) => b.urgency - a.urgency);
      say(summary, open.length ? `${plural(open.length, "thing")} worth a look.` : "Nothing to bring up. It is looked for every few minutes.");
      keyed(list, open, { key: (each) => each.id, make: reminder, update: updateReminder });
    },
  };
}

function reminder(item) {
  const element = h("li", { class: "reminder", data: { trigger: item.id } });
  element.reason = h("p", { class: "reminder-reason" });
  element.meta = h("p", { class: "muted" });
  element.settle = h("a", { href: "#/questions" }, "Settle it");
  element.about = h("ul", { class: "plain reminder-about" });
  element.meter = h("meter", { min: "0", max: "1", "aria-label": "Urgency" });
  element.append(
    element.reason,
    element.about,
    h("footer", { class: "row" }, element.meter, element.meta, element.settle, h("button", { type: "button", class: "primary", on: { click: () => act(element, "act", "Done") } }, "Done"), h("button", { type: "button", class: "quiet", on: { click: () => act(element, "dismiss", "Dismissed") } }, "Dismiss")),
  );
  return element;
}

function updateReminder(element, item) {
  element.item = item;
  say(element.reason, item.reason.replace(/^owner /, "You: "));
  element.settle.hidden = item.kind !== "conflict_escalation";
  element.meter.value = item.urgency;
  say(element.meta, [WHY[item.kind] ?? item.kind.replaceAll("_", " "), item.expires_at && `until ${ago(item.expires_at)}`].filter(Boolean).join(" · "));
  keyed(element.about, item.rids.map(memoryNamed).filter(Boolean).slice(0, 3), {
    key: (memory) => memory.rid,
    make: (memory) => h("li", {}, h("button", { type: "button", class: "link", on: { click: () => reveal(memory.rid) } })),
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
