// A file system for SQLite whose files are sync access handles of the browser's private disk (OPFS): a write goes straight
// there, and fsync is flush(). Opening is asynchronous, so a fixed set of names is opened at the start; a file exists if it
// has bytes or was created since, which is all that a database and its journal ask.
const FOLDER = "samemind";
const LOG = "memory.db-wal";
const NAMES = ["memory.db", "memory.db-journal", LOG];
const GATHERED_MAX = 1 << 19, AHEAD = 1 << 20; // more than most commits write, and by how much the log grows
const ROOM = 1 << 21, ROOM_MIN = ROOM / 2; // for some thirty commits, behind what the log holds
const DIRECTORY = 0o040777;
const FILE = 0o100666;
const ENOENT = 44, EINVAL = 28, EPERM = 63, ENOSPC = 51, EIO = 29, ENODEV = 43;
const BLOCK = 4096;
const TRIES_MAX = 50, TRY_AGAIN_MS = 100;

// SQLite asks for fdatasync, which Emscripten answers with nothing done: send it where fsync goes. To be called before the
// interpreter is loaded; `module()` returns what it is once it stands.
export function syncForReal(module) {
  for (const name of ["instantiate", "instantiateStreaming"]) {
    const plain = WebAssembly[name].bind(WebAssembly);
    WebAssembly[name] = (source, imports) => {
      if (imports?.env?.__syscall_fdatasync) {
        imports.env.__syscall_fdatasync = (descriptor) => {
          const stream = module()?.FS.getStream(descriptor);
          return stream?.stream_ops?.fsync?.(stream) ?? 0;
        };
      }
      return plain(source, imports);
    };
  }
}

export async function wipeDisk() {
  const root = await navigator.storage.getDirectory();
  await root.removeEntry(FOLDER, { recursive: true }).catch((error) => {
    if (error.name !== "NotFoundError") throw error;
  });
}

// A page that was just closed may hold its files for a moment longer.
async function taken(file) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await file.createSyncAccessHandle();
    } catch (error) {
      if (error.name !== "NoModificationAllowedError" || tries === TRIES_MAX) throw error;
      await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
    }
  }
}

// Asked for before the interpreter stands: opening takes its time, and none of the processor's.
export async function opened() {
  const root = await navigator.storage.getDirectory();
  const folder = await root.getDirectoryHandle(FOLDER, { create: true });
  const files = new Map();
  for (const name of NAMES) {
    const handle = await taken(await folder.getFileHandle(name, { create: true }));
    const size = handle.getSize();
    const gathered = name === LOG ? { at: 0, length: 0, bytes: new Uint8Array(GATHERED_MAX) } : null;
    files.set(name, { handle, size, held: size, exists: size > 0, gathered }); // `held`: up to where bytes were written
  }
  return files;
}

