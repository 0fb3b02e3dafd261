/**
 * Scoreboards: which instruction counts on which of the six, and who waits.
 *
 * A scoreboard counts up when an instruction that uses it issues and down when its result is there (or its operands are
 * read); waiting means waiting for zero, so instructions may share one. First it is found who needs one at all: whose
 * result is touched, or whose operands are overwritten, by an instruction after that is not protected by order
 * (`order.ts`). Then the policy names one for each, block by block, knowing what is in flight. At last a dataflow over
 * all paths finds what is in flight before every instruction, and it waits for what it touches.
 */
import { InternalError } from "../../errors.js";
import { latencyTables } from "../../isa/latency/index.js";
import { BEYOND, beyond, blockHits, type Hits, NEVER, Nexts } from "./hits.js";
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
  // What stays in flight after the block keeps apart from what comes there from elsewhere.
  const apart = hit === BEYOND && p.func.target.has("scoreboardsKeptApart") ? free & ~meets : 0;
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

/** ptxas waits at the end of a block for what should be there by then: that costs nothing and frees the scoreboard. */
export const branchLikePtxas: BranchRule = (p, { inst, side, elapsed }) => {
  const { op, mods } = p.flat.insts[inst]!.form;
  return elapsed >= latencyTables(p.func.target.sm).settledAfter(op, mods, side);
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
  /** Scoreboards in flight at the ends of the predecessors that are done. */
  const arriving = new Uint8Array(cfg.count);
  const state = new State(flat.units.count);
  const forced = new Uint8Array(n);
  for (let b = 0; b < cfg.count; b++) {
    state.clear(ALL);
    for (let e = cfg.predStart[b]!; e < cfg.predStart[b + 1]!; e++) {
      const out = outs[cfg.pred[e]!];
      if (out) state.merge(out);
    }
    allocate({ p, block: b, state, hits, sb, rules, forced, meets: meeting(p, b, arriving) });
    if (state.busy === 0) continue;
    for (let e = cfg.succStart[b]!; e < cfg.succStart[b + 1]!; e++) arriving[cfg.succ[e]!]! |= state.busy;
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
    // After a call nothing tells whether the routine overwrites first.
    const { flow } = flat.insts[i]!.form;
    if (flow === "call" || flow === "return") queues.fill(NEVER);
    if (p.drained[i]! > 0) queues[p.drained[i]!] = i;
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
    if (((state.allowed >> k) & 1) === 0 || k < 0 || k >= SCOREBOARDS) throw notAllowed(p, inst, k);
    s.busy |= 1 << k;
    // Operands of several instructions may share one across blocks, results do not.
    waiters[k] = Math.min(waiters[k]!, side === "result" && hit === BEYOND ? NEVER - 1 : hit);
    return k;
  };
  const last = flat.first[block + 1]! - 1;
  let outside = s.busy;
  for (let i = flat.first[block]!; i <= last; i++) {
    let need = p.waitsForGroups[i] === 1 ? 0 : s.need(p, i) | (a.forced[i]! & s.busy);
    outside &= ~need;
    if (i === last && s.busy !== 0 && p.waitsForGroups[i] === 0) need |= force(a, i, endWaits(a, i, need, outside));
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

function notAllowed(p: Prepared, inst: number, k: number): InternalError {
  const { form } = p.flat.insts[inst]!;
  return new InternalError(`the scoreboard rule chose ${k} for ${form.name}, which it may not use`, {
    func: p.func.name,
  });
}

/**
 * Has the last instruction of a block wait; where branches forward do not wait themselves, every instruction that it
 * leads to. Gives back what the last one waits for.
 */
function force(a: Allocation, last: number, more: number): number {
  const { p, forced, block } = a;
  const { cfg, flat } = p;
  const [from, to] = [cfg.succStart[block]!, cfg.succStart[block + 1]!];
  let forward = flat.insts[last]!.form.flow === "branch" && to - from > 1;
  for (let e = from; e < to; e++) if (cfg.succ[e]! <= block) forward = false;
  if (!forward || p.func.target.has("branchWaitsForShortResults")) {
    forced[last] = forced[last]! | more;
    return more;
  }
  for (let e = from; e < to; e++) {
    const t = flat.first[cfg.succ[e]!]!;
    forced[t] = forced[t]! | more;
  }
  return 0;
}

/** Scoreboards in flight where a successor of the block is entered from other blocks done so far. */
function meeting({ cfg }: Prepared, b: number, arriving: Uint8Array): number {
  let busy = 0;
  for (let e = cfg.succStart[b]!; e < cfg.succStart[b + 1]!; e++) busy |= arriving[cfg.succ[e]!]!;
  return busy;
}

/** What the branch rule has the end of a block wait for, besides `need`: scoreboards on which everything meets the rule. */
function endWaits(a: Allocation, last: number, need: number, outside: number): number {
  const { p, block, hits, sb } = a;
  const { flat, stalls } = p;
  const { flow } = flat.insts[last]!.form;
  if (flow !== "next" && flow !== "branch" && flow !== "exit") return 0;
  let more = 0;
  let not = need | outside | p.reserved;
  let elapsed = 0;
  for (let i = last - 1; i >= flat.first[block]! && not !== ALL; i--) {
    elapsed += stalls[i]!;
    for (const side of sides) {
      const k = (side === "result" ? sb.write : sb.read)[i]!;
      const hit = (side === "result" ? hits.result : hits.operands)[i]!;
      if (k === NONE || hit < BEYOND || (not >> k) & 1) continue;
      if (a.rules.branch(p, { inst: i, side, elapsed })) more |= 1 << k;
      else not |= 1 << k;
    }
  }
  return more & ~not;
}

const sides = ["result", "operands"] as const;

const bitOf = (k: number): number => (k === NONE ? 0 : 1 << k);

/**
 * Forward dataflow of what is in flight; each instruction waits for what it needs. What comes into a block only ever
 * grows while it is solved, so the waits are those of the solution or more.
 */
function placeWaits(p: Prepared, sb: Scoreboards, forced: Uint8Array): void {
  const { cfg, flat } = p;
  // What is set again while it is in flight from another block is waited for, where blocks do not keep apart; groups of copies are counted.
  const waitsToSet = !p.func.target.has("scoreboardsKeptApart");
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
    let outside = waitsToSet ? s.busy & ~p.reserved : 0;
    for (let i = flat.first[b]!; i < flat.first[b + 1]!; i++) {
      const sets = bitOf(sb.write[i]!) | bitOf(sb.read[i]!);
      const need = p.waitsForGroups[i] === 1 ? 0 : s.need(p, i) | ((forced[i]! | (sets & outside)) & s.busy);
      outside &= ~need;
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
