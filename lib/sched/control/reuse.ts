/**
 * Reuse flags: a register that the next reader of the same operand slot reads again stays in the operand cache.
 *
 * The cache holds one register per slot (a, b, c) and bank (register number modulo two). An instruction keeps its operand
 * when the next instruction that reads the slot and bank reads the same register, and nothing writes it or lets another
 * warp in between.
 */

import { reuseSlots } from "../../isa/reuse.js";
import { type Inst, Kind, ZERO_REG } from "../../ori/types.js";
import type { Prepared } from "./prepare.js";
import type { ReuseRule } from "./types.js";

const SLOTS = 3;
const BANKS = 2;

/** ptxas keeps an operand only while the warp stays: no yield up to the reader. Waits do not matter to it (measured). */
export const reuseLikePtxas: ReuseRule = (_p, inst, next, yields) => {
  for (let i = inst; i < next; i++) if (yields[i] === 0) return false;
  return true;
};

export function reuseFlags(p: Prepared, yields: Uint8Array, wait: Uint8Array, rule: ReuseRule): Uint8Array {
  const { flat, func, cfg } = p;
  const out = new Uint8Array(flat.insts.length);
  const nextInst = new Int32Array(SLOTS * BANKS);
  const nextReg = new Int32Array(SLOTS * BANKS);
  for (let b = 0; b < cfg.count; b++) {
    nextReg.fill(-1);
    for (let i = flat.first[b + 1]! - 1; i >= flat.first[b]!; i--) {
      const inst = flat.insts[i]!;
      forget(inst, nextReg);
      const slots = reuseSlots(inst, func.target);
      for (let s = 0; s < slots.length; s++) {
        const k = slots[s]!;
        const o = inst.srcs[s]!;
        if (k < 0 || o.kind !== Kind.Reg || o.id === ZERO_REG) continue;
        const at = k * BANKS + (o.id & 1);
        // With bit 109 clear the reuse bits mean something else (facts: nvdisasm refuses such words).
        const keeps = yields[i] === 1 && nextReg[at] === (o.id | (o.width << 16));
        if (keeps && rule(p, i, nextInst[at]!, yields, wait)) out[i] = out[i]! | (1 << k);
        nextReg[at] = o.id | (o.width << 16);
        nextInst[at] = i;
      }
      // Whoever runs after a call comes back with other registers in the cache, and the same ones changed.
      if (inst.form.flow === "call") nextReg.fill(-1);
    }
  }
  return out;
}

/** A register that is written here is another one for the readers after. */
function forget(inst: Inst, nextReg: Int32Array): void {
  for (const d of inst.dsts) {
    if (d.kind !== Kind.Reg || d.file !== 1) continue;
    for (let at = 0; at < nextReg.length; at++) {
      const r = nextReg[at]!;
      if (r < 0) continue;
      const id = r & 0xffff;
      if (d.id < id + (r >> 16) && id < d.id + d.width) nextReg[at] = -1;
    }
  }
}
