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
import { saying } from "./notes.js";
import { RangeSet } from "./range-set.js";

interface Candidate {
  readonly to: Operand;
  readonly from: Operand;
  readonly freq: number;
}

/** Joins what can be joined, at most so many pairs; returns how many copies went. */
export function joinCopies(func: Func, most: number = Number.POSITIVE_INFINITY): number {
  const found = candidates(func);
  if (found.length === 0) return 0;
  const classes = new Classes(func, computeRanges(flatten(func)));
  found.sort((a, b) => b.freq - a.freq);
  for (const c of found) if (classes.joined < most) classes.join(c.to, c.from);
  if (classes.joined === 0) return 0;
  return rename(func, classes);
}

function candidates(func: Func): Candidate[] {
  const found: Candidate[] = [];
  for (const block of func.blocks) {
    for (const inst of block.insts) {
      const c = copyOf(inst) ?? predicateCopyOf(inst);
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
  private readonly ranges: Ranges;
  /** The value that each joined, itself for a root, and its first register there. */
  private readonly into: Int32Array;
  private readonly offset: Int32Array;
  /** Ranges of each unit of a root that was asked about. */
  private readonly sets: (RangeSet | undefined)[] = [];
  /** Roots with a member that indexes a constant bank. */
  private readonly indexes: Set<number>;

  constructor(func: Func, ranges: Ranges) {
    this.func = func;
    this.ranges = ranges;
    this.into = Int32Array.from({ length: func.values.count }, (_, v) => v);
    this.offset = new Int32Array(func.values.count);
    this.indexes = indexRegisters(func);
  }

  /** The root of a value, with the paths up to it made short. */
  rootOf(value: number): number {
    const { into, offset } = this;
    let root = value;
    let sum = 0;
    for (; into[root] !== root; root = into[root] as number) sum += offset[root] as number;
    for (let v = value; v !== root; ) {
      const next = into[v] as number;
      const rest = sum - (offset[v] as number);
      into[v] = root;
      offset[v] = sum;
      sum = rest;
      v = next;
    }
    return root;
  }

  /** First register of a value in its root, after `rootOf`. */
  offsetOf(value: number): number {
    return this.offset[value] as number;
  }

  join(to: Operand, from: Operand): void {
    const a = this.rootOf(to.id);
    const b = this.rootOf(from.id);
    if (a === b || this.func.values.file(a) !== this.func.values.file(b)) return;
    // Register `offset` of the narrower root is the first of the wider one, and so on.
    const shift = this.offsetOf(to.id) + to.sub - (this.offsetOf(from.id) + from.sub);
    const { values } = this.func;
    const inner = values.width(b) <= values.width(a) ? b : a;
    const outer = inner === b ? a : b;
    const offset = inner === b ? shift : -shift;
    if (offset < 0 || offset + values.width(inner) > values.width(outer)) return;
    if (offset % alignmentOf(values.width(inner)) !== 0 || this.meets(outer, inner, offset)) return;
    // An index register of a constant bank is named without a part.
    if (values.width(inner) !== values.width(outer) && this.indexes.has(inner)) return;
    this.merge(outer, inner, offset);
  }

  private setOf(root: number, k: number): RangeSet {
    const { flat, start, segments } = this.ranges;
    const u = (flat.unitBase[root] as number) + k;
    let set = this.sets[u];
    if (set === undefined) {
      set = new RangeSet(segments, start[u] as number, start[u + 1] as number);
      this.sets[u] = set;
    }
    return set;
  }

  private meets(outer: number, inner: number, offset: number): boolean {
    for (let k = 0; k < this.func.values.width(inner); k++)
      if (this.setOf(outer, offset + k).meetsAny(this.setOf(inner, k))) return true;
    return false;
  }

  private merge(outer: number, inner: number, offset: number): void {
    for (let k = 0; k < this.func.values.width(inner); k++) {
      const u = (this.ranges.flat.unitBase[outer] as number) + offset + k;
      this.sets[u] = this.setOf(outer, offset + k).join(this.setOf(inner, k));
    }
    this.into[inner] = outer;
    this.offset[inner] = offset;
    if (this.indexes.has(inner)) this.indexes.add(outer);
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

/** Puts the roots in the place of what joined them; copies of a register to itself go. */
function rename(func: Func, classes: Classes): number {
  const place = (o: Operand): void => {
    if (o.kind === Kind.Const && o.index !== NO_INDEX && o.index !== ZERO_REG) o.index = classes.rootOf(o.index);
    if (!isReg(o)) return;
    const root = classes.rootOf(o.id);
    o.sub += classes.offsetOf(o.id);
    o.id = root;
  };
  const say = saying(func);
  let gone = 0;
  for (const block of func.blocks) {
    for (const inst of block.insts) {
      for (const o of inst.dsts) place(o);
      for (const o of inst.srcs) place(o);
      const g = inst.guard;
      if (g !== null && g.id !== ZERO_REG) g.id = classes.rootOf(g.id);
    }
    rewriteBlock(func, block, (inst, out) => {
      if (isIdentity(inst)) {
        gone++;
        say?.("copy joined", inst, "its two sides never meet, so they are one register");
      } else out.push(inst);
    });
  }
  touch(func);
  return gone;
}

function isIdentity(inst: Inst): boolean {
  const c = copyOf(inst) ?? predicateCopyOf(inst);
  return c !== null && c.to.id === c.from.id && c.to.sub === c.from.sub && c.to.file === c.from.file;
}

/** Truth table of what is true where its first input is, the others being true. */
const FIRST = 0x80;

/** A copy of a predicate as phis leave it: `PLOP3.LUT d, PT, s, PT, PT, 0x80, 0x0`. */
function predicateCopyOf({ form, dsts, srcs, guard }: Inst): { readonly to: Operand; readonly from: Operand } | null {
  if ((form.name !== "PLOP3.LUT" && form.name !== "UPLOP3.LUT") || guard !== null) return null;
  const [to, other] = dsts as [Operand, Operand];
  const [from, ...rest] = srcs as [Operand, ...Operand[]];
  const plain = (o: Operand): boolean => o.file === to.file && o.id === ZERO_REG && o.mods === 0;
  if (from.mods !== 0 || other.id !== ZERO_REG || rest[2]?.value !== FIRST) return null;
  if (to.id === ZERO_REG || from.id === ZERO_REG || to.file !== from.file) return null;
  return plain(rest[0] as Operand) && plain(rest[1] as Operand) ? { to, from } : null;
}
