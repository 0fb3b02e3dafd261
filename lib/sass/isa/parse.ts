/**
 * The text of one instruction read back: nvdisasm's syntax, and the IR's through callbacks for names. The name gives the
 * form; then the lines that take its modifiers are tried in table order against the operands, and the first whose
 * template agrees is taken. What no line shows is read as a plain list of all slots (as `renderInst` writes it).
 */
import { matchMods, rowOf, tryForm } from "./form.js";
import { bitsOfF16, bitsOfF32, highOfF64 } from "./number.js";
import {
  defaultOperand,
  type Guard,
  Kind,
  type MachineInst,
  Mod,
  makeOperand,
  NO_INDEX,
  type Operand,
  ZERO_REG,
} from "./operand.js";
import type { ImmFormat } from "./row.js";
import { sregIndex } from "./sreg.js";
import { type ConstRef, holdsFor, type OperandRef, type Slot, type Token } from "./syntax.js";
import type { ParsedLine } from "./table.js";
import { File, type Form } from "./types.js";

/** Names that physical code does not have. A callback returns null when the text is none of its names. */
export interface ParseNames {
  /** A register name such as `%12:2`; called before the physical names. */
  register?(text: string): Operand | null;
  /** A label name; called for identifiers where a label may stand. */
  label?(text: string): Operand | null;
  /** SM whose lines apply (`Target.isa`); any when left out. */
  readonly isa?: number;
}

export type Parsed =
  | { readonly ok: true; readonly inst: MachineInst }
  | { readonly ok: false; readonly message: string };

/** Reads `@P0 IADD3 R1, R1, -0x8, RZ` (an ending `;` is allowed). Never throws for bad text. */
export function parseInst(text: string, names: ParseNames = {}): Parsed {
  const clean = text.replace(/;\s*$/, "").trim();
  const m = /^(?:@(!?)(\S+)\s+)?(\S+)(?:\s+([\s\S]*))?$/.exec(clean);
  if (!m) return { ok: false, message: `no instruction: "${text}"` };
  const guard = m[2] === undefined ? null : parseGuard(m[1] === "!", m[2], names);
  if (guard === "bad") return { ok: false, message: `bad guard "${m[2]}"` };
  const f = tryForm(m[3]!);
  if (!f) return { ok: false, message: `unknown instruction "${m[3]}"` };
  const pieces = split(m[4] ?? "");
  const operands = parseOperands(f, pieces, names);
  if (!operands) return { ok: false, message: `operands of ${f.name} do not read: "${m[4] ?? ""}"` };
  return { ok: true, inst: { form: f, ...operands, guard, control: null } };
}

function parseGuard(not: boolean, text: string, names: ParseNames): Guard | "bad" {
  const o = parseRegister(text, names);
  if (!o || (o.file !== File.P && o.file !== File.UP)) return "bad";
  return { file: o.file, id: o.id, not };
}

