/**
 * Blocks of a program as a WebAssembly module. Its function `run` starts at any segment or branch and goes on from block to block while the
 * lanes of the group stay together; it comes back at what is not translated, where lanes part, where an access may fault, and at
 * a jump when the group's turn has ended.
 */
import { Kind, Mod } from "../../isa/operand.js";
import { isSupported } from "../build.js";
import type { Program } from "../program.js";
import type { Site } from "../site.js";
import { Unsupported } from "../site.js";
import type { Group } from "./access.js";
import { doubleProduct } from "./doubles.js";
import { Callee } from "./emission.js";
import { type Code, encodeModule, Fn, type Import, Type } from "./encoder.js";
import { factorFunction, wideFunction } from "./factors.js";
import { exactFma32x4 } from "./float.js";
import { CONVERGENCE, EXCHANGE, Exchange, PREDICATES, ROW_BYTES, SCALES } from "./layout.js";
import { type Product, productFunction, resultsOf, type ScalesAt } from "./matrix.js";
import { Op } from "./opcodes.js";
import { productOf } from "./products.js";
import { quadProduct } from "./quads.js";
import { COLUMNS_AT, ROWS_AT, type Scaling, scalesFunction } from "./scales.js";
import { cut, type Piece, segmentFunction, siteOf, type Translation } from "./segments.js";
import { type Factor, Slots } from "./slots.js";

/** What `run` returns. */
export const Status = {
  /** The instruction at `pc` has not been done: it is for the closures. */
  Stopped: 0,
  /** A jump to `pc` has been made. */
  Jumped: 1,
} as const;

/** Warp's state, number of the entry, active lanes, live lanes, instructions until jumps come back → Status. */
export type Run = (base: number, entry: number, active: number, live: number, limit: number) => number;

const { i32, f64, v128 } = Type;
/** In the order of Callee (segment.ts). */
export const imports: readonly Import[] = [
  { name: "find", params: [i32, i32, i32], results: [] },
  { name: "fma64", params: [f64, f64, f64], results: [f64] },
  ...["log2", "exp2", "sin", "cos", "tanh"].map((name): Import => ({ name, params: [f64], results: [f64] })),
  { name: "observe", params: [i32, i32], results: [] },
];
/** Active lanes in a function of a segment. */
const SEGMENT_ACTIVE = 1;
const TOGETHER = imports.length + 1;
const FIRST_SEGMENT = imports.length + 2;

/** Parameters and locals of `run`. */
const BASE = 0;
const ENTRY = 1;
const ACTIVE = 2;
const LIVE = 3;
const LIMIT = 4;

/** A place of the program in `run`. */
type Node =
  | { readonly kind: "segment"; readonly pc: number; readonly piece: Piece }
  | { readonly kind: "branch"; readonly pc: number; readonly branch: Branch }
  | { readonly kind: "sync"; readonly pc: number; readonly sync: Sync }
  | { readonly kind: "product"; readonly pc: number; readonly product: Product }
  /** For the closures, where the guard holds for some of the lanes. */
  | { readonly kind: "stop"; readonly pc: number; readonly guard: Test | null };

interface Branch {
  readonly target: number;
  readonly guard: Test | null;
  /** All of them must hold for a lane to go. */
  readonly tests: readonly Test[];
  /** All lanes go or none. */
  readonly together: boolean;
}

/** A predicate of Warp.P. */
interface Test {
  readonly index: number;
  readonly not: boolean;
}

/** Goes on when: the lanes of the barrier are here; those of the mask are; all are. */
type Sync = { readonly barrier: number } | { readonly mask: number };

function testOf(s: Site, name: string): Test | null {
  const index = s.pred(name);
  const o = s.find(name);
  const not = o !== null && (o.mods & Mod.Not) !== 0;
  return (index & 7) === 7 && !not ? null : { index, not };
}

function guardOf(program: Program, pc: number): Test | null {
  const index = program.guard[pc]!;
  const not = program.invert[pc] !== 0;
  return (index & 7) === 7 && !not ? null : { index, not };
}

