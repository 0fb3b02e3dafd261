/** Instructions that the templates of tools/harvest leave out, and those between the lanes of a warp. */
import { expand } from "../../tools/harvest/kernels/template.js";
import { columnOffset } from "./instruction-inputs.js";
import type { Body } from "./instruction-kernels.js";

const COMPARE_FLOAT = "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan";
const VIDEO = "u32|s32";

export const FURTHER: string = `
<add|sub>.sat.s32 | r | rr | RR RI
mad.hi.sat.s32 | r | rrr | RRR RRI
mad24.<lo|hi>.<u32|s32> | r | rrr | RRR RRI
mad24.hi.sat.s32 | r | rrr | RRR
mul24.<lo|hi>.<u32|s32> | r | rr | RI RI
shl.<b16|b32|b64> | @ | @r | RI RI RI RI IR
shr.<u16|s16|u32|s32|u64|s64> | @ | @r | RI RI RI RI IR
shf.<l|r>.<wrap|clamp>.b32 | r | rrr | RRI RRI RRI RRI
bfe.<u32|s32|u64|s64> | @ | @rr | RII RII RII RRI RIR
bfi.<b32|b64> | @ | @@rr | RRII RRII RRIR RRRI
bmsk.<clamp|wrap>.b32 | r | rr | RI RI RI IR IR
szext.<clamp|wrap>.<u32|s32> | r | rr | RI RI RI
prmt.b32 $d0, $s0, $s1, <0x3210|0x7654|0x0123|0xfedc|0x88ff|0x7531|0x4321> | r | rr | RR
prmt.b32.<f4e|b4e|rc8|ecl|ecr|rc16> $d0, $s0, $s1, <0|1|2|3|6> | r | rr | RR
lop3.b32 $d0, $s0, $s1, $s2, <0x3c|0xc0|0xfc|0xf0|0xcc|0xaa|0x0f|0x33|0x55|0xff|0x7f|0x01|0x69|0xb8|0xe2|0x2d> | r | rrr | RRR RIR RRI
<and|or|xor>.pred | p | pp | RR
not.pred | p | p | R
mov.pred | p | p | R
selp.<f32|f64|u16|s32|u64> | @ | @@p | RRR RIR IRR
slct.<u16|s32|u64|f32|f64>.<s32|f32> | @2 | @2@2@ | RRR
set.<eq|ne|lt|le|gt|ge>.<and|or|xor>.<u32|s32|f32>.<s32|u32|f32|s64|f64|u16> | @2 | @@p | RRR
set.<lo|ls|hi|hs>.u32.<u32|u64|u16> | @2 | @@ | RR RI
setp.<lo|ls|hi|hs>.<u16|u32|u64> | p | @@ | RR RI
setp.<eq|lt|ge>.<u32|s64|f32|f64|f16> $d0|$d1, $s0, $s1 | pp | @@ | RR
setp.<lt|geu|nan>.<and|or|xor>.<f32|f64|f16|bf16> $d0|$d1, $s0, $s1, !$s2 | pp | @@p | RRR
setp.<lt|ge|ne>.<and|or|xor>.<s16|u32|s64> $d0|$d1, $s0, $s1, !$s2 | pp | @@p | RRR
setp.<${COMPARE_FLOAT}>.ftz.<f32|f16> | p | @@ | RR RI
set.<${COMPARE_FLOAT}>.ftz.<u32|f32>.f32 | @2 | @@ | RR
slct.ftz.<u32|b64>.f32 | @2 | @2@2f | RRR
testp.<finite|infinite|number|notanumber|normal|subnormal>.<f32|f64> | p | @ | I
mul.wide.<u16|s16|u32|s32> | @w | @@ | RI RI RI
mad.wide.<u16|s16|u32|s32> | @w | @@@w | RIR RRI RII
<div|rem>.<u16|s16|u32|s32|u64|s64> | @ | @@ | RI RI RI RI RI
<add|sub|mul.lo|mul.hi|min|max>.<u32|s32|u64|s64> | @ | @@ | RI RI RI
mad.<lo|hi>.<u32|s64> | @ | @@@ | RII RRI RIR
<add|mul>.<f32|f64> | @ | @@ | RI RI RI RI
fma.rn.<f32|f64|f16|f16x2|bf16x2> | @ | @@@ | RIR RRI IRR RII
div.approx.ftz.f32 | f | ff | RR RI
div.full.ftz.f32 | f | ff | RR RI
div<.rn|.rz|.rm|.rp>.ftz.f32 | f | ff | RR
<sqrt|rcp><.rn|.rz|.rm|.rp>.ftz.f32 | f | f | R
div.rn.<f32|f64> | @ | @@ | RI RI IR
{ .reg .b16 u1,u2; mov.b32 {u1,u2},$s0; mov.b32 $d0,{u2,u1}; } | r | r | R
{ .reg .b32 u1,u2; mov.b64 {u1,u2},$s0; mov.b64 $d0,{u2,u1}; } | l | l | R
{ .reg .b16 u1,u2,u3,u4; mov.b64 {u1,u2,u3,u4},$s0; mov.b64 $d0,{u3,u1,u4,u2}; } | l | l | R
{ .reg .b8 u1,u2,u3,u4; mov.b32 {u1,u2,u3,u4},$s0; mov.b32 $d0,{u3,u1,u4,u2}; } | r | r | R
{ .reg .b16 u1; mov.b32 {u1,_},$s0; mov.b32 $d0,{u1,u1}; } | r | r | R
{ .reg .b16 u1; mov.b32 {_,u1},$s0; mov.b32 $d0,{u1,u1}; } | r | r | R
mov.b32 $d0, {$s0,$s1} | r | hh | RR
mov.b64 $d0, {$s0,$s1} | l | rr | RR
mov.b64 {$d0,$d1}, $s0 | rr | l | R
mov.b32 {$d0,$d1}, $s0 | hh | r | R
mov.b32 $d0, $s0 | f | r | R
mov.b32 $d0, $s0 | r | f | R
mov.b64 $d0, $s0 | d | l | R
mov.b64 $d0, $s0 | l | d | R
add.cc.u32 $d0, $s0, $s1; addc.u32 $d1, 0, 0 | rr | rr | RR
sub.cc.u32 $d0, $s0, $s1; subc.u32 $d1, 0, 0 | rr | rr | RR
add.cc.u64 $d0, $s0, $s1; addc.u64 $d1, 0, 0 | ll | ll | RR
sub.cc.u64 $d0, $s0, $s1; subc.u64 $d1, 0, 0 | ll | ll | RR
add.cc.s32 $d0, $s0, $s1; addc.cc.s32 $d1, $s1, $s2; addc.s32 $d2, $s2, $s0 | rrr | rrr | RRR
mad.lo.cc.u32 $d0, $s0, $s1, $s2; madc.hi.u32 $d1, $s0, $s1, $s2 | rr | rrr | RRR
mad.lo.cc.s32 $d0, $s0, $s1, $s2; madc.hi.cc.s32 $d1, $s0, $s1, $s2; addc.u32 $d2, 0, 0 | rrr | rrr | RRR
mad.hi.cc.u32 $d0, $s0, $s1, $s2; madc.lo.cc.u32 $d1, $s0, $s1, $s2; addc.u32 $d2, 0, 0 | rrr | rrr | RRR
mad.lo.cc.u64 $d0, $s0, $s1, $s2; madc.hi.u64 $d1, $s0, $s1, $s2 | ll | lll | RRR
mad.hi.cc.s64 $d0, $s0, $s1, $s2; madc.lo.cc.s64 $d1, $s0, $s1, $s2; addc.u64 $d2, 0, 0 | lll | lll | RRR
<vadd|vsub|vabsdiff|vmin|vmax>.<${VIDEO}>.<${VIDEO}>.<${VIDEO}><|.sat> | r | rr | RR
<vadd|vsub|vabsdiff|vmin|vmax>.<${VIDEO}>.<${VIDEO}>.<${VIDEO}>.<add|min|max> | r | rrr | RRR
<vadd|vsub|vabsdiff|vmin|vmax>.s32.<u32|s32>.s32<|.sat> $d0, $s0.<b0|b3|h1>, $s1.<b1|h0> | r | rr | RR
<vshl|vshr>.u32.<u32|s32>.u32.<wrap|clamp> | r | rr | RR
vmad.<u32|s32>.<u32|s32>.<u32|s32><|.sat><|.shr7|.shr15> $d0, $s0.<b0|h1>, $s1.<b1|h0>, $s2 | r | rrr | RRR
vset.<u32|s32>.<u32|s32>.<eq|ne|lt|le|gt|ge> | r | rr | RR
<vadd|vsub|vavrg|vabsdiff|vmin|vmax>2.<${VIDEO}>.<${VIDEO}>.<${VIDEO}><|.sat|.add> | r | rrr | RRR
<vadd|vsub|vavrg|vabsdiff|vmin|vmax>4.<${VIDEO}>.<${VIDEO}>.<${VIDEO}><|.sat|.add> | r | rrr | RRR
<vset2|vset4>.<u32|s32>.<u32|s32>.<eq|lt|ge> | r | rrr | RRR
cvt.<s8|u8|s16|u16|s32|u32|s64>.<s8|u8|s16|u16|s32|u32|s64> | @2 | @ | I
mov.u32 $d0, %<tid.x|tid.y|tid.z|ntid.x|ntid.y|ntid.z|laneid|ctaid.x|ctaid.y|ctaid.z|nctaid.x|nctaid.y|nctaid.z|lanemask_eq|lanemask_le|lanemask_lt|lanemask_ge|lanemask_gt|clusterid.x|nclusterid.x|cluster_ctaid.x|cluster_ctaid.y|cluster_nctaid.x|cluster_ctarank|cluster_nctarank|total_smem_size|dynamic_smem_size|aggr_smem_size> | r |  |
mov.u32 $d0, WARP_SZ | r |  |
mov.pred $d0, %is_explicit_cluster | p |  |
`;

