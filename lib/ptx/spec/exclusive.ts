/**
 * Modifiers that exclude each other and themselves: ptxas complains of the second of a line while it reads it, whatever the instruction. `%` is the second.
 * Measured on ptxas 13.0.88 with all pairs of the modifiers of words.ts. Eviction priorities are not among them: some instructions take two.
 */
export const EXCLUSIVE: string = `
Multiple comparisons set | eq equ ge geu gt gtu hi le leu lo lt ltu nan ne neu num
Multiple rounding modifiers specified | rm rmi rn rna rni rp rpi rs rz rzi
Multiple vector modifiers specified | v2 v4 v8
Multiple scope modifiers specified | cluster cta gl gpu sys
Duplicate .% modifier | acq_rel acquire relaxed release sc volatile weak
Duplicate .% modifier | ftz
Duplicate .% modifier | launch_dependents
Duplicate .% modifier | nc
Duplicate .% modifier | noftz
Duplicate .% modifier | oob
Duplicate .% modifier | wait
Multiple matrix shape modifiers specified | 128x128b 128x256b 16x128b 16x256b 16x32bx2 16x64b 32x128b 32x32b 4x256b 64x128b m16n16 m16n16k16 m16n16k8 m16n8 m16n8k128 m16n8k16 m16n8k256 m16n8k32 m16n8k4 m16n8k64 m16n8k8 m32n8k16 m8n16 m8n32k16 m8n8 m8n8k128 m8n8k16 m8n8k32 m8n8k4
Multiple cache operation modifiers specified | ca cg cs cv lu wb wt
Multiple cache operation modifiers specified | L1 L2 tensormap
Multiple cache prefetching modifiers specified | L2::128B L2::256B L2::64B
Multiple .% modifiers specified | L2::cache_hint
Multiple .% modifiers specified | abs
Multiple .% modifiers specified | alias async
Multiple .% modifiers specified | aligned
Multiple .% modifiers specified | alloc cp dealloc ld mma shift st
Multiple .% modifiers specified | ashift
Multiple .% modifiers specified | async::generic tensormap::generic
Multiple .% modifiers specified | b1024
Multiple .% modifiers specified | block_scale
Multiple .% modifiers specified | bulk_group mbarrier::complete_tx::bytes
Multiple .% modifiers specified | cp_mask
Multiple .% modifiers specified | cta_group::1 cta_group::2
Multiple .% modifiers specified | down
Multiple .% modifiers specified | get_first_ctaid get_first_ctaid::x get_first_ctaid::y get_first_ctaid::z is_canceled
Multiple .% modifiers specified | mbarrier_init
Multiple .% modifiers specified | mmio
Multiple .% modifiers specified | multicast
Multiple .% modifiers specified | multicast::cluster multicast::cluster::all
Multiple .% modifiers specified | noComplete
Multiple .% modifiers specified | noinc
Multiple .% modifiers specified | pack::16b unpack::16b
Multiple .% modifiers specified | read
Multiple .% modifiers specified | sync_restrict::shared::cluster sync_restrict::shared::cta
Multiple .% modifiers specified | trans
Multiple .% modifiers specified | warpx2::01_23 warpx2::02_13 warpx4
Multiple .% modifiers specified | xorsign
Multiple .% modifiers specified | box_dim element_stride elemtype fill_mode global_address global_dim global_stride interleave_layout rank swizzle_atomicity swizzle_mode
Multiple .any/.all modifiers specified | all any
Multiple vote modifiers specified | ballot
Multiple shuffle modifiers specified | bfly idx up
Multiple .scale_vectorsize modifiers specified | block16 block32
Multiple .scale_vec_size modifiers specified | scale_vec::1X scale_vec::2X scale_vec::4X
Multiple .collector_usage modifiers specified | collector::a::discard collector::a::fill collector::a::lastuse collector::a::use
Multiple .collector_usage modifiers specified | collector::b0::discard collector::b0::fill collector::b0::lastuse collector::b0::use collector::b1::discard collector::b1::fill collector::b1::lastuse collector::b1::use collector::b2::discard collector::b2::fill collector::b2::lastuse collector::b2::use collector::b3::discard collector::b3::fill collector::b3::lastuse collector::b3::use
Multiple .load_mode modifiers specified | im2col im2col::w im2col::w::128 im2col_no_offs tile tile::gather4 tile::scatter4
Multiple .kind modifiers specified | kind::f16 kind::f8f6f4 kind::i8 kind::mxf4 kind::mxf4nvf4 kind::mxf8f6f4 kind::tf32
Multiple sparsity modifiers specified | sp sp::ordered_metadata
Multiple .num modifiers specified | x1 x128 x16 x2 x32 x4 x64 x8
Multiple .zoneevre::neevir::bar modifiers specified | mbarrier::arrive::one
Multiple clamp modifiers specified | clamp trap wrap zero
Multiple component modifiers specified | a b g r
Multiple texture modifiers specified | 2dms a1d a2d a2dms acube cube
Multiple permute modifiers specified | b4e ecl ecr f4e rc16 rc8
Multiple shift-right modifiers specified | shr15 shr7
Multiple dimension modifiers specified | 1d 2d 3d 4d 5d
Multiple query modifiers specified | addr_mode_0 addr_mode_1 addr_mode_2 array_size channel_data_type channel_order depth filter_mode force_unnormalized_coords height memory_layout normalized_coords num_mipmap_levels num_samples width
Multiple accumulation precision modifiers specified | acc::f16 acc::f32
Multiple testp operation modifiers specified | finite infinite normal notanumber number subnormal
`;

