/**
 * `mma.sp` (half of A's elements are zero, and left out; the metadata says which) and `mma` with a scale for each block of the factors.
 *
 * Registers go over as they are; one immediate says which lanes hold the metadata, and a uniform register which bytes of which lanes hold the scales
 * (ptxas's code on sm_80 to sm_120a). A sparse product with scales takes metadata and A's scales as a pair.
 *
 * From sm_100 on products of f16 and integers need metadata in ascending order: metadata.ts. From sm_90 on 4-bit integers are the low and the high
 * nibbles as bytes, with the same metadata, in two products (as ptxas's routines).
 */
import { formsNamed } from "../../isa/form.js";
import { imm, part, RZ, select } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { Operand as PtxOperand } from "../../ptx/ast.js";
import type { Feature } from "../../target/types.js";
import { toUniform } from "../async/uniform.js";
import type { Context } from "../context.js";
import { at, type Lowering, operands } from "../family.js";
import type { Modifiers } from "../modifiers.js";
import { Refusal } from "../refusal.js";
import { type PtxType, typeNamed, U32 } from "../types.js";
import { finishFragment, fragmentOut, readFragment } from "./fragment.js";
import { wordsOf } from "./half884.js";
import { nibbles, saturatingSum } from "./made-of.js";
import { sorted } from "./metadata.js";
import { typeOfRegisters } from "./registers.js";
import { sparseBytes } from "./sparse-bytes.js";
import { allTogether } from "./together.js";

/**
 * PTX shape | factors | sums | machine instruction | what the target must have | metadata must be in order where the target says so. `{a}`, `{b}`, `{d}`
 * as in products.ts.
 */
const SPARSE = `
m16n8k16  | f16       | f16 f32 | HMMA.SP.16816.{d}          | mma80         | ordered
m16n8k32  | f16       | f16 f32 | HMMA.SP.16832.{d}          | mma80         | ordered
m16n8k16  | bf16      | f32     | HMMA.SP.16816.F32.BF16     | mma80         | -
m16n8k32  | bf16      | f32     | HMMA.SP.16832.F32.BF16     | mma80         | -
m16n8k8   | tf32      | f32     | HMMA.SP.1688.F32.TF32      | mma80         | -
m16n8k16  | tf32      | f32     | HMMA.SP.16816.F32.TF32     | mma80         | -
m16n8k32  | s8 u8     | s32     | IMMA.SP.16832.{a}.{b}      | mma80         | ordered
m16n8k64  | s8 u8     | s32     | IMMA.SP.16864.{a}.{b}      | mma80         | ordered
m16n8k64  | s4 u4     | s32     | IMMA.SP.16864.{a}.{b}      | mmaNibble80   | -
m16n8k128 | s4 u4     | s32     | IMMA.SP.168128.{a}.{b}     | mmaNibble80   | -
m16n8k64  | e4m3 e5m2 | f16 f32 | QMMA.SP.16864.{d}.{a}.{b}  | mmaByteFloat  | -
m16n8k64  | e4m3 e5m2 e3m2 e2m3 e2m1 | f16 f32 | QMMA.SP.16864.{d}.{a}.{b} | mmaSmallFloat | -
`;

/** Kind | size of the vector of scales | type of scales | shape | factors | machine instruction of dense and of sparse products. */
const SCALED = `
mxf8f6f4 | 1X | ue8m0 | m16n8k32 m16n8k64  | e4m3 e5m2 e3m2 e2m3 e2m1 | QMMA.SF.16832.F32.{a}.{b}.E8 | QMMA.SF.SP.16864.F32.{a}.{b}.E8
mxf4     | 2X | ue8m0 | m16n8k64 m16n8k128 | e2m1 | OMMA.SF.16864.F32.E2M1.E2M1.E8        | OMMA.SF.SP.168128.F32.E2M1.E2M1.E8
mxf4nvf4 | 2X | ue8m0 | m16n8k64 m16n8k128 | e2m1 | OMMA.SF.16864.F32.E2M1.E2M1.E8        | OMMA.SF.SP.168128.F32.E2M1.E2M1.E8
mxf4nvf4 | 4X | ue4m3 | m16n8k64 m16n8k128 | e2m1 | OMMA.SF.16864.F32.E2M1.E2M1.UE4M3.4X  | OMMA.SF.SP.168128.F32.E2M1.E2M1.UE4M3.4X
`;

