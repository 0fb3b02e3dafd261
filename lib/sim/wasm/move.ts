/** Moves, selects, constants, memory, traffic between lanes and register files; the meaning is that of ops/move.ts, memory.ts and warp.ts. */
import { File, Kind, type MachineInst, Mod, NO_INDEX, type Operand } from "../../isa/operand.js";
import type { Site } from "../site.js";
import { type AccessSpace, accessOf } from "./access.js";
import { ACTIVE, BASE, Untranslated } from "./emission.js";
import { Type } from "./encoder.js";
import { BANK_ROOM, BANKS, EXCHANGE, Exchange, ROW_BYTES, SCRATCH, SCRATCH_ROWS, THREADS } from "./layout.js";
import { Op } from "./opcodes.js";
import type { Segment } from "./segment.js";
import type { Emitter, Emitters } from "./table.js";
import { emitLoad, emitStore } from "./transfer.js";

function mov(e: Segment, s: Site): void {
  if (s.has("64")) {
    e.setDst(s.operand("d"), ...e.pairOf(s, "b", false));
    return;
  }
  if ((s.imm("mask", 15) & 15) !== 15) throw new Untranslated("mask of bytes");
  const o = s.operand("b");
  if ((o.mods & (Mod.Abs | Mod.Neg | Mod.Not)) !== 0) e.setDst(s.operand("d"), e.newValue(e.int(s, "b")));
  else e.setDst(s.operand("d"), e.raw(s, "b"));
}

function sel(e: Segment, s: Site): void {
  const pin = e.flag(s, "pin");
  if (s.has("64")) {
    const a = e.pairOf(s, "a", false).map((x) => e.value(x));
    const b = e.pairOf(s, "b", false).map((x) => e.value(x));
    e.setDst(s.operand("d"), ...a.map((x, i) => e.newValue(e.v(Op.bitselect, x, b[i]!, pin))));
    return;
  }
  e.setDst(s.operand("d"), e.newValue(e.v(Op.bitselect, e.int(s, "a"), e.int(s, "b"), pin)));
}

// ------------------------------------------------------------------------------------------------ constants

const sizes: Readonly<Record<string, readonly [bytes: number, load: number]>> = {
  U8: [1, Op.i32Load8U],
  S8: [1, Op.i32Load8S],
  U16: [2, Op.i32Load16U],
  S16: [2, Op.i32Load16S],
  "64": [8, Op.load32Splat],
  "128": [16, Op.load32Splat],
};

/** Constants at a fixed address. */
function ldc(e: Segment, s: Site): void {
  const [bytes, load] = s.choose<readonly [number, number]>(sizes, [4, Op.load32Splat]);
  const o = s.operand("b");
  if (o.kind !== Kind.Const || o.id < 0 || o.id > 31) throw new Untranslated("operand kind");
  if (o.index !== NO_INDEX && o.index >= 0) throw new Untranslated("indexed constant");
  const at = o.value | 0;
  if (at < 0 || at % Math.min(bytes, 8) !== 0 || at + bytes > BANK_ROOM) throw new Untranslated("constant address");
  const d = s.operand("d");
  e.requireBank(o.id, at + bytes);
  if (bytes < 4) {
    const v = e.inPrologue(() => {
      const x = e.local();
      e.out
        .i32(0)
        .memory(load, BANKS + o.id * BANK_ROOM + at)
        .op(Op.i32x4Splat)
        .set(x);
      return x;
    });
    e.setDst(d, e.newValue(v));
    return;
  }
  e.setDst(d, ...Array.from({ length: bytes >> 2 }, (_, i) => e.constant(o.id, at + 4 * i, load)));
}

// ------------------------------------------------------------------------------------------------ special registers

/** By hardware index, as in ops/move.ts. */
function s2r(e: Segment, s: Site): void {
  const { id } = s.operand("s");
  const d = s.operand("d");
  const splat = (word: number): void => {
    const v = e.local();
    e.out
      .get(BASE)
      .memory(Op.load32Splat, EXCHANGE + 4 * word)
      .set(v);
    e.setDst(d, e.newValue(v));
  };
  if (id >= 37 && id <= 39) splat(Exchange.block + id - 37);
  else if (id === 136) splat(Exchange.rank);
  else if (e.uniform) throw new Untranslated("special register");
  else if (id >= 33 && id <= 35) {
    const v = e.local();
    e.out
      .get(e.row)
      .memory(Op.load, THREADS + (id - 33) * ROW_BYTES)
      .set(v);
    e.setDst(d, e.newValue(v));
  } else if (id === 0) {
    const v = e.local();
    e.out
      .get(e.words(0, 1, 2, 3))
      .get(e.shift)
      .op(Op.i32x4Splat)
      .op(Op.i32x4Add)
      .set(v);
    e.setDst(d, e.newValue(v));
  } else throw new Untranslated("special register");
}

/** Zeros, as a pair or a word. */
function cs2r(e: Segment, s: Site): void {
  const { id } = s.operand("s");
  if (id >= 0 && id !== 255) throw new Untranslated("special register");
  const zero = e.newValue(e.words(0));
  e.setDst(s.operand("d"), ...(s.has("32") ? [zero] : [zero, zero]));
}

