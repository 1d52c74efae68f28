// What Python asks of JavaScript: keys and boxes by @noble, text documents by Yjs. Bundled by esbuild; see samemind/phone/bridge.py.
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { hsalsa, xsalsa20poly1305 } from "@noble/ciphers/salsa.js";
import { ed25519, x25519 } from "@noble/curves/ed25519.js";
import { sha512 } from "@noble/hashes/sha2.js";
import * as Y from "yjs";

const { Point } = ed25519;
const { Fn } = Point;
const ORDER = Fn.ORDER;
const KEY_BYTES = 32, SIGNATURE_BYTES = 64;
const number = (bytes) => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

// Check a signature by the very equation that OpenSSL checks: R = sB - kA, as bytes, without the cofactor. RFC 8032 allows
// either, and @noble's own `verify` multiplies by the cofactor; a signature that one device takes and another refuses
// would drive them apart, so what counts here is agreement.
function isSigned(key, message, signature) {
  if (key.length !== KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false;
  const s = number(signature.subarray(KEY_BYTES));
  if (s >= ORDER) return false;
  let point;
  try {
    point = Point.fromBytes(key, true); // OpenSSL takes every encoding of a point, not only the shortest
  } catch {
    return false;
  }
  const hash = sha512.create().update(signature.subarray(0, KEY_BYTES)).update(key).update(message).digest();
  const expected = Point.BASE.multiplyUnsafe(s).subtract(point.multiplyUnsafe(number(hash) % ORDER)).toBytes();
  return expected.every((byte, at) => byte === signature[at]);
}

// What follows from the key that signs, kept for the last one: a device has one, and @noble's own `sign` derives it each
// time, which is half of its work. The rest is RFC 8032, 5.1.6.
let derived = { of: "" };
function derivedFrom(key) {
  const of = key.join();
  if (derived.of !== of) derived = { of, ...ed25519.utils.getExtendedPublicKey(key) };
  return derived;
}

const scalarOf = (...parts) => {
  const hash = sha512.create();
  for (const part of parts) hash.update(part);
  return Fn.create(number(hash.digest()));
};

function sign(key, message) {
  const { prefix, scalar, pointBytes } = derivedFrom(key);
  const r = scalarOf(prefix, message);
  const signature = new Uint8Array(SIGNATURE_BYTES);
  signature.set(Point.BASE.multiply(r).toBytes());
  signature.set(Fn.toBytes(Fn.create(r + scalarOf(signature.subarray(0, KEY_BYTES), pointBytes, message) * scalar)), KEY_BYTES);
  return signature;
}

// What a document holds, or what of it another lacks. An edit that waits for words which never came is no part of that: Yjs
// would write it down with the rest, and other devices do not, so a text would read otherwise here than there.
function updateOf(document, state) {
  const { store } = document;
  const { pendingStructs, pendingDs } = store;
  Object.assign(store, { pendingStructs: null, pendingDs: null });
  try {
    return Y.encodeStateAsUpdate(document, state ?? undefined);
  } finally {
    Object.assign(store, { pendingStructs, pendingDs });
  }
}

// The key of a box (NaCl's `crypto_box_beforenm`): what two keys agree on, by HSalsa20 under sixteen zeros.
const words = (bytes) => new Uint32Array(new Uint8Array(bytes).buffer);
const SIGMA = words(new TextEncoder().encode("expand 32-byte k"));
function boxKey(mine, theirs) {
  const key = new Uint32Array(8);
  hsalsa(SIGMA, words(x25519.getSharedSecret(mine, theirs)), new Uint32Array(4), key);
  return new Uint8Array(key.buffer);
}

globalThis.samemind = {
  publicKey: (key) => derivedFrom(key).pointBytes,
  sign,
  isSigned,
  agreementKey: (key) => x25519.getPublicKey(key),
  agree: (key, other) => x25519.getSharedSecret(key, other),
  seal: (key, nonce, plain, context) => chacha20poly1305(key, nonce, context).encrypt(plain),
  unseal: (key, nonce, sealed, context) => chacha20poly1305(key, nonce, context).decrypt(sealed),
  boxSecret: (seed) => ed25519.utils.toMontgomerySecret(seed),
  boxPublic: (key) => ed25519.utils.toMontgomery(key),
  boxKey,
  box: (key, nonce, plain) => xsalsa20poly1305(key, nonce).encrypt(plain),
  unbox: (key, nonce, boxed) => xsalsa20poly1305(key, nonce).decrypt(boxed),

  newDocument: (client) => {
    const document = new Y.Doc();
    if (client !== undefined && client !== null) document.clientID = client;
    return document;
  },
  textOf: (document, name) => document.getText(name),
  shownText: (text) => text.toString(),
  insertText: (text, at, words) => text.insert(at, words),
  deleteText: (text, at, count) => text.delete(at, count),
  applyUpdate: (document, update) => Y.applyUpdate(document, update),
  updateOf,
  stateOf: (document) => Y.encodeStateVector(document),
};
