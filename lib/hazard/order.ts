/**
 * Units that work in order, so that what tells the end of one instruction tells that of those before it.
 *
 * ptxas relies on it: of several loads from shared memory only the last has a scoreboard, a register that one memory
 * instruction reads is the result of the next. Each class below is the smallest under which the checker finds nothing
 * in ptxas's output (measured on ptxas 13.0.88; tools/hazard-sweep.ts).
 */
import type { InstTiming, Pipe } from "../isa/latency.js";
import type { MachineInst } from "../isa/operand.js";
import type { Target } from "../target/types.js";

/** Operands are read in the order of issue by all instructions of one of these pipes, … */
const queues: readonly Pipe[] = ["LSU", "XU", "TEX", "FP64"];
/** … but stores to and loads from local memory keep order among themselves alone, as reductions of a warp do, and LDC keeps none. */
const ownQueue: Readonly<Record<string, number>> = { STL: 5, LDL: 6, REDUX: 7, LDC: 0 };

/** Results are written in the order of issue within a class: whole pipes, … */
const byPipe: Readonly<Partial<Record<Pipe, number>>> = { XU: 1, FP64: 2, TEX: 3, TENSOR: 4 };
/** … and parts of the others (S2R is none: ptxas gives each its scoreboard): what comes through the crossbar of shared memory, special registers, tensor memory. */
const byOp: Readonly<Record<string, number>> = {
  LDS: 5,
  LDSM: 5,
  ATOMS: 5,
  SHFL: 5,
  MOVM: 5,
  S2UR: 6,
  LDTM: 7,
  // sm_80: REDUX.OR has no scoreboard where REDUX.SUM follows it.
  REDUX: 9,
};

const products: ReadonlySet<string> = new Set(["HGMMA", "QGMMA", "IGMMA", "BGMMA"]);
/** Products of a warp group, which no scoreboard of the control word counts (products.ts). */
export const PRODUCT_ORDER: number = 8 << 3;

/** Bits 0–2: operands are read in the order of this queue; bits 3–6: results return in the order of this class; 0: none. */
export function orderOf(inst: MachineInst, t: InstTiming): number {
  if (products.has(inst.form.op)) return PRODUCT_ORDER;
  if (!t.read && !t.write) return 0;
  const results = t.write ? (byOp[inst.form.op] ?? byPipe[t.pipe] ?? 0) : 0;
  const queue = ownQueue[inst.form.op] ?? queues.indexOf(t.pipe) + 1;
  return queue | (results << RESULTS);
}

/** The same, as if nothing but the products of a warp group kept order. */
export function orderOfProducts(inst: MachineInst): number {
  return products.has(inst.form.op) ? PRODUCT_ORDER : 0;
}

const MEMORY_QUEUE = 1;
const RESULTS = 3;
const QUEUE = 7;

/** Do operands (`reads`) or results of instructions of these two orders keep to the order of issue? */
export function keepsOrder(first: number, second: number, reads: boolean): boolean {
  const part = (order: number): number => (reads ? order & QUEUE : order >> RESULTS);
  return part(first) !== 0 && part(first) === part(second);
}

/**
 * What a load from shared memory brings comes after stores to local memory have read (ptxas on sm_75 and sm_80: no STL has a
 * scoreboard for a register that LDS writes next; before LDL each has one).
 */
export function comesAfterReading(reader: number, later: MachineInst): boolean {
  return (reader & QUEUE) === ownQueue.STL && later.form.op === "LDS";
}

/** Of these orders a barrier tells that the operands are read. */
export function drained(order: number): boolean {
  const queue = order & QUEUE;
  return queue === MEMORY_QUEUE || queue === ownQueue.STL || queue === ownQueue.LDL;
}

/** A barrier of the thread block comes back after all memory instructions before it (ptxas: on sm_75 alone). */
export function drains(inst: MachineInst, target: Target): boolean {
  return inst.form.op === "BAR" && !inst.form.mods.includes("ARV") && target.has("barrierDrainsMemory");
}
