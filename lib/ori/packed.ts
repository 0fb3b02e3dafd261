/**
 * ptxas's packed operands, two 32-bit words each, as the wiki describes them (pages 12 and 13).
 * ptxlab does not work on them; the codec serves dumps that are to look like ptxas's and the study of its structures.
 *
 *     word 0   31 sign | 30:28 type | 27:20 modifiers | 19:0 index
 *     word 1   31:25 extended modifiers (26 absolute value, 25 reuse or negation) | 24 constant bank | 23:0 auxiliary
 *
 * `FADD R3, R1, R2` holds the operands 10000003/0, 10000001/0, 10000002/0.
 *
 * Types as page 13 lists them. What the pages leave open is decided here: inversion is modifier bit 0 (the wiki gives
 * the eight modifier bits no meaning), an immediate above 20 bits has its upper 12 bits in the auxiliary field, a
 * constant's offset is the index and its bank the auxiliary field. `unpackOperand` reads what `packOperand` writes.
 */
import { InternalError } from "../errors.js";
import { constBank, imm, register } from "./operand.js";
import { File, Kind, Mod, NO_INDEX, type Operand, ZERO_REG } from "./types.js";

/** Types of packed operands, as page 13 numbers them. */
export const PackedType = {
  /** No operand. */
  Unused: 0,
  /** A register of file R. */
  Register: 1,
  /** A register of file P or UP. */
  Predicate: 2,
  /** A uniform register. */
  Uniform: 3,
  /** An address; page 13 names it, the codec writes none. */
  Address: 4,
  /** A word of a constant bank. */
  Symbol: 5,
  /** A guard; page 13 names it, the codec writes none. */
  Guard: 6,
  /** A number. */
  Immediate: 7,
} as const;

/** An operand as ptxas packs it. */
export interface PackedOperand {
  /** Sign, type, modifiers and index. */
  readonly word0: number;
  /** Extended modifiers, constant bank and auxiliary field. */
  readonly word1: number;
}

/** Indices of the hard-wired registers inside ptxas's IR (page 15): RZ and URZ, PT and UPT. */
const ZERO_INDEX = 1023;
const TRUE_INDEX = 31;

const indexBits = 20;
const indexMask = 0xfffff;
const constBankFlag = 0x1000000;
const reuseFlag = 0x2000000;
const absFlag = 0x4000000;
const auxMask = 0xffffff;

function registerType(file: File): number {
  switch (file) {
    case File.R:
      return PackedType.Register;
    case File.P:
    case File.UP:
      return PackedType.Predicate;
    case File.UR:
      return PackedType.Uniform;
    default:
      throw new InternalError("packed operands have no type for this register file");
  }
}

/**
 * Packs a register (of R, UR, P, UP; width and sub-register are not part of it), a 32-bit immediate or a constant.
 * Throws InternalError for anything else and for numbers that do not fit.
 */
export function packOperand(o: Operand): PackedOperand {
  const flags = (o.mods & Mod.Abs ? absFlag : 0) | (o.mods & Mod.Reuse ? reuseFlag : 0);
  const sign = o.mods & Mod.Neg ? 1 : 0;
  const mods = o.mods & Mod.Not ? 1 : 0;
  const word0 = (type: number, index: number): number => {
    if (index < 0 || index > indexMask) throw new InternalError(`packed operands cannot hold index ${index}`);
    return ((sign << 31) | (type << 28) | (mods << 20) | index) >>> 0;
  };
  switch (o.kind) {
    case Kind.None:
      return { word0: 0, word1: 0 };
    case Kind.Reg: {
      const type = registerType(o.file);
      const zero = type === PackedType.Predicate ? TRUE_INDEX : ZERO_INDEX;
      // Uniform predicates share the type of predicates; the auxiliary field tells them apart.
      const aux = o.file === File.UP ? 1 : 0;
      return { word0: word0(type, o.id === ZERO_REG ? zero : o.id), word1: (flags | aux) >>> 0 };
    }
    case Kind.Imm:
      return {
        word0: word0(PackedType.Immediate, o.value & indexMask),
        word1: (flags | (o.value >>> indexBits)) >>> 0,
      };
    case Kind.Const:
      if (o.index !== NO_INDEX) throw new InternalError("packed operands cannot hold an indexed constant");
      return { word0: word0(PackedType.Symbol, o.value), word1: (flags | constBankFlag | (o.id & auxMask)) >>> 0 };
    default:
      throw new InternalError("packed operands cannot hold this kind of operand");
  }
}

/** The operand of two packed words; null for types that `packOperand` does not make. */
export function unpackOperand({ word0, word1 }: PackedOperand): Operand | null {
  const o = unpackPlain(word0, word1);
  if (o === null || o.kind === Kind.None) return o;
  o.mods =
    ((word0 >>> 31) & 1 ? Mod.Neg : 0) |
    ((word0 >>> 20) & 1 ? Mod.Not : 0) |
    (word1 & absFlag ? Mod.Abs : 0) |
    (word1 & reuseFlag ? Mod.Reuse : 0);
  return o;
}

function unpackPlain(word0: number, word1: number): Operand | null {
  const index = word0 & indexMask;
  const aux = word1 & auxMask;
  const id = (zero: number): number => (index === zero ? ZERO_REG : index);
  switch ((word0 >>> 28) & 7) {
    case PackedType.Unused:
      return { ...imm(0), kind: Kind.None, width: 0 };
    case PackedType.Register:
      return register(File.R, id(ZERO_INDEX));
    case PackedType.Predicate:
      return register(aux === 1 ? File.UP : File.P, id(TRUE_INDEX));
    case PackedType.Uniform:
      return register(File.UR, id(ZERO_INDEX));
    case PackedType.Immediate:
      return imm(((aux << indexBits) | index) >>> 0);
    case PackedType.Symbol:
      return (word1 & constBankFlag) !== 0 ? constBank(aux, index) : null;
    default:
      return null;
  }
}
