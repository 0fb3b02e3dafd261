/**
 * A of sparse products: its words with their zeros, as ops/tensor-factors.ts puts them back. Metadata has two bits of place for each of two neighbours
 * of four that are kept: 16 bits for f16, bf16 and (half an element) tf32, a byte otherwise.
 */
import { perWord } from "./elements.js";
import { Type } from "./encoder.js";
import { ROW_BYTES } from "./layout.js";
import { Op } from "./opcodes.js";
import { type FactorKind, registersOf } from "./slots.js";
import type { Vectors } from "./vectors.js";

/** Are neighbours of 16 bits, and the threads of a quad that give metadata. */
function neighboursOf({ depth, elements }: FactorKind): { readonly wide: boolean; readonly threads: number } {
  const bits = 32 / perWord[elements];
  const wide = bits >= 16;
  return { wide, threads: (depth * bits) / (wide ? 16 : 8) / 16 };
}

/** May the selector of metadata be that? */
export function isSelector(k: FactorKind, selector: number): boolean {
  const { threads } = neighboursOf(k);
  return Number.isInteger(threads) && threads >= 1 && threads <= 4 && (selector + 1) * threads <= 4;
}

/** Where word `n` of row g + 8 h lies: bytes from the first word of row g in registers of all lanes. */
const wordAt = (n: number, h: number): number => (h + 2 * (n >> 2)) * ROW_BYTES + 4 * (n & 3);

/** Emits that: registers at `row` and of metadata at `meta` to registers at `to`. */
export function spreadWords(w: Vectors, k: FactorKind, row: number, meta: number, to: number, offset: number): void {
  const { code } = w;
  const { wide, threads } = neighboursOf(k);
  const [word, places, first, second] = Array.from({ length: 4 }, () => w.local(Type.i32)) as [
    number,
    number,
    number,
    number,
  ];
  const out = w.local(Type.i64);
  const chunks = registersOf(k) * (wide ? 1 : 2);
  /** Leaves a shift by a place times `bits` on the stack. */
  const shift = (place: number, bits: number): void => {
    code.get(places);
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
    code.op(Op.i64Or).set(out).get(to2).get(out).memory(Op.i64Store, at);
  };
  const singles = (at: number): void => {
    code.get(to2).get(word).op(Op.i64ExtendI32U);
    code.get(places).i32(2).op(Op.i32And).i32(4).op(Op.i32Shl).op(Op.i64ExtendI32U).op(Op.i64Shl);
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
    code.get(to2);
    kept(0);
    code.get(first).op(Op.i32Shl);
    code.i32(0xff).get(second).op(Op.i32Shl).i32(-1).op(Op.i32Xor).op(Op.i32And);
    kept(1);
    code.get(second).op(Op.i32Shl).op(Op.i32Or).memory(Op.i32Store, at);
  };
  let to2 = 0;
  w.rounds(
    8,
    [
      [row, 16],
      [meta, 16],
      [to, 16],
    ],
    ([from, places4, into]) => {
      to2 = into!;
      for (let h = 0; h < 2; h++)
        for (let c = 0; c < chunks; c++) {
          const lane = threads * k.selector! + (wide ? c >> 2 : 2 * (c >> 3) + h);
          const right = wide ? 16 * h + 4 * (c & 3) : 4 * (c & 7);
          code.get(places4!).memory(Op.i32Load, 4 * lane);
          if (right > 0) code.i32(right).op(Op.i32ShrU);
          code.set(places);
          code
            .get(from!)
            .memory(Op.i32Load, wordAt(wide ? c : c >> 1, h))
            .set(word);
          if (!wide) bytes(offset + wordAt(c, h), (c & 1) === 1);
          else if (perWord[k.elements] === 1) singles(offset + wordAt(2 * c, h));
          else halves(offset + wordAt(2 * c, h));
        }
    },
  );
}
