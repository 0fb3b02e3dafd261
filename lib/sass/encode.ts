/**
 * Instructions to machine words. The lines of the form's row are tried in table order; the first whose steps take all
 * operands is the encoding. Bits that no text shows come from the line. `encodeFunc` lays out the blocks of a function
 * and adds its tail.
 *
 * The tail (digest G §2M.3): after the last instruction a branch to itself, then NOPs up to 128 bytes; from sm_80 on at
 * least eight of them.
 */
import { InternalError } from "../errors.js";
import { shownAs } from "../inspect.js";
import { label, PT } from "../ori/operand.js";
import type { Block, Func, Inst } from "../ori/types.js";
import type { Target } from "../target/types.js";
import type { Code, CodeReloc } from "./code.js";
import { setBits, setWide } from "./isa/bits.js";
import type { CodedStep } from "./isa/coded.js";
import { inCubes } from "./isa/conditions.js";
import { type Form, form, matchMods, rowOf } from "./isa/form.js";
import { type CodeLine, Do, modifierWords, type Step, tableFor } from "./isa/lines.js";
import {
  addressOf,
  type Control,
  isDefault,
  Kind,
  type MachineInst,
  Mod,
  NO_INDEX,
  numberOf,
  type Operand,
  ZERO_REG,
} from "./isa/operand.js";
import { widthOf } from "./isa/syntax.js";
import { renderInst } from "./isa/text.js";
import { File } from "./isa/types.js";
import { listing } from "./print.js";

/** What labels and symbols become. */
export interface EncodeContext {
  /** Byte offset of a block. */
  label(block: number): number;
  reloc(r: CodeReloc): void;
}

/** A line that takes a form's modifiers, with the modifiers' bits set. */
interface Candidate {
  readonly code: CodeLine;
  readonly words: Uint32Array;
}

/** By SM, then by form. */
const candidates: (readonly Candidate[] | undefined)[][] = [];

function candidatesOf(f: Form, target: Target): readonly Candidate[] {
  candidates[target.isa] ??= [];
  const byForm = candidates[target.isa]!;
  let list = byForm[f.id];
  if (!list) {
    list = tableFor(target.isa).byRow[rowOf(f).index]!.flatMap((code) => {
      const values = matchMods(code.line.template, f.mods);
      return values ? [{ code, words: modifierWords(values, code) }] : [];
    });
    byForm[f.id] = list;
  }
  return list;
}

/**
 * Writes the instruction to out[at … at+3]; it will stand at byte `pc`. Throws InternalError naming the instruction and
 * the slot when the target has no encoding for it.
 */
export function encodeInst(
  inst: MachineInst,
  target: Target,
  out: Uint32Array,
  at: number,
  pc: number = at * 4,
  context: EncodeContext = noContext,
): void {
  const list = candidatesOf(inst.form, target);
  for (let i = 0; i < list.length; i++) {
    const c = list[i]!;
    if (misfit(c.code, inst) >= 0) continue;
    const symbols = write(c, inst, out, at, pc, context);
    if (c.code.refused !== null && inCubes(c.code.refused, out, at)) continue;
    if (symbols) relocate(c.code, inst, pc, context);
    return;
  }
  throw noEncoding(inst, target, list);
}

const noContext: EncodeContext = {
  label: (block) => {
    throw new InternalError(`label of block ${block} outside a function`);
  },
  reloc: (r) => {
    throw new InternalError(`symbol ${r.symbol} outside a function`);
  },
};

function noEncoding(inst: MachineInst, target: Target, list: readonly Candidate[]): InternalError {
  const text = renderInst(inst, { isa: target.isa });
  if (list.length === 0) return new InternalError(`${target.name} has no ${inst.form.name}`, { detail: text });
  const at = list.map((c) => [c, misfit(c.code, inst)] as const).filter(([, i]) => i >= 0);
  const slots = new Set(at.map(([c, i]) => c.code.steps[i]!.slot.name));
  if (slots.size === 0) slots.add("values that go together");
  return new InternalError(`no encoding of ${inst.form.name} on ${target.name}: operand ${[...slots].join(" or ")}`, {
    detail: text,
  });
}

