/**
 * How many registers a schedule may keep live (wiki page 36): what the function may have, less a
 * sixty-fourth, since the allocator needs room for registers that must stand together; and no more than let all warps of
 * an SM run at once that the kernel's shared memory and block size allow, since hiding latency inside a warp is not worth
 * the other warps (ptxas -O3 on the corpus stops at exactly 32 registers on sm_90 and 64 on sm_75, with `.maxntid 768` at
 * 40 and 80). A block size that the kernel does not tell could be any, and some fill the SM (ptxas
 * keeps to 32 there whatever the shared memory; with 32 KB and `.maxntid 128` it takes 80). A target given by
 * SchedMaxRTarget is taken as it is. On physical registers the allocation is made, so nothing more can be had or lost.
 */

import type { OnKnob } from "../knobs/reads.js";
import { File, type Func } from "../ori/types.js";
import { type KernelResources, occupancy, registersWithoutLoss, registerUnit } from "../target/index.js";
import type { HeuristicParameters } from "./policy.js";

/** What the allocator may use: a schedule that needs more would be spilled. */
export interface MayUse {
  /** Registers the function may use (`-maxrregcount`, `.maxnreg`). Default: what the target has. */
  readonly maxRegisters?: number;
  /** Bytes of shared memory of a block, in place of what the function uses by itself (RegAllocUserSmemBytesPerCTA). */
  readonly sharedBytes?: number;
  /** Registers more than those that let all warps run at once. Default 0. */
  readonly more?: number;
  /** Called when an option that a knob sets is first read. */
  readonly onKnob?: OnKnob;
  /** Registers that groups of four leave unused between them. Default: 3 where the function has such groups. */
  readonly unused?: number;
  /** Lower ceilings of an experiment, in registers per file. */
  readonly ceilings?: Partial<Record<"R" | "UR" | "P" | "UP" | "B", number>>;
}

/** R1, which stays the stack's. */
const STACK_POINTER = 1;
/** Registers of a count "as ptxas counts" that are not for values: two that it adds, and the stack pointer. */
const RESERVED = 2 + STACK_POINTER;

/** Barriers and predicates that the encoding has (the predicate that is always true aside). */
const BARRIERS = 16;
const PREDICATES = 7;

/**
 * Registers of each file (R, UR, P, UP, B) that may be live. SchedMaxRTarget 0 means no budget but what the encoding has
 * (wiki page 36).
 */
export function registerLimits(func: Func, parameters: HeuristicParameters, may: MayUse = {}): readonly number[] {
  const { ceilings = {} } = may;
  const { R = Number.POSITIVE_INFINITY, UR, P = PREDICATES, UP = PREDICATES, B = BARRIERS } = ceilings;
  const registers = Math.min(registerBudget(func, parameters, may), R - STACK_POINTER);
  return [registers, UR ?? func.target.limits.uniformRegisters, P, UP, B];
}

/** Registers of file R that cost nothing: the least that a warp is given. */
export const LEAST = 8;

/**
 * The limit of file R where some block needs `needed` registers whatever its order, which may be more than `limit`: if the function is given one more
 * unit for them, what is left of the unit costs nothing. Room is left for half as many again as groups mostly leave unused between them.
 */
export function toEndOfUnit(func: Func, limit: number, needed: number, may: MayUse = {}): number {
  const { maxRegistersPerThread: most } = func.target.limits;
  const loss = may.unused ?? alignmentLoss(func);
  const unit = registerUnit(func.target);
  const units = (registers: number): number => Math.ceil((registers + RESERVED) / unit) * unit;
  if (units(needed) <= units(limit + loss)) return limit;
  const allowed = Math.min(most, may.maxRegisters ?? most);
  const all = allowed - (allowed >> 6);
  const end = Math.min(units(needed), all) - RESERVED - loss - (loss >> 1);
  return Math.max(limit, Math.min(needed, all - RESERVED), end);
}

function registerBudget(func: Func, parameters: HeuristicParameters, given: MayUse): number {
  const { maxRegisters, sharedBytes, unused = alignmentLoss(func), more = 0, onKnob } = given;
  const { maxRegistersPerThread: most } = func.target.limits;
  const { registerTarget } = parameters;
  if (registerTarget !== null) return registerTarget === 0 ? most : Math.min(registerTarget, most);
  if (!func.virtual) return most;
  const may = Math.min(most, maxRegisters ?? most);
  const { warpCount, warpCountScale, mmaSlack } = parameters;
  if (warpCount !== 0) onKnob?.("sharedBytes", sharedBytes, undefined);
  const warps = warpCount === 0 ? null : allWarps(func, sharedBytes);
  const slack = mmaSlack !== 0 && multiplies(func) ? mmaSlack : 0;
  const wanted = (warps === null ? most : Math.floor(warps * warpCountScale)) - unused + slack + more;
  return Math.min(may - (may >> 6), wanted) - RESERVED;
}

const multiplies = ({ blocks }: Func): boolean =>
  blocks.some((b) => b.insts.some((i) => /^[HIDQOB]MMA$/.test(i.form.op)));

/** Registers that groups of four may leave unused between them; what stands between pairs other values take. */
export function alignmentLoss({ values }: Func): number {
  let widest = 1;
  for (let v = 0; v < values.count; v++) if (values.file(v) === File.R) widest = Math.max(widest, values.width(v));
  return widest >= 4 ? 3 : 0;
}

/** Registers per thread with which as many warps run at once as without any; null where one block does not fit. */
function allWarps({ target, limits, ...func }: Func, sharedBytes = func.sharedBytes): number | null {
  return registersWithoutLoss(target, blockOf({ target, limits }, sharedBytes));
}

/** Warps of the function that run on an SM at once where it has so many registers, "as ptxas counts". */
export function warpsAtOnce(func: Func, registers: number): number {
  return occupancy(func.target, { ...blockOf(func, func.sharedBytes), registers }).warpsPerSm;
}

/** The block that the kernel tells of; else the largest of which a whole number fills the SM. */
function blockOf(
  { target, limits }: Pick<Func, "target" | "limits">,
  sharedBytes: number,
): Omit<KernelResources, "registers"> {
  const { maxThreadsPerSm, maxThreadsPerCta } = target.limits;
  const block = limits.reqntid ?? limits.maxntid;
  if (block !== null) return { sharedBytes, threadsPerBlock: block[0] * block[1] * block[2] };
  return { sharedBytes: 0, threadsPerBlock: maxThreadsPerSm / Math.ceil(maxThreadsPerSm / maxThreadsPerCta) };
}
