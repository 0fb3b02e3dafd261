/** Kernels of kernels.cu by the real compiler for three SMs at three levels, in the simulator; and operands for them. */
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Argument, type LaunchOptions, type Run, simulate } from "../../../lib/sim/index.js";
import { tool } from "../tools.js";

export const dir: string = mkdtempSync(join(tmpdir(), "ptxlab-sim-"));
export const SMS = [75, 90, 100];
const LEVELS = [0, 1, 3];
const ptx = new Map<number, string>();
const cubins = new Map<string, Uint8Array>();

function cubinOf(sm: number, level: number): Uint8Array {
  const key = `${sm}.${level}`;
  let bytes = cubins.get(key);
  if (bytes === undefined) {
    let source = ptx.get(sm);
    if (source === undefined) {
      source = join(dir, `k.${sm}.ptx`);
      const made = tool("nvcc", ["-ptx", `-arch=sm_${sm}`, "-o", source, join(__dirname, "kernels.cu")]);
      if (made.status !== 0) throw new Error(made.stderr);
      ptx.set(sm, source);
    }
    const out = join(dir, `k.${key}.cubin`);
    const made = tool("ptxas", [`-arch=sm_${sm}`, `-O${level}`, "-o", out, source]);
    if (made.status !== 0) throw new Error(made.stderr);
    bytes = new Uint8Array(readFileSync(out));
    cubins.set(key, bytes);
  }
  return bytes;
}

export type Launch = (options: LaunchOptions) => Run;

/** One kernel on every target and level. */
export function onAll(name: string, body: (launch: Launch) => void): void {
  test.each(SMS.flatMap((sm) => LEVELS.map((level) => [sm, level] as const)))(`${name}: sm_%i -O%i`, (sm, level) => {
    body((options) => {
      const r = simulate(cubinOf(sm, level), { maxInstructions: 1_000_000, ...options });
      if (!r.ok) throw new Error(r.diagnostics.map((d) => d.message).join("\n"));
      expect(r.value.fault).toBeNull();
      return r.value;
    });
  });
}

/** A small generator with a period of 2^32; values are spread over all bit patterns. */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    let x = state;
    x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d);
    x = Math.imul(x ^ (x >>> 12), 0x297a2d39);
    return (x ^ (x >>> 15)) >>> 0;
  };
}

export function floats(n: number, seed: number, from: number, to: number): Float32Array {
  const next = generator(seed);
  return Float32Array.from({ length: n }, () => from + ((to - from) * next()) / 2 ** 32);
}

export function doubles(n: number, seed: number, from: number, to: number): Float64Array {
  const next = generator(seed);
  return Float64Array.from({ length: n }, () => from + ((to - from) * (next() + next() / 2 ** 32)) / 2 ** 32);
}

export function ints(n: number, seed: number): Int32Array {
  const next = generator(seed);
  return Int32Array.from({ length: n }, () => next() | 0);
}

export const special32 = [
  0,
  -0,
  1,
  -1,
  1.5,
  3,
  1e-45,
  -1e-45,
  1e-40,
  1.17549435e-38,
  3.4e38,
  -3.4e38,
  1e-30,
  1e30,
  Infinity,
  -Infinity,
  NaN,
];

/** All pairs of special values, and random bit patterns. */
export function floatPairs(seed: number, extra: number): [Float32Array, Float32Array] {
  const a: number[] = [];
  const b: number[] = [];
  for (const x of special32)
    for (const y of special32) {
      a.push(x);
      b.push(y);
    }
  const next = generator(seed);
  const bits = new Uint32Array(1);
  const value = new Float32Array(bits.buffer);
  const random = (): number => {
    bits[0] = next();
    return value[0]!;
  };
  for (let i = 0; i < extra; i++) {
    a.push(random());
    b.push(random());
  }
  return [Float32Array.from(a), Float32Array.from(b)];
}

export const s32 = (value: number): Argument => ({ s32: value });
export const f = Math.fround;