// ---------------------------------------------------------------------------------------------- legality

/** Index of the first slot whose operand the line does not take, −1 when it takes all. */
function misfit(code: CodeLine, inst: MachineInst): number {
  const { coded, dsts } = code;
  for (let i = 0; i < dsts; i++) {
    const o = inst.dsts[i];
    if (o === undefined || !takes(coded[i]!, o)) return i;
  }
  for (let i = dsts; i < coded.length; i++) {
    const o = inst.srcs[i - dsts];
    if (o === undefined || !takes(coded[i]!, o)) return i;
  }
  return code.shared ? sharedMisfit(code, inst) : -1;
}

const scratch = new Uint32Array(4);
const noSymbols: EncodeContext = { label: () => 0, reloc: () => {} };

/** Does the line take all operands, and is the word one that the target knows? */
function takesAll(c: Candidate, inst: MachineInst): boolean {
  if (misfit(c.code, inst) >= 0) return false;
  if (c.code.refused === null) return true;
  write(c, inst, scratch, 0, 0, noSymbols);
  return !inCubes(c.code.refused, scratch, 0);
}

/** Operands in the same bits must be the same register. */
function sharedMisfit(code: CodeLine, inst: MachineInst): number {
  for (let i = 0; i < code.steps.length; i++)
    for (let k = i + 1; k < code.steps.length; k++) {
      const [a, b] = [code.steps[i]!, code.steps[k]!];
      if (a.what !== Do.Reg || b.what !== Do.Reg || a.loc[0]!.lo !== b.loc[0]!.lo) continue;
      const all = [...inst.dsts, ...inst.srcs];
      if (all[i]!.id !== all[k]!.id) return k;
    }
  return -1;
}

function takes(step: CodedStep, o: Operand): boolean {
  switch (step.what) {
    case Do.Default:
      return isDefault(o, step.optional);
    case Do.Reg:
      return o.kind === Kind.Reg && takesRegister(step, o);
    case Do.Imm:
      return takesNumber(step, o);
    case Do.Const:
      return o.kind === Kind.Const && takesConst(step, o);
    case Do.Label:
      return o.kind === Kind.Label || o.kind === Kind.Sym;
    default:
      return o.kind === Kind.Sreg;
  }
}

function takesRegister(step: CodedStep, o: Operand): boolean {
  if (o.file !== step.file) return false;
  if (o.id === ZERO_REG ? step.nonzero : o.id < 0 || o.id >= step.end) return false;
  if (step.width !== 0 && o.width !== step.width) return false;
  return takesMods(step, o);
}

function takesMods(step: CodedStep, o: Operand): boolean {
  const { mods } = o;
  if (mods !== 0) {
    if (mods & Mod.Neg && step.neg < 0) return false;
    if (mods & Mod.Abs && step.abs < 0) return false;
    if (mods & Mod.Not && step.not < 0) return false;
  }
  return step.partCodes === null ? o.part === "" : step.partCodes.has(o.part);
}

function takesNumber(step: CodedStep, o: Operand): boolean {
  const { width } = step.field;
  if (o.kind === Kind.Sym) return width >= 32;
  if (o.kind === Kind.Label) return step.format === "rel" || width >= 32;
  if (o.kind !== Kind.Imm || o.mods !== 0) return false;
  if (o.part !== "" && !step.partCodes?.has(o.part)) return false;
  // Only the upper half of a double is encoded.
  if (step.format === "f64") return o.width === 2 ? o.value === 0 : true;
  if (step.whole64) return true;
  if (step.wide) return numberOf(o, step.signed) % BigInt(step.scale) === 0n;
  // A signed number of 32 bits that stands for 64.
  const extended = step.format === "s32" && step.slotWidth === 2 && o.value >>> 31 ? 0xffffffff : 0;
  if (step.format === "n32" ? o.high !== 0xffffffff : o.high !== 0 && o.high !== extended) return false;
  if (width >= 32) return true;
  const value = step.signed ? o.value | 0 : o.value;
  const v = step.scale === 1 ? value : value / step.scale;
  if (!Number.isInteger(v)) return false;
  return step.signed ? v >= -(2 ** (width - 1)) && v < 2 ** (width - 1) : v < 2 ** width;
}

