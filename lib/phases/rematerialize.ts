/**
 * OriDoRemat: what a word of a constant bank, a literal or a special register says is read again after a place that needs more registers
 * than there should be, instead of being kept across it.
 *
 *     b0                                    b0
 *       LDC.64 %R2, c[0x0][0x220]             LDC.64 %R2, c[0x0][0x220]
 *       LEA %R9, %R4, %R2, 0x2                LEA %R9, %R4, %R2, 0x2
 *     b1  ; all registers are needed   →    b1
 *       …                                     …
 *     b2                                    b2
 *                                             LDC.64 %R17, c[0x0][0x220]
 *       STG.E desc[…][%R2.64], %R5            STG.E desc[…][%R17.64], %R5
 *
 * A block is crowded where its order needs more than the registers that a schedule may keep live (sched/budget.ts). A value that lives into one
 * and is read in it only after the crowded place, later or not at all, is made anew where it is read: in the block of the reader, or before a
 * loop around it that has no crowded block. Then the same for blocks whose order has registers enough, but not for all loads that could be in
 * flight, where that costs next to nothing. ptxas does so at -O2 and above (wiki page 25; 13.0.88: the loop of a product
 * loads `c[0x0][0x214]` again in each block that reads it, and `c[0x0][0x390]` at its start). It comes after uniform registers are made, which take what all lanes have in common.
 */
import { analysis, Definitions, type Flat } from "../analysis/index.js";
import { insertAtEnd, insertBefore, removeInst, touch } from "../ori/editor.js";
import { copyInst } from "../ori/func.js";
import { isZeroReg } from "../ori/operand.js";
import { type Block, File, type Func, type Inst, Kind, NO_INDEX, type Operand } from "../ori/types.js";
import { type HeuristicParameters, type MayUse, registerLimits, toEndOfUnit } from "../sched/index.js";
import { RewriteCounter } from "./rewrites.js";

/**
 * Copies may be executed so many times as often as the crowded block is, for each register that it is spared: a number of ours. Words of constant
 * banks any number of times: ptxas 13.0.88 loads a pointer again in each of 2, 8 or 16 blocks of a loop that read it after a block that needs all
 * registers, and without such a block, too (sm_90, sm_100).
 */
const MOST_COPIES = 4;

/**
 * The same where a block has registers enough for its order, but not for all loads that could be in flight: a word of 64 bits may be loaded in the
 * block itself. Where one of 32 bits is, too, dgemm on sm_100 issues 7 % more for no cycle.
 */
const COPIES_FOR_ROOM = 0.5;

/** Reads of a value in a block: the first and the last, indices in `Flat.insts`. */
interface Reads {
  first: number;
  last: number;
}

/** A value that can be made anew, and its reads. */
interface Candidate {
  /** Its only definition, index in `Flat.insts`. */
  readonly at: number;
  /** Its first unit, and how many. */
  readonly unit: number;
  readonly width: number;
  /** Units that its definition reads: a copy stands where they are live anyway. */
  readonly sources: readonly number[];
  /** By layout index of the block, in reverse post-order. */
  readonly reads: ReadonlyMap<number, Reads>;
  /** Crowded blocks of the beginning into or out of which it lives. */
  readonly meets: readonly number[];
}

/** Where a candidate is made anew, and what that spares. */
interface Plan {
  readonly candidate: Candidate;
  /** By layout index of a block that reads it: that of the block whose copy it reads; that of the definition: the value itself. */
  readonly source: ReadonlyMap<number, number>;
  /** Crowded blocks that it no longer lives through, or not before its first read and after its last one. */
  readonly spared: ReadonlySet<number>;
  /** Executions of copies over those of the crowded block, for each register. */
  readonly cost: number;
}

