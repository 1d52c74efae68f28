// How this device behaves: every setting that its owner may change, with what it may be, what holds now, and a way back.

import { call } from "./api.js";
import { announce, coded, confirmHere, h, say } from "./dom.js";
import { locale, number, t } from "./i18n.js";
import { link } from "./router.js";
import { complain } from "./toasts.js";

const GROUPS = { attention: () => t("When samemind speaks up"), finding: () => t("How search works"), reading: () => t("A language model that reads along"), running: () => t("Sync and history") };
// What each is called, and what it is for.
const SAID = {
  notify: [() => t("Desktop notifications"), () => t("What this device notifies you about while you are not looking.")],
  quiet_hours: [() => t("Quiet hours"), () => t("When it stays silent, such as 22:00-07:00.")],
  contradictions: [() => t("When two things cannot both be true"), () => t("Ask you, or let what is told later replace what was told before.")],
  escalation_severity: [() => t("Contradictions that come up by themselves"), () => t("From this severity on they appear in the inbox.")],
  trigger_hours: [() => t("How long a reminder stays"), () => t("In hours; after that it is dropped.")],
  review_strength: [() => t("When fading memories come up"), () => t("The strength below which a memory that matters is shown again: more shows more.")],
  consolidation_count: [() => t("When a topic is summarised"), () => t("How many loose memories of one topic it takes.")],
  embedder: [() => t("Model for search by meaning"), () => t("Another one reads every memory again.")],
  reranker: [() => t("Model that reorders results"), () => t("Slower and better, for English questions.")],
  index: [() => t("Index of a very large memory"), () => t("Automatic is right unless you know otherwise.")],
  decay: [() => t("How memories fade"), () => t("The curve by which an old memory counts less in a search.")],
  learning_rate: [() => t("How strongly feedback counts"), () => t("How far one thumb up or down moves a result.")],
  flat_characters: [() => t("Length of the context for a prompt"), () => t("In characters, where the question is a simple one.")],
  hub_url: [() => t("Where models come from"), () => t("An https address; a mirror, where that is nearer.")],
  model_url: [() => t("Address of the language model"), () => t("Empty: none, and nothing leaves this device.")],
  model: [() => t("Name of the language model"), () => t("Its name at that address.")],
  model_key_variable: [() => t("Variable that holds its key"), () => t("The name of an environment variable; never the key itself.")],
  model_comparisons: [() => t("Memories that it compares in a day"), () => t("It says which older ones they contradict or repeat. 0: none.")],
  on_demand: [() => t("Start automatically"), () => t("Commands and agents start the daemon when none is running.")],
  mdns: [() => t("Look for devices on this network"), () => t("And let them find this one.")],
  listen: [() => t("Address for other devices"), () => t("HOST:PORT; empty: every address, port 7411.")],
  history_days: [() => t("How many days of history are kept"), () => t("Older history may be compacted once every device has it.")],
  quota_ops: [() => t("Changes that one device may send in an hour"), () => t("The rest waits on that device.")],
  quota_mb: [() => t("Megabytes of changes in an hour"), () => t("Likewise, by size.")],
  quota_packed_mb: [() => t("Megabytes over the link in an hour"), () => t("Likewise, as they are packed.")],
};
const WORDS = {
  reminders: () => t("Reminders"), all: () => t("Everything"), off: () => t("Nothing"), ask: () => t("Ask me"), newer: () => t("The later one wins"), high: () => t("High"), medium: () => t("Medium"), low: () => t("Low"), auto: () => t("Automatic"),
};
// The same word may say something else of another setting.
const WORDS_OF = {
  reranker: { off: () => t("none") },
  decay: { memlocal: () => t("Since it last changed"), yantrik: () => t("By half-lives, since it was last recalled"), memori: () => t("Slowly, since it was last recalled") },
};
const DANGERS = {
  contradictions: () => t("You will no longer be asked: what is told later replaces what it contradicts. Change it?"),
  history_days: () => t("Older history leaves the log and does not come back. Keep fewer days?"),
  embedder: () => t("Every memory is read again, which can take a while. Until then some are found only by their words. Change it?"),
  model_url: () => t("What is told here would be sent to that address to be read. Change it?"),
  model_comparisons: () => t("Memories would be sent to the model, to be compared with older ones. Change it?"),
  hub_url: () => t("Models would be fetched from that address. Change it?"),
};

const word = (setting, value) => (WORDS_OF[setting.key]?.[value] ?? WORDS[value])?.() ?? value;
const name = (setting) => SAID[setting.key][0]();
// `number` rounds to three places, and the least of some is a millionth.
const exactly = (value) => value.toLocaleString(locale, { maximumFractionDigits: 20 });
const shown = (setting, value) => (setting.kind === "switch" ? (value ? t("on") : t("off")) : value === null || value === "" ? t("none") : setting.kind === "choice" ? word(setting, value) : typeof value === "number" ? number(value) : value);

