/**
 * What ptxas says of `tcgen05.mma`, `ld` and `st` beside the rules that the tables can tell: arguments, whose list depends on modifiers, and modifiers that depend on each other.
 * Measured on ptxas 13.0.88, in the order in which it says them.
 */
import type { OperandClass } from "./operand-types.js";
import { sizeOf } from "./operand-types.js";
import type { Resolved } from "./resolve.js";

const SCALED: ReadonlySet<string> = new Set(["kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4"]);
/** Sizes of scale vectors, and the kinds that have them. */
const VECTORS: Readonly<Record<string, readonly string[]>> = {
  "scale_vec::1X": ["kind::mxf8f6f4"],
  "scale_vec::2X": ["kind::mxf4", "kind::mxf4nvf4"],
  "scale_vec::4X": ["kind::mxf4nvf4"],
  block16: ["kind::mxf4nvf4"],
  block32: ["kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4"],
};

const isFloatType = (type: string): boolean => /^(?:f|bf|tf|e\dm)/.test(type);
const registerOf = (c: OperandClass | undefined, bits: number): boolean =>
  c?.kind === "register" && c.type !== "pred" && !isFloatType(c.type) && sizeOf(c.type) === bits;

type Fits = (c: OperandClass) => boolean;

/** Tensor memory at a register of 32 bits. */
const tensor: Fits = (c) =>
  c.kind === "address" &&
  c.simple &&
  c.base?.kind === "register" &&
  sizeOf(c.base.type) === 32 &&
  !isFloatType(c.base.type);
const descriptor: Fits = (c) => registerOf(c, 64) || c.kind === "int" || c.kind === "variable";
const word: Fits = (c) => registerOf(c, 32) || c.kind === "int" || c.kind === "special";
const predicate: Fits = (c) => (c.kind === "register" && c.type === "pred") || c.kind === "int";
// A vector of literals alone is none.
const mask: Fits = (c) =>
  (c.kind === "vector" && c.elements.some((e) => e.kind !== "int")) ||
  c.kind === "special" ||
  tensor(c) ||
  (c.kind === "register" && sizeOf(c.type) <= 32);
const integer: Fits = (c) => c.kind === "int";

/** Argument lists that a product may have; `place` is what fits tensor memory. */
function productLists(name: string, sparse: boolean, scaled: boolean, place: Fits): Fits[][] {
  return [place, descriptor].flatMap((a) => {
    const head = [place, a, descriptor, ...(sparse ? [place] : []), word];
    if (name === "tcgen05.mma.ws")
      return [
        [...head, predicate],
        [...head, predicate, descriptor],
      ];
    if (scaled) return [[...head, place, place, predicate]];
    return [
      [...head, predicate],
      [...head, predicate, integer],
      [...head, mask, predicate],
      [...head, mask, predicate, integer],
    ];
  });
}

const fits = (list: readonly Fits[], classes: readonly OperandClass[]): boolean =>
  list.length === classes.length && list.every((f, i) => f(classes[i] as OperandClass));

/** Arguments of loads and stores: the number is judged by itself. */
function movesFit(name: string, classes: readonly OperandClass[]): boolean {
  const reduces = name === "tcgen05.ld.red";
  const loads = reduces || name === "tcgen05.ld";
  const data: Fits = (c) =>
    c.kind === "vector"
      ? c.elements.every((e) => e.kind !== "register" || sizeOf(e.type) === 32)
      : tensor(c) || (c.kind === "register" && sizeOf(c.type) === 32);
  const place: Fits = (c) => tensor(c) || (c.kind === "address" && c.base?.kind === "variable");
  const result = reduces ? [(c: OperandClass): boolean => c.kind === "register" && sizeOf(c.type) === 32] : [];
  const list = loads ? [data, ...result, place] : [place, data];
  const halves = loads ? [...list, integer] : [place, integer, data];
  return fits(list, classes) || fits(halves, classes);
}

/** Instructions that are judged here. */
export const isTensorMemory = (name: string): boolean =>
  name.startsWith("tcgen05.") || name === "clusterlaunchcontrol.query_cancel";

const product = (name: string): boolean => name.startsWith("tcgen05.mma");
const move = (name: string): boolean => /^tcgen05\.(?:ld|st)\b/.test(name);

