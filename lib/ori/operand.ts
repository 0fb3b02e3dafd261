/**
 * Constructors of operands. Every operand has the same fields in the same order, so that the engine sees one shape;
 * nobody writes the literal by hand. A constructor always makes a fresh object: operands are edited in place by
 * renaming and must not be shared between slots.
 */
import { File, Kind, Mod, NO_INDEX, type Operand, ZERO_REG } from "./types.js";

function make(kind: Kind, file: File, width: number, id: number, value: number): Operand {
  return { kind, file, width, id, sub: 0, value, high: 0, mods: 0, part: "", index: NO_INDEX, sym: "" };
}

// Where the fields of values have held something that is no number, the engine keeps small numbers in the operand itself; where
// they have held numbers alone, the first large one changes the shape of all operands, and each has a box for its value from then on.
Object.assign(make(Kind.None, File.None, 0, 0, 0), { value: "", high: "" });

/** A register of any file: `width` consecutive registers of value `id`, starting at its register `sub`. */
export function register(file: File, id: number, width = 1, sub = 0): Operand {
  const o = make(Kind.Reg, file, width, id, 0);
  o.sub = sub;
  return o;
}

/** General register(s) R. */
export function reg(id: number, width = 1, sub = 0): Operand {
  return register(File.R, id, width, sub);
}

/** Uniform register(s) UR. */
export function ureg(id: number, width = 1, sub = 0): Operand {
  return register(File.UR, id, width, sub);
}

/** Predicate P. */
export function preg(id: number): Operand {
  return register(File.P, id);
}

/** Uniform predicate UP. */
export function upreg(id: number): Operand {
  return register(File.UP, id);
}

/** Convergence barrier B. */
export function breg(id: number): Operand {
  return register(File.B, id);
}

/** RZ: reads zero in every one of `width` registers, writes are lost. */
export function RZ(width = 1): Operand {
  return reg(ZERO_REG, width);
}

/** The uniform zero register, `width` registers wide. */
export function URZ(width = 1): Operand {
  return ureg(ZERO_REG, width);
}

/** The predicate that is always true. */
export function PT(): Operand {
  return preg(ZERO_REG);
}

/** The uniform predicate that is always true. */
export function UPT(): Operand {
  return upreg(ZERO_REG);
}

/** The predicate that is always false, `!PT`. */
export function notPT(): Operand {
  return not(PT());
}

/** 32-bit immediate; signed or unsigned, kept as an unsigned bit pattern. */
export function imm(value: number): Operand {
  return make(Kind.Imm, File.None, 1, 0, value >>> 0);
}

const scratch = new DataView(new ArrayBuffer(8));

/** Immediate with the bits of a 32-bit float (rounded to nearest). */
export function immF32(value: number): Operand {
  scratch.setFloat32(0, value, true);
  return imm(scratch.getUint32(0, true));
}

/** 64-bit immediate from its halves; forms that hold only the upper half (f64 arithmetic) take `high`. */
export function imm64(low: number, high: number): Operand {
  const o = imm(low);
  o.high = high >>> 0;
  o.width = 2;
  return o;
}

/** `c[bank][offset]`, offset in bytes, `width` 32-bit words. */
export function constBank(bank: number, offset: number, width = 1): Operand {
  return make(Kind.Const, File.None, width, bank, offset);
}

/** `c[bank][Rindex+offset]`, or `cx[URindex][offset]` with a uniform index. */
export function constIndexed(bank: number, file: File, index: number, offset: number, width = 1): Operand {
  const o = constBank(bank, offset, width);
  o.file = file;
  o.index = index;
  return o;
}

/** A block of this function. */
export function label(
  block:
    | number
    | {
        /** Id of the block. */
        readonly id: number;
      },
): Operand {
  return make(Kind.Label, File.None, 1, typeof block === "number" ? block : block.id, 0);
}

/** Special register by hardware index. */
export function sreg(index: number): Operand {
  return make(Kind.Sreg, File.None, 1, index, 0);
}

/** Address of a symbol plus `addend` bytes; `part` is "32@lo" or "32@hi" for a half of it. */
export function sym(name: string, addend = 0, part = ""): Operand {
  const o = make(Kind.Sym, File.None, 1, 0, addend);
  o.sym = name;
  o.part = part;
  return o;
}

/** The slot is absent. */
export function none(): Operand {
  return make(Kind.None, File.None, 0, 0, 0);
}

/** An independent copy. */
export function clone(o: Operand): Operand {
  return {
    kind: o.kind,
    file: o.file,
    width: o.width,
    id: o.id,
    sub: o.sub,
    value: o.value,
    high: o.high,
    mods: o.mods,
    part: o.part,
    index: o.index,
    sym: o.sym,
  };
}

/** A copy with other properties. Of the same shape as all operands, which a literal with `...` would not be: the engine tells them apart. */
export function altered(o: Operand, properties: Partial<Operand>): Operand {
  return Object.assign(clone(o), properties);
}

function withMods(o: Operand, mods: number): Operand {
  const c = clone(o);
  c.mods = mods;
  return c;
}

/** A copy with the sign turned: `-x` becomes `x`. */
export function neg(o: Operand): Operand {
  return withMods(o, o.mods ^ Mod.Neg);
}

/** A copy of `|x|`; a sign inside the bars is lost. */
export function abs(o: Operand): Operand {
  return withMods(o, (o.mods | Mod.Abs) & ~Mod.Neg);
}

/** A copy inverted: `!p`, `~r`. */
export function not(o: Operand): Operand {
  return withMods(o, o.mods ^ Mod.Not);
}

/** A copy naming `width` registers of the same value from its register `sub` on (relative to the operand given). */
export function part(o: Operand, sub: number, width = 1): Operand {
  const c = clone(o);
  c.sub = o.id === ZERO_REG ? 0 : o.sub + sub;
  c.width = width;
  return c;
}

/** The low and high register of a pair. */
export function lo(o: Operand): Operand {
  return part(o, 0);
}

/** The upper register of a pair. */
export function hi(o: Operand): Operand {
  return part(o, 1);
}

/** A copy with the part selector that is printed after the operand (".H1_H1", ".64", "32@lo", …). */
export function select(o: Operand, partName: string): Operand {
  const c = clone(o);
  c.part = partName;
  return c;
}

/** Names a register that is not the hard-wired zero. */
export function isReg(o: Operand): boolean {
  return o.kind === Kind.Reg && o.id !== ZERO_REG;
}

/** The register that a constant `c[bank][R+offset]` is indexed by; null: it has none, or the operand is no constant. */
export function indexOf(o: Operand): Operand | null {
  if (o.kind !== Kind.Const || o.index === NO_INDEX || o.index === ZERO_REG) return null;
  return register(o.file === File.None ? File.R : o.file, o.index, o.id === -1 ? 2 : 1);
}

/** RZ, URZ, PT or UPT (in either sense). */
export function isZeroReg(o: Operand): boolean {
  return o.kind === Kind.Reg && o.id === ZERO_REG;
}

/** Whether two operands print and encode alike. */
export function sameOperand(a: Operand, b: Operand): boolean {
  return (
    a.kind === b.kind &&
    a.file === b.file &&
    a.width === b.width &&
    a.id === b.id &&
    a.sub === b.sub &&
    a.value === b.value &&
    a.high === b.high &&
    a.mods === b.mods &&
    a.part === b.part &&
    a.index === b.index &&
    a.sym === b.sym
  );
}
