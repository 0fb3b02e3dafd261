/**
 * DoSwitchOptFirst: comparisons of one register with numbers, one after the other, become a branch by table.
 *
 *     t1: ISETP.EQ P, a, 11; @P BRA c1          IADD3 s, a, -11, RZ
 *     t2: ISETP.EQ P, a, 13; @P BRA c2    →     VIMNMX.U32 i, s, 3, PT
 *     d:  …                                     BRX.IDX i   (c1, d, c2, d)
 *
 * What ptxas 13.0.88 does at -O1 and above (chains of 2 to 16 tests on sm_90, others by sample): only blocks that hold a test and nothing
 * else; the first test with that all others from there on make a table in which at least every fifth place is taken; what comes before stays.
 * Of equal numbers the first counts.
 */
import { analysis, type Liveness, unitOf } from "../analysis/index.js";
import { connect, terminator } from "../ori/flow.js";
import { imm, PT, RZ, register } from "../ori/operand.js";
import { type Block, File, type Func, type Inst, Kind, type Operand } from "../ori/types.js";
import { foldBranches, isPlainBranch } from "./branches.js";
import { make } from "./copy-blocks.js";

/** Fewest tests in a table, and most places per test. */
const FEWEST_TESTS = 2;
const PLACES_PER_TEST = 5;

interface Test {
  readonly block: Block;
  readonly compare: Inst;
  readonly value: Operand;
  readonly number: number;
  readonly hit: Block;
  readonly miss: Block;
}

/** Returns how many tables were made. */
export function makeSwitches(func: Func): number {
  if (func.blocks.filter((b) => testOf(func, b) !== null).length < FEWEST_TESTS) return 0;
  foldBranches(func);
  const live = analysis(func, "liveness");
  const { indexOf } = analysis(func, "cfg");
  const tests = new Map<Block, Test>();
  for (const b of func.blocks) {
    const t = testOf(func, b);
    if (t !== null && endsHere(t, live, indexOf)) tests.set(b, t);
  }
  const inChain = new Set<Block>();
  let count = 0;
  for (const block of func.blocks) {
    if (inChain.has(block)) continue;
    const chain = chainFrom(block, tests);
    for (const t of chain) inChain.add(t.block);
    const first = chain.findIndex((_, i) => isDense(chain.slice(i)));
    if (first < 0) continue;
    replace(func, chain.slice(first));
    count++;
  }
  if (count === 0) return 0;
  connect(func);
  func.generation++;
  foldBranches(func);
  return count;
}

/** The test that is all there is in a block. */
function testOf(func: Func, block: Block): Test | null {
  const [compare, branch] = block.insts;
  if (compare === undefined || block.insts.length !== 2 || branch !== terminator(block)) return null;
  if (!isPlainBranch(branch) || branch.guard === null || compare.guard !== null || block.succs.length !== 2)
    return null;
  const { op, mods } = compare.form;
  if (op !== "ISETP" || !mods.includes("AND") || !["EQ", "NE"].includes(mods[0] ?? "") || mods.includes("EX"))
    return null;
  const [p, q] = compare.dsts as [Operand, Operand];
  const [value, number, pin] = compare.srcs as [Operand, Operand, Operand];
  const isTrue = (o: Operand): boolean => o.kind === Kind.Reg && o.id < 0 && o.mods === 0;
  if (!isTrue(q) || !isTrue(pin) || branch.guard.id !== p.id || branch.guard.file !== p.file) return null;
  if (value.kind !== Kind.Reg || value.id < 0 || value.mods !== 0 || numberIn(number) === null) return null;
  const [next, far] = block.succs as [Block, Block];
  const target = branch.srcs.find((o) => o.kind === Kind.Label)?.id;
  if (far.id !== target || !func.virtual) return null;
  const goes = (mods[0] === "EQ") !== branch.guard.not;
  return { block, compare, value, number: numberIn(number) ?? 0, hit: goes ? far : next, miss: goes ? next : far };
}

/** A literal as a signed number of 32 bits; RZ is 0. */
function numberIn(o: Operand): number | null {
  if (o.kind === Kind.Imm) return o.value | 0;
  return o.kind === Kind.Reg && o.file === File.R && o.id < 0 && o.mods === 0 ? 0 : null;
}

/** Nobody reads the predicate afterwards. */
function endsHere({ compare, hit, miss }: Test, live: Liveness, indexOf: Int32Array): boolean {
  const unit = unitOf(live.flat.units, compare.dsts[0] as Operand);
  return [hit, miss].every((b) => !live.liveIn.has(indexOf[b.id] as number, unit));
}

/** Tests that follow one another on the ways of those that do not hold. */
function chainFrom(block: Block, tests: ReadonlyMap<Block, Test>): Test[] {
  const chain: Test[] = [];
  const seen = new Set<Block>();
  for (let t = tests.get(block); t !== undefined && !seen.has(t.block); t = tests.get(t.miss)) {
    const [first] = chain;
    if (first !== undefined && (t.block.preds.length !== 1 || !sameValue(first, t))) break;
    seen.add(t.block);
    chain.push(t);
  }
  return chain;
}

const sameValue = (a: Test, b: Test): boolean => a.value.id === b.value.id && a.value.sub === b.value.sub;

const range = (chain: readonly Test[]): { from: number; places: number } => {
  const numbers = chain.map((t) => t.number);
  const from = numbers.reduce((a, b) => Math.min(a, b));
  return { from, places: numbers.reduce((a, b) => Math.max(a, b)) - from + 1 };
};

function isDense(chain: readonly Test[]): boolean {
  return chain.length >= FEWEST_TESTS && range(chain).places <= PLACES_PER_TEST * chain.length;
}

function replace(func: Func, chain: readonly Test[]): void {
  const [first] = chain as [Test];
  const { from, places } = range(chain);
  const other = (chain[chain.length - 1] as Test).miss.id;
  const targets = new Array<number>(places + 1).fill(other);
  for (const t of [...chain].reverse()) targets[t.number - from] = t.hit.id;
  const fresh = (): Operand => register(File.R, func.values.add(File.R));
  const [distance, index] = [fresh(), fresh()];
  const minimum = func.target.has("vimnmx") ? "VIMNMX.U32" : "IMNMX.U32";
  const insts = [
    make(func, "IADD3", { d: distance }, [first.value, imm(-from), RZ()], first.compare),
    make(func, minimum, [index], [{ ...distance }, imm(places), PT()], first.compare),
    make(func, "BRX.IDX", [], [{ ...index }], first.compare),
  ];
  (insts[2] as Inst).table = { targets, offset: -1 };
  for (const i of insts) i.origin = first.compare.id;
  first.block.insts = insts;
}
