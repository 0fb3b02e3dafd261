/**
 * Registers of warp-group products. A product (HGMMA and its kin) reads and writes registers after it has issued; who owns them is
 * handed over by instructions that name none: WARPGROUP.ARRIVE gives the products after it what they read and write,
 * WARPGROUP.DEPBAR gives back what the products before it had.
 *
 * ```
 * FADD R31, R31, R0
 * WARPGROUP.ARRIVE                    reads R24…R31, and may write them
 * HGMMA R24, gdesc[UR8], R24, gsb0
 * IMAD R4, R4, R4, R5                 meets nothing: free to move
 * WARPGROUP.DEPBAR.LE gsb0, 0x0       reads and may write R24…R31
 * STG [R2], R24
 * ```
 *
 * As ptxas 13.0.88 has it: distances and scoreboards of the producers are kept up to the ARRIVE, readers stay after the DEPBAR, and
 * everything else moves freely over all three (tools/hazard/wgmma.ts). A product with gsb0 closes its group; DEPBAR.LE gsb0, n gives
 * back what all but the last n groups had.
 */

import { arriveDistance, arriveToProduct, setToWait, timingOf } from "../isa/latency.js";
import { isWarpGroupProduct } from "../isa/warp-group.js";
import {
  type Block,
  File,
  type Func,
  type Inst,
  Kind,
  type MachineInst,
  type Operand,
  ZERO_REG,
} from "../ori/types.js";
import type { Target } from "../target/types.js";
import { setRange } from "./bits.js";
import { type Units, unitOf } from "./units.js";

/** A product of matrices by a warp group: it works on registers after its issue. */
export const isProduct: (op: string) => boolean = isWarpGroupProduct;

/** Register units as runs: first, count, first, count … */
export type Runs = readonly number[];

/** What a WARPGROUP instruction reads and may write without naming it. */
export interface Handover {
  readonly uses: Runs;
  readonly defs: Runs;
}

/** Groups told apart: the open one, and by how many have been closed since; the last stands for all older ones. */
const AGES = 9;
/** Unit of RZ on physical registers, which no instruction owns. */
const ZERO_UNIT = 255;
/** A use or definition of the flat columns is no wider. */
const WIDEST = 128;

/** Reads and writes of the products at a point as bits of register units, by age of their group: two sets each, read first. */
class Sets {
  readonly bits: Uint32Array;
  private readonly units: Units;
  /** Words of one set. */
  private readonly words: number;

  constructor(units: Units) {
    this.units = units;
    this.words = (units.count + 31) >>> 5;
    this.bits = new Uint32Array(AGES * 2 * this.words);
  }

  /** Adds all of `o`; true when there was something new. */
  merge(o: Sets): boolean {
    let grew = false;
    for (let w = 0; w < this.bits.length; w++) {
      const more = (this.bits[w]! | o.bits[w]!) >>> 0;
      if (more !== this.bits[w]) grew = true;
      this.bits[w] = more;
    }
    return grew;
  }

  product(inst: Inst): void {
    for (const o of inst.srcs) this.add(o, 0);
    for (const o of inst.dsts) this.add(o, this.words);
  }

  private add(o: Operand, from: number): void {
    if (o.kind !== Kind.Reg || o.file !== File.R || o.id === ZERO_REG) return;
    const first = unitOf(this.units, o);
    const end = this.units.virtual ? this.units.count : ZERO_UNIT;
    setRange(this.bits, from, first, Math.min(Math.max(1, o.width), end - first));
  }

  /** The open group is closed: all are one group older. */
  close(): void {
    const { bits } = this;
    const set = 2 * this.words;
    const last = (AGES - 1) * set;
    const oldest = bits.slice(last);
    bits.copyWithin(set, 0, last);
    for (let w = 0; w < set; w++) bits[last + w] = bits[last + w]! | oldest[w]!;
    bits.fill(0, 0, set);
  }

  /** What all groups from this age on read, and write. */
  private from(age: number): readonly [reads: Uint32Array, writes: Uint32Array] {
    const { words } = this;
    const [reads, writes] = [new Uint32Array(words), new Uint32Array(words)];
    for (let at = age * 2 * words; at < this.bits.length; at += 2 * words)
      for (let w = 0; w < words; w++) {
        reads[w] = reads[w]! | this.bits[at + w]!;
        writes[w] = writes[w]! | this.bits[at + words + w]!;
      }
    return [reads, writes];
  }

