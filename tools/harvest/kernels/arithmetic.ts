/** Templates of arithmetic, comparison, conversion and logic (see template.ts). */

const INTS = "u8|s8|u16|s16|u32|s32|u64|s64";
const WIDE_INTS = "u16|s16|u32|s32|u64|s64";
const FLOATS = "f16|bf16|f32|f64";
const NARROW = "e4m3x2|e5m2x2|e2m1x2|e3m2x2|e2m3x2";
const COMPARE = "eq|ne|lt|le|gt|ge";
const COMPARE_FLOAT = "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan";

export const CONVERSIONS: string = `
cvt.<${INTS}>.<${INTS}> | @2 | @
cvt.sat.<${INTS}>.<${INTS}> | @2 | @ | R
cvt<.rn|.rz|.rm|.rp|.rna><|.sat>.<${FLOATS}>.<${INTS}> | @2 | @ | R C I
cvt<.rni|.rzi|.rmi|.rpi><|.ftz>.<${INTS}>.<${FLOATS}> | @2 | @ | R C I
cvt<.rni|.rzi|.rmi|.rpi>.sat.<${INTS}>.<${FLOATS}> | @2 | @ | R
cvt<|.rn|.rz|.rm|.rp|.rni|.rzi|.rmi|.rpi|.rna><|.ftz>.<${FLOATS}>.<${FLOATS}> | @2 | @ | R C I
cvt<|.rn|.rz|.rm|.rp|.rni|.rzi|.rmi|.rpi><|.ftz>.sat.<${FLOATS}>.<${FLOATS}> | @2 | @ | R
cvt<.rn|.rz><|.relu|.satfinite|.relu.satfinite|.satfinite.relu>.<f16x2|bf16x2>.f32 | r | ff | RR RC RI IR CR
cvt.rs<|.relu|.satfinite|.relu.satfinite|.satfinite.relu>.<f16x2|bf16x2>.f32 | r | ffr | RRR
cvt.rn<|.relu>.<f16x2|bf16x2>.<${NARROW}> | r | h | R
cvt.rn.satfinite<|.relu>.<${NARROW}>.<f16x2|bf16x2> | h | r | R
{ .reg .b8 t8,t9; mov.b16 {t8,t9},%h30; cvt.rn<|.relu>.<f16x2|bf16x2>.e2m1x2 $d0,t8; } | r | r | R
cvt.rn.satfinite<|.relu>.<${NARROW}>.f32 | h | ff | RR RI
{ .reg .b8 t8; cvt.rn.satfinite<|.relu>.<${NARROW}>.f32 t8,$s0,$s1; cvt.u32.u8 $d0,t8; } | r | ff | RR
cvt.rs.satfinite<|.relu>.<e4m3x4|e5m2x4|e3m2x4|e2m3x4> $d0, {$s0,$s1,$s2,$s3}, $s4 | r | ffffr | RRRRR
cvt.rs<|.relu>.satfinite.<e4m3x4|e5m2x4|e3m2x4|e2m3x4>.f32 $d0, {$s0,$s1,$s2,$s3}, $s4 | r | ffffr | RRRRR
cvt.rs<|.relu>.satfinite.e2m1x4.f32 $d0, {$s0,$s1,$s2,$s3}, $s4 | h | ffffr | RRRRR
cvt<.rz|.rp><|.satfinite>.ue8m0x2.f32 | h | ff | RR
cvt<.rz|.rp><|.satfinite>.ue8m0x2.bf16x2 | h | r | R
cvt.rn.bf16x2.ue8m0x2 | r | h | R
cvt<.rna|.rn|.rz|.rn.relu|.rz.relu|.rna.satfinite|.rn.satfinite|.rz.satfinite|.rn.satfinite.relu|.rn.relu.satfinite>.tf32.f32 | r | f | R C I
cvt<.rn|.rz|.rn.relu|.rz.relu>.<f16|bf16>.f32 | h | f | R C I
cvt.pack.sat.<u16|s16>.<s32|u32> | r | rr | RR RI
cvt.pack.sat.<u8|s8|u4|s4|u2|s2>.<s32|u32>.b32 | r | rrr | RRR
`;

