/**
 * What ptxas says about products of warp groups (infos, from -O1 on; 13.0.88, sm_90a). Where it puts a wait or an arrive of its own:
 *
 *     C7517   an instruction reads what a product in flight writes, or the kernel ends: the line of that instruction, once until the next product
 *     C7519   a product reads registers that were written and not handed over by `wgmma.fence`: its line
 *
 * Where it gives up, and lets one product end before the next begins:
 *
 *     C7509   the kernel calls a function that is not in the module: nothing else of this kind is said
 *     C7513   in a loop of one block, what a product of a closed group reads from registers is written before any wait
 *     C7514   sums are read before the last product of their group, after a wait that leaves groups under way, or in a loop with their products
 *     C7515   sums in flight are written, and not read before the wait
 *     C7518   a wait of its own, for products where lanes are apart
 *     C7520   an arrive of its own where lanes are apart: nothing more is said
 *
 * Told only where ptxas is known to say so (test/oracle/wgmma-remarks.test.ts): groups that are committed in the block of their products. Of other code,
 * for which it has more words (C7510 to C7512), nothing is said.
 */

import {
  isArrive,
  isRegular,
  State,
  takeOther,
  takeProduct,
  waitsFor,
  writesInFlight,
} from "../../analysis/in-flight.js";
import { analysis } from "../../analysis/index.js";
import { isProduct, isWait } from "../../analysis/products.js";
import { type Diagnostic, diagnostic } from "../../diagnostics.js";
import { type Block, type Func, type Inst, Kind, ZERO_REG } from "../../ori/types.js";

/** Groups left by a wait that also covers the open one. */
const ALL = -1;

/** Why ptxas lets one product end before the next begins, in its words. */
const GIVEN_UP = {
  C7509: "the presence of Extern calls",
  C7513: "non wgmma instructions defining input registers of a wgmma between start and end of the pipeline stage",
  C7514: "non wgmma instructions reading accumulator registers of  a wgmma between start and end of the pipeline stage",
  C7515: "non wgmma instructions defining accumulator registers of a wgmma between start and end of the pipeline stage",
  C7518: "program dependence on compiler-inserted WG.DP in divergent path",
  C7520: "program dependence on compiler-inserted WG.AR in divergent path",
} as const;

type GivenUp = keyof typeof GIVEN_UP;

interface Told {
  readonly arrive: Set<Inst>;
  readonly wait: Set<Inst>;
  readonly givenUp: Set<GivenUp>;
  /** Sums that start from literals: ptxas says nothing of them. */
  readonly started: Set<number>;
  /** Values that others than products read. */
  readonly used: ReadonlySet<number>;
  /** Blocks from which a path leads back to them. */
  readonly looping: ReadonlySet<Block>;
  /** A call of a function that is not in the module. */
  readonly isExtern: (call: Inst) => boolean;
  /** Blocks in which PTX waits. */
  readonly waits: Set<Block>;
}

/** What this page must know beside what is in flight, at a point of the code. */
class Stage extends State {
  /** Sums in flight that were written. */
  readonly written: Set<number> = new Set();
  /** Not all that is in flight waits for the same: a wait has left groups under way, there was one on some paths only, or sums were read too early. */
  partial = false;
  /** Some path has come here; some of them over a product. */
  reached = false;
  begun = false;

  override merge(o: Stage): boolean {
    const before = this.written.size;
    const { partial, reached, begun } = this;
    for (const x of o.written) this.written.add(x);
    this.partial ||= o.partial || (reached && this.begun && o.begun && this.busy !== o.busy);
    this.reached = true;
    this.begun ||= o.begun;
    const grew = super.merge(o) || this.written.size > before;
    return grew || this.partial !== partial || !reached || this.begun !== begun;
  }

  override done(left: number): void {
    super.done(left);
    this.partial = left > 0 && this.busy;
    for (const x of this.written) if (!this.isWritten(x)) this.written.delete(x);
  }

  /** The group of what the instruction reads has a product to come. */
  readsOpen(inst: Inst): boolean {
    return inst.srcs.some((o) => o.kind === Kind.Reg && this.writes[0]?.has(o.id) === true);
  }
}

/** A literal, or the one in another part of the same register. */
function startsSums({ form, dsts: [d], srcs: [s] }: Inst): boolean {
  if (form.op !== "MOV" || d === undefined || s === undefined) return false;
  return s.kind === Kind.Imm || s.id === ZERO_REG || s.id === d.id;
}

/**
 * Factors are written that products in flight read: the next round of a loop needs the same registers (elsewhere ptxas takes others, and says
 * nothing). False: nothing is known of what ptxas says.
 */
