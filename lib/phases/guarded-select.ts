/**
 * A selection between a value and what an operation makes is the operation under a guard, over the value (the last thing done in
 * the SSA window: a guarded write keeps the old contents, and its register is none of SSA's any more).
 *
 *     FMUL %R4, %R2, %R3                          MOV %R5, %R1          (joined with %R1 as a rule)
 *     SEL %R5, %R4, %R1, %P0                →     @%P0 FMUL %R5, %R2, %R3
 *
 *     FSEL %R4, 0.5, 1, %P0                       MOV %R5, %R1
 *     FMUL %R5, %R1, %R4                    →     @%P0 FMUL %R5, %R1, 0.5
 *
 *     LDG %R4, [%R2]                              MOV %R5, %R1
 *     SEL %R5, %R4, %R1, %P0                →     @%P0 LDG %R5, [%R2]
 *
 *     SEL %R4, 0x1, RZ, %P0                       MOV %R5, 0x6
 *     IADD3 %R5, %R4, 0x5, RZ               →     @!%P0 IADD3 %R5, RZ, 0x5, RZ
 *
 * A value that is read after the product, too, is selected: `FMUL t, %R1, 0.5; FSEL %R5, t, %R1, %P0`.
 *
 * ptxas 13.0.88 does so. In the first both inner values die there, so that an instruction is saved. In the second a product
 * with 1 is its factor, but for the bits of NaN, which PTX leaves open. Loads wait for the condition where nothing in between is ordered with them or
 * stores to their space; of two that could, the later one does.
 */
import {
  analysis,
  Definitions,
  exposedReads,
  isLanewise,
  isPlainLoad,
  memoryEffect,
  Order,
  orderOf,
  unitOf,
} from "../analysis/index.js";
import { form } from "../isa/form.js";
import { rewriteBlock } from "../ori/editor.js";
import { copyGuard, newInst } from "../ori/func.js";
import { altered, clone, imm, indexOf, isReg, isZeroReg, RZ, register } from "../ori/operand.js";
import { slotDefault } from "../ori/slots.js";
import { File, type Func, type Guard, type Inst, Kind, Mod, type Operand, ZERO_REG } from "../ori/types.js";
import { encodes } from "../rules/encodable.js";
import { saying } from "./notes.js";

interface Plan {
  /** What the result is where the guard is false. */
  readonly base: Operand;
  readonly guard: Guard;
  /** The operation, whose result is replaced. */
  readonly inst: Inst;
  readonly srcs: Operand[];
  /** The instruction that goes; null: dead code removal sees to it. */
  readonly gone: Inst | null;
  /** The first reader of the result, where the value itself is read until then: the operation waits for it, so that its register may end. */
  readonly until?: Inst;
  /** The value itself is read later than the result: both are made, and one is selected. */
  readonly both?: boolean;
}

/** Returns how many selections went. */
export function guardSelections(func: Func): number {
  const defs = new Definitions(func);
  const plans = new Map<Inst, Plan>();
  const gone = new Set<Inst>();
  const factors = readsByProducts(defs);
  const ends = lastReads(func, defs);
  defs.flat.insts.forEach((inst, at) => {
    const plan =
      inst.guard === null
        ? (selection(defs, inst, at, ends) ??
          literalSum(defs, inst, at) ??
          product(func, defs, inst, at, { factors, ends }))
        : null;
    if (plan === null || gone.has(plan.inst) || plans.has(plan.inst)) return;
    plans.set(inst, plan);
    if (plan.gone !== null) gone.add(plan.gone);
  });
  if (plans.size === 0) return 0;
  const waiting = new Map<Inst, Inst[]>();
  const say = saying(func);
  for (const block of func.blocks) {
    rewriteBlock(func, block, (inst, out) => {
      out.push(...(waiting.get(inst) ?? []));
      const plan = plans.get(inst);
      if (plan === undefined) {
        if (!gone.has(inst)) out.push(inst);
        return;
      }
      const made = plan.both === true ? selected(func, inst, plan) : guarded(func, inst, plan);
      const what = plan.both === true ? "selected after the operation" : "operation under the guard of its selection";
      say?.(what, made.at(-1), "a selection less", inst);
      if (plan.until === undefined) out.push(...made);
      else waiting.set(plan.until, [...(waiting.get(plan.until) ?? []), ...made]);
    });
  }
  return plans.size;
}

/** The value, and the operation over it under a guard. */
function guarded(func: Func, inst: Inst, plan: Plan): Inst[] {
  const d = resultOf(inst) as Operand;
  const mov = form("MOV");
  const rest = mov.srcs.slice(1).map(slotDefault);
  const dsts = plan.inst.dsts.map((o) => (isReg(o) ? clone(d) : clone(o)));
  // The old value is read where it is now, so that its own register may end.
  const isBase = (o: Operand): boolean => isReg(o) && o.id === plan.base.id && o.sub === plan.base.sub && o.width === 1;
  const srcs = plan.srcs.map((o) => (isBase(o) ? altered(d, { mods: o.mods, part: o.part }) : clone(o)));
  return [
    newInst(func, mov, [clone(d)], [clone(plan.base), ...rest], null, inst.loc, inst.id),
    newInst(func, plan.inst.form, dsts, srcs, copyGuard(plan.guard), inst.loc, inst.id),
  ];
}

