// What is remembered, what is due, what contradicts itself.
import { list as listed, number, plural, t } from "../../panel/static/js/i18n.js";
import { subjectOf, valueWords } from "../../panel/static/js/words.js";
import { ask } from "./talk.js";
import { dateIn, dateOf, dayIn, dayOf, filled, h, icon, inWords, momentIn, momentOf, named, notice, redrawn, say, swap, timeOf } from "./dom.js";
import { answered, answerTo, COMPOSER, draft, drafted, draftOf, goneDrafts } from "./drafts.js";
import { inPageWords } from "./said.js";
import { voiceButton } from "./voice.js";

const FIRST = 40;
const FOUND = 20;
const LATER_MS = 7 * 86_400_000; // what is put off is asked again in a week
const STILL_MS = 250; // who types on is not done asking
const run = async (verb, options) => (await ask("call", { verb, options })).answer;
const complain = (error) => document.documentElement.dataset.gone || notice(inPageWords(error.message), { error: true });

// A new memory's id is made here, before anything is asked: told twice, it is stored once.
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const now = Date.now();
  for (let at = 0; at < 6; at += 1) bytes[at] = Math.floor(now / 256 ** (5 - at)) % 256;
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

// Of a whole page that is typed, each word would be looked for in each memory that has some of it, for seconds.
const MARKED_MAX = 32;
function marked(text, words) {
  if (!words.length || words.length > MARKED_MAX) return [text];
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "giu");
  return text.split(pattern).map((part, at) => (at % 2 ? h("mark", {}, part) : part));
}

// What looks like a secret is asked about at its field, as long as it stands there; any other error is told.
function complainAt(doubt, error, stands, anyway, run) {
  if (error.name === "LooksSecret") {
    if (stands) doubt.replaceChildren(h("p", {}, inWords(inPageWords(error.message))), h("button", { type: "button", onclick: run }, anyway));
  } else complain(error);
}

const forgotten = () => t("This memory was forgotten in the meantime on another page or device.");

// What is typed over a memory that was forgotten elsewhere, or as the answer to a question that is settled: why it stands alone, and
// what can be done with it.
function orphaned(key, field, doubt, said, changed) {
  const discard = () => {
    draft(key, null);
    changed();
  };
  const tell = async (anyway = false) => {
    const text = field.value.trim();
    doubt.replaceChildren();
    if (!text) return field.focus();
    try {
      await run("remember", { text, anyway, rid: (field.dataset.rid ??= newId()) });
      notice(t("Remembered."));
      if (field.value.trim() === text) discard(); // else somebody typed on meanwhile
    } catch (error) { complainAt(doubt, error, field.value.trim() === text, t("Remember it anyway"), () => tell(true)); }
  };
  return [
    h("p", { class: "muted" }, said, " ", t("Your text is still here.")),
    [h("button", { type: "button", class: "primary", onclick: () => tell() }, t("Save as a new memory")), h("button", { type: "button", class: "quiet", onclick: discard }, t("Discard"))],
  ];
}

// Under somebody's fingers the field stays where it is in its card, and only what is around it changes.
function leftAlone(card, key, field, doubt, said, changed) {
  const place = field.parentElement, [why, choices] = orphaned(key, field, doubt, said, changed);
  why.setAttribute("role", "alert");
  for (const each of [...card.children, ...place.children]) if (![place, field, doubt].includes(each)) each.remove();
  field.before(why);
  doubt.after(...choices);
}

function orphan(key, label, said, changed) {
  const doubt = h("div", { class: "doubt", role: "alert" });
  const typed = () => {
    delete field.dataset.rid; // other words are another memory
    doubt.replaceChildren();
    draft(key, field.value);
  };
  const field = h("textarea", { rows: 3, dir: "auto", "aria-label": label, oninput: typed });
  field.value = draftOf(key);
  const [why, choices] = orphaned(key, field, doubt, said, changed);
  return h("li", { class: "card", "data-rid": key }, h("div", { class: "card-more" }, why, field, doubt, ...choices));
}

const opened = new Set(); // cards that show their choices, which news draw anew

