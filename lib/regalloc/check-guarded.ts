/**
 * What a register holds for the threads whose guard is true. After a guarded write a register holds the new value or what was there before,
 * so neither for certain; but an instruction of the same block under the same guard, unchanged since, sees the new one.
 */

/** The guard of an instruction before allocation: its unit, and whether it is negated. */
export interface UnderGuard {
  readonly guard: number;
  readonly not: boolean;
}

interface Hold extends UnderGuard {
  readonly unit: number;
}

/** Of one block, from its start. */
export class GuardedHolds {
  private readonly at: Map<number, Hold> = new Map();

  clear(): void {
    this.at.clear();
  }

  /** An instruction under this guard reads that unit there. */
  holds(location: number, unit: number, under: UnderGuard): boolean {
    const hold = this.at.get(location);
    return hold !== undefined && hold.unit === unit && hold.guard === under.guard && hold.not === under.not;
  }

  /** The unit gets a new value, as a value or as a guard: what was known of the old one is stale. */
  forget(unit: number): void {
    for (const [location, hold] of this.at) if (hold.unit === unit || hold.guard === unit) this.at.delete(location);
  }

  /** The location is written with a unit, under a guard or (null) not. */
  write(location: number, unit: number, under: UnderGuard | null): void {
    if (under === null) this.at.delete(location);
    else this.at.set(location, { unit, ...under });
  }

  /** The location holds nothing any more. */
  drop(location: number): void {
    this.at.delete(location);
  }

  /** Copies between locations, all at once. */
  move(moves: readonly { readonly from: number; readonly to: number }[], always: boolean): void {
    const held = moves.map((m) => (always ? this.at.get(m.from) : undefined));
    for (const [k, { to }] of moves.entries()) {
      const hold = held[k];
      if (hold === undefined) this.at.delete(to);
      else this.at.set(to, hold);
    }
  }
}
