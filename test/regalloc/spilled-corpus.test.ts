/**
 * The starter corpus with so few registers that nearly every kernel spills: what the machine code computes in the simulator
 * must be the independently computed results all the same.
 */
import { compile } from "../../lib/compile.js";
import { type Argument, simulate, type TypedArray } from "../../lib/sim/index.js";
import { corpus, corpusPtx, type LaunchFile } from "../corpus/cases.js";

const arrays = {
  u8: Uint8Array,
  s8: Int8Array,
  u16: Uint16Array,
  s16: Int16Array,
  u32: Uint32Array,
  s32: Int32Array,
  f32: Float32Array,
  u64: BigUint64Array,
  s64: BigInt64Array,
  f64: Float64Array,
} as const;

function bufferOf(spec: LaunchFile["buffers"][string]): TypedArray {
  const length = spec.values?.length ?? spec.length ?? 0;
  const array: TypedArray = new arrays[spec.type](length);
  spec.values?.forEach((v, i) => {
    array[i] = array instanceof BigInt64Array || array instanceof BigUint64Array ? BigInt(v) : Number(v);
  });
  return array;
}

function argument(p: LaunchFile["launches"][number]["params"][number], buffers: Record<string, TypedArray>): Argument {
  if ("buffer" in p) return buffers[p.buffer] as TypedArray;
  if ("bytes" in p) return { bytes: Uint8Array.from(Buffer.from(p.bytes as string, "hex")) };
  return p;
}

// Kernels with several launches need a device that lives on; they are left to the corpus test.
const single = corpus.filter((c) => c.launch.launches.length === 1 && c.launch.globals === undefined);

let spilled = 0;

test("nearly the whole corpus is here", () => {
  expect(single.length).toBeGreaterThanOrEqual(19);
});

// From -O1 on a schedule has moved the instructions, the load of the stack pointer among them.
const cases = single.flatMap((c) => [0, 2].map((opt) => [c.name, opt, c] as const));
test.each(cases)("%s at -O%i with 8 registers and 2 predicates", (name, opt, c) => {
  const made = compile(corpusPtx(name, "sm_90"), {
    target: "sm_90",
    opt,
    verify: true,
    allocation: { ceilings: { R: 8, P: 2, UR: 2 } },
  });
  expect(made.internalErrors).toEqual([]);
  expect(made.ok).toBe(true);
  if ((made.functions[0]?.allocation?.spills.length ?? 0) > 0) spilled++;
  const launch = c.launch.launches[0] as LaunchFile["launches"][number];
  const buffers: Record<string, TypedArray> = {};
  for (const [key, spec] of Object.entries(c.launch.buffers)) buffers[key] = bufferOf(spec);
  const run = simulate(made.cubin as Uint8Array, {
    kernel: launch.kernel,
    grid: launch.grid as [number, number, number],
    block: launch.block as [number, number, number],
    sharedBytes: launch.sharedBytes ?? 0,
    params: launch.params.map((p) => argument(p, buffers)),
  });
  expect(run.ok && run.value.fault).toBeNull();
  for (const [key, e] of Object.entries(c.launch.expect)) {
    const got = buffers[key] as TypedArray;
    e.values.forEach((v, i) => {
      const g = got[i] as number | bigint;
      if (typeof g === "bigint") expect(g).toBe(BigInt(v));
      else if (!(Math.abs(g - Number(v)) <= (e.abs ?? 0) + (e.rel ?? 0) * Math.abs(Number(v))))
        expect(g).toBe(Number(v));
    });
  }
});

test("nearly all of them spilled", () => {
  expect(spilled).toBeGreaterThanOrEqual(32);
});