function card(memory, { words = [], arrived = false, dated = false, changed }) {
  const more = h("div", { class: "card-more", hidden: true });
  const meta = [dated ? momentOf(memory.told_ms) : timeOf(memory.told_ms)];
  if (memory.due_ms) meta.push(t("due {when}", { when: momentIn(memory.due_ms) }));
  if (memory.changed_ms - memory.told_ms > 60_000) meta.push(t("changed {when}", { when: dated ? momentIn(memory.changed_ms) : dayIn(memory.changed_ms) }));
  if (!memory.is_here) meta.push(memory.by ? filled(t("from {device}"), { device: named(memory.by) }) : t("from another device"));
  if (memory.speaker) meta.push(filled(t("said by {name}"), { name: named(memory.speaker) }));
  if (memory.variants.length) meta.push(t("edited on several devices at once"));
  const open = h("button", { type: "button", class: "card-open", "aria-expanded": "false", onclick: toggle },
    h("span", { class: "card-text", dir: "auto" }, ...marked(memory.text, words)),
    h("span", { class: "card-meta" }, h("span", {}, ...meta.flatMap((each, at) => [at ? " · " : "", each].flat()))));
  const element = h("li", { class: arrived ? "card arrived" : "card", "data-rid": memory.rid }, open, more);

  function toggle() {
    if (more.hidden) opened.add(memory.rid);
    else opened.delete(memory.rid);
    expand();
  }
  function expand() {
    more.hidden = !opened.has(memory.rid);
    open.setAttribute("aria-expanded", String(!more.hidden));
    if (more.hidden) more.replaceChildren();
    else if (draftOf(memory.rid) !== null) edit();
    else more.replaceChildren(...choices());
  }
  function close() {
    opened.delete(memory.rid);
    draft(memory.rid, null);
  }
  function chooseAgain(at) {
    const all = choices();
    swap(more, all.at(at), ...all);
  }
  const choices = () => [
    ...(memory.variants.length ? [writtenAtOnce()] : []),
    h("button", { type: "button", onclick: () => edit().focus() }, t("Edit")),
    h("button", { type: "button", class: "danger", onclick: doubt }, t("Forget")),
  ];
  function writtenAtOnce() {
    const use = async (text) => {
      try {
        await run("edit", { rid: memory.rid, text, anyway: true }); // it was told
        close();
        changed();
      } catch (error) { complain(error); }
    };
    return h("div", { class: "stack" },
      h("p", { class: "muted" }, t("This text was merged from what several devices wrote at once:")),
      ...memory.variants.map((each) => h("div", { class: "stack" },
        h("p", { dir: "auto" }, each.text, h("small", {}, " ", each.by ? named(each.by) : t("another device"))),
        h("button", { type: "button", onclick: () => use(each.text) }, t("Use this text")))),
      h("button", { type: "button", onclick: () => use(memory.text) }, t("Keep the merged text")));
  }
  function edit() {
    const field = h("textarea", { rows: 3, dir: "auto", "aria-label": t("The memory's words"), oninput: typed });
    const secret = h("div", { class: "doubt", role: "alert" });
    field.value = draftOf(memory.rid) ?? memory.text;
    function typed() {
      delete field.dataset.rid; // other words would be another memory, were this one forgotten
      secret.replaceChildren();
      draft(memory.rid, field.value === memory.text ? null : field.value);
    }
    const save = async (anyway = false) => {
      const text = field.value;
      secret.replaceChildren();
      if (!text.trim()) return field.focus(); // whose words are all gone is forgotten by its own button
      try {
        await run("edit", { rid: memory.rid, text, anyway });
        if (field.value === text) close();
        changed();
      } catch (error) {
        if (error.name === "NameNotFound") element.forgotten();
        else complainAt(secret, error, field.value === text, t("Save it anyway"), () => save(true));
      }
    };
    element.forgotten = () => {
      if (!open.isConnected) return;
      draft(memory.rid, field.value);
      leftAlone(element, memory.rid, field, secret, forgotten(), changed);
    };
    const leave = () => {
      draft(memory.rid, null);
      chooseAgain(-2);
    };
    more.replaceChildren(field, secret, h("button", { type: "button", class: "primary", onclick: () => save() }, t("Save")), h("button", { type: "button", class: "quiet", "data-leaves": true, onclick: leave }, t("Leave as it was")));
    return field;
  }
  function doubt() {
    const forget = async () => {
      try {
        await run("forget", { rid: memory.rid });
        close();
        notice(t("Forgotten, on all your devices as they meet."));
        changed();
      } catch (error) { complain(error); }
    };
    const keep = h("button", { type: "button", class: "quiet", "data-leaves": true, onclick: () => chooseAgain(-1) }, t("Keep it"));
    swap(more, keep, h("p", { class: "muted", role: "alert" }, t("Forget this for good, on every device?")), h("button", { type: "button", class: "danger", onclick: forget }, t("Forget it")), keep);
  }
  expand();
  return element;
}

