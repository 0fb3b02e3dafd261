/**
 * What the makers of instructions see: one decoded instruction, its operands by slot name, its modifiers. Every modifier
 * must be asked for, as must the part and the signs of every operand; what no maker asked for makes the instruction "not
 * supported", so nothing is silently ignored.
 */
import { File, Kind, type MachineInst, Mod, NO_INDEX, type Operand } from "../isa/operand.js";
import { f32OfBits, flush } from "./number/f32.js";
import { doubleOf } from "./number/f64.js";
import { Rounding } from "./number/rounding.js";
import type { Program } from "./program.js";
import { type Getter, high, type LaneFunction, type Source, stamp, type Target } from "./stamp.js";
import {
  type Exec,
  LANES,
  Step,
  TRASH_ROW,
  TRASH_UNIFORM,
  TRUE_PREDICATE,
  type Warp,
  ZERO_ROW,
  ZERO_UNIFORM,
} from "./state.js";

/** Thrown by makers, caught in build.ts: the instruction has something that has no meaning here. */
export class Unsupported extends Error {}

/** Turns an instruction into what runs it. */
export type Maker = (site: Site) => Exec;
export type Makers = Readonly<Record<string, Maker>>;

/** Modifiers without effect on results: caching, eviction, ordering (the simulator is sequentially consistent). */
const inert: ReadonlySet<string> = new Set(
  `E EF EL LU EU NA EFL2 ENL2 ELL2 RML2 LTC64B LTC128B LTC256B CONSTANT STRONG MMIO CTA SM GPU SYS PRIVATE VC reuse
   RELIABLE RECONVERGENT DEFER_BLOCKING NOINC NODEC`.split(/\s+/),
);

export interface Out {
  /** Type of the result in slot `d`; "none" when there is none. */
  readonly d: Target["type"];
  /** Slots of predicates: bit 0, 1 … of the function's value or of `high.word`. */
  readonly preds?: readonly string[];
  readonly ftz?: boolean;
  readonly sat?: boolean;
}

export class Site {
  private readonly unasked: Set<string>;
  /** Operands with a part or sign operations, by slot: as they are given to makers, which must look at these. */
  private readonly watched: Map<string, Operand> = new Map();

  constructor(
    readonly program: Program,
    /** Index in the program. */
    readonly index: number,
    /** Index of the first instruction of its function. */
    readonly first: number,
    readonly inst: MachineInst,
  ) {
    this.unasked = new Set(inst.form.mods.filter((m) => !inert.has(m)));
    const { form, dsts, srcs } = inst;
    form.srcs.forEach((slot, i) => {
      this.watch(slot.name, srcs[i]);
    });
    form.dsts.forEach((slot, i) => {
      this.watch(slot.name, dsts[i]);
    });
  }

  /** Notes the part and the signs of an operand as not asked for, until its maker reads them. */
  private watch(name: string, o: Operand | undefined): void {
    const { unasked } = this;
    if (o === undefined) return;
    const { part, mods } = o;
    // !PT is also how a predicate slot looks that has nothing to do (LOP3 without a predicate result).
    const isPredicate = o.kind === Kind.Reg && (o.file === File.P || o.file === File.UP);
    const signs = isPredicate && o.id < 0 ? 0 : mods & (Mod.Neg | Mod.Abs | Mod.Not);
    if (part === "" && signs === 0) return;
    const partText = `${part} on operand ${name}`;
    const signText = `a sign on operand ${name}`;
    if (part !== "") unasked.add(partText);
    if (signs !== 0) unasked.add(signText);
    this.watched.set(name, {
      ...o,
      get part(): string {
        unasked.delete(partText);
        return part;
      },
      get mods(): number {
        unasked.delete(signText);
        return mods;
      },
    });
  }

  // ------------------------------------------------------------------------------------------ modifiers

  has(mod: string): boolean {
    return this.unasked.delete(mod) || this.inst.form.mods.includes(mod);
  }