const B16 = typeNamed("b16") as PtxType;

const rowsOf = (text: string): readonly (readonly string[])[] =>
  text
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((x) => x.trim()));

const sparseRows = rowsOf(SPARSE);
const scaledRows = rowsOf(SCALED);
const has = (words: string | undefined, word: string): boolean => (words ?? "").split(" ").includes(word);

const shapes = ["m16n8k8", "m16n8k16", "m16n8k32", "m16n8k64", "m16n8k128"];
const factorTypes = "f16 bf16 tf32 s8 u8 s4 u4 e4m3 e5m2 e3m2 e2m3 e2m1".split(" ");

/** What all of them say: shape, layouts, types. */
interface Wanted {
  readonly shape: string;
  readonly a: string;
  readonly b: string;
  readonly d: string;
  readonly saturates: boolean;
}

function wanted(m: Modifiers): Wanted {
  m.need(["sync"]);
  m.need(["aligned"]);
  const shape = m.need(shapes);
  m.need(["row"]);
  m.need(["col"]);
  const saturates = m.flag("satfinite");
  const d = m.need(["f16", "f32", "s32"]);
  const [a, b] = [m.need(factorTypes), m.need(factorTypes)];
  m.need([d]);
  if (saturates && d !== "s32") throw new Refusal();
  return { shape, a, b, d, saturates };
}

/** The machine instruction with its types. */
const named = (form: string, w: Wanted): string =>
  form.replace("{a}", w.a.toUpperCase()).replace("{b}", w.b.toUpperCase()).replace("{d}", w.d.toUpperCase());

interface Emission {
  readonly name: string;
  readonly w: Wanted;
  readonly list: readonly PtxOperand[];
  /** What follows C. */
  readonly more: readonly Operand[];
  /** In ascending order first; the selector of lanes. */
  readonly sort?: number;
}

function emit(c: Context, { name, w, list, more, sort }: Emission): void {
  const [to, fa, fb, fc] = list as [PtxOperand, PtxOperand, PtxOperand, PtxOperand];
  const words = fa.kind === "vector" ? fa.elements.length : 0;
  const width = (f: (typeof forms)[number], slot: string): number => f.srcs.find((s) => s.name === slot)?.width ?? 0;
  const forms = formsNamed(name);
  const form = forms.find((f) => width(f, "a") === words);
  if (form === undefined) throw new Refusal();
  const [factor, sums] = [typeOfRegisters(w.a), typeOfRegisters(w.d)];
  let a = readFragment(c, fa, words, factor);
  const b = readFragment(c, fb, width(form, "b"), factor);
  const acc = readFragment(c, fc, width(form, "c"), sums);
  const d = fragmentOut(c, to, form.dsts[0]?.width ?? 0, sums);
  allTogether(c);
  if (sort !== undefined) {
    const unit = w.a === "f16" ? "halves" : "bytes";
    const made = sorted(c, unit, wordsOf(a), more[0] as Operand, sort);
    a = joinedWords(c, made.a);
    more = [made.metadata, imm(0)];
  }
  const layouts = name.startsWith("IMMA") || (name.startsWith("QMMA") && c.target.has("mmaByteFloatLayouts"));
  const slots: Record<string, Operand> = {
    a: layouts ? select(a, ".ROW") : a,
    b: layouts ? select(b, ".COL") : b,
    c: acc,
    ...Object.fromEntries(form.srcs.slice(form.srcs.length - more.length).map((s, k) => [s.name, more[k] as Operand])),
  };
  c.builder.emit(form, { d }, slots);
  finishFragment(c, to, d, sums);
}

/** Consecutive registers with these words. */
function joinedWords(c: Context, words: readonly Operand[]): Operand {
  const d = c.temp(words.length);
  words.forEach((w, k) => {
    c.move(part(d, k), w);
  });
  return d;
}

