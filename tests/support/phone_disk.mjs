// A browser's private disk (OPFS) under node, in memory and of a size that a test chooses, below the very file system that the
// page mounts (samemind/phone/page/disk.js). It refuses as Chromium does: a write with no room for all of it writes nothing; or,
// as in a private window, it says that all was written.
const BLOCK = 4096;
let room = Infinity, isPrivate = false;
const files = new Map();
const blocks = (bytes) => Math.ceil(bytes / BLOCK) * BLOCK;
const used = () => [...files.values()].reduce((sum, file) => sum + blocks(file.size), 0);

function grown(file, size) {
  if (used() - blocks(file.size) + blocks(size) > room) {
    if (isPrivate) return false;
    throw new DOMException("No space available for this operation", "QuotaExceededError");
  }
  if (size > file.bytes.length) {
    const wider = new Uint8Array(Math.max(size, file.bytes.length * 2));
    wider.set(file.bytes.subarray(0, file.size));
    file.bytes = wider;
  }
  file.size = size;
  return true;
}

const handleOf = (file) => ({
  getSize: () => file.size,
  read(into, { at }) {
    const some = file.bytes.subarray(at, Math.max(at, Math.min(file.size, at + into.length)));
    into.set(some);
    return some.length;
  },
  write(from, { at }) {
    if (at + from.length <= file.size || grown(file, at + from.length)) file.bytes.set(from, at);
    return from.length;
  },
  truncate(size) {
    if (size > file.size) grown(file, size);
    else file.bytes.fill(0, (file.size = size));
  },
  flush() {},
  close() {},
});

function named(name) {
  if (!files.has(name)) files.set(name, { bytes: new Uint8Array(BLOCK), size: 0 });
  return { createSyncAccessHandle: async () => handleOf(files.get(name)) };
}

const folder = { getFileHandle: async (name) => named(name) };
const root = { getDirectoryHandle: async () => folder };

// What a script of Python finds as `js.privateDisk`: `python()` is the interpreter, `disk` the module of the page.
export const offer = (disk, python) => {
  globalThis.privateDisk = {
    mount: async (at) => {
      const value = { storage: { getDirectory: async () => root } };
      Object.defineProperty(globalThis, "navigator", { configurable: true, value }); // now: Python starts otherwise where it is
      const mounted = await disk.mountDisk(python().FS, at);
      Object.assign(globalThis.privateDisk, { counts: mounted.counts, makeRoom: mounted.makeRoom });
    },
    held: (name) => files.get(name).bytes.slice(0, files.get(name).size), // as one finds it who comes after a kill
    leave: (bytes, privately) => { room = used() + bytes; isPrivate = privately; },
    widen: () => { room = Infinity; },
  };
};
