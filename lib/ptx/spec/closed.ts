/**
 * Instructions whose forms are open, so that no sample of tools/ptx-words.py shows what they take: their modifiers (PTX ISA 9.0, chapter 9) and
 * those they cannot do without. What else stands there is refused in the words of REFUSALS. Wording measured on ptxas 13.0.88.
 */

/** names | modifiers, types aside | those refused as "Illegal modifier '.…'" whatever REFUSALS says */
export const CLOSED: string = `
tex tex.base tex.level tex.grad | 1d 2d 3d a1d a2d cube acube 2dms a2dms v2 v4
tld4 | r g b a 2d a2d cube acube v2 v4
txq | width height depth channel_data_type channel_order normalized_coords force_unnormalized_coords filter_mode addr_mode_0 addr_mode_1 addr_mode_2 array_size num_mipmap_levels num_samples
txq.level | width height depth
suq | width height depth channel_data_type channel_order memory_layout array_size
suld.b | 1d 2d 3d a1d a2d v2 v4 trap clamp zero ca cg cs cv
sust.b sust.p | 1d 2d 3d a1d a2d v2 v4 trap clamp zero wb cg cs wt
sured.b sured.p | add min max and or 1d 2d 3d trap clamp zero | a1d a2d
vadd vsub vabsdiff vmin vmax | sat add min max
vshl vshr | sat add min max clamp wrap
vmad | sat po shr7 shr15
vset | add min max eq equ ge geu gt gtu hi hs le leu lo ls lt ltu nan ne neu num
vadd2 vadd4 vsub2 vsub4 vabsdiff2 vabsdiff4 vmin2 vmin4 vmax2 vmax4 vavrg2 vavrg4 | sat add
vset2 vset4 | add eq equ ge geu gt gtu hi hs le leu lo ls lt ltu nan ne neu num
prefetchu | L1
isspacep | const global local param param::entry param::func shared shared::cta shared::cluster
bar.red barrier.red bar.cta.red barrier.cta.red | and or popc aligned
fence.proxy | alias async async::generic async::global async::shared::cta async::shared::cluster tensormap::generic acquire release cta cluster gpu sys sync_restrict::shared::cta sync_restrict::shared::cluster global shared::cta shared::cluster
prefetch | global local const param L1 L2 L2::evict_last L2::evict_normal tensormap
wgmma.commit_group | sync aligned
tcgen05.ld | sync aligned 16x64b 16x128b 16x256b 32x32b 16x32bx2 128x128b 128x256b 32x128b 4x256b 64x128b x1 x2 x4 x8 x16 x32 x64 x128 pack::16b col row
tcgen05.ld.red | sync aligned 16x64b 16x128b 16x256b 32x32b 16x32bx2 128x128b 128x256b 32x128b 4x256b 64x128b x1 x2 x4 x8 x16 x32 x64 x128 pack::16b abs NaN min max add and or xor cas inc dec exch popc col row
tcgen05.st | sync aligned 16x64b 16x128b 16x256b 32x32b 16x32bx2 128x128b 128x256b 32x128b 4x256b 64x128b x1 x2 x4 x8 x16 x32 x64 x128 unpack::16b col row
tcgen05.mma tcgen05.mma.ws | sp cta_group::1 cta_group::2 kind::f16 kind::tf32 kind::f8f6f4 kind::i8 kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4 block_scale scale_vec::1X scale_vec::2X scale_vec::4X block16 block32 ashift collector::a::fill collector::a::use collector::a::lastuse collector::a::discard collector::b0::fill collector::b0::use collector::b0::lastuse collector::b0::discard collector::b1::fill collector::b1::use collector::b1::lastuse collector::b1::discard collector::b2::fill collector::b2::use collector::b2::lastuse collector::b2::discard collector::b3::fill collector::b3::use collector::b3::lastuse collector::b3::discard
tcgen05.alloc | cta_group::1 cta_group::2 sync aligned const global local param shared shared::cta shared::cluster tex param::entry param::func mmio
tcgen05.dealloc tcgen05.relinquish_alloc_permit | cta_group::1 cta_group::2 sync aligned
tcgen05.wait | ld st wait::ld wait::st sync aligned
tcgen05.fence | before_thread_sync after_thread_sync fence::before_thread_sync fence::after_thread_sync
tcgen05.shift | cta_group::1 cta_group::2 down
tcgen05.cp | cta_group::1 cta_group::2 16x64b 16x128b 16x256b 32x32b 16x32bx2 128x128b 128x256b 32x128b 4x256b 64x128b warpx2::02_13 warpx2::01_23 warpx4
tcgen05.commit | cta_group::1 cta_group::2 mbarrier::arrive::one multicast::cluster const global local param shared shared::cta shared::cluster tex param::entry param::func mmio
wmma.load.a wmma.load.b wmma.load.c wmma.store.d | sync aligned row col m16n16k16 m8n32k16 m32n8k16 m16n16k8 m8n8k4 m8n8k32 m8n8k128 const global local param param::entry param::func shared shared::cta shared::cluster tex v2 v4 v8
clusterlaunchcontrol.query_cancel | is_canceled get_first_ctaid get_first_ctaid::x get_first_ctaid::y get_first_ctaid::z v4
`;

