/**
 * Scoreboards: which instruction counts on which of the six, and who waits.
 *
 * A scoreboard counts up when an instruction that uses it issues and down when its result is there (or its operands are
 * read); waiting means waiting for zero, so instructions may share one. First it is found who needs one at all: whose
 * result is touched, or whose operands are overwritten, by an instruction behind that is not protected by order
 * (`order.ts`). Then the policy names one for each, block by block, knowing what is under way. At last a dataflow over
 * all paths finds what is under way in front of every instruction, and it waits for what it touches.
 */
import { BEYOND, type Beyond, beyond, blockHits, type Hits, has, NEVER, Nexts } from "./hits.js";
import { ORDERS } from "./order.js";
import type { Prepared } from "./prepare.js";
import { State } from "./state.js";
import {
  type BranchRule,
  NONE,
  OUTSIDE,
  SCOREBOARDS,
  type ScoreboardRule,
  type ScoreboardState,
  type Scoreboards,
} from "./types.js";

const ALL = (1 << SCOREBOARDS) - 1;

/** ptxas gives results of these a scoreboard from 2 up. */
const memory: ReadonlySet<string> = new Set(["LDG", "LDL", "LD", "ATOMG", "ATOM"]);

/**
 * What ptxas does, as far as known: who is waited for by the same instruction shares one; else the lowest free one, for
 * loads from memory from 2 up; when none is free the one whose waiter stands nearest. Loads that are first needed in
 * another block, and textures, use 5.
 */
export const scoreboardLikePtxas: ScoreboardRule = (p, { inst, side, hit }, { busy, allowed, hits, meets }) => {
  const result = side === "result";
  const fromMemory = result && memory.has(p.flat.insts[inst]!.form.op);
  if (fromMemory && hit === BEYOND) return 5;
  if (result && p.timing[inst]!.pipe === "TEX") return 5;
  const taken = allowed & busy;
  if (!(result && hit === BEYOND))
    for (let s = 0; s < SCOREBOARDS; s++) if (((taken >> s) & 1) === 1 && hits[s] === hit) return s;
  const from = fromMemory ? 2 : 0;
  const free = allowed & ~busy & (ALL << from);
  // What stays under way behind the block keeps apart from what comes there from elsewhere.
  const apart = hit === BEYOND ? free & ~meets : 0;
  if ((apart | free) !== 0) return lowest(apart === 0 ? free : apart);
  let best = -1;
  let near = 0;
  for (let s = from; s < SCOREBOARDS; s++) {
    if (((allowed >> s) & 1) === 0) continue;
    const d = Math.abs(hits[s]! - hit);
    if (best >= 0 && d >= near) continue;
    best = s;
    near = d;
  }
  return best;
};

const lowest = (mask: number): number => 31 - Math.clz32(mask & -mask);

/**
 * On the SMs that do so, a conditional branch waits for short results that not every block behind it waits for itself,
 * and for the operands of those that have a result.
 */
export const branchLikePtxas: BranchRule = (p, { inst, side, waitedEverywhere, meetsCall }) => {
  if (!p.func.target.has("branchWaitsForShortResults")) return false;
  if (meetsCall) return true;
  if (waitedEverywhere) return false;
  if (side === "operands") return p.write[inst] === 1;
  return !memory.has(p.flat.insts[inst]!.form.op);
};

export interface AssignedScoreboards extends Scoreboards {
  readonly hits: Hits;
}

export interface ScoreboardRules {
  readonly scoreboard: ScoreboardRule;
  readonly branch: BranchRule;
}

