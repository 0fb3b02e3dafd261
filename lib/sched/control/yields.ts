/**
 * The yield bit (109, active low). Its rule as measured on ptxas -O1 … -O3 on all SMs (tools/control-fidelity.ts): an
 * instruction that stalls three cycles or more lets other warps in; one with scoreboards or of control flow does not;
 * and after ten cycles without a chance the next stall of two gives one.
 */
import { isProduct } from "../../analysis/products.js";
import type { Prepared } from "./prepare.js";
import { LONGEST_STALL, type YieldRule } from "./types.js";

/** Bit 109 set is encodable with stalls 1 … 11 only (facts: nvdisasm refuses the others). */
const LONGEST_WITHOUT_YIELD = 11;
const LONG = 3;
const PATIENCE = 10;

export const yieldLikePtxas: YieldRule = (p, i, stall, since) => {
  const t = p.timing[i]!;
  const { op } = p.flat.insts[i]!.form;
  if (op === "CGAERRBAR") return 1;
  if (op === "NOP") return stall >= LONG || padsDelay(p, i) ? 0 : 1;
  // Double precision counts as fixed where it is not emulated at 64 cycles apiece.
  const fixed = t.pipe === "FP64" && t.interval <= LONGEST_STALL;
  if (!fixed && (t.write || t.read || t.pipe === "CBU" || isProduct(op))) return 1;
  if (stall >= LONG) return 0;
  return stall > 1 && since >= PATIENCE ? 0 : 1;
};

/** A NOP that only lengthens a stall of fifteen. */
function padsDelay(p: Prepared, i: number): boolean {
  return i > 0 && p.flat.block[i] === p.flat.block[i - 1] && p.stalls[i - 1] === LONGEST_STALL;
}

/** Bit 109 of every instruction. */
export function yieldBits(p: Prepared, rule: YieldRule): Uint8Array {
  const { flat, stalls } = p;
  const out = new Uint8Array(flat.insts.length);
  for (let b = 0; b < p.cfg.count; b++) {
    let since = 0;
    for (let i = flat.first[b]!; i < flat.first[b + 1]!; i++) {
      const stall = stalls[i]!;
      const encodable = stall >= 1 && stall <= LONGEST_WITHOUT_YIELD;
      out[i] = encodable ? rule(p, i, stall, since) : 0;
      since = out[i] === 0 || (stall >= LONG && p.timing[i]!.pipe === "CBU") ? 0 : since + stall;
    }
  }
  return out;
}
