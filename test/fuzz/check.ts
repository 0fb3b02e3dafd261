/** A random PTX kernel (program.ts) through the whole road and in the simulator, and in the PTX interpreter, against its evaluator. */
import { compile } from "../../lib/compile.js";
import { unwrap } from "../../lib/result.js";
import { simulate } from "../../lib/sim/index.js";
import { PtxDevice } from "../../lib/sim/ptx/index.js";
import type { TargetName } from "../../lib/target/index.js";
import { evaluate, generate, inputCells, ptxText, RESULT_WORDS, THREADS } from "./program.js";

/** "" when the kernel of a seed does on a target, compiled at a level, what the evaluator says; else what differs, and the text. */
export function trouble(seed: number, target: TargetName, opt: number): string {
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
export function misread(seed: number, target: TargetName): string {
  const program = generate(seed);
  const device = new PtxDevice();
  const module = unwrap(device.load(ptxText(program, target)));
  const [cells, out] = [inputCells(seed), new Uint32Array(THREADS * RESULT_WORDS)];
  const run = unwrap(device.launch(module, { block: THREADS, params: [cells, out], maxInstructions: 5_000_000 }));
  if (run.fault !== null) return `seed ${seed}: ${run.fault.message}`;
  const wantedCells = inputCells(seed);
  const wanted = Uint32Array.of(...evaluate(program, wantedCells), ...wantedCells);
  const i = Uint32Array.of(...out, ...cells).findIndex((v, k) => v !== wanted[k]);
  return i < 0 ? "" : `seed ${seed}: word ${i}, not 0x${wanted[i]!.toString(16)}`;
}
