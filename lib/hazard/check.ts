/**
 * The hazard checker: is every register ready when an instruction reads it, and free when one writes it, on every path
 * through the code? It knows the machine words, the instruction table and the latency tables, nothing of how the words
 * were chosen.
 *
 * The machine it assumes (measured on ptxas 13.0.88): an instruction issues when every scoreboard of its wait mask counts
 * zero, at least `stall` cycles after the one before. An instruction of fixed latency reads and writes at fixed
 * distances from its issue; the tables say which distance two of them need. One of variable latency raises its
 * scoreboards as it issues (visible to a wait some cycles later) and lowers one when it has read its operands, the
 * other when its results are written. A scoreboard counts, so one may serve many instructions, and a wait is for all of
 * them.
 *
 * Abstract interpretation: `step` takes the worst case before an instruction (state.ts) to that after it; blocks
 * are repeated until nothing changes; then each is gone through once more and what is wrong is written down.
 *
 *     LDG R4, [R2]      W2   R4 is in flight until SB2 is waited for, R2 is read until then
 *     IADD3 R2, R2, 4        finding: R2 may not have been read yet
 *     FADD R4, R4, R5   B2   fine
 *     FMUL R6, R4, R4        stall of the FADD 1: finding, 4 cycles needed
 */
import { rawDistance, warDistance, wawDistance } from "../isa/latency.js";
import type { MachineInst } from "../isa/operand.js";
import type { Target } from "../target/types.js";
import { Role } from "./acquire.js";
import { comesAfterReading, drains, keepsOrder, orderOf, orderOfProducts, PRODUCT_ORDER } from "./order.js";
import { type Paths, pathsOf } from "./paths.js";
import { Products } from "./products.js";
import { Report } from "./report.js";
import { ReuseCache } from "./reuse.js";
import {
  ACQUIRE_UNIT,
  complement,
  GROUP_SB,
  GROUP_UNIT,
  guardUnit,
  isPerThread,
  type Sites,
  sitesOf,
  UNITS,
} from "./sites.js";
import {
  FIXED_READ,
  FIXED_WRITE,
  type Frozen,
  HORIZON,
  isPending,
  join,
  PENDING_READ,
  PENDING_WRITE,
  State,
  sourceOf,
  UNFENCED,
} from "./state.js";
import type { CodeToVerify, Finding } from "./types.js";
import { Waits } from "./waits.js";
import { checkWords } from "./words.js";

/**
 * All hazards of a section of machine code, in order of address; empty when it is safe on every path. Distances are in
 * cycles. Never throws for any words; code that it cannot follow is a finding of kind `unknown`.
 */
export function verifyHazards(code: CodeToVerify, target: Target): readonly Finding[] {
  const sites = sitesOf(code.words, target, code.withoutOrder === true ? orderOfProducts : orderOf);
  const paths = pathsOf(code, sites.insts);
  const report = new Report(code.name, sites);
  const checker = new Checker(sites, paths, target, report);
  checker.solve();
  checker.report();
  checkWords(sites, paths, checker.reached(), code.words, report);
  return report.sorted();
}

class Checker {
  private readonly state = new State();
  /** For code with products of warp groups. */
  private readonly products: Products | null;
  private readonly cache: ReuseCache;
  private readonly waits: Waits;
  private readonly at: (Frozen | null)[];
  private reporting = false;

  constructor(
    private readonly sites: Sites,
    private readonly paths: Paths,
    private readonly target: Target,
    private readonly found: Report,
  ) {
    this.at = new Array(paths.blocks.length).fill(null);
    this.cache = new ReuseCache(sites, this.state, found);
    this.waits = new Waits(sites, this.state, found);
    this.products = sites.order.includes(PRODUCT_ORDER) ? new Products(sites, this.state, found) : null;
  }

  reached(): readonly boolean[] {
    return this.at.map((s) => s !== null);
  }

  /** Repeats blocks, in order of address, until the states before them are stable. */
  solve(): void {
    const { blocks, next, roots } = this.paths;
    const waiting = new Uint8Array(blocks.length);
    const nothing: Frozen = new Int32Array(0);
    for (const r of roots) {
      this.at[r] = nothing;
      waiting[r] = 1;
    }
    for (let again = true; again; ) {
      again = false;
      for (let id = 0; id < blocks.length; id++) {
        if (waiting[id] === 0) continue;
        waiting[id] = 0;
        this.block(id);
        const out = this.state.freeze();
        for (const s of next[id]!) {
          const before = this.at[s]!;
          const after = before === null ? out : join(before, out);
          if (after === before) continue;
          this.at[s] = after;
          waiting[s] = 1;
          if (s <= id) again = true;
        }
      }
    }
  }

  report(): void {
    this.reporting = true;
    for (let id = 0; id < this.paths.blocks.length; id++) if (this.at[id] !== null) this.block(id);
  }

  private block(id: number): void {
    const b = this.paths.blocks[id]!;
    this.state.thaw(this.at[id]!);
    for (let i = b.start; i < b.end; i++) this.step(i);
    if (this.paths.leaves[id] === 1) this.leave(b.end - 1);
  }

