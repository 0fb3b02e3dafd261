/**
 * Two instructions on the halves of 64-bit values become one on pairs of registers, on the SMs that have such (`wholePairs`), as ptxas
 * 13.0.88 has them there at -O3: sums, comparisons, selections, copies; a comparison and a selection of what it compares become a
 * minimum or maximum. 0 − x stays two sums, as there.
 *
 *     IADD3 %R3:0, %P4, PT, %R1:0, -%R2:0, RZ
 *     IADD3.X %R3:1, PT, PT, %R1:1, ~%R2:1, RZ, %P4, !PT        →        IADD.64 %R3, %R1, -%R2
 *
 * After the window, when it is known what is uniform, what stands under a guard and which registers are pairs.
 */
import { isWholeMove } from "../analysis/index.js";
import { form, tryForm } from "../isa/form.js";
import { rewriteBlock, touch } from "../ori/editor.js";
import { newInst } from "../ori/func.js";
import { clone, indexOf, isReg, isZeroReg, notPT, PT, RZ, register, sameOperand } from "../ori/operand.js";
import { slotDefault } from "../ori/slots.js";
import { type Block, File, type Func, type Inst, Kind, Mod, type Operand } from "../ori/types.js";
import { encodes } from "../rules/index.js";
import { absent, equal, half, type Loose, lowerHalf, Names, Pairs, pairOf, zero } from "./pair-names.js";

/** Most instructions between two halves: what is farther apart stays, so that the search is linear. */
const REACH = 100;

/** Returns how many instructions were made of two. */
export function joinHalves(func: Func): number {
  if (!func.target.has("wholePairs") || !func.virtual) return 0;
  const names = new Names(func);
  let count = 0;
  for (const block of func.blocks) count += new Joining(func, block, names).run();
  if (count > 0) touch(func);
  return count;
}

interface Whole {
  readonly name: string;
  readonly dsts: Operand[];
  readonly srcs: Operand[];
  readonly loose: readonly Loose[];
}

/** The 64-bit sum of two instructions; null: they are none. */
function sumOf(low: Inst, high: Inst, names: Names | null): Whole | null {
  if (low.form.name !== "IADD3" || !absent(low.dsts[2]) || !high.dsts.slice(1).every(absent)) return null;
  if (!absent(high.srcs[4]) || high.srcs[3]!.mods !== 0) return null;
  const terms = low.srcs.slice(0, 3).filter((o) => !zero(o));
  if (terms.length !== 2) return null;
  const above = high.srcs.slice(0, 3);
  for (let x = 0; x < 3; x++)
    for (let y = 0; y < 3; y++) {
      if (x === y || !zero(above[3 - x - y]!)) continue;
      const pairs = new Pairs(names);
      const d = pairs.result(low.dsts[0]!, high.dsts[0]!);
      const [a, b] = [pairs.of(terms[0]!, above[x]!, false), pairs.of(terms[1]!, above[y]!, false)];
      if (d === null || isZeroReg(d) || a === null || b === null || (a.mods !== 0 && b.mods !== 0)) continue;
      const turned = a.kind !== Kind.Reg || a.file !== File.R;
      return { name: "IADD.64", dsts: [d, PT()], srcs: turned ? [b, a] : [a, b], loose: pairs.loose };
    }
  return null;
}

/** The comparison of 64-bit numbers; null: the two are none. */
function comparisonOf(low: Inst, high: Inst, names: Names | null): Whole | null {
  const [cmp = "", ...rest] = high.form.mods;
  if (low.form.name !== `ISETP.${cmp}.U32.AND` || !absent(low.dsts[1])) return null;
  const [, , pin, link] = high.srcs as [Operand, Operand, Operand, Operand];
  const [a, b, first] = low.srcs as [Operand, Operand, Operand];
  if (link.mods !== 0 || !isZeroReg(first) || first.mods !== 0) return null;
  const pairs = new Pairs(names);
  const [x, y] = [pairs.of(a, high.srcs[0]!, false), pairs.of(b, high.srcs[1]!, false)];
  if (x === null || y === null || x.mods !== 0 || y.mods !== 0) return null;
  const bool = rest.find((m) => m === "AND" || m === "OR" || m === "XOR");
  return {
    name: `ISETP.${cmp}.${rest.includes("U32") ? "U64" : "S64"}.${bool}`,
    dsts: high.dsts,
    srcs: [x, y, pin],
    loose: pairs.loose,
  };
}

