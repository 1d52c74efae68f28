// The page of one memory: what it says, what was read out of it, what it is related to, where it comes from, and all
// that happened to it. Its words are edited where they stand.

import { call } from "./api.js";
import { announce, h, iconButton, keyed, say } from "./dom.js";
import { edit } from "./editor.js";
import { story } from "./history.js";
import { clock, date, happening, minute, plural, t } from "./i18n.js";
import { onOps } from "./live.js";
import { keep } from "./memories.js";
import { relationForm, relationList } from "./relations.js";
import { go, here, isPast, link, moment } from "./router.js";
import { fromOf, memoryRow, metaOf } from "./row.js";
import { hueOf, memoryNamed, state } from "./state.js";
import { complain } from "./toasts.js";
import { onDevice, relationWords, valueWords } from "./words.js";

const GATHER_MS = 200;
// A heading of more than a few lines is a text to read, and is drawn as one.
const HEADING_CHARACTERS_MAX = 280;
const RELATIONS_MAX = 40;

export function memoryView() {
  const rid = here().path[1] ?? "";
  // A large store takes a moment: until then stands what is known of it, or a name at least.
  const known = memoryNamed(rid)?.text;
  const element = h("div", { class: "view memory-page", "aria-busy": "true" }, h("h1", { class: known ? `memory-says${isLong(known) ? " long" : ""}` : "unseen", dir: "auto" }, known ?? t("Memory")));
  const parts = build(rid, load);
  let asking = null;
  let gathering = 0;
  let found = null;
  let isAway = false; // the device, when this was asked for
  let wasGone = false; // the memory, under its editor

  async function load() {
    asking?.abort();
    asking = new AbortController();
    try {
      found = await call("panel/memory", { rid, ...moment() }, asking.signal);
      isAway = wasGone = false;
      if (!parts.element.isConnected) element.replaceChildren(parts.element);
      show(parts, found);
      element.removeAttribute("aria-busy");
    } catch (error) {
      if (error.name === "AbortError") return;
      element.removeAttribute("aria-busy");
      failed(error);
    }
  }

  /** Say what is true: only a device that answered knows that there is none. What is shown stays for as long as that is not so. */
  function failed(error) {
    const isGone = error.status === 404;
    if (isGone && parts.item.editing) {
      wasGone = true;
      parts.item.editing.forgotten();
      return;
    }
    if ((found && !isGone) || parts.item.editing) {
      complain(error);
      return;
    }
    found = null;
    isAway = error.code === "away";
    const title = error.code === "forgotten" ? t("This memory was forgotten") : isGone ? t("There is no such memory") : t("This memory cannot be shown now");
    element.replaceChildren(
      h("header", { class: "view-head" }, h("h1", {}, title), h("p", { class: "lead" }, error.message), error.hint && h("p", { class: "muted" }, error.hint)),
      h("p", { class: "row" }, !isGone && h("button", { type: "button", class: "primary", on: { click: load } }, t("Try again")), h("a", { href: link("memories") }, t("All memories"))),
    );
  }

  const stop = onOps(() => {
    clearTimeout(gathering);
    gathering = setTimeout(load, GATHER_MS);
  });
  return {
    element,
    ready: load(),
    moved: load,
    keys: {
      e: () => !isPast() && parts.item.begin?.(),
      p: () => !isPast() && parts.pin.click(),
      Delete: () => !isPast() && parts.forget.click(),
    },
    update: () => {
      if ((isAway && state.connected) || (wasGone && !parts.item.editing)) {
        isAway = wasGone = false;
        load();
      }
      const isGoing = Boolean(found) && state.waiting.has(found.memory.rid);
      parts.element.classList.toggle("going", isGoing);
      if (isGoing) parts.item.editing?.forgotten();
      else if (!wasGone) parts.item.editing?.returned();
      parts.relations.update();
    },
    close() {
      const orphan = parts.item.editing?.orphan;
      if (orphan) keep(orphan);
      asking?.abort();
      clearTimeout(gathering);
      stop();
    },
  };
}

