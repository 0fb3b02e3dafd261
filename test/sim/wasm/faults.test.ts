/** Faults of kernels whose loop is translated by then: told as the closures tell them, with memory as they leave it. */
import { compile } from "../../../lib/compile.js";
import { type EngineChoice, simulate } from "../../../lib/sim/index.js";

/** Each thread goes through its words with `body`; %rd1 is the address, %r1 the thread, %r2 the round. */
function kernel(body: string): Uint8Array {
  const ptx = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 step, .param .u32 rounds) {
  .reg .b32 %r<9>; .reg .b64 %rd<5>; .reg .pred %p<3>;
  .shared .align 4 .b8 s[256];
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r3, [step];
  ld.param.u32 %r4, [rounds];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
  mov.u32 %r2, 0;
  cvt.u64.u32 %rd3, %r3;
again:
  ${body}
  add.s64 %rd1, %rd1, %rd3;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, %r4;
  @%p1 bra again;
  ret;
}`;
  const { cubin, diagnostics } = compile(ptx, { target: "sm_90" });
  if (cubin === null) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  return cubin;
}

const increment = "ld.global.u32 %r5, [%rd1]; add.u32 %r5, %r5, 1; st.global.u32 [%rd1], %r5;";

test.each([
  ["a store beyond the buffer", increment, 128, 5000, "out-of-bounds"],
  ["a misaligned load", increment, 126, 5000, "misaligned"],
  [
    "a store beyond shared memory",
    "shl.b32 %r6, %r2, 2; mov.u32 %r7, s; add.u32 %r7, %r7, %r6; st.shared.u32 [%r7], %r2;",
    0,
    5000,
    "out-of-bounds",
  ],
  [
    "some lanes beyond the buffer",
    `setp.gt.u32 %p2, %r1, 20; @%p2 bra skip; ${increment} skip:`,
    128,
    5000,
    "out-of-bounds",
  ],
  [
    "an atomic beyond the buffer, in its closure right after translated code",
    "red.global.add.u32 [%rd1], %r2;",
    128,
    5000,
    "out-of-bounds",
  ],
  ["a trap in one lane", `add.u32 %r5, %r1, %r2; setp.eq.u32 %p2, %r5, 777; @%p2 trap; ${increment}`, 0, 5000, "trap"],
  [
    "an address made in the same block as the store",
    `mul.lo.u32 %r5, %r2, 128; cvt.u64.u32 %rd2, %r5; add.s64 %rd4, %rd1, %rd2; st.global.u32 [%rd4], %r2; ${increment}`,
    0,
    5000,
    "out-of-bounds",
  ],
  ["no end", increment, 0, 1 << 30, "budget"],
] as const)("%s", (_, body, step, rounds, kind) => {
  const cubin = kernel(body);
  const outcome = (engine: EngineChoice): unknown => {
    const out = new Uint32Array(32 * 1000);
    const run = simulate(cubin, {
      grid: 2,
      block: 32,
      params: [out, { u32: step }, { u32: rounds }],
      engine,
      maxInstructions: 200_000,
    });
    if (!run.ok) throw new Error(run.diagnostics.map((d) => d.message).join("\n"));
    return { run: run.value, out: Buffer.from(out.buffer).toString("base64") };
  };
  const closures = outcome("closures");
  expect(closures).toMatchObject({ run: { fault: { kind } } });
  expect(outcome("wasm")).toEqual(closures);
  expect(outcome("auto")).toEqual(closures);
});
