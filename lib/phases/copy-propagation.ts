/**
 * Copy propagation in the SSA window (the first part of the GeneralOptimize bundles).
 *
 * A read of a register that is a copy reads the original instead; copies of copies resolve to the first. Every register
 * involved has one definition, and the copy's comes before the read on every path, so the original still holds the same
 * value there. Wide registers that are copied part by part are followed when the parts come from consecutive parts of one.
 *
 *     MOV %R4:0, %R2:0                      MOV %R4:0, %R2:0        (dead now)
 *     MOV %R4:1, %R2:1                →     MOV %R4:1, %R2:1
 *     LDG.E %R5, desc[…][%R4.64]            LDG.E %R5, desc[…][%R2.64]
 *
 * A register that holds a literal is read as the literal where the instruction has an encoding for it, and one that holds a
 * word of a constant bank as that word (constant-moves.ts says where). Phis keep their
 * sources: a copy that stands on one path only would have to be made again on the edge. Registers bound to a physical
 * one keep their copies: code at which lanes meet finds its operands there.
 */
import { Definitions, unitOf } from "../analysis/index.js";
import { STACK_REGISTER } from "../isa/abi.js";
import { rowOf } from "../isa/form.js";
import { isDefault } from "../isa/operand.js";
import { touch } from "../ori/editor.js";
import { isPhi } from "../ori/flow.js";
import { altered, clone, imm, isReg, isZeroReg, RZ } from "../ori/operand.js";
import { File, type Func, type Inst, Kind, Mod, NO_INDEX, type Operand, ZERO_REG } from "../ori/types.js";
import { alignmentOf } from "../ori/verify/physical.js";
import { encodes } from "../rules/encodable.js";
import { isWideProduct } from "./constant-moves.js";
import { mirrored, orders } from "./operand-orders.js";
import { type PhaseParameters, phaseParameters } from "./parameters.js";
import { propagatePredicates } from "./predicate-copies.js";
import { RewriteCounter } from "./rewrites.js";