/** Returns how many values are made anew somewhere. */
export function rematerialize(
  func: Func,
  parameters: HeuristicParameters,
  may: MayUse = {},
  rewrites: RewriteCounter = new RewriteCounter(),
): number {
  if (!func.virtual || func.milestone === "ssa") return 0;
  const limit = registerLimits(func, parameters, may)[0] as number;
  let reachable = limit;
  let done = 0;
  if (analysis(func, "pressure").R.max > limit) {
    const all = new Rematerialization(func, limit);
    const plans = all.plans();
    // What is needed all the same others may have, too.
    reachable = toEndOfUnit(func, limit, all.needed(), may);
    const few = reachable > limit ? new Rematerialization(func, reachable) : all;
    done = few.carryOut(few === all ? plans : few.plans(), rewrites);
  }
  if (!isShortOfRoom(func, reachable)) return done;
  const room = new Rematerialization(func, reachable, true);
  return done + room.carryOut(room.plans(), rewrites);
}

/** Some block could have more loads in flight if there were more registers. */
function isShortOfRoom(func: Func, limit: number): boolean {
  const { first } = analysis(func, "flat");
  return func.blocks.some((_, b) => {
    const most = mostLive(func, b);
    return (first[b] as number) < (first[b + 1] as number) && most + roomFor(func, b, most) > limit;
  });
}

function mostLive(func: Func, b: number): number {
  const { first } = analysis(func, "flat");
  const { at } = analysis(func, "pressure").R;
  let most = 0;
  for (let i = first[b] as number; i < (first[b + 1] as number); i++) most = Math.max(most, at[i] as number);
  return most;
}

/** Memory that is hundreds of cycles away. */
const far: ReadonlySet<string> = new Set(["global", "generic"]);

/**
 * Registers beyond `most` that a block would keep live if all its loads of far memory that wait for no other such load came first.
 */
function roomFor(func: Func, b: number, most: number): number {
  const { first, defStart, defUnit, defWidth, useStart, useUnit, useWidth, insts, units } = analysis(func, "flat");
  const waits = new Set<number>();
  let wanted = analysis(func, "pressure").R.at[first[b] as number] as number;
  for (let i = first[b] as number; i < (first[b + 1] as number); i++) {
    let late = false;
    for (let u = useStart[i] as number; u < (useStart[i + 1] as number); u++)
      for (let k = 0; k < (useWidth[u] as number); k++) late ||= waits.has((useUnit[u] as number) + k);
    const isLoad = far.has((insts[i] as Inst).form.memory?.space ?? "");
    for (let d = defStart[i] as number; d < (defStart[i + 1] as number); d++) {
      const unit = defUnit[d] as number;
      if (isLoad && !late && units.file[unit] === File.R) wanted += defWidth[d] as number;
      for (let k = 0; k < (defWidth[d] as number); k++) {
        if (isLoad || late) waits.add(unit + k);
        else waits.delete(unit + k);
      }
    }
  }
  return Math.max(0, wanted - most);
}

/** Special registers that are the same as long as the thread runs: SR_LANEID, SR_TID.X to .Z, SR_CTAID.X to .Z, SR_CgaCtaId. */
const lasting: ReadonlySet<number> = new Set([0, 33, 34, 35, 37, 38, 39, 136]);

/** What is made anew: loads of known words, and operations of few cycles. */
const cheap: ReadonlySet<string> = new Set("LDC S2R MOV IADD3 VIADD IMAD LOP3 SHF LEA PRMT".split(" "));

/** Its result depends on nothing but literals, words of constant banks at known places, lasting special registers and registers that it names. */
function isCheap({ form, srcs, guard }: Inst): boolean {
  if (guard !== null || !cheap.has(form.op)) return false;
  return srcs.every((o) => {
    if (o.kind === Kind.Const) return o.index === NO_INDEX && o.id >= 0;
    if (o.kind === Kind.Sreg) return lasting.has(o.id);
    return o.kind === Kind.Imm || o.kind === Kind.None || o.kind === Kind.Reg;
  });
}

