/**
 * Statements of random kernels, by family, a template each. `<a|b>` stands for either. Placeholders:
 *
 *     $r $d $f $g $h $p  a register of 32 or 64 bits, f32, f64, 16 bits, predicate
 *     $i $fi $gi         the same or a constant
 *     $a                 a global address (uniform or of the thread)   $s  a shared address   $l  a local one   $c  a constant one
 *     $o $o8 $o16        a displacement, perhaps none, of so many bytes alignment
 *     $n                 a barrier's number    $lut  a logic table    $sr $sr64  a special register   $q  four 32-bit registers
 *
 * Statements that all lanes must reach together are never guarded: those that begin with a word of `together`.
 */

const INTEGERS = `
<add|sub>.s32 $r,$r,$i;
mul.lo.s32 $r,$r,$i;
mul.hi.<s|u>32 $r,$r,$i;
mad.lo.s32 $r,$r,$i,$i;
mul.wide.<s|u>32 $d,$r,$i;
mad.wide.<s|u>32 $d,$r,$i,$d;
<and|or|xor>.b32 $r,$r,$i;
not.b32 $r,$r;
<and|or|xor>.b64 $d,$d,$d;
not.b64 $d,$d;
<and|or|xor>.pred $p,$p,$p;
not.pred $p,$p;
mov.pred $p,$p;
lop3.b32 $r,$r,$i,$i,$lut;
shl.b32 $r,$r,$i;
shr.<s|u>32 $r,$r,$i;
shl.b64 $d,$d,$i;
shr.<s|u>64 $d,$d,$i;
shf.<l|r>.<wrap|clamp>.b32 $r,$r,$r,$i;
<min|max>.<s|u>32 $r,$r,$i;
<min|max>.<s|u>16 $h,$h,$h;
<abs|neg>.s32 $r,$r;
<popc|clz|brev>.b32 $r,$r;
<popc|clz>.b64 $r,$d;
brev.b64 $d,$d;
bfind<|.shiftamt>.<s|u>32 $r,$r;
bfind.<s|u>64 $r,$d;
bfe.<s|u>32 $r,$r,$i,$i;
bfi.b32 $r,$r,$r,$i,$i;
bmsk.<clamp|wrap>.b32 $r,$r,$i;
szext.<clamp|wrap>.<s|u>32 $r,$r,$i;
prmt.b32 $r,$r,$r,$i;
prmt.b32.<f4e|b4e|rc8|ecl|ecr|rc16> $r,$r,$r,$i;
<add|sub>.s64 $d,$d,$d;
add.s64 $d,$d,<5|-1|1000000|0x123456789>;
mul.lo.s64 $d,$d,$d;
mul.hi.<u|s>64 $d,$d,$d;
<min|max>.<s|u>64 $d,$d,$d;
<neg|abs>.s64 $d,$d;
<add|sub>.<cc.|>u32 $r,$r,$i;
add.cc.u32 $r,$r,$i; addc<|.cc>.u32 $r,$r,$i;
sub.cc.u32 $r,$r,$i; subc<|.cc>.u32 $r,$r,$i;
add.cc.u64 $d,$d,$d; addc.u64 $d,$d,$d;
mad.lo.cc.u32 $r,$r,$r,$r; madc.hi.u32 $r,$r,$r,$r;
<div|rem>.<s|u>32 $r,$r,$r;
rem.<s|u>32 $r,$r,<7|10|16>;
div.<s|u>64 $d,$d,$d;
mul24.<lo|hi>.<s|u>32 $r,$r,$r;
mad24.lo.s32 $r,$r,$r,$i;
sad.<s|u>32 $r,$r,$r,$r;
dp4a.<s|u>32.<s|u>32 $r,$r,$i,$r;
dp2a.<lo|hi>.<s|u>32.<s|u>32 $r,$r,$r,$r;
<add|sub>.s16 $h,$h,$h;
mul.lo.s16 $h,$h,$h;
mad.lo.u16 $h,$h,$h,$h;
fns.b32 $r,$r,$r,$r;
v<add|sub|min|max>.s32.u32.s32 $r,$r,$r;
vabsdiff4.u32.u32.u32.add $r,$r,$r,$r;
vadd4.s32.s32.s32 $r,$r,$r,$r;
`;