/** HFMA2 as ptxas moves constants with it: −0 · 0 + c is c. */
function hfma2(e: Segment, s: Site): void {
  s.has("MMA");
  const [a, b, c] = [s.operand("a"), s.operand("b"), s.operand("c")];
  const isZero = (o: Operand): boolean => o.kind === Kind.Reg && o.id < 0;
  const negative = [a, b].filter((o) => o.mods & Mod.Neg).length === 1;
  const isNaN16 = (x: number): boolean => (x & 0x7fff) > 0x7c00;
  if (!isZero(a) || !isZero(b) || !negative || (a.mods | b.mods) & Mod.Abs || c.kind !== Kind.Imm || c.part !== "")
    throw new Untranslated("HFMA2");
  if (c.mods & (Mod.Neg | Mod.Abs) || isNaN16(c.value) || isNaN16(c.value >>> 16)) throw new Untranslated("constant");
  e.setDst(s.operand("d"), e.operand(c));
}

// ------------------------------------------------------------------------------------------------ memory

function loadFrom(space: AccessSpace): Emitter {
  return {
    access: (s, inst) => accessOf(s, inst, space, false),
    emit: (e, s, index, group) => {
      accessOf(s, s.inst, space, false);
      emitLoad(e, s, group!, index);
    },
  };
}

function storeTo(space: AccessSpace): Emitter {
  return {
    access: (s, inst) => accessOf(s, inst, space, true),
    emit: (e, s, _index, group) => {
      emitStore(e, s, group!, accessOf(s, s.inst, space, true));
    },
  };
}

// ------------------------------------------------------------------------------------------------ between lanes

/** Vector registers that are read across lanes. */
function rowsOf(...names: readonly string[]): (s: Site, inst: MachineInst) => number[] {
  return (s) =>
    names.flatMap((n) => {
      const o = s.find(n);
      return o !== null && o.kind === Kind.Reg && o.file === File.R && o.id >= 0 ? [o.id] : [];
    });
}

const predicatesOf =
  (...names: readonly string[]) =>
  (s: Site): number[] =>
    names.map((n) => s.pred(n)).filter((p) => p < 7);

/** Copies a row of registers where the round's writes do not reach it; the address of the copy. */
function copyOfRow(e: Segment, reg: number): number {
  const key = `row ${reg}`;
  const known = e.lasting.get(key);
  if (known !== undefined) return known;
  if (e.lasting.size >= SCRATCH_ROWS) throw new Untranslated("too many rows");
  const at = SCRATCH + ROW_BYTES * e.lasting.size;
  for (let k = 0; k < ROW_BYTES; k += 16)
    e.prologue
      .i32(0)
      .get(BASE)
      .memory(Op.load, reg * ROW_BYTES + k)
      .memory(Op.store, at + k);
  e.lasting.set(key, at);
  return at;
}

function shfl(e: Segment, s: Site): void {
  const mode = s.choose<string>({ UP: "UP", DOWN: "DOWN", BFLY: "BFLY", IDX: "IDX" }, "IDX");
  const a = s.operand("a");
  if (a.kind !== Kind.Reg || a.file !== File.R || a.id < 0) throw new Untranslated("operand of SHFL");
  const from = copyOfRow(e, a.id);
  const c = e.value(e.raw(s, "c"));
  const b = e.v(Op.and, e.value(e.raw(s, "b")), e.words(31));
  const lane = e.local();
  e.out
    .get(e.words(0, 1, 2, 3))
    .get(e.shift)
    .op(Op.i32x4Splat)
    .op(Op.i32x4Add)
    .set(lane);
  const segment = e.v(Op.and, e.shifted(Op.i32x4ShrU, c, 8), e.words(31));
  const bottom = e.v(Op.and, lane, segment);
  const top = e.v(Op.or, bottom, e.v(Op.andnot, e.v(Op.and, c, e.words(31)), segment));
  const j =
    mode === "UP"
      ? e.v(Op.i32x4Sub, lane, b)
      : mode === "DOWN"
        ? e.v(Op.i32x4Add, lane, b)
        : mode === "BFLY"
          ? e.v(Op.xor, lane, b)
          : e.v(Op.or, bottom, e.v(Op.andnot, b, segment));
  const inRange = e.v(mode === "UP" ? Op.i32x4GeS : Op.i32x4LeS, j, top);
  const index = e.v(Op.bitselect, e.v(Op.and, j, e.words(31)), lane, inRange);
  const address = e.shifted(Op.i32x4Shl, index, 2);
  const d = e.local();
  for (let k = 3; k >= 0; k--) e.out.get(address).lane(Op.i32x4Extract, k);
  e.out.memory(Op.load32Zero, from);
  for (let k = 1; k < 4; k++) e.out.memory(Op.load32Lane, from, k);
  e.out.set(d);
  e.setDst(s.operand("d"), e.newValue(d));
  e.setPred(s.pred("pout"), inRange);
}

