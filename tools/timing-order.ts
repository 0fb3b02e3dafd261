/**
 * Does the timing model put code in the order of its optimization levels? Compiles the corpus with the real ptxas, or
 * with ptxlab (`--ours`), at -O0, -O1 and -O3 and prints estimated cycles, registers, and how many pairs stand in the
 * expected order. `--sms=N`: on a GPU of N SMs, so that the corpus's small launches fill them; latency alone decides
 * where every SM has one block.
 *
 *     node tools/run-ts.cjs tools/timing-order.ts [--ours] [--sms=N] [SM …]        default: 75 90 100
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { compile } from "../lib/compile.js";
import { readCubin } from "../lib/elf/index.js";
import { unwrap } from "../lib/result.js";
import { runLaunchFile } from "../lib/sim/index.js";
import { type Estimate, estimateLaunch } from "../lib/timing/index.js";
import { type CorpusTarget, corpus, corpusPtx } from "../test/corpus/cases.js";
import { numberOf, readArguments, smsOf } from "./arguments.js";

const ptxas = resolve(__dirname, "../.oracle/bin/ptxas");
const levels = [0, 1, 3] as const;
const folder = mkdtempSync(join(tmpdir(), "ptxlab-"));
const { values: options, positionals } = readArguments({
  sms: { type: "string", default: "0" },
  ours: { type: "boolean", default: false },
});
const sms = numberOf(options.sms);
const { ours } = options;
const targets = (positionals.length > 0 ? smsOf(positionals) : [75, 90, 100]).map((n) => `sm_${n}` as CorpusTarget);

function cubinOf(name: string, target: CorpusTarget, level: number): Uint8Array {
  if (ours) {
    const { cubin } = compile(corpusPtx(name, target), { target, opt: level });
    if (cubin === null) throw new Error(`${name} does not compile`);
    return cubin;
  }
  const ptx = join(folder, "k.ptx");
  const out = join(folder, "k.cubin");
  writeFileSync(ptx, corpusPtx(name, target));
  const ran = spawnSync(ptxas, [`-arch=${target}`, `-O${level}`, ptx, "-o", out], { encoding: "utf8" });
  if (ran.status !== 0) throw new Error(ran.stderr);
  return readFileSync(out);
}

/** Estimated cycles of all launches of a case; throws when the results are wrong. */
function cyclesOf(cubin: Uint8Array, launch: unknown): number {
  let cycles = 0;
  const ran = runLaunchFile(cubin, launch, {
    readFile: () => null,
    launch: (device, module, options) => {
      const made = estimateLaunch(device, module, sms > 0 ? { ...options, parameters: { sms } } : options);
      if (!made.ok) return made;
      const e: Estimate = made.value;
      cycles += e.cycles;
      return { ok: true, value: e.run, diagnostics: [] };
    },
  });
  if (ran.status !== 0) throw new Error(ran.lines.join("\n"));
  return cycles;
}

try {
  for (const target of targets) {
    let [first, second, both] = [0, 0, 0];
    const logs = [0, 0];
    for (const c of corpus) {
      const cubins = levels.map((level) => cubinOf(c.name, target, level));
      const t = cubins.map((cubin) => cyclesOf(cubin, c.launch)) as [number, number, number];
      const r = cubins.map((cubin) => unwrap(readCubin(cubin)).functions.reduce((n, f) => Math.max(n, f.registers), 0));
      if (t[1] < t[0]) first++;
      if (t[2] <= t[1]) second++;
      if (t[1] < t[0] && t[2] <= t[1]) both++;
      logs[0]! += Math.log(t[1] / t[0]);
      logs[1]! += Math.log(t[2] / t[1]);
      console.log(
        `${target} ${c.name.padEnd(18)} O0 ${t[0]}  O1 ${t[1]}  O3 ${t[2]}  registers ${r.join(" ")}${t[1] < t[0] && t[2] <= t[1] ? "" : "  <--"}`,
      );
    }
    const mean = logs.map((l) => Math.exp(l / corpus.length).toFixed(3));
    console.log(
      `${target}: O1 < O0 on ${first}, O3 <= O1 on ${second}, both on ${both} of ${corpus.length}; geometric means O1/O0 ${mean[0]}, O3/O1 ${mean[1]}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}
