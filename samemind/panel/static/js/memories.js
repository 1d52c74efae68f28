// The panel of memories: cards by category, search while typing, a composer, and a mode for many at once.

import { call } from "./api.js";
import { card, updateCard } from "./card.js";
import { composer } from "./composer.js";
import { announce, confirmHere, h, icon, iconButton, keyed, say } from "./dom.js";
import { changed, count, memoryNamed, reload, shown, state, subscribe, withFacts } from "./state.js";
import { complain } from "./toasts.js";
import { number, plural, t } from "./i18n.js";
import { link } from "./router.js";
import { CATEGORIES, categoryName, categoryOf } from "./words.js";

const FOUND_MAX = 30;
const TYPING_MS = 120;
const CATEGORY_KEY = "samemind.category";

// Of the panel's state only the category outlives a reload: an open panel or a selection would surprise.
const view = { open: false, manage: false, category: localStorage.getItem(CATEGORY_KEY) ?? "all", query: "", found: null, selected: new Set() };
const parts = {};
// Cards with an open editor, by their memories' ids: they stay, whatever becomes of what they show.
let edited = new Map();

export function isOpen() {
  return view.open;
}

export function toggle(open = !view.open) {
  if (open === view.open) return;
  // The back button of a browser, and the gesture of a phone, close what was opened last.
  if (open) history.pushState({ drawer: true }, "");
  else if (history.state?.drawer) history.back();
  show(open);
}

addEventListener("popstate", (event) => {
  if (view.open && !event.state?.drawer) show(false);
});

function show(open) {
  view.open = open;
  parts.aside.hidden = !open;
  document.body.classList.toggle("with-memories", open);
  parts.pill.setAttribute("aria-expanded", String(open));
  // A phone would cover half of what was opened with its keyboard.
  if (open) (matchMedia("(hover: none)").matches ? parts.aside : parts.search).focus();
  else if (parts.aside.contains(document.activeElement) || document.activeElement === document.body) parts.pill.focus();
  render();
}

export function search() {
  if (!view.open) toggle(true);
  parts.search.focus();
  parts.search.select();
}

export function compose() {
  if (!view.open) toggle(true);
  parts.composer.open();
}

/** Keep what was typed elsewhere in the composer. */
export function keep(text) {
  parts.composer.keep(text);
}

/** A button that opens the composer, on a page that has it beside other things. */
export function composeButton(look = null) {
  return h("button", { type: "button", class: look, on: { click: compose } }, t("Remember something"));
}

/** What can be done where nothing is remembered yet. */
export function firstSteps() {
  return [h("p", {}, t("Write something down, or import what you told an assistant before.")), h("p", { class: "row" }, composeButton("primary"), h("a", { href: link("settings") }, t("Import a chat")))];
}

/** Show one memory, wherever it was named. */
export function reveal(rid) {
  view.query = parts.search.value = "";
  view.found = null;
  chooseCategory("all");
  if (!view.open) toggle(true);
  render();
  const found = parts.aside.querySelector(`[data-rid="${CSS.escape(rid)}"] .card-text`);
  found?.scrollIntoView({ block: "center" });
  found?.focus();
}

export function build() {
  parts.aside = document.getElementById("memories");
  parts.pill = document.getElementById("pill");
  parts.pill.addEventListener("click", () => toggle());
  parts.count = h("p", { class: "muted" });
  parts.search = h("input", { type: "search", placeholder: t("Search by words or meaning"), dir: "auto", "aria-label": t("Search memories"), autocomplete: "off", "aria-keyshortcuts": "/", on: { input: typed } });
  parts.chips = h("div", { class: "chips", role: "group", "aria-label": t("Category") });
  parts.composer = composer();
  parts.groups = h("div", { class: "groups" });
  parts.empty = h("div", { class: "empty", hidden: true });
  parts.more = h("button", { type: "button", class: "more", hidden: true, on: { click: more } }, t("Show more"));
  parts.manage = h("button", { type: "button", class: "quiet", "aria-pressed": "false", on: { click: () => manage(!view.manage) } }, t("Manage"));
  parts.bulk = h("div", { class: "bulk", role: "toolbar", "aria-label": t("Selected memories"), hidden: true });
  parts.aside.append(
    h("header", { class: "memories-head" }, h("div", {}, h("h2", {}, t("Memories")), parts.count, h("a", { href: link("memories"), class: "all-link", on: { click: () => (history.replaceState(null, ""), show(false)) } }, t("All of them"))), parts.manage, iconButton("close", t("Close memories"), () => toggle(false))),
    h("div", { class: "memories-tools" }, h("label", { class: "search" }, icon("search"), parts.search), parts.chips, parts.bulk),
    h("div", { class: "memories-scroll", tabindex: "-1" }, parts.empty, parts.groups, parts.more),
    parts.composer.element,
  );
  parts.aside.addEventListener("keydown", keys);
  buildBulk();
  subscribe(render);
}

