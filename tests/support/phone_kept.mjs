// Make a memory of the phone's Python as its page does, and run a script in it, under node: once from scratch, and twice from
// that memory, each time in another zone of time: node phone_kept.mjs BUILD SCRIPT. The script prints a line each time.
import { pathToFileURL } from "node:url";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const [build, script] = process.argv.slice(2);
const page = join(build, "samemind_phone", "static");
const named = (start) => join(page, readdirSync(page).find((name) => name.startsWith(start) && !name.endsWith(".br")));
const load = (path) => import(pathToFileURL(path).href);
const part = (name) => join(build, "parts", name);
await load(part("vendor.js"));
const { loadPyodide } = await load(join(build, "node_modules", "pyodide", "pyodide.mjs"));
const { unpack, withRoom } = await load(part("start.js"));
const run = readFileSync(script, "utf8");

async function loaded(options) {
  const python = await loadPyodide({ stdLibURL: named("python_stdlib-"), stdout: (line) => console.log(line), ...options });
  unpack(python.FS, new Uint8Array(readFileSync(named("app-"))), "/app");
  return python;
}

const maker = await loaded({ _makeSnapshot: true });
maker.runPython("import sys; sys.path.insert(0, '/app'); from samemind.phone import waking; waking.prepare()");
const memory = maker.makeMemorySnapshot();
const scratch = await loaded({});
scratch.runPython("import sys; sys.path.insert(0, '/app'); from samemind.phone import stand_ins; stand_ins.install()");
scratch.runPython(run);
const plain = WebAssembly.instantiate;
WebAssembly.instantiate = async (...given) => withRoom(await plain(...given), memory.length);
for (const zone of ["Asia/Tokyo", "America/Lima"]) {
  process.env.TZ = zone;
  const python = await loaded({ _loadSnapshot: memory });
  python.runPython("from samemind.phone import waking; waking.wake()");
  python.runPython(run);
}
