/**
 * Instructions as text: nvdisasm's syntax for physical code, the same with other register names for the IR. How an
 * instruction is written depends on which line of its row applies (an address with or without descriptor …); lines are
 * chosen by structure: a line fits when every slot that it does not show holds its default.
 */
import { hex, immediateText, signedHex, wideHex } from "./number.js";
import {
  addressOf,
  type Guard,
  isDefault,
  Kind,
  type MachineInst,
  Mod,
  NO_INDEX,
  numberOf,
  type Operand,
  ZERO_REG,
} from "./operand.js";
import { type FormPlan, type LinePlan, type OperandPlan, planOf, type SlotCheck } from "./plan.js";
import { sregName } from "./sreg.js";
import type { ConstRef, OperandRef, Slot, Token } from "./syntax.js";
import { echoId } from "./syntax.js";
import type { ParsedLine } from "./table.js";
import { File } from "./types.js";

/** How names are written; all parts have defaults for physical code. */
export interface Names {
  /** A register without sign and part: `R5`, `%12:2`. */
  register?(o: Operand): string;
  /** How a label operand is printed; left out: `BB` and the id. */
  label?(o: Operand): string;
  /** SM whose syntax is used (`Target.isa`); the first line that fits when left out. */
  readonly isa?: number;
  /** Nothing is lost: what nvdisasm's text leaves open (bits of NaNs, which of two carries) is written out. */
  readonly exact?: boolean;
}

const files: Readonly<Record<number, readonly [prefix: string, zero: string]>> = {
  [File.R]: ["R", "RZ"],
  [File.UR]: ["UR", "URZ"],
  [File.P]: ["P", "PT"],
  [File.UP]: ["UP", "UPT"],
  [File.B]: ["B", "B15"],
};

/** Names by file, then register number + 1. */
const registerNames: readonly (readonly string[])[] = [0, 1, 2, 3, 4, 5].map((file) => {
  const [prefix, zero] = files[file] ?? ["?", "?"];
  return Array.from({ length: 257 }, (_, i) => (i === 0 ? zero : `${prefix}${i - 1}`));
});

/** `R5`, `URZ`, `UP0`. */
export function registerName(file: File, id: number): string {
  return registerNames[file]?.[id + 1] ?? `${files[file]?.[0] ?? "?"}${id}`;
}

/** The instruction without its end: `@P0 IADD3 R1, R1, -0x8, RZ`. Empty for what nvdisasm prints as nothing. */
export function renderInst(inst: MachineInst, names: Names = {}): string {
  const plan = planOf(inst.form, names.isa);
  if (plan.hidden && !names.exact) return "";
  const line = chooseLine(plan, inst);
  const head = headText(plan, inst, names);
  const operands = line !== null ? lineOperands(line, inst, names) : plainOperands(inst, names);
  return operands === "" ? head : `${head} ${operands}`.trimEnd();
}

/** Guard and name. */
export function headText(plan: FormPlan, inst: MachineInst, names: Names): string {
  const name = plan.aliases.length === 0 ? inst.form.name : aliasName(plan, inst);
  return inst.guard === null ? name : guardText(inst.guard, names) + name;
}

function guardText(g: Guard, names: Names): string {
  if (!names.register) return `@${g.not ? "!" : ""}${registerName(g.file, g.id)} `;
  const o = guardOperand(g.file, g.id);
  return `@${g.not ? "!" : ""}${registerText(o, names)} `;
}

function guardOperand(file: File, id: number): Operand {
  return { kind: Kind.Reg, file, width: 1, id, sub: 0, value: 0, high: 0, mods: 0, part: "", index: NO_INDEX, sym: "" };
}

function registerText(o: Operand, names: Names): string {
  if (names.register && o.id !== ZERO_REG) return names.register(o);
  return registerName(o.file, o.id);
}

// ---------------------------------------------------------------------------------------------- choice of the line

function chooseLine(plan: FormPlan, inst: MachineInst): LinePlan | null {
  const { lines } = plan;
  for (let i = 0; i < lines.length; i++) if (fits(lines[i]!, inst)) return lines[i]!;
  return null;
}

function fits(plan: LinePlan, inst: MachineInst): boolean {
  const { checks } = plan;
  for (let i = 0; i < checks.length; i++) {
    const check = checks[i]!;
    const o = (check.isDst ? inst.dsts : inst.srcs)[check.index];
    if (o === undefined || !showsOperand(plan, check, o)) return false;
  }
  return true;
}

