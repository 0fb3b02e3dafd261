/**
 * Fatpoint allocation of one register file (wiki pages 32 and 33): attempts (attempt.ts) one after the other. When a value finds nothing the file is
 * tried again with another order and fewer soft constraints; only when all attempts have failed does a last one spill. What is found is tried
 * once more in other orders, for fewer registers, and with preferences.
 */
import { File } from "../ori/types.js";
import { registerUnit } from "../target/index.js";
import { Attempt, type FileProblem, type FileResult } from "./attempt.js";
import { REPORTED_EXTRA } from "./geometry.js";
import { notHeld } from "./held.js";
import { allOf, longestFirst, programOrder, widestFirst } from "./policies.js";
import { mostOccupied } from "./ranges.js";
import type { AllocationEvent, Policies } from "./types.js";

/** Registers that gaps between banks may take in a small function: the least that a warp is given are as many. */
const FREE_FOR_GAPS = 8;
/** Instructions of a small function: of longer ones ptxas counts fewer (histogram: 6, for all of 46 instructions). */
const SMALL = 32;
/** Where more are needed, only plain decisions are made: gaps between banks would cost registers. */
const MOST_FOR_BANKS = 22;

/** Colours plainly, then once more with preferences where these cost no register and no copy. */
export function colorFile(problem: FileProblem): FileResult {
  const { preferring, info, enough, facts } = problem;
  const result = withBanks(problem);
  if (preferring === null || info.file !== File.R || result.used <= enough) return result;
  if (result.spills.length > 0 || result.stuck !== null || facts.held().size === 0) return result;
  return released(problem, result);
}

/** Once more where what memory instructions still read is written by others: those in other registers, as far as that takes no more of them. */
function released(problem: FileProblem, result: FileResult): FileResult {
  let best = result;
  let told: readonly AllocationEvent[] = [];
  for (const base of [problem.preferring as Policies, problem.policies]) {
    const policies = { ...base, constraints: allOf(base.constraints, notHeld) };
    const [quiet, events] = unheard({ ...problem, policies, registers: result.used });
    const attempt = new Attempt(quiet, 0, false);
    attempt.run(true);
    if (attempt.failed > 0 || attempt.isStuck) continue;
    const tried = attempt.result();
    if (copiesLeft(problem, tried) > copiesLeft(problem, result) || heldIn(problem, tried) >= heldIn(problem, best))
      continue;
    best = tried;
    told = events;
  }
  tell(problem, told);
  return best;
}

/** How often a register is written while a memory instruction still reads it. */
function heldIn({ facts }: FileProblem, { assignment }: FileResult): number {
  let n = 0;
  for (const [v, hints] of facts.held())
    for (const { other, offset } of hints) if (assignment[v] === (assignment[other] as number) + offset) n++;
  return n;
}

function withBanks(problem: FileProblem): FileResult {
  const plain = fewest(problem, colorPlainly(problem));
  const { preferring: policies, registers, enough } = problem;
  if (plain.used <= enough) return plain;
  if (policies === null || problem.info.file !== File.R) return plain;
  if (plain.spills.length > 0 || plain.stuck !== null || plain.used > MOST_FOR_BANKS) return plain;
  const gaps = problem.ranges.flat.insts.length <= SMALL ? FREE_FOR_GAPS : 0;
  const most = Math.min(registers, Math.max(gaps, plain.used));
  const [quiet, events] = unheard({ ...problem, policies, registers: most });
  const attempt = new Attempt(quiet, 0, false);
  attempt.run();
  if (attempt.failed > 0) return plain;
  const result = attempt.result();
  if (copiesLeft(problem, result) > copiesLeft(problem, plain)) return plain;
  tell(problem, events);
  return result;
}

/** The problem for an attempt that may not stand, and where what it does is kept: only what stands is told, so that the last attempt told of is it. */
function unheard(problem: FileProblem): [FileProblem, AllocationEvent[]] {
  const events: AllocationEvent[] = [];
  return [{ ...problem, observe: problem.observe && ((event) => void events.push(event)) }, events];
}

function tell({ observe }: FileProblem, events: readonly AllocationEvent[]): void {
  if (observe !== null) for (const event of events) observe(event);
}

