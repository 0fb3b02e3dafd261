/**
 * Instructions whose forms are open, so that no sample of tools/ptx-words.py shows what they take: their modifiers (PTX ISA 9.0, chapter 9) and
 * those they cannot do without. What else stands there is refused in the words of REFUSALS. Wording measured on ptxas 13.0.88.
 */

/** names | modifiers, types aside | those refused as "Illegal modifier '.…'" whatever REFUSALS says */
export const CLOSED: string = `
tex tex.base tex.level tex.grad | 1d 2d 3d a1d a2d cube acube 2dms a2dms v2 v4
tld4 | r g b a 2d a2d cube acube v2 v4
txq | width height depth channel_data_type channel_order normalized_coords force_unnormalized_coords filter_mode addr_mode_0 addr_mode_1 addr_mode_2 array_size num_mipmap_levels num_samples
txq.level | width height depth channel_data_type channel_order normalized_coords force_unnormalized_coords filter_mode addr_mode_0 addr_mode_1 addr_mode_2 array_size
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
`;

/** names | one of these modifiers | message */
export const DEMANDED: string = `
isspacep | const global local param param::entry param::func shared shared::cta shared::cluster | State space modifier required for instruction '@'
fence.proxy | alias async async::generic async::global async::shared::cta async::shared::cluster tensormap::generic | .proxykind modifier required for instruction '@'
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
