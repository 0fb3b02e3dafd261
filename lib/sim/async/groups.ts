/** Groups of operations of a warp that counted waits (DEPBAR.LE sb, n) wait for: the last n may stay in flight. */
import type { Operation } from "./in-flight.js";

/** What waits for an operation: a counted group of its warp, or the mbarrier of its signals alone. */
export type Grouping = "copies" | "bulk" | "products" | "tensor" | "none";

interface Group {
  readonly grouping: Grouping;
  readonly scoreboard: number;
  readonly operations: readonly Operation[];
}

export class Groups {
  private readonly open = new Map<Grouping, Operation[]>();
  private closed: Group[] = [];

  add(op: Operation): void {
    const list = this.open.get(op.grouping);
    if (list === undefined) this.open.set(op.grouping, [op]);
    else list.push(op);
  }

  /** All so far are a group. */
  close(grouping: Grouping, scoreboard: number): void {
    this.closed.push({ grouping, scoreboard, operations: this.open.get(grouping) ?? [] });
    this.open.delete(grouping);
  }

  /** Takes out all groups on the scoreboard but the last n of each kind: their operations in order. */
  over(scoreboard: number, n: number): readonly Operation[] {
    const after = new Map<Grouping, number>();
    const left: Group[] = [];
    const over: Group[] = [];
    for (const g of this.closed.toReversed()) {
      const later = after.get(g.grouping) ?? 0;
      if (g.scoreboard === scoreboard) after.set(g.grouping, later + 1);
      if (g.scoreboard === scoreboard && later >= n) over.unshift(g);
      else left.unshift(g);
    }
    this.closed = left;
    return over.flatMap((g) => g.operations);
  }
}
