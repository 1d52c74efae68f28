// The worker that is the device: it loads Python, opens the store on the browser's disk, and keeps the link.
// One message in, one answer out; what happens by itself is told as an event.
import { ahead } from "./ahead.js";
import { mountDisk, opened, syncForReal, wipeDisk } from "./disk.js";
import { clear, keep, kept } from "./kept.js";
import { keepMail } from "./mail.js";
import { forgetStart, startedWell, startPython } from "./start.js";
import "./vendor.js";

const BASE = new URL("./", import.meta.url);
// With the first one the device may be asked what it remembers; one that cannot speaks the second.
const ASKING_PROTOCOL = "samemind-link-2", LINK_PROTOCOL = "samemind-link-1", PAIR_PROTOCOL = "samemind-pair-1", MAIL_PROTOCOL = "samemind-mail-1";
const RETRY_MS = [500, 1_000, 2_000, 5_000, 15_000, 30_000];
const ANSWER_MS = 60_000;
const FOUND_MS = 4_000; // how long a page waits for what another device finds: what it found itself has stood for all of it
const IDLE_MS = 500, SLICE_MS = 20, REST_MS = 1_500;
const QUIET_MS = 100, PATIENCE_MS = 2_000, TROUBLE_RETRY_MS = 60_000;
const AWAY_MS = 3_000;
const TAKEN_IN_MS = 10_000; // who was paired with has taken this phone in by then, or will have when it is called again
const NOT_ADMITTED = 4403, NO_CODE_SHOWN = 4404, TOO_MANY = 4429;
const NO_ROOM = "the other device hears as many callers, or holds as many links with this phone, as it can";
const STRANGERS = "this phone and the device at this address are not paired"; // each end may be the one that finds out
const IS_STRANGER = new Set(["SomebodyElse", "Untrusted"]);

let python = null, wasKept = false, disk = null, device = null, socket = null, heard = 0, asking = 0, failures = 0, redial = 0, again = 0, resting = 0, reading = 0, noting = Promise.resolve(), mail = null, linkedAt = performance.now();
let link = { state: "off" }, isLost = false, isTakenIn = true;
const times = {};

const tell = (event, detail) => postMessage({ event, ...detail });
const said = (error) => String(error?.message ?? error).trim().split("\n").pop().replace(/^[\w.]+: /, "");

// -- the key: a seed of 32 bytes, sealed by a key of AES that the browser holds and gives to nobody ------------------

async function seedOfDevice() {
  const sealed = await kept("key");
  if (sealed) return new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv: sealed.iv }, sealed.by, sealed.seed));
  const seed = crypto.getRandomValues(new Uint8Array(32));
  const by = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
  const iv = crypto.getRandomValues(new Uint8Array(12));
  await keep("key", { by, iv, seed: await crypto.subtle.encrypt({ name: "AES-GCM", iv }, by, seed) });
  return seed;
}

// What is told of mailboxes holds their passwords, so it is kept as the seed is.
async function keepTold(told) {
  const { by } = await kept("key"), iv = crypto.getRandomValues(new Uint8Array(12));
  await keep("mailboxes", { iv, told: await crypto.subtle.encrypt({ name: "AES-GCM", iv }, by, new TextEncoder().encode(told)) });
}

async function keptTold() {
  const [key, sealed] = await Promise.all([kept("key"), kept("mailboxes")]);
  return sealed ? new TextDecoder().decode(await crypto.subtle.decrypt({ name: "AES-GCM", iv: sealed.iv }, key.by, sealed.told)) : null;
}

// Derive the key while the interpreter is on its way: the first time takes tables that are made for all signatures.
function derive(seed) {
  globalThis.samemind.publicKey(seed);
  return seed;
}

// -- starting ---------------------------------------------------------------------------------------------------------

