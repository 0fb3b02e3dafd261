/** What is in flight at a point of the code: scoreboards by register unit. */
import { AcquireRole } from "../../analysis/index.js";
import type { Prepared } from "./prepare.js";
import { NONE, SCOREBOARDS, type Scoreboards } from "./types.js";

const ALL = (1 << SCOREBOARDS) - 1;
/** A byte times this is that byte in each of four. */
const EACH_BYTE = 0x01010101;

export class State {
  /** Per unit: scoreboards that guard a write to come. */
  readonly writes: Uint8Array;
  /** Per unit: scoreboards that guard a read still to be done. */
  readonly reads: Uint8Array;
  /** Both of them, four units in a number. */
  private readonly words: Int32Array;
  /** Scoreboards that may count more than zero. */
  busy = 0;
  /** Scoreboards on which the last strong access may count. */
  strong = 0;
  /** Scoreboards that tell the end of a fence. */
  fence = 0;

  constructor(units: number) {
    const bytes = (units + 3) & ~3;
    this.words = new Int32Array(bytes >>> 1);
    this.writes = new Uint8Array(this.words.buffer, 0, units);
    this.reads = new Uint8Array(this.words.buffer, bytes, units);
  }

  copy(o: State): void {
    this.words.set(o.words);
    this.busy = o.busy;
    this.strong = o.strong;
    this.fence = o.fence;
  }

  /** Takes over what is in flight in `o`; true when that is more than before. */
  merge(o: State): boolean {
    if (o.busy === 0) return false;
    let grew = (o.busy & ~this.busy) !== 0 || ((o.strong & ~this.strong) | (o.fence & ~this.fence)) !== 0;
    this.busy |= o.busy;
    this.strong |= o.strong;
    this.fence |= o.fence;
    const { words } = this;
    const others = o.words;
    for (let k = 0; k < words.length; k++) {
      const here = words[k]!;
      const both = here | others[k]!;
      if (both === here) continue;
      grew = true;
      words[k] = both;
    }
    return grew;
  }

  /** The scoreboards of `mask` count zero. */
  clear(mask: number): void {
    if ((this.busy & mask) === 0) return;
    const keep = ALL & ~mask;
    const { words } = this;
    const keepAll = keep * EACH_BYTE;
    for (let k = 0; k < words.length; k++) if (words[k] !== 0) words[k] = words[k]! & keepAll;
    this.busy &= keep;
    this.strong &= keep;
    this.fence &= keep;
  }

  /** Scoreboards that instruction `i` must wait for. Barriers wait for all. */
  need(p: Prepared, i: number): number {
    if (p.role[i] === AcquireRole.WaitAll) return ALL;
    if (this.busy === 0) return 0;
    const { flat } = p;
    if (p.barrier[i] === 1) return this.busy & ~p.reserved;
    let need = p.role[i] === AcquireRole.Wait ? this.strong : 0;
    if (p.awaitsFence[i] === 1) need |= this.fence;
    for (let d = flat.useStart[i]!; d < flat.useStart[i + 1]!; d++) {
      const end = flat.useUnit[d]! + flat.useWidth[d]!;
      for (let u = flat.useUnit[d]!; u < end; u++) need |= this.writes[u]!;
    }
    for (let d = flat.defStart[i]!; d < flat.defStart[i + 1]!; d++) {
      const end = flat.defUnit[d]! + flat.defWidth[d]!;
      for (let u = flat.defUnit[d]!; u < end; u++) need |= this.writes[u]! | this.reads[u]!;
    }
    return need;
  }

  /** Instruction `i` issues: its scoreboards count up. */
  issue(p: Prepared, i: number, sb: Scoreboards): void {
    const { flat } = p;
    const w = sb.write[i]!;
    const r = sb.read[i]!;
    this.access(p.role[i]!, flat.insts[i]!.guard === null, w);
    if (w !== NONE) {
      this.busy |= 1 << w;
      for (let d = flat.defStart[i]!; d < flat.defStart[i + 1]!; d++) {
        const end = flat.defUnit[d]! + flat.defWidth[d]!;
        for (let u = flat.defUnit[d]!; u < end; u++) this.writes[u] = this.writes[u]! | (1 << w);
      }
    }
    if (r === NONE) return;
    this.busy |= 1 << r;
    if (p.role[i] === AcquireRole.Fence) this.fence |= 1 << r;
    for (let d = flat.useStart[i]!; d < flat.useStart[i + 1]!; d++) {
      if (flat.useSlot[d] === -1) continue;
      const end = flat.useUnit[d]! + flat.useWidth[d]!;
      for (let u = flat.useUnit[d]!; u < end; u++) this.reads[u] = this.reads[u]! | (1 << r);
    }
  }

  private access(role: number, always: boolean, w: number): void {
    if (role === AcquireRole.Fence) this.strong = always ? 0 : this.strong;
    else if (role === AcquireRole.Access) this.strong = (always ? 0 : this.strong) | (w === NONE ? 0 : 1 << w);
  }
}
