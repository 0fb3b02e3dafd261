/** Barriers of the CTA and of the warp, fences. */
import { imm, RZ } from "../ori/operand.js";
import { Kind, type Operand } from "../ori/types.js";
import type { Operand as PtxOperand } from "../ptx/ast.js";
import type { Context } from "./context.js";
import { convergeWarp } from "./converge.js";
import { at, type Family, type Lowering, operands } from "./family.js";
import { acquired, fence, membar as releasing } from "./fence.js";
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

/** A barrier counts in twelve bits; ptxas drops the others of a constant. */
function threads(count: Operand): Operand {
  return count.kind === Kind.Imm ? imm(count.value & 0xfff) : count;
}

/**
 * Barrier and thread count, after the point where all lanes of the warp are; two registers travel in one: count in bits 27:16,
 * barrier in 3:0 (measured). In Mercury the three instructions are one, so nothing may come between them: the same register
 * throughout, between two instructions that nothing passes.
 */
function atBarrier(
  c: Context,
  o: readonly PtxOperand[],
  meet: string | null,
  body: (operands: readonly Operand[]) => void,
): void {
  const id = barrierId(c, at(o, 0));
  const count = o.length < 2 ? null : threads(c.read(at(o, 1), U32));
  const packed = count !== null && id.kind !== Kind.Imm && count.kind !== Kind.Imm;
  const both = packed ? c.op("MOV", [count]) : null;
  const code = (): void => {
    if (both === null) {
      body(count === null ? [id] : [id, count]);
      return;
    }
    c.emit("SHF.L.U32", [both], [both, imm(16), RZ()]);
    c.emit("LOP3.LUT", [both], [both, imm(0xf), id, imm(0xf8)]);
    body([both, both]);
  };
  if (meet === null) {
    convergeWarp(c);
    code();
    return;
  }
  // Lanes may come one by one and from different places; the machine's barrier counts warps. Those of one barrier meet.
  const name = [id, count].map((x) => (x === null ? "" : x.kind === Kind.Imm ? x.value : "r")).join(".");
  together(c, `${meet}.${name}`, imm(0xffffffff), false, code);
}

function bar(defaultAligned: boolean): Lowering {
  return (c, i, m) => {
    m.flag("cta");
    const kind = m.oneOf(["sync", "arrive", "red", "warp"]);
    if (kind === "warp") {
      m.need(["sync"]);
      together(c, "bar.warp", c.read(at(operands(i, 1), 0), U32), false, () => {
        // Where the lanes are together the barrier still orders memory: ptxas leaves a NOP.
        c.emit("NOP", [], []).said = "barrier";
      });
      return;
    }
    const aligned = m.flag("aligned") || defaultAligned;
    if (kind === null) throw new Refusal();
    const meet = aligned ? null : `barrier.${kind}`;
    if (kind === "red") {
      reduce(c, m, i.operands, meet);
      return;
    }
    const list = operands(i, ...(kind === "sync" ? [1, 2] : [2]));
    atBarrier(c, list, meet, (o) => {
      c.emit(kind === "sync" ? `BAR.SYNC${defer(c)}` : "BAR.ARV", [], o);
    });
  };
}

function defer(c: Context): string {
  return c.target.has("memoryDescriptor") ? ".DEFER_BLOCKING" : "";
}

/** bar.red: barrier and reduction of a predicate over the threads of the CTA. */
function reduce(c: Context, m: Modifiers, list: readonly PtxOperand[], meet: string | null): void {
  if (list.length !== 3 && list.length !== 4) throw new Refusal();
  const op = m.need(["popc", "and", "or"]);
  m.need(op === "popc" ? ["u32"] : ["pred"]);
  const p = c.read(at(list, list.length - 1), PRED);
  const d = op === "popc" ? c.inPlace(at(list, 0), U32) : c.inPlace(at(list, 0), PRED);
  atBarrier(c, list.slice(1, -1), meet === null ? null : `${meet}.${op}`, (o) => {
    const operandsOf = o.length === 1 ? [o[0] as Operand, imm(0), p] : [...o, p];
    c.emit(`BAR.RED.${op.toUpperCase()}${defer(c)}`, [], operandsOf);
    c.emit("B2R.RESULT", op === "popc" ? [d] : [RZ(), d], []);
  });
}

const fenceInstruction: Lowering = (c, i, m) => {
  operands(i, 0);
  if (m.flag("mbarrier_init")) {
    // Later operations see what mbarrier.init wrote: nothing to do within a CTA's own memory (as ptxas).
    m.need(["release"]);
    m.need(["cluster"]);
    c.emit("NOP", [], []);
    return;
  }
  const kind = m.oneOf(["sc", "acq_rel", "acquire", "release"]) ?? "acq_rel";
  if (kind === "acquire") acquired(c, takeScope(m));
  else if (kind === "release") releasing(c, "ALL", takeScope(m));
  else fence(c, kind === "sc" ? "SC" : "ALL", takeScope(m));
};

const membar: Lowering = (c, i, m) => {
  operands(i, 0);
  const level = m.need(["cta", "gl", "sys"]);
  fence(c, "SC", level === "gl" ? "gpu" : level);
};

/** A grid waits for those before it (ACQBULK), or lets those after it begin (PREEXIT). */
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
