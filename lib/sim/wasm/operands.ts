/** Operands of instructions as vectors, with their sign operations. */
import { File, Kind, Mod, NO_INDEX, type Operand } from "../../isa/operand.js";
import type { Site } from "../site.js";
import { Untranslated, type V, type Value } from "./emission.js";
import { BANK_ROOM, BANKS } from "./layout.js";
import { Op } from "./opcodes.js";
import { Registers } from "./registers.js";

export class Operands extends Registers {
  /** Constant banks that must have so many bytes. */
  readonly banks: Map<number, number> = new Map();

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
}
