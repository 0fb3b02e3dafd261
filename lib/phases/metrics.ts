/** Numbers about a function at one moment. Each is computed when it is first read, from the function as it is then. */
import { analysis, type Pressure } from "../analysis/index.js";
import { InternalError } from "../errors.js";
import type { Func } from "../ori/types.js";
import { type FuncLatency, funcLatency } from "../sched/index.js";
import { type Occupancy, occupancy } from "../target/index.js";

/** Highest number of simultaneously live registers per file; R and UR in 32-bit registers. */
export interface LiveMaxima {
  /** Ordinary registers. */
  readonly R: number;
  /** Uniform registers. */
  readonly UR: number;
  /** Predicates. */
  readonly P: number;
  /** Uniform predicates. */
  readonly UP: number;
  /** Convergence barriers. */
  readonly B: number;
}

/** Figures of a function at one moment, each computed when it is asked for first. */
export class Metrics {
  private readonly func: Func;
  private readonly generation: number;

  constructor(func: Func) {
    this.func = func;
    this.generation = func.generation;
  }

  /** Instructions, pseudo instructions included. */
  get instructions(): number {
    let n = 0;
    for (const b of this.now().blocks) n += b.insts.length;
    return n;
  }

  /** Basic blocks. */
  get blocks(): number {
    return this.now().blocks.length;
  }

  /** Virtual values ever made (also those no longer mentioned). */
  get values(): number {
    return this.now().values.count;
  }

  /** Live registers per file at every instruction in layout order. */
  get pressure(): Pressure {
    return analysis(this.now(), "pressureOnEdges");
  }

  /** Most registers live at once, by file. */
  get maxLive(): LiveMaxima {
    const p = this.pressure;
    return { R: p.R.max, UR: p.UR.max, P: p.P.max, UP: p.UP.max, B: p.B.max };
  }

  /** Instructions per mnemonic, most frequent first, then by name. */
  get mnemonics(): readonly (readonly [string, number])[] {
    const counts = new Map<string, number>();
    for (const b of this.now().blocks) {
      for (const inst of b.insts) counts.set(inst.form.op, (counts.get(inst.form.op) ?? 0) + 1);
    }
    return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  }

  /** Bytes of machine code, 16 per instruction, without the tail that the encoder adds. */
  get codeBytes(): number {
    return this.instructions * 16;
  }

  /** Registers per thread as ptxas would report them: those in use after allocation, the most live ones before; plus 2. */
  get registers(): number {
    const f = this.now();
    return (f.virtual ? this.pressure.R.max : f.used.R) + 2;
  }

  /** Cycles of one warp, of the function and of its blocks, by the issue model (lib/sched/latency.ts). */
  get latency(): FuncLatency {
    return funcLatency(this.now());
  }

  /** Bytes of stack frame: local variables and spills. */
  get frameBytes(): number {
    const { localBytes, spillBytes } = this.now().frame;
    return localBytes + spillBytes;
  }

  /** Bytes of spilled values that the code writes. */
  get spillStores(): number {
    return this.now().frame.spillStores;
  }

  /** Bytes that it reads back. */
  get spillLoads(): number {
    return this.now().frame.spillLoads;
  }

  /** Theoretical occupancy for blocks of `threads` threads; static shared memory plus `dynamicShared` bytes. */
  occupancy(threads: number, dynamicShared = 0): Occupancy {
    const f = this.now();
    return occupancy(f.target, {
      registers: this.registers,
      sharedBytes: f.sharedBytes + dynamicShared,
      threadsPerBlock: threads,
    });
  }

  private now(): Func {
    if (this.func.generation !== this.generation) {
      throw new InternalError("the function has changed since: read metrics while the observer runs, or snapshot", {
        func: this.func.name,
      });
    }
    return this.func;
  }
}
