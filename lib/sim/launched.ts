/** A launch as the machine gets it (machine.ts): code, memory, shape, and what is watched. */
import type { Heap } from "./host.js";
import type { GlobalMemory } from "./memory.js";
import type { Program } from "./program.js";
import type { TraceRecorder } from "./trace.js";
import type { EngineChoice, StopSignal } from "./types.js";

export interface Launch {
  readonly program: Program;
  readonly kernel: string;
  /** Index of the first instruction. */
  readonly entry: number;
  readonly global: GlobalMemory;
  /** Where `malloc` takes from. */
  readonly heap?: Heap | null;
  readonly banks: readonly Int32Array[];
  /** Address of the records of textures and surfaces. */
  readonly objects?: number;
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  readonly cluster: readonly [number, number, number];
  /** Bytes of shared memory per CTA, the reserved bottom included. */
  readonly sharedBytes: number;
  readonly dynamicShared: number;
  readonly sharedReserved: number;
  /** Warp-instructions. */
  readonly budget: number;
  /** Seconds by the clock. Default: no limit. */
  readonly seconds?: number;
  readonly signal?: StopSignal;
  readonly profile: boolean;
  readonly races?: boolean;
  readonly registers?: boolean;
  readonly tracer?: TraceRecorder;
  /** Numbers of the blocks that run; all by default. */
  readonly only?: ReadonlySet<number>;
  readonly engine?: EngineChoice;
  /** Seed of the order in which blocks start. */
  readonly order?: number;
  /** Seed of when asynchronous operations end. */
  readonly completion?: number | "at-once";
  /** Others run blocks of the grid, too. */
  readonly share?: Share;
}

/** What threads that run a grid together tell each other. */
export interface Share {
  /** Number of the next cluster in the order of starting, which is this thread's now. */
  claim(): number;
  /** Told how many warp-instructions it has issued. `budget`: all threads together have issued too many; `stop`: blocks before have faulted. */
  ended(issued: number): "budget" | "stop" | null;
}
