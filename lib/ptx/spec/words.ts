// Written by tools/ptx-words.py from answers of ptxas 13.0.88; not edited by hand.

/** Modifiers that no instruction refuses; they matter only to a few. */
export const INERT: string = `acc::f16 acc::f32 box_dim element_stride elemtype fill_mode finite global_address global_dim global_stride infinite interleave_layout normal notanumber number rank subnormal swizzle_atomicity swizzle_mode`;

/** What ptxas says where a modifier does not belong: message, then the modifiers. `@` is the instruction's name, `%` the modifier. */
export const REFUSALS: string = `
Comparison qualifier is not allowed for instruction '@' | eq equ ge geu gt gtu hi le leu lo lt ltu nan ne neu num
Illegal modifier '.%' for instruction '@' | 128x128b 128x256b 16x128b 16x256b 16x32bx2 16x64b 32x128b 32x32b 4x256b 64x128b L1 L2 L2::128B L2::256B L2::64B L2::cache_hint NaN abs acq_rel acquire add alias aligned all alloc and any approx ashift async async::generic b1024 ballot bfly block16 block32 block_scale bulk_group ca cas cc cg cluster collector::a::discard collector::a::fill collector::a::lastuse collector::a::use collector::b0::discard collector::b0::fill collector::b0::lastuse collector::b0::use collector::b1::discard collector::b1::fill collector::b1::lastuse collector::b1::use collector::b2::discard collector::b2::fill collector::b2::lastuse collector::b2::use collector::b3::discard collector::b3::fill collector::b3::lastuse collector::b3::use cp cp_mask cs cta cta_group::1 cta_group::2 cv dealloc down ftz get_first_ctaid get_first_ctaid::x get_first_ctaid::y get_first_ctaid::z gl gpu idx im2col im2col::w im2col::w::128 im2col_no_offs is_canceled kind::f16 kind::f8f6f4 kind::i8 kind::mxf4 kind::mxf4nvf4 kind::mxf8f6f4 kind::tf32 launch_dependents ld lu m16n16 m16n16k16 m16n16k8 m16n8 m16n8k128 m16n8k16 m16n8k256 m16n8k32 m16n8k4 m16n8k64 m16n8k8 m32n8k16 m8n16 m8n32k16 m8n8 m8n8k128 m8n8k16 m8n8k32 m8n8k4 max mbarrier::complete_tx::bytes mbarrier_init min mma multicast multicast::cluster multicast::cluster::all nc noComplete noftz noinc oob or pack::16b po popc read relaxed release relu sat satfinite sc scale_vec::1X scale_vec::2X scale_vec::4X shift shiftamt sp sp::ordered_metadata st sync sync_restrict::shared::cluster sync_restrict::shared::cta sys tensormap tensormap::generic tile tile::gather4 tile::scatter4 trans uni unpack::16b up volatile wait warpx2::01_23 warpx2::02_13 warpx4 wb weak wt x1 x128 x16 x2 x32 x4 x64 x8 xor xorsign
Illegal modifier '.alayout or .blayout' for instruction '@' | col row
Illegal modifier '.level::eviction_priority' for instruction '@' | L1::evict_first L1::evict_last L1::evict_normal L1::evict_unchanged L1::no_allocate L2::evict_first L2::evict_last L2::evict_normal L2::evict_unchanged
Illegal modifier '.zoneevre::neevir::bar' for instruction '@' | mbarrier::arrive::one
Illegal modifier 'Clamp' for instruction '@' | clamp trap wrap zero
Illegal modifier 'Component' for instruction '@' | a b g r
Illegal modifier 'Geometry' for instruction '@' | 2dms a1d a2d a2dms acube cube
Illegal modifier 'Permute' for instruction '@' | b4e ecl ecr f4e rc16 rc8
Illegal modifier 'Shift-right' for instruction '@' | shr15 shr7
Illegal modifier 'dimension' for instruction '@' | 1d 2d 3d 4d 5d
Illegal query modifier for instruction '@' | addr_mode_0 addr_mode_1 addr_mode_2 array_size channel_data_type channel_order depth filter_mode force_unnormalized_coords height memory_layout normalized_coords num_mipmap_levels num_samples width
Illegal reduction operation for instruction '@.&' | dec exch inc
Illegal rounding modifier for instruction '@' | rm rmi rn rna rni rp rpi rs rz rzi
Modifier '.%' cannot be applied to '' space | mmio
No state space qualifier expected for instruction '@' | const global local param param::entry param::func shared shared::cluster shared::cta tex
Vector qualifier is not allowed for instruction '@' | v2 v4 v8
`;

