/**
 * Small bodies and single decisions of control flow at -O3: mnemonics and registers are ptxas's, and memory holds what ptxas's code leaves
 * there. The rows of bodies.jsonl are those of many random ones that tell faults of the optimizer apart (tools/faults/choose.ts).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../lib/compile.js";
import type { TargetName } from "../../lib/target/index.js";
import { codeIn, leavesOf, type Row, registersIn, textOf } from "../../tools/faults/bodies.js";

const rows = readFileSync(join(__dirname, "bodies.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);

test.each(rows.map((row) => [`sm_${row.sm} ${row.body}`, row] as const))("%s", (_, row) => {
  const made = compile(textOf(row), { target: `sm_${row.sm}` as TargetName, opt: 3, verify: true });
  if (made.cubin === null) throw new Error(made.diagnostics.map((d) => d.message).join("\n"));
  const { code, registers, leaves } = row;
  expect({
    code: codeIn(made.cubin),
    registers: registers < 0 ? registers : registersIn(made.cubin),
    leaves: leaves === "" ? leaves : leavesOf(made.cubin, row.frame),
  }).toEqual({ code, registers, leaves });
});
