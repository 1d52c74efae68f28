// Hear what changes. The stream is closed while nobody looks at the page: browsers allow few connections, and a
// hidden page misses nothing, since it is told on its return from where it left.

import { enter } from "./api.js";
import { state, changed, reloadSoon, takeWaiting } from "./state.js";

const RETRY_MS = 3000;
let source = null;
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
    // A browser gives up on a stream that was refused, as after a restart of the device: ask again now and then.
    if (source?.readyState === EventSource.CLOSED) setTimeout(again, RETRY_MS);
  });
}

/** Come back, or, where the device does not know this browser any more, say so. */
function again() {
  if (document.hidden) return;
  enter().then(
    () => (close(), open()),
    (error) => (error.status === 401 ? location.reload() : setTimeout(again, RETRY_MS)),
  );
}

function close() {
  source?.close();
  source = null;
}

export function listen() {
  open();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) close();
    else if (!source) open();
  });
}