class Rematerialization {
  private readonly flat: Flat;
  /** Registers live at each instruction; plans that are taken lower it. */
  private readonly live: Uint16Array;
  /** Instructions at which too many are, by layout index of their block. */
  private readonly crowded: ReadonlyMap<number, readonly number[]>;
  /** Units of values that plans taken make anew, and those that their copies read. */
  private readonly gone: Set<number> = new Set();
  private readonly kept: Set<number> = new Set();

  constructor(
    private readonly func: Func,
    private readonly limit: number,
    private readonly forRoom = false,
  ) {
    this.flat = analysis(func, "flat");
    this.live = analysis(func, "pressure").R.at.slice();
    if (forRoom) this.addRoom();
    const crowded = new Map<number, number[]>();
    this.live.forEach((n, i) => {
      if (n <= limit) return;
      const b = this.flat.block[i] as number;
      const list = crowded.get(b);
      if (list === undefined) crowded.set(b, [i]);
      else list.push(i);
    });
    this.crowded = crowded;
  }

  /** Counts the registers that loads in flight would take, too. */
  private addRoom(): void {
    const { func, flat, live } = this;
    func.blocks.forEach((_, b) => {
      const more = roomFor(func, b, mostLive(func, b));
      for (let i = flat.first[b] as number; i < (flat.first[b + 1] as number); i++)
        live[i] = (live[i] as number) + more;
    });
  }

  /** The cheapest first, until no block is crowded or nothing is left; a plan only gets dearer by those before it. */
  plans(): Plan[] {
    const taken: Plan[] = [];
    const sorted = this.candidates().flatMap((c) => this.plan(c) ?? []);
    const byCost = (a: Plan, b: Plan): number => a.cost - b.cost || a.candidate.at - b.candidate.at;
    sorted.sort(byCost);
    while (sorted.length > 0) {
      const first = this.plan((sorted.shift() as Plan).candidate);
      if (first === null) continue;
      const next = sorted[0];
      if (next !== undefined && byCost(next, first) < 0) {
        sorted.push(first);
        sorted.sort(byCost);
        continue;
      }
      const { unit, width, sources } = first.candidate;
      for (let u = unit; u < unit + width; u++) this.gone.add(u);
      for (const u of sources) this.kept.add(u);
      for (const b of first.spared) for (const i of this.released(first.candidate, b)) this.lower(i, first.candidate);
      taken.push(first);
    }
    return taken;
  }

  /** Registers that the function needs in the order given once the plans are carried out. */
  needed(): number {
    return this.live.reduce((most, n) => Math.max(most, n), 0);
  }

  carryOut(plans: readonly Plan[], rewrites: RewriteCounter): number {
    let done = 0;
    for (const plan of plans) {
      if (!rewrites.open) break;
      const made = this.flat.insts[plan.candidate.at] as Inst;
      this.carry(plan, made);
      rewrites.take(`${made.form.name} again`, made);
      done++;
    }
    if (done > 0) touch(this.func);
    return done;
  }

  private carry({ candidate, source }: Plan, made: Inst): void {
    const { func, flat } = this;
    const value = (made.dsts[0] as Operand).id;
    const home = flat.block[candidate.at] as number;
    const copies = new Map<number, number>();
    for (const [reading, from] of source) {
      if (from === home) continue;
      const block = func.blocks[reading] as Block;
      let copy = copies.get(from);
      if (copy === undefined) {
        copy = func.values.add(File.R, candidate.width);
        copies.set(from, copy);
        const again = copyInst(func, made);
        for (const d of again.dsts) if (d.kind === Kind.Reg && d.file === File.R && d.id === value) d.id = copy;
        const first = candidate.reads.get(from)?.first;
        if (first === undefined) insertAtEnd(func, func.blocks[from] as Block, again);
        else insertBefore(func, func.blocks[from] as Block, flat.insts[first] as Inst, again);
      }
      for (const inst of block.insts)
        for (const o of inst.srcs) if (o.kind === Kind.Reg && o.file === File.R && o.id === value) o.id = copy;
    }
    if ([...source.values()].every((from) => from !== home)) removeInst(func, func.blocks[home] as Block, made);
  }