function manage(on) {
  view.manage = on;
  view.selected.clear();
  announce(on ? t("Manage mode: choose memories to forget.") : t("Manage mode off."));
  const stood = parts.bulk.contains(document.activeElement) || document.activeElement === document.body;
  render();
  if (stood && !on) parts.manage.focus();
}

function chooseCategory(category) {
  view.category = category;
  localStorage.setItem(CATEGORY_KEY, category);
  render();
}

let typing = 0;

async function typed() {
  view.query = parts.search.value.trim();
  view.found = null;
  clearTimeout(typing);
  render(); // by the words that are here, at once
  if (!view.query) return;
  const asked = view.query;
  typing = setTimeout(async () => {
    try {
      const { results } = await call("recall", { query: asked, k: FOUND_MAX });
      if (asked !== view.query) return;
      view.found = results;
      render();
      announce(plural(visible().length, "{n} memory found", "{n} memories found"));
    } catch (error) {
      complain(error);
    }
  }, TYPING_MS);
}

/** What is to be seen now: all, or what fits the search, the best first. */
function visible() {
  const all = shown().filter((memory) => view.category === "all" || groupOf(memory) === view.category);
  if (!view.query) return all;
  const words = view.query.toLowerCase();
  const literal = all.filter((memory) => memory.text.toLowerCase().includes(words));
  const recalled = (view.found ?? []).map((hit) => memoryNamed(hit.rid) ?? hit).filter((memory) => !state.waiting.has(memory.rid) && (view.category === "all" || groupOf(memory) === view.category));
  return [...new Map([...literal, ...recalled].map((memory) => [memory.rid, memory])).values()];
}

function groupsOf(memories) {
  if (view.query) return memories.length ? [{ name: "found", title: t("Found"), memories }] : [];
  const groups = CATEGORIES.map((name) => ({ name, title: categoryName(name), memories: inOrder(memories.filter((each) => groupOf(each) === name)) }));
  return groups.filter((group) => group.memories.length);
}

/** A fact stands where the memory does that it was read out of. */
function groupOf(memory) {
  return categoryOf(memoryNamed(memory.parent) ?? memory);
}

/** Pinned first, then the newest; each followed by its facts. */
function inOrder(memories) {
  const here = new Set(memories.map((memory) => memory.rid));
  const facts = Map.groupBy ? Map.groupBy(memories, (memory) => (here.has(memory.parent) ? memory.parent : null)) : new Map([[null, memories]]);
  return (facts.get(null) ?? []).sort((a, b) => Number(b.pinned) - Number(a.pinned)).flatMap((memory) => [memory, ...(facts.get(memory.rid) ?? [])]);
}

function render() {
  const total = count();
  parts.pill.hidden = !state.loaded;
  say(parts.pill, plural(total, "{n} memory", "{n} memories"));
  if (!view.open) return;
  const seen = [...visible()];
  edited = new Map([...parts.groups.querySelectorAll(".card.editing")].map((item) => [item.memory.rid, item]));
  for (const [rid, { memory, editing }] of edited) {
    if (state.waiting.has(rid)) editing.forgotten();
    else if (memoryNamed(rid)) editing.returned();
    else editing.look();
    if (!seen.some((each) => each.rid === rid)) seen.push(memory);
  }
  const facts = shown().filter((memory) => memory.parent).length;
  say(parts.count, [state.total > state.memories.length ? t("the latest {some} of {all}", { some: number(state.memories.length - facts), all: number(total) }) : plural(total, "{n} memory", "{n} memories"), facts && plural(facts, "{n} fact extracted", "{n} facts extracted")].filter(Boolean).join(", "));
  renderChips();
  renderEmpty(total, seen.length);
  keyed(parts.groups, groupsOf(seen), { key: (group) => group.name, make: makeGroup, update: updateGroup });
  parts.more.hidden = Boolean(view.query) || state.memories.length >= state.total;
  parts.aside.classList.toggle("managing", view.manage);
  parts.manage.setAttribute("aria-pressed", String(view.manage));
  say(parts.manage, view.manage ? t("Done") : t("Manage"));
  parts.bulk.hidden = !view.manage;
  for (const rid of view.selected) if (state.waiting.has(rid)) view.selected.delete(rid);
  say(parts.selected, t("{n} selected", { n: number(view.selected.size) }));
  parts.forget.disabled = !view.selected.size;
  parts.bulk.querySelector(".confirm")?.ask(clearQuestion(total)); // of memories that came or went meanwhile, too
  parts.clear.disabled = !total;
}

