/**
 * Two arms in a row under one predicate: who passed the first by passes the second by, so the branch around the first goes
 * around both, and their regions are one.
 *
 *     BSSY B1, j; @P BRA s                    BSSY B1, m; @P BRA t
 *     a                                       a
 *     s: BSYNC B1                       →
 *     j: BSSY B2, m; @P BRA t
 *     b                                       b
 *     t: BSYNC B2                             t: BSYNC B1
 *     m: …                                    m: …
 *
 * ptxas 13.0.88 does so, and keeps the branch however short the arms are, where one of them stores or reads shared memory and
 * nothing that the first writes is needed after both unless the second writes it, too (asked on 60 pairs of arms, sm_90). All others are
 * two arms to it, each of which may become straight code. So are pairs between which something comes to stand: what is computed for the
 * second arm alone moves there where that frees registers, and so does a predicate that is made of others (asked on 22 pairs, sm_90;
 * Triton's stores of a tile have an address each).
 */
import {
  analysis,
  Definitions,
  isLanewise,
  type Liveness,
  loadsFar,
  readsConstants,
  unitOf,
} from "../analysis/index.js";
import { connect, terminator } from "../ori/flow.js";
import { clone, indexOf as indexRegister, isReg, part, preg } from "../ori/operand.js";
import { type Block, File, type Func, type Inst, Kind, type Operand, ZERO_REG } from "../ori/types.js";
import { isPlainBranch } from "./branches.js";

/** The two arms of one predicate. */
export interface EqualTests {
  readonly head: Block;
  readonly first: Block;
  /** Where the first arm and its branch meet: perhaps the end of their region; the last of them tests again. */
  readonly between: readonly Block[];
  readonly second: Block;
  readonly after: Block;
}

/** All pairs that are joined. */
export function equalTests(func: Func): EqualTests[] {
  const { indexOf } = analysis(func, "cfg");
  const found: EqualTests[] = [];
  let live: Liveness | null = null;
  let between: Between | null = null;
  for (const head of func.blocks) {
    const pair = pairAt(head);
    if (pair === null || ![pair.first, pair.second].some((b) => b.insts.some(needsMemory))) continue;
    if (regionsAt(func, pair) === null) continue;
    between ??= new Between(func);
    if (between.isFilled(pair)) continue;
    live ??= analysis(func, "liveness");
    if (nothingPasses(pair, live, indexOf[pair.after.id] as number)) found.push(pair);
  }
  return found;
}

/** Joins them, and returns how many. */
export function joinEqualTests(func: Func): number {
  const done = new Set<Block>();
  let count = 0;
  for (const pair of equalTests(func)) {
    const blocks = [pair.head, ...pair.between, pair.after];
    const regions = regionsAt(func, pair);
    if (regions === null || blocks.some((b) => done.has(b))) continue;
    join(pair, regions);
    for (const b of blocks) done.add(b);
    count++;
  }
  if (count > 0) {
    connect(func);
    func.generation++;
  }
  return count;
}

function pairAt(head: Block): EqualTests | null {
  const branch = terminator(head);
  if (!isPlainBranch(branch) || branch.guard === null || branch.guard.id === ZERO_REG) return null;
  const [first, meet] = head.succs as [Block, Block | undefined];
  if (meet === undefined || meet.preds.length !== 2 || !isArm(first, head, meet)) return null;
  const between = [meet];
  let test = meet;
  for (; terminator(test) === null && test.insts.every((i) => i.form.op === "BSYNC"); between.push(test)) {
    const [next] = test.succs;
    if (next === undefined || test.succs.length !== 1 || next.preds.length !== 1) return null;
    test = next;
  }
  const again = terminator(test);
  if (!isPlainBranch(again) || !test.insts.every((i) => i === again || isRegion(i))) return null;
  const { guard } = again;
  if (guard === null || guard.file !== branch.guard.file || guard.id !== branch.guard.id) return null;
  if (guard.not !== branch.guard.not || writes(first, guard.file, guard.id)) return null;
  const [second, after] = test.succs as [Block, Block | undefined];
  return after !== undefined && isArm(second, test, after) ? { head, first, between, second, after } : null;
}

const isArm = (arm: Block, head: Block, join: Block): boolean =>
  arm !== join && arm.preds.length === 1 && arm.preds[0] === head && arm.succs.length === 1 && arm.succs[0] === join;

const isRegion = ({ form }: Inst): boolean => form.op === "BSYNC" || form.op === "BSSY";

const writes = (b: Block, file: File, id: number): boolean =>
  b.insts.some((i) => i.dsts.some((o) => o.kind === Kind.Reg && o.file === file && o.id === id));

/** More than a load from global memory, which may come early. */
function needsMemory(inst: Inst): boolean {
  return inst.form.memory !== null && !readsConstants(inst) && !loadsFar(inst);
}

/** What the first arm writes and is read after both, the second writes, too. */
function nothingPasses({ first, second }: EqualTests, live: Liveness, after: number): boolean {
  return first.insts.every((i) =>
    i.dsts.every((o) => {
      if (!isReg(o) || writes(second, o.file, o.id)) return true;
      const u = unitOf(live.flat.units, o);
      for (let k = u; k < u + o.width; k++) if (live.liveIn.has(after, k)) return false;
      return true;
    }),
  );
}

/** What moves between two arms, before the second test. */
class Between {
  private readonly definitions: Definitions;
  private readonly indexOf: Int32Array;
  /** Layout index of the first and of the last block that reads each register. */
  private readonly first: Int32Array;
  private readonly last: Int32Array;