/** names | one of these modifiers | message */
export const DEMANDED: string = `
isspacep | const global local param param::entry param::func shared shared::cta shared::cluster | State space modifier required for instruction '@'
fence.proxy | alias async async::generic async::global async::shared::cta async::shared::cluster tensormap::generic | .proxykind modifier required for instruction '@'
tcgen05.alloc tcgen05.dealloc tcgen05.relinquish_alloc_permit tcgen05.shift tcgen05.cp tcgen05.commit | cta_group::1 cta_group::2 | .cta_group modifier required for instruction '@'
tcgen05.alloc tcgen05.dealloc tcgen05.relinquish_alloc_permit tcgen05.wait tcgen05.ld tcgen05.ld.red tcgen05.st | sync | .sync modifier required for instruction '@'
tcgen05.alloc tcgen05.dealloc tcgen05.relinquish_alloc_permit tcgen05.wait | aligned | .aligned modifier required for instruction '@'
tcgen05.shift | down | .down modifier required for instruction '@'
tcgen05.cp | 16x64b 16x128b 16x256b 32x32b 16x32bx2 128x128b 128x256b 32x128b 4x256b 64x128b | Shape modifier required for instruction '@'
tcgen05.commit | mbarrier::arrive::one | .completion_mechanism modifier required for instruction '@'
setmaxnreg.inc setmaxnreg.dec | aligned | .aligned modifier required for instruction '@'
setmaxnreg.inc setmaxnreg.dec | sync | .sync modifier required for instruction '@'
prefetch | L1 L2 L2::evict_last L2::evict_normal tensormap | Cache level modifier required for instruction '@'
txq txq.level suq | width height depth channel_data_type channel_order normalized_coords force_unnormalized_coords filter_mode addr_mode_0 addr_mode_1 addr_mode_2 array_size num_mipmap_levels num_samples memory_layout | Query modifier required for instruction '@'
suld.b sust.b | trap clamp zero | Clamp modifier required for instruction '@'
tex tex.base tex.level tex.grad tld4 suld.b sust.b sust.p | 1d 2d 3d a1d a2d cube acube 2dms a2dms | Geometry modifier required for instruction '@'
bar.red barrier.red bar.cta.red barrier.cta.red | and or popc | Illegal reduction operation for instruction '@.&'
bar.red barrier.red bar.cta.red barrier.cta.red | and or popc | Reduction operation is required for instruction '@'
sured.b sured.p | add min max and or | Illegal operation '(null)' for instruction '@'
vshl vshr | clamp wrap | Clamp modifier required for instruction '@'
set setp | eq equ ge geu gt gtu hi hs le leu lo ls lt ltu nan ne neu num | Comparison modifier required for instruction '@'
`;
