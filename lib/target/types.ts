/** Everything that depends on the SM and that code may ask for by name. No code outside this room compares SM numbers. */
export interface Target {
  /** As given to -arch: `sm_90`, `sm_90a`, `sm_100f`. */
  readonly name: TargetName;
  /** The number alone: 75 … 121. For names, headers and table keys, not for decisions. */
  readonly sm: number;
  /** `""`, `"a"` or `"f"`. */
  readonly suffix: "" | "a" | "f";
  /** Column of the instruction tables that applies: 75, 80, 86, 89, 90, 100, 103, 110, 120, 121. */
  readonly isa: number;
  readonly limits: Limits;
  readonly constants: ConstantBank;
  has(feature: Feature): boolean;
}

export type TargetName =
  | "sm_75"
  | "sm_80"
  | "sm_86"
  | "sm_87"
  | "sm_88"
  | "sm_89"
  | "sm_90"
  | "sm_90a"
  | "sm_100"
  | "sm_100a"
  | "sm_100f"
  | "sm_103"
  | "sm_103a"
  | "sm_103f"
  | "sm_110"
  | "sm_110a"
  | "sm_110f"
  | "sm_120"
  | "sm_120a"
  | "sm_120f"
  | "sm_121"
  | "sm_121a"
  | "sm_121f";

/** Differences between SMs that code branches on. Each is a row of `features` in table.ts, with its source. */
export type Feature =
  /** LDG/STG carry a memory descriptor `desc[UR]` loaded from bank 0. */
  | "memoryDescriptor"
  /** Uniform registers are 8 bits wide in the word (URZ = 255 instead of 63). */
  | "wideUniformFile"
  /** LDC/LDCU load constants; ALU operands may not name a constant bank where this is the only way. */
  | "ldcu"
  /** FP64 arithmetic has fixed latency (no scoreboard). */
  | "fixedLatencyFp64"
  /** Branch offsets are counted in the sm_90 form (digest F §2B). */
  | "wideBranchOffset"
  /** ELF relocations with explicit addends (RELA). */
  | "rela"
  /** Capsule Mercury sections beside the text. */
  | "capmerc"
  /** At least 8 NOPs after the function (digest G §2M.3). */
  | "nopTail"
  | "clusters"
  /** int32 → f32 by I2FP (fixed latency) instead of I2F. */
  | "i2fp"
  /** Three-input integer min/max VIMNMX replaces IMNMX. */
  | "vimnmx"
  /** RED/ATOM on global memory are ATOMG/REDG with a descriptor. */
  | "redux";

export interface Limits {
  readonly registersPerSm: number;
  readonly maxRegistersPerThread: number;
  /** Registers are given to warps in units of this many per warp. */
  readonly registerAllocationUnit: number;
  readonly maxThreadsPerSm: number;
  readonly maxCtasPerSm: number;
  readonly maxThreadsPerCta: number;
  readonly warpSize: number;
  readonly maxWarpsPerSm: number;
  /** Bytes. */
  readonly sharedPerSm: number;
  /** Bytes, with opt-in. */
  readonly sharedPerCta: number;
  /** Bytes of static shared memory accepted by ptxas. */
  readonly staticSharedLimit: number;
  /** Bytes of shared memory reserved per CTA by the system. */
  readonly reservedShared: number;
  /** Bytes. */
  readonly sharedAllocationUnit: number;
}

/** Byte offsets in constant bank 0 (digest A §1.4, F §2B). */
export interface ConstantBank {
  /** First kernel parameter. */
  readonly paramBase: number;
  /** Initial stack pointer, loaded into R1. */
  readonly stackPointer: number;
  /** 64-bit descriptor for global memory; null where there is none. */
  readonly memoryDescriptor: number | null;
  /** Bytes of parameters accepted by ptxas. */
  readonly paramLimit: number;
}
