/**
 * Instruction forms: names, types, arguments. One line each, three columns:
 *
 *     names | types | arguments
 *
 * A name is the longest run of words that ptxas itself quotes as the instruction's name (`mul.lo`, but `setp`). The second column lists what the
 * types among the modifiers may be, in order; `a,b.{c,d}` stands for a.c a.d b.c b.d, `-` for none. Several lines of a name are alternatives, tried in
 * order by types first, then by arguments. Source: PTX ISA 9.0, chapter 9; types measured on ptxas 13.0.88 (tools/ptx-words.cjs repeats it).
 *
 * Arguments, separated by spaces, `?` after one makes it and all after it optional:
 *   d      destination register of the first type; d1 of the second
 *   s s1   source (register or constant) of the first or second type
 *   dw sw  twice as wide as the first type
 *   ~      (after d or s) the register may be wider than the type
 *   =u32   destination of that type; :u32 source of that type; !u32 the same, no constant
 *   =p     predicate destination; =p| also `p|q`; p predicate source, `!` allowed
 *   d|p    register destination with an optional predicate after `|`
 *   a      address; t, u address of a texture or surface with coordinates (of 32 bits, of integers); q what is asked about it;
 *   x      32 bits or a vector of such; i integer constant; l label; f function or register; v vector; _ destination or `_`
 *   *      any operand, `*|p` with an optional predicate; ... any operands
 * Where a vector modifier is written, `d~` and `s~` are vectors of that length.
 */
