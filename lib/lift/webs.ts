/**
 * Physical registers to virtual ones, by webs: a web is a set of definitions and uses of one register that are connected
 * by def-use chains. Webs that one operand names together (pairs, quads) are one value, its parts in the places that they
 * had; so every constraint of the machine (adjacent, aligned) is one that the value's width already says.
 *
 * Joins happen only where the register is live: an unrelated later use of the same register is another value. A guarded
 * definition may leave the old value in place, and joins it. What is read undefined is a value without definition.
 *
 * R1 stays where it is. Calls become control flow (routines.ts), P2R and R2P one instruction per predicate (predicates.ts).
 */
import { isProduct } from "../analysis/products.js";
import { type Diagnostic, notSupported } from "../diagnostics.js";
import { newValues } from "../ori/func.js";
import { type Block, File, type Func, type Inst, Kind, NO_INDEX, type Operand, ZERO_REG } from "../ori/types.js";
import { splitPacks } from "./predicates.js";
import { callsAsEdges } from "./routines.js";

/** First unit of each file; 544 units make 17 words of bits. */
const first: readonly number[] = [0, 0, 256, 512, 520, 528];
const units = 544;
const setWords = units / 32;
const filesOf: readonly File[] = [File.R, File.UR, File.P, File.UP, File.B];
const STACK_POINTER = 1;

/** Reads and writes of an instruction as runs of units. Calls `see(file, id, width)` for every register operand. */
type See = (unit: number, width: number) => void;

function eachUse(inst: Inst, see: See): void {
  const g = inst.guard;
  if (g !== null && g.id !== ZERO_REG) see(first[g.file]! + g.id, 1);
  for (const o of inst.srcs) {
    if (o.kind === Kind.Reg && o.id !== ZERO_REG) see(first[o.file]! + o.id, Math.max(1, o.width));
    else if (hasIndex(o)) see(first[indexFile(o)]! + o.index, indexWidth(o));
  }
}

function eachDef(inst: Inst, see: See): void {
  for (const o of inst.dsts)
    if (o.kind === Kind.Reg && o.id !== ZERO_REG) see(first[o.file]! + o.id, Math.max(1, o.width));
}

const hasIndex = (o: Operand): boolean => o.kind === Kind.Const && o.index !== NO_INDEX && o.index !== ZERO_REG;
const indexFile = (o: Operand): File => (o.file === File.None ? File.R : o.file);
/** `cx[UR4][…]` names a descriptor of two registers. */
const indexWidth = (o: Operand): number => (o.id === -1 ? 2 : 1);

function isGuarded(inst: Inst): boolean {
  return inst.guard !== null && (inst.guard.id !== ZERO_REG || inst.guard.not);
}

/** Makes the registers of `func` virtual, in place. Returns why it cannot be, or null. */
export function makeVirtual(func: Func): Diagnostic | null {
  const refused = products(func) ?? takeFrame(func) ?? callsAsEdges(func) ?? splitPacks(func);
  if (refused !== null) return refused;
  const webs = new Webs(func);
  webs.connect();
  return webs.rename();
}

/** The allocator does not know of registers that an instruction reads and writes after its issue. */
function products(func: Func): Diagnostic | null {
  for (const b of func.blocks)
    for (const { form } of b.insts)
      if (isProduct(form.op)) return notSupported(`virtual registers of ${func.name}: products of warp groups`, null);
  return null;
}

/** The allocator lowers the stack pointer itself, after its load: the instruction that did so goes. */
function takeFrame(func: Func): Diagnostic | null {
  if (func.frame.localBytes === 0) return null;
  const lowering = func.blocks.flatMap((b) =>
    b.insts
      .filter((inst) => inst.dsts.some(isStackPointer) && inst.srcs.some(isStackPointer))
      .map((inst) => ({ b, inst })),
  );
  const [only, ...more] = lowering;
  const down = only?.inst.srcs.some((o) => o.kind === Kind.Imm && (o.value | 0) === -func.frame.localBytes);
  if (only === undefined || more.length > 0 || down !== true || isGuarded(only.inst) || !loadAtEntry(func, only))
    return notSupported(`virtual registers of ${func.name}: how it makes its stack frame`, null);
  only.b.insts.splice(only.b.insts.indexOf(only.inst), 1);
  return null;
}

/**
 * Whether the one load of the stack pointer stands in the entry block, or can: on sm_87 other code comes first, which does
 * not know the stack pointer.
 */
