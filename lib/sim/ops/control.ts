/** Control flow, convergence barriers, the end of threads. See groups.ts for the model. */
import { File, Kind, Mod, type Operand } from "../../isa/operand.js";
import { afterExit } from "../barrier.js";
import { enqueue, lowest, popcount, releaseFromYielders, settle, suspend } from "../groups.js";
import type { Maker, Makers, Site } from "../site.js";
import { type Exec, LANES, Step, Wait, type Warp } from "../state.js";

/** Lanes of `taken` go to `target`, the other lanes of the group to the next instruction. */
function branch(w: Warp, taken: number, target: number): Step {
  if (taken === 0) return Step.Next;
  if (taken === w.active) {
    w.pc = target;
    return Step.Jump;
  }
  enqueue(w, target, taken);
  w.active &= ~taken;
  w.pc++;
  return Step.Jump;
}

/** Lanes go where a register says: one group per target. */
function scatter(w: Warp, taken: number, targetOf: (lane: number) => number): Step {
  let left = taken;
  const rest = w.active & ~taken;
  while (left !== 0) {
    const lane = 31 - Math.clz32(left & -left);
    const target = targetOf(lane);
    let same = 0;
    for (let l = lane; l < LANES; l++) if ((left >>> l) & 1 && targetOf(l) === target) same |= 1 << l;
    if (same === w.active) {
      w.pc = target;
      return Step.Jump;
    }
    enqueue(w, target, same);
    left &= ~same;
  }
  if (rest === 0) {
    w.active = 0;
    return Step.Switch;
  }
  w.active = rest;
  w.pc++;
  return Step.Jump;
}

// ------------------------------------------------------------------------------------------------ branches

function bra(s: Site): Exec {
  s.has("INC");
  s.has("DEC");
  // Taken by all lanes if one wants it: the end of ptxas's loops that issue a bulk copy for each lane. ptxas also writes it with a uniform
  // predicate and no guard (the exit of a loop over a uniform counter, sm_103, 110): inferred from its code, which then computes what PTX says.
  if (s.has("ANY")) {
    if (!s.has("U") || s.pred("pin") !== 7) s.unsupported(".ANY with a predicate of its own");
    const wanted = s.predMask("upin");
    const target = s.target(s.operand("target"));
    return (w) => branch(w, wanted(w) === 0 ? 0 : w.active, target);
  }
  const together = s.has("U");
  const pin = s.predMask("pin");
  const upin = s.predMask("upin");
  const target = s.target(s.operand("target"));
  const div = s.has("DIV");
  if (div || s.has("CONV")) {
    const o = s.find("ur");
    const mask = o !== null && o.kind === Kind.Reg ? s.scalar(o)! : () => -1;
    const flip = o !== null && (o.mods & Mod.Not) !== 0 ? -1 : 0;
    return (w, m) => {
      // Lanes whose guard says no are not with the others, and go with them all the same: so ptxas's collectives under masks that differ (sm_80,
      // `@!P0 BRA.CONV` and `@!P0 BRA.DIV` after an R2UR that tells which lanes have another mask) take their slow path.
      const diverged = ((mask(w) ^ flip) & w.live & ~m) !== 0;
      return branch(w, diverged === div ? (div ? w.active : m) & pin(w) : 0, target);
    };
  }
  // The group goes as a whole, or not at all: ptxas's loop that gathers lanes before a BSSY (VOTE before a YIELD, VOTEU
  // after it, then @!P BRA.U) ends for all lanes when none of them has seen others come.
  if (together)
    return (w, m) => {
      const wanted = m & pin(w) & upin(w);
      return branch(w, wanted === w.active ? wanted : 0, target);
    };
  if (s.pred("pin") === 7 && s.pred("upin") === 7) return (w, m) => branch(w, m, target);
  return (w, m) => branch(w, m & pin(w) & upin(w), target);
}

/** A code address in a register pair → index in the program; the upper word counts as 0 or is checked by the range. */
function brx(s: Site): Exec {
  s.has("INC");
  s.has("DEC");
  const o = s.find("ur") ?? s.operand("a");
  const base = s.origin();
  const pin = s.predMask("pin");
  if (o.file === File.UR) {
    const u = s.scalar(o)!;
    return (w, m) => branch(w, m & pin(w), base + (u(w) >> 4));
  }
  const row = s.row(o);
  return (w, m) => scatter(w, m & pin(w), (l) => base + (w.I[row + l]! >> 4));
}

function call(s: Site): Exec {
  s.has("REL");
  s.has("INC");
  if (s.has("ABS")) return absolute(s);
  if (s.find("a")?.kind === Kind.Reg) return brx(s);
  const pin = s.predMask("pin");
  const target = s.target(s.operand("target"));
  return (w, m) => branch(w, m & pin(w), target);
}

/** CALL.ABS: the target is a code address, as relocations and function pointers give it. */
function absolute(s: Site): Exec {
  const pin = s.predMask("pin");
  const o = s.find("a");
  const offset = s.operand("target").value;
  if (o?.kind !== Kind.Reg) {
    const target = codeIndex(offset);
    return (w, m) => branch(w, m & pin(w), target);
  }
  const row = s.row(o);
  return (w, m) => scatter(w, m & pin(w), (l) => codeIndex(w.I[row + l]! + offset));
}

