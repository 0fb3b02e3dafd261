/**
 * `mbarrier`: barrier objects in shared memory.
 *
 * From sm_90 on a unit of its own works on them (SYNCS). Before, they are 64 bits in shared memory that ATOMS.ARRIVE counts, and a wait reads
 * the parity of the phase (bit 63). What the bits mean is told in lib/sim/mbarrier.ts. Instructions as ptxas -O0 has them on sm_80,
 * 90a, 100a and 120a (measured).
 */
import { imm, lo, PT, part, RZ, URZ } from "../../ori/operand.js";
import { Kind, type Operand } from "../../ori/types.js";
import type { Operand as PtxOperand } from "../../ptx/ast.js";
import { type Address, memoryAddress } from "../address.js";
import type { Context } from "../context.js";
import { at, type Lowering } from "../family.js";
import { membar } from "../fence.js";
import type { Modifiers } from "../modifiers.js";
import { skip } from "../place.js";
import { Refusal } from "../refusal.js";
import { PRED, U32, U64 } from "../types.js";
import { addressIn } from "./operands.js";
import { eachValue, toUniform } from "./uniform.js";

/** Semantics, scope and space of an operation. */
interface Where {
  /** Other CTAs of the cluster are meant. */
  readonly remote: boolean;
  readonly generic: boolean;
  readonly sem: "release" | "acquire" | "relaxed" | null;
  readonly scope: "cta" | "cluster" | null;
}

function takeWhere(m: Modifiers): Where {
  const sem = m.oneOf(["release", "acquire", "relaxed"] as const);
  const scope = m.oneOf(["cta", "cluster"] as const);
  const space = m.oneOf(["shared", "shared::cta", "shared::cluster"]);
  m.need(["b64"]);
  return { remote: space === "shared::cluster", generic: space === null, sem, scope };
}

/** The barrier's address; the low half of a generic one is the one within the cluster's window. */
function barrierAt(c: Context, o: PtxOperand, generic: boolean): Address {
  if (!generic) return memoryAddress(c, addressIn(o), "shared");
  if (!c.target.has("clusters")) throw new Refusal();
  const where = memoryAddress(c, addressIn(o), "generic");
  return { ...where, base: part(where.base, 0) };
}

/** Writes of this thread are visible to the cluster before what follows. */
function released(c: Context, w: Where): void {
  if (w.scope !== "cluster" || w.sem === "relaxed") return;
  c.emit("MEMBAR.ALL.CTA", [], []);
  membar(c, "ALL", "cluster");
}

/** Of loads, stores and sums. */
const address = (where: Address): Operand[] => [where.base, skip(), imm(where.offset)];
/** Of instructions of the unit, which add a uniform register. */
const unitAddress = (where: Address): Operand[] => [where.base, URZ(), imm(where.offset)];

// ------------------------------------------------------------------------------------------------ begin and end

/** 2^bits − n. */
function complement(c: Context, n: Operand, of: number): Operand {
  if (n.kind === Kind.Imm) return imm(of - n.value);
  return c.op("IADD3", [{ ...n, mods: n.mods ^ 1 }, imm(of), RZ()]);
}

const shifted = (c: Context, o: Operand, by: number): Operand =>
  o.kind === Kind.Imm ? imm(o.value << by) : c.op("SHF.L.U32", [o, imm(by), RZ()]);

function init(c: Context, list: readonly PtxOperand[], m: Modifiers): void {
  const w = takeWhere(m);
  const count = c.read(at(list, 1), U32);
  const where = barrierAt(c, at(list, 0), w.generic);
  if (!c.target.has("clusters")) {
    const words = c.pair(complement(c, count, 2 ** 30), complement(c, count, 2 ** 31));
    c.emit("STS.64", [], [...address(where), words]);
    return;
  }
  const left = complement(c, count, 2 ** 20);
  const words = c.pair(shifted(c, left, 1), shifted(c, left, 11));
  if (c.target.has("barrierInitByStore")) {
    c.emit("STS.64", [], [...address(where), words]);
    c.emit("FENCE.VIEW.ASYNC.S", [], []);
    c.emit("SYNCS.CCTL.IVALL", [], []);
    return;
  }
  // The count goes with the address: lanes with equal addresses and other counts would be a mistake of the program.
  eachValue(c, where.base, (base) => {
    const data = toUniform(c, [words]);
    c.emit("FENCE.VIEW.ASYNC.S", [], []);
    c.emit("SYNCS.EXCH.64", [URZ(2)], [base, imm(where.offset), data]);
  });
}

