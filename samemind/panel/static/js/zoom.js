// Look closer at a drawing: by the wheel, by dragging, and by buttons for keys and thumbs.

import { h } from "./dom.js";
import { t } from "./i18n.js";

const STEP = 1.4;
const CLOSEST = 6;
// A click is allowed to tremble so far.
const STILL = 4;

/** Make a drawing one that can be looked at closer. `buttons` go beside it; `whole` forgets where one looked, after it
 *  was drawn anew: `whole(width, height)`. */
export function zoomable(svg) {
  let [width, height] = [1, 1];
  let box = { x: 0, y: 0, w: 1, h: 1 };
  let held = null;

  function show() {
    box.x = Math.min(width - box.w, Math.max(0, box.x));
    box.y = Math.min(height - box.h, Math.max(0, box.y));
    svg.setAttribute("viewBox", `${box.x} ${box.y} ${box.w} ${box.h}`);
    // A thumb scrolls the page, unless there is more of the drawing to see.
    svg.classList.toggle("closer", box.w < width);
  }

  function zoom(factor, at = { x: box.x + box.w / 2, y: box.y + box.h / 2 }) {
    const w = Math.min(width, Math.max(width / CLOSEST, box.w / factor));
    const by = w / box.w;
    box = { x: at.x - (at.x - box.x) * by, y: at.y - (at.y - box.y) * by, w, h: box.h * by };
    show();
  }

  function point(event) {
    const seen = svg.getBoundingClientRect();
    return { x: box.x + ((event.clientX - seen.left) / seen.width) * box.w, y: box.y + ((event.clientY - seen.top) / seen.height) * box.h };
  }

  svg.addEventListener(
    "wheel",
    (event) => {
      const closer = event.deltaY < 0;
      if (closer ? box.w <= width / CLOSEST : box.w >= width) return; // the page scrolls on
      event.preventDefault();
      zoom(closer ? STEP : 1 / STEP, point(event));
    },
    { passive: false },
  );
  svg.addEventListener("pointerdown", (event) => {
    if (box.w < width && event.isPrimary) held = { from: point(event), x: event.clientX, y: event.clientY, moves: false };
  });
  svg.addEventListener("pointermove", (event) => {
    if (!held || (!held.moves && Math.hypot(event.clientX - held.x, event.clientY - held.y) < STILL)) return;
    if (!held.moves) svg.setPointerCapture(event.pointerId); // what began as a click on a name stays one
    held.moves = true;
    const now = point(event);
    box.x += held.from.x - now.x;
    box.y += held.from.y - now.y;
    show();
  });
  for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => (held = null));

  function whole(wide = width, high = height) {
    [width, height] = [wide, high];
    box = { x: 0, y: 0, w: width, h: height };
    show();
  }

  const button = (said, sign, act) => h("button", { type: "button", class: "zoom-button", "aria-label": said, title: said, on: { click: act } }, sign);
  const buttons = h("div", { class: "zoom" }, button(t("Zoom in"), "+", () => zoom(STEP)), button(t("Zoom out"), "−", () => zoom(1 / STEP)), button(t("Fit everything"), "⤢", () => whole()));
  return { buttons, whole };
}
