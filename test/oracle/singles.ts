/**
 * PTX lines by family, each a kernel of its own (tools/single/kernel.ts: numbers below 20 are sources, others results; lines that name
 * `%y2` and `%y3` load and store by themselves), with the SMs that have them.
 */
import type { TargetName } from "../../lib/target/index";

export interface Family {
  readonly name: string;
  readonly targets: readonly TargetName[];
  readonly lines: readonly string[];
}

const all = ["sm_75", "sm_90a", "sm_100a"] as const;
const hopper = ["sm_90a", "sm_100a"] as const;

/** Operations and types of generic atomics that are not done at once everywhere. */
const wide = "add.u64 min.s64 max.u64 and.b64 or.b64 xor.b64 exch.b64 add.f64".split(" ");
const word = "add.f32 add.noftz.f16x2 inc.u32 min.s32".split(" ");

/** The atomic on a generic address in shared and in local memory, and what it leaves there. */
function windows(op: string, bits: 16 | 32 | 64): string[] {
  const r = bits === 64 ? "%l" : bits === 32 ? "%r" : "%h";
  const load = `ld.global.b${bits} ${r}1,[%y2]; ld.global.b${bits} ${r}2,[%y2+8];`;
  const at = "mad.lo.u32 %x21,%x0,8,%x21; cvt.u64.u32 %y6,%x21;";
  const end = `st.global.b${bits} [%y3],${r}20; st.global.b${bits} [%y3+8],${r}21;`;
  const operand = op.includes("f64") ? "%d" : op.includes("f32") ? "%f" : r;
  const moved = operand === r ? "" : `mov.b${bits} ${operand}2,${r}2;`;
  const back = operand === r ? "" : `mov.b${bits} ${r}20,${operand}20;`;
  const atom = `${moved} atom.${op} ${operand}20,[%y7],${op.startsWith("cas") ? `${r}1,` : ""}${operand}2; ${back}`;
  return [
    `${load} mov.u32 %x21,smk1; ${at} cvta.shared.u64 %y7,%y6; st.shared.b${bits} [%x21],${r}1; ${atom} ld.shared.b${bits} ${r}21,[%x21]; ${end}`,
    `${load} .local .align 8 .b64 lo; mov.u32 %x21,lo; cvt.u64.u32 %y6,%x21; cvta.local.u64 %y7,%y6; st.local.b${bits} [%x21],${r}1; ${atom} ld.local.b${bits} ${r}21,[%x21]; ${end}`,
  ];
}

const halfTypes: readonly (readonly [type: string, register: string])[] = [
  ["f16", "%h"],
  ["bf16", "%h"],
  ["f16x2", "%r"],
  ["bf16x2", "%r"],
];

const tiny = "e4m3 e5m2 e2m3 e3m2".split(" ");

