/** The orders in which the sources of a pattern may stand in an instruction, and which of them can hold at all. */
import type { Form } from "../isa/types.js";
import { isReg, isZeroReg } from "../ori/operand.js";
import { slotDefault } from "../ori/slots.js";
import { File, type Inst, Kind, Mod, type Operand } from "../ori/types.js";
import { type Combining, unused } from "./combining.js";
import type { Mods, PatternInst, PatternOperand } from "./syntax.js";

/** Sources that may change places, by opcode; of sums with carries and of LOP3, whose table would change with them, none. */
const commuting: Readonly<Record<string, readonly number[]>> = {
  IADD3: [0, 1, 2],
  IMAD: [0, 1],
  FADD: [0, 1],
  FMUL: [0, 1],
  FFMA: [0, 1],
  DADD: [0, 1],
  DMUL: [0, 1],
  DFMA: [0, 1],
  HADD2: [0, 1],
  HMUL2: [0, 1],
  HFMA2: [0, 1],
  IMNMX: [0, 1],
  VIMNMX: [0, 1],
  VIMNMX3: [0, 1, 2],
  FMNMX: [0, 1],
  FMNMX3: [0, 1, 2],
  VABSDIFF: [0, 1],
  VIADDMNMX: [0, 1],
};

/** Tables of LOP3 under which the first two inputs may change places. */
const symmetric: ReadonlySet<number> = new Set([0xc0, 0xfc, 0x3c, 0x03, 0x3f, 0xc3]);

const orders: Readonly<Record<number, readonly (readonly number[])[]>> = {
  2: [
    [0, 1],
    [1, 0],
  ],
  3: [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ],
};

/** Places of sources, in every order in which the form may have them. */
export function permutations(f: Form, srcs: readonly PatternOperand[]): readonly (readonly number[])[] {
  const own = srcs.map((_, k) => k);
  let places = f.mods.includes("X") ? undefined : commuting[f.op];
  if (/^[IFD]SETP\.(EQ|NE|EQU|NEU)\b/.test(f.name)) places = [0, 1];
  if (f.op === "LOP3") {
    const table = srcs[3];
    const value = table?.is === "literal" && table.value.is === "number" ? table.value.value : -1;
    if (symmetric.has(value)) places = [0, 1];
  }
  if (places === undefined || places.some((k) => k >= srcs.length)) return [own];
  return orders[places.length]!.map((order) => {
    const all = own.slice();
    places.forEach((k, n) => {
      all[k] = places[order[n]!]!;
    });
    return all;
  });
}

/** What is asked of a pattern again and again, found once. */
interface Known {
  readonly orders: readonly (readonly number[])[];
  /** Default of each slot whose pattern is the default, otherwise null. */
  readonly defaults: readonly (Operand | null)[];
}

const known = new WeakMap<PatternInst, Known>();

function knownOf(p: PatternInst): Known {
  let k = known.get(p);
  if (k === undefined) {
    const defaults = p.srcs.map((s, n) => (s.is === "default" ? slotDefault(p.form.srcs[n]!) : null));
    k = { orders: permutations(p.form, p.srcs), defaults };
    known.set(p, k);
  }
  return k;
}

/** As `permutations`, of a pattern. */
export function ordersOf(p: PatternInst): readonly (readonly number[])[] {
  return knownOf(p).orders;
}

export function modBits(m: Mods): number {
  return m === "-" ? Mod.Neg : m === "~" || m === "!" ? Mod.Not : m === "|" ? Mod.Abs : 0;
}

/**
 * Whether the sources of the instruction, in this order, can be what the pattern asks, each looked at by itself and nothing bound:
 * what fails here fails in every match, and most of what is tried does.
 */
export function mayHold(p: PatternInst, inst: Inst, order: readonly number[], c: Combining): boolean {
  return mayHoldIn(p, knownOf(p), inst, order, c);
}

/** As `mayHold` in any order. */
export function mayHoldAtAll(p: PatternInst, inst: Inst, c: Combining): boolean {
  const known = knownOf(p);
  for (const order of known.orders) if (mayHoldIn(p, known, inst, order, c)) return true;
  return false;
}

function mayHoldIn(p: PatternInst, { defaults }: Known, inst: Inst, order: readonly number[], c: Combining): boolean {
  for (let k = 0; k < order.length; k++)
    if (!operandMayHold(p.srcs[k]!, inst.srcs[order[k]!] as Operand, defaults[k]!, c)) return false;
  return true;
}

function operandMayHold(p: PatternOperand, o: Operand, absent: Operand | null, c: Combining): boolean {
  switch (p.is) {
    case "default":
      return isDefault(o, absent!);
    case "zero":
      return isZeroPattern(p, o, c);
    case "literal": {
      const value = c.literal(o);
      return value !== null && (p.name !== null || (p.value.is === "number" && p.value.value === value));
    }
    case "inner":
      return innerMayHold(p, o, c);
    default:
      if (o.kind === Kind.None || o.kind === Kind.Label || o.kind === Kind.Sym) return false;
      return p.mods === "any" || (o.part === "" && o.mods === modBits(p.mods));
  }
}

function innerMayHold(p: PatternOperand & { is: "inner" }, o: Operand, c: Combining): boolean {
  if (!isReg(o) || o.part !== "" || o.mods !== modBits(p.mods)) return false;
  const inst = c.made(o);
  if (inst === null || inst.form.name !== p.inst.form.name || !hasOneResult(inst) || !(p.shared || c.once(o)))
    return false;
  return mayHoldAtAll(p.inst, inst, c);
}

/** RZ, or a literal of that value; PT, `!PT`; `-RZ`. */
export function isZeroPattern(p: PatternOperand & { is: "zero" }, o: Operand, c: Combining): boolean {
  if (p.predicate) return isZeroReg(o) && o.file === File.P && ((o.mods & Mod.Not) !== 0) === p.not;
  if (p.not) return isZeroReg(o) && o.mods === Mod.Neg;
  // RZ is the zero of any width.
  return o.mods === 0 && (isZeroReg(o) || c.literal(o) === 0);
}

/** The operand is what the slot holds where the text leaves it out. */
export function isDefault(o: Operand, absent: Operand): boolean {
  if (absent.kind === Kind.None) return o.kind === Kind.None;
  if (absent.kind === Kind.Imm) return o.kind === Kind.Imm && o.value === absent.value;
  return isZeroReg(o) && o.mods === absent.mods;
}

/** One result of the instruction is read, and one alone. */
export function hasOneResult(inst: Inst): boolean {
  let n = 0;
  for (const d of inst.dsts) if (!unused(d)) n++;
  return n === 1;
}