/** `s4` and `u4` as bytes. */
function nibbleSparse(c: Context, w: Wanted, list: readonly PtxOperand[], metadata: Operand, selector_: number): void {
  const [to, fa, fb, fc] = list as [PtxOperand, PtxOperand, PtxOperand, PtxOperand];
  const count = w.shape === "m16n8k64" ? 2 : 4;
  const word = typeOfRegisters(w.d);
  const read = (o: PtxOperand, n: number): Operand[] => wordsOf(readFragment(c, o, n, word));
  const [b, acc] = [read(fb, count), read(fc, 4)];
  let [a, order, lanes] = [read(fa, count), metadata, selector_];
  allTogether(c);
  if (c.target.has("mmaOrderedMetadata")) {
    const made = sorted(c, "bytes", a, metadata, selector_);
    [a, order, lanes] = [[...made.a], made.metadata, 0];
  }
  const types = [w.a, w.b].map((t) => (t === "s4" ? "S8" : "U8")).join(".");
  const name = `IMMA.SP.${count === 2 ? "16832" : "16864"}.${types}`;
  const [low, high] = [false, true].map((upper) => {
    const part_ = (words: readonly Operand[], type: string): Operand =>
      joinedWords(
        c,
        words.map((x) => nibbles(c, x, upper, type === "s4")),
      );
    const d = c.temp(4);
    c.emit(name, [d], [select(part_(a, w.a), ".ROW"), select(part_(b, w.b), ".COL"), RZ(4), order, imm(lanes)]);
    return wordsOf(d);
  }) as [Operand[], Operand[]];
  const sums = acc.map((x, k) => {
    if (!w.saturates) return c.op("IADD3", [x, low[k]!, high[k]!]);
    return saturatingSum(c, c.op("IADD3", [low[k]!, high[k]!, RZ()]), x);
  });
  finishFragment(c, to, joinedWords(c, sums), word);
}

/** `e4m3` and `e5m2` as halves. */
function bytesSparse(
  c: Context,
  w: Wanted,
  list: readonly PtxOperand[],
  metadata: Operand,
  lanes: number,
  sorts: boolean,
): void {
  const [to, fa, fb, fc] = list as [PtxOperand, PtxOperand, PtxOperand, PtxOperand];
  if (w.shape !== "m16n8k64" || w.d === "s32" || lanes !== 0) throw new Refusal();
  const [factor, sums] = [typeOfRegisters(w.a), typeOfRegisters(w.d)];
  const words = w.d === "f16" ? 2 : 4;
  const [a, b] = [wordsOf(readFragment(c, fa, 4, factor)), wordsOf(readFragment(c, fb, 4, factor))];
  const acc = wordsOf(readFragment(c, fc, words, sums));
  allTogether(c);
  const d = sparseBytes(c, { a: w.a, b: w.b, d: w.d as "f16" | "f32", sorts }, a, b, acc, metadata);
  finishFragment(c, to, joinedWords(c, d), sums);
}

/** A number below `limit`. */
function selector(o: PtxOperand, limit: number): number {
  if (o.kind !== "int" || o.hi !== 0 || o.lo >= limit) throw new Refusal();
  return o.lo;
}

/** `mma.sp`. */
export const sparse: Lowering = (c, i, m) => {
  const ordered = m.oneOf(["sp", "sp::ordered_metadata"]) === "sp::ordered_metadata";
  m.flag("kind::f8f6f4");
  const w = wanted(m);
  const list = operands(i, 6);
  const row = sparseRows.find(
    ([shape, factors, sums, , needs]) =>
      shape === w.shape && has(factors, w.a) && has(factors, w.b) && has(sums, w.d) && c.target.has(needs as Feature),
  );
  const lanes = selector(at(list, 5), 4);
  const metadata = c.materialize(c.read(at(list, 4), U32));
  const quarters = /^[su]4$/;
  if (row === undefined && quarters.test(w.a) && quarters.test(w.b) && c.target.has("clusters")) {
    if (w.d !== "s32" || (w.shape !== "m16n8k64" && w.shape !== "m16n8k128")) throw new Refusal();
    nibbleSparse(c, w, list, metadata, lanes);
    return;
  }
  const byteFloats = /^e[45]m[23]$/;
  if (row === undefined && byteFloats.test(w.a) && byteFloats.test(w.b) && c.target.has("clusters")) {
    bytesSparse(c, w, list, metadata, lanes, c.target.has("mmaOrderedMetadata"));
    return;
  }
  if (row === undefined || (/^b?f16|^tf/.test(w.a) && w.a !== w.b)) throw new Refusal();
  const sorts = row[5] === "ordered" && !ordered && c.target.has("mmaOrderedMetadata");
  const name = named(row[3] as string, w) + (w.saturates ? ".SAT" : "");
  emit(c, { name, w, list, more: [metadata, imm(lanes)], ...(sorts ? { sort: lanes } : {}) });
};

