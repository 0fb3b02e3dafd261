/**
 * Operands, guards and control bits of an instruction: the shapes shared by the IR, the encoder, the decoder and the
 * text form.
 */

import type { Form, SlotInfo } from "./types.js";
import * as types from "./types.js";

// Of its own: what CommonJS passes on from another module is a getter.
export const File: typeof types.File = types.File;
export type File = types.File;

/** Kinds of operands. Numbers, because passes switch on them in loops (style.md §22). */
export const Kind = {
  /** Slot absent in this encoding (a descriptor on sm_75). */
  None: 0,
  /** Register: `file`, `id`, `sub`, `width`. */
  Reg: 1,
  /** Immediate: `value` (u32 bit pattern, low half), `high` (upper half of a 64-bit literal). */
  Imm: 2,
  /**
   * Constant bank: `c[id][value]`; `file`/`index` name an index register (`c[0x3][R2+0x10]`). With `id` −1 the uniform
   * register stands for bank and base: `cx[UR4][0x10]`.
   */
  Const: 3,
  /** Code label: `id` is a block id (before encoding) or `value` a byte address (decoded code). */
  Label: 4,
  /** Special register (S2R, CS2R): `id` is its hardware index. */
  Sreg: 5,
  /** Symbol: `sym` is its name, `value` an addend; `part` says which half (`32@lo`, `32@hi`) when it is an address. */
  Sym: 6,
} as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

/** `id` of the hard-wired register of a file: RZ, URZ, PT, UPT. Printed by name, encoded as the all-ones value. */
export const ZERO_REG = -1 as const;

/** Operand modifiers, a bit set. */
export const Mod = {
  /** The value with the other sign. */
  Neg: 1,
  /** The value without its sign. */
  Abs: 2,
  /** The value with all bits inverted; of predicates the negation. */
  Not: 4,
  /** The register stays in the operand cache for the next instruction. */
  Reuse: 8,
  /** A descriptor that sm_80 to 89 leave out of the text unless a bit of the word says otherwise. */
  Shown: 16,
} as const;

/**
 * One shape for all kinds, so that accesses stay monomorphic. Made by the constructors of `operand.ts` only, and never
 * shared between two slots.
 */
export interface Operand {
  /** What the operand is: register, immediate, constant … */
  kind: Kind;
  /** Register file; none for other kinds. */
  file: File;
  /** Consecutive registers read or written: 1, 2, 3, 4, 8… */
  width: number;
  /** Register number (virtual value id, or physical number), constant bank, block id, special register. */
  id: number;
  /** First register of a multi-register value that is meant: 0 … width of the value − 1. Always 0 when physical. */
  sub: number;
  /** Immediate bits, byte offset of a constant or symbol; unsigned 32 bits for immediates. */
  value: number;
  /** Upper 32 bits of a 64-bit immediate. */
  high: number;
  /** Mod bits. */
  mods: number;
  /** Part selector, printed after the operand: "" | ".H0_H0" | ".H1_H1" | ".B1" | ".64" | "32@lo" … */
  part: string;
  /** Index register inside a constant operand, null-like −2 when absent. */
  index: number;
  /** Name of the symbol, "" for other kinds. */
  sym: string;
}

/** `index` of an operand without index register. */
export const NO_INDEX = -2 as const;

/** Execution guard `@P0` / `@!UP1`. */
export interface Guard {
  /** P or UP. */
  file: File;
  /** Register number in the file. */
  id: number;
  /** The instruction executes where the predicate is false. */
  not: boolean;
}

/** The 21 scheduling bits of a machine word (measured on ptxas 13.0.88). */
export interface Control {
  /** Cycles until the next instruction of the warp may issue, 0…15. */
  stall: number;
  /** The raw bit 109 (active low: 0 lets the scheduler switch away). */
  yield: number;
  /** Scoreboard set when the result is written, 0…5, 7 none. */
  writeSb: number;
  /** Scoreboard set when the operands have been read, 0…5, 7 none. */
  readSb: number;
  /** Scoreboards to wait for, bit n = SBn. */
  wait: number;
  /** Reuse-cache flags, bit n = source slot n. Kept on the operands as Mod.Reuse too when decoded. */
  reuse: number;
}

/** What text, encoder and decoder need of an instruction; `Inst` of the IR is one. */
export interface MachineInst {
  /** Opcode with its modifiers. */
  form: Form;
  /** One operand per definition slot. */
  dsts: Operand[];
  /** One operand per source slot. */
  srcs: Operand[];
  /** The predicate under which it executes; null for always. */
  guard: Guard | null;
  /** Its scheduling bits; null before the control pass. */
  control: Control | null;
  /** What PTX said that the form does not tell. */
  said?: Said | undefined;
}

