/**
 * Where a scoreboard is first needed. The "hit" of a result is the first instruction after it in its block that reads
 * or writes one of its registers; the hit of operands that are read late is the first that overwrites one. After the
 * block there is one answer only: some path comes to such an instruction (BEYOND) or none does (NEVER).
 */
import { AcquireRole, clearRange, setRange, wordsFor } from "../../analysis/index.js";
import { File, type Inst, Kind } from "../../ori/types.js";
import { ORDERS } from "./order.js";
import type { Prepared } from "./prepare.js";

/** First needed after the end of the block. */
export const BEYOND = 0x3fffffff;
/** Never needed. */
export const NEVER = 0x7fffffff;

export interface Hits {
  /** Per instruction: index of the instruction that first needs its result; BEYOND or NEVER. */
  readonly result: Int32Array;
  /** Per instruction: index of the instruction that first overwrites one of its operands; BEYOND or NEVER. */
  readonly operands: Int32Array;
}

/** Unit of R1 on physical registers. */
const STACK_POINTER = 1;

/** Next reader and writer of every unit while walking a block backwards. */
export class Nexts {
  readonly use: Int32Array;
  /** Row per in-order unit: the next writer outside of it (row 0: any writer). */
  readonly def: Int32Array;
  private readonly touched: number[] = [];
  private readonly mark: Uint8Array;
  /** Next call or return. It waits for everything, so what is after it counts as another block. */
  call: number = BEYOND;
  /** Next instruction that waits for a strong access; NEVER when a fence or another strong access (without a guard) comes first. */
  acquired: number = BEYOND;
  /** Next instruction that waits for a fence. */
  fenced: number = BEYOND;
  /** It is a helper of the compiler's own, which leaves the stack pointer alone. */
  private helper = false;
  /** Some instruction reads the stack pointer: a routine after a call may be it. */
  private readonly stackRead: boolean;

  constructor(
    readonly units: number,
    p: Prepared,
  ) {
    this.stackRead = readsStack(p);
    this.use = new Int32Array(units).fill(BEYOND);
    this.def = new Int32Array(units * ORDERS).fill(BEYOND);
    this.mark = new Uint8Array(units);
  }

  clear(): void {
    for (const u of this.touched) {
      this.use[u] = BEYOND;
      for (let c = 0; c < ORDERS; c++) this.def[c * this.units + u] = BEYOND;
      this.mark[u] = 0;
    }
    this.touched.length = 0;
    this.call = BEYOND;
    this.acquired = BEYOND;
    this.fenced = BEYOND;
  }

  add(p: Prepared, i: number): void {
    const { flat } = p;
    const flow = flat.insts[i]!.form.flow;
    if (flow === "call" || flow === "return") {
      this.call = i;
      this.helper = helperCall(flat.insts[i]!);
    }
    if (p.role[i]! >= AcquireRole.Wait) this.acquired = i;
    else if (p.role[i] !== AcquireRole.None && flat.insts[i]!.guard === null) this.acquired = NEVER;
    if (p.awaitsFence[i] === 1) this.fenced = i;
    const skip = p.write[i] === 1 ? p.queue[i]! : 0;
    for (let d = flat.defStart[i]!; d < flat.defStart[i + 1]!; d++) {
      const from = flat.defUnit[d]!;
      for (let u = from; u < from + flat.defWidth[d]!; u++) {
        this.see(u);
        for (let c = 0; c < ORDERS; c++) if (c === 0 || c !== skip) this.def[c * this.units + u] = i;
      }
    }
    for (let d = flat.useStart[i]!; d < flat.useStart[i + 1]!; d++) {
      const from = flat.useUnit[d]!;
      for (let u = from; u < from + flat.useWidth[d]!; u++) {
        this.see(u);
        this.use[u] = i;
      }
    }
  }

  /** Does the next call or return touch the unit? */
  callSees(u: number): boolean {
    return this.call < BEYOND && !(this.helper && u === STACK_POINTER && !this.stackRead);
  }

  private see(u: number): void {
    if (this.mark[u] === 1) return;
    this.mark[u] = 1;
    this.touched.push(u);
  }
}

function readsStack(p: Prepared): boolean {
  const { useUnit, useWidth } = p.flat;
  for (let d = 0; d < useUnit.length; d++)
    if (useUnit[d]! <= STACK_POINTER && STACK_POINTER < useUnit[d]! + useWidth[d]!) return true;
  return false;
}

/** A call of a routine inside the same code: a helper of the compiler's own. */
function helperCall(inst: Inst): boolean {
  if (inst.form.flow !== "call") return false;
  for (const o of inst.srcs) if (o.kind === Kind.Label) return true;
  return false;
}

/** Units by block, in rows of `words` words. */
export interface Beyond {
  readonly words: number;
  /** Touched by some block that can be reached after this one. */
  readonly touched: Uint32Array;
  /** Touched, and written, by the block itself. */
  readonly touches: Uint32Array;
  readonly writes: Uint32Array;
}

