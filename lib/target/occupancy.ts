/**
 * Occupancy: how many warps of a kernel fit on one SM, and which resource stops the next block.
 *
 * Registers are given out per warp in units of 256, warps are spread over four schedulers (so the count per SM is a
 * multiple of what fits one quarter of the register file), shared memory in units of 128 or 256 bytes per block.
 */
import type { Target } from "./types.js";

/** What one block of the kernel needs. */
export interface KernelResources {
  /** Registers per thread as reported by `-v`. */
  readonly registers: number;
  /** Bytes of static and dynamic shared memory per block. */
  readonly sharedBytes: number;
  /** Threads of a CTA. */
  readonly threadsPerBlock: number;
}

/** What limits the number of CTAs on an SM. */
export type OccupancyLimit = "registers" | "shared" | "warps" | "blocks";

/** How many CTAs and warps an SM holds at once. */
export interface Occupancy {
  /** CTAs at once. */
  readonly blocksPerSm: number;
  /** Warps at once. */
  readonly warpsPerSm: number;
  /** Active warps over the SM's maximum, 0…1. */
  readonly fraction: number;
  /** The resources that stop the next block. */
  readonly limitedBy: readonly OccupancyLimit[];
  /** Blocks that each resource alone would allow. */
  readonly blocksBy: Readonly<Record<OccupancyLimit, number>>;
}

const up = (value: number, unit: number): number => Math.ceil(value / unit) * unit;

/** Registers per thread are given out in multiples of so many. */
export const registerUnit = ({ limits }: Target): number => limits.registerAllocationUnit / limits.warpSize;

/** Theoretical occupancy. Zero blocks when one block does not fit at all. */
export function occupancy(target: Target, kernel: KernelResources): Occupancy {
  const limits = target.limits;
  const warps = Math.max(1, Math.ceil(kernel.threadsPerBlock / limits.warpSize));
  const perWarp = up(Math.max(1, kernel.registers) * limits.warpSize, limits.registerAllocationUnit);
  const warpsByRegisters =
    Math.floor(limits.registersPerSm / limits.schedulersPerSm / perWarp) * limits.schedulersPerSm;
  const shared = up(kernel.sharedBytes + limits.reservedShared, limits.sharedAllocationUnit);
  const blocksBy: Record<OccupancyLimit, number> = {
    registers: Math.floor(warpsByRegisters / warps),
    shared: shared === 0 ? limits.maxCtasPerSm : Math.floor(limits.sharedPerSm / shared),
    warps: Math.floor(limits.maxWarpsPerSm / warps),
    blocks: limits.maxCtasPerSm,
  };
  const fits = kernel.threadsPerBlock <= limits.maxThreadsPerCta;
  const blocks = fits ? Math.min(...Object.values(blocksBy)) : 0;
  const limitedBy = (Object.keys(blocksBy) as OccupancyLimit[]).filter((k) => blocksBy[k] === blocks);
  return {
    blocksPerSm: blocks,
    warpsPerSm: blocks * warps,
    fraction: (blocks * warps) / limits.maxWarpsPerSm,
    limitedBy,
    blocksBy,
  };
}

/**
 * Registers per thread (as `-v` reports them) up to which the kernel keeps as many blocks on an SM as its shared memory
 * and its block size let it have. null: one block does not fit at all. ptxas -O3 stops at this count (measured on dgemm
 * for sm_90: 32 with `.maxntid 1024`, 40 with 768, 80 with 128 and 32 KB of shared memory).
 */
export function registersWithoutLoss(target: Target, kernel: Omit<KernelResources, "registers">): number | null {
  const { blocksPerSm } = occupancy(target, { ...kernel, registers: 1 });
  return blocksPerSm === 0 ? null : registerCap(target, kernel.threadsPerBlock, blocksPerSm);
}

/**
 * Register limit per thread that lets `minnctapersm` blocks of `threads` threads live on one SM (measured on ptxas 13.0.88: 405
 * measured points without a misfit). null: out of range, ptxas then ignores the directive with a warning.
 */
export function registerCap(target: Target, threads: number, minnctapersm: number): number | null {
  const limits = target.limits;
  const total = minnctapersm * Math.ceil(threads / limits.warpSize);
  if (total > limits.maxWarpsPerSm || minnctapersm > limits.maxCtasPerSm) return null;
  const perScheduler = Math.ceil(total / limits.schedulersPerSm);
  const registers = Math.floor(limits.registersPerSm / limits.schedulersPerSm / perScheduler / limits.warpSize);
  return Math.min(limits.maxRegistersPerThread, registers - (registers % registerUnit(target)));
}
