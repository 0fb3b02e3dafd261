/** Registers of one word, and words of wider ones, read as pairs: what is one already, and what can become one by its name alone. */
import { clone, imm, imm64, indexOf, isReg, isZeroReg, RZ, register, sameOperand } from "../ori/operand.js";
import { File, type Func, Kind, Mod, type Operand } from "../ori/types.js";
import { alignmentOf } from "../ori/verify/physical.js";

/** Who names the registers of a function. */
export class Names {
  /** How often each predicate is read, guards included. */
  readonly reads: Map<number, number> = new Map();
  private readonly func: Func;
  /** Where each register of one word that is bound to none is named. */
  private readonly words: Map<number, Operand[]> = new Map();
  /** The constants `c[bank][R+offset]` that each register indexes. */
  private readonly indexed: Map<number, Operand[]> = new Map();
  /** Words of wider registers that are named at all. */
  private readonly parts: Set<number> = new Set();
  /** Pairs whose upper word is never anything but zero. */
  private readonly extended: Set<number> = new Set();

  constructor(func: Func) {
    this.func = func;
    const bound: number[] = [];
    for (const block of func.blocks)
      for (const inst of block.insts) {
        for (const o of [...inst.dsts, ...inst.srcs]) if (isReg(o) && o.file === File.R && !isZeroReg(o)) this.note(o);
        for (const o of inst.srcs) {
          if (isReg(o) && o.file === File.P) this.read(o.id);
          this.noteIndex(o);
        }
        if (inst.guard !== null && inst.guard.file === File.P) this.read(inst.guard.id);
        for (const o of [...(inst.passed?.uses ?? []), ...(inst.passed?.defs ?? [])]) bound.push(o.id);
      }
    for (const id of bound) this.words.delete(id);
  }

  private read(id: number): void {
    this.reads.set(id, (this.reads.get(id) ?? 0) + 1);
  }

  private note(o: Operand): void {
    for (let k = 0; k < o.width; k++) this.parts.add(o.id * 256 + o.sub + k);
    const { values } = this.func;
    if (values.width(o.id) !== 1 || values.fixed(o.id) >= 0) return;
    const all = this.words.get(o.id);
    if (all === undefined) this.words.set(o.id, [o]);
    else all.push(o);
  }

  /** An index is a register by its name alone, so that it may become a lower word and no upper one. */
  private noteIndex(o: Operand): void {
    const index = indexOf(o);
    if (index === null || index.file !== File.R) return;
    this.parts.add(index.id * 256);
    this.indexed.set(index.id, [...(this.indexed.get(index.id) ?? []), o]);
  }

  /** The register is one word that may become a half of a pair, the lower one. */
  free(o: Operand): boolean {
    return half(o) && this.words.has(o.id);
  }

  /** The same, the upper one. */
  freeAbove(o: Operand): boolean {
    return this.free(o) && !this.indexed.has(o.id);
  }

  /** The register is, or may become, the lower word of a pair with zero above. */
  extends(o: Operand): boolean {
    return this.free(o) || (half(o) && o.sub === 0 && this.extended.has(o.id));
  }

  /** The register is named `to` from now on, everywhere. */
  become(o: Operand, id: number, sub: number): void {
    // The operand itself is one of those that get the new name.
    const old = o.id;
    const [all, indexed] = [this.words.get(old) ?? [], this.indexed.get(old) ?? []];
    this.words.delete(old);
    this.indexed.delete(old);
    for (const each of all) {
      each.id = id;
      each.sub = sub;
    }
    for (const each of indexed) each.index = id;
  }

  /** Makes one pair of two words that are free, or of one above or below nothing; false: they are not free any more. */
  pair({ pair, lo, hi }: Loose): boolean {
    const known = pairOf(lo, hi, false);
    if (known === null) {
      if (zero(hi) && half(lo) && this.extended.has(lo.id)) {
        pair.id = lo.id;
        pair.sub = 0;
        return true;
      }
      const words = [lo, hi].filter((o) => !zero(o));
      if (!words.every((o) => (o === lo ? this.free(o) : this.freeAbove(o))) || (words.length === 2 && lo.id === hi.id))
        return false;
      const id = this.func.values.add(File.R, 2);
      if (!zero(lo)) this.become(lo, id, 0);
      if (!zero(hi)) this.become(hi, id, 1);
      else this.extended.add(id);
      pair.id = id;
      pair.sub = 0;
      return true;
    }
    pair.id = known.id;
    pair.sub = known.sub;
    return true;
  }

