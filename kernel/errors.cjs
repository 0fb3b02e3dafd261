// What a failing cell shows: positions in lines of the cell (`In[3]:2:7`) or of the library's TypeScript, the frames of
// the machinery left out, and the line at fault with a caret.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const util = require("node:util");
const { SourceMap } = require("node:module");

const ROOT = path.resolve(__dirname, "..");
const OWN_FRAME = /node_modules.tslab|node:vm|node:internal|[\\/]kernel[\\/]\w+(-\w+)?\.cjs/;
const CELL_POSITION = /\b(In\[\d+\]):(\d+):(\d+)/g;
const BUILT_POSITION = /([^\s()]+[\\/]dist[\\/][^\s()]+\.js):(\d+):(\d+)/g;
// tslab compiles a cell after one line of its own.
const LINES_BEFORE_CELL = 1;
// Node puts file, compiled line and caret before the stack of what a script or a module throws; we show the cell's own line.
const DECORATION = /^[^\n]+:\d+\n[^\n]*\n *\^+ *\n\n?/;

/** Line and column (from 1) after a list of maps, innermost first; null where a map has no entry. */
function throughMaps(maps, line, column) {
  let at = { line, column };
  for (const map of maps) {
    const { originalLine, originalColumn } = new SourceMap(map).findEntry(at.line - 1, at.column - 1);
    if (originalLine === undefined) return null;
    at = { line: originalLine + 1, column: originalColumn + 1 };
  }
  return at;
}

/** A position in the script of a cell as one in its source; null for the call that tslab wraps around the code. */
function inCell(cells, name, line, column) {
  const cell = cells.get(name);
  if (!cell?.maps || line > cell.lines) return null;
  const at = throughMaps(cell.maps, line, column);
  const own = at && at.line - LINES_BEFORE_CELL;
  return own && own >= 1 ? { line: own, column: at.column, source: cell.source } : null;
}

/** `…/dist/x.js:L:C` as `lib/x.ts:L:C`, by the map that the build left beside it. */
function inLibrary(file, line, column) {
  try {
    const map = JSON.parse(fs.readFileSync(`${file}.map`, "utf8"));
    const at = throughMaps([map], line, column);
    const source = path.resolve(path.dirname(file), map.sourceRoot ?? "", map.sources[0]);
    return at && `${path.relative(ROOT, source)}:${at.line}:${at.column}`;
  } catch {
    return null;
  }
}

/** The line with its neighbours and a caret, as lines of text. */
function codeFrame(source, line, column) {
  const lines = source.split("\n");
  const out = [];
  for (let n = Math.max(1, line - 1); n <= Math.min(lines.length, line + 1); n++) {
    out.push(`${n === line ? ">" : " "} ${String(n).padStart(3)} | ${lines[n - 1]}`);
    // Tabs stay, so that the caret stands below its place whatever their width.
    if (n === line)
      out.push(
        `      | ${lines[n - 1]
          .slice(0, column - 1)
          .replace(/[^\t]/g, " ")
          .padEnd(column - 1)}^`,
      );
  }
  return out;
}

/** A line of a stack with positions of the sources, `{ text, at }`; null for a frame of the machinery. */
function translateLine(line, cells) {
  const frame = /^\s+at /.test(line);
  if (frame && OWN_FRAME.test(line)) return null;
  let at = null;
  let lost = false;
  const text = line
    .replace(CELL_POSITION, (whole, name, l, c) => {
      at = inCell(cells, name, Number(l), Number(c));
      lost = at === null;
      return lost ? whole : `${name}:${at.line}:${at.column}`;
    })
    .replace(BUILT_POSITION, (whole, file, l, c) => inLibrary(file, Number(l), Number(c)) ?? whole);
  // Variables of earlier cells are properties of a proxy, and so calls of them look like its methods.
  return frame && lost ? null : { text: frame ? text.replace("at Proxy.", "at ") : text, at };
}

