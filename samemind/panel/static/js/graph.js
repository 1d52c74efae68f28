// The graph: whom and what memories name, and how they are related, around the one that was chosen.

import { call } from "./api.js";
import { cut, h, keyed, s, say } from "./dom.js";
import { standingOf } from "./memory.js";
import { composeButton } from "./memories.js";
import { memoryRow } from "./row.js";
import { here, isPast, link, moment, momentOfVerbs } from "./router.js";
import { keyOf, relationForm, relationList } from "./relations.js";
import { relationWords, valueWords } from "./words.js";
import { above, draggable, leaning, place } from "./layout.js";
import { wholeView } from "./whole.js";
import { zoomable } from "./zoom.js";
import { complain } from "./toasts.js";
import { number, plural, t } from "./i18n.js";

const HEIGHT = 460;
const WIDE = 720;
const NARROW = 420;
const NAMES_MAX = 40;
const NODES_MAX = 36;
// The first name that is related to anything is the one to begin with.
const TRIED_MAX = 8;
const NAMED_MAX = 6;
const RELATIONS_MAX = 60;

export function graphView() {
  return here().args.get("all") ? wholeView() : aroundView();
}

/** Whom and what one name is related to, and what is believed of it. */
function aroundView() {
  const summary = h("p", { class: "lead", "aria-live": "polite" }, t("Reading names …"));
  const names = h("ul", { class: "plain names", "aria-label": t("Names") });
  const filter = h("input", { type: "search", placeholder: t("Filter names"), "aria-label": t("Filter names"), dir: "auto", autocomplete: "off", on: { input: narrowed } });
  const side = h("div", { class: "graph-names" }, filter, names);
  const svg = s("svg", { class: "graph", viewBox: `0 0 ${WIDE} ${HEIGHT}`, role: "group", "aria-label": t("Graph") });
  const closer = zoomable(svg);
  const figure = h("figure", { class: "graph-figure", hidden: true }, svg, closer.buttons);
  const believed = h("section", { class: "memory-section", hidden: true });
  const adding = h("div", { class: "memory-section", hidden: true });
  const told = h("ul", { class: "plain told-of", "aria-label": t("Memories that mention it") });
  const table = relationList(() => chosen, moved, { "aria-label": t("Relations") });
  const whole = h("a", { class: "button", href: link("graph", { all: "1" }) }, t("The whole graph"));
  const none = h("div", { class: "empty", hidden: true }, h("p", {}, t("Names come from what you write: “Ann works with Bob in Lisbon” adds three.")), composeButton());
  const element = h("div", { class: "view" }, h("header", { class: "view-head with-action" }, h("div", {}, h("h1", {}, t("Graph")), summary), whole), none, h("div", { class: "graph-grid" }, side, h("div", { class: "graph-side" }, believed, figure, told, table.element, adding)));
  const all = h("a", { class: "all-link", hidden: true });
  told.after(all);
  let chosen = null;
  // Which choice is being drawn: the same name may be chosen again before what was asked for it has come.
  let turn = 0;

  listNames().then(async (entities) => {
    say(summary, entities.length ? t("The people, places and things in your memories.") : t("No names have been found in your memories yet."));
    const wanted = here().args.get("name");
    if (wanted) {
      await choose(wanted);
      return;
    }
    for (const { name } of entities.slice(0, TRIED_MAX)) if (await choose(name)) return;
    if (entities.length) choose(entities[0].name);
  }, complain);

  async function listNames() {
    const { names: entities } = await call("panel/names", { limit: NAMES_MAX, ...moment() });
    side.hidden = whole.hidden = !entities.length;
    none.hidden = entities.length > 0;
    keyed(names, entities, {
      key: (each) => each.name,
      make: (each) => h("li", {}, h("button", { type: "button", class: "name-button", on: { click: () => choose(each.name) } }, h("span", { dir: "auto", title: each.name }, each.name), h("span", { class: "muted" }, number(each.memories)))),
    });
    return entities;
  }

  async function choose(name) {
    if (chosen !== name && !isPast()) adding.replaceChildren(relationForm(name, { has: table.has, moved }));
    adding.hidden = isPast();
    chosen = name;
    const mine = ++turn;
    for (const button of names.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.firstChild.textContent === name));
    let edges = [];
    try {
      ({ edges } = await call("graph", { entity: name, hops: 2, ...momentOfVerbs() }));
    } catch (error) {
      if (error.status !== 404) complain(error);
    }
    if (turn !== mine) return true;
    say(summary, edges.length ? `${name}: ${plural(edges.length, "{n} relation within two steps.", "{n} relations within two steps.")}` : t("{name} is mentioned, but has no relations yet.", { name }));
    figure.hidden = !edges.length;
    const { beliefs, relations } = await call("panel/about", { name, ...moment() }).catch(() => ({ beliefs: [], relations: [] }));
    if (turn !== mine) return true;
    believed.hidden = !beliefs.length;
    believed.replaceChildren(
      h("h2", {}, t("What is believed about {name}", { name })),
      h("ul", { class: "plain claims", "aria-label": t("What is believed about {name}", { name }) }, beliefs.map(beliefOf)),
    );
    draw(name, edges);
    const naming = await call("panel/browse", { person: [name], limit: NAMED_MAX, ...moment() }).catch(() => ({ memories: [] }));
    if (turn !== mine) return true;
    keyed(told, naming.memories, {
      key: (memory) => memory.rid,
      make: (memory) => h("li", {}, memoryRow(memory)),
    });
    all.hidden = naming.total <= naming.memories.length || !naming.total;
    all.setAttribute("href", link("memories", { person: name }));
    say(all, plural(naming.total ?? 0, "{n} memory mentions it", "{n} memories mention it"));
    const byHand = relations.slice(0, RELATIONS_MAX);
    const isByHand = new Set(byHand.map(keyOf));
    const others = edges.map(tripleOf).filter((edge) => !isByHand.has(keyOf(edge)));
    table.show([...byHand, ...others].slice(0, RELATIONS_MAX), { byHand, gone: edges.filter((edge) => edge.replaced).map(tripleOf) });
    return edges.length > 0 || beliefs.length > 0;
  }

  /** Something was related here, or no more: look at it again, and at the names, of which one may be new. */
  async function moved() {
    try {
      await listNames();
      await choose(chosen);
    } catch (error) {
      complain(error);
    }
  }

  function draw(centre, edges) {
    const weights = new Map([[centre, 1]]);
    for (const edge of edges) for (const end of [edge.source, edge.target]) weights.set(end, (weights.get(end) ?? 0) + 1);
    const kept = [...weights.keys()].sort((a, b) => (b === centre) - (a === centre) || weights.get(b) - weights.get(a) || (a < b ? -1 : 1)).slice(0, NODES_MAX);
    const width = matchMedia("(max-width: 640px)").matches ? NARROW : WIDE;
    closer.whole(width, HEIGHT);
    const nodes = place(kept, edges, { width, height: HEIGHT, centre });
    const focused = svg.contains(document.activeElement) && document.activeElement.getAttribute("aria-label");
    const lines = edges.filter((edge) => nodes.has(edge.source) && nodes.has(edge.target));
    const drawn = lines.map((edge) => {
      const near = edge.source === centre || edge.target === centre;
      return { ...edge, element: s("g", { class: near ? "edge near" : "edge" }, s("line"), near && s("text", { "text-anchor": "middle" }, relationWords(edge.relation))) };
    });
    const dragging = draggable(svg, nodes, drawn);
    const high = above(kept, nodes, width);
    svg.replaceChildren(
      ...drawn.map((each) => each.element),
      ...[...nodes].map(([name, { x, y }]) =>
        dragging(name, s(
          "g",
          { class: name === centre ? "entity centre" : "entity", transform: `translate(${x} ${y})`, tabindex: "0", role: "button", "aria-label": name, on: { click: () => pick(name), keydown: (event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), pick(name)) } },
          s("circle", { r: name === centre ? 11 : 5 + Math.min(4, weights.get(name)) }),
          s("title", {}, name),
          s("text", { y: high.has(name) ? -14 : name === centre ? 28 : 22, ...leaning(x, width) }, cut(name, 24)),
        )),
      ),
    );
    // Whoever walks by keys goes on from the name that was walked to.
    if (focused) [...svg.querySelectorAll(".entity")].find((node) => node.getAttribute("aria-label") === focused)?.focus();
  }

  function narrowed() {
    const wanted = filter.value.trim().toLocaleLowerCase();
    for (const each of names.children) each.hidden = !each.textContent.toLocaleLowerCase().includes(wanted);
  }

  function beliefOf(belief) {
    return h(
      "li",
      { class: `claim ${belief.standing}` },
      h("a", { class: "claim-says", dir: "auto", href: link(`memory/${belief.rid}`) }, `${relationWords(belief.relation)} `, h("b", {}, valueWords(belief))),
      h("span", { class: "muted" }, standingOf(belief)),
      belief.speaker && h("span", { class: "muted" }, `${t("said by")} `, h("bdi", {}, belief.speaker)),
      belief.open && h("a", { class: "flag alert", href: link("questions") }, t("contradicted")),
    );
  }

  function pick(name) {
    if (name === chosen) location.hash = link("memories", { person: name });
    else choose(name);
  }

  return { element, update: table.update };
}

const tripleOf = ({ source, relation, target }) => [source, relation, target];
