// Cells: tslab's converter and executor under our compiler options, shared by the Jupyter kernel and the notebook runner.
//
// tslab (1.0.22, pinned: we reach into its `dist`) turns a TypeScript cell into CommonJS in two steps, an emit of its
// watch program and a transpile of the result, and runs that under the name `evalmachine.<anonymous>`. We stand in for
// the compiler module it loads, so that cells are checked strictly, see packages through their `exports`, and leave
// both source maps after; and we name each script `In[n]`. Then a position in a stack can be told in lines of the cell.
"use strict";
const tsId = require.resolve("@tslab/typescript-for-tslab");
const ts = require(tsId);
const { describeError, describeDiagnostics, describeFailed, placeInCells } = require("./errors.cjs");
const foreign = require("./foreign.cjs");
const { watchModules } = require("./modules.cjs");
const { State } = require("./state.cjs");

const INLINE_MAP = /\n?\/\/# sourceMappingURL=data:application\/json[^,]*,([A-Za-z0-9+/=]+)\s*$/;
const NOTHING_YET = /^(?:exports\.[\w$]+ = )+void 0;$/m;
let lastMaps = null;

/** tslab's second step. Notes the maps of both steps, innermost first, and keeps the text free of map comments. */
function transpileModule(js, options) {
  const inline = INLINE_MAP.exec(js);
  const out = ts.transpileModule(inline ? js.slice(0, inline.index) : js, {
    ...options,
    compilerOptions: { ...options.compilerOptions, sourceMap: true },
  });
  lastMaps = inline && [JSON.parse(out.sourceMapText), JSON.parse(Buffer.from(inline[1], "base64").toString())];
  // Without `exports.x = void 0` at the start, a cell that fails before it gives `x` a new value leaves the old one.
  const outputText = out.outputText.replace(/\/\/# sourceMappingURL=.*\s*$/, "").replace(NOTHING_YET, "");
  return { ...out, outputText };
}

function createWatchCompilerHost(files, options, ...rest) {
  const ours = {
    ...options,
    strict: true,
    lib: ["lib.es2023.d.ts"],
    types: ["node"],
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    customConditions: ["require"],
    inlineSourceMap: true,
  };
  const host = ts.createWatchCompilerHost(files, ours, ...rest);
  const { createProgram } = host;
  host.createProgram = (...args) => {
    const builder = createProgram(...args);
    seeShorthands(builder.getProgram().getTypeChecker());
    return builder;
  };
  return host;
}

/** tslab asks what names mean, to find those of earlier cells; of `{ name }` it would hear of the property, not of the variable. */
function seeShorthands(checker) {
  const plain = checker.getSymbolAtLocation;
  checker.getSymbolAtLocation = (node) => {
    const shorthand = node.parent && ts.isShorthandPropertyAssignment(node.parent) && node.parent.name === node;
    return shorthand ? checker.getShorthandAssignmentValueSymbol(node.parent) : plain(node);
  };
}

/** Where such a name becomes `exports.name`, the property keeps it. */
function visitEachChild(node, visitor, context) {
  if (!ts.isShorthandPropertyAssignment(node)) return ts.visitEachChild(node, visitor, context);
  const value = visitor(node.name);
  return value === node.name ? node : ts.factory.createPropertyAssignment(node.name.text, value);
}

require.cache[tsId].exports = { ...ts, createWatchCompilerHost, transpileModule, visitEachChild };
const { createConverter, isCompleteCode } = require("tslab/dist/converter");
const { createExecutor } = require("tslab/dist/executor");
const { printQuickInfo } = require("tslab/dist/inspect");

/** Fails as a script does that SIGINT ends. */
const INTERRUPTED = 'throw Object.assign(new Error("Interrupted"), { code: "ERR_SCRIPT_EXECUTION_INTERRUPTED" });';

/** The converter, plus: remembers text and maps of each converted cell under the name its script gets. */
function createNamingConverter(cells, currentName, enter, interrupted) {
  const inner = createConverter({ isJS: false, isBrowser: false });
  return {
    ...inner,
    /** Reads the library's declarations; the next cell finds them read. */
    readLibrary: () => inner.convert("", 'import "ptxlab";\nimport "ptxlab/view";'),
    convert(previous, source) {
      lastMaps = null;
      const out = inner.convert(previous, source);
      if (!out.output) return out;
      // Nothing ends the compiler; what it was asked for does not begin.
      if (interrupted()) return { ...out, output: INTERRUPTED, hasToplevelAwait: false };
      // The cell's code runs next; the microtask is before any that it makes itself.
      enter(State.running);
      queueMicrotask(() => enter(State.waiting));
      cells.set(currentName(), { source, lines: out.output.split("\n").length, maps: lastMaps });
      return { ...out, output: `${out.output}\n//# sourceURL=${currentName()}` };
    },
  };
}

/** Offset of the last character of what is called where `offset` stands among the arguments; `offset` outside of a call. */
function calleeBefore(source, offset) {
  let open = 0;
  for (let i = offset - 1; i >= 0; i--) {
    if (")]}".includes(source[i])) open++;
    else if ("([{".includes(source[i]) && open-- === 0) {
      if (source[i] === "(") return Math.max(0, i - 1);
      open = 0;
    }
  }
  return offset;
}

/** The text of the string that is open at the end of a source; null outside of strings. */
function openString(source) {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, true, ts.LanguageVariant.Standard, source);
  let open = null;
  for (let token = scanner.scan(); token !== ts.SyntaxKind.EndOfFileToken; token = scanner.scan())
    open = token === ts.SyntaxKind.StringLiteral && scanner.isUnterminated() ? scanner.getTokenValue() : null;
  return open;
}

