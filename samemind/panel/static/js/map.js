// The map of the sync: this device in the middle, the others around it, a line to each that is linked, and a
// dot on its way for what is being told. It is a picture of what the list of devices says in words.

import { cut, h, s, say } from "./dom.js";
import { leaning } from "./layout.js";
import { deviceName, hueOf, state } from "./state.js";
import { hour, plural, t } from "./i18n.js";

const WIDE = 640;
const NARROW = 400;
const NAME_WIDE = 22;
const NAME_NARROW = 16;
// Two devices stand side by side; more stand around this one, and need the room.
const LOW = 210;
const HIGH = 450;
// Each op of a burst would be a cloud: this many dots say "many".
const DOTS_MAX = 8;
const FLIGHT_MS = 900;

export function syncMap() {
  const lines = s("g");
  const dots = s("g");
  const nodes = s("g");
  const svg = s("svg", { class: "map", viewBox: `0 0 ${WIDE} ${LOW}`, role: "img", "aria-labelledby": "map-title" }, s("title", { id: "map-title" }, t("Sync map")), lines, dots, nodes);
  const caption = h("p", { class: "map-caption muted", role: "status" });
  const element = h("figure", { class: "map-figure" }, svg, h("figcaption", {}, caption));
  let drawn = "";
  let places = new Map();
  let width = WIDE;
  let height = LOW;
  const phone = matchMedia("(max-width: 640px)");

  function update() {
    const peers = (state.status?.peers ?? []).filter((peer) => peer.state !== "revoked");
    const own = state.session;
    if (!own) return;
    const picture = JSON.stringify([phone.matches, own.name, peers.map((peer) => [peer.device_id, peer.name, peer.state, peer.behind])]);
    if (picture === drawn) return;
    drawn = picture;
    height = peers.length > 1 ? HIGH : LOW;
    width = phone.matches ? NARROW : WIDE;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const middle = { x: width / 2, y: height / 2 - 22 };
    places = new Map([[own.device_id, middle]]);
    peers.forEach((peer, place) => places.set(peer.device_id, around(middle, width, place, peers.length)));
    if (peers.length === 1) {
      places.set(own.device_id, { ...middle, x: width * 0.25 });
      places.set(peers[0].device_id, { ...middle, x: width * 0.75 });
    }
    const centre = places.get(own.device_id);
    lines.replaceChildren(
      ...peers.map((peer) => {
        const there = places.get(peer.device_id);
        return s("line", { class: `wire ${peer.state}`, x1: centre.x, y1: centre.y, x2: there.x, y2: there.y });
      }),
    );
    nodes.replaceChildren(...peers.map((peer) => node(peer.device_id, deviceName(peer.device_id), how(peer), peer.state)), node(own.device_id, own.name, t("this device"), "own"));
    say(svg.querySelector("title"), t("Sync map: {own}, and {others}", { own: own.name, others: peers.map((peer) => `${deviceName(peer.device_id)}, ${how(peer)}`).join("; ") || t("no other device") }));
  }

  function node(id, name, told, kind) {
    const { x, y } = places.get(id);
    const big = kind === "own" ? 34 : 28;
    const lean = leaning(x, width);
    const longest = phone.matches ? NAME_NARROW : NAME_WIDE;
    return s(
      "g",
      { class: `node ${kind}`, transform: `translate(${x} ${y})`, data: { device: id }, vars: { "--hue": hueOf(id) } },
      s("circle", { class: "halo", r: big + 9 }),
      s("circle", { class: "disc", r: big }),
      s("text", { class: "initial", "text-anchor": "middle", dy: ".36em" }, [...name][0]?.toUpperCase() ?? ""),
      s("title", {}, name),
      s("text", { class: "name", y: big + 30, ...lean }, cut(name, longest)),
      // A line for each part: in some languages both together are wider than a phone leaves for them.
      s("text", { class: "told", y: big + 50, ...lean }, ...told.split(/(?<=, )/).map((part, line) => s("tspan", { x: lean.x ?? 0, dy: line ? "1.25em" : 0 }, part))),
    );
  }

  /** Let what was just told be seen on its way. */
  function pulse({ count, ops }) {
    const own = state.session.device_id;
    const linked = (state.status?.peers ?? []).filter((peer) => peer.state === "linked").map((peer) => peer.device_id);
    say(caption, `${ops.at(-1)?.device === own ? plural(count, "{n} change made here", "{n} changes made here") : t("{changes} from {device}", { changes: plural(count, "{n} change", "{n} changes"), device: ops.length ? deviceName(ops.at(-1).device, ops.at(-1).device_name) : t("another device") })}, ${hour(Date.now())}`);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    ops.slice(-DOTS_MAX).forEach((op, place) => {
      // What is ours goes to everybody who is here; what is another's came from them, or by way of somebody who is here.
      const from = op.device === own ? own : places.has(op.device) && linked.includes(op.device) ? op.device : linked[0];
      const to = op.device === own ? linked : [own];
      for (const target of to) if (from && places.has(from) && places.has(target)) fly(places.get(from), places.get(target), op.device, place * 70);
    });
  }

  function fly(from, to, device, delay) {
    const dot = s("circle", { class: "flight", r: 6, cx: 0, cy: 0 });
    dot.style.setProperty("--hue", hueOf(device));
    dots.append(dot);
    const at = ({ x, y }) => `translate(${x}px, ${y}px)`;
    dot.animate([{ transform: at(from), opacity: 0 }, { opacity: 1, offset: 0.15 }, { opacity: 1, offset: 0.85 }, { transform: at(to), opacity: 0 }], { duration: FLIGHT_MS, delay, easing: "cubic-bezier(.45,.05,.3,1)", fill: "both" }).finished.then(
      () => dot.remove(),
      () => dot.remove(),
    );
  }

  return { element, update, pulse };
}

function around(middle, width, place, count) {
  const angle = (count % 2 ? -Math.PI / 2 : 0) + (2 * Math.PI * place) / count;
  return { x: middle.x + Math.cos(angle) * width * 0.36, y: middle.y + Math.sin(angle) * HIGH * 0.34 };
}

/** How it stands with a peer, in a few words. */
export function how(peer) {
  if (peer.state === "revoked") return t("revoked");
  if (peer.state === "dialling") return t("connecting");
  if (peer.state === "linked") return peer.behind ? plural(peer.behind, "{n} change behind", "{n} changes behind") : t("in sync");
  return peer.behind ? t("away, {changes} behind", { changes: plural(peer.behind, "{n} change", "{n} changes") }) : t("away");
}
