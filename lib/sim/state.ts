/**
 * The state of a running grid. A warp's registers are laid out [register][lane]; predicates and everything else that is
 * one bit per thread are 32-bit lane masks.
 */

import type { InFlight } from "./async/in-flight.js";
import { type GlobalMemory, LocalMemory, type SharedMemory } from "./memory.js";
import type { WarpTrace } from "./trace.js";
import type { Fault, FaultKind } from "./types.js";
import type { BlockProducts } from "./wasm/block-products.js";
import type { Watch } from "./watch.js";

export const LANES = 32 as const;
/** Warp-instructions of a whole time slice of a warp. */
export const WARP_SLICE: number = 32768;
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

/** Words of a warp's arrays. */
export const WARP_WORDS: Readonly<Record<"I" | "P" | "U" | "B", number>> = {
  I: ROWS * LANES,
  P: 16,
  U: 272,
  B: 16 * LANES,
};

const NO_WORDS = new Int32Array(0);

export class Warp {
  I: Int32Array;
  F: Float32Array;
  /** Predicates P0…P6 as lane masks, entry 7 is PT; UP0…UP6, UPT follow from entry 8 on, as masks of all lanes. */
  P: Int32Array;
  /** Uniform registers; ZERO_UNIFORM… read as zero. */
  U: Int32Array;
  /** The uniform half of P: masks of all lanes (0 or −1). */
  UP: Int32Array;
  /**
   * Convergence barriers, per lane: B[b · 32 + lane] is the mask of threads that meet at barrier b. One copy per thread:
   * both sides of a divergent branch use the same number for regions of their own.
   */
  B: Int32Array;
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
  /** All live lanes wait for the same at the same place (`suspendAll`), which these say, not the arrays. */
  allWait: boolean = false;
  allKind: number = 0;
  allOn: number = 0;
  allPc: number = 0;
  /** Predicate that tells a lane at an mbarrier whether the phase has ended. */
  readonly waitPredicate: Uint8Array = new Uint8Array(LANES);
  /** The group that ran gave the turn of the warp away. */
  resting: boolean = false;
  /** Warp-instructions after which a jump ends its turn, and what its registers were then (spinning.ts). */
  slice: number = WARP_SLICE;
  fingerprint: number = 0;
  /** Lanes whose group gave up its turn by YIELD and has not run since. */
  yielded: number = 0;
  /** YIELDs for which lanes at a convergence barrier have waited for yielded lanes alone. */
  patience: number = 0;
  /** The registers at the last of these (spinning.ts). */
  yieldedWith: number = 0;
  private readonly rare = new Int32Array(3 * LANES);
  /** The saved return address, which RPCMOV reads and writes: low words, then high words. */
  readonly returnAddress: Int32Array = this.rare.subarray(0, 2 * LANES);
  /** Where the lanes go on after ENDCOLLECTIVE. */
  readonly collective: Int32Array = this.rare.subarray(2 * LANES);
  /** Phase of the cluster barrier in which the lanes last arrived. */
  readonly clusterPhase: Int32Array = new Int32Array(LANES);
  /** Where what it does is recorded. */
  trace: WarpTrace | null = null;
  /** Result of the last BAR.RED. */
  barrierValue: number = 0;
  /** Where its state is in the memory of translated code; 0: not there. */
  base: number = 0;
  /** What it and the simulator tell each other there. */
  exchange: Int32Array = NO_WORDS;
  /** Makes registers undefined, and the rest of its state there zero (many calls of `fill` take longer than a short warp runs). */
  clear: ((base: number, registers: number) => void) | null = null;

  constructor(
    readonly machine: Machine,
    public cta: Cta,
    readonly index: number,
    /** Lanes that exist. */
    readonly lanes: number,
    /** Thread indices x, y, z per lane. */
    readonly tid: readonly [Int32Array, Int32Array, Int32Array],
  ) {
    const { I, P, U, B } = WARP_WORDS;
    this.I = new Int32Array(I);
    this.F = new Float32Array(this.I.buffer);
    this.P = new Int32Array(P);
    this.UP = this.P.subarray(8);
    this.U = new Int32Array(U);
    this.B = new Int32Array(B);
    this.start();
  }

  /** Moves registers, predicates and barriers to a buffer, one after the other from byte `at` on. */
  move(buffer: ArrayBufferLike, at: number): void {
    let from = at;
    const moved = (old: Int32Array): Int32Array => {
      const next = new Int32Array(buffer, from, old.length);
      next.set(old);
      from += 4 * old.length;
      return next;
    };
    this.I = moved(this.I);
    this.F = new Float32Array(buffer, at, this.I.length);
    this.P = moved(this.P);
    this.UP = this.P.subarray(8);
    this.U = moved(this.U);
    this.B = moved(this.B);
    this.base = at;
  }

  /** As before the first instruction. */
  private start(): void {
    if (this.clear !== null) this.clear(this.base, this.machine.registers);
    else {
      this.I.fill(POISON, 0, this.machine.registers * LANES);
      this.P.fill(0);
      this.U.fill(0);
      this.B.fill(0);
    }
    this.P[TRUE_PREDICATE] = -1;
    this.UP[TRUE_PREDICATE] = -1;
    this.clusterPhase.fill(-1);
    this.live = this.lanes;
    this.active = this.lanes;
  }

  /** Makes an ended warp the warp of the same index of another CTA: allocating one anew costs more than all else a short CTA does. */
  restart(cta: Cta): void {
    this.cta = cta;
    // Registers that no instruction can touch are as they were made.
    this.local.clear();
    this.ready.length = 0;
    // The rest of what describes a wait means nothing without its kind.
    this.waitKind.fill(0);
    this.allWait = false;
    this.resting = false;
    this.yielded = 0;
    this.patience = 0;
    this.yieldedWith = 0;
    this.slice = WARP_SLICE;
    this.fingerprint = 0;
    this.rare.fill(0);
    this.barrierValue = 0;
    this.start();
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
  shared: SharedMemory;
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
  /** Address of the records of textures and surfaces; 0: there are none. */
  readonly objects: number;
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  readonly clusterShape: readonly [number, number, number];
  readonly dynamicShared: number;
  readonly sharedReserved: number;
  /** Registers that the program can touch. */
  readonly registers: number;
  /** Warp-instructions issued. */
  issued: number;
  fault: Fault | null;
  /** Who looks on. */
  readonly watch: Watch | null;
  /** Asynchronous operations that end late; null: they end when they issue. */
  readonly inFlight: InFlight | null;
  /** Translated products of warp groups and tensor memory; null: they are for the closures. Who asks has one to make. */
  readonly products: BlockProducts | null;
  /** Phases of mbarriers that have ended. */
  phases: number;
  /** Takes a cluster that has not started out of the launch: the index of its first CTA, null if all have. */
  cancelCluster(): readonly [number, number, number] | null;
  noteFault(warp: Warp, kind: FaultKind, mask: number, message: string, memoryAddress: bigint | null): void;
}
