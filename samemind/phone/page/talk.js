// Talk with the worker that is the device. Only one page of a browser can have its disk open, so one leads (whoever holds
// the lock) and runs the worker; the others ask it through a channel. When it goes away, the next one leads, starts the
// device anew, and asks again what was not answered: what was told under one id is stored once.
const LOCK = "samemind-phone";
const channel = new BroadcastChannel(LOCK);
const me = crypto.randomUUID();
const pending = new Map();
const listeners = new Set();
let worker = null, leading = false, number = 0, begun = null;

export const onEvent = (listener) => listeners.add(listener);
const heard = (event) => { for (const listener of listeners) listener(event); };

export function ask(verb, options = {}) {
  return new Promise((resolve, reject) => {
    const id = `${me} ${(number += 1)}`;
    const asked = { id, verb, options };
    pending.set(id, { asked, resolve, reject });
    send(asked);
  });
}

// Lead as soon as nobody else does. `address`: of the worker, as a browser trusts it; `keeper`: of the one that leaves on the
// disk what the next start goes on from, once this one is over.
export function lead(address, keeper) {
  return navigator.locks.request(LOCK, () => new Promise(() => {
    leading = true;
    worker = new Worker(address, { type: "module" });
    worker.onmessage = ({ data }) => {
      if (data.id && !data.id.startsWith(me)) return channel.postMessage(data);
      if (data.event === "slow start") return void new Worker(keeper, { type: "module" });
      if (data.event) channel.postMessage(data);
      taken(data);
    };
    worker.onerror = (event) => heard({ event: "broken", message: event.message || "the device's program could not be loaded" });
    if (begun) {
      worker.postMessage({ id: `${me} again`, verb: "start", options: begun });
      worker.postMessage({ id: `${me} look`, verb: "look" }); // the link went with the page that led
    }
    for (const { asked } of pending.values()) send(asked);
    channel.postMessage({ event: "leader" });
  }));
}

function send(asked) {
  if (asked.verb === "start") begun = asked.options;
  if (leading) worker.postMessage(asked);
  else channel.postMessage(asked);
}

function taken(data) {
  if (data.event) return heard(data);
  const waiting = pending.get(data.id);
  if (!waiting) return;
  pending.delete(data.id);
  if (data.error) waiting.reject(Object.assign(new Error(data.error.message), { name: data.error.name }));
  else waiting.resolve(data.answer);
}

channel.onmessage = ({ data }) => {
  if (data.verb) return leading ? worker.postMessage(data) : undefined;
  if (data.event === "leader") {
    for (const { asked } of pending.values()) channel.postMessage(asked); // whom it was said to is gone
    return;
  }
  if (data.event || data.id?.startsWith(me)) taken(data);
};