/** At commas outside brackets, braces and parentheses. */
function split(text: string): string[] {
  const out: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if ("[{(".includes(c)) depth++;
    else if ("]})".includes(c)) depth--;
    else if (c === "," && depth === 0) {
      out.push(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  const last = text.slice(start).trim();
  if (last !== "") out.push(last);
  return out;
}

interface Operands {
  dsts: Operand[];
  srcs: Operand[];
}

function parseOperands(f: Form, pieces: readonly string[], names: ParseNames): Operands | null {
  const row = rowOf(f);
  if (f.variadic) return parseVariadic(f, pieces, names);
  for (const line of row.lines) {
    if (names.isa !== undefined && !holdsFor(line.sm, names.isa)) continue;
    if (!matchMods(line.template, f.mods)) continue;
    const found = new Map<Slot, Operand>();
    if (matchLine(line, 0, pieces, 0, f, names, found)) return assemble(f, row.slots, found);
  }
  return parsePlain(f, pieces, names);
}

function assemble(f: Form, slots: readonly Slot[], found: ReadonlyMap<Slot, Operand>): Operands {
  const out: Operands = { dsts: [], srcs: [] };
  for (const s of slots) {
    const info = (s.isDst ? f.dsts : f.srcs)[s.index]!;
    const o = found.get(s) ?? defaultOperand(s.optional, s.file, info.width);
    (s.isDst ? out.dsts : out.srcs).push(o);
  }
  return out;
}

/** Definitions and sources of a pseudo instruction: the definitions come first, as many as the form says or half. */
function parseVariadic(f: Form, pieces: readonly string[], names: ParseNames): Operands | null {
  const all = pieces.map((p) => parseAny(p, 1, names));
  if (all.some((o) => o === null)) return null;
  const operands = all as Operand[];
  const open = rowOf(f).slots.some((s) => s.isDst && s.variadic);
  const n = open ? operands.length >> 1 : f.dsts.length;
  return { dsts: operands.slice(0, n), srcs: operands.slice(n) };
}

function parsePlain(f: Form, pieces: readonly string[], names: ParseNames): Operands | null {
  if (pieces.length !== f.dsts.length + f.srcs.length) return null;
  const out: Operands = { dsts: [], srcs: [] };
  for (let i = 0; i < pieces.length; i++) {
    const slot = i < f.dsts.length ? f.dsts[i]! : f.srcs[i - f.dsts.length]!;
    const o = parseAny(pieces[i]!, slot.width, names);
    if (!o) return null;
    (i < f.dsts.length ? out.dsts : out.srcs).push(o);
  }
  return out;
}

// ---------------------------------------------------------------------------------------------- templates

function matchLine(
  line: ParsedLine,
  k: number,
  pieces: readonly string[],
  at: number,
  f: Form,
  names: ParseNames,
  found: Map<Slot, Operand>,
): boolean {
  const { operands } = line.template;
  if (k === operands.length) return at === pieces.length;
  const tokens = operands[k]!;
  for (const count of pairOf(tokens, line) ? [2, 1] : [1]) {
    if (at + count > pieces.length) continue;
    const before = new Map(found);
    const text = pieces.slice(at, at + count).join(", ");
    if (matchTokens(tokens, text, line, f, names, found) && matchLine(line, k + 1, pieces, at + count, f, names, found))
      return true;
    found.clear();
    for (const [s, o] of before) found.set(s, o);
  }
  const omit = tokens.some((t) => t.kind === "ref" && t.ref.omit);
  return omit && matchLine(line, k + 1, pieces, at, f, names, found);
}

/** An immediate that may be written as two numbers. */
function pairOf(tokens: readonly Token[], line: ParsedLine): boolean {
  return (
    (line.imm === "h2" || line.imm === "bf2") && tokens.some((t) => t.kind === "ref" && /^[abc]$/.test(t.ref.slot.name))
  );
}

function matchTokens(
  tokens: readonly Token[],
  text: string,
  line: ParsedLine,
  f: Form,
  names: ParseNames,
  found: Map<Slot, Operand>,
): boolean {
  let rest = text.trim();
  for (let i = 0; i < tokens.length; i++) {
    const t = tokens[i]!;
    if (rest === "" && i > 0 && tokens.slice(i).every((k) => k.kind === "text" || (k.kind === "ref" && k.ref.omit)))
      return true;
    if (t.kind === "text") {
      if (t.text === " ") {
        rest = rest.trimStart();
        continue;
      }
      if (!rest.startsWith(t.text)) return false;
      rest = rest.slice(t.text.length);
      continue;
    }
    const end = tokenEnd(t, rest, tokens[i + 1]);
    const piece = rest.slice(0, end);
    rest = rest.slice(end);
    if (!matchToken(t, piece, line, f, names, found)) return false;
  }
  return rest.trim() === "";
}

/** How far the text of a token reaches: a bracket, or up to the literal that follows. */
function tokenEnd(t: Token, rest: string, next: Token | undefined): number {
  if (t.kind === "sum") return rest.indexOf("]") + 1;
  if (next === undefined) return rest.length;
  if (next.kind === "text") {
    const at = rest.indexOf(next.text);
    return at < 0 ? rest.length : at;
  }
  return rest.length;
}

function matchToken(
  t: Exclude<Token, { kind: "text" }>,
  piece: string,
  line: ParsedLine,
  f: Form,
  names: ParseNames,
  found: Map<Slot, Operand>,
): boolean {
  if (t.kind === "sum") return matchSum(t.terms, piece, f, names, found);
  const { slot } = t.ref;
  const width = (slot.isDst ? f.dsts : f.srcs)[slot.index]!.width;
  const o = t.kind === "const" ? matchConst(t.ref, piece, width, names) : matchRef(t.ref, piece, width, line, names);
  if (!o) return false;
  found.set(slot, o);
  return true;
}

function matchSum(
  terms: readonly OperandRef[],
  piece: string,
  f: Form,
  names: ParseNames,
  found: Map<Slot, Operand>,
): boolean {
  const m = /^\s*\[([\s\S]*)\]\s*$/.exec(piece);
  if (!m) return false;
  const parts = m[1]!.split("+").map((p) => p.trim());
  let k = 0;
  for (const ref of terms) {
    const width = (ref.slot.isDst ? f.dsts : f.srcs)[ref.slot.index]!.width;
    const o = k < parts.length ? termOf(ref, parts[k]!, width, names) : null;
    if (o) {
      found.set(ref.slot, o);
      k++;
    } else if (ref.slot.holds === "imm") found.set(ref.slot, makeOperand(Kind.Imm, File.None, 1, 0, 0));
    else if (ref.slot.name === "base") {
      found.set(ref.slot, makeOperand(Kind.Reg, ref.slot.file, suffixWidth(ref, width), ZERO_REG, 0));
    } else return false;
  }
  return k === parts.length;
}

/** `.64` and `.U32` say how wide the base is, whatever the form says. */
function suffixWidth(ref: OperandRef, width: number): number {
  return ref.suffix === ".U32" ? 1 : ref.suffix === ".64" ? 2 : width;
}

function termOf(ref: OperandRef, text: string, width: number, names: ParseNames): Operand | null {
  if (ref.slot.holds === "imm") {
    const v = parseInteger(text);
    if (v === null) return /^(32@|`)/.test(text) ? parseSymbol(text) : null;
    return makeOperand(Kind.Imm, File.None, 1, 0, signExtend(v, ref) >>> 0);
  }
  let bare = text;
  if (ref.suffix !== "") {
    if (!bare.endsWith(ref.suffix)) return null;
    bare = bare.slice(0, -ref.suffix.length);
  }
  const o = parseDecorated(bare, ref, width, names);
  if (!o || o.kind !== Kind.Reg || o.file !== ref.slot.file) return null;
  if (!isVirtual(bare)) o.width = suffixWidth(ref, width);
  return o;
}

/** A lone offset is written unsigned in the width of its field. */
function signExtend(v: number, ref: OperandRef): number {
  if (!ref.signed || !ref.loc) return v;
  const bits = ref.loc.reduce((n, p) => n + p.width, 0);
  return bits < 32 && v >= 2 ** (bits - 1) ? v - 2 ** bits : v;
}

function matchConst(ref: ConstRef, piece: string, width: number, names: ParseNames): Operand | null {
  const o = parseConst(piece, width, names);
  if (!o || (o.id === -1) !== ref.indirect) return null;
  if (!ref.indirect && ref.index === null && o.index !== NO_INDEX) return null;
  if (ref.keepIndex && o.index === NO_INDEX) return null;
  // A zero index is written where the offset is zero: c[0x0][RZ].
  if (o.index === ZERO_REG && !ref.indirect && !ref.keepIndex) {
    o.index = NO_INDEX;
    o.file = File.None;
  }
  return o;
}

function matchRef(ref: OperandRef, piece: string, width: number, line: ParsedLine, names: ParseNames): Operand | null {
  const { slot } = ref;
  if (slot.holds === "imm" || ref.number) return numberOf(ref, piece, names);
  if (slot.holds === "label") return parseLabel(piece, names);
  if (slot.holds === "sreg") {
    const id = sregIndex(piece.trim());
    return id < 0 ? null : makeOperand(Kind.Sreg, File.None, 1, id, 0);
  }
  if (ref.loc === null) {
    const imm = parseImmediate(piece, line.imm);
    if (imm) return imm;
  }
  const o = parseDecorated(piece, ref, width, names);
  if (o && o.kind === Kind.Reg && ref.loc !== null && o.file !== slot.file) return null;
  if (o && o.kind !== Kind.Reg && ref.loc !== null) return null;
  return o;
}

function numberOf(ref: OperandRef, piece: string, names: ParseNames): Operand | null {
  const text = piece.trim();
  const imm = (v: number): Operand => makeOperand(Kind.Imm, File.None, 1, 0, v >>> 0);
  switch (ref.slot.format) {
    case "sb": {
      const m = /^SB(\d)$/.exec(text);
      return m ? imm(Number(m[1])) : null;
    }
    case "bits": {
      const m = /^\{([\d,\s]*)\}$/.exec(text);
      return m ? imm((m[1]!.match(/\d+/g) ?? []).reduce((v, d) => v | (1 << Number(d)), 0)) : null;
    }
    case "pattern":
      return parsePattern(text);
    default: {
      const v = parseInteger(text);
      if (v !== null) return imm(v);
      return ref.slot.format === "rel" ? parseLabel(text, names) : /^(32@|`)/.test(text) ? parseSymbol(text) : null;
    }
  }
}

function parsePattern(text: string): Operand | null {
  const pairs = text.match(/../g);
  if (pairs?.length !== 4) return null;
  let v = 0;
  for (const p of pairs) {
    const code = ["PP", "PN", "NP", "ZP"].indexOf(p);
    if (code < 0) return null;
    v = (v << 2) | code;
  }
  return makeOperand(Kind.Imm, File.None, 1, 0, v);
}

// ---------------------------------------------------------------------------------------------- single operands

/** Sign, bars, inversion, parts and reuse around a register or constant. */
function parseDecorated(text: string, ref: OperandRef, width: number, names: ParseNames): Operand | null {
  return decorated(text, width, names, ref.part ? ref.part.values.map((v) => v.text) : []);
}

function decorated(text: string, width: number, names: ParseNames, parts: readonly string[]): Operand | null {
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
  const o = parseRegister(s, names) ?? parseConst(s, width, names) ?? parseSymbol(s);
  if (!o) return null;
  if (o.kind === Kind.Reg && !isVirtual(s)) o.width = width;
  o.mods |= mods;
  if (part) o.part = part;
  return o;
}

const isVirtual = (text: string): boolean => text.startsWith("%");

/** Any operand by its look alone. */
function parseAny(text: string, width: number, names: ParseNames): Operand | null {
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

function parseRegister(text: string, names: ParseNames): Operand | null {
  const own = names.register?.(text) ?? null;
  if (own) return own;
  const m = /^(UR|UP|R|P|B)(\d+|Z|T)$/.exec(text);
  if (!m) return null;
  const file = fileOf[m[1]!]!;
  const zero = file === File.R || file === File.UR ? "Z" : "T";
  if (/[ZT]/.test(m[2]!) && m[2] !== zero) return null;
  return makeOperand(Kind.Reg, file, 1, m[2] === zero ? ZERO_REG : Number(m[2]), 0);
}

function parseConst(text: string, width: number, names: ParseNames): Operand | null {
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
function parseSymbol(text: string): Operand | null {
  const m = /^(?:(\d+@\w+)|`)\((?:\((\S+) \+ (0x[0-9a-f]+)\)|([^\s()]+))\)$/.exec(text.trim());
  if (!m) return null;
  const o = makeOperand(Kind.Sym, File.None, 1, 0, m[3] ? Number(m[3]) : 0);
  o.sym = m[2] ?? m[4]!;
  o.part = m[1] ?? "";
  return o;
}

function parseLabel(text: string, names: ParseNames): Operand | null {
  const s = text.trim();
  const own = names.label?.(s) ?? null;
  if (own) return own;
  const v = parseInteger(s);
  if (v !== null) return makeOperand(Kind.Label, File.None, 1, -1, v);
  const b = /^B(\d+)$/.exec(s);
  if (b) return makeOperand(Kind.Label, File.None, 1, Number(b[1]), 0);
  return parseSymbol(s);
}

function parseInteger(text: string): number | null {
  const m = /^(-?)(0x[0-9a-f]+|\d+)$/i.exec(text.trim());
  if (!m) return null;
  const v = Number(m[2]);
  return m[1] ? -v : v;
}

function parseImmediate(text: string, format: ImmFormat): Operand | null {
  const make = (value: number, high = 0): Operand => {
    const o = makeOperand(Kind.Imm, File.None, format === "f64" ? 2 : 1, 0, value >>> 0);
    o.high = high >>> 0;
    return o;
  };
  if (format === "u32" || format === "s32") {
    const v = parseInteger(text);
    return v === null ? null : make(v);
  }
  if (/^-?0x/i.test(text)) return format === "f64" ? make(0, Number(text)) : make(Number(text));
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