/** The operation, and a selection between it and the value. */
function selected(func: Func, inst: Inst, plan: Plan): Inst[] {
  const d = resultOf(inst) as Operand;
  const t = register(File.R, func.values.add(File.R, 1));
  const p = register(File.P, plan.guard.id);
  const fsel = form("FSEL");
  const rest = fsel.srcs.slice(3).map(slotDefault);
  const chosen = [t, clone(plan.base), plan.guard.not ? { ...p, mods: Mod.Not } : p, ...rest];
  return [
    newInst(func, plan.inst.form, [clone(t)], plan.srcs.map(clone), null, inst.loc, inst.id),
    newInst(func, fsel, [clone(d)], chosen, null, inst.loc, inst.id),
  ];
}

/** The one register an instruction defines, of file R; null: it defines others. */
function resultOf(inst: Inst): Operand | null {
  const results = inst.dsts.filter(isReg);
  const d = results[0];
  return results.length === 1 && d !== undefined && d.file === File.R && d.width === 1 && d.part === "" ? d : null;
}

const plain = (o: Operand): boolean => isReg(o) && o.file === File.R && o.mods === 0 && o.part === "" && o.width === 1;

function guardOf(pin: Operand, not: boolean): Guard | null {
  if (pin.kind !== Kind.Reg || pin.file !== File.P || pin.id === ZERO_REG) return null;
  return { file: File.P, id: pin.id, not: ((pin.mods & Mod.Not) !== 0) !== not };
}

/** Single definition and single use, in the block of the reader. */
function innerOf(defs: Definitions, o: Operand, at: number): Inst | null {
  if (!plain(o) || defs.usesOf(o) !== 1) return null;
  const i = defs.indexOf(o);
  if (i < 0 || i > at || defs.flat.block[i] !== defs.flat.block[at]) return null;
  const inst = defs.flat.insts[i] as Inst;
  if (inst.guard !== null || resultOf(inst) === null || !(isLanewise(inst) || mayWait(defs, inst, i, at))) return null;
  return inst.srcs.every((s) => s.kind === Kind.None || s.kind === Kind.Label || defs.holds(s, at)) ? inst : null;
}

/** Instructions that a load is moved past at most. */
const WAITS = 256;

/** A load of global or shared memory gives at `to` what it gives at `from`. */
function mayWait({ flat }: Definitions, load: Inst, from: number, to: number): boolean {
  if (!/^LD[GS]$/.test(load.form.op) || !isPlainLoad(load) || to - from > WAITS) return false;
  const { reads } = memoryEffect(load.form);
  for (let k = from + 1; k < to; k++) {
    const { form } = flat.insts[k] as Inst;
    const order = orderOf(flat.insts[k] as Inst);
    if (order === Order.Free) continue;
    const effect = memoryEffect(form);
    if (order !== Order.Access || effect.acquires || (effect.writes & reads) !== 0) return false;
  }
  return true;
}

/** The last instruction that reads each register unit, −1 where it lives on into another block. */
function lastReads(func: Func, { flat, units }: Definitions): Int32Array {
  const last = new Int32Array(units.count).fill(-1);
  flat.insts.forEach((inst, i) => {
    for (const s of inst.srcs) {
      const o = indexOf(s) ?? s;
      if (isReg(o) && o.file === File.R && o.part === "") last.fill(i, unitOf(units, o), unitOf(units, o) + o.width);
    }
  });
  for (const u of exposedReads(analysis(func, "cfg"), flat)) last[u] = -1;
  return last;
}

function selection(defs: Definitions, inst: Inst, at: number, ends: Int32Array): Plan | null {
  if ((inst.form.name !== "SEL" && inst.form.name !== "FSEL") || resultOf(inst) === null) return null;
  const [a, b, pin] = inst.srcs as [Operand, Operand, Operand];
  const sides = [
    [a, b, false],
    [b, a, true],
  ] as const;
  const later = isLoad(defs, a) && defs.indexOf(b) > defs.indexOf(a);
  for (const [made, base, not] of later ? [sides[1], sides[0]] : sides) {
    if (!plain(base) || ends[unitOf(defs.units, base)] !== at || !defs.holds(base, at)) continue;
    const inner = innerOf(defs, made, at);
    const guard = guardOf(pin, not);
    // A literal is better selected than moved twice.
    if (inner === null || guard === null || inner.form.op === "MOV" || choosesLiterals(defs, inner)) continue;
    if (unguarded.has(inner.form.op)) return overMade(inst, made, base, guard);
    return { base, guard, inst: inner, srcs: inner.srcs, gone: inner };
  }
  return null;
}

const isLoad = (defs: Definitions, o: Operand): boolean => defs.definition(o)?.form.memory?.access === "load";

