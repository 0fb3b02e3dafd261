/** Single operands by their look: registers, constants, symbols, labels, numbers, with signs, bars and parts around them. */
import { bitsOfF16, bitsOfF32, highOfF64, wideOf } from "./number.js";
import { Kind, Mod, makeOperand, type Operand, setAddress, ZERO_REG } from "./operand.js";
import type { ImmFormat } from "./row.js";
import { sregIndex } from "./sreg.js";
import type { OperandRef } from "./syntax.js";
import { File } from "./types.js";

/** Names that physical code does not have. A callback returns null when the text is none of its names. */
export interface ParseNames {
  /** A register name such as `%12:2`; called before the physical names. */
  register?(text: string): Operand | null;
  /** A label name; called for identifiers where a label may stand. */
  label?(text: string): Operand | null;
  /** SM whose lines apply (`Target.isa`); any when left out. */
  readonly isa?: number;
}

/** Sign, bars, inversion, parts and reuse around a register or constant. */
export function parseDecorated(text: string, ref: OperandRef, width: number, names: ParseNames): Operand | null {
  return decorated(text, width, names, ref.part ? ref.part.values.map((v) => v.text) : []);
}

export function decorated(text: string, width: number, names: ParseNames, parts: readonly string[]): Operand | null {
  let s = text.trim();
  let mods = 0;
  const take = (prefix: string, bit: number): void => {
    if (!s.startsWith(prefix)) return;
    s = s.slice(prefix.length);
    mods |= bit;
  };
  take("-", Mod.Neg);
  take("!", Mod.Not);
  take("~", Mod.Not);
  let part = "";
  const strip = (): void => {
    for (;;) {
      const p = parts.find((x) => x !== "" && s.endsWith(x));
      if (p) {
        part = p;
        s = s.slice(0, -p.length);
      } else if (s.endsWith(".reuse")) {
        s = s.slice(0, -6);
        mods |= Mod.Reuse;
      } else return;
    }
  };
  strip();
  if (s.startsWith("|") && s.endsWith("|")) {
    s = s.slice(1, -1);
    mods |= Mod.Abs;
    strip();
  }
  // A label as a number is the address of its block.
  const o = parseRegister(s, names) ?? parseConst(s, width, names) ?? parseSymbol(s) ?? names.label?.(s) ?? null;
  if (!o) return null;
  if (o.kind === Kind.Reg && !isVirtual(s)) o.width = width;
  o.mods |= mods;
  if (part) o.part = part;
  return o;
}

export const isVirtual = (text: string): boolean => text.startsWith("%");

/** Any operand by its look alone. */
export function parseAny(text: string, width: number, names: ParseNames): Operand | null {
  if (text === "_") return makeOperand(Kind.None, File.None, 0, 0, 0);
  const v = parseInteger(text);
  if (v !== null) return makeOperand(Kind.Imm, File.None, 1, 0, v >>> 0);
  const o = decorated(text, width, names, [".H0_H0", ".H1_H1", ".H1", ".B1", ".B2", ".B3"]);
  if (o) return o;
  const s = sregIndex(text);
  if (s >= 0) return makeOperand(Kind.Sreg, File.None, 1, s, 0);
  return parseLabel(text, names);
}

const fileOf: Readonly<Record<string, File>> = { R: File.R, UR: File.UR, P: File.P, UP: File.UP, B: File.B };

export function parseRegister(text: string, names: ParseNames): Operand | null {
  const own = names.register?.(text) ?? null;
  if (own) return own;
  if (text === "???255") return makeOperand(Kind.Reg, File.R, 1, 255, 0);
  if (text === "???63") return makeOperand(Kind.Reg, File.UR, 1, 63, 0);
  const m = /^(UR|UP|R|P|B)(\d+|Z|T)$/.exec(text);
  if (!m) return null;
  const file = fileOf[m[1]!]!;
  const zero = file === File.R || file === File.UR ? "Z" : "T";
  if (/[ZT]/.test(m[2]!) && m[2] !== zero) return null;
  return makeOperand(Kind.Reg, file, 1, m[2] === zero ? ZERO_REG : Number(m[2]), 0);
}

