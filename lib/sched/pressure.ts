/**
 * Live registers while a block is being ordered, and by how much each waiting instruction would change them. Both are
 * kept up to date in constant time per read or definition, in either direction.
 */
import { type BlockValues, FILES } from "./values.js";

export class PressureTracker {
  /** Live registers per file now: behind the last instruction placed (forward), ahead of it (backward). */
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
      for (let k = v.defStart[i] as number; k < (v.defStart[i + 1] as number); k++) {
        if (this.lasts(v.def[k] as number)) this.change(v.def[k] as number, i, this.forward ? 1 : -1);
      }
      for (let k = v.useStart[i] as number; k < (v.useStart[i + 1] as number); k++) {
        const x = v.use[k] as number;
        if (v.liveOut[x] === 1) continue;
        if (!this.forward) this.change(x, i, 1);
        else if (this.remaining[x] === 1) this.change(x, i, -1);
      }
    }
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

  of(file: number, node: number): number {
    return this.delta[file * this.nodes + node] as number;
  }

  place(node: number): void {
    this.placed[node] = 1;
    const { live, max } = this;
    // While it issues, an instruction occupies what is live ahead of it, or behind it with results nobody reads.
    for (let f = 0; f < FILES; f++) {
      const after = (live[f] as number) + this.of(f, node);
      live[f] = after;
      const here = after + (this.forward ? this.unread(node, f) : 0);
      if (here > (max[f] as number)) max[f] = here;
    }
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