export const INTEGERS: string = `
<add|sub|min|max|div|rem|mul.lo|mul.hi>.<${WIDE_INTS}> | @ | @@
<mad.lo|mad.hi>.<${WIDE_INTS}> | @ | @@@
mul.wide.<u16|s16|u32|s32> | @w | @@
mad.wide.<u16|s16|u32|s32> | @w | @@@w
<abs|neg>.<${WIDE_INTS}> | @ | @ | R
sad.<u32|s32|u64|s64> | @ | @@@
bfe.<u32|s32|u64|s64> | @ | @rr
bfind.<u32|s32|u64|s64> | r | @ | R C
bfind.shiftamt.<u32|s32|u64|s64> | r | @ | R
shr.<${WIDE_INTS}> | @ | @r
setp.<${COMPARE}>.<${WIDE_INTS}> | p | @@
setp.<${COMPARE}>.<and|or|xor>.<${WIDE_INTS}> | p | @@p | RRR RIR RCR
set.<${COMPARE}>.<u32|f32>.<${WIDE_INTS}> | @2 | @@ | RR
<and|or|xor>.<b16|b32|b64> | @ | @@
<not|cnot>.<b16|b32|b64> | @ | @ | R C
shl.<b16|b32|b64> | @ | @r
selp.<b16|b32|b64> | @ | @@p
mov.<b16|b32|b64> | @ | @ | R C I
<popc|clz>.<b32|b64> | r | @ | R C
brev.<b32|b64> | @ | @ | R C
bfi.<b32|b64> | @ | @@rr
slct.<b16|b32|b64>.s32 | @2 | @2@2r
slct.<b16|b32|b64>.f32 | @2 | @2@2f
slct.ftz.<b16|b32|b64>.f32 | @2 | @2@2f | RRR
lop3.b32 $d0, $s0, $s1, $s2, <0|0x96|0xe8|0x80|0xfe|0xca|0x1b> | r | rrr
lop3.<and|or>.b32 $d1|$d0, $s0, $s1, $s2, 0x6a, $s3 | pr | rrrp | RRRR RIRR RCRR
lop3.<and|or>.b32 $d0|$d1, $s0, $s1, $s2, 0x6a, $s3 | rp | rrrp | RRRR RIRR RCRR
prmt.b32<|.f4e|.b4e|.rc8|.ecl|.ecr|.rc16> | r | rrr
shf.<l|r>.<wrap|clamp>.b32 | r | rrr
dp4a.<u32|s32>.<u32|s32> | r | rrr
dp2a.<lo|hi>.<u32|s32>.<u32|s32> | r | rrr
mul24.<lo|hi>.<u32|s32> | r | rr | RR
mad24.lo.<u32|s32> | r | rrr | RRR
bmsk.<clamp|wrap>.b32 | r | rr
szext.<clamp|wrap>.<u32|s32> | r | rr
<min|max|add>.<u16x2|s16x2> | r | rr
<min|max>.relu.<s16x2|s32> | r | rr
fns.b32 | r | rrr | RRR
<vadd|vsub|vabsdiff|vmin|vmax>.s32.s32.s32 | r | rr | RR
vset.s32.s32.lt | r | rr | RR
<vadd4|vsub4|vavrg4|vabsdiff4|vmin4|vmax4>.s32.s32.s32<|.add> | r | rrr | RRR
<vadd4|vsub4|vavrg4|vabsdiff4|vmin4|vmax4>.u32.u32.u32.sat | r | rrr | RRR
<vadd2|vsub2|vavrg2|vabsdiff2|vmin2|vmax2>.s32.s32.s32 | r | rrr | RRR
{ add.cc.u32 %r40,$s0,$s1; <add.cc|addc.cc|addc|sub.cc|subc.cc|subc>.u32 $d0,$s1,$s2; addc.u32 $d1,$s0,$s2; } | rr | rrr | RRR
{ sub.cc.u64 %l40,$s0,$s1; <subc.cc|subc|addc.cc>.u64 $d0,$s1,$s2; subc.u64 $d1,$s0,$s2; } | ll | lll | RRR
{ mad.lo.cc.u32 %r40,$s0,$s1,$s2; <mad.lo.cc.u32|madc.lo.cc.u32|madc.hi.u32|mad.hi.cc.s32> $d0,$s1,$s2,$s0; addc.u32 $d1,$s0,$s2; } | rr | rrr | RRR
`;

