/**
 * A segment: instructions of one basic block, as one WebAssembly function. It does eight times the same for four lanes, with the
 * registers that it touches in locals; what it writes goes to memory at the end of each round.
 *
 * Nothing is written before it is certain that no access faults: the addresses of all accesses come from registers as they are
 * before the segment, and are tested for all lanes first. Lanes see each other only through memory; a segment that stores
 * to a space has no other access to it (segments.ts cuts), so that the order "lane after lane" is that of the instructions.
 *
 * Code goes to three places: the prologue (uniform registers, constants; once), the body (four lanes), the commit (what
 * the round writes). Uniform instructions are vectors of equal lanes in the prologue, so both datapaths share one meaning.
 */
import { File, Kind, type MachineInst, Mod, NO_INDEX, type Operand } from "../../isa/operand.js";
import type { Site } from "../site.js";
import { ZERO_ROW } from "../state.js";
import { Code, Fn, Type } from "./encoder.js";
import { BANK_ROOM, BANKS, CONVERGENCE, PREDICATES, ROW_BYTES, UNIFORM } from "./layout.js";
import { Op } from "./opcodes.js";

/** A local of type v128. */
export type V = number;

/** A value of four lanes: made when it is first asked for, in the forms in which it is asked for. */
export interface Value {
  readonly id: number;
  /** Its bits. */
  word: V | null;
  readonly make: () => V;
  /** An f32 whose NaNs may have any payload: float operations may use it instead of the bits. */
  readonly float: V | null;
  /** As two vectors of f64. */
  wide: readonly [V, V] | null;
  readonly makeWide: (() => readonly [V, V]) | null;
  /** Made in the prologue: the same in all rounds. */
  readonly fixed: boolean;
}

/**
 * How FMAs are done: with one instruction of the processor; quickly, noting lanes that may be wrong; exactly. "short": as quickly, and those of f64 as
 * product and sum, where the factors have few enough bits.
 */
export type FmaMode = "relaxed" | "short" | "quick" | "exact";

/** Numbers of the functions that segments call. */
export const Callee = { find: 0, fma64: 1, log2: 2, exp2: 3, sin: 4, cos: 5, tanh: 6, fma32x4: 7 } as const;

export const BASE = 0;
export const ACTIVE = 1;

const LOW_PAIR = [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23];
const HIGH_PAIR = [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31];
const EVEN_WORDS = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];
const ODD_WORDS = [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31];
const LOW_HALVES = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
const UPPER = [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15];

/** Upper words, less 1, of the least f64 that is normal as an f32 with room to spare, and of 2^128. */
const TINY = ((1023 - 125) << 20) - 1;
const HUGE = ((1023 + 128) << 20) - 2;

/** Upper words of the least and the greatest factor of a short product. */
const SHORT_LEAST = (1023 - 480) << 20;
const SHORT_MOST = (1023 + 480) << 20;

/** Thrown for what is not translated; the instruction runs as before. */
export class Untranslated extends Error {}

export class Segment {
  readonly fn: Fn = new Fn([Type.i32, Type.i32], [Type.i32]);
  readonly prologue: Code = new Code();
  /** Where instructions go now. */
  out: Code = new Code();
  /** Address of the round's four lanes in register 0, and the number of its first lane. */
  readonly row: number = this.fn.local(Type.i32);
  readonly shift: number = this.fn.local(Type.i32);
  readonly count: number = this.fn.local(Type.i32);
  readonly risk: V = this.fn.local(Type.v128);
  /** Least and greatest of what was noted of the f64 sums that were rounded to f32: lanes 0 and 1, lanes 2 and 3 (float.ts). */
  readonly least: readonly [V, V] = [this.fn.local(Type.v128), this.fn.local(Type.v128)];
  readonly most: readonly [V, V] = [this.fn.local(Type.v128), this.fn.local(Type.v128)];
  /** Lanes of the running instruction; null: all. */
  mask: V | null = null;
  /** The running instruction is one of the uniform datapath. */
  uniform: boolean = false;
  /** Some operation of the body may be wrong where `risk` says so. */
  risky: boolean = false;
  /** f64 sums are rounded to f32. */
  private rounds = false;
  /** Of factors of short products: least and greatest, and all their bits. */
  private short: { readonly least: V; readonly most: V; readonly bits: V } | null = null;