const COMPARISONS = `
setp.<eq|ne|lt|le|gt|ge>.s32 $p,$r,$i;
setp.<eq|ne|lo|ls|hi|hs>.u32 $p,$r,$i;
setp.<eq|ne|lt|le|gt|ge>.s64 $p,$d,$d;
setp.<eq|ne|lo|ls|hi|hs>.u64 $p,$d,<0|5>;
setp.<eq|lo|hs>.u64 $p,$d,$d;
setp.<eq|ne|lt|le>.<s|u>16 $p,$h,$h;
setp.<eq|ne|lt|le|gt|ge|equ|ltu|geu|num|nan><|.ftz>.f32 $p,$f,$fi;
setp.<eq|ne|lt|le|gt|ge|neu|gtu|num|nan>.f64 $p,$g,$gi;
setp.<eq|ne|lt|le|gt|ge>.<and|or|xor>.s32 $p,$r,$i,<|!>$p;
setp.<eq|lt|ge>.or.s32 $p|$p,$r,$i,!$p;
setp.<eq|ne|lt|le|gt|ge|equ|neu|ltu|geu|num|nan>.<and|or|xor>.f32 $p|$p,$f,$fi,<|!>$p;
setp.<eq|ne|lt|le|gt|ge|equ|neu|ltu|geu|num|nan>.<and|or|xor>.f64 $p|$p,$g,$gi,<|!>$p;
setp.<eq|ne|lt|gt>.<and|or|xor>.f64 $p,$g,$gi,<|!>$p;
abs.f64 $g,$g; setp.<eq|lt|gtu>.<and|or>.f64 $p,$g,0d7FF0000000000000,$p;
setp.<eq|ne|lt|le|gt|ge>.<and|or|xor>.<s|u>64 $p|$p,$d,$d,<|!>$p;
setp.<lt|ge|hi>.<and|or>.u64 $p,$d,0x7ff0000000000000,$p;
set.<eq|lt|gt>.u32.s32 $r,$r,$i;
set.<eq|lt>.f32.f32 $f,$f,$fi;
selp.b32 $r,$i,$i,$p;
selp.b64 $d,$d,$d,$p;
selp.f32 $f,$f,$fi,$p;
selp.f64 $g,$g,$gi,$p;
selp.b16 $h,$h,$h,$p;
slct.b32.s32 $r,$r,$i,$r;
slct.f32.f32 $f,$f,$f,$f;
`;

const MOVES = `
mov.u32 $r,$sr;
mov.u32 $r,$i;
mov.u64 $d,<0|7|0x1234567890|0xffffffff>;
mov.u64 $d,$sr64;
mov.f64 $g,$gi;
mov.f32 $f,$fi;
mov.b32 $r,$f;
mov.b32 $f,$r;
mov.b64 $d,$g;
mov.b64 {$r,$r},$d;
mov.b64 $d,{$r,$r};
mov.b32 {$h,$h},$r;
mov.b32 $r,{$h,$h};
mov.u64 $d,g8;
mov.u32 $r,sm;
mov.u16 $h,7;
`;

