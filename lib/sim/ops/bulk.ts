/**
 * Bulk copies without a tensor map: UBLKCP between global memory and shared memory of CTAs of the cluster, and STAS (PTX ISA
 * cp.async.bulk, st.async). What arrives in shared memory completes its bytes on an mbarrier. ptxas issues one for each thread, in a loop (ELECT), with uniform operands.
 *
 * d: the destination and, for shared memory, the barrier after it; s: the source; n: 16 bytes in its low half, and with .MULTICAST the CTAs of
 * the cluster, with .DST_G_BYTE_MASK the bytes of each 16 that are copied, as a mask in the upper (seen in ptxas's code).
 */
import { locate, place } from "../access.js";
import { begin, type Signal } from "../async/in-flight.js";
import { blockOf, Transfer } from "../async/transfer.js";
import type { Makers, Site } from "../site.js";
import { type Exec, LANES, Step, type Warp } from "../state.js";
import { combineOf } from "./atomic.js";
import { operation } from "./copies.js";

const CHUNK = 16;

/** Address of a uniform operand: two registers for global memory. */
function address(s: Site, slot: string, global: boolean): (w: Warp) => number {
  const o = s.operand(slot);
  const [lo, hi] = [s.scalar(o)!, s.scalar(o, 1)!];
  return global ? (w) => hi(w) * 4294967296 + (lo(w) >>> 0) : (w) => lo(w) >>> 0;
}

const ALL_BYTES = 2 ** CHUNK - 1;

/** A run of bytes in chunks, of each the bytes of the mask; null: a fault is noted. */
function runOf(
  w: Warp,
  lane: number,
  [toSpace, to]: readonly ["global" | "shared", number],
  [fromSpace, from]: readonly ["global" | "shared", number],
  n: number,
  mask: number = ALL_BYTES,
): Transfer | null {
  const t = new Transfer();
  if (toSpace === "shared") t.target = blockOf(w, to);
  if (fromSpace === "shared") t.source = blockOf(w, from);
  const step = mask === ALL_BYTES ? CHUNK : 1;
  for (let i = 0; i < n; i += step)
    if ((mask >>> (i % CHUNK)) & 1 && !t.locate(w, lane, [fromSpace, from + i], [toSpace, to + i], step)) return null;
  return t;
}

/** The same address in another CTA of the cluster. */
export const inCta = (address: number, rank: number): number => ((address & 0xffffff) | (rank << 24)) >>> 0;

function copy(s: Site): Exec {
  const [to, from] = s.inst.form.mods.filter((m) => m === "G" || m === "S");
  s.has("G");
  s.has("S");
  s.has("SEQUENCED");
  const multicast = s.has("MULTICAST");
  const masked = s.has("DST_G_BYTE_MASK");
  const [toGlobal, fromGlobal] = [to === "G", from === "G"];
  const fromSpace = fromGlobal ? "global" : "shared";
  const d = address(s, "d", toGlobal);
  const barrier = s.scalar(s.operand("d"), 1)!;
  const source = address(s, "s", fromGlobal);
  const count = s.scalar(s.operand("n"))!;
  return (w, m) => {
    const lane = 31 - Math.clz32(m & -m);
    const word = count(w);
    const bytes = (word & 0xffff) * CHUNK;
    if (toGlobal) {
      const t = runOf(w, lane, ["global", d(w)], [fromSpace, source(w)], bytes, masked ? word >>> 16 : ALL_BYTES);
      return t === null ? Step.Fault : begin(operation(w, lane, { transfers: [t], grouping: "bulk" }));
    }
    const ctas = multicast ? word >>> 16 : null;
    return loadBytes(w, lane, { to: d(w), barrier: barrier(w), from: [fromSpace, source(w)], bytes, ctas });
  };
}

/** Bytes on their way into shared memory. */
export interface BytesLoad {
  readonly to: number;
  readonly barrier: number;
  readonly from: readonly ["global" | "shared", number];
  readonly bytes: number;
  /** CTAs of the cluster; null: the one that the addresses name. */
  readonly ctas: number | null;
}

export function loadBytes(w: Warp, lane: number, x: BytesLoad): Step {
  for (let rank = 0; rank < 16; rank++) {
    if (((x.ctas ?? 1) >>> rank) % 2 === 0) continue;
    const there = (a: number): number => (x.ctas === null ? a >>> 0 : inCta(a, rank));
    const t = runOf(w, lane, ["shared", there(x.to)], x.from, x.bytes);
    if (t === null) return Step.Fault;
    const signals = [completes(there(x.barrier), lane, x.bytes)];
    if (begin(operation(w, lane, { transfers: [t], signals })) === Step.Fault) return Step.Fault;
  }
  return Step.Next;
}

/** UBLKRED: what is at d = op(that, shared memory at s). */
function reduce(s: Site): Exec {
  const [to] = s.inst.form.mods;
  s.has("G");
  s.has("S");
  const combine = combineOf(s);
  const toGlobal = to === "G";
  const d = address(s, "d", toGlobal);
  const barrier = s.scalar(s.operand("d"), 1)!;
  const source = address(s, "s", false);
  const count = s.scalar(s.operand("n"))!;
  return (w, m) => {
    const lane = 31 - Math.clz32(m & -m);
    const bytes = (count(w) & 0xffff) * CHUNK;
    const t = runOf(w, lane, [toGlobal ? "global" : "shared", d(w)], ["shared", source(w)], bytes);
    if (t === null) return Step.Fault;
    t.combine = combine;
    if (toGlobal) return begin(operation(w, lane, { transfers: [t], grouping: "bulk" }));
    return begin(operation(w, lane, { transfers: [t], signals: [completes(barrier(w) >>> 0, lane, bytes)] }));
  };
}