  private ids = 0;
  private regs = new Map<number, Value>();
  private preds = new Map<number, V>();
  private longs = new Map<string, readonly [V, V]>();
  private doubles = new Map<string, readonly [V, V]>();
  private active: V | null = null;
  readonly writtenPreds: Set<number> = new Set();
  private readonly ownUniform = new Map<number, V>();
  private readonly ownUniformPreds = new Map<number, V>();
  private readonly constants = new Map<string, Value>();
  private readonly given = new Map<string, number>();
  private commits: (() => void)[] = [];
  /** Predicates as lane masks on the way out. */
  private readonly predicateOut = new Map<number, number>();
  /** Threads: instructions of all active lanes, under a predicate as it came in, under a mask of the body. */
  private plain = 0;
  private readonly underGiven = new Map<string, { index: number; not: boolean; n: number }>();
  private underMask = new Map<V, number>();
  private readonly underUniform: { mask: V }[] = [];
  /** What emitters keep for a round, and addresses of copies of rows, for all. */
  round: Map<string, unknown> = new Map();
  readonly lasting: Map<string, number> = new Map();
  /** Registers and predicates of which the value before the segment was asked for. */
  readonly touched: Set<string> = new Set();
  /** Constant banks that must have so many bytes. */
  readonly banks: Map<number, number> = new Map();

  constructor(
    /** All 32 lanes are active. */
    readonly full: boolean,
    public fma: FmaMode,
  ) {}

  /** As if nothing had been emitted, for what is seen of instructions; its code is of no use any more. */
  forget(): void {
    this.touched.clear();
    this.lasting.clear();
    this.banks.clear();
    this.risky = false;
  }

  // ------------------------------------------------------------------------------------------ code

  local(type: Type = Type.v128): number {
    return this.fn.local(type);
  }

  /** Applies an instruction to vectors. */
  v(op: number, ...args: readonly number[]): V {
    for (const a of args) this.out.get(a);
    const d = this.local();
    this.out.op(op).set(d);
    return d;
  }

  /** A shift by a constant. */
  shifted(op: number, a: V, n: number): V {
    const d = this.local();
    this.out.get(a).i32(n).op(op).set(d);
    return d;
  }

  shuffled(a: V, b: V, bytes: readonly number[]): V {
    const d = this.local();
    this.out.get(a).get(b).shuffle(bytes).set(d);
    return d;
  }

  /** A vector of four words known now. */
  words(a: number, b: number = a, c: number = a, d: number = a): V {
    return this.value(this.fixedWords(a, b, c, d));
  }

  private fixedWords(a: number, b: number, c: number, d: number): Value {
    return this.fixed(`w${a | 0},${b | 0},${c | 0},${d | 0}`, (code) => code.words(a, b, c, d));
  }

  /** A pair of f64. */
  f64s(x: number): V {
    const bits = new Int32Array(Float64Array.of(x).buffer);
    return this.words(bits[0]!, bits[1]!, bits[0]!, bits[1]!);
  }

  /** An f32 in all lanes. */
  f32s(x: number): V {
    return this.words(new Int32Array(Float32Array.of(x).buffer)[0]!);
  }

  /** A vector that the prologue makes. */
  private fixed(key: string, make: (code: Code) => Code): Value {
    let known = this.constants.get(key);
    if (known === undefined) {
      const d = this.local();
      make(this.prologue).set(d);
      known = this.newValue(d, true);
      this.constants.set(key, known);
    }
    return known;
  }

  /** Runs `emit` with its code in the prologue. */
  inPrologue<T>(emit: () => T): T {
    const { out } = this;
    this.out = this.prologue;
    const result = emit();
    this.out = out;
    return result;
  }

  // ------------------------------------------------------------------------------------------ values

  newValue(word: V, fixed: boolean = this.out === this.prologue): Value {
    return { id: this.ids++, word, make: () => word, float: null, wide: null, makeWide: null, fixed };
  }

