// The recovery code: words on paper by which any device puts the group right, whatever was stolen. They are shown once, in
// this page alone: they are in no address, no history and no storage, and go when the page is left.

import { call } from "./api.js";
import { announce, coded, confirmHere, h } from "./dom.js";
import { ago, t } from "./i18n.js";
import { link } from "./router.js";
import { state } from "./state.js";
import { complain, notice } from "./toasts.js";

export function recoveryView() {
  const standing = h("section", { class: "box wide recovery-standing", "aria-live": "polite" });
  const shown = h("div", { class: "recovery-words", hidden: true });
  const restore = h("section", { class: "box wide" });
  const element = h(
    "div",
    { class: "view" },
    h("p", { class: "crumbs" }, h("a", { href: link("devices") }, t("Devices"))),
    h("header", { class: "view-head" }, h("h1", {}, t("Recovery code")), h("p", { class: "lead" }, t("Words on paper that repair the group when a device is lost or stolen, even the oldest one."))),
    standing,
    shown,
    h("h2", {}, t("When a device is lost")),
    howBox(),
    restore,
  );

  async function look() {
    try {
      const group = await call("group show");
      standing.replaceChildren(...told(group));
      restore.replaceChildren(...restoreForm(group, look));
    } catch (error) {
      complain(error);
    }
  }

  /** What there is, and what may be done about it here. */
  function told(group) {
    const founder = group.members.find((each) => each.rank === 0);
    if (group.root === "recovery code") return [h("h2", {}, t("This group has a recovery code")), h("p", {}, t("Whoever has its words can remove any device. They were shown once and are stored nowhere.")), h("p", { class: "muted" }, t("There is no second one, so that a stolen device cannot make its own. If the words are lost, start a new group from a device that you trust."))];
    if (group.root === "founder" && founder && !founder.here) return [h("h2", {}, t("No recovery code yet")), h("p", {}, t("Only {device}, the first of these devices, can create it: open this page in its panel.", { device: founder.name }))];
    const make = h("button", { type: "button", class: "primary", on: { click: ask } }, t("Create the recovery code…"));
    async function ask() {
      make.hidden = true;
      const yes = await confirmHere(standing, t("The words are shown once. Have pen and paper ready. Create them now?"), t("Create them"), t("Not now"));
      if (yes) await makeIt();
      make.hidden = false;
    }
    return [h("h2", {}, t("No recovery code yet")), h("p", {}, t("Without one, whoever takes the oldest device can remove all others.")), make];
  }

  async function makeIt() {
    try {
      const { code } = await call("group recovery");
      const gone = () => {
        shown.hidden = true;
        shown.replaceChildren();
      };
      shown.replaceChildren(
        h("h2", { tabindex: "-1" }, t("Write these words down")),
        h("ol", { class: "plain recovery-list", lang: "en", dir: "ltr" }, code.split(" ").map((word) => h("li", { translate: "no" }, word))),
        h("p", {}, t("Keep them where no device is. They are not shown again, and not saved anywhere.")),
        h("button", { type: "button", class: "primary", on: { click: () => (gone(), announce(t("The words are gone from this page."))) } }, t("I have written them down")),
      );
      shown.hidden = false;
      shown.querySelector("h2").focus();
    } catch (error) {
      complain(error);
    }
    look();
  }

  look();
  return { element, close: () => shown.replaceChildren() };
}

function howBox() {
  return h(
    "ol",
    { class: "steps" },
    h("li", {}, t("You still have an older device: open its panel and remove the lost one under Devices. Of two that remove each other, the older stays.")),
    h("li", {}, t("The lost one is the oldest, or it removed yours: repair the group below with the words, on any device that you still have.")),
    h("li", {}, coded(t("In a terminal it is {command}; the words are asked for, so that they stay out of its history."), { command: "samemind group restore --without NAME" })),
    h("li", {}, t("A replacement device: pair it as a new one. It has everything after the first sync.")),
  );
}

/** Put the group right: with the words, and without which devices. */
function restoreForm(group, look) {
  if (group.root !== "recovery code") return [h("p", { class: "muted" }, t("Once there is a recovery code, you can repair the group here."))];
  const words = h("textarea", { rows: "3", required: true, autocomplete: "off", autocapitalize: "none", spellcheck: "false", dir: "ltr", lang: "en" });
  const others = group.members.filter((each) => !each.here);
  const boxes = others.map((each) => ({ each, input: h("input", { type: "checkbox" }) }));
  const button = h("button", { type: "submit", class: "primary" }, t("Repair the group…"));
  const form = h(
    "form",
    { class: "stack", on: { submit } },
    h("h3", {}, t("Repair the group")),
    h("label", {}, t("The words of the recovery code"), words),
    h("fieldset", { class: "plain-set" }, h("legend", {}, t("Remove")), boxes.map(({ each, input }) => h("label", { class: "check" }, input, h("span", {}, each.name, " ", h("span", { class: "muted" }, stateOf(each)))))),
    button,
  );
  async function submit(event) {
    event.preventDefault();
    const out = boxes.filter(({ input }) => input.checked).map(({ each }) => each);
    const question = out.length ? t("Remove {devices} for good, and restore the devices they removed?", { devices: new Intl.ListFormat(document.documentElement.lang).format(out.map((each) => each.name)) }) : t("Remove nobody, and only make the code the authority again?");
    button.hidden = true;
    const yes = await confirmHere(form, question, t("Repair"), t("Not now"));
    button.hidden = false;
    if (!yes) return;
    try {
      const after = await call("group restore", { code: words.value.trim().split(/\s+/), without: out.map((each) => each.device_id) });
      words.value = "";
      notice(t("The group is repaired: {members} stay.", { members: new Intl.ListFormat(document.documentElement.lang).format(after.members.filter((each) => each.state === "member").map((each) => each.name)) }));
      look();
    } catch (error) {
      complain(error);
      words.focus();
    }
  }
  return [form];
}

function stateOf(member) {
  const peer = state.status?.peers?.find((each) => each.device_id === member.device_id);
  if (member.state === "revoked" || member.state === "out") return t("removed");
  return peer?.last_sync ? t("last synced {when}", { when: ago(peer.last_sync) }) : "";
}
