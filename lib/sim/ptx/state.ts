import type { Heap } from "../host.js";
import type { GlobalMemory } from "../memory.js";
import type { ObjectReader } from "../texture/record.js";
import type { Code } from "./code.js";
import { Stack } from "./memory.js";
import type { Value } from "./types.js";

export const LANES = 32;

/** What a thread waits for. */
export type Wait =
  /** All threads of `mask` that live; then `finish` with those that came, by lane. */
  | {
      readonly kind: "collective";
      readonly name: string;
      readonly mask: number;
      readonly values: readonly Value[];
      readonly finish: (group: readonly (Thread | undefined)[]) => void;
    }
  /** Nobody else of the warp can come to this place; then `finish` with the lanes that did. */
  | { readonly kind: "converged"; readonly finish: (lanes: number) => void }
  /** The barrier of a CTA; `finish` has what a reduction gives. */
  | { readonly kind: "barrier"; readonly id: number; readonly finish: (bits: readonly boolean[]) => void }
  /** The generation of the cluster's barrier to pass. */
  | { readonly kind: "cluster"; readonly generation: number };

export interface Launch {
  readonly kernel: string;
  readonly target: string;
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  readonly clusterShape: readonly [number, number, number];
  readonly explicitCluster: boolean;
  readonly global: GlobalMemory;
  readonly heap: Heap | null;
  readonly objects: ObjectReader;
  /** The handle of what is bound to a name. Throws a fault where nothing is. */
  readonly reference: (name: string, kind: "texture" | "sampler" | "surface") => Value;
  readonly constants: DataView;
  readonly parameters: DataView;
  readonly entry: Code;
  /** Functions by their addresses. */
  readonly functions: ReadonlyMap<Value, Code>;
  readonly sharedBytes: number;
  readonly dynamicShared: number;
  /** Steps that are left. */
  budget: number;
  steps: number;
  output: string;
}

export interface Arrival {
  readonly thread: Thread;
  readonly bit: boolean;
}

/** A named barrier while threads gather at it. */
export interface Gathering {
  readonly expected: number | null;
  readonly arrivals: Map<Thread, boolean>;
}

export interface Cluster {
  readonly index: readonly [number, number, number];
  readonly ctas: Cta[];
  generation: number;
  readonly arrived: Set<Thread>;
}

export class Cta {
  readonly threads: Thread[] = [];
  readonly shared: DataView;
  readonly barriers: Map<number, Gathering> = new Map();
  live = 0;
  constructor(
    readonly launch: Launch,
    readonly cluster: Cluster,
    readonly index: readonly [number, number, number],
  ) {
    this.shared = new DataView(new ArrayBuffer(launch.sharedBytes));
  }
}

/** A function that runs. */
export interface Frame {
  readonly code: Code;
  pc: number;
  /** The step that ran last. */
  at: number;
  readonly registers: Value[];
  /** Address of the function's variables in local memory. */
  readonly base: number;
  /** The stack pointer before the call. */
  readonly before: number;
  /** Takes the results to the caller. */
  readonly returned: ((t: Thread, callee: Frame) => void) | null;
}

export class Thread {
  readonly stack: Stack = new Stack();
  readonly frames: Frame[] = [];
  frame!: Frame;
  /** Registers of the current frame. */
  r: Value[] = [];
  /** The condition code register: its carry. */
  carry = 0n;
  wait: Wait | null = null;
  done = false;
  /** Gives way to others. */
  pause = false;
  /** The generation of the cluster's barrier at which it arrived. */
  clusterArrival = -1;
  constructor(
    readonly cta: Cta,
    readonly number: number,
    readonly tid: readonly [number, number, number],
  ) {}

  get lane(): number {
    return this.number % LANES;
  }

  enter(code: Code, returned: Frame["returned"]): Frame {
    const before = this.stack.pointer;
    const base = this.stack.reserve(code.frameBytes, code.frameAlign);
    const registers = new Array<Value>(code.registers).fill(0n);
    const frame: Frame = { code, pc: 0, at: 0, registers, base, before, returned };
    this.frames.push(frame);
    this.frame = frame;
    this.r = registers;
    return frame;
  }

  /** Returns from the current function. */
  leave(): void {
    const left = this.frames.pop()!;
    const caller = this.frames.at(-1);
    if (caller === undefined) {
      this.exit();
      return;
    }
    this.frame = caller;
    this.r = caller.registers;
    left.returned?.(this, left);
    this.stack.pointer = left.before;
  }

  exit(): void {
    if (this.done) return;
    this.done = true;
    this.cta.live--;
  }
}
