/**
 * Atomics, lane after lane as in ops/atomic.ts, in scalar code after the test of all addresses; on global memory that other threads work on, too, each is
 * tried until nobody came between. Operands of more than 64 bits, halves and what asks for the space of an address are for the closures.
 */
import { File, Kind, type MachineInst, type Operand } from "../../isa/operand.js";
import type { Site } from "../site.js";
import { TRASH_ROW } from "../state.js";
import { type Access, type AccessSpace, accessOf, type Group } from "./access.js";
import { ACTIVE, BASE, Untranslated } from "./emission.js";
import { type Code, Type } from "./encoder.js";
import { EXCHANGE, Exchange, GLOBAL, IS_SHARED, PREDICATES, ROW_BYTES } from "./layout.js";
import { Op } from "./opcodes.js";
import type { Segment } from "./segment.js";
import type { Emitter, Emitters } from "./table.js";

/** Leaves the new value on the stack: locals of the old one, of the operand, and of the new value of a compare-and-swap. */
type Update = (code: Code, old: number, value: number, swap: number) => void;

interface Operation {
  readonly bytes: 4 | 8;
  readonly update: Update;
  /** Operand, and what a compare-and-swap stores. */
  readonly slots: readonly [value: string, swap: string | null];
}

const pick =
  (less: number): Update =>
  (code, old, value) =>
    code.get(old).get(value).get(old).get(value).op(less).op(Op.select);

const join =
  (op: number): Update =>
  (code, old, value) =>
    code.get(old).get(value).op(op);

const exchange: Update = (code, _old, value) => code.get(value);

const words: Readonly<Record<string, Update>> = {
  ADD: join(Op.i32Add),
  MIN: pick(Op.i32LtU),
  MAX: pick(Op.i32GtU),
  AND: join(Op.i32And),
  OR: join(Op.i32Or),
  XOR: join(Op.i32Xor),
  EXCH: exchange,
  // 0 from the operand on, else one more.
  INC: (code, old, value) => code.i32(0).get(old).i32(1).op(Op.i32Add).get(old).get(value).op(Op.i32GeU).op(Op.select),
  DEC: (code, old, value) => {
    code.get(value).get(old).i32(1).op(Op.i32Sub);
    code.get(old).op(Op.i32Eqz).get(old).get(value).op(Op.i32GtU).op(Op.i32Or).op(Op.select);
  },
};
const signedWords: Readonly<Record<string, Update>> = { ...words, MIN: pick(Op.i32LtS), MAX: pick(Op.i32GtS) };
const longs: Readonly<Record<string, Update>> = {
  ADD: join(Op.i64Add),
  MIN: pick(Op.i64LtU),
  MAX: pick(Op.i64GtU),
  AND: join(Op.i64And),
  OR: join(Op.i64Or),
  XOR: join(Op.i64Xor),
  EXCH: exchange,
};
const signedLongs: Readonly<Record<string, Update>> = { ...longs, MIN: pick(Op.i64LtS), MAX: pick(Op.i64GtS) };

/** The f32 of a local's bits, as zero of its sign where it is subnormal and `ftz` says so. */
function single(code: Code, bits: number, ftz: boolean): void {
  if (ftz) {
    code
      .get(bits)
      .i32(0x80000000 | 0)
      .op(Op.i32And)
      .get(bits);
    code.get(bits).i32(0x7f800000).op(Op.i32And).op(Op.i32Eqz).op(Op.select);
  } else code.get(bits);
  code.op(Op.f32OfI32);
}

function addSingles(e: Segment, ftz: boolean): Update {
  const sum = e.local(Type.i32);
  return (code, old, value) => {
    single(code, old, ftz);
    single(code, value, ftz);
    code.op(Op.f32Add).op(Op.i32OfF32).set(sum);
    code.i32(0x7fffffff);
    single(code, sum, ftz);
    code.op(Op.i32OfF32).get(sum).op(Op.f32OfI32).get(sum).op(Op.f32OfI32).op(Op.f32Ne).op(Op.select);
  };
}

function addDoubles(e: Segment): Update {
  const sum = e.local(Type.f64);
  return (code, old, value) => {
    code.get(old).op(Op.f64OfI64).get(value).op(Op.f64OfI64).op(Op.f64Add).set(sum);
    code.i32(-0x80000).op(Op.i64ExtendI32U).i32(32).op(Op.i64ExtendI32U).op(Op.i64Shl);
    code.get(sum).op(Op.i64OfF64).get(sum).get(sum).op(Op.f64Ne).op(Op.select);
  };
}