  constructor(func: Func) {
    this.definitions = new Definitions(func);
    this.indexOf = analysis(func, "cfg").indexOf;
    const { count } = this.definitions.units;
    this.first = new Int32Array(count).fill(func.blocks.length);
    this.last = new Int32Array(count).fill(-1);
    for (const [b, block] of func.blocks.entries())
      for (const inst of block.insts)
        for (const s of inst.srcs) {
          const o = indexRegister(s) ?? s;
          if (!isReg(o)) continue;
          const u = unitOf(this.definitions.units, o);
          for (let k = u; k < u + o.width; k++) {
            this.first[k] = Math.min(this.first[k] as number, b);
            this.last[k] = b;
          }
        }
  }

  isFilled({ head, first, second }: EqualTests): boolean {
    const guard = terminator(head)?.guard;
    if (guard?.file === File.P && this.isMadeOfPredicates(preg(guard.id))) return true;
    const [passed, reader] = [this.indexOf[first.id] as number, this.indexOf[second.id] as number];
    return second.insts.some((i) => i.srcs.some((o) => isReg(o) && this.sinks(o, reader, passed)));
  }

  private unit(o: Operand): number {
    return unitOf(this.definitions.units, o);
  }

  private isMadeOfPredicates(p: Operand): boolean {
    const made = this.definitions.definition(p);
    return made?.srcs.some((o) => isReg(o) && o.file === File.P) ?? false;
  }

  /**
   * Words of the register are computed before the first arm from fewer than they are, and read nowhere before the second. `reader`, `passed`: layout
   * indices of the second arm and of the first, which they would pass.
   */
  private sinks(o: Operand, reader: number, passed: number): boolean {
    if (o.file !== File.R) return false;
    const { flat } = this.definitions;
    const words = Array.from({ length: o.width }, (_, k) => this.definitions.indexOf(part(o, k)));
    return words.some((at, k) => {
      const made = flat.insts[at];
      if (made === undefined || this.first[this.unit(o) + k] !== reader || (flat.block[at] as number) >= passed)
        return false;
      if (!isLanewise(made) || made.form.op === "MOV") return false;
      return this.kept(made, passed, DEPTH) < words.filter((other) => other === at).length;
    });
  }

  /** Registers that would have to live on for the sources of an instruction; those that do anyway and constants do not count. */
  private kept(inst: Inst, passed: number, depth: number): number {
    let registers = 0;
    for (const s of inst.srcs) {
      if (!isReg(s) || s.file !== File.R || (this.last[this.unit(s)] as number) >= passed) continue;
      const made = this.definitions.definition(part(s, 0));
      if (made !== null && readsConstants(made)) continue;
      const further = made !== null && isLanewise(made) && depth > 0 ? this.kept(made, passed, depth - 1) : s.width;
      registers += Math.min(s.width, further);
    }
    return registers;
  }
}

/** Steps from a register to what it is computed from: as many as an address of nvcc or Triton takes; a number of ours. */
const DEPTH = 4;

interface Regions {
  readonly opens: Inst;
  readonly opensAgain: Inst;
  readonly outer: Operand;
  readonly inner: Operand;
}

/** The regions of the two branches; "none": neither has one; null: what brings lanes together is not of that form. */
function regionsAt(func: Func, { head, between, after }: EqualTests): Regions | "none" | null {
  const test = between[between.length - 1] as Block;
  const opensIn = (b: Block): Inst | undefined => b.insts.findLast((i) => i.form.op === "BSSY");
  const [opens, opensAgain] = [opensIn(head), opensIn(test)];
  if (!between.some((b) => b.insts.some(isRegion))) return "none";
  const outer = opens && barrierOf(opens.dsts);
  const inner = opensAgain && barrierOf(opensAgain.dsts);
  if (opens === undefined || opensAgain === undefined || outer === undefined || inner === undefined) return null;
  return closes(func, outer, between) && closes(func, inner, [after]) ? { opens, opensAgain, outer, inner } : null;
}

function join(pair: EqualTests, regions: Regions | "none"): void {
  const { head, between, after } = pair;
  const test = between[between.length - 1] as Block;
  const [branch, again] = [terminator(head) as Inst, terminator(test) as Inst];
  branch.srcs = again.srcs.map(clone);
  test.insts.pop();
  if (regions === "none") return;
  const { opens, opensAgain, outer, inner } = regions;
  for (const b of between) b.insts = b.insts.filter((i) => !isRegion(i));
  opens.srcs = opensAgain.srcs.map(clone);
  for (const i of after.insts)
    if (i.form.op === "BSYNC") for (const o of i.srcs) if (sameBarrier(o, inner)) o.id = outer.id;
}

const isBarrier = (o: Operand): boolean => o.kind === Kind.Reg && o.file === File.B;
const barrierOf = (operands: readonly Operand[]): Operand | undefined => operands.find(isBarrier);
const sameBarrier = (o: Operand, barrier: Operand): boolean => isBarrier(o) && o.id === barrier.id;

/** One BSYNC ends the region of this barrier, in one of these blocks, and nothing but that and its BSSY names it. */
function closes(func: Func, barrier: Operand, blocks: readonly Block[]): boolean {
  const names = func.blocks.flatMap((b) =>
    b.insts.filter((i) => [...i.dsts, ...i.srcs].some((o) => sameBarrier(o, barrier))).map((i) => ({ b, i })),
  );
  const sync = names.find(({ i }) => i.form.op === "BSYNC");
  return names.length === 2 && sync !== undefined && blocks.includes(sync.b);
}
