/**
 * `wgmma`: products of a warp group (sm_90a). `fence` hands registers over (WARPGROUP.ARRIVE), `mma_async` works on them from its issue on,
 * `commit_group` makes the last product close a group (gsb0), `wait_group` waits for groups (WARPGROUP.DEPBAR). Whether that may stay so is found out
 * by the phase FixupGmmaSequence.
 *
 * Descriptors go in four uniform registers, A's in the lower two (nothing where A is in registers). Forms: facts/ptx-to-sass sm_90a; the sign of
 * `scale-d` as in ptxas's code.
 */
import { CLOSES, closes, FOLLOWED, setGroup } from "../../analysis/in-flight.js";
import { isProduct } from "../../analysis/products.js";
import { tryForm } from "../../isa/form.js";
import { imm, neg, not, RZ, select, UPT, URZ } from "../../ori/operand.js";
import { type Block, type Func, Kind, type Operand } from "../../ori/types.js";
import type { Operand as PtxOperand } from "../../ptx/ast.js";
import { toUniform } from "../async/uniform.js";
import type { Context } from "../context.js";
import { at, type Lowering } from "../family.js";
import type { Modifiers } from "../modifiers.js";
import { Refusal } from "../refusal.js";
import { B64, PRED, type PtxType, typeNamed } from "../types.js";
import { elementsOf, finishFragment, fragmentOut, readFragment } from "./fragment.js";
import { allTogether } from "./together.js";

/** As many as WARPGROUP.DEPBAR can leave in flight. */
const MOST_GROUPS = 7;

const B32: PtxType = typeNamed("b32") as PtxType;
interface Wanted {
  readonly n: number;
  readonly k: number;
  readonly d: string;
  readonly a: string;
  readonly b: string;
  readonly more: string;
  /** A has two of four: metadata and its selector stand before `scale-d`. */
  readonly sparse: boolean;
}

const shape = /^m64n(\d+)k(\d+)$/;

function takeShape(i: readonly string[], m: Modifiers): { n: number; k: number } {
  const word = i.find((w) => shape.test(w));
  if (word === undefined) throw new Refusal();
  m.need([word]);
  const [, n, k] = shape.exec(word) as unknown as [string, string, string];
  return { n: Number(n), k: Number(k) };
}

function wanted(words: readonly string[], m: Modifiers): Wanted {
  const sparse = m.flag("sp");
  m.need(["sync"]);
  m.need(["aligned"]);
  const size = takeShape(words, m);
  const saturates = m.flag("satfinite");
  const d = m.need(["f16", "f32", "s32"]);
  const factor = ["f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8", "b1"];
  const [a, b] = [m.need(factor), m.need(factor)];
  if (a === "b1") {
    m.need(["and"]);
    m.need(["popc"]);
  }
  return { ...size, d, a, b, more: saturates ? ".SAT" : "", sparse };
}

/** The machine instruction: `HGMMA.64x8x16.F32.BF16`. */
function nameOf(w: Wanted): string {
  const size = `${w.sparse ? "SP." : ""}64x${w.n}x${w.k}`;
  const sum = w.d.toUpperCase();
  const types = `${w.a.toUpperCase()}.${w.b.toUpperCase()}`;
  if (w.a === "b1" && w.b === "b1" && !w.sparse) return `BGMMA.${size}.AND.POPC`;
  if (/^[su]8$/.test(w.a)) return `IGMMA.${size}.${types}${w.more}`;
  if (/^e/.test(w.a)) return `QGMMA.${size}.${sum}.${types}`;
  if (w.a !== w.b) throw new Refusal();
  return `HGMMA.${size}.${sum}${w.a === "f16" ? "" : `.${w.a.toUpperCase()}`}`;
}

/** 1 or −1 of `imm-scale`, 0 or 1 of `imm-trans`. */
function number(o: PtxOperand, one: number, other: number): boolean {
  const value = o.kind === "int" ? o.lo | 0 : Number.NaN;
  if (value !== one && value !== other) throw new Refusal();
  return value === other;
}

/** What stands after the operands: signs for floats, transpositions for 16-bit ones. */
interface Extras {
  readonly negA: boolean;
  readonly negB: boolean;
  readonly tnspA: boolean;
  readonly tnspB: boolean;
}

function extras(w: Wanted, list: readonly PtxOperand[], inRegisters: boolean): Extras {
  const float = w.d !== "s32";
  const turns = w.a === "f16" || w.a === "bf16" ? (inRegisters ? 1 : 2) : 0;
  if (list.length !== (float ? 2 : 0) + turns) throw new Refusal();
  const [negA, negB] = float ? [number(at(list, 0), 1, -1), number(at(list, 1), 1, -1)] : [false, false];
  const tnspA = turns === 2 && number(at(list, 2), 0, 1);
  const tnspB = turns > 0 && number(at(list, list.length - 1), 0, 1);
  return { negA, negB, tnspA, tnspB };
}

/** Whether the sum goes on: a uniform predicate, or known. */
function scaleD(c: Context, o: PtxOperand): Operand {
  return uniformPredicate(c, c.read(o, PRED));
}

/** A predicate that all active lanes share, as a uniform one. */
export function uniformPredicate(c: Context, p: Operand): Operand {
  if (p.kind === Kind.Imm) return p.value === 0 ? not(UPT()) : UPT();
  if (p.id < 0) return (p.mods & 4) === 0 ? UPT() : not(UPT());
  const uniform = c.builder.up();
  c.emit("VOTEU.ANY", [URZ(), uniform], [p]);
  return uniform;
}

