/** Sets of kernels with launch files, as export.ts writes them for a machine with a GPU. */
import { compile } from "../../lib/compile.js";
import { unwrap } from "../../lib/result.js";
import { simulate } from "../../lib/sim/index.js";
import type { TargetName } from "../../lib/target/index.js";
import { type CorpusTarget, corpus, corpusPtx, type LaunchFile } from "../corpus/cases.js";
import { launchOf, type MatrixKernel, matrixKernels, matrixText } from "../corpus/matrix/cases.js";
import { tritonStyle, tritonStylePtx } from "../corpus/triton-style/cases.js";
import {
  evaluate,
  generate,
  inputCells,
  loopWritesItsCondition,
  ptxText,
  RESULT_WORDS,
  THREADS,
} from "../fuzz/program.js";
import { programs } from "../programs/programs.js";

export interface Input {
  readonly name: string;
  readonly ptx: string;
  readonly target: TargetName;
  readonly launch: LaunchFile;
}

export function randomKernels(target: CorpusTarget, from: number, count: number): readonly Input[] {
  return Array.from({ length: count }, (_, i) => from + i)
    .filter((seed) => !loopWritesItsCondition(generate(seed)))
    .map((seed) => {
      const kernel = generate(seed);
      const cells = inputCells(seed);
      const after = Array.from(cells);
      const launch: LaunchFile = {
        buffers: {
          cells: { type: "u32", values: Array.from(inputCells(seed)) },
          out: { type: "u32", length: THREADS * RESULT_WORDS },
        },
        launches: [{ kernel: "k", grid: [1], block: [THREADS], params: [{ buffer: "cells" }, { buffer: "out" }] }],
        expect: { out: { values: Array.from(evaluate(kernel, cells)) }, cells: { values: after } },
      };
      return { name: `seed${seed}`, launch, ptx: ptxText(kernel, target), target };
    });
}

const types = new Map<unknown, "u8" | "s8" | "u16" | "u32" | "s32" | "f32" | "f64">([
  [Uint8Array, "u8"],
  [Uint16Array, "u16"],
  [Uint32Array, "u32"],
  [Int32Array, "s32"],
  [Int8Array, "s8"],
  [Float32Array, "f32"],
  [Float64Array, "f64"],
]);

/**
 * A kernel of the matrix corpus as a launch file: the simulator's memory after a run that the kernel's own check finds right. Null for kernels with tensor
 * maps, which a launch file of the clock cannot carry.
 */
function matrixInput(k: MatrixKernel, target: TargetName): Input | null {
  const { params, check } = k.prepare();
  if (params.some((p) => "tensorMap" in p)) return null;
  const ptx = matrixText(k);
  const arrays = params.flatMap((p) => (ArrayBuffer.isView(p) ? [p as Uint8Array] : []));
  const before = arrays.map((a) => Array.from(a));
  const made = compile(ptx, { target, opt: 0 });
  if (made.cubin === null) throw new Error(made.diagnostics.map((d) => d.message).join("; "));
  unwrap(simulate(made.cubin, { ...launchOf(k), params }));
  const wrong = check();
  if (wrong !== "") throw new Error(`${k.file}: ${wrong}`);
  const name = (i: number): string => `b${i}`;
  const launch = {
    buffers: Object.fromEntries(
      arrays.map((a, i) => [name(i), { type: types.get(a.constructor)!, values: before[i]! }]),
    ),
    launches: [
      {
        kernel: k.kernel,
        grid: typeof k.grid === "number" ? [k.grid] : [...k.grid],
        block: [k.block],
        ...(k.sharedBytes !== undefined && { sharedBytes: k.sharedBytes }),
        params: params.map((p) => (ArrayBuffer.isView(p) ? { buffer: name(arrays.indexOf(p as Uint8Array)) } : p)),
      },
    ],
    expect: Object.fromEntries(arrays.map((a, i) => [name(i), { values: Array.from(a) }])),
  } as LaunchFile;
  return { name: `${k.file.replace(/\.sm_.*/, "")}_${k.kernel}`, ptx, target, launch };
}

/** By the names that `--set` takes. */
export const sets: Readonly<Record<string, (target: CorpusTarget) => readonly Input[]>> = {
  corpus: (target) => corpus.map(({ name, launch }) => ({ name, launch, ptx: corpusPtx(name, target), target })),
  triton: (target) => tritonStyle.map(({ name, launch }) => ({ name, launch, ptx: tritonStylePtx(name), target })),
  programs: (target) =>
    programs
      .filter((p) => p.sm <= Number(target.slice(3)))
      .map(({ name, launch, ptx }) => ({ name, launch, ptx, target })),
  matrix: (target) =>
    matrixKernels.flatMap((k) => {
      const found = k.targets.find((t) => t === target || t === `${target}a`);
      const made = found === undefined ? null : matrixInput(k, found);
      return made === null ? [] : [made];
    }),
};
