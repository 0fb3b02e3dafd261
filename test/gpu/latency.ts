/**
 * node tools/run-ts.cjs test/gpu/latency.ts DIR: kernels that try every cell of the distance tables of sm_90 on a GPU, and
 * `pairs.json` and more about them. On the machine with the GPU: `python3 test/gpu/latency.py DIR RESULT.json`; back here
 * `node tools/run-ts.cjs test/gpu/latency-results.ts DIR RESULT.json OUT.csv`.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assembleCubin } from "../../lib/assemble.js";
import { unwrap } from "../../lib/result.js";
import { target as targetNamed } from "../../lib/target/index.js";
import { inputs, parameters } from "./latency-inputs.js";
import { distances, kernel, secondOf } from "./latency-kernels.js";
import { type Entry, pairs } from "./latency-pairs.js";

const PER_CUBIN = 100;

const [dir] = process.argv.slice(2);
if (dir === undefined) {
  console.error("usage: latency.ts DIR");
  process.exit(2);
}
mkdirSync(dir, { recursive: true });
const target = targetNamed("sm_90");
const list = pairs(target);
const index: Entry[] = [];
for (let at = 0; at < list.length; at += PER_CUBIN) {
  const part = list.slice(at, at + PER_CUBIN);
  const cubin = `lat${at / PER_CUBIN}.cubin`;
  const text = [".target sm_90", ...part.map((p, i) => kernel(p, `k${at + i}`, target))].join("\n");
  writeFileSync(join(dir, cubin), unwrap(assembleCubin(text)));
  part.forEach((p, i) => {
    const { kind, file, later, earlier, table } = p;
    const texts = { first: p.firstText, second: secondOf(p) };
    index.push({ cubin, kernel: `k${at + i}`, kind, file, later, earlier, table, ...texts, distances: distances(p) });
  });
}
writeFileSync(join(dir, "inputs.bin"), inputs());
writeFileSync(join(dir, "parameters.bin"), parameters(0, 0));
writeFileSync(join(dir, "pairs.json"), JSON.stringify(index));
const cells = new Set(index.map((p) => [p.kind, p.file, p.later, p.earlier].join()));
console.log(`${index.length} pairs of ${cells.size} cells in ${dir}`);
