// Start: come in, put the page together, hear what changes, and listen to keys.

import { enter } from "./api.js";
import { build as buildMemories, compose, isOpen, search, toggle } from "./memories.js";
import { coded, h, icon, keyed, say } from "./dom.js";
import { greeted, listen } from "./live.js";
import { reload, state, subscribe, changed } from "./state.js";
import { complain, keepAll, undoLast } from "./toasts.js";
import { agentsView, lookForAgents, waitingAgents } from "./agents.js";
import { browseView } from "./browse.js";
import { devicesView } from "./devices.js";
import { graphView } from "./graph.js";
import { homeView } from "./home.js";
import { loadCatalog, t } from "./i18n.js";
import { inboxView, reminders } from "./inbox.js";
import { memoryView } from "./memory.js";
import { optionsView } from "./options.js";
import { openPalette } from "./palette.js";
import { questionsView, openQuestions } from "./questions.js";
import { go, here, link, onMove } from "./router.js";
import { recoveryView } from "./recovery.js";
import { settingsView } from "./settings.js";
import { spacesView } from "./spaces.js";
import { timeBar } from "./time.js";

const VIEWS = [
  { path: "", name: () => t("Home"), icon: "home", view: homeView },
  { path: "memories", name: () => t("Memories"), icon: "list", view: browseView },
  { path: "questions", name: () => t("Questions"), icon: "question", view: questionsView, badge: () => openQuestions().length },
  { path: "inbox", name: () => t("Inbox"), icon: "inbox", view: inboxView, badge: () => reminders().length },
  { path: "graph", name: () => t("Graph"), icon: "graph", view: graphView, anew: true },
  { path: "agents", name: () => t("Agents"), icon: "agents", view: agentsView, badge: waitingAgents },
  { path: "devices", name: () => t("Devices"), icon: "devices", view: devicesView },
  { path: "settings", name: () => t("Settings"), icon: "settings", view: settingsView },
];
// Pages that are reached from others; `tab` is the one they belong to.
const INNER = [
  { path: "memory", tab: "memories", name: () => t("Memory"), view: memoryView, each: true },
  { path: "spaces", tab: "settings", name: () => t("Spaces"), icon: "list", view: spacesView },
  { path: "recovery", tab: "devices", name: () => t("Recovery code"), icon: "devices", view: recoveryView },
  { path: "options", tab: "settings", name: () => t("How it behaves"), icon: "settings", view: optionsView },
];
// As many as a thumb's bar has room for, beside "More".
const TABS_ON_PHONES = 4;
const READY_MS = 3000;
const GREETED_MS = 400;

const main = document.getElementById("main");
let current = null;

function wanted() {
  const [path] = here().path;
  return [...VIEWS, ...INNER].find((each) => each.path === path) ?? VIEWS[0];
}

function show() {
  if (location.hash === "#main") return; // the skip link
  const view = wanted();
  // What is drawn for one address is drawn anew for another, and for another moment.
  const place = view.anew ? location.hash : view.each ? here().path.join("/") : view.path;
  document.getElementById("tabs").classList.remove("open");
  if (current?.place !== place) {
    current?.close?.();
    const built = view.view();
    document.title = view.path ? `${view.name()} · samemind` : "samemind";
    current = { place, ...built };
    main.replaceChildren(built.element);
    scrollTo(0, 0);
    if (started) main.focus({ preventScroll: true });
  } else {
    current.moved?.();
  }
  render();
}

function render() {
  const tabs = document.getElementById("tabs");
  const { path, tab } = wanted();
  keyed(tabs, [...VIEWS, { path: "more", more: true }], {
    key: (each) => each.path,
    make: (each) => (each.more ? moreButton() : h("a", { class: "tab" }, icon(each.icon), h("span", {}, each.name()), h("b", { class: "badge", hidden: true }))),
    update: (element, each) => {
      if (each.more) {
        element.classList.toggle("on", VIEWS.findIndex((view) => view.path === (tab ?? path)) >= TABS_ON_PHONES);
        return;
      }
      element.setAttribute("href", link(each.path));
      element.classList.toggle("far", VIEWS.indexOf(each) >= TABS_ON_PHONES);
      if (each.path === (tab ?? path)) element.setAttribute("aria-current", "page");
      else element.removeAttribute("aria-current");
      const count = each.badge?.() ?? 0;
      element.setAttribute("aria-label", count ? t("{name}, {count} open", { name: each.name(), count }) : each.name());
      const badge = element.querySelector(".badge");
      badge.hidden = !count;
      say(badge, String(count));
    },
  });
  const who = document.getElementById("whoami");
  say(who, state.connected || !started ? (state.session?.name ?? "") : t("not connected, trying again"));
  who.title = who.textContent;
  who.classList.toggle("away", started && !state.connected);
  time?.update();
  current?.update?.();
}

