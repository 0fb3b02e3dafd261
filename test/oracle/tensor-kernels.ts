/** A kernel that copies a box of a tensor in and out by bulk copies, and what it should compute by plain copies. */
import { unwrap } from "../../lib/result";
import { simulate } from "../../lib/sim/index";

export const kernel = (arch: string, coordinates: string): string => `.version 9.0
.target ${arch}
.address_size 64
.visible .entry k(.param .align 128 .b8 from[128], .param .align 128 .b8 to[128], .param .u32 x, .param .u32 y)
{
  .shared .align 1024 .b8 s[2048]; .shared .align 8 .b64 bar;
  .reg .b64 %from, %to; .reg .b32 %b, %s, %t, %u, %x, %y; .reg .pred %p, %z;
  mov.b64 %from, from; cvta.param.u64 %from, %from; mov.b64 %to, to; cvta.param.u64 %to, %to;
  ld.param.u32 %x, [x]; ld.param.u32 %y, [y];
  mov.u32 %b, bar; mov.u32 %s, s; mov.u32 %t, %tid.x; setp.ne.u32 %z, %t, 0;
  @%z bra START;
  prefetch.tensormap [%from];
  mbarrier.init.shared.b64 [%b], 1; fence.proxy.async.shared::cta;
START: bar.sync 0;
  @%z bra WAIT;
  mbarrier.arrive.expect_tx.shared.b64 _, [%b], 1024;
  cp.async.bulk.tensor.${coordinates}.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%s], [%from, {%x, %y}], [%b];
WAIT: mbarrier.try_wait.parity.shared.b64 %p, [%b], 0; @!%p bra WAIT;
  mad.lo.u32 %t, %t, 4, %s;
  ld.shared.u32 %u, [%t]; add.u32 %u, %u, 1; st.shared.u32 [%t], %u;
  fence.proxy.async.shared::cta; bar.sync 0;
  @%z bra END;
  cp.async.bulk.tensor.${coordinates}.global.shared::cta.tile.bulk_group [%to, {%x, %y}], [%s];
  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
END: ret;
}
`;

const [WIDTH, HEIGHT] = [40, 24];

/** The box of 8 × 32 words at (x, y), raised by one where it lies in the tensor. */
function expected(from: Uint32Array, x: number, y: number): Uint32Array {
  const out = new Uint32Array(from.length);
  for (let r = y; r < y + 32; r++)
    for (let c = x; c < x + 8; c++)
      if (r >= 0 && r < HEIGHT && c >= 0 && c < WIDTH) out[r * WIDTH + c] = from[r * WIDTH + c]! + 1;
  return out;
}

/** What is wrong with a cubin of the kernel; "" when all is right: boxes inside, at the beginning and at the end of the tensor. */
export function wrong(cubin: Uint8Array, swizzle: 0 | 32): string {
  const from = Uint32Array.from({ length: WIDTH * HEIGHT }, (_, i) => 1000 + i);
  for (const [x, y] of [
    [4, 3],
    [-2, -5],
    [36, 20],
  ] as const) {
    const to = new Uint32Array(from.length);
    const map = (data: Uint32Array) => ({
      tensorMap: { data, elementBytes: 4, dims: [WIDTH, HEIGHT], box: [8, 32], swizzle },
    });
    const run = unwrap(simulate(cubin, { block: 256, params: [map(from), map(to), { s32: x }, { s32: y }] }));
    if (run.fault !== null) return `${run.fault.message} ${run.fault.instruction}`;
    const all = expected(from, x, y);
    const at = to.findIndex((v, i) => v !== all[i]);
    if (at >= 0) return `box at ${x}, ${y}: word ${at} is ${to[at]}, expected ${all[at]}`;
  }
  return "";
}
