/**
 * SinkCodeIntoBlock: a computation whose result only other blocks read moves down to the last place that comes before all
 * of its readers, so that it is not made where nobody needs it and its result is not kept until somebody does.
 *
 *     b0                                    b0
 *       LDC.64 %R2, c[0x0][0x220]     →
 *       …                                     …
 *     b3  ; after the loop                  b3
 *                                             LDC.64 %R2, c[0x0][0x220]
 *       STG.E desc[…][%R2.64], %R5            STG.E desc[…][%R2.64], %R5
 *
 * The place is the nearest common dominator of the readers, or above it the first block that no loop repeats more often.
 * Nothing moves whose own operands would take more registers up to there than its results did. ptxas loads parameters where they are used, also
 * at -O1 (measured: `c[0x0][…]` of an epilogue stands in the epilogue).
 */
import {
  analysis,
  commonDominator,
  Definitions,
  type Flat,
  hasBit,
  isLanewise,
  livenessOfUnits,
  type PathsBack,
  setBit,
  unitOf,
  wordsFor,
} from "../analysis/index.js";
import { touch } from "../ori/editor.js";
import { endsBlock, isPhi } from "../ori/flow.js";
import { indexOf, isReg } from "../ori/operand.js";
import { type Block, File, type Func, type Inst } from "../ori/types.js";
import { RewriteCounter } from "./rewrites.js";

/** Returns how many instructions moved. */
export function sinkCode(func: Func, rewrites: RewriteCounter = new RewriteCounter()): number {
  if (func.milestone !== "ssa") return 0;
  return new Sink(func, rewrites).run();
}

/** Where it stands shows in no result: the uniform datapath, which runs once for all lanes, stays. */
function isMovable(inst: Inst): boolean {
  return isLanewise(inst) || inst.form.op === "LDC";
}

class Sink {
  private readonly func: Func;
  private readonly defs: Definitions;
  private readonly flat: Flat;
  /** Block in which each instruction stands now. */
  private readonly block: Int32Array;
  /** Instruction of that block before which it goes when it has moved, −1 for the end of the block. */
  private readonly ahead: Int32Array;
  private readonly moved: number[] = [];
  private readonly layout: ReadonlyMap<Block, number>;
  /** Readers of unit u: `reader[readStart[u]] …`, an instruction and the slot that reads. */
  private readonly readStart: Int32Array;
  private readonly reader: Int32Array;
  private readonly readerSlot: Int16Array;
  /** Units that live through a loop in which nothing reads them: 1 yes, 2 no, 0 not asked yet. */
  private readonly across: Uint8Array;
  /** The last unit found to be read in each loop, plus one. */
  private readonly readIn: Int32Array;
  /** Blocks that the units asked for are live into. */
  private readonly liveInto: Map<number, Uint32Array> = new Map();
  private paths: PathsBack | null = null;

  constructor(
    func: Func,
    private readonly rewrites: RewriteCounter,
  ) {
    this.func = func;
    this.layout = new Map(func.blocks.map((block, b) => [block, b]));
    this.defs = new Definitions(func);
    this.flat = this.defs.flat;
    const { flat } = this;
    this.block = flat.block.slice();
    this.ahead = new Int32Array(flat.insts.length).fill(-1);
    this.readStart = new Int32Array(flat.units.count + 1);
    const each = (see: (unit: number, inst: number, slot: number) => void): void => {
      for (let i = 0; i < flat.insts.length; i++) {
        for (let u = flat.useStart[i] as number; u < (flat.useStart[i + 1] as number); u++) {
          for (let k = 0; k < (flat.useWidth[u] as number); k++) {
            see((flat.useUnit[u] as number) + k, i, flat.useSlot[u] as number);
          }
        }
      }
    };
    each((unit) => {
      this.readStart[unit + 1] = (this.readStart[unit + 1] as number) + 1;
    });
    for (let u = 0; u < flat.units.count; u++) {
      this.readStart[u + 1] = (this.readStart[u + 1] as number) + (this.readStart[u] as number);
    }
    this.across = new Uint8Array(flat.units.count);
    this.readIn = new Int32Array(analysis(func, "loops").loops.length);
    const next = this.readStart.slice();
    this.reader = new Int32Array(this.readStart[flat.units.count] as number);
    this.readerSlot = new Int16Array(this.reader.length);
    each((unit, inst, slot) => {
      const at = next[unit] as number;
      next[unit] = at + 1;
      this.reader[at] = inst;
      this.readerSlot[at] = slot;
    });
  }

  run(): number {
    const { rpo } = analysis(this.func, "cfg");
    // Readers before what they read, so that a chain moves as a whole.
    for (let b = rpo.length - 1; b >= 0; b--) {
      const block = rpo[b] as number;
      const from = this.flat.first[block] as number;
      for (let i = (this.flat.first[block + 1] as number) - 1; i >= from; i--) this.visit(i);
    }
    if (this.moved.length > 0) this.rebuild();
    return this.moved.length;
  }

