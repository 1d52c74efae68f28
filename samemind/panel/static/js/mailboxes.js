// Mailboxes: through what places devices meet that are never up together, how it stands with each, and adding one.

import { call } from "./api.js";
import { announce, coded, h, keyed, say } from "./dom.js";
import { ago, clock, plural, t } from "./i18n.js";
import { complain } from "./toasts.js";

// Nobody tells a page of a look that found nothing.
const LOOK_MS = 5000;

export function mailboxesPart() {
  const list = h("ul", { class: "plain devices", "aria-label": t("Mailboxes") });
  const empty = h("p", { class: "empty", hidden: true }, t("None yet. A mailbox lets devices sync that are never on the same network or never on at the same time."));
  const element = h("section", {}, h("h2", {}, t("Mailboxes")), list, empty, h("div", { class: "pair-grid" }, addressBox(look), invitationBox(look)));
  let timer = 0;
  let closed = false;

  async function look() {
    clearTimeout(timer);
    try {
      const { mailboxes } = await call("mailbox list");
      keyed(list, mailboxes, { key: (each) => each.name, make: (each) => mailboxCard(each, look), update: updateMailbox });
      empty.hidden = mailboxes.length > 0;
    } catch (error) {
      if (error.code !== "away") complain(error);
    }
    if (!closed) timer = setTimeout(look, LOOK_MS);
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

function mailboxCard(mailbox, look) {
  const card = h("li", { class: "device mailbox", data: { mailbox: mailbox.name } });
  card.name = h("h3", { dir: "auto" });
  card.told = h("p", { class: "device-state" });
  card.facts = h("p", { class: "muted wrap" });
  card.peers = h("p", { class: "muted" });
  card.error = h("p", { class: "device-error" });
  const button = h("button", { type: "button", class: "quiet", on: { click: lookNow } }, t("Check now"));
  async function lookNow() {
    button.disabled = true;
    try {
      await call("mailbox look", { name: card.mailbox.name });
      announce(t("Checked {mailbox}", { mailbox: card.mailbox.name }));
    } catch (error) {
      complain(error);
    }
    button.disabled = false;
    look();
  }
  card.append(h("div", { class: "device-body" }, card.name, card.told, card.facts, card.peers, card.error), h("div", { class: "device-actions" }, button));
  return card;
}

function updateMailbox(card, mailbox) {
  card.mailbox = mailbox;
  say(card.name, mailbox.name);
  const size = t("{files}, {size} MB", { files: plural(mailbox.files, "{n} file", "{n} files"), size: (mailbox.bytes / 1e6).toFixed(1) });
  const waiting = mailbox.putting_off ? t("changes waiting") : "";
  const checked = mailbox.looked_at && [size, t("checked {when}", { when: ago(mailbox.looked_at) }), waiting].filter(Boolean).join(" · ");
  const checking = mailbox.looking_since ? t("checking since {when}", { when: clock(mailbox.looking_since) }) : t("not checked yet");
  say(card.told, checked || checking);
  say(card.facts, mailbox.url);
  say(card.peers, mailbox.peers.map((peer) => (peer.in_step ? t("{device} in sync, {when}", { device: peer.name, when: ago(peer.heard_at) }) : t("{device} last heard from {when}", { device: peer.name, when: ago(peer.heard_at) }))).join(" · "));
  say(card.error, mailbox.trouble ? t("{trouble}, since {when}", { trouble: mailbox.trouble, when: clock(mailbox.trouble_since) }) : "");
}

function box(title, told, fields, options, look) {
  const button = h("button", { type: "submit", class: "primary" }, t("Add"));
  async function add(event) {
    event.preventDefault();
    button.disabled = true;
    try {
      const added = await call("panel/mailbox", options());
      for (const each of fields) each.input.value = "";
      announce(t("{mailbox} is used from now on.", { mailbox: added.name }));
    } catch (error) {
      complain(error);
    }
    button.disabled = false;
    look();
  }
  const labels = fields.map((each) => h("label", {}, each.label, each.input));
  return h("section", { class: "box" }, h("h3", {}, title), h("p", {}, told), h("form", { class: "stack", on: { submit: add } }, labels, button));
}

const plain = { autocomplete: "off", autocapitalize: "none", spellcheck: "false" };

function addressBox(look) {
  const url = { label: t("Address of the mailbox"), input: h("input", { type: "text", required: true, placeholder: "webdav+https://ada@cloud.example/samemind", dir: "ltr", ...plain }) };
  const secret = { label: t("Password or key"), input: h("input", { type: "password", autocomplete: "off" }) };
  const name = { label: t("Name on this device"), input: h("input", { type: "text", maxlength: "40", ...plain }) };
  const options = () => ({ url: url.input.value, secret: secret.input.value, name: name.input.value });
  return box(t("Add a mailbox"), t("A Nextcloud or other WebDAV folder, a bucket, or a NATS server. Whoever runs it cannot read what is in it."), [url, secret, name], options, look);
}

function invitationBox(look) {
  const invitation = { label: t("Invitation"), input: h("input", { type: "password", required: true, placeholder: "samemind-mailbox:…", autocomplete: "off" }) };
  return box(t("Add one by invitation"), coded(t("On a device that uses it: {command}"), { command: "samemind mailbox invite NAME" }), [invitation], () => ({ invitation: invitation.input.value }), look);
}
