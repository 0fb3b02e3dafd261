/**
 * Products in tensor memory (sm_100a and its kin) and the arrivals that follow them. Here are dense ones of 128 rows of a CTA: row i of D is lane i, column j
 * its column; descriptors tell where A and B are, A in tensor memory as words along the columns. All others: tensor-products.ts.
 *
 * Sources: PTX ISA 9.7.16 (addresses, 32x32b, layout D of a product of 128 rows); bits of descriptors of
 * shared memory as CUTLASS has them (include/cute/arch/mma_sm100_desc.hpp, BSD-3-Clause). Numbers as in tensor.ts, sums rounded once for each product: assumed.
 * They are in flight until an arrival (UTCBAR) that follows them.
 */
import { begin } from "../async/in-flight.js";
import { piecesOf, readMatrix, WORDS_PER_ROW } from "../descriptor.js";
import { accumulate, truncatedF32, unpack } from "../number/elements.js";
import { f32OfBits } from "../number/f32.js";
import type { Makers, Site } from "../site.js";
import { type Exec, Step } from "../state.js";
import { type BlockProducts, blockKind } from "../wasm/block-products.js";
import { inCta } from "./bulk.js";
import { operation } from "./copies.js";
import { COLUMNS, indexOf, ROWS, tensorColumns, wordsFor } from "./tensor-columns.js";
import { type Described, describe } from "./tensor-instruction.js";
import { tensorMoves } from "./tensor-moves.js";
import { anyProduct } from "./tensor-products.js";

/** Of what is built here: dense ones of 128 rows with elements of 8 bits and more as they are stored, without limits. */
const isPlain = ({ a, b, rows, sums, saturates, sparse }: Described): boolean =>
  rows === ROWS && !sparse && !saturates && sums !== "f16" && ![a, b].some(({ name }) => packedNames.includes(name));

/** Elements that stand packed in shared memory and in containers elsewhere. */
const packedNames: readonly string[] = ["E2M3", "E3M2", "E2M1"];

const words = { a: new Int32Array(ROWS * WORDS_PER_ROW), b: new Int32Array(256 * WORDS_PER_ROW) };
const values = { a: new Float64Array(ROWS * 32), b: new Float64Array(256 * 32) };
const sum: Float64Array = new Float64Array(ROWS * 256);

/** Products of a row and a column have 256 bits. */
const DEPTH_BITS = 256;

function product(s: Site): Exec {
  const { op } = s.inst.form;
  const any = anyProduct(s);
  const plain = !(
    ["2CTA", "WS"].some((m) => s.has(m)) ||
    s.operand("s").width > 0 ||
    (s.find("n") !== null && s.imm("n") !== 0)
  );
  if (!plain) return any;
  const [first, t] = [s.operand("a"), s.operand("t")];
  const inTensor = first.width === 0;
  const [a0, a1] = inTensor ? [s.scalar(t)!, null] : [s.scalar(first)!, s.scalar(first, 1)!];
  const second = s.operand("b");
  // What is kept in collector buffers is there anyway.
  void first.part;
  void t.part;
  void second.part;
  const [b0, b1] = [s.scalar(second)!, s.scalar(second, 1)!];
  const to = s.scalar(s.operand("d"))!;
  const described = s.scalar(s.operand("e"), 1)!;
  const c = s.operand("c");
  const masks = c.id < 0 ? [] : Array.from({ length: c.width }, (_, i) => s.scalar(c, i)!);
  const adds = s.predMask("pin");
  return (w) => {
    const d = describe(op, false, described(w));
    // Turned ones of other than 16 bits and swizzles of 32-byte atoms are read by the general path, which also leaves rows of D as they are.
    if (
      d === null ||
      !isPlain(d) ||
      masks.some((x) => x(w) !== 0) ||
      ((d.turnA || d.turnB) && d.a.bits !== 16) ||
      (((a1 ?? b1)(w) | b1(w)) >>> 29) & 1
    )
      return any(w, w.active);
    const a = a1 === null ? null : piecesOf(w, a0(w), a1(w), 0, ROWS, d.turnA);
    if (typeof a === "number") return a;
    const b = piecesOf(w, b0(w), b1(w), 0, d.columns, d.turnB);
    if (typeof b === "number") return b;
    const at = indexOf(w, to(w), ROWS, d.columns);
    const from = a === null ? indexOf(w, a0(w), ROWS, WORDS_PER_ROW) : 0;
    if (at < 0 || from < 0) return Step.Fault;
    const goesOn = adds(w) !== 0;
    const act = (): Step => {
      const { products } = w.machine;
      const memory = wordsFor(w.cta, products);
      if (a !== null) readMatrix(w, a, d.turnA, words.a);
      else
        for (let i = 0; i < ROWS; i++)
          words.a.set(memory.subarray(from + i * COLUMNS, from + i * COLUMNS + WORDS_PER_ROW), i * WORDS_PER_ROW);
      readMatrix(w, b, d.turnB, words.b);
      multiply(memory, at, d, goesOn, products);
      return Step.Next;
    };
    const after = w.machine.inFlight?.of(w, "tensor").slice(-1) ?? [];
    const lane = 31 - Math.clz32(w.active & -w.active);
    return begin(
      operation(w, lane, {
        grouping: "tensor",
        after,
        act,
        sources: a === null ? [b] : [a, b],
      }),
    );
  };
}