function branchOf(program: Program, pc: number, s: Site): Branch | null {
  const { op, mods } = s.inst.form;
  if (op === "CALL" && (mods.includes("ABS") || s.find("a")?.kind === Kind.Reg)) return null;
  if (op !== "BRA" && op !== "CALL") return null;
  if (mods.some((m) => m !== "U" && m !== "INC" && m !== "DEC" && m !== "REL" && m !== "NOINC")) return null;
  const o = s.find("target");
  if (o === null || o.kind !== Kind.Label) return null;
  const tests = ["pin", "upin"].map((n) => testOf(s, n)).filter((t): t is Test => t !== null);
  return { target: s.target(o), guard: guardOf(program, pc), tests, together: op === "BRA" && mods.includes("U") };
}

function syncOf(program: Program, pc: number, s: Site): Sync | null {
  if (guardOf(program, pc) !== null || testOf(s, "pin") !== null) return null;
  const { op, mods } = s.inst.form;
  if (op === "BSYNC") return { barrier: s.operand("b").id & 15 };
  if (op === "YIELD" || op === "NANOSLEEP") return { mask: -1 };
  if (op !== "WARPSYNC" || mods.includes("COLLECTIVE")) return null;
  if (mods.includes("ALL")) return { mask: -1 };
  const o = s.find("b");
  return o !== null && o.kind === Kind.Imm ? { mask: o.value | 0 } : null;
}

/** The nodes of the instructions from `from` to before `to`. */
function nodesOf(
  program: Program,
  from: number,
  to: number,
  full: boolean,
  observed: boolean,
  translation: (pc: number) => Translation | null,
): Node[] {
  const nodes: Node[] = [];
  let list: Translation[] = [];
  const flush = (): void => {
    for (const piece of cut(list, observed)) nodes.push({ kind: "segment", pc: piece.list[0]!.index, piece });
    list = [];
  };
  for (let pc = from; pc < to; pc++) {
    const t = translation(pc);
    if (t !== null && (full || t.emitter.together !== true)) {
      list.push(t);
      continue;
    }
    flush();
    nodes.push(endOfSegment(program, pc, full));
  }
  flush();
  return nodes;
}

function endOfSegment(program: Program, pc: number, full: boolean): Node {
  if (program.insts[pc]) {
    try {
      const s = siteOf(program, pc);
      const branch = branchOf(program, pc, s);
      if (branch !== null) return { kind: "branch", pc, branch };
      const sync = syncOf(program, pc, s);
      if (sync !== null) return { kind: "sync", pc, sync };
      // A product of some of the lanes is a fault.
      const product = full && isSupported(program, pc) ? productOf(s) : null;
      if (product !== null) return { kind: "product", pc, product };
    } catch (e) {
      if (!(e instanceof Unsupported)) throw e;
    }
  }
  return { kind: "stop", pc, guard: program.insts[pc] ? guardOf(program, pc) : null };
}

/** Are the active lanes the live ones that meet at a barrier? Address of its rows, active, live → 1 or 0. */
function togetherFunction(): Fn {
  const fn = new Fn([i32, i32, i32], [i32]);
  const { code } = fn;
  const all = fn.local(v128);
  const wanted = fn.local(v128);
  const living = fn.local(v128);
  const bits = fn.local(v128);
  const shift = fn.local(i32);
  code.words(-1, -1, -1, -1).set(all).words(1, 2, 4, 8).set(bits);
  code.get(1).op(Op.i32x4Splat).set(wanted).get(2).op(Op.i32x4Splat).set(living);
  code.open(Op.loop);
  code.get(0).memory(Op.load, 0).get(living).op(Op.and).get(wanted).op(Op.i32x4Eq);
  code.get(1).get(shift).op(Op.i32ShrU).op(Op.i32x4Splat).get(bits).op(Op.and).get(bits).op(Op.i32x4Ne);
  code.op(Op.or).get(all).op(Op.and).set(all);
  code.get(0).i32(16).op(Op.i32Add).set(0);
  code.get(shift).i32(4).op(Op.i32Add).tee(shift).i32(32).op(Op.i32LtU).index(Op.brIf, 0).end();
  code.get(all).op(Op.i32x4AllTrue);
  return fn;
}

