/**
 * node tools/run-ts.cjs test/gpu/pipes.ts DIR: kernels that measure the pipes and memories of sm_90 with the clock of the SM, and
 * `probes.json` about them. On the machine with the GPU: `python3 test/gpu/pipes.py DIR OUT.csv`.
 *
 * A probe is an instruction repeated: independent copies give the issue interval, a chain the latency. Beside it stands what
 * our tables say.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assembleCubin } from "../../lib/assemble.js";
import { timingOf } from "../../lib/isa/latency.js";
import { unwrap } from "../../lib/result.js";
import { target as targetNamed } from "../../lib/target/index.js";
import { instruction } from "./latency-pairs.js";
import { chase, kernel } from "./pipes-kernels.js";
import { type Probe, probes } from "./pipes-probes.js";

const target = targetNamed("sm_90");

/** Cycles that our tables state. */
function expected(p: Probe): number | null {
  if (p.inst === undefined) return null;
  const t = timingOf(instruction(p.inst, target), target);
  return p.what.startsWith("latency") ? t.latency : t.interval;
}

const [dir] = process.argv.slice(2);
if (dir === undefined) {
  console.error("usage: pipes.ts DIR");
  process.exit(2);
}
mkdirSync(dir, { recursive: true });
const list = probes();
const texts = [
  ...list.map((p, i) => kernel(p, `p${i}`)),
  chase("chase", "LDG.E.64 R4, desc[UR4][R4.64]"),
  chase("chase_gpu", "LDG.E.64.STRONG.GPU R4, desc[UR4][R4.64]"),
];
writeFileSync(join(dir, "pipes.cubin"), unwrap(assembleCubin([".target sm_90", ...texts].join("\n"))));
const index = list.map((p, i) => ({
  kernel: `p${i}`,
  what: p.what,
  n: p.n,
  m: p.m,
  warps: p.warps,
  per: p.per ?? 1,
  strides: p.strides ?? [16],
  expected: expected(p),
}));
writeFileSync(join(dir, "probes.json"), JSON.stringify(index));
console.log(`${list.length} probes in ${dir}`);
