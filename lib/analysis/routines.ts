/**
 * Routines inside a function: blocks that `CALL` enters by a label and that `RET` leaves (helpers of ptxas's code after
 * the kernel). Which registers a call may change, when all of the routine is known.
 */

import { type Inst, Kind } from "../ori/types.js";
import { setRange, wordsFor } from "./bits.js";
import type { Cfg } from "./cfg.js";
import type { Flat } from "./flat.js";

/** Which function inside a kernel's code each block belongs to. */
export interface Routines {
  /** Units that a call may write, null when it leads to code that is not known. */
  writes(call: Inst): Uint32Array | null;
}

/** Follows calls inside the code to the blocks that they lead to. */
export function routines(cfg: Cfg, flat: Flat): Routines {
  const known = new Map<number, Uint32Array | null>();
  const calls = flat.insts.filter((inst) => inst.form.flow === "call");
  if (calls.length > 0)
    for (const b of new Set(calls.map((c) => entered(cfg, c)))) known.set(b, writesFrom(cfg, flat, b));
  return { writes: (call) => known.get(entered(cfg, call)) ?? null };
}

/** Layout index of the block that a call enters, −1 when it is none of this function. */
export function entered(cfg: Cfg, call: Inst): number {
  let label = -1;
  for (const o of call.srcs) {
    if (o.kind === Kind.Label) label = o.id;
    else if (o.kind === Kind.Reg && o.id >= 0 && o.width > 1) return -1;
  }
  return label < 0 ? -1 : (cfg.indexOf[label] as number);
}

/** What the blocks from `start` on write, the routines that they call included. */
function writesFrom(cfg: Cfg, flat: Flat, start: number): Uint32Array | null {
  if (start < 0) return null;
  const set = new Uint32Array(wordsFor(flat.units.count));
  const seen = new Uint8Array(cfg.count);
  const work = [start];
  seen[start] = 1;
  const go = (b: number): void => {
    if (seen[b] === 1) return;
    seen[b] = 1;
    work.push(b);
  };
  for (let b = work.pop(); b !== undefined; b = work.pop()) {
    for (let i = flat.first[b] as number; i < (flat.first[b + 1] as number); i++) {
      for (let d = flat.defStart[i] as number; d < (flat.defStart[i + 1] as number); d++)
        setRange(set, 0, flat.defUnit[d] as number, flat.defWidth[d] as number);
      const inst = flat.insts[i] as Inst;
      if (inst.form.flow !== "call") continue;
      const to = entered(cfg, inst);
      if (to < 0) return null;
      go(to);
    }
    for (let e = cfg.succStart[b] as number; e < (cfg.succStart[b + 1] as number); e++) go(cfg.succ[e] as number);
  }
  return set;
}
