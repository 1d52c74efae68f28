// Devices: who is here and how far behind, meeting a new one, and putting one out.

import { call, stream } from "./api.js";
import { announce, confirmHere, h, keyed, say } from "./dom.js";
import { mailboxesPart } from "./mailboxes.js";
import { how } from "./map.js";
import { qr } from "./qr.js";
import { link } from "./router.js";
import { changed, deviceName, hueOf, state } from "./state.js";
import { complain, notice } from "./toasts.js";
import { ago, clock, hour, plural, t } from "./i18n.js";

// After that it is history: `samemind status` goes on telling it.
const RECENT_MS = 7 * 86_400_000;

export function devicesView() {
  const warning = h("p", { class: "warning", role: "status" });
  const list = h("ul", { class: "plain devices", "aria-label": t("Devices of this group") });
  const summary = h("p", { class: "lead" });
  const syncing = h("button", { type: "button", on: { click: syncNow } }, t("Sync now"));
  const offer = offerBox();
  const mailboxes = mailboxesPart();
  const element = h(
    "div",
    { class: "view" },
    h("header", { class: "view-head with-action" }, h("div", {}, h("h1", {}, t("Devices")), summary), syncing),
    warning,
    list,
    h("h2", {}, t("Add a device")),
    h("div", { class: "pair-grid" }, offer.element, joinBox(), phoneBox()),
    mailboxes.element,
    h("h2", {}, t("When a device is lost")),
    h("p", {}, h("a", { href: link("recovery") }, t("Recovery code"))),
  );

  async function syncNow() {
    syncing.disabled = true;
    try {
      const { peers, unreached } = await call("sync");
      const moved = peers.reduce((sum, peer) => sum + peer.sent + peer.received, 0);
      notice(peers.length ? t("Synced with {devices}: {changes}.", { devices: plural(peers.length, "{n} device", "{n} devices"), changes: moved ? plural(moved, "{n} change", "{n} changes") : t("nothing new") }) : t("No device to sync with."), unreached.map((each) => `${each.name}: ${each.reason}`).join("; "));
    } catch (error) {
      complain(error);
    }
    syncing.disabled = false;
  }

  const timer = setInterval(update, 30_000);
  function update() {
    if (!state.session) return;
    const peers = state.status?.peers ?? [];
    const standing = peers.filter((peer) => peer.state !== "revoked");
    say(summary, standing.length ? t("{here} of {all} connected.", { here: standing.filter((peer) => peer.state === "linked").length, all: plural(standing.length, "{n} other device", "{n} other devices") }) : t("Only this one so far."));
    const { clone, incidents, revoked_by: by } = state.status ?? {};
    const last = incidents?.at(-1);
    say(warning, by ? t("{device} removed this device from the group, so no other device syncs with it.", { device: by }) : clone ? t("Another store uses this device’s key. Make one of them a device of its own: {command}", { command: "samemind doctor" }) + (clone.where ? ` (${clone.where})` : "") : last && Date.now() - new Date(last.at) < RECENT_MS ? `${last.detail} (${ago(last.at)})` : "");
    syncing.hidden = !standing.length;
    const own = { device_id: state.session.device_id, name: state.session.name, state: "own", address: state.status?.address };
    keyed(list, [own, ...peers], { key: (each) => each.device_id, make: deviceCard, update: updateDevice });
  }
  return { element, update, close: () => (clearInterval(timer), offer.stop(), mailboxes.close()) };
}

function deviceCard(device) {
  const item = h("li", { class: "device", data: { device: device.device_id }, vars: { "--hue": hueOf(device.device_id) } });
  item.name = h("h2", {});
  item.told = h("p", { class: "device-state" });
  item.facts = h("p", { class: "muted" });
  item.error = h("p", { class: "device-error" });
  item.before = h("p", { class: "device-before", hidden: true }, t("Another device has this name. If this is an old copy of it from before it was restored, remove it."));
  item.actions = h("div", { class: "device-actions" });
  if (device.state !== "own") {
    item.rename = h("button", { type: "button", class: "quiet", on: { click: () => rename(item) } }, t("Rename"));
    item.revoke = h("button", { type: "button", class: "quiet", on: { click: () => revoke(item) } }, t("Remove…"));
    item.actions.append(item.rename, item.revoke);
  }
  item.append(h("span", { class: "device-disc", "aria-hidden": "true" }, [...device.name][0]?.toUpperCase() ?? ""), h("div", { class: "device-body" }, item.name, item.told, item.facts, item.error, item.before), item.actions);
  return item;
}