/** Code addresses are 16 bytes per instruction, from CODE_BASE on. */
export const CODE_BASE = 0x1_0000;
export function codeIndex(address: number): number {
  return Math.floor((address - CODE_BASE) / 16);
}

function ret(s: Site): Exec {
  const isAbsolute = s.has("ABS");
  s.has("REL");
  const row = s.row(s.operand("a"));
  const pin = s.predMask("pin");
  const base = isAbsolute ? 0 : s.origin();
  return (w, m) => scatter(w, m & pin(w), (l) => (isAbsolute ? codeIndex(w.I[row + l]!) : base + (w.I[row + l]! >> 4)));
}

/** LEPC: the code address of a label, or its own (ptxas on sm_75 adds the distance from it to the return point). */
function lepc(s: Site): Exec {
  const o = s.find("target");
  const address = CODE_BASE + 16 * (o?.kind === Kind.Label ? s.target(o) : s.index);
  const d = s.operand("d");
  const rows = [s.dstRow(d), s.dstRow(d, 1)];
  return (w, m) => {
    for (let l = 0; l < LANES; l++) {
      if (((m >>> l) & 1) === 0) continue;
      w.I[rows[0]! + l] = address;
      w.I[rows[1]! + l] = 0;
    }
    return Step.Next;
  };
}

/** The threads end. */
export function end(w: Warp, lanes: number): Step {
  if (lanes === 0) return Step.Next;
  w.live &= ~lanes;
  w.active &= ~lanes;
  w.cta.liveThreads -= popcount(lanes);
  if (w.live !== 0) settle(w);
  afterExit(w.cta);
  if (w.active === 0) return Step.Switch;
  w.pc++;
  return Step.Jump;
}

function exit(s: Site): Exec {
  s.ignoreModifiers();
  const pin = s.predMask("pin");
  return (w, m) => end(w, m & pin(w));
}

// ------------------------------------------------------------------------------------------------ convergence

/** Barrier register of an operand. */
function barrierOf(o: Operand): number {
  return (o.id & 15) * LANES;
}

function bssy(s: Site): Exec {
  const b = barrierOf(s.operand("d"));
  const pin = s.predMask("pin");
  return (w, m) => {
    const mask = m & pin(w);
    for (let l = 0; l < LANES; l++) if ((mask >>> l) & 1) w.B[b + l] = mask;
    return Step.Next;
  };
}

function bsync(s: Site): Exec {
  const o = s.operand("b");
  const b = barrierOf(o);
  const pin = s.predMask("pin");
  return (w, m) => {
    // Lanes that are in no region of this barrier (they left it) pass.
    let waits = 0;
    let together = true;
    const mask = m & pin(w);
    for (let l = 0; l < LANES; l++) {
      if (((mask >>> l) & 1) === 0) continue;
      const with_ = w.B[b + l]!;
      if (((with_ >>> l) & 1) === 0) continue;
      waits |= 1 << l;
      if ((with_ & w.live & ~mask) !== 0) together = false;
    }
    if (waits === 0) return Step.Next;
    if (together && waits === w.active) {
      const first = w.B[b + (31 - Math.clz32(waits & -waits))]!;
      if ((first & w.live) === waits) return Step.Next;
    }
    suspend(w, waits, Wait.Convergence, w.pc + 1, () => o.id & 15);
    settle(w);
    return Step.Switch;
  };
}

/** The lanes leave a barrier: nobody of their region waits for them any more. */
function breakOut(s: Site): Exec {
  const b = barrierOf(s.operand("b"));
  const pin = s.predMask("pin");
  return (w, m) => {
    const leave = m & pin(w);
    if (leave === 0) return Step.Next;
    let region = 0;
    for (let l = 0; l < LANES; l++) if ((leave >>> l) & 1) region |= w.B[b + l]!;
    for (let l = 0; l < LANES; l++) {
      if ((leave >>> l) & 1) w.B[b + l] = 0;
      else if ((region >>> l) & 1) w.B[b + l] = w.B[b + l]! & ~leave;
    }
    settle(w);
    return Step.Next;
  };
}

/** BMOV: between a barrier register and R; PQUAD (helper lanes of quads) does not occur in compute code. */
function bmov(s: Site): Exec {
  const clear = s.has("CLEAR");
  s.has("32");
  if (s.has("PQUAD")) {
    const b = barrierOf(s.operand("d"));
    const row = s.row(s.operand("b"));
    return (w, m) => {
      for (let l = 0; l < LANES; l++) if ((m >>> l) & 1) w.B[b + l] = w.I[row + l]!;
      return Step.Next;
    };
  }
  const dst = s.operand("d");
  const state = s.find("s");
  if (state !== null) {
    if (dst.file !== File.B || state.value >>> 0 > 15) s.unsupported("special state");
    return moveBarrier(barrierOf(dst), state.value * LANES, clear);
  }
  const src = s.operand("b");
  if (dst.file === File.B) {
    const b = barrierOf(dst);
    const get = s.scalar(src);
    const row = s.row(src);
    return (w, m) => {
      for (let l = 0; l < LANES; l++) if ((m >>> l) & 1) w.B[b + l] = get === null ? w.I[row + l]! : get(w);
      return Step.Next;
    };
  }
  const b = barrierOf(src);
  const d = s.dstRow(dst);
  return (w, m) => {
    for (let l = 0; l < LANES; l++) {
      if (((m >>> l) & 1) === 0) continue;
      w.I[d + l] = w.B[b + l]!;
      if (clear) w.B[b + l] = 0;
    }
    return Step.Next;
  };
}