  lazy(make: () => V, float: V | null = null, makeWide: (() => readonly [V, V]) | null = null): Value {
    return { id: this.ids++, word: null, make, float, wide: null, makeWide, fixed: this.out === this.prologue };
  }

  /** A float result: NaNs become the canonical one when its bits are asked for. */
  floatValue(float: V): Value {
    return this.lazy(
      () => this.v(Op.bitselect, this.words(0x7fffffff), float, this.v(Op.f32x4Ne, float, float)),
      float,
    );
  }

  value(x: Value): V {
    x.word ??= x.fixed ? this.inPrologue(x.make) : x.make();
    return x.word;
  }

  float(x: Value): V {
    return x.float ?? this.value(x);
  }

  /** The f32 as f64: lanes 0 and 1, lanes 2 and 3. */
  promoted(x: Value): readonly [V, V] {
    if (x.wide !== null) return x.wide;
    const make = (): readonly [V, V] => {
      if (x.makeWide !== null) return x.makeWide();
      const f = this.float(x);
      return [this.v(Op.f64x2Promote, f), this.v(Op.f64x2Promote, this.shuffled(f, f, UPPER))];
    };
    x.wide = x.fixed ? this.inPrologue(make) : make();
    return x.wide;
  }

  /** Two vectors of f64 rounded to f32. */
  demoted(low: V, high: V): V {
    return this.shuffled(this.v(Op.f32x4Demote, low), this.v(Op.f32x4Demote, high), LOW_HALVES);
  }

  lowHalves(a: V, b: V): V {
    return this.shuffled(a, b, LOW_HALVES);
  }

  evenWords(a: V, b: V): V {
    return this.shuffled(a, b, EVEN_WORDS);
  }

  oddWords(a: V, b: V): V {
    return this.shuffled(a, b, ODD_WORDS);
  }

  // ------------------------------------------------------------------------------------------ registers

  private given32(key: string, offset: number): number {
    let local = this.given.get(key);
    if (local === undefined) {
      local = this.local(Type.i32);
      this.prologue.get(BASE).memory(Op.i32Load, offset).set(local);
      this.given.set(key, local);
    }
    return local;
  }

  /** A word of the warp's exchange area, as a scalar. */
  exchange(offset: number): number {
    return this.given32(`x${offset}`, offset);
  }

  reg(n: number): Value {
    if (n < 0) return this.fixedWords(0, 0, 0, 0);
    if (this.uniform) throw new Untranslated("a vector register in the uniform datapath");
    let known = this.regs.get(n);
    if (known === undefined) {
      this.touched.add(`R${n}`);
      const d = this.local();
      this.out
        .get(this.row)
        .memory(Op.load, n * ROW_BYTES)
        .set(d);
      known = this.newValue(d);
      this.regs.set(n, known);
    }
    return known;
  }

  /** Offset of a register's 32 lanes in the warp's state; nobody has written it in this segment. */
  rowOf(n: number): number {
    if (n >= 0) this.touched.add(`R${n}`);
    return (n < 0 ? ZERO_ROW : n) * ROW_BYTES;
  }

  ureg(n: number): Value {
    if (n < 0) return this.fixedWords(0, 0, 0, 0);
    const own = this.ownUniform.get(n);
    if (own !== undefined) return this.fixed(`o${own}`, (code) => code.get(own));
    this.touched.add(`U${n}`);
    return this.fixed(`u${n}`, (code) => code.get(BASE).memory(Op.load32Splat, UNIFORM + 4 * n));
  }

  /** Lane 0 of a vector of the prologue, as a scalar local. */
  scalarOf(v: V): number {
    const d = this.local(Type.i32);
    this.prologue.get(v).lane(Op.i32x4Extract, 0).set(d);
    return d;
  }

  private merged(next: V, before: () => V): V {
    return this.mask === null ? next : this.v(Op.bitselect, next, before(), this.mask);
  }

  /** Writes a register under the mask of the running instruction. */
  setReg(n: number, x: Value): void {
    if (n < 0) return;
    if (this.uniform) {
      const own = this.merged(this.value(x), () => this.value(this.ureg(n)));
      this.ownUniform.set(n, own);
      return;
    }
    this.regs.set(n, this.mask === null ? x : this.newValue(this.merged(this.value(x), () => this.value(this.reg(n)))));
  }