function showsOperand(plan: LinePlan, check: SlotCheck, o: Operand): boolean {
  const { ref, constRef } = check;
  if (ref !== null) {
    if (o.kind === Kind.Reg) return !(check.number && check.either) && (check.width === 0 || o.width === check.width);
    if (o.kind === Kind.None) return false;
    if (o.kind === Kind.Imm) {
      if (o.part !== "" && !ref.partOfNumber) return false;
      if (check.wide && !fitsFormat(o, plan.line, ref)) return false;
      if (check.either && !check.number) return false;
    } else if (check.either && check.number) return false;
    return check.width === 0 || o.width === check.width;
  }
  if (constRef === null) return isDefault(o, check.optional);
  if (o.kind === Kind.None || (o.kind === Kind.Imm && o.part !== "")) return false;
  if (o.kind === Kind.Imm && check.wide && !fitsFormat(o, plan.line, constRef)) return false;
  if (constRef.indirect !== (o.id === -1)) return false;
  if (constRef.indirect) return !(constRef.keepIndex && o.index === NO_INDEX);
  if (constRef.index === null && o.index !== NO_INDEX) return false;
  return !(constRef.keepIndex && o.index === NO_INDEX);
}

/** 64-bit integers of which 32 bits are written: the format says what the upper half is. */
function fitsFormat(o: Operand, line: ParsedLine, ref: OperandRef | ConstRef): boolean {
  if ("number" in ref && ref.number) return true;
  return (line.imm !== "u32" || o.high === 0) && (line.imm !== "n32" || o.high === 0xffffffff);
}

// ---------------------------------------------------------------------------------------------- names

/** Full name with the alias that applies (`IMAD.MOV.U32`). */
function aliasName(plan: FormPlan, inst: MachineInst): string {
  // With 3 for reuse and bit 109 clear, which says something else, nvdisasm prints no alias (measured for IMAD's).
  if (inst.control !== null && inst.control.yield === 0 && (inst.control.reuse & 7) === 3) return inst.form.name;
  for (const alias of plan.aliases) {
    let all = true;
    for (const c of alias.conditions)
      all &&= conditionHolds((c.slot.isDst ? inst.dsts : inst.srcs)[c.slot.index]!, c.value);
    if (all) return alias.name;
  }
  return inst.form.name;
}

export function conditionHolds(o: Operand, value: string): boolean {
  const plain = (o.mods & ~Mod.Reuse) === 0;
  switch (value) {
    case "RZ":
      return o.kind === Kind.Reg && o.file === File.R && o.id === ZERO_REG && plain;
    case "zero":
      return o.kind === Kind.Reg ? o.file === File.R && o.id === ZERO_REG : o.kind === Kind.Imm && o.value === 0;
    case "plain":
      return o.file !== File.UR;
    case "pow2":
      // 65536 and the negative one keep their multiplication (measured with every power).
      return o.kind === Kind.Imm && (o.value | 0) > 0 && o.value !== 0x10000 && (o.value & (o.value - 1)) === 0;
    default:
      return o.kind === Kind.Imm && o.value === Number(value);
  }
}

// ---------------------------------------------------------------------------------------------- operands

function lineOperands(plan: LinePlan, inst: MachineInst, names: Names): string {
  let out = "";
  for (let i = 0; i < plan.operands.length; i++) {
    const text = operandText(plan, i, inst, names);
    if (text !== null) out += out === "" ? text : `, ${text}`;
  }
  return out;
}

/** What the line prints between two commas, null when it is left out. */
export function operandText(plan: LinePlan, i: number, inst: MachineInst, names: Names): string | null {
  const operand = plan.operands[i]!;
  if (operand.omit !== null && leftOut(plan.operands, i, inst, names.exact ?? false)) return null;
  const { tokens } = operand;
  let n = tokens.length;
  // Without an offset after the operand that is left out.
  if (operand.tail !== null && isDefault(slotOperand(operand.tail, inst), operand.tail.slot.optional)) n -= 2;
  let out = "";
  for (let k = 0; k < n; k++) out += tokenText(tokens[k]!, plan.line, inst, names);
  return out;
}

function slotOperand(ref: { readonly slot: Slot }, inst: MachineInst): Operand {
  const { slot } = ref;
  return (slot.isDst ? inst.dsts : inst.srcs)[slot.index]!;
}

/** Of two optional operands in a row, the first cannot be left out alone without being mistaken. */
function leftOut(operands: readonly OperandPlan[], i: number, inst: MachineInst, exact: boolean): boolean {
  if (!omitted(operands[i]!.omit!, inst, exact)) return false;
  const next = operands[i + 1]?.omit ?? null;
  return !exact || next === null || omitted(next, inst, true);
}

