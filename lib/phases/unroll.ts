/**
 * OriLoopUnrolling, on plain registers: counted loops do several turns at once.
 *
 * Known trips, in full:   the turns one after the other.
 * Known trips, in part:   the rest of the trips in front, then a loop of `u` turns:  T = 130, u = 16:  2 + 8 × 16
 * Unknown trips:          four turns at once as long as four are sure, then two, then one:
 *
 *     G:  F = true; 4 turns sure?    no → S
 *         F = false
 *     M:  turn turn turn turn;       4 more sure → M
 *     S:  2 turns sure?              no → S2
 *         F = false; turn turn
 *     S2: goes on, or F?             no → exit
 *         turn
 *     exit:
 *
 * F says that no turn was done yet: the test of a loop stands at its end, so the first turn is always done. Each step has a
 * region of its own where the loop lies in one, as lanes with different trips part there.
 *
 * How many turns, and of which loops, is said in unroll-cost.ts; unroll-unknown.ts makes the last form.
 */
import { analysis, isLanewise, isPlainLoad, type Loop, readsConstants, regionsOf } from "../analysis/index.js";
import { type CountedLoop, countedLoop } from "../analysis/induction.js";
import { connect, terminator } from "../ori/flow.js";
import { newBlock } from "../ori/func.js";
import { type Block, File, type Func, type Inst, Kind } from "../ori/types.js";
import { foldBranches } from "./branches.js";
import { jump } from "./copy-blocks.js";
import { RewriteCounter } from "./rewrites.js";
import { after, barriersSetUp, chain, place, type TurnCopy, turnsOf } from "./turns.js";
import {
  bodySize,
  isUnrolledInFull,
  partialFactor,
  type UnrollLimits,
  unknownBodySize,
  unrollLimits,
} from "./unroll-cost.js";
import { isUnknownCount, unrollUnknown } from "./unroll-unknown.js";

/** What became of a loop. */
export interface UnrollDecision {
  /** Label of its header. */
  readonly loop: string;
  /** Turns, null where they are not known. */
  readonly trips: number | null;
  readonly size: number;
  /** Turns at once; 1: the loop stays as it is. */
  readonly factor: number;
}

/** Unrolls inner loops, then those around them that have no loop inside any more; returns what was decided. */
export function unrollLoops(
  func: Func,
  limits: UnrollLimits = unrollLimits,
  rewrites: RewriteCounter = new RewriteCounter(),
): UnrollDecision[] {
  const decisions: UnrollDecision[] = [];
  if (!limits.LoopUnroll) return decisions;
  const seen = new Set<Block>();
  for (let again = true; again; ) {
    again = false;
    const loops = innermost(func).filter((l) => !seen.has(func.blocks[l.header] as Block));
    const found = loops.flatMap((l) => {
      const header = func.blocks[l.header] as Block;
      seen.add(header);
      const loop = header.nounroll === true ? null : countedLoop(func, l);
      return loop === null || !copiable(loop.blocks) ? [] : [loop];
    });
    const regions = found.length === 0 ? [] : regionsOf(func, analysis(func, "cfg"));
    const enclosing = found.map((loop) => regionAround(func, regions, loop));
    const { UnrollPregThreshold: most } = limits;
    const crowded = found.map((loop) => most < PREDICATES && predicates(func, loop) > most);
    found.forEach((loop, i) => {
      if (!rewrites.open) return;
      const decision = unroll(func, loop, enclosing[i] as Inst | null, limits, crowded[i] === true);
      decisions.push(decision);
      if (decision.factor > 1) rewrites.take(`loop ${decision.loop} unrolled`, loop.blocks[0]?.insts[0]);
      if (decision.factor > 1 || decision.trips === 1) again = true;
    });
    if (!again) break;
    again = limits.LoopUnrollNonInnermost;
    connect(func);
    foldBranches(func);
    func.generation++;
  }
  return decisions;
}

/** Loops that have no loop inside. */
function innermost(func: Func): Loop[] {
  const { loops } = analysis(func, "loops");
  const outer = new Set(loops.map((l) => l.parent));
  return loops.filter((_, i) => !outer.has(i));
}

/** The BSSY of a region that the end of the loop lies in, null where lanes are not brought together after it. */
function regionAround(func: Func, regions: ReturnType<typeof regionsOf>, loop: CountedLoop): Inst | null {
  const at = func.blocks.indexOf(loop.latch);
  const around = regions.find((r) => r.blocks.has(at) && !loop.blocks.includes(func.blocks[r.entry] as Block));
  if (around === undefined) return null;
  const { insts } = func.blocks[around.entry] as Block;
  return insts.find((i) => i.form.op === "BSSY" && i.dsts.some((o) => o.id === around.barrier)) ?? null;
}

