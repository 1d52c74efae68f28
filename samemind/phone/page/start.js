// Start Python: from what its memory held once everything was imported, if an earlier start left that on the disk of this
// browser, or from scratch. Pyodide documents nothing of the former, so whatever is wrong with it ends in the latter.
import { keep, kept } from "./kept.js";

// `PARTS` and `LOCK` are put in by build.mjs: what each part is called, and that there are no packages.
const FOLDER = "samemind-start", FILE = "memory";
const ROOM_BYTES_MIN = 200_000_000;
const PAGE_BYTES = 65_536; // of WebAssembly
const TRIES_MAX = 3; // where none was ever good, no more are made
const UNENDED_MAX = 2; // starts in a row that nobody saw the end of: one page may have been closed, two were ended by the memory
export const at = (name) => new URL(PARTS[name], new URL("./", import.meta.url)).href;
// What a memory was made of: any other part, and it is another one.
const OF = ["pyodide.asm.wasm", "pyodide.asm.mjs", "python_stdlib.zip", "app.zip"].map((name) => PARTS[name]).join(" ");

// Return the interpreter, and whether it went on from a memory. `ahead`: what was asked for (ahead.js); `about`: what is noted
// of the last start; `lap` is told what was reached.
export async function startPython(ahead, about, lap) {
  giveAhead(ahead);
  const app = ahead.app.then((answer) => answer.arrayBuffer());
  app.catch(() => {});
  const memory = remembered(about);
  const { loadPyodide } = await ahead.pyodide;
  lap("fetched");
  if (memory) {
    try {
      room = memory.size;
      const python = await loaded(loadPyodide, app, { _loadSnapshot: memory.bytes });
      python.runPython("from samemind.phone import waking; waking.wake()");
      return { python, wasKept: true };
    } catch (error) {
      console.warn("starts from scratch:", error);
      room = 0;
    }
  }
  const python = await loaded(loadPyodide, app, {});
  python.runPython("import sys; sys.path.insert(0, '/app'); from samemind.phone import stand_ins; stand_ins.install()");
  return { python, wasKept: false };
}

// Give Pyodide what was asked for before it stood: its library once, and the interpreter as it was compiled meanwhile, for
// whichever start comes of it.
function giveAhead(ahead) {
  const fetchPlain = fetch, instantiate = WebAssembly.instantiateStreaming;
  const interpreter = at("pyodide.asm.wasm"), library = at("python_stdlib.zip");
  let isGiven = false; // a body is read once
  globalThis.fetch = async (asked, options) => {
    const { href } = new URL(asked?.url ?? asked, location);
    if (href === interpreter && (await ahead.module)) return new Response(); // which nobody reads
    if (href === library && !isGiven) {
      isGiven = true;
      return ahead.library;
    }
    return fetchPlain(asked, options);
  };
  WebAssembly.instantiateStreaming = async (source, imports) => {
    const module = await ahead.module;
    if (!module) return withRoom(await instantiate.call(WebAssembly, source, imports), room);
    return withRoom({ module, instance: await WebAssembly.instantiate(module, imports) }, room);
  };
}

// A memory that grew while everything was imported is larger than what the interpreter begins with, and Pyodide copies it into
// that as it is.
let room = 0;
export function withRoom(started, bytes) {
  const memory = started.instance?.exports.memory;
  const lacking = memory ? bytes - memory.buffer.byteLength : 0;
  if (lacking > 0) memory.grow(Math.ceil(lacking / PAGE_BYTES));
  return started;
}

async function loaded(loadPyodide, app, options) {
  const indexURL = new URL("./", at("pyodide.asm.wasm")).href;
  const python = await loadPyodide({ indexURL, stdLibURL: at("python_stdlib.zip"), lockFileContents: LOCK, ...options });
  unpack(python.FS, new Uint8Array(await app), "/app");
  return python;
}