export function assignScoreboards(p: Prepared, rules: ScoreboardRules): AssignedScoreboards {
  const { cfg, flat } = p;
  const n = flat.insts.length;
  const sb: Scoreboards = {
    write: new Uint8Array(n).fill(NONE),
    read: new Uint8Array(n).fill(NONE),
    wait: new Uint8Array(n),
  };
  const hits: Hits = { result: new Int32Array(n).fill(NEVER), operands: new Int32Array(n).fill(NEVER) };
  const far = beyond(p);
  const nexts = new Nexts(flat.units.count, p);
  for (let b = 0; b < cfg.count; b++) {
    blockHits(p, b, far, nexts, hits);
    leaveOut(p, b, hits);
  }
  const outs: (State | null)[] = new Array(cfg.count).fill(null);
  const state = new State(flat.units.count);
  const forced = new Uint8Array(n);
  for (let b = 0; b < cfg.count; b++) {
    state.clear(ALL);
    for (let e = cfg.predStart[b]!; e < cfg.predStart[b + 1]!; e++) {
      const out = outs[cfg.pred[e]!];
      if (out) state.merge(out);
    }
    allocate({ p, block: b, state, hits, sb, rules, far, forced, meets: meeting(p, b, outs) });
    if (state.busy === 0) continue;
    const out = new State(flat.units.count);
    out.copy(state);
    outs[b] = out;
  }
  placeWaits(p, sb, forced);
  return { ...sb, hits };
}

/** Takes the hits back of whoever is protected by the order of its unit. */
function leaveOut(p: Prepared, b: number, hits: Hits): void {
  const { flat } = p;
  // The earliest instruction that waits for something later of the unit, or of the queue.
  const results = new Int32Array(ORDERS).fill(NEVER);
  const queues = new Int32Array(ORDERS).fill(NEVER);
  for (let i = flat.first[b + 1]! - 1; i >= flat.first[b]!; i--) {
    const unit = p.order[i]!;
    const queue = p.queue[i]!;
    let result = NEVER;
    if (p.write[i] === 1) {
      result = hits.result[i]!;
      if (unit > 0) {
        if (result < BEYOND && results[unit]! <= result) hits.result[i] = NEVER;
        results[unit] = Math.min(results[unit]!, result);
      }
    }
    let operands = NEVER;
    if (p.read[i] === 1) {
      operands = hits.operands[i]!;
      // A result is there only after the operands were read.
      const first = Math.min(result, queue > 0 ? queues[queue]! : NEVER);
      if (first < BEYOND && first <= operands) {
        operands = NEVER;
        hits.operands[i] = NEVER;
      }
    }
    if (queue > 0) queues[queue] = Math.min(queues[queue]!, result, operands);
  }
}

interface Allocation {
  readonly p: Prepared;
  readonly block: number;
  readonly state: State;
  readonly hits: Hits;
  readonly sb: Scoreboards;
  readonly rules: ScoreboardRules;
  readonly far: Beyond;
  /** Waits that the branch rule asks for. */
  readonly forced: Uint8Array;
  readonly meets: number;
}

function allocate(a: Allocation): void {
  const { p, block, state: s, hits, sb, meets } = a;
  const { flat } = p;
  const waiters = new Int32Array(SCOREBOARDS).fill(NEVER);
  for (let k = 0; k < SCOREBOARDS; k++) if (((s.busy >> k) & 1) === 1) waiters[k] = OUTSIDE;
  const choose = (inst: number, side: "result" | "operands", hit: number): number => {
    const state: ScoreboardState = { busy: s.busy, allowed: ALL & ~p.reserved, hits: waiters, meets };
    const k = a.rules.scoreboard(p, { inst, side, hit }, state);
    s.busy |= 1 << k;
    // Operands of several instructions may share one across blocks, results do not.
    waiters[k] = Math.min(waiters[k]!, side === "result" && hit === BEYOND ? NEVER - 1 : hit);
    return k;
  };
  const last = flat.first[block + 1]! - 1;
  for (let i = flat.first[block]!; i <= last; i++) {
    let need = s.need(p, i);
    if (i === last && s.busy !== 0) {
      const more = branchWaits(a, i, need);
      a.forced[i] = more;
      need |= more;
    }
    if (need !== 0) {
      s.clear(need);
      for (let k = 0; k < SCOREBOARDS; k++) if (((need >> k) & 1) === 1) waiters[k] = NEVER;
    }
    if (p.fixedRead[i] !== NONE) sb.read[i] = p.fixedRead[i]!;
    else if (p.read[i] === 1 && hits.operands[i]! < NEVER) sb.read[i] = choose(i, "operands", hits.operands[i]!);
    if (p.fixed[i] !== NONE) sb.write[i] = p.fixed[i]!;
    else if (p.write[i] === 1 && hits.result[i]! < NEVER) sb.write[i] = choose(i, "result", hits.result[i]!);
    s.issue(p, i, sb);
  }
}

