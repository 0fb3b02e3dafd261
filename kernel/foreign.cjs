// Cells in other languages than TypeScript: `%%ptx`, `%%cuda`, `%%sass` (lib/present/cells.ts compiles them). What such a
// cell makes becomes a variable: the cell is replaced by a TypeScript one that makes it and declares it with its type.
// So the work is done as a cell's own code: an interrupt ends it, and a cell that fails declares nothing.
"use strict";
const { CellError, describeMessage, describeMessages } = require("./errors.cjs");

/** Where the TypeScript that stands in for a cell finds what makes the value. */
const MAKE = Symbol.for("ptxlab.cell");
const TYPES = { ptx: "FinishedCompilation", cuda: "CudaCompilation", sass: "Assembled" };

const isForeign = (source) => source.trimStart().startsWith("%%");

/** As in IPython: such a cell is complete when an empty line ends it. */
const isComplete = (source) => ({ completed: /\n\s*\n?$/.test(source) && source.trim().includes("\n") });

/** `{ source }` to run in place of the cell, or `{ error }` as Jupyter wants it. Warnings go to stderr. */
function openForeign(source, file, folder) {
  const { cellHead, runCell } = require("../dist/index.js");
  const head = cellHead(source);
  if (!head.language) return { error: describeMessages("Cell", [head], file, source) };
  globalThis[MAKE] = () => {
    const result = runCell(source, head, { file, folder });
    if (!result.ok)
      throw new CellError(describeMessages(head.language.toUpperCase(), result.diagnostics, file, source));
    for (const d of result.warnings) process.stderr.write(`${describeMessage(d, file)}\n`);
    return result.value;
  };
  const made = `(globalThis as unknown as Record<symbol, () => unknown>)[Symbol.for("ptxlab.cell")]!()`;
  return { source: `const ${head.name} = ${made} as import("ptxlab").${TYPES[head.language]};\n${head.name}` };
}

const complete = (source, offset) => require("../dist/index.js").completeCell(source, offset);
/** Names of knobs, phases and policies in a TypeScript cell; null where none are wanted. */
const completeNames = (source, offset) => require("../dist/index.js").completeNames(source, offset);
/** What such a name is; null where none are wanted. */
const inspectNames = (source, offset) => require("../dist/index.js").inspectNames(source, offset);
const inspect = (source, offset) => require("../dist/index.js").inspectCell(source, offset);

module.exports = { complete, completeNames, inspect, inspectNames, isComplete, isForeign, openForeign };
