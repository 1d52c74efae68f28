// A memory as one row of a list: its words, and in a line who said it, when, and what is the matter with it.

import { h } from "./dom.js";
import { ago, clock, t } from "./i18n.js";
import { marked, sureness } from "./marks.js";
import { link } from "./router.js";
import { deviceName, hueOf, state } from "./state.js";

/** @param memory a card of `panel/browse` or `panel/search`; `query` what was searched for */
export function memoryRow(memory, { query = "" } = {}) {
  return h(
    "a",
    { class: memory.holds === false ? "memory-row outdated" : "memory-row", href: link(`memory/${memory.rid}`), data: { rid: memory.rid } },
    h("span", { class: "memory-words", dir: "auto" }, marked(memory.text, query)),
    h("span", { class: "memory-meta" }, ...metaOf(memory)),
  );
}

/** What is said of a memory beside its words, as nodes. */
export function metaOf(memory) {
  return [
    h("span", { class: "dot", "aria-hidden": "true", vars: { "--hue": hueOf(memory.device) } }),
    h("span", { class: "meta-device" }, fromOf(memory)),
    memory.speaker && h("span", { dir: "auto" }, memory.speaker),
    h("time", { datetime: memory.told_at, title: clock(memory.told_at) }, ago(memory.told_at)),
    memory.pinned && h("span", { class: "flag" }, t("pinned")),
    memory.disputed && h("span", { class: "flag alert" }, t("contradicted")),
    (memory.at_once || memory.variants?.length > 0) && h("span", { class: "flag alert" }, t("edited at once")),
    (memory.holds === false || memory.claim?.standing === "replaced") && h("span", { class: "flag" }, t("no longer so")),
    memory.claim?.standing === "believed" && h("span", { class: "flag" }, t("believed now")),
    ...(memory.claim?.earlier ?? []).slice(0, 1).map((was) => h("span", { class: "label", dir: "auto" }, t("before: {value}", { value: was.value }))),
    ...(memory.claim?.now ?? []).slice(0, 1).map((now) => h("span", { class: "label", dir: "auto" }, t("now: {value}", { value: now.value }))),
    memory.parent && h("span", { class: "flag" }, t("extracted from another memory")),
    ...(memory.tags ?? []).slice(0, 3).map((tag) => h("span", { class: "label", dir: "auto" }, tag)),
    memory.confidence !== undefined && sureness(memory),
  ].filter(Boolean);
}

export function fromOf({ device, device_name }) {
  return device === state.session?.device_id ? t("this device") : deviceName(device, device_name);
}
