/**
 * Machine words as columns: for every instruction what it reads and writes, unit by unit, its scoreboards and its stall.
 * A unit is one 32-bit register or one predicate. Everything the checker's loop needs is here as numbers.
 */

import { tableFor } from "../isa/compiled.js";
import { GUARD, type InstTiming, setToWait, timingOf } from "../isa/latency.js";
import {
  type Control,
  Kind,
  type MachineInst,
  Mod,
  makeOperand,
  NO_INDEX,
  type Operand,
  ZERO_REG,
} from "../isa/operand.js";
import { withTrueWidths } from "../isa/texture-widths.js";
import { File } from "../isa/types.js";
import { controlOf, decodeCode, findLine } from "../sass/decode.js";
import type { Target } from "../target/types.js";
import { roleOf } from "./acquire.js";

/** R, UR, P, UP one after the other, then the groups of asynchronous copies, the last WARPGROUP.ARRIVE and the last strong access. */
export const UNITS = 544;
export const GROUP_UNIT = 528;
export const ARRIVE_UNIT = 529;
/** The last strong access, until it is done. */
export const ACQUIRE_UNIT = 530;
const firstUnit: Readonly<Record<number, number>> = { [File.R]: 0, [File.UR]: 256, [File.P]: 512, [File.UP]: 520 };
const sizeOf: Readonly<Record<number, number>> = { [File.R]: 255, [File.UR]: 255, [File.P]: 7, [File.UP]: 7 };
const FIRST_PREDICATE = 512;

export function unitName(unit: number): string {
  if (unit < 256) return `R${unit}`;
  if (unit < 512) return `UR${unit - 256}`;
  return unit < 520 ? `P${unit - 512}` : `UP${unit - 520}`;
}

/** Registers that are per thread: two complementary guards touch different lanes of them. */
export function isPerThread(unit: number): boolean {
  return unit < 256 || (unit >= FIRST_PREDICATE && unit < 520);
}

/** Bit of the scoreboard that counts warp-group products (gsb0), above the six of the control word. */
export const GROUP_SB = 6;

export interface Sites {
  readonly count: number;
  readonly target: Target;
  readonly insts: readonly (MachineInst | null)[];
  /** The same with an operand for the predicates that moves of whole masks do not name: what the tables are asked about. */
  readonly asked: readonly (MachineInst | null)[];
  readonly timing: readonly (InstTiming | null)[];
  /** Reads of instruction i: readUnit[readStart[i] … readStart[i+1]−1], and which source each belongs to. */
  readonly readStart: Int32Array;
  readonly readUnit: Int16Array;
  readonly readSlot: Int8Array;
  readonly writeStart: Int32Array;
  readonly writeUnit: Int16Array;
  readonly writeSlot: Int8Array;
  /** The control word is not one that goes with the instruction. */
  readonly illegal: Uint8Array;
  readonly stall: Uint8Array;
  /** Scoreboards that the control word waits for: bits 0–5. */
  readonly wait: Uint8Array;
  /** Those that a DEPBAR waits for to the end, the groups' too. */
  readonly barrier: Uint8Array;
  /** Bit of the scoreboard that the result counts on, 0 = none; GROUP_SB included. */
  readonly writeSb: Uint8Array;
  /** Scoreboard of a wait down to more than zero (DEPBAR.LE sb, n) as a bit, else 0. */
  readonly counted: Uint8Array;
  /** That number; 255 where it is in a register. */
  readonly countedTo: Uint8Array;
  readonly readSb: Uint8Array;
  /** Cycles until a wait can see what this instruction set. */
  readonly ripe: Uint8Array;
  /** 0: always executed; else 1 + 2·(predicate) + (1 if negated). */
  readonly guard: Uint8Array;
  /** In-order class (order.ts), 0 = none. */
  readonly order: Uint8Array;
  /** What it has to do with acquires (acquire.ts). */
  readonly role: Uint8Array;
  /** Units after the reuse bits: slot s of instruction i reads reuseUnit[4·i+s] (−1: none); bit set: reuseSet. */
  readonly reuseUnit: Int16Array;
  readonly reuseWidth: Uint8Array;
  readonly reuseSet: Uint8Array;
}

export function guardCode(file: File, id: number, not: boolean): number {
  return 1 + 2 * (firstUnit[file]! - FIRST_PREDICATE + id) + (not ? 1 : 0);
}

/** The other sense of the same predicate. */
export function complement(code: number): number {
  return ((code - 1) ^ 1) + 1;
}

/** Unit of the predicate after a guard code. */
export function guardUnit(code: number): number {
  return FIRST_PREDICATE + ((code - 1) >> 1);
}

class Builder {
  readonly readUnit: number[] = [];
  readonly readSlot: number[] = [];
  readonly writeUnit: number[] = [];
  readonly writeSlot: number[] = [];

