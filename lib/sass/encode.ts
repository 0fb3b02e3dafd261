/**
 * Instructions to machine words. The lines of the form's row are tried in table order; the first whose steps take all
 * operands is the encoding. Bits that no text shows come from the line.
 */
import { InternalError } from "../errors.js";
import type { CodedStep } from "../isa/coded.js";
import { tableFor } from "../isa/compiled.js";
import { fixedBits, inCubes } from "../isa/conditions.js";
import { type Form, matchMods, rowOf } from "../isa/form.js";
import { type CodeLine, Do, modifierWords, type Step } from "../isa/lines.js";
import { type Control, Kind, type MachineInst, type Operand, ZERO_REG } from "../isa/operand.js";
import { widthOf } from "../isa/syntax.js";
import { renderInst } from "../isa/text.js";
import { File } from "../isa/types.js";
import type { Target } from "../target/types.js";
import { type EncodeContext, type Place, writeOperand } from "./encode-operand.js";

export type { EncodeContext } from "./encode-operand.js";

/** A line that takes a form's modifiers, with the modifiers' bits set. */
interface Candidate {
  readonly code: CodeLine;
  readonly words: Uint32Array;
  /** Words of these that the target refuses. */
  readonly refused: Uint32Array | null;
}

/** The lines of a form, in table order. */
interface Candidates {
  readonly all: readonly Candidate[];
  /** Slots by whose operands the lines differ most simply, three at most; definitions count first. */
  readonly telling: readonly number[];
  /** Those that may take operands of these kinds in the telling slots, by the kinds. */
  readonly byKinds: (readonly Candidate[] | undefined)[];
}

/** By SM, then by form. */
const candidates: (Candidates | undefined)[][] = [];

function candidatesOf(f: Form, target: Target): Candidates {
  candidates[target.isa] ??= [];
  const byForm = candidates[target.isa]!;
  byForm[f.id] ??= makeCandidates(f, target);
  return byForm[f.id]!;
}

function makeCandidates(f: Form, target: Target): Candidates {
  const all = tableFor(target.isa)
    .linesOfRow(rowOf(f).index)
    .flatMap((code) => {
      const values = matchMods(code.line.template, f.mods);
      if (!values) return [];
      const words = withoutOperands(modifierWords(values, code), code);
      return [{ code, words, refused: fixedBits(code.refused, code.groups, words, 0) }];
    });
  const slots = all[0]?.code.coded.map((_, i) => i) ?? [];
  const telling = slots.filter((i) => new Set(all.map((c) => kindsOf(c.code.coded[i]!))).size > 1).slice(0, 3);
  return { all, telling, byKinds: [] };
}

/** Zeros where the operands go. */
function withoutOperands(words: Uint32Array, code: CodeLine): Uint32Array {
  for (const s of code.coded)
    for (const f of [s.field, s.bank, s.index, s.part])
      for (const p of s.what === Do.Default ? [] : (f?.loc ?? []))
        for (let bit = p.lo; bit < p.lo + p.width; bit++) words[bit >> 5] = words[bit >> 5]! & ~(1 << (bit & 31));
  words[0] = words[0]! & ~0xf000;
  return words;
}

/** Kinds of operands that a step may take: bit `code` for each `kindCode`. */
function kindsOf(step: CodedStep): number {
  const uniform = step.file === File.UR || step.file === File.UP;
  switch (step.what) {
    case Do.Reg:
      return 1 << (uniform ? UNIFORM : Kind.Reg);
    case Do.Imm:
      return (1 << Kind.Imm) | (1 << Kind.Sym) | (1 << Kind.Label);
    case Do.Const:
      return 1 << Kind.Const;
    case Do.Label:
      return (1 << Kind.Label) | (1 << Kind.Sym);
    case Do.Sreg:
      return 1 << Kind.Sreg;
    default:
      return (1 << Kind.None) | (1 << Kind.Reg) | (1 << Kind.Imm) | (1 << UNIFORM);
  }
}

/** Beside the kinds of operands: a uniform register. */
const UNIFORM = 7;

function kindCode(o: Operand): number {
  return o.kind === Kind.Reg && (o.file === File.UR || o.file === File.UP) ? UNIFORM : o.kind;
}

