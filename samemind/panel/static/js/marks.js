// Show where words were found, and how sure an answer is.

import { h } from "./dom.js";
import { t } from "./i18n.js";

const LETTERS_MIN = 2;
const SURE_MAX = 99;
// Words that say nothing of what is sought, in the languages of the panel: marked, they would draw the eye to any text.
const SMALL = new Set(
  [
    "a an the of is are am was do does did to in on at my me who what when where how",
    "der die das den dem ein eine ist sind war hat wer wie wo wann was ich mein im am zu",
    "el la los las un una de del es son en mi yo que quién cuándo dónde cómo",
    "le les des du une est sont je mon ma qui quand où",
  ].flatMap((words) => words.split(" ")),
);

/** A text as nodes, with what begins like a word of the search marked. */
export function marked(text, query) {
  const asked = [...new Set((query ?? "").match(/[\p{L}\p{N}]+/gu) ?? [])].filter((word) => word.length >= LETTERS_MIN);
  const telling = asked.filter((word) => !SMALL.has(word.toLowerCase()));
  const words = telling.length ? telling : asked;
  if (!words.length) return [text];
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${words.sort((a, b) => b.length - a.length).join("|")})`, "giu");
  const parts = [];
  let last = 0;
  for (const found of text.matchAll(pattern)) {
    parts.push(text.slice(last, found.index), h("mark", {}, found[0]));
    last = found.index + found[0].length;
  }
  return [...parts, text.slice(last)].filter((part) => part !== "");
}

const WHY = { words: () => t("by its words"), graph: () => t("by its relations"), exact: () => t("word for word") };

/** How sure it is that this is about what was asked, and by what it was found. */
export function sureness(found) {
  if (found.confidence === null || found.confidence === undefined) return h("span", { class: "sure" }, t("starts with it"));
  const percent = Math.min(SURE_MAX, Math.round(found.confidence * 100)); // a guess, never a certainty
  const by = [...new Set((found.why ?? []).map((channel) => (WHY[channel] ?? (() => t("by its meaning")))()))];
  const level = found.confidence >= 0.7 ? "high" : found.confidence >= 0.3 ? "fair" : "low";
  return h("span", { class: `sure ${level}`, title: t("How likely this is about what you asked") }, h("i", { class: "sure-bar", "aria-hidden": "true", vars: { "--share": `${percent}%` } }), t("{percent} % sure", { percent }), by.length ? ` · ${by.join(", ")}` : "");
}