export interface Translated {
  readonly bytes: Uint8Array;
  /** Instructions at which `run` can start, by number of the entry. */
  readonly entries: readonly number[];
  /** Instructions by the numbers with which `observe` is called. */
  readonly observed: readonly (readonly number[])[];
}

/** Registers beyond those of its slots that an instruction which writes rows by itself may write. */
const BEYOND = 8;

function writesRegister({ emitter, writes }: Translation, register: number): boolean {
  const beyond = emitter.whole === true ? BEYOND : 0;
  return writes.some((w) => {
    if (!w.startsWith("R")) return false;
    const first = Number(w.slice(1));
    return register >= first && register <= first + beyond;
  });
}

class Writer {
  readonly fn: Fn = new Fn([i32, i32, i32, i32, i32], [i32]);
  private readonly issued = this.fn.local(i32);
  private readonly threads = this.fn.local(i32);
  private readonly temporary = this.fn.local(i32);
  private readonly mask = this.fn.local(i32);
  readonly functions: Fn[] = [];
  /** Functions that are the same for all that need them. */
  private readonly helpers = new Map<string, number>();
  /** Bits of the factors of products that lie in their slots since this call of `run` (factors.ts). */
  private readonly there = this.fn.local(i32);
  private readonly slots = new Slots();
  readonly observed: (readonly number[])[] = [];

  constructor(
    private readonly nodes: readonly Node[],
    private readonly full: boolean,
    private readonly relaxed: boolean,
    private readonly isObserved: boolean,
    private readonly slot: (group: Group) => number,
    private readonly live: (register: number, pc: number) => boolean,
  ) {}

  write(): void {
    const { code } = this.fn;
    const { nodes } = this;
    // All factors must be known before the first instruction that may write one.
    for (const node of nodes)
      if (node.kind === "product") for (const f of [node.product.a, node.product.b]) this.slots.slotOf(f);
    code.open(Op.loop);
    for (const _ of nodes) code.open(Op.block);
    code.get(ENTRY).table(
      nodes.map((_, i) => i),
      nodes.length - 1,
    );
    const entry = new Map(nodes.map((node, i) => [node.pc, i]));
    nodes.forEach((node, i) => {
      code.end();
      this.node(node, nodes.length - 1 - i, entry);
    });
    code.end().op(0);
  }

  /** `depth`: how many blocks are around the code, inside the loop. */
  private node(node: Node, depth: number, entry: ReadonlyMap<number, number>): void {
    const { code } = this.fn;
    switch (node.kind) {
      case "stop":
        if (node.guard !== null) {
          code.get(ACTIVE);
          this.and(code, node.guard);
          code.open(Op.if);
        }
        this.leave(code, node.pc, Status.Stopped);
        if (node.guard === null) return;
        code.end();
        this.observe(code, ACTIVE, node.pc);
        this.count(code, 1);
        return;
      case "segment": {
        const { list } = node.piece;
        const pcs = list.map((t) => t.index);
        if (list.every((t) => t.emitter.nothing === true && t.inst.guard === null)) {
          this.observe(code, ACTIVE, ...pcs);
          this.count(code, list.length);
          code.get(ACTIVE).op(Op.i32Popcnt).i32(list.length).op(Op.i32Mul);
          code.get(this.threads).op(Op.i32Add).set(this.threads);
          return;
        }
        const { fn, fails } = segmentFunction(node.piece, this.full, this.relaxed, this.slot, this.live, (into) =>
          this.observe(into, SEGMENT_ACTIVE, ...pcs),
        );
        const number = FIRST_SEGMENT + this.functions.push(fn) - 1;
        code.get(BASE).get(ACTIVE).index(Op.call, number).set(this.temporary);
        if (fails) {
          code.get(this.temporary).i32(0).op(Op.i32LtS).open(Op.if);
          this.leave(code, node.pc, Status.Stopped);
          code.end();
        }
        code.get(this.threads).get(this.temporary).op(Op.i32Add).set(this.threads);
        this.count(code, list.length);
        this.written((r) => list.some((t) => writesRegister(t, r)));
        return;
      }
      case "sync":
        if ("barrier" in node.sync) {
          code
            .get(BASE)
            .i32(CONVERGENCE + node.sync.barrier * ROW_BYTES)
            .op(Op.i32Add);
          code.get(ACTIVE).get(LIVE).index(Op.call, TOGETHER).op(Op.i32Eqz);
        } else code.get(LIVE).i32(node.sync.mask).op(Op.i32And).get(ACTIVE).i32(-1).op(Op.i32Xor).op(Op.i32And);
        code.open(Op.if);
        this.leave(code, node.pc, Status.Stopped);
        code.end();
        this.observe(code, ACTIVE, node.pc);
        this.count(code, 1);
        code.get(this.threads).get(ACTIVE).op(Op.i32Popcnt).op(Op.i32Add).set(this.threads);
        return;
      case "product": {
        this.observe(code, ACTIVE, node.pc);
        this.product(node.product);
        this.count(code, 1);
        code.get(this.threads).i32(32).op(Op.i32Add).set(this.threads);
        return;
      }
      case "branch":
        this.branch(node.pc, node.branch, depth, entry);
    }
  }