function omitted(ref: OperandRef, inst: MachineInst, exact: boolean): boolean {
  const o = slotOperand(ref, inst);
  // RZ where the default is the number 0 is another encoding.
  if (exact && o.kind === Kind.Reg && /^\d/.test(ref.slot.optional ?? "")) return false;
  return isDefault(o, ref.slot.optional);
}

function tokenText(t: Token, line: ParsedLine, inst: MachineInst, names: Names): string {
  switch (t.kind) {
    case "text":
      return t.text;
    case "ref":
      return refText(t.ref, slotOperand(t.ref, inst), line, names);
    case "part":
      return slotOperand(t.ref, inst).part;
    case "echo": {
      const o = slotOperand(t, inst);
      const id = echoId(o, t, names.isa ?? 0);
      return t.nonzero && !names.exact && isLast(o.file, id, names) ? `???${id}` : registerText({ ...o, id }, names);
    }
    case "const":
      return constText(slotOperand(t.ref, inst), names, t.ref);
    case "quiet":
      return quietText(t.ref, slotOperand(t.ref, inst), line, names);
    default:
      return sumText(t.terms, line, inst, names);
  }
}

/** A descriptor that nvdisasm leaves out stands in parentheses where nothing may be lost. */
function quietText(ref: OperandRef, o: Operand, line: ParsedLine, names: Names): string {
  const text = `desc[${refText(ref, o, line, names)}]`;
  if (o.mods & Mod.Shown) return text;
  return names.exact ? `(${text})` : "";
}

/** `[R2.64+UR4+0x10]`: RZ is left out unless it is all there is or carries a scale. */
function sumText(terms: readonly OperandRef[], line: ParsedLine, inst: MachineInst, names: Names): string {
  let out = "";
  let zero = "";
  for (let i = 0; i < terms.length; i++) {
    const ref = terms[i]!;
    const o = slotOperand(ref, inst);
    if (ref.slot.format === "word") {
      const text = numberText(ref, o, line, names);
      if (isDefault(o, ref.slot.optional)) zero ||= text;
      else out = out === "" ? text : `${out}+${text}`;
      continue;
    }
    if (o.kind === Kind.Imm) {
      const v = ref.signed ? o.value | 0 : o.value;
      if (v === 0) continue;
      const signed = ref.alone === "base" ? zero === "" : out !== "" || ref.alone === "signed";
      const text = signed ? signedHex(v) : unsignedHex(v, ref);
      out = out === "" ? text : `${out}+${text}`;
    } else if (o.kind === Kind.Reg && o.id === ZERO_REG && vanishes(ref, o, terms, names))
      zero ||= registerName(o.file, o.id);
    else {
      const text = refText(ref, o, line, names);
      out = out === "" ? text : `${out}+${text}`;
    }
  }
  return `[${out !== "" ? out : zero}]`;
}

/** A zero base is left out unless it carries a scale, or the address has a descriptor or extends the base. */
function vanishes(ref: OperandRef, o: Operand, terms: readonly OperandRef[], names: Names): boolean {
  if (o.file !== File.R || ref.omit) return ref.omit;
  if (ref.keepZero || (names.exact && ref.suffix !== "")) return false;
  return o.part === "" || (!names.exact && !terms.some((t) => t.slot.file === File.UR));
}

/** A lone offset is an address: unsigned in the width of its field, if that holds an address. */
function unsignedHex(v: number, ref: OperandRef): string {
  const bits = ref.loc ? ref.loc.reduce((n, p) => n + p.width, 0) : 32;
  if (bits < 24) return signedHex(v);
  return hex(v < 0 ? v + 2 ** bits : v);
}

function refText(ref: OperandRef, o: Operand, line: ParsedLine, names: Names): string {
  if (o.kind === Kind.Imm) return numberText(ref, o, line, names);
  if (o.kind === Kind.Reg && o.mods === 0 && o.part === "" && !ref.nonzero)
    return ref.suffix === "" ? registerText(o, names) : registerText(o, names) + ref.suffix;
  const inside = ref.part === null || ref.partInside || o.file !== File.R;
  if (ref.nonzero && !names.exact && isLast(o.file, o.id, names)) return `???${o.id}${ref.suffix}`;
  const bare = o.kind === Kind.Const && ref.spaced ? constBare(o, names).replace("][", "] [") : bareText(o, names);
  return decorate(ref.partAfter ? { ...o, part: "" } : o, bare, ref.suffix, !inside);
}

/** The number that stands for the zero register where there is one. */
function isLast(file: File, id: number, names: Names): boolean {
  return id === (file === File.UR && (names.isa ?? 0) < 100 ? 63 : 255);
}