function takesConst(step: CodedStep, o: Operand): boolean {
  const indirect = o.id === -1;
  if (indirect !== step.indirect) return false;
  if (!indirect && o.index !== NO_INDEX && (step.index === null || o.file !== step.indexFile)) return false;
  if (step.keepIndex && o.index === NO_INDEX) return false;
  if (!indirect && o.id >= 2 ** step.bank.width) return false;
  const v = o.value / step.scale;
  const { width } = step.field;
  // Constant offsets of arithmetic are printed signed but address 64 KiB.
  const inRange = step.signed ? v >= -(2 ** (width - 1)) && v < 2 ** width : v >= 0 && v < 2 ** width;
  return Number.isInteger(v) && inRange && takesMods(step, o);
}

/**
 * Which kind an operand has for legality: what the source or definition slot would hold. `slot` counts definitions
 * first.
 */
export type OperandKind = "reg" | "ureg" | "imm" | "const" | "cx" | "label" | "sreg" | "sym";

/**
 * Whether some encoding of the form on this target lets slot `slot` (definitions first) hold this kind. At most one
 * source of an instruction can be other than a register, so two slots may be legal alone but not together.
 */
export function accepts(f: Form, target: Target, slot: number, kind: OperandKind): boolean {
  return candidatesOf(f, target).some(
    (c) => kindOf(c.code.steps[slot]!) === kind || (kind === "sym" && symbolic(c.code.steps[slot]!)),
  );
}

function kindOf(step: Step): OperandKind | null {
  switch (step.what) {
    case Do.Reg:
      return step.file === File.UR || step.file === File.UP ? "ureg" : "reg";
    case Do.Imm:
      return "imm";
    case Do.Const:
      return step.indirect ? "cx" : "const";
    case Do.Label:
      return "label";
    case Do.Sreg:
      return "sreg";
    default:
      return null;
  }
}

function symbolic(step: Step): boolean {
  return step.what === Do.Label || (step.what === Do.Imm && widthOf(step.loc) >= 32);
}

/** Whether the instruction as it stands has an encoding on the target. */
export function isEncodable(inst: MachineInst, target: Target): boolean {
  return candidatesOf(inst.form, target).some((c) => takesAll(c, inst));
}

// ---------------------------------------------------------------------------------------------- writing

/** Whether an operand is a symbol: its bits are zero then, and `relocate` tells of it. */
function write(
  c: Candidate,
  inst: MachineInst,
  out: Uint32Array,
  at: number,
  pc: number,
  context: EncodeContext,
): boolean {
  const { code, words } = c;
  const g = inst.guard;
  const guard = g === null ? 7 : (g.id === ZERO_REG ? 7 : g.id) | (g.not ? 8 : 0);
  out[at] = (words[0]! & ~0xf000) | (guard << 12);
  out[at + 1] = words[1]!;
  out[at + 2] = words[2]!;
  out[at + 3] = words[3]!;
  const { coded, dsts } = code;
  let symbols = false;
  for (let i = 0; i < coded.length; i++) {
    const o = i < dsts ? inst.dsts[i]! : inst.srcs[i - dsts]!;
    if (o.kind === Kind.Sym) symbols = true;
    writeOperand(coded[i]!, o, out, at, pc, context);
  }
  out[at + 3] = out[at + 3]! | (inst.control !== null ? controlWord(inst.control) : noControl);
  return symbols;
}

