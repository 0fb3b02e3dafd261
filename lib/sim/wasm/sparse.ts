/**
 * A of sparse products: its words with their zeros, as ops/tensor-factors.ts puts them back. Metadata has two bits of place for each of two neighbours
 * of four that are kept: 16 bits for f16, bf16 and (half an element) tf32, a byte otherwise.
 */
import { type Elements, perWord } from "./elements.js";
import { Type } from "./encoder.js";
import { ROW_BYTES } from "./layout.js";
import { Op } from "./opcodes.js";
import type { FactorKind } from "./slots.js";
import type { Vectors } from "./vectors.js";

/** Are neighbours of 16 bits? */
const isWide = (elements: Elements): boolean => perWord[elements] <= 2;

/** Threads of a quad that give metadata. */
const threadsOf = ({ depth, elements }: FactorKind): number =>
  (depth * 32) / perWord[elements] / (isWide(elements) ? 16 : 8) / 16;

/** May the selector of metadata be that? */
export function isSelector(k: FactorKind, selector: number): boolean {
  const threads = threadsOf(k);
  return Number.isInteger(threads) && threads >= 1 && threads <= 4 && (selector + 1) * threads <= 4;
}

/**
 * Where things lie for rows g and g + 8, `h` being 1 for the latter: bytes from the row to the next of words, metadata and the result, offsets in them of word
 * `n`, of the word with metadata of a chunk of four neighbours, and of word `n` with its zeros.
 */
export interface SparsePlaces {
  readonly steps: readonly [words: number, metadata: number, result: number];
  readonly word: (n: number, h: number) => number;
  readonly metadata: (chunk: number, h: number) => number;
  readonly result: (n: number, h: number) => number;
}

/** In the registers of a warp, metadata in those of its threads. */
export function placesInRegisters(k: FactorKind, to: number): SparsePlaces {
  const threads = threadsOf(k);
  const word = (n: number, h: number): number => (h + 2 * (n >> 2)) * ROW_BYTES + 4 * (n & 3);
  return {
    steps: [16, 16, 16],
    word,
    metadata: (c, h) => 4 * (threads * k.selector! + (isWide(k.elements) ? c >> 2 : 2 * (c >> 3) + h)),
    result: (n, h) => to + word(n, h),
  };
}

/** Emits that for 16 rows with so many words: of rows at `row` and of metadata at `meta`, to rows at `to`. */
export function spreadWords(
  w: Vectors,
  elements: Elements,
  words: number,
  places: SparsePlaces,
  [row, meta, to]: readonly [row: number, meta: number, to: number],
): void {
  const { code } = w;
  const wide = isWide(elements);
  const [word, where, first, second] = Array.from({ length: 4 }, () => w.local(Type.i32)) as [
    number,
    number,
    number,
    number,
  ];
  const out = w.local(Type.i64);
  const chunks = words * (wide ? 1 : 2);
  /** Leaves a shift by a place times `bits` on the stack. */
  const shift = (place: number, bits: number): void => {
    code.get(where);
    if (place > 0) code.i32(place).op(Op.i32ShrU);
    code.i32(3).op(Op.i32And).i32(bits).op(Op.i32Shl);
  };
  const halves = (at: number): void => {
    shift(0, 4);
    code.set(first);
    shift(2, 4);
    code.set(second);
    code.get(word).i32(0xffff).op(Op.i32And).op(Op.i64ExtendI32U).get(first).op(Op.i64ExtendI32U).op(Op.i64Shl);
    // The second of two at the same place stays.
    code.i64(0xffff).get(second).op(Op.i64ExtendI32U).op(Op.i64Shl).i64(-1).op(Op.i64Xor).op(Op.i64And);
    code.get(word).i32(16).op(Op.i32ShrU).op(Op.i64ExtendI32U).get(second).op(Op.i64ExtendI32U).op(Op.i64Shl);
    code.op(Op.i64Or).set(out).get(target).get(out).memory(Op.i64Store, at);
  };
  const singles = (at: number): void => {
    code.get(target).get(word).op(Op.i64ExtendI32U);
    code.get(where).i32(2).op(Op.i32And).i32(4).op(Op.i32Shl).op(Op.i64ExtendI32U).op(Op.i64Shl);
    code.memory(Op.i64Store, at);
  };
  const bytes = (at: number, upper: boolean): void => {
    shift(0, 3);
    code.set(first);
    shift(2, 3);
    code.set(second);
    const kept = (n: number): void => {
      const right = (upper ? 16 : 0) + 8 * n;
      code.get(word);
      if (right > 0) code.i32(right).op(Op.i32ShrU);
      code.i32(0xff).op(Op.i32And);
    };
    code.get(target);
    kept(0);
    code.get(first).op(Op.i32Shl);
    code.i32(0xff).get(second).op(Op.i32Shl).i32(-1).op(Op.i32Xor).op(Op.i32And);
    kept(1);
    code.get(second).op(Op.i32Shl).op(Op.i32Or).memory(Op.i32Store, at);
  };
  let target = 0;
  w.rounds(
    8,
    [
      [row, places.steps[0]],
      [meta, places.steps[1]],
      [to, places.steps[2]],
    ],
    ([from, metadata, into]) => {
      target = into!;
      for (let h = 0; h < 2; h++)
        for (let c = 0; c < chunks; c++) {
          const right = wide ? 16 * h + 4 * (c & 3) : 4 * (c & 7);
          code.get(metadata!).memory(Op.i32Load, places.metadata(c, h));
          if (right > 0) code.i32(right).op(Op.i32ShrU);
          code.set(where);
          code
            .get(from!)
            .memory(Op.i32Load, places.word(wide ? c : c >> 1, h))
            .set(word);
          if (!wide) bytes(places.result(c, h), (c & 1) === 1);
          else if (perWord[elements] === 1) singles(places.result(2 * c, h));
          else halves(places.result(2 * c, h));
        }
    },
  );
}