  private visit(i: number): void {
    const inst = this.flat.insts[i] as Inst;
    if (!this.rewrites.open || !isMovable(inst) || inst.guard !== null || !this.isSingle(inst, i)) return;
    const target = this.target(i);
    if (target < 0 || !this.pays(inst, i, target)) return;
    this.block[i] = target;
    this.ahead[i] = this.firstReader(i, target);
    this.moved.push(i);
    this.rewrites.take(`${inst.form.name} sunk`, inst);
  }

  /** All results are whole registers of lanes, each defined here and nowhere else. */
  private isSingle(inst: Inst, at: number): boolean {
    const { units, def } = this.defs;
    let results = 0;
    for (const o of inst.dsts) {
      if (!isReg(o)) continue;
      // The parts of a register that is made in parts stay together.
      const whole = o.part === "" && o.width === this.func.values.width(o.id);
      if (!whole || (o.file !== File.R && o.file !== File.P)) return false;
      const u = unitOf(units, o);
      for (let k = 0; k < o.width; k++) if (def[u + k] !== at) return false;
      results++;
    }
    return results > 0;
  }

  /** Block to which the instruction moves; −1: it stays. */
  private target(at: number): number {
    const tree = analysis(this.func, "dominators");
    const { depth } = analysis(this.func, "loops");
    const here = this.flat.block[at] as number;
    let target = -1;
    for (const b of this.readingBlocks(at)) if (b === here) return -1;
    for (const b of this.readingBlocks(at)) {
      target = target < 0 ? b : commonDominator(tree, target, b);
      if (target < 0 || target === here) return -1;
    }
    if (target < 0) return -1;
    let best = target;
    for (let b = target; b !== here; b = tree.idom[b] as number) {
      if (b < 0) return -1;
      if ((depth[b] as number) < (depth[best] as number)) best = b;
    }
    return (depth[best] as number) > (depth[here] as number) ? -1 : best;
  }

  /** Blocks at whose end (phis) or in which the results are read. */
  private *readingBlocks(at: number): Generator<number> {
    const { defStart, defUnit, defWidth } = this.flat;
    for (let d = defStart[at] as number; d < (defStart[at + 1] as number); d++) {
      const from = defUnit[d] as number;
      for (let u = from; u < from + (defWidth[d] as number); u++) {
        for (let r = this.readStart[u] as number; r < (this.readStart[u + 1] as number); r++) {
          yield this.blockOfRead(this.reader[r] as number, this.readerSlot[r] as number);
        }
      }
    }
  }

  private blockOfRead(reader: number, slot: number): number {
    const block = this.block[reader] as number;
    if (!isPhi(this.flat.insts[reader] as Inst)) return block;
    const pred = this.func.blocks[block]?.preds[slot];
    return pred === undefined ? block : (this.layout.get(pred) as number);
  }

  /** What is read keeps its value up to the target, and keeping it costs fewer registers than the results did. */
  private pays(inst: Inst, at: number, target: number): boolean {
    const { defs } = this;
    for (const s of inst.srcs) {
      const o = indexOf(s) ?? s;
      if (isReg(o) && !defs.holds(o, at)) return false;
    }
    const { freq: here = 1 } = this.func.blocks[this.flat.block[at] as number] ?? {};
    const { freq: there = 1 } = this.func.blocks[target] ?? {};
    const saved = this.width(at) - this.kept(at, target);
    if (saved <= 0) return saved === 0 && there < here;
    return there < here || this.livesAcrossLoop(at);
  }

  /** The results live through a loop that does not read them, or would now that a reader has moved. */
  private livesAcrossLoop(at: number): boolean {
    const { defStart, defUnit, defWidth } = this.flat;
    for (let d = defStart[at] as number; d < (defStart[at + 1] as number); d++) {
      const from = defUnit[d] as number;
      const to = from + (defWidth[d] as number);
      for (let u = from; u < to; u++) if (this.crossesLoop(u)) return true;
      for (let r = this.readStart[from] as number; r < (this.readStart[to] as number); r++) {
        const reader = this.reader[r] as number;
        if (this.block[reader] !== this.flat.block[reader]) return true;
      }
    }
    return false;
  }

  private crossesLoop(u: number): boolean {
    if (this.across[u] === 0) this.across[u] = this.findsIdleLoop(u) ? 1 : 2;
    return this.across[u] === 1;
  }

