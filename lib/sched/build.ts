/** Builds the dependence graph of a block (dag.ts) from the function's columns (`Flat`), one block after the other. */
import type { Addresses } from "../analysis/addresses.js";
import { analysis } from "../analysis/cache.js";
import { type Flat, IMPLICIT } from "../analysis/flat.js";
import { memoryEffect, Order, orderOf } from "../analysis/memory.js";
import { isProduct } from "../analysis/products.js";
import { homeUnits } from "../analysis/units.js";
import { InternalError } from "../errors.js";
import type { OnKnob } from "../knobs/reads.js";
import { endsBlock, isPhi } from "../ori/flow.js";
import type { Block, Func, Inst } from "../ori/types.js";
import { type Dag, EdgeKind, Edges } from "./dag.js";
import { type MemoryOptions, MemoryOrder, WINDOW } from "./dag-memory.js";
import { type LatencyModel, latencyModel } from "./model.js";

/** What a dependence graph is built with. */
export interface DagOptions {
  /** Distances and pipes. Default: the target's tables. */
  readonly model?: LatencyModel;
  /** Accesses to different base registers never meet (knob SchedMemNoAlias). Default false. */
  readonly noAlias?: boolean;
  /** Memory accesses of one direction that are told apart (knob SchedMaxMemDep). Default 64. */
  readonly memoryWindow?: number;
  /** Pairs of accesses of a block whose addresses are compared (knob SchedRefineMemDepBudget). Default: all. */
  readonly refineBudget?: number;
  /** Called when one of the options that knobs set is first read. */
  readonly onKnob?: OnKnob;
}

/** The dependence graph of one block of the function as it is now. */
export function buildDag(block: Block, func: Func, options: DagOptions = {}): Dag {
  return new DagBuilder(func, options).build(block);
}

/** Builds the graphs of several blocks of one function; what they share is made once. */
export class DagBuilder {
  /** Definitions and reads of the function. */
  readonly flat: Flat;
  /** Distances and pipes that are asked. */
  readonly model: LatencyModel;
  private readonly indexOf: Int32Array;
  private readonly noAlias: boolean;
  private readonly window: number;
  private readonly refine: number;
  private readonly addresses: Addresses;
  /** Per unit, valid where the stamp is this block's: last definition (entry of `Flat.def*`, or −1), and its node. */
  private readonly stamp: Int32Array;
  private readonly lastDef: Int32Array;
  private readonly lastNode: Int32Array;
  /** Reads since the last definition, as lists: head per unit, next per entry of `Flat.use*` and unit. */
  private readonly readHead: Int32Array;
  /** Values bound to one register share its units, so that they keep their turns. */
  private readonly home: Int32Array;
  private epoch = 0;

  constructor(func: Func, options: DagOptions = {}) {
    this.flat = analysis(func, "flat");
    this.addresses = analysis(func, "addresses");
    this.indexOf = analysis(func, "cfg").indexOf;
    this.model = options.model ?? latencyModel(func.target);
    this.noAlias = options.noAlias ?? false;
    this.window = options.memoryWindow ?? WINDOW;
    this.refine = options.refineBudget ?? Number.POSITIVE_INFINITY;
    options.onKnob?.("noAlias", this.noAlias, false);
    options.onKnob?.("memoryWindow", this.window, WINDOW);
    options.onKnob?.("refineBudget", this.refine, Number.POSITIVE_INFINITY);
    const units = this.flat.units.count;
    this.home = homeUnits(func, this.flat.units);
    this.stamp = new Int32Array(units).fill(-1);
    this.lastDef = new Int32Array(units);
    this.lastNode = new Int32Array(units);
    this.readHead = new Int32Array(units);
  }

  /** The graph of a block as it is now. */
  build(block: Block): Dag {
    const index = this.indexOf[block.id] ?? -1;
    const from = this.flat.first[index];
    const to = this.flat.first[index + 1];
    if (index < 0 || from === undefined || to === undefined || to - from !== block.insts.length) {
      throw new InternalError(`block ${block.id} is not as the analyses know it`);
    }
    return new BlockGraph(this, from, to, this.epoch++).dag(block.insts);
  }

