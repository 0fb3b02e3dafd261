/**
 * What finishes in order. Measured on ptxas -O3, which leaves scoreboards out where order alone protects: a result needs
 * none when a later result of the same unit is waited for first, and operands need none when a later instruction of the
 * same queue is waited for before they are overwritten.
 */

import type { InstTiming } from "../../isa/latency.js";
import type { Inst } from "../../ori/types.js";
import type { Target } from "../../target/types.js";

/** What comes through the crossbar of shared memory (ptxas 13.0.88 -O3, pairs of them on sm_75, 80, 90, 100 and 120). */
const crossbar: ReadonlySet<string> = new Set(["LDS", "LDSM", "ATOMS", "SHFL", "MOVM"]);

/** In order among themselves where they share the pipe of DFMA too. */
const conversions: ReadonlySet<string> = new Set(["I2F", "F2I", "F2F", "FRND"]);

/** Units whose results come in order: 0 none, else its number. */
export function unitOfOrder(inst: Inst, t: InstTiming): number {
  const { op } = inst.form;
  if (crossbar.has(op)) return 1;
  if (t.pipe === "XU") return 2;
  if (t.pipe === "TEX") return 3;
  if (t.pipe === "FP64" && conversions.has(op)) return 4;
  return 0;
}

/** Not in a queue: constants and loads from local memory everywhere; global memory where its operands are not read in order. */
const alone: readonly ReadonlySet<string>[] = [
  new Set(["LDC", "LDL"]),
  new Set(["LDG", "LD", "STG", "ST", "ATOMG", "ATOM", "RED", "REDG", "LDGSTS"]),
];

/** Queues that read operands in order: 0 none, else its number. */
export function queueOf(inst: Inst, t: InstTiming, target: Target): number {
  const { op } = inst.form;
  if (alone[0]!.has(op) || (!target.has("globalOperandsInOrder") && alone[1]!.has(op))) return 0;
  // Stores to local memory are counted among themselves only.
  if (op === "STL") return 4;
  if (t.pipe === "LSU") return 1;
  if (t.pipe === "XU") return 2;
  if (t.pipe === "TEX") return 3;
  return 0;
}

/** The queue whose instructions before this one have read their operands when it is done: 0 none. */
export function drainedQueue(inst: Inst, target: Target): number {
  const { op, mods } = inst.form;
  return op === "BAR" && inst.guard === null && !mods.includes("ARV") && target.has("barrierDrainsMemory") ? 1 : 0;
}

/** Number of queues and units, with "none". */
export const ORDERS = 5;
