/** Blocks on several threads (which run the built library: npm run build): the same as on one. */
import { compile } from "../../lib/compile.js";
import {
  Device,
  type LaunchOptions,
  type Run,
  runLaunchFile,
  simulate,
  simulateGivingWay,
} from "../../lib/sim/index.js";
import { corpus, corpusPtx } from "../corpus/cases.js";

function compiled(ptx: string): Uint8Array {
  const { cubin, diagnostics } = compile(ptx, { target: "sm_90", lineInfo: true });
  if (cubin === null) throw new Error(`${diagnostics.map((d) => d.message).join("\n")}\n${ptx}`);
  return cubin;
}

const kernel = (body: string): Uint8Array =>
  compiled(`.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<9>; .reg .b64 %rd<6>; .reg .f32 %f<3>; .reg .pred %p<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  mad.wide.u32 %rd2, %r4, 4, %rd1;
  ${body}
  ret;
}`);

function ran(cubin: Uint8Array, options: LaunchOptions): Run {
  const run = simulate(cubin, options);
  if (!run.ok) throw new Error(run.diagnostics.map((d) => d.message).join("\n"));
  return run.value;
}

test.each(corpus.map((c) => [c.name, c.launch] as const))(
  "%s: the same on one, two and three threads",
  (name, launch) => {
    const cubin = compiled(corpusPtx(name, "sm_90"));
    const outcome = (threads: number, order?: number): { result: unknown; used: number[] } => {
      const used: number[] = [];
      const result = runLaunchFile(
        cubin,
        { ...launch, print: Object.keys(launch.buffers) },
        {
          readFile: () => null,
          launch: (device, module, options) => {
            const run = device.launch(module, { ...options, threads, ...(order !== undefined && { order }) });
            if (run.ok) used.push(run.value.threadsUsed);
            return run;
          },
        },
      );
      return { result, used };
    };
    const one = outcome(1);
    expect(one.result).toMatchObject({ status: 0 });
    for (const threads of [2, 3]) {
      const several = outcome(threads);
      expect(several.result).toEqual(one.result);
      const blocks = launch.launches.map((l) => l.grid.reduce((a, b) => a * b, 1));
      expect(several.used).toEqual(blocks.map((n) => Math.min(threads, n)));
    }
    expect(outcome(2, 5).result).toEqual(one.result);
  },
);

test("reductions of several threads on a few words lose nothing", () => {
  const cubin = kernel(`
    mov.u32 %r5, 0; and.b32 %r6, %r1, 3; mad.wide.u32 %rd3, %r6, 8, %rd1; mov.u64 %rd4, 0x100000001;
  again:
    red.global.add.u32 [%rd3], 1; red.global.add.u64 [%rd3+32], %rd4; red.global.xor.b32 [%rd3+64], %r4; red.global.max.u32 [%rd3+68], %r4;
    add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 25; @%p1 bra again;`);
  const [blocks, threads] = [64, 64];
  const wide = new BigUint64Array(16);
  expect(ran(cubin, { grid: blocks, block: threads, params: [wide], threads: 4 }).threadsUsed).toBe(4);
  const out = new Uint32Array(wide.buffer);
  for (let i = 0; i < 4; i++) {
    const lanes = Array.from({ length: blocks * threads }, (_, t) => t).filter((t) => t % 4 === i);
    expect(out[2 * i]).toBe(25 * lanes.length);
    expect(wide[4 + i]).toBe(BigInt(25 * lanes.length) * 0x100000001n);
    // An odd number of times.
    expect(out[16 + 2 * i]).toBe(lanes.reduce((a, t) => a ^ t, 0));
    expect(out[17 + 2 * i]).toBe(Math.max(...lanes));
  }
});

describe("what depends on the order runs in one that a seed chooses", () => {
  test.each([
    [
      "results of atomics",
      "setp.ne.u32 %p1, %r1, 0; @%p1 ret; atom.global.add.u32 %r5, [%rd1+256], 1; mad.wide.u32 %rd3, %r2, 4, %rd1; st.global.u32 [%rd3], %r5;",
    ],
    ["sums of floats", "cvt.rn.f32.u32 %f1, %r4; mul.f32 %f1, %f1, 0f3dcccccd; red.global.add.f32 [%rd1], %f1;"],
  ])("%s", (_, body) => {
    const cubin = kernel(body);
    const outcome = (threads: number, order?: number): Uint32Array => {
      const out = new Uint32Array(65);
      const options = { grid: 32, block: 32, params: [out], threads, ...(order !== undefined && { order }) };
      expect(ran(cubin, options).threadsUsed).toBe(1);
      return out;
    };
    expect(outcome(3)).toEqual(outcome(1));
    expect(outcome(3, 7)).toEqual(outcome(1, 7));
    expect(outcome(1, 7)).not.toEqual(outcome(1));
  });
});

test("the fault of the first block that has one is told, on any number of threads", () => {
  const cubin = kernel(
    "setp.lt.u32 %p1, %r2, 21; @%p1 ret; ld.global.u32 %r5, [%rd1+100000000]; st.global.u32 [%rd1], %r5;",
  );
  const fault = (threads: number) => ran(cubin, { grid: 64, block: 32, params: [new Uint32Array(4)], threads }).fault;
  expect(fault(1)).toMatchObject({ kind: "out-of-bounds", block: [21, 0, 0], ptxLine: 10 });
  expect(fault(2)).toEqual(fault(1));
  expect(fault(4)).toEqual(fault(1));
});

test("a kernel without end ends by its budgets, and by a signal", async () => {
  const cubin = kernel("again: add.u32 %r1, %r1, 1; st.global.u32 [%rd2], %r1; bra again;");
  const options = { grid: 4, block: 32, params: [new Uint32Array(128)], threads: 2 };
  const message = expect.stringContaining("in the loop from k+0x");
  expect(ran(cubin, { ...options, maxInstructions: 300_000 }).fault).toMatchObject({ kind: "budget", message });
  expect(ran(cubin, { ...options, maxSeconds: 0 }).fault).toMatchObject({ kind: "budget", message });
  const control = new AbortController();
  setTimeout(() => control.abort(), 5);
  const run = await simulateGivingWay(cubin, { ...options, signal: control.signal });
  expect(run).toMatchObject({ ok: true, value: { fault: { kind: "interrupted" } } });
});

test("launches of one device, on several threads and on one, see each other's memory", () => {
  const cubin = kernel("ld.global.u32 %r5, [%rd2]; add.u32 %r5, %r5, 1; st.global.u32 [%rd2], %r5;");
  const device = new Device();
  const module = device.load(cubin);
  if (!module.ok) throw new Error(module.diagnostics[0]!.message);
  const address = device.alloc(4 * 512);
  for (const threads of [1, 2, 1, 3]) {
    device.alloc(1 << 20);
    expect(device.launch(module.value, { grid: 16, block: 32, params: [{ address }], threads })).toMatchObject({
      ok: true,
    });
  }
  device.launch(module.value, { grid: 16, block: 32, params: [{ address }], profile: true });
  const words = new Uint32Array(device.read(address, 2048).buffer);
  expect([...new Set(words)]).toEqual([5]);
});
