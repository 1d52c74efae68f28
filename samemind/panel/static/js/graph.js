// The graph: whom and what memories name, and how they are related, around the one that was chosen.

import { call } from "./api.js";
import { h, keyed, s, say } from "./dom.js";
import { standingOf } from "./memory.js";
import { memoryRow } from "./row.js";
import { here, link, moment, momentOfVerbs } from "./router.js";
import { relationWords } from "./words.js";
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
const STEPS = 220;
// Half of what the longest label takes.
const LABEL = 92;

export function graphView() {
  const summary = h("p", { class: "lead", "aria-live": "polite" }, t("Reading names …"));
  const names = h("ul", { class: "plain names", "aria-label": t("Names") });
  const filter = h("input", { type: "search", placeholder: t("Filter names"), "aria-label": t("Filter names"), dir: "auto", autocomplete: "off", on: { input: narrowed } });
  const side = h("div", { class: "graph-names" }, filter, names);
  const svg = s("svg", { class: "graph", viewBox: `0 0 ${WIDE} ${HEIGHT}`, role: "group", "aria-label": t("Graph") });
  const closer = zoomable(svg);
  const figure = h("figure", { class: "graph-figure", hidden: true }, svg, closer.buttons);
  const believed = h("section", { class: "memory-section", hidden: true });
  const told = h("ul", { class: "plain told-of", "aria-label": t("Memories that name it") });
  const table = h("ul", { class: "plain edges", "aria-label": t("Relations") });
  const element = h("div", { class: "view" }, h("header", { class: "view-head" }, h("h1", {}, t("Graph")), summary), h("div", { class: "graph-grid" }, side, h("div", { class: "graph-side" }, believed, figure, told, table)));
  const all = h("a", { class: "all-link", hidden: true });
  told.after(all);
  let chosen = null;
  // Which choice is being drawn: the same name may be chosen again before what was asked for it has come.
  let turn = 0;

  call("panel/names", { limit: NAMES_MAX, ...moment() }).then(async ({ names: entities }) => {
    say(summary, entities.length ? t("Whom and what your memories name.") : t("No names were found in what is remembered yet."));
    side.hidden = !entities.length;
    keyed(names, entities, {
      key: (each) => each.name,
      make: (each) => h("li", {}, h("button", { type: "button", class: "name-button", on: { click: () => choose(each.name) } }, h("span", { dir: "auto" }, each.name), h("span", { class: "muted" }, number(each.memories)))),
    });
    const wanted = here().args.get("name");
    if (wanted) {
      await choose(wanted);
      return;
    }
    for (const { name } of entities.slice(0, TRIED_MAX)) if (await choose(name)) return;
    if (entities.length) choose(entities[0].name);
  }, complain);

  async function choose(name) {
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
    say(summary, edges.length ? `${name}: ${plural(edges.length, "{n} relation within two steps.", "{n} relations within two steps.")}` : t("{name} is named, and related to nothing yet.", { name }));
    figure.hidden = !edges.length;
    const { beliefs } = await call("panel/about", { name, ...moment() }).catch(() => ({ beliefs: [] }));
    if (turn !== mine) return true;
    believed.hidden = !beliefs.length;
    believed.replaceChildren(
      h("h2", {}, t("What is believed of {name}", { name })),
      h("ul", { class: "plain claims", "aria-label": t("What is believed of {name}", { name }) }, beliefs.map(beliefOf)),
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
    say(all, plural(naming.total ?? 0, "{n} memory names it", "{n} memories name it"));
    keyed(table, edges.slice(0, 60), {
      key: (edge) => `${edge.source}\n${edge.relation}\n${edge.target}`,
      make: (edge) => h("li", {}, h("b", {}, edge.source), h("i", {}, edge.relation.replaceAll("_", " ")), h("b", {}, edge.target)),
    });
    return edges.length > 0 || beliefs.length > 0;
  }

  function draw(centre, edges) {
    const weights = new Map([[centre, 1]]);
    for (const edge of edges) for (const end of [edge.source, edge.target]) weights.set(end, (weights.get(end) ?? 0) + 1);
    const kept = [...weights.keys()].sort((a, b) => (b === centre) - (a === centre) || weights.get(b) - weights.get(a) || (a < b ? -1 : 1)).slice(0, NODES_MAX);
    const width = matchMedia("(max-width: 640px)").matches ? NARROW : WIDE;
    closer.whole(width, HEIGHT);
    const nodes = place(kept, edges, centre, width);
    const focused = svg.contains(document.activeElement) && document.activeElement.getAttribute("aria-label");
    const lines = edges.filter((edge) => nodes.has(edge.source) && nodes.has(edge.target));
    svg.replaceChildren(
      ...lines.map((edge) => {
        const [a, b] = [nodes.get(edge.source), nodes.get(edge.target)];
        const near = edge.source === centre || edge.target === centre;
        return s("g", { class: near ? "edge near" : "edge" }, s("line", { x1: a.x, y1: a.y, x2: b.x, y2: b.y }), near && s("text", { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 - 4, "text-anchor": "middle" }, edge.relation.replaceAll("_", " ")));
      }),
      ...[...nodes].map(([name, { x, y }]) =>
        s(
          "g",
          { class: name === centre ? "entity centre" : "entity", transform: `translate(${x} ${y})`, tabindex: "0", role: "button", "aria-label": name, on: { click: () => pick(name), keydown: (event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), pick(name)) } },
          s("circle", { r: name === centre ? 11 : 5 + Math.min(4, weights.get(name)) }),
          s("text", { y: name === centre ? 28 : 22, ...leaning(x, width) }, name.length > 24 ? `${name.slice(0, 23)}…` : name),
        ),
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
      h("a", { class: "claim-says", dir: "auto", href: link(`memory/${belief.rid}`) }, `${relationWords(belief.relation)} `, h("b", {}, belief.value)),
      h("span", { class: "muted" }, standingOf(belief)),
      belief.speaker && h("span", { class: "muted" }, `${t("told by")} `, h("bdi", {}, belief.speaker)),
      belief.open && h("a", { class: "flag alert", href: link("questions") }, t("contradicted")),
    );
  }

  function pick(name) {
    if (name === chosen) location.hash = link("memories", { person: name });
    else choose(name);
  }

  return { element };
}

/** A label near an edge leans inwards: none is cut. */
function leaning(x, width) {
  if (x < LABEL) return { "text-anchor": "start", x: -Math.min(x - 6, 30) };
  if (x > width - LABEL) return { "text-anchor": "end", x: Math.min(width - x - 6, 30) };
  return { "text-anchor": "middle" };
}

/** Let names push each other away and edges pull; the same picture for the same edges, every time. */
function place(names, edges, centre, width) {
  const nodes = new Map(names.map((name, at) => [name, { x: width / 2 + 150 * Math.cos(at * 2.4) * (name === centre ? 0 : 1), y: HEIGHT / 2 + 110 * Math.sin(at * 2.4) * (name === centre ? 0 : 1) }]));
  const pairs = edges.map((edge) => [nodes.get(edge.source), nodes.get(edge.target)]).filter(([a, b]) => a && b && a !== b);
  const all = [...nodes.values()];
  for (let step = 0; step < STEPS; step++) {
    const heat = 12 * (1 - step / STEPS);
    for (const node of all) node.dx = node.dy = 0;
    for (let i = 0; i < all.length; i++) {
      for (let j = i + 1; j < all.length; j++) {
        const dx = all[i].x - all[j].x || 0.01 * (i - j);
        const dy = all[i].y - all[j].y;
        const push = 9000 / (dx * dx + dy * dy + 40);
        const far = Math.hypot(dx, dy) || 1;
        all[i].dx += (dx / far) * push;
        all[i].dy += (dy / far) * push;
        all[j].dx -= (dx / far) * push;
        all[j].dy -= (dy / far) * push;
      }
    }
    for (const [a, b] of pairs) {
      const far = Math.hypot(a.x - b.x, a.y - b.y) || 1;
      const pull = (far - 110) * 0.06;
      a.dx -= ((a.x - b.x) / far) * pull;
      a.dy -= ((a.y - b.y) / far) * pull;
      b.dx += ((a.x - b.x) / far) * pull;
      b.dy += ((a.y - b.y) / far) * pull;
    }
    for (const [name, node] of nodes) {
      if (name === centre) continue;
      const far = Math.hypot(node.dx, node.dy) || 1;
      node.x = Math.min(width - 60, Math.max(60, node.x + (node.dx / far) * Math.min(far, heat)));
      node.y = Math.min(HEIGHT - 40, Math.max(24, node.y + (node.dy / far) * Math.min(far, heat)));
    }
  }
  return nodes;
}