  /** The destination `o` and the registers that follow. */
  setDst(o: Operand | null, ...values: readonly Value[]): void {
    if (o === null || o.kind !== Kind.Reg || o.id < 0) return;
    if ((o.file === File.UR) !== this.uniform) throw new Untranslated("mixed register files");
    values.forEach((x, i) => {
      this.setReg(o.id + i, x);
    });
  }

  /** A pair of 64-bit integers (or the bits of doubles) as a destination. */
  setLong(o: Operand | null, pair: readonly [V, V]): void {
    const low = this.lazy(() => this.evenWords(pair[0], pair[1]));
    const high = this.lazy(() => this.oddWords(pair[0], pair[1]));
    this.longs.set(`${low.id}:${high.id}`, pair);
    this.setDst(o, low, high);
  }

  /** A pair of doubles as a destination; NaNs become the canonical one when their bits are asked for. */
  setDouble(o: Operand | null, pair: readonly [V, V]): void {
    let bits: readonly [V, V] | null = null;
    const canonical = (): readonly [V, V] => {
      const nan = this.words(0, -0x80000, 0, -0x80000);
      bits ??= [
        this.v(Op.bitselect, nan, pair[0], this.v(Op.f64x2Ne, pair[0], pair[0])),
        this.v(Op.bitselect, nan, pair[1], this.v(Op.f64x2Ne, pair[1], pair[1])),
      ];
      return bits;
    };
    const low = this.lazy(() => this.evenWords(...(canonical() as [V, V])));
    const high = this.lazy(() => this.oddWords(...(canonical() as [V, V])));
    this.doubles.set(`${low.id}:${high.id}`, pair);
    this.setDst(o, low, high);
  }

  long(low: Value, high: Value): readonly [V, V] {
    const key = `${low.id}:${high.id}`;
    let known = this.longs.get(key);
    if (known === undefined) {
      const make = (): readonly [V, V] => {
        const [l, h] = [this.value(low), this.value(high)];
        return [this.shuffled(l, h, LOW_PAIR), this.shuffled(l, h, HIGH_PAIR)];
      };
      known = low.fixed && high.fixed ? this.inPrologue(make) : make();
      this.longs.set(key, known);
    }
    return known;
  }

  double(low: Value, high: Value): readonly [V, V] {
    return this.doubles.get(`${low.id}:${high.id}`) ?? this.long(low, high);
  }

  // ------------------------------------------------------------------------------------------ predicates

  /** Lanes as a vector mask, from a scalar lane mask. */
  expanded(mask: number): V {
    const d = this.local();
    const bits = this.words(1, 2, 4, 8);
    this.out.get(mask).get(this.shift).op(Op.i32ShrU).op(Op.i32x4Splat).get(bits).op(Op.and).get(bits);
    this.out.op(Op.i32x4Eq).set(d);
    return d;
  }

  /** The predicate as a lane mask before the segment. */
  givenPredicate(p: number): number {
    this.touched.add(p >= 8 ? `UP${p - 8}` : `P${p}`);
    return this.given32(`p${p}`, PREDICATES + 4 * p);
  }

  /** Predicate `index` of Warp.P (uniform ones from 8 on) as a vector mask. */
  pred(index: number): V {
    if ((index & 7) === 7) return this.words(-1);
    if (index >= 8) {
      const own = this.ownUniformPreds.get(index);
      if (own !== undefined) return own;
      this.touched.add(`UP${index - 8}`);
      return this.value(
        this.fixed(`p${index}`, (code) => code.get(BASE).memory(Op.load32Splat, PREDICATES + 4 * index)),
      );
    }
    if (this.uniform) throw new Untranslated("a vector predicate in the uniform datapath");
    let known = this.preds.get(index);
    if (known === undefined) {
      known = this.expanded(this.givenPredicate(index));
      this.preds.set(index, known);
    }
    return known;
  }