/** Nothing that depends on where it stands. */
function copiable(blocks: readonly Block[]): boolean {
  const inside = barriersSetUp(blocks);
  return blocks.every((b) =>
    b.insts.every((inst) => {
      const { form, srcs, passed } = inst;
      if (passed !== undefined) return false;
      if (inst.table !== undefined) return form.name === "BRX.IDX";
      if (form.pseudo) return false;
      if (form.op === "BSYNC" || form.op === "BREAK") return srcs.every((o) => o.file !== File.B || inside.has(o.id));
      if (form.flow !== "next" && form.flow !== "branch" && form.op !== "BSSY") return false;
      if (form.op === "MOV" && srcs.some((o) => o.kind === Kind.Label)) return false;
      if (form.op === "WARPSYNC" && (form.mods.length > 0 ? form.name !== "WARPSYNC.ALL" : !srcs.some(isMask)))
        return false;
      return !fixedPlace.has(form.op);
    }),
  );
}

const isMask = (o: { kind: Kind }): boolean => o.kind === Kind.Imm;
/** Warp groups, waiting loops, traps. */
const fixedPlace: ReadonlySet<string> = new Set(
  "WARPGROUP HGMMA IGMMA QGMMA BGMMA YIELD NANOSLEEP BPT SYNCS ELECT UTMALDG UTMASTG UBLKCP WARPGROUPSET USETMAXREG".split(
    " ",
  ),
);

/** Of loops whose trips lanes do not share: each lane may do its turns by itself. */
function laneByLane(blocks: readonly Block[]): boolean {
  return blocks.every((b) =>
    b.insts.every((i) => {
      const { form } = i;
      if (isLanewise(i) || readsConstants(i) || form.flow === "branch") return true;
      if (form.op === "BSSY" || form.op === "BSYNC" || form.op === "UMOV") return true;
      if (form.memory === null) return false;
      return form.memory.access === "load"
        ? isPlainLoad(i)
        : form.memory.access === "store" && /^ST[GSL]?$/.test(form.op);
    }),
  );
}

function unroll(
  func: Func,
  loop: CountedLoop,
  region: Inst | null,
  limits: UnrollLimits,
  crowded: boolean,
): UnrollDecision {
  const { trips, header } = loop;
  const several = loop.blocks.length > 1;
  const name = header.label === "" ? `b${header.id}` : header.label;
  const stays = crowded || (several && !limits.UnrollMultiBlockLoops);
  if (trips !== null) {
    const size = bodySize(loop, limits);
    if (!stays && (trips <= 1 || isUnrolledInFull(loop, trips, limits))) {
      unrollKnown(func, loop, trips, 0);
      return { loop: name, trips, size, factor: trips };
    }
    const factor = several || stays ? 1 : partialFactor(size, trips, limits);
    if (factor > 1) unrollKnown(func, loop, trips % factor, factor);
    return { loop: name, trips, size, factor };
  }
  const size = unknownBodySize(loop, limits);
  const many = several && !limits.LoopUnrollUnknownMultiBlock;
  const fits = !stays && !many && limits.UnrollVariableBounds && size <= limits.UnrollUnknownInstLimit;
  // Tails of half as many turns, a quarter … do the rest.
  const factor = 2 ** Math.floor(Math.log2(Math.max(1, limits.LoopUnrollFactor || limits.UnrollUnknownCount)));
  if (!fits || factor < 2 || !isUnknownCount(loop, factor) || !laneByLane(loop.blocks))
    return { loop: name, trips, size, factor: 1 };
  unrollUnknown(func, loop, region, factor, !limits.DisablePartialUnrollOverflowCheck);
  return { loop: name, trips, size, factor };
}

/** Predicates that there are. */
const PREDICATES = 7;

/** Most predicates live at once in the loop. */
function predicates(func: Func, { blocks }: CountedLoop): number {
  const { indexOf } = analysis(func, "cfg");
  const { first } = analysis(func, "flat");
  const { at } = analysis(func, "pressure").P;
  let most = 0;
  for (const b of blocks.map((block) => indexOf[block.id] as number))
    for (let i = first[b] as number; i < (first[b + 1] as number); i++) most = Math.max(most, at[i] as number);
  return most;
}

/** `before` turns in a row, then a loop of `factor` turns (0: none). */
function unrollKnown(func: Func, loop: CountedLoop, before: number, factor: number): void {
  const like = terminator(loop.latch);
  const turns = turnsOf(func, loop, Math.max(before + factor, 1));
  chain(func, turns, like);
  const once = factor === 0 ? turns : turns.slice(0, before);
  for (const t of once) for (const b of t.blocks) b.freq = loop.exit.freq;
  const end = turns[turns.length - 1] as TurnCopy;
  let last = end.blocks;
  if (factor === 0) end.latch.insts.push(jump(func, loop.exit, like));
  else {
    const back = (turns[before] as TurnCopy).header;
    back.nounroll = true;
    end.latch.insts.push(jump(func, back, like, { ...loop.again }));
    const out = newBlock(func, "", loop.exit.freq);
    out.insts.push(jump(func, loop.exit, like));
    last = after(end, out);
  }
  const made = turns.slice(1, -1).flatMap((t) => t.blocks);
  place(func, loop, turns.length > 1 ? [...made, ...last] : []);
}