  /** The pair whose lower word the register is, when its upper word means nothing; null: there is none. */
  widened(o: Operand): Operand | null {
    if (this.free(o)) {
      const id = this.func.values.add(File.R, 2);
      this.become(o, id, 0);
      return register(File.R, id, 2);
    }
    const upper = o.sub + 1;
    if (o.sub % alignmentOf(2) !== 0 || upper >= this.func.values.width(o.id)) return null;
    return this.parts.has(o.id * 256 + upper) ? null : register(File.R, o.id, 2, o.sub);
  }
}

export const zero = (o: Operand): boolean => o.mods === 0 && (isZeroReg(o) || (o.kind === Kind.Imm && o.value === 0));
export const absent = (o: Operand | undefined): boolean => o === undefined || o.kind === Kind.None || isZeroReg(o);
export const half = (o: Operand): boolean => isReg(o) && !isZeroReg(o) && o.width === 1 && o.part === "";

/** A 64-bit operand from its halves; null: they are none. Of a number `any` takes all, else only one that its lower half gives with its sign. */
export function pairOf(lo: Operand, hi: Operand, any: boolean): Operand | null {
  if (isZeroReg(lo) && isZeroReg(hi) && lo.file === File.R && lo.mods === 0 && hi.mods === 0) return RZ(2);
  const [low, high] = [numberOf(lo), numberOf(hi)];
  if (low !== null && high !== null) {
    if (low === 0 && high === 0) return RZ(2);
    return any || high === ((low | 0) >> 31) >>> 0 ? imm64(low, high) : null;
  }
  if (!half(lo) || !half(hi) || lo.file !== hi.file || lo.id !== hi.id) return null;
  if (hi.sub !== lo.sub + 1 || lo.sub % alignmentOf(2) !== 0) return null;
  const negative = lo.mods === Mod.Neg && hi.mods === Mod.Not;
  if (!negative && (lo.mods !== 0 || hi.mods !== 0)) return null;
  const pair = register(lo.file, lo.id, 2, lo.sub);
  return negative ? { ...pair, mods: Mod.Neg } : pair;
}

function numberOf(o: Operand): number | null {
  if (o.kind === Kind.Imm && o.mods === 0) return o.value;
  return isZeroReg(o) && (o.file === File.R || o.file === File.UR) && o.mods === 0 ? 0 : null;
}

/** The lower word of an operand of two. */
export function lowerHalf(o: Operand): Operand {
  if (o.kind === Kind.Imm) return imm(o.value);
  return isZeroReg(o) ? RZ() : { ...clone(o), width: 1 };
}

export const equal = (a: Operand, b: Operand): boolean => (zero(a) && zero(b)) || sameOperand(a, b);

/** A pair that is to be made of two words; an upper one that is zero has to be written. */
export interface Loose {
  readonly pair: Operand;
  readonly lo: Operand;
  readonly hi: Operand;
}

/** Reads halves as pairs, and those that can become pairs, too. */
export class Pairs {
  readonly loose: Loose[] = [];
  private readonly names: Names | null;

  /** Without `names` only what is a pair already. */
  constructor(names: Names | null) {
    this.names = names;
  }

  of(lo: Operand, hi: Operand, any: boolean): Operand | null {
    return pairOf(lo, hi, any) ?? this.made(lo, hi, !zero(lo) && zero(hi));
  }

  /** Of a result whose lower half is not read as well. */
  result(lo: Operand, hi: Operand): Operand | null {
    return pairOf(lo, hi, false) ?? this.made(lo, hi, isZeroReg(lo));
  }

  private made(lo: Operand, hi: Operand, one: boolean): Operand | null {
    const { names } = this;
    const mods = lo.mods === Mod.Neg && hi.mods === Mod.Not ? Mod.Neg : lo.mods | hi.mods;
    if (names === null || (mods !== 0 && mods !== Mod.Neg) || (mods !== 0 && lo.mods === 0)) return null;
    const words = [lo, hi].filter((o) => !zero(o));
    const may = (o: Operand): boolean =>
      o.file === File.R && (o === hi ? names.freeAbove(o) : one && !zero(lo) ? names.extends(o) : names.free(o));
    if (words.length !== (one ? 1 : 2) || !words.every(may)) return null;
    const pair = { ...register(File.R, words[0]!.id, 2), mods };
    this.loose.push({ pair, lo, hi });
    return pair;
  }
}