/** Returns how many reads changed. */
export function propagateCopies(
  func: Func,
  p: PhaseParameters = phaseParameters,
  rewrites: RewriteCounter = new RewriteCounter(),
): number {
  const defs = new Definitions(func);
  const { units, def, flat } = defs;
  const origin = new Int32Array(units.count).fill(-1);
  const literal = new Map<number, Operand>();
  const constant = new Map<number, Operand>();
  for (let i = 0; i < flat.insts.length; i++) {
    const inst = flat.insts[i] as Inst;
    const copied = copiedBy(inst);
    if (copied === null) continue;
    const d = unitOf(units, inst.dsts[0] as Operand);
    if (def[d] !== i) continue;
    if (copied.kind === Kind.Const) {
      if (p.CopyPropConstantBank) constant.set(d, copied);
    } else if (copied.kind === Kind.Imm || isZeroReg(copied)) literal.set(d, copied);
    else if (defs.holds(copied, i) || isStackPointer(func, copied)) origin[d] = unitOf(units, copied);
  }
  let changed = 0;
  let left = p.CopyPropGlobalBudget;
  /** The operand of instruction i reads what its register was copied from. */
  const follow = (inst: Inst, i: number, o: Operand, slot: number): void => {
    if (changed >= p.CopyPropBudget || !rewrites.open) return;
    const before = changed;
    if (!p.CopyPropAddr && inst.form.srcs[slot]?.name === "base") return;
    const u = unitOf(units, o);
    const root = rootOf(origin, u);
    if (root === u && !literal.has(u) && !constant.has(u)) return;
    for (let k = 0; k < o.width; k++) {
      const d = def[u + k] as number;
      if (d < 0 || !defs.before(d, i) || rootOf(origin, u + k) !== root + k) return;
    }
    if (!p.CopyPropForceGlobal && flat.block[def[u] as number] !== flat.block[i] && left-- <= 0) return;
    const value = units.owner[root] as number;
    const sub = root - (units.base[value] as number);
    if (root !== u && units.owner[root + o.width - 1] === value && sub % alignmentOf(o.width) === 0) {
      o.id = value;
      o.sub = sub;
      changed++;
    }
    const l = o.width === 1 ? literal.get(root) : undefined;
    if (l !== undefined && readAs(func, inst, slot, l)) changed++;
    if (
      o.width === 2 &&
      readAsDouble(func, inst, slot, literal.get(rootOf(origin, u)), literal.get(rootOf(origin, u + 1)))
    )
      changed++;
    else if (o.width > 1 && isZeros(u, o.width) && o.mods === 0 && readAsZero(func, inst, slot, o.width)) changed++;
    const k = constantAt(constant, origin, u, o.width);
    if (k !== null && readAsConstant(func, inst, slot, k)) changed++;
    if (changed > before) rewrites.take(`copy read by ${inst.form.name}`, inst);
  };
  /** All words are literals, and zeros. */
  const isZeros = (u: number, width: number): boolean => {
    for (let k = 0; k < width; k++) {
      const l = literal.get(rootOf(origin, u + k));
      if (l === undefined || !(isZeroReg(l) || (l.kind === Kind.Imm && l.value === 0))) return false;
    }
    return true;
  };
  const alone = (v: number): boolean => func.values.width(v) === 1 && func.values.fixed(v) < 0;
  /** The first index register that was copied from it, by root. */
  const copies = new Map<number, number>();
  /** The index of a constant bank names no part of a register: it is what it was copied from where that is a whole one, or the first copy of it. */
  const followIndex = (inst: Inst, i: number, o: Operand): void => {
    if (changed >= p.CopyPropBudget || !rewrites.open || !p.CopyPropAddr) return;
    const u = units.base[o.index] as number;
    const root = rootOf(origin, u);
    if (root === u || !alone(o.index)) return;
    const owner = units.owner[root] as number;
    const value = alone(owner) ? owner : copies.get(root);
    if (value === undefined) copies.set(root, o.index);
    if (value === undefined || value === o.index) return;
    const d = [u, units.base[value] as number].map((k) => def[k] as number) as [number, number];
    if (d.some((k) => k < 0 || !defs.before(k, i))) return;
    if (!p.CopyPropForceGlobal && flat.block[d[0]] !== flat.block[i] && left-- <= 0) return;
    o.index = value;
    changed++;
    rewrites.take(`copy that is the index of ${inst.form.name}`, inst);
  };
  for (let i = 0; i < flat.insts.length; i++) {
    const inst = flat.insts[i] as Inst;
    if (isPhi(inst)) continue;
    const { srcs } = inst;
    for (let slot = 0; slot < srcs.length; slot++) {
      const o = srcs[slot] as Operand;
      if (isReg(o)) follow(inst, i, o, slot);
      else if (isIndexed(o)) followIndex(inst, i, o);
    }
  }
  if (rewrites.open && !p.CopyPropNoWriteNonRR) changed += propagatePredicates(defs, !p.CmpToMovPredCrossBlockDisable);
  if (changed > 0) touch(func);
  return changed;
}

/** A word of a constant bank at a register's distance. */
const isIndexed = (o: Operand): boolean =>
  o.kind === Kind.Const && o.index >= 0 && o.index !== ZERO_REG && o.file === File.R;

/** A kernel sets it up once, before everything else. */
function isStackPointer(func: Func, o: Operand): boolean {
  return func.kind === "entry" && isReg(o) && func.values.fixed(o.id) === STACK_REGISTER;
}

const isCopyToKeep = ({ said }: Inst): boolean => said === "kept" || said === "apart";

/** What an instruction copies into the one register it defines, always and unchanged; null: it is no copy of a register or literal. */
function copiedBy(inst: Inst): Operand | null {
  if (inst.form.op !== "MOV" || isPhi(inst) || inst.guard !== null || inst.dsts.length !== 1) return null;
  if (isCopyToKeep(inst)) return null;
  const from = inst.srcs[0] as Operand;
  const to = inst.dsts[0] as Operand;
  if (to.file !== File.R || to.width !== 1 || isZeroReg(to) || to.part !== "" || from.mods !== 0 || from.part !== "")
    return null;
  if (!inst.srcs.every((o, s) => s === 0 || isDefault(o, inst.form.srcs[s]!.optional))) return null;
  if (from.kind === Kind.Imm || (from.kind === Kind.Const && from.index === NO_INDEX)) return from;
  return from.kind === Kind.Reg && from.file === File.R && from.width === 1 ? from : null;
}

