/** Our code of products of warp groups, in the simulator (kernels: test/oracle/wgmma-kernels.ts). */
import { compile } from "../../lib/compile";
import { readCubin } from "../../lib/elf/index";
import { unwrap } from "../../lib/result";
import { Device, simulate } from "../../lib/sim/index";
import { verifyCubin } from "../../lib/verify";
import { cases, describeCase, kernel, problem } from "../oracle/wgmma-kernels";

const header = ".version 9.0\n.target sm_90a\n.address_size 64\n";

test.each([0, 1, 2])("products of a warp group, each fourth kernel, -O%i", (opt) => {
  const device = new Device();
  const wrong: string[] = [];
  cases.forEach((c, i) => {
    if (i % 4 !== opt) return;
    const made = compile(header + kernel("k", c), { target: "sm_90a", opt, verify: true });
    if (made.cubin === null) {
      wrong.push(`${describeCase(c)}: ${made.diagnostics[0]?.message}`);
      return;
    }
    const found = verifyCubin(unwrap(readCubin(made.cubin))) ?? [];
    const text = problem(device, unwrap(device.load(made.cubin)), "k", c, 31 + i);
    if (text !== "" || found.length > 0) wrong.push(`${describeCase(c)}: ${text} ${JSON.stringify(found)}`);
  });
  expect(wrong).toEqual([]);
});

const twice = `.visible .entry k(.param .u64 p, .param .u64 d, .param .u32 n)
{
  .shared .align 1024 .b8 s[4096];
  .reg .b32 %t, %u, %n; .reg .f32 %f<4>; .reg .b64 %q, %d, %e, %w; .reg .pred %p;
  ld.param.u64 %q, [p]; ld.param.u64 %d, [d]; ld.param.u32 %n, [n];
  mov.u32 %t, %tid.x; mov.u32 %u, s; mad.lo.u32 %u, %t, 32, %u;
  mov.b32 %t, 0x3c003c00; st.shared.v4.b32 [%u], {%t, %t, %t, %t}; st.shared.v4.b32 [%u+16], {%t, %t, %t, %t};
  fence.proxy.async.shared::cta; bar.sync 0;
  mov.u32 %u, s; and.b32 %u, %u, 0x3ffff; shr.u32 %u, %u, 4; cvt.u64.u32 %w, %u; add.u64 %d, %d, %w;
  mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;
L: wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d, %d, 1, 1, 1, 0, 0;
  add.u64 %e, %d, 2;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %e, %e, 1, 1, -1, 0, 0;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %e, %d, 1, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
  sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra L;
  mov.u32 %t, %tid.x; mad.wide.u32 %q, %t, 16, %q; st.global.v4.f32 [%q], {%f0, %f1, %f2, %f3};
}
`;

test("products in a row share one wait, and their sums stay in place around a loop", () => {
  const made = compile(header + twice, { target: "sm_90a", opt: 2, verify: true });
  expect(made.diagnostics).toEqual([]);
  const names = made.functions[0]!.func!.blocks.flatMap((b) => b.insts.map((i) => i.form.name));
  expect(names.filter((n) => n.startsWith("WARPGROUP"))).toEqual(["WARPGROUP.ARRIVE", "WARPGROUP.DEPBAR.LE"]);
  expect(names.filter((n) => n.startsWith("HGMMA"))).toHaveLength(3);
  const out = new Float32Array(512);
  // All elements are 1: each product adds 16, one of the three takes it away again.
  const run = unwrap(
    simulate(made.cubin!, { kernel: "k", grid: 1, block: 128, params: [out, { u64: 1n << 16n }, { u32: 5 }] }),
  );
  expect(run.fault).toBeNull();
  expect(new Set(out)).toEqual(new Set([80]));
});
