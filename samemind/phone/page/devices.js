// The first visit, pairing, the devices of the group, and what this browser promises to keep.
import { number, t } from "../../panel/static/js/i18n.js";
import { ask } from "./talk.js";
import { dropAll } from "./drafts.js";
import { filled, h, inWords, linkOf, momentIn, named, notice, sizeOf, swap } from "./dom.js";
import { inPageWords } from "./said.js";

const CODE_LETTERS = 40;
const ID_SHOWN = 12; // as `samemind peers list` shows it

function guessedName() {
  const agent = navigator.userAgent;
  for (const [pattern, name] of [[/iPhone/, "iPhone"], [/iPad/, "iPad"], [/Android/, t("Android phone")], [/Mac OS/, t("browser on the Mac")], [/Windows/, t("browser on Windows")]]) if (pattern.test(agent)) return name;
  return t("browser");
}

// Ask what this device is to be called, and for a code if there is one; nothing is made before that.
export function welcome(main, code) {
  return new Promise((resolve) => {
    const name = h("input", { type: "text", value: guessedName(), maxlength: 60, required: true, autocomplete: "off" });
    const shown = h("input", { type: "text", value: code ?? "", maxlength: CODE_LETTERS, autocomplete: "off", autocapitalize: "none", spellcheck: "false" });
    const begin = (event) => {
      event.preventDefault();
      if (name.value.trim()) resolve({ name: name.value.trim(), code: shown.value.trim() || null });
    };
    main.replaceChildren(h("form", { class: "stack welcome", onsubmit: begin },
      h("h2", {}, t("This browser becomes one of your devices")),
      h("p", { class: "muted" }, t("It keeps what is remembered on its own disk, finds it without a network, and meets your other devices when they are near. Nothing goes anywhere else.")),
      h("label", {}, t("What your other devices call this one"), name),
      h("label", {}, t("The code that your other device shows, if it shows one"), shown),
      h("button", { type: "submit", class: "primary" }, t("Begin"))));
    elsewhere().then((address) => address && main.querySelector(".welcome")?.prepend(otherAddress(address)));
  });
}

// Where phones find the device that serves this page, if that is another address: a browser has another store for each.
async function elsewhere() {
  try {
    const answer = await fetch("where", { cache: "no-store" });
    const { origin } = answer.ok ? await answer.json() : {};
    return origin && origin !== location.origin ? origin : null;
  } catch {
    return null; // nobody is there to be asked
  }
}

function otherAddress(origin) {
  return h("div", { class: "panel warn", role: "alert" }, h("h3", {}, t("Phones find that device at another address")),
    h("p", {}, ...filled(t("A browser keeps what it remembers for one address alone. If this one was one of your devices, it was so at {address}."), { address: h("a", { href: `${origin}/phone/` }, origin) })));
}

export function wiped(why) {
  document.documentElement.dataset.gone = "yes";
  dropAll();
  document.getElementById("tabs").hidden = true;
  for (const each of ["where", "trouble"]) document.getElementById(each).hidden = true;
  document.getElementById("main").replaceChildren(h("div", { class: "stack welcome" }, h("h2", {}, t("Nothing is kept here any more")), h("p", { role: "alert" }, why), h("button", { type: "button", class: "primary", onclick: () => location.reload() }, t("Begin anew"))));
}

