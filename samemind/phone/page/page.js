// The page: what is remembered, what is due, what is open, and which devices there are. The device is in the worker.
import { loadCatalog, t } from "../../panel/static/js/i18n.js";
import { keep, kept } from "./kept.js";
import { ask, lead, onEvent } from "./talk.js";
import { filled, h, icon, inWords, linkOf, named, notice, timeOf } from "./dom.js";
import { takeUp } from "./drafts.js";
import { devicesView, welcome, wiped } from "./devices.js";
import { inPageWords } from "./said.js";
import { dueView, memoriesView, questionsView } from "./views.js";

const VIEWS = [
  { path: "", name: () => t("Memories"), icon: "memories", view: memoriesView },
  { path: "due", name: () => t("Due"), icon: "due", view: dueView, count: (status) => status.due },
  { path: "questions", name: () => t("Questions"), icon: "questions", view: questionsView, count: (status) => status.questions },
  { path: "devices", name: () => t("Devices"), icon: "devices", view: devicesView },
];
const policy = globalThis.trustedTypes?.createPolicy("samemind", {
  createScriptURL: (url) => {
    const whole = new URL(url, location.href);
    if (whole.origin !== location.origin) throw new TypeError(`expected a program of this page, got ${whole.origin}`);
    return whole.href;
  },
});
const program = (name) => policy?.createScriptURL(name) ?? name;
const main = document.getElementById("main");
const WAIT_MS_MAX = 3_600_000; // a browser that slept, or whose clock was set, looks again by then
let current = null, mailboxes = [], isLost = false;

// -- what was handed over: a code in the fragment, which no server hears, or a text that another app shares ------------

function handedOver() {
  const said = new URLSearchParams(location.hash.slice(1)), shared = new URLSearchParams(location.search);
  const text = ["title", "text", "url"].map((name) => shared.get(name)).filter(Boolean).join("\n");
  if (said.has("pair") || text) history.replaceState(null, "", location.pathname);
  return { pair: said.get("pair"), expected: said.get("with"), text };
}

// Escape takes the way out of what was opened, where somebody stands in it.
main.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.isComposing) event.target.closest(".card, .panel")?.querySelector("[data-leaves]")?.click();
});

