// Makes the requests that Python wants made of mailboxes, while no paired device is in reach. What to request, when, and what
// beside what, is decided there (samemind/phone/mail.py); here are `fetch`, WebSockets, and what went wrong with them.
const CALL_MS = 120_000, LOOK_MS_MAX = 30_000, AGAIN_MS = 1_000, SLICE_MS = 30, TROUBLE_MS = 60_000, REPORT_MS = 100;

const seconds = () => performance.now() / 1_000;
const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
class Failed extends Error {
  constructor(kind) { super(kind); this.kind = kind; }
}

// The browser tells a refusal by this page's own policy apart from others in an event only.
let refused = [];
addEventListener("securitypolicyviolation", ({ blockedURI }) => { refused = [...refused.slice(-20), blockedURI]; });

// `isAway`: whether no paired device is linked; `changed`: called with the position before, when a look is over.
export function keepMail({ device, isAway, changed }) {
  const servers = new Map();
  let wake = () => {}, isOver = false, rested = Promise.resolve();

  async function run() {
    while (!isOver) {
      await rested;
      const wait = isAway() ? device.mail_wait(seconds()) * 1_000 : AGAIN_MS;
      if (wait > 0) {
        await Promise.race([pause(Math.min(wait, LOOK_MS_MAX)), new Promise((resolve) => { wake = resolve; })]);
        continue;
      }
      try {
        const number = device.mail_begin(Date.now(), seconds());
        if (number) look(number).catch((error) => later(error, number)).finally(() => wake());
      } catch (error) {
        later(error);
      }
    }
  }

  // A full disk, for one: what is told next says so to whoever tells it.
  function later(error, number) {
    if (isOver) return;
    console.warn("a mailbox is looked into later:", error);
    if (number) device.mail_drop(number);
    rested = pause(TROUBLE_MS);
  }

  async function look(number) {
    const name = device.mail_looking(number), before = device.mail_position();
    for (let step, since = performance.now(); (step = JSON.parse(device.mail_step(number))); ) {
      let answer = {}, body;
      if (step.kind === "breath") {
        if (performance.now() - since > SLICE_MS) { await pause(0); since = performance.now(); }
      } else {
        const payload = device.mail_body(number);
        try {
          [answer, body] = await doing[step.kind](name, step, payload);
        } catch (error) {
          answer = { failed: error.kind ?? "closed" };
        }
      }
      if (isOver) return;
      device.mail_answered(number, JSON.stringify(answer), body ?? new Uint8Array(), Date.now(), seconds());
    }
    changed(before);
  }

  const doing = {
    http: async (name, { method, url, headers, bytes_max }, body) => {
      try {
        const answer = await fetch(url, { method, headers, body: body.length ? body : undefined, mode: "cors", credentials: "omit", cache: "no-store", redirect: "error", referrerPolicy: "no-referrer", signal: AbortSignal.timeout(CALL_MS) });
        return [{ status: answer.status, retry_after: answer.headers.get("retry-after") ?? "" }, await some(answer, bytes_max)];
      } catch (error) {
        throw new Failed(await why(url, error));
      }
    },
    ask: async (name, { subject }, payload) => {
      const server = await connected(name);
      try {
        return [{}, await server.ask(subject, payload)];
      } catch (error) {
        servers.delete(name);
        server.close().catch(() => {});
        throw new Failed(meaning(error));
      }
    },
    tell: async (name, { subject }) => { (await connected(name)).tell(subject); return [{}]; },
  };

  async function connected(name) {
    const held = servers.get(name);
    if (held && !held.isClosed()) return held;
    const about = JSON.parse(device.mail_server(name));
    const { connect } = await import(new URL(NATS, import.meta.url).href); // `NATS`, its name, is put in by build.mjs
    let server;
    try {
      server = await connect(about, (nonce) => device.mail_signed(name, nonce), () => { if (!isOver) { device.mail_rung(name, seconds()); wake(); } });
    } catch (error) {
      await pause(REPORT_MS);
      throw new Failed(wasRefused(about.url) ? "policy" : meaning(error));
    }
    servers.set(name, server);
    server.closed.then(() => { if (servers.get(name) === server) servers.delete(name); }); // the next look connects anew
    return server;
  }

  return {
    run,
    wake: () => wake(),
    poke() { device.mail_poke(seconds()); wake(); },
    forget() { for (const server of servers.values()) server.close().catch(() => {}); servers.clear(); },
    end() { isOver = true; this.forget(); wake(); },
  };
}

// Read so much of an answer, and leave the rest where it is.
async function some(answer, most) {
  const parts = [], reader = answer.body?.getReader();
  let size = 0;
  while (reader && size < most) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value.subarray(0, most - size));
    size += parts.at(-1).length;
  }
  reader?.cancel().catch(() => {});
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) { all.set(part, at); at += part.length; }
  return all;
}

const wasRefused = (url) => { const { origin } = new URL(url); return refused.some((each) => each.startsWith(origin)); };

// A browser says of a request that came to nothing only that it did. What it may not read it may still ask: whoever answers
// that is there, and does not let this page in.
async function why(url, error) {
  if (error.name === "TimeoutError") return "timeout";
  await pause(REPORT_MS);
  if (wasRefused(url)) return "policy";
  try {
    await fetch(url, { mode: "no-cors", credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer", signal: AbortSignal.timeout(CALL_MS) });
    return "cors";
  } catch {
    return "network";
  }
}

function meaning(error) {
  const said = `${error?.name} ${error?.message}`.toLowerCase();
  if (said.includes("authorization") || said.includes("permission")) return "denied";
  return said.includes("timeout") ? "timeout" : "network";
}