function relocate(code: CodeLine, inst: MachineInst, pc: number, context: EncodeContext): void {
  code.coded.forEach((step, i) => {
    const o = i < code.dsts ? inst.dsts[i]! : inst.srcs[i - code.dsts]!;
    if (o.kind !== Kind.Sym || (step.what !== Do.Imm && step.what !== Do.Label)) return;
    context.reloc({ offset: pc, symbol: o.sym, addend: o.value, what: o.part });
  });
}

/** Of an instruction without control bits: stall 1, no scoreboards, no yield. Zeros would name scoreboard 0. */
const noControl = 0x7f1 << 9;

/** The scheduling bits as they stand in the highest u32. */
export function controlWord(c: Control): number {
  return (c.stall << 9) | (c.yield << 13) | (c.writeSb << 14) | (c.readSb << 17) | (c.wait << 20) | (c.reuse << 26);
}

function writeOperand(
  step: CodedStep,
  o: Operand,
  out: Uint32Array,
  at: number,
  pc: number,
  context: EncodeContext,
): void {
  switch (step.what) {
    case Do.Reg:
      writeRegister(step, o, out, at);
      return;
    case Do.Imm:
      writeNumber(step, o, out, at, pc, context);
      return;
    case Do.Const:
      writeConst(step, o, out, at);
      return;
    case Do.Label:
      writeLabel(step, step.relative, o, out, at, pc, context);
      return;
    case Do.Sreg:
      step.field.set(out, at, o.id);
      return;
  }
}

function setBit(out: Uint32Array, at: number, bit: number): void {
  out[at + (bit >> 5)] = out[at + (bit >> 5)]! | (1 << (bit & 31));
}

function writeMods(step: CodedStep, o: Operand, out: Uint32Array, at: number): void {
  const { mods } = o;
  if (step.neg >= 0 && mods & Mod.Neg) setBit(out, at, step.neg);
  if (step.abs >= 0 && mods & Mod.Abs) setBit(out, at, step.abs);
  if (step.not >= 0 && mods & Mod.Not) setBit(out, at, step.not);
  if (step.part !== null) step.part.set(out, at, step.partCodes!.get(o.part)!);
}

function writeRegister(step: CodedStep, o: Operand, out: Uint32Array, at: number): void {
  const { last } = step;
  const id = o.id === ZERO_REG ? last : o.id;
  step.field.set(out, at, step.complement ? last - id : id);
  if (!step.decorated) return;
  writeMods(step, o, out, at);
  if (step.reuse >= 0 && o.mods & Mod.Reuse) setBit(out, at, step.reuse);
  if (step.shown >= 0 && o.mods & Mod.Shown) setBit(out, at, step.shown);
}

function writeNumber(
  step: CodedStep,
  o: Operand,
  out: Uint32Array,
  at: number,
  pc: number,
  context: EncodeContext,
): void {
  if (o.kind === Kind.Sym) {
    step.field.set(out, at, 0);
    return;
  }
  if (o.kind === Kind.Label) {
    writeLabel(step, step.format === "rel", o, out, at, pc, context);
    return;
  }
  if (step.whole64) {
    const { lo } = step.field.loc[0]!;
    setBits(out, at, lo, 32, o.value);
    setBits(out, at, lo + 32, 32, o.high);
    return;
  }
  if (step.wide) {
    setWide(out, at, step.field.loc, numberOf(o, step.signed) / BigInt(step.scale));
    return;
  }
  if (step.part !== null && step.format !== "word") writeMods(step, o, out, at);
  const v = step.format === "f64" ? o.high : step.signed ? o.value | 0 : o.value;
  step.field.set(out, at, step.scale === 1 ? v : v / step.scale);
}

function writeConst(step: CodedStep, o: Operand, out: Uint32Array, at: number): void {
  step.field.set(out, at, o.value / step.scale);
  if (step.indirect) step.bank.set(out, at, o.index === ZERO_REG ? -1 : o.index);
  else {
    step.bank.set(out, at, o.id);
    if (step.index !== null) step.index.set(out, at, o.index === NO_INDEX || o.index === ZERO_REG ? -1 : o.index);
  }
  if (step.decorated) writeMods(step, o, out, at);
}

