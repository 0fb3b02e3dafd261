/** Moves, selects, special registers, traffic between register files. */
import { Kind, Mod } from "../../isa/operand.js";
import { lowest } from "../groups.js";
import { LOCAL_WINDOW, SHARED_WINDOW } from "../memory.js";
import type { Makers, Site } from "../site.js";
import { high, type LaneFunction } from "../stamp.js";
import { type Exec, LANES, Step, type Warp } from "../state.js";

const identity: LaneFunction = (b) => b;

const pair: LaneFunction = (lo, hi) => {
  high.word = hi;
  return lo;
};

function mov(s: Site): Exec {
  if (s.has("64")) return s.lanes(pair, [s.long("b", false)], { d: "w" });
  const mask = s.imm("mask", 15) & 15;
  if (mask === 15) return s.lanes(identity, [s.int("b")], { d: "i" });
  let bits = 0;
  for (let i = 0; i < 4; i++) if ((mask >>> i) & 1) bits |= 255 << (8 * i);
  const b = s.int("b");
  const d = s.dstRow(s.operand("d"));
  return s.lanes((x, old) => (x & bits) | (old & ~bits), [b, { ...s.constant(0), scalar: null, row: d }], { d: "i" });
}

const select: LaneFunction = (a, b, p) => (p ? a : b);
const selectPair: LaneFunction = (al, ah, bl, bh, p) => {
  high.word = p ? ah : bh;
  return p ? al : bl;
};

function sel(s: Site): Exec {
  if (s.has("64")) return s.lanes(selectPair, [s.long("a", false), s.long("b", false), s.flag("pin")], { d: "w" });
  return s.lanes(select, [s.int("a"), s.int("b"), s.flag("pin")], { d: "i" });
}

// ------------------------------------------------------------------------------------------------ special registers

type Special = (w: Warp, lane: number) => number;

const threadsOf = (w: Warp): number => w.machine.block[0] * w.machine.block[1] * w.machine.block[2];

/** By hardware index (names as nvdisasm prints them). */
const special: Readonly<Record<number, Special>> = {
  0: (_w, l) => l, // LANEID
  1: (w) => w.machine.issued, // CLOCK
  2: (w) => Math.ceil(threadsOf(w) / 32) << 8, // VIRTCFG
  3: (w) => w.index << 8, // VIRTID
  32: (w, l) => w.tid[0][l]! | (w.tid[1][l]! << 16) | (w.tid[2][l]! << 26), // TID
  33: (w, l) => w.tid[0][l]!,
  34: (w, l) => w.tid[1][l]!,
  35: (w, l) => w.tid[2][l]!,
  37: (w) => w.cta.index[0],
  38: (w) => w.cta.index[1],
  39: (w) => w.cta.index[2],
  46: () => LOCAL_WINDOW, // LWINHI
  47: () => SHARED_WINDOW, // SWINHI
  48: () => 0, // SWINLO
  50: (w) => w.cta.shared.size, // SMEMSZ
  52: () => 0, // LWINLO
  55: () => 0, // LMEMHIOFF: the stack may grow down to the bottom of local memory
  56: (_w, l) => 1 << l, // EQMASK
  57: (_w, l) => (1 << l) - 1,
  58: (_w, l) => (l === 31 ? -1 : (2 << l) - 1),
  59: (_w, l) => (l === 31 ? 0 : -1 << (l + 1)),
  60: (_w, l) => -1 << l,
  67: () => 0, // VIRTUALSMID
  80: (w) => w.machine.issued, // CLOCKLO
  81: (w) => Math.floor(w.machine.issued / 4294967296), // CLOCKHI
  82: (w) => w.machine.issued, // GLOBALTIMERLO
  83: (w) => Math.floor(w.machine.issued / 4294967296),
  136: (w) => w.cta.rank, // CgaCtaId
  138: (w) => w.machine.clusterShape[0] * w.machine.clusterShape[1] * w.machine.clusterShape[2], // CgaSize
  255: () => 0, // SRZ
};

function specialOf(s: Site, after: number = 0): Special {
  const o = s.operand("s");
  const id = o.id < 0 ? 255 : o.id;
  return special[id === 255 ? id : id + after] ?? s.unsupported(`special register ${id + after}`);
}

function s2r(s: Site): Exec {
  const get = specialOf(s);
  if (s.uniform) {
    const u = s.uniformDst("d");
    return (w, m) => {
      w.U[u] = get(w, lowest(m));
      return Step.Next;
    };
  }
  const d = s.dstRow(s.operand("d"));
  return (w, m) => {
    for (let l = 0; l < LANES; l++) if ((m >>> l) & 1) w.I[d + l] = get(w, l);
    return Step.Next;
  };
}