  /** To the products after an ARRIVE. */
  arrival(): Handover {
    const [reads, writes] = this.from(0);
    return { uses: runs(reads), defs: runs(writes) };
  }

  /** Groups from this age on are done, and gone. */
  done(age: number): Handover {
    const [reads, writes] = this.from(age);
    this.bits.fill(0, age * 2 * this.words);
    for (let w = 0; w < this.words; w++) reads[w] = reads[w]! | writes[w]!;
    const both = runs(reads);
    return { uses: both, defs: both };
  }
}

function runs(set: Uint32Array): Runs {
  const out: number[] = [];
  for (let r = 0; r < 32 * set.length; r++) {
    if (((set[r >>> 5]! >>> (r & 31)) & 1) === 0) continue;
    const n = out.length;
    if (n > 0 && out[n - 2]! + out[n - 1]! === r && out[n - 1]! < WIDEST) out[n - 1] = out[n - 1]! + 1;
    else out.push(r, 1);
  }
  return out;
}

const isArrive = ({ form }: MachineInst): boolean => form.op === "WARPGROUP" && form.mods.includes("ARRIVE");

/** Groups that a DEPBAR leaves in flight. */
const groupsLeft = (inst: MachineInst): number => inst.srcs.at(-1)!.value;

/** gsb0: the last product of a group. */
function closesGroup(inst: MachineInst): boolean {
  const sb = inst.form.srcs.findIndex((s) => s.name === "sb");
  return sb >= 0 && inst.srcs[sb]!.value === 0;
}

/** It waits for products that have been issued. */
export function isWait({ form }: MachineInst): boolean {
  return form.op === "WARPGROUP" && form.mods.includes("DEPBAR");
}

/**
 * Least cycles between an instruction that touches registers and one that hands them over, or the other way round; 0 when neither
 * does, or a scoreboard guards it. `accumulator`: the second one writes what the first has written.
 */
export function handoverDistance(
  first: MachineInst,
  dst: number,
  second: MachineInst,
  accumulator: boolean,
  target: Target,
): number {
  if (isArrive(first)) return isProduct(second.form.op) ? arriveToProduct(target) : 1;
  if (first.form.op === "WARPGROUP") return timingOf(first, target).minStall;
  if (second.form.op !== "WARPGROUP") return 0;
  if (isProduct(first.form.op)) return isWait(second) ? setToWait(first, target) : 1;
  return isArrive(second) ? arriveDistance(first, dst, accumulator, target) : 1;
}

/** By form. */
const ofForms: (boolean | undefined)[] = [];

/** Whether any instruction is a warp-group product. */
export function hasProducts(func: Func): boolean {
  for (const { insts } of func.blocks)
    for (let k = 0; k < insts.length; k++) {
      const { form } = insts[k] as Inst;
      let known = ofForms[form.id];
      if (known === undefined) {
        known = isProduct(form.op);
        ofForms[form.id] = known;
      }
      if (known) return true;
    }
  return false;
}

/** For every ARRIVE and DEPBAR of a function what it hands over; null without products. */
export function handovers(func: Func, units: Units): ReadonlyMap<Inst, Handover> | null {
  if (!hasProducts(func)) return null;
  const out = new Map<Inst, Handover>();
  solve(func, units, true, (b, sets) => {
    for (let i = b.insts.length - 1; i >= 0; i--) {
      const inst = b.insts[i]!;
      if (isProduct(inst.form.op)) sets.product(inst);
      else if (isArrive(inst)) {
        out.set(inst, sets.arrival());
        sets.bits.fill(0);
      }
    }
  });
  solve(func, units, false, (b, sets) => {
    for (const inst of b.insts) {
      if (isProduct(inst.form.op)) {
        sets.product(inst);
        if (closesGroup(inst)) sets.close();
      } else if (isWait(inst)) out.set(inst, sets.done(Math.min(groupsLeft(inst) + 1, AGES - 1)));
    }
  });
  return out;
}

/** Repeats `step` over the blocks, against the flow or along it, until nothing grows any more. */
function solve(func: Func, units: Units, backward: boolean, step: (b: Block, sets: Sets) => void): void {
  const at = new Map<Block, Sets>(func.blocks.map((b) => [b, new Sets(units)]));
  const order = backward ? [...func.blocks].reverse() : func.blocks;
  for (let again = true; again; ) {
    again = false;
    for (const b of order) {
      const sets = new Sets(units);
      sets.merge(at.get(b)!);
      step(b, sets);
      for (const next of backward ? b.preds : b.succs) if (at.get(next)!.merge(sets)) again = true;
    }
  }
}