  setPred(index: number, v: V): void {
    if ((index & 7) === 7) return;
    if (index >= 8) {
      if (!this.uniform) throw new Untranslated("a uniform predicate of a vector instruction");
      this.ownUniformPreds.set(
        index,
        this.merged(v, () => this.pred(index)),
      );
      return;
    }
    if (this.uniform) throw new Untranslated("a vector predicate in the uniform datapath");
    const next = this.merged(v, () => this.pred(index));
    this.writtenPreds.add(index);
    this.preds.set(index, next);
  }

  /** Active lanes of the round. */
  activeLanes(): V {
    this.active ??= this.expanded(ACTIVE);
    return this.active;
  }

  // ------------------------------------------------------------------------------------------ operands

  operand(o: Operand, word: number = 0): Value {
    switch (o.kind) {
      case Kind.Reg:
        if (o.file === File.R) return this.reg(o.id < 0 ? -1 : o.id + word);
        if (o.file === File.UR) return this.ureg(o.id < 0 ? -1 : o.id + word);
        throw new Untranslated("register file");
      case Kind.Imm: {
        const x = word === 0 ? o.value | 0 : o.high | 0;
        return this.fixedWords(x, x, x, x);
      }
      case Kind.Const: {
        if (o.index !== NO_INDEX) throw new Untranslated("indexed constant operand");
        const at = (o.value & ~3) + 4 * word;
        if (o.id < 0 || o.id > 31 || at < 0 || at + 4 > BANK_ROOM) throw new Untranslated("constant bank");
        return this.constant(o.id, at, Op.load32Splat);
      }
      case Kind.None:
        return this.fixedWords(0, 0, 0, 0);
      default:
        throw new Untranslated("operand kind");
    }
  }

  constant(bank: number, at: number, op: number): Value {
    return this.fixed(`c${bank},${at},${op}`, (code) => code.i32(0).memory(op, BANKS + bank * BANK_ROOM + at));
  }

  /** The segment runs only where the bank has that many bytes. */
  requireBank(bank: number, bytes: number): void {
    this.banks.set(bank, Math.max(bytes, this.banks.get(bank) ?? 0));
  }

  /** Reads part and signs of an operand, which marks them as looked at; other parts than these have no translation. */
  private plainPart(o: Operand): void {
    if (o.part !== "" && o.part !== ".64") throw new Untranslated("operand part");
  }

  /** A 32-bit integer with its sign operations. */
  int(s: Site, name: string): V {
    const o = s.operand(name);
    this.plainPart(o);
    let x = this.value(this.operand(o));
    if (o.mods & Mod.Abs) x = this.v(Op.i32x4Abs, x);
    if (o.mods & Mod.Neg) x = this.v(Op.i32x4Neg, x);
    if (o.mods & Mod.Not) x = this.v(Op.not, x);
    return x;
  }

  /** The words of an operand; its signs are for the caller. */
  raw(s: Site, name: string, word: number = 0): Value {
    const o = s.operand(name);
    this.plainPart(o);
    return this.operand(o, word);
  }

  /** Low and high words of a 64-bit integer. */
  pairOf(s: Site, name: string, extend: boolean = true): readonly [Value, Value] {
    const o = s.operand(name);
    this.plainPart(o);
    const signs = o.mods & (Mod.Neg | Mod.Not);
    const low = this.operand(o);
    let high = this.operand(o, 1);
    if (o.kind === Kind.Imm && extend) {
      const x = o.value >> 31;
      high = this.fixedWords(x, x, x, x);
    }
    if (signs === 0) return [low, high];
    const [l, h] = [this.value(low), this.value(high)];
    if (o.mods & Mod.Not) return [this.newValue(this.v(Op.not, l)), this.newValue(this.v(Op.not, h))];
    const borrow = this.v(Op.i32x4Eq, l, this.words(0));
    return [this.newValue(this.v(Op.i32x4Neg, l)), this.newValue(this.v(Op.i32x4Sub, this.v(Op.not, h), borrow))];
  }

  /** Subnormals to zeros of the same sign. */
  flushed(x: V): V {
    const tiny = this.v(Op.f32x4Lt, this.v(Op.f32x4Abs, x), this.words(0x00800000));
    return this.v(Op.andnot, x, this.v(Op.and, tiny, this.words(0x7fffffff)));
  }

