/** `mma.sync`: products of a warp on fragments in registers. */

import { type Form, formsNamed } from "../../isa/form.js";
import { part, select } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { Operand as PtxOperand } from "../../ptx/ast.js";
import type { Context } from "../context.js";
import { type Lowering, operands } from "../family.js";
import type { Modifiers } from "../modifiers.js";
import { Refusal } from "../refusal.js";
import type { PtxType } from "../types.js";
import { finishFragment, fragmentOut, readFragment } from "./fragment.js";
import { half884, wordsOf } from "./half884.js";
import { bits, byteFloats, doubles, eightRows, type MadeOf, nibbleProduct } from "./made-of.js";
import { formOf, type Product, productsOf } from "./products.js";
import { typeOfRegisters } from "./registers.js";
import { scaled, sparse } from "./sparse.js";
import { allTogether } from "./together.js";

const shapes = "m8n8k4 m8n8k16 m8n8k32 m8n8k128 m16n8k4 m16n8k8 m16n8k16 m16n8k32 m16n8k64 m16n8k128 m16n8k256".split(
  " ",
);
const factorTypes = "f16 bf16 tf32 f64 s8 u8 s4 u4 b1 e4m3 e5m2 e3m2 e2m3 e2m1".split(" ");
const sumTypes = ["f16", "f32", "f64", "s32"];

/** A product of a warp. */
export interface Asked {
  readonly shape: string;
  /** Type of D. */
  readonly d: string;
  readonly a: string;
  readonly b: string;
  /** `xor` or `and` of single bits. */
  readonly bits: string | null;
  /** `.RM`, `.SAT` and the like. */
  readonly more: string;
}

/** What the modifiers of an `mma` say. */
interface Wanted extends Asked {
  readonly layouts: readonly [a: string, b: string];
  readonly c: string;
}

function wanted(m: Modifiers): Wanted {
  m.need(["sync"]);
  m.need(["aligned"]);
  const shape = m.need(shapes);
  const layouts = [m.need(["row", "col"]), m.need(["row", "col"])] as const;
  const saturates = m.flag("satfinite");
  const rounding = m.oneOf(["rn", "rz", "rm", "rp"]);
  m.flag("kind::f8f6f4");
  const [d, a, b, c] = [m.need(sumTypes), m.need(factorTypes), m.need(factorTypes), m.need(sumTypes)];
  const bits = m.oneOf(["xor", "and"]);
  if (bits !== null) m.need(["popc"]);
  if (saturates && d !== "s32") throw new Refusal();
  if (rounding !== null && d !== "f64") throw new Refusal();
  const round = rounding === null || rounding === "rn" ? "" : `.${rounding.toUpperCase()}`;
  return { shape, layouts, d, a, b, c, bits, more: saturates ? ".SAT" : round };
}

/** Factors of the rows that name their layouts carry it as a part. */
function laidOut(c: Context, form: string, o: Operand, layout: string): Operand {
  const named = /^[IB]MMA/.test(form) || (form.startsWith("QMMA") && c.target.has("mmaByteFloatLayouts"));
  return named ? select(o, layout) : o;
}

export interface Fragments {
  readonly a: PtxOperand;
  readonly b: PtxOperand;
  readonly c: PtxOperand;
  readonly d: PtxOperand;
}

const widthOf = (form: Form, slot: string): number => form.srcs.find((s) => s.name === slot)?.width ?? 0;

/** The form of this name that takes as many registers of the first factor (rows of one-bit products share a name). */
function formFor(name: string, f: Fragments, type: string): Form {
  const words = f.a.kind === "vector" ? f.a.elements.length * (type === "f64" ? 2 : 1) : 0;
  const form = formsNamed(name).find((x) => widthOf(x, "a") === words);
  if (form === undefined) throw new Refusal();
  return form;
}

/** One machine product for the PTX one. */
export function emitProduct(c: Context, name: string, f: Fragments, type: string, sum: string): void {
  const form = formFor(name, f, type);
  const width = (slot: string): number => widthOf(form, slot);
  const factor = typeOfRegisters(type);
  const sums = typeOfRegisters(sum);
  const per = type === "f64" ? 2 : 1;
  const a = readFragment(c, f.a, width("a") / per, factor);
  const b = readFragment(c, f.b, width("b") / per, factor);
  const acc = readFragment(c, f.c, width("c") / per, sums);
  const d = fragmentOut(c, f.d, (form.dsts[0]?.width ?? 0) / (sum === "f64" ? 2 : 1), sums);
  allTogether(c);
  c.emit(form, [d], [laidOut(c, name, a, ".ROW"), laidOut(c, name, b, ".COL"), acc]);
  finishFragment(c, f.d, d, sums);
}

/** sm_75 (later ones: half884.ts): the steps of four products of 8 × 8 × 4, each making two registers of D. C in f16 beside D in f32 serves two steps by one pair. */
function steps884(c: Context, w: Wanted, f: Fragments): void {
  const bits = typeOfRegisters("f32");
  const [words, from] = [w.d === "f32" ? 8 : 4, w.c === "f32" ? 8 : 4];
  if (!c.target.has("mmaHalf884")) {
    const [fa, fb, fc] = [f.a, f.b, f.c].map((o, k) => wordsOf(readFragment(c, o, k < 2 ? 2 : from, bits)));
    const [aRow, bRow] = w.layouts.map((x) => x === "row") as [boolean, boolean];
    const types = { aRow, bRow, d: w.d as "f16" | "f32", c: w.c as "f16" | "f32" };
    allTogether(c);
    const made = half884(c, types, fa as [Operand, Operand], fb as [Operand, Operand], fc as Operand[]);
    const whole = c.temp(words);
    made.forEach((word, k) => {
      c.move(part(whole, k), word);
    });
    finishFragment(c, f.d, whole, bits);
    return;
  }
  const a = select(readFragment(c, f.a, 2, bits), w.layouts[0] === "row" ? ".ROW" : ".COL");
  const b = select(readFragment(c, f.b, 2, bits), w.layouts[1] === "row" ? ".ROW" : ".COL");
  const acc = readFragment(c, f.c, from, bits);
  const d = c.temp(words);
  allTogether(c);
  for (let step = 0; step < words / 2; step++) {
    const pair = from === words ? step : step >> 1;
    const types = `${w.d.toUpperCase()}.${w.c.toUpperCase()}`;
    c.emit(`HMMA.884.${types}.STEP${step}`, [part(d, 2 * step, 2)], [a, b, part(acc, 2 * pair, 2)]);
  }
  finishFragment(c, f.d, d, bits);
}