function inval(c: Context, list: readonly PtxOperand[], m: Modifiers): void {
  const w = takeWhere(m);
  const where = barrierAt(c, at(list, 0), w.generic);
  if (c.target.has("clusters")) c.emit("SYNCS.CCTL.IV", [], unitAddress(where));
}

// ------------------------------------------------------------------------------------------------ arrivals

/** How ARRIVE takes its number: .A1T0 no number, .ART0 arrivals, none: one arrival and bytes to expect. */
function arrive(c: Context, list: readonly PtxOperand[], m: Modifiers, drops: boolean): void {
  const expects = m.flag("expect_tx");
  const partial = m.flag("noComplete");
  const w = takeWhere(m);
  if (list.length < 2 || list.length > 3 || (expects && list.length !== 3)) throw new Refusal();
  if (w.sem === "acquire" || (partial && (expects || w.remote || list.length !== 3))) throw new Refusal();
  const number = list.length === 3 ? c.read(at(list, 2), U32) : null;
  const where = barrierAt(c, at(list, 1), w.generic);
  const state = at(list, 0);
  if (!c.target.has("clusters")) {
    if (expects || w.remote || (number !== null && !partial)) throw new Refusal();
    counted(c, state, where, number, drops);
    return;
  }
  released(c, w);
  const kind = expects ? "" : number === null ? ".A1T0" : ".ART0";
  const words = `${drops ? ".OPTOUT" : ""}${kind}`;
  const data = number === null ? RZ() : c.materialize(number);
  if (w.remote) {
    if (state.kind !== "sink") throw new Refusal();
    c.emit(`SYNCS.ARRIVE.TRANS64.RED${words}`, [RZ(2)], [...unitAddress(where), data]);
    return;
  }
  const d = state.kind === "sink" ? RZ(2) : c.out(state, U64);
  if (partial) arrivePartly(c, d, where, data, words);
  else c.emit(`SYNCS.ARRIVE.TRANS64${words}`, [d], [...unitAddress(where), data]);
}

/** .noComplete: the lanes act together; what lower lanes did is added to the state that all of them met. */
function arrivePartly(c: Context, d: Operand, where: Address, data: Operand, words: string): void {
  const met = c.temp(2);
  c.emit(`SYNCS.ARRIVE.TRANS64.TMASK${words}`, [met], [...unitAddress(where), data]);
  if (d.id < 0) return;
  const lanes = c.read({ kind: "name", name: "%lanemask_lt", component: null, offset: 0, index: null }, U32);
  const below = c.op("POPC", [c.op("LOP3.LUT", [lo(met), lanes, RZ(), imm(0xc0)])]);
  const state = c.op("IMAD", [shifted(c, below, 11), data, part(met, 1)]);
  c.move(d, c.pair(lo(met), state));
}

/** sm_80 to 89: the lower word counts expected arrivals, the upper one pending ones. */
function counted(c: Context, state: PtxOperand, where: Address, number: Operand | null, drops: boolean): void {
  membar(c, "ALL", "cta");
  const at4 = { ...where, offset: where.offset + 4 };
  const d = state.kind === "sink" ? null : c.out(state, U64);
  if (number === null) {
    if (drops) c.emit("ATOMS.POPC.INC.32", [RZ()], unitAddress(where));
    c.emit("ATOMS.ARRIVE.64", [d ?? RZ(2)], unitAddress(where));
    return;
  }
  const data = c.materialize(number);
  const low = c.temp();
  const high = c.temp();
  if (drops) c.emit("ATOMS.ADD", [low], [...address(where), data]);
  c.emit("ATOMS.ADD", [high], [...address(at4), data]);
  if (d !== null) c.move(d, c.pair(drops ? low : RZ(), high));
}

function transactions(c: Context, list: readonly PtxOperand[], m: Modifiers, kind: "A0TR" | "A0TX"): void {
  const w = takeWhere(m);
  if (w.sem !== "relaxed" || !c.target.has("clusters")) throw new Refusal();
  const bytes = c.materialize(c.read(at(list, 1), U32));
  const where = barrierAt(c, at(list, 0), w.generic);
  c.emit(`SYNCS.ARRIVE.TRANS64.RED.${kind}`, [RZ(2)], [...unitAddress(where), bytes]);
}

// ------------------------------------------------------------------------------------------------ waits

/** Parity in bit 31: of the state that an arrival gave, or told as a number. */
function parityOf(c: Context, o: PtxOperand, told: boolean): Operand {
  if (!told) return part(c.materialize(c.read(o, U64), 2), 1);
  return c.materialize(shifted(c, c.read(o, U32), 31));
}