const names: Readonly<Record<string, string>> = Object.fromEntries(Object.keys(words).map((k) => [k, k]));
const types: Readonly<Record<string, string>> = { S32: "S32", "64": "64", S64: "S64", F32: "F32", F64: "F64" };
const others = ["F16x2", "BF16_V2", "BF16x2", "F16x4", "F16x8", "BF16x4", "BF16x8", "F32x2", "F32x4", "128"];

function operationOf(e: Segment, s: Site): Operation {
  const { mods } = s.inst.form;
  if (others.some((m) => mods.includes(m)) || mods.includes("ARRIVE")) throw new Untranslated("operands");
  if (s.has("POPC")) {
    s.has("INC");
    s.has("32");
    return { bytes: 4, update: (code, old) => code.get(old).i32(1).op(Op.i32Add), slots: ["", null] };
  }
  if (s.has("CAS") || s.has("CAST")) {
    s.has("SPIN");
    const wide = s.has("64");
    const update: Update = (code, old, value, swap) =>
      code
        .get(swap)
        .get(old)
        .get(old)
        .get(value)
        .op(wide ? Op.i64Eq : Op.i32Eq)
        .op(Op.select);
    return { bytes: wide ? 8 : 4, update, slots: ["cmp", "data"] };
  }
  const op = s.choose(names, "ADD");
  const type = s.choose(types, "U32");
  const ftz = s.has("FTZ");
  s.has("RN");
  if (type === "F32" || type === "F64") {
    if (op !== "ADD") throw new Untranslated("floating-point operation");
    return type === "F32"
      ? { bytes: 4, update: addSingles(e, ftz), slots: ["data", null] }
      : { bytes: 8, update: addDoubles(e), slots: ["data", null] };
  }
  const wide = type.endsWith("64");
  const table = type === "S64" ? signedLongs : wide ? longs : type === "S32" ? signedWords : words;
  const update = table[op];
  if (update === undefined) throw new Untranslated(op);
  return { bytes: wide ? 8 : 4, update, slots: ["data", null] };
}

/** The bytes that the modifiers say, for the access. */
const widthOf = ({ form: { mods } }: MachineInst): number =>
  mods.includes("64") || mods.includes("S64") || mods.includes("F64") ? 8 : 4;

function accessTo(s: Site, inst: MachineInst, space: AccessSpace): Access {
  const base = accessOf(s, inst, space, true);
  return { ...base, bytes: widthOf(inst), signed: false };
}

/** Offset of the first row of a source operand. */
function sourceRow(e: Segment, s: Site, name: string, bytes: 4 | 8): number {
  const o = s.operand(name);
  if (o.kind !== Kind.Reg || o.file !== File.R || o.part !== "" || o.mods & 7)
    throw new Untranslated(`operand ${name}`);
  // All of its registers are needed.
  if (bytes === 8 && o.id >= 0) e.rowOf(o.id + 1);
  return e.rowOf(o.id);
}

const rowOfDst = (o: Operand | null): number =>
  (o === null || o.kind !== Kind.Reg || o.id < 0 ? TRASH_ROW : o.id) * ROW_BYTES;

/** Leaves a value of the lane at `at` on the stack. */
function load(code: Code, at: number, row: number, bytes: 4 | 8, wide: number): void {
  code.get(at).memory(Op.i32Load, row);
  if (bytes === 4) return;
  code
    .op(Op.i64ExtendI32U)
    .get(at)
    .memory(Op.i32Load, row + ROW_BYTES)
    .op(Op.i64ExtendI32U);
  code.get(wide).op(Op.i64Shl).op(Op.i64Or);
}

/** Leaves the address of the lane at `at` on the stack; offsets are for the access. */
function address(e: Segment, at: number, a: Access): void {
  const { out } = e;
  out.get(at).memory(Op.i32Load, e.rowOf(a.low));
  if (a.shift !== 0) out.i32(a.shift).op(Op.i32Shl);
  if (a.uniform >= 0) out.get(e.scalarOf(e.value(e.ureg(a.uniform)))).op(Op.i32Add);
  if (a.space === "global") return;
  const [start, first] = [
    e.exchange(EXCHANGE + 4 * Exchange.sharedAt),
    e.exchange(EXCHANGE + 4 * Exchange.sharedFirst),
  ];
  out.get(start).op(Op.i32Add).get(first).op(Op.i32Sub).i32(a.offset).op(Op.i32Add);
}