function moreButton() {
  const tabs = document.getElementById("tabs");
  return h("button", { type: "button", class: "tab more-tab", "aria-label": t("More pages"), on: { click: () => tabs.classList.toggle("open") } }, icon("more"), h("span", {}, t("More")));
}

const palette = () => openPalette([...VIEWS, ...INNER.filter((each) => !each.each)]);

const KEYS = {
  "/": () => (current?.search ?? search)(),
  m: () => toggle(),
  n: () => compose(),
  u: () => undoLast(),
  k: () => keepAll(),
  t: () => time.toggle(),
  "?": () => help(),
  ...Object.fromEntries(VIEWS.map((each, place) => [String(place + 1), () => go(link(each.path))])),
};

function keys(event) {
  if (document.body.classList.contains("signed-out")) return;
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k" && !event.altKey && !event.shiftKey) {
    event.preventDefault();
    palette();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=range]), textarea, select, dialog")) return;
  if (event.key === "Escape" && isOpen()) {
    toggle(false);
    return;
  }
  const act = current?.keys?.[event.key] ?? KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

function help() {
  const rows = [
    ["Ctrl K", t("Search from anywhere")], ["/", t("Search on this page")], ["M", t("Show or hide the latest memories")], ["N", t("Remember something")], ["U", t("Undo")], ["K", t("More time to undo")], ["T", t("Go back in time")],
    [`1 – ${VIEWS.length}`, VIEWS.map((each) => each.name()).join(", ")], ["↑ ↓", t("From memory to memory")], ["Enter", t("Open, or edit; with Shift, rewrite with its category")], ["E  P", t("Edit, or pin, the memory of this page")], ["Esc", t("Leave, close")],
  ];
  const dialog = h(
    "dialog",
    { class: "dialog help", "aria-labelledby": "help-title", on: { close: () => dialog.remove() } },
    h("h2", { id: "help-title" }, t("Keys")),
    h("dl", {}, rows.map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
    h("button", { type: "button", on: { click: () => dialog.close() } }, t("Close")),
  );
  document.body.append(dialog);
  dialog.showModal();
}

let started = false;
let time = null;

function frame() {
  document.querySelector(".skip").textContent = t("Skip to content");
  document.getElementById("tabs").setAttribute("aria-label", t("Views"));
  document.getElementById("memories").setAttribute("aria-label", t("Memories"));
  document.getElementById("toasts").setAttribute("aria-label", t("Notices"));
  document.getElementById("time").setAttribute("aria-label", t("Time"));
  const find = document.getElementById("find");
  find.append(icon("search"), h("span", {}, t("Search")), h("kbd", {}, navigator.platform?.startsWith("Mac") ? "⌘ K" : "Ctrl K"));
  find.setAttribute("aria-label", t("Search"));
  find.setAttribute("aria-keyshortcuts", "Control+K Meta+K");
  find.addEventListener("click", palette);
}

async function start() {
  await loadCatalog((language) => import(`./catalog/${language}.js`));
  try {
    state.session = await enter();
  } catch (error) {
    addEventListener("hashchange", () => location.reload()); // an address that signs in may be pasted over this one
    main.replaceChildren(
      h("section", { class: "locked" }, h("h1", {}, error.code === "bad_launch" ? t("This address has already been used") : t("Open the panel from this device")), h("p", {}, coded(t("Run {command} in a terminal. It opens a page that is signed in."), { command: "samemind panel" })), h("p", { class: "muted" }, error.message)),
    );
    return;
  }
  document.body.classList.add("inside");
  frame();
  time = timeBar(document.getElementById("time"), document.getElementById("past"));
  buildMemories();
  subscribe(render);
  onMove(show);
  document.addEventListener("keydown", keys);
  show();
  started = true;
  listen();
  lookForAgents().then(changed, () => {});
  // What the page itself asked for comes first: the rest of a large store takes longer, and is asked for once.
  const after = (time) => new Promise((late) => setTimeout(late, time));
  await Promise.race([Promise.all([current?.ready, Promise.race([greeted, after(GREETED_MS)])]), after(READY_MS)]);
  await reload().catch(complain);
  changed();
  document.body.dataset.ready = "";
}

start();
