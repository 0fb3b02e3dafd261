/**
 * Where an instruction may go next. A transfer of control (branch, indirect branch, return, exit) ends its block; a
 * conditional one falls through to the next block of the layout. Regions (BSSY) name a label without going there,
 * calls come back, traps are treated as if they came back: all three may stand anywhere in a block.
 */
import { isZeroReg } from "./operand.js";
import { type Block, File, type Func, type Inst, Kind, Mod, type Operand, ZERO_REG } from "./types.js";

/** A transfer of control: must be the last instruction of its block. */
export function endsBlock(inst: Inst): boolean {
  switch (inst.form.flow) {
    case "branch":
    case "indirect":
    case "return":
    case "exit":
      return true;
    default:
      return false;
  }
}

/** A predicate other than PT makes a transfer conditional; BRA.DIV also takes a mask of lanes. */
function isCondition(inst: Inst, o: Operand): boolean {
  if (o.kind !== Kind.Reg) return false;
  if (o.file === File.P || o.file === File.UP) return !isZeroReg(o) || (o.mods & Mod.Not) !== 0;
  return o.file === File.UR && o.id !== ZERO_REG && inst.form.flow === "branch";
}

/** A guarded instruction, or a transfer of control with a condition of its own (`BRA P0, target`). */
export function isConditional(inst: Inst): boolean {
  const g = inst.guard;
  if (g !== null && (g.id !== ZERO_REG || g.not)) return true;
  if (!endsBlock(inst)) return inst.form.flow === "call" && inst.srcs.some((o) => isCondition(inst, o));
  // A branch for diverged (or converged) warps: which it is only the warp knows, also without a mask of lanes (sm_75 to 89).
  const { mods } = inst.form;
  if (mods.length > 0 && (mods.includes("DIV") || mods.includes("CONV"))) return true;
  return hasCondition(inst);
}

/** A transfer of control with a condition of its own beside its guard. */
export function hasCondition(inst: Inst): boolean {
  for (const o of inst.srcs) if (isCondition(inst, o)) return true;
  return false;
}

/** Control may reach the instruction after this one in the layout. */
export function fallsThrough(inst: Inst): boolean {
  return !endsBlock(inst) || isConditional(inst);
}

/** Control may leave this block at its end to the next one in the layout. */
export function blockFallsThrough(block: Block): boolean {
  const last = block.insts[block.insts.length - 1];
  return last === undefined || fallsThrough(last);
}

/** The instruction that transfers control at the end of a block, null when it just falls through. */
export function terminator(block: Block): Inst | null {
  const last = block.insts[block.insts.length - 1];
  return last !== undefined && endsBlock(last) ? last : null;
}

/** By form: 1 where a source may be a label, 2 where none may. */
const labelled: number[] = [];

/** A source of the instruction may name a block. */
export function mayNameBlock({ form }: Inst): boolean {
  let known = labelled[form.id];
  if (known === undefined) {
    known = form.srcs.some(({ accepts }) => accepts.includes("label") || accepts.includes("sym")) ? 1 : 2;
    labelled[form.id] = known;
  }
  return known === 1;
}

/** `MOV.PHI d, s…`: d is the source that belongs to the predecessor control comes from, in the order of `preds`. */
export function isPhi(inst: Inst): boolean {
  return inst.form.pseudo && inst.form.op === "MOV";
}

/** Block ids that a branch may go to, each once, in the order of its operands or of its table. */
export function branchTargets(inst: Inst): number[] {
  if (inst.table !== undefined) return [...new Set(inst.table.targets)];
  const ids: number[] = [];
  if (inst.form.flow !== "branch") return ids;
  for (const o of inst.srcs) if (o.kind === Kind.Label && !ids.includes(o.id)) ids.push(o.id);
  return ids;
}

/** With `callEdges`: the block ends in a call that always happens, and does not lead to the next block. */
export function entersRoutine(func: Func, block: Block): boolean {
  const last = block.insts[block.insts.length - 1];
  return func.callEdges === true && last?.form.flow === "call" && !isConditional(last);
}

/** Successors of the block that its last instruction does not say: those of an indirect branch without a table of ours, of calls and returns with `callEdges`. */
export function goesElsewhere(func: Func, block: Block): boolean {
  const last = block.insts[block.insts.length - 1];
  const flow = last?.form.flow;
  return (
    (flow === "indirect" && last?.table === undefined) ||
    (func.callEdges === true && (flow === "call" || flow === "return"))
  );
}

/** Index of blocks by id; holes are undefined. */
export function blocksById(func: Func): (Block | undefined)[] {
  const byId: (Block | undefined)[] = new Array(func.nextBlock);
  for (const b of func.blocks) byId[b.id] = b;
  return byId;
}

function link(from: Block, to: Block): void {
  if (from.succs.includes(to)) return;
  linkNew(from, to);
}

function linkNew(from: Block, to: Block): void {
  from.succs.push(to);
  to.preds.push(from);
}

/**
 * Builds all edges from the layout and the last instruction of each block: the fall-through first, then branch targets
 * in operand order. Targets that are not in the operands (`goesElsewhere`) are kept where they are in `succs` already.
 */
export function connect(func: Func): void {
  const { blocks } = func;
  const byId = blocksById(func);
  const kepts = new Map<Block, Block[]>();
  for (const b of blocks) {
    if (goesElsewhere(func, b)) kepts.set(b, b.succs);
    b.succs = [];
    b.preds = [];
  }
  for (let i = 0; i < blocks.length; i++) {
    const b = blocks[i] as Block;
    const next = blocks[i + 1];
    const kept = kepts.get(b);
    if (next !== undefined && blockFallsThrough(b) && !entersRoutine(func, b)) link(b, next);
    const last = terminator(b);
    if (last !== null) {
      for (const id of branchTargets(last)) {
        const target = byId[id];
        // The targets differ from one another: only the fall-through may be among them.
        if (target !== undefined && b.succs[0] !== target) linkNew(b, target);
      }
    }
    if (kept) for (const t of kept) if (byId[t.id] === t) link(b, t);
  }
}