  range(units: number[], slots: number[], file: File, id: number, width: number, slot: number): void {
    const first = firstUnit[file];
    if (first === undefined || id < 0) return;
    const end = Math.min(id + Math.max(1, width), sizeOf[file]!);
    for (let r = id; r < end; r++) {
      units.push(first + r);
      slots.push(slot);
    }
  }

  read(o: Operand, slot: number): void {
    if (o.kind === Kind.Reg) this.range(this.readUnit, this.readSlot, o.file, o.id, o.width, slot);
    else if (o.kind === Kind.Const && o.index !== NO_INDEX)
      // cx[UR4][…]: a descriptor of two registers; c[3][R2+…]: one.
      this.range(this.readUnit, this.readSlot, o.file, o.index, o.id === -1 ? 2 : 1, slot);
  }

  write(o: Operand, slot: number): void {
    if (o.kind === Kind.Reg) this.range(this.writeUnit, this.writeSlot, o.file, o.id, o.width, slot);
  }
}

/** Instructions that move all predicates of a mask at once: which way and which file. */
const predicateMoves: Readonly<Record<string, { readonly reads: boolean; readonly file: File }>> = {
  P2R: { reads: true, file: File.P },
  R2P: { reads: false, file: File.P },
  UP2UR: { reads: true, file: File.UP },
  UR2UP: { reads: false, file: File.UP },
};

/** Adds the units and gives the instruction an operand that stands for them. */
function withImplicit(inst: MachineInst, b: Builder): MachineInst {
  const move = predicateMoves[inst.form.op];
  if (move === undefined) return inst;
  const mask = inst.srcs[1]!;
  const bits = mask.kind === Kind.Imm ? mask.value : 0x7f;
  const slot = move.reads ? inst.srcs.length : inst.dsts.length;
  for (let p = 0; p < 7; p++) {
    if (((bits >>> p) & 1) === 0) continue;
    if (move.reads) b.range(b.readUnit, b.readSlot, move.file, p, 1, slot);
    else b.range(b.writeUnit, b.writeSlot, move.file, p, 1, slot);
  }
  const operand = makeOperand(Kind.Reg, move.file, 1, 0, 0);
  return move.reads ? { ...inst, srcs: [...inst.srcs, operand] } : { ...inst, dsts: [...inst.dsts, operand] };
}

/** What DEPBAR waits for to the end: scoreboards counted down to 0. */
function barrierWait(inst: MachineInst): number {
  if (inst.form.op === "WARPGROUP")
    return inst.form.name.includes("DEPBAR") && inst.srcs[1]?.value === 0 ? 1 << GROUP_SB : 0;
  if (inst.form.op !== "DEPBAR") return 0;
  const mask = inst.srcs.at(-1)!;
  let bits = mask.kind === Kind.Imm ? mask.value & 63 : 0;
  const [sb, n] = inst.srcs;
  if (inst.form.name.includes("LE") && n?.kind === Kind.Imm && n.value === 0) bits |= 1 << sb!.value;
  return bits;
}

/** The scoreboard that DEPBAR waits for down to a number other than zero, as a bit. */
function countedWait(inst: MachineInst): number {
  if (inst.form.op === "WARPGROUP")
    return inst.form.name.includes("DEPBAR") && inst.srcs[1]!.value > 0 ? 1 << GROUP_SB : 0;
  if (inst.form.op !== "DEPBAR" || !inst.form.name.includes("LE")) return 0;
  const [sb, n] = inst.srcs;
  return n!.kind === Kind.Imm && n!.value === 0 ? 0 : sbBit(sb!.value);
}

function groupScoreboard(inst: MachineInst): boolean {
  const sb = inst.form.srcs.findIndex((s) => s.name === "sb");
  return inst.form.op !== "WARPGROUP" && inst.form.op !== "DEPBAR" && sb >= 0 && inst.srcs[sb]!.value === 0;
}

const sbBit = (index: number): number => (index < 6 ? 1 << index : 0);

/** The words with a control word that is legal everywhere where theirs is not (it makes a word unknown to the decoder). */
function neutral(words: Uint32Array, target: Target, illegal: Uint8Array): Uint32Array {
  const table = tableFor(target.isa);
  let copy = words;
  for (let at = 0; at + 3 < words.length; at += 4) {
    if (findLine(table, words, at) !== null) continue;
    const other = words.slice(at, at + 4);
    other[3] = (other[3]! & ~CONTROL_BITS) | LEGAL_CONTROL;
    if (findLine(table, other, 0) === null) continue;
    if (copy === words) copy = words.slice();
    copy.set(other, at);
    illegal[at >> 2] = 1;
  }
  return copy;
}

/**
 * Stall 0 with yielding: the next instruction waits until the pipelines are empty. ptxas writes it after ERRBAR, and at -O0
 * after HMMA, whose result the next instruction takes.
 */