function build(rid, load) {
  const relations = relationList(() => rid, load);
  const words = h("h1", { class: "memory-says", dir: "auto" });
  const item = h("div", { class: "memory-edit" });
  item.text = h("button", { type: "button", class: "memory-text", title: t("Click to edit"), on: { click: () => item.begin?.() } }, h("span", { class: "unseen" }, t("Edit: ")), h("span", { class: "memory-text-words", dir: "auto" }));
  item.append(words, item.text);
  const pin = h("button", { type: "button", "aria-pressed": "false" });
  const forget = h("button", { type: "button", class: "quiet" }, t("Forget"));
  const editing = h("button", { type: "button", on: { click: () => item.begin?.() } }, t("Edit"));
  const meta = h("p", { class: "memory-meta big" });
  const banner = h("div", { class: "banner", hidden: true });
  const labels = h("div", { class: "labels" });
  const sections = h("div", { class: "memory-sections" });
  const element = h(
    "article",
    { class: "memory" },
    h("nav", { class: "crumbs", "aria-label": t("Where this is") }, h("a", { href: link("memories") }, t("Memories"))),
    banner,
    item,
    meta,
    labels,
    h("div", { class: "row memory-actions" }, editing, pin, forget),
    sections,
  );
  return { rid, element, item, words, pin, forget, editing, meta, banner, labels, sections, relations, adding: relationForm(rid, { has: relations.has, moved: load }) };
}

function show(parts, found) {
  const { memory } = found;
  const past = isPast();
  document.title = `${memory.text.slice(0, 60)} · samemind`;
  say(parts.words, memory.text);
  say(parts.item.text.querySelector(".memory-text-words"), memory.text);
  parts.item.classList.toggle("long", isLong(memory.text));
  // A heading to read by, and a button of the same words to edit by: only one of them is seen.
  parts.words.classList.toggle("unseen", !past);
  parts.item.text.hidden = past || Boolean(parts.item.editing);
  parts.item.begin = past || memory.summary_of.length ? null : () => parts.item.editing || edit(parts.item, memory, { whole: false });
  parts.item.editing?.overtaken(memory);
  for (const control of [parts.pin, parts.forget, parts.editing]) control.hidden = past || memory.summary_of.length > 0;
  say(parts.pin, memory.pinned ? t("Unpin") : t("Pin"));
  parts.pin.setAttribute("aria-pressed", String(memory.pinned));
  parts.pin.onclick = () => change(() => call(memory.pinned ? "unpin" : "pin", { rid: memory.rid }), memory.pinned ? t("Unpinned") : t("Pinned"));
  parts.forget.onclick = async () => {
    await change(() => call("panel/forget", { rids: [memory.rid, ...found.facts.map((fact) => fact.rid)] }), "");
    if (history.length > 1) history.back();
    else go(link("memories"));
  };
  parts.meta.replaceChildren(...metaOf({ ...memory, told_at: memory.told_at ?? memory.created_at, tags: [], holds: found.claims.length && !memory.archived ? found.claims.some((claim) => claim.standing === "held") || undefined : undefined }));
  showBanner(parts.banner, found, past);
  showLabels(parts.labels, memory, past);
  showSections(parts.sections, sections(parts, found, past).filter(Boolean));
}

function isLong(text) {
  return text.length > HEADING_CHARACTERS_MAX;
}

async function change(act, said) {
  try {
    await act();
    if (said) announce(said);
  } catch (error) {
    complain(error);
  }
}

/** What one has to know first: that nobody may have written it so, that it is contradicted, or holds no more. */
function showBanner(banner, { memory, claims }, past) {
  const open = claims.filter((claim) => claim.open);
  const gone = claims.filter((claim) => !claim.open && claim.standing !== "held" && claim.instead.length);
  banner.hidden = !open.length && !gone.length && !memory.variants.length;
  banner.classList.toggle("alert", open.length > 0 || memory.variants.length > 0);
  banner.replaceChildren(
    ...(memory.variants.length ? writtenAtOnce(memory, past) : []),
    ...open.map((claim) => h("p", {}, t("This is contradicted: "), others(claim.instead), " ", h("a", { href: link("questions") }, t("Settle it")))),
    ...(open.length ? [] : gone.map((claim) => h("p", {}, t("This is no longer true. Now: "), others(claim.instead)))),
  );
}

