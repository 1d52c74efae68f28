// Hear what changes. The stream is closed while nobody looks at the page: browsers allow few connections, and a
// hidden page misses nothing, since it is told on its return from where it left.

import { enter } from "./api.js";
import { t } from "./i18n.js";
import { state, changed, reloadSoon, takeWaiting } from "./state.js";
import { notice } from "./toasts.js";

const RETRY_MS = 3000;
let source = null;
let retry = 0;
let refused = false;
const opsHeard = new Set();
let greet;
/** Kept once the device has answered for the first time: from then on nothing is missed. */
export const greeted = new Promise((resolve) => (greet = resolve));

/** Be told of ops as they come: {count, ops}. */
export function onOps(listener) {
  opsHeard.add(listener);
  return () => opsHeard.delete(listener);
}

function open() {
  source = new EventSource("/api/v1/panel/events");
  source.addEventListener("hello", () => {
    state.connected = true;
    greet();
    // A page that has not asked for anything yet is about to, and is told all that comes from here on.
    if (state.begun) reloadSoon();
    changed();
  });
  source.addEventListener("ops", (event) => {
    const news = JSON.parse(event.data);
    for (const listener of opsHeard) listener(news);
    reloadSoon();
  });
  source.addEventListener("status", (event) => {
    state.status = JSON.parse(event.data);
    changed();
  });
  source.addEventListener("waiting", (event) => {
    takeWaiting(JSON.parse(event.data).waiting);
  });
  source.addEventListener("error", () => {
    state.connected = false;
    changed();
    // Not left to the browser, which gives up on a refusal: and who comes back needs the new session's word to write.
    close();
    retryLater();
  });
}

function retryLater() {
  clearTimeout(retry);
  retry = setTimeout(again, RETRY_MS);
}

/** Come back, or, where the device does not know this browser any more, say so. */
async function again() {
  clearTimeout(retry);
  if (document.hidden || source) return;
  try {
    await enter();
  } catch (error) {
    if (error.status === 401 && !isTyped()) location.reload();
    else if (error.status === 401 && !refused) {
      refused = true;
      document.body.classList.add("signed-out"); // which shows what is typed, and nothing else
      notice(t("Open the panel from this device"), t("Run {command} in a terminal. It opens a page that is signed in.", { command: "samemind panel" }), "error");
    }
    retryLater();
    return;
  }
  refused = false;
  document.body.classList.remove("signed-out");
  if (!source) open();
}

/** Is there something on the page that nobody has stored yet? It would be lost with the page. */
function isTyped() {
  return [...document.querySelectorAll("textarea")].some((each) => each.value.trim());
}

function close() {
  source?.close();
  source = null;
}

export function listen() {
  open();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) close();
    else again();
  });
}