/** The candidates among which the instruction's line is, in table order. */
function likely(list: Candidates, inst: MachineInst): readonly Candidate[] {
  const { telling, all } = list;
  if (telling.length === 0) return all;
  const dsts = all[0]!.code.dsts;
  let kinds = 0;
  for (let i = 0; i < telling.length; i++) {
    const slot = telling[i]!;
    const o = slot < dsts ? inst.dsts[slot] : inst.srcs[slot - dsts];
    if (o === undefined) return all;
    kinds = (kinds << 3) | kindCode(o);
  }
  list.byKinds[kinds] ??= all.filter((c) =>
    telling.every((slot, i) => {
      const code = (kinds >> (3 * (telling.length - 1 - i))) & 7;
      return ((kindsOf(c.code.coded[slot]!) >> code) & 1) === 1;
    }),
  );
  return list.byKinds[kinds]!;
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
  const tried = likely(list, inst);
  const place: Place = { out, at, pc, context, symbols: false };
  for (let i = 0; i < tried.length; i++) {
    if (write(tried[i]!, inst, place) !== TAKEN) continue;
    if (place.symbols) relocate(tried[i]!.code, inst, pc, context);
    return;
  }
  throw noEncoding(inst, target, list.all);
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
  const misfits = list.map((c) => [c, write(c, inst, trial)] as const).filter(([, slot]) => slot >= 0);
  const slots = new Set(misfits.map(([c, slot]) => c.code.steps[slot]!.slot.name));
  if (slots.size === 0) slots.add("values that go together");
  return new InternalError(`no encoding of ${inst.form.name} on ${target.name}: operand ${[...slots].join(" or ")}`, {
    detail: text,
  });
}

// ---------------------------------------------------------------------------------------------- writing

/** The line takes the instruction; it has another number of operands or the target refuses the word. Otherwise the slot that does not fit. */
const TAKEN = -1;
const UNFIT = -2;

/** Where an instruction is written to see whether it can be. */
const trial: Place = {
  out: new Uint32Array(4),
  at: 0,
  pc: 0,
  context: { label: () => 0, reloc: () => {} },
  symbols: false,
};

/** Writes the word; `TAKEN`, or what speaks against it. */
function write(c: Candidate, inst: MachineInst, place: Place): number {
  const { code, words } = c;
  const { out, at } = place;
  const g = inst.guard;
  const guard = g === null ? 7 : (g.id === ZERO_REG ? 7 : g.id) | (g.not ? 8 : 0);
  out[at] = words[0]! | (guard << 12);
  out[at + 1] = words[1]!;
  out[at + 2] = words[2]!;
  out[at + 3] = words[3]!;
  const { coded } = code;
  const { dsts, srcs } = inst;
  const n = code.dsts;
  if (dsts.length !== n || srcs.length !== coded.length - n) return UNFIT;
  for (let i = 0; i < n; i++) if (!writeOperand(coded[i]!, dsts[i]!, place)) return i;
  for (let i = n; i < coded.length; i++) if (!writeOperand(coded[i]!, srcs[i - n]!, place)) return i;
  out[at + 3] = out[at + 3]! | (inst.control !== null ? controlWord(inst.control) : noControl);
  if (code.shared) {
    const slot = sharedMisfit(code, inst);
    if (slot >= 0) return slot;
  }
  return c.refused !== null && inCubes(c.refused, out, at) ? UNFIT : TAKEN;
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

function relocate(code: CodeLine, inst: MachineInst, pc: number, context: EncodeContext): void {
  const { coded, dsts } = code;
  for (let i = dsts; i < coded.length; i++) {
    const o = inst.srcs[i - dsts]!;
    const { what } = coded[i]!;
    if (o.kind !== Kind.Sym || (what !== Do.Imm && what !== Do.Label)) continue;
    context.reloc({ offset: pc, symbol: o.sym, addend: o.value, what: o.part });
  }
}

/** Of an instruction without control bits: stall 1, no scoreboards, no yield. Zeros would name scoreboard 0. */
const noControl = 0x7f1 << 9;

/** The scheduling bits as they stand in the highest u32. */
export function controlWord(c: Control): number {
  return (c.stall << 9) | (c.yield << 13) | (c.writeSb << 14) | (c.readSb << 17) | (c.wait << 20) | (c.reuse << 26);
}

// ---------------------------------------------------------------------------------------------- legality

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
  return candidatesOf(f, target).all.some(
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
  return likely(candidatesOf(inst.form, target), inst).some((c) => write(c, inst, trial) === TAKEN);
}