export interface WarpLine extends Body {
  readonly tested: string;
}

const column = (pool: "i32" | "i64" | "count", k: number): number => columnOffset(pool, k);

/** Values, a predicate, small values, the lanes whose small value is odd, and a lane from the warp's first row. */
const OPERANDS = `ld.global.b32 %r1,[%y2+${column("i32", 0)}];
ld.global.b32 %r2,[%y2+${column("count", 1)}];
ld.global.b32 %r3,[%y2+${column("i32", 2)}];
and.b32 %r4,%r1,3;
ld.global.b64 %l1,[%y2+${column("i64", 0)}];
and.b64 %l4,%l1,0x8000000000000001;
and.b32 %x10,%r3,1;
setp.ne.u32 %q0,%x10,0;
ld.global.b32 %x11,[%y2+${column("i32", 3)}];
and.b32 %x11,%x11,3;
setp.ne.u32 %q1,%x11,0;
vote.sync.ballot.b32 %r5,%q1,-1;
mov.b32 %r20,0x5a5a5a5a;
mov.b32 %r21,0x5a5a5a5a;
setp.ne.u32 %p1,%x10,0;
setp.ne.u32 %p2,%x10,0;
shr.u32 %x12,%x3,5;
and.b32 %x12,%x12,31;
`;

