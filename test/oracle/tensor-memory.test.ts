/** `tcgen05` forms: our code at all levels is free of hazards and has at -O2 the instructions of ptxas -O3; nvdisasm reads it. */
import { compile } from "../../lib/compile.js";
import { disassemble } from "../../lib/disassemble.js";
import { readCubin } from "../../lib/elf/index.js";
import { unwrap } from "../../lib/result.js";
import { simulate } from "../../lib/sim/index.js";
import type { TargetName } from "../../lib/target/index.js";
import { verifyCubin } from "../../lib/verify.js";
import { launchOf, matrixKernels, matrixText } from "../corpus/matrix/cases";
import { ptxas } from "./ptxas";
import { describeOracle } from "./tools";

const forms: readonly string[] = [
  "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%w0,%w1},[%r1+4]; tcgen05.wait::ld.sync.aligned; st.global.b32 [%q],%w1;",
  "tcgen05.ld.sync.aligned.16x64b.x4.pack::16b.b32 {%w0,%w1,%w2,%w3},[%r1]; st.global.b32 [%q],%w3;",
  "tcgen05.ld.sync.aligned.16x256b.x1.b32 {%w0,%w1,%w2,%w3},[%r1]; st.global.b32 [%q],%w2;",
  "tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {%w0,%w1},[%r1],32; st.global.b32 [%q],%w1;",
  "tcgen05.st.sync.aligned.16x128b.x1.b32 [%r1+4],{%r2,%r3}; tcgen05.wait::st.sync.aligned;",
  "tcgen05.st.sync.aligned.16x32bx2.x1.unpack::16b.b32 [%r1],8,{%r2};",
  "tcgen05.cp.cta_group::1.128x256b [%r1],%l1;",
  "tcgen05.cp.cta_group::2.64x128b.warpx2::01_23.b8x16.b4x16_p64 [%r1],%l1;",
  "tcgen05.shift.cta_group::1.down [%r1+32]; tcgen05.fence::before_thread_sync; tcgen05.fence::after_thread_sync;",
  "tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%q];",
  "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%s],%h1;",
  "tcgen05.mma.cta_group::1.kind::f16 [%r1],%l1,%l2,%r3,%p1;",
  "tcgen05.mma.cta_group::1.kind::f16 [%r1],[%r2],%l2,%r3,%p1;",
  "tcgen05.mma.cta_group::1.kind::tf32 [%r1],%l1,%l2,%r3,{%r4,%r5,%r4,%r5},%p1,3;",
  "tcgen05.mma.cta_group::2.kind::f8f6f4.collector::a::fill [%r1],%l1,%l2,%r3,%p1;",
  "tcgen05.mma.sp.cta_group::1.kind::f16.collector::a::use [%r1],%l1,%l2,[%r4],%r3,%p1;",
  "tcgen05.mma.ws.cta_group::1.kind::f16.collector::b1::lastuse [%r1],%l1,%l2,%r3,%p1,%l1;",
  "tcgen05.mma.ws.sp.cta_group::1.kind::f8f6f4.collector::b0::fill [%r1],[%r2],%l2,[%r4],%r3,%p1;",
  "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%r1],%l1,%l2,%r3,[%r4],[%r5],%p1;",
  "tcgen05.mma.cta_group::1.kind::mxf4.block_scale [%r1],%l1,%l2,%r3,[%r4],[%r5],%p1;",
  "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16 [%r1],%l1,%l2,%r3,[%r4],[%r5],%p1;",
  "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%s],64;",
  "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%s],%r2;",
  "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1,64;",
  "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;",
  "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%s],%r2;",
  "tcgen05.alloc.cta_group::2.sync.aligned.b32 [%q],128;",
  "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r1,%r2;",
  "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;",
];

