/**
 * Joining of copies (the end of the SSA window, after its parallel copies).
 *
 * A copy between two registers that are never both needed with different contents is no work: both become one register,
 * the copy goes. Chaitin's rule on live ranges of register units: two values join when no range of one meets a range of the
 * other; the copy itself lets one end where the other begins. A value may become a part of a wider one, so what is loaded
 * together, or stored together, is made in place:
 *
 *     MOV %V:0, %a          a = V:0
 *     MOV %V:1, %b     →    b = V:1
 *     STG.64 [%p], %V       STG.64 [%p], %V
 *
 * Copies that run often come first. Registers bound to a physical one stay apart.
 */
import { rewriteBlock, touch } from "../ori/editor.js";
import { isReg } from "../ori/operand.js";
import { File, type Func, type Inst, Kind, NO_INDEX, type Operand, ZERO_REG } from "../ori/types.js";
import { alignmentOf } from "../ori/verify/physical.js";
import { copyOf } from "../regalloc/facts.js";
import { flatten } from "../regalloc/flat.js";
import { computeRanges, type Ranges } from "../regalloc/ranges.js";

interface Candidate {
  readonly to: Operand;
  readonly from: Operand;
  readonly freq: number;
}

/** Where a value lives: its root and the first register there. */
interface Place {
  readonly root: number;
  readonly offset: number;
}

/** Joins what can be joined; returns how many copies went. */
export function joinCopies(func: Func): number {
  const found = candidates(func);
  if (found.length === 0) return 0;
  const classes = new Classes(func, computeRanges(flatten(func)));
  found.sort((a, b) => b.freq - a.freq);
  for (const c of found) classes.join(c.to, c.from);
  if (classes.joined === 0) return 0;
  return rename(func, classes);
}

function candidates(func: Func): Candidate[] {
  const found: Candidate[] = [];
  for (const block of func.blocks) {
    for (const inst of block.insts) {
      const c = copyOf(inst);
      if (c === null || inst.guard !== null) continue;
      if (func.values.fixed(c.to.id) >= 0 || func.values.fixed(c.from.id) >= 0 || c.to.file === File.B) continue;
      found.push({ to: c.to, from: c.from, freq: block.freq });
    }
  }
  return found;
}

class Classes {
  joined: number = 0;
  private readonly func: Func;
  private readonly base: Int32Array;
  private readonly places: (Place | undefined)[] = [];
  /** Ranges of each unit of a root as [from, to] pairs. */
  private readonly segments: Int32Array[];
  /** Widest alignment that a root's members ask of its first register. */
  private readonly members: number[][] = [];
  private readonly indexes: ReadonlySet<number>;

  constructor(func: Func, ranges: Ranges) {
    this.func = func;
    this.base = ranges.flat.unitBase;
    this.segments = Array.from({ length: ranges.flat.units }, (_, u) =>
      ranges.segments.slice(2 * (ranges.start[u] as number), 2 * (ranges.start[u + 1] as number)),
    );
    this.indexes = indexRegisters(func);
  }

  placeOf(value: number): Place {
    return this.places[value] ?? { root: value, offset: 0 };
  }

  join(to: Operand, from: Operand): void {
    const a = this.placeOf(to.id);
    const b = this.placeOf(from.id);
    if (a.root === b.root || this.func.values.file(a.root) !== this.func.values.file(b.root)) return;
    // Register `offset` of the narrower root is the first of the wider one, and so on.
    const shift = a.offset + to.sub - (b.offset + from.sub);
    const { values } = this.func;
    const inner = values.width(b.root) <= values.width(a.root) ? b.root : a.root;
    const outer = inner === b.root ? a.root : b.root;
    const offset = inner === b.root ? shift : -shift;
    if (offset < 0 || offset + values.width(inner) > values.width(outer)) return;
    if (offset % alignmentOf(values.width(inner)) !== 0 || this.meets(outer, inner, offset)) return;
    if (values.width(inner) !== values.width(outer) && this.isIndex(inner)) return;
    this.merge(outer, inner, offset);
  }

  /** An index register of a constant bank is named without a part. */
  private isIndex(root: number): boolean {
    return [root, ...(this.members[root] ?? [])].some((v) => this.indexes.has(v));
  }