function updateDevice(item, device) {
  item.device = device;
  item.style.setProperty("--hue", hueOf(device.device_id));
  item.className = `device ${device.state}`;
  say(item.name, device.name);
  say(item.told, device.state === "own" ? t("this device") : how(device));
  const offset = device.offset_ms === null || device.offset_ms === undefined ? null : Math.abs(device.offset_ms) < 1000 ? t("clocks agree") : t("its clock is {seconds} s off", { seconds: (device.offset_ms / 1000).toFixed(1) });
  say(item.facts, [putOut(device), device.last_sync && t("last synced {when}", { when: ago(device.last_sync) }), offset, device.address, device.device_id.slice(0, 12)].filter(Boolean).join(" · "));
  if (device.last_sync) item.facts.title = clock(device.last_sync);
  say(item.error, device.state === "linked" || device.state === "revoked" ? "" : (device.error ?? ""));
  item.before.hidden = !device.namesake;
  if (item.revoke) item.actions.hidden = device.state === "revoked";
}

/** Who put a device out of the group, and when that was heard of here. */
function putOut({ revoked_by: by, revoked_at: at }) {
  if (!by) return "";
  return at ? t("removed by {device}, {when}", { device: by, when: ago(at) }) : t("removed by {device}", { device: by });
}

function rename(item) {
  const input = h("input", { type: "text", "aria-label": t("New name"), maxlength: "80" });
  input.value = item.device.name;
  const form = h("form", { class: "inline", on: { submit: save, keydown: (event) => event.key === "Escape" && close() } }, input, h("button", { type: "submit", class: "primary" }, t("Save")));
  function close() {
    form.remove();
    item.name.hidden = false;
    item.rename.focus();
  }
  async function save(event) {
    event.preventDefault();
    const name = input.value.trim();
    if (name && name !== item.device.name) {
      try {
        learn(await call("peers rename", { device: item.device.device_id, name }));
      } catch (error) {
        complain(error);
      }
    }
    close();
  }
  item.name.hidden = true;
  item.name.after(form);
  input.select();
}

async function revoke(item) {
  const yes = await confirmHere(item, t("Remove {device} from the group for good? It keeps what it has, but receives nothing new.", { device: deviceName(item.device.device_id) }), t("Remove it"));
  if (!yes) return;
  try {
    learn(await call("peers revoke", { device: item.device.device_id }));
    notice(t("{device} is removed.", { device: item.device.name }));
  } catch (error) {
    complain(error);
  }
}

function learn(peer) {
  if (!state.status) return;
  state.status.peers = state.status.peers.map((each) => (each.device_id === peer.device_id ? peer : each));
  changed();
}

/** Show a button in place of another; whoever stood on that one by keys stands on this one. */
function exchange(gone, next) {
  next.hidden = false;
  if (document.activeElement === gone) next.focus();
  gone.hidden = true;
}

/** Show a code and wait for the device that proves it. */
function offerBox() {
  let waiting = null;
  const shown = h("div", { class: "offer", "aria-live": "polite" });
  const start = h("button", { type: "button", class: "primary", on: { click: show } }, t("Show a code"));
  const cancel = h("button", { type: "button", class: "quiet", hidden: true, on: { click: stop } }, t("Stop waiting"));
  const element = h("section", { class: "box" }, h("h3", {}, t("Show a pairing code")), h("p", {}, t("Show a code here, and type or scan it there. It works once.")), shown, start, cancel);

  async function show() {
    exchange(start, cancel);
    waiting = new AbortController();
    try {
      const paired = await stream("pair", {}, heard, waiting.signal);
      shown.replaceChildren(welcome(paired));
      announce(t("Paired with {device}", { device: paired.name }));
    } catch (error) {
      shown.replaceChildren();
      complain(error);
    }
    waiting = null;
    exchange(cancel, start);
  }

  async function heard(said) {
    if (said.refused) {
      notice(t("A device was rejected: {why}", { why: said.refused }));
      return;
    }
    shown.replaceChildren(
      h("p", { class: "code", "data-code": said.code, "data-address": said.address }, said.code),
      h("p", { class: "muted" }, t("On the other device: {command}", { command: `samemind pair ${said.code}` }), h("br"), t("If it is not found automatically: {option}", { option: `--address ${said.address}` })),
      h("p", { class: "muted" }, t("Valid until {time}.", { time: hour(said.expires_at) })),
    );
    try {
      const { rows } = await call("panel/qr", { text: said.invitation });
      shown.prepend(qr(rows, t("QR code for pairing; the code is {code}", { code: said.code })));
    } catch {
      // The code alone will do.
    }
  }

  function stop() {
    waiting?.abort();
    shown.replaceChildren();
  }
  return { element, stop };
}

