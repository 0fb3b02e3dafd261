/**
 * `multimem`: addresses that stand for the same place on several devices. Stores and reductions are those of global memory; a load gives the sum, the
 * least, the greatest … of the copies (LDGMC), which the system sees in order (measured on sm_90, 100, 120; facts/ptx-to-sass).
 */
import { imm, URZ } from "../ori/operand.js";
import type { Operand } from "../ori/types.js";
import type { Operand as PtxOperand } from "../ptx/ast.js";
import { type Address, memoryAddress } from "./address.js";
import { type Atomic, machineType, scopeName } from "./atomic-types.js";
import type { Context } from "./context.js";
import { at, type Family, type Lowering, operands } from "./family.js";
import { acquired, membar, type Scope } from "./fence.js";
import type { Modifiers } from "./modifiers.js";
import { elementOf, packValues } from "./move.js";
import { skip } from "./place.js";
import { Refusal } from "./refusal.js";
import { type PtxType, registersOf, typeNamed } from "./types.js";

const operations = ["add", "min", "max", "and", "or", "xor"] as const;
type Operation = (typeof operations)[number];

/** Types of floats of eight bits, four in a register: how LDGMC names them. */
const tiny: Readonly<Record<string, string>> = { e4m3x4: "E4M3", e5m2x4: "E5M2" };

/** Elements, and how the machine names their type. */
interface Elements {
  readonly type: PtxType;
  readonly count: number;
  readonly bytes: number;
  /** Of floats of eight bits. */
  readonly tiny: string | null;
}

/** `.v4.f16x2`; the vector may stand before or after how sums are kept. */
function takeElements(m: Modifiers): Elements {
  const count = Number((m.oneOf(["v2", "v4", "v8"]) ?? "v1").slice(1));
  const small = m.oneOf(Object.keys(tiny));
  const type = small === null ? m.type() : (typeNamed("b32") as PtxType);
  const bytes = (type.bits * type.lanes * count) / 8;
  if (bytes < 4 || bytes > 16 || type.cls === "p") throw new Refusal();
  return { type, count, bytes, tiny: small === null ? null : (tiny[small] as string) };
}

interface Order {
  readonly order: "weak" | "relaxed" | "acquire" | "release";
  readonly scope: Scope;
}

function takeOrder(m: Modifiers): Order {
  const order = m.oneOf(["weak", "relaxed", "acquire", "release"]) ?? "weak";
  const scope = order === "weak" ? "sys" : m.need(["cta", "cluster", "gpu", "sys"]);
  m.flag("global");
  return { order, scope };
}

function place(c: Context, o: PtxOperand): Address {
  if (o.kind !== "address" || o.rest.length > 0) throw new Refusal();
  return memoryAddress(c, o, "global");
}

function list(o: PtxOperand, count: number): readonly PtxOperand[] {
  if (o.kind === "vector" && o.elements.length === count && count > 1) return o.elements;
  if (o.kind !== "vector" && count === 1) return [o];
  throw new Refusal();
}

const bitsOf = (type: PtxType): number => type.bits * type.lanes;

/** The elements in consecutive registers. */
function source(c: Context, o: PtxOperand, e: Elements): Operand {
  const values = list(o, e.count).map((x) => c.read(x, e.type));
  const whole = typeNamed(`b${e.bytes * 8}`);
  if (whole === null) throw new Refusal();
  return e.count === 1
    ? c.materialize(values[0] as Operand, registersOf(e.type))
    : packValues(c, values, bitsOf(e.type), whole);
}

/** The type as atomics write it. */
const typeWord = (op: Operation, e: Elements): string =>
  machineType({
    op,
    type: e.type,
    vector: e.count,
    space: "global",
    scope: "gpu",
    order: "relaxed",
    hint: false,
    cluster: false,
    literal: null,
  } satisfies Atomic);

/** LDGMC says 32 where reductions say nothing, and flushes no subnormal numbers. */
function loadedType(op: Operation, e: Elements): string {
  if (e.tiny !== null) return `.${e.tiny}x${e.count * 4}.RN`;
  return (typeWord(op, e) || ".32").replace(".FTZ", "");
}

/** Sums that are kept wider than their elements. */
const wideSum = (c: Context): string => (c.target.has("ldcu") ? "HPADD" : "F32ADD");

const loadReduce: Lowering = (c, i, m) => {
  const { order, scope } = takeOrder(m);
  const op = m.need(operations);
  const wide = m.oneOf(["acc::f32", "acc::f16"]) !== null;
  const e = takeElements(m);
  const [to, from] = operands(i, 2) as [PtxOperand, PtxOperand];
  if (order === "release" || (wide && op !== "add")) throw new Refusal();
  const where = place(c, from);
  const d = c.temp(e.bytes / 4);
  const verb = wide ? wideSum(c) : op.toUpperCase();
  c.emit(`LDGMC.E.${verb}${loadedType(op, e)}.STRONG.SYS`, [d], [where.base, URZ(2), imm(where.offset), skip()]);
  if (order === "acquire") acquired(c, scope);
  if (to.kind === "sink" && e.count > 1) return;
  const values = Array.from({ length: e.count }, (_, k) => (e.count === 1 ? d : elementOf(c, d, k, bitsOf(e.type))));
  list(to, e.count).forEach((o, k) => {
    c.settle(c.out(o, e.type), values[k] as Operand);
  });
};

const reduce: Lowering = (c, i, m) => {
  const { order, scope } = takeOrder(m);
  const op = m.need(operations);
  const e = takeElements(m);
  const list = operands(i, 2);
  if (order === "acquire" || e.tiny !== null) throw new Refusal();
  const where = place(c, at(list, 0));
  const value = source(c, at(list, 1), e);
  if (order === "release") membar(c, "ALL", scope);
  const form = `REDG.E.${op.toUpperCase()}${typeWord(op, e)}${scopeName(c, scope)}`;
  c.emit(form, [], [where.base, skip(), imm(where.offset), c.descriptor, value]);
};

const sizes: Readonly<Record<number, string>> = { 4: "", 8: ".64", 16: ".128" };

const store: Lowering = (c, i, m) => {
  const { order, scope } = takeOrder(m);
  const e = takeElements(m);
  const list = operands(i, 2);
  if (order === "acquire") throw new Refusal();
  const where = place(c, at(list, 0));
  const value = source(c, at(list, 1), e);
  if (order === "release") membar(c, "ALL", scope);
  const form = `STG.E${sizes[e.bytes] as string}${order === "weak" ? "" : scopeName(c, scope)}`;
  c.emit(form, [], [where.base, skip(), imm(where.offset), c.descriptor, value]);
};

const kinds: Readonly<Record<string, Lowering>> = { ld_reduce: loadReduce, red: reduce, st: store };

const multimem: Lowering = (c, i, m) => {
  if (!c.target.has("clusters")) throw new Refusal();
  (kinds[m.need(Object.keys(kinds))] as Lowering)(c, i, m);
};

export const multimemFamily: Family = { multimem };
