// Where the output of cells goes: the standard streams and `display()` are redirected to one sink for the process.
"use strict";
const util = require("node:util");
const { StringDecoder } = require("node:string_decoder");

/** Method of a value that returns its MIME bundle; Deno's kernel asks for the same. */
const DISPLAY = Symbol.for("Jupyter.display");
/** Method that returns the metadata of that bundle, such as the size a PNG is to be shown at. */
const METADATA = Symbol.for("ptxlab.display.metadata");
/** Method that returns what is shown below it, each with a bundle of its own (live charts below a compilation). */
const BELOW = Symbol.for("ptxlab.display.below");
/** Where `display()` of ptxlab/view finds the front end it runs under. */
const HOOK = Symbol.for("ptxlab.display");

/** What a stage returned: `{ ok, value, diagnostics }` or, where it failed, `{ ok, diagnostics }`. */
function isResult(value) {
  if (typeof value !== "object" || value === null || value[DISPLAY] !== undefined) return false;
  const names = Object.keys(value).sort().join();
  return names === (value.ok === true ? "diagnostics,ok,value" : "diagnostics,ok") && Array.isArray(value.diagnostics);
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** A result in its value's own look, below a line that says that it is one; its diagnostics are lines. */
async function bundleOfResult({ ok, value, diagnostics }) {
  const head = [`Result, ${ok ? "ok" : "not ok"}`, ...diagnostics.map((d) => `${d.severity}: ${d.message}`)].join("\n");
  if (!ok) return { data: { "text/plain": head }, metadata: {} };
  const { data, metadata } = await bundleOf(value);
  data["text/plain"] = `${head}; its value:\n${data["text/plain"]}`;
  if (data["text/html"] !== undefined)
    data["text/html"] = `<pre>${escaped(head)}; its value:</pre>${data["text/html"]}`;
  return { data, metadata };
}

/** A namespace in the names that it has. */
const namesOf = (module) =>
  `Namespace of ${Object.keys(module).length} names: ${Object.keys(module).sort().join(", ")}`;

/** `{ data, metadata }` of a value. Rejects with what its display method throws. */
async function bundleOf(value) {
  if (isResult(value)) return bundleOfResult(value);
  if (value?.__esModule === true) return { data: { "text/plain": namesOf(value) }, metadata: {} };
  const data = { ...(await value?.[DISPLAY]?.()) };
  data["text/plain"] ??= typeof value === "string" ? value : util.inspect(value, { depth: 4, maxArrayLength: 200 });
  return { data, metadata: { ...(await value?.[METADATA]?.()) } };
}

/** The bundles of what a value wants shown below itself. */
async function bundlesBelow(value) {
  return Promise.all(((await value?.[BELOW]?.()) ?? []).map(bundleOf));
}

/**
 * Sends what cells print and show to `sink`: `stream(name, text)`, and `display()`, which is called when the display
 * begins and returns the function that takes `{ data, metadata, transient }` and whether it updates an earlier one.
 * Returns a function that restores the streams.
 */
function captureOutput(sink) {
  const restore = ["stdout", "stderr"].map((name) => {
    const real = process[name].write;
    const decoder = new StringDecoder("utf8");
    process[name].write = (chunk, encoding, callback) => {
      sink.stream(name, typeof chunk === "string" ? chunk : decoder.write(Buffer.from(chunk)));
      (typeof encoding === "function" ? encoding : callback)?.();
      return true;
    };
    return () => {
      process[name].write = real;
    };
  });
  globalThis[HOOK] = async (value, { id, update = false } = {}) => {
    const show = sink.display();
    const bundle = await bundleOf(value);
    const below = update ? [] : await bundlesBelow(value);
    show({ ...bundle, transient: id === undefined ? {} : { display_id: String(id) } }, update);
    for (const more of below) show({ ...more, transient: {} }, false);
  };
  return () => {
    for (const undo of restore) undo();
    delete globalThis[HOOK];
  };
}

module.exports = { bundleOf, bundlesBelow, captureOutput };
