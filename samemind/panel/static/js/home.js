// Home: a box to ask, what wants a decision, what was on this day, what came lately, and the sync as it happens.

import { call, stream } from "./api.js";
import { askBox } from "./ask.js";
import { cut, h, keyed, say } from "./dom.js";
import { ago, clock, list, plural, t, years } from "./i18n.js";
import { noticed, reminders } from "./inbox.js";
import { onOps } from "./live.js";
import { syncMap } from "./map.js";
import { compose } from "./memories.js";
import { openQuestions } from "./questions.js";
import { here, isPast, link } from "./router.js";
import { fromOf, memoryRow } from "./row.js";
import { count, deviceName, hueOf, memoryNamed, state } from "./state.js";
import { deed, deedOn } from "./words.js";

const SHOWN = 9;
const KEPT = 60;
const THIS_DAY = 3;

/** One sentence on how the devices stand to each other. */
export function agreement() {
  if (!state.loaded) return ["", ""];
  const by = state.status?.revoked_by;
  if (by) return [t("Removed from the group"), t("{device} removed this device from the group, so no other device syncs with it.", { device: by })];
  const peers = (state.status?.peers ?? []).filter((peer) => peer.state !== "revoked");
  if (!peers.length && !count()) return [t("No memories yet"), t("Tell it something, then ask in your own words: “where does Ann live?” finds “Ann moved to Lisbon”.")];
  if (!peers.length) return [plural(count(), "{n} memory on this device", "{n} memories on this device"), t("Pair another device, and both will have the same memories.")];
  const linked = peers.filter((peer) => peer.state === "linked");
  const behind = linked.filter((peer) => peer.behind);
  const away = peers.filter((peer) => peer.state !== "linked");
  const names = (some) => list(some.map((peer) => deviceName(peer.device_id)));
  const rest = away.length ? t(away.length === 1 ? "{names} is away and will catch up." : "{names} are away and will catch up.", { names: names(away) }) : t("Whatever you tell one, the others know within a moment.");
  if (!linked.length) return [t("No other device is here"), rest];
  if (behind.length) return [t(behind.length === 1 ? "{names} is catching up" : "{names} are catching up", { names: names(behind) }), rest];
  return [t("You and {names} have the same {memories}", { names: names(linked), memories: plural(count(), "{n} memory", "{n} memories") }), rest];
}

export function homeView() {
  const title = h("h1", {});
  const subtitle = h("p", { class: "lead" });
  const ask = askBox();
  const map = syncMap();
  const decisions = h("ul", { class: "plain decisions" });
  const lately = h("ol", { class: "plain lately", "aria-label": t("Recently") });
  const latelyTitle = h("h2", {}, t("Recently"));
  const thisDay = h("section", { class: "this-day", hidden: true });
  const tell = h("button", { type: "button", class: "primary", "aria-keyshortcuts": "n", on: { click: () => compose() } }, t("Remember something"));
  const stage = h("section", { class: "stage", "aria-label": t("Sync map") }, map.element);
  const happened = h("div", { class: "home-main" }, stage, latelyTitle, lately);
  const side = h("section", { class: "side" }, h("h2", {}, t("For you")), decisions, thisDay);
  const asked = h("h1", { class: "unseen" }, t("Ask your memory"));
  const element = h("div", { class: "view home" }, asked, ask.element, h("header", { class: "view-head with-action" }, h("div", {}, title, subtitle), tell), happened, side);
  let ops = [];

  const show = () => {
    const rows = gathered(ops);
    latelyTitle.hidden = !rows.length;
    happened.hidden = Boolean(here().args.get("ask")) || isPast() || (stage.hidden && !rows.length);
    keyed(lately, rows, { key: (op) => op.op_id, make: lateOp, update: updateOp });
    if (state.loaded) learnWords(rows).then((came) => came && show());
  };

  function readLog() {
    ops = [];
    stream("log", { limit: KEPT }, () => {}).then((log) => {
      const known = new Set(log.ops.map((op) => op.op_id));
      ops = [...ops.filter((op) => !known.has(op.op_id)), ...log.ops.reverse().filter(told)].slice(0, KEPT); // some may have come meanwhile
      show();
    }, () => {});
  }
  readLog();
  showThisDay(thisDay);
  const stop = onOps((news) => {
    ops = [...news.ops.toReversed().filter(told), ...ops].slice(0, KEPT);
    map.pulse(news);
    show();
  }, readLog);
  const timer = setInterval(show, 30_000);

  return {
    element,
    moved: ask.moved,
    search: ask.focus,
    update() {
      const [main, rest] = agreement();
      say(title, main);
      say(subtitle, rest);
      const asking = Boolean(here().args.get("ask"));
      for (const part of [side, title.closest("header")]) part.hidden = asking || isPast();
      asked.hidden = !asking && !isPast();
      // A map of one device says nothing.
      stage.hidden = !state.status?.peers?.length;
      map.update();
      show();
      const items = decisionsNow();
      keyed(decisions, items.length ? items : [{ key: "none", text: t("Nothing needs your attention.") }], {
        key: (item) => item.key,
        make: (item) => h("li", {}, item.href ? h("a", { href: item.href }) : h("span", { class: "muted" })),
        update: (li, item) => say(li.firstChild, item.text),
      });
    },
    close() {
      ask.close();
      stop();
      clearInterval(timer);
    },
  };
}

