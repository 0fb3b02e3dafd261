/**
 * Live registers while a block is being ordered, and by how much each waiting instruction would change them. Both are
 * kept up to date in constant time per read or definition, in either direction.
 */
import { type BlockValues, FILES } from "./values.js";

/** Live registers of a block that is being ordered. */
export class PressureTracker {
  /** Live registers per file now: after the last instruction placed (forward), before it (backward). */
  readonly live: Int32Array;
  /** Greatest so far, per file, with results nobody reads counted where they are written. */
  readonly max: Int32Array;
  /** Change of `live` per file and node: row f, column node. */
  readonly delta: Int16Array;
  private readonly nodes: number;
  private readonly remaining: Int32Array;
  /** Exclusive or of the nodes that still have to read a value: the last one, when one is left. */
  private readonly left: Int32Array;
  private readonly isLive: Uint8Array;
  /** Makers of a value that are not placed, and the exclusive or of them. Forward, 0 as soon as one is: it has begun. */
  private readonly unmade: Int32Array;
  private readonly makersLeft: Int32Array;
  private readonly placed: Uint8Array;
  /** What the instruction asked about writes and nobody reads, per file. */
  private readonly idle: Int32Array = new Int32Array(FILES);

  constructor(
    private readonly values: BlockValues,
    private readonly forward: boolean,
  ) {
    const v = values;
    this.nodes = v.useStart.length - 1;
    this.live = (forward ? v.liveAtStart : v.liveAtEnd).slice();
    this.max = this.live.slice();
    this.delta = new Int16Array(FILES * this.nodes);
    this.remaining = new Int32Array(v.count);
    this.left = new Int32Array(v.count);
    this.isLive = v.liveOut.slice();
    this.unmade = new Int32Array(v.count);
    this.makersLeft = new Int32Array(v.count);
    this.placed = new Uint8Array(this.nodes);
    this.begin();
  }

  private begin(): void {
    const v = this.values;
    for (let x = 0; x < v.count; x++) {
      this.remaining[x] = (v.userStart[x + 1] as number) - (v.userStart[x] as number);
      let left = 0;
      for (let k = v.userStart[x] as number; k < (v.userStart[x + 1] as number); k++) left ^= v.user[k] as number;
      this.left[x] = left;
    }
    for (let i = 0; i < this.nodes; i++) {
      for (let k = v.defStart[i] as number; k < (v.defStart[i + 1] as number); k++)
        this.beginMakers(v.def[k] as number);
      for (let k = v.useStart[i] as number; k < (v.useStart[i + 1] as number); k++) {
        const x = v.use[k] as number;
        if (v.liveOut[x] === 1) continue;
        if (!this.forward) this.change(x, i, 1);
        else if (this.remaining[x] === 1) this.change(x, i, -1);
      }
    }
  }

  /** Of the makers of a value that the block makes, whichever comes first takes its registers. */
  private beginMakers(x: number): void {
    const v = this.values;
    if (!this.lasts(x)) return;
    const from = v.makerStart[x] as number;
    const to = v.makerStart[x + 1] as number;
    this.unmade[x] = to - from;
    for (let k = from; k < to; k++) {
      const maker = v.maker[k] as number;
      this.makersLeft[x] = (this.makersLeft[x] as number) ^ maker;
      if (this.forward) this.change(x, maker, 1);
      else if (to - from === 1) this.change(x, maker, -1);
    }
  }

  /** A maker of the value is placed. */
  private make(x: number, node: number): void {
    const v = this.values;
    const unmade = this.unmade[x] as number;
    if (unmade === 0) return;
    if (this.forward) {
      this.unmade[x] = 0;
      for (let k = v.makerStart[x] as number; k < (v.makerStart[x + 1] as number); k++) {
        if (v.maker[k] !== node) this.change(x, v.maker[k] as number, -1);
      }
      return;
    }
    this.unmade[x] = unmade - 1;
    const left = (this.makersLeft[x] as number) ^ node;
    this.makersLeft[x] = left;
    if (unmade === 2) this.change(x, left, -1);
  }

  /** Forward: nothing of the value is made yet, so that its next maker takes its registers. */
  begins(x: number): boolean {
    return (this.unmade[x] as number) > 0;
  }

  /** Somebody reads the value after its definition. */
  private lasts(x: number): boolean {
    const v = this.values;
    return v.liveOut[x] === 1 || v.userStart[x] !== v.userStart[x + 1];
  }

