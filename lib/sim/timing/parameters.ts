/**
 * What the timing model assumes of a GPU. Every number is an argument with a default; the defaults' sources:
 *
 * [M]  R. Huerta et al., "Analyzing Modern NVIDIA GPU cores" (MICRO 2025): issue, register-file ports and reuse cache,
 *      memory queues (table 1), load, store and write-after-read latencies (table 2), measured on Ampere.
 * [P]  NVIDIA's published product figures: SMs, clock, memory bandwidth, cache sizes.
 * [H]  Event times of one H100 SXM, 2026-11-22 (test/gpu/results/corpus-sm_90.json): differences between codes of a kernel.
 * [J]  Z. Jia et al., microbenchmark reports on Turing and Volta: latencies of L2 and DRAM; for later SMs estimates.
 */
import type { Target } from "../../target/types.js";

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
  /** Cycles that the unit behind all sub-cores takes at least per memory instruction. [M] */
  readonly sharedInterval: number;
  /** Bytes per cycle from the L1 data cache. [M]: 512 bits to the registers */
  readonly l1Bytes: number;
  /** KiB of L1 data cache and shared memory together. [P] */
  readonly l1Kib: number;
  /** Cycles beyond an L1 hit to an L2 hit, and beyond that to memory. [J] */
  readonly l2Latency: number;
  readonly dramLatency: number;
  /** Bytes per SM cycle and SM from L2 and from memory. [P] */
  readonly l2Bytes: number;
  readonly dramBytes: number;
  /** MiB of L2 cache. [P] */
  readonly l2Mib: number;
  /** Instructions that the L0 instruction cache of a sub-core holds, and the L1 behind it. [J] */
  readonly l0Instructions: number;
  readonly l1Instructions: number;
  /** Cycles to fetch from the L1 instruction cache, and from behind it. Estimate. */
  readonly fetchL1: number;
  readonly fetchL2: number;
  /** The launch finds what it reads in L2, as behind a copy or another launch; else in memory. */
  readonly warm: boolean;
  /** Lines of 128 bytes that are fetched ahead on a miss. [M] */
  readonly prefetchLines: number;
}

const common = {
  subCores: 4,
  barrierLatency: 18,
  blockLaunch: 300,
  memoryQueue: 5,
  addressInterval: 4,
  sharedInterval: 2,
  l1Bytes: 64,
  l2Bytes: 64,
  l0Instructions: 768,
  l1Instructions: 8192,
  fetchL1: 20,
  fetchL2: 200,
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
  return { ...common, ...p, dramBytes: bandwidth / p.clock / p.sms };
}