/** The first of a row of copies; the chain is shortened. */
function rootOf(origin: Int32Array, u: number): number {
  let root = u;
  while ((origin[root] as number) >= 0) root = origin[root] as number;
  for (let at = u; at !== root; ) {
    const next = origin[at] as number;
    origin[at] = root;
    at = next;
  }
  return root;
}

/** The constants that registers from `u` on were given, as one operand; null: they are none, or not one after the other. */
function constantAt(
  constant: ReadonlyMap<number, Operand>,
  origin: Int32Array,
  u: number,
  width: number,
): Operand | null {
  const first = constant.get(rootOf(origin, u));
  if (first === undefined || first.value % (4 * width) !== 0) return null;
  for (let k = 1; k < width; k++) {
    const next = constant.get(rootOf(origin, u + k));
    if (next === undefined || next.id !== first.id || next.value !== first.value + 4 * k) return null;
  }
  return altered(first, { width });
}

/** Puts a constant operand in the slot, or where factors and terms may change places in the next one. */
function readAsConstant(func: Func, inst: Inst, slot: number, constant: Operand): boolean {
  const o = inst.srcs[slot] as Operand;
  if (
    o.part !== "" ||
    inst.form.srcs[slot]!.file !== File.R ||
    inst.form.op === "MOV" ||
    (rowOf(inst.form).row.time ?? "fixed") !== "fixed"
  )
    return false;
  const places = slot === 0 && commuting.has(inst.form.op) ? [0, 1] : [slot];
  for (const place of places) {
    const srcs = inst.srcs.slice();
    if (place !== slot) srcs[slot] = srcs[place] as Operand;
    srcs[place] = altered(constant, { mods: o.mods });
    if (!encodes(func, inst.form, inst.dsts, srcs)) continue;
    srcs.forEach((now, s) => {
      inst.srcs[s] = now;
    });
    return true;
  }
  return false;
}

/** The first two sources may change places. */
const commuting: ReadonlySet<string> = new Set("IADD3 IMAD FADD FMUL FFMA IMNMX VIMNMX FMNMX".split(" "));

/** Formats in which a literal is the bits of the register, in arithmetic of fixed latency. */
const plain: ReadonlySet<string> = new Set(["u32", "s32", "f32"]);

/** Of variable latency, with literals that are the bits of a register all the same. */
const slowWithBits: ReadonlySet<string> = new Set(["SHFL", "F2I", "F2F", "I2F", "MUFU"]);

/** Literals of these types are no whole registers. */
const narrowTypes: ReadonlySet<string> = new Set("F16 BF16 U8 S8 U16 S16".split(" "));

function takesBits(inst: Inst): boolean {
  const { imm, time } = rowOf(inst.form).row;
  if (hasNarrowSource(inst) || inst.form.mods.some((m) => m.endsWith("64H"))) return false;
  return ((time ?? "fixed") === "fixed" || slowWithBits.has(inst.form.op)) && (imm === undefined || plain.has(imm));
}

/** Puts the literal in the slot, where the form can have it there with no modifier to apply. */
function readAs(func: Func, inst: Inst, slot: number, l: Operand): boolean {
  const o = inst.srcs[slot] as Operand;
  // A literal of half-precision and f64 instructions is not the register's bits.
  if (o.part !== "" || inst.form.srcs[slot]!.file !== File.R) return false;
  if (o.mods === 0 && (isZeroReg(l) || l.value === 0) && readAsZero(func, inst, slot)) return true;
  if (!takesBits(inst)) return false;
  if (o.mods !== 0) return readAsInverse(func, inst, slot, l);
  if (isWideProduct(inst) && func.target.has("constantOperands")) return false;
  return (
    readAt(func, inst, slot, clone(l), inst.form.name === "IADD3" && slot === 0 ? [0, 1] : [slot]) ||
    readInSecond(func, inst, slot, l)
  );
}