const FLOATS = `
<add|sub|mul><|.rn|.rz|.rp><|.ftz><|.sat>.f32 $f,$f,$fi;
fma.<rn|rm><|.ftz><|.sat>.f32 $f,$f,$fi,$fi;
<min|max><|.ftz><|.NaN>.f32 $f,$f,$fi;
<abs|neg><|.ftz>.f32 $f,$f;
<rcp|sqrt|rsqrt|sin|cos|ex2|lg2>.approx<|.ftz>.f32 $f,$f;
tanh.approx.f32 $f,$f;
div.<rn|full|approx>.f32 $f,$f,$f;
<sqrt|rcp>.rn.f32 $f,$f;
<add|sub|mul>.<rn|rz|rm>.f64 $g,$g,$gi;
fma.<rn|rp>.f64 $g,$g,$gi,$gi;
fma.rn.f64 $g,$g,$g,$g;
<min|max>.f64 $g,$g,$gi;
<abs|neg>.f64 $g,$g;
<div|rcp|sqrt>.rn.f64 $g,$g<,$g|>;
rcp.approx.ftz.f64 $g,$g;
rsqrt.approx.f64 $g,$g;
copysign.f32 $f,$f,$f;
testp.<finite|normal|notanumber>.f32 $p,$f;
<add|mul|sub><|.sat>.f16x2 $r,$r,$r;
fma.rn<|.relu>.<f16x2|bf16x2> $r,$r,$r,$r;
<min|max>.<f16x2|bf16x2> $r,$r,$r;
<abs|neg>.f16x2 $r,$r;
<add|mul>.f16 $h,$h,$h;
fma.rn.<f16|bf16> $h,$h,$h,$h;
<ex2|tanh>.approx.f16x2 $r,$r;
setp.<lt|eq>.f16 $p,$h,$h;
<add|mul>.rn.f32x2 $d,$d,$d;
fma.rn.f32x2 $d,$d,$d,$d;
`;

const CONVERSIONS = `
cvt.<rn|rz>.f32.<s|u>32 $f,$r;
cvt.<rni|rzi|rmi|rpi>.<s|u>32.f32 $r,$f;
cvt.rn.f64.<s|u>32 $g,$r;
cvt.<rzi|rni>.<s|u>32.f64 $r,$g;
cvt.f64.f32 $g,$f;
cvt.<rn|rz|rp>.f32.f64 $f,$g;
cvt.<rzi|rni>.<s|u>64.f32 $d,$f;
cvt.rn.f32.<s|u>64 $f,$d;
cvt.rzi.<s|u>64.f64 $d,$g;
cvt.rn.f64.<s|u>64 $g,$d;
cvt.<s|u>64.<s|u>32 $d,$r;
cvt.u32.u64 $r,$d;
cvt.u16.u32 $h,$r;
cvt.<s|u>32.<s|u>16 $r,$h;
cvt.<s|u>32.<s|u>8 $r,$r;
cvt.sat.<s8|u8|s16|u16>.s32 $<r|r>,$r;
cvt.<rmi|rni|rpi|rzi>.f32.f32 $f,$f;
cvt.<rni|rmi>.f64.f64 $g,$g;
cvt.sat.f32.f32 $f,$f;
cvt.rn.<f16|bf16>.f32 $h,$f;
cvt.f32.<f16|bf16> $f,$h;
cvt.rn.<f16x2|bf16x2>.f32 $r,$f,$f;
cvt.rn.f16.<s|u>32 $h,$r;
cvt.rzi.<s|u>32.f16 $r,$h;
cvt.rn.f32.<s|u>16 $f,$h;
cvt.rn.f32.u8 $f,$r;
cvt.rzi.<s|u>16.f32 $h,$f;
cvt.rna.tf32.f32 $r,$f;
cvt.rn.satfinite.<e4m3x2|e5m2x2>.f32 $h,$f,$f;
cvt.rn.f16x2.<e4m3x2|e5m2x2> $r,$h;
cvt.pack.sat.<s16|u16>.s32 $r,$r,$r;
`;

