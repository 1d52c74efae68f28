// Show where words were found, and how sure an answer is.

import { h } from "./dom.js";
import { t } from "./i18n.js";

const LETTERS_MIN = 2;
const SURE_MAX = 99;

/** A text as nodes, with what begins like a word of the search marked. */
export function marked(text, query) {
  const words = [...new Set((query ?? "").match(/[\p{L}\p{N}]+/gu) ?? [])].filter((word) => word.length >= LETTERS_MIN);
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

const WHY = { words: () => t("by its words"), graph: () => t("by what it is related to"), exact: () => t("word for word") };

/** How sure it is that this is about what was asked, and by what it was found. */
export function sureness(found) {
  if (found.confidence === null || found.confidence === undefined) return h("span", { class: "sure" }, t("begins so"));
  const percent = Math.min(SURE_MAX, Math.round(found.confidence * 100)); // a guess, never a certainty
  const by = [...new Set((found.why ?? []).map((channel) => (WHY[channel] ?? (() => t("by its meaning")))()))];
  const level = found.confidence >= 0.7 ? "high" : found.confidence >= 0.3 ? "fair" : "low";
  return h("span", { class: `sure ${level}`, title: t("How likely this is about what you asked") }, h("i", { class: "sure-bar", "aria-hidden": "true", vars: { "--share": `${percent}%` } }), t("{percent} % sure", { percent }), by.length ? ` · ${by.join(", ")}` : "");
}