function writesFactors(block: Block, inst: Inst, state: Stage, told: Told): boolean {
  const written = inst.dsts.filter((o) => o.kind === Kind.Reg && state.isRead(o.id));
  const before = block.insts.slice(0, block.insts.indexOf(inst)).filter((i) => isProduct(i.form.op));
  const known =
    inst.guard === null &&
    !state.partial &&
    block.succs.includes(block) &&
    written.every((o) => state.reads[0]?.has(o.id) === false && before.some((i) => i.srcs.some((f) => f.id === o.id)));
  if (!known) return false;
  told.givenUp.add("C7513");
  for (const o of written) state.fresh.add(o.id);
  return true;
}

/** An instruction that touches what is in flight; false: nothing is known of what ptxas says. */
function touches(block: Block, inst: Inst, state: Stage, told: Told): boolean {
  const reads = inst.srcs.some((o) => o.kind === Kind.Reg && state.isWritten(o.id));
  const sums = inst.dsts.some((o) => o.kind === Kind.Reg && state.isWritten(o.id));
  if (!reads && !sums && inst.dsts.some((o) => o.kind === Kind.Reg && state.isRead(o.id)))
    return writesFactors(block, inst, state, told);
  if (writesInFlight(state, inst)) {
    if (reads || inst.guard !== null || inst.dsts.some((o) => o.kind === Kind.Reg && state.isRead(o.id))) return false;
    for (const o of inst.dsts) {
      if (o.kind !== Kind.Reg || o.id === ZERO_REG) continue;
      // Of groups with several sums it depends on where the commit stands.
      if (state.writes.some((group) => group.size > 1 && group.has(o.id))) return false;
      state.written.add(o.id);
    }
    return true;
  }
  if (state.partial || state.readsOpen(inst)) {
    told.givenUp.add("C7514");
    state.partial = true;
    return true;
  }
  // Once it has given up, it puts no more waits.
  if (told.givenUp.size === 0) told.wait.add(inst);
  if (told.looping.has(block)) told.givenUp.add("C7514");
  state.done(ALL);
  takeOther(state, inst);
  return true;
}

/** Follows one block; false: nothing is known of what ptxas says. */
function follow(block: Block, state: Stage, told: Told): boolean {
  // What another block handed over does not count.
  let handed = false;
  let waited = false;
  for (const inst of block.insts) {
    if (inst.form.flow === "call") {
      // Of functions of the module it depends on what they do.
      if (!told.isExtern(inst)) return false;
      told.givenUp.add("C7509");
      continue;
    }
    if (isProduct(inst.form.op)) {
      if (state.written.size > 0) return false;
      state.begun = true;
      const { free, arrive: fresh } = takeProduct(state, inst);
      const arrive = fresh || !handed;
      // Where paths meet, ptxas may have made one block of all; what it serializes it hands over anew.
      const joins = block.preds.length > 1 && !told.looping.has(block);
      if (!fresh && (handed ? waited && told.givenUp.size > 0 : joins)) return false;
      handed = true;
      if (!free || !told.used.has(inst.dsts[0]?.id ?? -1)) return false;
      if (arrive && [...inst.dsts, ...inst.srcs].some((o) => told.started.has(o.id))) return false;
      if (arrive && told.givenUp.has("C7509") && !told.arrive.has(inst)) return false;
      if (arrive) {
        told.arrive.add(inst);
        state.fresh.clear();
      }
    } else if (isArrive(inst)) {
      if (state.busy) return false;
      handed = true;
      waited = false;
      state.fresh.clear();
    } else if (isWait(inst)) {
      const left = waitsFor(inst);
      if (!state.begun) return false;
      told.waits.add(block);
      if (left === 0 && state.written.size > 0) told.givenUp.add("C7515");
      state.done(left);
      waited = true;
    } else if (startsSums(inst) && takeOther(state, inst)) {
      for (const o of inst.dsts) told.started.add(o.id);
    } else if (!takeOther(state, inst) && !touches(block, inst, state, told)) return false;
  }
  const last = block.insts.at(-1);
  if (block.succs.length > 0 || !state.busy || last === undefined) return true;
  told.wait.add(last);
  return state.written.size === 0;
}

/** Blocks from which a path leads back to them. */
function looping(func: Func): Set<Block> {
  const reached = (from: Block): boolean => {
    const seen = new Set<Block>(from.succs);
    for (const b of seen) for (const s of b.succs) seen.add(s);
    return seen.has(from);
  };
  return new Set(func.blocks.filter(reached));
}