const MEMORY = `
ld.global<|.nc|.volatile|.ca|.cg|.cs|.lu|.cv>.<u32|u8|s8|u16|s16> $r,[$a$o];
ld.<relaxed|acquire>.<cta|gpu|sys>.global.u32 $r,[$a$o];
ld.global.f32 $f,[$a$o];
ld.global<|.nc|.relaxed.gpu>.u64 $d,[$a$o8];
ld.global<|.nc>.v2.u32 {%r0,%r1},[$a$o8];
ld.global<|.nc|.L1::evict_last|.L1::no_allocate|.L2::128B>.v4.u32 {%r2,%r5,%r6,%r7},[$a$o16];
ld.global.v2.f64 {$g,%fd5},[$a$o16];
st.global<|.wb|.volatile|.wt|.cg|.cs|.relaxed.gpu|.release.gpu|.release.sys|.relaxed.cta>.u32 [$a$o],$r;
st.global.u<8|16> [$a$o],$r;
st.global<|.cs|.L1::evict_last>.u64 [$a$o8],$d;
st.global.f32 [$a$o],$fi;
st.global.v2.u32 [$a$o8],{$r,$r};
st.global.v4.u32 [$a$o16],$q;
st.global.u32 [$a],0;
ld.global.u32 $r,[g8+<0|4|8>];
st.global.u64 [g8],$d;
st.shared.u32 [sm+<0|4|64|200>],$r;
st.shared<|.volatile>.u<8|16> [$s+<0|2|6|18>],$r;
st.shared.v2.u32 [$s+<0|16|64>],{$r,$r};
st.shared.v4.u32 [$s+<0|16|64>],$q;
st.shared.u64 [$s],$d;
ld.shared<|.volatile>.<u32|u8|s8|u16|s16> $r,[$s+<0|4|12|36>];
ld.shared.u64 $d,[$s+<0|8|40>];
ld.shared.v4.u32 {%r0,%r1,%r2,%r3},[$s+<0|16|32>];
ld.shared.f32 $f,[sm+<0|4|100>];
st.local.<u32|u8|u16> [lo+<0|4|60>],$r;
st.local.u64 [lo+<0|8|64>],$d;
st.local.u32 [$l+<0|4|20>],$r;
st.local.v4.u32 [$l+<0|16>],$q;
st.local.v2.u32 [$l+<0|16>],{$r,$r};
ld.local.<u32|u8|s8|u16|s16> $r,[$l+<0|4|20>];
ld.local.u64 $d,[lo+<0|8|64>];
ld.local.v4.u32 {%r0,%r1,%r2,%r3},[$l+<0|16>];
ld.local.v2.u32 {%r0,%r1},[$l+<0|16>];
ld.const.<u32|u8|s8|u16|s16> $r,[co+<0|4|40>];
ld.const.u64 $d,[co+<0|8|40>];
ld.const.<u32|u8|s8|u16|s16> $r,[$c+<0|4|12>];
ld.const.u64 $d,[$c+<0|8|16>];
ld.const.v2.u32 {%r0,%r1},[$c+<0|8|16>];
ld.const.v4.u32 {%r0,%r1,%r2,%r3},[$c+<0|16>];
ld.param.u32 $r,[n<0|1|2>];
ld.param.<u8|s8> $r,[b<0|1>];
ld.param.<u16|s16> $r,[hh];
ld.param.f64 $g,[q];
ld.param.v4.u32 {%r0,%r1,%r2,%r3},[v];
cvta.shared.u64 $d,%rs; ld<|.volatile>.u32 $r,[$d$o];
ld<|.relaxed.gpu|.acquire.gpu|.acquire.sys|.volatile>.<u32|u8|s8|u16|s16> $r,[$d$o];
ld.<u64|s32> $d,[$d$o8];
ld.v2.u32 {%r0,%r1},[$d$o8];
ld.v4.u32 {%r2,%r5,%r6,%r7},[$d$o16];
st<|.relaxed.gpu|.release.gpu|.release.cta|.volatile>.<u32|u8|u16> [$d$o],$r;
st.u64 [$d$o8],$d;
st.v2.u32 [$d$o8],{$r,$r};
st.v4.u32 [$d$o16],$q;
isspacep.<shared|global|local|const> $p,$d;
cvta.<shared|global|local|const>.u64 $d,$d;
cvta.to.<shared|global|local>.u64 $d,$d;
prefetch.global.L<1|2> [%a0];
prefetch.global.L2::evict_last [%a0];
prefetchu.L1 [%a0];
discard.global.L2 [%a0],128;
applypriority.global.L2::evict_normal [%a0],128;
createpolicy.fractional.L2::evict_last.b64 $d,1.0;
createpolicy.fractional.L2::evict_first.b64 $d,1.0; ld.global.L2::cache_hint.u32 $r,[$a],$d;
cp.async.ca.shared.global [$s],[$a],<4|8|16>;
cp.async.cg.shared.global [$s],[$a],16;
cp.async.ca.shared.global [$s],[$a],8,$r;
cp.async.commit_group;
cp.async.wait_group <0|1|3>;
cp.async.wait_all;
`;

