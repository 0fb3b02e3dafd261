/** Branches, jump tables, ends, traps. */
import { imm } from "../ori/operand.js";
import type { Block } from "../ori/types.js";
import type { Operand as PtxOperand } from "../ptx/ast.js";
import type { Context } from "./context.js";
import { at, type Family, type Lowering, operands } from "./family.js";
import { Refusal } from "./refusal.js";
import { U32 } from "./types.js";

function blockOf(c: Context, name: string): Block {
  const label = c.find(name);
  if (label === null || label.kind !== "label") throw new Refusal();
  return label.block;
}

function labelName(o: PtxOperand): string {
  if (o.kind !== "name" || o.component !== null || o.offset !== 0) throw new Refusal();
  return o.name;
}

const bra: Lowering = (c, i, m) => {
  m.flag("uni");
  c.branch(blockOf(c, labelName(at(operands(i, 1), 0))), c.guard);
};

/** A jump table: a branch to block number `index` of a list. An index outside the table has no meaning. */
const brx: Lowering = (c, i, m) => {
  const ops = operands(i, 2);
  m.need(["idx"]);
  m.flag("uni");
  const table = c.find(labelName(at(ops, 1)));
  if (table === null || table.kind !== "targets") throw new Refusal();
  const targets = table.targets.targets.map((t) => blockOf(c, t).id);
  if (targets.length === 0) throw new Refusal();
  const skip = c.guard === null ? null : c.newBlock();
  if (c.guard !== null && skip !== null) c.branch(skip, { ...c.guard, not: !c.guard.not });
  const index = c.materialize(c.read(at(ops, 0), U32));
  c.emit("BRX.IDX", [], [index]).table = { targets, offset: -1 };
  if (skip !== null) c.start(skip);
};

const exit: Lowering = (c, i) => {
  operands(i, 0);
  c.emit("EXIT", [], [], c.guard);
};

/** End of the kernel, or of an inlined body. */
const ret: Lowering = (c, i, m) => {
  operands(i, 0);
  m.flag("uni");
  if (c.returnTo === null) c.emit("EXIT", [], [], c.guard);
  else {
    c.returnTo.used = true;
    c.branch(c.returnTo.block, c.guard);
  }
};

const trap: Lowering = (c, i) => {
  operands(i, 0);
  c.emit("BPT.TRAP", [], [imm(1)]);
};

const nanosleep: Lowering = (c, i, m) => {
  m.need(["u32"]);
  const form = c.target.has("sleepSaysWarp") ? "NANOSLEEP.WARP" : "NANOSLEEP";
  c.emit(form, [], [c.read(at(operands(i, 1), 0), U32)]);
};

/** Performance-monitor events. */
const pmevent: Lowering = (c, i, m) => {
  const o = at(operands(i, 1), 0);
  const mask = m.flag("mask");
  if (o.kind !== "int") throw new Refusal();
  c.emit("PMTRIG", [], [imm(mask ? o.lo & 0xffff : 1 << (o.lo & 15))]);
};

export const controlFamily: Family = { bra, brx, exit, ret, trap, brkpt: trap, nanosleep, pmevent };