// Python is loaded before anybody asks, so that it stands when the page has been drawn, or the new device has a name.
const began = performance.now();
const lap = (part) => { times[part] = Math.round(performance.now() - began); };
syncForReal(() => python);
const noted = kept("start");
const cleaned = kept("wiping").then((wiping) => wiping && erase().then(() => true)); // a page was closed in the middle of it
const loading = cleaned.then(async (wasWiped) => {
  const started = await startPython(ahead, wasWiped ? undefined : await noted, lap);
  lap("python");
  started.python.runPython("import samemind.phone.entry");
  lap("imported");
  return started;
});
loading.then(() => tell("loaded", {}), () => {}); // whoever starts the device is told
noted.catch(() => {});

// Each page asks for it, and is told how it stands by then; the first one's name counts.
let starting = null;
async function start(options) {
  await (starting ??= begin(options));
  return { times, ...status() };
}

async function begin({ name }) {
  await cleaned;
  const opening = opened();
  const [started, seed, known, files] = await Promise.all([loading, seedOfDevice().then(derive), kept("name"), opening]);
  // A page names the device once its first start is over, and by then there is a store.
  if (known && [...files.values()].every((file) => !file.exists)) await keep("lost", true);
  isLost = Boolean(await kept("lost"));
  ({ python, wasKept } = started);
  disk = await mountDisk(python.FS, "/disk", opening);
  lap("disk");
  const { OpenedDevice } = python.pyimport("samemind.phone.entry");
  device = OpenedDevice("/disk/memory.db", seed, name, Date.now());
  lap("opened");
  noting = noteMembers();
  if (wasKept) startedWell().catch(() => {});
  else readyWhenIdle();
  readBehind();
  mail = keepMail({ device, isAway, changed: mailed });
  keptTold().then((told) => { if (told && device) device.mail_use(told); }).catch((error) => console.warn("mailboxes are asked for anew:", error)).then(() => mail?.run());
}

// What reading takes is made while nobody asks for anything, since the first telling would wait for it; then what the next
// start goes on from, in a worker of its own.
function readyWhenIdle() {
  const steps = python.pyimport("samemind.phone.waking").ready();
  const some = () => {
    if (!device) return; // erased meanwhile
    const began = performance.now();
    if (began - asking > IDLE_MS) {
      while (performance.now() - began < SLICE_MS) if (steps.next().done) return tell("slow start", {});
    }
    setTimeout(some, SLICE_MS);
  };
  setTimeout(some, IDLE_MS);
}

// What SQLite has written ahead is brought into its file once nothing has happened for a while, or the page is left. Flushes are counted of what
// is told: this one is acknowledged to nobody.
function restLater() {
  clearTimeout(resting);
  resting = setTimeout(rest, REST_MS);
}

function rest() {
  if (!device) return;
  const { flushes } = disk.counts;
  device.rest();
  disk.counts.flushes = flushes;
  disk.makeRoom();
}

// Whether nothing was asked for or heard for a moment, or there was some patience with somebody who goes on.
function isStill(since) {
  const now = performance.now();
  return (now - asking >= QUIET_MS && now - heard >= QUIET_MS) || now - since >= PATIENCE_MS;
}

// What was told is passed on and shown behind its answer, and all that was told meanwhile at once: whoever tells much would
// wait at each telling for what follows the one before.
let following = 0;
function follow() {
  if (following) return;
  const since = performance.now();
  const some = () => { following = isStill(since) ? passOn() : setTimeout(some, QUIET_MS); };
  following = setTimeout(some, QUIET_MS);
}

function passOn() {
  clearTimeout(following);
  if (following && device) {
    goOn();
    tell("news", {});
    mail?.wake();
  }
  return (following = 0);
}