function writeLabel(
  step: CodedStep,
  relative: boolean,
  o: Operand,
  out: Uint32Array,
  at: number,
  pc: number,
  context: EncodeContext,
): void {
  if (o.kind === Kind.Sym) {
    step.field.set(out, at, 0);
    return;
  }
  if (o.id < 0 && !Number.isSafeInteger(o.value)) {
    const far = addressOf(o) - BigInt(relative ? pc + 16 : 0);
    setWide(out, at, step.field.loc, far / BigInt(step.scale));
    return;
  }
  const address = o.id >= 0 ? context.label(o.id) : o.value;
  step.field.set(out, at, (relative ? address - pc - 16 : address) / step.scale);
}

// ---------------------------------------------------------------------------------------------- functions

/**
 * Machine code of a function with physical registers; it shows itself as its listing. Throws InternalError on virtual
 * registers and on an instruction that has no encoding.
 */
export function encodeFunc(func: Func): Code {
  if (func.virtual)
    throw new InternalError("the registers are still virtual: allocate comes first", { func: func.name });
  const labels = layout(func.blocks);
  const insts: Inst[] = func.blocks.flatMap((b) => b.insts);
  const words = new Uint32Array(4 * codeLength(insts.length + 1, func.target));
  const relocs: CodeReloc[] = [];
  const context: EncodeContext = {
    label: (block) => {
      const at = labels.get(block);
      if (at === undefined) throw new InternalError(`no block ${block}`, { func: func.name });
      return at;
    },
    reloc: (r) => relocs.push(r),
  };
  insts.forEach((inst, i) => {
    encodeInst(inst, func.target, words, 4 * i, 16 * i, context);
  });
  writeTail(words, insts.length, func.target);
  const code: Code = {
    name: func.name,
    kind: func.kind,
    target: func.target,
    words,
    insts,
    locs: insts.map((i) => i.loc),
    relocs,
    labels,
    registers: registerCount(func),
    frameBytes: func.frame.localBytes + func.frame.spillBytes,
    spillStores: func.frame.spillStores,
    spillLoads: func.frame.spillLoads,
    barriers: func.barriers,
    params: func.params,
    paramBytes: func.paramBytes,
    limits: func.limits,
  };
  return shownAs(code, listing, (c) => `[Code ${c.name}: ${c.insts.length} instructions, ${c.registers} registers]`);
}

function layout(blocks: readonly Block[]): Map<number, number> {
  const labels = new Map<number, number>();
  let at = 0;
  for (const b of blocks) {
    labels.set(b.id, at);
    at += 16 * b.insts.length;
  }
  return labels;
}

/** Instructions of a function whose body and self-branch are `n` (digest G §2M.3). */
function codeLength(n: number, target: Target): number {
  return 8 * Math.ceil((n + (target.has("nopTail") ? 8 : 0)) / 8);
}

/** As ptxas reports and stores it (digest B D4): highest index + 1 and two more, at least 4. */
function registerCount(func: Func): number {
  return Math.max(4, func.used.R + 2);
}

/** NOPs behind the function have neither stall nor scoreboards. */
const tailControl: Control = { stall: 0, yield: 0, writeSb: 7, readSb: 7, wait: 0, reuse: 0 };

function writeTail(words: Uint32Array, n: number, target: Target): void {
  const here = label(-1);
  here.value = 16 * n;
  const put = (at: number, name: string, srcs: Operand[]): void => {
    const inst: MachineInst = { form: form(name), dsts: [], srcs, guard: null, control: tailControl };
    encodeInst(inst, target, words, 4 * at);
  };
  put(n, "BRA", [PT(), here]);
  for (let i = n + 1; 4 * i < words.length; i++) put(i, "NOP", []);
}
