/**
 * Random PTX kernels through the whole road and in the simulator, against an evaluator that shares nothing with it.
 * PTXLAB_FUZZ=5000 runs that many seeds (PTXLAB_FUZZ_FROM: the first). A failure prints the PTX: make it a test of its own.
 */
import { compile } from "../../lib/compile.js";
import { unwrap } from "../../lib/result.js";
import { simulate } from "../../lib/sim/index.js";
import { PtxDevice } from "../../lib/sim/ptx/index.js";
import { corpusTargets } from "../corpus/cases.js";
import { evaluate, generate, inputCells, ptxText, RESULT_WORDS, THREADS } from "./program.js";

const seeds = Number(process.env.PTXLAB_FUZZ ?? 200);
const first = Number(process.env.PTXLAB_FUZZ_FROM ?? 0);
const PER_TEST = 40;

/** "" when all is as it should be, at a level. */
function trouble(seed: number, opt: number): string {
  const target = corpusTargets[seed % corpusTargets.length]!;
  const program = generate(seed);
  const text = ptxText(program, target);
  const made = compile(text, { target, opt, verify: true });
  const at = `seed ${seed}, ${target}, -O${opt}`;
  if (made.cubin === null) return `${at}: ${made.diagnostics.map((d) => d.message).join("; ")}\n${text}`;
  const [cells, out] = [inputCells(seed), new Uint32Array(THREADS * RESULT_WORDS)];
  const ran = simulate(made.cubin, { kernel: "k", block: THREADS, params: [cells, out], maxInstructions: 1_000_000 });
  if (!ran.ok) return `${at}: ${ran.diagnostics.map((d) => d.message).join("; ")}\n${text}`;
  if (ran.value.fault !== null) return `${at}: ${ran.value.fault.message}\n${text}`;
  const wantedCells = inputCells(seed);
  const wanted = evaluate(program, wantedCells);
  const wrong = (what: string, got: Uint32Array, right: Uint32Array): string => {
    const i = got.findIndex((v, k) => v !== right[k]);
    return i < 0 ? "" : `${at}: ${what} word ${i}: 0x${got[i]!.toString(16)}, not 0x${right[i]!.toString(16)}\n${text}`;
  };
  return wrong("result", out, wanted) || wrong("buffer", cells, wantedCells);
}

/** The same in the PTX interpreter. */
function misread(seed: number): string {
  const program = generate(seed);
  const device = new PtxDevice();
  const module = unwrap(device.load(ptxText(program, corpusTargets[seed % corpusTargets.length]!)));
  const [cells, out] = [inputCells(seed), new Uint32Array(THREADS * RESULT_WORDS)];
  const run = unwrap(device.launch(module, { block: THREADS, params: [cells, out], maxInstructions: 5_000_000 }));
  if (run.fault !== null) return `seed ${seed}: ${run.fault.message}`;
  const wantedCells = inputCells(seed);
  const wanted = Uint32Array.of(...evaluate(program, wantedCells), ...wantedCells);
  const i = Uint32Array.of(...out, ...cells).findIndex((v, k) => v !== wanted[k]);
  return i < 0 ? "" : `seed ${seed}: word ${i}, not 0x${wanted[i]!.toString(16)}`;
}

test("100 random kernels in the PTX interpreter", () => {
  for (let seed = first; seed < first + 100; seed++) expect(misread(seed)).toBe("");
});

describe("random kernels against an evaluator", () => {
  const starts = Array.from({ length: Math.ceil(seeds / PER_TEST) }, (_, i) => first + i * PER_TEST);
  test.each(starts)("seeds from %i on", (start) => {
    for (let s = start; s < Math.min(start + PER_TEST, first + seeds); s++)
      for (const opt of [0, 2]) expect(trouble(s, opt)).toBe("");
  });
});