  private change(x: number, node: number, by: number): void {
    const at = (this.values.file[x] as number) * this.nodes + node;
    this.delta[at] = (this.delta[at] as number) + by * (this.values.weight[x] as number);
  }

  /** Change of live registers of a file (0 R, 1 UR, 2 P, 3 UP, 4 B) if the node came next. */
  of(file: number, node: number): number {
    return this.delta[file * this.nodes + node] as number;
  }

  /**
   * By how much more than `live` an instruction occupies while it issues, per file: what is live before it, or after it with results
   * nobody reads. Valid until the next call.
   */
  steps(node: number): Int32Array {
    const { idle, nodes, delta } = this;
    idle.fill(0);
    if (this.forward) this.countUnread(node);
    for (let f = 0, at = node; f < FILES; f++, at += nodes) idle[f] = (idle[f] as number) + (delta[at] as number);
    return idle;
  }

  /** The node comes next. */
  place(node: number): void {
    this.placed[node] = 1;
    const { live, max } = this;
    const steps = this.steps(node);
    for (let f = 0; f < FILES; f++) {
      const here = (live[f] as number) + (steps[f] as number);
      live[f] = (live[f] as number) + this.of(f, node);
      if (here > (max[f] as number)) max[f] = here;
    }
    const v = this.values;
    for (let k = v.defStart[node] as number; k < (v.defStart[node + 1] as number); k++)
      this.make(v.def[k] as number, node);
    for (let k = v.partStart[node] as number; k < (v.partStart[node + 1] as number); k++)
      this.make(v.part[k] as number, node);
    if (this.forward) this.readForward(node);
    else this.readBackward(node);
  }

  private countUnread(node: number): void {
    const { values: v, idle } = this;
    for (let k = v.defStart[node] as number; k < (v.defStart[node + 1] as number); k++) {
      const x = v.def[k] as number;
      if (this.lasts(x)) continue;
      const f = v.file[x] as number;
      idle[f] = (idle[f] as number) + (v.weight[x] as number);
    }
    for (let k = v.partStart[node] as number; k < (v.partStart[node + 1] as number); k++) {
      const x = v.part[k] as number;
      if (v.liveOut[x] !== 0 || this.remaining[x] !== 0) continue;
      const f = v.file[x] as number;
      idle[f] = (idle[f] as number) + (v.weight[x] as number);
    }
  }

  private readForward(node: number): void {
    const v = this.values;
    for (let k = v.useStart[node] as number; k < (v.useStart[node + 1] as number); k++) {
      const x = v.use[k] as number;
      this.left[x] = (this.left[x] as number) ^ node;
      const n = (this.remaining[x] as number) - 1;
      this.remaining[x] = n;
      if (n === 1 && v.liveOut[x] === 0) this.change(x, this.left[x] as number, -1);
    }
  }

  private readBackward(node: number): void {
    const v = this.values;
    for (let k = v.useStart[node] as number; k < (v.useStart[node + 1] as number); k++) {
      const x = v.use[k] as number;
      if (this.isLive[x] === 1) continue;
      this.isLive[x] = 1;
      for (let u = v.userStart[x] as number; u < (v.userStart[x + 1] as number); u++) {
        const other = v.user[u] as number;
        if (this.placed[other] === 0) this.change(x, other, -1);
      }
    }
  }
}

/** What a walk over an order tells: values that begin, that end, that nobody reads, and the end of each instruction. */
interface LiveSink {
  begin(x: number): void;
  end(x: number): void;
  unread(x: number): void;
  next(): void;
}

