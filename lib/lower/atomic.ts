/**
 * Atomics and reductions.
 *
 * Shared memory does 32-bit integer operations, and exchange and compare-and-swap of 64 bits, by itself; the others are
 * loops around compare-and-swap. Atomics on generic addresses do 32-bit integer operations everywhere.
 */
import { imm, RZ } from "../ori/operand.js";
import type { Operand } from "../ori/types.js";
import type { Operand as PtxOperand } from "../ptx/ast.js";
import { type Address, memoryAddress } from "./address.js";
import type { Context } from "./context.js";
import { at, type Family, type Lowering, operands } from "./family.js";
import { acquired, membar, type Scope } from "./fence.js";
import { takeSpace } from "./memory.js";
import type { Modifiers } from "./modifiers.js";
import { skip } from "./place.js";
import { Refusal } from "./refusal.js";
import { bytesOf, type PtxType, registersOf } from "./types.js";
import * as wide from "./wide.js";

const names = ["add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"] as const;
type Op = (typeof names)[number];

interface Atomic {
  readonly op: Op;
  readonly type: PtxType;
  readonly space: "global" | "shared" | "generic";
  readonly scope: Scope;
  readonly order: "relaxed" | "acquire" | "release" | "acq_rel";
}

/** Types of each operation. */
const types: Readonly<Record<Op, readonly string[]>> = {
  add: ["u32", "s32", "u64", "s64", "f32", "f64", "f16x2", "bf16x2"],
  min: ["u32", "s32", "u64", "s64"],
  max: ["u32", "s32", "u64", "s64"],
  inc: ["u32"],
  dec: ["u32"],
  and: ["b32", "b64"],
  or: ["b32", "b64"],
  xor: ["b32", "b64"],
  exch: ["b32", "b64"],
  cas: ["b32", "b64"],
};

function take(m: Modifiers): Atomic {
  const order = m.oneOf(["relaxed", "acquire", "release", "acq_rel"]) ?? "relaxed";
  const scope = m.oneOf(["cta", "cluster", "gpu", "sys"]) ?? "gpu";
  const space = takeSpace(m);
  const op = m.need(names);
  const noftz = m.flag("noftz");
  const type = m.type();
  if (space !== "global" && space !== "shared" && space !== "generic") throw new Refusal();
  if (!types[op].includes(type.name) || noftz !== (type.lanes === 2)) throw new Refusal();
  return { op, type, space, scope, order };
}

/** `.S32`, `.64`, `.F32.FTZ.RN`: the type as atomics write it. */
function typeName(a: Atomic): string {
  const { type, op } = a;
  if (type.cls === "f" || type.cls === "bf") {
    if (type.lanes === 2) return `.${type.name.replace("f16x2", "F16x2").replace("b", "B")}.RN`;
    return type.bits === 32 ? ".F32.FTZ.RN" : ".F64.RN";
  }
  const ordered = op === "min" || op === "max";
  if (type.bits === 64) return ordered && type.cls === "s" ? ".S64" : ".64";
  return type.cls === "s" ? ".S32" : "";
}

function scopeName(c: Context, scope: Scope): string {
  const cta = c.target.has("memoryDescriptor") ? "SM" : "CTA";
  return `.STRONG.${{ cta, cluster: "GPU", gpu: "GPU", sys: "SYS" }[scope]}`;
}

function ordered(c: Context, a: Atomic, body: () => void): void {
  if (a.order === "release" || a.order === "acq_rel") membar(c, "ALL", a.scope);
  body();
  if (a.order === "acquire" || a.order === "acq_rel") acquired(c, a.scope);
}

function addressed(c: Context, o: PtxOperand, a: Atomic): Address {
  if (o.kind !== "address" || o.rest.length > 0) throw new Refusal();
  return memoryAddress(c, o, a.space);
}

const atom: Lowering = (c, i, m) => {
  const a = take(m);
  const ops = operands(i, a.op === "cas" ? 4 : 3);
  const where = addressed(c, at(ops, 1), a);
  const width = registersOf(a.type);
  const values = ops.slice(2).map((o) => c.materialize(c.read(o, a.type), width));
  const target = at(ops, 0);
  ordered(c, a, () => {
    if (a.space === "shared") sharedAtomic(c, a, where, values, c.out(target, a.type));
    else memoryAtomic(c, a, where, values, c.out(target, a.type));
  });
};