export function parseConst(text: string, width: number, names: ParseNames): Operand | null {
  const m = /^(cx?)\[([^\]]+)\]\s*\[([^\]]+)\]$/.exec(text.trim());
  if (!m) return null;
  const parts = m[3]!.split("+").map((p) => p.trim());
  let offset = 0;
  let index: Operand | null = null;
  for (const p of parts) {
    const v = parseInteger(p);
    if (v !== null) offset = v;
    else {
      index = parseRegister(p, names);
      if (!index) return null;
    }
  }
  const o = makeOperand(Kind.Const, File.None, width, 0, offset);
  if (m[1] === "cx") {
    const r = parseRegister(m[2]!, names);
    if (!r || index) return null;
    o.id = -1;
    o.file = r.file;
    o.index = r.id;
    return o;
  }
  const bank = parseInteger(m[2]!);
  if (bank === null) return null;
  o.id = bank;
  if (index) {
    o.file = index.file;
    o.index = index.id;
  }
  return o;
}

/** ``32@lo(name)``, `` `(name) ``, either with `(name + 0x10)`. */
export function parseSymbol(text: string): Operand | null {
  const m = /^(?:(\d+@\w+)|`)\((?:\((\S+) \+ (0x[0-9a-f]+)\)|([^\s()]+))\)$/.exec(text.trim());
  if (!m) return null;
  const o = makeOperand(Kind.Sym, File.None, 1, 0, m[3] ? Number(m[3]) : 0);
  o.sym = m[2] ?? m[4]!;
  o.part = m[1] ?? "";
  return o;
}

export function parseLabel(text: string, names: ParseNames): Operand | null {
  const s = text.trim();
  const own = names.label?.(s) ?? null;
  if (own) return own;
  const v = wideOf(s);
  if (v !== null) {
    const o = makeOperand(Kind.Label, File.None, 1, -1, 0);
    setAddress(o, v);
    return o;
  }
  const b = /^B(\d+)$/.exec(s);
  if (b) return makeOperand(Kind.Label, File.None, 1, Number(b[1]), 0);
  return parseSymbol(s);
}

export function parseInteger(text: string): number | null {
  const m = /^(-?)(0x[0-9a-f]+|\d+)$/i.exec(text.trim());
  if (!m) return null;
  const v = Number(m[2]);
  return m[1] ? -v : v;
}

export function parseImmediate(text: string, format: ImmFormat): Operand | null {
  const make = (value: number, high = 0): Operand => {
    const o = makeOperand(Kind.Imm, File.None, format === "f64" ? 2 : 1, 0, value >>> 0);
    o.high = high >>> 0;
    return o;
  };
  if (format === "u32" || format === "s32") {
    const v = parseInteger(text);
    return v === null || v >= 2 ** 32 || v < -(2 ** 31) ? null : make(v);
  }
  if (format === "n32") {
    const v = parseInteger(text);
    return v !== null && v < 0 ? make(v, 0xffffffff) : null;
  }
  if (/^-?0x[\da-f]+$/i.test(text)) return format === "f64" ? make(0, Number(text)) : make(Number(text));
  const numbers = text.split(",").map((t) => floatBits(t.trim(), format));
  if (numbers.some((n) => n === null)) return null;
  if (format === "f64") return numbers.length === 1 ? make(0, numbers[0]!) : null;
  if (format === "h2" || format === "bf2") return numbers.length === 2 ? make((numbers[0]! << 16) | numbers[1]!) : null;
  return numbers.length === 1 ? make(numbers[0]!) : null;
}

/** Bits of a float in an immediate's format; null when the text is no number. */
function floatBits(text: string, format: ImmFormat): number | null {
  const special = /^([+-])(INF|QNAN|SNAN)$/.exec(text);
  if (!special && !/^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return null;
  const sign = text.startsWith("-");
  const [inf, quiet, signal, top] = specials[format] ?? specials.f32!;
  if (special) {
    const bits = special[2] === "INF" ? inf : special[2] === "QNAN" ? quiet : signal;
    return (bits | (sign ? top : 0)) >>> 0;
  }
  const v = Number(text);
  switch (format) {
    case "f64":
      return highOfF64(v);
    case "h1":
    case "h2":
      return bitsOfF16(v);
    case "b1":
    case "bf2":
      return bitsOfF32(v) >>> 16;
    default:
      return bitsOfF32(v);
  }
}

const specials: Readonly<Record<string, readonly [inf: number, quiet: number, signal: number, sign: number]>> = {
  f32: [0x7f800000, 0x7fc00000, 0x7fa00000, 0x80000000],
  f64: [0x7ff00000, 0x7ff80000, 0x7ff40000, 0x80000000],
  h1: [0x7c00, 0x7e00, 0x7d00, 0x8000],
  h2: [0x7c00, 0x7e00, 0x7d00, 0x8000],
  b1: [0x7f80, 0x7fc0, 0x7fa0, 0x8000],
  bf2: [0x7f80, 0x7fc0, 0x7fa0, 0x8000],
};