  /** Parts of the builder that a block's graph uses. */
  get scratch(): Scratch {
    const { stamp, lastDef, lastNode, readHead, home, noAlias, window, refine, addresses } = this;
    return { stamp, lastDef, lastNode, readHead, home, noAlias, window, refine, addresses };
  }
}

/** What graphs of blocks of one function share. */
export interface Scratch {
  /** Block (by epoch) for which the entries of a unit hold. */
  readonly stamp: Int32Array;
  /** Last definition of each unit: entry of `Flat.def*`, −1 for none. */
  readonly lastDef: Int32Array;
  /** Node of that definition. */
  readonly lastNode: Int32Array;
  /** First list cell of the reads since then, by unit. */
  readonly readHead: Int32Array;
  /** Unit that stands for each. */
  readonly home: Int32Array;
  /** Accesses to different base registers never meet. */
  readonly noAlias: boolean;
  /** Memory accesses of one direction that are told apart. */
  readonly window: number;
  /** Pairs of accesses of a block whose addresses are compared. */
  readonly refine: number;
  /** Which accesses may meet. */
  readonly addresses: Addresses;
}

const pick = ({ noAlias, window, refine }: Scratch): MemoryOptions => ({ noAlias, window, refine });

class BlockGraph {
  private readonly flat: Flat;
  private readonly model: LatencyModel;
  private readonly s: Scratch;
  private readonly edges: Edges;
  private readonly memory: MemoryOrder;
  private readonly n: number;
  private nodes: number;
  private readonly joinAt: number[] = [];
  private current = 0;
  /** Reads as list cells: the use entry and the next cell, −1 at the end. */
  private readonly cellUse: number[] = [];
  private readonly cellNode: number[] = [];
  private readonly cellNext: number[] = [];
  /** Last full barrier, and the first node and join that have not been put before one. */
  private barrier = -1;
  private open = 0;
  private openJoin: number;
  /** Last instruction that hands registers to products of the warp group or back. */
  private lastGroup = -1;

  constructor(
    builder: DagBuilder,
    private readonly from: number,
    to: number,
    private readonly epoch: number,
  ) {
    this.flat = builder.flat;
    this.model = builder.model;
    this.s = builder.scratch;
    this.n = to - from;
    this.nodes = this.n;
    this.openJoin = this.n;
    this.edges = new Edges(this.n);
    const newJoin = (): number => {
      this.edges.reserve(this.nodes + 1);
      this.joinAt.push(this.current);
      return this.nodes++;
    };
    this.memory = new MemoryOrder(this.edges, pick(this.s), newJoin);
  }

  dag(insts: readonly Inst[]): Dag {
    for (let i = 0; i < this.n; i++) {
      this.current = i;
      this.node(insts[i] as Inst, i);
    }
    return this.edges.finish(insts, this.from, this.joinAt);
  }

  private node(inst: Inst, i: number): void {
    const order = endsBlock(inst) || isPhi(inst) ? Order.Full : orderOf(inst);
    this.registers(inst, i);
    if (order === Order.Full) this.fullBarrier(i);
    else {
      if (order === Order.Access) {
        this.access(inst, i);
        this.arrival(inst, i);
      } else if (order === Order.Fence) this.memory.fenceAt(i);
      if (this.barrier >= 0 && (this.edges.latest[i] as number) < this.barrier) {
        this.edges.add(this.barrier, i, this.afterBarrier(), EdgeKind.Order);
      }
    }
  }

  /** An instruction after a barrier issues when the barrier's own stall has passed. */
  private afterBarrier(): number {
    const inst = this.flat.insts[this.from + this.barrier] as Inst;
    return Math.max(1, this.model.occupancy(inst).minStall);
  }

  private fullBarrier(i: number): void {
    for (let k = this.open; k < i; k++) {
      if (this.edges.outs[k] === 0) this.edges.add(k, i, 1, EdgeKind.Order);
    }
    for (let k = this.openJoin; k < this.nodes; k++) {
      if (this.edges.outs[k] === 0) this.edges.add(k, i, 0, EdgeKind.Order);
    }
    if (this.barrier >= 0 && this.edges.outs[this.barrier] === 0) {
      this.edges.add(this.barrier, i, this.afterBarrier(), EdgeKind.Order);
    }
    this.barrier = i;
    this.open = i + 1;
    this.openJoin = this.nodes;
    this.memory.reset();
  }

