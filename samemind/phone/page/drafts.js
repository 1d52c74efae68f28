// What is typed and neither stored nor given up: it outlives another view, news that draw the list anew, and the page itself,
// which a phone ends whenever it wants. Beside the store, under one name, so that erasing this device erases it.
import { keep, kept } from "./kept.js";

export const COMPOSER = "composer"; // of most others the key is the memory whose text is changed,
const ANSWER = "answer:"; // and behind this the question that is answered
const STILL_MS = 250, EACH_MAX = 8, NAME = "drafts";
let texts = new Map(), waiting = 0;

export const draftOf = (key) => texts.get(key) ?? null;
export const drafted = () => [...texts.keys()];
const edits = () => drafted().filter((each) => each !== COMPOSER && !each.startsWith(ANSWER));
const answers = () => drafted().filter((each) => each.startsWith(ANSWER));
export const answerTo = (slot) => ANSWER + slot;
// The questions to which an answer was typed.
export const answered = () => answers().map((each) => each.slice(ANSWER.length));

// Begin with what the last page left.
export async function takeUp() {
  texts = new Map((await kept(NAME)) ?? []);
}

// Note what a field holds now; null where nothing is left to keep.
export function draft(key, text) {
  if (draftOf(key) === text) return;
  texts.delete(key); // what was typed last comes last
  if (text !== null) texts.set(key, text);
  for (const kind of [edits(), answers()]) for (const each of kind.slice(0, -EACH_MAX)) texts.delete(each);
  waiting ||= setTimeout(write, STILL_MS);
}

// Of what is typed over memories, that whose memory was forgotten meanwhile, on whichever device: it stays until its owner tells
// it anew or discards it. Where nothing is left to tell, it goes.
export async function goneDrafts(known) {
  const rids = edits();
  if (!rids.length) return [];
  const here = await known(rids);
  const gone = rids.filter((rid) => !here.includes(rid));
  for (const rid of gone) if (!draftOf(rid)?.trim()) draft(rid, null);
  return gone.filter((rid) => draftOf(rid));
}

// Where this device was erased: what was being kept meanwhile came behind that.
export function dropAll() {
  clearTimeout(waiting);
  waiting = 0;
  texts.clear();
  keep(NAME, []).catch((error) => console.warn("what was typed may still be there:", error));
}

function write() {
  if (!waiting) return;
  clearTimeout(waiting);
  waiting = 0;
  if (!document.documentElement.dataset.gone) keep(NAME, [...texts]).catch((error) => console.warn("what is typed is on this page alone:", error));
}

document.addEventListener("visibilitychange", write); // who leaves the page may find it ended
