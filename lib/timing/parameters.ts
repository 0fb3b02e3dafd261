/**
 * What the timing model assumes of a GPU. Every number is an argument with a default; the defaults' sources:
 *
 * [M]  R. Huerta et al., "Analyzing Modern NVIDIA GPU cores" (MICRO 2025): issue, register-file ports and reuse cache,
 *      memory queues (table 1), load, store and write-after-read latencies (table 2), measured on Ampere.
 * [P]  NVIDIA's published product figures: SMs, clock, memory bandwidth, cache sizes.
 * [S]  The simulator of [M] as published (gpgpusim.config: latency_L0_to_L1 and back 39, prefetch_per_stream_buffer_size 8,
 *      num_const_cache_cycle_misses_before_switch_to_other_warp 4, invalidate_instruction_caches_at_kernel_end 1).
 * [Q]  Launch descriptors of sm_80 and later as tinygrad's driver writes them: program_prefetch_size, at most 0x1ff times 256
 *      bytes; instructions are not invalidated, bank 0 is.
 * [H]  Event times of one H100 SXM, 2026-11-22 (test/gpu/results/corpus-sm_90.json): differences between codes of a kernel.
 * [W]  NVIDIA's A100 and H100 white papers: dense multiply-adds of f16 per cycle, 1024 and 2048 per SM (312 and 1000 TFLOPS); tf32 half, 8-bit
 *      elements twice as many, f64 a sixteenth.
 * [J]  Z. Jia et al., microbenchmark reports on Turing and Volta: latencies of L2 and DRAM, for later SMs estimates; sizes of
 *      the caches of instructions and constants (constants: 2 KiB in lines of 64 bytes, after them lines of 256).
 */
import type { Target } from "../target/types.js";

/** Numbers of the model of a GPU. */
export interface DeviceParameters {
  /** SMs of the GPU. [P] */
  readonly sms: number;
  /** SM clock in GHz, to turn cycles into time. [P]; the H100's highest, which [H] agrees with. */
  readonly clock: number;
  /** Sub-cores of an SM; a warp stays on one. [M] */
  readonly subCores: number;
  /** Cycles from a warp's barrier arrival (the last) until the warps go on. Estimate. */
  readonly barrierLatency: number;
  /** Cycles between the end of a block and the first instruction of the next in its place. Estimate. */
  readonly blockLaunch: number;
  /** Memory instructions that a sub-core buffers before issue stalls. [M] */
  readonly memoryQueue: number;
  /** Cycles that the address unit of a sub-core takes per memory instruction. [M] */
  readonly addressInterval: number;
  /** Cycles that the unit after all sub-cores takes at least per memory instruction. [M] */
  readonly sharedInterval: number;
  /** Bytes per cycle from the L1 data cache. [M]: 512 bits to the registers */
  readonly l1Bytes: number;
  /** KiB of L1 data cache and shared memory together. [P] */
  readonly l1Kib: number;
  /** Cycles beyond an L1 hit to an L2 hit, and beyond that to memory. [J] */
  readonly l2Latency: number;
  /** Cycles beyond an L2 hit to memory. [J] */
  readonly dramLatency: number;
  /** Bytes per SM cycle and SM from L2 and from memory. [P] */
  readonly l2Bytes: number;
  /** Bytes per SM cycle and SM from memory. [P] */
  readonly dramBytes: number;
  /** MiB of L2 cache. [P] */
  readonly l2Mib: number;
  /** Instructions that the L0 instruction cache of a sub-core holds, and the L1 after it. [J] */
  readonly l0Instructions: number;
  /** Instructions that the L1 instruction cache after it holds. [J] */
  readonly l1Instructions: number;
  /** The L0 caches of instructions and constants are empty when the launch starts ([S]); else they hold all of both. */
  readonly coldFront: boolean;
  /** Bytes of code that a launch brings into the L1 of instructions. [Q] */
  readonly launchPrefetch: number;
  /**
   * The L1 of constants has parameters and launch constants (bank 0) when the first block starts; else they come from L2. [H]:
   * chosen on every other kernel (mean error of differences 0.69 to 0.65 us), judged on the rest (0.57 to 0.53).
   */
  readonly launchConstants: boolean;
  /** Bytes of each of the constant caches of a sub-core: of operands, and of loads. [J] */
  readonly l0Constants: number;
  /** Cycles from the L0 caches of instructions and constants to the L1 after them, and as many back. [S]; [M] sees 79. */
  readonly toFrontL1: number;
  /** Multiply-adds of 16-bit elements per cycle of a sub-core's tensor core [W]; 0: not known, the issue intervals say how fast products go. */
  readonly tensorMacs: number;
  /** Cycles from a bulk copy's issue to its first request. Estimate. */
  readonly bulkLatency: number;
  /** Cycles for which a constant operand that is not there holds up the other warps of a sub-core, too. [M] */
  readonly constantHold: number;
  /** The launch finds data, code and constants in L2, as after a copy or another launch; else in memory. */
  readonly warm: boolean;
  /**
   * Cycles from a jump that is taken to the next instruction at least. [H]: chosen on every other kernel (mean error of
   * differences 0.75 to 0.70 us), judged on the rest (0.61 to 0.57).
   */
  readonly takenJump: number;
  /** Lines of 128 bytes that the stream buffer of a sub-core fetches ahead. [M] */
  readonly prefetchLines: number;
}

