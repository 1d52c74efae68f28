// What the service worker of a phone's page makes of another policy: its own code, under node, with a cache and a server of
// this script. node phone_policy.mjs SW_JS; prints what came of each try.
import { readFileSync } from "node:fs";

const encode = (text) => new TextEncoder().encode(text);
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
const keys = async () => crypto.subtle.generateKey({ name: "Ed25519" }, true, ["sign", "verify"]);
const signed = async (by, context, content) => hex(await crypto.subtle.sign({ name: "Ed25519" }, by.privateKey, Buffer.concat([encode(context), await sha256(content)])));

const held = new Map(), members = {};
const caches = {
  keys: async () => [...held.keys()],
  delete: async (name) => held.delete(name),
  open: async (name) => {
    if (!held.has(name)) held.set(name, new Map());
    const files = held.get(name);
    return { match: async (path) => files.get(path)?.clone(), put: async (path, answer) => void files.set(path, answer) };
  },
};
const indexedDB = {
  open() {
    const opening = { result: { close() {}, transaction: () => ({ objectStore: () => ({ get: (name) => {
      const asked = { result: name === "members" ? members : undefined };
      setTimeout(() => asked.onsuccess());
      return asked;
    } }) }) } };
    setTimeout(() => opening.onsuccess());
    return opening;
  },
};

let manifest, policy, signature, served = "worker";
const files = async () => ({ "worker.js": { sha256: hex(await sha256(encode(served))), type: "text/javascript" } });
const fetched = async (path) => {
  if (path.endsWith("manifest.json")) return new Response(manifest);
  if (path.endsWith("manifest.sig")) return new Response(JSON.stringify({ ...signature, policy }));
  return new Response(served, { headers: { "content-security-policy": "what a stranger likes" } });
};
const self = { location: "https://laptop.local/phone/sw.js", addEventListener() {} };
const take = new Function("self", "caches", "fetch", "indexedDB", `${readFileSync(process.argv[2], "utf8")}; return inTurn;`)(self, caches, fetched, indexedDB);

async function serve(next, { by, policyBy = by, over = next }) {
  await new Promise((resolve) => { setTimeout(resolve, 5); }); // what is kept is named by the millisecond
  policy = next;
  manifest = encode(JSON.stringify({ files: await files() }));
  signature = { device: "laptop", signature: await signed(by, "samemind phone page 1\0", manifest), policy_signature: await signed(policyBy, "samemind phone policy 1\0", encode(over)) };
}

async function tried() {
  const news = await take().catch(() => "refused");
  const newest = [...held.keys()].sort().findLast((name) => held.get(name).has("/phone/manifest.json"));
  return [news, held.get(newest).get("/phone/worker.js").headers.get("content-security-policy")];
}

const laptop = await keys(), stranger = await keys(), told = {};
await serve("one", { by: stranger });
told["before it is paired"] = await tried();
members.laptop = hex(await crypto.subtle.exportKey("raw", laptop.publicKey));
await serve("one", { by: laptop });
told["nothing new"] = await tried();
await serve("two", { by: laptop });
told["of a member"] = await tried();
await serve("three", { by: stranger });
told["of a stranger"] = await tried();
await serve("three", { by: laptop, policyBy: stranger });
told["of a stranger, with a member's page"] = await tried();
await serve("three", { by: laptop, over: "two" });
told["over another policy"] = await tried();
served = "another worker";
await serve("four", { by: stranger, policyBy: laptop });
told["of a member, with a stranger's page"] = await tried();
await serve("four", { by: laptop });
told["both of a member"] = await tried();
served = "a third worker";
await serve("five", { by: laptop });
told["asked twice at once"] = [await Promise.all([take(), take()]), (await tried())[1]];
console.log(JSON.stringify(told));
