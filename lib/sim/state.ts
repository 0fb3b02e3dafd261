/**
 * The state of a running grid. A warp's registers are laid out [register][lane]; predicates and everything else that is
 * one bit per thread are 32-bit lane masks.
 */

import { type GlobalMemory, LocalMemory, type SharedMemory } from "./memory.js";
import type { WarpTrace } from "./trace.js";
import type { Fault, FaultKind } from "./types.js";

export const LANES = 32 as const;
/** Row (of 32 lanes) that reads as zero: RZ as a source. */
export const ZERO_ROW = 256 as const;
/** First of eight rows that swallow what is written to RZ. */
export const TRASH_ROW = 264 as const;
const ROWS = 272;
/** What registers hold before they are written; fixed, so that a use of an undefined register is reproducible. */
export const POISON: number = 0x7ffbad00;
/** Index of PT and UPT. */
export const TRUE_PREDICATE = 7 as const;
/** Entry of `U` that reads as zero (URZ), and one that swallows writes. */
export const ZERO_UNIFORM = 256 as const;
export const TRASH_UNIFORM = 264 as const;

/** What an instruction tells the warp's loop. */
export const Step = {
  /** Go on with the next instruction. */
  Next: 0,
  /** `warp.pc` has been set. */
  Jump: 1,
  /** The current group is gone (blocked, exited, split or yielding): choose another. */
  Switch: 2,
  /** A fault is noted in the machine. */
  Fault: 3,
} as const;
export type Step = (typeof Step)[keyof typeof Step];

/** An instruction made ready: runs it for the lanes of `mask`, which is never 0. */
export type Exec = (warp: Warp, mask: number) => Step;

/** Lanes that go on together from one program counter (an index of an instruction in the program). */
export interface Group {
  pc: number;
  mask: number;
}

/** Why a lane waits. */
export const Wait = {
  None: 0,
  Convergence: 1,
  WarpSync: 2,
  Barrier: 3,
  Cluster: 4,
  Exclusive: 5,
  Collective: 6,
  /** The end of a phase of an mbarrier. */
  Phase: 7,
} as const;

export class Warp {
  readonly I: Int32Array = new Int32Array(ROWS * LANES);
  readonly F: Float32Array = new Float32Array(this.I.buffer);
  /** Predicates P0…P6 as lane masks, entry 7 is PT; UP0…UP6, UPT follow from entry 8 on, as masks of all lanes. */
  readonly P: Int32Array = new Int32Array(16);
  /** Uniform registers; ZERO_UNIFORM… read as zero. */
  readonly U: Int32Array = new Int32Array(272);
  /** The uniform half of P: masks of all lanes (0 or −1). */
  readonly UP: Int32Array = this.P.subarray(8);
  /**
   * Convergence barriers, per lane: B[b · 32 + lane] is the mask of threads that meet at barrier b. One copy per thread:
   * both sides of a divergent branch use the same number for regions of their own.
   */
  readonly B: Int32Array = new Int32Array(16 * LANES);
  readonly local: LocalMemory = new LocalMemory();

  /** The running group. */
  pc: number = 0;
  active: number = 0;
  /** Groups that could run. */
  readonly ready: Group[] = [];
  /** Lanes that exist and have not exited. */
  live: number = 0;
  /** Per lane: why it waits (Wait), on which barrier, where it goes on. */
  readonly waitKind: Uint8Array = new Uint8Array(LANES);
  readonly waitOn: Int32Array = new Int32Array(LANES);
  readonly waitPc: Int32Array = new Int32Array(LANES);
  /** Predicate that tells a lane at an mbarrier whether the phase has ended. */
  readonly waitPredicate: Uint8Array = new Uint8Array(LANES);
  /** The group that ran gave the turn of the warp away. */
  resting: boolean = false;
  /** Lanes whose group gave up its turn by YIELD and has not run since. */
  yielded: number = 0;
  /** YIELDs for which lanes at a convergence barrier have waited for yielded lanes alone. */
  patience: number = 0;
  /** The saved return address, which RPCMOV reads and writes: low words, then high words. */
  readonly returnAddress: Int32Array = new Int32Array(2 * LANES);
  /** Where the lanes go on after ENDCOLLECTIVE. */
  readonly collective: Int32Array = new Int32Array(LANES);
  /** Phase of the cluster barrier in which the lanes last arrived. */
  readonly clusterPhase: Int32Array = new Int32Array(LANES).fill(-1);
  /** Where what it does is recorded. */
  trace: WarpTrace | null = null;
  /** Result of the last BAR.RED. */
  barrierValue: number = 0;

  constructor(
    readonly machine: Machine,
    readonly cta: Cta,
    readonly index: number,
    /** Lanes that exist. */
    readonly lanes: number,
    /** Thread indices x, y, z per lane. */
    readonly tid: readonly [Int32Array, Int32Array, Int32Array],
  ) {
    this.I.fill(POISON, 0, 255 * LANES);
    this.P[TRUE_PREDICATE] = -1;
    this.UP[TRUE_PREDICATE] = -1;
    this.live = lanes;
    this.active = lanes;
  }

  /** Notes a fault of the lanes in `mask`. */
  fault(kind: FaultKind, mask: number, message: string, memoryAddress: bigint | null = null): Step {
    this.machine.noteFault(this, kind, mask, message, memoryAddress);
    return Step.Fault;
  }
}

/** One of the 16 named barriers of a CTA. */
export interface Barrier {
  /** Threads that have arrived in this phase. */
  arrived: number;
  /** Threads that must arrive; 0: all threads of the CTA that have not exited. */
  expected: number;
  /** Reduction over the predicates of the threads that arrived. */
  count: number;
  all: boolean;
  any: boolean;
  op: "" | "POPC" | "AND" | "OR";
}

export interface Cta {
  readonly index: readonly [number, number, number];
  readonly shared: SharedMemory;
  readonly warps: Warp[];
  readonly barriers: Barrier[];
  readonly cluster: Cluster;
  /** Rank in its cluster. */
  readonly rank: number;
  /** Threads that have not exited. */
  liveThreads: number;
  /** Which warp runs next. */
  turn: number;
}

export interface Cluster {
  readonly ctas: Cta[];
  /** Threads that have arrived at the cluster barrier. */
  arrived: number;
  /** Counts completed phases. */
  phase: number;
}

/** What all warps of a launch share. */
export interface Machine {
  readonly global: GlobalMemory;
  /** Constant banks as words; index = bank. Bank 0 is the launch's. */
  readonly banks: readonly Int32Array[];
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  readonly clusterShape: readonly [number, number, number];
  readonly dynamicShared: number;
  readonly sharedReserved: number;
  /** Warp-instructions issued. */
  issued: number;
  fault: Fault | null;
  /** Phases of mbarriers that have ended. */
  phases: number;
  noteFault(warp: Warp, kind: FaultKind, mask: number, message: string, memoryAddress: bigint | null): void;
}