/** A number in a uniform register. */
const isUniformLiteral = ({ form, srcs }: Inst): boolean =>
  form.name === "UMOV" && (srcs[0]!.kind === Kind.Imm || isZeroReg(srcs[0]!));

/** One selection or copy of both halves; null: the two are none. */
function pairwise(low: Inst, high: Inst, names: Names | null): Whole | null {
  if (low.form !== high.form) return null;
  const d = pairOf(low.dsts[0]!, high.dsts[0]!, false);
  const move = low.form.name === "MOV";
  const pairs = new Pairs(move || low.form.name === "UMOV" ? null : names);
  const a = pairs.of(low.srcs[0]!, high.srcs[0]!, true);
  if (d === null || a === null || a.mods !== 0) return null;
  if (low.form.name === "UMOV") return { name: "UMOV.64", dsts: [d], srcs: [a], loose: [] };
  if (move) return isWholeMove(low) && isWholeMove(high) ? { name: "MOV.64", dsts: [d], srcs: [a], loose: [] } : null;
  const [p, q] = [low.srcs[2]!, high.srcs[2]!];
  const b = pairs.of(low.srcs[1]!, high.srcs[1]!, true);
  if (b === null || b.mods !== 0 || !sameOperand(p, q)) return null;
  const plain = isReg(a) && !isZeroReg(a) && a.file === File.R;
  const srcs = plain ? [a, b, p] : [b, a, { ...clone(p), mods: p.mods ^ Mod.Not }];
  return { name: "SEL.64", dsts: [d], srcs, loose: pairs.loose };
}

const overlap = (a: Operand, b: Operand): boolean =>
  isReg(a) && isReg(b) && a.file === b.file && a.id === b.id && a.sub < b.sub + b.width && b.sub < a.sub + a.width;

function sameGuard(a: Inst, b: Inst): boolean {
  if (a.guard === null || b.guard === null) return a.guard === b.guard;
  return a.guard.file === b.guard.file && a.guard.id === b.guard.id && a.guard.not === b.guard.not;
}

const guardOf = ({ guard }: Inst): Operand[] => (guard === null ? [] : [register(guard.file, guard.id, 1)]);

/** What two instructions are together; with `names` words may become pairs. */
type Reading = (low: Inst, high: Inst, names: Names | null) => Whole | null;

/** The walk over one block. */
class Joining {
  private readonly func: Func;
  private readonly block: Block;
  private readonly names: Names;
  private readonly insts: (Inst | null)[];
  /** Where a predicate was last written. */
  private readonly made = new Map<number, number>();
  /** The last selection or copy into a pair of registers. */
  private readonly halves = new Map<number, number>();
  /** Where the upper half of a pair became zero, and what is put before an instruction. */
  private readonly zeroed = new Map<number, number>();
  private readonly before = new Map<number, Inst[]>();
  private count = 0;

  constructor(func: Func, block: Block, names: Names) {
    this.func = func;
    this.block = block;
    this.names = names;
    this.insts = block.insts.slice();
  }

  run(): number {
    for (let j = 0; j < this.insts.length; j++) {
      const inst = this.insts[j]!;
      const { name, op, mods } = inst.form;
      if (name === "IADD3.X") this.linked(j, inst, 3, sumOf);
      else if (op === "ISETP" && mods.includes("EX")) this.linked(j, inst, 3, comparisonOf);
      else if (name === "SEL" || name === "MOV" || isUniformLiteral(inst)) this.copied(j, inst);
      for (const d of this.insts[j]?.dsts ?? [])
        if (isReg(d) && d.file === File.P && !isZeroReg(d)) this.made.set(d.id, j);
    }
    if (this.count > 0) {
      let k = 0;
      rewriteBlock(this.func, this.block, (_, out) => {
        const now = this.insts[k];
        out.push(...(this.before.get(k++) ?? []));
        if (now != null) out.push(now);
      });
    }
    return this.count;
  }

