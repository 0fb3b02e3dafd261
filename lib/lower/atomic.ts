/**
 * Atomics and reductions: what is asked for, and the choice between the ways to do it (facts/ptx-to-sass).
 *
 * Global memory does everything by itself but 16-bit operations. Shared memory does 32-bit integer operations, and exchange and
 * compare-and-swap of 64 bits; the others are loops around compare-and-swap (atomic-loop.ts). A generic address may lead to
 * either: what global memory alone does by itself is tried there first (atomic-generic.ts).
 */
import { clone, imm, RZ } from "../ori/operand.js";
import type { Operand } from "../ori/types.js";
import type { Operand as PtxOperand } from "../ptx/ast.js";
import { type Address, CLUSTER_ADDRESS, clusterAddress, memoryAddress } from "./address.js";
import { genericAtomic } from "./atomic-generic.js";
import { narrowAtomic, spin } from "./atomic-loop.js";
import { type Atomic, bytesOfAtomic, machineType, names, onlyGlobal, scopeName, type Values } from "./atomic-types.js";
import { policyDescriptor } from "./cache-policy.js";
import type { Context } from "./context.js";
import { at, type Family, type Lowering, operands } from "./family.js";
import { acquired, membar } from "./fence.js";
import type { Modifiers } from "./modifiers.js";
import { elementOf, packValues } from "./move.js";
import { skip } from "./place.js";
import { Refusal } from "./refusal.js";
import { registersOf, typeNamed } from "./types.js";

/** Types of each operation; min and max of floats only as vectors. */
const types: Readonly<Record<Atomic["op"], string>> = {
  add: "u32 s32 u64 s64 f32 f64 f16 bf16 f16x2 bf16x2",
  min: "u32 s32 u64 s64",
  max: "u32 s32 u64 s64",
  inc: "u32",
  dec: "u32",
  and: "b32 b64",
  or: "b32 b64",
  xor: "b32 b64",
  exch: "b32 b64 b128",
  cas: "b16 b32 b64 b128",
};
const vectorTypes = "f32 f16 bf16 f16x2 bf16x2";

const spaces = ["global", "shared", "shared::cta", "shared::cluster"] as const;

function take(c: Context, m: Modifiers, address: PtxOperand | undefined, value: PtxOperand | undefined): Atomic {
  const order = m.oneOf(["relaxed", "acquire", "release", "acq_rel"]) ?? "relaxed";
  const scope = m.oneOf(["cta", "cluster", "gpu", "sys"]) ?? "gpu";
  const space = m.oneOf(spaces);
  const hint = m.flag("L2::cache_hint");
  const op = m.need(names);
  const noftz = m.flag("noftz");
  const vector = Number((m.oneOf(["v2", "v4", "v8"]) ?? "v1").slice(1));
  const type = m.type();
  const short = type.bits === 16 && type.cls !== "b";
  const allowed = vector === 1 ? types[op] : op === "add" || short ? vectorTypes : "";
  if (!allowed.split(" ").includes(type.name) || noftz !== short) throw new Refusal();
  if (vector > 1 && (space !== "global" || op === "exch")) throw new Refusal();
  return {
    op,
    type,
    vector,
    space: space === null ? "generic" : space === "shared::cta" ? "shared" : space,
    scope,
    order,
    hint,
    cluster: address?.kind === "address" && address.base === CLUSTER_ADDRESS,
    literal: value?.kind === "int" || value?.kind === "float" ? c.read(value, type) : null,
  };
}

function ordered(c: Context, a: Atomic, body: () => void): void {
  if (a.order === "release" || a.order === "acq_rel") membar(c, "ALL", a.scope);
  body();
  if (a.order === "acquire" || a.order === "acq_rel") acquired(c, a.scope, a.space === "shared");
}

function addressed(c: Context, o: PtxOperand, a: Atomic): Address {
  if (o.kind !== "address" || o.rest.length > 0) throw new Refusal();
  if (a.space === "shared::cluster") return clusterAddress(c, o);
  return memoryAddress(c, o, a.space);
}

/** A source in registers: one value, or the elements of a vector packed. */
function source(c: Context, o: PtxOperand, a: Atomic): Operand {
  if (a.vector === 1) {
    if (o.kind === "vector") throw new Refusal();
    return c.materialize(c.read(o, a.type), registersOf(a.type));
  }
  if (o.kind !== "vector" || o.elements.length !== a.vector) throw new Refusal();
  const parts = o.elements.map((e) => c.read(e, a.type));
  const bits = a.type.bits * a.type.lanes;
  const whole = typeNamed(`b${bytesOfAtomic(a) * 8}`);
  if (whole === null) throw new Refusal();
  return packValues(c, parts, bits, whole);
}

