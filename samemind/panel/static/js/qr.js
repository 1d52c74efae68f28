// Draw a QR code from rows of dark and light.

import { s } from "./dom.js";

const MARGIN = 4;

export function qr(rows, label) {
  const size = rows.length + 2 * MARGIN;
  const dark = rows.flatMap((row, y) => [...row].map((bit, x) => (bit === "1" ? `M${x + MARGIN} ${y + MARGIN}h1v1h-1z` : ""))).join("");
  return s("svg", { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" }, s("rect", { class: "qr-light", width: size, height: size }), s("path", { class: "qr-dark", d: dark }));
}