  /** The function of that name, one in the module. */
  private helper(name: string, make: () => Fn): number {
    let number = this.helpers.get(name);
    if (number === undefined) {
      number = FIRST_SEGMENT + this.functions.push(make()) - 1;
      this.helpers.set(name, number);
    }
    return number;
  }

  private product(p: Product): void {
    const { code } = this.fn;
    for (const f of [p.a, p.b]) this.factor(f);
    if (p.scaling !== undefined) this.scales(p.scaling, p.scales!);
    for (const f of [p.a, p.b]) code.i32(this.slots.slotOf(f).at);
    for (const at of [p.c, p.d]) code.get(BASE).i32(at).op(Op.i32Add);
    if (p.scaling !== undefined) for (const at of [0, ROWS_AT, COLUMNS_AT]) code.i32(SCALES + at);
    code.index(Op.call, this.productHelper(p));
    const first = p.d / ROW_BYTES;
    this.written((r) => r >= first && r < first + resultsOf(p));
  }

  private productHelper(p: Product): number {
    if (p.sums === "double")
      return this.helper(`product ${p.rows} ${p.depth} double`, () => doubleProduct(p.rows, p.depth, this.relaxed));
    const { quads } = p;
    if (quads !== undefined)
      return this.helper(`quads ${Object.values(quads).join()}`, () => quadProduct(quads, this.relaxed));
    const wide = (rows: number): number =>
      p.sums === "float" || p.sums === "half"
        ? this.helper(`wide ${rows} ${p.depth}`, () => wideFunction(rows, p.depth))
        : -1;
    const widths = [wide(16), wide(8)] as const;
    const scaling = p.scaling === undefined ? "" : `${p.scaling.blocks} ${p.scaling.powers}`;
    return this.helper(`product ${p.rows} ${p.pairs} ${p.depth} ${p.sums} ${scaling}`, () =>
      productFunction(p, widths, this.relaxed),
    );
  }

  private scales(scaling: Scaling, { a, b, where }: ScalesAt): void {
    const { code } = this.fn;
    for (const row of [a, b]) code.get(BASE).i32(row).op(Op.i32Add);
    code.get(BASE).memory(Op.i32Load, where).i32(SCALES);
    code.index(
      Op.call,
      this.helper(`scales ${scaling.blocks} ${scaling.powers}`, () => scalesFunction(scaling)),
    );
  }

  /** Takes a factor out of its registers, unless that has been done. */
  private factor(f: Factor): void {
    const { code } = this.fn;
    const { at, bit } = this.slots.slotOf(f);
    if (bit !== null)
      code
        .get(this.there)
        .i32(1 << bit)
        .op(Op.i32And)
        .op(Op.i32Eqz)
        .open(Op.if);
    const number = this.helper(`factor ${f.side} ${f.rows} ${f.depth} ${f.elements} ${f.selector} ${f.quads}`, () =>
      factorFunction(f),
    );
    code.get(BASE).i32(f.row).op(Op.i32Add).i32(at);
    if (f.elements !== "F64")
      code
        .get(BASE)
        .i32(f.meta ?? 0)
        .op(Op.i32Add);
    code.index(Op.call, number);
    if (bit === null) return;
    code
      .get(this.there)
      .i32(1 << bit)
      .op(Op.i32Or)
      .set(this.there);
    code.end();
  }