  /** The value of the one modifier of `table` that is present, else `otherwise`. */
  choose<T>(table: Readonly<Record<string, T>>, otherwise: T): T {
    for (const mod of this.inst.form.mods) {
      const value = table[mod];
      if (value !== undefined && Object.hasOwn(table, mod)) {
        this.unasked.delete(mod);
        return value;
      }
    }
    return otherwise;
  }

  rounding(): Rounding {
    return this.choose<Rounding>(Rounding, Rounding.RN);
  }

  /** For instructions that do nothing here, whatever their modifiers. */
  ignoreModifiers(): void {
    this.unasked.clear();
  }

  /** Modifiers, parts and signs of operands that no maker asked for. */
  leftover(): string[] {
    return [...this.unasked];
  }

  unsupported(what: string): never {
    throw new Unsupported(what);
  }

  // ------------------------------------------------------------------------------------------ operands

  /** The operand of a slot; null when the form has no such slot. */
  find(name: string): Operand | null {
    const watched = this.watched.get(name);
    if (watched !== undefined) return watched;
    const { form, dsts, srcs } = this.inst;
    const d = form.dsts.findIndex((s) => s.name === name);
    if (d >= 0) return dsts[d] ?? null;
    const s = form.srcs.findIndex((x) => x.name === name);
    return s >= 0 ? (srcs[s] ?? null) : null;
  }

  operand(name: string): Operand {
    const o = this.find(name) ?? this.unsupported(`no operand ${name}`);
    // Without an index the 16 bits of a distance reach the whole bank, though they are printed with a sign (asked: ptxas's code for 65532).
    const far = o.kind === Kind.Const && o.id >= 0 && o.index < 0 && o.value < 0;
    return far ? { ...o, value: o.value & 0xffff } : o;
  }

  /** An immediate operand as a signed 32-bit number. */
  imm(name: string, otherwise: number = 0): number {
    const o = this.find(name);
    if (o === null || o.kind === Kind.None) return otherwise;
    if (o.kind !== Kind.Imm) this.unsupported(`operand ${name} is no immediate`);
    return o.value | 0;
  }

  /** Lane index of the first lane of register `i` of a source operand. */
  row(o: Operand, i: number = 0): number {
    return (o.id < 0 ? ZERO_ROW : o.id + i) * LANES;
  }

  /** The same of a destination. */
  dstRow(o: Operand | null, i: number = 0): number {
    return (o === null || o.kind !== Kind.Reg || o.id < 0 ? TRASH_ROW + i : o.id + i) * LANES;
  }

  /** Index in `Warp.P` of a predicate operand (uniform ones from 8 on); 7 for PT or none. */
  pred(name: string): number {
    const o = this.find(name);
    if (o === null || o.kind !== Kind.Reg) return TRUE_PREDICATE;
    return (o.file === File.UP ? 8 : 0) + (o.id < 0 ? TRUE_PREDICATE : o.id);
  }

  /** A predicate source as a lane mask: `P[index] ^ flip`. Absent sources are true. */
  predMask(name: string): (warp: Warp) => number {
    const index = this.pred(name);
    const o = this.find(name);
    const flip = o !== null && (o.mods & Mod.Not) !== 0 ? -1 : 0;
    return (w) => w.P[index]! ^ flip;
  }

  /** A source that all lanes share, as a 32-bit word: immediate, constant, uniform register; null for an R register. */
  scalar(o: Operand, word: number = 0): Getter | null {
    switch (o.kind) {
      case Kind.Reg: {
        if (o.file === File.R) return o.id < 0 ? () => 0 : null;
        const u = o.id < 0 ? ZERO_UNIFORM : o.id + word;
        return (w) => w.U[u]!;
      }
      case Kind.Imm: {
        const value = word === 0 ? o.value | 0 : o.high | 0;
        return () => value;
      }
      case Kind.Const: {
        if (o.index !== NO_INDEX) this.unsupported("indexed constant operand");
        const bank = o.id;
        const at = (o.value >> 2) + word;
        return (w) => w.machine.banks[bank]?.[at] ?? 0;
      }
      case Kind.None:
        return () => 0;
      default:
        return this.unsupported("operand kind");
    }
  }

