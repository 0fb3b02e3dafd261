/**
 * Issue ports: what takes one instruction of the warp at a time, where that is finer than the pipes of the latency tables.
 * Measured on the stalls of ptxas -O3 (tools/control-fidelity.ts; digest E §2L.7): LDC and S2UR hold each other up, S2R does
 * not; votes go with the integer pipe; a barrier holds up memory and branches behind it, BSSY the branch.
 */
import { type Inst, ZERO_REG } from "../../ori/types.js";
import { type InstTiming, setToWait } from "../../sass/isa/latency.js";
import type { Target } from "../../target/types.js";
import type { Prepared } from "./prepare.js";

/** Opcode, SMs (first, last), port. Later lines win. */
const lines: readonly (readonly [op: string, from: number, to: number, port: string])[] = [
  ["LDC", 75, 999, "IDC"],
  ["S2UR", 75, 999, "IDC"],
  ["S2R", 75, 999, "S2R"],
  ["VOTE", 75, 110, "ALU"],
  ["BAR", 75, 89, "LSU"],
  ["HSET2", 100, 999, "ALU"],
  ...["MOV", "SEL", "FSEL", "FMNMX", "FMNMX3", "VIMNMX", "VIMNMX3", "VIADDMNMX", "ISETP", "FSETP", "FSET"].map(
    (op) => [op, 120, 999, "ALU5"] as const,
  ),
];

/** Opcode, SMs, other port, cycles that it takes nothing else. */
const holds: readonly (readonly [op: string, from: number, to: number, port: string, cycles: number])[] = [
  ["BAR", 75, 75, "LSU", 5],
  ["BAR", 75, 75, "CBU", 5],
  ["BAR", 80, 999, "LSU", 6],
  ["BAR", 80, 999, "CBU", 6],
  ["BSSY", 90, 999, "CBU", 4],
];

/** Ports of one SM by dense number. */
export class Ports {
  private readonly ids = new Map<string, number>();
  private readonly byOp = new Map<string, string>();
  private readonly held = new Map<string, readonly (readonly [port: number, cycles: number])[]>();

  constructor(target: Target) {
    const here = (from: number, to: number): boolean => target.sm >= from && target.sm <= to;
    for (const [op, from, to, port] of lines) if (here(from, to)) this.byOp.set(op, port);
    for (const [op, from, to, port, cycles] of holds)
      if (here(from, to)) this.held.set(op, [...(this.held.get(op) ?? []), [this.id(port), cycles]]);
  }

  get count(): number {
    return this.ids.size;
  }

  of(inst: Inst, t: InstTiming): number {
    return this.id(this.byOp.get(inst.form.op) ?? t.pipe);
  }

  /** Cycles that the instruction's own port takes nothing else. One that never executes holds it a cycle only. */
  interval(inst: Inst, t: InstTiming): number {
    const g = inst.guard;
    return g?.not === true && g.id === ZERO_REG ? 1 : t.interval;
  }

  others(inst: Inst): readonly (readonly [port: number, cycles: number])[] {
    return this.held.get(inst.form.op) ?? none;
  }

  private id(port: string): number {
    let n = this.ids.get(port);
    if (n === undefined) {
      n = this.ids.size;
      this.ids.set(port, n);
    }
    return n;
  }
}

const none: readonly (readonly [number, number])[] = [];

/**
 * Cycles from a double-precision instruction that sets a scoreboard to the first wait on it, where they are more than
 * elsewhere (digest E §2L.2: "9b; self 8b", "10b (DFMA→DFMA 6b)"): SMs, to its own kind, from a comparison, from others.
 */
const slow64: readonly (readonly [from: number, to: number, own: number, compare: number, other: number])[] = [
  [75, 75, 8, 9, 9],
  [80, 89, 6, 6, 10],
];

/** Least cycles between an instruction that sets a scoreboard, for its result or not, and one that waits (null: any). */
export function setToWaitOf(p: Prepared, setter: number, waiter: number | null, result: boolean): number {
  const { insts } = p.flat;
  const { target } = p.func;
  const least = setToWait(insts[setter]!, target);
  if (!result || waiter === null || p.timing[setter]!.pipe !== "FP64") return least;
  for (const [from, to, own, compare, other] of slow64) {
    if (target.sm < from || target.sm > to) continue;
    if (p.timing[waiter]!.pipe === "FP64") return own;
    return insts[setter]!.form.op === "DSETP" ? compare : other;
  }
  return least;
}

/** More ports than any SM has. */
export const PORTS = 32;
