/**
 * node tools/run-ts.cjs test/gpu/latency-results.ts DIR RESULT.json [OUT.csv]: what latency.py measured with the kernels in DIR as
 * a table, the pairs for which our tables ask less than the machine needs (exit status 1), and how far they are above it elsewhere.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { csv, evaluate, excess, type Measurement, nameOf } from "./latency-evaluate.js";
import type { Entry } from "./latency-pairs.js";

const [dir, file, out] = process.argv.slice(2);
if (dir === undefined || file === undefined) {
  console.error("usage: latency-results.ts DIR RESULT.json [OUT.csv]");
  process.exit(2);
}
const entries = JSON.parse(readFileSync(join(dir, "pairs.json"), "utf8")) as Entry[];
const measured = JSON.parse(readFileSync(file, "utf8")) as Measurement;
const { rows, dropped, below } = evaluate(entries, measured);
for (const text of dropped) console.log(text);
for (const r of below) console.log(`table ${r.entry.table}, machine ${r.alone} and ${r.busy}: ${nameOf(r.entry)}`);
for (const [what, cells] of excess(rows)) console.log(`${what}: ${cells} cells`);
for (const [i, reason] of Object.entries(measured.errors)) console.log(`${nameOf(entries[Number(i)]!)}: ${reason}`);
console.log(`${rows.length} pairs, ${dropped.length} say nothing, ${below.length} below the machine`);
if (out !== undefined) writeFileSync(out, csv(rows, measured));
process.exitCode = below.length > 0 ? 1 : 0;