const common = {
  subCores: 4,
  barrierLatency: 18,
  blockLaunch: 300,
  memoryQueue: 5,
  addressInterval: 4,
  sharedInterval: 2,
  bulkLatency: 150,
  l1Bytes: 64,
  l2Bytes: 64,
  l0Instructions: 768,
  l1Instructions: 8192,
  coldFront: true,
  launchPrefetch: 0x1ff * 256,
  launchConstants: true,
  l0Constants: 2048,
  toFrontL1: 39,
  constantHold: 4,
  takenJump: 15,
  prefetchLines: 8,
  warm: false,
};

interface Product {
  readonly sms: number;
  readonly clock: number;
  /** GB/s. */
  readonly bandwidth: number;
  readonly l1Kib: number;
  readonly l2Mib: number;
  readonly l2Latency: number;
  readonly dramLatency: number;
}

/** By SM, per sub-core and cycle [W]. */
const tensorMacs: Readonly<Record<number, number>> = { 80: 256, 90: 512 };

/** One product per SM: T4, A100, RTX 3090, Orin, (88: as 86), L40S, H100 SXM, B200, B300, Thor, RTX 5090, GB10. */
const products: Readonly<Record<number, Product>> = {
  75: { sms: 40, clock: 1.59, bandwidth: 320, l1Kib: 96, l2Mib: 4, l2Latency: 156, dramLatency: 250 },
  80: { sms: 108, clock: 1.41, bandwidth: 1555, l1Kib: 192, l2Mib: 40, l2Latency: 168, dramLatency: 280 },
  86: { sms: 82, clock: 1.7, bandwidth: 936, l1Kib: 128, l2Mib: 6, l2Latency: 190, dramLatency: 280 },
  87: { sms: 16, clock: 1.3, bandwidth: 205, l1Kib: 192, l2Mib: 4, l2Latency: 190, dramLatency: 300 },
  88: { sms: 82, clock: 1.7, bandwidth: 936, l1Kib: 128, l2Mib: 6, l2Latency: 190, dramLatency: 280 },
  89: { sms: 142, clock: 2.5, bandwidth: 864, l1Kib: 128, l2Mib: 96, l2Latency: 240, dramLatency: 300 },
  90: { sms: 132, clock: 1.98, bandwidth: 3350, l1Kib: 256, l2Mib: 50, l2Latency: 220, dramLatency: 340 },
  100: { sms: 148, clock: 1.85, bandwidth: 8000, l1Kib: 256, l2Mib: 126, l2Latency: 240, dramLatency: 360 },
  103: { sms: 148, clock: 1.9, bandwidth: 8000, l1Kib: 256, l2Mib: 126, l2Latency: 240, dramLatency: 360 },
  110: { sms: 20, clock: 1.57, bandwidth: 273, l1Kib: 256, l2Mib: 32, l2Latency: 240, dramLatency: 360 },
  120: { sms: 170, clock: 2.4, bandwidth: 1792, l1Kib: 128, l2Mib: 96, l2Latency: 240, dramLatency: 330 },
  121: { sms: 48, clock: 2.4, bandwidth: 301, l1Kib: 128, l2Mib: 24, l2Latency: 240, dramLatency: 330 },
};

/** Defaults for a target: the product named above for its SM. */
export function deviceParameters(target: Target): DeviceParameters {
  const { bandwidth, ...p } = products[target.sm]!;
  return { ...common, ...p, tensorMacs: tensorMacs[target.sm] ?? 0, dramBytes: bandwidth / p.clock / p.sms };
}
