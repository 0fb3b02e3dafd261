/**
 * How much of the instruction set the table describes: for every opcode (bits 11:0 and bit 91) that a census says a
 * target decodes, whether the table has a line of it, and what is missing by mnemonic.
 *
 *     node tools/run-ts.cjs tools/isa-coverage.ts CENSUS.csv [SM…]
 *
 * The census is a CSV file with the columns opcode_hex, bit91 and sm_NN (names that nvdisasm prints, empty where it
 * refuses every word; sm_87 and 88 decode the opcodes of sm_86).
 */
import { readFileSync } from "node:fs";
import { tableFor } from "../lib/isa/compiled.js";

const [path, ...sms] = process.argv.slice(2);
if (!path) throw new Error("usage: isa-coverage CENSUS.csv [SM…]");
const [head, ...lines] = readFileSync(path, "utf8").trim().split("\n");
const columns = head!.split(",");

for (const sm of sms.length > 0 ? sms.map(Number) : [75, 90, 100]) {
  const like = sm === 87 || sm === 88 ? 86 : sm;
  const column = columns.findIndex((c) => new RegExp(`^sm_${like}a?$`).test(c));
  const table = tableFor(sm);
  const missing = new Map<string, string[]>();
  let all = 0;
  let found = 0;
  for (const line of lines) {
    const cells = line.split(",");
    const name = cells[column];
    if (!name) continue;
    all++;
    const opcode = Number.parseInt(cells[0]!, 16) | (cells[2] === "1" ? 0x1000 : 0);
    if (table.at(opcode).lines.length > 0) found++;
    else missing.set(name, [...(missing.get(name) ?? []), cells[0]! + (cells[2] === "1" ? "u" : "")]);
  }
  console.log(`sm_${sm}: ${found} of ${all} opcodes have a line (${((100 * found) / all).toFixed(1)} %)`);
  for (const [name, opcodes] of [...missing].sort(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`    ${name.padEnd(24)} ${opcodes.join(" ")}`);
}
