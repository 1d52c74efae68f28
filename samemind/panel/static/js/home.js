// Home: the sync as it happens, what wants a decision, and what came lately.

import { stream } from "./api.js";
import { h, keyed, say } from "./dom.js";
import { onOps } from "./live.js";
import { syncMap } from "./map.js";
import { compose, reveal } from "./memories.js";
import { openQuestions } from "./questions.js";
import { count, deviceName, hueOf, memoryNamed, state } from "./state.js";
import { ago, clock, deed, plural } from "./words.js";

const SHOWN = 9;
const KEPT = 60;

/** One sentence on how the devices stand to each other. */
export function agreement() {
  if (!state.loaded) return ["", ""];
  const peers = (state.status?.peers ?? []).filter((peer) => peer.state !== "revoked");
  if (!peers.length && !count()) return ["Nothing is remembered yet", "Tell it something, and ask for it in your own words: “where does Ann live?” finds “Ann moved to Lisbon”."];
  if (!peers.length) return ["This device is on its own", "Pair another, and both will hold the same."];
  const memories = plural(count(), "memory", "memories");
  const linked = peers.filter((peer) => peer.state === "linked");
  const behind = linked.filter((peer) => peer.behind);
  const names = new Intl.ListFormat("en").format(linked.map((peer) => peer.name));
  const away = peers.filter((peer) => peer.state !== "linked");
  const rest = away.length ? `${new Intl.ListFormat("en").format(away.map((peer) => peer.name))} ${away.length === 1 ? "is" : "are"} away and will catch up.` : "Whatever one is told, the others know within a moment.";
  if (!linked.length) return ["Nobody else is here", rest];
  if (behind.length) return [`${new Intl.ListFormat("en").format(behind.map((peer) => peer.name))} ${behind.length === 1 ? "is" : "are"} catching up`, rest];
  return [`You and ${names} hold the same ${memories}`, rest];
}

export function homeView() {
  const title = h("h1", {});
  const subtitle = h("p", { class: "lead" });
  const map = syncMap();
  const decisions = h("ul", { class: "plain decisions" });
  const lately = h("ol", { class: "plain lately", "aria-label": "Lately" });
  const latelyTitle = h("h2", {}, "Lately");
  const tell = h("button", { type: "button", class: "primary", "aria-keyshortcuts": "n", on: { click: () => compose() } }, "Tell it something");
  const element = h(
    "div",
    { class: "view home" },
    h("header", { class: "view-head with-action" }, h("div", {}, title, subtitle), tell),
    h("section", { class: "stage", "aria-label": "Map of the sync" }, map.element),
    h("section", { class: "side" }, h("h2", {}, "For you"), decisions, latelyTitle, lately),
  );
  let ops = [];

  const show = () => {
    const rows = gathered(ops);
    latelyTitle.hidden = !rows.length;
    keyed(lately, rows, {
      key: (op) => op.op_id,
      make: lateOp,
      update: (item, op) => {
        const text = op.rid && memoryNamed(op.rid)?.text;
        say(item.deed, ` ${deed(op.kind)}${op.more ? ` ${op.more + 1} things` : ""} `);
        say(item.what, text ? `“${text.length > 90 ? `${text.slice(0, 88)}…` : text}”` : "");
        say(item.when, ago(op.at));
        say(item.who, op.device === state.session?.device_id ? "this device" : (op.device_name ?? deviceName(op.device)));
        item.link.disabled = !text;
      },
    });
  };

  stream("log", { limit: KEPT }, () => {}).then((log) => {
    ops = [...log.ops.reverse(), ...ops].filter(told).slice(0, KEPT);
    show();
  }, () => {});
  const stop = onOps((news) => {
    ops = [...news.ops.toReversed().filter(told), ...ops].slice(0, KEPT);
    map.pulse(news);
    show();
  });
  const timer = setInterval(show, 30_000);

  return {
    element,
    update() {
      const [main, rest] = agreement();
      say(title, main);
      say(subtitle, rest);
      map.update();
      show();
      const questions = openQuestions().length;
      const triggers = (state.triggers ?? []).filter((each) => each.status === "pending" || each.status === "delivered").length;
      const items = [
        questions && { key: "questions", href: "#/questions", text: `${plural(questions, "contradiction")} to settle` },
        triggers && { key: "triggers", href: "#/inbox", text: `${plural(triggers, "reminder")} in the inbox` },
        !state.status?.peers?.length && { key: "pair", href: "#/devices", text: "Pair another device" },
        state.loaded && !count() && { key: "agent", text: "Let an agent use it: run samemind connect claude, or the name of yours." },
      ].filter(Boolean);
      keyed(decisions, items.length ? items : [{ key: "none", text: "Nothing waits for you." }], {
        key: (item) => item.key,
        make: (item) => h("li", {}, item.href ? h("a", { href: item.href }) : h("span", { class: "muted" })),
        update: (li, item) => say(li.firstChild, item.text),
      });
    },
    close() {
      stop();
      clearInterval(timer);
    },
  };
}

// What people did; counting accesses and passing claims on is housekeeping.
function told(op) {
  return !["access", "claim", "receipt"].includes(op.kind);
}

/** The last thing that happened to each memory; what names none, and goes on and on, as one. */
function gathered(ops) {
  const rows = [];
  const seen = new Set();
  for (const op of ops) {
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
  const item = h("li", { class: "late", vars: { "--hue": hueOf(op.device) } });
  item.who = h("span", { class: "late-who" });
  item.deed = h("span", {});
  item.what = h("span", { class: "late-what" });
  item.when = h("time", { datetime: op.at, title: clock(op.at) });
  item.link = h("button", { type: "button", class: "late-row", on: { click: () => reveal(op.rid) } }, h("span", { class: "dot", "aria-hidden": "true" }), h("span", { class: "late-head" }, item.who, item.deed, item.when), item.what);
  item.append(item.link);
  return item;
}
