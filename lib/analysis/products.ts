/**
 * Registers of warp-group products. A product (HGMMA and its kin) reads and writes registers after it has issued; who owns them is
 * handed over by instructions that name none: WARPGROUP.ARRIVE gives the products behind it what they read and write,
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
 * As ptxas 13.0.88 has it: distances and scoreboards of the producers are kept up to the ARRIVE, readers stay behind the DEPBAR, and
 * everything else moves freely over all three (tools/hazard/wgmma.ts). A product with gsb0 closes its group; DEPBAR.LE gsb0, n gives
 * back what all but the last n groups had.
 */

import { arriveDistance, arriveToProduct, setToWait, timingOf } from "../isa/latency.js";
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

const products: ReadonlySet<string> = new Set(["HGMMA", "QGMMA", "IGMMA", "BGMMA"]);

/** A product of matrices by a warp group: it works on registers after its issue. */
export function isProduct(op: string): boolean {
  return products.has(op);
}

/** Registers of file R as runs: first, count, first, count … */
export type Runs = readonly number[];

/** What a WARPGROUP instruction reads and may write without naming it. */
export interface Handover {
  readonly uses: Runs;
  readonly defs: Runs;
}

/** Registers of file R as bits. */
const WORDS = 8;
const REGISTERS = 255;
/** Groups told apart: the open one, and by how many have been closed since; the last stands for all older ones. */
const AGES = 9;
const SET = 2 * WORDS;

/** Reads and writes of the products at a point, by age of their group: two sets each, read first. */
class Sets {
  readonly bits = new Uint32Array(AGES * SET);

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
    for (const o of inst.dsts) this.add(o, WORDS);
  }

  private add(o: Operand, from: number): void {
    if (o.kind !== Kind.Reg || o.file !== File.R || o.id === ZERO_REG) return;
    setRange(this.bits, from, o.id + o.sub, Math.min(Math.max(1, o.width), REGISTERS - o.id - o.sub));
  }

  /** The open group is closed: all are one group older. */
  close(): void {
    const { bits } = this;
    const oldest = bits.slice((AGES - 1) * SET);
    bits.copyWithin(SET, 0, (AGES - 1) * SET);
    for (let w = 0; w < SET; w++) bits[(AGES - 1) * SET + w] = bits[(AGES - 1) * SET + w]! | oldest[w]!;
    bits.fill(0, 0, SET);
  }

  /** What all groups from this age on read, and write. */
  private from(age: number): readonly [reads: Uint32Array, writes: Uint32Array] {
    const [reads, writes] = [new Uint32Array(WORDS), new Uint32Array(WORDS)];
    for (let at = age * SET; at < this.bits.length; at += SET)
      for (let w = 0; w < WORDS; w++) {
        reads[w] = reads[w]! | this.bits[at + w]!;
        writes[w] = writes[w]! | this.bits[at + WORDS + w]!;
      }
    return [reads, writes];
  }

  /** To the products behind an ARRIVE. */
  arrival(): Handover {
    const [reads, writes] = this.from(0);
    return { uses: runs(reads), defs: runs(writes) };
  }

  /** Groups from this age on are done, and gone. */
  done(age: number): Handover {
    const [reads, writes] = this.from(age);
    this.bits.fill(0, age * SET);
    for (let w = 0; w < WORDS; w++) reads[w] = reads[w]! | writes[w]!;
    const both = runs(reads);
    return { uses: both, defs: both };
  }
}

function runs(set: Uint32Array): Runs {
  const out: number[] = [];
  for (let r = 0; r < REGISTERS; r++) {
    if (((set[r >>> 5]! >>> (r & 31)) & 1) === 0) continue;
    const n = out.length;
    if (n > 0 && out[n - 2]! + out[n - 1]! === r) out[n - 1] = out[n - 1]! + 1;
    else out.push(r, 1);
  }
  return out;
}

const isArrive = ({ form }: MachineInst): boolean => form.op === "WARPGROUP" && form.mods.includes("ARRIVE");

/** Groups that a DEPBAR leaves under way. */
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

/** For every ARRIVE and DEPBAR of a function on physical registers what it hands over; null without products. */
export function handovers(func: Func): ReadonlyMap<Inst, Handover> | null {
  if (!func.blocks.some((b) => b.insts.some((i) => products.has(i.form.op)))) return null;
  const out = new Map<Inst, Handover>();
  solve(func, true, (b, sets) => {
    for (let i = b.insts.length - 1; i >= 0; i--) {
      const inst = b.insts[i]!;
      if (products.has(inst.form.op)) sets.product(inst);
      else if (isArrive(inst)) {
        out.set(inst, sets.arrival());
        sets.bits.fill(0);
      }
    }
  });
  solve(func, false, (b, sets) => {
    for (const inst of b.insts) {
      if (products.has(inst.form.op)) {
        sets.product(inst);
        if (closesGroup(inst)) sets.close();
      } else if (isWait(inst)) out.set(inst, sets.done(Math.min(groupsLeft(inst) + 1, AGES - 1)));
    }
  });
  return out;
}

/** Repeats `step` over the blocks, against the flow or along it, until nothing grows any more. */
function solve(func: Func, backward: boolean, step: (b: Block, sets: Sets) => void): void {
  const at = new Map<Block, Sets>(func.blocks.map((b) => [b, new Sets()]));
  const order = backward ? [...func.blocks].reverse() : func.blocks;
  for (let again = true; again; ) {
    again = false;
    for (const b of order) {
      const sets = new Sets();
      sets.merge(at.get(b)!);
      step(b, sets);
      for (const next of backward ? b.preds : b.succs) if (at.get(next)!.merge(sets)) again = true;
    }
  }
}
