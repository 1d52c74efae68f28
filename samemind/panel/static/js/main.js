// Start: come in, put the page together, hear what changes, and listen to keys.

import { enter } from "./api.js";
import { build as buildMemories, compose, isOpen, search, toggle } from "./memories.js";
import { h, icon, keyed, say } from "./dom.js";
import { listen } from "./live.js";
import { reload, state, subscribe, changed } from "./state.js";
import { complain, undoLast } from "./toasts.js";
import { devicesView } from "./devices.js";
import { graphView } from "./graph.js";
import { homeView } from "./home.js";
import { inboxView } from "./inbox.js";
import { questionsView, openQuestions } from "./questions.js";

const VIEWS = [
  { path: "", name: "Home", icon: "home", view: homeView },
  { path: "devices", name: "Devices", icon: "devices", view: devicesView },
  { path: "questions", name: "Questions", icon: "question", view: questionsView, badge: () => openQuestions().length },
  { path: "inbox", name: "Inbox", icon: "inbox", view: inboxView, badge: () => (state.triggers ?? []).filter((each) => each.status === "pending" || each.status === "delivered").length },
  { path: "graph", name: "Graph", icon: "graph", view: graphView },
];

const main = document.getElementById("main");
let current = null;

function here() {
  const path = location.hash.replace(/^#\/?/, "").split("/")[0];
  return VIEWS.find((each) => each.path === path) ?? VIEWS[0];
}

function go() {
  if (location.hash === "#main") return; // the skip link
  const wanted = here();
  if (current?.path !== wanted.path) {
    current?.close?.();
    const built = wanted.view();
    current = { path: wanted.path, ...built };
    main.replaceChildren(built.element);
    main.scrollTop = 0;
    document.title = wanted.path ? `${wanted.name} · samemind` : "samemind";
    if (started) main.focus({ preventScroll: true });
  }
  render();
}

function render() {
  keyed(document.getElementById("tabs"), VIEWS, {
    key: (each) => each.path,
    make: (each) => h("a", { class: "tab", href: `#/${each.path}`, title: each.name }, icon(each.icon), h("span", {}, each.name), h("b", { class: "badge", hidden: true })),
    update: (element, each) => {
      if (each.path === here().path) element.setAttribute("aria-current", "page");
      else element.removeAttribute("aria-current");
      const count = each.badge?.() ?? 0;
      element.setAttribute("aria-label", count ? `${each.name}, ${count} open` : each.name);
      const badge = element.querySelector(".badge");
      badge.hidden = !count;
      say(badge, String(count));
    },
  });
  const who = document.getElementById("whoami");
  say(who, state.connected || !started ? (state.session?.name ?? "") : "not connected, trying again");
  who.classList.toggle("away", started && !state.connected);
  current?.update?.();
}

const KEYS = {
  "/": () => search(),
  m: () => toggle(),
  n: () => compose(),
  u: () => undoLast(),
  "?": () => help(),
  ...Object.fromEntries(VIEWS.map((each, place) => [String(place + 1), () => (location.hash = `#/${each.path}`)])),
};

function keys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
  if (event.key === "Escape" && isOpen()) {
    toggle(false);
    return;
  }
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

function help() {
  const rows = [["/", "Search"], ["M", "Show or hide memories"], ["N", "Remember something"], ["U", "Undo"], ["1 – 5", "Home, devices, questions, inbox, graph"], ["↑ ↓", "From memory to memory"], ["Enter", "Edit; with Shift, rewrite with its category"], ["Esc", "Leave, close"]];
  const dialog = h(
    "dialog",
    { class: "dialog help", "aria-labelledby": "help-title", on: { close: () => dialog.remove() } },
    h("h2", { id: "help-title" }, "Keys"),
    h("dl", {}, rows.map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
    h("button", { type: "button", on: { click: () => dialog.close() } }, "Close"),
  );
  document.body.append(dialog);
  dialog.showModal();
}

let started = false;

async function start() {
  try {
    state.session = await enter();
  } catch (error) {
    main.replaceChildren(
      h("section", { class: "locked" }, h("h1", {}, error.code === "bad_launch" ? "This address was used already" : "Open the panel from this device"), h("p", {}, "Run ", h("code", {}, "samemind panel"), " in a terminal. It opens a page that is let in."), h("p", { class: "muted" }, error.message)),
    );
    return;
  }
  document.body.classList.add("inside");
  buildMemories();
  subscribe(render);
  addEventListener("hashchange", go);
  document.addEventListener("keydown", keys);
  go();
  started = true;
  await reload().catch(complain);
  listen();
  changed();
  document.body.dataset.ready = "";
}

start();
