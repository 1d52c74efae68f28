// Memories: everything that is remembered, by when it was told, narrowed by what one knows of it, or found by words.

import { call } from "./api.js";
import { announce, h, icon, keyed, say, WAITING_MS } from "./dom.js";
import { date, fieldDay, month, number, plural, t } from "./i18n.js";
import { onOps } from "./live.js";
import { composeButton, firstSteps } from "./memories.js";
import { go, here, isPast, link, moment } from "./router.js";
import { fromOf, memoryRow } from "./row.js";
import { complain } from "./toasts.js";
import { windowed } from "./window.js";

const TYPING_MS = 90;
const GATHER_MS = 250;
const STALE_MS = 1500;
const SHOWN = 8;
const FOUND_MAX = 50;
/** What memories can be narrowed by, in the order of the page. */
const FACETS = ["person", "speaker", "label", "type", "device", "source", "space", "chat"];
const names = { person: () => t("Names"), speaker: () => t("Speaker"), label: () => t("Labels"), type: () => t("Kind"), device: () => t("Device"), source: () => t("Source"), space: () => t("Space"), chat: () => t("Chat") };
const KINDS = {
  episodic: () => t("what happened"), factual: () => t("facts"), semantic: () => t("knowledge"), procedural: () => t("how to"),
  social: () => t("people"), spatial: () => t("places"), prospective: () => t("plans"), affective: () => t("feelings"),
};
// Where each list was left, for when one comes back to it.
const left = new Map();

/** What the address asks for, as the device takes it. */
function asked() {
  const { args } = here();
  const options = { ...moment() };
  for (const facet of FACETS) if (args.has(facet)) options[facet] = args.getAll(facet);
  for (const name of ["since", "until"]) if (args.get(name)) options[name] = args.get(name);
  return options;
}

