/** Maps that a kernel edits field by field in shared memory, brings to global memory and copies by, against plain copies. */
import { compile } from "../../lib/compile";
import { readCubin } from "../../lib/elf/index";
import { unwrap } from "../../lib/result";
import { simulate } from "../../lib/sim/index";
import { verifyCubin } from "../../lib/verify";

const replace = (field: string, type: string, rest: string): string =>
  `tensormap.replace.tile.${field}.shared::cta.b1024.${type} [%m], ${rest};`;

/** Lane 0 edits the map of a tensor of words, 16 × 8, into one of bytes elsewhere; then a box is fetched by it. */
const kernel = (target: string): string => `.version 8.6
.target ${target}
.address_size 64
.visible .entry k(.param .align 128 .b8 old[128], .param .u64 map, .param .u64 data, .param .u64 out)
{
  .shared .align 1024 .b8 s[512]; .shared .align 128 .b8 m[128]; .shared .align 8 .b64 bar;
  .reg .b64 %map, %data, %out, %old, %x; .reg .b32 %t, %m, %s, %b, %u; .reg .pred %p, %z;
  mov.u32 %t, %tid.x; mov.u32 %m, m; mov.u32 %s, s; mov.u32 %b, bar; setp.ne.u32 %z, %t, 0;
  ld.param.u64 %map, [map]; cvta.to.global.u64 %map, %map; ld.param.u64 %data, [data]; ld.param.u64 %out, [out];
  mov.b64 %old, old; cvta.param.u64 %old, %old; mul.wide.u32 %x, %t, 4; add.u64 %old, %old, %x;
  ld.u32 %u, [%old]; mad.lo.u32 %s, %t, 4, %m; st.shared.u32 [%s], %u; mov.u32 %s, s;
  @%z bra FILLED;
  mbarrier.init.shared.b64 [%b], 1; fence.proxy.async.shared::cta;
FILLED: bar.sync 0;
  @%z bra EDITED;
  ${replace("global_address", "b64", "%data")}
  ${replace("elemtype", "b32", "0")}
  ${replace("global_dim", "b32", "0, 48")} ${replace("global_dim", "b32", "1, 10")}
  ${replace("global_stride", "b64", "0, 64")}
  ${replace("box_dim", "b32", "0, 32")} ${replace("box_dim", "b32", "1, 16")}
  ${replace("swizzle_mode", "b32", "0")} ${replace("rank", "b32", "1")} ${replace("fill_mode", "b32", "0")}
EDITED: bar.sync 0;
  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%map], [%m], 128;
  bar.sync 0;
  fence.proxy.tensormap::generic.acquire.gpu [%map], 128;
  @%z bra WAIT;
  mbarrier.arrive.expect_tx.shared.b64 _, [%b], 512;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%s], [%map, {20, 3}], [%b];
WAIT: mbarrier.try_wait.parity.shared.b64 %p, [%b], 0; @!%p bra WAIT;
  mad.lo.u32 %s, %t, 16, %s; .reg .b32 %v<4>; ld.shared.v4.u32 {%v0, %v1, %v2, %v3}, [%s];
  mul.wide.u32 %x, %t, 16; add.u64 %out, %out, %x; st.global.v4.u32 [%out], {%v0, %v1, %v2, %v3};
  ret;
}
`;

test.each([0, 2] as const)("a map that the kernel edits, -O%i", (opt) => {
  for (const target of ["sm_90a", "sm_100a"] as const) {
    const made = compile(kernel(target), { target, opt, verify: true });
    expect(made.diagnostics).toEqual([]);
    expect(verifyCubin(unwrap(readCubin(made.cubin!)))).toEqual([]);
    const data = Uint8Array.from({ length: 640 }, (_, i) => (i * 7 + 3) & 255);
    const [map, out] = [new Uint32Array(32), new Uint8Array(512)];
    const old = { data: new Uint32Array(128), elementBytes: 4, dims: [16, 8], box: [8, 8], swizzle: 32 as const };
    const run = unwrap(simulate(made.cubin!, { block: 32, params: [{ tensorMap: old }, map, data, out] }));
    expect(run.fault).toBe(null);
    const expected = Array.from({ length: 512 }, (_, i) => {
      const [x, y] = [20 + (i % 32), 3 + Math.floor(i / 32)];
      return x < 48 && y < 10 ? data[64 * y + x]! : 0;
    });
    expect([...out]).toEqual(expected);
  }
});
