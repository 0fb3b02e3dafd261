/**
 * Regions and warp synchronization only where lanes may part (after divergence analysis).
 *
 * A region around branches that all lanes take alike brings together what never parted: its BSSY, BREAK and BSYNC go. WARPSYNC for all
 * lanes goes where they are together as it is. ptxas 13.0.88 leaves both out on conditions from parameters, block indices,
 * constants and loads from uniform addresses, and has them on conditions from thread indices. A region
 * in which lanes part inside of inner regions only goes, too, and so does YIELD where no lanes of the warp wait elsewhere.
 */
import { analysis, isLanewise, type Region } from "../analysis/index.js";
import { rewriteBlock } from "../ori/editor.js";
import { isReg } from "../ori/operand.js";
import { type Block, File, type Func, type Inst, Kind } from "../ori/types.js";
import type { Naming } from "./branches.js";
import { saying } from "./notes.js";

/** Removes what is not needed; returns how many instructions went. `names` is kept right. */
export function dropRegions(func: Func, names: Naming | null = null): number {
  if (!func.blocks.some((b) => b.insts.some((i) => i.form.op === "BSSY"))) return 0;
  const { parts, regions } = analysis(func, "divergence");
  const parting = new Set<number>();
  func.blocks.forEach((b, i) => {
    if (parts(b) || calls(b)) parting.add(i);
  });
  const dropped = new Set<number>();
  const around = regionsOfParting(regions, parting);
  for (const r of regions) {
    const inner = (s: Region): boolean => s !== r && !dropped.has(s.barrier) && liesIn(s, r);
    const together = (b: number): boolean => around.get(b)?.some(inner) ?? !parting.has(b);
    if (every(r.blocks, together)) dropped.add(r.barrier);
  }
  if (dropped.size === 0) return 0;
  const others = otherUses(func);
  const say = saying(func);
  const gone = (inst: Inst): boolean => {
    const barrier = barrierOf(inst);
    return barrier >= 0 && dropped.has(barrier) && !others.has(barrier);
  };
  return remove(func, (block, inst) => {
    if (!gone(inst)) return false;
    for (const o of inst.srcs) if (o.kind === Kind.Label) names?.drop(block, o.id);
    say?.("region dropped", inst, "lanes do not part in it");
    return true;
  });
}

/** The regions that each block in which lanes part lies in. */
function regionsOfParting(regions: readonly Region[], parting: ReadonlySet<number>): ReadonlyMap<number, Region[]> {
  const around = new Map<number, Region[]>();
  for (const r of regions)
    for (const b of r.blocks) {
      if (!parting.has(b)) continue;
      const list = around.get(b);
      if (list === undefined) around.set(b, [r]);
      else list.push(r);
    }
  return around;
}

function every(set: ReadonlySet<number>, holds: (b: number) => boolean): boolean {
  for (const b of set) if (!holds(b)) return false;
  return true;
}

/** All of region `s`, and where it ends, is inside of `r`: lanes that part in `s` are together again before `r` ends. */
function liesIn(s: Region, r: Region): boolean {
  const inside = (b: number): boolean => r.blocks.has(b);
  return s.blocks.size < r.blocks.size && every(s.blocks, inside) && every(s.joins, inside);
}

/**
 * Removes WARPSYNC of all lanes, or of those that a literal names, where the lanes are together: who executes it is named there. On sm_75
 * ptxas 13.0.88 trusts masks in registers as well.
 */
export function dropWarpSyncs(func: Func): number {
  const { apartAt } = analysis(func, "divergence");
  // The capsule of a barrier whose number is in a register is known after a WARPSYNC only.
  const inRegister = (i: Inst): boolean => i.form.op === "BAR" && i.srcs.some((o) => isReg(o) && o.file === File.R);
  const kept = (block: Block, at: number): boolean =>
    func.target.has("capmerc") && block.insts.some((i, k) => k > at && inRegister(i));
  const say = saying(func);
  const literals = func.target.has("masksTrusted") ? null : literalsOf(func);
  return remove(func, (block, inst, at) => {
    const gone = namesLanes(inst, literals) && !apartAt(block, at) && !kept(block, at);
    if (gone) say?.("removed", inst, "the lanes are together here");
    return gone;
  });
}

/** Removes YIELD where all lanes are together: it lets others of the warp go on, and there are none. */
export function dropYields(func: Func): number {
  if (!func.blocks.some((b) => b.insts.some(isYield))) return 0;
  const { apartAt } = analysis(func, "divergence");
  const say = saying(func);
  return remove(func, (block, inst, at) => {
    const gone = isYield(inst) && !apartAt(block, at);
    if (gone) say?.("removed", inst, "the lanes are together here");
    return gone;
  });
}

const isYield = ({ form, guard }: Inst): boolean => form.op === "YIELD" && guard === null;

/** A WARPSYNC of all lanes, of those of a literal, or, without a list of the registers that hold literals, of any. */
function namesLanes(inst: Inst, literals: ReadonlySet<number> | null): boolean {
  if (inst.guard !== null || inst.form.op !== "WARPSYNC") return false;
  if (inst.form.name === "WARPSYNC.ALL") return true;
  if (inst.form.name !== "WARPSYNC") return false;
  return (
    literals === null ||
    inst.srcs.some((o) => o.kind === Kind.Imm || (isReg(o) && o.file === File.R && literals.has(o.id)))
  );
}

/** Registers that hold nothing but literals. */
function literalsOf(func: Func): Set<number> {
  const made = new Set<number>();
  const others = new Set<number>();
  for (const { insts } of func.blocks)
    for (const { form, guard, dsts, srcs } of insts)
      for (const o of dsts)
        if (isReg(o)) {
          const literal = form.name === "MOV" && guard === null && srcs[0]?.kind === Kind.Imm;
          (literal ? made : others).add(o.id);
        }
  for (const id of others) made.delete(id);
  return made;
}

function remove(func: Func, gone: (block: Block, inst: Inst, at: number) => boolean): number {
  const out = new Set<Inst>();
  const blocks: Block[] = [];
  for (const block of func.blocks) {
    const before = out.size;
    block.insts.forEach((inst, at) => {
      if (gone(block, inst, at)) out.add(inst);
    });
    if (out.size > before) blocks.push(block);
  }
  for (const block of blocks) rewriteBlock(func, block, (inst, kept) => !out.has(inst) && kept.push(inst));
  return out.size;
}

function calls(block: Block): boolean {
  return block.insts.some((i) => i.form.flow === "call");
}

/** The barrier that a BSSY, BREAK or BSYNC works on, −1 for all others. */
function barrierOf(inst: Inst): number {
  if (inst.form.op !== "BSSY" && inst.form.op !== "BSYNC" && inst.form.op !== "BREAK") return -1;
  for (const list of [inst.dsts, inst.srcs])
    for (const o of list) if (o.kind === Kind.Reg && o.file === File.B) return o.id;
  return -1;
}

/** Barriers that something else than BSSY, BREAK and BSYNC reads or writes. */
function otherUses(func: Func): Set<number> {
  const found = new Set<number>();
  for (const block of func.blocks)
    for (const inst of block.insts)
      if (!isLanewise(inst) && barrierOf(inst) < 0)
        for (const list of [inst.dsts, inst.srcs])
          for (const o of list) if (o.kind === Kind.Reg && o.file === File.B) found.add(o.id);
  return found;
}