  /** Factors in these registers are no longer what lies in their slots. */
  private written(registers: (r: number) => boolean): void {
    const bits = this.slots.touchedBy(registers);
    if (bits !== 0) this.fn.code.get(this.there).i32(~bits).op(Op.i32And).set(this.there);
  }

  /** Ands the lanes on the stack with a predicate. */
  private and(code: Code, t: Test): void {
    code.get(BASE).memory(Op.i32Load, PREDICATES + 4 * t.index);
    if (t.not) code.i32(-1).op(Op.i32Xor);
    code.op(Op.i32And);
  }

  private branch(pc: number, b: Branch, depth: number, entry: ReadonlyMap<number, number>): void {
    const { code } = this.fn;
    const taken = this.temporary;
    const executed = (): void => {
      this.observe(code, ACTIVE, pc);
      this.count(code, 1);
      code.get(this.threads).get(this.mask).op(Op.i32Popcnt).op(Op.i32Add).set(this.threads);
    };
    code.get(ACTIVE);
    if (b.guard !== null) this.and(code, b.guard);
    code.tee(this.mask);
    for (const t of b.tests) this.and(code, t);
    code.tee(taken).get(ACTIVE).op(Op.i32Eq).open(Op.if);
    executed();
    const to = entry.get(b.target);
    if (to === undefined) this.leave(code, b.target, Status.Jumped);
    else {
      code.get(this.issued).get(LIMIT).op(Op.i32GeS).open(Op.if);
      this.leave(code, b.target, Status.Jumped);
      code.end();
      code
        .i32(to)
        .set(ENTRY)
        .index(Op.br, depth + 1);
    }
    code.end();
    if (!b.together) {
      code.get(taken).open(Op.if);
      this.leave(code, pc, Status.Stopped);
      code.end();
    }
    executed();
  }

  /** Tells of instructions that are done next, where the warp is looked at. `active`: the local that has the active lanes. */
  private observe(code: Code, active: number, ...pcs: readonly number[]): void {
    if (!this.isObserved) return;
    const id = this.observed.push(pcs) - 1;
    code
      .get(BASE)
      .memory(Op.i32Load, EXCHANGE + 4 * Exchange.observed)
      .open(Op.if)
      .i32(id)
      .get(active)
      .index(Op.call, Callee.observe)
      .end();
  }

  private count(code: Code, n: number): void {
    code.get(this.issued).i32(n).op(Op.i32Add).set(this.issued);
  }

  private leave(code: Code, pc: number, status: number): void {
    code
      .get(BASE)
      .i32(pc)
      .memory(Op.i32Store, EXCHANGE + 4 * Exchange.pc);
    code
      .get(BASE)
      .get(this.issued)
      .memory(Op.i32Store, EXCHANGE + 4 * Exchange.issued);
    code
      .get(BASE)
      .get(this.threads)
      .memory(Op.i32Store, EXCHANGE + 4 * Exchange.threads);
    code.i32(status).op(Op.return);
  }
}

/** Translates the blocks (first instruction, and the one after the last), in the order of the program. */
export function translate(
  program: Program,
  blocks: readonly (readonly [from: number, to: number])[],
  full: boolean,
  relaxed: boolean,
  observed: boolean,
  translation: (pc: number) => Translation | null,
  slot: (group: Group) => number,
  live: (register: number, pc: number) => boolean,
): Translated {
  const nodes: Node[] = [];
  blocks.forEach(([from, to], i) => {
    nodes.push(...nodesOf(program, from, to, full, observed, translation));
    if (blocks[i + 1]?.[0] !== to) nodes.push({ kind: "stop", pc: to, guard: null });
  });
  const writer = new Writer(nodes, full, relaxed, observed, slot, live);
  writer.write();
  const bytes = encodeModule(imports, [exactFma32x4(), togetherFunction(), ...writer.functions, writer.fn]);
  // A stop is no place to start: nothing would be done.
  return { bytes, entries: nodes.map((n) => (n.kind === "stop" ? -1 : n.pc)), observed: writer.observed };
}