  /** The lower half gives its predicate to the upper one, and to no other. */
  private linked(j: number, high: Inst, slot: number, whole: Reading): void {
    const link = high.srcs[slot]!;
    if (isZeroReg(link) || !isReg(link) || this.names.reads.get(link.id) !== 1) return;
    const i = this.made.get(link.id);
    const low = i === undefined ? null : this.insts[i];
    if (i === undefined || low == null) return;
    this.either(i, j, (names) => whole(low, high, names), link);
  }

  private copied(j: number, inst: Inst): void {
    const d = inst.dsts[0]!;
    if (!half(d) || (d.file !== File.R && inst.form.name !== "UMOV")) return;
    const key = d.id * 256 + (d.sub >> 1);
    const i = this.halves.get(key);
    this.halves.set(key, j);
    const other = i === undefined ? null : this.insts[i];
    if (i !== undefined && other != null) {
      const [low, high] = (d.sub & 1) === 1 ? [other, inst] : [inst, other];
      const p = inst.srcs[2];
      const at = this.either(i, j, (names) => pairwise(low, high, names), null);
      if (at !== null && inst.form.name === "SEL" && p !== undefined) {
        this.names.reads.set(p.id, (this.names.reads.get(p.id) ?? 0) - 1);
        this.extremum(at);
      }
      if (at !== null) return;
    }
    if (inst.form.name === "SEL") this.lowerExtremum(j, inst);
  }

  /** What is a pair already first. */
  private either(
    i: number,
    j: number,
    whole: (names: Names | null) => Whole | null,
    link: Operand | null,
  ): number | null {
    for (const names of [null, this.names]) {
      const made = whole(names);
      const at = made === null ? null : this.join(i, j, made, link);
      if (at !== null) return at;
    }
    return null;
  }

  /** Puts the whole in the place of the later half, or of the earlier one; null: what stands between forbids both. */
  private join(i: number, j: number, whole: Whole, link: Operand | null): number | null {
    const [first, second] = [this.insts[i]!, this.insts[j]!];
    if (!sameGuard(first, second) || j - i > REACH) return null;
    const others = link === null ? second.srcs : second.srcs.filter((o) => !sameOperand(o, link));
    if (others.some((o) => first.dsts.some((d) => overlap(o, d)))) return null;
    const f = tryForm(whole.name);
    if (f === null || !encodes(this.func, f, whole.dsts, whole.srcs)) return null;
    const at = this.apart(i, j, [...first.srcs, ...guardOf(first)], first.dsts)
      ? j
      : this.apart(i, j, [...others, ...guardOf(second)], second.dsts)
        ? i
        : null;
    if (at === null || !whole.loose.every((l) => this.names.pair(l))) return null;
    const { loc, id, guard } = second;
    for (const { pair, lo, hi } of whole.loose) if (zero(hi) && !zero(lo)) this.zeroUpper(pair, at, second);
    this.insts[i] = null;
    this.insts[j] = null;
    this.insts[at] = newInst(this.func, f, whole.dsts.map(clone), whole.srcs.map(clone), guard, loc, id);
    this.count++;
    return at;
  }

  /** The upper half of a pair becomes zero, which it stays. */
  private zeroUpper(pair: Operand, at: number, { loc, id }: Inst): void {
    if ((this.zeroed.get(pair.id) ?? at + 1) <= at) return;
    this.zeroed.set(pair.id, at);
    const mov = form("MOV");
    const d = register(File.R, pair.id, 1, 1);
    const made = newInst(this.func, mov, [d], [RZ(), ...mov.srcs.slice(1).map(slotDefault)], null, loc, id);
    this.before.set(at, [...(this.before.get(at) ?? []), made]);
  }