// One for as long as the page lasts: what is under way, or may be undone, knows the field in which it was typed.
let memories = null;
export function memoriesView() {
  if (memories) memories.shown = memories.refresh();
  return (memories ??= newMemoriesView());
}

function newMemoriesView() {
  let asked = 0, seen = null, most = FIRST, still = 0, told = null, shows = "", orphans = [];
  const field = h("textarea", { rows: 1, id: "say", dir: "auto", placeholder: t("Remember something, or ask"), "aria-label": t("Remember something, or ask"), autocapitalize: "sentences", enterkeyhint: "enter", oninput: typed, onkeydown: (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) remember(); } });
  const hint = h("p", { role: "status" });
  const button = h("button", { type: "button", class: "primary", onclick: () => remember() }, t("Remember"));
  const list = h("div", { id: "list" });
  const clear = h("button", { type: "button", class: "quiet clear", "aria-label": t("Clear"), onclick: empty }, icon("clear"));
  const doubt = h("div", { class: "doubt", role: "alert" });
  const composer = h("div", { class: "composer" }, field, clear, doubt, h("div", { class: "composer-foot" }, hint, voiceButton(field, typed), button));
  const element = h("div", {}, h("h2", { class: "unseen" }, t("What is remembered")), composer, list);
  field.value = draftOf(COMPOSER) ?? "";
  for (const rid of drafted()) opened.add(rid);

  function typed() {
    delete field.dataset.rid; // other words are another memory, and nobody was asked about those
    doubt.replaceChildren();
    draft(COMPOSER, field.value || null);
    return refresh();
  }

  function fill(text) {
    field.value = [field.value, text].filter(Boolean).join("\n");
    field.focus();
    typed();
  }

  function empty() {
    const before = field.value;
    field.value = "";
    fill("");
    notice(t("Cleared."), { action: { name: t("Undo"), run: () => fill(before) } });
  }

  async function remember(anyway = false) {
    const text = field.value.trim();
    if (!text) return field.focus();
    const byKeys = composer.querySelector("button:focus-visible"); // a keyboard on the screen does not come up for who touches
    doubt.replaceChildren();
    button.disabled = true;
    try {
      const told = await run("remember", { text, anyway, rid: (field.dataset.rid ??= newId()) });
      if (field.value.trim() === text) { // else somebody typed on meanwhile
        field.value = "";
        typed();
      }
      if (told.due_ms) notice(t("Remembered. Due {when}.", { when: momentIn(told.due_ms) }));
      else notice(t(told.is_without_time ? "Remembered. It names no certain time to come, so it is no reminder." : "Remembered."));
    } catch (error) { complainAt(doubt, error, field.value.trim() === text, t("Remember it anyway"), () => remember(true)); }
    button.disabled = false;
    refresh();
    if (byKeys && document.activeElement === document.body) (button.hidden ? field : button).focus();
  }

  const gone = () => goneDrafts((rids) => run("known", { rids }));
  const alone = () => (orphans.length ? [h("ul", { class: "cards" }, ...orphans.map((rid) => orphan(rid, t("The memory's words"), forgotten(), redraw)))] : []);

  // While somebody types nothing is drawn anew, but what they type over a memory that is gone says so.
  async function news() {
    if (!isBusy()) return refresh();
    const rids = await gone();
    for (const row of list.querySelectorAll("[data-rid]")) if (rids.includes(row.dataset.rid)) row.forgotten?.();
  }

  function redraw() {
    shows = "";
    return refresh();
  }

  async function refresh() {
    const turn = (asked += 1);
    const question = field.value;
    button.hidden = !question.trim();
    clear.hidden = !question;
    try {
      const rids = await gone();
      if (turn !== asked) return;
      orphans = rids;
      if (question.trim()) {
        const answer = await run("ask", { question, limit: FOUND });
        if (turn !== asked) return;
        if (told !== question) found(question, answer); // else what another device found stands until it has answered anew
        clearTimeout(still);
        still = setTimeout(() => askOther(turn, question, answer).catch(complain), STILL_MS);
      } else {
        told = null;
        const answer = await run("recent", { limit: most });
        if (turn === asked) recent(answer);
      }
    } catch (error) { if (turn === asked) complain(error); }
  }

  // Words have answered; a device in reach that knows meanings may know better.
  async function askOther(turn, question, own) {
    const answer = await ask("askPeer", { question, limit: FOUND });
    if (turn !== asked || isBusy() || (!answer && told !== question)) return;
    told = answer ? question : null;
    found(question, answer?.hits ?? own, answer?.by);
  }

  function found(question, hits, by) {
    shows = "";
    const words = [...new Set(question.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu))];
    const some = hits.length < FOUND ? plural(hits.length, "{n} memory found", "{n} memories found") : t("{n} memories or more found", { n: number(FOUND) });
    const count = hits.length ? some : t("Nothing like it yet");
    say(hint, by ? t("{count} with {device}, by meaning", { count, device: by }) : count);
    redrawn(list, ...alone(), h("ul", { class: "cards" }, ...hits.map((memory) => card(memory, { words, dated: true, changed: redraw }))));
  }

  function recent(memories) {
    say(hint, "");
    const wanted = JSON.stringify([new Date().toDateString(), most, memories, orphans]);
    if (wanted === shows) return; // told of what is shown already, as by itself
    shows = wanted;
    const before = seen;
    seen = new Set(memories.map((memory) => memory.rid + memory.changed_ms));
    if (!memories.length) {
      redrawn(list, ...alone(), h("p", { class: "nothing" }, t("Nothing is remembered yet. What you tell it stays on this device and on those you pair it with.")));
      return;
    }
    const days = new Map();
    for (const memory of memories) {
      const day = dayOf(memory.changed_ms);
      if (!days.has(day)) days.set(day, []);
      days.get(day).push(card(memory, { arrived: before && !before.has(memory.rid + memory.changed_ms), changed: redraw }));
    }
    const more = memories.length === most && h("button", { type: "button", class: "quiet", onclick: () => { most *= 4; refresh(); } }, t("Show more"));
    redrawn(list, ...alone(), ...[...days].flatMap(([day, cards]) => [h("h3", { class: "day" }, day), h("ul", { class: "cards" }, ...cards)]), ...(more ? [more] : []));
  }

  const shown = refresh();
  const isBusy = () => list.contains(document.activeElement) && document.activeElement.tagName === "TEXTAREA";
  return { element, shown, refresh: () => news().catch(complain), fill };
}