  /** An f32 with its sign operations; NaNs may have any payload. */
  f32(s: Site, name: string, ftz: boolean = false): Value {
    const o = s.operand(name);
    this.plainPart(o);
    const x = this.operand(o);
    if (!ftz && (o.mods & (Mod.Abs | Mod.Neg)) === 0) return x;
    let v = this.float(x);
    if (ftz) v = this.flushed(v);
    if (o.mods & Mod.Abs) v = this.v(Op.f32x4Abs, v);
    if (o.mods & Mod.Neg) v = this.v(Op.f32x4Neg, v);
    return this.newValue(v);
  }

  /** The bits of an f32 that is only moved. */
  bits(s: Site, name: string, ftz: boolean = false): V {
    const o = s.operand(name);
    this.plainPart(o);
    let v = this.value(this.operand(o));
    if (ftz) v = this.flushed(v);
    if (o.mods & Mod.Abs) v = this.v(Op.and, v, this.words(0x7fffffff));
    if (o.mods & Mod.Neg) v = this.v(Op.xor, v, this.words(0x80000000));
    return v;
  }

  /** A double with its sign operations. */
  f64(s: Site, name: string): readonly [V, V] {
    const o = s.operand(name);
    this.plainPart(o);
    let [a, b] = this.double(this.operand(o), this.operand(o, 1));
    if (o.mods & Mod.Abs) [a, b] = [this.v(Op.f64x2Abs, a), this.v(Op.f64x2Abs, b)];
    if (o.mods & Mod.Neg) [a, b] = [this.v(Op.f64x2Neg, a), this.v(Op.f64x2Neg, b)];
    return [a, b];
  }

  /** A predicate source as a vector mask; true when the form has no such slot. */
  flag(s: Site, name: string): V {
    const o = s.find(name);
    const index = s.pred(name);
    const not = o !== null && (o.mods & Mod.Not) !== 0;
    if ((index & 7) === 7) return this.words(not ? 0 : -1);
    const v = this.pred(index);
    return not ? this.v(Op.not, v) : v;
  }

  /** Is the predicate source a constant? */
  knownFlag(s: Site, name: string): boolean | null {
    const o = s.find(name);
    return (s.pred(name) & 7) !== 7 ? null : !(o !== null && (o.mods & Mod.Not) !== 0);
  }

  // ------------------------------------------------------------------------------------------ rounds

  /** Does something with effect at the end of the round, when nothing can go wrong any more. */
  commit(emit: () => void): void {
    this.commits.push(emit);
  }

  /** Before a round that may be wrong in some lanes. */
  startRisk(out: Code): void {
    out.words(0, 0, 0, 0).set(this.risk);
    if (this.rounds) for (const x of this.least) out.words(-1, -1, -1, -1).set(x);
    if (this.rounds) for (const x of this.most) out.words(-1, -1, -1, -1).set(x);
    if (this.short === null) return;
    out.words(-1, -1, -1, -1).tee(this.short.least).set(this.short.most);
    out.words(0, 0, 0, 0).set(this.short.bits);
  }

  /** Segments with short products are tried without them where these have failed. */
  get hasShort(): boolean {
    return this.short !== null;
  }

  /** Leaves on the stack whether some factor makes short products wrong: of lanes that take no part, too. */
  private endShort(out: Code, { least, most, bits }: { least: V; most: V; bits: V }): void {
    const wrong = [
      this.v(Op.i32x4LtU, least, this.words(0, SHORT_LEAST, 0, SHORT_LEAST)),
      this.v(Op.i32x4GtS, most, this.words(0x7fffffff, SHORT_MOST, 0x7fffffff, SHORT_MOST)),
      this.v(Op.and, bits, this.words(0x07ffffff, 0, 0x07ffffff, 0)),
    ];
    out
      .get(wrong.reduce((x, y) => this.v(Op.or, x, y)))
      .op(Op.anyTrue)
      .op(Op.i32Or);
  }