  private lower(i: number, { width }: Candidate): void {
    this.live[i] = (this.live[i] as number) - width;
  }

  private candidates(): Candidate[] {
    const { flat, func } = this;
    const defs = new Definitions(func);
    const found = new Map<number, Omit<Candidate, "unit" | "meets"> & { readonly reads: Map<number, Reads> }>();
    for (let i = 0; i < flat.insts.length; i++) {
      const inst = flat.insts[i] as Inst;
      const [to, ...more] = inst.dsts;
      if (to === undefined || !isCheap(inst) || to.kind !== Kind.Reg || to.file !== File.R || isZeroReg(to)) continue;
      if (more.some((d) => d.kind === Kind.Reg && !isZeroReg(d)) || to.width !== func.values.width(to.id)) continue;
      const unit = flat.defUnit[flat.defStart[i] as number] as number;
      let single = func.values.fixed(to.id) < 0;
      for (let k = 0; k < to.width; k++) single &&= defs.def[unit + k] === i;
      const sources: number[] = [];
      for (let u = flat.useStart[i] as number; u < (flat.useStart[i + 1] as number); u++) {
        const source = flat.useUnit[u] as number;
        for (let k = 0; k < (flat.useWidth[u] as number); k++) sources.push(source + k);
      }
      single &&= sources.every((u) => (defs.def[u] as number) >= 0 && defs.before(defs.def[u] as number, i));
      if (single) found.set(to.id, { at: i, reads: new Map(), width: to.width, sources });
    }
    this.findReads(found);
    const { liveIn, liveOut } = analysis(func, "liveness");
    const out: Candidate[] = [];
    for (const { at, reads, width, sources } of found.values()) {
      const unit = flat.defUnit[flat.defStart[at] as number] as number;
      const touches = (b: number): boolean => {
        for (let u = unit; u < unit + width; u++) if (liveIn.has(b, u) || liveOut.has(b, u)) return true;
        return false;
      };
      const meets = [...this.crowded.keys()].filter(touches);
      if (meets.length > 0) out.push({ at, unit, width, sources, reads, meets });
    }
    return out;
  }

  /** Fills in who reads; values that are read by anything but a plain operand are left out. */
  private findReads(found: Map<number, { readonly reads: Map<number, Reads> }>): void {
    const { flat, func } = this;
    for (const b of analysis(func, "cfg").rpo) {
      for (let i = flat.first[b] as number; i < (flat.first[b + 1] as number); i++) {
        for (let u = flat.useStart[i] as number; u < (flat.useStart[i + 1] as number); u++) {
          const value = flat.units.owner[flat.useUnit[u] as number] as number;
          const reads = found.get(value)?.reads;
          if (reads === undefined) continue;
          const o = (flat.insts[i] as Inst).srcs[flat.useSlot[u] as number];
          if (o?.kind !== Kind.Reg || o.id !== value) found.delete(value);
          else {
            const known = reads.get(b);
            if (known === undefined) reads.set(b, { first: i, last: i });
            else known.last = i;
          }
        }
      }
    }
  }

  /** Instructions of a crowded block at which the value is kept for others than the readers of this block. */
  private released({ at, unit, width, reads }: Candidate, b: number): number[] {
    const { liveIn, liveOut } = analysis(this.func, "liveness");
    const has = (set: typeof liveIn): boolean => {
      for (let u = unit; u < unit + width; u++) if (set.has(b, u)) return true;
      return false;
    };
    const here = reads.get(b);
    const home = this.flat.block[at] === b;
    const out: number[] = [];
    const from = !home && has(liveIn) ? (here?.first ?? Number.POSITIVE_INFINITY) : -1;
    const after = has(liveOut) ? (here?.last ?? (home ? at : -1)) : Number.POSITIVE_INFINITY;
    for (let i = this.flat.first[b] as number; i < (this.flat.first[b + 1] as number); i++)
      if (i < from || i > after) out.push(i);
    return out;
  }

