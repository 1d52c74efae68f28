// Time: look at everything as it was. Dragging shows at once how much was known by then; letting go asks the device for
// the store of that moment, and every page shows it until one comes back to now.

import { call } from "./api.js";
import { announce, h, icon, s, say } from "./dom.js";
import { date, fieldTime, minute, plural, t } from "./i18n.js";
import { go, here, isPast, link, moment } from "./router.js";
import { devices, state } from "./state.js";
import { complain } from "./toasts.js";

const STEPS = 1000;
const SETTLE_MS = 350;
const BAR_HEIGHT = 30;

export function timeBar(element, button) {
  let line = null;
  let settling = 0;
  let built = false;
  let byAddress = false; // an address of the past opened it, and coming back to now closes it
  const parts = {};

  button.append(icon("past"));
  button.addEventListener("click", () => toggle());
  button.setAttribute("aria-label", t("Go back in time"));
  button.title = t("Go back in time");
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    toggle(false);
  });

  function toggle(open = element.hidden) {
    if (!open && isPast()) leave();
    byAddress = false;
    element.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (!open) return button.focus();
    build();
    load();
    parts.slider.focus();
  }

  function build() {
    if (built) return;
    built = true;
    parts.said = h("p", { class: "time-said", role: "status" });
    parts.slider = h("input", { type: "range", min: "0", max: String(STEPS), value: String(STEPS), class: "time-slider", "aria-label": t("Moment"), on: { input: dragged, change: () => settle(0) } });
    parts.bars = s("svg", { class: "time-bars", viewBox: `0 0 ${STEPS} ${BAR_HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
    parts.day = h("input", { type: "datetime-local", "aria-label": t("Day and time"), on: { change: () => parts.day.value && visit(parts.day.value) } });
    parts.by = h("select", { "aria-label": t("As which device knew it"), on: { change: () => visit(moment().at ?? localNow(), parts.by.value) } });
    parts.now = h("button", { type: "button", class: "primary", on: { click: () => toggle(false) } }, t("Back to now"));
    element.append(h("div", { class: "time-track" }, parts.bars, parts.slider), h("div", { class: "time-foot" }, parts.said, parts.day, parts.by, parts.now));
  }

  async function load() {
    try {
      line = await call("panel/timeline", {});
      draw();
      update();
    } catch (error) {
      complain(error);
    }
  }

  function span() {
    const first = Math.min(...[line?.bars?.first, line?.first_written].filter(Boolean).map((each) => new Date(each).getTime()), Date.now() - 60_000);
    return { first, last: Date.now() };
  }

  function draw() {
    const counts = line?.bars?.counts ?? [];
    const most = Math.max(1, ...counts);
    const { first, last } = span();
    const from = line?.bars ? new Date(line.bars.first).getTime() : first;
    const each = line?.bars ? (new Date(line.bars.last).getTime() - from) / counts.length : 0;
    const at = (time) => ((time - first) / (last - first)) * STEPS;
    parts.bars.replaceChildren(
      ...counts.map((count, place) => {
        const x = at(from + place * each);
        const tall = count ? Math.max(2, Math.sqrt(count / most) * BAR_HEIGHT) : 0;
        return s("rect", { x, y: BAR_HEIGHT - tall, width: Math.max(1, at(from + (place + 1) * each) - x - 1), height: tall });
      }),
    );
  }

  function timeOf(value) {
    const { first, last } = span();
    return first + ((last - first) * value) / STEPS;
  }

  function dragged() {
    byAddress = false;
    const value = Number(parts.slider.value);
    say(parts.said, value >= STEPS ? t("Now") : saidOf(timeOf(value)));
    settle(SETTLE_MS);
  }

  /** How much had been told by then, as far as the bars tell. */
  function saidOf(time) {
    const counts = line?.bars?.counts ?? [];
    const from = line?.bars ? new Date(line.bars.first).getTime() : 0;
    const each = line?.bars ? (new Date(line.bars.last).getTime() - from) / counts.length : 1;
    const told = counts.slice(0, Math.max(0, Math.ceil((time - from) / each))).reduce((sum, count) => sum + count, 0);
    return `${minute(time)} · ${plural(told, "about {n} memory", "about {n} memories")}`;
  }

  function settle(delay) {
    clearTimeout(settling);
    settling = setTimeout(() => {
      const value = Number(parts.slider.value);
      if (value >= STEPS) leave();
      else visit(new Date(timeOf(value)).toISOString().slice(0, 19) + "Z");
    }, delay);
  }

  function visit(at, by = moment().by) {
    const first = !isPast();
    move({ at, by: by || null }, !first);
    announce(t("As it was on {date}", { date: minute(timeOfMoment(at)) }));
  }

  function leave() {
    clearTimeout(settling);
    if (isPast()) move({ at: null, by: null }, false);
  }

  /** The same page at another moment: one step of the browser's history for the whole of a journey. */
  function move(to, replace) {
    const { path, args } = here();
    const options = {};
    for (const name of new Set(args.keys())) options[name] = args.getAll(name);
    go(link(path.join("/"), { ...options, ...to }), { replace });
  }

  function update() {
    document.body.classList.toggle("in-past", isPast());
    if (isPast() && element.hidden) {
      element.hidden = false;
      button.setAttribute("aria-expanded", "true");
      byAddress = true;
      build();
      load();
    } else if (!isPast() && byAddress) {
      byAddress = false;
      element.hidden = true;
      button.setAttribute("aria-expanded", "false");
    }
    if (!built) return;
    const { at, by } = moment();
    const all = devices();
    parts.by.replaceChildren(h("option", { value: "" }, t("as anybody knew it")), ...all.map((device) => h("option", { value: device.name, selected: device.name === by }, t("as {device} knew it", { device: device.device_id === state.session?.device_id ? t("this device") : device.name }))));
    parts.by.hidden = all.length < 2 && !by;
    parts.by.value = by ?? "";
    parts.now.classList.toggle("primary", isPast());
    say(parts.now, isPast() ? t("Back to now") : t("Close"));
    if (!at) {
      if (document.activeElement !== parts.slider) parts.slider.value = String(STEPS);
      if (document.activeElement !== parts.day) parts.day.value = "";
      say(parts.said, by ? t("Now, as {device} knows it", { device: by }) : t("Now. Drag back to see it as it was."));
      return;
    }
    const { first, last } = span();
    const time = timeOfMoment(at);
    if (document.activeElement !== parts.day) parts.day.value = fieldTime(time).slice(0, 16);
    if (document.activeElement !== parts.slider) parts.slider.value = String(Math.round(((time - first) / (last - first)) * STEPS));
    parts.slider.setAttribute("aria-valuetext", date(at));
    say(parts.said, t("As it was on {date}", { date: minute(time) }) + (beforeIt(time) ? ` · ${t("before this memory began: what had been said by then, as it is told now")}` : ""));
  }

  function beforeIt(time) {
    return line?.first_written && time < new Date(line.first_written).getTime();
  }

  return { update, toggle };
}

/** A date alone is the end of that day. */
function timeOfMoment(at) {
  return new Date(/^\d{4}-\d{2}-\d{2}$/.test(at) ? `${at}T23:59:59` : at).getTime();
}

function localNow() {
  return new Date(Date.now() - 1000).toISOString().slice(0, 19) + "Z";
}