// Why a code pairs nobody, to who has just typed it; anything else is said as the device says it.
const gone = () => t("The other device does not show this code, or does so no more: have it show a new one.");
const NOT_JOINED = {
  invalid_code: () => t("A code is three digits and two words from a list, such as {code}. Type it as the other device shows it.", { code: "417-maple-otter" }),
  wrong_code: gone,
  code_expired: gone,
  pairing_closed: gone,
  unreachable: () => t("No device that shows a code was found. See that the other one is on, in this network, and shows its code; or type the address that it shows as well."),
  not_pairing: () => t("The device at this address shows no code. Type the address that stands below its code."),
};

/** Type the code that another device shows. */
function joinBox() {
  const code = h("input", { type: "text", required: true, placeholder: "417-maple-otter", dir: "ltr", autocomplete: "off", autocapitalize: "none", spellcheck: "false" });
  const address = h("input", { type: "text", placeholder: t("found automatically"), dir: "ltr", autocomplete: "off", spellcheck: "false" });
  const wrong = h("p", { class: "option-wrong", role: "alert" });
  const answer = h("div", { class: "offer", "aria-live": "polite" });
  const button = h("button", { type: "submit", class: "primary" }, t("Join"));
  async function join(event) {
    event.preventDefault();
    say(wrong, "");
    button.disabled = true;
    say(button, t("Joining…"));
    try {
      const options = { code: code.value.trim(), ...(address.value.trim() ? { address: address.value.trim() } : {}) };
      const paired = await stream("pair", options, () => {});
      answer.replaceChildren(welcome(paired));
      code.value = address.value = "";
      announce(t("Paired with {device}", { device: paired.name }));
    } catch (error) {
      say(wrong, NOT_JOINED[error.code]?.() ?? error.message);
      code.focus();
    }
    button.disabled = false;
    say(button, t("Join"));
  }
  return h(
    "section",
    { class: "box" },
    h("h3", {}, t("Enter a pairing code")),
    h("p", {}, t("Type the code that the other device shows.")),
    h("form", { class: "stack", on: { submit: join } }, h("label", {}, t("Code"), code), h("label", {}, t("Address, if needed"), address), wrong, button),
    answer,
  );
}

function welcome(paired) {
  return h("div", { class: "welcome" }, h("p", {}, h("strong", {}, t("Paired with {device}.", { device: paired.name }))), h("p", {}, t("Both show these words:")), h("p", { class: "words" }, paired.words));
}

/** Open this very panel on a phone. */
function phoneBox() {
  const shown = h("div", { class: "offer", "aria-live": "polite" });
  async function invite() {
    try {
      const { urls, fingerprint, rows } = await call("panel/invite");
      shown.replaceChildren(qr(rows, t("QR code that opens this panel on a phone")), h("p", { class: "muted wrap" }, urls[0].split("#")[0]), h("p", { class: "muted wrap" }, t("The phone asks once about the certificate. Its SHA-256 begins "), h("code", {}, fingerprint.slice(0, 23)), "."));
    } catch (error) {
      if (error.code === "local_only") {
        shown.replaceChildren(h("p", { class: "muted" }, t("This panel can be opened on this machine only. To open it from a phone: "), h("code", {}, "samemind up --panel 0.0.0.0:7412")));
      } else complain(error);
    }
  }
  return h("section", { class: "box" }, h("h3", {}, t("View on your phone")), h("p", {}, t("Open this panel in a phone’s browser, over your own network.")), shown, h("button", { type: "button", on: { click: invite } }, t("Show a QR code")));
}