/** A literal added to a selection between zero and a literal. */
function literalSum(defs: Definitions, inst: Inst, at: number): Plan | null {
  if (inst.form.name !== "IADD3" || resultOf(inst) === null) return null;
  const [x, y, z] = inst.srcs as [Operand, Operand, Operand];
  if (!isZeroReg(z) || y.kind !== Kind.Imm || inst.srcs.slice(3).some((o) => isReg(o) && !isZeroReg(o))) return null;
  const select = innerOf(defs, x, at);
  if (select?.form.name !== "SEL") return null;
  const [p, q, pin] = select.srcs as [Operand, Operand, Operand];
  const [yes, no] = [p, q].map((o) => (isZeroReg(o) ? 0 : literalOf(defs, o)));
  if (yes == null || no == null || (yes === 0) === (no === 0)) return null;
  const guard = guardOf(pin, no === 0);
  const base = imm((yes + no + y.value) | 0);
  return guard === null ? null : { base, guard, inst, srcs: [RZ(), ...inst.srcs.slice(1)], gone: select };
}

/** Both sides of a SEL are literals. */
function choosesLiterals(defs: Definitions, inner: Inst): boolean {
  const [a, b] = inner.srcs as [Operand, Operand];
  const literal = (o: Operand): boolean => isZeroReg(o) || literalOf(defs, o) !== null;
  return inner.form.op === "SEL" && literal(a) && literal(b);
}

/** Operations on halves keep their guard off: ptxas moves the other value over what they made. */
const unguarded: ReadonlySet<string> = new Set(["HFMA2", "HADD2", "HMUL2", "F2FP"]);

function overMade(select: Inst, made: Operand, other: Operand, guard: Guard): Plan {
  const mov = form("MOV");
  const inst = { ...select, form: mov, dsts: [clone(select.dsts[0] as Operand)] };
  const srcs = [clone(other), ...mov.srcs.slice(1).map(slotDefault)];
  return { base: made, guard: { ...guard, not: !guard.not }, inst, srcs, gone: null };
}

const ONE = 0x3f800000;

function readsByProducts(defs: Definitions): Int32Array {
  const count = new Int32Array(defs.units.count);
  for (const inst of defs.flat.insts) {
    if (inst.form.name !== "FMUL") continue;
    for (const o of inst.srcs)
      if (plain(o)) count[unitOf(defs.units, o)] = (count[unitOf(defs.units, o)] as number) + 1;
  }
  return count;
}

interface Reads {
  /** How often each register unit is a factor of FMUL. */
  readonly factors: Int32Array;
  /** As `lastReads` has them. */
  readonly ends: Int32Array;
}

function product(func: Func, defs: Definitions, inst: Inst, at: number, { factors, ends }: Reads): Plan | null {
  if (inst.form.name !== "FMUL" || resultOf(inst) === null) return null;
  const [x, y] = inst.srcs as [Operand, Operand];
  for (const [base, factor] of [
    [x, y],
    [y, x],
  ] as const) {
    if (!plain(factor) || !plain(base) || !defs.holds(base, at)) continue;
    // One that other instructions read, too, stays, and nothing is saved.
    const select = defs.usesOf(factor) === factors[unitOf(defs.units, factor)] ? defs.definition(factor) : null;
    if (select?.form.name !== "FSEL" || select.guard !== null || !defs.holds(select.srcs[2]!, at)) continue;
    const [p, q, pin] = select.srcs as [Operand, Operand, Operand];
    const [yes, no] = [literalOf(defs, p), literalOf(defs, q)];
    if (yes === null || no === null || (yes === ONE) === (no === ONE)) continue;
    const guard = guardOf(pin, yes === ONE);
    const srcs = [base, imm(yes === ONE ? no : yes)];
    if (guard === null || !encodes(func, inst.form, inst.dsts, srcs)) continue;
    return {
      base,
      guard,
      inst,
      srcs,
      gone: null,
      ...placeOf(defs, inst, at, ends[unitOf(defs.units, base)] as number),
    };
  }
  return null;
}

/** Instructions that are looked at for the first reader of a product. */
const REACH = 32;

/** Where the product stands, when its value is read for the last time at `last`, −1: in another block. */
function placeOf({ flat }: Definitions, inst: Inst, at: number, last: number): Pick<Plan, "until" | "both"> {
  if (last === at) return {};
  const d = resultOf(inst) as Operand;
  const reads = (i: Inst): boolean => i.srcs.map((o) => indexOf(o) ?? o).some((o) => isReg(o) && o.id === d.id);
  for (let k = at + 1; k <= at + REACH && k < flat.insts.length && flat.block[k] === flat.block[at]; k++) {
    const later = flat.insts[k] as Inst;
    if (reads(later)) return last >= 0 && last < k ? { until: later } : { both: true };
  }
  return {};
}

function literalOf(defs: Definitions, o: Operand): number | null {
  if (o.mods !== 0) return null;
  if (o.kind === Kind.Imm) return o.value;
  const inst = defs.definition(o);
  const from = inst?.srcs[0];
  return inst?.form.name === "MOV" && inst.guard === null && from?.kind === Kind.Imm ? from.value : null;
}