  private access(inst: Inst, i: number): void {
    this.memory.access(i, memoryEffect(inst.form), this.s.addresses.at(this.from + i));
  }

  /** A product stays after the last ARRIVE, also where it writes nothing that was handed over there. */
  private arrival(inst: Inst, i: number): void {
    if (inst.form.op === "WARPGROUP") this.lastGroup = i;
    else if (this.lastGroup >= 0 && isProduct(inst.form.op)) {
      const first = this.flat.insts[this.from + this.lastGroup] as Inst;
      this.edges.add(this.lastGroup, i, this.model.raw(first, IMPLICIT, inst, IMPLICIT), EdgeKind.Order);
    }
  }

  private fresh(unit: number): void {
    if (this.s.stamp[unit] === this.epoch) return;
    this.s.stamp[unit] = this.epoch;
    this.s.lastDef[unit] = -1;
    this.s.readHead[unit] = -1;
  }

  /** Edges of reads, then of definitions: an instruction reads before it writes. */
  private registers(inst: Inst, i: number): void {
    const { flat, from } = this;
    const at = from + i;
    const useFrom = flat.useStart[at] as number;
    const useTo = flat.useStart[at + 1] as number;
    for (let u = useFrom; u < useTo; u++) {
      const first = flat.useUnit[u] as number;
      for (let unit = first; unit < first + (flat.useWidth[u] as number); unit++)
        this.read(inst, i, u, this.s.home[unit] as number);
    }
    for (let d = flat.defStart[at] as number; d < (flat.defStart[at + 1] as number); d++) {
      const first = flat.defUnit[d] as number;
      for (let unit = first; unit < first + (flat.defWidth[d] as number); unit++)
        this.write(inst, i, d, this.s.home[unit] as number);
    }
    for (let u = useFrom; u < useTo; u++) {
      const first = flat.useUnit[u] as number;
      for (let unit = first; unit < first + (flat.useWidth[u] as number); unit++)
        this.note(i, u, this.s.home[unit] as number);
    }
  }

  private read(inst: Inst, i: number, u: number, unit: number): void {
    this.fresh(unit);
    const d = this.s.lastDef[unit] as number;
    if (d < 0) return;
    const k = this.s.lastNode[unit] as number;
    const producer = this.flat.insts[this.from + k] as Inst;
    const distance = this.model.raw(producer, this.flat.defSlot[d] as number, inst, this.flat.useSlot[u] as number);
    this.edges.add(k, i, distance, EdgeKind.Raw);
  }

  private write(inst: Inst, i: number, d: number, unit: number): void {
    this.fresh(unit);
    const { flat, from, s } = this;
    const slot = flat.defSlot[d] as number;
    for (let c = s.readHead[unit] as number; c >= 0; c = this.cellNext[c] as number) {
      const k = this.cellNode[c] as number;
      const src = flat.useSlot[this.cellUse[c] as number] as number;
      this.edges.add(k, i, this.model.war(flat.insts[from + k] as Inst, src, inst, slot), EdgeKind.War);
    }
    s.readHead[unit] = -1;
    const old = s.lastDef[unit] as number;
    if (old >= 0) {
      const k = s.lastNode[unit] as number;
      if (k !== i) {
        const first = flat.insts[from + k] as Inst;
        this.edges.add(k, i, this.model.waw(first, flat.defSlot[old] as number, inst, slot), EdgeKind.Waw);
      }
    }
    s.lastDef[unit] = d;
    s.lastNode[unit] = i;
  }

  /** Notes a read for the next definition, unless the instruction itself has just defined the unit. */
  private note(i: number, u: number, unit: number): void {
    const d = this.s.lastDef[unit] as number;
    if (d >= 0 && d >= (this.flat.defStart[this.from + i] as number)) return;
    this.cellUse.push(u);
    this.cellNode.push(i);
    this.cellNext.push(this.s.readHead[unit] as number);
    this.s.readHead[unit] = this.cellNext.length - 1;
  }
}
