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

export const families: readonly Family[] = [
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
      "ld.global.v4.f32 {%f1,%f2,%f3,%f4},[%y2+16]; atom.global.v4.add.f32 {%f20,%f21,%f22,%f23},[%y2],{%f1,%f2,%f3,%f4}; st.global.v4.f32 [%y3],{%f20,%f21,%f22,%f23};",
      "ld.global.v2.f32 {%f1,%f2},[%y2+16]; red.global.v2.add.f32 [%y2],{%f1,%f2};",
      "ld.global.v2.b32 {%r1,%r2},[%y2+16]; red.global.add.noftz.v2.f16x2 [%y2],{%r1,%r2};",
      "ld.global.v2.b32 {%r1,%r2},[%y2+16]; atom.global.v2.max.noftz.bf16x2 {%r20,%r21},[%y2],{%r1,%r2}; st.global.b32 [%y3],%r21;",
    ],
  },
];
