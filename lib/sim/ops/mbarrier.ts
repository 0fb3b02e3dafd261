/**
 * SYNCS, ARRIVES, ATOMS.ARRIVE: operations on barrier objects in shared memory (mbarrier.ts), as ptxas gives them for `mbarrier`:
 * ARRIVE is arrive.expect_tx, .A1T0 arrive, .ART0 arrive with a count, .A0TR expect_tx, .A0TX complete_tx, .A0T1 and ARRIVES…TRANSCNT
 * around the copies of cp.async.mbarrier.arrive, …ARVCNT its .noinc form; .OPTOUT arrive_drop; .RED has no result.
 */
import { type Address, addressOf, locate, place, shortAddress } from "../access.js";
import { begin, type Signal } from "../async/in-flight.js";
import { enqueue, suspend } from "../groups.js";
import { type Arrival, actOn, arriveEarly } from "../mbarrier.js";
import type { Makers, Site } from "../site.js";
import { type Exec, LANES, Step, Wait, type Warp } from "../state.js";
import { operation } from "./copies.js";

/** Address of a uniform base and an offset. */
export function uniformAddress(s: Site): (w: Warp) => number {
  const base = s.scalar(s.operand("base"))!;
  const off = s.imm("off");
  return (w) => (base(w) + off) >>> 0;
}

/** How many arrivals and transactions: 0, 1, or the operand (TX: to complete). */
const kinds: Readonly<Record<string, readonly [arrivals: "0" | "1" | "R", transactions: "0" | "1" | "R" | "-R"]>> = {
  A1T0: ["1", "0"],
  A0T1: ["0", "1"],
  A0TR: ["0", "R"],
  A0TX: ["0", "-R"],
  ART0: ["R", "0"],
};

function arrive(s: Site): Exec {
  s.has("ARRIVE");
  s.has("TRANS64");
  s.has("RED");
  // .TMASK (arrive.noComplete, which must not end the phase): the lanes that act together and the upper word before all of them;
  // ptxas's code adds what lower lanes did.
  const masked = s.has("TMASK");
  const optout = s.has("OPTOUT");
  const [arrivals, transactions] = s.choose<(typeof kinds)[string]>(kinds, ["1", "R"]);
  const a = addressOf(s);
  const o = s.operand("data");
  const scalar = s.scalar(o);
  const row = s.row(o);
  const d = s.operand("d");
  const [d0, d1] = [s.dstRow(d), s.dstRow(d, 1)];
  const amount = (kind: string, value: number): number =>
    kind === "0" ? 0 : kind === "1" ? 1 : kind === "R" ? value : -value;
  const what: Arrival = { arrivals: 0, transactions: 0, drops: 0 };
  return (w, m) => {
    const add = a.add(w);
    let first = 0;
    for (let l = 0; l < LANES; l++) {
      if (((m >>> l) & 1) === 0) continue;
      const value = scalar === null ? w.I[row + l]! : scalar(w);
      const address = shortAddress(w, a, add, l);
      what.arrivals = amount(arrivals, value);
      what.transactions = amount(transactions, value);
      what.drops = optout ? what.arrivals : 0;
      if (!locate(w, "shared", address, 8, l)) return Step.Fault;
      const at = place.at >> 2;
      const [lo, hi] = [place.words[at]!, place.words[at + 1]!];
      if (!actOn(w, address, what, l)) return Step.Fault;
      if (masked && (m & ((1 << l) - 1)) === 0) first = hi;
      w.I[d0 + l] = masked ? m : lo;
      w.I[d1 + l] = masked ? first : hi;
    }
    return Step.Next;
  };
}

/**
 * p: the phase of the parity in bit 31 of data has ended. .TRYWAIT waits for it: the lanes sleep until it ends, or for a while when nothing
 * else goes on (the manual gives a time limit that the system chooses). Without it a group that is told no gives its turn away.
 */
function check(s: Site): Exec {
  s.has("PHASECHK");
  s.has("TRANS64");
  const waits = s.has("TRYWAIT");
  const a = addressOf(s);
  const o = s.operand("data");
  const scalar = s.scalar(o);
  const row = s.row(o);
  const p = s.pred("p");
  return (w, m) => {
    const add = a.add(w);
    let ended = 0;
    for (let l = 0; l < LANES; l++) {
      if (((m >>> l) & 1) === 0) continue;
      if (!locate(w, "shared", shortAddress(w, a, add, l), 8, l)) return Step.Fault;
      const parity = (scalar === null ? w.I[row + l]! : scalar(w)) >>> 31;
      if (place.words[(place.at >> 2) + 1]! >>> 31 !== parity) {
        ended |= 1 << l;
        w.machine.watch?.passed(w, 1 << l, shortAddress(w, a, add, l));
      }
    }
    if (p < 7) w.P[p] = (w.P[p]! & ~m) | ended;
    if (ended === m) return Step.Next;
    if (!waits) return giveWay(w);
    const left = m & ~ended;
    for (let l = 0; l < LANES; l++) if ((left >>> l) & 1) w.waitPredicate[l] = p;
    suspend(w, left, Wait.Phase, w.pc + 1, (l) => shortAddress(w, a, add, l) | 0);
    return Step.Switch;
  };
}

