/** Blocks of a grid that wait for each other in memory: all of them get their turn, whoever spins. */
import { compile } from "../../lib/compile";
import { unwrap } from "../../lib/result";
import { simulate } from "../../lib/sim";

const BLOCKS = 128;
const ROUNDS = 8;

/** Thread 0 of each block counts the block and spins until all have been counted; the others wait at the block's barrier. */
const text = `
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 count, .param .u64 out) {
  .reg .u32 %r<12>; .reg .u64 %rd<6>; .reg .pred %p<4>;
  ld.param.u64 %rd1, [count];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, 0;
  mov.u32 %r3, 0;
  setp.ne.u32 %p1, %r1, 0;
round:
  add.u32 %r3, %r3, ${BLOCKS};
  @%p1 bra meet;
  membar.gl;
  atom.global.add.u32 %r4, [%rd1], 1;
spin:
  ld.volatile.global.u32 %r5, [%rd1];
  setp.lt.u32 %p2, %r5, %r3;
  @%p2 bra spin;
meet:
  bar.sync 0;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p3, %r2, ${ROUNDS};
  @%p3 bra round;
  mov.u32 %r6, %ctaid.x;
  mov.u32 %r7, %ntid.x;
  mad.lo.u32 %r8, %r6, %r7, %r1;
  mul.wide.u32 %rd3, %r8, 4;
  add.u64 %rd4, %rd2, %rd3;
  ld.volatile.global.u32 %r9, [%rd1];
  st.global.u32 [%rd4], %r9;
  ret;
}`;

test.each([0, 3])("128 blocks of 256 threads meet eight times at -O%s", (opt) => {
  const made = compile(text, { target: "sm_80", opt });
  const [count, out] = [new Uint32Array(1), new Uint32Array(BLOCKS * 256)];
  const launch = { kernel: "k", grid: BLOCKS, block: 256, params: [count, out], maxInstructions: 100_000_000 };
  expect(unwrap(simulate(made.cubin!, launch)).fault).toBeNull();
  expect(count[0]).toBe(BLOCKS * ROUNDS);
  expect(new Set(out)).toEqual(new Set([BLOCKS * ROUNDS]));
});
