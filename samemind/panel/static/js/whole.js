// The whole graph: the names that are related to most, with all that is between them. What is left out is said, and one
// narrows it by names or by what relates them.

import { call } from "./api.js";
import { announce, cut, h, s, say } from "./dom.js";
import { number, plural, t } from "./i18n.js";
import { draggable, labelled, leaning, place } from "./layout.js";
import { go, link, moment } from "./router.js";
import { complain } from "./toasts.js";
import { relationWords } from "./words.js";
import { zoomable } from "./zoom.js";

// More names than these cover each other, however large the screen; on a phone, fewer.
const NODES_MAX = 150;
const NODES_MAX_NARROW = 45;
const [WIDE, HIGH] = [1040, 680];
const [WIDE_NARROW, HIGH_NARROW] = [460, 600];
const LETTERS = 24;
// So many edges can say what they are.
const TOLD_MAX = 40;

export function wholeView() {
  const narrow = matchMedia("(max-width: 640px)").matches;
  const [width, height] = narrow ? [WIDE_NARROW, HIGH_NARROW] : [WIDE, HIGH];
  const summary = h("p", { class: "lead", "aria-live": "polite" }, t("Reading names …"));
  const filter = h("input", { type: "search", placeholder: t("Filter names"), "aria-label": t("Filter names"), dir: "auto", autocomplete: "off", on: { input: dim } });
  const relation = h("select", { "aria-label": t("Relation"), on: { change: draw } }, h("option", { value: "" }, t("all relations")));
  const svg = s("svg", { class: "graph whole", viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": t("The whole graph") });
  const closer = zoomable(svg);
  const figure = h("figure", { class: "graph-figure", hidden: true }, svg, closer.buttons);
  const tools = h("div", { class: "row graph-tools", hidden: true }, filter, relation);
  const element = h("div", { class: "view" }, h("header", { class: "view-head with-action" }, h("div", {}, h("h1", {}, t("The whole graph")), summary), h("a", { class: "button", href: link("graph") }, t("Around one name"))), tools, figure);
  let found = { nodes: [], edges: [], names: 0, statements: 0, complete: true };

  const ready = call("panel/graph", { limit: narrow ? NODES_MAX_NARROW : NODES_MAX, ...moment() }).then((answer) => {
    found = answer;
    tools.hidden = figure.hidden = !found.nodes.length;
    const counts = new Map();
    for (const edge of found.edges) counts.set(edge.relation, (counts.get(edge.relation) ?? 0) + 1);
    relation.append(...[...counts].sort((a, b) => b[1] - a[1]).map(([name, count]) => h("option", { value: name }, `${relationWords(name)} (${number(count)})`)));
    draw();
  }, complain);

  function draw() {
    const edges = found.edges.filter((edge) => !relation.value || edge.relation === relation.value);
    const ends = new Set(edges.flatMap((edge) => [edge.source, edge.target]));
    const nodes = found.nodes.filter((node) => ends.has(node.name));
    describe(nodes, edges);
    const places = place(nodes.map((node) => node.name), edges, { width, height });
    closer.whole(width, height);
    const drawn = edges.map((edge) => ({ ...edge, element: s("g", { class: "edge" }, s("line"), edges.length <= TOLD_MAX && s("text", { "text-anchor": "middle" }, relationWords(edge.relation)), s("title", {}, `${edge.source} ${relationWords(edge.relation)} ${edge.target}`)) }));
    const dragging = draggable(svg, places, drawn);
    const named = labelled(nodes.map((node) => node.name), places);
    svg.replaceChildren(
      ...drawn.map((edge) => edge.element),
      ...nodes.map(({ name, related }) => {
        const { x, y } = places.get(name);
        const size = 4 + Math.min(9, 1.6 * Math.sqrt(related));
        const minor = !named.has(name); // its label shows when one looks closer, or at it
        const open = () => go(link("graph", { name }));
        return dragging(
          name,
          s(
            "g",
            { class: minor ? "entity minor" : "entity", transform: `translate(${x} ${y})`, tabindex: "0", role: "link", "aria-label": `${name}: ${plural(related, "{n} relation", "{n} relations")}`, data: { name }, on: { click: open, keydown: (event) => event.key === "Enter" && open() } },
            s("circle", { r: size }),
            s("title", {}, name),
            s("text", { y: size + 13, ...leaning(x, width) }, cut(name, LETTERS)),
          ),
        );
      }),
    );
    dim();
  }

  /** What is drawn, and what is not. */
  function describe(nodes, edges) {
    if (!found.nodes.length) {
      say(summary, t("No relations yet. “Ann works at Okafor” relates two names."));
      return;
    }
    const shown = t("{names}, {relations}.", { names: plural(nodes.length, "{n} name", "{n} names"), relations: plural(edges.length, "{n} relation", "{n} relations") });
    const left = found.names - found.nodes.length;
    say(summary, [shown, left > 0 && plural(left, "{n} name with fewer relations is left out.", "{n} names with fewer relations are left out."), !found.complete && t("The latest {n} statements were read.", { n: number(found.statements) })].filter(Boolean).join(" "));
  }

  /** Let what fits the filter, and what it is related to, stand out. */
  function dim() {
    const wanted = filter.value.trim().toLocaleLowerCase();
    const fits = new Set(found.nodes.map((node) => node.name).filter((name) => wanted && name.toLocaleLowerCase().includes(wanted)));
    const near = new Set(found.edges.filter((edge) => fits.has(edge.source) || fits.has(edge.target)).flatMap((edge) => [edge.source, edge.target]));
    for (const each of svg.querySelectorAll(".entity")) {
      each.classList.toggle("dim", Boolean(wanted) && !fits.has(each.dataset.name) && !near.has(each.dataset.name));
      each.classList.toggle("found", fits.has(each.dataset.name));
    }
    svg.classList.toggle("narrowed", Boolean(wanted));
    for (const each of svg.querySelectorAll(".edge")) each.classList.toggle("dim", Boolean(wanted) && !near.size);
    if (wanted) announce(plural(fits.size, "{n} name", "{n} names"));
  }

  return { element, ready };
}