const ATOMICS = `
atom.global.<add.u32|add.s32|min.u32|max.s32|min.s32|max.u32|and.b32|or.b32|xor.b32|exch.b32|inc.u32|dec.u32> $r,[$a$o],$r;
atom.global.cas.b32 $r,[$a$o],$r,$r;
atom.global.<add.u64|exch.b64|min.u64|max.s64|min.s64|and.b64|or.b64|xor.b64> $d,[$a$o8],$d;
atom.global.cas.b64 $d,[$a$o8],$d,$d;
atom.global.cas.b16 $h,[$a],$h,$h;
atom.global.add.f32 $f,[$a$o],$f;
atom.global.add.f64 $g,[$a$o8],$g;
atom.global.add.noftz.<f16x2|bf16x2> $r,[$a],$r;
atom.global.add.noftz.<f16|bf16> $h,[$a],$h;
atom.<relaxed|acquire|release|acq_rel>.<cta|sys|gpu>.global.<add.u32|exch.b32|max.s32> $r,[$a$o],$r;
atom.<relaxed|acquire|release|acq_rel>.<cta|sys|gpu>.global.cas.b32 $r,[$a],$r,$r;
atom.<add.u32|exch.b32|or.b32|max.s32|inc.u32> $r,[$d$o],$r;
atom.cas.<b32 $r,[$d$o],$r,$r|b64 $d,[$d$o8],$d,$d>;
atom.add.<f32 $f,[$d$o],$f|f64 $g,[$d$o8],$g|u64 $d,[$d$o8],$d>;
atom.<release|acq_rel>.<cta|gpu|sys>.add.u32 $r,[$d$o],$r;
red.global.<add.u32|min.s32|or.b32|max.u32|and.b32|xor.b32|inc.u32|dec.u32|min.u32|max.s32> [$a$o],$r;
red.global.add.f32 [$a$o],$f;
red.global.<add.u64|min.u64|max.s64|or.b64> [$a$o8],$d;
red.global.add.f64 [$a$o8],$g;
red.global.add.noftz.f16x2 [$a],$r;
red.<relaxed|release>.<cta|gpu|sys>.global.<add.u32|or.b32> [$a$o],$r;
red.add.<u32 [$d$o],$r|u64 [$d$o8],$d|f32 [$d],$f|f64 [$d$o8],$g>;
atom.shared.<add.u32|min.u32|max.s32|and.b32|or.b32|xor.b32|exch.b32|inc.u32|dec.u32|min.s32|max.u32> $r,[$s+<0|4|20>],$r;
atom.shared.cas.<b32 $r,[$s+<0|4|16>],$r,$r|b64 $d,[$s+<0|8|16>],$d,$d>;
atom.shared.cas.b32 $r,[sm+<4|64>],$r,$r;
atom.shared.add.<f32 $f,[$s+<0|4|8>],$f|f64 $g,[$s+<0|8|16>],$g|u64 $d,[$s+<0|8>],$d>;
atom.shared.<exch|or>.b64 $d,[$s+<0|8|32>],$d;
red.shared.<add.u32|min.s32|or.b32|inc.u32|xor.b32|max.u32> [$s+<0|8>],$r;
red.shared.add.u32 [$s<|+4|+64>],<1|5>;
atom.shared.add.u32 $r,[$s],<1|5>;
atom.<cta|gpu>.shared.add.u32 $r,[sm+4],$r;
`;

