/**
 * Collective instructions that were gathered, for lanes of a mask that could come to different places, stand bare where all lanes
 * are together and the mask names all of them (GeneralOptimizeEarly, after divergence analysis). Lowering cannot tell: the mask of nvcc's
 * code is a register. ptxas 13.0.88 does so above -O0, and has `BRA.DIV` around the others.
 *
 *     MOV %R3, %R1; MOV %R4, 0x10; MOV %R5, %R2
 *     BSSY %B6, b2                                        MOV %R3', %R1; MOV %R4', 0x10
 *     WARPSYNC.COLLECTIVE %R5, b1                         SHFL.DOWN %P7', %R8', %R3', %R4', 0x1f
 *     SHFL.DOWN %P7, %R3, %R3, %R4, 0x1f           →      b1:
 *     ENDCOLLECTIVE                                       b2: MOV %R9, %R8'
 *     b1: BSYNC %B6
 *     b2: MOV %R9, %R3
 *
 * The registers of gathered code are bound; what stands bare has its own. Before sm_90 gathered code is a piece that will be a subroutine
 * (outline-gathered.ts): it ends with its return address in a pair.
 */
import { analysis, isWholeMove } from "../analysis/index.js";
import { touch } from "../ori/editor.js";
import { indexOf, isReg, PT } from "../ori/operand.js";
import { type Block, File, type Func, type Inst, Kind, type Operand } from "../ori/types.js";
import type { RewriteCounter } from "./rewrites.js";

const ALL = 0xffffffff;

/** Returns how many were gathered and are not any more. */
export function bareCollectives(func: Func, rewrites: RewriteCounter): number {
  if (func.milestone === "ssa" || !func.blocks.some((b) => b.insts.some((i) => i.form.op === "WARPSYNC"))) return 0;
  const masks = literalMasks(func);
  const { apartAt } = analysis(func, "divergence");
  const found: Gathered[] = [];
  for (const block of func.blocks)
    for (const [at, inst] of block.insts.entries()) {
      const g = inst.form.op === "WARPSYNC" && !apartAt(block, at) ? gathered(func, block, at, masks) : null;
      if (g !== null) found.push(g);
    }
  let count = 0;
  for (const g of found) {
    if (!rewrites.open || !rename(func, g)) continue;
    g.block.insts = g.block.insts.filter((i) => !g.gone.has(i));
    for (const s of g.block.succs) s.insts = s.insts.filter((i) => !g.gone.has(i));
    rewrites.take(`${g.body[0]?.form.name ?? "code"} bare`, g.body[0]);
    count++;
  }
  if (count > 0) touch(func);
  return count;
}

interface Gathered {
  readonly block: Block;
  readonly body: readonly Inst[];
  /** Copies into bound registers before the code. */
  readonly before: readonly Inst[];
  /** Copies out of them after it. */
  readonly after: readonly Inst[];
  readonly gone: ReadonlySet<Inst>;
}

/** Registers that hold the mask of all lanes wherever they are read: one definition, or copies of it in bound registers. */
function literalMasks(func: Func): (o: Operand | undefined, block: Block, at: number) => boolean {
  const single = new Map<number, Inst | null>();
  for (const block of func.blocks)
    for (const inst of block.insts)
      for (const o of inst.dsts) if (isReg(o)) single.set(o.id, single.has(o.id) || inst.guard !== null ? null : inst);
  const isAll = (o: Operand | undefined): boolean => {
    if (o === undefined) return false;
    if (o.kind === Kind.Imm) return o.value === ALL;
    const made = isReg(o) ? single.get(o.id) : undefined;
    return (
      made !== undefined && made !== null && isCopy(made) && made.srcs[0]?.kind === Kind.Imm && isAll(made.srcs[0])
    );
  };
  return (o, block, at) => {
    if (isAll(o) || o === undefined || !isReg(o)) return isAll(o);
    for (let k = at - 1; k >= 0; k--) {
      const inst = block.insts[k] as Inst;
      if (inst.dsts.some((d) => d.kind === Kind.Reg && d.id === o.id)) return isCopy(inst) && isAll(inst.srcs[0]);
    }
    return false;
  };
}

const isCopy = (inst: Inst): boolean => isWholeMove(inst) && inst.guard === null;