const red: Lowering = (c, i, m) => {
  const a = take(m);
  const ops = operands(i, 2);
  if (a.op === "exch" || a.op === "cas") throw new Refusal();
  const where = addressed(c, at(ops, 0), a);
  const width = registersOf(a.type);
  const value = c.materialize(c.read(at(ops, 1), a.type), width);
  ordered(c, a, () => {
    if (a.space === "shared") sharedAtomic(c, a, where, [value], null);
    else if (a.space === "generic") memoryAtomic(c, a, where, [value], RZ(width));
    else {
      const form = `${c.target.has("clusters") ? "REDG" : "RED"}.E.${a.op.toUpperCase()}${typeName(a)}${scopeName(c, a.scope)}`;
      c.emit(form, [], [where.base, skip(), imm(where.offset), c.descriptor, value]);
    }
  });
};

/** Global and generic memory. */
function memoryAtomic(c: Context, a: Atomic, where: Address, values: readonly Operand[], d: Operand): void {
  // Elsewhere than in global memory the wide and the floating-point ones may not succeed at once.
  if (a.space === "generic" && (a.type.bits !== 32 || a.type.cls === "f" || a.type.lanes === 2)) throw new Refusal();
  const op = a.space === "global" ? "ATOMG" : "ATOM";
  const form = `${op}.E.${a.op.toUpperCase()}${typeName(a)}${scopeName(c, a.scope)}`;
  const descriptor = a.op === "cas" ? skip() : c.descriptor;
  c.emit(form, [skip(), d], [where.base, skip(), imm(where.offset), descriptor, ...values]);
}

function sharedAtomic(c: Context, a: Atomic, where: Address, values: readonly Operand[], d: Operand | null): void {
  const width = registersOf(a.type);
  const swaps = a.op === "exch" || a.op === "cas";
  if (a.type.lanes === 1 && a.type.cls !== "f" && (a.type.bits === 32 || swaps)) {
    const form = `ATOMS.${a.op.toUpperCase()}${typeName(a)}`;
    c.emit(form, [d ?? RZ(width)], [where.base, skip(), imm(where.offset), ...values]);
    return;
  }
  const old = compareAndSwapLoop(c, a, where, values[0] as Operand);
  if (d !== null) c.move(d, old);
}

/** Tries until memory did not change between reading it and writing the new value; gives the value replaced. */
function compareAndSwapLoop(c: Context, a: Atomic, where: Address, value: Operand): Operand {
  const width = registersOf(a.type);
  const size = width === 2 ? ".64" : "";
  const old = c.temp(width);
  const load = `LDS${c.target.has("memoryDescriptor") ? "" : ".U"}${size}`;
  c.emit(load, [old], [where.base, skip(), imm(where.offset)]);
  const loop = c.newBlock();
  c.start(loop);
  const next = c.temp(width);
  apply(c, a, next, old, value);
  const seen = c.op(`ATOMS.CAS${size}`, [where.base, skip(), imm(where.offset), old, next], width);
  const same = c.predicate();
  if (width === 2) wide.compare64(c, "EQ", false, c.words(seen), c.words(old), same);
  else c.emit("ISETP.EQ.U32.AND", [same], [seen, old]);
  c.move(old, seen);
  c.branch(loop, c.when(same, true));
  c.start(c.newBlock());
  return old;
}

/** d = op(a, b) as the atomic does it. */
function apply(c: Context, a: Atomic, d: Operand, x: Operand, y: Operand): void {
  const { op, type } = a;
  const words = (o: Operand): [Operand, Operand] => c.words(o);
  if (type.name === "f32") c.emit("FADD", [d], [x, y]);
  else if (type.name === "f64") c.emit("DADD", [d], [x, y]);
  else if (type.name === "f16x2") c.emit("HADD2", [d], [x, y]);
  else if (bytesOf(type) === 4) throw new Refusal();
  else if (op === "add") wide.add64(c, words(d), words(x), words(y));
  else if (op === "min" || op === "max") {
    const p = wide.compare64(c, op === "max" ? "GT" : "LT", type.cls === "s", words(x), words(y));
    wide.select64(c, words(d), words(x), words(y), p);
  } else {
    const lut = op === "and" ? 0xc0 : op === "or" ? 0xfc : op === "xor" ? 0x3c : null;
    if (lut === null) throw new Refusal();
    for (const w of [0, 1]) c.emit("LOP3.LUT", [c.word(d, w)], [c.word(x, w), c.word(y, w), RZ(), imm(lut)]);
  }
}

export const atomicFamily: Family = { atom, red };
