/**
 * A function laid out for the control pass: columns per instruction over the flattened form of lib/analysis. Everything
 * below asks these columns and never walks operand objects in its loops.
 */
import {
  AcquireRole,
  acquireRoles,
  type Cfg,
  controlFlow,
  type Flat,
  flatten,
  memoryEffect,
  Order,
} from "../../analysis/index.js";
import { type InstTiming, timingOf } from "../../isa/latency.js";
import { type Func, type Inst, Kind } from "../../ori/types.js";
import { waitsForGroups } from "./o0.js";
import { drainedQueue, queueOf, unitOfOrder } from "./order.js";
import { NONE, SCOREBOARDS } from "./types.js";

/** A function with what the control pass asks of every instruction; arrays are indexed as `Flat.insts`. */
export interface Prepared {
  /** The function. */
  readonly func: Func;
  /** Its control flow. */
  readonly cfg: Cfg;
  /** Its definitions and reads. */
  readonly flat: Flat;
  /** Pipe, latency and scoreboards of each instruction. */
  readonly timing: readonly InstTiming[];
  /** 1 where results arrive after a variable time and there is a register to receive them. */
  readonly write: Uint8Array;
  /** 1 where operands are read late and there is a register among them. */
  readonly read: Uint8Array;
  /** Unit that executes its instructions in order (`unitOfOrder`), 0 for none. */
  readonly order: Uint8Array;
  /** Queue in which operands are read in order, 0 for none. */
  readonly queue: Uint8Array;
  /** Queue whose earlier instructions have read their operands when this one is done, 0 for none. */
  readonly drained: Uint8Array;
  /** Scoreboard that the instruction must use for its result (a group of asynchronous copies), NONE for any. */
  readonly fixed: Uint8Array;
  /** The same for its operands (a memory barrier whose end a DEPBAR waits for). */
  readonly fixedRead: Uint8Array;
  /** 1 where everything in flight must be done: calls, returns, the end of a gathering of the warp. */
  readonly barrier: Uint8Array;
  /** What it has to do with acquires (lib/analysis/acquire.ts), and whether any instruction waits for one. */
  readonly role: Uint8Array;
  /** Some instruction waits for an acquire. */
  readonly awaitsAcquire: boolean;
  /** 1 where the instruction must not be done before a fence that tells its end: it writes memory, or orders it. */
  readonly awaitsFence: Uint8Array;
  /** Waits for products of warp groups: their words have no place for scoreboards, and what they hand over others wait for. */
  readonly waitsForGroups: Uint8Array;
  /** Scoreboards that belong to groups of asynchronous copies: nothing else may count on them. */
  readonly reserved: number;
  /** Stalls, once they are known. */
  readonly stalls: Uint8Array;
}

export function prepare(func: Func): Prepared {
  const cfg = controlFlow(func);
  const flat = flatten(func);
  const n = flat.insts.length;
  const timing: InstTiming[] = new Array(n);
  const write = new Uint8Array(n);
  const read = new Uint8Array(n);
  const order = new Uint8Array(n);
  const queue = new Uint8Array(n);
  const drained = new Uint8Array(n);
  const fixed = new Uint8Array(n).fill(NONE);
  const fixedRead = new Uint8Array(n).fill(NONE);
  const barrier = new Uint8Array(n);
  const role = new Uint8Array(n);
  cfg.blocks.forEach((b, k) => {
    role.set(acquireRoles(b.insts), flat.first[k]);
  });
  const awaitsFence = new Uint8Array(n);
  const forGroups = new Uint8Array(n);
  const tellsEnd = func.target.has("fenceTellsEnd");
  const awaitsAcquire = role.some((r) => r >= AcquireRole.Wait);
  let reserved = 0;
  let fence = -1;
  for (let i = 0; i < n; i++) {
    const inst = flat.insts[i]!;
    const t = timingOf(inst, func.target);
    timing[i] = t;
    if (t.write && (flat.defStart[i + 1]! > flat.defStart[i]! || role[i] === AcquireRole.Access)) write[i] = 1;
    if (t.read && flat.useStart[i + 1]! > flat.useStart[i]!) read[i] = 1;
    if (tellsEnd && role[i] === AcquireRole.Fence && inst.form.mods.includes("CTA")) read[i] = 1;
    if (tellsEnd && ordersWrites(inst)) awaitsFence[i] = 1;
    if (waitsForGroups(inst)) forGroups[i] = 1;
    order[i] = unitOfOrder(inst, t);
    queue[i] = queueOf(inst, t, func.target);
    drained[i] = drainedQueue(inst, func.target);
    const { op, flow } = inst.form;
    if (flow === "call" || flow === "return" || op === "ENDCOLLECTIVE") barrier[i] = 1;
    if (op === "MEMBAR") fence = i;
    if (op === "LDGDEPBAR") {
      fixed[i] = GROUPS;
      reserved |= 1 << GROUPS;
    }
    if (op === "DEPBAR" && fence >= 0 && flat.block[fence] === flat.block[i]) {
      fixedRead[fence] = groupOf(inst);
      fence = -1;
    }
  }
  return {
    func,
    cfg,
    flat,
    timing,
    write,
    read,
    order,
    queue,
    drained,
    fixed,
    fixedRead,
    barrier,
    role,
    awaitsAcquire,
    awaitsFence,
    waitsForGroups: forGroups,
    reserved,
    stalls: new Uint8Array(n),
  };
}

/**
 * LDGDEPBAR counts the copies before it on the scoreboard that the DEPBAR after it names; ptxas uses SB0 for all of them
 * (measured on ptxas 13.0.88).
 */
const GROUPS = 0;

/** The scoreboard that a DEPBAR.LE names. */
function groupOf(inst: Inst): number {
  for (const o of inst.srcs) if (o.kind === Kind.Imm) return o.value < SCOREBOARDS ? o.value : NONE;
  return NONE;
}

function ordersWrites(inst: Inst): boolean {
  const effect = memoryEffect(inst.form);
  return effect.order >= Order.Fence ? inst.form.flow === "next" : effect.order === Order.Access && effect.writes !== 0;
}