// What was told is on the disk when that is answered; what it states is read behind it, a slice at a time, once nothing was
// asked for a moment, or after some patience with somebody who goes on. Whatever is unread when the page is closed is read
// after the next start. These flushes acknowledge nothing either.
function readBehind() {
  if (reading || !device?.is_behind()) return;
  const since = performance.now(), { position } = asked("status", { now_ms: Date.now() });
  const some = () => {
    if (!device) return;
    if (!isStill(since)) return void (reading = setTimeout(some, QUIET_MS));
    const { flushes } = disk.counts;
    try {
      if (device.read(Date.now())) return void (reading = setTimeout(some, 0));
    } catch (error) { // a full disk, for one: what is told next says so to whoever tells it
      console.warn("what was told is read later:", error);
      return void (reading = setTimeout(() => { reading = 0; readBehind(); }, TROUBLE_RETRY_MS));
    } finally {
      disk.counts.flushes = flushes;
    }
    reading = 0;
    if (asked("status", { now_ms: Date.now() }).position === position) return;
    goOn();
    tell("news", {});
  };
  reading = setTimeout(some, QUIET_MS);
}

// The keys that may sign a new page, where the service worker finds them.
async function noteMembers() {
  await keep("members", JSON.parse(device.member_keys()));
}

const asked = (verb, options = {}) => {
  const answer = JSON.parse(device.call(verb, JSON.stringify(options)));
  if (answer?.error) throw Object.assign(new Error(answer.message), { name: answer.error });
  return answer;
};
const status = () => ({ ...asked("status", { now_ms: Date.now() }), link, isLost, bytes: disk.bytes(), heap: python._module.HEAPU8.length, flushes: disk.counts.flushes, mailboxes: JSON.parse(device.mail_states()) });

// -- the link ---------------------------------------------------------------------------------------------------------

const place = (path) => `${BASE.protocol === "https:" ? "wss:" : "ws:"}//${BASE.host}${path}`;
const send = (messages) => {
  for (const message of messages) socket.send(message);
};

// Say what there is to say by now, and once more when what could not be taken is to be asked for again: a link that is quiet
// hears nothing by which that would happen.
function goOn() {
  if (socket?.readyState !== WebSocket.OPEN) return;
  send(device.link_more(Date.now()));
  askAgainLater(linkState());
}

function askAgainLater(state) {
  clearTimeout(again);
  const ms = state?.asks_again_ms ?? null;
  if (ms !== null) again = setTimeout(goOn, ms);
}

const linkState = () => JSON.parse(device.link_state(Date.now()));

function linked(state) {
  link = state;
  tell("link", { link });
}

function dial() {
  clearTimeout(redial);
  if (socket || !device || !isTakenIn) return;
  if (JSON.parse(device.member_keys()) && Object.keys(JSON.parse(device.member_keys())).length === 0) return linked({ state: "alone" });
  linked({ ...link, state: "calling" });
  const mine = (socket = new WebSocket(place("/phone/link"), [ASKING_PROTOCOL, LINK_PROTOCOL]));
  let why = "";
  heard = performance.now(); // or one that is still being opened would be closed for what was silent before
  mine.binaryType = "arraybuffer";
  mine.onopen = () => { heard = performance.now(); send(device.link_start(BASE.origin, mine.protocol)); };
  mine.onmessage = (event) => {
    if (!device) return;
    heard = performance.now();
    restLater();
    const before = asked("status", { now_ms: Date.now() }).position;
    try {
      send(device.link_receive(new Uint8Array(event.data), Date.now()));
    } catch (error) {
      why = IS_STRANGER.has(error.type) ? STRANGERS : said(error);
      return mine.close();
    }
    turned(before);
    heardFound();
  };
  mine.onclose = (event) => {
    if (!device) return; // erased meanwhile
    device.link_end();
    clearTimeout(again);
    if (socket === mine) socket = null;
    underWay = null;
    give(null);
    failures += 1;
    if (event.code === NOT_ADMITTED) why = STRANGERS;
    if (event.code === TOO_MANY) why = NO_ROOM;
    linked({ state: { [STRANGERS]: "refused", [NO_ROOM]: "crowded" }[why] ?? "away", why, isStranger: why === STRANGERS });
    redial = setTimeout(dial, RETRY_MS[Math.min(failures, RETRY_MS.length) - 1]);
  };
}

