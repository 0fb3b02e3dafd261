/**
 * The text of one instruction read back: nvdisasm's syntax, and the IR's through callbacks for names. The name gives the
 * form; then the lines that take its modifiers are tried in table order against the operands, and the first whose
 * template agrees is taken. What no line shows is read as a plain list of all slots (as `renderInst` writes it).
 */
import { formsNamed, matchMods, rowOf, tryForm } from "./form.js";
import { wideOf } from "./number.js";
import {
  defaultOperand,
  type Guard,
  Kind,
  type MachineInst,
  Mod,
  makeOperand,
  NO_INDEX,
  type Operand,
  setNumber,
  ZERO_REG,
} from "./operand.js";
import {
  isVirtual,
  type ParseNames,
  parseAny,
  parseConst,
  parseDecorated,
  parseImmediate,
  parseInteger,
  parseLabel,
  parseRegister,
  parseSymbol,
} from "./parse-operand.js";
import { sregIndex } from "./sreg.js";
import { type ConstRef, echoId, holdsFor, type OperandRef, type Slot, type Token } from "./syntax.js";
import type { ParsedLine } from "./table.js";
import { File, type Form } from "./types.js";
import { applyWidths } from "./widths.js";

export type { ParseNames } from "./parse-operand.js";

/** An instruction read from text, or why it is none. */
export type Parsed =
  | {
      readonly ok: true;
      /** The instruction. */
      readonly inst: MachineInst;
    }
  | {
      readonly ok: false;
      /** What is wrong with the text. */
      readonly message: string;
    };

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
  let operands = parseOperands(f, pieces, names);
  if (operands) return { ok: true, inst: { form: f, ...operands, guard, control: null } };
  for (const other of formsNamed(m[3]!)) {
    operands = parseOperands(other, pieces, names);
    if (operands) return { ok: true, inst: { form: other, ...operands, guard, control: null } };
  }
  operands = parsePlain(f, pieces, names);
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
  for (const line of readingOrder(row.lines, pieces)) {
    if (names.isa !== undefined && !holdsFor(line.sm, names.isa)) continue;
    if (!matchMods(line.template, f.mods)) continue;
    const found = new Map<Slot, Operand>();
    if (matchLine(line, 0, pieces, 0, f, names, found)) return assemble(f, row.slots, found);
  }
  return null;
}

/** A zero base is written only after a descriptor, which need not be written itself. */
function readingOrder(lines: readonly ParsedLine[], pieces: readonly string[]): readonly ParsedLine[] {
  if (!pieces.some((p) => p.startsWith("[RZ+"))) return lines;
  const quiet = (l: ParsedLine): boolean => l.template.operands.some((o) => o[0]!.kind === "quiet");
  return [...lines.filter(quiet), ...lines.filter((l) => !quiet(l))];
}

function assemble(f: Form, slots: readonly Slot[], found: ReadonlyMap<Slot, Operand>): Operands {
  const out: Operands = { dsts: [], srcs: [] };
  for (const s of slots) {
    const info = (s.isDst ? f.dsts : f.srcs)[s.index]!;
    const o = found.get(s) ?? defaultOperand(s.optional, s.file, info.width);
    (s.isDst ? out.dsts : out.srcs).push(o);
  }
  applyWidths(rowOf(f).widths, f, out.dsts, out.srcs);
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
    if (
      rest === "" &&
      i > 0 &&
      t.kind !== "part" &&
      tokens.slice(i).every((k) => k.kind === "text" || (k.kind === "ref" && k.ref.omit))
    )
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
    if (t.kind === "part") {
      const part = t.ref.part!.values.find((v) => v.text === rest);
      const o = found.get(t.ref.slot);
      if (!part || !o) return false;
      o.part = part.text;
      rest = "";
      continue;
    }
    if (t.kind === "quiet") {
      const after = matchQuiet(t.ref, rest, line, f, names, found);
      if (after === null) return false;
      rest = after;
      continue;
    }
    const end = tokenEnd(t, rest, tokens[i + 1]);
    const piece = rest.slice(0, end);
    rest = rest.slice(end);
    if (t.kind === "echo") {
      const o = found.get(t.slot);
      const shown = parseRegister(piece.trim(), names);
      if (!o || shown?.id !== echoId(o, t, names.isa ?? 0)) return false;
      continue;
    }
    if (!matchToken(t, piece, line, f, names, found)) return false;
  }
  return rest.trim() === "";
}