/** name | types | demanded modifiers:message;… | accepted modifiers | accepted with others | modifier:message;… where it differs from REFUSALS */
export const ROWS: string = `
add | u16 s16 |  |  |  | cc:Modifier '.%' applies only to add integer types;sat:Modifier '.%' does not apply to '.&' type
add | u32 u64 s64 |  | cc |  | sat:Modifier '.%' does not apply to '.&' type
add | s32 |  | cc sat |  |
add | f16 f16x2 |  | rn ftz sat |  | rs:Illegal modifier '.%' for instruction '@'
add | bf16 bf16x2 |  | rn |  |
add | f32 |  | rn ftz rm rp rz sat |  | rs:Illegal modifier '.%' for instruction '@'
add | f64 |  | rn rm rp rz |  | rs:Illegal modifier '.%' for instruction '@'
add | f32x2 |  | rn ftz rm rp rz |  | rs:Illegal modifier '.%' for instruction '@'
sub | u16 s16 |  |  |  | cc:Modifier '.%' applies only to sub integer types;sat:Modifier '.%' does not apply to '.&' type
sub | u32 u64 s64 |  | cc |  | sat:Modifier '.%' does not apply to '.&' type
sub | s32 |  | cc sat |  |
sub | f16 f16x2 |  | rn ftz sat |  | rs:Illegal modifier '.%' for instruction '@'
sub | bf16 bf16x2 |  | rn |  |
sub | f32 |  | rn ftz rm rp rz sat |  | rs:Illegal modifier '.%' for instruction '@'
sub | f64 |  | rn rm rp rz |  | rs:Illegal modifier '.%' for instruction '@'
sub | f32x2 |  | rn ftz rm rp rz |  | rs:Illegal modifier '.%' for instruction '@'
add | u16x2 s16x2 |  |  |  | sat:Modifier '.%' does not apply to '.&' type
add | f32.f16 f32.bf16 |  | rn rm rp rz sat |  | rs:Illegal modifier '.%' for instruction '@'
sub | f32.f16 f32.bf16 |  | rn rm rp rz sat |  | rs:Illegal modifier '.%' for instruction '@'
addc | u16 s16 |  |  |  | cc:Modifier '.%' applies only to addc integer types;sat:Modifier '.%' does not apply to '.&' type
addc | u32 u64 s64 |  | cc |  | sat:Modifier '.%' does not apply to '.&' type
addc | s32 |  | cc sat |  |
subc | u16 s16 |  |  |  | cc:Modifier '.%' applies only to subc integer types;sat:Modifier '.%' does not apply to '.&' type
subc | u32 u64 s64 |  | cc |  | sat:Modifier '.%' does not apply to '.&' type
subc | s32 |  | cc sat |  |
mul | f16 f16x2 |  | rn ftz sat | hi lo | local:Unknown field '.&';rs:Illegal modifier '.%' for instruction '@'
mul | bf16 bf16x2 |  | rn | hi lo local |
mul | f32 |  | rn ftz rm rp rz sat | hi lo | local:Unknown field '.&';rs:Illegal modifier '.%' for instruction '@'
mul | f64 |  | rn rm rp rz | hi lo | local:Unknown field '.&';rs:Illegal modifier '.%' for instruction '@'
mul | f32x2 |  | rn ftz rm rp rz | hi lo | local:Unknown field '.&';rs:Illegal modifier '.%' for instruction '@'
mul.lo | u16 s16 u32 s32 u64 s64 |  |  |  |
mul.hi | u16 s16 u32 s32 u64 s64 |  |  |  |
mul.wide | u16 s16 u32 s32 |  |  |  |
mul24.lo | u32 s32 |  |  |  |
mul24.hi | u32 s32 |  |  |  |
mad | f32 | rn,rm,rp,rz:Rounding modifier required for instruction '@' | ftz sat | rni rm rmi rna rp rpi rs rz rzi |
mad | f64 | rn,rm,rp,rz:Rounding modifier required for instruction '@' |  | rni rm rmi rna rp rpi rs rz rzi |
mad.lo | u16 s16 |  |  |  | cc:Modifier '.%' applies only to mad.lo integer types
mad.lo | u32 s32 u64 s64 |  | cc |  |
mad.hi | u16 s16 |  |  |  | cc:Modifier '.%' applies only to mad.hi integer types;sat:Modifier '.%' does not apply to '.&' type
mad.hi | u32 u64 s64 |  | cc |  | sat:Modifier '.%' does not apply to '.&' type
mad.hi | s32 |  | cc sat |  |
madc.lo | u16 s16 |  |  |  | cc:Modifier '.%' applies only to madc.lo integer types
madc.lo | u32 s32 u64 s64 |  | cc |  |
madc.hi | u16 s16 |  |  |  | cc:Modifier '.%' applies only to madc.hi integer types;sat:Modifier '.%' does not apply to '.&' type
madc.hi | u32 u64 s64 |  | cc |  | sat:Modifier '.%' does not apply to '.&' type
madc.hi | s32 |  | cc sat |  |
mad.wide | u16 s16 u32 s32 |  |  |  |
mad24.lo | u32 s32 |  |  |  |
mad24.hi | u32 |  |  |  | sat:Modifier '.%' does not apply to '.&' type
mad24.hi | s32 |  | sat |  |
fma | f16 f16x2 | rn:Rounding modifier required for instruction '@' | ftz oob relu sat | rni rm rmi rna rp rpi rs rz rzi |
fma | bf16 bf16x2 | rn,rm,rp,rz:Rounding modifier required for instruction '@' | oob relu | rni rm rmi rna rp rpi rs rz rzi |
fma | f32 | rn,rm,rp,rz:Rounding modifier required for instruction '@' | ftz sat | rni relu rm rmi rna rp rpi rs rz rzi |
fma | f64 | rn,rm,rp,rz:Rounding modifier required for instruction '@' |  | rni relu rm rmi rna rp rpi rs rz rzi |
fma | f32x2 | rn,rm,rp,rz:Rounding modifier required for instruction '@' | ftz | rni relu rm rmi rna rp rpi rs rz rzi |
fma | f32.f16 f32.bf16 | rn,rm,rp,rz:Rounding modifier required for instruction '@' | sat | rni relu rm rmi rna rp rpi rs rz rzi |
sad | u16 s16 u32 s32 u64 s64 |  |  |  |
div | u16 s16 u32 s32 u64 s64 |  |  |  |
div | f32 | rn,approx,rm,rp,rz:Rounding modifier or '.approx' modifier required for instruction '@' | ftz | rni approx rm rmi rna rp rpi rs rz rzi |
div | f64 | rn,rm,rp,rz:Rounding modifier required for instruction '@' |  | rni rm rmi rna rp rpi rs rz rzi |
div.full | f32 |  | ftz |  |
rem | u16 s16 u32 s32 u64 s64 |  |  |  |
abs | u16 u32 u64 | :Instruction '@' applies only to signed numeric types |  |  |
abs | s16 s32 s64 bf16 bf16x2 f64 |  |  |  |
abs | f16 f16x2 f32 |  | ftz |  |
neg | u16 u32 u64 | :Instruction '@' applies only to signed numeric types |  |  |
neg | s16 s32 s64 bf16 bf16x2 f64 |  |  |  |
neg | f16 f16x2 f32 |  | ftz |  |
min | u16 s16 u32 u64 s64 u16x2 |  |  |  | relu:Illegal modifier '.%' for instruction '@' with type '.&'
min | s32 s16x2 |  | relu |  |
min | f16 f16x2 f32 |  | ftz NaN | abs relu xorsign |
min | bf16 bf16x2 |  | NaN | abs relu xorsign |
min | f64 |  |  | relu |
max | u16 s16 u32 u64 s64 u16x2 |  |  |  | relu:Illegal modifier '.%' for instruction '@' with type '.&'
max | s32 s16x2 |  | relu |  |
max | f16 f16x2 f32 |  | ftz NaN | abs relu xorsign |
max | bf16 bf16x2 |  | NaN | abs relu xorsign |
max | f64 |  |  | relu |
popc | b32 b64 |  |  |  |
clz | b32 b64 |  |  |  |
bfind | u32 s32 u64 s64 |  | shiftamt |  |
brev | b32 b64 |  |  |  |
fns | b32 |  |  |  |
bfe | u32 s32 u64 s64 |  |  |  |
bfi | b32 b64 |  |  |  |
szext | u32 s32 | clamp,wrap:Clamp modifier required for instruction '@' |  | trap wrap zero |
bmsk | b32 | clamp,wrap:Clamp modifier required for instruction '@' |  | trap wrap zero |
dp4a | u32.u32 u32.s32 s32.u32 s32.s32 |  |  |  |
dp2a.lo | u32.u32 u32.s32 s32.u32 s32.s32 |  |  |  |
dp2a.hi | u32.u32 u32.s32 s32.u32 s32.s32 |  |  |  |
testp | f32 f64 |  |  |  |
copysign | f32 f64 |  |  |  |
rcp | f32 f64 | rn,approx,rm,rp,rz:Rounding modifier or '.approx' modifier required for instruction '@' | ftz | rni approx rm rmi rna rp rpi rs rz rzi |
rsqrt | f32 f64 | approx:.approx modifier required for instruction '@' | ftz |  |
sqrt | f32 | rn,approx,rm,rp,rz:Rounding modifier or '.approx' modifier required for instruction '@' | ftz | rni approx rm rmi rna rp rpi rs rz rzi |
sqrt | f64 | rn,rm,rp,rz:Rounding modifier required for instruction '@' |  | rni rm rmi rna rp rpi rs rz rzi |
sin | f32 | approx:.approx modifier required for instruction '@' | ftz |  |
cos | f32 | approx:.approx modifier required for instruction '@' | ftz |  |
lg2 | f32 | approx:.approx modifier required for instruction '@' | ftz |  |
ex2 | f16 f16x2 | rn,approx,rm,rp,rs,rz:Rounding modifier or '.approx' modifier required for instruction '@' |  | rn rm rp rs rz | rni:Illegal modifier 'rounding' for instruction '@';rmi:Illegal modifier 'rounding' for instruction '@';rna:Illegal modifier 'rounding' for instruction '@';rpi:Illegal modifier 'rounding' for instruction '@';rzi:Illegal modifier 'rounding' for instruction '@'
ex2 | bf16 bf16x2 | approx:.approx modifier required for instruction '@';ftz:.ftz modifier required for instruction '@.&' |  |  |
ex2 | f32 | approx:.approx modifier required for instruction '@' | ftz |  |
tanh | f16 f16x2 | rn,approx,rm,rp,rz:Rounding modifier or '.approx' modifier required for instruction '@' |  | rn rm rp rs rz |
tanh | bf16 bf16x2 f32 | approx:.approx modifier required for instruction '@' |  |  |
set | u32.b16 u32.b32 u32.b64 u32.u16 u32.u32 u32.u64 u32.s16 u32.s32 u32.s64 u32.bf16 u32.bf16x2 u32.f64 s32.b16 s32.b32 s32.b64 s32.u16 s32.u32 s32.u64 s32.s16 s32.s32 s32.s64 s32.bf16 s32.bf16x2 s32.f64 u16.bf16 s16.bf16 f32.b16 f32.b32 f32.b64 f32.u16 f32.u32 f32.u64 f32.s16 f32.s32 f32.s64 f32.f64 f16.b16 f16.b32 f16.b64 f16.u16 f16.u32 f16.u64 f16.s16 f16.s32 f16.s64 f16.f64 bf16.b16 bf16.b32 bf16.b64 bf16.u16 bf16.u32 bf16.u64 bf16.s16 bf16.s32 bf16.s64 bf16.bf16 bf16.f16 bf16.f32 bf16.f64 bf16x2.bf16x2 | eq,and,equ,ge,geu,gt,gtu,hi,le,leu,lo,lt,ltu,nan,ne,neu,num,or,xor:Comparison modifier required for instruction '@' |  | and equ ge geu gt gtu hi le leu lo lt ltu nan ne neu num or xor |
set | u32.f16 u32.f16x2 u32.f32 s32.f16 s32.f16x2 s32.f32 u16.f16 s16.f16 f32.f32 f16.f16 f16.f32 f16x2.f16x2 | eq,and,equ,ge,geu,gt,gtu,hi,le,leu,lo,lt,ltu,nan,ne,neu,num,or,xor:Comparison modifier required for instruction '@' | ftz | and equ ge geu gt gtu hi le leu lo lt ltu nan ne neu num or xor |
setp | b16 b32 b64 u16 u32 u64 s16 s32 s64 bf16 bf16x2 f64 | eq,and,equ,ge,geu,gt,gtu,hi,le,leu,lo,lt,ltu,nan,ne,neu,num,or,xor:Comparison modifier required for instruction '@' |  | and equ ge geu gt gtu hi le leu lo lt ltu nan ne neu num or xor |
setp | f16 f16x2 f32 | eq,and,equ,ge,geu,gt,gtu,hi,le,leu,lo,lt,ltu,nan,ne,neu,num,or,xor:Comparison modifier required for instruction '@' | ftz | and equ ge geu gt gtu hi le leu lo lt ltu nan ne neu num or xor |
selp | b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64 |  |  |  |
slct | b16.s32 b32.s32 b64.s32 u16.s32 u32.s32 u64.s32 s16.s32 s32.s32 s64.s32 f32.s32 f64.s32 |  |  |  |
slct | b16.u32 b32.u32 b64.u32 u16.u32 u32.u32 u64.u32 s16.u32 s32.u32 s64.u32 f32.u32 f64.u32 | :Instruction '@' applies only to signed numeric types |  |  |
slct | b16.f32 b32.f32 b64.f32 u16.f32 u32.f32 u64.f32 s16.f32 s32.f32 s64.f32 f32.f32 f64.f32 |  | ftz |  |
and | pred b16 b32 b64 |  |  |  |
or | pred b16 b32 b64 |  |  |  |
xor | pred b16 b32 b64 |  |  |  |
not | pred b16 b32 b64 |  |  |  |
cnot | b16 b32 b64 |  |  |  |
lop3 | b32 |  |  | and or xor | dec:Illegal operation '.%' for instruction '@';exch:Illegal operation '.%' for instruction '@';inc:Illegal operation '.%' for instruction '@'
shf.l | b32 | clamp,wrap:Clamp modifier required for instruction '@' |  | trap wrap zero |
shf.r | b32 | clamp,wrap:Clamp modifier required for instruction '@' |  | trap wrap zero |
shl | b16 b32 b64 |  |  |  |
shr | b16 b32 b64 u16 u32 u64 s16 s32 s64 |  |  |  |
mov | pred |  |  |  |
mov | b16 u16 s16 |  |  | v2 v4 v8 |
mov | b32 u32 s32 f32 |  |  | v2 v4 | v8:Vector type too large, exceeds 128 bit limit
mov | b64 u64 s64 f64 |  |  | v2 | v4:Vector type too large, exceeds 128 bit limit;v8:Vector type too large, exceeds 128 bit limit
mov | b128 |  |  |  | v2:Vector type too large, exceeds 128 bit limit;v4:Vector type too large, exceeds 128 bit limit;v8:Vector type too large, exceeds 128 bit limit
shfl | b32 | sync:.sync modifier required for instruction '@';down,bfly,idx,up:Shuffle modifier required for instruction '@' |  | bfly idx up |
shfl | b32 | :Shuffle modifier required for instruction '@' |  |  |
prmt | b32 |  | b4e ecl ecr f4e rc16 rc8 |  |
ld | b8 b16 b32 u8 u16 u32 s8 s16 s32 f32 |  | global L1::evict_first L1::evict_last L1::evict_normal L1::evict_unchanged L1::no_allocate L2::128B L2::256B L2::64B ca cg const cs cv local lu param param::entry param::func shared shared::cluster shared::cta volatile weak | relaxed gpu L2::cache_hint L2::evict_first L2::evict_last L2::evict_normal L2::evict_unchanged acquire cluster cta mmio nc sys tex v2 v4 v8 |
ld | b64 u64 s64 f64 |  | global L1::evict_first L1::evict_last L1::evict_normal L1::evict_unchanged L1::no_allocate L2::128B L2::256B L2::64B ca cg const cs cv local lu param param::entry param::func shared shared::cluster shared::cta volatile weak | relaxed gpu L2::cache_hint L2::evict_first L2::evict_last L2::evict_normal L2::evict_unchanged acquire cluster cta mmio nc sys tex v2 v4 | v8:Vector type too large, exceeds 128 bit limit
ld | b128 |  | global L1::evict_first L1::evict_last L1::evict_normal L1::evict_unchanged L1::no_allocate L2::128B L2::256B L2::64B ca cg const cs cv local lu param param::entry param::func shared shared::cluster shared::cta volatile weak | relaxed gpu L2::cache_hint L2::evict_first L2::evict_last L2::evict_normal L2::evict_unchanged acquire cluster cta mmio nc sys tex | v2:Vector type too large, exceeds 128 bit limit;v4:Vector type too large, exceeds 128 bit limit;v8:Vector type too large, exceeds 128 bit limit
ldu | b8 b16 u8 u16 s8 s16 |  | global | const local param shared tex v2 v4 v8 | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@';shared::cluster:Illegal modifier '::cluster' for instruction '@';shared::cta:Illegal modifier '::cta' for instruction '@'
ldu | b32 u32 s32 f32 |  | global | const local param shared tex v2 v4 | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@';shared::cluster:Illegal modifier '::cluster' for instruction '@';shared::cta:Illegal modifier '::cta' for instruction '@';v8:Vector type too large, exceeds 128 bit limit
ldu | b64 u64 s64 f64 |  | global | const local param shared tex v2 | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@';shared::cluster:Illegal modifier '::cluster' for instruction '@';shared::cta:Illegal modifier '::cta' for instruction '@';v4:Vector type too large, exceeds 128 bit limit;v8:Vector type too large, exceeds 128 bit limit
ldu | b128 |  | global | const local param shared tex | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@';shared::cluster:Illegal modifier '::cluster' for instruction '@';shared::cta:Illegal modifier '::cta' for instruction '@';v2:Vector type too large, exceeds 128 bit limit;v4:Vector type too large, exceeds 128 bit limit;v8:Vector type too large, exceeds 128 bit limit
st | b8 b16 b32 u8 u16 u32 s8 s16 s32 f32 |  | global L1::evict_first L1::evict_last L1::evict_normal L1::evict_unchanged L1::no_allocate async cg cs local param param::func shared shared::cluster shared::cta volatile wb weak wt | relaxed gpu L2::cache_hint L2::evict_first L2::evict_last L2::evict_normal L2::evict_unchanged async::generic cluster const cta mmio release sys tex v2 v4 v8 | bulk_group:Unknown field '.&';param::entry:Illegal modifier '::entry' for instruction '@'
st | b64 u64 s64 f64 |  | global L1::evict_first L1::evict_last L1::evict_normal L1::evict_unchanged L1::no_allocate async cg cs local param param::func shared shared::cluster shared::cta volatile wb weak wt | relaxed gpu L2::cache_hint L2::evict_first L2::evict_last L2::evict_normal L2::evict_unchanged async::generic cluster const cta mmio release sys tex v2 v4 | bulk_group:Unknown field '.&';param::entry:Illegal modifier '::entry' for instruction '@';v8:Vector type too large, exceeds 128 bit limit
st | b128 |  | global L1::evict_first L1::evict_last L1::evict_normal L1::evict_unchanged L1::no_allocate cg cs local param param::func shared shared::cluster shared::cta volatile wb weak wt | relaxed gpu L2::cache_hint L2::evict_first L2::evict_last L2::evict_normal L2::evict_unchanged async async::generic cluster const cta mmio release sys tex | bulk_group:Unknown field '.&';param::entry:Illegal modifier '::entry' for instruction '@';v2:Vector type too large, exceeds 128 bit limit;v4:Vector type too large, exceeds 128 bit limit;v8:Vector type too large, exceeds 128 bit limit
createpolicy.fractional | b64 | L1::evict_first,L1::evict_last,L1::evict_normal,L1::evict_unchanged,L1::no_allocate,L2::evict_first,L2::evict_last,L2::evict_normal,L2::evict_unchanged:cache eviction priority modifier required for instruction '@' | L2::evict_unchanged | L1::evict_first L1::evict_unchanged | L1::evict_last:Unsupported modifier '.evict_last' as secondary_priority for instruction '@';L1::evict_normal:Unsupported modifier '.evict_normal' as secondary_priority for instruction '@';L1::no_allocate:Unsupported modifier '.no_allocate' as secondary_priority for instruction '@';L2:Illegal modifier '.%' for instruction '@' with '.level::eviction_priority';L2::evict_last:Unsupported modifier '.evict_last' as secondary_priority for instruction '@';L2::evict_normal:Unsupported modifier '.evict_normal' as secondary_priority for instruction '@'
createpolicy.range | b64 | L1::evict_first,L1::evict_last,L1::evict_normal,L1::evict_unchanged,L1::no_allocate,L2::evict_first,L2::evict_last,L2::evict_normal,L2::evict_unchanged:cache eviction priority modifier required for instruction '@' | global L2::evict_unchanged | L1::evict_first L1::evict_unchanged const local param shared tex | L1::evict_last:Unsupported modifier '.evict_last' as secondary_priority for instruction '@';L1::evict_normal:Unsupported modifier '.evict_normal' as secondary_priority for instruction '@';L1::no_allocate:Unsupported modifier '.no_allocate' as secondary_priority for instruction '@';L2:Illegal modifier '.%' for instruction '@' with '.level::eviction_priority';L2::evict_last:Unsupported modifier '.evict_last' as secondary_priority for instruction '@';L2::evict_normal:Unsupported modifier '.evict_normal' as secondary_priority for instruction '@';mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@';shared::cluster:Illegal modifier '::cluster' for instruction '@';shared::cta:Illegal modifier '::cta' for instruction '@'
createpolicy.cvt | b64 | L2:.L2 modifier required for instruction '@' |  | L1 tensormap |
cvta | u32 u64 | global,const,local,param,param::entry,shared,shared::cluster,shared::cta,tex:State space modifier required for instruction '@' |  | const local param param::entry param::func shared shared::cluster shared::cta tex | mmio:Illegal modifier '.%' for instruction '@'
cvta | s32 s64 | global,const,local,param,param::entry,shared,shared::cluster,shared::cta,tex:State space modifier required for instruction '@';:Instruction '@' requires .u32 or .u64 type |  |  |
cvta.to | u32 u64 | global,const,local,param,param::entry,shared,shared::cluster,shared::cta,tex:State space modifier required for instruction '@' |  | const local param param::entry param::func shared shared::cluster shared::cta tex | mmio:Illegal modifier '.%' for instruction '@'
cvta.to | s32 s64 | global,const,local,param,param::entry,shared,shared::cluster,shared::cta,tex:State space modifier required for instruction '@';:Instruction '@' requires .u32 or .u64 type |  |  |
cvt | u8.u8 u16.u8 u16.u16 u32.u8 u32.u16 u32.u32 u64.u8 u64.u16 u64.u32 u64.u64 s8.s8 s16.u8 s16.s8 s16.s16 s32.u8 s32.u16 s32.s8 s32.s16 s32.s32 s64.u8 s64.u16 s64.u32 s64.s8 s64.s16 s64.s32 s64.s64 |  |  | pack::16b relu satfinite | rs:Illegal modifier '.%' for instruction '@' with type '.&'
cvt | u8.u16 u8.u32 u8.u64 u8.s8 u8.s16 u8.s32 u8.s64 u16.u32 u16.u64 u16.s8 u16.s16 u16.s32 u16.s64 u32.u64 u32.s8 u32.s16 u32.s32 u32.s64 u64.s8 u64.s16 u64.s32 u64.s64 s8.u8 s8.u16 s8.u32 s8.u64 s8.s16 s8.s32 s8.s64 s16.u16 s16.u32 s16.u64 s16.s32 s16.s64 s32.u32 s32.u64 s32.s64 s64.u64 |  | sat | pack::16b relu satfinite | rs:Illegal modifier '.%' for instruction '@' with type '.&'
cvt | u8.f16 u8.f64 u16.f16 u16.f64 u32.f16 u32.f64 u64.f16 u64.f64 s8.f16 s8.f64 s16.f16 s16.f64 s32.f16 s32.f64 s64.f16 s64.f64 | rni,pack::16b,rmi,rpi,rzi:Rounding modifier required for instruction '@' | sat | rn relu rm rmi rna rp rpi rs rz rzi satfinite | ftz:Modifier '.%' does not apply to this type of convert operation
cvt | u8.f32 u16.f32 u32.f32 u64.f32 s8.f32 s16.f32 s32.f32 s64.f32 | rni,pack::16b,rmi,rpi,rzi:Rounding modifier required for instruction '@' | ftz sat | rn relu rm rmi rna rp rpi rs rz rzi satfinite |
cvt | u8.bf16 u16.bf16 u32.bf16 u64.bf16 s8.bf16 s16.bf16 s32.bf16 s64.bf16 | rni,pack::16b,rmi,rpi,rzi:Rounding modifier required for instruction '@' |  | rn relu rm rmi rna rp rpi rs rz rzi satfinite |
cvt | f16.u8 f16.u16 f16.u32 f16.u64 f16.s8 f16.s16 f16.s32 f16.s64 f16.f64 f64.u8 f64.u16 f64.u32 f64.u64 f64.s8 f64.s16 f64.s32 f64.s64 | rn,pack::16b,rm,rp,rz:Rounding modifier required for instruction '@' | sat | rni relu rm rmi rna rp rpi rs rz rzi satfinite | ftz:Modifier '.%' does not apply to this type of convert operation
cvt | f16.f16 f64.f64 |  | rni rmi rpi rzi sat | pack::16b relu satfinite | ftz:Modifier '.%' does not apply to this type of convert operation;rs:Illegal modifier '.%' for instruction '@' with type '.&'
cvt | f16.f32 | rn,pack::16b,rm,rp,rz,satfinite:Rounding modifier required for instruction '@' | ftz relu sat satfinite | rni rm rmi rna rp rpi rs rz rzi |
cvt | f16.bf16 f64.bf16 bf16.f16 |  | rn rm rp rz | pack::16b relu satfinite | rs:Illegal modifier '.%' for instruction '@' with type '.&'
cvt | f32.u8 f32.u16 f32.u32 f32.u64 f32.s8 f32.s16 f32.s32 f32.s64 f32.f64 | rn,pack::16b,rm,rp,rz:Rounding modifier required for instruction '@' | ftz sat | rni relu rm rmi rna rp rpi rs rz rzi satfinite |
cvt | f32.f16 f64.f32 |  | ftz sat | pack::16b relu satfinite | rs:Illegal modifier '.%' for instruction '@' with type '.&'
cvt | f32.f32 |  | rni ftz rmi rpi rzi sat | pack::16b relu satfinite | rs:Illegal modifier '.%' for instruction '@' with type '.&'
cvt | f32.bf16 |  | rn ftz rm rp rz | pack::16b relu satfinite | rs:Illegal modifier '.%' for instruction '@' with type '.&'
cvt | f64.f16 |  | sat | pack::16b relu satfinite | ftz:Modifier '.%' does not apply to this type of convert operation;rs:Illegal modifier '.%' for instruction '@' with type '.&'
cvt | bf16.u8 bf16.u16 bf16.u32 bf16.u64 bf16.s8 bf16.s16 bf16.s32 bf16.s64 bf16.f64 | rn,pack::16b,rm,rp,rz:Rounding modifier required for instruction '@' |  | rni relu rm rmi rna rp rpi rs rz rzi satfinite |
cvt | bf16.f32 | rn,pack::16b,rm,rp,rz,satfinite:Rounding modifier required for instruction '@' | ftz relu satfinite | rni rm rmi rna rp rpi rs rz rzi |
cvt | bf16.bf16 |  | rni rmi rpi rzi | pack::16b relu satfinite | rs:Illegal modifier '.%' for instruction '@' with type '.&'
cvt | tf32.f32 | rn,pack::16b,rna,rz:Rounding modifier required for instruction '@' | relu satfinite | rni rm rmi rna rp rpi rs rz rzi |
cvt | f16x2.f32 | rn,pack::16b,rs,rz:Rounding modifier required for instruction '@' | relu satfinite | rni rm rmi rna rp rpi rs rz rzi |
cvt | bf16x2.f32 | rn,pack::16b,rs,rz,satfinite:Rounding modifier required for instruction '@' | relu satfinite | rni rm rmi rna rp rpi rs rz rzi |
cvt | e4m3x2.f32 e4m3x2.f16x2 | pack::16b,satfinite:'.satfinite' modifier required for instruction '@' with destination type '.e4m3x2';rn,sat:Rounding modifier required for instruction '@' | relu | rni rm rmi rna rp rpi rs rz rzi sat |
cvt | e5m2x2.f32 e5m2x2.f16x2 | pack::16b,satfinite:'.satfinite' modifier required for instruction '@' with destination type '.e5m2x2';rn,sat:Rounding modifier required for instruction '@' | relu | rni rm rmi rna rp rpi rs rz rzi sat |
cvt | ue8m0x2.f32 ue8m0x2.bf16x2 | pack::16b,rp,rz:Rounding modifier required for instruction '@' | satfinite | rn rni rm rmi rna rpi rs rz rzi | relu:Illegal modifier '.%' for instruction '@' with type '.ue8m0x2'
cvt | e4m3x2.bf16x2 e5m2x2.bf16x2 f16x2.ue8m0x2 bf16x2.e4m3x2 bf16x2.e5m2x2 bf16x2.e2m3x2 bf16x2.e3m2x2 | :Unexpected instruction types specified for '@' |  |  |
cvt | e2m3x2.f32 | pack::16b,satfinite:'.satfinite' modifier required for instruction '@' with destination type '.e2m3x2';rn,sat:Rounding modifier required for instruction '@' | relu | rni rm rmi rna rp rpi rs rz rzi sat |
cvt | e3m2x2.f32 | pack::16b,satfinite:'.satfinite' modifier required for instruction '@' with destination type '.e3m2x2';rn,sat:Rounding modifier required for instruction '@' | relu | rni rm rmi rna rp rpi rs rz rzi sat |
cvt | e2m1x2.f32 | pack::16b,satfinite:'.satfinite' modifier required for instruction '@' with destination type '.e2m1x2';rn,sat:Rounding modifier required for instruction '@' | relu | rni rm rmi rna rp rpi rs rz rzi sat |
cvt | e2m3x4.f32 | pack::16b,satfinite:'.satfinite' modifier required for instruction '@' with destination type '.e2m3x4';rs,sat:Rounding modifier required for instruction '@' | relu | rn rni rm rmi rna rp rpi rz rzi sat |
cvt | e3m2x4.f32 | pack::16b,satfinite:'.satfinite' modifier required for instruction '@' with destination type '.e3m2x4';rs,sat:Rounding modifier required for instruction '@' | relu | rn rni rm rmi rna rp rpi rz rzi sat |
cvt | e4m3x4.f32 | pack::16b,satfinite:'.satfinite' modifier required for instruction '@' with destination type '.e4m3x4';rs,sat:Rounding modifier required for instruction '@' | relu | rn rni rm rmi rna rp rpi rz rzi sat |
cvt | e5m2x4.f32 | pack::16b,satfinite:'.satfinite' modifier required for instruction '@' with destination type '.e5m2x4';rs,sat:Rounding modifier required for instruction '@' | relu | rn rni rm rmi rna rp rpi rz rzi sat |
cvt | e2m1x4.f32 | pack::16b,satfinite:'.satfinite' modifier required for instruction '@' with destination type '.e2m1x4';rs,sat:Rounding modifier required for instruction '@' | relu | rn rni rm rmi rna rp rpi rz rzi sat |
cvt | f16x2.e4m3x2 f16x2.e5m2x2 f16x2.e2m3x2 f16x2.e3m2x2 f16x2.e2m1x2 | rn,pack::16b:Rounding modifier required for instruction '@' | relu | rni rm rmi rna rp rpi rs rz rzi satfinite |
cvt | bf16x2.ue8m0x2 | rn,pack::16b:Rounding modifier required for instruction '@' |  | rni rm rmi rna rp rpi rs rz rzi | relu:Illegal modifier '.%' for instruction '@' with type '.ue8m0x2';satfinite:Illegal modifier '.%' for instruction '@' with type '.&'
cvt.pack | s16.s32 u16.s32 | sat:.sat modifier required for instruction '@' |  | relu satfinite |
cvt.pack | s16.u32 u16.u32 s8.u32.b32 u8.u32.b32 u4.u32.b32 s4.u32.b32 u2.u32.b32 s2.u32.b32 | :Unexpected instruction types specified for '@' |  |  |
cvt.pack | s8.s32.b32 | sat:.sat modifier required for instruction '@' |  | relu satfinite | dec:Illegal reduction operation for instruction 'cvt.pack.s8.s32';exch:Illegal reduction operation for instruction 'cvt.pack.s8.s32';inc:Illegal reduction operation for instruction 'cvt.pack.s8.s32'
cvt.pack | u8.s32.b32 | sat:.sat modifier required for instruction '@' |  | relu satfinite | dec:Illegal reduction operation for instruction 'cvt.pack.u8.s32';exch:Illegal reduction operation for instruction 'cvt.pack.u8.s32';inc:Illegal reduction operation for instruction 'cvt.pack.u8.s32'
cvt.pack | u4.s32.b32 | sat:.sat modifier required for instruction '@' |  | relu satfinite | dec:Illegal reduction operation for instruction 'cvt.pack.u4.s32';exch:Illegal reduction operation for instruction 'cvt.pack.u4.s32';inc:Illegal reduction operation for instruction 'cvt.pack.u4.s32'
cvt.pack | s4.s32.b32 | sat:.sat modifier required for instruction '@' |  | relu satfinite | dec:Illegal reduction operation for instruction 'cvt.pack.s4.s32';exch:Illegal reduction operation for instruction 'cvt.pack.s4.s32';inc:Illegal reduction operation for instruction 'cvt.pack.s4.s32'
cvt.pack | u2.s32.b32 | sat:.sat modifier required for instruction '@' |  | relu satfinite | dec:Illegal reduction operation for instruction 'cvt.pack.u2.s32';exch:Illegal reduction operation for instruction 'cvt.pack.u2.s32';inc:Illegal reduction operation for instruction 'cvt.pack.u2.s32'
cvt.pack | s2.s32.b32 | sat:.sat modifier required for instruction '@' |  | relu satfinite | dec:Illegal reduction operation for instruction 'cvt.pack.s2.s32';exch:Illegal reduction operation for instruction 'cvt.pack.s2.s32';inc:Illegal reduction operation for instruction 'cvt.pack.s2.s32'
alloca | u32 u64 |  |  |  |
alloca | s32 s64 | :Unexpected instruction types specified for '@' |  |  |
stacksave | u32 u64 |  |  |  |
stacksave | s32 s64 | :Unexpected instruction types specified for '@' |  |  |
stackrestore | u32 u64 |  |  |  |
stackrestore | s32 s64 | :Unexpected instruction types specified for '@' |  |  |
cp.async.commit_group | - |  |  |  | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@';shared::cluster:Illegal modifier '::cluster' for instruction '@'
cp.async.wait_all | - |  |  |  | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@';shared::cluster:Illegal modifier '::cluster' for instruction '@'
cp.async.bulk.commit_group | - |  |  |  | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@'
cp.async.wait_group | - |  |  |  | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@';shared::cluster:Illegal modifier '::cluster' for instruction '@'
cp.async.bulk.wait_group | - |  | read |  | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@'
cp.async.mbarrier.arrive | b64 |  | noinc shared shared::cta | global const local param tex | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@';shared::cluster:Illegal modifier '::cluster' for instruction '@'
bra | - |  | uni |  | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@'
ret | - |  | uni |  | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@'
exit | - |  |  |  | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@'
trap | - |  |  |  | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@'
brkpt | - |  |  |  | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@'
bar | - | sync,cta,cta_group::1,cta_group::2,warpx2::01_23,warpx2::02_13,warpx4:Barrier modifier required for instruction '@' | all any |  | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@'
barrier | - | sync,cluster,cta,cta_group::1,cta_group::2,warpx2::01_23,warpx2::02_13,warpx4:Barrier modifier required for instruction '@' | aligned |  | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@'
barrier.cta | - | sync:Barrier modifier required for instruction '@' | aligned |  | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@'
bar.cta | - | sync:Barrier modifier required for instruction '@' |  |  | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@'
bar.arrive | - |  | any |  | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@'
barrier.arrive | - |  | aligned |  | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@'
bar.cta.arrive | - |  |  |  | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@'
barrier.cta.arrive | - |  | aligned |  | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@'
bar.warp | - | sync:.sync modifier required for instruction '@' |  |  | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@'
barrier.cluster.arrive | - |  | relaxed aligned release |  | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@'
barrier.cluster.wait | - |  | aligned acquire |  | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@'
membar | - | cta,gl,sys:Membar level required for instruction '@' |  | gpu cluster gl sys | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@'
fence | - | gpu,cluster,cta,mbarrier_init,sync_restrict::shared::cluster,sync_restrict::shared::cta,sys:Scope modifier required for instruction '@' | acq_rel acquire release sc | cluster cta gl mbarrier_init sync_restrict::shared::cluster sync_restrict::shared::cta sys | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@'
griddepcontrol | - | launch_dependents,wait:'.launch_dependents' or '.wait' modifier required for instruction '@' |  | wait | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@'
atom | b16 | :Arguments mismatch for instruction '@' |  |  |
atom | b32 b64 | add,L2::cache_hint,and,cas,const,dec,exch,inc,local,max,min,or,param,tex,xor:Illegal operation '' for instruction '@' | relaxed gpu global acq_rel acquire cluster cta release shared shared::cluster shared::cta sys | add L2::cache_hint cas const dec exch inc local max min or param popc tex xor | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@'
atom | b128 | add,L2::cache_hint,and,cas,const,dec,exch,inc,local,max,min,or,param,tex,xor:Illegal operation '' for instruction '@' | relaxed gpu global acq_rel acquire cluster cta release shared shared::cluster shared::cta sys | add L2::cache_hint and cas const dec inc local max min or param popc tex xor | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@'
atom | u32 u64 s32 f64 | add,L2::cache_hint,and,const,dec,exch,inc,local,max,min,or,param,tex,xor:Illegal operation '' for instruction '@' | relaxed gpu global acq_rel acquire cluster cta release shared shared::cluster shared::cta sys | L2::cache_hint and cas const dec exch inc local max min or param popc tex xor | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@'
atom | s64 | add,L2::cache_hint,and,const,dec,exch,inc,local,max,min,or,param,tex,xor:Illegal operation '' for instruction '@' | relaxed gpu global acq_rel acquire cluster cta release shared shared::cluster shared::cta sys | add L2::cache_hint and cas const dec exch inc local min or param popc tex xor | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@'
atom | f16 f16x2 bf16 bf16x2 | :'.noftz' modifier required for instruction '@' with type '.&' |  |  |
atom | f32 | add,L2::cache_hint,and,const,dec,exch,inc,local,max,min,or,param,tex,xor:Illegal operation '' for instruction '@' | relaxed gpu global acq_rel acquire cluster cta release shared shared::cluster shared::cta sys | L2::cache_hint and cas const dec exch inc local max min or param popc tex v2 v4 xor | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@';v8:Only .v2 or .v4 vector modifier supported with type .f32 on .add operation for atom instruction with vector types
red | b32 b64 | add,L2::cache_hint,and,async,async::generic,const,dec,inc,local,max,min,or,param,tex,xor:Illegal operation '' for instruction '@' | relaxed gpu global cluster cta release shared shared::cluster shared::cta sys | add L2::cache_hint cas const dec exch inc local max min or param popc tex xor | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@'
red | u32 u64 s32 | add,L2::cache_hint,and,async,async::generic,const,dec,inc,local,max,min,or,param,tex,xor:Illegal operation '' for instruction '@' | relaxed gpu global cluster cta release shared shared::cluster shared::cta sys | L2::cache_hint and cas const dec exch inc local max min or param popc tex xor | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@'
red | s64 | add,L2::cache_hint,and,async,async::generic,const,dec,inc,local,max,min,or,param,tex,xor:Illegal operation '' for instruction '@' | relaxed gpu global cluster cta release shared shared::cluster shared::cta sys | add L2::cache_hint and cas const dec exch inc local min or param popc tex xor | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@'
red | f16 f16x2 bf16 bf16x2 | :'.noftz' modifier required for instruction '@' with type '.&' |  |  |
red | f32 | add,L2::cache_hint,and,async::generic,const,dec,inc,local,max,min,or,param,tex,xor:Illegal operation '' for instruction '@' | relaxed gpu global cluster cta release shared shared::cluster shared::cta sys | L2::cache_hint and cas const dec exch inc local max min or param popc tex v2 v4 xor | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@';v8:Only .v2 or .v4 vector modifier supported with type .f32 on .add operation for red instruction with vector types
red | f64 | add,L2::cache_hint,and,async::generic,const,dec,inc,local,max,min,or,param,tex,xor:Illegal operation '' for instruction '@' | relaxed gpu global cluster cta release shared shared::cluster shared::cta sys | L2::cache_hint and cas const dec exch inc local max min or param popc tex xor | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@'
vote | pred | sync:.sync modifier required for instruction '@';all,any,ballot,uni:.mode modifier required for instruction '@' |  | any ballot uni |
vote | pred b32 | :Instruction '@' without '.sync' is not supported on .target sm_70 and higher from PTX ISA version 6.4 |  |  |
vote | b32 | sync:.sync modifier required for instruction '@';all,any,ballot,uni:.mode modifier required for instruction '@' |  | all any uni |
match | b32 b64 | sync:.sync modifier required for instruction '@';all,any:'.any' or '.all' modifier required for instruction '@' |  | any ballot uni |
activemask | b32 |  |  |  |
redux | b32 | add,and,max,min,or,xor:Reduction operation is required for instruction '@';sync,NaN,abs:.sync modifier required for instruction '@' |  | add NaN abs cas dec exch inc max min or popc xor |
redux | u32 s32 | add,and,max,min,or,xor:Reduction operation is required for instruction '@';sync,NaN,abs:.sync modifier required for instruction '@' |  | NaN abs and cas dec exch inc max min or popc xor |
redux | f32 | add,and,max,min,or,xor:Reduction operation is required for instruction '@';sync:.sync modifier required for instruction '@' | NaN abs | add and cas dec exch inc min or popc xor |
elect | - | sync:.sync modifier required for instruction '@' |  |  | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@'
mbarrier.init | b64 |  | shared shared::cta | global const local param tex | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@';shared::cluster:Illegal modifier '::cluster' for instruction '@'
mbarrier.inval | b64 |  | shared shared::cta | global const local param tex | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@';shared::cluster:Illegal modifier '::cluster' for instruction '@'
mbarrier.expect_tx | b64 |  | shared shared::cluster shared::cta | relaxed gpu global cluster const cta gl local param sys tex | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@'
mbarrier.complete_tx | b64 |  | shared shared::cluster shared::cta | relaxed gpu global cluster const cta gl local param sys tex | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@'
mbarrier.arrive | b64 |  | shared shared::cluster shared::cta | relaxed gpu global cluster const cta gl local noComplete param release sys tex | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@'
mbarrier.arrive_drop | b64 |  | shared shared::cluster shared::cta | relaxed gpu global cluster const cta gl local noComplete param release sys tex | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@'
mbarrier.arrive.expect_tx | b64 |  | shared shared::cluster shared::cta | relaxed gpu global cluster const cta gl local param release sys tex | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@'
mbarrier.arrive_drop.expect_tx | b64 |  | shared shared::cluster shared::cta | relaxed gpu global cluster const cta gl local param release sys tex | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@'
mbarrier.test_wait | b64 |  | shared shared::cta | relaxed gpu global acquire cluster const cta gl local param sys tex | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@';shared::cluster:Illegal modifier '::cluster' for instruction '@'
mbarrier.test_wait.parity | b64 |  | shared shared::cta | relaxed gpu global acquire cluster const cta gl local param sys tex | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@';shared::cluster:Illegal modifier '::cluster' for instruction '@'
mbarrier.try_wait | b64 |  | shared shared::cta | relaxed gpu global acquire cluster const cta gl local param sys tex | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@';shared::cluster:Illegal modifier '::cluster' for instruction '@'
mbarrier.try_wait.parity | b64 |  | shared shared::cta | relaxed gpu global acquire cluster const cta gl local param sys tex | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@';shared::cluster:Illegal modifier '::cluster' for instruction '@'
mbarrier.pending_count | b64 |  |  |  |
clusterlaunchcontrol.try_cancel.async | b128 | mbarrier::complete_tx::bytes:.mbarrier::complete_tx::bytes modifier required for instruction '@' | multicast::cluster::all shared::cta | global bulk_group const local mbarrier::arrive::one param shared shared::cluster tex | mmio:Illegal modifier '.%' for instruction '@';param::entry:Illegal modifier '::entry' for instruction '@';param::func:Illegal modifier '::func' for instruction '@'
nanosleep | u32 |  |  |  |
nanosleep | s32 | :Instruction '@' requires '.u32' type |  |  |
pmevent | - |  |  |  | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@'
pmevent.mask | - |  |  |  | cc:Illegal use that ends ptxas;dec:Illegal reduction operation for instruction '@';exch:Illegal reduction operation for instruction '@';inc:Illegal reduction operation for instruction '@'
`;