/** The product by translated code; false: for some reason not. */
function translated(
  memory: Int32Array,
  at: number,
  { a, b, signA, signB, sums, columns }: Described,
  goesOn: boolean,
  products: BlockProducts,
): boolean {
  const kind = blockKind(a.name, b.name, signA < 0, signB < 0, sums === "s32" ? "integer" : "float");
  if (kind === null || columns % 8 !== 0 || !products.holds(memory)) return false;
  if (!goesOn) for (let i = 0; i < ROWS; i++) memory.fill(0, at + i * COLUMNS, at + i * COLUMNS + columns);
  products.inTensorMemory(memory, kind, words, [ROWS, columns], at);
  return true;
}

function multiply(memory: Int32Array, at: number, d: Described, goesOn: boolean, products: BlockProducts | null): void {
  const { columns } = d;
  const integer = d.sums === "s32";
  if (products !== null && translated(memory, at, d, goesOn, products)) return;
  unpack(words.a, ROWS * WORDS_PER_ROW, d.a, d.signA, values.a);
  unpack(words.b, columns * WORDS_PER_ROW, d.b, d.signB, values.b);
  for (let i = 0; i < ROWS; i++)
    for (let j = 0; j < columns; j++) {
      const old = memory[at + i * COLUMNS + j]!;
      sum[i * columns + j] = goesOn ? (integer ? old : f32OfBits(old)) : 0;
    }
  accumulate(sum, values.a, values.b, ROWS, columns, DEPTH_BITS / d.a.bits);
  for (let i = 0; i < ROWS; i++)
    for (let j = 0; j < columns; j++) {
      const x = sum[i * columns + j]!;
      memory[at + i * COLUMNS + j] = integer ? x | 0 : truncatedF32(x);
    }
}

/** UTCBAR: an arrival when what the thread asked of the units so far is done; .MULTICAST: at the same place in the CTAs of a mask. */
function arrival(s: Site): Exec {
  const address = s.scalar(s.operand("a"))!;
  s.operand("b");
  s.has("2CTA");
  const mask = s.has("MULTICAST") ? s.scalar(s.operand("c"))! : null;
  return (w, m) => {
    const lane = 31 - Math.clz32(m & -m);
    const ctas = mask === null ? [] : w.cta.cluster.ctas.filter((_, rank) => ((mask(w) >>> rank) & 1) !== 0);
    const at = mask === null ? [address(w) >>> 0] : ctas.map((cta) => inCta(address(w), cta.rank));
    const signals = at.map((x) => ({ address: x, lane, what: { arrivals: 1, transactions: 0, drops: 0 } }));
    const after = w.machine.inFlight?.of(w, "tensor") ?? [];
    return begin(operation(w, lane, { signals, after }));
  };
}

function nothing(s: Site): Exec {
  s.ignoreModifiers();
  return () => Step.Next;
}

export const tensorMemory: Makers = {
  ...tensorColumns,
  ...tensorMoves,
  UVIRTCOUNT: nothing,
  UTCHMMA: product,
  UTCQMMA: product,
  UTCIMMA: product,
  UTCOMMA: anyProduct,
  UTCBAR: arrival,
};
