/**
 * `wmma`: loads, products and stores of whole matrices. Fragments are those of the machine's products one after the other (wmma-shapes.ts), so a product
 * is one machine instruction for each 16 rows and 8 columns, in the order of ptxas: all of one depth before the next.
 */
import { neg, part, RZ, select } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { Operand as PtxOperand } from "../../ptx/ast.js";
import type { Context } from "../context.js";
import { type Lowering, operands } from "../family.js";
import { roundToHalves } from "../half.js";
import type { Modifiers } from "../modifiers.js";
import { Refusal } from "../refusal.js";
import { elementsOf, finishFragment, fragmentOut, readFragment } from "./fragment.js";
import { productOfWords } from "./mma.js";
import { typeOfRegisters } from "./registers.js";
import { allTogether } from "./together.js";
import { load, store } from "./wmma-memory.js";
import { bitsOf, type Fragment, factor, isTurned, shapeNames, sum } from "./wmma-shapes.js";

interface Wanted {
  readonly shape: string;
  readonly d: string;
  readonly c: string;
  /** Type of both factors. */
  readonly a: string;
  /** `xor` or `and` of single bits. */
  readonly bits: string | null;
  /** `.SAT`, `.RM` and the like. */
  readonly more: string;
}

const sums = ["f16", "f32", "f64", "s32"];
const roundings = ["rn", "rz", "rm", "rp"];

function wanted(m: Modifiers): Wanted {
  const bits = m.oneOf(["xor", "and"]);
  if (bits !== null) m.need(["popc"]);
  m.need(["sync"]);
  m.flag("aligned");
  m.need(["row", "col"]);
  m.need(["row", "col"]);
  const shape = m.need(shapeNames);
  const rounding = m.oneOf(roundings);
  const d = m.need(sums);
  const factors = ["bf16", "tf32", "f64", "s8", "u8", "s4", "u4", "b1"];
  const a = m.oneOf(factors);
  if (a !== null) m.need([a]);
  const c = a === "f64" ? m.need(["f64"]) : m.need(sums);
  const saturates = m.flag("satfinite");
  if (saturates && d !== "s32") throw new Refusal();
  if (rounding !== null && d !== "f64") throw new Refusal();
  if ((bits !== null) !== (a === "b1")) throw new Refusal();
  if (a !== null && c !== d) throw new Refusal();
  const round = rounding === null || rounding === "rn" ? "" : `.${rounding.toUpperCase()}`;
  return { shape, d, c, a: a ?? "f16", bits, more: saturates ? ".SAT" : round };
}

/** How a product is divided: rows of the leading factor and depth of the machine's product. */
interface Division {
  /** Shape of the `mma` that the machine's product is. */
  readonly mma: string;
  /** Elements of PTX in one block: of the leading factor, of the other, of the sums (in f32). */
  readonly lead: number;
  readonly other: number;
  readonly sum: number;
  readonly steps: number;
}

function divisionOf(c: Context, w: Wanted): Division {
  const wide = c.target.has("mma80");
  switch (bitsOf[w.a]) {
    case 16:
      return wide
        ? { mma: "m16n8k16", lead: 4, other: 2, sum: 4, steps: 1 }
        : { mma: "m16n8k8", lead: 2, other: 1, sum: 4, steps: 2 };
    case 8:
      return wide
        ? { mma: "m16n8k16", lead: 2, other: 1, sum: 4, steps: 1 }
        : { mma: "m8n8k16", lead: 1, other: 1, sum: 2, steps: 1 };
    case 32:
      return { mma: "m16n8k4", lead: 2, other: 1, sum: 4, steps: 2 };
    default:
      return { mma: w.shape, lead: 1, other: 1, sum: 2, steps: 1 };
  }
}

/** Blocks of `count` elements. */
function blocks(c: Context, o: PtxOperand, count: number, type: string, used: number): Operand[] {
  const { elements } = o as Extract<PtxOperand, { kind: "vector" }>;
  return Array.from({ length: used / count }, (_, k) => {
    const own = { kind: "vector" as const, elements: elements.slice(k * count, (k + 1) * count) };
    return readFragment(c, own, count, typeOfRegisters(type));
  });
}

/** f16 to f32: two registers of pairs become four. */
function widened(c: Context, o: Operand): Operand {
  const d = c.temp(o.width * 2);
  for (let k = 0; k < d.width; k++)
    c.emit("HADD2.F32", [part(d, k)], [neg(RZ()), select(part(o, k >> 1), k % 2 === 0 ? ".H0_H0" : ".H1_H1")]);
  return d;
}