/** A source that has no room for a literal changes places with the second, where the result is the same: `and d, 7, x`. */
function readInSecond(func: Func, inst: Inst, slot: number, l: Operand): boolean {
  const a = inst.srcs[slot];
  const b = inst.srcs[1];
  if (slot === 1 || inst.form.op === "IADD3" || a === undefined || b?.kind !== Kind.Reg || isZeroReg(b)) return false;
  const form = slot === 0 ? mirrored(inst.form) : null;
  const ways =
    form === null
      ? orders(inst.form, inst.srcs).map((srcs) => ({ form: inst.form, srcs }))
      : [{ form, srcs: [b, a, ...inst.srcs.slice(2)] }];
  for (const way of ways) {
    if (way.srcs[1] !== a) continue;
    const srcs = way.srcs.map((o, k) => (k === 1 ? clone(l) : o));
    if (!encodes(func, way.form, inst.dsts, srcs)) continue;
    inst.form = way.form;
    srcs.forEach((o, k) => {
      inst.srcs[k] = o;
    });
    return true;
  }
  return false;
}

/** Puts the literal into the first of the places that has room for it; what stood there goes into the slot. */
function readAt(func: Func, inst: Inst, slot: number, literal: Operand, places: readonly number[]): boolean {
  for (const place of places) {
    const srcs = inst.srcs.slice();
    srcs[slot] = srcs[place] as Operand;
    srcs[place] = literal;
    if (!encodes(func, inst.form, inst.dsts, srcs)) continue;
    inst.srcs[slot] = srcs[slot] as Operand;
    inst.srcs[place] = literal;
    return true;
  }
  return false;
}

/** Converts from a type of less than a register, or perhaps so. The source's type comes last. */
function hasNarrowSource({ form }: Inst): boolean {
  const types = form.mods.filter((m) => narrowTypes.has(m) || m === "F32" || m === "F64");
  if (form.op === "F2I") return types.some((m) => m === "F16" || m === "BF16");
  if (form.op === "I2F") return types.some((m) => /^[US]/.test(m));
  return form.op === "F2F" && narrowTypes.has(types.at(-1) ?? "");
}

/** A number of f64 whose lower word is zero is a literal of its upper one. */
function readAsDouble(
  func: Func,
  inst: Inst,
  slot: number,
  low: Operand | undefined,
  high: Operand | undefined,
): boolean {
  const o = inst.srcs[slot] as Operand;
  if (low === undefined || high?.kind !== Kind.Imm || !(isZeroReg(low) || low.value === 0)) return false;
  if (rowOf(inst.form).row.imm !== "f64" || o.mods !== 0 || o.part !== "") return false;
  const srcs = inst.srcs.slice();
  srcs[slot] = { ...imm(0), width: 2, high: high.value };
  if (!encodes(func, inst.form, inst.dsts, srcs)) return false;
  inst.srcs[slot] = srcs[slot];
  return true;
}

/** Stores, and whatever has no literal in that slot, read zero from RZ; several words only stores. */
function readAsZero(func: Func, inst: Inst, slot: number, width = 1): boolean {
  const info = inst.form.srcs[slot]!;
  const isData = inst.form.memory?.access === "store" && info.name === "data";
  if (!isData && width > 1) return false;
  if (!isData && (info.accepts.includes("imm") || !takesBits(inst))) return false;
  const srcs = inst.srcs.slice();
  srcs[slot] = RZ(width);
  if (!encodes(func, inst.form, inst.dsts, srcs)) return false;
  inst.srcs[slot] = srcs[slot];
  return true;
}

/** The sum's upper half reads an inverted literal as the literal that it is. */
function readAsInverse(func: Func, inst: Inst, slot: number, l: Operand): boolean {
  const o = inst.srcs[slot] as Operand;
  if (inst.form.name !== "IADD3.X" || o.mods !== Mod.Not) return false;
  return readAt(func, inst, slot, imm(l.kind === Kind.Imm ? ~l.value : -1), [slot, 1]);
}