  private plan(candidate: Candidate): Plan | null {
    const { limit, live, func, flat } = this;
    for (let u = candidate.unit; u < candidate.unit + candidate.width; u++) if (this.kept.has(u)) return null;
    const spared = new Set<number>();
    for (const b of candidate.meets)
      if (this.released(candidate, b).some((i) => (live[i] as number) > limit)) spared.add(b);
    if (spared.size === 0) return null;
    const home = flat.block[candidate.at] as number;
    const source = new Map<number, number>();
    const copies = new Set<number>();
    for (const b of candidate.reads.keys()) {
      const from = b === home ? home : this.place(b, home, copies, spared);
      source.set(b, from);
      if (from !== home) copies.add(from);
    }
    const { liveIn } = analysis(func, "liveness");
    const stands = (u: number): boolean => !this.gone.has(u) && [...copies].every((b) => liveIn.has(b, u));
    if (copies.size === 0 || !candidate.sources.every(stands)) return null;
    const frequencies = analysis(func, "frequencies");
    const often = Math.max(...[...spared].map((b) => frequencies[b] as number));
    const executed = [...copies].reduce((sum, b) => sum + (frequencies[b] as number), 0);
    const cost = executed / Math.max(often, Number.MIN_VALUE) / candidate.width;
    return cost <= this.mostCopies(candidate) ? { candidate, source, spared, cost } : null;
  }

  private mostCopies({ at }: Candidate): number {
    if (this.forRoom) return COPIES_FOR_ROOM;
    return this.flat.insts[at]?.form.op === "LDC" ? Number.POSITIVE_INFINITY : MOST_COPIES;
  }

  /** The block whose copy block `b` reads: one above it that has one, else the best for a new one. */
  private place(b: number, home: number, copies: ReadonlySet<number>, spared: ReadonlySet<number>): number {
    if (spared.has(b)) return b;
    const { idom } = analysis(this.func, "dominators");
    const { depth } = analysis(this.func, "loops");
    let best = b;
    for (let d = b; ; d = idom[d] as number) {
      if (d !== b && spared.has(d)) break;
      if (d === home || copies.has(d)) {
        if (this.crosses(d, b, spared)) break;
        return d;
      }
      if ((depth[d] as number) < (depth[best] as number)) best = d;
      const up = idom[d] as number;
      if (up < 0 || this.leavesSpared(d, up, spared)) break;
    }
    return best === b || this.crosses(best, b, spared) ? b : best;
  }

  /** A loop that has a spared block holds `from`, but not `to`. */
  private leavesSpared(from: number, to: number, spared: ReadonlySet<number>): boolean {
    const { loops, innermost } = analysis(this.func, "loops");
    for (let l = innermost[from] as number; l >= 0; l = loops[l]!.parent) {
      const { blocks, parent } = loops[l]!;
      if (blocks.includes(to)) return false;
      if (blocks.some((b) => spared.has(b))) return true;
      if (parent < 0) return false;
    }
    return false;
  }

  /** A path from `above` to `b` goes through a spared block. */
  private crosses(above: number, b: number, spared: ReadonlySet<number>): boolean {
    const { pred, predStart } = analysis(this.func, "cfg");
    const seen = new Set<number>([above]);
    const work = above === b ? [] : [b];
    for (let x = work.pop(); x !== undefined; x = work.pop()) {
      for (let e = predStart[x] as number; e < (predStart[x + 1] as number); e++) {
        const p = pred[e] as number;
        if (seen.has(p)) continue;
        if (spared.has(p)) return true;
        seen.add(p);
        work.push(p);
      }
    }
    return false;
  }
}