function wait(c: Context, list: readonly PtxOperand[], m: Modifiers, tries: boolean): void {
  const told = m.flag("parity");
  const w = takeWhere(m);
  if (list.length < 3 || list.length > (tries ? 4 : 3) || w.remote || w.sem === "release") throw new Refusal();
  const parity = parityOf(c, at(list, 2), told);
  const limit = list.length === 4 ? c.read(at(list, 3), U32) : null;
  const where = barrierAt(c, at(list, 1), w.generic);
  const p = c.inPlace(at(list, 0), PRED);
  if (!c.target.has("clusters")) {
    if (tries) throw new Refusal();
    const phase = c.temp();
    const load = c.emit("LDS", [phase], address({ ...where, offset: where.offset + 4 }));
    load.said = "volatile";
    c.watching.insts.add(load);
    const differs = c.op("LOP3.LUT", [phase, parity, RZ(), imm(0x3c)]);
    c.emit("ISETP.LT.AND", [p], [differs, RZ()]);
    return;
  }
  c.emit(`SYNCS.PHASECHK.TRANS64${tries ? ".TRYWAIT" : ""}`, [p], [...unitAddress(where), parity]);
  if (limit !== null) onFailure(c, p, () => waitLonger(c, p, where, parity, limit));
  if (w.scope === "cluster" && w.sem !== "relaxed") c.emit("CCTL.IVALL", [], [], c.when(p));
}

function onFailure(c: Context, p: Operand, body: () => void): void {
  const [more, done] = [c.newBlock(), c.newBlock()];
  c.branch(done, c.when(p));
  c.start(more);
  body();
  c.start(done);
}

/** A time limit: sleeps for it, then looks once more. */
function waitLonger(c: Context, p: Operand, where: Address, parity: Operand, limit: Operand): void {
  c.emit("NANOSLEEP.SYNCS", [], [PT(), limit]);
  c.emit("SYNCS.PHASECHK.TRANS64", [p], [...unitAddress(where), parity]);
}

function pendingCount(c: Context, list: readonly PtxOperand[], m: Modifiers): void {
  m.need(["b64"]);
  const high = part(c.materialize(c.read(at(list, 1), U64), 2), 1);
  const d = c.out(at(list, 0), U32);
  const units = c.target.has("clusters");
  const field = units ? c.op("SHF.R.U32.HI", [RZ(), imm(11), high]) : high;
  const left = c.op("LOP3.LUT", [field, imm(units ? 0xfffff : 0x7fffffff), RZ(), imm(0xc0)]);
  c.move(d, complement(c, left, units ? 2 ** 20 : 2 ** 31));
}

export const mbarrier: Lowering = (c, i, m) => {
  if (!c.target.has("asyncCopy")) throw new Refusal();
  const list = i.operands;
  const op = m.need([
    "init",
    "inval",
    "arrive",
    "arrive_drop",
    "expect_tx",
    "complete_tx",
    "test_wait",
    "try_wait",
    "pending_count",
  ]);
  const counts: Readonly<Record<string, number>> = {
    init: 2,
    inval: 1,
    expect_tx: 2,
    complete_tx: 2,
    pending_count: 2,
  };
  if (counts[op] !== undefined && counts[op] !== list.length) throw new Refusal();
  if (op === "init") init(c, list, m);
  else if (op === "inval") inval(c, list, m);
  else if (op === "arrive" || op === "arrive_drop") arrive(c, list, m, op === "arrive_drop");
  else if (op === "expect_tx") transactions(c, list, m, "A0TR");
  else if (op === "complete_tx") transactions(c, list, m, "A0TX");
  else if (op === "pending_count") pendingCount(c, list, m);
  else wait(c, list, m, op === "try_wait");
};

/** `cp.async.mbarrier.arrive`: an arrival when the copies of the thread before it are done; without .noinc it is one more than expected. */
export function arriveAfterCopies(c: Context, list: readonly PtxOperand[], m: Modifiers): void {
  m.need(["arrive"]);
  const noinc = m.flag("noinc");
  const w = takeWhere(m);
  if (list.length !== 1 || w.remote) throw new Refusal();
  const where = barrierAt(c, at(list, 0), w.generic);
  const units = c.target.has("clusters");
  if (!units && !noinc)
    c.emit("ATOMS.ADD", [RZ()], [...address({ ...where, offset: where.offset + 4 }), c.materialize(imm(-1))]);
  eachValue(c, where.base, (base) => {
    const to = [RZ(), base, imm(where.offset)];
    if (units && !noinc) c.emit("SYNCS.ARRIVE.TRANS64.RED.A0T1", [RZ(2)], [...to, RZ()]);
    c.emit(`ARRIVES.LDGSTSBAR.64${units ? (noinc ? ".ARVCNT" : ".TRANSCNT") : ""}`, [], to);
  });
}