function cs2r(s: Site): Exec {
  if (s.has("32")) return s2r(s);
  const lo = specialOf(s);
  const hi = specialOf(s, 1);
  if (s.uniform) {
    const u = s.uniformDst("d");
    return (w, m) => {
      w.U[u] = lo(w, lowest(m));
      w.U[u + 1] = hi(w, lowest(m));
      return Step.Next;
    };
  }
  const d = s.operand("d");
  const rows = [s.dstRow(d), s.dstRow(d, 1)];
  return (w, m) => {
    for (let l = 0; l < LANES; l++) {
      if (((m >>> l) & 1) === 0) continue;
      w.I[rows[0]! + l] = lo(w, l);
      w.I[rows[1]! + l] = hi(w, l);
    }
    return Step.Next;
  };
}

// ------------------------------------------------------------------------------------------------ between files

function byteShift(s: Site, part: string): number {
  const name = part === "" ? "" : part.slice(1);
  return 8 * (name === "B1" ? 1 : name === "B2" ? 2 : name === "B3" ? 3 : s.choose({ B1: 1, B2: 2, B3: 3 }, 0));
}

/** Predicates of a lane as bits. */
function predicateBits(w: Warp, lane: number): number {
  let bits = 0;
  for (let p = 0; p < 7; p++) bits |= ((w.P[p]! >>> lane) & 1) << p;
  return bits;
}

function p2r(s: Site): Exec {
  const shift = byteShift(s, "");
  const a = s.operand("a");
  const row = s.row(a);
  const select = s.scalar(s.operand("b")) ?? s.unsupported("mask in a register");
  const d = s.dstRow(s.operand("d"));
  return (w, m) => {
    const mask = select(w) & 0x7f;
    for (let l = 0; l < LANES; l++) {
      if (((m >>> l) & 1) === 0) continue;
      const old = w.I[row + l]!;
      w.I[d + l] = (old & ~(mask << shift)) | ((predicateBits(w, l) & mask) << shift);
    }
    return Step.Next;
  };
}

/** P2R of the uniform half. */
function up2ur(s: Site): Exec {
  const shift = byteShift(s, "");
  const [old, select] = [s.scalar(s.operand("a")), s.scalar(s.operand("b"))];
  if (old === null || select === null) return s.unsupported("operand");
  const d = s.uniformDst("d");
  return (w) => {
    const mask = select(w) & 0x7f;
    let bits = 0;
    for (let p = 0; p < 7; p++) bits |= (w.UP[p]! & 1) << p;
    w.U[d] = (old(w) & ~(mask << shift)) | ((bits & mask) << shift);
    return Step.Next;
  };
}

function r2p(s: Site): Exec {
  const a = s.operand("a");
  const shift = byteShift(s, a.part);
  const row = s.row(a);
  const select = s.scalar(s.operand("b")) ?? s.unsupported("mask in a register");
  return (w, m) => {
    const mask = select(w) & 0x7f;
    for (let p = 0; p < 7; p++) {
      if (((mask >>> p) & 1) === 0) continue;
      let bits = 0;
      for (let l = 0; l < LANES; l++) bits |= ((w.I[row + l]! >>> (shift + p)) & 1) << l;
      w.P[p] = (w.P[p]! & ~m) | (bits & m);
    }
    return Step.Next;
  };
}

/**
 * The value of the lowest active lane; the predicate tells each lane whether its own differs, with `.OR` beside what it told before. So do the loops with
 * which ptxas takes a value of one lane after the other end (createpolicy.range, sm_90 and later, -O3).
 */
function r2ur(s: Site): Exec {
  const or = s.has("OR");
  s.has("FILL");
  s.has("BROADCAST");
  const a = s.operand("a");
  if (a.kind !== Kind.Reg || (a.mods & ~Mod.Reuse) !== 0) s.unsupported("operand");
  const row = s.row(a);
  const u = s.uniformDst("d");
  const pout = s.pred("pout");
  const keeps = (pout & 7) === 7;
  if (or && keeps) s.unsupported("modifier OR without a predicate");
  return (w, m) => {
    const first = w.I[row + lowest(m)]!;
    w.U[u] = first;
    if (keeps) return Step.Next;
    let differ = 0;
    for (let l = 0; l < LANES; l++) if (((m >>> l) & 1) !== 0 && w.I[row + l]! !== first) differ |= 1 << l;
    const old = w.P[pout]!;
    w.P[pout] = (old & ~m) | differ | (or ? old & m : 0);
    return Step.Next;
  };
}

export const move: Makers = {
  MOV: mov,
  UMOV: mov,
  MOV64IUR: (s) => s.lanes(pair, [s.long("b", false)], { d: "w" }),
  SEL: sel,
  S2R: s2r,
  S2UR: s2r,
  CS2R: cs2r,
  CS2UR: cs2r,
  P2R: p2r,
  UP2UR: up2ur,
  R2P: r2p,
  R2UR: r2ur,
};
