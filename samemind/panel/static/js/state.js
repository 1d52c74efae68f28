// What this page knows, and who wants to hear when it changes. The device is the truth; this is what was heard of it.

import { call, unhurried } from "./api.js";

const LISTED = 300;
const GATHER_MS = 60;
// Of the time that a page is open, a reload takes a fifth at most: a large store takes a second.
const REST = 4;
// A large store is counted behind what is shown of it.
const STALE_MS = 1500;

export const state = {
  session: null,
  memories: [],
  total: 0,
  told: 0, // memories as the list of them counts: each group of tellings once, facts with what they were read out of
  limit: LISTED,
  begun: false, // to load: what is told from then on is in it
  loaded: false,
  waiting: new Map(), // rid → the undo window it is in
  windows: [],
  status: null,
  contradictions: null,
  triggers: null,
  coming: [],
  connected: false,
};

const listeners = new Set();

export function subscribe(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function changed() {
  for (const listener of listeners) listener();
}

/** The memories that show: what is about to be forgotten is gone already, and a summary with all that it stands for. */
export function shown() {
  const isGoing = (rid) => state.waiting.has(rid);
  return state.memories.filter(({ rid, summary_of: members }) => !isGoing(rid) && !(members?.length && members.every(isGoing)));
}

/** How many memories there are, on every page alike. What waits to be forgotten counts no more; its facts never did. */
export function count() {
  const summarised = new Set(state.memories.flatMap((memory) => memory.summary_of ?? []));
  const going = [...state.waiting.keys()].filter((rid) => summarised.has(rid) || isCounted(rid)).length;
  return Math.max(0, state.told - going);
}

/** Whether what waits to be forgotten is in the count. What was forgotten meanwhile in another way is not; beyond a part
 *  of the list one cannot know. */
function isCounted(rid) {
  const memory = memoryNamed(rid);
  return memory ? !memory.parent : state.memories.length < state.total;
}

export function memoryNamed(rid) {
  return state.memories.find((memory) => memory.rid === rid);
}

/** A memory with the facts that were read out of it: they go where it goes. */
export function withFacts(rids) {
  const named = new Set(rids);
  return [...named, ...state.memories.filter((memory) => named.has(memory.parent) && !named.has(memory.rid)).map((memory) => memory.rid)];
}

/** Replace one memory by what the device said of it, without waiting for the news. */
export function learn(memory) {
  const place = state.memories.findIndex((each) => each.rid === memory.rid);
  if (place >= 0) state.memories[place] = memory;
  changed();
}

export async function reload() {
  state.begun = true;
  const asked = state.limit;
  const [listed, counted] = await Promise.all([call("list", { limit: asked }), call("panel/browse", { limit: 0 })]);
  state.memories = listed.memories;
  state.total = listed.total;
  state.told = counted.of;
  state.loaded = true;
  if (counted.stale) setTimeout(reloadSoon, STALE_MS);
  await Promise.all([
    optional("contradictions list", (found) => (state.contradictions = found.contradictions)),
    optional("triggers list", (found) => ((state.triggers = found.triggers), (state.coming = found.coming ?? []))),
  ]);
  changed();
}

async function optional(verb, take) {
  if (state.session.verbs.includes(verb)) take(await call(verb));
}

let timer = 0;
let running = false;
let took = 0;
let again = false;

/** Reload soon; many reasons within a moment are one. */
export function reloadSoon() {
  if (running) {
    again = true;
    return;
  }
  clearTimeout(timer);
  timer = setTimeout(async () => {
    running = true;
    await unhurried();
    const began = performance.now();
    try {
      await reload();
    } catch {
      // The stream says when the device is away; what it has to tell comes with the next news.
    } finally {
      running = false;
      took = performance.now() - began;
      if (again) {
        again = false;
        reloadSoon();
      }
    }
  }, took > 10 * GATHER_MS ? REST * took : GATHER_MS);
}

/** Hear what waits to be forgotten. What waits no more is shown again only after a look at what is there. */
export async function takeWaiting(windows) {
  state.windows = windows;
  const waiting = new Map(windows.flatMap((each) => each.rids.map((rid) => [rid, each.id])));
  for (const rid of waiting.keys()) state.waiting.set(rid, waiting.get(rid));
  changed();
  if (state.waiting.size > waiting.size) {
    await reload().catch(() => reloadSoon());
    state.waiting = new Map(state.windows.flatMap((each) => each.rids.map((rid) => [rid, each.id])));
    changed();
  }
}

/** Every device by id: this one and the others. */
export function devices() {
  const own = state.session && { device_id: state.session.device_id, name: state.session.name, own: true };
  return [own, ...(state.status?.peers ?? [])].filter(Boolean);
}

/** What a device is called, `told` where the group does not say; with the beginning of its id where another has its name. */
export function deviceName(id, told = null) {
  const name = devices().find((device) => device.device_id === id)?.name ?? told ?? id?.slice(0, 8);
  const isShared = id && devices().some((device) => device.name === name && device.device_id !== id);
  return isShared ? `${name} ${id.slice(0, 4)}` : name;
}

const HUES = [158, 262, 24, 210, 330, 88, 292, 48];

/** A colour for each device: the one that its id asks for, or the next that no other of the group has. */
export function hueOf(id) {
  const taken = new Map();
  for (const device of devices().map((each) => each.device_id).sort()) {
    let place = parseInt(device.slice(0, 6), 16) % HUES.length;
    if (taken.size < HUES.length) while ([...taken.values()].includes(place)) place = (place + 1) % HUES.length;
    taken.set(device, place);
  }
  return HUES[taken.get(id) ?? parseInt(id.slice(0, 6), 16) % HUES.length];
}
