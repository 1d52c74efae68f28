// Hear what changes. Browsers allow six connections to one address, and each stream takes one: of the pages that somebody
// looks at, one holds the stream (whoever has the lock) and passes on what it hears. A hidden page listens to nothing, and
// misses nothing, since it loads anew on its return.

import { call, enter } from "./api.js";
import { t } from "./i18n.js";
import { state, changed, reloadSoon, takeWaiting } from "./state.js";
import { noticeOnly } from "./toasts.js";

const RETRY_MS = 3000;
const EVENTS = ["hello", "ops", "status", "waiting", "error"];
const NAME = "samemind-panel-events";
const channel = new BroadcastChannel(NAME);
const me = crypto.randomUUID();
const latest = new Map(); // what the holder of the stream was told, for pages that come later
let leaving = null; // of a page that listens: how it leaves
let retry = 0;
let isOut = false;
const opsHeard = new Map(); // each with what it does where some were missed
let greet;
/** Kept once the device has answered for the first time: from then on nothing is missed. */
export const greeted = new Promise((resolve) => (greet = resolve));

/** Be told of ops as they come: {count, ops}; and where some came while this page heard nothing, that they did. */
export function onOps(listener, missed = listener) {
  opsHeard.set(listener, missed);
  return () => opsHeard.delete(listener);
}

const HEARD = {
  hello() {
    state.connected = true;
    greet();
    // A page that has not asked for anything yet is about to, and is told all that comes from here on.
    if (state.begun) {
      reloadSoon();
      for (const missed of opsHeard.values()) missed();
    }
    changed();
  },
  ops(news) {
    for (const listener of opsHeard.keys()) listener(news);
    reloadSoon();
  },
  status(status) {
    state.status = status;
    changed();
  },
  waiting({ waiting }) {
    takeWaiting(waiting);
  },
  error() {
    state.connected = false;
    changed();
    // Not left to the browser, which gives up on a refusal: and who comes back needs the new session's word to write.
    close();
    retryLater();
  },
};

function open() {
  leaving = new AbortController();
  const { signal } = leaving;
  channel.postMessage({ from: me });
  const held = () => new Promise((release) => {
    if (signal.aborted) return release();
    hold(signal);
    signal.addEventListener("abort", release);
  });
  // A browser without locks opens a stream for each page.
  (navigator.locks?.request(NAME, { signal }, held) ?? held()).catch(() => {}); // left before it had the lock
}

/** Hold the stream, until this page leaves. */
function hold(signal) {
  const source = new EventSource("/api/v1/panel/events");
  for (const event of EVENTS) {
    source.addEventListener(event, ({ data }) => {
      const document = data ? JSON.parse(data) : null;
      if (event !== "ops") latest.set(event, document);
      channel.postMessage({ event, document });
      HEARD[event](document);
    });
  }
  signal.addEventListener("abort", () => {
    source.close();
    latest.clear();
  });
}

channel.addEventListener("message", ({ data: { from, to, event, document, left } }) => {
  if (left) state.session && !isOut && isIn();
  else if (from) for (const [event, document] of latest) channel.postMessage({ to: from, event, document });
  else if (leaving && (!to || to === me)) HEARD[event](document);
});

function retryLater() {
  clearTimeout(retry);
  retry = setTimeout(again, RETRY_MS);
}

/** Come back. */
async function again() {
  clearTimeout(retry);
  if (document.hidden || leaving) return;
  if ((await isIn()) && !leaving && !document.hidden) open();
}

/** Is this browser let in, and by the same device? */
async function isIn() {
  let session;
  try {
    session = await enter();
  } catch (error) {
    if (error.status === 401) shutOut();
    retryLater();
    return false;
  }
  if (session.device_id !== state.session.device_id && !isTyped()) location.reload();
  state.session = session;
  if (isOut) noticeOnly(null);
  isOut = false;
  document.body.classList.remove("signed-out");
  return true;
}

/** Show nothing more of what is remembered. Hidden windows hear of it from here, since they listen to nothing else. */
function shutOut() {
  if (isOut) return;
  isOut = true;
  close();
  channel.postMessage({ left: true });
  if (!isTyped()) return location.reload();
  document.body.classList.add("signed-out"); // which shows what is typed, and nothing else
  noticeOnly(t("Open the panel from this device"), t("Run {command} in a terminal. It opens a page that is signed in.", { command: "samemind panel" }));
}

/** Sign this browser out, in all its windows. */
export async function signOut() {
  await call("panel/leave");
  shutOut();
}

/** Is there something on the page that nobody has stored yet? It would be lost with the page. */
function isTyped() {
  return [...document.querySelectorAll("textarea")].some((each) => each.value.trim() && each.value !== each.defaultValue);
}

function close() {
  leaving?.abort();
  leaving = null;
}

export function listen() {
  if (!document.hidden) open();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) close();
    else again();
  });
}