const line = (tested: string, results: Body["results"]): WarpLine => ({ tested, before: OPERANDS, results });
const RP = [
  ["r", "%r20"],
  ["p", "%p1"],
] as const;
const lines = (texts: string, results: Body["results"]): WarpLine[] =>
  texts
    .trim()
    .split("\n")
    .flatMap(expand)
    .map((t) => line(t, results));

export const WARP: readonly WarpLine[] = [
  ...lines(
    `
shfl.sync.<up|down|bfly|idx>.b32 %r20|%p1,%r1,<%r2|0|1|3|16|31|33>,<0|31|0x1c1f|0x181f|0x100f|0x1f1f|%r3>,-1;
shfl.sync.<up|down|bfly|idx>.b32 %r20,%r1,%x12,31,-1;
match.all.sync.b32 %r20|%p1,<%r1|%r4|%x12|%x2>,-1;
match.all.sync.b64 %r20|%p1,<%l1|%l4|%y0>,-1;
@%q1 match.all.sync.b32 %r20|%p1,<%r4|%x12>,%r5;
@%q1 match.all.sync.b64 %r20|%p1,<%l4|%y0>,%r5;
`,
    RP,
  ),
  ...lines(
    `
vote.sync.ballot.b32 %r20,<|!><%q0|%q1>,-1;
@%q1 vote.sync.ballot.b32 %r20,<|!>%q0,%r5;
match.any.sync.b32 %r20,<%r1|%r4|%x12>,-1;
match.any.sync.b64 %r20,<%l1|%l4>,-1;
@%q1 match.any.sync.b32 %r20,<%r1|%r4>,%r5;
@%q1 match.any.sync.b64 %r20,<%l1|%l4>,%r5;
redux.sync.<add|min|max>.<u32|s32> %r20,<%r1|%r4|%x12|5>,-1;
redux.sync.<and|or|xor>.b32 %r20,<%r1|%r4|%x12|5>,-1;
@%q1 redux.sync.<add|min|max>.<u32|s32> %r20,<%r1|%r4>,%r5;
@%q1 redux.sync.<and|or|xor>.b32 %r20,<%r1|%r4>,%r5;
activemask.b32 %r20;
@%q1 bra L1; mov.b32 %r20,1; L1: bar.warp.sync -1; shfl.sync.bfly.b32 %r21,%r20,1,31,-1;
`,
    [
      ["r", "%r20"],
      ["r", "%r21"],
    ],
  ),
  ...lines(
    `
vote.sync.<all|any|uni>.pred %p1,<|!><%q0|%q1>,-1;
@%q1 vote.sync.<all|any|uni>.pred %p1,<|!>%q0,%r5;
setp.lt.u32 %q2,%x12,16; vote.sync.<all|any|uni>.pred %p1,%q2,-1;
`,
    [["p", "%p1"]],
  ),
  ...lines("elect.sync %r20|%p1,-1;\n@%q1 elect.sync %r20|%p1,%r5;", RP),
  ...lines(
    `
bar.red.popc.u32 %r20,0,<|!>%q0;
barrier.red.popc.aligned.u32 %r20,1,<|!>%q0;
`,
    [["r", "%r20"]],
  ),
  ...lines(
    `
bar.red.<and|or>.pred %p1,0,<|!>%q0;
bar.red.<and|or>.pred %p1,<2|3>,128,<|!>%q0;
setp.lt.u32 %q2,%x0,128; bar.red.<and|or>.pred %p1,0,<|!>%q2;
`,
    [["p", "%p1"]],
  ),
];