function turned(before) {
  const state = linkState();
  askAgainLater(state);
  if (state?.open) {
    linkedAt = performance.now();
    if (link.state === "calling") askForMailboxes();
    linked({ ...state, state: state.quiet ? "together" : "syncing" });
  }
  const now = asked("status", { now_ms: Date.now() });
  if (state?.quiet || now.position !== before) failures = 0; // and not as soon as it stands: where nothing can be kept, it is called ever more seldom
  if (now.is_out) return void leftOut();
  readBehind(); // of a telling that was forgotten elsewhere, facts may be left here
  if (now.position !== before) {
    tell("news", {});
    noteMembers();
  }
}

const isAway = () => device && !["syncing", "together"].includes(link.state) && performance.now() - linkedAt > AWAY_MS;

// Ask the device that is linked which mailboxes there are for a phone. Over a WebSocket of its own, proved and encrypted as
// the link is: what is said on a link is of a protocol that all devices share.
function askForMailboxes() {
  const talk = new WebSocket(place("/phone/link"), [MAIL_PROTOCOL]);
  talk.binaryType = "arraybuffer";
  talk.onopen = () => { for (const message of device?.hear_start(BASE.origin) ?? []) talk.send(message); };
  talk.onmessage = async (event) => {
    if (!device) return talk.close();
    try {
      for (const message of device.hear_receive(new Uint8Array(event.data))) talk.send(message);
    } catch (error) {
      console.warn("which mailboxes there are was not told:", said(error));
      return talk.close();
    }
    const told = device.hear_told();
    if (!told) return;
    talk.close();
    const answer = JSON.parse(device.mail_use(told));
    if (answer?.error) return console.warn("mailboxes that were told are not used:", answer.message);
    await keepTold(told);
    mail.wake();
    tell("mailboxes", {});
  };
}

// After a look into a mailbox: what it brought is read, shown and passed on, as what a link brings.
function mailed(before) {
  if (!device) return;
  restLater();
  const now = asked("status", { now_ms: Date.now() });
  if (now.is_out) return void leftOut();
  readBehind();
  if (now.position !== before) { goOn(); tell("news", {}); noteMembers(); }
  tell("mail", {});
}

async function leftOut() {
  await wipe();
  tell("out", {});
}

// Whoever owes an answer for a minute is gone; a page that comes back asks at once.
function look() {
  mail?.poke();
  if (!socket || socket.readyState !== WebSocket.OPEN) return dial();
  if (link.state !== "together" && performance.now() - heard > ANSWER_MS) return socket.close();
  send(device.link_ask(Date.now()));
  const mine = socket, asked = performance.now(); // who left home may have a socket that nobody ends
  setTimeout(() => { if (socket === mine && heard < asked) mine.close(); }, ANSWER_MS / 2);
}
setInterval(() => { if (socket && link.state !== "together" && performance.now() - heard > ANSWER_MS) socket.close(); }, ANSWER_MS / 2);

// -- what the device at the other end finds, by meaning ------------------------------------------------------------------

// One question is on its way at a time; of those that come meanwhile only the last one is asked, since its page has gone on.
let wanted = null, underWay = null;

function give(answer) {
  if (!wanted) return;
  clearTimeout(wanted.giveUp);
  wanted.resolve(answer);
  wanted = null;
}

function askPeer({ question, limit }) {
  give(null);
  if (socket?.readyState !== WebSocket.OPEN || socket.protocol !== ASKING_PROTOCOL) return null;
  return new Promise((resolve) => {
    wanted = { question, limit, resolve, giveUp: setTimeout(() => give(null), FOUND_MS) };
    askWanted();
  });
}

function askWanted() {
  if (!wanted || underWay || socket?.readyState !== WebSocket.OPEN) return;
  const messages = device.link_question(wanted.question, wanted.limit, Date.now());
  if (!messages.length) return; // not yet: it is tried again at what is heard next
  underWay = wanted;
  send(messages);
}