/** What each device wrote where they edited one place at once, and how to settle which it is. */
function writtenAtOnce(memory, past) {
  const use = (text) => change(() => call("edit", { rid: memory.rid, text, was: memory.text }), t("Saved"));
  return [
    h("p", {}, t("It was edited on several devices at once, and this text was merged from what they wrote:")),
    h("ul", { class: "plain written" }, memory.variants.map((each) => h(
      "li",
      {},
      h("p", {}, h("span", { dir: "auto" }, each.text), " ", h("span", { class: "muted" }, fromOf(each), ", ", h("bdi", {}, minute(each.at)))),
      !past && h("button", { type: "button", on: { click: () => use(each.text) } }, t("Use this text")),
    ))),
    !past && h("button", { type: "button", on: { click: () => use(memory.text) } }, t("Keep the merged text")),
  ];
}

function others(instead) {
  return [...new Map(instead.map((each) => [each.value, each])).values()].map((each, place) => [place ? ", " : "", h("a", { href: link(`memory/${each.rid}`), dir: "auto" }, each.value)]);
}

function showLabels(container, { tags, rid, summary_of: members }, past) {
  keyed(container, [...tags.map((tag) => ({ tag })), { tag: null }], {
    key: ({ tag }) => tag,
    make: ({ tag }) => (tag === null ? labelForm(rid) : h("span", { class: "label wide" }, h("a", { href: link("memories", { label: tag }), dir: "auto" }, tag), iconButton("close", t("Remove: {what}", { what: tag }), () => change(() => call("tag", { rid, tags: [tag], remove: true }), t("Label removed"))))),
    update: (element, { tag }) => {
      if (tag === null) element.hidden = past || members.length > 0;
      else element.querySelector("button").hidden = past;
    },
  });
}

function labelForm(rid) {
  const input = h("input", { type: "text", class: "label-input", "aria-label": t("Add a label"), placeholder: t("add a label"), size: String(t("add a label").length), maxlength: "100" });
  return h("form", { class: "label-form", on: { submit: (event) => (event.preventDefault(), input.value.trim() && change(() => call("tag", { rid, tags: [input.value.trim()] }), t("Labelled")).then(() => (input.value = ""))) } }, input);
}

/** Show these sections. What looks as before stays, so that who stands in it goes on standing there. */
function showSections(container, all) {
  keyed(container, all, {
    key: ([title]) => title,
    make: ([title]) => h("section", { class: "memory-section" }, h("h2", {}, title)),
    update: (element, [, ...inside]) => {
      const shown = inside.filter(Boolean);
      const before = [...element.children].slice(1);
      shown.forEach((node, place) => {
        const old = before[place];
        if (!old) element.append(node);
        else if (old !== node && !old.isEqualNode(node)) old.replaceWith(node);
      });
      for (const old of before.slice(shown.length)) old.remove();
    },
  });
}

function rows(cards, label) {
  return h("ul", { class: "plain found", "aria-label": label }, cards.map((card) => h("li", {}, memoryRow(card))));
}

function sections(parts, found, past) {
  const { memory, parent, facts, tellings, members, claims, alike, chain, versions } = found;
  return [
    parent && [t("Extracted from"), rows([parent], t("Extracted from"))],
    facts.length && [t("What was extracted from it"), rows(facts, t("Facts"))],
    claims.length && [t("What it claims"), h("ul", { class: "plain claims" }, claims.map(claimOf))],
    members.length && [t("It sums these up"), rows(members, t("Summed up"))],
    [t("Names and relations"), namesOf(found), relationsOf(parts, found), past ? null : parts.adding],
    tellings.length && [t("Told {n} times", { n: memory.tellings }), rows(tellings, t("Other tellings"))],
    [t("Where it comes from"), details(memory), origins(chain)],
    [t("What happened to it"), story(versions)],
    alike.length && [t("Similar memories"), rows(alike, t("Similar memories"))],
  ];
}

