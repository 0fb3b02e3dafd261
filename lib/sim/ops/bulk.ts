/**
 * Bulk copies without a tensor map: UBLKCP between global memory and shared memory of CTAs of the cluster, and STAS (PTX ISA
 * cp.async.bulk, st.async). Done at once, one of the orders that are allowed; what arrives in shared memory completes its bytes on an
 * mbarrier. ptxas issues one for each thread, in a loop (ELECT), with uniform operands.
 *
 * d: the destination and, for shared memory, the barrier behind it; s: the source; n: 16 bytes in its low half, and with .MULTICAST the CTAs of
 * the cluster as a mask in the upper (seen in ptxas's code).
 */
import { locate, place } from "../access.js";
import { type Arrival, actOn } from "../mbarrier.js";
import type { Makers, Site } from "../site.js";
import { type Exec, LANES, Step, type Warp } from "../state.js";

const CHUNK = 16;
const chunk: Int32Array = new Int32Array(4);
const what: Arrival = { arrivals: 0, transactions: 0, drops: 0 };

/** Address of a uniform operand: two registers for global memory. */
function address(s: Site, slot: string, global: boolean): (w: Warp) => number {
  const o = s.operand(slot);
  const [lo, hi] = [s.scalar(o)!, s.scalar(o, 1)!];
  return global ? (w) => hi(w) * 4294967296 + (lo(w) >>> 0) : (w) => lo(w) >>> 0;
}

/** Copies bytes, a chunk at a time; false: a fault is noted. */
function move(
  w: Warp,
  lane: number,
  to: number,
  toGlobal: boolean,
  from: number,
  fromGlobal: boolean,
  n: number,
): boolean {
  for (let i = 0; i < n; i += CHUNK) {
    if (!locate(w, fromGlobal ? "global" : "shared", from + i, CHUNK, lane)) return false;
    const source = place.at >> 2;
    for (let k = 0; k < 4; k++) chunk[k] = place.words[source + k]!;
    if (!locate(w, toGlobal ? "global" : "shared", to + i, CHUNK, lane)) return false;
    const target = place.at >> 2;
    for (let k = 0; k < 4; k++) place.words[target + k] = chunk[k]!;
  }
  return true;
}

function copy(s: Site): Exec {
  const [to, from] = s.inst.form.mods.filter((m) => m === "G" || m === "S");
  s.has("G");
  s.has("S");
  s.has("SEQUENCED");
  const multicast = s.has("MULTICAST");
  const [toGlobal, fromGlobal] = [to === "G", from === "G"];
  const d = address(s, "d", toGlobal);
  const barrier = s.scalar(s.operand("d"), 1)!;
  const source = address(s, "s", fromGlobal);
  const count = s.scalar(s.operand("n"))!;
  return (w, m) => {
    const lane = 31 - Math.clz32(m & -m);
    const word = count(w);
    const bytes = (word & 0xffff) * CHUNK;
    if (toGlobal) return move(w, lane, d(w), true, source(w), fromGlobal, bytes) ? Step.Next : Step.Fault;
    const own = d(w);
    for (let rank = 0; rank < 16; rank++) {
      if (multicast ? ((word >>> (16 + rank)) & 1) === 0 : rank > 0) continue;
      const inCta = (x: number): number => (multicast ? ((x & 0xffffff) | (rank << 24)) >>> 0 : x);
      if (!move(w, lane, inCta(own), false, source(w), fromGlobal, bytes)) return Step.Fault;
      what.transactions = -bytes;
      if (!actOn(w, inCta(barrier(w) >>> 0), what, lane)) return Step.Fault;
    }
    return Step.Next;
  };
}

/** STAS: a store into shared memory of the cluster that completes its bytes on the barrier behind the address. */
function store(s: Site): Exec {
  const base = s.operand("base");
  const ur = s.find("ur");
  if (base.width !== 2 || base.id < 0 || (ur !== null && ur.id >= 0)) s.unsupported("address with a uniform register");
  const words = s.choose({ "64": 2, "128": 4 }, 1);
  const data = s.operand("data");
  const rows = Array.from({ length: words }, (_, i) => s.row(data, i));
  const off = s.imm("off");
  const [low, high] = [s.row(base), s.row(base, 1)];
  return (w, m) => {
    for (let l = 0; l < LANES; l++) {
      if (((m >>> l) & 1) === 0) continue;
      if (!locate(w, "shared", (w.I[low + l]! + off) >>> 0, 4 * words, l)) return Step.Fault;
      for (let i = 0; i < words; i++) place.words[(place.at >> 2) + i] = w.I[rows[i]! + l]!;
      what.transactions = -4 * words;
      if (!actOn(w, w.I[high + l]! >>> 0, what, l)) return Step.Fault;
    }
    return Step.Next;
  };
}

/** Prefetches and the ends of groups of copies, which are done already. */
function nothing(s: Site): Exec {
  s.ignoreModifiers();
  return () => Step.Next;
}

export const bulk: Makers = { UBLKCP: copy, STAS: store, UBLKPF: nothing, UTMACMDFLUSH: nothing };