/** Votes on a predicate that stands since before the segment. */
function vote(e: Segment, s: Site): void {
  const mode = s.choose<string>({ ALL: "ALL", ANY: "ANY", EQ: "EQ" }, "ANY");
  const index = s.pred("pin");
  const o = s.find("pin");
  const not = o !== null && (o.mods & Mod.Not) !== 0;
  if (s.inst.guard !== null && (s.inst.guard.id >= 0 || s.inst.guard.not)) throw new Untranslated("guarded vote");
  if (index >= 8 && index !== 15) throw new Untranslated("uniform predicate");
  const ballot = e.local(Type.i32);
  const p = e.prologue;
  if (index === 15 || index === 7) p.i32(-1);
  else p.get(e.givenPredicate(index));
  if (not) p.i32(-1).op(Op.i32Xor);
  p.get(ACTIVE).op(Op.i32And).set(ballot);
  const [word, yes] = e.inPrologue(() => {
    const w = e.local();
    e.out.get(ballot).op(Op.i32x4Splat).set(w);
    const y = e.local();
    const all = (): void => {
      e.out.get(ballot).get(ACTIVE).op(Op.i32Eq);
    };
    const none = (): void => {
      e.out.get(ballot).op(Op.i32Eqz);
    };
    if (mode === "ALL") all();
    else {
      none();
      if (mode === "ANY") e.out.op(Op.i32Eqz);
      else {
        all();
        e.out.op(Op.i32Or);
      }
    }
    e.out.i32(-1).op(Op.i32Mul).op(Op.i32x4Splat).set(y);
    return [w, y];
  });
  const d = s.find("d");
  const pout = s.pred("pout");
  if (d !== null) e.setDst(d, e.newValue(word));
  if ((pout & 7) !== 7) {
    if (pout >= 8 !== e.uniform) throw new Untranslated("predicate of a vote");
    e.setPred(pout, yes);
  }
}

/** The value of the lowest lane. */
function r2ur(e: Segment, s: Site): void {
  if (s.has("OR")) throw new Untranslated("R2UR.OR");
  s.has("FILL");
  s.has("BROADCAST");
  if ((s.pred("pout") & 7) !== 7) throw new Untranslated("predicate result");
  if (s.inst.guard !== null && (s.inst.guard.id >= 0 || s.inst.guard.not)) throw new Untranslated("guarded R2UR");
  const a = s.operand("a");
  if (a.kind !== Kind.Reg || a.file !== File.R || a.id < 0 || a.part !== "" || a.mods & 7)
    throw new Untranslated("operand of R2UR");
  const v = e.local();
  e.prologue.get(BASE).get(ACTIVE).op(Op.i32Ctz).i32(2).op(Op.i32Shl).op(Op.i32Add);
  e.prologue.memory(Op.load32Splat, a.id * ROW_BYTES).set(v);
  e.setDst(s.operand("d"), e.newValue(v));
}

// ------------------------------------------------------------------------------------------------ control

function bssy(e: Segment, s: Site): void {
  if ((s.pred("pin") & 7) !== 7 || e.knownFlag(s, "pin") !== true || s.inst.guard !== null)
    throw new Untranslated("guarded BSSY");
  const mask = e.inPrologue(() => {
    const d = e.local();
    e.out.get(ACTIVE).op(Op.i32x4Splat).set(d);
    return d;
  });
  e.setConvergence(s.operand("d").id & 15, mask);
}

const nothing: Emitter = {
  nothing: true,
  emit: (_e, s) => {
    s.ignoreModifiers();
  },
};

export const move: Emitters = {
  MOV: { emit: mov },
  MOV64IUR: { emit: (e: Segment, s: Site): void => e.setDst(s.operand("d"), ...e.pairOf(s, "b", false)) },
  SEL: { emit: sel },
  S2R: { emit: s2r },
  S2UR: { emit: s2r },
  CS2R: { emit: cs2r },
  HFMA2: { emit: hfma2 },
  LDC: { emit: ldc },
  ULDC: { emit: ldc },
  LDCU: { emit: ldc },
  LDG: loadFrom("global"),
  LD: loadFrom("global"),
  LDS: loadFrom("shared"),
  LDL: loadFrom("local"),
  STG: storeTo("global"),
  ST: storeTo("global"),
  STS: storeTo("shared"),
  STL: storeTo("local"),
  SHFL: { emit: shfl, rows: rowsOf("a") },
  VOTE: { emit: vote, predicates: predicatesOf("pin") },
  VOTEU: { emit: vote, predicates: predicatesOf("pin") },
  R2UR: { emit: r2ur, rows: rowsOf("a") },
  BSSY: { emit: bssy, pure: false },
  NOP: nothing,
  MEMBAR: nothing,
  ERRBAR: nothing,
  CGAERRBAR: nothing,
  CCTL: nothing,
  CCTLL: nothing,
  CCTLT: nothing,
  FENCE: nothing,
  DEPBAR: nothing,
  LDGDEPBAR: nothing,
};