export const FLOATING: string = `
<add|sub|mul><|.ftz><|.sat>.f32 | f | ff
<add|sub|mul><.rn|.rz|.rm|.rp><|.ftz><|.sat>.f32 | f | ff | RR RI RC
<add|sub|mul><|.ftz><|.sat>.<f16|f16x2> | @ | @@
<add|sub|mul>.rn<|.ftz><|.sat>.<f16|f16x2> | @ | @@ | RR
<add|sub|mul><|.rn>.<bf16|bf16x2> | @ | @@
<add|sub|mul><|.rn|.rz|.rm|.rp>.f64 | d | dd
<add|sub|mul><.rn|.rz|.rm|.rp|.rn.ftz>.f32x2 | l | ll | RR CR
fma.rn<|.ftz><|.sat>.f32 | f | fff
fma<.rz|.rm|.rp><|.ftz><|.sat>.f32 | f | fff | RRR RIR RRC
fma.rn<|.ftz><|.sat|.relu>.<f16|f16x2> | @ | @@@
fma.rn<|.relu|.oob|.oob.relu>.<bf16|bf16x2|f16|f16x2> | @ | @@@
fma<.rn|.rz|.rm|.rp>.f64 | d | ddd
fma<.rn|.rz|.rm|.rp>.f32x2 | l | lll | RRR
div<.rn|.rz|.rm|.rp>.f32 | f | ff | RR IR
<sqrt|rcp><.rn|.rz|.rm|.rp>.<f32|f64> | @ | @ | R
div<.rn|.rz|.rm|.rp>.f64 | d | dd | RR
<add|sub><.rn|.rz|>.f32.<f16|bf16> | f | @f | RR RI
<add|sub><.rn|.rz|>.sat.f32.<f16|bf16> | f | @f | RR
fma.rn<|.sat>.f32.<f16|bf16> | f | @@f | RRR
<min|max><|.ftz|.NaN|.ftz.NaN|.xorsign.abs|.NaN.xorsign.abs>.<f32|f16|f16x2|bf16|bf16x2> | @ | @@
<min|max><|.ftz|.NaN|.ftz.NaN|.abs|.NaN.abs>.f32 | f | fff | RRR RRC RIR
<min|max>.f64 | d | dd
<abs|neg>.<f32|f64|f16|f16x2|bf16|bf16x2> | @ | @ | R C
<abs|neg>.ftz.<f32|f64|f16|f16x2> | @ | @ | R
<rcp|rsqrt|sqrt|sin|cos|lg2|ex2|tanh>.approx<|.ftz>.f32 | f | f | R C I
<ex2|tanh>.approx<|.ftz>.<f16|f16x2|bf16|bf16x2> | @ | @ | R C
<rcp.approx.ftz|rsqrt.approx|rsqrt.approx.ftz>.f64 | d | d | R C
div.approx.f32 | f | ff
<div.full|copysign>.f32 | f | ff | RR RI
copysign.f64 | d | dd | RR
testp.<finite|infinite|number|notanumber|normal|subnormal>.<f32|f64> | p | @ | R
setp.<${COMPARE_FLOAT}>.<f32|f64|f16|bf16> | p | @@ | RR RI RC
setp.<${COMPARE_FLOAT}>.<and|or|xor>.<f32|f64|f16|bf16> | p | @@p | RRR
setp.<${COMPARE_FLOAT}>.<f16x2|bf16x2> $d0|$d1, $s0, $s1 | pp | rr | RR
setp.<${COMPARE_FLOAT}>.<and|or|xor>.<f16x2|bf16x2> $d0|$d1, $s0, $s1, $s2 | pp | rrp | RRR
set.<${COMPARE_FLOAT}>.<u32|f32|f16|u16|f16x2|bf16x2|bf16>.<f32|f64|f16|bf16|f16x2|bf16x2> | @2 | @@ | RR
{ <neg|abs>.<f32|f64> %@10,$s0; fma.rn.f32 $d0,%f10,$s1,$s2; } | f | fff | RRR
{ <neg|abs>.f32 $s0,$s0; <fma.rn.f32 $d0,$s0,$s1,$s2|fma.rn.f32 $d0,$s1,$s2,$s0|add.f32 $d0,$s0,$s1|mul.f32 $d0,$s0,$s1> ; } | f | fff | RRR
{ <neg|abs>.f64 $s0,$s0; <fma.rn.f64 $d0,$s0,$s1,$s2|fma.rn.f64 $d0,$s1,$s2,$s0|add.f64 $d0,$s0,$s1|mul.f64 $d0,$s0,$s1> ; } | d | ddd | RRR
{ <neg|abs>.f16 $s0,$s0; <fma.rn.f16 $d0,$s0,$s1,$s2|fma.rn.f16 $d0,$s1,$s2,$s0|add.f16 $d0,$s0,$s1|mul.f16 $d0,$s0,$s1> ; } | h | hhh | RRR
{ <neg|abs>.f16x2 $s0,$s0; <fma.rn.f16x2 $d0,$s0,$s1,$s2|fma.rn.f16x2 $d0,$s1,$s2,$s0|add.f16x2 $d0,$s0,$s1|mul.f16x2 $d0,$s0,$s1> ; } | r | rrr | RRR
{ <neg|abs>.bf16x2 $s0,$s0; <fma.rn.bf16x2 $d0,$s0,$s1,$s2|fma.rn.bf16x2 $d0,$s1,$s2,$s0|add.bf16x2 $d0,$s0,$s1|mul.bf16x2 $d0,$s0,$s1> ; } | r | rrr | RRR
{ <neg|abs>.f32 $s0,$s0; setp.lt.f32 $d0,$s0,$s1; } | p | ff | RR
{ <neg|abs>.f64 $s0,$s0; setp.lt.f64 $d0,$s0,$s1; } | p | dd | RR
{ <neg|abs>.f16 $s0,$s0; setp.lt.f16 $d0,$s0,$s1; } | p | hh | RR
`.replace(/^.*%@10.*\n/m, "");

