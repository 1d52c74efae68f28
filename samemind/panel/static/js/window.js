// A list as long as one likes: only the rows that are on the screen exist, and only their pages were asked for.
// The document scrolls, so that the browser's own gestures and keys go on working.

import { h } from "./dom.js";

const PAGE = 60;
const BEYOND = 12;
// A browser draws nothing below some thirty million pixels.
const HEIGHT_MAX = 30_000_000;

/**
 * @param fetch (offset, limit, signal) → {total, memories}
 * @param make (item) → an element that stands in a row
 * @param heard (total, first item) is told when something was drawn
 */
export function windowed({ label, fetch, make, rowHeight, heard = () => {} }) {
  const element = h("ul", { class: "window plain", "aria-label": label });
  let pages = new Map();
  let rows = new Map();
  let total = 0;
  let asking = new AbortController();
  let drawn = 0;
  let closed = false;
  // A row that is to have the focus as soon as it is known what stands there.
  let wished = null;

  function height() {
    return rowHeight();
  }

  /** Forget every page and ask again; rows that stay the same stay as they are until then. */
  async function reset() {
    asking.abort();
    asking = new AbortController();
    const before = pages;
    pages = new Map();
    const { first } = range();
    const page = Math.floor(first / PAGE);
    await load(page, before);
    if (page !== 0 && total <= page * PAGE) await load(0, before);
  }

  async function load(page, before) {
    if (pages.has(page)) return;
    const own = asking;
    pages.set(page, null);
    try {
      const found = await fetch(page * PAGE, PAGE, own.signal);
      if (own.signal.aborted) return;
      pages.set(page, found.memories);
      total = found.total;
      if (before) for (const element of rows.values()) element.stale = true;
      draw();
    } catch (error) {
      if (own === asking) pages.delete(page);
      if (error.name !== "AbortError") throw error;
    }
  }

  function range() {
    const top = element.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(-top / height()) - BEYOND);
    const last = Math.min(total, Math.ceil((innerHeight - top) / height()) + BEYOND);
    return { first, last };
  }

  function itemAt(place) {
    return pages.get(Math.floor(place / PAGE))?.[place % PAGE];
  }

  function draw() {
    if (closed || !element.isConnected) return;
    element.style.height = `${Math.min(HEIGHT_MAX, total * height())}px`;
    const { first, last } = range();
    const next = new Map();
    for (let place = first; place < last; place++) {
      const item = itemAt(place);
      if (item === undefined) load(Math.floor(place / PAGE)).catch(() => {});
      let row = rows.get(place);
      // What stands there is drawn until its page is known anew: else the focus would be lost between the two.
      if (!row || (item !== undefined && (row.stale || row.item !== item))) {
        const focused = row?.contains(document.activeElement);
        const fresh = h("li", { class: item ? "row" : "row waiting", "aria-posinset": place + 1, "aria-setsize": total }, item ? make(item, place) : null);
        fresh.item = item;
        fresh.place = place;
        fresh.style.transform = `translateY(${place * height()}px)`;
        fresh.style.height = `${height()}px`;
        row?.replaceWith(fresh);
        row = fresh;
        if (item && focused) wished = place; // once it is in the document
      }
      next.set(place, row);
    }
    for (const [place, row] of rows) if (next.get(place) !== row) (row.contains(document.activeElement) && place < total && !next.has(place) ? next.set(place, row) : row.remove());
    // In the order of the list, also for readers that go by the document.
    let before = null;
    for (const place of [...next.keys()].sort((a, b) => a - b)) {
      const row = next.get(place);
      if (row.parentNode !== element || row.previousElementSibling !== before) element.insertBefore(row, before ? before.nextSibling : element.firstChild);
      before = row;
    }
    rows = next;
    const target = wished === null ? null : rows.get(wished)?.querySelector("a, button");
    if (target) {
      // Unless somebody has gone on elsewhere meanwhile.
      if (document.activeElement === document.body || element.contains(document.activeElement)) target.focus({ preventScroll: true });
      wished = null;
    }
    const seen = Math.max(0, Math.floor(-element.getBoundingClientRect().top / height()));
    heard(total, itemAt(Math.min(seen, Math.max(0, total - 1))));
  }

  function soon() {
    if (!drawn) drawn = requestAnimationFrame(() => ((drawn = 0), draw()));
  }

  /** Move from row to row; the list scrolls along. */
  function focus(place) {
    place = Math.max(0, Math.min(total - 1, place));
    const top = element.getBoundingClientRect().top + place * height();
    if (top < 140) scrollBy(0, top - 140);
    else if (top + height() > innerHeight - 90) scrollBy(0, top + height() - innerHeight + 90);
    wished = place;
    draw();
  }

  element.addEventListener("keydown", (event) => {
    const row = event.target.closest(".row");
    const far = Math.max(1, Math.floor((innerHeight - 230) / height()));
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: far, PageUp: -far, Home: -Infinity, End: Infinity }[event.key];
    if (!row || steps === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (event.key === "ArrowUp" && row.place === 0) element.dispatchEvent(new CustomEvent("above"));
    else focus(row.place + steps);
  });
  addEventListener("scroll", soon, { passive: true });
  addEventListener("resize", soon);

  return {
    element,
    reset,
    draw,
    focus,
    get total() {
      return total;
    },
    /** Put a row in the place of what was there, until the next reset. */
    expect(count) {
      total = count;
      element.style.height = `${Math.min(HEIGHT_MAX, total * height())}px`;
    },
    close() {
      closed = true;
      asking.abort();
      removeEventListener("scroll", soon);
      removeEventListener("resize", soon);
    },
  };
}