export function browseView() {
  const view = { facets: null, opened: new Set(), found: null, query: here().args.get("q") ?? "" };
  const summary = h("p", { class: "lead", role: "status" });
  const input = h("input", { type: "search", placeholder: t("Search by words or meaning"), "aria-label": t("Search all memories"), autocomplete: "off", dir: "auto", on: { input: typed, keydown: down } });
  input.value = view.query;
  const chosen = h("ul", { class: "plain chosen", "aria-label": t("Filtered by") });
  const facets = h("div", { class: "facets-groups" });
  const times = h("div", { class: "facet times" });
  const filters = h("details", { class: "facets" }, h("summary", {}, t("Filter")), times, facets);
  const when = h("p", { class: "when", "aria-hidden": "true" });
  const empty = h("div", { class: "empty", hidden: true });
  const results = h("div", { class: "results", hidden: true });
  const rows = windowed({
    label: t("Memories"),
    // In the letters of the page: who has them larger needs higher rows.
    rowHeight: () => (innerWidth <= 640 ? 96 : 82) * (parseFloat(getComputedStyle(document.documentElement).fontSize) / 16),
    make: (memory) => memoryRow(memory),
    heard: (total, first) => say(when, first ? month(first.told_at) : ""),
    fetch: async (offset, limit, signal) => {
      const page = await call("panel/browse", { ...asked(), offset, limit }, signal);
      if (offset === 0 || view.total !== page.total) heard(page);
      return page;
    },
  });
  rows.element.addEventListener("above", () => input.focus());
  filters.open = innerWidth > 900;
  const element = h(
    "div",
    { class: "view browse" },
    h("header", { class: "view-head with-action" }, h("div", {}, h("h1", {}, t("Memories")), summary), composeButton("primary")),
    h("label", { class: "search wide" }, h("span", { class: "unseen" }, t("Search all memories")), icon("search"), input),
    chosen,
    h("div", { class: "browse-grid" }, filters, h("div", { class: "browse-list" }, when, empty, results, rows.element)),
  );
  let typing = 0;
  let gathering = 0;
  let searching = new AbortController();
  let address = location.hash;

  function heard(page) {
    view.total = page.total;
    view.of = page.of;
    if (page.stale) setTimeout(refresh, STALE_MS);
    describe();
  }

  function describe() {
    if (view.query) return;
    say(summary, view.total === view.of ? plural(view.of ?? 0, "{n} memory", "{n} memories") : t("{n} of {all}", { n: number(view.total ?? 0), all: plural(view.of ?? 0, "{n} memory", "{n} memories") }));
    const nothing = view.total === 0;
    filters.hidden = input.parentElement.hidden = view.of === 0;
    empty.hidden = !nothing;
    if (nothing) {
      const narrowed = FACETS.some((facet) => here().args.has(facet)) || here().args.has("since") || here().args.has("until");
      empty.replaceChildren(
        ...(isPast() && !narrowed
          ? [h("p", { class: "empty-title" }, t("Nothing was known by then")), h("p", {}, t("Everything in this memory was told later.")), h("p", {}, h("a", { href: link("memories", { at: "", by: "" }) }, t("Back to now")))]
          : view.of
          ? [h("p", { class: "empty-title" }, t("No matches")), h("p", {}, t("No memory matches all of these filters.")), h("a", { href: link("memories") }, t("Show everything"))]
          : [h("p", { class: "empty-title" }, t("No memories yet")), ...firstSteps()]),
      );
    }
  }

  async function refresh() {
    try {
      if (view.query) await search();
      else await Promise.all([rows.reset(), count()]);
    } catch (error) {
      complain(error);
    }
  }

  async function count() {
    const page = await call("panel/browse", { ...asked(), limit: 0, facets: true });
    view.facets = page.facets;
    heard(page);
    render();
  }

  async function search() {
    searching.abort();
    searching = new AbortController();
    const query = view.query;
    try {
      const found = await call("panel/search", { ...asked(), query, k: FOUND_MAX }, searching.signal);
      if (query !== view.query) return;
      show(found, query);
    } catch (error) {
      if (error.name !== "AbortError") throw error;
    }
  }

  function show(found, query) {
    view.found = found;
    results.hidden = false;
    rows.element.hidden = when.hidden = true;
    const close = found.memories.slice(0, found.close);
    const rest = found.memories.slice(found.close, found.close + (close.length ? 6 : 12));
    say(summary, close.length ? plural(close.length, "{n} memory found", "{n} memories found") : t("Nothing close."));
    announce(summary.textContent);
    empty.hidden = true;
    results.replaceChildren(
      ...(close.length ? [h("ul", { class: "plain found", "aria-label": t("Found") }, close.map((memory) => h("li", {}, memoryRow(memory, { query }))))] : []),
      ...(close.length || rest.length ? [] : [h("p", {}, h("a", { href: link("memories") }, t("Show everything")))]),
      ...(rest.length ? [h("h2", { class: "nearest" }, close.length ? t("Less likely") : t("Nearest:")), h("ul", { class: "plain found far", "aria-label": t("Nearest") }, rest.map((memory) => h("li", {}, memoryRow(memory, { query }))))] : []),
    );
  }

  function typed() {
    clearTimeout(typing);
    typing = setTimeout(() => {
      const { args } = here();
      args.delete("q");
      if (input.value.trim()) args.set("q", input.value.trim());
      address = "";
      go(addressOf(args), { replace: true });
    }, TYPING_MS);
  }

  function down(event) {
    if (event.key === "ArrowDown") {
      event.preventDefault();
      element.querySelector(".results:not([hidden]) a, .window .row a")?.focus();
    } else if (event.key === "Escape" && input.value) {
      event.preventDefault();
      event.stopPropagation();
      input.value = "";
      typed();
    }
  }

  results.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const all = [...results.querySelectorAll("a")];
    const next = all.indexOf(event.target.closest("a")) + (event.key === "ArrowDown" ? 1 : -1);
    event.preventDefault();
    (all[next] ?? (next < 0 ? input : null))?.focus();
  });

  function moved() {
    if (location.hash === address) return;
    left.set(address, { y: scrollY, total: rows.total });
    address = location.hash;
    view.query = here().args.get("q") ?? "";
    if (document.activeElement !== input) input.value = view.query;
    if (!view.query) {
      results.hidden = true;
      rows.element.hidden = when.hidden = false;
    }
    refresh();
    render();
  }

  function render() {
    renderChosen(chosen);
    renderTimes(times);
    keyed(facets, view.facets ? FACETS.filter((name) => view.facets[name]?.length) : [], {
      key: (name) => name,
      make: (name) => facetGroup(name, view),
      update: (group, name) => updateFacet(group, name, view),
    });
  }

  const stop = onOps(() => {
    if (moment().at) return;
    clearTimeout(gathering);
    gathering = setTimeout(refresh, GATHER_MS);
  });
  const before = left.get(location.hash);
  if (before) rows.expect(before.total);
  const ready = refresh();
  setTimeout(() => !summary.textContent && say(summary, t("Looking …")), WAITING_MS);
  render();
  requestAnimationFrame(() => {
    if (before) scrollTo(0, before.y);
    rows.draw();
  });

  return {
    element,
    ready,
    moved,
    search: () => (input.focus(), input.select()),
    close() {
      left.set(address || location.hash, { y: view.leaving ?? scrollY, total: rows.total });
      stop();
      clearTimeout(typing);
      clearTimeout(gathering);
      searching.abort();
      rows.close();
    },
  };
}

