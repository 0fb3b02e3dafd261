/**
 * Random PTX kernels as ptxas -O3 compiles them, in the simulator: the optimizer's code, against the same evaluator. Kernels that
 * it compiles wrongly by a known rule (`loopWritesItsCondition`: seeds 336 and 389 among them) are left out.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { simulate } from "../../lib/sim/index.js";
import { corpusTargets } from "../corpus/cases.js";
import {
  evaluate,
  generate,
  inputCells,
  loopWritesItsCondition,
  ptxText,
  RESULT_WORDS,
  THREADS,
} from "../fuzz/program.js";
import { describeOracle, inScratch, tool } from "./tools.js";

const seeds = Number(process.env.PTXLAB_FUZZ ?? 60);
const first = Number(process.env.PTXLAB_FUZZ_FROM ?? 0);
const PER_TEST = 20;

function trouble(seed: number): string {
  const target = corpusTargets[seed % corpusTargets.length]!;
  const program = generate(seed);
  if (loopWritesItsCondition(program)) return "";
  const text = ptxText(program, target);
  const cubin = inScratch((dir) => {
    const [ptx, out] = [join(dir, "k.ptx"), join(dir, "k.cubin")];
    writeFileSync(ptx, text);
    const made = tool("ptxas", ["-O3", `-arch=${target}`, ptx, "-o", out]);
    return made.status === 0 ? new Uint8Array(readFileSync(out)) : made.stderr;
  });
  const at = `seed ${seed}, ${target}`;
  if (typeof cubin === "string") return `${at}: ${cubin}\n${text}`;
  const [cells, out] = [inputCells(seed), new Uint32Array(THREADS * RESULT_WORDS)];
  const ran = simulate(cubin, { kernel: "k", block: THREADS, params: [cells, out], maxInstructions: 1_000_000 });
  if (!ran.ok) return `${at}: ${ran.diagnostics.map((d) => d.message).join("; ")}\n${text}`;
  if (ran.value.fault !== null) {
    return `${at}: ${ran.value.fault.kind} ${ran.value.fault.message} (${ran.value.fault.instruction})\n${text}`;
  }
  const wantedCells = inputCells(seed);
  const wanted = [...evaluate(program, wantedCells), ...wantedCells];
  const i = [...out, ...cells].findIndex((v, k) => v !== wanted[k]);
  return i < 0 ? "" : `${at}: word ${i}\n${text}`;
}

describeOracle("random kernels of ptxas -O3 in the simulator", () => {
  const starts = Array.from({ length: Math.ceil(seeds / PER_TEST) }, (_, i) => first + i * PER_TEST);
  test.each(starts)("seeds from %i on", (start) => {
    for (let s = start; s < Math.min(start + PER_TEST, first + seeds); s++) expect(trouble(s)).toBe("");
  });
});
