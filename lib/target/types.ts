/** Everything that depends on the SM and that code may ask for by name. No code outside this component compares SM numbers. */
export interface Target {
  /** As given to -arch: `sm_90`, `sm_90a`, `sm_100f`. */
  readonly name: TargetName;
  /** The number alone: 75 … 121. For names, headers and table keys, not for decisions. */
  readonly sm: number;
  /** `""`, `"a"` or `"f"`. */
  readonly suffix: "" | "a" | "f";
  /** Column of the instruction tables that applies: 75, 80, 86, 89, 90, 100, 103, 110, 120, 121. */
  readonly isa: number;
  /** What an SM has of everything. */
  readonly limits: Limits;
  /** Where constants and parameters lie. */
  readonly constants: ConstantBank;
  /** Whether the SM has a feature. */
  has(feature: Feature): boolean;
}

/** Names of the SMs that can be compiled for. */
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

/** Differences between SMs that code branches on; the rows of `features` in table.ts say where they hold and why. */
export type Feature =
  | "memoryDescriptor"
  | "sleepSaysWarp"
  | "wideUniformFile"
  | "constantOperands"
  | "unifiedFunctions"
  | "ldcu"
  | "uniformBranch"
  | "launchConstantsAt0x360"
  | "fixedLatencyFp64"
  | "fixedLatencyMma"
  | "fixedLatencyImma"
  | "fixedLatencyR2ur"
  | "wideBranchOffset"
  | "rela"
  | "capmerc"
  | "nopTail"
  | "clearsBarriers"
  | "clusters"
  | "i2fp"
  | "vimnmx"
  | "vimnmxTypes"
  | "f2fp"
  | "f2fpTypes"
  | "warpsyncAll"
  | "collective"
  | "globalOperandsInOrder"
  | "barrierDrainsMemory"
  | "barriersEmptied"
  | "blocksEndDone"
  | "fenceTellsEnd"
  | "guardedWritesRead"
  | "scoreboardsKeptApart"
  | "branchWaitsForShortResults"
  | "redux"
  | "credux"
  | "reconvergent"
  | "castPredicate"
  | "sharedResultsCopied"
  | "masksTrusted"
  | "scaledShared"
  | "asyncCopy"
  | "barrierInitByStore"
  | "bulkCopiesToCluster"
  | "sharedFill"
  | "uniformStores"
  | "warpgroupProducts"
  | "mma80"
  | "mmaHalf884"
  | "mmaDouble884"
  | "mmaDouble8x8x4"
  | "mmaDouble16"
  | "mmaInteger8"
  | "mmaNibble"
  | "mmaNibble80"
  | "mmaBitAnd"
  | "mmaByteFloat"
  | "mmaByteFloatLayouts"
  | "mmaSmallFloat"
  | "mmaOrderedMetadata"
  | "uniformHandles"
  | "textureLeastLevel"
  | "packedF32"
  | "fmnmx3"
  | "viaddmnmx"
  | "fmaSums"
  | "viadd"
  | "halfOnFma"
  | "hfma2Mma"
  | "vabsdiff"
  | "wholePairs";

/** What an SM has of everything. */
export interface Limits {
  /** Registers of 32 bits. */
  readonly registersPerSm: number;
  /** Registers that a thread can have. */
  readonly maxRegistersPerThread: number;
  /** Uniform registers a program can name, the hard-wired one excluded. */
  readonly uniformRegisters: number;
  /** Registers are given to warps in units of this many per warp. */
  readonly registerAllocationUnit: number;
  /** Threads at once. */
  readonly maxThreadsPerSm: number;
  /** CTAs at once. */
  readonly maxCtasPerSm: number;
  /** Most threads that a CTA can have. */
  readonly maxThreadsPerCta: number;
  /** Threads of a warp. */
  readonly warpSize: number;
  /** Warps at once. */
  readonly maxWarpsPerSm: number;
  /** Warp schedulers; each issues an instruction per cycle. */
  readonly schedulersPerSm: number;
  /** Bytes. */
  readonly sharedPerSm: number;
  /** Bytes, with opt-in. */
  readonly sharedPerCta: number;
  /** Bytes of static shared memory accepted by ptxas. */
  readonly staticSharedLimit: number;
  /** Bytes of shared memory per CTA that the system takes for itself. */
  readonly reservedShared: number;
  /** Shared offset of the first variable of a kernel (the reserved part lies below it on sm_90 and later). */
  readonly reservedSharedOffset: number;
  /** Bytes. */
  readonly sharedAllocationUnit: number;
}

/**
 * Where a launch's value stands in bank 0: byte offset of 32 bits, in brackets of 64; `byCluster`: at this offset less 160 times SR_CgaSize
 * (sm_100 and later); `value`: the same for every launch.
 */
export type LaunchCell =
  | number
  | readonly [number]
  | {
      /** Byte offset that 160 times SR_CgaSize is taken off. */
      readonly byCluster: number;
    }
  | {
      /** The value, the same for every launch. */
      readonly value: number;
    };

/** Byte offsets in constant bank 0 (measured on ptxas output: test/oracle/target.test.ts). */
export interface ConstantBank {
  /** First kernel parameter. */
  readonly paramBase: number;
  /** Initial stack pointer, loaded into R1. */
  readonly stackPointer: number;
  /** 64-bit descriptor for global memory; null where there is none. */
  readonly memoryDescriptor: number | null;
  /** `%ntid.x`, y and z follow at +4 and +8. */
  readonly ntid: number;
  /** `%nctaid.x`, y and z follow at +4 and +8. */
  readonly nctaid: number;
  /** 64-bit generic address of the shared window (from sm_90 on read through SR_SWINHI instead). */
  readonly sharedWindow: number;
  /** 64-bit generic address of the local window. */
  readonly localWindow: number;
  /** 64-bit generic address of what stands in bank 3 (`.const` variables). */
  readonly constantWindow: number;
  /** 64-bit address of the driver's records of textures, which `txq` reads. */
  readonly textureRecords: number;
  /** 64-bit address of the driver's records of samplers that are named apart, which `txq` reads. */
  readonly samplerRecords: number;
  /** 64-bit address of the driver's records of surfaces, which `suq` reads. */
  readonly surfaceRecords: number;
  /** Bytes of shared memory that the system takes; null where it takes none. */
  readonly systemShared: number | null;
  /** 64-bit generic address of the parameters; before sm_90 that of bank 0. */
  readonly paramWindow: number;
  /** 64-bit generic address of their end (the last that counts as theirs); before sm_90 its 32-bit offset in bank 0. */
  readonly paramEnd: number;
  /** Special registers whose values the driver puts here, and what others are computed from (measured). */
  readonly specialRegisters: Readonly<Record<string, LaunchCell>>;
  /** `%is_explicit_cluster`: 1 in a launch with clusters; null where there are none. */
  readonly explicitCluster: number | null;
}