function loadAtEntry(func: Func, lowering: { readonly b: Block; readonly inst: Inst }): boolean {
  const entry = func.blocks[0] as Block;
  const { b, inst } = lowering;
  if (b === entry) return true;
  const touching = func.blocks.flatMap((x) => x.insts.filter((i) => i !== inst && i.dsts.some(isStackPointer)));
  const [load, ...others] = touching;
  if (load === undefined || others.length > 0 || isGuarded(load) || !b.insts.includes(load)) return false;
  if (!load.srcs.every((o) => o.kind !== Kind.Reg || o.id === ZERO_REG)) return false;
  const ahead = func.blocks.slice(0, func.blocks.indexOf(b)).flatMap((x) => x.insts);
  if (ahead.some((i) => i.srcs.some(isStackPointer))) return false;
  b.insts.splice(b.insts.indexOf(load), 1);
  entry.insts.unshift(load);
  return true;
}

function isStackPointer(o: Operand): boolean {
  return o.kind === Kind.Reg && o.file === File.R && o.id === STACK_POINTER && o.width === 1;
}

class Webs {
  /** Live units before each block. */
  private readonly live: Uint32Array;
  private readonly index = new Map<number, number>();
  /** Union-find; nodes are (block entry, unit) first, then definitions. */
  private parent: Int32Array;
  /** Unit of each node. */
  private readonly unitOf: number[];
  private nodes: number;
  /** Node of each unit that an operand names, in the order of a walk over the code. */
  private readonly named: number[] = [];

  /** `BMOV.32.CLEAR B1, B0` names its source by number: barriers stay where they are. */
  private readonly barriersByNumber: boolean;

  constructor(private readonly func: Func) {
    this.barriersByNumber = func.blocks.some((b) => b.insts.some(namesBarrier));
    const n = func.blocks.length;
    func.blocks.forEach((b, i) => {
      this.index.set(b.id, i);
    });
    this.live = liveIn(func, this.index);
    let defs = 0;
    for (const b of func.blocks) for (const inst of b.insts) eachDef(inst, (_u, w) => (defs += w));
    this.nodes = n * units;
    this.parent = new Int32Array(this.nodes + defs);
    for (let i = 0; i < this.parent.length; i++) this.parent[i] = i;
    this.unitOf = [];
  }

  private find(x: number): number {
    let root = x;
    while (this.parent[root] !== root) root = this.parent[root]!;
    for (let at = x; at !== root; ) {
      const next = this.parent[at]!;
      this.parent[at] = root;
      at = next;
    }
    return root;
  }

  /** The lower node becomes the root, so that numbering is deterministic. */
  private join(a: number, b: number): void {
    const x = this.find(a);
    const y = this.find(b);
    if (x < y) this.parent[y] = x;
    else this.parent[x] = y;
  }

  connect(): void {
    const { func, named } = this;
    const now = new Int32Array(units);
    func.blocks.forEach((b, i) => {
      for (let u = 0; u < units; u++) now[u] = i * units + u;
      for (const inst of b.insts) {
        eachUse(inst, (unit, width) => {
          for (let k = 0; k < width; k++) {
            named.push(now[unit + k]!);
            if (k > 0) this.join(now[unit]!, now[unit + k]!);
          }
        });
        const guarded = isGuarded(inst);
        eachDef(inst, (unit, width) => {
          let before = -1;
          for (let k = 0; k < width; k++) {
            const node = this.nodes++;
            this.unitOf[node] = unit + k;
            if (guarded) this.join(node, now[unit + k]!);
            now[unit + k] = node;
            named.push(node);
            if (before >= 0) this.join(before, node);
            before = node;
          }
        });
      }
      for (const s of b.succs) {
        const to = this.index.get(s.id)!;
        for (let w = 0; w < setWords; w++)
          for (let bits = this.live[to * setWords + w]!; bits !== 0; bits &= bits - 1) {
            const unit = 32 * w + (31 - Math.clz32(bits & -bits));
            this.join(now[unit]!, to * units + unit);
          }
      }
    });
  }

  private unit(node: number): number {
    return node < this.func.blocks.length * units ? node % units : this.unitOf[node]!;
  }

