// Start Python: from what its memory held once everything was imported, if an earlier start left that on the disk of this
// browser, or from scratch. Pyodide documents nothing of the former, so whatever is wrong with it ends in the latter.
import { keep, kept } from "./{{KEPT}}";

const PARTS = {{PARTS}};
const FOLDER = "samemind-start", FILE = "memory";
const ROOM_BYTES_MIN = 200_000_000;
const PAGE_BYTES = 65_536; // of WebAssembly
const TRIES_MAX = 3; // where none was ever good, no more are made
const at = (name) => new URL(PARTS[name], new URL("./", import.meta.url)).href;
// What a memory was made of: any other part, and it is another one.
const OF = ["pyodide.asm.wasm", "pyodide.asm.mjs", "python_stdlib.zip", "app.zip"].map((name) => PARTS[name]).join(" ");
const hex = async (bytes) => [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

// Return the interpreter, and whether it went on from a memory; `lap` is told what was reached.
export async function startPython(lap) {
  compileAhead();
  const app = fetched("app.zip");
  import(at("pyodide.asm.mjs")).catch(() => {}); // Pyodide asks for it when it has all else
  const [{ loadPyodide }, memory] = await Promise.all([import(at("pyodide.mjs")), remembered().catch(() => null)]);
  lap("fetched");
  if (memory) {
    try {
      room = memory.size;
      const python = await loaded(loadPyodide, app, { _loadSnapshot: memory.bytes });
      if (!(await memory.isWhole)) throw new Error("what was kept of a start is not as it was");
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

// Compile the interpreter while its memory is read: Pyodide would begin when it has all else. Once, for whichever start comes
// of it; what Pyodide fetched for that is not read then.
function compileAhead() {
  const compiling = WebAssembly.compileStreaming(fetch(at("pyodide.asm.wasm"))).catch(() => null);
  const plain = WebAssembly.instantiateStreaming;
  WebAssembly.instantiateStreaming = async (source, imports) => {
    const module = await compiling;
    if (!module) return withRoom(await plain.call(WebAssembly, source, imports), room);
    Promise.resolve(source).then((answer) => answer.body?.cancel()).catch(() => {});
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

const fetched = (name) => fetch(at(name)).then((answer) => answer.arrayBuffer());

async function loaded(loadPyodide, app, options) {
  const indexURL = new URL("./", at("pyodide.asm.wasm")).href;
  const python = await loadPyodide({ indexURL, stdLibURL: at("python_stdlib.zip"), lockFileContents: {{LOCK}}, ...options });
  unpack(python.FS, new Uint8Array(await app), "/app");
  return python;
}

// Write the files of a zip that stores them as they are, as `build.mjs` makes it; Python takes ten times as long for it.
export function unpack(FS, zip, to) {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength), names = new TextDecoder(), made = new Set();
  for (let place = 0; view.getUint32(place, true) === 0x04034b50;) {
    const size = view.getUint32(place + 18, true), named = view.getUint16(place + 26, true);
    const start = place + 30 + named + view.getUint16(place + 28, true);
    const path = `${to}/${names.decode(zip.subarray(place + 30, place + 30 + named))}`;
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (!made.has(folder)) FS.mkdirTree(folder);
    made.add(folder);
    FS.writeFile(path, zip.subarray(start, start + size));
    place = start + size;
  }
}

// -- what is kept of a start: the memory in a file, and beside the device's name what it is of, and whether it is good -------

async function fileOf() {
  const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });
  return (await folder.getFileHandle(FILE, { create: true })).createSyncAccessHandle();
}

// A memory that ended its page once is not tried again: it is noted before that it is tried, and after that it was good.
// Whether it is whole is worked out while it is loaded, and known before any store is opened on top of it.
async function remembered() {
  const about = await kept("start");
  if (about?.of !== OF || !about.isGood) return null;
  const bytes = read(about); // Pyodide takes a promise of it, and loads the rest meanwhile
  return { bytes, size: about.size, isWhole: bytes.then(hex).then((found) => found === about.sha256, () => false) };
}

async function read(about) {
  const [handle] = await Promise.all([fileOf(), keep("start", { ...about, isGood: false })]);
  try {
    const memory = new Uint8Array(handle.getSize());
    handle.read(memory, { at: 0 });
    return memory;
  } finally {
    handle.close();
  }
}

// Say that a start went well.
export async function startedWell() {
  const about = await kept("start");
  if (about?.of === OF) await keep("start", { ...about, tries: 0, isGood: true });
}

// Make a memory for later starts, in an interpreter of its own that opens no store and knows no key.
export async function keepStart() {
  const before = await kept("start"), tries = before?.of === OF ? before.tries + 1 : 1;
  if (tries > TRIES_MAX) return;
  const { quota = 0, usage = 0 } = await navigator.storage.estimate();
  if (quota - usage < ROOM_BYTES_MIN) return;
  const { loadPyodide } = await import(at("pyodide.mjs"));
  const python = await loaded(loadPyodide, fetched("app.zip"), { _makeSnapshot: true });
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
  await keep("start", { of: OF, size: memory.length, sha256: await hex(memory), tries, isGood: true });
}

export async function forgetStart() {
  const root = await navigator.storage.getDirectory();
  await root.removeEntry(FOLDER, { recursive: true }).catch((error) => {
    if (error.name !== "NotFoundError") throw error;
  });
}