function show() {
  const path = location.hash.replace(/^#\/?/, "");
  const wanted = VIEWS.find((view) => view.path === path) ?? VIEWS[0];
  for (const tab of document.querySelectorAll(".tab")) {
    if (tab.dataset.path === wanted.path) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  document.title = wanted.path ? `${wanted.name()} · samemind` : "samemind";
  main.setAttribute("aria-label", wanted.name());
  current = wanted.view();
  main.replaceChildren(current.element);
  scrollTo(0, 0);
}

async function refresh(known = null) {
  if (!known) current?.refresh?.();
  const status = known ?? (await ask("status"));
  isLost = status.isLost;
  linked(status.link, status.mailboxes); // at once: what is told of the link while more is asked is newer than this
  const due = (await ask("call", { verb: "due" })).answer.map((each) => each.due_ms);
  status.due = due.filter((ms) => ms <= Date.now()).length;
  refreshAt(Math.min(...due.filter((ms) => ms > Date.now())));
  for (const view of VIEWS) {
    const badge = document.querySelector(`.tab[data-path="${view.path}"] .badge`);
    const count = view.count?.(status) ?? 0;
    badge.hidden = !count;
    badge.textContent = count > 99 ? "99+" : String(count);
  }
}

// What becomes due while the page is open is no news of any device.
let dueNext = 0;
function refreshAt(ms) {
  clearTimeout(dueNext);
  if (Number.isFinite(ms)) dueNext = setTimeout(refreshed, Math.min(ms - Date.now(), WAIT_MS_MAX));
}

// One after the other, and once for all news that come meanwhile. What was under way when the device was erased fails, and that
// is as it should be.
let refreshing = null, isStale = false;
function refreshed() {
  if (refreshing) isStale = true;
  refreshing ??= (async () => {
    do {
      isStale = false;
      await refresh();
    } while (isStale);
  })().catch((error) => document.documentElement.dataset.gone || notice(inPageWords(error.message), { error: true })).finally(() => { refreshing = null; });
}

function linked(link, known = mailboxes) {
  mailboxes = known;
  troubled(link);
  const where = document.getElementById("where");
  where.hidden = !link || link.state === "off";
  if (where.hidden) return;
  where.dataset.state = link.state;
  const met = ["away", "calling", "crowded"].includes(link.state) ? Math.max(...mailboxes.filter((each) => !each.trouble).map((each) => each.looked_ms ?? 0), 0) : 0;
  where.replaceChildren(h("span", {}, met ? t("By mailbox, {time}", { time: timeOf(met) }) : linkOf(link)));
  where.onclick = () => { location.hash = "#/devices"; };
  current?.linked?.(link);
}

// On all views: why this phone does not sync, although somebody is there, and what to do.
function troubled(link) {
  const line = document.getElementById("trouble"), parts = troubleOf(link);
  if (line.textContent !== parts.map((each) => each.textContent ?? each).join("")) line.replaceChildren(...parts);
  line.hidden = !parts.length;
}

function troubleOf(link) {
  if (isLost) {
    return [t("What this browser kept of your memory is gone: it was cleared, or a private window lost it. Pair this phone again under Devices, and it gets back what your other devices hold."),
      h("button", { type: "button", class: "quiet", onclick: () => ask("dismissLost").catch(() => {}) }, t("Close"))];
  }
  if (link?.why) return [`${inWords(inPageWords(link.why))}. ${t(link.isStranger ? "Pair them under Devices." : "It is tried again by itself.")}`];
  if (link?.refused?.length) return filled(t("Some of what {device} told is not taken yet: {why}. Is the clock of this phone right?"), { device: named(link.name ?? t("the other device")), why: inPageWords(link.refused[0]) });
  const [broken] = ["away", "calling"].includes(link?.state) ? mailboxes.filter((each) => each.trouble && each.kind !== "network") : [];
  return broken ? filled(t("The mailbox {mailbox} cannot be used: {why}. Devices says what to do."), { mailbox: named(broken.name), why: inPageWords(broken.trouble) }) : [];
}

onEvent((event) => {
  if (document.documentElement.dataset.gone) return;
  if (event.event === "news") refreshed();
  else if (event.event === "link") {
    linked(event.link);
    if (["syncing", "together"].includes(event.link?.state)) keepPage();
  }
  else if (event.event === "mail" || event.event === "mailboxes") {
    if (event.event === "mailboxes") navigator.serviceWorker?.controller?.postMessage("look"); // they are named in what a page may do
    ask("status").then((status) => linked(status.link, status.mailboxes), () => {});
  }
  else if (event.event === "out") wiped(t("This device was taken out of your group. What it held was erased."));
  else if (event.event === "loaded") loaded();
  else if (event.event === "broken") failed(new Error(event.message));
});

const NO_PLACE = "this browser keeps nothing for this page: allow its address to store data (cookies), or leave the private window";

async function failed(error) {
  await speaks;
  main.replaceChildren(h("div", { class: "stack welcome" },
    h("h2", {}, t("This device does not start")),
    h("p", { class: "panel warn", role: "alert" }, inWords(inPageWords(error.message))),
    error.message !== NO_PLACE && h("p", { class: "muted" }, t("What it remembers is still on its disk. Go where the device that serves this page can be reached, close other pages of samemind, and load this one again; a private window has no disk to keep anything on.")),
    h("button", { type: "button", class: "primary", onclick: () => location.reload() }, t("Load again"))));
}

// -- starting ---------------------------------------------------------------------------------------------------------

// After the device stands, or while its name is typed: what keeps the page looks for a new one, and fetches all of it the first
// time, and a start waits for the same two processors and the same disk. Where the device that serves it went before it was here
// whole, it is fetched anew once there is a link again.
let isKept = false;
async function keepPage() {
  if (!navigator.serviceWorker || isKept) return;
  isKept = true;
  try {
    const kept = await navigator.serviceWorker.register(program("sw.js"), { scope: "./", updateViaCache: "none" });
    const first = kept.active ? null : kept.installing;
    first?.addEventListener("statechange", () => { if (first.state === "redundant") isKept = false; });
    navigator.serviceWorker.onmessage = ({ data }) => {
      if (data === "policy") notice(t("Your mailboxes changed."), { action: { name: t("Load the page anew"), run: () => location.reload() } });
      if (data === "fresh") notice(t("A new page is here."), { action: { name: t("Load it"), run: () => location.reload() } });
    };
    (await navigator.serviceWorker.ready, kept.active)?.postMessage("look");
  } catch (error) {
    document.documentElement.dataset.kept = "no"; // no trusted certificate: `devices` says what that means
  }
}

let loaded = null;
const loading = new Promise((resolve) => { loaded = resolve; });

// What stands in the page before its program runs.
function frame() {
  document.getElementById("waking")?.replaceChildren(t("Waking up …")); // else it failed already
  document.getElementById("tabs").setAttribute("aria-label", t("Views"));
  document.getElementById("notices").setAttribute("aria-label", t("Notices"));
}

const speaks = loadCatalog((language) => import(new URL(CATALOG_FILES[language], import.meta.url).href)).then(frame); // `CATALOG_FILES` is put in by build.mjs

// What the page begins with. Where a browser refuses it to keep anything, each one says so in words of its own.
const noted = () => Promise.all([kept("wiping"), kept("name"), takeUp()]).catch((cause) => { throw new Error(NO_PLACE, { cause }); });

async function start() {
  const given = handedOver();
  if (!navigator.locks || !navigator.storage?.getDirectory) {
    await speaks;
    throw new Error(t("This browser has no disk for pages (OPFS), or the address is not a safe one: samemind needs https, or localhost."));
  }
  lead(program("{{WORKER}}"), program("{{KEEPER}}")).catch(failed);
  const [[wiping, known]] = await Promise.all([noted(), speaks]);
  let name = wiping ? null : known, code = null;
  if (!name) {
    loading.then(keepPage);
    ({ name, code } = await welcome(main, given.pair));
    main.replaceChildren(h("p", { class: "waking", role: "status" }, t("Waking up …")));
  }
  const status = await ask("start", { name });
  if (name !== known) await keep("name", name);
  document.getElementById("tabs").replaceChildren(...VIEWS.map((view) =>
    h("a", { class: "tab", href: `#/${view.path}`, "data-path": view.path }, icon(view.icon), view.name(), " ", h("b", { class: "badge", hidden: true }))));
  document.getElementById("tabs").hidden = false;
  if (code ?? given.pair) history.replaceState(null, "", "#/devices"); // without the event, which would show the view once more
  show();
  addEventListener("hashchange", () => {
    show();
    main.focus({ preventScroll: true }); // who goes by keys goes on in the view that they chose, which is read out
  });
  if (given.text) current.fill?.(given.text);
  if (code ?? given.pair) current.pair(code ?? given.pair, given.expected);
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") ask("look").then(refreshed, () => {}); else ask("leaving").catch(() => {}); });
  addEventListener("online", () => ask("look").catch(() => {}));
  await current.shown; // before what is counted for it and who is called: it is what somebody waits for
  document.documentElement.dataset.ready = "yes";
  await refresh(status);
  await ask("look");
  navigator.storage.persist?.().catch(() => false);
}

start().catch(failed).finally(keepPage);