function gathered(func: Func, block: Block, at: number, isAll: ReturnType<typeof literalMasks>): Gathered | null {
  const { insts } = block;
  const sync = insts[at] as Inst;
  const bound = (o: Operand): boolean => isReg(o) && func.values.fixed(o.id) >= 0;
  const mask = sync.srcs.find((o) => isReg(o) && o.file === File.R);
  if (sync.guard !== null || mask === undefined || !isAll(mask, block, at)) return null;
  const gone = new Set<Inst>([sync]);
  // Barriers whose number is in a register keep it (regions.ts).
  if (!bound(mask))
    return insts.some((i) => i.form.op === "BAR") ? null : { block, body: [], before: [], after: [], gone };
  let end = insts.length;
  if (sync.form.mods.includes("COLLECTIVE")) {
    end--;
    if (insts[end]?.form.op !== "ENDCOLLECTIVE") return null;
    gone.add(insts[end] as Inst);
  } else {
    // The return address, put into its pair at the end.
    end -= 2;
    const address = insts.find(
      (i, k) => k < at && i.form.name === "MOV" && i.srcs[0]?.kind === Kind.Label && bound(i.dsts[0]!),
    );
    if (address === undefined || !insts.slice(end).every((i) => i.form.name === "MOV" && bound(i.dsts[0]!)))
      return null;
    for (const i of [address, ...insts.slice(end)]) gone.add(i);
  }
  const body = insts.slice(at + 1, end);
  if (block.succs.length !== 1 || body.length === 0) return null;
  const barrier = insts[at - 1]?.form.op === "BSSY" ? (insts[at - 1] as Inst) : null;
  let rest = block.succs[0] as Block;
  if (barrier !== null) {
    gone.add(barrier);
    const sync = rest.insts[0];
    if (rest.insts.length !== 1 || sync?.form.op !== "BSYNC" || rest.succs.length !== 1) return null;
    gone.add(sync);
    rest = rest.succs[0] as Block;
  }
  let from = at - 1;
  const before: Inst[] = [];
  for (; from >= 0; from--) {
    const inst = insts[from] as Inst;
    if (gone.has(inst)) continue;
    if (!inst.dsts.some(bound)) break;
    before.push(inst);
  }
  const after: Inst[] = [];
  for (const inst of rest.insts) {
    if (!inst.srcs.some((o) => bound(o) && body.some((i) => i.dsts.some((d) => d.id === o.id && d.file === o.file))))
      break;
    after.push(inst);
  }
  return rest.preds.length === 1 ? { block, body, before, after, gone } : null;
}

/** Gives what is read and written registers of its own; false, and nothing changed: something else is read. */
function rename(func: Func, { body, before, after }: Gathered): boolean {
  const { values } = func;
  const bound = (o: Operand): boolean => isReg(o) && values.fixed(o.id) >= 0;
  const written = new Set(before.flatMap((i) => i.dsts.filter(bound).map((o) => o.id)));
  const bindsIndex = (o: Operand): boolean => bound(indexOf(o) ?? PT());
  if ([...body, ...after].some((i) => i.srcs.some(bindsIndex))) return false;
  // An instruction of the code may read what one before it wrote.
  for (const i of body) {
    if (i.guard !== null || i.srcs.some((o) => bound(o) && !written.has(o.id))) return false;
    for (const o of i.dsts) if (bound(o)) written.add(o.id);
  }
  const fresh = (map: Map<number, number>, o: Operand): void => {
    let id = map.get(o.id);
    if (id === undefined) {
      id = values.add(o.file, values.width(o.id));
      map.set(o.id, id);
    }
    o.id = id;
  };
  const [given, made] = [new Map<number, number>(), new Map<number, number>()];
  for (const i of before) for (const o of i.dsts) if (bound(o)) fresh(given, o);
  for (const i of body) {
    for (const o of i.srcs) if (bound(o)) fresh(made.has(o.id) ? made : given, o);
    for (const o of i.dsts) if (bound(o)) fresh(made, o);
  }
  const read = new Set<number>(body.flatMap((i) => i.srcs.map((o) => o.id)));
  for (const i of after)
    for (const o of i.srcs)
      if (isReg(o) && made.has(o.id)) {
        fresh(made, o);
        read.add(o.id);
      }
  // A predicate that gathered code has whether it is read or not.
  for (const i of body)
    for (const [k, o] of i.dsts.entries()) if (o.file === File.P && isReg(o) && !read.has(o.id)) i.dsts[k] = PT();
  return true;
}