export function devicesView() {
  const list = h("ul", { class: "devices" });
  const figures = h("dl", { class: "figures" });
  const promises = h("div", { class: "stack" });
  const pairing = h("div", { class: "panel", id: "pairing", tabindex: -1 });
  const ending = h("div", { class: "panel" });
  const mailboxes = h("div", { class: "stack", id: "mailboxes" });
  const element = h("div", { class: "stack" }, h("h2", {}, t("Devices")), h("div", { class: "panel" }, list), mailboxes, pairing, promises, h("div", { class: "panel" }, h("h3", {}, t("On this device")), figures), ending);

  async function refresh() {
    const { answer } = await ask("call", { verb: "devices" });
    const isAlike = (one) => answer.some((each) => each.name === one.name && each.id !== one.id);
    list.replaceChildren(...answer.map((each) => h("li", {}, h("span", {}, named(each.name), isAlike(each) && h("span", { class: "muted" }, ` ${each.id.slice(0, ID_SHOWN)}`)), h("span", { class: "muted" }, each.is_here ? t("this device") : each.is_out ? t("removed") : ""))));
    const status = await ask("status");
    figures.replaceChildren(...[[t("Memories"), number(status.memories)], [t("On its disk"), sizeOf(status.bytes)], [t("Link"), status.link.why ? inWords(inPageWords(status.link.why)) : linkOf(status.link)]].flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
    mailboxes.replaceChildren(...status.mailboxes.map(mailboxPanel));
    promises.replaceChildren(...(await promised()));
  }

  function offer(code = "") {
    const field = h("input", { type: "text", value: code, maxlength: CODE_LETTERS, autocomplete: "off", autocapitalize: "none", spellcheck: "false" });
    const begin = (event) => {
      event.preventDefault();
      pair(field.value.trim());
    };
    swap(pairing, pairing, h("h3", {}, t("Pair with another device")),
      h("p", { class: "muted" }, t("On the device that serves this page, ask for a code (Devices, “Show a code”, or samemind pair), and type it here.")),
      h("form", { class: "stack", onsubmit: begin }, h("label", {}, t("Code"), field), h("button", { type: "submit", class: "primary" }, t("Pair"))));
  }
  async function pair(code, expected = null) {
    if (!code) return;
    swap(pairing, pairing, h("p", { role: "status" }, t("Pairing …")));
    try {
      const { words, name } = await ask("pair", { code, expected });
      swap(pairing, pairing, h("h3", {}, ...filled(t("Paired with {device}"), { device: named(name) })), h("p", { class: "words" }, words.join(" ")), h("p", { class: "muted" }, ...filled(t("{device} shows the same words. If it shows others, somebody sits between: remove this device there."), { device: named(name) })));
      refresh();
    } catch (error) {
      offer(code);
      pairing.prepend(h("p", { class: "panel warn", role: "alert" }, inWords(inPageWords(error.message))));
    }
  }

  function offerEnd() {
    const erase = () => ask("wipe").then(() => wiped(t("You erased what this device held. Remove it from your group on another device, too.")), (error) => notice(inPageWords(error.message), { error: true }));
    const begin = h("button", { type: "button", class: "danger", onclick: doubt }, t("Erase this device"));
    const keep = h("button", { type: "button", class: "quiet", "data-leaves": true, onclick: offerEnd }, t("Keep it"));
    function doubt() {
      swap(ending, keep,
        h("p", { role: "alert" }, t("Erase all that this browser remembers? What was not yet passed on to another device is lost.")),
        h("div", { class: "row" }, h("button", { type: "button", class: "danger", onclick: erase }, t("Erase it")), keep));
    }
    swap(ending, begin, begin);
  }

  offer();
  offerEnd();
  refresh().catch((error) => notice(inPageWords(error.message), { error: true }));
  const again = () => refresh().catch(() => {}); // who comes back, asks anew
  return { element, refresh: again, linked: again, pair };
}

// What to do where a mailbox is in trouble; what it is, is said by the worker.
const ADVICE = {
  cors: () => t("Its server has to let pages of {origin} read it (CORS). The manual, “Meet through a mailbox”, says how.", { origin: location.origin }),
  policy: () => t("Load this page anew while the device that serves it is there: the page then may connect to it."),
  denied: () => t("Give its password anew on the device that serves this page (samemind mailbox add), and let the two meet."),
  full: () => t("Make room there. What you tell this phone is kept here until then."),
  network: () => t("It is tried again by itself. If other pages open, its address may be wrong: samemind mailbox phones, on the device that serves this page."),
};

function mailboxPanel(each) {
  const met = each.looked_ms ? t("Last met by mailbox {when}.", { when: momentIn(each.looked_ms) }) : t("Not met by this mailbox since the page was opened.");
  const told = [h("h3", {}, ...filled(t("Mailbox {mailbox}"), { mailbox: named(each.name) })), h("p", { class: "muted" }, each.putting_off && !each.trouble ? `${met} ${t("What was told here since is passed on soon, or when the device that serves this page is near.")}` : met)];
  if (each.trouble) told.push(h("p", { class: "panel warn", role: "alert" }, `${t("Since then: {why}.", { why: inPageWords(each.trouble) })} ${(ADVICE[each.kind] ?? ADVICE.network)()}`));
  for (const reason of each.refused) told.push(h("p", { class: "panel warn", role: "alert" }, t("Some of what lies there is not taken yet: {why}. Is the clock of this phone right, and that of your other devices?", { why: inPageWords(reason) })));
  return h("div", { class: "panel" }, ...told);
}

// What the browser does not promise, said plainly.
async function promised() {
  const told = [];
  const say = (title, text, more) => told.push(h("div", { class: "panel" }, h("h3", {}, title), h("p", { class: "muted" }, text), more));
  const address = await elsewhere();
  if (address) told.push(otherAddress(address));
  if (!navigator.serviceWorker?.controller && document.documentElement.dataset.kept === "no") {
    say(t("Opens only near the device that serves it"), t("This browser does not trust the certificate of this address, so it may not keep the page. What you remember stays here all the same; the page opens while that device is there. “samemind phone” on that device shows how to trust it."), h("a", { href: "trust" }, t("Have this browser trust that device")));
  }
  if (!(await navigator.storage.persisted())) {
    say(t("The browser may clear this"), t("It made no promise to keep what this page stores: when its disk is full, or after a week without a visit on an iPhone, it may clear it. Put the page on your home screen, and let it meet your other devices now and then."));
  }
  return told;
}