/** Loads that reduce, from sm_103 on. */
const reducing: readonly string[] = [
  "tcgen05.ld.red.sync.aligned.32x32b.x4.min.f32 {%w0,%w1,%w2,%w3},%r5,[%r1]; st.global.b32 [%q],%w1; st.global.b32 [%q],%r5;",
  "tcgen05.ld.red.sync.aligned.32x32b.x2.max.abs.NaN.f32 {%w0,%w1},%r5,[%r1+8]; st.global.b32 [%q],%r5;",
  "tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32 {%w0,%w1},%r5,[%r1+8]; st.global.b32 [%q],%r5;",
  "tcgen05.ld.red.sync.aligned.16x32bx2.x4.max.s32 {%w0,%w1,%w2,%w3},%r5,[%r1],16; st.global.b32 [%q],%w1; st.global.b32 [%q],%r5;",
];

const kernel = (arch: string, form: string): string => `.version 9.0
.target ${arch}
.address_size 64
.visible .entry k(.param .u64 p)
{
  .shared .align 16 .b8 sh[64];
  .reg .b64 %q,%l<3>; .reg .b32 %r<6>,%w<4>,%s; .reg .b16 %h1; .reg .pred %p1;
  ld.param.u64 %q,[p]; mov.u32 %s, sh;
  ${[1, 2, 3, 4, 5].map((i) => `ld.global.b32 %r${i},[%q+${4 * i}];`).join(" ")}
  ld.global.b64 %l1,[%q+32]; ld.global.b64 %l2,[%q+40]; ld.global.b16 %h1,[%q+48]; setp.ne.u32 %p1,%r5,7;
  ${form}
  ret;
}
`;

/** Instructions of tensor memory in a cubin, in the order of their names. */
function names(cubin: Uint8Array): string {
  const texts = disassemble(unwrap(readCubin(cubin))).flatMap((f) => f.instructions.map((i) => i.text));
  return texts
    .map((t) => t.replace(/^@!?U?P\w+ /, "").split(" ")[0]!)
    .filter((t) => /^(LDTM|STTM|UTC|UVIRT|FENCE|SYNCS|STAS|ATOMS)/.test(t))
    .sort()
    .join(" ");
}

describeOracle("tensor memory", () => {
  test.each((["sm_100a", "sm_103a", "sm_110a"] as const).map((arch) => [arch as TargetName]))(
    "%s",
    (arch) => {
      const wrong: string[] = [];
      // sm_110 has no exponent for the sum.
      const asked = arch === "sm_100a" ? forms : [...forms, ...reducing];
      for (const form of asked.map((f) => (arch === "sm_110a" ? f.replace("%p1,3;", "%p1;") : f))) {
        const text = kernel(arch, form);
        const [first, ...rest] = [2, 1, 0].map((opt) => compile(text, { target: arch, opt, verify: true }));
        for (const made of [first!, ...rest]) {
          const bad = made.cubin === null ? made.diagnostics : (verifyCubin(unwrap(readCubin(made.cubin))) ?? []);
          if (bad.length > 0) wrong.push(`${form}: ${JSON.stringify(bad).slice(0, 200)}`);
        }
        if (first!.cubin === null) continue;
        const [ours, theirs] = [names(first!.cubin), names(ptxas(text, arch, 3))];
        if (ours !== theirs) wrong.push(`${form}: ${ours} | ptxas: ${theirs}`);
      }
      expect(wrong).toEqual([]);
    },
    60_000,
  );
});

const products = matrixKernels.filter((x) => /tcgen05|stream_k/.test(x.file));

describeOracle("products in tensor memory, ptxas's code in the simulator", () => {
  test.each(products.flatMap((k) => [0, 3].map((level) => [`${k.file} ${k.kernel}`, level, k] as const)))(
    "%s -O%i",
    (_, level, k) => {
      const { params, check } = k.prepare();
      const run = unwrap(simulate(ptxas(matrixText(k), "sm_100a", level), { ...launchOf(k), params }));
      expect(run.fault).toBeNull();
      expect(check()).toBe("");
    },
  );
});
