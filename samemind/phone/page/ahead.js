// What a start needs of the network, or of the service worker: asked for before anything else of the worker runs. The device
// imports this first.
import { at } from "./start.js";

const loud = (promise) => { promise.catch(() => {}); return promise; }; // whoever takes it is told
const AWAY = "the program of this page cannot be fetched: the device that serves it does not answer";
const orAway = (promise) => loud(promise.catch((cause) => { throw new Error(AWAY, { cause }); }));
const fetched = (name) => orAway(fetch(at(name)));

// Pyodide itself asks for some of it when it has all else, and is then given what is here.
export const ahead = {
  module: WebAssembly.compileStreaming(fetched("pyodide.asm.wasm")).catch(() => null),
  library: fetched("python_stdlib.zip"),
  app: fetched("app.zip"),
  pyodide: orAway(import(at("pyodide.mjs"))),
};
loud(import(at("pyodide.asm.mjs")));