export function beyond(p: Prepared): Beyond {
  const { cfg, flat } = p;
  const words = wordsFor(flat.units.count);
  const stack = readsStack(p);
  const touches = new Uint32Array(cfg.count * words);
  const writes = new Uint32Array(cfg.count * words);
  for (let b = 0; b < cfg.count; b++) {
    for (let i = flat.first[b]!; i < flat.first[b + 1]!; i++) {
      for (let d = flat.defStart[i]!; d < flat.defStart[i + 1]!; d++) {
        setRange(touches, b * words, flat.defUnit[d]!, flat.defWidth[d]!);
        setRange(writes, b * words, flat.defUnit[d]!, flat.defWidth[d]!);
      }
      for (let d = flat.useStart[i]!; d < flat.useStart[i + 1]!; d++)
        setRange(touches, b * words, flat.useUnit[d]!, flat.useWidth[d]!);
      const flow = flat.insts[i]!.form.flow;
      if (flow !== "call" && flow !== "return") continue;
      const keep = !stack && helperCall(flat.insts[i]!) ? STACK_POINTER : -1;
      const had = keep >= 0 && has(touches, b * words, keep);
      setRange(touches, b * words, 0, flat.units.count);
      setRange(writes, b * words, 0, flat.units.count);
      if (keep >= 0) {
        clearRange(writes, b * words, keep, 1);
        if (!had) clearRange(touches, b * words, keep, 1);
      }
    }
  }
  return { words, touched: reachable(p, words, touches), touches, writes };
}

/** Out sets of the backward union: everything in the sets of the blocks that can be reached. */
function reachable(p: Prepared, words: number, own: Uint32Array): Uint32Array {
  const { cfg } = p;
  const out = new Uint32Array(cfg.count * words);
  const stack: number[] = [];
  const queued = new Uint8Array(cfg.count);
  for (let k = 0; k < cfg.count; k++) {
    stack.push(k);
    queued[k] = 1;
  }
  while (stack.length > 0) {
    const b = stack.pop()!;
    queued[b] = 0;
    for (let e = cfg.predStart[b]!; e < cfg.predStart[b + 1]!; e++) {
      const q = cfg.pred[e]!;
      let grew = false;
      for (let w = 0; w < words; w++) {
        const now = out[q * words + w]! | out[b * words + w]! | own[b * words + w]!;
        if (now >>> 0 === out[q * words + w]) continue;
        out[q * words + w] = now;
        grew = true;
      }
      if (grew && queued[q] === 0) {
        queued[q] = 1;
        stack.push(q);
      }
    }
  }
  return out;
}

/** Fills the hits of one block and leaves `nexts` as seen from its start. */
export function blockHits(p: Prepared, block: number, far: Beyond, nexts: Nexts, hits: Hits): void {
  const { flat } = p;
  nexts.clear();
  const row = block * far.words;
  for (let i = flat.first[block + 1]! - 1; i >= flat.first[block]!; i--) {
    if (p.write[i] === 1) hits.result[i] = resultHit(p, i, far, row, nexts);
    if (p.read[i] === 1) hits.operands[i] = p.role[i] === AcquireRole.Fence ? nexts.fenced : operandHit(p, i, nexts);
    nexts.add(p, i);
  }
}

export const has = (set: Uint32Array, row: number, u: number): boolean =>
  ((set[row + (u >> 5)]! >>> (u & 31)) & 1) === 1;

function resultHit(p: Prepared, i: number, far: Beyond, row: number, nexts: Nexts): number {
  const { flat } = p;
  let hit = p.role[i] === AcquireRole.Access && p.awaitsAcquire ? nexts.acquired : NEVER;
  if (hit < BEYOND && hit >= nexts.call) hit = BEYOND;
  for (let d = flat.defStart[i]!; d < flat.defStart[i + 1]!; d++) {
    const from = flat.defUnit[d]!;
    for (let u = from; u < from + flat.defWidth[d]!; u++) {
      const next = Math.min(nexts.use[u]!, nexts.def[u]!);
      if (next < nexts.call) hit = Math.min(hit, next);
      else if (hit === NEVER && (next < BEYOND || nexts.callSees(u) || has(far.touched, row, u))) hit = BEYOND;
    }
  }
  return hit;
}

/** After the block every operand counts as overwritten, as long as anything follows: ptxas does not look further. */
function operandHit(p: Prepared, i: number, nexts: Nexts): number {
  const { flat, cfg } = p;
  const b = flat.block[i]!;
  const onward = cfg.succStart[b + 1]! > cfg.succStart[b]!;
  let hit = NEVER;
  const order = p.queue[i]! * nexts.units;
  for (let d = flat.useStart[i]!; d < flat.useStart[i + 1]!; d++) {
    if (flat.useSlot[d] === -1 || uniform(p, flat.useUnit[d]!)) continue;
    const from = flat.useUnit[d]!;
    for (let u = from; u < from + flat.useWidth[d]!; u++) {
      if (p.write[i] === 1 && defines(p, i, u)) continue;
      const next = nexts.def[order + u]!;
      if (next < nexts.call) hit = Math.min(hit, next);
      else if (hit === NEVER && (next < BEYOND || onward || nexts.callSees(u))) hit = BEYOND;
    }
  }
  return hit;
}

/** Uniform registers are read when the instruction issues (measured: ptxas guards no such operand). */
function uniform(p: Prepared, u: number): boolean {
  const file = p.flat.units.file[u]!;
  return file === File.UR || file === File.UP;
}

function defines(p: Prepared, i: number, u: number): boolean {
  const { flat } = p;
  for (let d = flat.defStart[i]!; d < flat.defStart[i + 1]!; d++)
    if (u >= flat.defUnit[d]! && u < flat.defUnit[d]! + flat.defWidth[d]!) return true;
  return false;
}
