/**
 * Guarded instructions of the PTX text without branches (GeneralOptimizeEarly): what may be computed by lanes that need it not is computed
 * by all, and the results are selected. Guarded code comes back at the end of the SSA window where both sides end there
 * (`guarded-select.ts`).
 *
 *     MOV %R4, %R1                          MOV %R4, %R1
 *     @%P0 BRA j                      →     IADD3 %R5, %R2, %R3, RZ
 *     IADD3 %R4, %R2, %R3, RZ               SEL %R4, %R5, %R4, !%P0
 *     j skip: …                             j: …
 *
 * ptxas 13.0.88 does so for every arithmetic instruction, results of 64 bits and predicates included, while an arm that the text branches around
 * becomes guarded code or stays (measured on sm_75, 90, 100, 120).
 */
import { analysis, isLanewise, isWholeMove, type Liveness, unitOf } from "../analysis/index.js";
import { form } from "../isa/form.js";
import { connect, terminator } from "../ori/flow.js";
import { newInst } from "../ori/func.js";
import { clone, imm, isReg, PT, part, register } from "../ori/operand.js";
import { slotDefault } from "../ori/slots.js";
import { type Block, File, type Func, type Guard, type Inst, Kind, Mod, type Operand, ZERO_REG } from "../ori/types.js";
import { isPlainBranch } from "./branches.js";
import { saying } from "./notes.js";

/** Most instructions that are computed for a result which may not be wanted. */
const MOST = 8;

interface Skipped {
  readonly head: Block;
  readonly branch: Inst;
  readonly arm: Block;
  readonly to: Block;
}

/** Returns how many guarded instructions lost their branch. */
export function selectGuarded(func: Func): number {
  if (!func.blocks.some((b) => b.skip === true)) return 0;
  const outside = new Reads(func);
  const gone = new Set<Block>();
  for (const block of func.blocks) {
    const s = gone.has(block) ? null : skipped(block);
    if (s === null || !s.arm.insts.every((inst) => fits(func, inst)) || s.arm.insts.length > MOST) continue;
    const lost = (o: Operand): boolean => outside.isLost(o, s);
    if (losesGuard(s, lost)) continue;
    const open = opened(s);
    if (open === null) continue;
    saying(func)?.("branch around an instruction removed", s.branch, "its result is selected instead", s.arm.insts[0]);
    s.head.insts = s.head.insts.filter((i) => i !== s.branch && i !== open.enter);
    s.to.insts = s.to.insts.filter((i) => i !== open.leave);
    s.head.insts.push(...s.arm.insts.flatMap((inst) => chosen(func, inst, s.branch.guard as Guard, lost)));
    gone.add(s.arm);
  }
  if (gone.size === 0) return 0;
  func.blocks = func.blocks.filter((b) => !gone.has(b));
  connect(func);
  func.generation++;
  return gone.size;
}

/** `head` ends with the branch around one guarded instruction; null: it does not. */
function skipped(head: Block): Skipped | null {
  const branch = terminator(head);
  if (!isPlainBranch(branch) || branch.guard === null || branch.guard.file !== File.P || head.succs.length !== 2)
    return null;
  const [arm, to] = head.succs as [Block, Block];
  const lone = arm.preds.length === 1 && arm.succs.length === 1 && arm.succs[0] === to && terminator(arm) === null;
  // Where lanes meet again stands a block of its own.
  const after = to.insts.length === 1 && to.insts[0]?.form.op === "BSYNC" ? to.succs[0] : to;
  return lone && after?.skip === true && branch.guard.id !== ZERO_REG ? { head, branch, arm, to } : null;
}

/** The region around the branch, if there is one; null: something else has to do with its barrier. */
function opened({ head, branch, to }: Skipped): { enter: Inst | null; leave: Inst | null } | null {
  const leave = to.insts[0]?.form.op === "BSYNC" ? (to.insts[0] as Inst) : null;
  const at = head.insts.indexOf(branch) - 1;
  const enter = head.insts[at]?.form.op === "BSSY" ? (head.insts[at] as Inst) : null;
  if (enter === null && leave === null) return { enter, leave };
  if (enter === null || leave === null || to.preds.length !== 2) return null;
  return barrierOf(enter) === barrierOf(leave) && leave.guard === null && enter.guard === null
    ? { enter, leave }
    : null;
}

