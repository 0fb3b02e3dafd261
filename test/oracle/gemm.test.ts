/**
 * Tiled matrix products that people write, compiled by the real tools and run in the simulator: as ptxas makes them at -O0 and -O3,
 * and re-scheduled. Inputs are small integers, so every order of the sums gives the same.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { reschedule } from "../../lib/reschedule";
import { type LaunchOptions, simulate } from "../../lib/sim/index";
import { type Estimate, estimate } from "../../lib/timing/index";
import { random } from "./mma-kernels";
import { ptxas } from "./ptxas";
import { describeOracle, inScratch, tool } from "./tools";

/** PTX of a CUDA file. */
function nvcc(file: string, arch: string): string {
  return inScratch((dir) => {
    const out = join(dir, "k.ptx");
    const made = tool("nvcc", ["-ptx", `-arch=${arch}`, "-o", out, join(__dirname, file)]);
    if (made.status !== 0) throw new Error(made.stderr);
    return readFileSync(out, "utf8");
  });
}

/** 0 … 4 as binary16. */
const HALVES = [0, 0x3c00, 0x4000, 0x4200, 0x4400];

interface Problem {
  readonly n: number;
  readonly k: number;
  readonly a: Uint16Array;
  readonly b: Uint16Array;
  readonly expected: Float32Array;
}

/** A is m × k by rows, B k × n by rows, or n × k where `bByColumns`. */
function problem(m: number, n: number, k: number, bByColumns: boolean): Problem {
  const next = random(4711);
  const matrix = (count: number): number[] => Array.from({ length: count }, () => next() % 5);
  const [a, b] = [matrix(m * k), matrix(k * n)];
  const expected = new Float32Array(m * n);
  for (let i = 0; i < m; i++)
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let x = 0; x < k; x++) sum += a[i * k + x]! * b[bByColumns ? j * k + x : x * n + j]!;
      expected[i * n + j] = sum;
    }
  const halves = (values: number[]): Uint16Array => Uint16Array.from(values, (x) => HALVES[x]!);
  return { n, k, a: halves(a), b: halves(b), expected };
}

/** The cubin as it is, and re-scheduled in its own order and in a new one. */
function versions(cubin: Uint8Array): [string, Uint8Array][] {
  const orders = ["keep", "new"] as const;
  return [
    ["ptxas", cubin],
    ...orders.map((order): [string, Uint8Array] => {
      const made = reschedule(cubin, { order, controls: "new" });
      if (!made.ok) throw new Error(made.diagnostics.map((d) => d.message).join("\n"));
      return [order, made.value.bytes];
    }),
  ];
}

/** Runs all versions and returns what is wrong. */
function wrong(cubin: Uint8Array, p: Problem, options: LaunchOptions): string[] {
  return versions(cubin).flatMap(([name, bytes]) => {
    const c = new Float32Array(p.expected.length);
    const run = simulate(bytes, { ...options, params: [{ s32: p.n }, { s32: p.k }, p.a, p.b, c] });
    if (!run.ok) return [`${name}: ${run.diagnostics.map((d) => d.message).join("; ")}`];
    const { fault } = run.value;
    if (fault !== null) return [`${name}: ${fault.message} at 0x${fault.address.toString(16)} ${fault.instruction}`];
    const at = c.findIndex((x, i) => x !== p.expected[i]);
    return at < 0 ? [] : [`${name}: element ${at} is ${c[at]}, expected ${p.expected[at]}`];
  });
}

function estimated(cubin: Uint8Array, p: Problem, options: LaunchOptions): Estimate {
  const c = new Float32Array(p.expected.length);
  const made = estimate(cubin, { ...options, params: [{ s32: p.n }, { s32: p.k }, p.a, p.b, c] });
  if (!made.ok) throw new Error(made.diagnostics.map((d) => d.message).join("\n"));
  expect(made.value.run.fault).toBeNull();
  expect([...c]).toEqual([...p.expected]);
  return made.value;
}

describeOracle("tiled products", () => {
  describe("wmma and cp.async", () => {
    let ptx = "";
    beforeAll(() => {
      ptx = nvcc("gemm/wmma.cu", "compute_80");
    });
    const p = problem(64, 64, 96, false);
    const shape: LaunchOptions = { grid: [2, 2], block: 128 };
    test.each([80, 90, 100, 120].flatMap((sm) => [0, 3].map((level) => [sm, level] as const)))(
      "sm_%i -O%i",
      (sm, level) => {
        expect(wrong(ptxas(ptx, `sm_${sm}`, level), p, shape)).toEqual([]);
      },
    );

    test("has an estimate", () => {
      const e = estimated(ptxas(ptx, "sm_80", 3), p, shape);
      expect(e.instructions.some((i) => i.instruction.startsWith("HMMA.16816.F32"))).toBe(true);
      expect(e.reasons.long_scoreboard).toBeGreaterThan(0);
    });
  });

  describe("wgmma, cp.async and mbarriers", () => {
    let ptx = "";
    beforeAll(() => {
      ptx = nvcc("../corpus/matrix/gemm_wgmma.cu", "compute_90a");
    });
    const p = problem(128, 64, 192, true);
    const shape: LaunchOptions = { grid: [1, 2], block: 160 };
    test.each([0, 3])("sm_90a -O%i", (level) => {
      expect(wrong(ptxas(ptx, "sm_90a", level), p, shape)).toEqual([]);
    });

    test("has an estimate, longer with more to multiply", () => {
      const cubin = ptxas(ptx, "sm_90a", 3);
      const e = estimated(cubin, p, shape);
      expect(e.reasons.gmma).toBeGreaterThan(0);
      expect(e.reasons.long_scoreboard).toBeGreaterThan(0);
      expect(estimated(cubin, problem(128, 64, 384, true), shape).cycles).toBeGreaterThan(e.cycles);
    });
  });
});