/**
 * `volatile`: an access of shared memory that is neither repeated, left out, joined nor moved past others (accesses of global memory
 * say it in their form). `barrier`: a NOP in place of the warp's barrier, which no access is moved past. `contract`: a product or sum without rounding modifier, which may be fused with one that allows it, too.
 * `kept`: a copy that ptxas 13.0.88 keeps even onto its own register (what makes a generic address of a shared one, and the reverse); nobody reads
 * past it; a PRMT that narrows to 16 bits after 32 (`narrowed`), which extensions by sign alone read past. `apart`: a copy that nobody reads past, gone where both are one register. `own`: a sum, or the lower half of one, that does
 * not go into the product or shift before it (`mad.wide`, the upper word of `mul.lo.s64`, in ptxas 13.0.88's code). `rounded`: a product with a literal whose rounding PTX names, a product there
 * even where the literal is one. `part`: a byte or half of a vector that was loaded whole; ptxas leaves it a PRMT, where a mask becomes a LOP3.
 * `straight`: a comparison of `set` or of a saturating conversion, which does not become its opposite and is not joined with the logic that it tests.
 */
export const saids = [
  "volatile",
  "barrier",
  "contract",
  "kept",
  "apart",
  "own",
  "rounded",
  "part",
  "straight",
] as const;
/** One of `saids`. */
export type Said = (typeof saids)[number];

/** Slot of a register that an instruction reads or writes without naming it: predicates under a mask (P2R, R2P). */
export const IMPLICIT = -2;

/** A fresh operand; the only literal of this shape in this component (the IR's constructors are in `lib/ori/operand.ts`). */
export function makeOperand(kind: Kind, file: File, width: number, id: number, value: number): Operand {
  return { kind, file, width, id, sub: 0, value, high: 0, mods: 0, part: "", index: NO_INDEX, sym: "" };
}

/** What a slot holds when nothing is written for it; `Kind.None` when it has no default. */
export function defaultOperand(optional: SlotInfo["optional"], file: File, width: number): Operand {
  switch (optional) {
    case "none":
    case null:
      return makeOperand(Kind.None, File.None, 0, 0, 0);
    case "PT":
    case "RZ":
    case "URZ":
      return makeOperand(Kind.Reg, file, width, ZERO_REG, 0);
    case "!PT": {
      const o = makeOperand(Kind.Reg, file, width, ZERO_REG, 0);
      o.mods = Mod.Not;
      return o;
    }
    default:
      return makeOperand(Kind.Imm, File.None, 1, 0, Number(optional));
  }
}

/** Does the operand say no more than the slot's default does? */
export function isDefault(o: Operand, optional: SlotInfo["optional"]): boolean {
  if (o.kind === Kind.None) return true;
  if (optional === "none") return false;
  if (o.kind === Kind.Reg) {
    if (o.id !== ZERO_REG) return false;
    const not = (o.mods & Mod.Not) !== 0;
    if (o.file === File.P || o.file === File.UP) return not === (optional === "!PT");
    // RZ is the number 0.
    return !not && !(Number(optional) > 0);
  }
  return o.kind === Kind.Imm && o.value === (Number(optional) || 0);
}

/** A code address of any size: beyond 53 bits `value` is rounded and `high` holds the lowest 32 bits. */
export function addressOf(o: Operand): bigint {
  if (Number.isSafeInteger(o.value)) return BigInt(o.value);
  const near = BigInt(o.value);
  return near + BigInt.asIntN(32, BigInt(o.high) - near);
}

export function setAddress(o: Operand, address: bigint): void {
  o.value = Number(address);
  o.high = Number.isSafeInteger(o.value) ? 0 : Number(BigInt.asUintN(32, address));
}

/** A number of up to 64 bits; with `high` 0, that of 32 bits. */
export function numberOf(o: Operand, signed: boolean): bigint {
  if (o.high === 0) return BigInt(signed ? o.value | 0 : o.value);
  const v = (BigInt(o.high) << 32n) | BigInt(o.value);
  return signed ? BigInt.asIntN(64, v) : v;
}

export function setNumber(o: Operand, v: bigint, signed: boolean): void {
  o.value = Number(BigInt.asUintN(32, v));
  const short = signed ? BigInt.asIntN(32, v) === v : BigInt.asUintN(32, v) === v;
  o.high = short ? 0 : Number(BigInt.asUintN(32, v >> 32n));
}