const barrierOf = ({ dsts, srcs }: Inst): number =>
  [...dsts, ...srcs].find((o) => o.kind === Kind.Reg && o.file === File.B)?.id ?? -1;

/** Results are registers of lanes that may be chosen from, and computing them does no harm. */
function fits(func: Func, inst: Inst): boolean {
  if (inst.guard !== null || !isLanewise(inst)) return false;
  return inst.dsts.every(
    (o) => !isReg(o) || ((o.file === File.R || o.file === File.P) && o.part === "" && func.values.fixed(o.id) < 0),
  );
}

/** The guard is a result of the arm, and not its last: what comes after would be chosen by its new value. */
function losesGuard({ branch, arm }: Skipped, lost: (o: Operand) => boolean): boolean {
  const results = arm.insts.flatMap((inst) => inst.dsts.filter((o) => isReg(o) && !lost(o)));
  return results.slice(0, -1).some((o) => o.file === File.P && o.id === branch.guard?.id);
}

/** In which blocks values are read or written. */
class Reads {
  /** The one block in which a value stands, −1 for none, −2 for several. */
  private readonly where: Int32Array;
  private readonly live: Liveness;
  private readonly index: ReadonlyMap<Block, number>;

  constructor(func: Func) {
    this.live = analysis(func, "liveness");
    this.index = new Map(func.blocks.map((b, i) => [b, i]));
    this.where = new Int32Array(func.values.count).fill(-1);
    for (const block of func.blocks)
      for (const inst of block.insts) {
        if (inst.guard !== null) this.note(inst.guard.id, block);
        for (const o of [...inst.dsts, ...inst.srcs]) {
          if (o.kind === Kind.Reg) this.note(o.id, block);
          else if (o.kind === Kind.Const) this.note(o.index, block);
        }
      }
  }

  private note(id: number, { id: block }: Block): void {
    const was = this.where[id];
    if (id >= 0 && was !== undefined && was !== block) this.where[id] = was === -1 ? block : -2;
  }

  /** What the arm makes of the value nobody sees: no other block has to do with it, or it is written again before it is read. */
  isLost(o: Operand, { arm, to, branch }: Skipped): boolean {
    if ((this.where[o.id] ?? -2) === arm.id) return true;
    const [unit, at] = [unitOf(this.live.flat.units, o), this.index.get(to) as number];
    return o.id !== branch.guard?.id && range(o.width).every((k) => !this.live.liveIn.has(at, unit + k));
  }
}

/** The instruction for all lanes, and the choice of its results; `guard` is the one under which it is not done. */
function chosen(func: Func, inst: Inst, guard: Guard, lost: (o: Operand) => boolean): Inst[] {
  const out: Inst[] = [inst];
  const moved = isWholeMove(inst) ? (inst.srcs[0] as Operand) : null;
  inst.dsts = inst.dsts.map((d) => {
    if (!isReg(d) || lost(d)) return d;
    const simple = moved !== null && moved.kind !== Kind.Sym && (isReg(moved) || moved.kind === Kind.Imm);
    const t = simple ? moved : register(d.file, func.values.add(d.file, d.width), d.width);
    if (simple) out.shift();
    for (let k = 0; k < d.width; k++) out.push(choice(func, inst, part(d, k), d.width === 1 ? t : part(t, k), guard));
    return t;
  });
  return out;
}

const range = (n: number): number[] => Array.from({ length: n }, (_, k) => k);

function choice(func: Func, inst: Inst, d: Operand, made: Operand, guard: Guard): Inst {
  const p = { ...register(File.P, guard.id), mods: guard.not ? Mod.Not : 0 };
  const name = d.file === File.P ? "PLOP3.LUT" : "SEL";
  const f = form(name);
  // The table of `p ? d : made`.
  const srcs = name === "SEL" ? [clone(d), clone(made), p] : [p, clone(d), clone(made), imm(0xca), imm(0)];
  const dsts = name === "SEL" ? [clone(d)] : [clone(d), PT()];
  const all = f.srcs.map((slot, k) => srcs[k] ?? slotDefault(slot));
  return newInst(func, f, dsts, all, null, inst.loc, inst.id);
}