/** Whether the kernel may end, from the block on, without coming to the other. */
function avoids(from: Block, other: Block): boolean {
  const seen = new Set<Block>([from]);
  for (const b of seen) {
    if (b.succs.length === 0) return true;
    for (const s of b.succs) if (s !== other) seen.add(s);
  }
  return false;
}

const ends = ({ insts }: Block): boolean => insts.length === 1 && insts[0]?.form.flow === "exit";

/** Blocks between a branch at which lanes part and the block to which all of them come: regions are put in later. */
function blocksApart(func: Func): Set<Block> {
  const { varies } = analysis(func, "divergence");
  const found = new Set<Block>();
  for (const branch of func.blocks) {
    const guard = branch.insts.at(-1)?.guard ?? null;
    // What goes to the end at once is gone: the others are together.
    if (branch.succs.length < 2 || branch.succs.some(ends) || guard === null || varies[guard.id] !== 1) continue;
    const side = new Set<Block>(branch.succs.filter((b) => avoids(branch, b)));
    for (const b of side) for (const s of b.succs) if (avoids(branch, s)) side.add(s);
    for (const b of side) found.add(b);
  }
  return found;
}

/** What stands where lanes are apart: an arrive ends it all, C7518 stands for waits for what is started there. False: nothing is known. */
function apart(func: Func, { arrive, wait, waits, givenUp }: Told): boolean {
  const blocks = blocksApart(func);
  if (blocks.size === 0) return true;
  const started = func.blocks.filter((b) => blocks.has(b) && b.insts.some((i) => isProduct(i.form.op)));
  let late = false;
  for (const block of func.blocks) {
    for (const inst of block.insts) {
      late ||= arrive.has(inst) && blocks.has(block);
      if (!late) continue;
      arrive.delete(inst);
      wait.delete(inst);
    }
  }
  if (late) {
    if (givenUp.size > 0) return false;
    givenUp.clear();
    givenUp.add("C7520");
    return true;
  }
  if (started.length > 0 && givenUp.has("C7515")) return false;
  if (wait.size === 0) return true;
  if (started.length === 0) return ![...waits].some((b) => blocks.has(b));
  if (arrive.size > 0) return false;
  wait.clear();
  givenUp.clear();
  givenUp.add("C7518");
  return true;
}

/** The infos about a kernel, in ptxas's order. */
export function productRemarks(func: Func, functions: ReadonlyMap<string, unknown>): Diagnostic[] {
  const insts = func.blocks.flatMap((b) => b.insts);
  if (!insts.some((i) => isProduct(i.form.op)) || !isRegular(func)) return [];
  const at = new Map<Block, Stage>(func.blocks.map((b) => [b, new Stage()]));
  // Sums that nobody reads: ptxas has other lines for these, as for what no `commit_group` covers.
  const ids = insts.flatMap((i) => (isProduct(i.form.op) ? [] : i.srcs.map((o) => o.id)));
  const told: Told = {
    arrive: new Set(),
    wait: new Set(),
    givenUp: new Set(),
    started: new Set(),
    used: new Set(ids),
    looping: looping(func),
    waits: new Set(),
    isExtern: ({ srcs }) => srcs.some((o) => o.kind === Kind.Sym && !functions.has(o.sym)),
  };
  for (let again = true; again; ) {
    again = false;
    for (const b of func.blocks) {
      const state = new Stage();
      state.merge(at.get(b) as Stage);
      if (!follow(b, state, told)) return [];
      for (const next of b.succs) if ((at.get(next) as Stage).merge(state)) again = true;
    }
  }
  if (!apart(func, told)) return [];
  // What it says of more than the factors is not known.
  if (told.givenUp.has("C7513") && told.givenUp.size + told.arrive.size + told.wait.size > 1) return [];
  if (told.givenUp.has("C7509")) for (const code of told.givenUp) if (code !== "C7509") told.givenUp.delete(code);
  const lines = (insts: ReadonlySet<Inst>): number[] => [...new Set([...insts].flatMap((i) => i.loc?.line ?? []))];
  const said = (code: string, what: string, line: number, why: string): Diagnostic =>
    diagnostic(
      "info",
      `(${code}) warpgroup.${what} is injected in around line ${line} by compiler to allow use of registers ${why} in function '${func.name}'`,
    );
  return [
    ...lines(told.arrive).map((n) => said("C7519", "arrive", n, "in GMMA")),
    ...lines(told.wait).map((n) => said("C7517", "wait", n, "defined by GMMA")),
    ...[...told.givenUp]
      .sort()
      .map((code) =>
        diagnostic(
          "info",
          `(${code}) Potential Performance Loss: wgmma.mma_async instructions are serialized due to ${GIVEN_UP[code]} in the function '${func.name}'`,
        ),
      ),
  ];
}
