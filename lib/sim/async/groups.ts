/** Groups of operations of a warp that counted waits (DEPBAR.LE sb, n) wait for: the last n may stay in flight. */
import type { Operation } from "./in-flight.js";

/** What waits for an operation: a counted group of its warp, or the mbarrier of its signals alone. */
export type Grouping = "copies" | "bulk" | "products" | "tensor" | "none";

interface Group {
  readonly scoreboard: number;
  readonly operations: readonly Operation[];
}

/** Groups of one kind. */
interface Kind {
  open: Operation[];
  /** In order. */
  readonly closed: Group[];
}

const kind = (): Kind => ({ open: [], closed: [] });

export class Groups {
  private readonly kinds: Readonly<Record<Grouping, Kind>> = {
    copies: kind(),
    bulk: kind(),
    products: kind(),
    tensor: kind(),
    none: kind(),
  };

  add(op: Operation): void {
    this.kinds[op.grouping].open.push(op);
  }

  /** All so far are a group. */
  close(grouping: Grouping, scoreboard: number): void {
    const k = this.kinds[grouping];
    k.closed.push({ scoreboard, operations: k.open });
    k.open = [];
  }

  /** Takes out all groups on the scoreboard but the last n of each kind: their operations, those of a kind in order. */
  over(scoreboard: number, n: number): readonly Operation[] {
    const over: Operation[] = [];
    for (const { closed } of Object.values(this.kinds)) {
      let more = -n;
      for (const g of closed) if (g.scoreboard === scoreboard) more++;
      for (let i = 0; more > 0; ) {
        const g = closed[i]!;
        if (g.scoreboard !== scoreboard) i++;
        else {
          more--;
          over.push(...g.operations);
          closed.splice(i, 1);
        }
      }
    }
    return over;
  }
}
