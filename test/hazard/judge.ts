/** Seeded faults in ptxas's code, judged by the oracle and by the checker. */
import type { CubinFunction } from "../../lib/elf/index";
import { type CodeToVerify, type Finding, findingText, verifyHazards } from "../../lib/hazard/index";
import { decodeCode } from "../../lib/sass/decode";
import { codeFlow } from "../../lib/sass/flow";
import type { Target } from "../../lib/target/types";
import { codeToVerify } from "../../lib/verify";
import type { Random } from "../corpus/random";
import { type FaultKind, fault, faultKinds } from "./faults";
import { judge } from "./oracle";

export interface Tally {
  faults: number;
  /** Hazards by the oracle. */
  hazards: number;
  /** Of those, with a finding. */
  caught: number;
  /** Findings where the oracle sees no hazard. */
  alarms: number;
  /** Pieces of code taken because oracle and checker both found nothing in them, and pieces left out. */
  clean: number;
  unclean: number;
  readonly byKind: Record<FaultKind, [hazards: number, caught: number]>;
  /** What was missed, what was alarm: for people. */
  readonly missed: string[];
  readonly alarmed: string[];
}

export function newTally(): Tally {
  const byKind = Object.fromEntries(faultKinds.map((k) => [k, [0, 0]])) as Tally["byKind"];
  return { faults: 0, hazards: 0, caught: 0, alarms: 0, clean: 0, unclean: 0, byKind, missed: [], alarmed: [] };
}

/** Findings that say that a register is not ready; the others are about words. */
const about: ReadonlySet<string> = new Set(["raw", "waw", "war", "result", "overwrite", "operand", "reuse"]);
const hazards = (found: readonly Finding[]): Finding[] => found.filter((f) => about.has(f.kind));

function count(t: Tally, kind: FaultKind, hazard: string | null, found: readonly Finding[], what: string): void {
  t.faults++;
  if (hazard !== null) {
    t.hazards++;
    t.byKind[kind][0]++;
    if (found.length > 0) {
      t.caught++;
      t.byKind[kind][1]++;
    } else t.missed.push(`${what}: ${hazard}`);
  } else if (hazards(found).length > 0) {
    t.alarms++;
    t.alarmed.push(`${what}: ${hazards(found)[0]!.at.address.toString(16)} ${hazards(found)[0]!.reason}`);
  }
}

/** Straight pieces of code, at most ten instructions, with faults that the oracle judges by executing everything. */
export function smallFaults(functions: readonly CubinFunction[], target: Target, n: number, r: Random): Tally {
  const t = newTally();
  const pieces = functions.flatMap((f) => {
    const insts = decodeCode(f.words, target);
    return codeFlow(insts).map((b) => ({ f, insts, start: b.start, end: b.end }));
  });
  for (let tries = 0; t.faults < n && tries < 50 * n; tries++) {
    const p = pieces[r.below(pieces.length)]!;
    const length = 4 + r.below(7);
    if (p.end - p.start < 3) continue;
    const start = p.start + r.below(Math.max(1, p.end - p.start - length));
    let end = start;
    while (end < p.end && end - start < length && p.insts[end] && p.insts[end]!.form.flow === "next") end++;
    if (end - start < 3) continue;
    const words = p.f.words.slice(4 * start, 4 * end);
    const order = Array.from({ length: end - start }, (_, i) => i);
    const name = `${p.f.name}+${(16 * start).toString(16)}`;
    const before = judge(words, order, target);
    if (!before.exhaustive) continue;
    if (before.hazard !== null || hazards(verifyHazards({ name, words }, target)).length > 0) {
      t.unclean++;
      continue;
    }
    t.clean++;
    for (let k = 0; k < 4 && t.faults < n; k++) {
      const kind = faultKinds[r.below(faultKinds.length)]!;
      const made = fault(words, r.below(kind === "order" ? end - start - 1 : end - start), kind, target, r);
      if (made === null) continue;
      const truth = judge(made.words, order, target);
      if (!truth.exhaustive) continue;
      count(t, kind, truth.hazard, verifyHazards({ name, words: made.words }, target), `${name} ${kind}@${made.at}`);
    }
  }
  return t;
}

const AROUND = 30;
const WAYS = 4;

/** Whole functions; the oracle executes the code around the fault, on several ways through it. */
export function largeFaults(functions: readonly CubinFunction[], target: Target, n: number, r: Random): Tally {
  const t = newTally();
  // What is found without the fault does not count.
  const known = functions.map((f) => {
    const code = codeToVerify(f);
    const found = new Set(verifyHazards(code, target).map(findingText));
    if (found.size === 0) t.clean++;
    else t.unclean++;
    return { f, code, found };
  });
  for (let tries = 0; known.length > 0 && t.faults < n && tries < 50 * n; tries++) {
    const { f, code, found } = known[r.below(known.length)]!;
    const kind = faultKinds[r.below(faultKinds.length)]!;
    const i = r.below(f.words.length / 4 - 1);
    const made = fault(f.words, i, kind, target, r);
    if (made === null) continue;
    const truth = judgeAround(f.words, made.words, code, i, target, r);
    if (truth === undefined) continue;
    count(
      t,
      kind,
      truth,
      verifyHazards({ ...code, words: made.words }, target).filter((x) => !found.has(findingText(x))),
      `${f.name} ${kind}@${(16 * i).toString(16)}`,
    );
  }
  return t;
}

/** What goes wrong on one of the ways through instruction i; undefined where nothing can be said of the code without the fault. */
function judgeAround(
  before: Uint32Array,
  after: Uint32Array,
  code: CodeToVerify,
  i: number,
  target: Target,
  r: Random,
): string | null | undefined {
  const insts = decodeCode(after, target);
  const blocks = codeFlow(insts, {
    ...(code.entries && { entries: code.entries }),
    ...(code.targets && { targets: code.targets }),
  });
  const of = blocks.findIndex((b) => b.start <= i && i < b.end);
  const preds: number[][] = blocks.map(() => []);
  for (const b of blocks) for (const s of b.succ) preds[s]!.push(b.id);
  let judged = false;
  for (let way = 0; way < WAYS; way++) {
    const order: number[] = [];
    for (let k = i, b = of; order.length < AROUND; k--) {
      order.unshift(k);
      if (k > blocks[b]!.start) continue;
      if (preds[b]!.length === 0) break;
      b = preds[b]![r.below(preds[b]!.length)]!;
      k = blocks[b]!.end;
    }
    for (let k = i + 1, b = of; order.length < 2 * AROUND; k++) {
      if (k === blocks[b]!.end) {
        const { succ, call } = blocks[b]!;
        if (succ.length === 0 || call !== null) break;
        b = succ[r.below(succ.length)]!;
        k = blocks[b]!.start;
      }
      order.push(k);
    }
    if (order.some((k) => !insts[k])) continue;
    if (order.some((k) => insts[k]!.form.flow === "call" || insts[k]!.form.flow === "return")) continue;
    if (judge(before, order, target).hazard !== null) continue;
    judged = true;
    const { hazard } = judge(after, order, target);
    if (hazard !== null) return hazard;
  }
  return judged ? null : undefined;
}