const sumOf = (w: Asked): string => (w.bits === null ? w.d : `${w.d}.${w.bits}`);

/** The row that the target has. */
function productFor(c: Context, w: Asked): Product | null {
  return productsOf(w.shape, sumOf(w), w.a, w.b).find((p) => p.needs === null || c.target.has(p.needs)) ?? null;
}

/** What the wanted product is made of where the target has no unit for it. */
function madeOf(c: Context, w: Asked): MadeOf | null {
  const later = c.target.has("clusters");
  if (w.a === "f64" && c.target.has("mmaDouble8x8x4")) return doubles(w.more);
  if (w.shape === "m8n8k16" && later) return eightRows(`IMMA.16816.${w.a.toUpperCase()}.${w.b.toUpperCase()}${w.more}`);
  if (/^[su]4$/.test(w.a) && later) return nibbleProduct(w.a, w.b, w.more !== "");
  if (w.bits !== null && later) {
    const shape = w.shape.replace(/[mnk]/g, "");
    return bits(w.bits === "xor", c.target.has("mmaBitAnd") ? `BMMA.${shape}.AND.POPC` : null);
  }
  return /^e[45]m[23]$/.test(w.a) && /^e[45]m[23]$/.test(w.b) && later ? byteFloats(w.a, w.b, w.d) : null;
}

function composed(c: Context, w: Wanted, f: Fragments): void {
  const make = madeOf(c, w);
  if (make === null || productsOf(w.shape, sumOf(w), w.a, w.b).length === 0) throw new Refusal();
  const [factor, sums] = [typeOfRegisters(w.a), typeOfRegisters(w.d)];
  const words = (o: PtxOperand, type: PtxType): Operand[] => {
    if (o.kind !== "vector") throw new Refusal();
    const whole = readFragment(c, o, o.elements.length, type);
    return Array.from({ length: whole.width }, (_, k) => c.word(whole, k));
  };
  const sources = [words(f.a, factor), words(f.b, factor), words(f.c, sums)] as const;
  const [x] = productsOf(w.shape, sumOf(w), w.a, w.b) as [Product];
  checkWords(w, x, sources);
  allTogether(c);
  const d = make(c, ...sources);
  const whole = c.temp(d.length);
  d.forEach((word, k) => {
    c.move(part(whole, k), word);
  });
  finishFragment(c, f.d, whole, sums);
}

/** The counts of registers that the product takes where it exists. */
function checkWords(w: Wanted, p: Product, given: readonly (readonly Operand[])[]): void {
  const form = formsNamed(formOf(p, w.d, w.a, w.b)).find((x) => widthOf(x, "a") === given[0]?.length);
  if (form === undefined) throw new Refusal();
  ["a", "b", "c"].forEach((slot, k) => {
    if (widthOf(form, slot) !== given[k]?.length) throw new Refusal();
  });
}

/** D = A · B + C on consecutive registers, by the machine's product or what it is made of. */
export function productOfWords(c: Context, w: Asked, d: Operand, a: Operand, b: Operand, acc: Operand): void {
  const product = productFor(c, w);
  if (product !== null) {
    const name = formOf(product, w.d, w.a, w.b) + w.more;
    const form = formsNamed(name).find((x) => widthOf(x, "a") === a.width);
    if (form === undefined) throw new Refusal();
    c.emit(form, [d], [laidOut(c, name, a, ".ROW"), laidOut(c, name, b, ".COL"), acc]);
    return;
  }
  const make = madeOf(c, w);
  if (make === null) throw new Refusal();
  const words = (o: Operand): Operand[] => Array.from({ length: o.width }, (_, k) => c.word(o, k));
  make(c, words(a), words(b), words(acc)).forEach((word, k) => {
    c.move(part(d, k), word);
  });
}

export const mma: Lowering = (c, i, m) => {
  if (i.modifiers.includes("block_scale")) {
    scaled(c, i, m);
    return;
  }
  if (i.modifiers.some((word) => word.startsWith("sp"))) {
    sparse(c, i, m);
    return;
  }
  const w = wanted(m);
  const [d, a, b, acc] = operands(i, 4) as [PtxOperand, PtxOperand, PtxOperand, PtxOperand];
  const f: Fragments = { d, a, b, c: acc };
  if (w.shape === "m8n8k4" && w.a === "f16") {
    if (w.b !== "f16" || (w.d === "f16" && w.c !== "f16")) throw new Refusal();
    steps884(c, w, f);
    return;
  }
  if (w.layouts[0] !== "row" || w.layouts[1] !== "col" || w.c !== w.d) throw new Refusal();
  const product = productFor(c, w);
  if (product === null) {
    composed(c, w, f);
    return;
  }
  emitProduct(c, formOf(product, w.d, w.a, w.b) + w.more, f, w.a, w.d);
};
