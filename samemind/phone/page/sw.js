// Keeps the page, so that it opens without a network and without the device that serves it; and takes a new one only whole,
// as its manifest says, and where a device of the group signed that manifest.
const SCOPE = new URL("./", self.location).pathname;
const CACHE = "samemind-page-";
const POLICY = "content-security-policy";
const PAGE_CONTEXT = "samemind phone page 1\0", POLICY_CONTEXT = "samemind phone policy 1\0";

self.addEventListener("install", (event) => event.waitUntil(inTurn().then(() => self.skipWaiting())));
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  const path = url.pathname === SCOPE ? `${SCOPE}index.html` : url.pathname;
  if (event.request.method !== "GET" || url.origin !== self.location.origin || !path.startsWith(SCOPE)) return;
  event.respondWith(found(path).then((answer) => answer ?? fetch(event.request)));
});
self.addEventListener("message", (event) => {
  if (event.data === "look") event.waitUntil(inTurn().then((news) => news && event.source.postMessage(news), () => {}));
});

// The newest page that is here whole stands for all; older ones go once nobody shows them. Looked for once, since a start
// asks for a dozen files.
let known = null;
const current = () => (known ??= newest().then((here) => here ?? (known = null)));

async function newest() {
  const names = (await caches.keys()).filter((name) => name.startsWith(CACHE)).sort();
  for (const name of names.reverse()) {
    const cache = await caches.open(name);
    if (await cache.match(`${SCOPE}manifest.json`)) return { name, cache };
  }
  return null;
}

async function found(path) {
  const here = await current();
  const own = await here?.cache.match(path);
  if (own) return own;
  for (const name of await caches.keys()) { // a page that was opened before the new one came asks for its own parts
    if (name.startsWith(CACHE)) {
      const older = await (await caches.open(name)).match(path);
      if (older) return older;
    }
  }
  return undefined;
}

// One after the other: two at once would each take away what the other keeps.
let last = Promise.resolve();
const inTurn = () => (last = last.catch(() => {}).then(take));

// Fetch the page that is served now, if it is another, or if it may connect to other mailboxes: what a browser lets it do is
// kept with it. Say what is new of what is here now, whole.
async function take() {
  const answer = await fetch(`${SCOPE}manifest.json`, { cache: "no-store" });
  if (!answer.ok) throw new Error(`expected a manifest, got ${answer.status}`);
  const bytes = await answer.arrayBuffer();
  const manifest = JSON.parse(new TextDecoder().decode(bytes));
  const before = await current();
  const digest = await sha256(bytes);
  const held = await before?.cache.match(`${SCOPE}manifest.json`);
  const signed = await signatures();
  const policy = signed.policy ?? answer.headers.get(POLICY) ?? "default-src 'none'";
  const isSame = held && (await sha256(await held.arrayBuffer())) === digest;
  if (isSame && held.headers.get(POLICY) === policy) return null;
  if (before && !(await isSigned(signed, bytes, policy))) throw new Error("nobody of this group signed the new page");
  const name = `${CACHE}${String(Date.now()).padStart(15, "0")}`;
  const cache = await caches.open(name);
  for (const [file, { sha256: expected, type }] of Object.entries(manifest.files)) {
    const path = `${SCOPE}${file}`;
    let got = await before?.cache.match(path);
    let content = await got?.arrayBuffer();
    if (!content || (await sha256(content)) !== expected) { // not here yet, or another under the same name, as index.html
      got = await fetch(path, { cache: "no-cache" });
      content = await got.arrayBuffer();
    }
    if (!got.ok || (await sha256(content)) !== expected) {
      await caches.delete(name);
      throw new Error(`${file} is not the one that the manifest names`);
    }
    const headers = { "content-type": type, [POLICY]: policy };
    for (const kept of ["referrer-policy", "x-content-type-options"]) {
      if (got.headers.get(kept)) headers[kept] = got.headers.get(kept);
    }
    await cache.put(path, new Response(content, { headers }));
  }
  await cache.put(`${SCOPE}manifest.json`, new Response(bytes, { headers: { "content-type": "application/json", [POLICY]: policy } }));
  known = null;
  for (const other of await caches.keys()) {
    if (other.startsWith(CACHE) && other !== name && other !== before?.name) await caches.delete(other);
  }
  return before ? (isSame ? "policy" : "fresh") : null;
}

async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

async function signatures() {
  const answer = await fetch(`${SCOPE}manifest.sig`, { cache: "no-store" });
  return answer.ok ? answer.json() : {};
}

// Before it is paired a device knows nobody, and takes what the place gives from which its page came.
async function isSigned({ device, signature, policy_signature }, manifest, policy) {
  const members = (await kept("members")) ?? {};
  if (Object.keys(members).length === 0) return true;
  if (!signature || !policy_signature || !Object.hasOwn(members, device)) return false;
  const key = await crypto.subtle.importKey("raw", unhex(members[device]), { name: "Ed25519" }, false, ["verify"]);
  const text = new TextEncoder();
  const holds = async (by, context, content) => {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
    return crypto.subtle.verify({ name: "Ed25519" }, key, unhex(by), new Uint8Array([...text.encode(context), ...digest]));
  };
  return (await holds(signature, PAGE_CONTEXT, manifest)) && holds(policy_signature, POLICY_CONTEXT, text.encode(policy));
}

function kept(name) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("samemind-phone", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("kept");
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const base = opening.result;
      const asked = base.transaction("kept").objectStore("kept").get(name);
      asked.onsuccess = () => { base.close(); resolve(asked.result); };
      asked.onerror = () => { base.close(); reject(asked.error); };
    };
  });
}