/** The same as text alone, for the library, which tells where a function that a cell gave it failed. */
const placeInCells = (line, cells) => translateLine(line, cells)?.text ?? null;

/** Thrown by a cell whose failure is already told as Jupyter wants it: `{ ename, evalue, traceback }`. */
class CellError extends Error {
  constructor(told) {
    super(told.evalue);
    this.told = told;
  }
}

/** Something thrown, as Jupyter's `{ ename, evalue, traceback }`. `cells` maps `In[n]` to `{ source, lines, maps }`. */
function describeError(thrown, cells) {
  if (isInterrupt(thrown)) {
    return { ename: "Interrupted", evalue: "the cell was interrupted", traceback: ["Interrupted"] };
  }
  if (thrown instanceof CellError) return thrown.told;
  const isError = util.types.isNativeError(thrown) || thrown instanceof Error;
  const text = util.inspect(thrown, { depth: 3 }).replace(DECORATION, "");
  const lines = text.split("\n").flatMap((l) => translateLine(l, cells) ?? []);
  const top = lines.find((l) => l.at)?.at;
  const traceback = lines.map((l) => l.text);
  if (top) traceback.push("", ...codeFrame(top.source, top.line, top.column));
  return { ename: isError ? thrown.name : typeof thrown, evalue: isError ? thrown.message : text, traceback };
}

function isInterrupt(thrown) {
  return thrown?.code === "ERR_SCRIPT_EXECUTION_INTERRUPTED" || thrown?.message === "Interrupted asynchronously";
}

/** Type and syntax errors of a cell. Positions are the compiler's and already count in the cell. */
function describeDiagnostics(diagnostics, name, source) {
  const traceback = [];
  for (const d of diagnostics) {
    traceback.push(`${d.file || name}:${d.line}:${d.column} - ${d.text}`);
    if (!d.file) traceback.push(...codeFrame(source, d.line, d.column), "");
  }
  const evalue = diagnostics.map((d) => `${d.file ? `${d.file}:` : ""}${d.line}:${d.column} - ${d.text}`).join("\n");
  return { ename: "TypeScript", evalue, traceback };
}

/** `In[3]:2:7 - warning: …`, or without a place. */
function describeMessage(d, name) {
  const place = d.span ? `${name}:${d.span.line}:${d.span.column} - ` : "";
  return `${place}${d.severity}: ${d.message}`;
}

/** Messages about a cell in another language; spans count in the cell. */
function describeMessages(ename, diagnostics, name, source) {
  const traceback = [];
  for (const d of diagnostics) {
    traceback.push(describeMessage(d, name));
    if (d.span) traceback.push(...codeFrame(source, d.span.line, d.span.column), "");
  }
  const first = diagnostics.find((d) => d.severity === "error" || d.severity === "fatal") ?? diagnostics[0];
  const place = first.span ? `${first.span.line}:${first.span.column} - ` : "";
  return { ename, evalue: place + first.message, traceback };
}

/**
 * Where in the cells the text of a compilation that failed stands, for each of its messages: `In[3]:7:3 - error: …`. Nothing for a text that
 * stands in no cell as it is (a file's, one put together).
 */
function describeFailed(value, cells) {
  if (value?.ok !== false || typeof value.text !== "string" || !Array.isArray(value.diagnostics)) return [];
  for (const [name, { source }] of [...cells].reverse()) {
    const at = value.text.trim() === "" ? -1 : source.indexOf(value.text);
    if (at < 0) continue;
    const before = source.slice(0, at).split("\n");
    const inCell = (span) => ({
      line: before.length - 1 + span.line,
      column: span.column + (span.line === 1 ? before.at(-1).length : 0),
    });
    return value.diagnostics.filter((d) => d.span).map((d) => describeMessage({ ...d, span: inCell(d.span) }, name));
  }
  return [];
}

module.exports = {
  CellError,
  describeError,
  describeDiagnostics,
  describeFailed,
  describeMessage,
  describeMessages,
  placeInCells,
};
