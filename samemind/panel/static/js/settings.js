// Settings: bring memories in and take them out, decide on what looked secret, say who you are and what you are after,
// and what this device is.

import { call, stream, upload } from "./api.js";
import { announce, coded, confirmHere, h, keyed, say } from "./dom.js";
import { ago, fieldDay, number, plural, t } from "./i18n.js";
import { signOut } from "./live.js";
import { link } from "./router.js";
import { reloadSoon, state } from "./state.js";
import { complain, notice } from "./toasts.js";

export function settingsView() {
  const element = h(
    "div",
    { class: "view" },
    h("header", { class: "view-head" }, h("h1", {}, t("Settings")), h("p", { class: "lead" }, t("Import and export memories, and say who you are."))),
    h(
      "nav",
      { class: "doors", "aria-label": t("More settings") },
      door("options", t("How it behaves"), t("Reminders, quiet hours, models, syncing, limits")),
      door("spaces", t("Spaces"), t("Parts of the memory that agents are limited to")),
      door("recovery", t("Recovery code"), t("What to do when a device is lost")),
    ),
    h("h2", {}, t("Import")),
    importBox(),
    h("h2", {}, t("Export and back up")),
    h("div", { class: "pair-grid" }, exportBox(), backupBox(), calendarBox()),
    h("h2", {}, t("Held back")),
    heldBox(),
    h("h2", {}, t("About you")),
    profileBox(),
    h("h2", {}, t("Goals")),
    goalsBox(),
    h("h2", {}, t("About this device")),
    deviceBox(),
  );
  return { element };
}

function door(path, name, told) {
  return h("a", { class: "box door", href: link(path) }, h("strong", {}, name), h("span", { class: "muted" }, told));
}

/** Drop a file, see what is in it, bring it in, and take it back if it was the wrong one. */
function importBox() {
  const input = h("input", { type: "file", multiple: true, class: "unseen", id: "import-file", on: { change: () => take([...input.files]) } });
  const list = h("ul", { class: "plain imports", "aria-live": "polite" });
  const facts = h("input", { type: "checkbox", checked: true });
  const zone = h(
    "div",
    { class: "drop", on: { dragover: (event) => (event.preventDefault(), zone.classList.add("over")), dragleave: () => zone.classList.remove("over"), drop: dropped } },
    h("p", { class: "empty-title" }, t("Drop a file here")),
    h("p", { class: "muted" }, t("An export of a chat (ChatGPT, Claude, WhatsApp, Telegram, Slack, Discord; a zip as it came), Markdown notes, a calendar, a diary, mail, a table, mem0, an MCP memory, or JSON lines.")),
    input,
    h("label", { class: "button primary", for: "import-file" }, t("Choose a file")),
    h("label", { class: "check" }, facts, t("Extract facts and claims, so that contradictions are found")),
  );

  function dropped(event) {
    event.preventDefault();
    zone.classList.remove("over");
    take([...event.dataTransfer.files]);
  }

  async function take(files) {
    for (const file of files) await bring(file);
    input.value = "";
  }

  async function bring(file) {
    const row = h("li", { class: "import-row" });
    const said = h("p", {});
    const bar = h("progress", { max: "1", "aria-label": t("Progress of {file}", { file: file.name }) });
    const actions = h("div", { class: "row" });
    row.append(h("strong", { dir: "auto" }, file.name), said, bar, actions);
    list.prepend(row);
    try {
      say(said, t("Sending…"));
      const id = await upload(file, (share) => (bar.value = share / 2));
      say(said, t("Reading…"));
      const done = await stream("panel/import", { id, facts: facts.checked }, ({ progress }) => {
        if (!progress) return;
        bar.value = 0.5 + progress.done / progress.total / 2;
        say(said, t("{done} of {total}", { done: number(progress.done), total: number(progress.total) }));
      });
      bar.remove();
      finished(done, said, actions);
    } catch (error) {
      bar.remove();
      row.classList.add("failed");
      say(said, error.message ?? String(error));
      complain(error);
    }
  }

  function finished(done, said, actions) {
    const parts = [plural(done.imported - (done.relations ?? 0), "{n} memory imported", "{n} memories imported"), done.relations && plural(done.relations, "{n} relation beside them", "{n} relations beside them"), done.facts && plural(done.facts, "{n} fact extracted", "{n} facts extracted"), done.skipped > done.forgotten && t("{n} were already here", { n: number(done.skipped - done.forgotten) }), done.forgotten && t("{n} were forgotten before and stay forgotten", { n: number(done.forgotten) }), done.held && t("{n} look like secrets and were held back", { n: number(done.held) }), done.failed.length && plural(done.failed.length, "{n} line could not be read", "{n} lines could not be read")];
    say(said, `${parts.filter(Boolean).join(" · ")}.`);
    announce(said.textContent);
    reloadSoon();
    actions.append(h("a", { href: link("memories") }, t("Look at them")));
    if (!done.undo_id) return;
    const undo = h("button", { type: "button" }, t("Undo this import"));
    undo.addEventListener("click", async () => {
      undo.disabled = true;
      try {
        await call("panel/import-undo", { id: done.undo_id });
        say(said, t("Undone on every device."));
        actions.replaceChildren();
        reloadSoon();
      } catch (error) {
        undo.disabled = false;
        complain(error);
      }
    });
    actions.append(undo);
  }

  return h("div", { class: "stack" }, zone, list);
}