function makeGroup(group) {
  const list = h("ul", { class: "cards", "aria-label": group.title });
  const element = h("section", { class: "group", data: { category: group.name } }, h("h3", {}, group.title, " ", h("span", { class: "group-count" })), list);
  element.list = list;
  return element;
}

function updateGroup(element, group) {
  // Of a part one cannot say how many there are in all.
  say(element.querySelector(".group-count"), state.total > state.memories.length ? "" : number(group.memories.length));
  keyed(element.list, group.memories, {
    key: (memory) => memory.rid,
    make: (memory) => edited.get(memory.rid) ?? card(memory),
    update: (item, memory) => updateCard(item, memory, { manage: view.manage, selected: view.selected.has(memory.rid), select }),
  });
}

function select(rid, on) {
  if (on) view.selected.add(rid);
  else view.selected.delete(rid);
  render();
}

function renderChips() {
  const counts = Object.groupBy ? Object.groupBy(shown(), groupOf) : {};
  const chips = ["all", ...CATEGORIES].map((name) => ({ name, label: name === "all" ? t("All") : categoryName(name), some: name === "all" || counts[name]?.length || view.category === name }));
  keyed(parts.chips, chips.filter((chip) => chip.some), {
    key: (chip) => chip.name,
    make: (chip) => h("button", { type: "button", class: "chip", data: { category: chip.name }, on: { click: () => chooseCategory(chip.name) } }, chip.label),
    update: (element, chip) => element.setAttribute("aria-pressed", String(view.category === chip.name)),
  });
}

function renderEmpty(total, seen) {
  const nothing = total === 0 ? "none" : seen === 0 ? (view.query ? "unfound" : "category") : "";
  parts.empty.hidden = !nothing;
  if (parts.empty.dataset.why === nothing) return;
  parts.empty.dataset.why = nothing;
  const told = {
    none: [
      h("p", { class: "empty-title" }, t("No memories yet")),
      h("p", {}, t("Write something below, such as “I take the 8:15 train” or “Ann moved to Lisbon”. It will be on every device you pair.")),
      h("p", { class: "muted" }, t("From a terminal: "), h("code", {}, "samemind remember …")),
    ],
    unfound: [h("p", { class: "empty-title" }, t("No matches")), h("p", {}, t("No match by words or by meaning. Try fewer words, or another category."))],
    category: [h("p", { class: "empty-title" }, t("Nothing here")), h("p", {}, t("Double click a memory to give it this category."))],
  }[nothing];
  parts.empty.replaceChildren(...(told ?? []));
}

function buildBulk() {
  parts.selected = h("span", { class: "bulk-count", role: "status" });
  parts.forget = h("button", { type: "button", on: { click: forgetSelected } }, t("Forget"));
  parts.clear = h("button", { type: "button", class: "quiet", on: { click: clearAll } }, t("Clear all…"));
  const all = h("button", { type: "button", class: "quiet", on: { click: () => (visible().forEach((each) => view.selected.add(each.rid)), render()) } }, t("Select all"));
  parts.bulk.append(parts.selected, all, parts.forget, parts.clear);
}

async function forgetSelected() {
  const rids = withFacts(view.selected);
  if (!rids.length) return;
  view.selected.clear();
  await call("panel/forget", { rids }).catch(complain);
}

const clearQuestion = (total) => plural(total, "Forget this memory on every device?", "Forget all {n} memories on every device?");

async function clearAll() {
  if (!(await confirmHere(parts.bulk, clearQuestion(count()), t("Forget all")))) return;
  try {
    await call("panel/forget", { all: true });
    manage(false);
  } catch (error) {
    complain(error);
  }
}

async function more() {
  state.limit += 500;
  await reload().catch(complain);
  changed();
}

function keys(event) {
  if (event.key === "Escape" && !event.defaultPrevented) {
    event.preventDefault();
    event.stopPropagation();
    if (view.manage) manage(false);
    else toggle(false);
    return;
  }
  const text = event.target.closest?.(".card-text");
  if (text && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    const all = [...parts.aside.querySelectorAll(".card-text")];
    all[all.indexOf(text) + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
    event.preventDefault();
  }
}