/** Operations of atomics and of set and setp, of which an instruction takes one. */
export const OPERATIONS: ReadonlySet<string> = new Set("add and cas dec exch inc max min or popc xor".split(" "));

/** Word → the group it is of, by number, and what is said of a second one. */
export const EXCLUSIVE_GROUPS: ReadonlyMap<string, { readonly group: number; readonly message: string }> = new Map(
  EXCLUSIVE.trim()
    .split("\n")
    .flatMap((line, group) => {
      const [message, words] = line.split(" | ") as [string, string];
      return words.split(" ").map((w) => [w, { group, message }] as const);
    }),
);

/**
 * The order in which ptxas looks at the kinds of modifiers that do not belong, by one modifier of each kind, whatever their order in the text. Measured
 * on ptxas 13.0.88 with pairs of modifiers on bar.sync, add, neg, cvt, mbarrier.init and sured.b, which agree.
 */
const ORDER: string = `
sync add relu satfinite L2::128B L2::cache_hint multicast multicast::cluster im2col cta_group::1 1d a1d L1::evict_first L2::evict_first global uni sp all down cp_mask oob
bulk_group b1024 async::generic get_first_ctaid launch_dependents wait mbarrier_init sync_restrict::shared::cluster aligned noinc noComplete bfly ballot approx ftz
noftz m16n16 col cta v2 eq dec acq_rel nc sat mmio kind::f8f6f4 block_scale scale_vec::1X shiftamt cc rm NaN xorsign ca L2 a memory_layout shr15 po b4e x1
trans abs alias read
`;

const ORDERS: ReadonlyMap<string, number> = new Map(
  ORDER.trim()
    .split(/\s+/)
    .map((w, k) => [w, k]),
);
const LIKE: ReadonlyMap<number, number> = new Map(
  [...ORDERS].flatMap(([w, k]) => {
    const group = EXCLUSIVE_GROUPS.get(w)?.group;
    return group === undefined ? [] : [[group, k] as const];
  }),
);
/** Modifiers of kinds that are none of EXCLUSIVE. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:and|or|xor|cas|min|max|popc)$/, "add"],
  [/^(?:exch|inc)$/, "dec"],
  [/^(?:const|global|local|param|shared|tex)(?:::|$)/, "global"],
  [/^L[12]::evict|^L1::no_allocate$/, "L1::evict_first"],
  [/^(?:row|col)$/, "col"],
  [/^any$/, "all"],
];

/** Of the kinds up to this one ptxas speaks before it looks at types and arguments. */
const LAST_EARLY = "cta_group::1";

/** Whether ptxas says that it does not belong before it looks at types and arguments. */
export function saidEarly(word: string): boolean {
  return orderOf(word) <= (ORDERS.get(LAST_EARLY) as number);
}

/** Place of a modifier's kind in ptxas's order; those of which nothing is known come last, as they stand. */
export function orderOf(word: string): number {
  const own = ORDERS.get(word) ?? LIKE.get(EXCLUSIVE_GROUPS.get(word)?.group ?? -1);
  if (own !== undefined) return own;
  const kind = KINDS.find(([pattern]) => pattern.test(word))?.[1];
  return (kind === undefined ? undefined : ORDERS.get(kind)) ?? ORDERS.size;
}
