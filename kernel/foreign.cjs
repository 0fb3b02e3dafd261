// Cells in other languages than TypeScript: `%%ptx`, `%%cuda`, `%%sass` (lib/present/cells.ts compiles them). What such a
// cell makes becomes a variable: the cell is replaced by a TypeScript one that declares it with its type.
"use strict";
const { describeMessages } = require("./errors.cjs");

/** Where the TypeScript that stands in for a cell finds the value. */
const VALUES = Symbol.for("ptxlab.cells");
const TYPES = { ptx: "Compilation", cuda: "CudaCompilation", sass: "Assembled" };

const isForeign = (source) => source.startsWith("%%");

/** `{ source }` to run in place of the cell, or `{ error }` as Jupyter wants it. Warnings go to stderr. */
function openForeign(source, file, folder) {
  const { cellHead, runCell, renderDiagnostic } = require("../dist/index.js");
  const head = cellHead(source);
  if (typeof head === "string") return { error: describeMessages("Cell", [at(head)], file, source) };
  const result = runCell(source, head, { file, folder });
  if (!result.ok) return { error: describeMessages(head.language.toUpperCase(), result.diagnostics, file, source) };
  for (const d of result.warnings) process.stderr.write(`${renderDiagnostic(d, file)}\n`);
  globalThis[VALUES] ??= {};
  globalThis[VALUES][head.name] = result.value;
  const type = `import("ptxlab").${TYPES[head.language]}`;
  const place = `(globalThis as unknown as Record<symbol, Record<string, unknown>>)[Symbol.for("ptxlab.cells")]!`;
  return { source: `const ${head.name} = ${place}.${head.name} as ${type};\n${head.name}` };
}

const at = (message) => ({ severity: "error", message, span: { line: 1, column: 1 } });

module.exports = { isForeign, openForeign };