/** name | types, * for all | modifiers or - | message | targets that refuse; none where the message says which. `#` is the target. */
export const GATES: string = `
add | bf16 bf16x2 | - | Feature '.&' requires .target sm_80 or higher |
add | bf16 bf16x2 u16x2 s16x2 | - | Feature '@.&' requires .target sm_90 or higher |
add | f32x2 f32.f16 f32.bf16 | - | Feature '@.&' requires .target sm_100 or higher |
sub | bf16 bf16x2 | - | Feature '.&' requires .target sm_80 or higher |
sub | bf16 bf16x2 | - | Feature '@.&' requires .target sm_90 or higher |
sub | f32x2 f32.f16 f32.bf16 | - | Feature '@.&' requires .target sm_100 or higher |
add | u16x2 s16x2 | - | Feature '@.&' requires PTX ISA .version 8.0 or later |
add | f32.bf16 | - | Feature '.bf16' requires .target sm_80 or higher |
sub | f32.bf16 | - | Feature '.bf16' requires .target sm_80 or higher |
mul | bf16 bf16x2 | - | Feature '.&' requires .target sm_80 or higher |
mul | bf16 bf16x2 | - | Feature '@.&' requires .target sm_90 or higher |
mul | f32x2 | - | Feature '@.&' requires .target sm_100 or higher |
fma | f16 f16x2 bf16 bf16x2 | oob | Modifier '.%' requires .target sm_90 or higher |
fma | f16 f16x2 bf16 bf16x2 | oob | Feature '.%' requires PTX ISA .version 8.1 or later |
fma | f16 f16x2 | relu | Modifier '.%' requires .target sm_80 or higher |
fma | f16 f16x2 bf16 bf16x2 | relu | Feature '.%' requires PTX ISA .version 7.0 or later |
fma | bf16 bf16x2 | - | Feature '.&' requires .target sm_80 or higher |
fma | f32x2 f32.f16 f32.bf16 | - | Feature '@.&' requires .target sm_100 or higher |
fma | f32.bf16 | - | Feature '.bf16' requires .target sm_80 or higher |
abs | bf16 bf16x2 | - | Feature '.&' requires .target sm_80 or higher |
neg | bf16 bf16x2 | - | Feature '.&' requires .target sm_80 or higher |
min | s32 | relu | Feature 'min.%' requires .target sm_90 or higher |
min | s32 | relu | Feature '.%' requires PTX ISA .version 7.0 or later |
min | u16x2 s16x2 | - | Feature '@.&' requires .target sm_90 or higher |
min | u16x2 s16x2 | - | Feature '@.&' requires PTX ISA .version 8.0 or later |
min | f16 f16x2 | - | Feature 'min.f16 or min.f16x2' requires .target sm_80 or higher |
min | f16 f16x2 f32 | NaN | Feature '.%' requires PTX ISA .version 7.0 or later |
min | bf16 bf16x2 | - | Feature '.&' requires .target sm_80 or higher |
max | s32 | relu | Feature 'max.%' requires .target sm_90 or higher |
max | s32 | relu | Feature '.%' requires PTX ISA .version 7.0 or later |
max | u16x2 s16x2 | - | Feature '@.&' requires .target sm_90 or higher |
max | u16x2 s16x2 | - | Feature '@.&' requires PTX ISA .version 8.0 or later |
max | f16 f16x2 | - | Feature 'max.f16 or max.f16x2' requires .target sm_80 or higher |
max | f16 f16x2 f32 | NaN | Feature '.%' requires PTX ISA .version 7.0 or later |
max | bf16 bf16x2 | - | Feature '.&' requires .target sm_80 or higher |
min | f32 | NaN | Modifier '.%' requires .target sm_80 or higher |
max | f32 | NaN | Modifier '.%' requires .target sm_80 or higher |
ex2 | bf16 bf16x2 | - | Feature '.&' requires .target sm_80 or higher |
ex2 | bf16 bf16x2 | - | Feature '@.&' requires .target sm_90 or higher |
tanh | bf16 bf16x2 | - | Feature '.&' requires .target sm_80 or higher |
tanh | bf16 bf16x2 | - | Feature '@.&' requires .target sm_90 or higher |
set | u32.bf16 s32.bf16 u16.bf16 s16.bf16 bf16.b16 bf16.b32 bf16.b64 bf16.u16 bf16.u32 bf16.u64 bf16.s16 bf16.s32 bf16.s64 bf16.bf16 bf16.f16 bf16.f32 bf16.f64 | - | Feature '.bf16' requires .target sm_80 or higher |
set | u32.bf16 s32.bf16 u16.bf16 s16.bf16 bf16.b16 bf16.b32 bf16.b64 bf16.u16 bf16.u32 bf16.u64 bf16.s16 bf16.s32 bf16.s64 bf16.bf16 bf16.f16 bf16.f32 bf16.f64 | - | Feature 'set.bf16' requires .target sm_90 or higher |
set | u32.bf16x2 s32.bf16x2 bf16x2.bf16x2 | - | Feature '.bf16x2' requires .target sm_80 or higher |
set | u32.bf16x2 s32.bf16x2 bf16x2.bf16x2 | - | Feature 'set.bf16x2' requires .target sm_90 or higher |
setp | bf16 bf16x2 | - | Feature '.&' requires .target sm_80 or higher |
setp | bf16 bf16x2 | - | Feature '@.&' requires .target sm_90 or higher |
ld | * | L2::256B | Modifier '.%' requires .target sm_80 or higher |
ld | b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 | L2::256B L2::128B L2::64B | Feature 'cache prefetching' requires PTX ISA .version 7.4 or later |
ld | * | shared::cluster | Feature '::cluster' requires .target sm_90 or higher |
ld | b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 | shared::cluster | Feature '::cluster' requires PTX ISA .version 7.8 or later |
st | b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 | async | Feature 'st.%' requires .target sm_90 or higher |
st | b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 | async | Feature 'st.%' requires PTX ISA .version 8.1 or later |
st | * | shared::cluster | Feature '::cluster' requires .target sm_90 or higher |
st | b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 | shared::cluster | Feature '::cluster' requires PTX ISA .version 7.8 or later |
createpolicy.fractional | * | - | Feature '@' requires .target sm_80 or higher |
createpolicy.range | * | - | Feature '@' requires .target sm_80 or higher |
createpolicy.cvt | * | - | Feature '@' requires .target sm_80 or higher |
cvt | u8.bf16 u16.bf16 u32.bf16 u64.bf16 s8.bf16 s16.bf16 s32.bf16 s64.bf16 f16.bf16 f32.bf16 f64.bf16 bf16.u8 bf16.u16 bf16.u32 bf16.u64 bf16.s8 bf16.s16 bf16.s32 bf16.s64 bf16.f16 bf16.f32 bf16.f64 bf16.bf16 | - | Feature '.bf16' requires .target sm_80 or higher |
cvt | u8.bf16 | - | Feature 'cvt with .u8.bf16' requires .target sm_90 or higher |
cvt | u16.bf16 | - | Feature 'cvt with .u16.bf16' requires .target sm_90 or higher |
cvt | u32.bf16 | - | Feature 'cvt with .u32.bf16' requires .target sm_90 or higher |
cvt | u64.bf16 | - | Feature 'cvt with .u64.bf16' requires .target sm_90 or higher |
cvt | s8.bf16 | - | Feature 'cvt with .s8.bf16' requires .target sm_90 or higher |
cvt | s16.bf16 | - | Feature 'cvt with .s16.bf16' requires .target sm_90 or higher |
cvt | s32.bf16 | - | Feature 'cvt with .s32.bf16' requires .target sm_90 or higher |
cvt | s64.bf16 | - | Feature 'cvt with .s64.bf16' requires .target sm_90 or higher |
cvt | f16.f32 | relu | Modifier '.%' requires .target sm_80 or higher |
cvt | f16.f32 bf16.f32 tf32.f32 f16x2.f32 bf16x2.f32 e4m3x2.f32 e5m2x2.f32 e4m3x2.f16x2 e5m2x2.f16x2 f16x2.e4m3x2 f16x2.e5m2x2 | relu | Feature '.%' requires PTX ISA .version 7.0 or later |
cvt | f16.bf16 | - | Feature 'cvt with .f16.bf16' requires .target sm_90 or higher |
cvt | f32.bf16 | ftz | Feature 'cvt with .f32.bf16.%' requires .target sm_90 or higher |
cvt | f64.bf16 | - | Feature 'cvt with .f64.bf16' requires .target sm_90 or higher |
cvt | bf16.u8 | - | Feature 'cvt with .bf16.u8' requires .target sm_90 or higher |
cvt | bf16.u16 | - | Feature 'cvt with .bf16.u16' requires .target sm_90 or higher |
cvt | bf16.u32 | - | Feature 'cvt with .bf16.u32' requires .target sm_90 or higher |
cvt | bf16.u64 | - | Feature 'cvt with .bf16.u64' requires .target sm_90 or higher |
cvt | bf16.s8 | - | Feature 'cvt with .bf16.s8' requires .target sm_90 or higher |
cvt | bf16.s16 | - | Feature 'cvt with .bf16.s16' requires .target sm_90 or higher |
cvt | bf16.s32 | - | Feature 'cvt with .bf16.s32' requires .target sm_90 or higher |
cvt | bf16.s64 | - | Feature 'cvt with .bf16.s64' requires .target sm_90 or higher |
cvt | bf16.f16 | - | Feature 'cvt with .bf16.f16' requires .target sm_90 or higher |
cvt | bf16.f32 f16x2.f32 bf16x2.f32 f16.f32 | satfinite | Modifier '.%' on '@.&' requires PTX ISA .version 8.1 or later |
cvt | bf16.f64 | - | Feature 'cvt with .bf16.f64' requires .target sm_90 or higher |
cvt | bf16.bf16 | - | Feature 'cvt with .bf16.bf16' requires .target sm_90 or higher |
cvt | tf32.f32 | - | Feature '.tf32' requires .target sm_80 or higher |
cvt | tf32.f32 | - | Feature 'cvt with .tf32.f32.rn' requires .target sm_90 or higher |
cvt | tf32.f32 | satfinite | Modifier '.%' on 'cvt.tf32.f32.rn' requires .target sm_100 or higher |
cvt | tf32.f32 | satfinite | Modifier '.%' on 'cvt.tf32.f32.rn' requires PTX ISA .version 8.6 or later |
cvt | f16x2.f32 | - | Feature '@.&' requires .target sm_80 or higher |
cvt | bf16x2.f32 ue8m0x2.bf16x2 bf16x2.ue8m0x2 | - | Feature '.bf16x2' requires .target sm_80 or higher |
cvt | e4m3x2.f32 e5m2x2.f32 e4m3x2.f16x2 e5m2x2.f16x2 f16x2.e4m3x2 f16x2.e5m2x2 | - | Feature 'cvt with .e4m3x2/.e5m2x2' requires .target sm_89 or higher |
cvt | ue8m0x2.f32 | - | Instruction 'cvt with .ue8m0x2' not supported on .target '#' | sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_90a sm_100 sm_103 sm_110 sm_120 sm_121
cvt | ue8m0x2.f32 ue8m0x2.bf16x2 bf16x2.ue8m0x2 | - | Feature 'cvt with .ue8m0x2' requires PTX ISA .version 8.6 or later |
cvt | ue8m0x2.bf16x2 bf16x2.ue8m0x2 | - | Instruction 'cvt with .ue8m0x2' not supported on .target '#' | sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_90a sm_100 sm_103 sm_110 sm_120 sm_121
cvt | e2m3x2.f32 e3m2x2.f32 f16x2.e2m3x2 f16x2.e3m2x2 | - | Instruction 'cvt with .e2m3x2/.e3m2x2' not supported on .target '#' | sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_90a sm_100 sm_103 sm_110 sm_120 sm_121
cvt | e2m3x2.f32 e3m2x2.f32 f16x2.e2m3x2 f16x2.e3m2x2 | - | Feature 'cvt with .e2m3x2/.e3m2x2' requires PTX ISA .version 8.6 or later |
cvt | e2m1x2.f32 f16x2.e2m1x2 | - | Instruction 'cvt with .e2m1x2' not supported on .target '#' | sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_90a sm_100 sm_103 sm_110 sm_120 sm_121
cvt | e2m1x2.f32 f16x2.e2m1x2 | - | Feature 'cvt with .e2m1x2' requires PTX ISA .version 8.6 or later |
cp.async.commit_group | * | - | Feature '@' requires .target sm_80 or higher |
cp.async.commit_group | * | - | Feature '@' requires PTX ISA .version 7.0 or later |
cp.async.wait_all | * | - | Feature '@' requires .target sm_80 or higher |
cp.async.wait_all | * | - | Feature '@' requires PTX ISA .version 7.0 or later |
cp.async.bulk.commit_group | * | - | Feature '@' requires .target sm_90 or higher |
cp.async.bulk.commit_group | * | - | Feature '@' requires PTX ISA .version 8.0 or later |
cp.async.wait_group | * | - | Feature '@' requires .target sm_80 or higher |
cp.async.wait_group | * | - | Feature '@' requires PTX ISA .version 7.0 or later |
cp.async.bulk.wait_group | * | - | Feature '@' requires .target sm_90 or higher |
cp.async.bulk.wait_group | * | - | Feature '@' requires PTX ISA .version 8.0 or later |
cp.async.mbarrier.arrive | * | - | Feature '@' requires .target sm_80 or higher |
cp.async.mbarrier.arrive | * | - | Feature '@' requires PTX ISA .version 7.0 or later |
barrier.cluster.arrive | * | - | Feature '@' requires .target sm_90 or higher |
barrier.cluster.arrive | * | - | Feature '@' requires PTX ISA .version 7.8 or later |
barrier.cluster.wait | * | - | Feature '@' requires .target sm_90 or higher |
barrier.cluster.wait | * | - | Feature '@' requires PTX ISA .version 7.8 or later |
griddepcontrol | * | - | Modifier '.launch_dependents' requires .target sm_90 or higher |
atom | b32 b64 u32 u64 s32 s64 f32 f64 | cluster | Feature '.cluster scope' requires .target sm_90 or higher |
atom | b32 b64 u32 u64 s32 s64 f32 f64 | shared::cluster | Feature '::cluster' requires .target sm_90 or higher |
atom | b32 b64 u32 u64 s32 s64 f32 f64 | shared::cluster | Feature '::cluster' requires PTX ISA .version 7.8 or later |
atom | b128 | - | Instruction 'atom.exch.b128 with generic state space' requires .target sm_90 or higher |
atom | b128 | - | Instruction 'atom.exch.b128 with generic state space' requires PTX ISA .version 8.3 or later |
red | b32 b64 u32 u64 s32 s64 f32 f64 | cluster | Feature '.cluster scope' requires .target sm_90 or higher |
red | b32 b64 u32 u64 s32 s64 f32 f64 | shared::cluster | Feature '::cluster' requires .target sm_90 or higher |
red | b32 b64 u32 u64 s32 s64 f32 f64 | shared::cluster | Feature '::cluster' requires PTX ISA .version 7.8 or later |
redux | b32 u32 s32 | - | Feature '@' requires .target sm_80 or higher |
redux | f32 | - | Instruction '@.&' not supported on .target '#' | sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_90a sm_100 sm_103 sm_110 sm_110a sm_110f sm_120 sm_120a sm_120f sm_121 sm_121a sm_121f
elect | * | - | Feature '@' requires .target sm_90 or higher |
elect | * | - | Feature '@' requires PTX ISA .version 8.0 or later |
mbarrier.init | * | - | Feature '@' requires .target sm_80 or higher |
mbarrier.init | * | - | Feature '@' requires PTX ISA .version 7.0 or later |
mbarrier.inval | * | - | Feature '@' requires .target sm_80 or higher |
mbarrier.inval | * | - | Feature '@' requires PTX ISA .version 7.0 or later |
mbarrier.expect_tx | * | - | Feature '@' requires .target sm_90 or higher |
mbarrier.expect_tx | * | - | Feature '@' requires PTX ISA .version 8.0 or later |
mbarrier.complete_tx | * | - | Feature '@' requires .target sm_90 or higher |
mbarrier.complete_tx | * | - | Feature '@' requires PTX ISA .version 8.0 or later |
mbarrier.arrive | * | - | Feature '@' requires .target sm_80 or higher |
mbarrier.arrive | * | - | Feature '@' requires PTX ISA .version 7.0 or later |
mbarrier.arrive | * | shared::cluster | Feature '.%' requires .target sm_90 or higher |
mbarrier.arrive_drop | * | - | Feature '@' requires .target sm_80 or higher |
mbarrier.arrive_drop | * | - | Feature '@' requires PTX ISA .version 7.0 or later |
mbarrier.arrive_drop | * | shared::cluster | Feature '.%' requires .target sm_90 or higher |
mbarrier.arrive.expect_tx | * | - | Feature '@' requires .target sm_90 or higher |
mbarrier.arrive.expect_tx | * | - | Feature '@' requires PTX ISA .version 8.0 or later |
mbarrier.arrive_drop.expect_tx | * | - | Feature '@' requires .target sm_90 or higher |
mbarrier.arrive_drop.expect_tx | * | - | Feature '@' requires PTX ISA .version 8.0 or later |
mbarrier.test_wait | * | - | Feature '@' requires .target sm_80 or higher |
mbarrier.test_wait | * | - | Feature '@' requires PTX ISA .version 7.0 or later |
mbarrier.test_wait.parity | * | - | Feature '@' requires .target sm_80 or higher |
mbarrier.test_wait.parity | * | - | Feature '@' requires PTX ISA .version 7.1 or later |
mbarrier.try_wait | * | - | Feature '@' requires .target sm_90 or higher |
mbarrier.try_wait | * | - | Feature '@' requires PTX ISA .version 7.8 or later |
mbarrier.try_wait.parity | * | - | Feature '@' requires .target sm_90 or higher |
mbarrier.try_wait.parity | * | - | Feature '@' requires PTX ISA .version 7.8 or later |
mbarrier.pending_count | * | - | Feature '@' requires .target sm_80 or higher |
mbarrier.pending_count | * | - | Feature '@' requires PTX ISA .version 7.0 or later |
clusterlaunchcontrol.try_cancel.async | * | - | Feature '@' requires .target sm_100 or higher |
clusterlaunchcontrol.try_cancel.async | * | - | Feature '@' requires PTX ISA .version 8.6 or later |
clusterlaunchcontrol.try_cancel.async | * | multicast::cluster::all | Feature '.%' not supported on .target '#' | sm_100 sm_103 sm_110 sm_120 sm_121
abs | f16 f16x2 | - | Feature 'abs.f16 or abs.f16x2' requires PTX ISA .version 6.5 or later |
szext | * | - | Feature '@' requires PTX ISA .version 7.6 or later |
bmsk | * | - | Feature '@' requires PTX ISA .version 7.6 or later |
ex2 | f16 f16x2 | - | Feature 'ex2.f16/f16x2' requires PTX ISA .version 7.0 or later |
tanh | f16 f16x2 f32 | - | Feature '@' requires PTX ISA .version 7.0 or later |
set | u32.f16 u32.f16x2 s32.f16 s32.f16x2 u16.f16 s16.f16 | - | Feature 'half precision floating point set instruction with integer result' requires PTX ISA .version 6.5 or later |
mov | b128 | - | Feature 'Instruction type .b128 for instruction mov' requires PTX ISA .version 8.3 or later |
ld | b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 | L1::evict_first | Modifier '.evict_first' on '@' requires PTX ISA .version 7.4 or later |
ld | b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 | L1::evict_last | Modifier '.evict_last' on '@' requires PTX ISA .version 7.4 or later |
ld | b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 | L1::evict_normal | Modifier '.evict_normal' on '@' requires PTX ISA .version 7.4 or later |
ld | b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 | L1::evict_unchanged | Modifier '.evict_unchanged' on '@' requires PTX ISA .version 7.4 or later |
ld | b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 | L1::no_allocate | Modifier '.no_allocate' on '@' requires PTX ISA .version 7.4 or later |
ld | b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 | param::entry | Feature '::entry' requires PTX ISA .version 8.3 or later |
ld | b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 | param::func | Feature '::func' requires PTX ISA .version 8.3 or later |
ld | b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 | shared::cta | Feature '::cta' requires PTX ISA .version 7.8 or later |
ld | b128 | - | Feature 'Instruction type .b128 for instruction ld' requires PTX ISA .version 8.3 or later |
ldu | b128 | - | Feature 'Instruction type .b128 for instruction ldu' requires PTX ISA .version 8.3 or later |
st | b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 | L1::evict_first | Modifier '.evict_first' on '@' requires PTX ISA .version 7.4 or later |
st | b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 | L1::evict_last | Modifier '.evict_last' on '@' requires PTX ISA .version 7.4 or later |
st | b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 | L1::evict_normal | Modifier '.evict_normal' on '@' requires PTX ISA .version 7.4 or later |
st | b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 | L1::evict_unchanged | Modifier '.evict_unchanged' on '@' requires PTX ISA .version 7.4 or later |
st | b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 | L1::no_allocate | Modifier '.no_allocate' on '@' requires PTX ISA .version 7.4 or later |
st | b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 | param::func | Feature '::func' requires PTX ISA .version 8.3 or later |
st | b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 | shared::cta | Feature '::cta' requires PTX ISA .version 7.8 or later |
st | b128 | - | Feature 'Instruction type .b128 for instruction st' requires PTX ISA .version 8.3 or later |
cvt.pack | s16.s32 u16.s32 s8.s32.b32 u8.s32.b32 u4.s32.b32 s4.s32.b32 | - | Feature '@' requires PTX ISA .version 6.5 or later |
cvt.pack | u2.s32.b32 | - | Feature '.u2' requires PTX ISA .version 6.5 or later |
cvt.pack | s2.s32.b32 | - | Feature '.s2' requires PTX ISA .version 6.5 or later |
alloca | u32 u64 | - | Feature '@' requires PTX ISA .version 7.3 or later |
stacksave | u32 u64 | - | Feature '@' requires PTX ISA .version 7.3 or later |
stackrestore | u32 u64 | - | Feature '@' requires PTX ISA .version 7.3 or later |
barrier.cta | * | - | Feature '@' requires PTX ISA .version 7.8 or later |
bar.cta | * | - | Feature '@' requires PTX ISA .version 7.8 or later |
bar.cta.arrive | * | - | Feature '@' requires PTX ISA .version 7.8 or later |
barrier.cta.arrive | * | - | Feature '@' requires PTX ISA .version 7.8 or later |
atom | b32 b64 u32 u64 s32 s64 f32 f64 | shared::cta | Feature '::cta' requires PTX ISA .version 7.8 or later |
red | b32 b64 u32 u64 s32 s64 f32 f64 | shared::cta | Feature '::cta' requires PTX ISA .version 7.8 or later |
`;
