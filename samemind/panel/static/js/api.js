// Ask the device. Every verb of the command line is `call("verb", options)`; what a page needs beside them is
// under `panel/`.

import { t } from "./i18n.js";

const ROOT = "/api/v1/";
let csrf = "";

/** What the device would not or could not do, in its own words. */
export class Refused extends Error {
  constructor(error, status) {
    super(error.message);
    this.code = error.code;
    this.hint = error.hint;
    this.status = status;
  }
}

async function post(path, options, signal) {
  let response;
  try {
    response = await fetch(ROOT + path, {
      method: "POST",
      headers: { "content-type": "application/json", "x-samemind-csrf": csrf },
      body: JSON.stringify(options),
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused({ code: "away", message: t("The device does not answer."), hint: t("Is its daemon still up?") }, 0);
  }
  if (response.ok) return response;
  throw new Refused((await response.json()).error, response.status);
}

// What somebody is waiting for while they type.
const URGENT = new Set(["panel/search"]);
// Who types goes on typing: what can wait is asked for when nothing was looked for so long.
const PAUSE_MS = 150;
const WAIT_MS_MAX = 3000;
let urgent = 0;
let urgentUntil = 0;

/** Ask for one verb's result. */
export async function call(verb, options = {}, signal = undefined) {
  if (!URGENT.has(verb)) return (await post(verb.replace(" ", "/"), options, signal)).json();
  urgent++;
  try {
    return await (await post(verb, options, signal)).json();
  } finally {
    urgent--;
    urgentUntil = performance.now() + PAUSE_MS;
  }
}

/** Wait while somebody waits for an answer: one thread of the device reads, and what can wait would stand before it. */
export async function unhurried() {
  const until = performance.now() + WAIT_MS_MAX;
  while ((urgent || performance.now() < urgentUntil) && performance.now() < until) await new Promise((later) => setTimeout(later, PAUSE_MS / 3));
}

/** Ask for a verb that says things before it ends. */
export async function stream(verb, options, heard, signal) {
  const response = await post(verb.replace(" ", "/"), options, signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Refused({ code: "ended", message: t("The device ended before it answered."), hint: "" }, 0);
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const document = JSON.parse(line);
      if (document.error) throw new Refused(document.error, 200);
      if (document.result) return document.result;
      heard(document.say);
    }
  }
}

/** Come in: by the launch token in this address, which is taken out of it, or by the cookie of before. */
export async function enter() {
  const launch = new URLSearchParams(location.hash.slice(1)).get("launch");
  let response;
  if (launch) {
    history.replaceState(null, "", location.pathname);
    response = await fetch(`${ROOT}panel/session`, { method: "POST", body: JSON.stringify({ launch }) });
  }
  // A token that was used already may have been used by this very browser.
  if (!response?.ok) response = await fetch(`${ROOT}panel/session`);
  if (!response.ok) throw new Refused((await response.json()).error, response.status);
  const session = await response.json();
  csrf = session.csrf;
  return session;
}

// Below what the device takes as one request.
const PART_BYTES = 900_000;

/** Send a file in parts; `heard` is told which share has gone. Returns the name it has there. */
export async function upload(file, heard) {
  const { id } = await call("panel/upload", { name: file.name });
  for (let at = 0; at < file.size; at += PART_BYTES) {
    const response = await fetch(`${ROOT}panel/upload/${id}`, { method: "POST", headers: { "content-type": "application/octet-stream", "x-samemind-csrf": csrf }, body: file.slice(at, at + PART_BYTES) });
    if (!response.ok) throw new Refused((await response.json()).error, response.status);
    heard(Math.min(1, (at + PART_BYTES) / file.size));
  }
  return id;
}