/** Hand a text to the browser as a file. */
function save(name, parts, type) {
  const address = URL.createObjectURL(new Blob(parts, { type }));
  const anchor = h("a", { href: address, download: name });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

// How everything is taken out: each as the device says it, and the file that it becomes.
const EXPORTS = {
  jsonl: { name: () => t("JSON lines"), end: ".jsonl", type: "application/x-ndjson", take: ({ lines = [] }) => lines.map((line) => (line.endsWith("\n") ? line : `${line}\n`)) },
  markdown: { name: () => t("Markdown notes, as a zip"), end: "-notes.zip", type: "application/zip", take: ({ base64 }) => (base64 ? [Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))] : []) },
};

function exportBox() {
  const said = h("p", { class: "muted", role: "status" });
  const format = h("select", { "aria-label": t("Format") }, Object.entries(EXPORTS).map(([name, each]) => h("option", { value: name }, each.name())));
  const button = h("button", { type: "button", on: { click: run } }, t("Export everything"));
  async function run() {
    button.disabled = true;
    const { end, type, take } = EXPORTS[format.value];
    const parts = [];
    try {
      const { count } = await stream("panel/export", { format: format.value }, (told) => {
        parts.push(...take(told));
        if (told.lines) say(said, plural(parts.length, "{n} line", "{n} lines"));
        else if (told.progress) say(said, t("{done} of {total}", { done: number(told.progress.done), total: number(told.progress.total) }));
      });
      save(`samemind-${fieldDay(Date.now())}${end}`, parts, type);
      say(said, plural(count, "{n} memory exported", "{n} memories exported"));
    } catch (error) {
      complain(error);
    }
    button.disabled = false;
  }
  return h("section", { class: "box" }, h("h3", {}, t("Export")), h("p", {}, t("All memories with everything that belongs to them. Any samemind can import them.")), h("div", { class: "row" }, format, button), said);
}

function backupBox() {
  const said = h("p", { class: "muted wrap", role: "status" });
  const button = h("button", { type: "button", on: { click: run } }, t("Back up now"));
  async function run() {
    button.disabled = true;
    try {
      const done = await call("panel/backup");
      say(said, t("{memories} in {path} ({size} MB)", { memories: plural(done.memories, "{n} memory", "{n} memories"), path: done.path, size: (done.bytes / 1e6).toFixed(1) }));
      notice(t("Backed up."));
    } catch (error) {
      complain(error);
    }
    button.disabled = false;
  }
  return h("section", { class: "box" }, h("h3", {}, t("Backup")), h("p", {}, coded(t("The whole store with its history, as a file beside it. {command} restores one."), { command: "samemind restore" })), button, said);
}

