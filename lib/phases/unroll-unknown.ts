/**
 * Unrolling of a loop whose trips are known when it runs only (unroll.ts shows the form). `x` is the counter at the start of a turn;
 * after a turn another one follows while x < n (or ≤, or > and ≥ with a negative step). `t` turns are sure when x + (t − 1) · step < n.
 *
 * That sum and n − x may pass the ends of 32 bits, and then the loop must still do what it did: where the counter starts from a
 * constant, n is compared with a constant; n − x does not wrap where x starts at 0 or on the other side of it; else x < n is asked,
 * too, and n − x compared without sign. After the main loop x and n are few turns apart.
 */
import type { CountedLoop } from "../analysis/induction.js";
import { terminator } from "../ori/flow.js";
import { guardOn, newBlock } from "../ori/func.js";
import { breg, clone, imm, isReg, label, neg, PT, preg, RZ, reg } from "../ori/operand.js";
import { type Block, File, type Func, type Inst, Kind, type Operand } from "../ori/types.js";
import { jump, make } from "./copy-blocks.js";
import { after, chain, place, type TurnCopy, turnsOf } from "./turns.js";

const MIN = -0x80000000;
const MAX = 0x7fffffff;

/** Signed order, the step towards the bound, the counter compared as it is; what is added for `factor` turns fits into 31 bits. */
export function isUnknownCount({ compare, unsigned, step, offset, bound }: CountedLoop, factor: number): boolean {
  if (unsigned || offset !== 0 || (bound.kind !== Kind.Imm && !isReg(bound))) return false;
  if (Math.abs(step) * factor > MAX) return false;
  return compare === "LT" || compare === "LE" ? step > 0 : (compare === "GT" || compare === "GE") && step < 0;
}

/**
 * `region`: BSSY of the region around the loop, null where there is none. `factor` turns at once, a power of two. Without `checked` sums may
 * wrap where the counter comes near the ends of 32 bits.
 */
export function unrollUnknown(
  func: Func,
  loop: CountedLoop,
  region: Inst | null,
  factor: number,
  checked = true,
): void {
  new Unrolling(func, loop, region, checked).run(factor);
}

class Unrolling {
  private readonly func: Func;
  private readonly loop: CountedLoop;
  private readonly region: Inst | null;
  private readonly like: Inst | null;
  /** Predicate: no turn was done yet. */
  private readonly first: number;
  /** Blocks before the loop, and after it. */
  private readonly front: Block[] = [];
  private readonly back: Block[] = [];
  private at: Block;

  constructor(
    func: Func,
    loop: CountedLoop,
    region: Inst | null,
    private readonly checked: boolean,
  ) {
    this.func = func;
    this.loop = loop;
    this.region = region;
    this.like = terminator(loop.latch);
    this.first = func.values.add(File.P);
    this.at = this.open(this.front);
  }

  run(factor: number): void {
    const { func, loop, like } = this;
    const entry = this.at;
    this.setFirst(true);
    const main = this.enter(factor, true);
    const limit = this.limit(factor);
    this.setFirst(false);
    this.at.insts.push(jump(func, loop.header, like));
    const turns = turnsOf(func, loop, factor);
    chain(func, turns, like);
    this.back.push(...this.goBack(turns, limit, main.sync));
    this.leave(main);
    for (let count = factor >> 1; count > 1; count >>= 1) {
      const region = this.enter(count, false);
      this.setFirst(false);
      this.turns(count, region.sync);
      this.leave(region);
    }
    const more = this.predicate();
    this.emit(`ISETP.${loop.compare}.OR`, [preg(more), PT()], [this.x(), clone(loop.bound), preg(this.first)]);
    this.at.insts.push(jump(func, loop.exit, like, guardOn(File.P, more, true)));
    this.open(this.back);
    this.turns(1, loop.exit);
    place(func, loop, this.back);
    this.enterAt(entry);
    loop.header.nounroll = true;
  }

  /** The end of the main loop: again while `factor` more turns are sure. */
  private goBack(turns: readonly TurnCopy[], limit: Operand, sync: Block): Block[] {
    const { func, loop, like } = this;
    const end = turns[turns.length - 1] as TurnCopy;
    const again = this.predicate();
    this.at = end.latch;
    this.emit(`ISETP.${loop.compare}.AND`, [preg(again), PT()], [this.x(), limit, PT()]);
    end.latch.insts.push(jump(func, loop.header, like, guardOn(File.P, again)));
    const out = newBlock(func, "", loop.exit.freq);
    out.insts.push(jump(func, sync, like));
    return [...turns.slice(1, -1).flatMap((t) => t.blocks), ...after(end, out)];
  }

  /** So many turns in a row, after the current block, and on to `to`. */
  private turns(count: number, to: Block): void {
    const { func, loop, like } = this;
    const turns = turnsOf(func, loop, count + 1).slice(1);
    chain(func, turns, like);
    this.at.insts.push(jump(func, (turns[0] as TurnCopy).header, like));
    (turns[count - 1] as TurnCopy).latch.insts.push(jump(func, to, like));
    for (const b of turns.flatMap((t) => t.blocks)) {
      b.freq = loop.exit.freq;
      this.back.push(b);
    }
  }