function addressOf(args) {
  const options = {};
  for (const name of new Set(args.keys())) options[name] = args.getAll(name);
  return link("memories", options);
}

function without(name, value) {
  const { args } = here();
  const rest = args.getAll(name).filter((each) => each !== value);
  args.delete(name);
  for (const each of rest) args.append(name, each);
  return args;
}

function shown(facet, value, told = null) {
  if (facet === "device") return fromOf({ device: value, device_name: told });
  if (told) return told;
  if (facet === "type") return (KINDS[value] ?? (() => value))();
  return value;
}

function renderChosen(container) {
  const { args } = here();
  const all = [...FACETS.flatMap((facet) => args.getAll(facet).map((value) => ({ name: facet, value, said: `${names[facet]()}: ${shown(facet, value)}` }))), ...["since", "until"].filter((name) => args.get(name)).map((name) => ({ name, value: args.get(name), said: t(name === "since" ? "From {date}" : "Up to {date}", { date: date(args.get(name)) }) }))];
  keyed(container, all, {
    key: (each) => `${each.name} ${each.value}`,
    make: (each) => h("li", {}, h("a", { class: "chip chosen-chip", href: addressOf(without(each.name, each.value)), "aria-label": t("Remove: {what}", { what: each.said }) }, h("span", { dir: "auto" }, each.said), icon("close"))),
    update: (li, each) => li.firstChild.setAttribute("href", addressOf(without(each.name, each.value))),
  });
}

const SPANS = [["week", 7, () => t("Last week")], ["month", 31, () => t("Last month")], ["year", 365, () => t("Last year")]];

/** When it was told: the last week, month or year, or from one day to another. */
function renderTimes(container) {
  const { args } = here();
  if (container.since) {
    for (const name of ["since", "until"]) if (document.activeElement !== container[name]) container[name].value = args.get(name) ?? "";
    return;
  }
  const set = (name, value) => {
    const { args } = here();
    args.delete(name);
    if (value) args.set(name, value);
    go(addressOf(args));
  };
  const input = (name, label) => h("label", {}, label, (container[name] = h("input", { type: "date", on: { change: (event) => set(name, event.target.value) } })));
  container.append(
    h("h2", {}, t("Time")),
    h("div", { class: "chips" }, SPANS.map(([, days, said]) => h("button", { type: "button", class: "chip", on: { click: () => set("since", fieldDay(Date.now() - days * 86_400_000)) } }, said()))),
    h("div", { class: "dates" }, input("since", t("From")), input("until", t("Up to"))),
  );
  renderTimes(container);
}

function facetGroup(name, view) {
  const list = h("ul", { class: "plain" });
  const more = h("button", { type: "button", class: "quiet more-values", on: { click: () => (view.opened.has(name) ? view.opened.delete(name) : view.opened.add(name), updateFacet(group, name, view)) } });
  const group = h("section", { class: "facet", data: { facet: name } }, h("h2", {}, names[name]()), list, more);
  Object.assign(group, { list, more });
  return group;
}

function updateFacet(group, name, view) {
  const { args } = here();
  const chosen = args.getAll(name);
  const all = view.facets[name];
  const few = view.opened.has(name) ? all : all.filter((each, place) => place < SHOWN || chosen.includes(each.value));
  keyed(group.list, few, {
    key: (each) => each.value,
    make: () => h("li", {}, h("a", { class: "facet-value" }, h("span", { dir: "auto" }), h("span", { class: "count" }))),
    update: (li, each) => {
      const on = chosen.some((value) => value.toLowerCase() === each.value.toLowerCase());
      const args = without(name, each.value);
      if (!on) args.append(name, each.value);
      const anchor = li.firstChild;
      anchor.setAttribute("href", addressOf(args));
      anchor.classList.toggle("on", on);
      if (on) anchor.setAttribute("aria-current", "true");
      else anchor.removeAttribute("aria-current");
      say(anchor.firstChild, shown(name, each.value, each.name));
      anchor.firstChild.title = anchor.firstChild.textContent;
      say(anchor.lastChild, number(each.count));
    },
  });
  group.more.hidden = all.length <= SHOWN;
  say(group.more, view.opened.has(name) ? t("Show fewer") : t("{n} more", { n: number(all.length - SHOWN) }));
}