export function dueView() {
  const list = h("div", {});
  async function finish(rid) {
    const { before } = await run("done", { rid });
    await refresh();
    const undo = async () => {
      await run("not_done", { before });
      await refresh();
      list.querySelector(`[data-rid="${rid}"] button`)?.focus();
    };
    notice(t("Done."), { action: { name: t("Undo"), run: () => undo().catch(complain) } });
  }
  async function refresh() {
    const all = await run("due");
    const row = (memory) => h("li", { class: "card due", "data-rid": memory.rid },
      h("div", {}, h("span", { class: "card-text", dir: "auto" }, memory.text), h("span", { class: "card-meta" }, h("span", { class: memory.due_ms <= Date.now() ? "late" : "" }, momentOf(memory.due_ms)))),
      h("button", { type: "button", "aria-label": t("Done: {what}", { what: memory.text }), onclick: () => finish(memory.rid).catch(complain) }, t("Done")));
    const late = all.filter((each) => each.due_ms <= Date.now()), ahead = all.filter((each) => each.due_ms > Date.now());
    const part = (name, those) => (those.length ? [h("h3", { class: "day" }, name), h("ul", { class: "cards" }, ...those.map(row))] : []);
    const nothing = h("p", { class: "nothing" }, t("Nothing is due. Say “remind me to call Anna tomorrow at nine”, and it will be."));
    redrawn(list, ...part(t("Now"), late), ...part(t("Coming up"), ahead), ...(all.length ? [] : [nothing]));
  }
  const shown = refresh().catch(complain);
  return { element: h("div", {}, h("h2", {}, t("What is due")), list), shown, refresh: () => refresh().catch(complain) };
}

