/**
 * The 607 functions that ptxas knows by name (wiki page 53, its appendix: names, order and least SM) and what becomes here of what they do. PTX cannot
 * call them: declared `.extern` they are unresolved in ptxas 13.0.88 as well. It makes them by itself, at -O0 as functions of
 * the module, from -O1 on often inline; here the instruction of PTX that needs one is lowered to
 *
 *     instructions   machine instructions in its place
 *     routine        a text of PTX, inlined (lib/lower/math)
 *     driver         a function that the driver brings along
 *     none           nothing: no instruction of PTX needs it
 */

/** How the work is done here. */
export type Made = "instructions" | "routine" | "driver" | "none";

/** Functions with one beginning. */
interface Family {
  readonly prefix: string;
  /** Least SM, as a number; null: the wiki names none. */
  readonly sm: number | null;
  /** Instructions of PTX that need them. */
  readonly ptx: string;
  readonly how: Made;
  readonly note: string;
  /** What follows the beginning, in ptxas's order; "=": nothing does. */
  readonly names: string;
}

const families: readonly Family[] = [
  {
    prefix: "__cuda_reduxsync_",
    sm: 70,
    ptx: "redux.sync",
    how: "instructions",
    note: "REDUX where the SM has it, loops over lanes before",
    names: `
b32_and b32_or b32_xor f32_max f32_max_NaN f32_max_abs f32_max_abs_NaN f32_min f32_min_NaN f32_min_abs f32_min_abs_NaN s32_add s32_max s32_min u32_add
u32_max u32_min`,
  },
  {
    prefix: "__cuda_sanitizer_memcheck_",
    sm: null,
    ptx: "-",
    how: "none",
    note: "calls that compute-sanitizer puts in; nothing here makes them",
    names: `
free generic global local malloc readmetadata shared`,
  },
  {
    prefix: "__cuda_scalar_video_emulation_",
    sm: 20,
    ptx: "vadd, vsub, vmad …",
    how: "instructions",
    note: "lib/lower/video.ts",
    names: `
operandExtractAndSignExtend01 operandExtractAndSignExtend11 operandExtractAndSignExtend12 operandExtractAndSignExtend22 optionalMerge32 saturate64
secondOp64`,
  },
  {
    prefix: "__cuda_sm10x_",
    sm: 100,
    ptx: "tcgen05",
    how: "instructions",
    note: "guards of tcgen05 that trap; lib/lower/tensor-memory",
    names: `
create_mask_from_bit_idx_and_alloc_size_v1 tcgen05_guardrail_trap_access_out_of_physical_bounds tcgen05_guardrail_trap_allocation_granularity_invalid
tcgen05_guardrail_trap_col_being_dealloced_not_returned_by_alloc tcgen05_guardrail_trap_current_warp_owner_invalid
tcgen05_guardrail_trap_invalid_datapath_alignment tcgen05_guardrail_trap_phase_invalid_during_alloc tcgen05_guardrail_trap_sp_used_in_unsupported_env
tcgen05_guardrail_trap_sparse_mismatch_between_idesc_mod tcgen05_guardrail_trap_unallocated_columns_access
tcgen05_guardrail_trap_unallocated_columns_being_dealloced`,
  },
  {
    prefix: "__cuda_sm1xx_",
    sm: 90,
    ptx: "cp.async.bulk",
    how: "driver",
    note: "copies to another block: the driver's __cuda_syscall_cp_async_bulk…",
    names: `
bulk_copy_multicast bulk_copy_unicast cp_async_bulk_tensor_1d_tile_multicast cp_async_bulk_tensor_1d_tile_unicast
cp_async_bulk_tensor_2d_tile_multicast cp_async_bulk_tensor_2d_tile_unicast cp_async_bulk_tensor_3d_im2col_multicast
cp_async_bulk_tensor_3d_im2col_unicast cp_async_bulk_tensor_3d_tile_multicast cp_async_bulk_tensor_3d_tile_unicast
cp_async_bulk_tensor_4d_im2col_multicast cp_async_bulk_tensor_4d_im2col_unicast cp_async_bulk_tensor_4d_tile_multicast
cp_async_bulk_tensor_4d_tile_unicast cp_async_bulk_tensor_5d_im2col_multicast cp_async_bulk_tensor_5d_im2col_unicast
cp_async_bulk_tensor_5d_tile_multicast cp_async_bulk_tensor_5d_tile_unicast`,
  },
  {
    prefix: "__cuda_sm20_",
    sm: 20,
    ptx: "div, rem, rcp, sqrt, rsqrt, bfe, bfi",
    how: "routine",
    note: "text of PTX in lib/lower/math, inlined; bfe and bfi by shifts and masks",
    names: `
bfe_s64_ bfe_u64_ bfi_u64_ dblrcp_rn_slowpath_v3 div_rd_f32 div_rd_f64_v2 div_rd_ftz_f32 div_rn_f32 div_rn_f64_fast div_rn_f64_full div_rn_ftz_f32
div_rn_ftz_f32_slowpath div_rn_noftz_f32_slowpath div_ru_f32 div_ru_f64_v2 div_ru_ftz_f32 div_rz_f32 div_rz_f64_v2 div_rz_ftz_f32 div_s16 div_s64
div_u16 div_u64 drsqrt_f64_slowpath_v2 drsqrt_f64_v2 dsqrt_rd_f64 dsqrt_rn_f64_mediumpath_v1 dsqrt_rn_f64_v3 dsqrt_ru_f64 dsqrt_rz_f64 rcp_f64_v3
rcp_rd_f32 rcp_rd_f32_slowpath rcp_rd_f64 rcp_rd_ftz_f32 rcp_rd_ftz_f32_slowpath rcp_rn_f32 rcp_rn_f32_slowpath rcp_rn_ftz_f32 rcp_rn_ftz_f32_slowpath
rcp_ru_f32 rcp_ru_f32_slowpath rcp_ru_f64 rcp_ru_ftz_f32 rcp_ru_ftz_f32_slowpath rcp_rz_f32 rcp_rz_f32_slowpath rcp_rz_f64 rcp_rz_ftz_f32
rcp_rz_ftz_f32_slowpath rem_s16 rem_s64 rem_u16 rem_u64 sqrt_rd_f32 sqrt_rd_f32_slowpath sqrt_rd_ftz_f32 sqrt_rd_ftz_f32_slowpath sqrt_rn_f32
sqrt_rn_f32_slowpath sqrt_rn_ftz_f32 sqrt_rn_ftz_f32_slowpath sqrt_ru_f32 sqrt_ru_f32_slowpath sqrt_ru_ftz_f32 sqrt_ru_ftz_f32_slowpath sqrt_rz_f32
sqrt_rz_f32_slowpath sqrt_rz_ftz_f32 sqrt_rz_ftz_f32_slowpath`,
  },
  {
    prefix: "__cuda_sm3x_div_",
    sm: 30,
    ptx: "div.rn.f32",
    how: "routine",
    note: "text of PTX in lib/lower/math, inlined",
    names: `
rn_ftz_f32 rn_ftz_f32_slowpath rn_noftz_f32 rn_noftz_f32_slowpath`,
  },
  {
    prefix: "__cuda_sm62_",
    sm: 62,
    ptx: "dp2a, dp4a",
    how: "instructions",
    note: "IDP",
    names: `
dp2a dp4a`,
  },
  {
    prefix: "__cuda_sm70_barrier_",
    sm: 70,
    ptx: "barrier, barrier.arrive, barrier.red",
    how: "instructions",
    note: "BAR",
    names: `
arrive arrive_0 arrive_0_count arrive_1 arrive_10 arrive_10_count arrive_11 arrive_11_count arrive_12 arrive_12_count arrive_13 arrive_13_count
arrive_14 arrive_14_count arrive_15 arrive_15_count arrive_1_count arrive_2 arrive_2_count arrive_3 arrive_3_count arrive_4 arrive_4_count arrive_5
arrive_5_count arrive_6 arrive_6_count arrive_7 arrive_7_count arrive_8 arrive_8_count arrive_9 arrive_9_count arrive_count red_and red_and_0
red_and_0_count red_and_1 red_and_10 red_and_10_count red_and_11 red_and_11_count red_and_12 red_and_12_count red_and_13 red_and_13_count red_and_14
red_and_14_count red_and_15 red_and_15_count red_and_1_count red_and_2 red_and_2_count red_and_3 red_and_3_count red_and_4 red_and_4_count red_and_5
red_and_5_count red_and_6 red_and_6_count red_and_7 red_and_7_count red_and_8 red_and_8_count red_and_9 red_and_9_count red_and_count red_or red_or_0
red_or_0_count red_or_1 red_or_10 red_or_10_count red_or_11 red_or_11_count red_or_12 red_or_12_count red_or_13 red_or_13_count red_or_14
red_or_14_count red_or_15 red_or_15_count red_or_1_count red_or_2 red_or_2_count red_or_3 red_or_3_count red_or_4 red_or_4_count red_or_5
red_or_5_count red_or_6 red_or_6_count red_or_7 red_or_7_count red_or_8 red_or_8_count red_or_9 red_or_9_count red_or_count red_popc red_popc_0
red_popc_0_count red_popc_1 red_popc_10 red_popc_10_count red_popc_11 red_popc_11_count red_popc_12 red_popc_12_count red_popc_13 red_popc_13_count
red_popc_14 red_popc_14_count red_popc_15 red_popc_15_count red_popc_1_count red_popc_2 red_popc_2_count red_popc_3 red_popc_3_count red_popc_4
red_popc_4_count red_popc_5 red_popc_5_count red_popc_6 red_popc_6_count red_popc_7 red_popc_7_count red_popc_8 red_popc_8_count red_popc_9
red_popc_9_count red_popc_count sync sync_0 sync_0_count sync_1 sync_10 sync_10_count sync_11 sync_11_count sync_12 sync_12_count sync_13
sync_13_count sync_14 sync_14_count sync_15 sync_15_count sync_1_count sync_2 sync_2_count sync_3 sync_3_count sync_4 sync_4_count sync_5 sync_5_count
sync_6 sync_6_count sync_7 sync_7_count sync_8 sync_8_count sync_9 sync_9_count sync_count`,
  },
  {
    prefix: "__cuda_sm70_matchsync_",
    sm: 70,
    ptx: "match.sync",
    how: "instructions",
    note: "MATCH",
    names: `
all_b32 all_b32_p all_b64 all_b64_p any_b32 any_b64`,
  },
  {
    prefix: "__cuda_sm70_shflsync_",
    sm: 70,
    ptx: "shfl.sync",
    how: "instructions",
    note: "SHFL; gathered where lanes part",
    names: `
bfly bfly_p down down_p idx idx_p up up_p`,
  },
  {
    prefix: "__cuda_sm70_votesync_",
    sm: 70,
    ptx: "vote.sync",
    how: "instructions",
    note: "VOTE",
    names: `
all any ballot uni`,
  },
  {
    prefix: "__cuda_sm70_warpsync",
    sm: 70,
    ptx: "bar.warp.sync",
    how: "instructions",
    note: "WARPSYNC",
    names: `
=`,
  },
  {
    prefix: "__cuda_sm70_wmma_",
    sm: 70,
    ptx: "wmma",
    how: "instructions",
    note: "loads, stores and products; lib/lower/matrix/wmma.ts",
    names: `
m16n16k16_load_a_col m16n16k16_load_a_col_global m16n16k16_load_a_col_shared m16n16k16_load_a_row m16n16k16_load_a_row_global
m16n16k16_load_a_row_shared m16n16k16_load_b_col m16n16k16_load_b_col_global m16n16k16_load_b_col_shared m16n16k16_load_b_row
m16n16k16_load_b_row_global m16n16k16_load_b_row_shared m16n16k16_load_c_col_f16 m16n16k16_load_c_col_f16_global m16n16k16_load_c_col_f16_shared
m16n16k16_load_c_col_f32 m16n16k16_load_c_col_f32_global m16n16k16_load_c_col_f32_shared m16n16k16_load_c_row_f16 m16n16k16_load_c_row_f16_global
m16n16k16_load_c_row_f16_shared m16n16k16_load_c_row_f32 m16n16k16_load_c_row_f32_global m16n16k16_load_c_row_f32_shared m16n16k16_mma_col_col_f16_f16
m16n16k16_mma_col_col_f16_f16_satfinite m16n16k16_mma_col_col_f16_f32 m16n16k16_mma_col_col_f16_f32_satfinite m16n16k16_mma_col_col_f32_f16
m16n16k16_mma_col_col_f32_f16_satfinite m16n16k16_mma_col_col_f32_f32 m16n16k16_mma_col_col_f32_f32_satfinite m16n16k16_mma_col_row_f16_f16
m16n16k16_mma_col_row_f16_f16_satfinite m16n16k16_mma_col_row_f16_f32 m16n16k16_mma_col_row_f16_f32_satfinite m16n16k16_mma_col_row_f32_f16
m16n16k16_mma_col_row_f32_f16_satfinite m16n16k16_mma_col_row_f32_f32 m16n16k16_mma_col_row_f32_f32_satfinite m16n16k16_mma_row_col_f16_f16
m16n16k16_mma_row_col_f16_f16_satfinite m16n16k16_mma_row_col_f16_f32 m16n16k16_mma_row_col_f16_f32_satfinite m16n16k16_mma_row_col_f32_f16
m16n16k16_mma_row_col_f32_f16_satfinite m16n16k16_mma_row_col_f32_f32 m16n16k16_mma_row_col_f32_f32_satfinite m16n16k16_mma_row_row_f16_f16
m16n16k16_mma_row_row_f16_f16_satfinite m16n16k16_mma_row_row_f16_f32 m16n16k16_mma_row_row_f16_f32_satfinite m16n16k16_mma_row_row_f32_f16
m16n16k16_mma_row_row_f32_f16_satfinite m16n16k16_mma_row_row_f32_f32 m16n16k16_mma_row_row_f32_f32_satfinite m16n16k16_store_d_col_f16
m16n16k16_store_d_col_f16_global m16n16k16_store_d_col_f16_shared m16n16k16_store_d_col_f32 m16n16k16_store_d_col_f32_global
m16n16k16_store_d_col_f32_shared m16n16k16_store_d_row_f16 m16n16k16_store_d_row_f16_global m16n16k16_store_d_row_f16_shared m16n16k16_store_d_row_f32
m16n16k16_store_d_row_f32_global m16n16k16_store_d_row_f32_shared m32n8k16_load_a_col m32n8k16_load_a_col_global m32n8k16_load_a_col_shared
m32n8k16_load_a_row m32n8k16_load_a_row_global m32n8k16_load_a_row_shared m32n8k16_load_b_col m32n8k16_load_b_col_global m32n8k16_load_b_col_shared
m32n8k16_load_b_row m32n8k16_load_b_row_global m32n8k16_load_b_row_shared m32n8k16_load_c_col_f16 m32n8k16_load_c_col_f16_global
m32n8k16_load_c_col_f16_shared m32n8k16_load_c_col_f32 m32n8k16_load_c_col_f32_global m32n8k16_load_c_col_f32_shared m32n8k16_load_c_row_f16
m32n8k16_load_c_row_f16_global m32n8k16_load_c_row_f16_shared m32n8k16_load_c_row_f32 m32n8k16_load_c_row_f32_global m32n8k16_load_c_row_f32_shared
m32n8k16_mma_col_col_f16_f16 m32n8k16_mma_col_col_f16_f16_satfinite m32n8k16_mma_col_col_f16_f32 m32n8k16_mma_col_col_f16_f32_satfinite
m32n8k16_mma_col_col_f32_f16 m32n8k16_mma_col_col_f32_f16_satfinite m32n8k16_mma_col_col_f32_f32 m32n8k16_mma_col_col_f32_f32_satfinite
m32n8k16_mma_col_row_f16_f16 m32n8k16_mma_col_row_f16_f16_satfinite m32n8k16_mma_col_row_f16_f32 m32n8k16_mma_col_row_f16_f32_satfinite
m32n8k16_mma_col_row_f32_f16 m32n8k16_mma_col_row_f32_f16_satfinite m32n8k16_mma_col_row_f32_f32 m32n8k16_mma_col_row_f32_f32_satfinite
m32n8k16_mma_row_col_f16_f16 m32n8k16_mma_row_col_f16_f16_satfinite m32n8k16_mma_row_col_f16_f32 m32n8k16_mma_row_col_f16_f32_satfinite
m32n8k16_mma_row_col_f32_f16 m32n8k16_mma_row_col_f32_f16_satfinite m32n8k16_mma_row_col_f32_f32 m32n8k16_mma_row_col_f32_f32_satfinite
m32n8k16_mma_row_row_f16_f16 m32n8k16_mma_row_row_f16_f16_satfinite m32n8k16_mma_row_row_f16_f32 m32n8k16_mma_row_row_f16_f32_satfinite
m32n8k16_mma_row_row_f32_f16 m32n8k16_mma_row_row_f32_f16_satfinite m32n8k16_mma_row_row_f32_f32 m32n8k16_mma_row_row_f32_f32_satfinite
m32n8k16_store_d_col_f16 m32n8k16_store_d_col_f16_global m32n8k16_store_d_col_f16_shared m32n8k16_store_d_col_f32 m32n8k16_store_d_col_f32_global
m32n8k16_store_d_col_f32_shared m32n8k16_store_d_row_f16 m32n8k16_store_d_row_f16_global m32n8k16_store_d_row_f16_shared m32n8k16_store_d_row_f32
m32n8k16_store_d_row_f32_global m32n8k16_store_d_row_f32_shared m8n32k16_load_a_col m8n32k16_load_a_col_global m8n32k16_load_a_col_shared
m8n32k16_load_a_row m8n32k16_load_a_row_global m8n32k16_load_a_row_shared m8n32k16_load_b_col m8n32k16_load_b_col_global m8n32k16_load_b_col_shared
m8n32k16_load_b_row m8n32k16_load_b_row_global m8n32k16_load_b_row_shared m8n32k16_load_c_col_f16 m8n32k16_load_c_col_f16_global
m8n32k16_load_c_col_f16_shared m8n32k16_load_c_col_f32 m8n32k16_load_c_col_f32_global m8n32k16_load_c_col_f32_shared m8n32k16_load_c_row_f16
m8n32k16_load_c_row_f16_global m8n32k16_load_c_row_f16_shared m8n32k16_load_c_row_f32 m8n32k16_load_c_row_f32_global m8n32k16_load_c_row_f32_shared
m8n32k16_mma_col_col_f16_f16 m8n32k16_mma_col_col_f16_f16_satfinite m8n32k16_mma_col_col_f16_f32 m8n32k16_mma_col_col_f16_f32_satfinite
m8n32k16_mma_col_col_f32_f16 m8n32k16_mma_col_col_f32_f16_satfinite m8n32k16_mma_col_col_f32_f32 m8n32k16_mma_col_col_f32_f32_satfinite
m8n32k16_mma_col_row_f16_f16 m8n32k16_mma_col_row_f16_f16_satfinite m8n32k16_mma_col_row_f16_f32 m8n32k16_mma_col_row_f16_f32_satfinite
m8n32k16_mma_col_row_f32_f16 m8n32k16_mma_col_row_f32_f16_satfinite m8n32k16_mma_col_row_f32_f32 m8n32k16_mma_col_row_f32_f32_satfinite
m8n32k16_mma_row_col_f16_f16 m8n32k16_mma_row_col_f16_f16_satfinite m8n32k16_mma_row_col_f16_f32 m8n32k16_mma_row_col_f16_f32_satfinite
m8n32k16_mma_row_col_f32_f16 m8n32k16_mma_row_col_f32_f16_satfinite m8n32k16_mma_row_col_f32_f32 m8n32k16_mma_row_col_f32_f32_satfinite
m8n32k16_mma_row_row_f16_f16 m8n32k16_mma_row_row_f16_f16_satfinite m8n32k16_mma_row_row_f16_f32 m8n32k16_mma_row_row_f16_f32_satfinite
m8n32k16_mma_row_row_f32_f16 m8n32k16_mma_row_row_f32_f16_satfinite m8n32k16_mma_row_row_f32_f32 m8n32k16_mma_row_row_f32_f32_satfinite
m8n32k16_store_d_col_f16 m8n32k16_store_d_col_f16_global m8n32k16_store_d_col_f16_shared m8n32k16_store_d_col_f32 m8n32k16_store_d_col_f32_global
m8n32k16_store_d_col_f32_shared m8n32k16_store_d_row_f16 m8n32k16_store_d_row_f16_global m8n32k16_store_d_row_f16_shared m8n32k16_store_d_row_f32
m8n32k16_store_d_row_f32_global m8n32k16_store_d_row_f32_shared`,
  },
  {
    prefix: "__cuda_sm80_createpolicy_",
    sm: 80,
    ptx: "createpolicy",
    how: "instructions",
    note: "lib/lower/cache-policy.ts",
    names: `
fractional fractional_encode range_encode`,
  },
  {
    prefix: "__cuda_sm_10x_hmma_mdata_",
    sm: 100,
    ptx: "mma.sp",
    how: "instructions",
    note: "metadata in order; lib/lower/matrix/sparse.ts",
    names: `
m16n8k16 m16n8k32`,
  },
  {
    prefix: "__cuda_sm_10x_imma_mdata_",
    sm: 100,
    ptx: "mma.sp",
    how: "instructions",
    note: "metadata in order; lib/lower/matrix/sparse.ts",
    names: `
m16n8k32 m16n8k64`,
  },
  {
    prefix: "__cuda_sm_10x_mma_bit_internal_",
    sm: 100,
    ptx: "mma … .b1",
    how: "instructions",
    note: "nibbles as bytes; lib/lower/matrix/made-of.ts",
    names: `
and_m16n8k128 and_m16n8k256 and_m8n8k128 xor_m16n8k128 xor_m16n8k256 xor_m8n8k128`,
  },
  {
    prefix: "__cuda_sm_8x_mma_",
    sm: 80,
    ptx: "mma.m8n8k4",
    how: "instructions",
    note: "lib/lower/matrix/half884.ts",
    names: `
col_col_f16_f16_f16_f16 col_col_f32_f16_f16_f16 col_col_f32_f16_f16_f32 col_row_f16_f16_f16_f16 col_row_f32_f16_f16_f16 col_row_f32_f16_f16_f32
row_col_f16_f16_f16_f16 row_col_f32_f16_f16_f16 row_col_f32_f16_f16_f32 row_row_f16_f16_f16_f16 row_row_f32_f16_f16_f16 row_row_f32_f16_f16_f32
shfl_f16 shfl_f32`,
  },
  {
    prefix: "__cuda_sm_9x_mma_bit_internal_",
    sm: 90,
    ptx: "mma … .b1.xor",
    how: "instructions",
    note: "two products AND; lib/lower/matrix/made-of.ts",
    names: `
xor_m16n8k128 xor_m16n8k256 xor_m8n8k128`,
  },
  {
    prefix: "__cuda_sm_9x_mma_sub_byte_internal_",
    sm: 90,
    ptx: "mma … .s4, .u4",
    how: "instructions",
    note: "nibbles as bytes; lib/lower/matrix/made-of.ts",
    names: `
m16n8k32_s4_s4 m16n8k32_s4_s4_satfinite m16n8k32_s4_u4 m16n8k32_s4_u4_satfinite m16n8k32_u4_s4 m16n8k32_u4_s4_satfinite m16n8k32_u4_u4
m16n8k32_u4_u4_satfinite m16n8k64_s4_s4 m16n8k64_s4_s4_satfinite m16n8k64_s4_u4 m16n8k64_s4_u4_satfinite m16n8k64_u4_s4 m16n8k64_u4_s4_satfinite
m16n8k64_u4_u4 m16n8k64_u4_u4_satfinite m8n8k32_s4_s4 m8n8k32_s4_s4_satfinite m8n8k32_s4_u4 m8n8k32_s4_u4_satfinite m8n8k32_u4_s4
m8n8k32_u4_s4_satfinite m8n8k32_u4_u4 m8n8k32_u4_u4_satfinite sparse_m16n8k128_s4_s4 sparse_m16n8k128_s4_s4_satfinite sparse_m16n8k128_s4_u4
sparse_m16n8k128_s4_u4_satfinite sparse_m16n8k128_u4_s4 sparse_m16n8k128_u4_s4_satfinite sparse_m16n8k128_u4_u4 sparse_m16n8k128_u4_u4_satfinite
sparse_m16n8k64_s4_s4_0 sparse_m16n8k64_s4_s4_1 sparse_m16n8k64_s4_s4_satfinite_0 sparse_m16n8k64_s4_s4_satfinite_1 sparse_m16n8k64_s4_u4_0
sparse_m16n8k64_s4_u4_1 sparse_m16n8k64_s4_u4_satfinite_0 sparse_m16n8k64_s4_u4_satfinite_1 sparse_m16n8k64_u4_s4_0 sparse_m16n8k64_u4_s4_1
sparse_m16n8k64_u4_s4_satfinite_0 sparse_m16n8k64_u4_s4_satfinite_1 sparse_m16n8k64_u4_u4_0 sparse_m16n8k64_u4_u4_1 sparse_m16n8k64_u4_u4_satfinite_0
sparse_m16n8k64_u4_u4_satfinite_1`,
  },
];

/** One of the functions. */
export interface Intrinsic extends Omit<Family, "prefix" | "names"> {
  /** Number in ptxas's table, from 1. */
  readonly id: number;
  readonly name: string;
}

/** All of them, by number. */
export const intrinsics: readonly Intrinsic[] = families
  .flatMap(({ prefix, names, ...rest }) =>
    names
      .trim()
      .split(/\s+/)
      .map((n) => ({ ...rest, name: n === "=" ? prefix : `${prefix}${n}` })),
  )
  .map((row, k) => ({ id: k + 1, ...row }));