/** Completes bytes on an mbarrier. */
export function completes(address: number, lane: number, bytes: number): Signal {
  return { address, lane, what: { arrivals: 0, transactions: -bytes, drops: 0 } };
}

/** STAS, REDAS: a store into shared memory of the cluster, or a reduction, that completes its bytes on the barrier after the address. */
function store(s: Site): Exec {
  const combine = s.inst.form.op === "REDAS" ? combineOf(s) : null;
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
      const to = (w.I[low + l]! + off) >>> 0;
      if (!locate(w, "shared", to, 4 * words, l)) return Step.Fault;
      const t = new Transfer();
      t.target = blockOf(w, to);
      t.add(-1, place.at, 4 * words);
      t.combine = combine;
      t.data = new Uint8Array(Int32Array.from(rows, (r) => w.I[r + l]!).buffer);
      const signals = [completes(w.I[high + l]! >>> 0, l, 4 * words)];
      if (begin(operation(w, l, { transfers: [t], signals })) === Step.Fault) return Step.Fault;
    }
    return Step.Next;
  };
}

/** Bytes of the answer of UGETNEXTWORKID. */
const ANSWER_BYTES = 16;

/**
 * UGETNEXTWORKID (clusterlaunchcontrol.try_cancel): takes a cluster that has not started out of the launch. The answer goes to shared memory, of all CTAs of the
 * cluster with .BROADCAST: x of its first CTA, y and z as halves, bit 0 of the third word tells success (as ptxas's code reads it).
 */
function nextWork(s: Site): Exec {
  const all = s.has("BROADCAST");
  s.has("SELFCAST");
  const a = s.operand("a");
  const [to, barrier] = [s.scalar(a)!, s.scalar(a, 1)!];
  return (w, m) => {
    const lane = 31 - Math.clz32(m & -m);
    const first = w.machine.cancelCluster();
    const answer = first === null ? [0, 0, 0, 0] : [first[0], first[1] | (first[2] << 16), 1, 0];
    for (const rank of all ? w.cta.cluster.ctas.map((cta) => cta.rank) : [w.cta.rank]) {
      const address = inCta(to(w), rank);
      if (!locate(w, "shared", address, ANSWER_BYTES, lane)) return Step.Fault;
      const t = new Transfer();
      t.target = blockOf(w, address);
      t.add(-1, place.at, ANSWER_BYTES);
      t.data = new Uint8Array(Int32Array.from(answer).buffer);
      const signals = [completes(inCta(barrier(w), rank), lane, ANSWER_BYTES)];
      if (begin(operation(w, lane, { transfers: [t], signals })) === Step.Fault) return Step.Fault;
    }
    return Step.Next;
  };
}

/** UMEMSETS.64: zeros in shared memory, 8 bytes n times; at once, as LDS after it wants (ptxas has no wait between them). */
function fill(s: Site): Exec {
  s.has("64");
  const base = s.scalar(s.operand("base"))!;
  const off = s.imm("off");
  const count = s.scalar(s.operand("n"))!;
  return (w, m) => {
    const lane = 31 - Math.clz32(m & -m);
    const [from, n] = [(base(w) + off) >>> 0, count(w) >>> 0];
    for (let i = 0; i < n; i++) {
      if (!locate(w, "shared", from + 8 * i, 8, lane)) return Step.Fault;
      place.bytes.fill(0, place.at, place.at + 8);
    }
    return Step.Next;
  };
}

/** USTGR, UREDGR: one store or sum in memory of all lanes' operands, which are uniform; at once. */
function storeUniform(s: Site): Exec {
  for (const inert of ["E", "NA", "STRONG", "MMIO", "GPU", "SYS"]) s.has(inert);
  const [wide, half] = [s.has("64"), s.has("U16") || s.has("S16")];
  s.has("S32");
  const adds = s.inst.form.op === "UREDGR";
  if (adds) s.has("ADD");
  const base = address(s, "base", true);
  const off = s.imm("off");
  const data = s.operand("data");
  const [low, high] = [s.scalar(data)!, s.scalar(data, 1)];
  const size = wide ? 8 : half ? 2 : 4;
  return (w, m) => {
    const lane = 31 - Math.clz32(m & -m);
    if (!locate(w, "generic", base(w) + off, size, lane)) return Step.Fault;
    const { bytes, at } = place;
    const view = new DataView(bytes.buffer, bytes.byteOffset + at, size);
    if (wide) {
      const value = (BigInt(high!(w) >>> 0) << 32n) | BigInt(low(w) >>> 0);
      view.setBigUint64(0, adds ? view.getBigUint64(0, true) + value : value, true);
    } else if (half) view.setUint16(0, low(w), true);
    else view.setInt32(0, adds ? view.getInt32(0, true) + low(w) : low(w), true);
    return Step.Next;
  };
}

/** Prefetches. */
function nothing(s: Site): Exec {
  s.ignoreModifiers();
  return () => Step.Next;
}

export const bulk: Makers = {
  UBLKCP: copy,
  UBLKRED: reduce,
  STAS: store,
  REDAS: store,
  UBLKPF: nothing,
  UGETNEXTWORKID: nextWork,
  UMEMSETS: fill,
  USTGR: storeUniform,
  UREDGR: storeUniform,
};