/** A descriptor in brackets, in parentheses, or none: URZ. What is left of the text, null when it does not read. */
function matchQuiet(
  ref: OperandRef,
  text: string,
  line: ParsedLine,
  f: Form,
  names: ParseNames,
  found: Map<Slot, Operand>,
): string | null {
  const m = /^(\(?)desc\[([^\]]+)\]\)?/.exec(text);
  const { width } = f.srcs[ref.slot.index]!;
  const o = m ? matchRef(ref, m[2]!, width, line, names) : makeOperand(Kind.Reg, ref.slot.file, width, ZERO_REG, 0);
  if (!o) return null;
  if (m && m[1] === "") o.mods |= Mod.Shown;
  found.set(ref.slot, o);
  return m ? text.slice(m[0].length) : text;
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
  t: Exclude<Token, { kind: "text" | "part" | "echo" | "quiet" }>,
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
    } else if (ref.slot.holds === "imm") found.set(ref.slot, defaultOperand(ref.slot.optional, File.None, 1));
    else if ((ref.slot.name === "base" && !ref.keepZero) || ref.omit) {
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
  if (ref.slot.format === "word") {
    const word = ref.part!.values.find((v) => v.text === text);
    return word ? makeOperand(Kind.Imm, File.None, 1, 0, word.code) : null;
  }
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
  if (!isVirtual(bare)) o.width = partWidth(ref, o.part) || suffixWidth(ref, width);
  return o;
}

/** A lone offset is written unsigned in the width of its field. */
function signExtend(v: number, ref: OperandRef): number {
  if (!ref.signed || !ref.loc) return v;
  const bits = ref.loc.reduce((n, p) => n + p.width, 0);
  const half = 2 ** (bits - 1) * ref.scale;
  return bits < 32 && v >= half ? v - 2 * half : v;
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
    const part = ref.partOfNumber ? ref.part!.values.find((v) => v.text !== "" && piece.endsWith(v.text)) : undefined;
    const imm = parseImmediate(part ? piece.slice(0, -part.text.length) : piece, line.imm);
    if (imm && part) imm.part = part.text;
    // A signed number of 32 bits stands for 64.
    if (imm && line.imm === "s32" && slot.width === 2) imm.high = imm.value >>> 31 ? 0xffffffff : 0;
    if (imm && line.imm === "u32" && slot.width === 2 && piece.trim().startsWith("-")) return null;
    if (imm) return imm;
  }
  // From sm_100 on, registers of both files read like this where there is no zero register.
  if (ref.nonzero && piece.trim() === "???255") return makeOperand(Kind.Reg, slot.file, width, 255, 0);
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
    case "word": {
      const value = ref.part!.values.find((v) => v.text === text);
      return value ? imm(value.code) : null;
    }
    case "bits": {
      const m = /^\{([\d,\s]*)\}$/.exec(text);
      return m ? imm((m[1]!.match(/\d+/g) ?? []).reduce((v, d) => v | (1 << Number(d)), 0)) : null;
    }
    case "pattern":
      return parsePattern(text);
    default: {
      const v = wideOf(text);
      if (v !== null) {
        const o = imm(0);
        setNumber(o, v, ref.signed);
        return o;
      }
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

/** Registers that a part selector says, 0 where it does not. */
const partWidth = (ref: OperandRef, part: string): number =>
  (ref.part?.values.find((v) => v.text === part)?.bytes ?? 0) >> 2;