/** The group and its warp give their turn away and go on after the instruction. */
function giveWay(w: Warp): Step {
  const lanes = w.active;
  w.active = 0;
  w.resting = true;
  enqueue(w, w.pc + 1, lanes);
  return Step.Switch;
}

/** SYNCS.EXCH.64: ptxas's mbarrier.init. */
function exchange(s: Site): Exec {
  s.has("EXCH");
  s.has("64");
  const address = uniformAddress(s);
  const data = s.operand("data");
  const [lo, hi] = [s.scalar(data)!, s.scalar(data, 1)!];
  const u = s.uniformDst("d");
  return (w, m) => {
    const lane = 31 - Math.clz32(m & -m);
    if (!locate(w, "shared", address(w), 8, lane)) return Step.Fault;
    const at = place.at >> 2;
    const [old, oldHigh] = [place.words[at]!, place.words[at + 1]!];
    place.words[at] = lo(w);
    place.words[at + 1] = hi(w);
    w.U[u] = old;
    w.U[u + 1] = oldHigh;
    return Step.Next;
  };
}

function load(s: Site): Exec {
  s.has("LD");
  s.has("64");
  s.has("WATCH");
  if (s.uniform) {
    const address = uniformAddress(s);
    const u = s.uniformDst("d");
    return (w, m) => {
      if (!locate(w, "shared", address(w), 8, 31 - Math.clz32(m & -m))) return Step.Fault;
      for (let i = 0; i < 2; i++) w.U[u + i] = place.words[(place.at >> 2) + i]!;
      return Step.Next;
    };
  }
  const a = addressOf(s);
  const d = s.operand("d");
  const rows = [s.dstRow(d), s.dstRow(d, 1)];
  return (w, m) => {
    const add = a.add(w);
    for (let l = 0; l < LANES; l++) {
      if (((m >>> l) & 1) === 0) continue;
      if (!locate(w, "shared", shortAddress(w, a, add, l), 8, l)) return Step.Fault;
      for (let i = 0; i < 2; i++) w.I[rows[i]! + l] = place.words[(place.at >> 2) + i]!;
    }
    return Step.Next;
  };
}

function syncs(s: Site): Exec {
  const { mods } = s.inst.form;
  if (mods.includes("ARRIVE")) return arrive(s);
  if (mods.includes("PHASECHK")) return check(s);
  if (mods.includes("EXCH")) return exchange(s);
  if (mods.includes("LD")) return load(s);
  if (mods.includes("CAS")) s.unsupported("compare and swap");
  // .CCTL (mbarrier.inval) and .FLUSH: copies of the barrier, which are not modelled.
  s.ignoreModifiers();
  return () => Step.Next;
}

/** For each lane the address of a barrier that is told when the copies of the warp so far are done. */
function arrives(s: Site): Exec {
  s.has("LDGSTSBAR");
  if (!s.has("64")) s.unsupported("width");
  const kind = s.choose({ ARVCNT: "arrive", TRANSCNT: "complete" } as const, "early");
  const a = addressOf(s);
  const told: Arrival = { arrivals: kind === "arrive" ? 1 : 0, transactions: kind === "complete" ? -1 : 0, drops: 0 };
  const what = kind === "early" ? "early" : told;
  return (w, m) => {
    const add = a.add(w);
    const signals: Signal[] = [];
    for (let l = 0; l < LANES; l++)
      if ((m >>> l) & 1) signals.push({ address: shortAddress(w, a, add, l), lane: l, what });
    const after = w.machine.inFlight?.of(w, "copies") ?? [];
    return begin(operation(w, 31 - Math.clz32(m & -m), { signals, after, proxy: false }));
  };
}

function eachLane(a: Address, act: (w: Warp, address: number, lane: number) => boolean): Exec {
  return (w, m) => {
    const add = a.add(w);
    for (let l = 0; l < LANES; l++) if ((m >>> l) & 1 && !act(w, shortAddress(w, a, add, l), l)) return Step.Fault;
    return Step.Next;
  };
}

/** ATOMS.ARRIVE.64 (sm_80 to 89): one arrival of each lane; d = the state before. */
export function atomicArrive(s: Site): Exec {
  s.has("ARRIVE");
  if (!s.has("64")) s.unsupported("width");
  const a = addressOf(s);
  const d = s.operand("d");
  const [d0, d1] = [s.dstRow(d), s.dstRow(d, 1)];
  return eachLane(a, (w, address, l) => {
    if (!locate(w, "shared", address, 8, l)) return false;
    const at = place.at >> 2;
    const [lo, hi] = [place.words[at]!, place.words[at + 1]!];
    if (!arriveEarly(w, address, l)) return false;
    w.I[d0 + l] = lo;
    w.I[d1 + l] = hi;
    return true;
  });
}

export const mbarrier: Makers = { SYNCS: syncs, ARRIVES: arrives };
