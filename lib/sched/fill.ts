/**
 * The order in which ptxas -O1 and above begins its kernels (13.0.88; probes on sm_75 to sm_120, kernels of few instructions):
 *
 * - whatever issues without a stall comes before what does not, and among those the longest path decides, then the program;
 * - a special register is not read while another one is on its way, as long as anything else can issue;
 * - but for loads of constants nothing comes earlier than the loads from memory on whose results its reader waits;
 * - a uniform register that is soon there is loaded late enough that no more of them are live than the program needs.
 *
 *     S2R tid; LDC.64 out; ULDC ntid; S2R ctaid; IMAD; ULDC.64 descriptor; IMAD.WIDE; LDG
 *
 * Here the second S2R comes after the loads, and the descriptor after the IMAD that lets go of ntid.
 */
import type { Candidate } from "./candidate.js";
import type { SchedulePolicy } from "./policy.js";
import type { SchedState } from "./state.js";
import type { BlockValues } from "./values.js";

const UR = 1;
/** Instructions of a block for which ptxas's order is taken; in longer ones other orders gain more (measured on the corpus). */
export const SHORT = 32;
/** Choices after a special register is read until the next one counts as free to issue. */
const SPECIAL_APART = 8;
/** And after a constant is loaded into a uniform register by scoreboard. */
const UNIFORM_APART = 2;
/**
 * Cycles that results are taken to come later than the tables say: ptxas reads the first special register before it loads any parameter,
 * and constants into uniform registers after those into others.
 */
const late: Readonly<Record<string, number>> = { S2R: 8, LDCU: -8 };

const constantLoad = /^U?LDCU?$/;
/** Paths that differ by more have a load from memory between them. */
const FAR = 64;

/** What lasts from choice to choice. */
class Fill {
  /** Uniform registers that the order given needs at once if each is loaded right before it is used. */
  readonly uniform: number;
  longest = 0;
  special: number = Number.NEGATIVE_INFINITY;
  constant: number = Number.NEGATIVE_INFINITY;

  constructor(state: SchedState) {
    this.uniform = neededUniform(state.context.values, places(state));
  }

  /** The longest path of all candidates. */
  look(state: SchedState): void {
    this.longest = 0;
    for (let k = 0; k < state.readyCount; k++)
      this.longest = Math.max(this.longest, state.ahead[state.ready[k] as number] as number);
  }

  stalls(c: Candidate): boolean {
    if (c.stall > 0) return true;
    const { op } = c.inst.form;
    if (c.ahead + FAR < this.longest && !constantLoad.test(op)) return true;
    const { placed } = c.state;
    if (op === "S2R") return placed - this.special < SPECIAL_APART;
    return op === "LDCU" && placed - this.constant < UNIFORM_APART;
  }

  /** More uniform registers than the order given needs, for a result that takes no scoreboard. */
  crowds(c: Candidate): boolean {
    const delta = c.deltaUR;
    if (delta <= 0 || c.setsScoreboard) return false;
    return (c.state.pressure.live[UR] as number) + delta > this.uniform;
  }
}

/** Place of each node by its path ahead, then by the order given. */
function places({ ahead, total }: SchedState): Int32Array {
  const nodes = Array.from({ length: total }, (_, i) => i);
  nodes.sort((a, b) => (ahead[b] as number) - (ahead[a] as number) || a - b);
  const at = new Int32Array(total);
  nodes.forEach((node, k) => {
    at[node] = k;
  });
  return at;
}

/** Most uniform registers between first and last use (what only later blocks read: the end), over the nodes at their places. */
function neededUniform(v: BlockValues, at: Int32Array): number {
  const change = new Int32Array(at.length + 1);
  for (let k = 0; k < v.count; k++) {
    if (v.file[k] !== UR) continue;
    const [from, to] = [v.userStart[k] as number, v.userStart[k + 1] as number];
    if (from === to && v.liveOut[k] !== 1) continue;
    const made = (v.makerStart[k] as number) < (v.makerStart[k + 1] as number);
    let [first, last] = [made ? at.length - 1 : 0, v.liveOut[k] === 1 ? at.length - 1 : 0];
    for (let u = from; u < to; u++) {
      const place = at[v.user[u] as number] as number;
      first = Math.min(first, place);
      last = Math.max(last, place);
    }
    change[first] = (change[first] as number) + (v.weight[k] as number);
    change[last + 1] = (change[last + 1] as number) - (v.weight[k] as number);
  }
  let [live, most] = [0, 0];
  for (const c of change) {
    live += c;
    if (live > most) most = live;
  }
  return most;
}

/** The policy. */
export const fill: SchedulePolicy<Fill> = {
  name: "fill",
  does: "no stall, the longest path, program order; special registers apart, uniform registers few",
  direction: "forward",
  ladder: [
    { why: "uniform registers", by: (c, m) => (m.crowds(c) ? 0 : 1) },
    { why: "no stall", by: (c, m) => (m.stalls(c) ? 0 : 1) },
    { why: "critical path", by: (c) => c.ahead + (late[c.inst.form.op] ?? 0) },
  ],
  start: (state) => new Fill(state),
  before: (state, m) => m.look(state),
  after: (state, winner, m) => {
    const { op } = state.inst(winner).form;
    if (op === "S2R") m.special = state.placed;
    if (op === "LDCU") m.constant = state.placed;
  },
};