export function drains(c: Control): boolean {
  return c.stall === 0 && c.yield === 0;
}

/** Longer than any fixed latency. */
const DRAINED = 64;

/** Sparse products of matrices keep their metadata with bit 125, for which nvdisasm prints nothing (ptxas -O3). */
const METADATA = 3;

/** Bits 125:105; stall 1, no scoreboards (facts/README). */
const CONTROL_BITS = 0x1fffff << 9;
const LEGAL_CONTROL = 0x7f1 << 9;

export function sitesOf(
  words: Uint32Array,
  target: Target,
  orderOf: (inst: MachineInst, t: InstTiming) => number,
): Sites {
  const n = words.length >> 2;
  const illegal = new Uint8Array(n);
  const known = neutral(words, target, illegal);
  const insts = decodeCode(known, target);
  const asked: (MachineInst | null)[] = new Array(n).fill(null);
  const table = tableFor(target.isa);
  const b = new Builder();
  const readStart = new Int32Array(n + 1);
  const writeStart = new Int32Array(n + 1);
  const timing: (InstTiming | null)[] = new Array(n).fill(null);
  const bytes = (size = n): Uint8Array => new Uint8Array(size);
  const [stall, wait, counted, writeSb, readSb] = [bytes(), bytes(), bytes(), bytes(), bytes()] as const;
  const [ripe, guard, order, reuseSet] = [bytes(), bytes(), bytes(), bytes()] as const;
  const [countedTo, barrier, role] = [bytes(), bytes(), bytes()] as const;
  const reuseUnit = new Int16Array(4 * n).fill(-1);
  const reuseWidth = bytes(4 * n);
  for (let i = 0; i < n; i++) {
    const inst = insts[i] ? withTrueWidths(insts[i]!) : null;
    const c = controlOf(words[4 * i + 3]!);
    stall[i] = drains(c) ? DRAINED : c.stall;
    wait[i] = c.wait;
    if (inst !== null) {
      const t = timingOf(inst, target);
      timing[i] = t;
      for (let s = 0; s < inst.srcs.length; s++) b.read(inst.srcs[s]!, s);
      for (let d = 0; d < inst.dsts.length; d++) b.write(inst.dsts[d]!, d);
      const g = inst.guard;
      if (g !== null && g.id !== ZERO_REG) {
        b.range(b.readUnit, b.readSlot, g.file, g.id, 1, GUARD);
        guard[i] = guardCode(g.file, g.id, g.not);
      }
      asked[i] = withImplicit(inst, b);
      inst.control = c;
      barrier[i] = barrierWait(inst);
      counted[i] = countedWait(inst);
      if (counted[i] !== 0) countedTo[i] = inst.srcs[1]!.kind === Kind.Imm ? inst.srcs[1]!.value : 255;
      writeSb[i] = sbBit(c.writeSb) | (groupScoreboard(inst) ? 1 << GROUP_SB : 0);
      readSb[i] = sbBit(c.readSb);
      ripe[i] = setToWait(inst, target);
      order[i] = orderOf(inst, t);
      role[i] = roleOf(inst);
      const steps = findLine(table, known, 4 * i)!.steps;
      const first = inst.dsts.length;
      for (let s = first; s < steps.length; s++) {
        const bit = steps[s]!.reuse - 122;
        if (bit < 0) continue;
        const o = inst.srcs[s - first]!;
        if (o.kind === Kind.Reg && o.file === File.R && o.id >= 0) {
          reuseUnit[4 * i + bit] = o.id;
          reuseWidth[4 * i + bit] = o.width;
        }
        if ((o.mods & Mod.Reuse) !== 0) reuseSet[i] = reuseSet[i]! | (1 << bit);
      }
      const metadata = inst.form.mods.includes("SP") ? inst.form.srcs.findIndex((s) => s.name === "e") : -1;
      if (metadata >= 0 && inst.srcs[metadata]!.id >= 0) {
        reuseUnit[4 * i + METADATA] = inst.srcs[metadata]!.id;
        reuseWidth[4 * i + METADATA] = 1;
        reuseSet[i] = reuseSet[i]! | (c.reuse & (1 << METADATA));
      }
    }
    readStart[i + 1] = b.readUnit.length;
    writeStart[i + 1] = b.writeUnit.length;
  }
  return {
    count: n,
    target,
    insts,
    asked,
    timing,
    readStart,
    writeStart,
    readUnit: Int16Array.from(b.readUnit),
    readSlot: Int8Array.from(b.readSlot),
    writeUnit: Int16Array.from(b.writeUnit),
    writeSlot: Int8Array.from(b.writeSlot),
    illegal,
    stall,
    wait,
    barrier,
    counted,
    countedTo,
    writeSb,
    readSb,
    ripe,
    guard,
    order,
    role,
    reuseUnit,
    reuseWidth,
    reuseSet,
  };
}
