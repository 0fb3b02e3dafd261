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

  /** By how much more than `live` an instruction occupies while it issues: what is live before it, or after it with results nobody reads. */
  step(file: number, node: number): number {
    return this.of(file, node) + (this.forward ? this.unread(node, file) : 0);
  }

  /** The node comes next. */
  place(node: number): void {
    this.placed[node] = 1;
    const { live, max } = this;
    for (let f = 0; f < FILES; f++) {
      const here = (live[f] as number) + this.step(f, node);
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

  private unread(node: number, file: number): number {
    const v = this.values;
    let n = 0;
    for (let k = v.defStart[node] as number; k < (v.defStart[node + 1] as number); k++) {
      const x = v.def[k] as number;
      if (v.file[x] === file && !this.lasts(x)) n += v.weight[x] as number;
    }
    for (let k = v.partStart[node] as number; k < (v.partStart[node + 1] as number); k++) {
      const x = v.part[k] as number;
      if (v.file[x] === file && v.liveOut[x] === 0 && this.remaining[x] === 0) n += v.weight[x] as number;
    }
    return n;
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

/**
 * Greatest number of live registers per file in an order (null: as it stands), as a tracker that goes forward finds it, without what
 * it keeps for instructions that wait.
 */
export function greatestLive(v: BlockValues, order: Int32Array | null): number[] {
  const live = Array.from(v.liveAtStart);
  const max = live.slice();
  const nodes = v.useStart.length - 1;
  const left = new Int32Array(v.count);
  for (let x = 0; x < v.count; x++) left[x] = (v.userStart[x + 1] as number) - (v.userStart[x] as number);
  // Of a value that the block makes and somebody reads: 1 until its first maker comes, then that one plus 2.
  const made = new Int32Array(v.count);
  for (const x of v.def) if (v.liveOut[x] === 1 || (left[x] as number) > 0) made[x] = 1;
  const change = new Array<number>(FILES).fill(0);
  const unread = new Array<number>(FILES).fill(0);
  const add = (to: number[], x: number, by: number): void => {
    const f = v.file[x] as number;
    to[f] = (to[f] as number) + by * (v.weight[x] as number);
  };
  const make = (x: number, node: number): void => {
    if (made[x] === 1 || made[x] === node + 2) {
      made[x] = node + 2;
      add(change, x, 1);
    }
  };
  for (let k = 0; k < nodes; k++) {
    const node = order === null ? k : (order[k] as number);
    change.fill(0);
    unread.fill(0);
    for (let d = v.defStart[node] as number; d < (v.defStart[node + 1] as number); d++) {
      const x = v.def[d] as number;
      if (v.liveOut[x] === 0 && v.userStart[x] === v.userStart[x + 1]) add(unread, x, 1);
      make(x, node);
    }
    for (let p = v.partStart[node] as number; p < (v.partStart[node + 1] as number); p++) {
      const x = v.part[p] as number;
      if (v.liveOut[x] === 0 && left[x] === 0) add(unread, x, 1);
      make(x, node);
    }
    for (let u = v.useStart[node] as number; u < (v.useStart[node + 1] as number); u++) {
      const x = v.use[u] as number;
      if (left[x] === 1 && v.liveOut[x] === 0) add(change, x, -1);
      left[x] = (left[x] as number) - 1;
    }
    for (let f = 0; f < FILES; f++) {
      const now = (live[f] as number) + (change[f] as number);
      max[f] = Math.max(max[f] as number, now + (unread[f] as number));
      live[f] = now;
    }
  }
  return max;
}