export const FORMS: string = `
add sub | u16 s16 u32 s32 u64 s64 f16 f16x2 bf16 bf16x2 f32 f64 f32x2 | d s s
add | u16x2 s16x2 | d s s
add sub | f32.{f16,bf16} | d s1 s
addc subc | u16 s16 u32 s32 u64 s64 | d s s
mul | f16 f16x2 bf16 bf16x2 f32 f64 f32x2 | d s s
mul.lo mul.hi | u16 s16 u32 s32 u64 s64 | d s s
mul.wide | u16 s16 u32 s32 | dw s s
mul24.lo mul24.hi | u32 s32 | d s s
mad | f32 f64 | d s s s
mad.lo mad.hi madc.lo madc.hi | u16 s16 u32 s32 u64 s64 | d s s s
mad.wide | u16 s16 u32 s32 | dw s s sw
mad24.lo mad24.hi | u32 s32 | d s s s
fma | f16 f16x2 bf16 bf16x2 f32 f64 f32x2 | d s s s
fma | f32.{f16,bf16} | d s1 s1 s
sad | u16 s16 u32 s32 u64 s64 | d s s s
div | u16 s16 u32 s32 u64 s64 f32 f64 | d s s
div.full | f32 | d s s
rem | u16 s16 u32 s32 u64 s64 | d s s
abs neg | u16 s16 u32 s32 u64 s64 f16 f16x2 bf16 bf16x2 f32 f64 | d s
min max | u16 s16 u32 s32 u64 s64 u16x2 s16x2 f16 f16x2 bf16 bf16x2 f64 | d s s
min max | f32 | d s s s?
popc clz | b32 b64 | =u32 s
bfind | u32 s32 u64 s64 | =u32 s
brev | b32 b64 | d s
fns | b32 | =b32 :b32 :b32 :s32
bfe | u32 s32 u64 s64 | d s :u32 :u32
bfi | b32 b64 | d s s :u32 :u32
szext | u32 s32 | d s :u32
bmsk | b32 | d :u32 :u32
dp4a | u32,s32.{u32,s32} | =u32 :u32 :u32 :u32
dp2a.lo dp2a.hi | u32,s32.{u32,s32} | =u32 :u32 :u32 :u32
testp | f32 f64 | =p s
copysign | f32 f64 | d s s
rcp rsqrt sqrt | f32 f64 | d s
sin cos lg2 | f32 | d s
ex2 tanh | f16 f16x2 bf16 bf16x2 f32 | d s
set | u32,s32.{b16,b32,b64,u16,u32,u64,s16,s32,s64,f16,f16x2,bf16,bf16x2,f32,f64} u16,s16.{f16,bf16} f32.{b16,b32,b64,u16,u32,u64,s16,s32,s64,f32,f64} | d s1 s1 p?
set | f16.{b16,b32,b64,u16,u32,u64,s16,s32,s64,f16,f32,f64} bf16.{b16,b32,b64,u16,u32,u64,s16,s32,s64,bf16,f16,f32,f64} f16x2.{f16x2} bf16x2.{bf16x2} | d s1 s1 p?
setp | b16 b32 b64 u16 u32 u64 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64 | =p| s s p?
selp | b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64 | d s s p
slct | b16,b32,b64,u16,u32,u64,s16,s32,s64,f32,f64.{s32,u32,f32} | d s s s1
and or xor | pred b16 b32 b64 | d s s
not | pred b16 b32 b64 | d s
cnot | b16 b32 b64 | d s
lop3 | b32 | d|p s s s i p?
shf.l shf.r | b32 | d s s :u32
shl | b16 b32 b64 | d s :u32
shr | b16 b32 b64 u16 u32 u64 s16 s32 s64 | d s :u32
mov | pred b16 b32 b64 b128 u16 u32 u64 s16 s32 s64 f32 f64 | d s
shfl | b32 | d|p s :u32 :u32 :u32
shfl | b32 | d|p s :u32 :u32
prmt | b32 | d s s s
ld ldu | b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 | d~ a :b64?
st | b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 | a s~ :b64?
st.async | b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 | a s a?
st.bulk | - | a :u64 i
multimem.ld_reduce | b32 b64 u32 u64 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64 e4m3 e5m2 e4m3x2 e5m2x2 e4m3x4 e5m2x4 | d a
multimem.st multimem.red | b32 b64 u32 u64 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64 e4m3 e5m2 e4m3x2 e5m2x2 e4m3x4 e5m2x4 | a s
prefetch prefetchu | - | a
applypriority discard | - | a i
createpolicy.fractional | b64 | d :f32?
createpolicy.range | b64 | d a :u32 :u32
createpolicy.cvt | b64 | d :b64
isspacep | - | =p :u64
isspacep | - | =p :u32
istypep | texref samplerref surfref | =p :b64
cvta cvta.to | u32 u64 s32 s64 | d s
cvt | u8,u16,u32,u64,s8,s16,s32,s64,f16,f32,f64.{u8,u16,u32,u64,s8,s16,s32,s64,f16,f32,f64} | d~ s1~
cvt | bf16.{u8,u16,u32,u64,s8,s16,s32,s64,f16,f32,f64,bf16} u8,u16,u32,u64,s8,s16,s32,s64,f16,f32,f64.{bf16} | d s1
cvt | tf32.{f32} | =b32~ s1
cvt | f16x2,bf16x2.{f32} | d s1 s1 !f16x2?
cvt | e4m3x2,e5m2x2,ue8m0x2.{f32} | =b16 s1 s1
cvt | ue8m0x2.{bf16x2} e4m3x2,e5m2x2.{f16x2,bf16x2} | =b16 s1
cvt | e2m3x2,e3m2x2.{f32} | =b16 s1 s1
cvt | e2m1x2.{f32} | =b8 s1 s1
cvt | e2m3x4,e3m2x4,e4m3x4,e5m2x4.{f32} | =u32 v !u32
cvt | e2m1x4.{f32} | =u16 v !u32
cvt | f16x2.{e4m3x2,e5m2x2,e2m3x2,e3m2x2,ue8m0x2} bf16x2.{e4m3x2,e5m2x2,e2m3x2,e3m2x2,ue8m0x2} | d !b16
cvt | f16x2.{e2m1x2} | d !b8
cvt.pack | s16,u16.{s32,u32} | =u32 s1 s1
cvt.pack | s8,u8,u4,s4,u2,s2.{s32,u32}.{b32} | =u32 s1 s1 :u32
mapa | u32 u64 s32 s64 | d s :u32
getctarank | u32 u64 s32 s64 | =u32 s
alloca | u32 u64 s32 s64 | d s i?
stacksave | u32 u64 s32 s64 | d
stackrestore | u32 u64 s32 s64 | s
cp.async | - | a a i
cp.async | - | a a i :u32 :b64?
cp.async | - | a a i p :b64?
cp.async | - | a a i :b64
cp.async.commit_group cp.async.wait_all cp.async.bulk.commit_group | - |
cp.async.wait_group cp.async.bulk.wait_group | - | i
cp.async.mbarrier.arrive | b64 | a
cp.async.bulk cp.async.bulk.prefetch cp.async.bulk.prefetch.tensor cp.async.bulk.tensor cp.reduce.async.bulk.tensor | - | ...
cp.reduce.async.bulk | b32 b64 u32 u64 s32 s64 f16 bf16 f32 f64 | ...
tensormap.replace | b32 b64 b32.{b32} b64.{b1024} b32.{b1024} b1024.{b32} b1024.{b64} | ...
tensormap.cp_fenceproxy | - | ...
tex tex.base | f16,f16x2,f32,s32,u32.{f32,s32,u32} | d|p t x? x?
tex.level | f16,f16x2,f32,s32,u32.{f32,s32,u32} | d|p t :f32 x? x?
tex.grad | f16,f16x2,f32,s32,u32.{f32,s32,u32} | d|p t x x x? x?
tld4 | f32,s32,u32.{f32} | d|p t x? x?
txq suq | b32 | =b32 q
txq.level | b32 | =b32 q :u32
suld.b | b8 b16 b32 b64 | d~ u
sust.b | b8 b16 b32 b64 | u s~
sust.p | b32 | u s~
sured.b | b32 u32 s32 u64 s64 | u s~
sured.p | b32 b64 | u s~
bra | - | l
brx.idx | - | :u32 l
call | - | ...
ret exit trap brkpt | - |
bar barrier barrier.cta bar.cta | - | :u32 :u32?
bar.arrive barrier.arrive bar.cta.arrive barrier.cta.arrive | - | :u32 :u32
bar.red barrier.red bar.cta.red barrier.cta.red | pred | =p :u32 p
bar.red barrier.red bar.cta.red barrier.cta.red | pred | =p :u32 :u32 p
bar.red barrier.red bar.cta.red barrier.cta.red | u32 s32 | =u32 :u32 p
bar.red barrier.red bar.cta.red barrier.cta.red | u32 s32 | =u32 :u32 :u32 p
bar.warp | - | :u32
barrier.cluster.arrive barrier.cluster.wait | - |
membar fence | - |
membar.proxy fence.proxy | - |
membar.proxy fence.proxy | - | a i
griddepcontrol | - |
atom | b16 b32 b64 b128 u32 u64 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64 | d a s :b64?
atom | b16 b32 b64 b128 | d a s s :b64?
red | b32 b64 u32 u64 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64 | a s :b64?
red.async | b32 b64 u32 s32 u64 s64 | a s a?
vote | pred | =p p :b32
vote | pred | =p p
vote | b32 | d p :b32
vote | b32 | d p
match | b32 b64 | =b32|p s :b32
activemask | b32 | d
redux | u32 s32 f32 | d s :u32
redux | b32 | =u32 :u32 :u32
elect | - | =u32|p :u32
mbarrier.init | b64 | a :u32
mbarrier.inval | b64 | a
mbarrier.expect_tx mbarrier.complete_tx | b64 | a :u32
mbarrier.arrive mbarrier.arrive_drop | b64 | _ a :u32?
mbarrier.arrive.expect_tx mbarrier.arrive_drop.expect_tx | b64 | _ a :u32
mbarrier.test_wait | b64 | =p a :b64
mbarrier.test_wait.parity | b64 | =p a :u32
mbarrier.try_wait | b64 | =p a :b64 :u32?
mbarrier.try_wait.parity | b64 | =p a :u32 :u32?
mbarrier.pending_count | b64 | =u32 :b64
clusterlaunchcontrol.try_cancel.async | b128 | a a
clusterlaunchcontrol.query_cancel | pred.{b128} b32.{b128} | ...
ldmatrix | * | ...
stmatrix | b16 b8 | ...
movmatrix | b16 | ...
wgmma.fence wgmma.commit_group | - |
wgmma.wait_group | - | i
nanosleep | u32 s32 | s
pmevent pmevent.mask | - | i
setmaxnreg.inc setmaxnreg.dec | u32 s32 | i
wmma.load.a wmma.load.b | f16 bf16 tf32 s8 u8 s4 u4 b1 f32 | =u32 a :u32?
wmma.load.a wmma.load.b | f64 | d a :u32?
wmma.load.c | f32 s32 f64 | d a :u32?
wmma.load.c | f16 | =u32 a :u32?
wmma.store.d | f32 s32 f64 | a s :u32?
wmma.store.d | f16 | a :u32 :u32?
mma wmma.mma wgmma.mma_async suld.p | * | ...
vadd vsub vabsdiff vmin vmax vshl vshr | u32,s32.{u32,s32}.{u32,s32} | d s1 s2 s?
vmad | u32,s32.{u32,s32}.{u32,s32} | d s1 s2 s
vset | u32,s32.{u32,s32} | =u32 s s1 s?
vadd2 vadd4 vsub2 vsub4 vabsdiff2 vabsdiff4 vmin2 vmin4 vmax2 vmax4 vavrg2 vavrg4 | u32,s32.{u32,s32}.{u32,s32} | d s1 s2 s
vset2 vset4 | u32,s32.{u32,s32} | =u32 s s1 s
tcgen05.alloc | b32 | a :u32
tcgen05.dealloc | b32 | :u32 :u32
tcgen05.relinquish_alloc_permit tcgen05.wait tcgen05.fence | - |
tcgen05.shift | - | a
tcgen05.cp | - b8x16.b6x16_p32 b8x16.b4x16_p64 | a :u64
tcgen05.commit | b64 | a :b16?
tcgen05.ld tcgen05.st | b32 | ...
tcgen05.ld.red | f32 u32 s32 | ...
tcgen05.mma tcgen05.mma.ws | - | ...
`;
