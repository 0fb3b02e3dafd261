#!/usr/bin/env node
// Executes a notebook without Jupyter: `node run-notebook.cjs in.ipynb [out.ipynb]` (out defaults to in).
// Cells run in the notebook's folder, as under Jupyter. Ends with status 1 at the first cell that fails; what a timer or a promise throws
// after its cell has ended fails the cell that runs then.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const { createSession } = require("./cells.cjs");
const { bundleOf, bundlesBelow, captureOutput } = require("./outputs.cjs");
const { answerUsage, misused } = require("./usage.cjs");

const USAGE = "usage: node kernel/run-notebook.cjs in.ipynb [out.ipynb]";
answerUsage(USAGE);

const asLines = (text) => text.split(/(?<=\n)/);
/** nbformat keeps text as a list of lines; base64 and JSON stay what they are. */
const storedBundle = (data) =>
  Object.fromEntries(
    Object.entries(data).map(([mime, v]) => [
      mime,
      typeof v === "string" && !/^image\/(png|jpeg|gif)$/.test(mime) ? asLines(v) : v,
    ]),
  );

/** Collects the outputs of the current cell in nbformat's shape. */
class Outputs {
  list = [];
  /** display_id → every output shown under it, in any cell. */
  shown = new Map();

  stream(name, text) {
    if (text === "") return;
    const last = this.list.at(-1);
    if (last?.output_type !== "stream" || last.name !== name)
      return void this.list.push({ output_type: "stream", name, text: asLines(text) });
    const joined = last.text.pop() + text;
    last.text.push(...asLines(joined));
  }

  display() {
    const list = this.list;
    return ({ data, metadata, transient }, update) => {
      const output = { output_type: "display_data", data: storedBundle(data), metadata };
      const known = this.shown.get(transient.display_id) ?? [];
      if (update) {
        for (const earlier of known) Object.assign(earlier, output);
        return;
      }
      list.push(output);
      if (transient.display_id !== undefined) this.shown.set(transient.display_id, [...known, output]);
    };
  }
}

async function runCell(session, outputs, source, number) {
  const restore = captureOutput(outputs);
  try {
    const outcome = await session.run(source, number);
    if (!outcome.ok) return outcome.error;
    if (outcome.value === undefined) return null;
    const { data, metadata } = await bundleOf(outcome.value);
    const result = { output_type: "execute_result", execution_count: number, data: storedBundle(data), metadata };
    outputs.list.push(result);
    for (const below of await bundlesBelow(outcome.value))
      outputs.list.push({ output_type: "display_data", data: storedBundle(below.data), metadata: below.metadata });
    return null;
  } catch (thrown) {
    return session.describe(thrown);
  } finally {
    restore();
  }
}

async function main(inFile, outFile) {
  const notebook = JSON.parse(fs.readFileSync(inFile, "utf8"));
  process.chdir(path.dirname(inFile));
  const session = createSession(process.cwd());
  const outputs = new Outputs();
  const code = notebook.cells.filter((c) => c.cell_type === "code");
  for (const cell of code) Object.assign(cell, { execution_count: null, outputs: [] });
  let failed = false;
  let late = null;
  for (const kind of ["uncaughtException", "unhandledRejection"])
    process.on(kind, (thrown) => {
      late ??= session.describe(thrown);
    });
  for (const [i, cell] of code.entries()) {
    const start = performance.now();
    outputs.list = [];
    const error = (await runCell(session, outputs, [cell.source].flat().join(""), i + 1)) ?? late;
    if (error) outputs.list.push({ output_type: "error", ...error });
    Object.assign(cell, { execution_count: i + 1, outputs: outputs.list });
    const took = `${(performance.now() - start).toFixed(0)} ms`;
    console.log(`[${i + 1}] ${error ? `FAILED ${error.ename}: ${error.evalue}` : "ok"} ${took}`);
    failed = error !== null;
    if (failed) break;
  }
  fs.writeFileSync(outFile, `${JSON.stringify(notebook, null, 1)}\n`);
  session.close();
  process.exit(failed ? 1 : 0);
}

const [inFile, outFile = inFile] = process.argv.slice(2).map((f) => path.resolve(f));
if (inFile && fs.existsSync(inFile)) main(inFile, outFile);
else misused(inFile ? `cannot read '${inFile}'` : USAGE);