/** `query_cancel`: a predicate, a register, or a vector of four, and the answer. */
function queryFits(words: readonly string[], classes: readonly OperandClass[]): boolean {
  const answer: Fits = (c) => registerOf(c, 128);
  const to: Fits = (c) => {
    if (words.includes("is_canceled")) return c.kind === "register" && c.type === "pred";
    return c.kind === "vector" || c.kind === "sink" || registerOf(c, 32);
  };
  return fits([to, answer], classes);
}

/** Do the arguments belong to the instruction? */
export function tensorArguments(r: Resolved, classes: readonly OperandClass[]): boolean {
  const { name, words } = r;
  if (move(name)) return movesFit(name, classes);
  if (!product(name)) return name.startsWith("tcgen05.") || queryFits(words, classes);
  const sparse = words.includes("sp");
  const scaled = words.includes("block_scale") || words.some((w) => SCALED.has(w));
  const some = (withMetadata: boolean): boolean =>
    productLists(name, withMetadata, scaled, tensor).some((list) => fits(list, classes));
  return some(sparse) || (name === "tcgen05.mma.ws" && some(true));
}

/** The mask of CTAs that `commit` tells: one is there with .multicast::cluster alone, and is a register; said before and after the gates. */
export function commitMask(r: Resolved, classes: readonly OperandClass[], gated: boolean): boolean {
  if (r.name !== "tcgen05.commit") return true;
  const multicast = r.words.includes("multicast::cluster");
  if (!gated) return classes.length === 2 || !multicast;
  return classes.length === 1 || (multicast && classes[1]?.kind !== "int");
}

/** Could they belong to a product with other modifiers, addresses of any register? */
function couldBelong(name: string, classes: readonly OperandClass[]): boolean {
  const place: Fits = (c) => c.kind === "address" && c.simple;
  return [false, true].some((sparse) =>
    [false, true].some((scaled) => productLists(name, sparse, scaled, place).some((list) => fits(list, classes))),
  );
}

/** What is said of a product's modifiers before its arguments, where the target has it. */
function productModifiers(name: string, words: readonly string[]): string[] {
  const out: string[] = [];
  const kind = words.find((w) => w.startsWith("kind::"));
  const quoted = kind === undefined ? "" : `.${kind}`;
  const vector = words.find((w) => Object.hasOwn(VECTORS, w));
  const scaled = words.includes("block_scale");
  const together = (a: string, b: string): void => {
    out.push(`Modifier '${a}' cannot be combined with modifier '${b}'`);
  };
  if (vector !== undefined && !scaled)
    out.push(`Modifier '.${vector}' requires modifier '.block_scale' for instruction '${name}'`);
  if (scaled && !SCALED.has(kind ?? "")) together(quoted, ".block_scale");
  if (vector !== undefined && !VECTORS[vector]!.includes(kind ?? "")) together(quoted, `.${vector}`);
  if (kind === "kind::mxf4nvf4" && vector === undefined)
    out.push(`Modifier '.kind::mxf4nvf4' requires modifier '.scale_vectorsize' for instruction '${name}'`);
  const use = words.find((w) => w === "collector::a::fill" || w === "collector::a::use");
  if (words.includes("ashift") && use !== undefined) together(`.${use}`, ".ashift");
  return out;
}

/** What a product needs, and what does not belong to its arguments. */
function productRest(r: Resolved, classes: readonly OperandClass[]): string[] {
  const { name, words } = r;
  const out: string[] = [];
  const weights = name === "tcgen05.mma.ws";
  const kind = words.find((w) => w.startsWith("kind::"));
  const needs = (what: string): void => {
    out.push(`${what} modifier required for instruction '${name}'`);
  };
  const illegal = (w: string, more = ""): void => {
    out.push(`Illegal modifier '.${w}' for instruction '${name}'${more}`);
  };
  const group = words.find((w) => w.startsWith("cta_group::"));
  if (group === undefined) needs(".cta_group");
  if (kind === undefined) needs(".kind");
  if (SCALED.has(kind ?? "") && !words.includes("block_scale") && !weights) needs(".block_scale");
  if (weights && !words.includes("sp") && classes[3]?.kind === "address") needs(".sp");
  if (weights && group === "cta_group::2") illegal(group);
  if (weights && SCALED.has(kind ?? "")) illegal(kind as string);
  const collector = weights ? "collector::a::" : "collector::b";
  for (const w of words) if (w.startsWith(collector)) illegal(w);
  const inTensor = classes[1]?.kind === "address";
  if (words.includes("ashift") && (!inTensor || weights || SCALED.has(kind ?? ""))) illegal("ashift");
  const vector = classes.find((c) => c.kind === "vector");
  if (vector?.kind === "vector" && vector.elements.length !== (group === "cta_group::2" ? 8 : 4))
    out.push(`Argument vector size mismatch for instruction '${name}'`);
  const last = classes.at(-1);
  const exponent = last?.kind === "int" && classes.length > 5 + Number(words.includes("sp")) && !weights;
  const predicateBefore = classes.at(-2);
  if (exponent && predicateBefore !== undefined && predicate(predicateBefore) && kind === "kind::f8f6f4")
    illegal(kind, " with 'arg scale-inp-d-imm'");
  if (classes.some((c) => c.kind === "special"))
    out.push(`Special register argument not allowed for instruction '${name}'`);
  return out;
}