const BARRIERS = `
bar.sync 0;
bar.sync $n;
bar.sync $n,64;
bar.arrive $n,64;
barrier<|.cta>.sync<|.aligned> $n;
barrier.sync $n,64;
barrier.arrive $n,96;
bar.red.popc.u32 $r,$n,<|!>$p;
bar.red.<and|or>.pred $p,$n,<|!>$p;
barrier.red.<and|or>.pred $p,$n,64,$p;
bar.warp.sync <0xffffffff|0xff|$r>;
membar.<cta|gl|sys>;
fence.<acq_rel|sc>.<cta|gpu|sys|cluster>;
fence.proxy.<alias|async>;
bar.sync $r;
bar.sync $r,$r;
bar.arrive $r,$r;
barrier.cluster.arrive<|.release|.relaxed><|.aligned>;
barrier.cluster.wait<|.acquire><|.aligned>;
shfl.sync.<up|down|bfly|idx>.b32 $r|$p,$r,$i,<31|0|$r>,<-1|$r>;
shfl.sync.<up|down|bfly|idx>.b32 $r,$r,$i,<31|0|$r>,<-1|$r>;
vote.sync.<any|all|uni>.pred $p,<|!>$p,<-1|$r>;
vote.sync.ballot.b32 $r,<|!>$p,<-1|$r>;
match.any.sync.b<32 $r,$r|64 $r,$d>,<-1|$r>;
match.all.sync.b<32 $r|$p,$r|64 $r|$p,$d>,<-1|$r>;
redux.sync.<add.u32|min.s32|max.u32|and.b32|or.b32|xor.b32|min.u32|max.s32> $r,$r,<-1|$r>;
activemask.b32 $r;
elect.sync $r|$p,-1;
nanosleep.u32 $i;
pmevent 1;
mbarrier.init.shared.b64 [$s],<1|32|$r>;
mbarrier.arrive.shared.b64 $d,[$s];
mbarrier.arrive.noComplete.shared.b64 $d,[$s],3;
mbarrier.test_wait.shared.b64 $p,[$s],$d;
mbarrier.try_wait.shared.b64 $p,[$s],$d;
mbarrier.inval.shared.b64 [$s];
griddepcontrol.<wait|launch_dependents>;
`;

/** Barriers whose number or count is in a register: one instruction each, or several words that are one. */
const BARRIER_REGISTERS = `
bar.sync $r,<$r|$r|64>;
bar.sync $n,$r;
barrier.sync $r,$r;
bar.arrive $r,<$r|$r|64>;
bar.arrive $n,$r;
bar.red.popc.u32 $r,$r,<$r|$r|64>,<|!>$p;
bar.red.popc.u32 $r,$n,$r,<|!>$p;
bar.red.<and|or>.pred $p,$r,<$r|$r|64>,<|!>$p;
bar.red.<and|or>.pred $p,$n,$r,<|!>$p;
barrier.red.<popc.u32 $r|and.pred $p|or.pred $p>,$r,$r,<|!>$p;
add.s32 $r,$r,$i;
xor.b32 $r,$r,$r;
setp.<eq|lt>.s32 $p,$r,$i;
mul.lo.s32 $r,$r,$i;
`;

/** Lanes of a mask that is in a register, and orders of reductions without a result. */
const MASKS = `
match.all.sync.b32 $r|$p,$r,$r;
match.all.sync.b64 $r|$p,$d,$r;
match.any.sync.b<32 $r,$r|64 $r,$d>,$r;
redux.sync.<add.u32|add.s32|min.s32|max.u32|and.b32|or.b32|xor.b32|min.u32|max.s32> $r,$r,$r;
shfl.sync.<up|down|bfly|idx>.b32 $r|$p,$r,$i,<31|0|$r>,$r;
vote.sync.<any|all|uni>.pred $p,<|!>$p,$r;
vote.sync.ballot.b32 $r,<|!>$p,$r;
red.release.<cta|gpu|sys|cluster>.global.add.<f32 [$a$o],$f|f64 [$a$o8],$g|u64 [$a$o8],$d>;
red.release.<cta|gpu|sys|cluster>.global.<add.u32|min.u32|max.s32|and.b32|xor.b32|inc.u32> [$a$o],$r;
add.s32 $r,$r,$i;
xor.b32 $r,$r,$r;
setp.<eq|lt>.s32 $p,$r,$i;
`;

