// Make what a browser loads: bundle, hash, compress. Run by `make phone` (tests/support/phone_wheel.py) where npm has
// installed what package-lock.json names: node build.mjs SOURCES APP_ZIP COMPILE_PY LEFT_OUT OUT VERSION BROTLI_QUALITY
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { buildSync } from "esbuild";
import { loadPyodide } from "pyodide";

const [sources, appZip, compiler, leftOut, out, version, quality] = process.argv.slice(2);
const pyodide = join(process.cwd(), "node_modules", "pyodide");

const TYPES = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  json: "application/json",
  wasm: "application/wasm",
  zip: "application/zip",
  webmanifest: "application/manifest+json",
};

const read = (name) => readFileSync(join(sources, name));
// `define`: what names of the source stand for that are known here only.
const bundled = (name, define = {}) =>
  buildSync({ entryPoints: [join(sources, name)], bundle: true, minify: true, format: "esm", write: false, define, nodePaths: [join(process.cwd(), "node_modules")], external: ["node:*"], logLevel: "warning" }).outputFiles[0].contents;
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

// Python by the interpreter that will load it: as bytecode, without the columns of lines. What was compiled before is kept
// under the hash of what it was made of.
const python = await loadPyodide({ env: { PYTHONNODEBUGRANGES: "1" } });
python.runPython(readFileSync(compiler, "utf8"));
const compile = python.runPython("lambda packed, left_out: compiled(packed.to_bytes(), left_out)");
function compiled(path, without = "") {
  const packed = readFileSync(path);
  const kept = join(process.cwd(), `compiled-${sha256(Buffer.concat([packed, readFileSync(compiler), Buffer.from(without)])).slice(0, 16)}.zip`);
  if (!existsSync(kept)) writeFileSync(kept, compile(new Uint8Array(packed), without).toJs());
  return readFileSync(kept);
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const files = {};
const named = {};

// `again`: asked for again each time, as what a browser may do with it can change.
function put(name, bytes, { fixed = false, again = fixed, as = name } = {}) {
  const content = Buffer.from(bytes);
  const hash = sha256(content);
  const dot = name.lastIndexOf(".");
  const called = fixed || as !== name ? name : `${name.slice(0, dot)}-${hash.slice(0, 16)}${name.slice(dot)}`;
  const encodings = [];
  writeFileSync(join(out, called), content);
  const packed = brotliCompressSync(content, {
    params: { [constants.BROTLI_PARAM_QUALITY]: Number(quality), [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
  });
  if (packed.length < content.length * 0.97) {
    writeFileSync(join(out, `${called}.br`), packed);
    encodings.push("br");
  }
  files[called] = { sha256: hash, bytes: content.length, sent: encodings.length ? packed.length : content.length, type: TYPES[name.slice(dot + 1)], immutable: !again, encodings };
  named[as] = called;
}

// The interpreter looks for two of its parts by fixed names in one folder, which therefore has the hash in its own name.
const wasm = readFileSync(join(pyodide, "pyodide.asm.wasm"));
const folder = `python-${sha256(wasm).slice(0, 16)}`;
mkdirSync(join(out, folder));
put(`${folder}/pyodide.asm.wasm`, wasm, { as: "pyodide.asm.wasm" });
put(`${folder}/pyodide.asm.mjs`, readFileSync(join(pyodide, "pyodide.asm.mjs")), { as: "pyodide.asm.mjs" });
put("python_stdlib.zip", compiled(join(pyodide, "python_stdlib.zip"), readFileSync(leftOut, "utf8")));
put("pyodide.mjs", readFileSync(join(pyodide, "pyodide.mjs")));
put("app.zip", compiled(appZip));
for (const name of ["icon.svg", "icon-180.png", "icon-512.png"]) put(name, read(name), { fixed: true });

const filled = (text, values) => Object.entries(values).reduce((all, [name, value]) => all.replaceAll(`{{${name}}}`, value), text);
const parts = JSON.stringify(named);
// It is told which packages could be loaded from elsewhere: none.
const lock = JSON.stringify({ info: JSON.parse(readFileSync(join(pyodide, "pyodide-lock.json"))).info, packages: {} });
put("nats.js", bundled("nats.js"));
const define = { PARTS: parts, LOCK: lock, NATS: JSON.stringify(`./${named["nats.js"]}`) };
put("keeper.js", bundled("keeper.js", define));
put("worker.js", bundled("worker.js", define), { again: true });
put("page.css", read("page.css"));
const catalogs = Object.fromEntries(readdirSync(join(sources, "catalog")).map((file) => {
  put(`catalog-${file}`, bundled(`catalog/${file}`));
  return [file.slice(0, -3), `./${named[`catalog-${file}`]}`];
}));
put("page.js", filled(Buffer.from(bundled("page.js", { CATALOG_FILES: JSON.stringify(catalogs) })).toString(), { WORKER: named["worker.js"], KEEPER: named["keeper.js"] }));
put("app.webmanifest", read("app.webmanifest"), { fixed: true });
put("index.html", filled(read("index.html").toString(), { CSS: named["page.css"], PAGE: named["page.js"] }), { fixed: true });
put("sw.js", read("sw.js"), { fixed: true });
// Tests under node take parts of the worker by themselves.
const apart = join(process.cwd(), "parts");
mkdirSync(apart, { recursive: true });
for (const name of ["disk.js", "start.js", "vendor.js"]) writeFileSync(join(apart, name), bundled(name, define));
writeFileSync(join(out, "manifest.json"), `${JSON.stringify({ version, files }, null, 1)}\n`);
const sent = Object.values(files).reduce((sum, file) => sum + file.sent, 0);
console.log(`${Object.keys(files).length} files, ${(sent / 1e6).toFixed(2)} MB as they are sent`);
