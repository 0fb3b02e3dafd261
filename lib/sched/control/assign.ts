/**
 * The control pass: control words for a function on physical registers, in the order its instructions stand in.
 *
 * Scoreboards first (who counts on which, who waits), then stalls, then the two bits that only matter for speed, yield and
 * reuse. The words are safe by construction: waits follow from a dataflow over all paths, and stalls leave nothing of
 * fixed latency in flight at the end of a block. The policy chooses only among safe words.
 */
import { InternalError } from "../../errors.js";
import { form } from "../../isa/form.js";
import { reuseSlots } from "../../isa/reuse.js";
import { newInst } from "../../ori/func.js";
import { type Func, type Inst, Kind, Mod } from "../../ori/types.js";
import { BEYOND } from "./hits.js";
import { type Prepared, prepare } from "./prepare.js";
import { reuseFlags, reuseLikePtxas } from "./reuse.js";
import { type AssignedScoreboards, assignScoreboards, branchLikePtxas, scoreboardLikePtxas } from "./scoreboards.js";
import { computeStalls, type Missing, type StallReason } from "./stalls.js";
import {
  type AssignPolicy,
  type ControlDecision,
  LONGEST_STALL,
  NONE,
  SCOREBOARDS,
  type Scoreboards,
} from "./types.js";
import { yieldBits, yieldLikePtxas } from "./yields.js";

/** The choices of ptxas -O1 and above, as far as they are known (tools/control-fidelity.ts compares). */
export const likePtxas: AssignPolicy = {
  name: "ptxas",
  scoreboard: scoreboardLikePtxas,
  branch: branchLikePtxas,
  yield: yieldLikePtxas,
  reuse: reuseLikePtxas,
};

/** Every round puts all missing NOPs in; a second one finds none. */
const MOST_ROUNDS = 3;

export interface AssignOptions {
  /** Default: `likePtxas`; single choices may be replaced. */
  readonly policy?: Partial<AssignPolicy>;
  /** Called once for every decision; costs nothing when left out. */
  readonly observe?: (decision: ControlDecision) => void;
}

/**
 * Sets `control` on every instruction, and Mod.Reuse on its operands; the milestone becomes "controlled". Where a latency is
 * longer than stalls can be, NOPs are put in. The order of the instructions stays.
 */
export function assignControl(func: Func, options: AssignOptions = {}): void {
  const policy: AssignPolicy = { ...likePtxas, ...options.policy };
  let p = prepare(func);
  let sb = timedScoreboards(p, policy);
  let reasons: StallReason[] | null = options.observe ? [] : null;
  const note = (r: StallReason): void => {
    reasons?.push(r);
  };
  for (let round = 0; ; round++) {
    if (round > MOST_ROUNDS) throw new InternalError("stalls do not come to rest", { detail: func.name });
    const missing = computeStalls(p, sb, reasons ? note : null);
    if (missing.length === 0) break;
    pad(p, missing);
    p = prepare(func);
    sb = timedScoreboards(p, policy);
    if (reasons) reasons = [];
  }
  const yields = yieldBits(p, policy.yield);
  const reuse = reuseFlags(p, yields, sb.wait, policy.reuse);
  write(p, sb, yields, reuse);
  if (options.observe && reasons) report(p, sb, reasons, options.observe);
  func.milestone = "controlled";
  func.generation++;
}

/** Some choices of scoreboards go by time: so they are made, timed, and made again. */
function timedScoreboards(p: Prepared, policy: AssignPolicy): AssignedScoreboards {
  computeStalls(p, assignScoreboards(p, policy), null);
  return assignScoreboards(p, policy);
}

/** NOPs after (at the end of a block that transfers control: before) the instructions whose stall is too short. */
function pad(p: Prepared, missing: readonly Missing[]): void {
  const { flat, cfg, func } = p;
  for (let k = missing.length - 1; k >= 0; k--) {
    const { inst, cycles } = missing[k]!;
    const b = flat.block[inst]!;
    const { insts } = cfg.blocks[b]!;
    const last = inst === flat.first[b + 1]! - 1;
    const at = inst - flat.first[b]! + (last && flat.insts[inst]!.form.flow !== "next" ? 0 : 1);
    const nops = Array.from({ length: Math.ceil(cycles / LONGEST_STALL) }, () =>
      newInst(func, form("NOP"), [], [], null, flat.insts[inst]!.loc),
    );
    insts.splice(at, 0, ...nops);
  }
  func.generation++;
}

function write(p: Prepared, sb: Scoreboards, yields: Uint8Array, reuse: Uint8Array): void {
  const { flat, func, stalls } = p;
  for (let i = 0; i < flat.insts.length; i++) {
    const inst = flat.insts[i]!;
    inst.control = {
      stall: stalls[i]!,
      yield: yields[i]!,
      writeSb: sb.write[i]!,
      readSb: sb.read[i]!,
      wait: sb.wait[i]!,
      reuse: reuse[i]!,
    };
    const slots = reuseSlots(inst, func.target);
    for (let s = 0; s < inst.srcs.length; s++) {
      const o = inst.srcs[s]!;
      if (o.kind !== Kind.Reg) continue;
      const kept = s < slots.length && slots[s]! >= 0 && ((reuse[i]! >> slots[s]!) & 1) === 1;
      o.mods = kept ? o.mods | Mod.Reuse : o.mods & ~Mod.Reuse;
    }
  }
}

function report(
  p: Prepared,
  sb: AssignedScoreboards,
  reasons: readonly StallReason[],
  observe: (d: ControlDecision) => void,
): void {
  const { insts } = p.flat;
  const sides = [
    ["result", sb.write, sb.hits.result],
    ["operands", sb.read, sb.hits.operands],
  ] as const;
  for (let i = 0; i < insts.length; i++)
    for (const [side, index, hits] of sides)
      if (index[i] !== NONE)
        observe({
          what: "scoreboard",
          inst: insts[i]!,
          side,
          scoreboard: index[i]!,
          waiter: hits[i]! < BEYOND ? insts[hits[i]!]! : null,
        });
  reportWaits(p, sb, observe);
  for (const r of reasons)
    observe({
      what: "stall",
      inst: insts[r.inst]!,
      stall: p.stalls[r.inst]!,
      cause: r.cause,
      producer: insts[r.producer]!,
      consumer: r.consumer < 0 ? null : insts[r.consumer]!,
      distance: r.distance,
      slot: r.slot,
    });
}

function reportWaits(p: Prepared, sb: Scoreboards, observe: (d: ControlDecision) => void): void {
  const { flat } = p;
  const inFlight: Inst[][] = Array.from({ length: SCOREBOARDS }, () => []);
  for (let i = 0; i < flat.insts.length; i++) {
    const inst = flat.insts[i]!;
    if (i === flat.first[flat.block[i]!]) for (const list of inFlight) list.length = 0;
    for (let k = 0; k < SCOREBOARDS; k++) {
      if (((sb.wait[i]! >> k) & 1) === 0) continue;
      observe({ what: "wait", inst, scoreboard: k, producers: inFlight[k]!.slice() });
      inFlight[k]!.length = 0;
    }
    if (sb.write[i] !== NONE) inFlight[sb.write[i]!]!.push(inst);
    if (sb.read[i] !== NONE) inFlight[sb.read[i]!]!.push(inst);
  }
}
