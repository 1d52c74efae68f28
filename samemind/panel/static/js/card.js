// One memory as a card: its words, where it came from, and what can be done with it.

import { call } from "./api.js";
import { announce, h, icon, iconButton, say } from "./dom.js";
import { edit } from "./editor.js";
import { showHistory } from "./history.js";
import { hueOf, learn, memoryNamed, withFacts } from "./state.js";
import { complain } from "./toasts.js";
import { ago, clock, plural, t } from "./i18n.js";
import { link } from "./router.js";
import { fromOf } from "./row.js";
import { categoryOf } from "./words.js";

/** Make a card; `updateCard` fills it, now and whenever something changes. */
export function card(memory) {
  const rid = memory.rid;
  const item = h("li", { class: "card", data: { rid } });
  const start = (whole) => item.editing || edit(item, memoryNamed(rid) ?? item.memory, { whole });
  const text = h("button", {
    type: "button",
    class: "card-text",
    title: t("Click to edit, double click to rewrite"),
    dir: "auto",
    on: {
      click: (event) => {
        // Keys click too: Enter edits, and with Shift it rewrites.
        if (event.detail < 2) start(event.detail === 0 && event.shiftKey);
      },
    },
  });
  // The first click of a double click has put an editor where the text was: it is made larger in place.
  item.addEventListener("dblclick", (event) => {
    if (event.target.closest(".card-text, .editor textarea") && !item.editing?.whole) item.editing ? item.editing.widen() : start(true);
  });
  const check = h("input", { type: "checkbox", class: "card-check", on: { change: () => item.select(rid, check.checked) } });
  const pin = iconButton("pin", t("Pin"), () => togglePin(rid), { "aria-pressed": "false" });
  pin.classList.add("card-pin");
  const words = h("span", { class: "card-words" });
  text.append(words);
  const meta = h("p", { class: "card-meta" });
  item.append(
    check,
    text,
    h("div", { class: "card-foot" }, meta, h("div", { class: "card-actions" }, pin, h("a", { class: "icon-button", href: link(`memory/${rid}`), "aria-label": t("Open"), title: t("Open") }, icon("more")), iconButton("clock", t("History"), () => showHistory(memoryNamed(rid) ?? item.memory)), iconButton("trash", t("Forget"), () => forget(rid)))),
  );
  Object.assign(item, { check, pin, words, meta, text });
  return item;
}

export function updateCard(item, memory, { manage, selected, select }) {
  item.select = select;
  const before = item.memory?.text;
  item.memory = memory;
  item.dataset.category = categoryOf(memory);
  item.classList.toggle("pinned", Boolean(memory.pinned));
  item.classList.toggle("fact", Boolean(memory.parent));
  item.check.hidden = !manage;
  item.check.checked = selected;
  item.check.setAttribute("aria-label", t("Select: {what}", { what: memory.text.slice(0, 80) }));
  item.pin.setAttribute("aria-pressed", String(Boolean(memory.pinned)));
  item.pin.setAttribute("aria-label", memory.pinned ? t("Unpin") : t("Pin"));
  item.pin.title = memory.pinned ? t("Unpin") : t("Pin: it never fades");
  say(item.words, memory.text);
  const when = memory.told_at ?? memory.created_at;
  const parts = [memory.speaker, memory.parent ? t("extracted from another memory") : null, memory.tellings > 1 ? plural(memory.tellings, "told {n} time, last", "told {n} times, last") : null, ago(when)].filter(Boolean);
  const from = fromOf(memory);
  const line = `${from} ${parts.join(" ")}`;
  if (item.line !== line) {
    item.line = line;
    item.meta.replaceChildren(h("span", { class: "dot", "aria-hidden": "true", vars: { "--hue": hueOf(memory.device) } }), [from, ...parts].join(" · "));
    item.meta.title = `${clock(when)} · ${memory.rid}`;
  }
  if (before !== undefined && before !== memory.text) {
    if (item.editing) item.editing.overtaken(memory);
    else flash(item);
  }
}

function flash(item) {
  item.classList.remove("arrived");
  void item.offsetWidth; // so that the same animation runs again
  item.classList.add("arrived");
}

async function togglePin(rid) {
  const pinned = memoryNamed(rid)?.pinned;
  try {
    learn(await call(pinned ? "unpin" : "pin", { rid }));
    announce(pinned ? t("Unpinned") : t("Pinned"));
  } catch (error) {
    complain(error);
  }
}

async function forget(rid) {
  const item = document.querySelector(`.card[data-rid="${CSS.escape(rid)}"]`);
  const gone = withFacts([rid]);
  const others = [...document.querySelectorAll(".card")].filter((each) => each === item || !gone.includes(each.dataset.rid));
  const next = others[others.indexOf(item) + 1] ?? others[others.indexOf(item) - 1];
  try {
    await call("panel/forget", { rids: gone });
    next?.querySelector(".card-text")?.focus();
  } catch (error) {
    complain(error);
  }
}