  private source(name: string, type: Source["type"], ftz: boolean, scalar: (o: Operand) => Getter | null): Source {
    const o = this.operand(name);
    if (o.part !== "" && o.part !== ".64") this.unsupported(`${o.part} on operand ${name}`);
    const get = scalar(o);
    return {
      type,
      row: get === null ? this.row(o) : 0,
      row2: get === null ? this.row(o, 1) : 0,
      scalar: get,
      high: type === "l" && get !== null ? (this.scalar(o, 1) ?? get) : null,
      neg: (o.mods & Mod.Neg) !== 0,
      abs: (o.mods & Mod.Abs) !== 0,
      not: (o.mods & Mod.Not) !== 0,
      ftz,
    };
  }

  int(name: string): Source {
    return this.source(name, "i", false, (o) => this.scalar(o));
  }

  /** The words of an operand without sign operations and whatever part of them is meant: the maker looks at both. */
  raw(name: string, word: number = 0): Source {
    const o = this.operand(name);
    const get = this.scalar(o, word);
    const row = get === null ? this.row(o, word) : 0;
    return { type: "i", row, row2: 0, scalar: get, high: null, neg: false, abs: false, not: false, ftz: false };
  }

  f32(name: string, ftz: boolean = false): Source {
    return this.source(name, "f", ftz, (o) => {
      const word = this.scalar(o);
      if (word === null) return null;
      if (o.kind !== Kind.Imm) return (w) => f32OfBits(word(w));
      const value = f32OfBits(o.value);
      return () => value;
    });
  }

  /** An f32 that is only moved: its bits. */
  bits(name: string, ftz: boolean = false): Source {
    return this.source(name, "b", ftz, (o) => this.scalar(o));
  }

  /** A double. */
  f64(name: string): Source {
    return this.source(name, "d", false, (o) => {
      if (o.kind === Kind.Imm) {
        const value = doubleOf(o.value, o.high);
        return () => value;
      }
      const lo = this.scalar(o);
      const hi = this.scalar(o, 1);
      return lo === null || hi === null ? null : (w) => doubleOf(lo(w), hi(w));
    });
  }

  /** A 64-bit integer; a 32-bit immediate is extended by its sign unless the slot says what stands above it. */
  long(name: string, extend: boolean = true): Source {
    const s = this.source(name, "l", false, (o) => this.scalar(o));
    const o = this.operand(name);
    if (o.kind === Kind.Imm && extend) return { ...s, high: () => o.value >> 31 };
    return s;
  }

  /** A predicate source as 0 or 1; true when the form has no such slot. */
  flag(name: string): Source {
    const o = this.find(name);
    const index = this.pred(name);
    const not = o !== null && (o.mods & Mod.Not) !== 0;
    const uniform = index >= 8 || (index === TRUE_PREDICATE && this.uniform);
    const scalar: Getter | null = uniform ? (w) => (not ? ~w.P[index]! : w.P[index]!) & 1 : null;
    return { type: "p", row: index, row2: 0, scalar, high: null, neg: false, abs: false, not, ftz: false };
  }

  /** A number known now. */
  constant(value: number): Source {
    const scalar = (): number => value;
    return { type: "i", row: 0, row2: 0, scalar, high: null, neg: false, abs: false, not: false, ftz: false };
  }

  // ------------------------------------------------------------------------------------------ results

  /** Does it run once for the warp, on uniform registers? */
  get uniform(): boolean {
    return this.inst.form.dsts.some((s) => s.file === File.UR || s.file === File.UP);
  }

  /** The instruction that applies `f` to every active lane (or once, for the uniform datapath). */
  lanes(f: LaneFunction, sources: readonly Source[], out: Out): Exec {
    const preds = (out.preds ?? []).map((p) => this.pred(p));
    if (this.uniform) return this.once(f, sources, out, preds);
    const d = out.d === "none" ? null : this.operand("d");
    if (d !== null && d.kind === Kind.Reg && d.file !== File.R) this.unsupported("mixed register files");
    const target: Target = {
      type: out.d,
      row: this.dstRow(d),
      row2: this.dstRow(d, 1),
      ftz: out.ftz ?? false,
      sat: out.sat ?? false,
      preds,
    };
    return stamp(f, target, sources);
  }

