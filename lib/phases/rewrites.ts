/** Counts what a phase rewrites, and stops it after so many: so a search finds the first rewrite that does harm. */
export class RewriteCounter {
  /** Rewrites made so far, over all functions. */
  count = 0;
  /** What the last one was. */
  last = "";

  constructor(
    /** Most that may be made. */
    readonly most: number = Number.POSITIVE_INFINITY,
  ) {}

  /** One more may be made. */
  get open(): boolean {
    return this.count < this.most;
  }

  /** Notes one that was made. */
  take(what: string): void {
    this.count++;
    this.last = what;
  }
}