  rename(): Diagnostic | null {
    const { func, named } = this;
    // The registers of each value: lowest and highest unit.
    const low = new Map<number, number>();
    const high = new Map<number, number>();
    for (const node of named) {
      const root = this.find(node);
      const unit = this.unit(node);
      low.set(root, Math.min(low.get(root) ?? units, unit));
      high.set(root, Math.max(high.get(root) ?? -1, unit));
    }
    const values = newValues();
    const known = new Map<number, number>();
    const base: number[] = [];
    let stack = -1;
    const value = (node: number): number => {
      const root = this.find(node);
      let id = known.get(root);
      if (id !== undefined) return id;
      const { file, from, width } = extent(low.get(root)!, high.get(root)!);
      const stackPointer = file === File.R && from <= STACK_POINTER && from + width > STACK_POINTER;
      const fixed = stackPointer || (file === File.B && this.barriersByNumber);
      if (stackPointer && width === 1 && stack >= 0) id = stack;
      else {
        id = values.add(file, width, "", fixed ? from : -1);
        base[id] = from;
        if (stackPointer && width === 1) stack = id;
      }
      known.set(root, id);
      return id;
    };
    let at = 0;
    let problem: Diagnostic | null = null;
    const take = (width: number): number => {
      const node = named[at]!;
      at += width;
      return node;
    };
    const rewrite = (o: Operand): void => {
      const id = value(take(Math.max(1, o.width)));
      o.sub = o.id - base[id]!;
      o.id = id;
    };
    for (const b of func.blocks)
      for (const inst of b.insts) {
        const g = inst.guard;
        if (g !== null && g.id !== ZERO_REG) inst.guard = { file: g.file, id: value(take(1)), not: g.not };
        for (const o of inst.srcs) {
          if (o.kind === Kind.Reg && o.id !== ZERO_REG) rewrite(o);
          else if (hasIndex(o)) {
            const id = value(take(indexWidth(o)));
            if (o.index !== base[id]) problem ??= notSupported(`an index that is part of a wider value`, inst.loc);
            o.index = id;
          }
        }
        for (const o of inst.dsts) if (o.kind === Kind.Reg && o.id !== ZERO_REG) rewrite(o);
        inst.control = null;
      }
    func.values = values;
    func.virtual = true;
    func.used = { R: 0, UR: 0, P: 0, UP: 0, B: 0 };
    func.milestone = "scheduled";
    func.generation++;
    return problem;
  }
}

function namesBarrier({ form, srcs, dsts }: Inst): boolean {
  if (form.op !== "BMOV") return false;
  const isState = (o: Operand | undefined, name: string | undefined): boolean => name === "s" && (o?.value ?? 0) < 16;
  return srcs.some((o, k) => isState(o, form.srcs[k]?.name)) || dsts.some((o, k) => isState(o, form.dsts[k]?.name));
}

/** A group starts at a multiple of its width's alignment (1, 2, 4), and is as wide as it must be from there. */
function extent(low: number, high: number): { file: File; from: number; width: number } {
  const file = filesOf.findLast((f) => first[f]! <= low)!;
  const from = low - first[file]!;
  const to = high - first[file]! + 1;
  for (const align of [1, 2, 4]) {
    const start = from - (from % align);
    const width = to - start;
    if (align === (width === 1 ? 1 : width === 2 ? 2 : 4)) return { file, from: start, width };
  }
  const start = from - (from % 4);
  return { file, from: start, width: to - start };
}

/** Live units before each block, by block index. */
function liveIn(func: Func, index: ReadonlyMap<number, number>): Uint32Array {
  const n = func.blocks.length;
  const uses = new Uint32Array(n * setWords);
  const kills = new Uint32Array(n * setWords);
  func.blocks.forEach((b, i) => {
    const at = i * setWords;
    for (const inst of b.insts) {
      eachUse(inst, (unit, width) => {
        for (let u = unit; u < unit + width; u++) {
          const bit = 1 << (u & 31);
          if ((kills[at + (u >> 5)]! & bit) === 0) uses[at + (u >> 5)] = uses[at + (u >> 5)]! | bit;
        }
      });
      if (isGuarded(inst)) continue;
      eachDef(inst, (unit, width) => {
        for (let u = unit; u < unit + width; u++) kills[at + (u >> 5)] = kills[at + (u >> 5)]! | (1 << (u & 31));
      });
    }
  });
  const live = uses.slice();
  for (let changed = true; changed; ) {
    changed = false;
    for (let i = n - 1; i >= 0; i--) {
      const at = i * setWords;
      for (const s of func.blocks[i]!.succs) {
        const from = index.get(s.id)! * setWords;
        for (let w = 0; w < setWords; w++) {
          const more = (live[at + w]! | (live[from + w]! & ~kills[at + w]!)) >>> 0;
          if (more !== live[at + w]) {
            live[at + w] = more;
            changed = true;
          }
        }
      }
    }
  }
  return live;
}
