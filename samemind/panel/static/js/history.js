// What happened to a memory: a line through time, with a lane for each device that had a part in it.

import { call } from "./api.js";
import { h, s } from "./dom.js";
import { hueOf, state } from "./state.js";
import { complain } from "./toasts.js";
import { clock, minute, t } from "./i18n.js";
import { fromOf } from "./row.js";
import { deed, difference, onDevice } from "./words.js";

const LANE = 26;
const LANES_MAX = 6;

export async function showHistory(memory) {
  let versions;
  try {
    ({ versions } = await call("history", { rid: memory.rid }));
  } catch (error) {
    complain(error);
    return;
  }
  const before = document.activeElement;
  const dialog = h(
    "dialog",
    { class: "dialog history", "aria-labelledby": "history-title", on: { close: () => (dialog.remove(), before?.focus()), click: (event) => event.target === dialog && dialog.close() } },
    h("header", {}, h("h2", { id: "history-title" }, t("History")), h("button", { type: "button", class: "quiet", on: { click: () => dialog.close() } }, t("Close"))),
    story(versions),
  );
  document.body.append(dialog);
  dialog.showModal();
}

/** What happened, as a line through time; used by the page of a memory too. */
export function story(versions) {
  const lanes = [...new Set(versions.map((version) => version.device))];
  return h(
    "div",
    { class: "story" },
    h("p", { class: "legend" }, lanes.map((device) => h("span", { class: "lane-name", vars: { "--hue": hueOf(device) } }, h("span", { class: "dot", "aria-hidden": "true" }), nameOf(device, versions)))),
    h("ol", { class: "plain timeline" }, versions.map((version, place) => entry(version, versions.slice(0, place).findLast((each) => each.text !== null)?.text ?? null, lanes, versions))),
    !versions.length && h("p", { class: "muted" }, t("Its history was compacted; only its current text is left.")),
  );
}

function nameOf(device, versions) {
  return fromOf(versions.find((version) => version.device === device) ?? { device });
}

function entry(version, before, lanes, versions) {
  const lane = Math.min(lanes.indexOf(version.device), LANES_MAX - 1);
  const width = Math.min(lanes.length, LANES_MAX) * LANE;
  const changes = Object.entries(version.change ?? {}).filter(([, value]) => value !== null);
  return h(
    "li",
    { vars: { "--hue": hueOf(version.device) } },
    s("svg", { class: "lane", width, viewBox: `0 0 ${width} 60`, preserveAspectRatio: "none", "aria-hidden": "true" }, lanes.slice(0, LANES_MAX).map((_, place) => s("line", { class: "lane-line", x1: place * LANE + 13, x2: place * LANE + 13, y1: 0, y2: 60 }))),
    h("span", { class: "lane-dot", "aria-hidden": "true", vars: { "--at": `${lane * LANE + 13}px` } }),
    h(
      "div",
      { class: "moment" },
      h("p", {}, h("strong", {}, deed(version.kind)), ` ${onDevice(nameOf(version.device, versions), version.device === state.session.device_id)}, `, h("time", { datetime: version.at }, clock(version.at))),
      version.text !== null && (version.kind === "edit" && before !== null ? words(before, version.text) : version.kind === "remember" ? h("p", { class: "quote", dir: "auto" }, version.text) : null),
      changes.length > 0 && h("p", { class: "muted" }, changes.map(change).join(" · ")),
    ),
  );
}

const FIELDS = { told_at: () => t("told"), event_start: () => t("from"), event_end: () => t("until"), type: () => t("kind"), speaker: () => t("speaker"), tags: () => t("labels"), "tags+": () => t("labelled"), "tags-": () => t("label removed"), pinned: () => t("pinned"), source: () => t("source"), session: () => t("chat"), workspace: () => t("space"), importance: () => t("importance"), certainty: () => t("certainty"), domain: () => t("area of life"), project: () => t("project"), topic: () => t("topic"), goal: () => t("goal"), archived: () => t("archived"), claim: () => t("claims") };
const MOMENTS = new Set(["told_at", "event_start", "event_end"]);

/** One field that an op wrote, in words. */
function change([name, value]) {
  const label = (FIELDS[name] ?? (() => name.replaceAll("_", " ")))();
  if (MOMENTS.has(name)) return `${label}: ${minute(value)}`;
  if (Array.isArray(value)) return `${label}: ${value.join(", ")}`;
  if (value && typeof value === "object") return `${label}: ${Object.entries(value).map(([key, each]) => `${key} = ${each}`).join(", ")}`;
  if (typeof value === "boolean") return value ? label : t("not {what}", { what: label });
  return `${label}: ${String(value).replaceAll("_", " ")}`;
}

function words(before, after) {
  return h("p", { class: "quote", dir: "auto" }, difference(before, after).map(([kind, text]) => h(kind === "new" ? "ins" : kind === "gone" ? "del" : "span", {}, text)));
}