const TIMES = /^x(?:1|2|4|8|16|32|64|128)$/;
const WORDS: Readonly<Record<string, number>> = { "16x64b": 1, "16x128b": 2, "16x256b": 4, "32x32b": 1, "16x32bx2": 1 };

/** What is said of shape, repetition and number of arguments of loads and stores. */
function moveRest(r: Resolved, classes: readonly OperandClass[]): string[] {
  const { name, words } = r;
  const reduces = name === "tcgen05.ld.red";
  const out: string[] = [];
  const shape = words.find((w) => /^\d+x\d+b(?:x2)?$/.test(w));
  const times = words.find((w) => TIMES.test(w));
  const per = shape === undefined ? undefined : WORDS[shape];
  const wrongShape =
    shape !== undefined && (per === undefined || (reduces && shape !== "32x32b" && shape !== "16x32bx2"));
  if (wrongShape) out.push(`Illegal matrix shape '.${shape}' for instruction '${name}'`);
  if (reduces) reduction(r, out);
  if (shape === undefined) out.push(`Shape modifier required for instruction '${name}'`);
  if (times === undefined) out.push(`.num modifier required for instruction '${name}'`);
  if (shape === undefined || times === undefined || per === undefined) return out;
  const count = per * Number(times.slice(1));
  if (count > 128) out.push(`Modifier .${times} not allowed for instruction ${name} with shape '.${shape}'`);
  const expected = 2 + Number(reduces) + Number(shape === "16x32bx2");
  if (classes.length !== expected)
    out.push(`Unexpected number of arguments specified for ${name} with shape '.${shape}'`);
  const at = name === "tcgen05.st" ? classes.length - 1 : 0;
  const data = classes[at];
  if (data?.kind !== "vector") out.push(`Vector expected for argument ${at}`);
  else if (data.elements.length !== count)
    out.push(`Argument ${at} of instruction '${name}': Argument vector size mismatch`);
  if (name !== "tcgen05.st" && data?.kind === "vector" && data.elements.some((e) => e.kind !== "register"))
    out.push(`Result register required for instruction '${name}'`);
  return out;
}

function reduction({ name, words, types }: Resolved, out: string[]): void {
  const op = words.find((w) =>
    ["min", "max", "add", "and", "or", "xor", "cas", "inc", "dec", "exch", "popc"].includes(w),
  );
  if (op === undefined) out.push(`Reduction operation is required for instruction '${name}'`);
  else if (op !== "min" && op !== "max") out.push(`Illegal operation '.${op}' for instruction '${name}'`);
  const refused = words.filter(
    (w) => w === "x1" || w === "pack::16b" || (types[0] !== "f32" && (w === "abs" || w === "NaN")),
  );
  for (const w of refused) out.push(`Illegal modifier '.${w}' for instruction '${name}'`);
}

/** What is said before the arguments, where these could belong to some product. */
export const tensorModifiers = (r: Resolved, classes: readonly OperandClass[]): string[] =>
  product(r.name) && couldBelong(r.name, classes) ? productModifiers(r.name, r.words) : [];

/** What is said after the gates of targets, before modifiers that do not belong. */
export function tensorRest(r: Resolved, classes: readonly OperandClass[]): string[] {
  if (product(r.name)) return productRest(r, classes);
  return move(r.name) ? moveRest(r, classes) : [];
}