function emit(e: Segment, s: Site, space: AccessSpace): void {
  const { out } = e;
  const a = accessTo(s, s.inst, space);
  const told = s.inst.form.mods.includes("CAST");
  const operation = operationOf(e, s);
  const { bytes, update, slots } = operation;
  const done = s.pred("pout");
  const isTold = told && space === "shared" && (done & 7) !== 7;
  if ((done & 7) !== 7 && !isTold) throw new Untranslated("predicate result");
  const type = bytes === 8 ? Type.i64 : Type.i32;
  const [rest, lane, at, where] = Array.from({ length: 4 }, () => e.local(Type.i32)) as [
    number,
    number,
    number,
    number,
  ];
  const wide = e.local(Type.i64);
  const [old, value, swap, next] = Array.from({ length: 4 }, () => e.local(type)) as [number, number, number, number];
  if (bytes === 8) e.prologue.i32(32).op(Op.i64ExtendI32U).set(wide);
  const rows = slots.map((slot) => (slot === null || slot === "" ? null : sourceRow(e, s, slot, bytes)));
  const offset = space === "global" ? GLOBAL + a.offset : 0;
  const result = rowOfDst(s.find("d"));
  lanesOf(e, a, rest);
  out.get(rest).open(Op.if).open(Op.loop);
  out.get(rest).op(Op.i32Ctz).set(lane);
  out.get(lane).i32(2).op(Op.i32Shl).get(BASE).op(Op.i32Add).set(at);
  [value, swap].forEach((local, i) => {
    const row = rows[i] ?? null;
    if (row === null) return;
    load(out, at, row, bytes, wide);
    out.set(local);
  });
  address(e, at, a);
  out.set(where);
  if (IS_SHARED && space === "global") {
    const [loaded, exchanged] =
      bytes === 8 ? [Op.i64AtomicLoad, Op.i64CompareExchange] : [Op.i32AtomicLoad, Op.i32CompareExchange];
    out.open(Op.loop).get(where).atomic(loaded, offset, bytes).set(old);
    out.get(where).get(old);
    update(out, old, value, swap);
    out.atomic(exchanged, offset, bytes).get(old);
    out
      .op(bytes === 8 ? Op.i64Ne : Op.i32Ne)
      .index(Op.brIf, 0)
      .end();
  } else {
    out
      .get(where)
      .memory(bytes === 8 ? Op.i64Load : Op.i32Load, offset)
      .set(old);
    update(out, old, value, swap);
    out
      .set(next)
      .get(where)
      .get(next)
      .memory(bytes === 8 ? Op.i64Store : Op.i32Store, offset);
  }
  const equal = (): Code =>
    out
      .get(old)
      .get(value)
      .op(bytes === 8 ? Op.i64Eq : Op.i32Eq);
  if (isTold) tell(e, done, lane, equal);
  else if (told) {
    out.get(at);
    equal().memory(Op.i32Store, result);
    // As wide as the operands.
    if (bytes === 8)
      out
        .get(at)
        .i32(0)
        .memory(Op.i32Store, result + ROW_BYTES);
  } else if (bytes === 4) out.get(at).get(old).memory(Op.i32Store, result);
  else {
    out.get(at).get(old).op(Op.i32WrapI64).memory(Op.i32Store, result);
    out
      .get(at)
      .get(old)
      .get(wide)
      .op(Op.i64ShrU)
      .op(Op.i32WrapI64)
      .memory(Op.i32Store, result + ROW_BYTES);
  }
  out.get(rest).get(rest).i32(1).op(Op.i32Sub).op(Op.i32And).tee(rest).index(Op.brIf, 0).end().end();
}

/** The lanes that execute the access. */
function lanesOf(e: Segment, a: Access, to: number): void {
  e.out.get(ACTIVE);
  if ((a.guard & 7) !== 7) {
    e.out.get(e.givenPredicate(a.guard));
    if (a.not) e.out.i32(-1).op(Op.i32Xor);
    e.out.op(Op.i32And);
  }
  e.out.set(to);
}

/** Puts 0 or 1, which `emitBit` leaves on the stack, into the lane's bit of a predicate. */
function tell(e: Segment, p: number, lane: number, emitBit: () => void): void {
  const { out } = e;
  if (p >= 8) throw new Untranslated("uniform predicate");
  e.touched.add(`P${p}`);
  out.get(BASE);
  out
    .get(BASE)
    .memory(Op.i32Load, PREDICATES + 4 * p)
    .i32(1)
    .get(lane)
    .op(Op.i32Shl)
    .i32(-1)
    .op(Op.i32Xor)
    .op(Op.i32And);
  emitBit();
  out
    .get(lane)
    .op(Op.i32Shl)
    .op(Op.i32Or)
    .memory(Op.i32Store, PREDICATES + 4 * p);
}

function on(space: AccessSpace): Emitter {
  return {
    whole: true,
    access: (s, inst) => accessTo(s, inst, space),
    emit: (e, s, _index, _group: Group | null) => emit(e, s, space),
  };
}

export const atomic: Emitters = {
  ATOMG: on("global"),
  ATOM: on("global"),
  RED: on("global"),
  REDG: on("global"),
  ATOMS: on("shared"),
  REDS: on("shared"),
};