const answers = new Map(); // what is typed as the answer to a question, by its slot: it stays while other views are looked at
const decided = new Map(); // what was decided on this page, by its slot: the question with what was said of it

export function questionsView() {
  const list = h("ul", { class: "cards" });
  let drawn = null; // the questions that are shown, each as JSON with its card
  for (const slot of answered()) answers.set(slot, draftOf(answerTo(slot)));
  async function refresh() {
    const open = await run("questions");
    for (const each of open) decided.delete(each.slot);
    const asked = [...open, ...decided.values()], slots = asked.map((each) => each.slot);
    const left = answered().filter((slot) => !slots.includes(slot) && draftOf(answerTo(slot)).trim());
    const all = [...left.map((slot) => [answerTo(slot), { left: slot }]), ...asked.map((each) => [JSON.stringify(each), each])];
    if (drawn && all.map(([key]) => key).join() === [...drawn.keys()].join()) return;
    // What is ticked or typed already stays through other news.
    drawn = new Map(all.map(([key, each]) => [key, drawn?.get(key) ?? (each.left ? leftOver(each.left) : each.said ? done(each) : question(each))]));
    redrawn(list, ...(open.length ? [] : [h("li", { class: "nothing" }, t("Nothing contradicts itself."))]), ...drawn.values());
  }
  // What was typed as the answer to a question that another device settled, or that was put off.
  function leftOver(slot) {
    const over = t("This question is no longer asked."), changed = () => { answers.delete(slot); refresh().catch(complain); };
    const card = [...(drawn?.values() ?? [])].find((each) => each.dataset.rid === slot);
    return card?.over?.(over, changed) ?? orphan(answerTo(slot), t("What is true instead"), over, changed);
  }
  function done({ said, ...asked }) {
    const undo = h("button", { type: "button", onclick: () => run("reopen", { slot: asked.slot }).then(refresh, complain) }, t("Undo"));
    return h("li", { class: "card decided", "data-rid": asked.slot }, h("p", { dir: "auto" }, subjectOf(asked)), h("div", { class: "row" }, h("span", { dir: "auto" }, said), undo));
  }
  function question({ slot, entity, relation, sides }) {
    const boxes = sides.map((side) => h("input", { type: "checkbox", value: side.value, onchange: ready }));
    const keep = h("button", { type: "button", class: "primary", disabled: true, onclick: () => settle({ keep: ticked() }, t("Kept: {what}", { what: listed(ticked().map(wordsOf)) })) }, t("Keep what is ticked"));
    const all = h("button", { type: "button", onclick: () => settle({ keep: sides.map((side) => side.value) }, t("Kept as different things")) }, t(sides.length > 2 ? "All: they are different things" : "Both: they are two things"));
    const changed = h("button", { type: "button", disabled: true, onclick: since }, t("It changed: since when?"));
    const neither = h("button", { type: "button", class: "quiet", onclick: () => merge().focus() }, t(sides.length > 2 ? "None: type what is right" : "Neither: type what is right"));
    const later = h("button", { type: "button", class: "quiet", onclick: () => run("snooze", { slot, until_ms: Date.now() + LATER_MS }).then(() => (notice(t("You will be asked again in a week.")), refresh()), complain) }, t("Ask me later"));
    const more = h("form", { class: "stack" });
    const wordsOf = (value) => valueWords({ relation, value });
    const ticked = () => boxes.filter((box) => box.checked).map((box) => box.value);
    const note = (said) => {
      draft(answerTo(slot), null);
      decided.set(slot, { slot, entity, relation, said });
    };
    const giveUp = () => {
      draft(answerTo(slot), null);
      answers.delete(slot);
    };
    const settle = (how, said) => run("settle", { slot, ...how }).then(() => (note(said), refresh()), complain);
    const leave = (next) => h("button", { type: "button", class: "quiet", "data-leaves": true, onclick: () => swap(more, next) }, t("Leave it open"));

    function ready() {
      keep.disabled = !ticked().length;
      changed.disabled = ticked().length !== 1;
      if (!answers.has(slot)) more.replaceChildren(); // it asked since when something holds that is not what is ticked now
    }
    function since() {
      const value = ticked()[0], now = Date.now();
      const told = Math.min(now, Math.max(...sides.map((side) => side.told_ms)));
      const day = h("input", { type: "date", required: true, max: dateOf(now), value: dateOf(told) });
      more.onsubmit = (event) => {
        event.preventDefault();
        const since_ms = new Date(`${day.value}T00:00`).getTime();
        settle({ keep: [value], since_ms }, t("{value} since {date}", { value: wordsOf(value), date: dateIn(since_ms) }));
      };
      giveUp();
      more.replaceChildren(h("label", { class: "stack" }, h("span", {}, ...filled(t("{value} since"), { value: named(wordsOf(value)) })), day), h("div", { class: "row" }, h("button", { type: "submit", class: "primary" }, t("It changed then")), leave(changed)));
      day.focus();
    }
    function merge() {
      const field = h("textarea", { rows: 2, dir: "auto", "aria-label": t("What is true instead"), oninput: typed });
      const secret = h("div", { class: "doubt", role: "alert" });
      field.value = answers.get(slot) ?? sides.at(-1).text;
      function typed() {
        delete field.dataset.rid; // other words would be another memory, were this no answer any more
        secret.replaceChildren();
        answers.set(slot, field.value);
        draft(answerTo(slot), element.over && field.value === sides.at(-1).text ? null : field.value);
      }
      const save = async (anyway = false) => {
        const text = field.value;
        secret.replaceChildren();
        if (!text.trim()) return;
        try {
          await run("merge", { slot, text, anyway });
          giveUp();
          note(t("Remembered instead: {what}", { what: text.trim() }));
          await refresh();
        } catch (error) { complainAt(secret, error, field.value === text, t("Remember it anyway"), () => save(true)); }
      };
      more.onsubmit = (event) => {
        event.preventDefault();
        save();
      };
      const open = leave(neither);
      open.addEventListener("click", giveUp);
      element.over = (said, changed) => {
        element.over = null;
        more.onsubmit = (event) => event.preventDefault();
        element.classList.remove("question");
        leftAlone(element, answerTo(slot), field, secret, said, changed);
        return element;
      };
      typed();
      more.replaceChildren(field, secret, h("div", { class: "row" }, h("button", { type: "submit", class: "primary" }, t("Remember this instead")), open));
      return field;
    }
    const element = h("li", { class: "card question", "data-rid": slot },
      h("p", { dir: "auto" }, subjectOf({ entity, relation })),
      h("fieldset", { class: "stack" }, h("legend", { class: "unseen" }, t("What is true?")),
        ...sides.map((side, at) => h("label", { class: "side" }, boxes[at], h("span", {}, named(wordsOf(side.value)), h("small", {}, ...filled(t("“{text}”"), { text: named(side.text) }), ` · ${momentOf(side.told_ms)}`))))),
      h("div", { class: "row" }, keep, all, changed, neither, later), more);
    if (answers.has(slot)) merge();
    return element;
  }
  const shown = refresh().catch(complain);
  return { element: h("div", { class: "stack" }, h("h2", {}, t("Which is true?")), list), shown, refresh: () => refresh().catch(complain) };
}