/** f32 to f16. */
function narrowed(c: Context, o: Operand): Operand {
  const d = c.temp(o.width / 2);
  for (let k = 0; k < d.width; k++) roundToHalves(c, part(d, k), part(o, 2 * k), part(o, 2 * k + 1));
  return d;
}

/** Registers of the one that the other needs, too. */
const overlap = (x: Operand, y: Operand): boolean =>
  x.id === y.id && x.file === y.file && x.sub < y.sub + y.width && y.sub < x.sub + x.width;
const same = (x: Operand, y: Operand): boolean => overlap(x, y) && x.sub === y.sub && x.width === y.width;

interface Sums {
  /** What the products start from, and the type of their sums. */
  readonly from: readonly Operand[];
  readonly type: string;
  /** Where results go: destinations as they are named in PTX, values of their own where something else still needs these. */
  readonly out: readonly Operand[];
  readonly elements: readonly PtxOperand[];
}

function sumsOf(c: Context, w: Wanted, div: Division, list: readonly PtxOperand[], factors: readonly Operand[]): Sums {
  const [to, , , from] = list as [PtxOperand, PtxOperand, PtxOperand, PtxOperand];
  const per = (type: string): number => (type === "f16" ? div.sum / 2 : div.sum);
  const [fd, fc] = [sum(c, w.shape, w.d), sum(c, w.shape, w.c)];
  elementsOf(from, fc.elements);
  const given = blocks(c, from, per(w.c), w.c, fc.elements);
  const elements = elementsOf(to, fd.elements);
  const parts = given.map((_, k) => ({
    kind: "vector" as const,
    elements: elements.slice(k * per(w.d), (k + 1) * per(w.d)),
  }));
  const places = parts.map((e) => fragmentOut(c, e, per(w.d), typeOfRegisters(w.d)));
  const needed = places.some((d, k) =>
    [...factors, ...given].some((o) => overlap(d, o) && !(o === given[k] && same(d, o))),
  );
  const type = w.c === "f32" || w.d === "f32" ? "f32" : w.d;
  return {
    from: type === w.c ? given : given.map((o) => widened(c, o)),
    type,
    out: needed ? places.map((d) => c.temp(d.width)) : places,
    elements: parts,
  };
}

/** A fragment's registers, as many as are not there twice. */
function factorOf(o: PtxOperand, f: Fragment): number {
  elementsOf(o, f.elements);
  return f.tiles.length;
}

const mma: Lowering = (c, i, m) => {
  const w = wanted(m);
  const list = operands(i, 4);
  const div = divisionOf(c, w);
  const [, a, b] = list as [PtxOperand, PtxOperand, PtxOperand];
  const turned = isTurned(c, w.shape, w.a);
  const [na, nb] = [factorOf(a, factor(w.shape, "a", w.a)), factorOf(b, factor(w.shape, "b", w.a))];
  const [lead, used, other, usedOther] = turned ? [b, nb, a, na] : [a, na, b, nb];
  const leads = blocks(c, lead, div.lead, w.a, used);
  const others = blocks(c, other, div.other, w.a, usedOther);
  const sums = sumsOf(c, w, div, list, [...leads, ...others]);
  allTogether(c);
  const count = leads.length / div.steps;
  const results = sums.from.map((from, k) => {
    const out = sums.out[k] as Operand;
    return out.width === from.width ? out : c.temp(from.width);
  });
  for (let step = 0; step < div.steps; step++)
    results.forEach((d, k) => {
      const x = leads[(k % count) * div.steps + step] as Operand;
      const y = others[Math.floor(k / count) * div.steps + step] as Operand;
      const product = { shape: div.mma, a: w.a, b: w.a, d: sums.type, bits: w.bits, more: w.more };
      productOfWords(c, product, d, x, y, step === 0 ? (sums.from[k] as Operand) : d);
    });
  results.forEach((d, k) => {
    const out = sums.out[k] as Operand;
    finishFragment(c, sums.elements[k] as PtxOperand, d.width === out.width ? d : narrowed(c, d), typeOfRegisters(w.d));
  });
};

/** By the word that follows. */
export const wmma: Lowering = (c, i, m) => {
  const what = m.need(["load", "mma", "store"]);
  if (what === "mma") mma(c, i, m);
  else if (what === "load") load(m.need(["a", "b", "c"]))(c, i, m);
  else {
    m.need(["d"]);
    store(c, i, m);
  }
};