  private findsIdleLoop(u: number): boolean {
    const { loops, innermost } = analysis(this.func, "loops");
    if (loops.length === 0) return false;
    const { readIn } = this;
    for (let r = this.readStart[u] as number; r < (this.readStart[u + 1] as number); r++) {
      let l = innermost[this.flat.block[this.reader[r] as number] as number] as number;
      for (; l >= 0 && readIn[l] !== u + 1; l = loops[l]!.parent) readIn[l] = u + 1;
    }
    this.paths ??= livenessOfUnits(analysis(this.func, "cfg"), this.flat);
    return this.paths.meets(u, (b) => {
      const l = innermost[b] as number;
      return l >= 0 && loops[l]!.header === b && readIn[l] !== u + 1;
    });
  }

  /** Registers that the instruction defines. */
  private width(at: number): number {
    const { defStart, defWidth } = this.flat;
    let width = 0;
    for (let d = defStart[at] as number; d < (defStart[at + 1] as number); d++) width += defWidth[d] as number;
    return width;
  }

  /** Registers that live on to the target only for the instruction, unless what makes them can move there too. */
  private kept(at: number, target: number): number {
    const { flat, defs } = this;
    let kept = 0;
    for (let u = flat.useStart[at] as number; u < (flat.useStart[at + 1] as number); u++) {
      for (let k = 0; k < (flat.useWidth[u] as number); k++) {
        const unit = (flat.useUnit[u] as number) + k;
        if (this.livesInto(target, unit)) continue;
        const def = defs.def[unit] as number;
        if (def < 0 || !this.follows(def, at)) kept++;
      }
    }
    return kept;
  }

  private livesInto(block: number, unit: number): boolean {
    let blocks = this.liveInto.get(unit);
    if (blocks === undefined) {
      const cfg = analysis(this.func, "cfg");
      this.paths ??= livenessOfUnits(cfg, this.flat);
      const set = new Uint32Array(wordsFor(cfg.count));
      this.paths.follow(unit, (b) => setBit(set, 0, b));
      this.liveInto.set(unit, set);
      blocks = set;
    }
    return hasBit(blocks, 0, block);
  }

  /** The definition reads no registers, and nothing but instruction `reader` reads it where it stands. */
  private follows(def: number, reader: number): boolean {
    const inst = this.flat.insts[def] as Inst;
    if (!isMovable(inst) || inst.guard !== null || this.flat.useStart[def] !== this.flat.useStart[def + 1])
      return false;
    const { defStart, defUnit, defWidth } = this.flat;
    for (let d = defStart[def] as number; d < (defStart[def + 1] as number); d++) {
      const from = defUnit[d] as number;
      for (
        let r = this.readStart[from] as number;
        r < (this.readStart[from + (defWidth[d] as number)] as number);
        r++
      ) {
        if (this.reader[r] !== reader && this.block[this.reader[r] as number] === this.flat.block[def]) return false;
      }
    }
    return true;
  }

  /** The first instruction of the block, as it stood, that needs the results before it; −1: none does. */
  private firstReader(at: number, target: number): number {
    const { defStart, defUnit, defWidth } = this.flat;
    let first = -1;
    for (let d = defStart[at] as number; d < (defStart[at + 1] as number); d++) {
      const from = defUnit[d] as number;
      for (
        let r = this.readStart[from] as number;
        r < (this.readStart[from + (defWidth[d] as number)] as number);
        r++
      ) {
        const reader = this.reader[r] as number;
        if (this.block[reader] !== target || isPhi(this.flat.insts[reader] as Inst)) continue;
        const place = this.flat.block[reader] === target ? reader : (this.ahead[reader] as number);
        if (place >= 0 && (first < 0 || place < first)) first = place;
      }
    }
    return first;
  }

  /** Blocks without what left them and with what came: later moves stand before earlier ones, which may read them. */
  private rebuild(): void {
    const { flat, moved } = this;
    const incoming = new Map<number, Inst[]>();
    const atEnd = new Map<number, Inst[]>();
    const add = (map: Map<number, Inst[]>, key: number, inst: Inst): void => {
      const list = map.get(key);
      if (list === undefined) map.set(key, [inst]);
      else list.push(inst);
    };
    for (let m = moved.length - 1; m >= 0; m--) {
      const i = moved[m] as number;
      const inst = flat.insts[i] as Inst;
      if ((this.ahead[i] as number) >= 0) add(incoming, this.ahead[i] as number, inst);
      else add(atEnd, this.block[i] as number, inst);
    }
    this.func.blocks.forEach((block, b) => {
      const out: Inst[] = [];
      for (let i = flat.first[b] as number; i < (flat.first[b + 1] as number); i++) {
        out.push(...(incoming.get(i) ?? []));
        if (this.block[i] === b) out.push(flat.insts[i] as Inst);
      }
      let end = out.length;
      while (end > 0 && endsBlock(out[end - 1] as Inst)) end--;
      out.splice(end, 0, ...(atEnd.get(b) ?? []));
      block.insts = out;
    });
    touch(this.func);
  }
}