/** Scoreboards under way where a successor of the block is entered from other blocks done so far. */
function meeting(p: Prepared, b: number, outs: readonly (State | null)[]): number {
  const { cfg } = p;
  let busy = 0;
  for (let e = cfg.succStart[b]!; e < cfg.succStart[b + 1]!; e++) {
    const t = cfg.succ[e]!;
    for (let k = cfg.predStart[t]!; k < cfg.predStart[t + 1]!; k++) {
      const q = cfg.pred[k]!;
      if (q !== b) busy |= outs[q]?.busy ?? 0;
    }
  }
  return busy;
}

/** What the branch rule has a conditional branch at the end of a block wait for, besides `need`. */
function branchWaits(a: Allocation, last: number, need: number): number {
  const { p, block, hits, sb } = a;
  const { flat, cfg } = p;
  if (flat.insts[last]!.form.flow !== "branch" || cfg.succStart[block + 1]! - cfg.succStart[block]! < 2) return 0;
  let more = 0;
  for (let i = flat.first[block]!; i < last; i++)
    for (const side of ["result", "operands"] as const) {
      const k = (side === "result" ? sb.write : sb.read)[i]!;
      const hit = (side === "result" ? hits.result : hits.operands)[i]!;
      if (k === NONE || hit < BEYOND || ((need | more) >> k) & 1 || (p.reserved >> k) & 1) continue;
      if (a.rules.branch(p, { inst: i, side, ...behindBranch(a, i, side) })) more |= 1 << k;
    }
  return more;
}

function behindBranch(
  a: Allocation,
  i: number,
  side: "result" | "operands",
): { waitedEverywhere: boolean; meetsCall: boolean } {
  const { p, block, far } = a;
  const { flat, cfg } = p;
  let waitedEverywhere = true;
  let meetsCall = false;
  for (let e = cfg.succStart[block]!; e < cfg.succStart[block + 1]!; e++) {
    const t = cfg.succ[e]!;
    const row = t * far.words;
    let hit = false;
    if (side === "result") {
      for (let d = flat.defStart[i]!; d < flat.defStart[i + 1]!; d++)
        for (let u = flat.defUnit[d]!; u < flat.defUnit[d]! + flat.defWidth[d]!; u++) hit ||= has(far.touches, row, u);
    } else {
      for (let d = flat.useStart[i]!; d < flat.useStart[i + 1]!; d++)
        for (let u = flat.useUnit[d]!; u < flat.useUnit[d]! + flat.useWidth[d]!; u++) hit ||= has(far.writes, row, u);
    }
    if (!hit) waitedEverywhere = false;
    const end = flat.first[t + 1]!;
    if (end > flat.first[t]! && flat.insts[end - 1]!.form.flow === "call") meetsCall = true;
  }
  return { waitedEverywhere, meetsCall };
}

/**
 * Forward dataflow of what is under way; each instruction waits for what it needs. What comes into a block only ever
 * grows while it is solved, so the waits are those of the solution or more.
 */
function placeWaits(p: Prepared, sb: Scoreboards, forced: Uint8Array): void {
  const { cfg, flat } = p;
  const ins: (State | null)[] = new Array(cfg.count).fill(null);
  const s = new State(flat.units.count);
  const list: number[] = [];
  const queued = new Uint8Array(cfg.count).fill(1);
  for (let b = cfg.count - 1; b >= 0; b--) list.push(b);
  while (list.length > 0) {
    const b = list.pop()!;
    queued[b] = 0;
    if (ins[b]) s.copy(ins[b]!);
    else s.clear(ALL);
    for (let i = flat.first[b]!; i < flat.first[b + 1]!; i++) {
      const need = s.need(p, i) | (forced[i]! & s.busy);
      sb.wait[i] = need;
      if (need !== 0) s.clear(need);
      s.issue(p, i, sb);
    }
    if (s.busy === 0) continue;
    for (let e = cfg.succStart[b]!; e < cfg.succStart[b + 1]!; e++) {
      const t = cfg.succ[e]!;
      let into = ins[t];
      if (!into) {
        into = new State(flat.units.count);
        ins[t] = into;
      }
      if (into.merge(s) && queued[t] === 0) {
        queued[t] = 1;
        list.push(t);
      }
    }
  }
}