  /** Between the two nothing writes what is read, and nothing touches what is written. */
  private apart(i: number, j: number, read: readonly Operand[], written: readonly Operand[]): boolean {
    for (let k = i + 1; k < j; k++) {
      const inst = this.insts[k];
      if (inst == null) continue;
      if (inst.passed !== undefined) return false;
      if (inst.dsts.some((d) => read.some((o) => overlap(o, d)) || written.some((o) => overlap(o, d)))) return false;
      const reads = [...inst.srcs.map((s) => indexOf(s) ?? s), ...guardOf(inst)];
      if (reads.some((s) => written.some((o) => overlap(o, s)))) return false;
    }
    return true;
  }

  /** The comparison that alone says which of the two the selection at `j` takes; null: another. */
  private comparison(j: number, p: Operand): { readonly at: number; readonly inst: Inst } | null {
    const i = isReg(p) ? this.made.get(p.id) : undefined;
    const inst = i === undefined ? null : this.insts[i];
    if (i === undefined || inst == null || j - i > REACH || this.names.reads.get(p.id) !== 1) return null;
    if (!/^ISETP\.(L|G)[TE]\.[US]64\.AND$/.test(inst.form.name) || inst.dsts[0]!.id !== p.id || !absent(inst.dsts[1]))
      return null;
    const pin = inst.srcs[2]!;
    if (!isZeroReg(pin) || pin.mods !== 0 || !sameGuard(inst, this.insts[j]!)) return null;
    return this.apart(i, j, [...inst.srcs.slice(0, 2), ...guardOf(inst)], []) ? { at: i, inst } : null;
  }

  /** `SEL.64 d, a, b, (ISETP.LT.S64.AND a, b)` is the minimum. */
  private extremum(j: number): void {
    const inst = this.insts[j]!;
    const [a, b, p] = inst.srcs as [Operand, Operand, Operand];
    const found = this.comparison(j, p);
    if (found === null) return;
    const [x, y] = found.inst.srcs as [Operand, Operand];
    const same = sameOperand(a, x) && sameOperand(b, y);
    if (!same && !(sameOperand(a, y) && sameOperand(b, x))) return;
    this.putExtremum(found, j, inst.dsts[0]!, same === ((p.mods & Mod.Not) === 0));
  }

  /** The same where only the lower half is read. */
  private lowerExtremum(j: number, inst: Inst): void {
    const [a, b, p] = inst.srcs as [Operand, Operand, Operand];
    const d = inst.dsts[0]!;
    const found = this.comparison(j, p);
    if (found === null) return;
    const [x, y] = found.inst.srcs.slice(0, 2).map(lowerHalf) as [Operand, Operand];
    const same = equal(a, x) && equal(b, y);
    if (!same && !(equal(a, y) && equal(b, x))) return;
    const pair = this.names.widened(d);
    if (pair !== null) this.putExtremum(found, j, pair, same === ((p.mods & Mod.Not) === 0));
  }

  private putExtremum(found: { at: number; inst: Inst }, j: number, d: Operand, holds: boolean): boolean {
    const { inst, at } = found;
    const [cmp, type] = inst.form.mods as [string, string];
    const f = form(`IMNMX.${type}`);
    const [x, y] = inst.srcs as [Operand, Operand];
    const srcs = [x, y, cmp.startsWith("L") === holds ? PT() : notPT(), notPT()];
    const dsts = [PT(), PT(), d];
    const orders = [srcs, [y, x, ...srcs.slice(2)]].find((s) => isReg(s[0]!) && encodes(this.func, f, dsts, s));
    if (orders === undefined) return false;
    const { loc, id, guard } = this.insts[j]!;
    this.insts[at] = null;
    this.insts[j] = newInst(this.func, f, dsts.map(clone), orders.map(clone), guard, loc, id);
    this.count++;
    return true;
  }
}