export const families: readonly Family[] = [
  {
    name: "generic addresses of constants, parameters, shared and local memory",
    targets: all,
    lines: [
      "ld.param.b32 %r1,[pa]; mov.u64 %l4,cck1; cvta.const.u64 %l5,%l4; mad.wide.u32 %l5,%x0,4,%l5; ld.u32 %r20,[%l5]; cvta.to.const.u64 %l6,%l5; ld.const.u32 %r21,[%l6]; isspacep.const %p1,%l5; isspacep.global %p2,%l5; selp.b32 %r22,1,2,%p1; selp.b32 %r23,1,2,%p2; st.global.v4.b32 [%y3],{%r20,%r21,%r22,%r23};",
      "ld.param.b32 %r1,[pa]; mov.b64 %l4,pa; cvta.param.u64 %l5,%l4; ld.u32 %r20,[%l5]; isspacep.param %p1,%l5; isspacep.const %p2,%l5; selp.b32 %r22,1,2,%p1; selp.b32 %r23,1,2,%p2; st.global.v4.b32 [%y3],{%r20,%r1,%r22,%r23};",
      "mov.u32 %x21,smk1; cvt.u64.u32 %l4,%x21; cvta.shared.u64 %l5,%l4; isspacep.shared %p1,%l5; isspacep.local %p2,%l5; isspacep.global %p3,%l5; selp.b32 %r21,1,2,%p1; selp.b32 %r22,1,2,%p2; selp.b32 %r23,1,2,%p3; st.global.v4.b32 [%y3],{%r21,%r22,%r23,%r21};",
      "isspacep.global %p1,%y2; isspacep.const %p2,%y2; isspacep.param %p3,%y2; selp.b32 %r21,1,2,%p1; selp.b32 %r22,1,2,%p2; selp.b32 %r23,1,2,%p3; st.global.v4.b32 [%y3],{%r21,%r22,%r23,%r21};",
      "mov.u64 %l4,cck1; add.u64 %l4,%l4,-74000; ld.const.v2.b32 {%r20,%r21},[%l4+74008]; st.global.v2.b32 [%y3],{%r20,%r21};",
    ],
  },
  {
    name: "barriers without .aligned, counted and with operands in registers",
    targets: all,
    lines: [
      "mov.u32 %x20,smk1; mad.lo.u32 %x20,%x0,4,%x20; st.shared.b32 [%x20],%x0; barrier.sync 0; xor.b32 %x21,%x0,63; mad.lo.u32 %x20,%x21,4,0; mov.u32 %x22,smk1; add.u32 %x20,%x20,%x22; ld.shared.b32 %r20,[%x20]; st.global.b32 [%y3],%r20;",
      "setp.lt.u32 %p1,%x0,40; @%p1 bra A; barrier.sync 3,64; mov.u32 %r20,1; bra.uni B; A: mov.u32 %r20,2; barrier.sync 3,64; B: st.global.b32 [%y3],%r20;",
      "mov.u32 %r1,5; ld.global.b32 %r3,[%y2]; and.b32 %r3,%r3,0; add.u32 %r2,%r3,64; add.u32 %r1,%r1,%r3; setp.gt.s32 %p1,%x0,3; barrier.sync %r1,%r2; barrier.red.and.pred %p2,%r1,%r2,%p1; barrier.red.popc.u32 %r20,2,64,%p1; selp.b32 %r21,1,2,%p2; st.global.v2.b32 [%y3],{%r20,%r21};",
      "setp.lt.u32 %p1,%x0,32; @%p1 barrier.arrive 4,64; @!%p1 barrier.sync 4,64; st.global.b32 [%y3],%x0;",
      // The count has twelve bits.
      "setp.lt.u32 %p1,%x0,32; @%p1 barrier.arrive 4,4160; @!%p1 barrier.sync 4,-4032; st.global.b32 [%y3],%x0;",
    ],
  },
  {
    // The words that ptxas writes for it on sm_75 are none for nvdisasm.
    name: "fences of one direction",
    targets: hopper,
    lines: [
      "st.global.b32 [%y3],%x0; fence.release.gpu; fence.acquire.sys; fence.release.cta; fence.acquire.cta; ld.global.b32 %r1,[%y3]; st.global.b32 [%y3+8],%r1;",
    ],
  },
  {
    name: "accesses in the cluster's window, of devices, with cache policies",
    targets: hopper,
    lines: [
      "mov.u32 %x20,smk1; mad.lo.u32 %x20,%x0,16,%x20; ld.global.v2.b32 {%r1,%r2},[%y2]; st.shared::cluster.v2.b32 [%x20+8],{%r1,%r2}; ld.shared::cluster.b64 %l20,[%x20+8]; ld.relaxed.cluster.shared::cluster.u8 %h20,[%x20+9]; st.global.b64 [%y3],%l20; st.global.b16 [%y3+8],%h20;",
      "ld.mmio.relaxed.sys.global.b32 %r1,[%y2]; st.mmio.relaxed.sys.b32 [%y3],%r1;",
      "createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %l1,0.5; st.global.b64 [%y3],%l1; createpolicy.fractional.L2::evict_first.b64 %l2,0.3; st.global.b64 [%y3+8],%l2;",
      "ld.global.b32 %r1,[%y2]; createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %l1,[%y2],%r1,0x200000; st.global.b64 [%y3],%l1; createpolicy.range.L2::evict_first.b64 %l2,[%y2+8],4096,%r1; st.global.b64 [%y3+8],%l2;",
      "atom.global.add.v2.f32 _,[%y3],{%f1,%f2}; atom.global.add.v2.f32 {_,%f20},[%y3],{%f1,%f2}; st.global.f32 [%y3+8],%f20;",
      "createpolicy.fractional.L2::evict_normal.b64 %l1; ld.global.L2::cache_hint.v2.b32 {%r1,%r2},[%y2],%l1; st.global.L2::cache_hint.b32 [%y3],%r2,%l1; red.global.add.L2::cache_hint.u32 [%y3+8],%r1,%l1;",
      "discard.global.L2 [%y2],128; applypriority.global.L2::evict_normal [%y2],128; st.global.b32 [%y3],%x0;",
    ],
  },
  {
    name: "values in wider registers",
    targets: hopper,
    lines: [
      "ld.global.v2.f32 {%l20,%l21},[%y2]; st.global.v2.b64 [%y3],{%l20,%l21}; ld.global.b16 %h1,[%y2]; cvt.f32.f16 %l22,%h1; st.global.b64 [%y3+16],%l22;",
      ".reg .b128 %w1,%w2; ld.global.s64 %w1,[%y2]; ld.global.u64 %w2,[%y2]; mov.b128 {%l20,%l21},%w1; mov.b128 {%l22,%l23},%w2; st.global.v2.b64 [%y3],{%l20,%l21}; st.global.v2.b64 [%y3+16],{%l22,%l23};",
    ],
  },
  {
    // PTX gives vectors of eight narrow elements no meaning; ptxas moves the first.
    name: "constants of 128 bits, vectors of eight narrow elements",
    targets: hopper,
    lines: [
      ".reg .b128 %w1; .const .align 16 .b32 cn[4]={1,2,3,4}; mov.u32 %x20,cn; and.b32 %x21,%x0,0; add.u32 %x20,%x20,%x21; ld.const.b128 %w1,[%x20]; mov.b128 {%l1,%l2},%w1; st.global.v2.b64 [%y3],{%l1,%l2};",
      "ld.global.v4.b16 {%h1,%h2,%h3,%h4},[%y2]; st.global.v8.b16 [%y3],{%h1,%h2,%h3,%h4,%h1,%h2,%h3,%h4};",
    ],
  },
  {
    name: "accesses of 256 bits",
    targets: ["sm_100a", "sm_120a"],
    lines: [
      "ld.global.nc.L1::evict_last.v8.b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8},[%y2]; st.global.v8.b32 [%y3],{%r8,%r7,%r6,%r5,%r4,%r3,%r2,%r1};",
      "ld.v4.b64 {%l1,%l2,%l3,%l4},[%y2+32]; st.global.L2::evict_first.v4.b64 [%y3+32],{%l4,%l1,%l2,%l3};",
    ],
  },
  {
    name: "video instructions",
    targets: all,
    lines: [
      "vadd.u32.s32.u32.sat %r20, %r1.h0, %r2.b3;",
      "vadd.s32.s32.s32.sat %r20, %r1, %r2;",
      "vadd.s32.s32.s32.add %r20, %r1, %r2.h1, %r3;",
      "vsub.u32.u32.s32 %r20.b1, %r1, %r2.h1, %r3;",
      "vabsdiff.s32.s32.u32.sat %r20, %r1, %r2;",
      "vmin.s32.u32.s32 %r20, %r1, %r2;",
      "vshl.u32.u32.u32.clamp %r20, %r1.h0, %r2.b1;",
      "vshr.s32.s32.u32.wrap.add %r20, %r1, %r2, %r3;",
      "vshr.u32.u32.u32.clamp %r20, %r1, %r2;",
      "vset.s32.u32.lt %r20, %r1, %r2;",
      "vset.u32.u32.ge.add %r20, %r1.b0, %r2.b3, %r3;",
      "vadd4.s32.s32.s32.sat %r20, %r1, %r2, %r3;",
      "vsub2.u32.s32.u32.sat %r20.h1, %r1.h20, %r2.h13, %r3;",
      "vavrg4.s32.s32.s32 %r20, %r1, %r2, %r3;",
      "vavrg2.u32.u32.u32.add %r20, %r1, %r2, %r3;",
      "vabsdiff4.u32.u32.u32.add %r20, %r1, %r2, %r3;",
      "vmin4.u32.s32.u32 %r20.b31, %r1.b4321, %r2, %r3;",
      "vmax2.s32.s32.s32 %r20, %r1, %r2, %r3;",
      "vset4.u32.s32.lt %r20, %r1, %r2, %r3;",
      "vset2.s32.u32.ge.add %r20, %r1, %r2, %r3;",
    ],
  },
  {
    name: "fns, jump tables, special registers",
    targets: all,
    lines: [
      "and.b32 %r2,%r2,31; and.b32 %r3,%r3,7; fns.b32 %r20, %r1, %r2, %r3;",
      "and.b32 %r2,%r2,31; and.b32 %r3,%r3,7; sub.u32 %r3,0,%r3; fns.b32 %r20, %r1, %r2, %r3;",
      "and.b32 %r2,%r2,31; fns.b32 %r20, %r1, %r2, 0;",
      "rem.u32 %r1,%x0,7; ts: .branchtargets A,B,B,C,A,D,C; brx.idx %r1, ts; A: mov.u32 %r20,10; bra E; B: mov.u32 %r20,11; bra E; C: mov.u32 %r20,12; bra E; D: mov.u32 %r20,13; E: st.global.b32 [%y3],%r20;",
      "mov.u32 %r20,%nsmid; mov.u32 %r21,%total_smem_size; mov.u32 %r22,%nwarpid; mov.u64 %l20,%gridid; st.global.v4.b32 [%y3],{%r20,%r21,%r22,%r20}; st.global.b64 [%y3+16],%l20;",
    ],
  },
  {
    name: "elect, registers of clusters",
    targets: hopper,
    lines: [
      "elect.sync %r20|%p1,-1; selp.b32 %r21,1,2,%p1; st.global.v2.b32 [%y3],{%r20,%r21};",
      "setp.gt.u32 %p2,%x0,5; @!%p2 bra A; elect.sync %r20|%p1,0xffffffc0; selp.b32 %r21,1,2,%p1; st.global.v2.b32 [%y3],{%r20,%r21}; A:",
      "mov.u32 %r20,%cluster_ctarank; mov.pred %p1,%is_explicit_cluster; selp.b32 %r21,1,2,%p1; mov.u32 %r22,%reserved_smem_offset_begin; st.global.v4.b32 [%y3],{%r20,%r21,%r22,%r22};",
    ],
  },
  {
    name: "redux of floats",
    targets: ["sm_100a"],
    lines: ["redux.sync.max.f32 %f20, %f1, -1;", "redux.sync.min.NaN.f32 %f20, %f1, -1;"],
  },
  {
    name: "set with halves",
    targets: hopper,
    lines: [
      ...halfTypes.map(([t, r]) => `set.ltu.${t}.${t} ${r}20, ${r}1, ${r}2;`),
      ...halfTypes.map(([t, r]) => `set.ge.u32.${t} %r20, ${r}1, ${r}2;`),
      "set.num.u16.f16 %h20, %h1, %h2;",
      "set.gt.or.f16.f16 %h20, %h1, %h2, %q1;",
      "set.lt.f16.f32 %h20, %f1, %f2;",
      "set.ne.f16.s32 %h20, %r1, %r2;",
    ],
  },
  {
    name: "ex2 and tanh of halves",
    targets: hopper,
    lines: halfTypes.flatMap(([t, r]) => [
      `ex2.approx${t.startsWith("b") ? ".ftz" : ""}.${t} ${r}20, ${r}1;`,
      `tanh.approx.${t} ${r}20, ${r}1;`,
    ]),
  },
  {
    name: "pairs of 16-bit integers, .relu",
    targets: [...hopper, "sm_110a", "sm_120a"],
    lines: [
      "add.u16x2 %r20, %r1, %r2;",
      "min.u16x2 %r20, %r1, %r2;",
      "max.s16x2 %r20, %r1, %r2;",
      "max.relu.s16x2 %r20, %r1, %r2;",
      "min.relu.s32 %r20, %r1, %r2;",
      "max.relu.s32 %r20, %r1, 0x12345;",
    ],
  },
  {
    name: "pairs of f32, f32 with halves, extrema of three",
    targets: ["sm_100a", "sm_103a", "sm_110a", "sm_120a"],
    lines: [
      "add.rm.f32x2 %l20, %l1, %l2;",
      "sub.ftz.f32x2 %l20, %l1, %l2;",
      "mul.rz.f32x2 %l20, %l1, %l2;",
      "fma.rn.ftz.f32x2 %l20, %l1, %l2, %l3;",
      "add.rz.sat.f32.f16 %f20, %h1, %f1;",
      "sub.f32.bf16 %f20, %h1, 0f3FC00000;",
      "fma.rn.f32.bf16 %f20, %h1, %h2, %f1;",
      "min.NaN.abs.f32 %f20, %f1, %f2, %f3;",
      "max.ftz.f32 %f20, %f1, 0f3FC00000, %f3;",
    ],
  },
  {
    name: "cvt to and from floats of 8, 6 and 4 bits",
    targets: ["sm_100a"],
    lines: [
      ...tiny.flatMap((t) => [
        `cvt.rn.satfinite.${t}x2.f32 %h20, %f1, %f2;`,
        `cvt.rn.satfinite.relu.${t}x2.f32 %h20, %f1, 0f3FC00000;`,
        `cvt.rn.relu.f16x2.${t}x2 %r20, %h1;`,
      ]),
      "cvt.rn.satfinite.e4m3x2.f16x2 %h20, %r1;",
      "cvt.rn.satfinite.relu.e5m2x2.f16x2 %h20, %r1;",
      "{ .reg .b8 t; cvt.rn.satfinite.e2m1x2.f32 t, %f1, %f2; cvt.u32.u8 %r20, t; }",
      "{ .reg .b8 t, u; mov.b16 {t, u}, %h1; cvt.rn.f16x2.e2m1x2 %r20, u; }",
      "cvt.rp.satfinite.ue8m0x2.f32 %h20, %f1, %f2;",
      "cvt.rz.ue8m0x2.bf16x2 %h20, %r1;",
      "cvt.rn.bf16x2.ue8m0x2 %r20, %h1;",
    ],
  },
  {
    name: "cvt with .satfinite, .relu and to tf32",
    targets: ["sm_80", ...hopper],
    lines: [
      "cvt.rn.satfinite.relu.f16x2.f32 %r20, %f1, %f2;",
      "cvt.rz.satfinite.bf16x2.f32 %r20, %f1, %f2;",
      "cvt.rn.relu.f16.f32 %h20, %f1;",
      "cvt.rz.satfinite.bf16.f32 %h20, %f1;",
      "cvt.rna.tf32.f32 %r20, %f1;",
      "cvt.rna.satfinite.tf32.f32 %r20, %f1;",
    ],
  },
  {
    name: "cvt to tf32 by the machine, ftz of bf16",
    targets: hopper,
    lines: [
      "cvt.rn.tf32.f32 %r20, %f1;",
      "cvt.rz.relu.tf32.f32 %r20, %f1;",
      "cvt.ftz.f32.bf16 %f20, %h1;",
      "cvt.bf16.bf16 %h20, %h1;",
    ],
  },
  {
    name: "cvt.pack, saturation of f64, halves to themselves",
    targets: all,
    lines: [
      ..."u16 s16".split(" ").map((t) => `cvt.pack.sat.${t}.s32 %r20, %r1, %r2;`),
      ..."u8 s8 u4 s4 u2 s2".split(" ").map((t) => `cvt.pack.sat.${t}.s32.b32 %r20, %r1, %r2, %r3;`),
      "cvt.sat.f64.f64 %d20, %d1;",
      "cvt.rn.sat.f64.s32 %d20, %r1;",
      "cvt.ftz.sat.f64.f32 %d20, %f1;",
      "cvt.rni.sat.f64.f64 %d20, %d1;",
      "cvt.sat.f16.f16 %h20, %h1;",
      "cvt.f16.f16 %h20, %h1;",
    ],
  },
  {
    name: "atomics on generic addresses",
    targets: all,
    lines: [
      ...wide.flatMap((op) => windows(op, 64)),
      ...word.flatMap((op) => windows(op, 32)),
      ...windows("cas.b64", 64),
    ].filter(
      // ptxas adds halves as integers in local memory.
      (l) => !(l.includes("f16x2") && l.includes("local")),
    ),
  },
  {
    name: "atomics of 16 bits",
    targets: all,
    lines: [
      "ld.global.b16 %h1,[%y2+2]; ld.global.b16 %h2,[%y2+8]; atom.global.cas.b16 %h20,[%y2+2],%h1,%h2; st.global.b16 [%y3],%h20;",
      "ld.global.b16 %h1,[%y2]; ld.global.b16 %h2,[%y2+8]; atom.cas.b16 %h20,[%y2+2],%h1,%h2; st.global.b16 [%y3],%h20;",
      "ld.global.b16 %h1,[%y2+4]; atom.global.add.noftz.f16 %h20,[%y2],%h1; st.global.b16 [%y3],%h20;",
      "ld.global.b16 %h1,[%y2+4]; red.add.noftz.f16 [%y2+2],%h1;",
      "mov.u32 %x20,smk1; mad.lo.u32 %x20,%x0,16,%x20; ld.global.b16 %h1,[%y2]; atom.shared.add.noftz.f16 %h20,[%x20+2],%h1; st.global.b16 [%y3],%h20;",
    ],
  },
  {
    name: "atomics of 128 bits and of vectors",
    targets: hopper,
    lines: [
      "{ .reg .b128 %q0,%q1; ld.global.v2.b64 {%l1,%l2},[%y2+16]; mov.b128 %q0,{%l1,%l2}; atom.global.exch.b128 %q1,[%y2],%q0; mov.b128 {%l3,%l4},%q1; st.global.v2.b64 [%y3],{%l3,%l4}; }",
      "{ .reg .b128 %q0,%q1,%q2; ld.global.v2.b64 {%l1,%l2},[%y2+16]; mov.b128 %q0,{%l1,%l2}; ld.global.v2.b64 {%l1,%l2},[%y2]; mov.b128 %q1,{%l1,%l2}; atom.cas.b128 %q2,[%y2],%q1,%q0; mov.b128 {%l3,%l4},%q2; st.global.v2.b64 [%y3],{%l3,%l4}; }",
      "ld.global.v4.f32 {%f1,%f2,%f3,%f4},[%y2+16]; atom.global.add.v4.f32 {%f20,%f21,%f22,%f23},[%y2],{%f1,%f2,%f3,%f4}; st.global.v4.f32 [%y3],{%f20,%f21,%f22,%f23};",
      "ld.global.v2.f32 {%f1,%f2},[%y2+16]; red.global.add.v2.f32 [%y2],{%f1,%f2};",
      "ld.global.v2.b32 {%r1,%r2},[%y2+16]; red.global.add.noftz.v2.f16x2 [%y2],{%r1,%r2};",
      "ld.global.v2.b32 {%r1,%r2},[%y2+16]; atom.global.max.noftz.v2.bf16x2 {%r20,%r21},[%y2],{%r1,%r2}; st.global.b32 [%y3],%r21;",
    ],
  },
];