const isNumber = (o: PtxOperand): boolean => o.kind === "int";

/** `scale-d` may be an integer, too. */
function sumGoesOn(c: Context, o: PtxOperand): Operand {
  if (!isNumber(o)) return scaleD(c, o);
  return o.kind === "int" && o.lo === 0 && o.hi === 0 ? not(UPT()) : UPT();
}

/** Metadata of a sparse A and which of its halves counts; nothing for others. */
function metadata(c: Context, w: Wanted, list: readonly PtxOperand[]): Readonly<Record<string, Operand>> {
  if (!w.sparse) return {};
  const [e, n] = list as [PtxOperand, PtxOperand];
  if (n.kind !== "int" || n.hi !== 0 || n.lo > 1) throw new Refusal();
  return { e: c.materialize(c.read(e, B32)), n: imm(n.lo) };
}

function emitProduct(c: Context, w: Wanted, list: readonly PtxOperand[]): void {
  const [to, a, b] = list as [PtxOperand, PtxOperand, PtxOperand];
  const first = w.sparse ? 5 : 3;
  if (list.length <= first) throw new Refusal();
  const scale = at(list, first);
  const inRegisters = a.kind === "vector";
  const more = extras(w, list.slice(first + 1), inRegisters);
  const name = nameOf(w);
  const form = tryForm(name);
  if (form === null) throw new Refusal();
  const width = form.dsts[0]?.width as number;
  elementsOf(to, width);
  const acc = readFragment(c, to, width, B32);
  const pin = sumGoesOn(c, scale);
  const sparse = metadata(c, w, list.slice(3));
  const db = c.materialize(c.read(b, B64), 2);
  const registers = inRegisters ? readFragment(c, a, 4, B32) : null;
  const da = registers === null ? c.materialize(c.read(a, B64), 2) : null;
  const d = fragmentOut(c, to, width, B32);
  allTogether(c);
  const descriptors = toUniform(c, da === null ? [URZ(2), db] : [da, db]);
  const parts = (aToo: boolean): string =>
    `${aToo && more.negA ? ".negA" : ""}${more.negB ? ".negB" : ""}${aToo && more.tnspA ? ".tnspA" : ""}${more.tnspB ? ".tnspB" : ""}`;
  const unused = pin.id < 0 && (pin.mods & 4) !== 0;
  const c0 = unused ? RZ(width) : acc;
  const slots: Record<string, Operand> =
    registers === null
      ? { ua: select(descriptors, parts(true)), c: c0, pin, ...sparse, sb: imm(FOLLOWED) }
      : {
          a: more.negA ? neg(registers) : registers,
          ub: select(descriptors, parts(false)),
          c: c0,
          pin,
          ...sparse,
          sb: imm(FOLLOWED),
        };
  emitSlots(c, name, d, slots);
  finishFragment(c, to, d, B32);
}

/** By slot names: both places of a factor are optional. */
function emitSlots(c: Context, name: string, d: Operand, slots: Readonly<Record<string, Operand>>): void {
  const form = tryForm(name);
  if (form === null) throw new Refusal();
  c.builder.emit(form, { d }, slots);
}

/** Kernels in which a group cannot be closed in the block of its products. */
const irregular: WeakSet<Func> = new WeakSet();

/** `commit_group`: the last product of this block ends a group; a group without products here is none the machine could count. */
function closeGroup(func: Func, block: Block): void {
  const product = block.insts.findLast((i) => isProduct(i.form.op));
  if (product === undefined || closes(product)) irregular.add(func);
  else setGroup(product, CLOSES);
}

/** Where groups cannot be counted none is closed: FixupGmmaSequence lets one product end before the next begins. */
export function settleGroups(func: Func): void {
  if (!irregular.has(func)) return;
  for (const b of func.blocks) for (const i of b.insts) if (isProduct(i.form.op)) setGroup(i, FOLLOWED);
}

/** Groups that may be in flight: more than the machine counts apart are waited for. */
function groupsLeft(o: PtxOperand): number {
  if (o.kind !== "int" || o.hi !== 0) throw new Refusal();
  return Math.min(o.lo, MOST_GROUPS);
}

export const wgmma: Lowering = (c, i, m) => {
  if (!c.target.has("warpgroupProducts")) throw new Refusal();
  const op = m.need(["fence", "commit_group", "wait_group", "mma_async"]);
  if (op === "mma_async") {
    const w = wanted(i.modifiers, m);
    if (i.operands.length < 4) throw new Refusal();
    emitProduct(c, w, i.operands);
    return;
  }
  m.need(["sync"]);
  m.need(["aligned"]);
  const list = i.operands;
  if (list.length !== (op === "wait_group" ? 1 : 0)) throw new Refusal();
  allTogether(c);
  if (op === "fence") c.emit("WARPGROUP.ARRIVE", [], []);
  else if (op === "commit_group") closeGroup(c.func, c.builder.block);
  else c.emit("WARPGROUP.DEPBAR.LE", [], [imm(CLOSES), imm(groupsLeft(at(list, 0)))]);
};

/** Registers are not given back or taken: the whole kernel keeps what it was launched with (ptxas does so where it does not know how many that are). */
export const setmaxnreg: Lowering = (c, i, m) => {
  if (!c.target.has("clusters") || i.operands.length !== 1) throw new Refusal();
  m.need(["inc", "dec"]);
  for (const w of ["sync", "aligned", "u32"]) m.need([w]);
  allTogether(c);
};