/** The one word in braces, or without. */
const single = (o: PtxOperand): PtxOperand => (o.kind === "vector" && o.elements.length === 1 ? at(o.elements, 0) : o);

/** Byte and thread of A's scales, of B's: at which bit they stand, and how many bits they have. */
const FIELDS = [
  [0, 2],
  [2, 1],
  [3, 2],
  [5, 2],
] as const;

/**
 * Which bytes of which lanes, from two `{byte, thread}`: numbers, or registers of 16 bits. ptxas puts fields from registers together by LOP3, the first as it is.
 */
function places(c: Context, a: PtxOperand, b: PtxOperand): Operand {
  const parts = [a, b].flatMap((o) => (o.kind === "vector" && o.elements.length === 2 ? o.elements : []));
  if (parts.length !== FIELDS.length) throw new Refusal();
  if (parts.every((o) => o.kind === "int")) {
    const word = FIELDS.reduce((w, [shift, bits], k) => w | (selector(at(parts, k), 2 ** bits) << shift), 0);
    return toUniform(c, [imm(word)]);
  }
  let word = c.materialize(c.read(at(parts, 0), B16));
  FIELDS.slice(1).forEach(([shift, bits], k) => {
    const field = c.op("SHF.L.U32", [c.materialize(c.read(at(parts, k + 1), B16)), imm(shift), RZ()]);
    word = c.op("LOP3.LUT", [field, imm((2 ** bits - 1) << shift), word, imm(0xe2)]);
  });
  return toUniform(c, [word]);
}

/** `mma` with `.block_scale`, dense or sparse. */
export const scaled: Lowering = (c, i, m) => {
  const isSparse = m.flag("sp::ordered_metadata");
  const kind = m.need(["kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4"]).slice("kind::".length);
  m.need(["block_scale"]);
  const size = m.oneOf(["scale_vec::1X", "scale_vec::2X", "scale_vec::4X"])?.slice("scale_vec::".length) ?? null;
  const w = wanted(m);
  const scales = m.need(["ue8m0", "ue4m3"]);
  const list = operands(i, isSparse ? 10 : 8);
  const row = scaledRows.find(
    ([k, vector, type, shape, factors]) =>
      k === kind &&
      (size === null || vector === size) &&
      type === scales &&
      shape?.split(" ")[isSparse ? 1 : 0] === w.shape &&
      has(factors, w.a) &&
      has(factors, w.b),
  );
  if (row === undefined || w.d !== "f32" || !c.target.has("mmaSmallFloat")) throw new Refusal();
  if (size === null && kind === "mxf4nvf4") throw new Refusal();
  const rest = list.slice(isSparse ? 6 : 4);
  const a = c.materialize(c.read(single(at(rest, 0)), U32));
  const b = c.materialize(c.read(single(at(rest, 2)), U32));
  const where = places(c, at(rest, 1), at(rest, 3));
  if (!isSparse) {
    emit(c, { name: named(row[5] as string, w), w, list, more: [a, b, where] });
    return;
  }
  const lanes = imm(selector(at(list, 5), 4));
  const both = c.pair(c.read(at(list, 4), U32), a);
  emit(c, { name: named(row[6] as string, w), w, list, more: [both, b, where, lanes] });
};
