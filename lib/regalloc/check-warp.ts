/**
 * Uniform registers belong to the warp, not to the thread. After a branch that splits the warp, one side may run before
 * the other: what the second side still reads from before the branch must survive the first side, although no path of a
 * single thread leads from one to the other.
 *
 *     UMOV UR4, 1 ; @P0 BRA else        if the then-side puts something else into UR4, the else-side of the same warp
 *     then: …          else: R0 = UR4   may read that
 *
 * So for every such branch: a uniform unit that is live into one successor and sits in uniform registers only must keep
 * one of them unwritten in all blocks between the other successors and the point where the sides meet again.
 */
import { analysis } from "../analysis/index.js";
import { isClobbered } from "../isa/abi.js";
import { type Block, File, type Func, Kind, Mod, ZERO_REG } from "../ori/types.js";
import { inserted } from "./check-inserted.js";
import type { Locations } from "./check-locations.js";
import { isGuarded, type State, type Units } from "./check-state.js";

export interface WarpInput {
  readonly before: Func;
  readonly after: Func;
  readonly units: Units;
  readonly locations: Locations;
  /** State at the end of each block, null where no path leads. */
  readonly outs: readonly (State | null)[];
}

/** Reports blocks at whose end (the branch) a uniform unit is not safe. */
export function checkWarp(input: WarpInput, report: (block: Block, message: string) => void): void {
  const { before, units, outs } = input;
  const uniform: number[] = [];
  for (let u = 0; u < units.count; u++) if (units.isUniform(u)) uniform.push(u);
  if (uniform.length === 0) return;
  const live = analysis(before, "liveness");
  const anywhere = new Map<number, number[]>();
  before.blocks.forEach((_, b) => {
    noteWrites(input, b, anywhere);
  });
  const position = new Map(before.blocks.map((b, i) => [b.id, i]));
  const isLiveInto = (b: Block, u: number): boolean => live.liveIn.has(position.get(b.id) as number, u);
  before.blocks.forEach((branch, b) => {
    const state = outs[b];
    if (state === null || state === undefined || branch.succs.length < 2 || !splitsWarp(branch)) return;
    let sides: Map<number, number[]>[] | null = null;
    for (const u of uniform) {
      if (state.defined[u] === 0) continue;
      const places = state.places(u);
      // A copy in a thread's own registers or memory cannot be overwritten by another thread.
      if (places.length === 0 || places.some((p) => !input.locations.isPerWarp(p))) continue;
      const isOverwritten = (written: ReadonlyMap<number, readonly number[]>): boolean =>
        places.every((p) => written.get(p)?.some((by) => by !== u) === true);
      if (!isOverwritten(anywhere)) continue;
      sides ??= branch.succs.map((s) => sideOf(input, b, s, position));
      const all = sides;
      branch.succs.forEach((reader, j) => {
        if (!isLiveInto(reader, u)) return;
        all.forEach((written, i) => {
          if (i === j || !isOverwritten(written)) return;
          report(branch, `${units.name(u)} is overwritten on one side of the branch and read on the other`);
        });
      });
    }
  });
}

/** Not decided by uniform predicates alone. */
function splitsWarp(block: Block): boolean {
  const last = block.insts[block.insts.length - 1];
  if (last === undefined || last.form.flow !== "branch") return true;
  if (isGuarded(last.guard) && last.guard?.file !== File.UP) return true;
  return last.srcs.some(
    (o) => o.kind === Kind.Reg && o.file !== File.UP && (o.id !== ZERO_REG || (o.mods & Mod.Not) !== 0),
  );
}

/** Uniform locations written between a successor and the block where the sides meet, with the units written to them. */
function sideOf(
  input: WarpInput,
  branch: number,
  from: Block,
  position: ReadonlyMap<number, number>,
): Map<number, number[]> {
  const meet = analysis(input.before, "postDominators").idom[branch] as number;
  const written = new Map<number, number[]>();
  const seen = new Set<number>();
  const work = [position.get(from.id) as number];
  for (let b = work.pop(); b !== undefined; b = work.pop()) {
    if (b === meet || seen.has(b)) continue;
    seen.add(b);
    noteWrites(input, b, written);
    for (const s of (input.before.blocks[b] as Block).succs) work.push(position.get(s.id) as number);
  }
  return written;
}

/**
 * Adds the writes of a block to uniform locations. What an inserted copy writes is the unit that the block last wrote to
 * the copy's source (a result on its way to the home it was spilled to), −1 when that is unknown.
 */
function noteWrites(input: WarpInput, b: number, written: Map<number, number[]>): void {
  const { locations, units } = input;
  const old = new Map((input.before.blocks[b] as Block).insts.map((i) => [i.id, i]));
  const last = new Map<number, number>();
  const note = (at: number, by: number): void => {
    last.set(at, by);
    if (!locations.isPerWarp(at)) return;
    const list = written.get(at);
    if (list === undefined) written.set(at, [by]);
    else list.push(by);
  };
  for (const now of (input.after.blocks[b] as Block).insts) {
    const program = old.get(now.id);
    if (program === undefined) {
      for (const m of inserted(now, locations).moves) note(m.to, last.get(m.from) ?? -1);
      continue;
    }
    if (program.passed !== undefined && program.form.flow === "call")
      for (let n = 0; isClobbered(File.UR, n); n++) note(locations.register(File.UR, n), -1);
    now.dsts.forEach((o, d) => {
      const v = program.dsts[d];
      if (o.kind !== Kind.Reg || o.id === ZERO_REG || v === undefined) return;
      for (let k = 0; k < o.width; k++) note(locations.register(o.file, o.id + k), units.of(v.id, v.sub + k));
    });
  }
}
