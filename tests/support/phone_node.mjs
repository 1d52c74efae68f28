// Run a script of Python in the interpreter that a phone's browser loads, under node:
// node phone_node.mjs BUILD ROOT SITE SCRIPT [ARGUMENT...]. ROOT can be read as /root, SITE (where this machine's own packages
// lie) as /site; the script's own output comes through. A private disk is there for who mounts it: phone_disk.mjs.
import { pathToFileURL } from "node:url";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { offer } from "./phone_disk.mjs";

const [build, root, site, script, ...given] = process.argv.slice(2);
const page = join(build, "samemind_phone", "static");
const named = (start) => readFileSync(join(page, readdirSync(page).find((name) => name.startsWith(start) && !name.endsWith(".br"))));
const load = (...parts) => import(pathToFileURL(join(build, ...parts)).href);
await load("parts", "vendor.js");
const { loadPyodide } = await load("node_modules", "pyodide", "pyodide.mjs");
const disk = await load("parts", "disk.js");
let python = null;
disk.syncForReal(() => python);
offer(disk, () => python);
python = await loadPyodide({ args: [script, ...given], stdout: (line) => console.log(line), stderr: (line) => console.error(line) });
python.unpackArchive(new Uint8Array(named("app-")), "zip", { extractDir: "/app" });
for (const [place, from] of [["/root", root], ["/build", build], ["/site", site]]) {
  python.FS.mkdirTree(place);
  python.FS.mount(python.FS.filesystems.NODEFS, { root: from }, place);
}
python.globals.set("ARGUMENTS", python.toPy(given));
const begun = `
import sys
sys.path.insert(0, '/app')
from samemind.phone import stand_ins
stand_ins.install()
`;
try {
  python.runPython(begun);
  await python.runPythonAsync(readFileSync(script, "utf8"), { filename: script });
} catch (error) {
  console.error(String(error.message ?? error));
  process.exitCode = 1;
}
