/**
 * What ptxas says about products of warp groups where it puts a wait or an arrive of its own (infos C7517 and C7519, from -O1 on; 13.0.88, sm_90a):
 *
 *     C7517   an instruction reads what a product in flight writes, or the kernel ends: the line of that instruction, once until the next product
 *     C7519   a product reads registers that were written and not handed over by `wgmma.fence`: its line
 *
 * Told only where ptxas is known to say so (test/oracle/wgmma-remarks.test.ts): groups that are committed in the block of their products and waited for as
 * a whole, registers in flight that are read but not written. Of other code, for which it has more words, nothing is said.
 */
import { isProduct, isWait } from "../../analysis/products.js";
import { type Diagnostic, diagnostic } from "../../diagnostics.js";
import { type Block, type Func, type Inst, Kind, ZERO_REG } from "../../ori/types.js";
import {
  allCommitted,
  isArrive,
  isRegular,
  State,
  takeOther,
  takeProduct,
  waitsFor,
  writesInFlight,
} from "./in-flight.js";

/** Groups left by a wait that also covers the open one. */
const ALL = -1;

interface Told {
  readonly arrive: Set<Inst>;
  readonly wait: Set<Inst>;
  /** Sums that start from literals: ptxas says nothing of them. */
  readonly started: Set<number>;
  /** Values that others than products read. */
  readonly used: ReadonlySet<number>;
}

/** A literal, or the one in another part of the same register. */
function startsSums({ form, dsts: [d], srcs: [s] }: Inst): boolean {
  if (form.op !== "MOV" || d === undefined || s === undefined) return false;
  return s.kind === Kind.Imm || s.id === ZERO_REG || s.id === d.id;
}

/** Follows one block; false: nothing is known of what ptxas says. */
function follow(block: Block, state: State, told: Told): boolean {
  for (const inst of block.insts) {
    if (isProduct(inst.form.op)) {
      const { free, arrive } = takeProduct(state, inst);
      if (!free || !told.used.has(inst.dsts[0]?.id ?? -1)) return false;
      if (arrive && [...inst.dsts, ...inst.srcs].some((o) => told.started.has(o.id))) return false;
      if (arrive) {
        told.arrive.add(inst);
        state.fresh.clear();
      }
    } else if (isArrive(inst)) {
      if (state.busy) return false;
      state.fresh.clear();
    } else if (isWait(inst)) {
      if (waitsFor(inst) > 0) return false;
      state.done(0);
    } else if (startsSums(inst) && takeOther(state, inst)) {
      for (const o of inst.dsts) told.started.add(o.id);
    } else if (!takeOther(state, inst)) {
      if (inst.form.flow === "call" || writesInFlight(state, inst)) return false;
      told.wait.add(inst);
      state.done(ALL);
      takeOther(state, inst);
    }
  }
  const last = block.insts.at(-1);
  if (block.succs.length === 0 && state.busy && last !== undefined) told.wait.add(last);
  return true;
}

/** The infos about a kernel, in ptxas's order. */
export function productRemarks(func: Func): Diagnostic[] {
  if (!isRegular(func)) return [];
  const at = new Map<Block, State>(func.blocks.map((b) => [b, new State()]));
  const insts = func.blocks.flatMap((b) => b.insts);
  // What no `commit_group` covers, and sums that nobody reads: ptxas has other lines for these.
  const ids = insts.flatMap((i) => (isProduct(i.form.op) ? [] : i.srcs.map((o) => o.id)));
  if (!func.blocks.every(allCommitted)) return [];
  const told: Told = { arrive: new Set(), wait: new Set(), started: new Set(), used: new Set(ids) };
  for (let again = true; again; ) {
    again = false;
    for (const b of func.blocks) {
      const state = new State();
      state.merge(at.get(b) as State);
      if (!follow(b, state, told)) return [];
      for (const next of b.succs) if ((at.get(next) as State).merge(state)) again = true;
    }
  }
  const lines = (insts: ReadonlySet<Inst>): number[] => [...new Set([...insts].flatMap((i) => i.loc?.line ?? []))];
  const said = (code: string, what: string, line: number, why: string): Diagnostic =>
    diagnostic(
      "info",
      `(${code}) warpgroup.${what} is injected in around line ${line} by compiler to allow use of registers ${why} in function '${func.name}'`,
    );
  return [
    ...lines(told.arrive).map((n) => said("C7519", "arrive", n, "in GMMA")),
    ...lines(told.wait).map((n) => said("C7517", "wait", n, "defined by GMMA")),
  ];
}