export function optionsView() {
  const groups = h("div", { class: "options" });
  const file = h("p", { class: "muted wrap" });
  const element = h("div", { class: "view" }, h("p", { class: "crumbs" }, h("a", { href: link("settings") }, t("Settings"))), h("header", { class: "view-head" }, h("h1", {}, t("How it behaves")), h("p", { class: "lead" }, t("Every change applies to this device only, and can be undone."))), groups, file);
  const rows = new Map();

  function show(found) {
    for (const { group, settings } of found.groups) {
      for (const setting of settings) {
        if (!rows.has(setting.key)) rows.set(setting.key, settingRow(setting, show));
        rows.get(setting.key).update(setting);
      }
      if (groups.childElementCount < found.groups.length) groups.append(h("section", { class: "option-group" }, h("h2", {}, GROUPS[group]()), settings.map((each) => rows.get(each.key).element)));
    }
    file.replaceChildren(...coded(t("They are in {file}, with your own words and settings that have no place on this page."), { file: found.file }));
  }

  const ready = call("panel/settings").then(show, complain);
  return { element, ready };
}

/** One setting: its control, what it may be, what is wrong with what was put in, and the way back. */
function settingRow(first, show) {
  let setting = first;
  let before;
  const id = `option-${first.key}`;
  const control = controlOf(first, id);
  const told = h("p", { class: "muted", id: `${id}-told` }, SAID[first.key][1](), " ", boundOf(first));
  const wrong = h("p", { class: "option-wrong", id: `${id}-wrong`, role: "alert" });
  const waits = h("p", { class: "option-waits" });
  const save = h("button", { type: "submit", class: "primary", hidden: true }, t("Save"));
  const undo = h("button", { type: "button", class: "quiet", hidden: true, on: { click: () => put(before, { undoing: true }) } }, t("Undo"));
  const standard = h("button", { type: "button", class: "quiet", on: { click: () => put(null) } }, t("Back to {value}", { value: shown(first, first.default) }));
  const form = h("form", { class: "row option-form", novalidate: true, on: { submit: (event) => (event.preventDefault(), put(read())) } }, control, save, undo, standard);
  const element = h("div", { class: "option", data: { key: first.key } }, h("label", { for: id, class: "option-name" }, name(first)), told, form, wrong, waits);
  for (const event of ["input", "change"]) control.addEventListener(event, edited);
  if (first.kind === "choice" || first.kind === "switch") {
    control.addEventListener("change", () => put(read()));
  }

  function read() {
    if (setting.kind === "switch") return control.checked;
    if (setting.kind !== "number") return control.value;
    const value = control.value.trim();
    return value === "" || Number.isNaN(Number(value)) ? value : Number(value);
  }

  function write(value) {
    if (setting.kind === "switch") control.checked = value;
    else control.value = value ?? "";
  }

  function edited() {
    say(wrong, "");
    control.removeAttribute("aria-invalid");
    save.hidden = setting.kind === "choice" || setting.kind === "switch" || String(read()) === String(setting.value ?? "");
  }

  async function put(value, { undoing = false, sure = false } = {}) {
    const was = setting.value;
    element.inert = !sure;
    try {
      const found = await call("panel/settings/change", { key: setting.key, value, sure: sure || undoing });
      before = was;
      show(found);
      undo.hidden = undoing || String(setting.value) === String(was);
      announce(undoing ? t("Undone.") : t("{setting}: {value}", { setting: name(setting), value: shown(setting, setting.value) }));
    } catch (error) {
      element.inert = false;
      if (error.code === "dangerous") {
        if (await confirmHere(element, DANGERS[setting.key](), t("Change it"), t("Leave it"))) await put(value, { sure: true });
        else write(setting.value), edited();
        return;
      }
      if (error.code === "away") complain(error);
      say(wrong, error.code === "invalid" ? t("Not saved: {bound}", { bound: boundOf(setting) || error.message }) : error.message);
      control.setAttribute("aria-invalid", "true");
    }
    element.inert = false;
    if (element.contains(document.activeElement) || document.activeElement === document.body) control.focus({ preventScroll: true });
  }

  function update(next) {
    const kept = document.activeElement === control && String(read()) !== String(setting.value ?? "");
    setting = next;
    if (!kept) {
      write(setting.value);
      edited();
    }
    standard.hidden = String(setting.value ?? "") === String(setting.default ?? "");
    say(waits, setting.waits ? t("Applies after a restart: samemind down, then samemind up. Until then: {value}.", { value: shown(setting, setting.running) }) : "");
    element.classList.toggle("waits", setting.waits);
  }
  return { element, update };
}

function controlOf(setting, id) {
  const props = { id, "aria-describedby": `${id}-told ${id}-wrong`, autocomplete: "off" };
  if (setting.kind === "switch") return h("input", { type: "checkbox", ...props });
  if (setting.kind === "choice") {
    const known = setting.choices.includes(setting.value) ? setting.choices : [setting.value, ...setting.choices];
    return h("select", props, known.map((value) => h("option", { value }, word(setting, value))));
  }
  return h("input", { type: "text", inputmode: setting.kind === "number" ? "decimal" : null, spellcheck: "false", autocapitalize: "none", dir: "ltr", ...props });
}

/** What a setting may be, in words. */
function boundOf(setting) {
  if (setting.kind === "number") return setting.whole ? t("A whole number from {least} to {most}.", { least: number(setting.least), most: number(setting.most) }) : t("A number from {least} to {most}.", { least: exactly(setting.least), most: number(setting.most) });
  return setting.key === "quiet_hours" ? t("Two times of the day, or nothing.") : "";
}