  /** Goes round what follows, up to `sync`, if so many turns are not sure. */
  private enter(turns: number, main: boolean): Region {
    const { func, like } = this;
    const sure = this.sure(turns, main);
    const freq = this.loop.exit.freq;
    const region: Region = { sync: newBlock(func, "", freq), next: newBlock(func, "", freq), barrier: -1 };
    if (this.region !== null) {
      region.barrier = func.values.add(File.B);
      this.emit(
        this.region.form.name.replace(".RELIABLE", ".RECONVERGENT"),
        [breg(region.barrier)],
        [PT(), label(region.next)],
      );
    }
    this.at.insts.push(jump(func, region.sync, like, guardOn(File.P, sure, true)));
    this.open(main ? this.front : this.back);
    return region;
  }

  private leave({ sync, next, barrier }: Region): void {
    this.open(this.back, sync);
    if (this.region !== null) {
      this.emit(
        this.region.form.name.replace("BSSY", "BSYNC").replace(".RELIABLE", ".RECONVERGENT"),
        [],
        [PT(), breg(barrier)],
      );
    }
    this.open(this.back, next);
  }

  /** Predicate: from here so many turns are done for certain, if one is. `early`: x is what the loop starts with. */
  private sure(turns: number, early: boolean): number {
    const { loop, func } = this;
    const { compare, init, step } = loop;
    const more = (turns - 1) * Math.abs(step);
    const up = step > 0;
    const sure = this.predicate();
    const [order, flipped] = up ? [compare, compare === "LT" ? "GT" : "GE"] : [compare, compare === "GT" ? "LT" : "LE"];
    const from = (n: number, by: number): number => (up ? n + by : n - by);
    const fits = (n: number): boolean => n >= MIN && n <= MAX;
    if (loop.bound.kind === Kind.Imm && fits(from(loop.bound.value | 0, -more))) {
      this.emit(`ISETP.${order}.AND`, [preg(sure), PT()], [this.x(), imm(from(loop.bound.value | 0, -more)), PT()]);
      return sure;
    }
    if (early && init !== null && fits(from(init, more))) {
      this.emit(`ISETP.${flipped}.AND`, [preg(sure), PT()], [this.bound(), imm(from(init, more)), PT()]);
      return sure;
    }
    const left = func.values.add(File.R);
    const [a, b] = up ? [this.bound(), this.x()] : [this.x(), this.bound()];
    this.emit("IADD3", [reg(left)], [a, neg(b), RZ()]);
    const far = compare === "LT" || compare === "GT" ? "GT" : "GE";
    if (!this.checked || (init !== null && (up ? init <= 0 : init >= 0))) {
      this.emit(`ISETP.${far}.AND`, [preg(sure), PT()], [reg(left), imm(more), PT()]);
      return sure;
    }
    const one = this.predicate();
    this.emit(`ISETP.${compare}.AND`, [preg(one), PT()], [this.x(), this.bound(), PT()]);
    this.emit(`ISETP.${far}.U32.AND`, [preg(sure), PT()], [reg(left), imm(more), preg(one)]);
    return sure;
  }

  /** What x is compared with where `turns` more must be sure; this does not wrap, since so many were sure once. */
  private limit(turns: number): Operand {
    const { loop, func } = this;
    const less = -(turns - 1) * loop.step;
    if (loop.bound.kind === Kind.Imm) return imm((loop.bound.value + less) | 0);
    const limit = func.values.add(File.R);
    this.emit("IADD3", [reg(limit)], [this.bound(), imm(less), RZ()]);
    return reg(limit);
  }

  private setFirst(value: boolean): void {
    const none = [PT(), PT(), PT(), imm(value ? 0x80 : 0x8), imm(0)];
    this.emit("PLOP3.LUT", [preg(this.first), PT()], none);
  }

  private x(): Operand {
    return clone(this.loop.counter);
  }

  /** As a register, which any slot takes. */
  private bound(): Operand {
    const { bound } = this.loop;
    if (bound.kind === Kind.Reg) return clone(bound);
    const r = this.func.values.add(File.R);
    this.emit("MOV", [reg(r)], [clone(bound)]);
    return reg(r);
  }

  private predicate(): number {
    return this.func.values.add(File.P);
  }

  private emit(name: string, dsts: Operand[], srcs: Operand[]): void {
    this.at.insts.push(make(this.func, name, dsts, srcs, this.like));
  }

  private open(list: Block[], block: Block = newBlock(this.func, "", this.loop.exit.freq)): Block {
    list.push(block);
    this.at = block;
    return block;
  }

  /** Who entered the loop enters at the blocks before it. */
  private enterAt(entry: Block): void {
    const { func, loop } = this;
    const own = new Set([...this.front.slice(1), ...this.back, ...loop.blocks]);
    for (const b of func.blocks)
      for (const i of own.has(b) ? [] : b.insts)
        for (const o of i.srcs) if (o.kind === Kind.Label && o.id === loop.header.id) o.id = entry.id;
    const at = func.blocks.indexOf(loop.header);
    func.blocks.splice(at, 0, ...this.front);
  }
}

interface Region {
  readonly sync: Block;
  readonly next: Block;
  barrier: number;
}