/** Writes what was in memory to the destination: a register, or the registers of a vector. */
function result(c: Context, o: PtxOperand, a: Atomic, old: Operand): void {
  if (a.vector === 1) {
    c.settle(c.out(o, a.type), old);
    return;
  }
  if (o.kind === "sink") return;
  if (o.kind !== "vector" || o.elements.length !== a.vector) throw new Refusal();
  const bits = a.type.bits * a.type.lanes;
  const parts = o.elements.map((_, k) => elementOf(c, old, k, bits));
  o.elements.forEach((e, k) => {
    if (e.kind !== "sink") c.move(c.out(e, a.type), parts[k] as Operand);
  });
}

/** Does it; gives what was in memory. */
function perform(c: Context, a: Atomic, where: Address, values: Values, descriptor: Operand, wanted: boolean): Operand {
  if (bytesOfAtomic(a) === 2) return narrowAtomic(c, a, where, values);
  if (a.space === "shared") return sharedAtomic(c, a, where, values, wanted);
  if (a.space === "global" || !onlyGlobal(a)) {
    const width = bytesOfAtomic(a) / 4;
    const old = wanted ? c.temp(width) : RZ(width);
    const op = a.space === "global" ? "ATOMG" : "ATOM";
    const form = `${op}.E.${a.op.toUpperCase()}${machineType(a)}${scopeName(c, a.scope)}`;
    c.emit(form, [skip(), old], [where.base, skip(), imm(where.offset), descriptor, ...values]);
    return old;
  }
  return genericAtomic(c, a, where, values, descriptor, wanted);
}

function descriptorOf(c: Context, a: Atomic, policy: PtxOperand | null): Operand {
  if (policy !== null) return policyDescriptor(c, policy);
  // A compare-and-swap has no room for one; addresses in the cluster's window need none.
  return a.op === "cas" || a.space === "shared::cluster" ? skip() : clone(c.descriptor);
}

const atom: Lowering = (c, i, m) => {
  const a = take(c, m, i.operands[1], i.operands[2]);
  const n = a.op === "cas" ? 4 : 3;
  const ops = operands(i, a.hint ? n + 1 : n);
  const where = addressed(c, at(ops, 1), a);
  const values = ops.slice(2, n).map((o) => source(c, o, a)) as [Operand, ...Operand[]];
  // A compare-and-swap does without its hint, which changes no value.
  const descriptor = descriptorOf(c, a, a.hint && a.op !== "cas" ? at(ops, n) : null);
  ordered(c, a, () => {
    const old = perform(c, a, where, values, descriptor, true);
    result(c, at(ops, 0), a, old);
  });
};

const red: Lowering = (c, i, m) => {
  const a = take(c, m, i.operands[0], i.operands[1]);
  const ops = operands(i, a.hint ? 3 : 2);
  if (a.op === "exch" || a.op === "cas") throw new Refusal();
  const where = addressed(c, at(ops, 0), a);
  const value = source(c, at(ops, 1), a);
  const descriptor = descriptorOf(c, a, a.hint ? at(ops, 2) : null);
  ordered(c, a, () => {
    if (a.space !== "global" || bytesOfAtomic(a) === 2) {
      perform(c, a, where, [value], descriptor, false);
      return;
    }
    const op = c.target.has("clusters") ? "REDG" : "RED";
    const form = `${op}.E.${a.op.toUpperCase()}${machineType(a)}${scopeName(c, a.scope)}`;
    c.emit(form, [], [where.base, skip(), imm(where.offset), descriptor, value]);
  });
};

function sharedAtomic(c: Context, a: Atomic, where: Address, values: Values, wanted: boolean): Operand {
  const width = registersOf(a.type);
  const swaps = a.op === "exch" || a.op === "cas";
  const integer = a.type.lanes === 1 && a.type.cls !== "f" && a.type.cls !== "bf";
  if (!integer || (a.type.bits !== 32 && !swaps)) return spin(c, a, where, values[0], "shared");
  const old = wanted ? c.temp(width) : RZ(width);
  c.emit(`ATOMS.${a.op.toUpperCase()}${machineType(a)}`, [old], [where.base, skip(), imm(where.offset), ...values]);
  return old;
}

export const atomicFamily: Family = { atom, red };