/**
 * Other orders, where more registers are taken than are occupied at once: one that gets by with fewer stands. None is best everywhere
 * (of a hash's rounds the longest lived first takes 87 registers, wide ones first 90, in order 94; of small functions in order one fewer). None that leaves more copies.
 */
function fewest(problem: FileProblem, plain: FileResult): FileResult {
  const { info, knobs } = problem;
  if (problem.preferring === null || knobs.order !== 0 || info.file !== File.R) return plain;
  if (plain.spills.length > 0 || plain.stuck !== null) return plain;
  const least = Math.max(problem.enough, fewestPossible(problem));
  let best = plain;
  let told: readonly AllocationEvent[] = [];
  for (const priority of [longestFirst, programOrder, widestFirst]) {
    if (best.used <= least) break;
    const policies = { ...problem.policies, priority };
    const [quiet, events] = unheard({ ...problem, policies, registers: best.used - 1 });
    const attempt = new Attempt(quiet, 0, false);
    attempt.run(true);
    if (attempt.failed > 0 || attempt.isStuck) continue;
    const result = attempt.result();
    if (copiesLeft(problem, result) > copiesLeft(problem, best)) continue;
    best = result;
    told = events;
  }
  const [unit, heard] = lowerUnit(problem, best, least) ?? [best, told];
  tell(problem, heard);
  return unit;
}

/** Attempts of each kind to get by with a unit less: of 56 that came to one in the corpus, the programs and 144 matrix codes 55 took no more. */
const TRIES = 5;
/** What comes first: among values as wide as it, or among all (priorities by width are multiples of the other number). */
const ahead: readonly ((width: number) => number)[] = [(width) => width * 0x40000000 + 0x10000000, () => 1e12];

/**
 * One unit of registers less, where as many as are occupied at once fit into it: what found no register in an attempt comes first in the next.
 * Orders by one property put last again and again what then fits nowhere.
 */
function lowerUnit(problem: FileProblem, best: FileResult, least: number): [FileResult, AllocationEvent[]] | null {
  const unit = registerUnit(problem.ranges.flat.func.target);
  const registers = Math.floor((best.used + REPORTED_EXTRA - 1) / unit) * unit - REPORTED_EXTRA;
  if (registers < least) return null;
  const most = copiesLeft(problem, best);
  for (const first of ahead) {
    for (const base of [problem.policies.priority, widestFirst]) {
      const failed = new Map<number, number>();
      for (let n = 1; n <= TRIES; n++) {
        const priority: Policies["priority"] = (v, attempt) => {
          const since = failed.get(v.id);
          return since === undefined ? base(v, attempt) : first(v.width) + since;
        };
        const [quiet, events] = unheard({ ...problem, policies: { ...problem.policies, priority }, registers });
        const attempt = new Attempt(quiet, 0, false);
        attempt.run();
        if (attempt.isStuck) return null;
        const result = attempt.result();
        if (attempt.failed === 0) {
          if (copiesLeft(problem, result) <= most) return [result, events];
          break;
        }
        for (const { id } of problem.facts.values) if ((result.assignment[id] as number) < 0) failed.set(id, n);
      }
    }
  }
  return null;
}

/** Registers below which no assignment comes: as many as are occupied at once, and the reserved one, which only values bound to it take. */
function fewestPossible({ ranges, info }: FileProblem): number {
  const { flat } = ranges;
  const { values } = flat.func;
  const most = mostOccupied(ranges, info.file, (unit) => values.fixed(flat.owner[unit] as number) !== info.reserved);
  return most > info.reserved && info.reserved >= 0 ? most + 1 : most;
}

/** Copies between registers that the assignment does not make the same, weighted. */
function copiesLeft({ facts }: FileProblem, { assignment }: FileResult): number {
  let left = 0;
  for (const [v, copies] of facts.copies)
    for (const { other, offset, weight } of copies)
      if (assignment[v] !== (assignment[other] as number) + offset) left += weight;
  return left;
}

/** Tries without spilling first; the best failing attempt does not matter, since spilling starts afresh. */
function colorPlainly(problem: FileProblem): FileResult {
  for (let attempt = 0; attempt < problem.knobs.attempts; attempt++) {
    const a = new Attempt(problem, attempt, false);
    a.run();
    if (a.failed === 0) return a.result();
  }
  const last = new Attempt(problem, problem.knobs.attempts, true);
  last.run();
  return last.result();
}
