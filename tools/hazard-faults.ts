/**
 * Seeded faults in ptxas's code of the test corpus, judged by an exhaustive oracle and by the hazard checker:
 *
 *   node tools/run-ts.cjs tools/hazard-faults.ts [SM …] [--faults=1000] [--seed=1] [--show]
 *
 * `small`: straight pieces of at most ten instructions, every execution tried. `large`: whole functions, the code around
 * the fault executed on several paths.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CubinFunction, readCubin } from "../lib/elf/index.js";
import { target as targetOf } from "../lib/target/index.js";
import type { TargetName } from "../lib/target/types.js";
import { random } from "../test/corpus/random.js";
import { largeFaults, smallFaults, type Tally } from "../test/hazard/judge.js";
import { numberOf, readArguments, smsOf } from "./arguments.js";

const { values: options, positionals } = readArguments({
  faults: { type: "string", default: "1000" },
  seed: { type: "string", default: "1" },
  show: { type: "boolean", default: false },
});
const [faults, seed] = [numberOf(options.faults), numberOf(options.seed)];
const ptxas = join(__dirname, "../.oracle/bin/ptxas");

function corpus(arch: TargetName): CubinFunction[] {
  const { sm } = targetOf(arch);
  const folder = join(__dirname, "../test/corpus/ptx", sm >= 100 ? "sm_100" : sm >= 90 ? "sm_90" : "sm_75");
  const dir = mkdtempSync(join(tmpdir(), "ptxlab-"));
  try {
    return readdirSync(folder)
      .sort()
      .flatMap((file) =>
        ["-O1", "-O3"].flatMap((level) => {
          const out = join(dir, "k.cubin");
          const ran = spawnSync(ptxas, [level, "-arch", arch, join(folder, file), "-o", out], { encoding: "utf8" });
          if (ran.status !== 0) throw new Error(ran.stderr || String(ran.error));
          const cubin = readCubin(new Uint8Array(readFileSync(out)));
          if (!cubin.ok) throw new Error(`${file}: unreadable`);
          return cubin.value.functions;
        }),
      );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function line(name: string, t: Tally): string {
  const kinds = Object.entries(t.byKind).map(([k, [h, c]]) => `${k} ${c}/${h}`);
  const rate = t.hazards === 0 ? "-" : `${((100 * t.caught) / t.hazards).toFixed(2)} %`;
  return (
    `${name}: ${t.faults} faults, ${t.hazards} hazards, ${t.caught} caught (${rate}), ${t.alarms} findings without one; ` +
    `${kinds.join(", ")}; ${t.clean} pieces taken, ${t.unclean} left out`
  );
}

for (const sm of smsOf(positionals)) {
  const arch = `sm_${sm}` as TargetName;
  const functions = corpus(arch);
  for (const [name, run] of [
    ["small", smallFaults],
    ["large", largeFaults],
  ] as const) {
    const t = run(functions, targetOf(arch), faults, random(seed));
    console.log(line(`${arch} ${name}`, t));
    if (options.show)
      for (const m of [...t.missed.map((x) => `missed ${x}`), ...t.alarmed.map((x) => `alarm ${x}`)].slice(0, 40))
        console.log(`    ${m}`);
  }
}
