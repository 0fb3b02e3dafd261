/** Barriers of the CTA and of the warp, fences. */
import { imm, RZ } from "../ori/operand.js";
import { Kind, type Operand } from "../ori/types.js";
import type { Operand as PtxOperand } from "../ptx/ast.js";
import type { Context } from "./context.js";
import { convergeWarp } from "./converge.js";
import { at, type Family, type Lowering, operands } from "./family.js";
import { fence } from "./fence.js";
import { together } from "./gather.js";
import { takeScope } from "./memory.js";
import type { Modifiers } from "./modifiers.js";
import { Refusal } from "./refusal.js";
import { PRED, U32 } from "./types.js";

function barrierId(c: Context, o: PtxOperand): Operand {
  const id = c.read(o, U32);
  if (id.kind !== Kind.Imm) {
    c.func.barriers = 16;
    return id;
  }
  if (id.value > 15) throw new Refusal();
  c.func.barriers = Math.max(c.func.barriers, id.value + 1);
  return id;
}

/**
 * Barrier and thread count, behind the point where all lanes of the warp are; two registers travel in one: count in bits 27:16,
 * barrier in 3:0 (measured). In Mercury the three instructions are one, so nothing may come between them: the same register
 * throughout, between two instructions that nothing passes.
 */
function barrierOperands(c: Context, o: readonly PtxOperand[]): Operand[] {
  const id = barrierId(c, at(o, 0));
  const count = o.length < 2 ? null : c.read(at(o, 1), U32);
  if (count === null || id.kind === Kind.Imm || count.kind === Kind.Imm) {
    convergeWarp(c);
    return count === null ? [id] : [id, count];
  }
  const both = c.op("MOV", [count]);
  convergeWarp(c);
  c.emit("SHF.L.U32", [both], [both, imm(16), RZ()]);
  c.emit("LOP3.LUT", [both], [both, imm(0xf), id, imm(0xf8)]);
  return [both, both];
}

function bar(defaultAligned: boolean): Lowering {
  return (c, i, m) => {
    m.flag("cta");
    const kind = m.oneOf(["sync", "arrive", "red", "warp"]);
    if (kind === "warp") {
      m.need(["sync"]);
      together(c, "bar.warp", c.read(at(operands(i, 1), 0), U32), false, () => {});
      return;
    }
    const aligned = m.flag("aligned") || defaultAligned;
    // Without .aligned the lanes of a warp may arrive one by one; the machine's barrier counts warps.
    if (kind === null || !aligned) throw new Refusal();
    if (kind === "red") {
      reduce(c, m, i.operands);
      return;
    }
    const o = barrierOperands(c, operands(i, ...(kind === "sync" ? [1, 2] : [2])));
    c.emit(kind === "sync" ? `BAR.SYNC${defer(c)}` : "BAR.ARV", [], o);
  };
}

function defer(c: Context): string {
  return c.target.has("memoryDescriptor") ? ".DEFER_BLOCKING" : "";
}

/** bar.red: barrier and reduction of a predicate over the threads of the CTA. */
function reduce(c: Context, m: Modifiers, list: readonly PtxOperand[]): void {
  if (list.length !== 3 && list.length !== 4) throw new Refusal();
  const op = m.need(["popc", "and", "or"]);
  m.need(op === "popc" ? ["u32"] : ["pred"]);
  const p = c.read(at(list, list.length - 1), PRED);
  const o = barrierOperands(c, list.slice(1, -1));
  const operandsOf = o.length === 1 ? [o[0] as Operand, imm(0), p] : [...o, p];
  c.emit(`BAR.RED.${op.toUpperCase()}${defer(c)}`, [], operandsOf);
  if (op === "popc") c.emit("B2R.RESULT", [c.inPlace(at(list, 0), U32)], []);
  else c.emit("B2R.RESULT", [RZ(), c.inPlace(at(list, 0), PRED)], []);
}

const fenceInstruction: Lowering = (c, i, m) => {
  operands(i, 0);
  const kind = m.oneOf(["sc", "acq_rel"]) ?? "acq_rel";
  fence(c, kind === "sc" ? "SC" : "ALL", takeScope(m));
};

const membar: Lowering = (c, i, m) => {
  operands(i, 0);
  const level = m.need(["cta", "gl", "sys"]);
  fence(c, "SC", level === "gl" ? "gpu" : level);
};

/** A grid waits for those before it (ACQBULK), or lets those behind it begin (PREEXIT). */
const griddepcontrol: Lowering = (c, i, m) => {
  operands(i, 0);
  c.emit(m.need(["launch_dependents", "wait"]) === "wait" ? "ACQBULK" : "PREEXIT", [], []);
};

export const syncFamily: Family = {
  bar: bar(true),
  barrier: bar(false),
  fence: fenceInstruction,
  griddepcontrol,
  membar,
};