/** What became of a claim, and when it held. */
export function standingOf(claim) {
  const standing = { held: () => t("holds"), replaced: () => t("replaced"), hidden: () => t("ruled out") }[claim.standing]?.() ?? claim.standing;
  const since = claim.until ? t("{from} to {until}", { from: date(claim.from), until: date(claim.until) }) : claim.from && t("since {date}", { date: date(claim.from) });
  return [since, standing].filter(Boolean).join(" · ");
}

function claimOf(claim) {
  return h(
    "li",
    { class: `claim ${claim.standing}` },
    h("span", { class: "claim-says", dir: "auto" }, h("b", {}, claim.entity === "owner" ? t("You") : claim.entity), `: ${relationWords(claim.relation)} `, h("b", {}, valueWords(claim))),
    h("span", { class: "muted" }, standingOf(claim)),
    claim.instead.length > 0 && h("span", { class: "muted" }, claim.open ? t("against: ") : t("now: "), others(claim.instead)),
    claim.replaced.length > 0 && h("span", { class: "muted" }, t("replaces: "), others(claim.replaced)),
  );
}

function namesOf({ names, relations }) {
  if (!names.length && !relations.length) return h("p", { class: "muted" }, t("It mentions no names and has no relations yet."));
  return h("p", { class: "row", hidden: !names.length }, names.map((name) => h("a", { class: "chip", href: link("memories", { person: name }), dir: "auto" }, name)));
}

function relationsOf(parts, { relations }) {
  const shown = relations.slice(0, RELATIONS_MAX);
  // Relations of the names in a memory are not its own.
  parts.relations.show(shown, { byHand: shown.filter(([source, , target]) => [source, target].includes(parts.rid)) });
  return parts.relations.element;
}

function details(memory) {
  const told = [
    [t("Told"), clock(memory.told_at ?? memory.created_at)],
    [t("Speaker"), memory.speaker],
    [t("Happened"), memory.event_start && happening(memory.event_start, memory.event_end)],
    [t("Source"), memory.source],
    [t("Chat"), memory.session && h("a", { href: link("memories", { chat: memory.session }), dir: "auto" }, memory.session)],
    [t("Space"), memory.workspace && h("a", { href: link("memories", { space: memory.workspace }), dir: "auto" }, memory.workspace)],
    [t("Kind"), memory.type],
    [t("Recalled"), memory.accesses ? plural(memory.accesses, "{n} time", "{n} times") : null],
    [t("Id"), h("code", {}, memory.rid)],
  ].filter(([, value]) => value);
  return h("dl", { class: "details" }, told.map(([name, value]) => [h("dt", {}, name), h("dd", { dir: "auto" }, value)]));
}

/** Who wrote it where, and whether the signature holds. */
function origins(chain) {
  return h(
    "ol",
    { class: "plain chain" },
    chain.map((each) =>
      h(
        "li",
        { vars: { "--hue": each.device ? hueOf(each.device) : 0 } },
        h("span", { class: "dot", "aria-hidden": "true" }),
        h("span", {}, each.relation === "itself" ? t("Written") : t(each.relation === "taken from" ? "Extracted from another memory, written" : "Inferred from another memory, written"), " ", each.device && onDevice(fromOf(each), each.device === state.session?.device_id), each.written_at && [", ", h("bdi", {}, clock(each.written_at))]),
        h("span", { class: each.signature_ok === false ? "flag alert" : "flag" }, each.signature_ok === null ? t("confirmed by members") : each.signature_ok ? t("signature valid") : t("signature invalid")),
        each.relation !== "itself" && each.text !== null && h("a", { href: link(`memory/${each.rid}`), dir: "auto" }, each.text.slice(0, 120)),
      ),
    ),
  );
}

