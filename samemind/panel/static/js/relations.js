// Relations that are written by hand, of memories and of names: shown, added and taken away.

import { call } from "./api.js";
import { h, iconButton, keyed } from "./dom.js";
import { t } from "./i18n.js";
import { isPast, link } from "./router.js";
import { changed, state } from "./state.js";
import { complain, notice } from "./toasts.js";
import { relationWords } from "./words.js";

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-/;
// How two memories may be related, how two names, and a few words for anything else.
const OF_MEMORIES = ["relates_to", "updates", "contradicts", "works_with", "part_of"];
const OF_NAMES = ["works_at", "works_as", "works_on", "works_with", "lives_in", "comes_from", "married_to", "friends_with", "knows", "owns", "speaks", "part_of", "relates_to"];

/** A relation as one text: [source, relation, target]. */
export const keyOf = (edge) => edge.join("\n");

const named = ([source, relation, target]) => ({ source, relation, target });
const windowOf = (edge) => state.windows.find((each) => each.edge && keyOf(each.edge) === keyOf(edge));

/** A list of relations as seen from `own`, but for those that are about to be taken away; what is `written` by hand can be taken
 *  away. `moved` hears when one was, or stays: only a look at what is there tells which. */
export function relationList(own, moved, props = {}) {
  const element = h("ul", { class: "plain edges", ...props });
  let edges = [];
  let written = new Set();
  let replaced = new Set();
  let going = 0;

  function render() {
    const shown = edges.filter((edge) => !windowOf(edge));
    going = edges.length - shown.length;
    keyed(element, shown, {
      key: (edge) => `${keyOf(edge)}\n${replaced.has(keyOf(edge))}\n${written.has(keyOf(edge))}`,
      make: (edge) => h("li", {}, endOf(edge[0], own()), h("i", {}, relationWords(edge[1])), endOf(edge[2], own()), replaced.has(keyOf(edge)) && h("span", { class: "flag" }, t("no longer so")), written.has(keyOf(edge)) && !isPast() && takeAway(edge, own())),
    });
  }

  return {
    element,
    show(found, { byHand, gone = [] }) {
      edges = found;
      written = new Set(byHand.map(keyOf));
      replaced = new Set(gone.map(keyOf));
      render();
    },
    has: (edge) => written.has(keyOf(edge)),
    update: () => (edges.filter(windowOf).length < going ? moved() : render()),
  };
}

function endOf(name, own) {
  if (name === own && !ID.test(name)) return h("b", { dir: "auto" }, nameOf(name, own));
  return h("a", { href: ID.test(name) ? link(`memory/${name}`) : link("graph", { name }), dir: "auto" }, nameOf(name, own));
}

function nameOf(name, own) {
  if (ID.test(name)) return name === own ? t("this memory") : t("another memory");
  return name === "owner" ? t("You") : name;
}

function takeAway(edge, own) {
  const [source, relation, target] = edge;
  const what = [source !== own && nameOf(source, own), relationWords(relation), nameOf(target, own)].filter(Boolean).join(" ");
  return iconButton("close", t("Remove relation: {what}", { what }), async () => {
    try {
      const waits = await call("panel/unrelate", named(edge));
      if (!state.windows.some((each) => each.id === waits.id)) state.windows = [...state.windows, waits];
      changed();
    } catch (error) {
      complain(error);
    }
  });
}

/** A form that relates `own` to something. `has` says whether a relation is there already; `moved` hears of one that came or was taken back. */
export function relationForm(own, { has, moved }) {
  const isMemory = ID.test(own);
  const offered = isMemory ? OF_MEMORIES : OF_NAMES;
  const relation = h("input", { type: "text", list: "relations", placeholder: relationWords(offered[0]), "aria-label": t("How"), required: true });
  const target = h("input", { type: "text", placeholder: t("a name, or the id of a memory"), "aria-label": t("To what"), required: true, dir: "auto" });
  const form = h(
    "form",
    { class: "row relation-form", on: { submit } },
    h("span", { class: "muted", dir: "auto" }, isMemory ? t("This memory") : nameOf(own, own)),
    relation,
    h("datalist", { id: "relations" }, offered.map((each) => h("option", { value: relationWords(each) }))),
    target,
    h("button", { type: "submit" }, t("Relate")),
  );

  async function submit(event) {
    event.preventDefault();
    const how = plain(relation.value);
    // What is offered is offered in the language of the page.
    const edge = [own, offered.find((each) => relationWords(each) === how) ?? how.replaceAll(" ", "_"), plain(target.value)];
    try {
      await relate(edge, { has, moved });
      form.reset();
      relation.focus();
    } catch (error) {
      complain(error);
    }
  }

  return h("details", { class: "past" }, h("summary", {}, t("Add a relation")), form);
}

const plain = (text) => text.trim().replace(/\s+/g, " ");

async function relate(edge, { has, moved }) {
  const waits = windowOf(edge);
  if (waits) {
    await call("panel/undo", { id: waits.id });
    notice(t("Related"));
  } else if (has(edge)) {
    notice(t("This relation is there already."));
  } else {
    await call("relate", named(edge));
    notice(t("Related"), "", "plain", async () => {
      await call("unrelate", named(edge));
      moved();
    });
    moved();
  }
}