/** What sm_110 has instructions of its own for. */
const EXTREMES = `
<min|max>.<s|u>32 $r,$r,$i;
<min|max>.<s|u>32 $r,$r,<5|-7|255|100000>;
<min|max>.<s|u>16 $h,$h,$h;
<min|max>.<s|u>64 $d,$d,$d;
cvt.sat.<u8|s8|u16>.<u32|s32> $r,$r;
add.s32 $r,$r,$i;
`;

/** Matrix instructions, textures and the like are among the kernels of one instruction; here they meet other instructions. */
const MATRICES = `
ldmatrix.sync.aligned.m8n8.<x1|x1.trans>.shared.b16 {$r},[%sb];
ldmatrix.sync.aligned.m8n8.x4<|.trans>.shared.b16 {%r0,%r1,%r2,%r3},[%sb];
stmatrix.sync.aligned.m8n8.x2<|.trans>.shared.b16 [%sb],{$r,$r};
movmatrix.sync.aligned.m8n8.trans.b16 $r,$r;
mma.sync.aligned.m16n8k16.row.col.f32.<f16.f16|bf16.bf16>.f32 {%f0,%f1,%f2,%f3},$q,{$r,$r},{%f4,%f5,%f6,%f7};
mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0,%f1,%f2,%f3},$q,{$r,$r},{%f0,%f1,%f2,%f3};
mma.sync.aligned.m16n8k32.row.col.s32.<s8|u8>.<s8|u8>.s32 {%r0,%r1,%r2,%r3},$q,{$r,$r},$q;
mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd0,%fd1},{$g},{$g},{%fd2,%fd3};
`;

export const families: readonly { readonly weight: number; readonly lines: readonly string[] }[] = [
  { weight: 9, text: INTEGERS },
  { weight: 4, text: COMPARISONS },
  { weight: 3, text: MOVES },
  { weight: 5, text: FLOATS },
  { weight: 4, text: CONVERSIONS },
  { weight: 9, text: MEMORY },
  { weight: 4, text: ATOMICS },
  { weight: 5, text: BARRIERS },
  { weight: 1, text: MATRICES },
  { weight: 0, text: BARRIER_REGISTERS },
  { weight: 0, text: MASKS },
  { weight: 0, text: EXTREMES },
].map(({ weight, text }) => ({ weight, lines: text.trim().split("\n") }));

/** Statements that are not guarded begin with one of these. */
export const together: readonly string[] =
  "bar barrier shfl vote match redux elect activemask ldmatrix stmatrix movmatrix mma add.cc sub.cc mad.lo.cc cvta.shared createpolicy fns".split(
    " ",
  );

export const special: readonly string[] = (
  "tid.x tid.y tid.z ntid.x ntid.y ntid.z ctaid.x ctaid.y ctaid.z nctaid.x nctaid.y nctaid.z laneid warpid nwarpid smid nsmid " +
  "lanemask_eq lanemask_lt lanemask_le lanemask_gt lanemask_ge clock clock_hi globaltimer_lo globaltimer_hi dynamic_smem_size " +
  "total_smem_size aggr_smem_size clusterid.x clusterid.y clusterid.z cluster_ctarank cluster_nctarank cluster_ctaid.x cluster_ctaid.y " +
  "cluster_nctaid.x cluster_nctaid.z nclusterid.x nclusterid.y envreg0 envreg3 envreg31 pm0 pm7 reserved_smem_offset_begin"
)
  .split(" ")
  .map((n) => `%${n}`);