function heardFound() {
  if (!device) return; // erased meanwhile
  if (underWay) {
    const { question, limit } = underWay, found = JSON.parse(device.link_found(question, limit, Date.now()));
    if (!found) return;
    const isWanted = underWay === wanted;
    underWay = null;
    if (isWanted) give(found.hits?.length ? { hits: found.hits, by: link.name } : null);
  }
  askWanted();
}

const NOT_REACHED = "The other device cannot be reached, or took no more guesses.";
const PAIRING_CLOSED = "No code is shown there now: ask the other device for one, and type that.";

function pair({ code, expected }) {
  const begun = JSON.parse(device.pair_start(code, BASE.origin, expected ?? ""));
  if (begun?.error) throw Object.assign(new Error(begun.message), { name: begun.error });
  return new Promise((resolve, reject) => {
    const talk = new WebSocket(place("/phone/link"), [PAIR_PROTOCOL]);
    talk.binaryType = "arraybuffer";
    talk.onmessage = (event) => {
      try {
        for (const message of device.pair_receive(new Uint8Array(event.data))) talk.send(message);
      } catch (error) {
        reject(new Error(said(error)));
        return talk.close();
      }
      const paired = JSON.parse(device.pair_state());
      if (!paired) return;
      isTakenIn = false;
      resolve(paired);
      dismissLost().catch(() => {});
      setTimeout(() => talk.close(), TAKEN_IN_MS);
      noteMembers();
    };
    talk.onclose = (event) => {
      if (!isTakenIn) { // the other device ends it once it has taken this phone in, and would not let it in before
        isTakenIn = true;
        failures = 0;
        dial();
      }
      reject(new Error(event.code === NO_CODE_SHOWN ? PAIRING_CLOSED : NOT_REACHED));
    };
  });
}

// -- what a page asks ---------------------------------------------------------------------------------------------------

const WRITING = new Set(["remember", "edit", "forget", "done", "settle", "merge", "reopen", "snooze"]);

function call({ verb, options = {} }) {
  const timed = { ...options };
  if (!["known", "devices", "digests"].includes(verb)) timed.now_ms = Date.now();
  if (verb === "remember") timed.zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const answer = asked(verb, timed);
  if (WRITING.has(verb)) {
    follow();
    readBehind();
  }
  return { answer };
}

let wiping = null;
const wipe = () => (wiping ??= takeAway()); // told to go by several messages, it goes once

async function takeAway() {
  await keep("wiping", true); // the rest is done at the next start, if this page is closed here
  clearTimeout(redial);
  clearTimeout(again);
  socket?.close();
  mail?.end();
  device = null;
  disk?.close();
  await noting.catch(() => {});
  await erase();
  return {};
}

async function erase() {
  await wipeDisk();
  await forgetStart();
  await clear();
}

// Its owner knows that what was here is gone, or has it back.
async function dismissLost() {
  isLost = false;
  await keep("lost", false);
  tell("news", {});
  return {};
}

const VERBS = {
  start,
  dismissLost,
  call,
  pair,
  askPeer,
  look: () => { look(); return {}; },
  leaving: () => { passOn(); mail?.poke(); rest(); return {}; }, // nobody looks, and may close it now
  status: () => ({ ...status(), times, wasKept }),
  leave: () => { if (socket?.readyState === WebSocket.OPEN) send(device.link_leave(Date.now())); return {}; },
  wipe,
};

onmessage = async ({ data: { id, verb, options } }) => {
  asking = performance.now();
  restLater();
  try {
    if (verb !== "start") await starting; // asked by a page that took the lead over, before the device stands again
    postMessage({ id, answer: await VERBS[verb](options ?? {}) });
  } catch (error) {
    postMessage({ id, error: { name: error?.name ?? "Error", message: said(error) } });
  }
};
postMessage({ event: "ready" });