function decisionsNow() {
  const questions = openQuestions().length;
  const open = reminders().length;
  const found = noticed().length;
  return [
    questions && { key: "questions", href: "#/questions", text: plural(questions, "{n} contradiction to settle", "{n} contradictions to settle") },
    open && { key: "triggers", href: "#/inbox", text: plural(open, "{n} reminder in the inbox", "{n} reminders in the inbox") },
    found && { key: "noticed", href: "#/inbox", text: plural(found, "{n} thing that samemind noticed", "{n} things that samemind noticed") },
    !state.status?.peers?.length && { key: "pair", href: "#/devices", text: t("Pair another device") },
    state.loaded && !count() && { key: "import", href: "#/settings", text: t("Import what you told ChatGPT or Claude") },
    state.loaded && !count() && { key: "agent", text: t("Connect an agent: run {command}, or use the name of yours.", { command: "samemind connect claude" }) },
  ].filter(Boolean);
}

async function showThisDay(element) {
  try {
    const { memories } = await call("panel/on-this-day", { limit: THIS_DAY });
    if (!memories.length) return;
    const year = new Date().getFullYear();
    element.hidden = false;
    element.replaceChildren(
      h("h2", {}, t("On this day")),
      h("ul", { class: "plain found", "aria-label": t("On this day") }, memories.map((memory) => h("li", {}, h("p", { class: "muted" }, years(year - new Date(memory.told_at).getFullYear())), memoryRow(memory)))),
    );
  } catch {
    // Home is whole without it.
  }
}

// What people did; counting accesses, passing claims on and what memory notes by itself is housekeeping.
function told(op) {
  return !["access", "claim", "receipt", "link", "trigger", "propose"].includes(op.kind);
}

// The words of memories that are in no list here: they are old, or gone (null).
const words = new Map();

/** What a change is about, in words: a row without any tells nobody anything. */
function whatOf(op) {
  if (!op.rid) return op.more ? "" : deedOn(op.kind);
  const text = memoryNamed(op.rid)?.text ?? words.get(op.rid);
  if (text === undefined) return "";
  return text === null ? t("a memory that has since been forgotten") : t("“{text}”", { text: cut(text, 90) });
}

/** Ask for the words that are missing; say whether any came. */
async function learnWords(rows) {
  const missing = rows.map((op) => op.rid).filter((rid) => rid && !memoryNamed(rid) && !words.has(rid));
  if (!missing.length) return false;
  for (const rid of missing) words.set(rid, undefined);
  try {
    const { memories } = await call("panel/cards", { rids: missing });
    const found = new Map(memories.map((memory) => [memory.rid, memory.text]));
    for (const rid of missing) words.set(rid, found.get(rid) ?? null);
    return true;
  } catch {
    for (const rid of missing) words.delete(rid);
    return false;
  }
}

/** The last thing that happened to each memory; what names none, and goes on and on, as one. */
function gathered(ops) {
  const rows = [];
  const seen = new Set();
  for (const op of ops) {
    if (memoryNamed(op.rid)?.parent) continue; // a fact: what was told is a row already
    const last = rows.at(-1);
    if (op.rid ? seen.has(op.rid) : last && !last.rid && last.kind === op.kind && last.device === op.device) {
      if (!op.rid) last.more += 1;
      continue;
    }
    seen.add(op.rid);
    rows.push({ ...op, more: 0 });
  }
  return rows.slice(0, SHOWN);
}

function lateOp(op) {
  const item = h("li", { class: "late" });
  item.who = h("span", { class: "late-who" });
  item.deed = h("span", {});
  item.what = h("span", { class: "late-what", dir: "auto" });
  item.when = h("time", { datetime: op.at, title: clock(op.at) });
  item.link = h("a", { class: "late-row" }, h("span", { class: "dot", "aria-hidden": "true" }), h("span", { class: "late-head" }, item.who, item.deed, item.when), item.what);
  item.append(item.link);
  return item;
}

function updateOp(item, op) {
  // Devices may be told of after the first ops were drawn, and with them the colours.
  item.style.setProperty("--hue", hueOf(op.device));
  say(item.deed, ` ${deed(op.kind)}${op.more ? ` ${plural(op.more + 1, "{n} thing", "{n} things")}` : ""} `);
  say(item.what, whatOf(op));
  say(item.when, ago(op.at));
  say(item.who, fromOf(op));
  if (memoryNamed(op.rid) || words.get(op.rid)) item.link.setAttribute("href", link(`memory/${op.rid}`));
  else item.link.removeAttribute("href");
}