  private meets(outer: number, inner: number, offset: number): boolean {
    for (let k = 0; k < this.func.values.width(inner); k++) {
      const a = this.segments[(this.base[outer] as number) + offset + k] as Int32Array;
      const b = this.segments[(this.base[inner] as number) + k] as Int32Array;
      if (a.length < b.length ? overlap(b, a) : overlap(a, b)) return true;
    }
    return false;
  }

  private merge(outer: number, inner: number, offset: number): void {
    for (let k = 0; k < this.func.values.width(inner); k++) {
      const u = (this.base[outer] as number) + offset + k;
      this.segments[u] = union(
        this.segments[u] as Int32Array,
        this.segments[(this.base[inner] as number) + k] as Int32Array,
      );
      this.segments[(this.base[inner] as number) + k] = new Int32Array(0);
    }
    const list = this.members[outer] ?? [];
    this.members[outer] = list;
    for (const v of [inner, ...(this.members[inner] ?? [])]) {
      this.places[v] = { root: outer, offset: offset + this.placeOf(v).offset };
      list.push(v);
    }
    this.members[inner] = [];
    this.joined++;
  }
}

/** Registers that index constant banks. */
function indexRegisters(func: Func): Set<number> {
  const found = new Set<number>();
  for (const block of func.blocks)
    for (const inst of block.insts)
      for (const o of inst.srcs)
        if (o.kind === Kind.Const && o.index !== NO_INDEX && o.index !== ZERO_REG) found.add(o.index);
  return found;
}

/** The first range of the list that ends at `from` or later. */
function endingFrom(list: Int32Array, from: number): number {
  let [low, high] = [0, list.length >> 1];
  while (low < high) {
    const mid = (low + high) >> 1;
    if ((list[2 * mid + 1] as number) < from) low = mid + 1;
    else high = mid;
  }
  return low;
}

/** Two lists of ascending, disjoint ranges share a point; the second is the shorter. */
function overlap(long: Int32Array, short: Int32Array): boolean {
  for (let s = 0; s < short.length; s += 2) {
    const from = short[s] as number;
    const to = short[s + 1] as number;
    const low = endingFrom(long, from);
    if (2 * low < long.length && (long[2 * low] as number) <= to) return true;
  }
  return false;
}

/** Two lists of disjoint ranges that share no point as one: the longer is copied in runs between the ranges of the shorter. */
function union(a: Int32Array, b: Int32Array): Int32Array {
  const [long, short] = a.length < b.length ? [b, a] : [a, b];
  if (short.length === 0) return long;
  const out = new Int32Array(long.length + short.length);
  let [taken, made] = [0, 0];
  const take = (to: number): void => {
    out.set(long.subarray(taken, to), made);
    made += to - taken;
    taken = to;
  };
  for (let s = 0; s < short.length; s += 2) {
    take(2 * endingFrom(long, short[s] as number));
    out[made++] = short[s] as number;
    out[made++] = short[s + 1] as number;
  }
  take(long.length);
  return out;
}

/** Puts the roots in the place of what joined them; copies of a register to itself go. */
function rename(func: Func, classes: Classes): number {
  const place = (o: Operand): void => {
    if (o.kind === Kind.Const && o.index !== NO_INDEX && o.index !== ZERO_REG) o.index = classes.placeOf(o.index).root;
    if (!isReg(o)) return;
    const { root, offset } = classes.placeOf(o.id);
    o.id = root;
    o.sub += offset;
  };
  let gone = 0;
  for (const block of func.blocks) {
    for (const inst of block.insts) {
      for (const o of inst.dsts) place(o);
      for (const o of inst.srcs) place(o);
      const g = inst.guard;
      if (g !== null && g.id !== ZERO_REG) g.id = classes.placeOf(g.id).root;
    }
    rewriteBlock(func, block, (inst, out) => {
      if (isIdentity(inst)) gone++;
      else out.push(inst);
    });
  }
  touch(func);
  return gone;
}

function isIdentity(inst: Inst): boolean {
  const c = copyOf(inst);
  return c !== null && c.to.id === c.from.id && c.to.sub === c.from.sub && c.to.file === c.from.file;
}