/** The address at which a calendar program subscribes to the reminders. */
function calendarBox() {
  const shown = h("div", { class: "stack", "aria-live": "polite" });
  const button = h("button", { type: "button", on: { click: () => ask({}) } }, t("Show the address"));
  const address = h("code", { class: "wrap", dir: "ltr" });
  const reach = h("p", { class: "muted" });
  const copy = h("button", { type: "button", on: { click: () => navigator.clipboard?.writeText(address.textContent).then(() => announce(t("Copied"))) } }, t("Copy"));
  const renew = h("button", { type: "button", class: "quiet", on: { click: () => sure({ new: true }, t("Make a new address? Programs that use this one get nothing more."), t("Make a new one")) } }, t("New address…"));
  const end = h("button", { type: "button", class: "quiet", on: { click: () => sure({ off: true }, t("Stop? Programs that use this address get nothing more."), t("Stop")) } }, t("Stop…"));
  const served = h("div", { class: "stack" }, address, reach, h("div", { class: "row" }, copy, renew, end));
  async function ask(options) {
    try {
      const { url, trust } = await call("calendar-feed", options);
      button.hidden = Boolean(url);
      say(address, url ?? "");
      reach.replaceChildren(...(trust ? [h("a", { href: trust }, t("A phone has to trust this device first."))] : coded(t("Only programs on this machine reach it. For a phone, start the daemon with {command}."), { command: "samemind up --panel 0.0.0.0:7412" })));
      shown.replaceChildren(url ? served : h("p", { class: "muted" }, t("No address works any more.")));
      (url ? copy : button).focus();
    } catch (error) {
      complain(error);
    }
  }
  async function sure(options, question, yes) {
    if (await confirmHere(served, question, yes)) await ask(options);
  }
  return h("section", { class: "box" }, h("h3", {}, t("In your calendar")), h("p", {}, t("A calendar program can subscribe to your reminders. Whoever has the address can read them.")), button, shown);
}

/** What looked secret: it waits on this device, covered, until its owner decides. */
function heldBox() {
  const list = h("ul", { class: "plain stack held", "aria-label": t("Held back on this device") });
  const none = h("p", { class: "muted", hidden: true }, t("Nothing is held back. What looks like a secret waits here instead of going to every device."));
  async function load() {
    try {
      const { held } = await call("held list");
      // What is asked about one stays while another is decided on.
      keyed(list, held, { key: (each) => each.id, make: row });
      none.hidden = held.length > 0;
    } catch (error) {
      complain(error);
    }
  }
  function row(item) {
    const card = h("li", { class: "stack" });
    const decide = async (verb, question, yes, said) => {
      if (!(await confirmHere(card, question, yes))) return;
      try {
        await call(`held ${verb}`, { id: item.id });
        announce(said);
        reloadSoon();
      } catch (error) {
        complain(error);
      }
      load();
    };
    card.append(
      h("p", { class: "wrap" }, h("span", { dir: "auto" }, item.shown), " ", h("span", { class: "muted" }, ago(item.held_at)), item.about && [" ", h("a", { href: link(`memory/${item.about}`) }, t("It would change this memory"))]),
      h("div", { class: "row" }, h("button", { type: "button", on: { click: () => decide("release", t("Remember it anyway? It goes to every device."), t("Remember it"), t("Remembered")) } }, t("Not a secret…")), h("button", { type: "button", class: "quiet", on: { click: () => decide("drop", t("Delete it for good?"), t("Delete"), t("Deleted")) } }, t("Delete…"))),
    );
    return card;
  }
  load();
  return h("section", { class: "box wide" }, none, list);
}

