/** What walks through machine code saw (observe.ts), added up. */
import type { MachineInst } from "../../lib/isa/operand.js";

/** The code that something was seen in. */
export interface Code {
  readonly insts: readonly (MachineInst | null)[];
  readonly name: string;
  /** What ptxas was asked; null where the machine code is all there is. */
  readonly asked: { readonly ptx: string; readonly arch: string; readonly opt: number } | null;
}

/** Two instructions of a code, and the issue cycles between them. */
export interface Place {
  readonly code: Code;
  readonly from: number;
  readonly to: number;
  readonly distance: number;
}

/** What was seen of one pair of ports. */
export interface Seen {
  /** Straight line, nothing waited for in between. */
  n: number;
  min: number;
  /** With a wait on a scoreboard (or a barrier) in between. */
  waits: number;
  minWait: number;
  /** Over a taken branch. */
  branches: number;
  minBranch: number;
  /** The first one at the least distance; not kept in files. */
  place: Place | null;
}

/** How an opcode uses scoreboards, stalls, and what follows it. */
export interface OpSeen {
  n: number;
  write: number;
  read: number;
  minStall: number;
  /** Least cycles to the first wait on the scoreboard it set. */
  setToWait: number;
  sets: number;
}

/** As stored. */
export interface Kept {
  readonly instructions: number;
  readonly functions: number;
  readonly pairs: readonly (readonly [string, Omit<Seen, "place">])[];
  readonly ops: readonly (readonly [string, OpSeen])[];
  readonly issue: readonly (readonly [string, { n: number; min: number }])[];
  readonly stalls: readonly string[];
}

export class Observations {
  readonly pairs = new Map<string, Seen>();
  readonly ops = new Map<string, OpSeen>();
  /** `first second`: least distance from an instruction to the next one, with how often. */
  readonly issue = new Map<string, { n: number; min: number }>();
  /**
   * Contexts of stalls that nothing but dependences explains: `key@distance` of each dependence, joined by `|`, `~` after one with a
   * wait in between, then `#` and the two opcodes in front; the first place of each. Which dependence is the reason shows when
   * the least distances of the others are known (`Cells.explain`). The same text seen again is no further context.
   */
  readonly stalls = new Map<string, Place | null>();
  instructions = 0;
  functions = 0;

  /** Adds what others saw. */
  merge(o: Kept): void {
    this.instructions += o.instructions;
    this.functions += o.functions;
    for (const [key, s] of o.pairs) {
      const p = this.pair(key);
      p.n += s.n;
      p.waits += s.waits;
      p.branches += s.branches;
      p.min = Math.min(p.min, s.min);
      p.minWait = Math.min(p.minWait, s.minWait);
      p.minBranch = Math.min(p.minBranch, s.minBranch);
    }
    for (const [key, s] of o.ops) {
      const p = this.ops.get(key);
      if (!p) this.ops.set(key, { ...s });
      else {
        p.n += s.n;
        p.write += s.write;
        p.read += s.read;
        p.sets += s.sets;
        p.minStall = Math.min(p.minStall, s.minStall);
        p.setToWait = Math.min(p.setToWait, s.setToWait);
      }
    }
    for (const [key, s] of o.issue) {
      const p = this.issue.get(key);
      if (!p) this.issue.set(key, { ...s });
      else {
        p.n += s.n;
        p.min = Math.min(p.min, s.min);
      }
    }
    for (const text of o.stalls) if (!this.stalls.has(text)) this.stalls.set(text, null);
  }

  kept(): Kept {
    return {
      instructions: this.instructions,
      functions: this.functions,
      pairs: [...this.pairs].map(([key, { place: _, ...seen }]) => [key, seen]),
      ops: [...this.ops],
      issue: [...this.issue],
      stalls: [...this.stalls.keys()],
    };
  }

  pair(key: string): Seen {
    let s = this.pairs.get(key);
    if (!s) {
      s = { n: 0, min: 99, waits: 0, minWait: 99, branches: 0, minBranch: 99, place: null };
      this.pairs.set(key, s);
    }
    return s;
  }
}