  private once(f: LaneFunction, sources: readonly Source[], out: Out, preds: readonly number[]): Exec {
    if (out.d === "d") this.unsupported("a result of 64 bits in floating point of the uniform datapath");
    const getters: Getter[] = [];
    for (const s of sources) {
      if (s.scalar === null) this.unsupported("a vector register in the uniform datapath");
      const fetch = modified(s, s.scalar);
      getters.push(...fetch);
    }
    const u = this.uniformDst("d");
    const u2 = u + 1;
    const { ftz = false, sat = false } = out;
    const args = new Array<number>(getters.length);
    return (w) => {
      for (let i = 0; i < getters.length; i++) args[i] = getters[i]!(w);
      const r = f(...args);
      if (out.d !== "none") {
        w.U[u] = out.d === "f" ? bitsOfResult(ftz ? flush(r) : r, sat) : r;
        if (out.d === "w") w.U[u2] = high.word;
      }
      const bits = out.d === "none" ? r : high.word;
      for (let i = 0; i < preds.length; i++) if ((preds[i]! & 7) !== 7) w.P[preds[i]!] = -((bits >>> i) & 1);
      return Step.Next;
    };
  }

  /** Index in `Warp.U` of a uniform destination. */
  uniformDst(name: string): number {
    const o = this.find(name);
    return o === null || o.kind !== Kind.Reg || o.id < 0 ? TRASH_UNIFORM : o.id;
  }

  /** What a register jump is relative to, as an index: a label, or the next instruction and a distance. */
  origin(): number {
    const o = this.find("target") ?? this.operand("off");
    return o.kind === Kind.Label ? this.target(o) : this.index + 1 + ((o.value | 0) >> 4);
  }

  /** Byte address of a label operand in its function → index in the program. */
  target(o: Operand): number {
    if (o.kind !== Kind.Label) this.unsupported("jump without a label");
    return this.first + o.value / 16;
  }
}

const single: Float32Array = new Float32Array(1);
const singleBits: Int32Array = new Int32Array(single.buffer);

/** What an f32 result leaves in a register: no number is the canonical one, and saturates to +0. */
function bitsOfResult(x: number, sat: boolean): number {
  single[0] = sat ? (x > 0 ? Math.min(x, 1) : 0) : x;
  return Number.isNaN(x) && !sat ? 0x7fffffff : singleBits[0]!;
}

/** Getters of a scalar source with its sign operations applied. */
function modified(s: Source, get: Getter): Getter[] {
  if (s.type === "l") {
    const hi = s.high!;
    if (s.not) return [(w) => ~get(w), (w) => ~hi(w)];
    if (s.neg) return [(w) => -get(w) | 0, (w) => (~hi(w) + (get(w) === 0 ? 1 : 0)) | 0];
    return [get, hi];
  }
  if (s.type === "p") return [get];
  let out = get;
  if (s.type === "b") {
    if (s.ftz) throw new Unsupported("subnormals of a uniform operand");
    const [clear, flip] = [s.abs ? 0x7fffffff : -1, s.neg ? 0x80000000 : 0];
    return [(w) => (get(w) & clear) ^ flip];
  }
  if (s.type === "f" || s.type === "d") {
    if (s.ftz) out = (w) => flush(get(w));
    const x = out;
    if (s.abs) return [s.neg ? (w) => -Math.abs(x(w)) : (w) => Math.abs(x(w))];
    return [s.neg ? (w) => -x(w) : x];
  }
  if (s.abs) {
    const x = out;
    out = (w) => Math.abs(x(w)) | 0;
  }
  if (s.neg) {
    const x = out;
    out = (w) => -x(w) | 0;
  }
  if (s.not) {
    const x = out;
    out = (w) => ~x(w);
  }
  return [out];
}