/** Walks an order (null: as it stands), as a tracker that goes forward would, without what it keeps for instructions that wait. */
function walkLive(v: BlockValues, order: Int32Array | null, sink: LiveSink): void {
  const nodes = v.useStart.length - 1;
  const left = new Int32Array(v.count);
  for (let x = 0; x < v.count; x++) left[x] = (v.userStart[x + 1] as number) - (v.userStart[x] as number);
  // Of a value that the block makes and somebody reads: 1 until its first maker comes.
  const unmade = new Uint8Array(v.count);
  for (const x of v.def) if (v.liveOut[x] === 1 || (left[x] as number) > 0) unmade[x] = 1;
  const make = (x: number): void => {
    if (unmade[x] === 0) return;
    unmade[x] = 0;
    sink.begin(x);
  };
  for (let k = 0; k < nodes; k++) {
    const node = order === null ? k : (order[k] as number);
    for (let d = v.defStart[node] as number; d < (v.defStart[node + 1] as number); d++) {
      const x = v.def[d] as number;
      if (v.liveOut[x] === 0 && v.userStart[x] === v.userStart[x + 1]) sink.unread(x);
      make(x);
    }
    for (let p = v.partStart[node] as number; p < (v.partStart[node + 1] as number); p++) {
      const x = v.part[p] as number;
      if (v.liveOut[x] === 0 && left[x] === 0) sink.unread(x);
      make(x);
    }
    for (let u = v.useStart[node] as number; u < (v.useStart[node + 1] as number); u++) {
      const x = v.use[u] as number;
      if (left[x] === 1 && v.liveOut[x] === 0) sink.end(x);
      left[x] = (left[x] as number) - 1;
    }
    sink.next();
  }
}

/** Greatest number of live registers per file in an order (null: as it stands), values at their whole width. */
export function greatestLive(v: BlockValues, order: Int32Array | null): number[] {
  const sink = new Sums(v);
  walkLive(v, order, sink);
  return sink.max;
}

class Sums implements LiveSink {
  readonly max: number[];
  private readonly live: number[];
  private readonly dead: number[] = new Array<number>(FILES).fill(0);

  constructor(private readonly values: BlockValues) {
    this.live = Array.from(values.liveAtStart);
    this.max = this.live.slice();
  }

  begin(x: number): void {
    this.add(this.live, x, 1);
  }

  end(x: number): void {
    this.add(this.live, x, -1);
  }

  unread(x: number): void {
    this.add(this.dead, x, 1);
  }

  next(): void {
    const { live, dead, max } = this;
    for (let f = 0; f < FILES; f++) {
      const now = (live[f] as number) + (dead[f] as number);
      if (now > (max[f] as number)) max[f] = now;
      dead[f] = 0;
    }
  }

  private add(to: number[], x: number, by: number): void {
    const f = this.values.file[x] as number;
    to[f] = (to[f] as number) + by * (this.values.weight[x] as number);
  }
}

/**
 * Greatest number of registers of file R that an order occupies where values of one register take the places in wider ones that
 * hold nothing any more (or not yet). `v`: values by register; `width`: of each value of the function; `liveIn`: owners of the
 * registers that are live before the block, once per register.
 */
export function heldRegisters(
  v: BlockValues,
  order: Int32Array | null,
  width: (owner: number) => number,
  liveIn: Iterable<number>,
): number {
  const sink = new Held(v, width, liveIn);
  walkLive(v, order, sink);
  return sink.max;
}

class Held implements LiveSink {
  max = 0;
  /** Registers of wide values of which something is live, those of them that hold nothing, and values of one register. */
  private wide = 0;
  private holes = 0;
  private single = 0;
  private readonly lanes: Map<number, number> = new Map();
  private readonly dead: number[] = [];

  constructor(
    private readonly values: BlockValues,
    private readonly width: (owner: number) => number,
    liveIn: Iterable<number>,
  ) {
    for (const owner of liveIn) this.change(owner, 1);
    this.look();
  }

  begin(x: number): void {
    if (this.values.file[x] === 0) this.change(this.values.owner[x] as number, 1);
  }

  end(x: number): void {
    if (this.values.file[x] === 0) this.change(this.values.owner[x] as number, -1);
  }

  unread(x: number): void {
    if (this.values.file[x] !== 0) return;
    this.change(this.values.owner[x] as number, 1);
    this.dead.push(x);
  }

  next(): void {
    this.look();
    for (let x = this.dead.pop(); x !== undefined; x = this.dead.pop()) this.change(this.values.owner[x] as number, -1);
  }

  private look(): void {
    this.max = Math.max(this.max, this.wide + Math.max(0, this.single - this.holes));
  }

  private change(owner: number, by: 1 | -1): void {
    const width = this.width(owner);
    if (width === 1) {
      this.single += by;
      return;
    }
    const before = this.lanes.get(owner) ?? 0;
    const after = before + by;
    this.lanes.set(owner, after);
    if (before === 0) {
      this.wide += width;
      this.holes += width - 1;
    } else if (after === 0) {
      this.wide -= width;
      this.holes -= width - 1;
    } else this.holes -= by;
  }
}
