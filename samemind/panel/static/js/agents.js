// Agents: who may read and write here, what each of them did, who waits to be let in, and who asked on this device.

import { call } from "./api.js";
import { announce, coded, confirmHere, h, keyed, say } from "./dom.js";
import { ago, clock, plural, t } from "./i18n.js";
import { link } from "./router.js";
import { state } from "./state.js";
import { complain, notice } from "./toasts.js";

// The list is kept in a file that other programs write too: nobody tells of a change.
const LOOK_MS = 3000;
const CALLS_MAX = 40;

/** How many programs wait to be let in, as far as was heard. */
let waitingNow = 0;
export const waitingAgents = () => waitingNow;

export async function lookForAgents() {
  const found = await call("agents list");
  waitingNow = found.waiting.length;
  return found;
}

export function agentsView() {
  const summary = h("p", { class: "lead" });
  const waiting = h("ul", { class: "plain waiting", "aria-label": t("Waiting for approval") });
  const list = h("ul", { class: "plain agents", "aria-label": t("Approved agents") });
  const empty = h("div", { class: "empty", hidden: true }, h("p", {}, coded(t("No remote agents are connected. To connect a program on this machine, run {command}."), { command: "samemind connect" })));
  const local = h("ul", { class: "plain agents", "aria-label": t("On this device") });
  const here = h("section", { class: "stack", hidden: true }, h("h2", {}, t("On this device")), h("p", { class: "muted" }, t("Programs that used this memory over MCP, under the names they report. A program with your rights can also read the file itself; that does not show here.")), local);
  const element = h("div", { class: "view" }, h("header", { class: "view-head" }, h("h1", {}, t("Agents")), summary), waiting, list, empty, here, h("h2", {}, t("Connect another")), h("div", { class: "pair-grid" }, tokenBox(look), howBox()));
  let timer = 0;
  let closed = false;

  async function look() {
    clearTimeout(timer);
    try {
      show(await lookForAgents());
    } catch (error) {
      if (error.code !== "away") complain(error);
    }
    if (!closed) timer = setTimeout(look, LOOK_MS);
  }

  function show(found) {
    if (closed) return;
    const reached = state.status?.mcp_url;
    if (summary.dataset.said !== String(reached)) {
      summary.dataset.said = String(reached);
      summary.replaceChildren(...(reached ? coded(t("Remote agents reach this device at {url}."), { url: reached }) : coded(t("Remote agents cannot reach this device: start it with {command}."), { command: "samemind up --mcp-http 127.0.0.1:7413" })));
    }
    keyed(waiting, found.waiting, { key: (each) => each.code, make: (each) => waitingCard(each, look) });
    keyed(list, found.agents, { key: (each) => each.id, make: (each) => agentCard(each, look), update: updateAgent });
    empty.hidden = found.agents.length > 0 || found.waiting.length > 0;
    keyed(local, found.local, { key: (each) => each.name, make: localCard, update: updateLocal });
    here.hidden = found.local.length === 0;
  }

  look();
  return {
    element,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** What an agent may do: everything, or reading alone; all spaces, or one. */
function rights() {
  const readOnly = h("input", { type: "checkbox" });
  const space = h("input", { type: "text", placeholder: t("all of them"), autocomplete: "off" });
  const profile = h("select", {}, [["core", t("the most important")], ["full", t("all tools")], ["compat", t("only those of the reference memory server")]].map(([value, said]) => h("option", { value }, said)));
  return {
    element: h("div", { class: "rights" }, h("label", { class: "check" }, readOnly, t("Read only")), h("label", {}, t("Limited to the space"), space), h("label", {}, t("Tools"), profile)),
    options: () => ({ read_only: readOnly.checked, profile: profile.value, ...(space.value.trim() ? { workspace: space.value.trim() } : {}) }),
  };
}

function waitingCard(item, look) {
  const may = rights();
  async function answer(verb, options) {
    card.inert = true;
    try {
      await call(`agents ${verb}`, options);
      announce(verb === "approve" ? t("Approved") : t("Rejected"));
    } catch (error) {
      complain(error);
    }
    card.inert = false;
    look();
  }
  const card = h(
    "li",
    { class: "agent-card waiting-card", data: { code: item.code } },
    h("h2", { dir: "auto" }, t("{name} wants to use this memory", { name: item.name })),
    h("p", {}, t("Its page shows this code: "), h("span", { class: "code" }, item.code), " ", h("span", { class: "muted" }, t("If it shows another code, or you did not ask for this, reject it."))),
    h("p", { class: "muted wrap" }, t("The answer goes to {address}", { address: item.redirect_uri })),
    may.element,
    h("div", { class: "row" }, h("button", { type: "button", class: "primary", on: { click: () => answer("approve", { code: item.code, ...may.options() }) } }, t("Approve")), h("button", { type: "button", on: { click: () => answer("refuse", { code: item.code }) } }, t("Reject"))),
  );
  return card;
}

function agentCard(item, look) {
  const card = h("li", { class: "agent-card", data: { agent: item.id } });
  card.name = h("h2", { dir: "auto" });
  card.may = h("p", {});
  card.facts = h("p", { class: "muted" });
  addPast(card, "remote");
  const revoke = async () => {
    const yes = await confirmHere(card, t("Disconnect {name}? It will need approval again.", { name: card.item.name }), t("Disconnect"));
    if (!yes) return;
    try {
      await call("agents revoke", { name: card.item.name });
      notice(t("{name} is disconnected.", { name: card.item.name }));
    } catch (error) {
      complain(error);
    }
    look();
  };
  card.append(h("div", { class: "row spread" }, card.name, h("button", { type: "button", class: "quiet", on: { click: revoke } }, t("Disconnect…"))), card.may, card.facts, card.did);
  return card;
}

/** What it did, to be opened; `where` is how `agents log` tells programs on this device from remote agents. */
function addPast(card, where) {
  card.where = where;
  card.log = h("ol", { class: "plain calls" });
  card.did = h("details", { class: "past", on: { toggle: () => card.did.open && showCalls(card) } }, h("summary", {}, t("What it has read and written")), card.log);
}

function keepUp(card, item) {
  const before = card.item;
  card.item = item;
  if (card.did.open && before?.calls !== item.calls) showCalls(card);
}

/** A program on this device is let in by nobody, so there is nothing to disconnect. */
function localCard(item) {
  const card = h("li", { class: "agent-card", data: { local: item.name } });
  card.facts = h("p", { class: "muted" });
  addPast(card, "here");
  card.append(h("h3", { dir: "auto" }, item.name || t("without a name")), card.facts, card.did);
  return card;
}

function updateLocal(card, item) {
  say(card.facts, [item.version && t("version {version}", { version: item.version }), t("last seen {when}", { when: ago(item.last_seen) }), plural(item.calls, "{n} call", "{n} calls")].filter(Boolean).join(" · "));
  keepUp(card, item);
}

function updateAgent(card, item) {
  say(card.name, item.name);
  say(card.may, [item.read_only ? t("may read") : t("may read and write"), item.workspace ? t("in the space {space}", { space: item.workspace }) : t("everything"), item.share.length ? t("and read {spaces}", { spaces: item.share.join(", ") }) : ""].filter(Boolean).join(" "));
  say(card.facts, [item.by === "oauth" ? t("approved by code") : t("by token"), item.added_at && ago(item.added_at), item.last_seen ? t("last seen {when}", { when: ago(item.last_seen) }) : t("never seen"), plural(item.calls, "{n} call", "{n} calls")].filter(Boolean).join(" · "));
  keepUp(card, item);
}

async function showCalls(card) {
  try {
    const { calls } = await call("agents log", { name: card.item.name, where: card.where, limit: CALLS_MAX });
    const rids = [...new Set(calls.flatMap((each) => each.rids))].slice(0, 200);
    const { memories } = rids.length ? await call("panel/cards", { rids }) : { memories: [] };
    const texts = new Map(memories.map((memory) => [memory.rid, memory.text]));
    card.log.replaceChildren(...(calls.length ? calls.reverse().map((each) => callRow(each, texts)) : [h("li", { class: "muted" }, t("Nothing yet."))]));
  } catch (error) {
    complain(error);
  }
}

function callRow(item, texts) {
  const known = item.rids.filter((rid) => texts.has(rid));
  return h(
    "li",
    { class: item.wrote ? "wrote" : "" },
    h("span", { class: item.wrote ? "flag alert" : "flag" }, item.wrote ? t("wrote") : t("read")),
    h("code", {}, item.tool),
    h("time", { class: "muted", datetime: item.at, title: clock(item.at) }, ago(item.at)),
    known.length > 0 && h("ul", { class: "plain" }, known.slice(0, 5).map((rid) => h("li", {}, h("a", { href: link(`memory/${rid}`), dir: "auto" }, texts.get(rid).slice(0, 100))))),
    item.count > Math.min(5, known.length) && h("span", { class: "muted" }, plural(item.count, "{n} memory in all", "{n} memories in all")),
  );
}

/** A token for a program that takes one. */
function tokenBox(look) {
  const may = rights();
  const name = h("input", { type: "text", required: true, placeholder: t("my assistant"), autocomplete: "off" });
  const shown = h("div", { class: "offer", "aria-live": "polite" });
  async function make(event) {
    event.preventDefault();
    try {
      const { agent, token } = await call("agents add", { name: name.value.trim(), ...may.options() });
      shown.replaceChildren(
        h("p", {}, t("The token of {name}, shown only this once:", { name: agent.name })),
        h("p", { class: "code token" }, token),
        h("button", { type: "button", on: { click: () => navigator.clipboard?.writeText(token).then(() => announce(t("Copied"))) } }, t("Copy")),
      );
      name.value = "";
    } catch (error) {
      complain(error);
    }
    look();
  }
  return h("section", { class: "box" }, h("h3", {}, t("With a token")), h("p", {}, t("For a program on your own network that can send one.")), h("form", { class: "stack", on: { submit: make } }, h("label", {}, t("Name of the agent"), name), may.element, h("button", { type: "submit", class: "primary" }, t("Create a token"))), shown);
}

function howBox() {
  return h("section", { class: "box" }, h("h3", {}, t("With approval")), h("p", {}, t("Give the program the address above. It shows a code and appears here: compare the codes, then approve it.")), h("p", { class: "muted" }, coded(t("Programs on this machine need neither: {command}"), { command: "samemind connect claude" })));
}