/** What you are after, and how it goes. */
function goalsBox() {
  const list = h("ul", { class: "plain stack goals", "aria-label": t("Open goals") });
  const none = h("p", { class: "muted", hidden: true }, t("No goals yet. What you tell about one later counts as progress."));
  const text = h("input", { type: "text", required: true, placeholder: t("run a half marathon"), autocomplete: "off", dir: "auto" });
  async function load() {
    try {
      const { goals } = await call("goals list");
      list.replaceChildren(...goals.map(row));
      none.hidden = goals.length > 0;
    } catch (error) {
      complain(error);
    }
  }
  function row(goal) {
    const how = [goal.progress.length ? plural(goal.progress.length, "{n} memory since", "{n} memories since") : t("nothing about it yet"), goal.last_progress_at && t("the last {when}", { when: ago(goal.last_progress_at) }), goal.stagnant && t("no progress")];
    const reached = h("button", { type: "button", "aria-label": t("Reached: {goal}", { goal: goal.text }), on: { click: () => run("goals done", { rid: goal.rid }, t("Reached")) } }, t("Reached"));
    return h("li", { class: "row spread" }, h("span", {}, h("a", { href: link(`memory/${goal.rid}`), dir: "auto" }, goal.text), " ", h("span", { class: "muted" }, how.filter(Boolean).join(" · "))), reached);
  }
  async function run(verb, options, said) {
    try {
      const goal = await call(verb, options);
      if (goal.held) notice(t("This looks like a secret, so it stays on this device, under Settings."));
      else announce(said);
      reloadSoon();
    } catch (error) {
      complain(error);
    }
    load();
  }
  async function add(event) {
    event.preventDefault();
    await run("goals add", { text: text.value.trim() }, t("Saved"));
    text.value = "";
  }
  load();
  return h("section", { class: "box wide" }, none, list, h("form", { class: "row goal-form", on: { submit: add } }, h("label", {}, t("A goal"), text), h("button", { type: "submit" }, t("Add"))));
}

/** What every agent is told of you. */
function profileBox() {
  const list = h("dl", { class: "details" });
  const known = h("ul", { class: "plain stack", "aria-label": t("What samemind knows about you by itself") });
  const none = h("p", { class: "muted", hidden: true }, t("Nothing is known about you yet. Every agent is told what is here."));
  const field = h("input", { type: "text", required: true, placeholder: t("name"), autocomplete: "off" });
  const value = h("input", { type: "text", required: true, placeholder: "Julia", autocomplete: "off", dir: "auto" });
  const form = h("form", { class: "row profile-form", on: { submit: set } }, h("label", {}, t("What"), field), h("label", {}, t("Is"), value), h("button", { type: "submit" }, t("Save")));
  async function load() {
    try {
      const { static: told, dynamic } = await call("profile show");
      list.replaceChildren(...Object.entries(told).flatMap(([name, each]) => [h("dt", { dir: "auto" }, name), h("dd", { dir: "auto" }, each)]));
      known.replaceChildren(...dynamic.map((each) => h("li", {}, h("a", { href: link(`memory/${each.rid}`), dir: "auto" }, each.text))));
      none.hidden = Object.keys(told).length + dynamic.length > 0;
    } catch (error) {
      complain(error);
    }
  }
  async function set(event) {
    event.preventDefault();
    try {
      await call("profile set", { values: [`${field.value.trim()}=${value.value.trim()}`] });
      form.reset();
      announce(t("Saved"));
      load();
    } catch (error) {
      complain(error);
    }
  }
  load();
  return h("section", { class: "box wide" }, none, list, known, form);
}

function deviceBox() {
  const list = h("dl", { class: "details" });
  Promise.all([call("stats"), call("panel/browse", { limit: 0 })]).then(([stats, counted]) => {
    const told = [[t("Name"), state.session.name], [t("Id"), state.session.device_id], [t("Address"), state.status?.address], [t("Memories"), number(counted.of)], [t("Changes in the log"), stats.ops === undefined ? null : number(stats.ops)]];
    list.replaceChildren(...told.filter(([, value]) => value).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
  }, complain);
  const leave = h("button", { type: "button", class: "quiet", on: { click: () => signOut().catch(complain) } }, t("Sign this browser out"));
  return h("section", { class: "box" }, list, h("p", { class: "row" }, h("a", { href: link("devices") }, t("Devices")), h("a", { href: link("agents") }, t("Agents")), leave));
}