  /** Notes a factor of a product that is to be exact: at most 26 bits long, and zero or of a size that nothing over- or underflows. */
  noteShort(x: V): void {
    this.risky = true;
    this.short ??= { least: this.local(), most: this.local(), bits: this.local() };
    const key = `short ${x}`;
    if (this.round.has(key)) return;
    this.round.set(key, true);
    const { least, most, bits } = this.short;
    this.out.get(bits).get(x).op(Op.or).set(bits);
    // Less 1, so that zero is none of the small ones.
    const size = this.v(Op.i64x2Sub, this.v(Op.f64x2Abs, x), this.words(1, 0, 1, 0));
    this.out.get(least).get(size).op(Op.i32x4MinU).set(least);
    this.out.get(most).get(size).op(Op.i32x4MaxS).set(most);
  }

  /** Leaves on the stack whether some lane of the round may be wrong. */
  endRisk(out: Code): void {
    const after = this.out;
    this.out = out;
    let { risk } = this;
    if (this.rounds) {
      const halves = [0, 1].map((i) =>
        this.v(
          Op.or,
          this.v(Op.i32x4LtU, this.least[i]!, this.words(1, TINY, 1, TINY)),
          this.v(Op.i32x4GtS, this.most[i]!, this.words(0x7fffffff, HUGE, 0x7fffffff, HUGE)),
        ),
      ) as [V, V];
      risk = this.v(Op.or, risk, this.v(Op.or, this.evenWords(...halves), this.oddWords(...halves)));
    }
    out.get(risk);
    if (!this.full) out.get(this.activeLanes()).op(Op.and);
    out.op(Op.anyTrue);
    if (this.short !== null && this.fma === "short") this.endShort(out, this.short);
    this.out = after;
  }

  /**
   * The f64 sums of lanes 0 and 1 (`half` 0) or 2 and 3 rounded to 24 bits, as f64. Notes where that is not the f32 of the exact sum: where the
   * sum lies midway, or the f32 is subnormal.
   */
  roundedToSingle(half: 0 | 1, sum: V): () => V {
    this.risky = true;
    this.rounds = true;
    // Half a unit more, and cut: away from zero where the sum lies midway, which is noted.
    const more = this.v(Op.i64x2Add, sum, this.words(0x10000000, 0, 0x10000000, 0));
    const parts = this.v(Op.and, more, this.words(0x1fffffff, 0x7fffffff, 0x1fffffff, 0x7fffffff));
    // The upper word less 1: zero is none of the small ones.
    const noted = this.v(Op.i32x4Add, parts, this.words(0, -1, 0, -1));
    this.out.get(this.least[half]!).get(noted).op(Op.i32x4MinU).set(this.least[half]!);
    return () => {
      // What is too large for an f32 is noted where it is not made one.
      this.out.get(this.most[half]!).get(noted).op(Op.i32x4MaxS).set(this.most[half]!);
      return this.v(Op.and, more, this.words(-0x20000000, -1, -0x20000000, -1));
    };
  }

  /** Starts the code of a round. */
  startRound(fma: FmaMode): void {
    this.fma = fma;
    this.out = new Code();
    this.regs = new Map();
    this.preds = new Map();
    this.active = null;
    this.commits = [];
    this.underMask = new Map();
    this.underGiven.clear();
    this.underUniform.length = 0;
    this.plain = 0;
    this.writtenPreds.clear();
    this.round = new Map();
    this.ownUniform.clear();
    this.ownUniformPreds.clear();
  }

  /** Sets the mask of an instruction and counts its threads. */
  startInstruction(inst: MachineInst, uniform: boolean): void {
    const { guard } = inst;
    this.uniform = uniform;
    this.mask = null;
    const index = guard === null ? 7 : (guard.file === File.UP ? 8 : 0) + (guard.id < 0 ? 7 : guard.id);
    const not = guard?.not ?? false;
    if (index === 15 || (index === 7 && not)) throw new Untranslated("guard");
    if (index === 7) this.plain++;
    else if (index >= 8) {
      const own = this.ownUniformPreds.get(index);
      if (own === undefined) this.underGivenPredicate(index, not);
      else this.underUniform.push({ mask: not ? this.inPrologue(() => this.v(Op.not, own)) : own });
    } else if (!this.writtenPreds.has(index)) this.underGivenPredicate(index, not);
    const active = (): V | null => (this.full || uniform ? null : this.activeLanes());
    if (index === 7) {
      this.mask = active();
      return;
    }
    if (uniform) {
      this.inPrologue(() => {
        const p = this.pred(index);
        this.mask = not ? this.v(Op.not, p) : p;
      });
      return;
    }
    const key = `m${this.pred(index)},${not}`;
    let m = this.round.get(key) as V | undefined;
    if (m === undefined) {
      const p = this.pred(index);
      const lanes = active();
      if (lanes === null) m = not ? this.v(Op.not, p) : p;
      else m = not ? this.v(Op.andnot, lanes, p) : this.v(Op.and, lanes, p);
      this.round.set(key, m);
    }
    this.mask = m;
    if (index < 8 && this.writtenPreds.has(index)) this.underMask.set(m, (this.underMask.get(m) ?? 0) + 1);
  }

