/**
 * Instructions that the corpus does not have, as ptxas -O3 writes them: tensor products, bulk copies, barriers in shared
 * memory, tensor memory, 8-bit floats, textures. Decoded to nvdisasm's text and re-encoded to the same words.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderInst } from "../../lib/isa/text.js";
import { decodeInst } from "../../lib/sass/decode.js";
import { encodeInst } from "../../lib/sass/encode.js";
import { type TargetName, target } from "../../lib/target/index.js";
import { disassembleWords, textSections } from "./nvdisasm.js";
import { describeOracle, inScratch, tool } from "./tools.js";

const registers = ".reg .pred %p<4>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %l<9>; .reg .f32 %f<40>;";
const inputs = [
  "ld.param.u64 %l1, [p]; ld.param.u64 %l2, [q]; mov.u32 %r30, m;",
  ...[0, 1, 2, 3, 4, 5, 6, 7].map(
    (i) => `ld.global.b32 %r${i}, [%l1+${4 * i}]; ld.global.f32 %f${i}, [%l1+${64 + 4 * i}];`,
  ),
  "ld.global.b16 %h1, [%l1+128];",
].join("\n");
const kept = [0, 1, 2, 3, 8, 9, 10, 11].map((i) => `st.global.b32 [%l1+${4 * i}], %r${i};`).join(" ");
const results = `${kept} st.global.f32 [%l1+64], %f8; st.global.f32 [%l1+68], %f9; st.global.b16 [%l1+128], %h2;`;

const everywhere = [
  "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r8,%r9}, {%r0,%r1}, {%r2}, {%r3,%r4};",
  "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f8,%f9,%f10,%f11}, {%r0,%r1}, {%r2}, {%f0,%f1,%f2,%f3};",
  "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r8,%r9}, {%r0}, {%r1}, {%r2,%r3};",
  "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8,%r9,%r10,%r11}, [%r30+16];",
  "tex.2d.v4.f32.f32 {%f8,%f9,%f10,%f11}, [%l2, {%f0,%f1}];",
  "suld.b.2d.b32.trap %r8, [%l2, {%r0,%r1}];",
];
const hopper = [
  "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f8,%f9,%f10,%f11}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3};",
  "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f8,%f9,%f10,%f11}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3};",
  "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f8,%f9,%f10,%f11}, {%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, {%f0,%f1,%f2,%f3}, %r5, 0x0;",
  "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r30], {%r0,%r1};",
  "cvt.rn.satfinite.e4m3x2.f32 %h2, %f0, %f1;",
  "cvt.rn.f16x2.e5m2x2 %r8, %h1;",
  "mbarrier.init.shared.b64 [%r30], 32; mbarrier.arrive.expect_tx.shared.b64 _, [%r30], 1024;",
  "mbarrier.try_wait.parity.shared.b64 %p1, [%r30], %r0; selp.b32 %r8, 1, 0, %p1;",
  "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r30], [%l1], %r0, [%r30+64];",
  "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r30], [%l2, {%r0,%r1}], [%r30+64];",
  "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%l2, {%r0,%r1,%r2}], [%r30];",
  "setp.ne.b32 %p1, %r0, 0; elect.sync %r8|%p1, 0xffffffff;",
  "griddepcontrol.wait; griddepcontrol.launch_dependents;",
];
const sm90a = [
  "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f8,%f9,%f10,%f11}, %l1, %l2, 1, 1, 1, 0, 1; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;",
];
const sm100a = [
  "fma.rn.f32x2 %l4, %l1, %l2, %l1; mov.b64 {%r8, %r9}, %l4;",
  "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r8,%r9}, [%r0]; tcgen05.wait::ld.sync.aligned;",
  "setp.ne.b32 %p1, %r0, 0; tcgen05.mma.cta_group::1.kind::f16 [%r1], %l1, %l2, %r3, %p1;",
  "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r30];",
];

const cases: readonly (readonly [arch: string, sm: number, bodies: readonly string[]])[] = [
  ["sm_75", 75, everywhere],
  ["sm_90a", 90, [...everywhere, ...hopper, ...sm90a]],
  ["sm_100a", 100, [...everywhere, ...hopper, ...sm100a]],
];

function kernels(arch: string, bodies: readonly string[]): string {
  const entries = bodies.map(
    (body, i) =>
      `.visible .entry k${i}(.param .u64 p, .param .u64 q) { .shared .align 16 .b8 m[1024];\n${registers}\n${inputs}\n${body}\n${results}\nret; }`,
  );
  return `.version 9.0\n.target ${arch}\n.address_size 64\n${entries.join("\n")}\n`;
}

describeOracle("instructions outside the corpus", () => {
  for (const [arch, sm, bodies] of cases) {
    test(arch, () => {
      inScratch((dir) => {
        const ptx = join(dir, "k.ptx");
        writeFileSync(ptx, kernels(arch, bodies));
        const cubin = join(dir, "k.cubin");
        expect(tool("ptxas", [`-arch=${arch}`, "-O3", ptx, "-o", cubin]).stderr).toBe("");
        const t = target(`sm_${sm}` as TargetName);
        const wrong: string[] = [];
        const again = new Uint32Array(4);
        for (const words of textSections(cubin).values()) {
          disassembleWords(sm, words).forEach((text, i) => {
            const inst = decodeInst(words, 4 * i, t, 16 * i);
            const ours = inst ? renderInst(inst, { isa: sm }) : "(unknown)";
            if (ours !== text) wrong.push(`${text} | ${ours}`);
            if (!inst) return;
            encodeInst(inst, t, again, 0, 16 * i);
            if (again.join() !== words.subarray(4 * i, 4 * i + 4).join()) wrong.push(`re-encoded: ${text}`);
          });
        }
        expect(wrong).toEqual([]);
      });
    });
  }
});