export async function mountDisk(FS, at, opening = opened()) {
  const files = await opening;
  const counts = { flushes: 0, writes: 0 };
  const fail = (errno) => { throw new FS.ErrnoError(errno); };
  // What the browser refuses is a disk that refuses: one that is full says so by a name of its own.
  const tried = (act) => {
    try {
      return act();
    } catch (error) {
      return fail(error.name === "QuotaExceededError" ? ENOSPC : EIO);
    }
  };
  // A private window of Chromium says of bytes beyond its quota that it wrote them, and drops them: what is to be longer has
  // to have become so.
  const grown = (file, size) => {
    file.size = file.handle.getSize();
    if (file.size < size) fail(ENOSPC);
  };
  const flush = (file) => { tried(() => file.handle.flush()); counts.flushes += 1; };

  // A commit that lies over bytes which the disk holds already is flushed in a fraction of the time: no place has to be found
  // for them, and nobody else's writes are waited for. So while nobody asks for anything, the log is made longer by zeros, in
  // which SQLite sees its end; these flushes acknowledge nothing, and are not counted.
  function makeRoom() {
    const file = files.get(LOG), { gathered } = file, end = gathered.at + gathered.length;
    if (file.held - end >= ROOM_MIN) return;
    try {
      const from = Math.max(file.held, end), zeros = new Uint8Array(end + ROOM - from);
      if (file.handle.write(zeros, { at: from }) < zeros.length) return;
      file.handle.flush();
      file.size = file.handle.getSize();
      file.held = Math.min(end + ROOM, file.size);
    } catch { /* there may be room for less */ }
  }

  // SQLite writes each page of its log in two pieces, some forty for a memory, and relies on none of them before it flushes: they
  // are gathered and written as one, at the latest when whoever wrote them is done. The log is made longer before that, so a
  // disk that is full says so to the write that it has no room for, as ever; behind its last frame SQLite expects anything.
  function gather(file, bytes, position) {
    const { gathered } = file, end = position + bytes.length;
    if (end > file.size) lengthen(file, end);
    if (position !== gathered.at + gathered.length || gathered.length + bytes.length > GATHERED_MAX) {
      settle(file);
      gathered.at = position;
    }
    if (!gathered.length) setTimeout(() => { try { settle(file); } catch { /* who flushes is told */ } });
    gathered.bytes.set(bytes, gathered.length);
    gathered.length += bytes.length;
    return bytes.length;
  }

  function settle(file) {
    const { gathered } = file;
    if (!gathered?.length) return;
    counts.writes += 1;
    const written = tried(() => file.handle.write(gathered.bytes.subarray(0, gathered.length), { at: gathered.at }));
    if (written < gathered.length) fail(ENOSPC);
    gathered.at += gathered.length;
    file.held = Math.max(file.held, gathered.at);
    gathered.length = 0;
  }

  function lengthen(file, size) {
    try {
      file.handle.truncate(size + AHEAD);
      file.size = file.handle.getSize();
    } catch { /* there may be room for less */ }
    if (file.size >= size) return;
    tried(() => file.handle.truncate(size));
    grown(file, size);
  }

  const streamOps = {
    open() {},
    close() {},
    llseek(stream, offset, whence) {
      const from = whence === 1 ? stream.position : whence === 2 ? stream.node.file.size : 0;
      return from + offset < 0 ? fail(EINVAL) : from + offset;
    },
    read(stream, buffer, offset, length, position) {
      const { file } = stream.node;
      settle(file);
      return tried(() => file.handle.read(buffer.subarray(offset, offset + length), { at: position }));
    },
    write(stream, buffer, offset, length, position) {
      const { file } = stream.node;
      if (file.gathered && length <= GATHERED_MAX) return gather(file, buffer.subarray(offset, offset + length), position);
      counts.writes += 1;
      const written = tried(() => file.handle.write(buffer.subarray(offset, offset + length), { at: position }));
      if (written < length) fail(ENOSPC);
      if (position + length > file.size) grown(file, position + length);
      return written;
    },
    fsync(stream) {
      const { file } = stream.node;
      if (file) { settle(file); flush(file); }
      return 0;
    },
    allocate() {},
    msync: () => 0,
    mmap: () => fail(ENODEV),
  };
  const nodeOps = {
    getattr(node) {
      const size = node.file ? node.file.size : BLOCK;
      const time = new Date(node.stamp);
      return { dev: 1, ino: node.id, mode: node.mode, nlink: 1, uid: 0, gid: 0, rdev: 0, size, atime: time, mtime: time, ctime: time, blksize: BLOCK, blocks: Math.ceil(size / BLOCK) };
    },
    setattr(node, attributes) {
      if (attributes.mode !== undefined) node.mode = attributes.mode;
      if (attributes.size !== undefined) {
        settle(node.file);
        tried(() => node.file.handle.truncate(attributes.size));
        grown(node.file, attributes.size);
        node.file.held = Math.min(node.file.held, node.file.size);
      }
    },
    lookup(parent, name) {
      const file = files.get(name);
      return file?.exists ? made(parent, name, FILE) : fail(ENOENT);
    },
    mknod(parent, name, mode) {
      const file = files.get(name);
      if (!file) fail(EPERM);
      file.exists = true;
      return made(parent, name, mode);
    },
    unlink(parent, name) {
      const file = files.get(name);
      if (file.gathered) file.gathered.length = 0;
      tried(() => file.handle.truncate(0));
      file.size = file.held = 0;
      flush(file);
      file.exists = false;
    },
    rename: () => fail(EPERM),
    rmdir: () => fail(EPERM),
    symlink: () => fail(EPERM),
    readlink: () => fail(EINVAL),
    readdir: () => [".", "..", ...NAMES.filter((name) => files.get(name).exists)],
  };
  function made(parent, name, mode, mount) {
    const node = FS.createNode(parent, name, mode, 0);
    Object.assign(node, { node_ops: nodeOps, stream_ops: streamOps, file: files.get(name), stamp: Date.now() });
    if (mount) node.mount = mount;
    return node;
  }

  FS.mkdirTree(at);
  FS.mount({ mount: (mount) => made(null, "/", DIRECTORY, mount) }, {}, at);
  return {
    counts,
    makeRoom,
    bytes: () => [...files.values()].reduce((sum, file) => sum + file.handle.getSize(), 0),
    close() {
      for (const file of files.values()) {
        if (file.gathered) file.gathered.length = 0; // what nobody flushed was promised to nobody
        file.handle.close();
      }
    },
  };
}