  private step(i: number): void {
    const { sites, state } = this;
    const inst = sites.asked[i]!;
    if (sites.wait[i] !== 0) this.waits.wait(sites.wait[i]!, state.now);
    if (inst === null) {
      state.now += sites.stall[i]!;
      return;
    }
    // A DEPBAR sees one cycle later what its control word would not see yet (TEX and SHFL of sm_75 stand one in front).
    if (sites.barrier[i] !== 0)
      this.waits.wait(sites.barrier[i]!, state.now + (sites.barrier[i] === 1 << GROUP_SB ? 0 : 1));
    if (sites.counted[i] !== 0) this.waits.counted(i, this.reporting);
    if (sites.role[i] !== Role.None) this.acquire(i);
    this.reads(i, inst);
    this.cache.step(i, this.reporting);
    this.writes(i, inst);
    this.forgetGuards(i);
    this.enter(i);
    state.now += sites.stall[i]!;
  }

  private reads(i: number, inst: MachineInst): void {
    const { sites, state } = this;
    const guard = sites.guard[i]!;
    const product = this.products?.isProduct(i) ?? false;
    if (product && this.reporting) this.products!.check(i);
    for (let k = sites.readStart[i]!; k < sites.readStart[i + 1]!; k++) {
      const u = sites.readUnit[k]!;
      const slot = sites.readSlot[k]!;
      for (let e = state.head[u]!; e >= 0; e = state.next[e]!) {
        const kind = state.kind[e]!;
        if (kind !== FIXED_WRITE && kind !== PENDING_WRITE) continue;
        if (apart(guard, state.guard[e]!, u)) continue;
        if (kind === PENDING_WRITE) {
          if (this.reporting && !(product && this.products!.chains(i, slot, e)))
            this.found.pending("result", i, state, e, u);
          continue;
        }
        const cycles = state.now - state.time[e]!;
        if (cycles >= HORIZON) continue;
        const need = this.raw(state.source[e]!, inst, slot);
        if (cycles < need && this.reporting) this.found.distance("raw", i, state.source[e]!, u, need, cycles);
      }
    }
  }

  private writes(i: number, inst: MachineInst): void {
    const { sites, state } = this;
    const guard = sites.guard[i]!;
    for (let k = sites.writeStart[i]!; k < sites.writeStart[i + 1]!; k++) {
      const u = sites.writeUnit[k]!;
      const slot = sites.writeSlot[k]!;
      let before = -1;
      for (let e = state.head[u]!; e >= 0; ) {
        if (!apart(guard, state.guard[e]!, u) && this.reporting) this.overwrites(i, inst, slot, u, e);
        if (guard === 0 || guard === state.guard[e]!) e = state.drop(u, before, e);
        else {
          before = e;
          e = state.next[e]!;
        }
      }
    }
  }

  /** Strong accesses, and what may not issue before they are done. */
  private acquire(i: number): void {
    const { sites, state } = this;
    const role = sites.role[i]!;
    if (role === Role.Invalidates) {
      if (!this.reporting) return;
      for (let e = state.head[ACQUIRE_UNIT]!; e >= 0; e = state.next[e]!) this.found.acquire(i, state, e);
      return;
    }
    // A fence ends them, and the last one is what counts, unless they may not be executed.
    if (sites.guard[i] === 0)
      while (state.head[ACQUIRE_UNIT]! >= 0) state.drop(ACQUIRE_UNIT, -1, state.head[ACQUIRE_UNIT]!);
    if (role === Role.Acquires) this.pending(ACQUIRE_UNIT, PENDING_WRITE, i, 0, sites.writeSb[i]!, sites.order[i]!);
  }

  /** May instruction i write unit u while entry e is in its list? */
  private overwrites(i: number, inst: MachineInst, slot: number, u: number, e: number): void {
    const { state, sites } = this;
    const kind = state.kind[e]!;
    const source = state.source[e]!;
    if (kind === UNFENCED) return;
    if (isPending(kind)) {
      if (state.order[e] === PRODUCT_ORDER && sites.order[i] === PRODUCT_ORDER) return;
      if (keepsOrder(state.order[e]!, sites.order[i]!, kind === PENDING_READ)) return;
      if (kind === PENDING_READ && comesAfterReading(state.order[e]!, inst)) return;
      this.found.pending(kind === PENDING_WRITE ? "overwrite" : "operand", i, state, e, u);
      return;
    }
    const cycles = state.now - state.time[e]!;
    if (cycles >= HORIZON) return;
    const need = kind === FIXED_WRITE ? this.waw(source, inst, slot) : this.war(source, inst, slot);
    if (cycles < need) this.found.distance(kind === FIXED_WRITE ? "waw" : "war", i, source, u, need, cycles);
  }

  private raw(source: number, consumer: MachineInst, slot: number): number {
    return rawDistance(this.sites.asked[source >> 5]!, slotOf(source), consumer, slot, this.target);
  }

  private waw(source: number, second: MachineInst, slot: number): number {
    return wawDistance(this.sites.asked[source >> 5]!, slotOf(source), second, slot, this.target);
  }