  private underGivenPredicate(index: number, not: boolean): void {
    const key = `${index}${not}`;
    const known = this.underGiven.get(key);
    if (known) known.n++;
    else this.underGiven.set(key, { index, not, n: 1 });
  }

  /** Stores a register that has been written in this round. */
  writeBack(n: number): void {
    const v = this.value(this.regs.get(n)!);
    this.out
      .get(this.row)
      .get(v)
      .memory(Op.store, n * ROW_BYTES);
  }

  /** Code of the round's writes, of these registers among them, after what has been emitted since `startRound`. */
  finishRound(registers: ReadonlySet<number> = new Set()): Code {
    for (const emit of this.commits) emit();
    for (const n of registers) this.writeBack(n);
    for (const p of this.writtenPreds) {
      let out = this.predicateOut.get(p);
      if (out === undefined) {
        out = this.local(Type.i32);
        this.predicateOut.set(p, out);
      }
      this.out.get(out).get(this.preds.get(p)!).op(Op.i32x4Bitmask).get(this.shift).op(Op.i32Shl).op(Op.i32Or).set(out);
    }
    for (const [m, n] of this.underMask) {
      this.out.get(this.count).get(m).op(Op.i32x4Bitmask).op(Op.i32Popcnt);
      if (n > 1) this.out.i32(n).op(Op.i32Mul);
      this.out.op(Op.i32Add).set(this.count);
    }
    return this.out;
  }

  /** Stores a lane mask into the rows of a convergence barrier. */
  setConvergence(barrier: number, mask: V): void {
    const offset = CONVERGENCE + barrier * ROW_BYTES;
    this.commit(() => {
      const next = this.full
        ? mask
        : (() => {
            const old = this.local();
            this.out.get(this.row).memory(Op.load, offset).set(old);
            return this.v(Op.bitselect, mask, old, this.activeLanes());
          })();
      this.out.get(this.row).get(next).memory(Op.store, offset);
    });
  }

  /** After the rounds: uniform registers, predicates, the number of threads. */
  epilogue(): Code {
    this.out = new Code();
    const { out } = this;
    for (const [n, v] of this.ownUniform)
      out
        .get(BASE)
        .get(v)
        .lane(Op.i32x4Extract, 0)
        .memory(Op.i32Store, UNIFORM + 4 * n);
    for (const [p, v] of this.ownUniformPreds)
      out
        .get(BASE)
        .get(v)
        .lane(Op.i32x4Extract, 0)
        .memory(Op.i32Store, PREDICATES + 4 * p);
    for (const [p, local] of this.predicateOut)
      out
        .get(BASE)
        .get(local)
        .memory(Op.i32Store, PREDICATES + 4 * p);
    out.get(this.count);
    const add = (n: number): void => {
      out.op(Op.i32Popcnt);
      if (n > 1) out.i32(n).op(Op.i32Mul);
      out.op(Op.i32Add);
    };
    if (this.plain > 0) {
      out.get(ACTIVE);
      add(this.plain);
    }
    for (const { index, not, n } of this.underGiven.values()) {
      const p = this.givenPredicate(index);
      out.get(ACTIVE).get(p);
      if (not) out.i32(-1).op(Op.i32Xor);
      out.op(Op.i32And);
      add(n);
    }
    for (const { mask } of this.underUniform) {
      out.get(ACTIVE).get(mask).lane(Op.i32x4Extract, 0).op(Op.i32And);
      add(1);
    }
    return out;
  }
}