/** In strings tslab gives all candidates, to be put in at the cursor: those that begin with what stands there replace it. */
function fitted(completions, source, offset) {
  const text = openString(source.slice(0, offset));
  if (text === null || completions.start !== offset) return completions;
  const candidates = completions.candidates.filter((c) => c.startsWith(text));
  return { ...completions, start: offset - text.length, end: offset, candidates };
}

/** Where the library finds the signal that an interrupt of the running cell gives to what runs on other threads. */
const INTERRUPT = Symbol.for("ptxlab.interrupt");

/** Where the library finds what tells a line of a stack in lines of a cell. */
const PLACE = Symbol.for("ptxlab.place");

/**
 * One life of a kernel: cells run in order share their variables, imports and types. Running is serial: the caller
 * awaits `run` before the next.
 *
 * `run(source, n)` resolves to `{ ok: true, value }`, where `value` is the last expression (undefined when it is none),
 * or to `{ ok: false, error: { ename, evalue, traceback } }`; it never rejects.
 */
function createSession(cwd) {
  const cells = new Map();
  let name = "In[0]";
  let run = null;
  let interrupts = new AbortController();
  globalThis[PLACE] = (line) => placeInCells(line, cells);
  const forgetChanged = watchModules();
  const state = new Int32Array(new SharedArrayBuffer(8));
  const enter = (now) => Atomics.store(state, 0, now);
  const interrupted = () => Atomics.load(state, 1) > 0;
  const converter = createNamingConverter(cells, () => name, enter, interrupted);
  const converters = {
    node: converter,
    get browser() {
      throw new Error("cells run in Node; there is no browser mode");
    },
    close: () => converter.close(),
  };
  // The executor reports through a console: results by `log`, what was thrown as one argument of `error`, type and
  // syntax errors as a format with four arguments.
  const executor = createExecutor(cwd, converters, {
    log: (value) => {
      run.value = value;
    },
    error: (...args) => {
      if (args.length === 1) run.thrown = { value: args[0] };
      else run.diagnostics.push({ file: args[1].trim(), line: args[2], column: args[3], text: args[4] });
    },
  });
  return {
    async run(cell, number) {
      name = `In[${number}]`;
      run = { value: undefined, thrown: null, diagnostics: [] };
      const mine = run;
      Atomics.store(state, 1, 0);
      interrupts = new AbortController();
      globalThis[INTERRUPT] = interrupts.signal;
      forgetChanged();
      const { source, error: refused } = foreign.isForeign(cell)
        ? foreign.openForeign(cell, name, cwd)
        : { source: cell };
      if (refused) return { ok: false, error: refused };
      const ok = await executor.execute(source);
      forgetChanged();
      enter(State.kernel);
      if (ok) {
        for (const line of describeFailed(mine.value, cells)) process.stderr.write(`${line}\n`);
        return { ok: true, value: mine.value };
      }
      const error = mine.thrown
        ? describeError(mine.thrown.value, cells)
        : describeDiagnostics(mine.diagnostics, name, source);
      return { ok: false, error };
    },
    /** What the first cell that imports the library would else wait for. In two steps, so that requests come between. */
    prepare: [
      () => converter.readLibrary(),
      () => {
        require("../dist/index.js");
        require("../dist/view/index.js");
      },
    ],
    /** What `run` would report for a value thrown elsewhere, such as by a display method. */
    describe: (thrown) => describeError(thrown, cells),
    interrupt() {
      interrupts.abort();
      executor.interrupt();
    },
    /** Shared memory: what runs now, and interrupts since it began, as in state.cjs. */
    state,
    /** Runs code of the kernel that must not be cut off, also while a cell waits. */
    shielded(body) {
      const before = Atomics.load(state, 0);
      enter(State.kernel);
      try {
        return body();
      } finally {
        enter(before);
      }
    },
    complete: (source, offset) =>
      foreign.isForeign(source)
        ? foreign.complete(source, offset)
        : (foreign.completeNames(source, offset) ?? fitted(executor.complete(source, offset), source, offset)),
    /** Signature and documentation at an offset, else of the call around it, as text; null where there is nothing to tell. */
    inspect(source, offset) {
      if (foreign.isForeign(source)) return foreign.inspect(source, offset);
      const named = foreign.inspectNames(source, offset);
      if (named !== null) return named;
      const info = executor.inspect(source, offset) ?? executor.inspect(source, calleeBefore(source, offset));
      return info ? printQuickInfo(info) : null;
    },
    isComplete: (source) => (foreign.isForeign(source) ? foreign.isComplete(source) : isCompleteCode(source)),
    close: () => executor.close(),
  };
}

module.exports = { createSession, typescriptVersion: ts.version };
