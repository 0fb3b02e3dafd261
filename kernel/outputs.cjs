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

/** `{ data, metadata }` of a value. Rejects with what its display method throws. */
async function bundleOf(value) {
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
