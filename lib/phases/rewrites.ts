/** Counts what a phase rewrites, and stops it after so many: so a search finds the first rewrite that does harm. */
import type { Inst } from "../ori/types.js";

/** One rewrite that a phase made. */
export interface Rewrite {
  /** What it was: `rule NAME`, `LDG.E shared`. */
  readonly what: string;
  /** Id of the instruction at which it was made, −1 where it is not of one instruction. */
  readonly inst: number;
  /** Id of another that took part: what stands for a shared one, what a new one was made of; −1 for none. */
  readonly other: number;
}

/** Counts rewrites and limits them; one per phase, or one over all functions. */
export class RewriteCounter {
  /** Rewrites made so far, over all functions. */
  count = 0;
  /** What the last one was. */
  last = "";
  /** Told of each one. */
  observe: ((rewrite: Rewrite) => void) | null = null;

  constructor(
    /** Most that may be made. */
    readonly most: number = Number.POSITIVE_INFINITY,
  ) {}

  /** One more may be made. */
  get open(): boolean {
    return this.count < this.most;
  }

  /** Notes one that was made, at which instruction, and which other one took part. */
  take(what: string, at?: Inst, other?: Inst): void {
    this.count++;
    this.last = what;
    this.observe?.({ what, inst: at?.id ?? -1, other: other?.id ?? -1 });
  }
}
