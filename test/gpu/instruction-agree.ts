/** Our code and ptxas's of the same PTX in the simulator: do all variants give the same results? */
import { ROWS } from "./instruction-inputs.js";
import type { GpuKernel } from "./instruction-kernels.js";
import { make, Simulation, type Variant } from "./instruction-modules.js";

/**
 * Kernels that are not compared: literal operands for which ptxas departs from the PTX manual or from its own code for registers,
 * at one level or at both, and what the simulator refuses for want of a source.
 */
export const exceptions: readonly (readonly [tested: RegExp, why: string])[] = [
  [/^(sin|cos)\.approx.* 0f/, "an approximation of a literal is folded to the exact value"],
  [/^shr\.[us]16 .* 0x80000000;/, "of a literal count ptxas takes 16 bits; PTX clamps it to the width"],
  [
    /^bfe\.s32 .*, 0x000000[4-7].,/,
    "a field beyond the register is folded to ones at -O3; PTX fills it with the sign bit",
  ],
  [/^fma\.rn\.oob/, "no source gives the bits of an OOB-NaN"],
];

export interface Agreement {
  readonly kernel: GpuKernel;
  /** We compile it. */
  readonly ours: boolean;
  /** Variants that the simulator does not run, with the reason. */
  readonly stopped: readonly string[];
  /** Variants that differ from the first one of ptxas's, with the first rows. */
  readonly differences: readonly string[];
  /** Some results are NaNs with different bits, which PTX leaves open. */
  readonly nanBits: boolean;
}

/** The instruction under test, without its modifiers. */
export const mnemonicOf = (k: GpuKernel): string =>
  /[a-z]\w*/.exec(k.tested.replace(/^(\{ *(\.reg[^;]*; *)?|@\S+ )/, ""))![0];

/** Compares the outputs of `kernels`, of those that ptxas takes, over all variants named; `rows`: how many threads run. */
export function agree(
  kernels: readonly GpuKernel[],
  inputs: Uint8Array,
  variants: readonly Variant[],
  rows: number = ROWS,
): Agreement[] {
  const outputs = new Map<GpuKernel, Map<Variant, Uint8Array | string>>();
  const ordered = [...variants].sort((a, b) => Number(b.startsWith("ptxas")) - Number(a.startsWith("ptxas")));
  for (const v of ordered) {
    const refusedByUs = v.startsWith("ours") && ordered.find((x) => x.startsWith("ours")) !== v;
    const wanted =
      outputs.size === 0
        ? kernels
        : [...outputs.keys()].filter(
            (k) => !refusedByUs || [...outputs.get(k)!.keys()].some((x) => x.startsWith("ours")),
          );
    const made = make(wanted, v);
    if (made.cubin === null) continue;
    const simulation = new Simulation(made.cubin, inputs);
    for (const k of made.kernels) {
      const all = outputs.get(k) ?? new Map<Variant, Uint8Array | string>();
      outputs.set(k, all.set(v, simulation.run(k, rows)));
    }
  }
  return [...outputs].map(([k, all]) => judge(k, all));
}

function judge(kernel: GpuKernel, all: ReadonlyMap<Variant, Uint8Array | string>): Agreement {
  const stopped: string[] = [];
  const differences: string[] = [];
  let nanBits = false;
  let first: Uint8Array | null = null;
  for (const [v, output] of all) {
    if (typeof output === "string") stopped.push(`${v}: ${output}`);
    else if (first === null) first = output;
    else {
      const d = compareOutputs(kernel, output, first);
      nanBits ||= d.nanBits;
      if (d.text !== "") differences.push(`${v}: ${d.text}`);
    }
  }
  return { kernel, ours: [...all.keys()].some((v) => v.startsWith("ours")), stopped, differences, nanBits };
}

/** What differs in two outputs of a kernel (of whole rows), and whether NaNs have different bits. */
export function compareOutputs(k: GpuKernel, a: Uint8Array, b: Uint8Array): { text: string; nanBits: boolean } {
  const [x, y] = [a, b].map((m) => new BigUint64Array(m.buffer, m.byteOffset, m.length >> 3)) as [
    BigUint64Array,
    BigUint64Array,
  ];
  const columns = k.stride >> 3;
  const nan = [...k.results].map((letter) => nanOf(k, letter));
  const shown: string[] = [];
  let nanBits = false;
  for (let i = 0; i < x.length; i++) {
    if (x[i] === y[i]) continue;
    const row = columns === 0 ? ROWS : Math.floor(i / columns);
    const same = row < ROWS ? nan[i % columns]! : null;
    if (same?.(x[i]!, y[i]!)) nanBits = true;
    else if (shown.length < 3)
      shown.push(
        `${row < ROWS ? `row ${row}` : `memory ${8 * (i - columns * ROWS)}`} ${x[i]!.toString(16)}, not ${y[i]!.toString(16)}`,
      );
  }
  return { text: shown.join("; "), nanBits };
}

type Same = (a: bigint, b: bigint) => boolean;
const FORMATS: Readonly<Record<string, { readonly bits: bigint; readonly infinity: bigint; readonly lanes: number }>> =
  {
    f16: { bits: 16n, infinity: 0x7c00n, lanes: 1 },
    bf16: { bits: 16n, infinity: 0x7f80n, lanes: 1 },
    f16x2: { bits: 16n, infinity: 0x7c00n, lanes: 2 },
    bf16x2: { bits: 16n, infinity: 0x7f80n, lanes: 2 },
    f32: { bits: 32n, infinity: 0x7f800000n, lanes: 1 },
    f64: { bits: 64n, infinity: 0x7ff0000000000000n, lanes: 1 },
  };

/** Are two results the same when any NaN is as good as any other? Null where the instruction makes no float. */
function nanOf(k: GpuKernel, letter: string): Same | null {
  if (!/^(cvt|abs|neg|add|sub|mul|fma|div|rcp|sqrt|rsqrt|sin|cos|lg2|ex2|tanh|min|max|\{ (neg|abs))/.test(k.tested))
    return null;
  const types = k.tested.split(/[ .;]/).filter((t) => FORMATS[t] !== undefined);
  const type =
    letter === "f" ? "f32" : letter === "d" ? "f64" : letter === "h" || letter === "r" ? types[0] : undefined;
  const format = type === undefined ? undefined : FORMATS[type];
  if (format === undefined || (letter === "h" && format.lanes !== 1) || (letter === "r" && format.lanes !== 2))
    return null;
  const mask = (1n << format.bits) - 1n;
  const isNan = (x: bigint): boolean => (x & (mask >> 1n)) > format.infinity;
  return (a, b) => {
    for (let lane = 0n; lane < format.lanes; lane++) {
      const [x, y] = [(a >> (lane * format.bits)) & mask, (b >> (lane * format.bits)) & mask];
      if (x !== y && !(isNan(x) && isNan(y))) return false;
    }
    return true;
  };
}