export const WARP: string = `
shfl.sync.<up|down|bfly|idx>.b32 $d0|$d1, $s0, $s1, $s2, -1 | rp | rrr | RRR
shfl.sync.<up|down|bfly|idx>.b32 $d0|$d1, $s0, $s1, $s2, $s3 | rp | rrrr | RRRR
shfl.sync.<up|down|bfly|idx>.b32 $d0|$d1, $s0, 3, 31, <-1|$s1> | rp | rr | RR
shfl.sync.<up|down|bfly|idx>.b32 $d0|$d1, $s0, 3, $s1, -1 | rp | rr | RR
shfl.sync.<up|down|bfly|idx>.b32 $d0|$d1, $s0, $s1, 31, -1 | rp | rr | RR
vote.sync.<all|any|uni>.pred $d0, $s0, <-1|$s1> | p | pr | RR
vote.sync.ballot.b32 $d0, <|!>$s0, <-1|$s1> | r | pr | RR
activemask.b32 | r |  |
match.any.sync.b32 $d0, $s0, <-1|$s1> | r | rr | RR
match.any.sync.b64 $d0, $s0, <-1|$s1> | r | lr | RR
match.all.sync.b32 $d0|$d1, $s0, <-1|$s1> | rp | rr | RR
match.all.sync.b64 $d0|$d1, $s0, <-1|$s1> | rp | lr | RR
redux.sync.<add|min|max>.<u32|s32> $d0, $s0, -1 | r | r | R C
redux.sync.<add|min|max>.<u32|s32> $d0, $s0, $s1 | r | rr | RR
redux.sync.<and|or|xor>.b32 $d0, $s0, -1 | r | r | R
redux.sync.<min|max><|.abs><|.NaN>.f32 $d0, $s0, -1 | f | f | R
elect.sync $d0|$d1, -1 | rp |  |
`;