  private war(source: number, writer: MachineInst, slot: number): number {
    return warDistance(this.sites.asked[source >> 5]!, slotOf(source), writer, slot, this.target);
  }

  /** A predicate that is written is no longer the one under which earlier instructions ran. */
  private forgetGuards(i: number): void {
    const { sites, state } = this;
    for (let k = sites.writeStart[i]!; k < sites.writeStart[i + 1]!; k++) {
      const p = sites.writeUnit[k]!;
      if (p < 512) continue;
      for (let u = 0; u < UNITS; u++)
        for (let e = state.head[u]!; e >= 0; e = state.next[e]!)
          if (state.guard[e] !== 0 && guardUnit(state.guard[e]!) === p) state.guard[e] = 0;
    }
  }

  /** The instruction is in flight. */
  private enter(i: number): void {
    const { sites, state } = this;
    const t = sites.timing[i]!;
    const sbs = sites.writeSb[i]! | sites.readSb[i]!;
    const order = sites.order[i]!;
    if (drains(sites.asked[i]!, this.target)) this.waits.drain();
    if (sites.asked[i]!.form.name === "WARPGROUP.ARRIVE") this.products?.arrive(i);
    const product = order === PRODUCT_ORDER;
    if (product) this.products!.enter(i);
    if (order !== 0 && sbs !== 0 && !product) this.waits.coverEarlier(order, sites.writeSb[i]!, sbs, i);
    if (sites.asked[i]!.form.op === "LDGDEPBAR") this.pending(GROUP_UNIT, PENDING_WRITE, i, 0, sites.writeSb[i]!, 0);
    for (let k = sites.readStart[i]!; k < sites.readStart[i + 1]!; k++) {
      const u = sites.readUnit[k]!;
      const slot = sites.readSlot[k]!;
      if (product && u < 256) continue;
      // Predicates and what guards the instruction are read as it issues.
      if (t.read && u < 256) this.pending(u, PENDING_READ, i, slot, sbs, order);
      else if (!this.knownRead(u, i, slot)) state.add(u, FIXED_READ, sourceOf(i, slot), state.now, sites.guard[i]!);
    }
    if (product) return;
    for (let k = sites.writeStart[i]!; k < sites.writeStart[i + 1]!; k++) {
      const u = sites.writeUnit[k]!;
      const slot = sites.writeSlot[k]!;
      this.products?.mark(i, u, slot);
      if (t.write) this.pending(u, PENDING_WRITE, i, slot, this.tells(i, u), order);
      else state.add(u, FIXED_WRITE, sourceOf(i, slot), state.now, sites.guard[i]!);
    }
  }

  /** Scoreboards that tell that unit u is written. */
  private tells(i: number, u: number): number {
    const { sites } = this;
    const { memory } = sites.insts[i]!.form;
    // Whether an address is that of shared memory is known as soon as the operands of a generic atomic are read (ptxas -O3).
    const early = u >= 512 && memory?.space === "generic" && memory.access === "atomic";
    return sites.writeSb[i]! | (early ? sites.readSb[i]! : 0);
  }

  /** Drops reads of the unit that no longer matter; whether this instruction is noted already (a pair read twice). */
  private knownRead(u: number, i: number, slot: number): boolean {
    const { state } = this;
    const source = sourceOf(i, slot);
    let known = false;
    let before = -1;
    for (let e = state.head[u]!; e >= 0; ) {
      if (state.kind[e] === FIXED_READ && state.now - state.time[e]! >= HORIZON) e = state.drop(u, before, e);
      else {
        if (state.kind[e] === FIXED_READ && state.source[e] === source && state.time[e] === state.now) known = true;
        before = e;
        e = state.next[e]!;
      }
    }
    return known;
  }

  private pending(u: number, kind: number, i: number, slot: number, mask: number, order: number): void {
    const { sites, state } = this;
    const guard = sites.guard[i]!;
    let e = state.head[u]!;
    while (
      e >= 0 &&
      (state.kind[e] !== kind || state.mask[e] !== mask || state.order[e] !== order || state.guard[e] !== guard)
    )
      e = state.next[e]!;
    if (e < 0) e = state.add(u, kind, 0, 0, guard);
    state.source[e] = sourceOf(i, slot);
    state.time[e] = state.now + sites.ripe[i]!;
    state.mask[e] = mask;
    state.ripe[e] = 0;
    state.followers[e] = 0;
    state.order[e] = order;
  }

  /** After a call out of the code, or a return, nothing is known: nothing may be in flight. */
  private leave(i: number): void {
    const { state } = this;
    for (let u = 0; u < UNITS; u++) {
      if (this.reporting)
        for (let e = state.head[u]!; e >= 0; e = state.next[e]!)
          if (isPending(state.kind[e]!) && u < GROUP_UNIT) this.found.pending("call", i, state, e, u);
    }
    const { now } = state;
    state.clear();
    state.now = now;
  }
}

const slotOf = (source: number): number => (source & 31) - 2;

/** Do the two instructions touch different threads' copies of the unit? */
function apart(a: number, b: number, unit: number): boolean {
  if (a === 0 || b === 0 || complement(a) !== b) return false;
  return isPerThread(unit) || guardUnit(a) >= 520;
}