/** Sign, bars and part around an operand. */
function decorate(o: Operand, bare: string, suffix: string, partOutside: boolean): string {
  const reuse = o.mods & Mod.Reuse ? ".reuse" : "";
  const part = o.kind === Kind.Sym ? "" : o.part;
  let text = partOutside ? bare : bare + suffix + part;
  if (o.mods & Mod.Abs) text = `|${text}|`;
  text += partOutside ? reuse + part : reuse;
  if (o.mods & Mod.Neg) text = `-${text}`;
  if (o.mods & Mod.Not) text = (o.file === File.P || o.file === File.UP ? "!" : "~") + text;
  return text;
}

function numberText(ref: OperandRef, o: Operand, line: ParsedLine, names: Names): string {
  const { slot } = ref;
  if (slot.holds === "reg" && !ref.number && ref.loc === null) {
    const text = immediateText(o.value, o.high, line.imm);
    const exact = names.exact && hidesBits(text, o, line);
    return (exact ? hex(line.imm === "f64" ? o.high : o.value) : text) + (ref.partOfNumber ? o.part : "");
  }
  switch (slot.format) {
    case "sb":
      return `SB${o.value}`;
    case "word":
      return ref.part!.byCode[o.value]!.text;
    case "bits":
      return bitList(o.value);
    case "pattern":
      return lanePattern(o.value);
    default:
      if (o.high !== 0) return wideHex(numberOf(o, ref.signed));
      return ref.signed ? signedHex(o.value | 0) : hex(o.value);
  }
}

/** NaNs print without their bits, single halves without the other one. */
function hidesBits(text: string, o: Operand, line: ParsedLine): boolean {
  return text.includes("NAN") || ((line.imm === "h1" || line.imm === "b1") && o.value >>> 16 !== 0);
}

/** `{5,3,0}` */
function bitList(value: number): string {
  const out: number[] = [];
  for (let i = 31; i >= 0; i--) if ((value >>> i) & 1) out.push(i);
  return `{${out.join(",")}}`;
}

/** Signs per lane of a quad, two bits a lane pair. */
function lanePattern(value: number): string {
  let out = "";
  for (let i = 6; i >= 0; i -= 2) out += ["PP", "PN", "NP", "ZP"][(value >> i) & 3];
  return out;
}

/** An operand without sign and part. */
export function bareText(o: Operand, names: Names = {}): string {
  switch (o.kind) {
    case Kind.Reg:
      return registerText(o, names);
    case Kind.Imm:
      return hex(o.value);
    case Kind.Const:
      return constBare(o, names);
    case Kind.Label:
      return names.label ? names.label(o) : o.id >= 0 ? `B${o.id}` : wideHex(addressOf(o));
    case Kind.Sreg:
      return sregName(o.id, names.isa);
    case Kind.Sym:
      return symbolText(o);
    default:
      return "_";
  }
}

/** ``32@lo(name)``, `` `(name) ``, with `(name + 0x10)` for an addend. */
function symbolText(o: Operand): string {
  const name = o.value ? `(${o.sym} + ${hex(o.value)})` : o.sym;
  return o.part === "" ? `\`(${name})` : `${o.part}(${name})`;
}

function constText(o: Operand, names: Names, ref: ConstRef | null): string {
  return decorate(o, constBare(o, names, ref), "", true);
}

function constBare(o: Operand, names: Names, ref: ConstRef | null = null): string {
  const offset = (ref?.signed ?? true) ? signedHex(o.value) : hex(o.value);
  const index = { ...o, kind: Kind.Reg, id: o.index, width: 1 } as Operand;
  if (o.id === -1) return `cx[${registerText(index, names)}][${offset}]`;
  const bank = `c[${hex(o.id)}]`;
  if (o.index === NO_INDEX) {
    const zero = o.value === 0 && ref?.index && !ref.keepIndex ? registerName(ref.indexFile, ZERO_REG) : "";
    return `${bank}[${zero || offset}]`;
  }
  const register = registerText(index, names);
  return o.value === 0 ? `${bank}[${register}]` : `${bank}[${register}+${offset}]`;
}

/** Every slot in order, for what no line shows: pseudo instructions and operands that are not encodable yet. */
function plainOperands(inst: MachineInst, names: Names): string {
  const text = (o: Operand): string =>
    o.kind === Kind.None ? "_" : decorate(o, bareText(o, names), "", o.kind === Kind.Const);
  return [...inst.dsts, ...inst.srcs].map(text).join(", ");
}