// Write the files of a zip that stores them as they are, as `build.mjs` makes it; Python takes ten times as long for it. The files
// are parts of the zip, which therefore stays in memory, and are copied when somebody writes into one.
export function unpack(FS, zip, to) {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength), names = new TextDecoder(), made = new Set();
  for (let place = 0; view.getUint32(place, true) === 0x04034b50;) {
    const size = view.getUint32(place + 18, true), named = view.getUint16(place + 26, true);
    const start = place + 30 + named + view.getUint16(place + 28, true);
    const path = `${to}/${names.decode(zip.subarray(place + 30, place + 30 + named))}`;
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (!made.has(folder)) FS.mkdirTree(folder);
    made.add(folder);
    FS.writeFile(path, zip.subarray(start, start + size), { canOwn: true });
    place = start + size;
  }
}

// -- what is kept of a start: the memory in a file, and beside the device's name what it is of, and whether it is good -------

async function fileOf() {
  const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });
  return (await folder.getFileHandle(FILE, { create: true })).createSyncAccessHandle();
}

// A memory that ends its page is not tried for good: it is noted before that it is tried, and after that it went well.
function remembered(about) {
  if (about?.of !== OF || !about.isGood || (about.unended ?? 0) >= UNENDED_MAX) return null;
  const bytes = read(about); // Pyodide takes a promise of it, and loads the rest meanwhile
  bytes.catch(() => {});
  return { bytes, size: about.size };
}

// What tells that a disk gave back what it was given: one word that changed changes one of the two sums. SHA-256 would say no
// more here, where who can write the memory can write its sum, and takes a copy of the 30 MB and five times as long.
export function sumOf(bytes) {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
  let even = bytes.length, odd = 1;
  for (let place = 0; place < words.length; place += 2) {
    const one = even ^ words[place], other = odd ^ words[place + 1];
    even = Math.imul((one << 15) | (one >>> 17), 0x9e3779b1);
    odd = Math.imul((other << 13) | (other >>> 19), 0x85ebca77);
  }
  for (const byte of bytes.subarray(words.length * 4)) even = Math.imul(even ^ byte, 0x9e3779b1);
  return [even >>> 0, odd >>> 0];
}

async function read(about) {
  const [handle] = await Promise.all([fileOf(), keep("start", { ...about, unended: (about.unended ?? 0) + 1 })]);
  try {
    const memory = new Uint8Array(handle.getSize());
    handle.read(memory, { at: 0 });
    if (String(sumOf(memory)) !== String(about.sum)) throw new Error("what was kept of a start is not as it was");
    return memory;
  } finally {
    handle.close();
  }
}

// Say that a start went well.
export async function startedWell() {
  const about = await kept("start");
  if (about?.of === OF) await keep("start", { ...about, tries: 0, unended: 0 });
}

// Make a memory for later starts, in an interpreter of its own that opens no store and knows no key.
export async function keepStart() {
  const before = await kept("start"), tries = before?.of === OF ? before.tries + 1 : 1;
  if (tries > TRIES_MAX) return;
  const { quota = 0, usage = 0 } = await navigator.storage.estimate();
  if (quota - usage < ROOM_BYTES_MIN) return;
  const { loadPyodide } = await import(at("pyodide.mjs"));
  const python = await loaded(loadPyodide, fetch(at("app.zip")).then((answer) => answer.arrayBuffer()), { _makeSnapshot: true });
  python.runPython("import sys; sys.path.insert(0, '/app'); from samemind.phone import waking; waking.prepare()");
  const memory = python.makeMemorySnapshot();
  await keep("start", { of: OF, tries, isGood: false });
  const handle = await fileOf();
  try {
    handle.truncate(0);
    if (handle.write(memory, { at: 0 }) < memory.length) return;
    handle.flush();
  } finally {
    handle.close();
  }
  await keep("start", { of: OF, size: memory.length, sum: sumOf(memory), tries, isGood: true });
}

export async function forgetStart() {
  const root = await navigator.storage.getDirectory();
  await root.removeEntry(FOLDER, { recursive: true }).catch((error) => {
    if (error.name !== "NotFoundError") throw error;
  });
}
