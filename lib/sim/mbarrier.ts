/**
 * Barrier objects in shared memory (PTX ISA 9.7.13.15, mbarrier): a phase ends when its pending arrivals and its pending
 * transactions are zero; then the next begins with the expected arrivals.
 *
 * How the 64 bits are used is seen in the words that ptxas makes for `mbarrier.init` and reads in waits and `pending_count`: from
 * sm_90 on bits 20:1 hold 2^20 − expected, bits 62:43 hold 2^20 − pending, bit 63 is the parity of the phase; before it bits 29:0
 * hold 2^30 − expected, bits 62:32 2^31 − pending, bit 63 the parity. That the transactions stand in bits 41:21 is assumed: no program may look at them.
 */
import { locate, place } from "./access.js";
import { resume, waiting } from "./groups.js";
import { type Cluster, type Cta, LANES, Wait, type Warp } from "./state.js";

const COUNT = 0x100000;
const TX_BITS = 21;
/** PTX ISA 9.7.13.15.2: the tx-count is from -(2^20 - 1) to 2^20 - 1. */
const TX_MOST = 0xfffff;

/** An operation on a barrier: arrivals, transactions to expect (negative: to complete), arrivals that are not expected any more. */
export interface Arrival {
  arrivals: number;
  transactions: number;
  drops: number;
}

function wake(w: Warp, address: number): void {
  const cta = w.cta.cluster.ctas[address >>> 24];
  if (cta !== undefined) wakeAll(cta, address | 0, true);
}

/** Lanes of a CTA that wait for a phase of the barrier (null: of any) go on; `over` is what their wait says. True if there were any. */
export function wakeAll(cta: Cta, address: number | null, over: boolean): boolean {
  let any = false;
  for (const w of cta.warps) {
    let mask = 0;
    if (address !== null) mask = waiting(w, Wait.Phase, address);
    else for (let l = 0; l < LANES; l++) if (w.waitKind[l] === Wait.Phase) mask |= (1 << l) & w.live;
    if (mask === 0) continue;
    any = true;
    if (over) w.machine.watch?.passed(w, mask, address!);
    for (let l = 0; l < LANES; l++) {
      if (((mask >>> l) & 1) === 0) continue;
      const p = w.waitPredicate[l]!;
      if (p < 7) w.P[p] = over ? w.P[p]! | (1 << l) : w.P[p]! & ~(1 << l);
    }
    resume(w, mask);
  }
  return any;
}

/** Performs an operation for a lane; false: a fault is noted. */
export function actOn(w: Warp, address: number, what: Arrival, lane: number): boolean {
  if (!locate(w, "shared", address, 8, lane)) return false;
  w.machine.watch?.arrive(w, lane, address);
  const { words } = place;
  const at = place.at >> 2;
  const lo = words[at]!;
  const hi = words[at + 1]!;
  let expected = (lo >>> 1) & (COUNT - 1);
  let pending = (hi >>> 11) & (COUNT - 1);
  let tx = (((lo >>> 21) | ((hi & 0x3ff) << 11)) << (32 - TX_BITS)) >> (32 - TX_BITS);
  let phase = hi >>> 31;
  const left = pending === 0 ? 0 : COUNT - pending;
  if (what.arrivals > left) {
    w.fault("barrier", 1 << lane, `${what.arrivals} arrivals at an mbarrier that waits for ${left}`, BigInt(address));
    return false;
  }
  pending = (pending + what.arrivals) & (COUNT - 1);
  expected = (expected + what.drops) & (COUNT - 1);
  tx += what.transactions;
  if (Math.abs(tx) > TX_MOST) {
    w.fault(
      "barrier",
      1 << lane,
      `${tx} transactions pending at an mbarrier, which counts to ${TX_MOST}`,
      BigInt(address),
    );
    return false;
  }
  const done = pending === 0 && tx === 0;
  if (done) {
    phase ^= 1;
    pending = expected;
  }
  words[at] = (lo & 1) | (expected << 1) | (tx << 21);
  words[at + 1] = (phase << 31) | (pending << 11) | (hi & 0x400) | ((tx >> 11) & 0x3ff);
  if (done) {
    w.machine.phases++;
    wake(w, address);
  }
  return true;
}

/** One arrival at a barrier as code before sm_90 has them; false: a fault is noted. */
export function arriveEarly(w: Warp, address: number, lane: number): boolean {
  if (!locate(w, "shared", address, 8, lane)) return false;
  w.machine.watch?.arrive(w, lane, address);
  const { words } = place;
  const at = place.at >> 2;
  const hi = words[at + 1]!;
  if ((hi & 0x7fffffff) === 0x7fffffff) {
    words[at + 1] = (~hi & 0x80000000) | 0x40000000 | (words[at]! & 0x3fffffff);
    w.machine.phases++;
  } else words[at + 1] = hi + 1;
  return true;
}

/** Lanes that wait for phases of mbarriers are told that these have not ended. True if there were any. */
export function wakeWaiters(clusters: readonly Cluster[]): boolean {
  let any = false;
  for (const cluster of clusters) for (const cta of cluster.ctas) if (wakeAll(cta, null, false)) any = true;
  return any;
}