/**
 * From one barrier register to another (sm_87 begins its kernels with a chain of these). That .CLEAR empties the source is
 * inferred from the same modifier of the move to R.
 */
function moveBarrier(to: number, from: number, clear: boolean): Exec {
  return (w, m) => {
    for (let l = 0; l < LANES; l++) {
      if (((m >>> l) & 1) === 0) continue;
      w.B[to + l] = w.B[from + l]!;
      if (clear) w.B[from + l] = 0;
    }
    return Step.Next;
  };
}

/** RPCMOV.32: between a half of the saved return address and a register; ptxas keeps other words there, too. */
function rpcmov(s: Site): Exec {
  if (!s.has("32")) s.unsupported("both halves");
  const h = (s.operand("h").value & 1) * LANES;
  const d = s.find("d");
  if (d !== null) {
    const row = s.dstRow(d);
    return (w, m) => {
      for (let l = 0; l < LANES; l++) if ((m >>> l) & 1) w.I[row + l] = w.returnAddress[h + l]!;
      return Step.Next;
    };
  }
  const b = s.operand("b");
  const get = s.scalar(b);
  const row = s.row(b);
  return (w, m) => {
    for (let l = 0; l < LANES; l++) if ((m >>> l) & 1) w.returnAddress[h + l] = get === null ? w.I[row + l]! : get(w);
    return Step.Next;
  };
}

function warpsync(s: Site): Exec {
  const exclusive = s.has("EXCLUSIVE");
  const all = s.has("ALL");
  const collective = s.has("COLLECTIVE");
  const o = all ? null : s.operand("b");
  const get = o === null ? () => -1 : s.scalar(o);
  const row = o === null ? 0 : s.row(o);
  const after = collective ? s.target(s.operand("target")) : 0;
  const pin = s.predMask("pin");
  const kind = collective ? Wait.Collective : exclusive ? Wait.Exclusive : Wait.WarpSync;
  const maskOf = (w: Warp, l: number): number => (get === null ? w.I[row + l]! : get(w));
  return (w, m) => {
    const lanes = m & pin(w);
    if (lanes === 0) return Step.Next;
    const first = maskOf(w, lowest(lanes));
    let together = true;
    for (let l = 0; l < LANES; l++) {
      if (((lanes >>> l) & 1) === 0) continue;
      if (collective) w.collective[l] = after;
      const mask = maskOf(w, l);
      if ((mask & w.live & ~lanes) !== 0 || (mask !== first && kind !== Wait.WarpSync)) together = false;
    }
    if (together) return Step.Next;
    suspend(w, lanes, kind, w.pc + 1, (l) => maskOf(w, l));
    settle(w);
    return Step.Switch;
  };
}

const endCollective: Maker = (s) => {
  s.ignoreModifiers();
  return (w, m) => scatter(w, m, (l) => w.collective[l]!);
};

/** The running group goes to the end of the queue. */
const yieldTurn: Maker = (s) => {
  s.ignoreModifiers();
  return (w) => {
    if (w.active === w.live) return Step.Next;
    const next = w.pc + 1;
    const lanes = w.active;
    w.active = 0;
    w.yielded |= lanes;
    releaseFromYielders(w);
    enqueue(w, next, lanes);
    return Step.Switch;
  };
};

// ------------------------------------------------------------------------------------------------ the rest

const nothing: Maker = (s) => {
  s.ignoreModifiers();
  return () => Step.Next;
};

const breakpoint: Maker = (s) => {
  const trap = s.has("TRAP");
  s.ignoreModifiers();
  return (w, m) => w.fault(trap ? "trap" : "breakpoint", m, trap ? "the kernel trapped" : "breakpoint");
};

export const control: Makers = {
  BRA: bra,
  BRX: brx,
  BRXU: brx,
  JMX: brx,
  CALL: call,
  RET: ret,
  LEPC: lepc,
  EXIT: exit,
  KILL: exit,
  BSSY: bssy,
  BSYNC: bsync,
  BREAK: breakOut,
  BMOV: bmov,
  RPCMOV: rpcmov,
  WARPSYNC: warpsync,
  ENDCOLLECTIVE: endCollective,
  YIELD: yieldTurn,
  NANOSLEEP: yieldTurn,
  BPT: breakpoint,
  NOP: nothing,
  PMTRIG: nothing,
  PREEXIT: nothing,
  ACQBULK: nothing,
};
