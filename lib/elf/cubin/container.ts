/**
 * How the cubin container differs between SMs. All measured on ptxas 13.0.88; the two
 * generations themselves (REL or RELA, segments, reserved shared memory) hang on the target's feature `rela`.
 */
import type { Target } from "../../target/types.js";
import { EIATTR } from "./attributes.js";

export interface Container {
  /** The layout from sm_90 on: `.nv.compat`, reserved shared memory, constants after the code, one segment per permission. */
  readonly modern: boolean;
  /** Mercury capsules stand beside the code. */
  readonly capsules: boolean;
  /** EIATTR_SW_WAR mask, null for none. */
  readonly swWar: number | null;
  /** EIATTR_SW2861232_WAR is present. */
  readonly sw2861232: boolean;
  readonly mercuryIsa: number;
  /** EIATTR_VRC_CTA_INIT_COUNT is present. */
  readonly vrc: boolean;
  /** 128 more bytes of shared memory are reserved, for a variable of the driver; EIATTR_RESERVED_SMEM_USED tells. */
  readonly reservedUsed: boolean;
  /** EIATTR_CTAIDZ_USED tells that %ctaid.z is read. */
  readonly ctaidz: boolean;
  /** Bytes of `.nv.shared.reserved.0`. */
  readonly reservedSize: number;
  /** The payload of `.nv.compat` attribute CAN_FASTPATH_FINALIZE. */
  readonly fastpath: number;
  /** Attributes of `.nv.info.NAME` in ptxas's order. */
  readonly order: readonly number[];
}

const swWar: Readonly<Record<number, number>> = { 75: 1, 87: 2, 90: 8, 100: 8, 103: 8, 110: 8, 120: 0, 121: 0 };
const sw2861232: readonly number[] = [80, 86, 87, 88];
const fastpath: Readonly<Record<number, number>> = { 100: 0x09, 120: 0x50 };
const reservedUsed: readonly number[] = [110];

const before = [
  EIATTR.SW2861232_WAR,
  EIATTR.PARAM_CBANK,
  EIATTR.CBANK_PARAM_SIZE,
  EIATTR.KPARAM_INFO,
  EIATTR.KPARAM_INFO_V2,
  EIATTR.MAXREG_COUNT,
  EIATTR.NUM_BARRIERS,
  EIATTR.EXTERNS,
  EIATTR.BINDLESS_SURFACE_BANK,
  EIATTR.BINDLESS_TEXTURE_BANK,
  EIATTR.MERCURY_ISA_VERSION,
  EIATTR.INT_WARP_WIDE_INSTR_OFFSETS,
  EIATTR.COOP_GROUP_MASK_REGIDS,
  EIATTR.SYSCALL_OFFSETS,
  EIATTR.COOP_GROUP_INSTR_OFFSETS,
  EIATTR.EXIT_INSTR_OFFSETS,
  EIATTR.INDIRECT_BRANCH_TARGETS,
  EIATTR.CTAIDZ_USED,
  EIATTR.MAX_THREADS,
  EIATTR.REQNTID,
  EIATTR.CRS_STACK_SIZE,
] as const;

const early: readonly number[] = [EIATTR.SW_WAR, EIATTR.CUDA_API_VERSION, ...before];
/**
 * What `.nv.merc.nv.info.NAME` says of an attribute of `.nv.info.NAME`: the same, nothing, the same about other addresses (all words, or those of branches and their targets);
 * null where that is not known.
 */
export type MercuryForm = "same" | "absent" | "addresses" | "branches" | null;

/** Attributes from sm_90 on, in ptxas's order. */
const hopper: readonly (readonly [code: number, mercury: MercuryForm])[] = [
  [EIATTR.CUDA_API_VERSION, "same"],
  [EIATTR.KPARAM_INFO, "same"],
  [EIATTR.KPARAM_INFO_V2, "same"],
  [EIATTR.MAX_CLUSTER_RANK, "same"],
  [EIATTR.EXPLICIT_CLUSTER, "same"],
  [EIATTR.CTA_PER_CLUSTER, "same"],
  // The capsule of a kernel that allocates tensor memory has parts of its own, which are not known.
  [EIATTR.AT_ENTRY_FRAGMENTS, null],
  [EIATTR.RESERVED_SMEM_USED, "same"],
  [EIATTR.SPARSE_MMA_MASK, "same"],
  [EIATTR.TCGEN05_1CTA_USED, "same"],
  [EIATTR.TCGEN05_2CTA_USED, "same"],
  [EIATTR.MAXREG_COUNT, "same"],
  [EIATTR.NUM_BARRIERS, "same"],
  [EIATTR.EXTERNS, null],
  [EIATTR.MERCURY_ISA_VERSION, "same"],
  [EIATTR.COOP_GROUP_MASK_REGIDS, "same"],
  [EIATTR.SYSCALL_OFFSETS, null],
  [EIATTR.INT_WARP_WIDE_INSTR_OFFSETS, "addresses"],
  [EIATTR.COOP_GROUP_INSTR_OFFSETS, "addresses"],
  [EIATTR.VRC_CTA_INIT_COUNT, "same"],
  [EIATTR.EXIT_INSTR_OFFSETS, "addresses"],
  [EIATTR.INDIRECT_BRANCH_TARGETS, "branches"],
  [EIATTR.REQNTID, "same"],
  [EIATTR.MAX_THREADS, "same"],
  [EIATTR.CRS_STACK_SIZE, "same"],
  [EIATTR.CBANK_PARAM_SIZE, "absent"],
  [EIATTR.PARAM_CBANK, "absent"],
  [EIATTR.SW_WAR, "absent"],
  // The capsule of a kernel that names textures has sections of its own, which are not known.
  [EIATTR.BINDLESS_TEXTURE_BANK, null],
  [EIATTR.BINDLESS_SURFACE_BANK, null],
];

export function mercuryForm(code: number): MercuryForm {
  return hopper.find(([c]) => c === code)?.[1] ?? null;
}

export function containerOf(target: Target): Container {
  const modern = target.has("rela");
  const capmerc = target.has("capmerc");
  return {
    modern,
    capsules: capmerc,
    swWar: swWar[target.sm] ?? null,
    sw2861232: sw2861232.includes(target.sm),
    mercuryIsa: modern ? 0x101 : 0,
    vrc: capmerc,
    reservedUsed: reservedUsed.includes(target.sm),
    ctaidz: !modern,
    reservedSize: capmerc ? 0x40 : 0,
    fastpath: fastpath[target.sm] ?? 0,
    order: modern ? hopper.map(([code]) => code) : early,
  };
}
