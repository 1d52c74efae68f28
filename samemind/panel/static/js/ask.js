// Ask: one box. What answers comes first, with where it comes from; what contradicts it stands beside it. Where nothing
// is close, that is the answer.

import { call } from "./api.js";
import { announce, h, icon, WAITING_MS } from "./dom.js";
import { plural, t } from "./i18n.js";
import { marked } from "./marks.js";
import { firstSteps } from "./memories.js";
import { go, here, isPast, link, moment } from "./router.js";
import { memoryRow, metaOf } from "./row.js";
import { count, state } from "./state.js";
import { complain } from "./toasts.js";
import { subjectOf } from "./words.js";

const TYPING_MS = 160;
const ASKED_MAX = 12;
const SHOWN = 4;
const NEAREST = 3;
// In each language an example of what to ask has room in a box of that width.
const EXAMPLE_PX_MIN = 560;

export function askBox() {
  const input = h("input", { type: "search", class: "ask-input", "aria-label": t("Ask your memory"), autocomplete: "off", dir: "auto", on: { input: typed, keydown: keys } });
  const answers = h("div", { class: "answers", hidden: true });
  const element = h("section", { class: "ask", role: "search" }, h("label", { class: "search wide" }, h("span", { class: "unseen" }, t("Ask your memory")), icon("search"), input), answers);
  // Also where a phone is turned, or a window is made narrower.
  new ResizeObserver(([{ contentRect }]) => { input.placeholder = contentRect.width < EXAMPLE_PX_MIN ? t("Ask your memory") : t("Ask your memory: “where does Ann live?”"); }).observe(element);
  let typing = 0;
  let asking = new AbortController();
  input.value = here().args.get("ask") ?? "";

  function typed() {
    clearTimeout(typing);
    typing = setTimeout(() => {
      const query = input.value.trim();
      go(link("", { ask: query }), { replace: true });
    }, TYPING_MS);
  }

  function keys(event) {
    if (event.key === "Escape" && input.value) {
      event.preventDefault();
      event.stopPropagation();
      input.value = "";
      typed();
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      answers.querySelector("a")?.focus();
    } else if (event.key === "Enter" && !event.isComposing) {
      clearTimeout(typing);
      go(link("", { ask: input.value.trim() }), { replace: true });
      ask();
    }
  }

  async function ask() {
    const query = here().args.get("ask") ?? "";
    if (document.activeElement !== input) input.value = query;
    asking.abort();
    asking = new AbortController();
    if (!query) {
      answers.hidden = true;
      answers.replaceChildren();
      return;
    }
    const waiting = setTimeout(wait, WAITING_MS);
    try {
      const found = await call("panel/search", { query, k: ASKED_MAX, ...moment() }, asking.signal);
      if (query !== (here().args.get("ask") ?? "")) return;
      show(found, query);
    } catch (error) {
      if (error.name !== "AbortError") complain(error);
    } finally {
      clearTimeout(waiting);
    }
  }

  /** An empty page would look like an answer. */
  function wait() {
    if (!answers.hidden) return;
    answers.hidden = false;
    answers.replaceChildren(h("p", { class: "muted" }, t("Looking …")));
  }

  function show({ memories, close, held }, query) {
    const [first, ...rest] = memories.slice(0, close);
    const disputes = first ? disputesOf([first]) : [];
    answers.hidden = false;
    if (state.loaded && !count() && !isPast()) {
      answers.replaceChildren(h("p", { class: "answer-none" }, t("No memories yet")), ...firstSteps());
      announce(t("No memories yet"));
      return;
    }
    const shown = [
      ...(first
        ? [
            h("div", { class: disputes.length ? "answer-grid disputed" : "answer-grid" }, answer(first, query), disputes.length > 0 && h("aside", { class: "disputes", "aria-label": t("What contradicts it") }, disputes.map(dispute))),
            rest.length > 0 && h("ul", { class: "plain found", "aria-label": t("Also") }, rest.slice(0, SHOWN).map((memory) => h("li", {}, memoryRow(memory, { query })))),
          ]
        : [h("p", { class: "answer-none" }, t("Nothing close.")), memories.length > 0 && h("h2", { class: "nearest" }, t("Nearest:")), h("ul", { class: "plain found far", "aria-label": t("Nearest") }, memories.slice(0, NEAREST).map((memory) => h("li", {}, memoryRow(memory, { query }))))]
      ),
      held > 0 && h("p", { class: "held-here" }, h("a", { href: link("settings") }, plural(held, "{n} text about this is held back: it looks like a secret", "{n} texts about this are held back: they look like secrets"))),
      h("p", {}, h("a", { href: link("memories", { q: query }) }, t("Everything that matches “{query}”", { query }))),
    ];
    answers.replaceChildren(...shown.filter(Boolean));
    announce(first ? `${plural(close, "{n} answer", "{n} answers")}: ${first.text}` : t("Nothing close."));
  }

  ask();
  return {
    element,
    moved: ask,
    focus: () => (input.focus(), input.select()),
    close() {
      clearTimeout(typing);
      asking.abort();
    },
  };
}

function answer(memory, query) {
  return h(
    "a",
    { class: "answer", href: link(`memory/${memory.rid}`), data: { rid: memory.rid } },
    h("span", { class: "answer-words", dir: "auto" }, marked(memory.text, query)),
    h("span", { class: "memory-meta big" }, metaOf(memory)),
  );
}

/** The open questions that any of these answers is a side of. */
function disputesOf(memories) {
  const ids = new Set(memories.map((memory) => memory.contradiction_id).filter(Boolean));
  return (state.contradictions ?? []).filter((each) => each.status === "open" && ids.has(each.id));
}

function dispute(item) {
  const sides = [item.a, item.b, ...item.others];
  return h(
    "div",
    { class: "dispute" },
    h("h2", {}, t("Not all of this can be true")),
    h("p", { dir: "auto" }, h("b", {}, subjectOf(item)), " ", sides.map((side, place) => [place ? ` ${t("or")} ` : "", h("a", { href: link(`memory/${side.rid}`), dir: "auto" }, side.value)])),
    h("a", { href: link("questions") }, t("Settle it")),
  );
}
