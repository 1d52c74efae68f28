// Spaces: parts of the memory that agents can be held to. What is in each, who told it, and who may read and write there.

import { call } from "./api.js";
import { announce, coded, h, keyed } from "./dom.js";
import { ago, list, number, plural, t } from "./i18n.js";
import { link } from "./router.js";
import { complain, notice } from "./toasts.js";

export function spacesView() {
  const cards = h("ul", { class: "plain spaces", "aria-label": t("Spaces") });
  const summary = h("p", { class: "lead" });
  const none = h("div", { class: "empty", hidden: true }, h("p", { class: "empty-title" }, t("No spaces yet")), h("p", {}, t("A space keeps some memories apart: work from home, or one project. An agent that is limited to a space sees nothing else.")));
  const more = h("p", { class: "muted", hidden: true });
  const element = h("div", { class: "view" }, h("p", { class: "crumbs" }, h("a", { href: link("settings") }, t("Settings"))), h("header", { class: "view-head" }, h("h1", {}, t("Spaces")), summary), cards, more, none, h("h2", {}, t("Create a space")), makeBox(look));

  async function look() {
    try {
      const found = await call("panel/spaces");
      keyed(cards, found.spaces.map((each) => ({ ...each, state: JSON.stringify(each) })), { key: (each) => each.name + each.state, make: spaceCard });
      none.hidden = found.spaces.length > 0;
      more.hidden = found.total <= found.spaces.length;
      if (!more.hidden) more.textContent = t("{n} more have fewer memories.", { n: number(found.total - found.spaces.length) });
      summary.textContent = found.elsewhere === 0 ? "" : plural(found.elsewhere, "{n} memory is in no space: agents that are not limited to one see it.", "{n} memories are in no space: agents that are not limited to one see them.");
    } catch (error) {
      complain(error);
    }
  }

  const ready = look();
  return { element, ready };
}

function spaceCard(space) {
  const devices = space.devices.map((each) => `${each.name ?? each.device.slice(0, 8)} (${number(each.count)})`);
  const agents = space.agents.map((each) => `${each.name}: ${each.everywhere ? t("sees everything") : each.writes ? t("reads and writes") : t("reads")}`);
  const rows = [
    [t("Speaker"), list(space.speakers)],
    [t("On"), list(devices)],
    [t("Labels"), list(space.labels)],
    [t("Remote agents"), agents.length ? list(agents) : t("none")],
  ];
  return h(
    "li",
    { class: "box space", data: { space: space.name } },
    h("div", { class: "row spread" }, h("h2", { dir: "auto" }, h("a", { href: link("memories", { space: space.name }) }, space.name)), h("span", { class: "muted" }, plural(space.memories, "{n} memory", "{n} memories"))),
    h("ul", { class: "plain space-latest" }, space.latest.map((each) => h("li", {}, h("a", { href: link(`memory/${each.rid}`), dir: "auto" }, each.text.slice(0, 140)), " ", h("span", { class: "muted" }, ago(each.told_at))))),
    h("dl", { class: "details" }, rows.filter(([, value]) => value).flatMap(([what, value]) => [h("dt", {}, what), h("dd", { dir: "auto" }, value)])),
  );
}

/** A space begins with the first thing that is told in it. */
function makeBox(look) {
  const name = h("input", { type: "text", required: true, maxlength: "80", autocomplete: "off", placeholder: t("work"), dir: "auto" });
  const text = h("input", { type: "text", required: true, autocomplete: "off", dir: "auto", placeholder: t("The release is in June") });
  const button = h("button", { type: "submit", class: "primary" }, t("Create"));
  async function make(event) {
    event.preventDefault();
    button.disabled = true;
    try {
      const told = await call("remember", { text: text.value.trim(), workspace: name.value.trim() });
      if (told.held) notice(t("This looks like a secret, so it stays on this device, under Settings."));
      else announce(t("{space} is ready.", { space: name.value.trim() }));
      name.value = text.value = "";
      await look();
    } catch (error) {
      complain(error);
    }
    button.disabled = false;
  }
  return h(
    "section",
    { class: "box wide" },
    h("form", { class: "stack", on: { submit: make } }, h("label", {}, t("Name of the space"), name), h("label", {}, t("The first thing to remember in it"), text), button),
    h("p", { class: "muted" }, coded(t("Limit an agent to it under Agents, or with {command}."), { command: "samemind connect claude --workspace NAME" })),
  );
}
