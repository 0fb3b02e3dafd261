/** Bytes and bits, four lanes at a time; the meaning is that of ops/bits.ts. */
import { Kind } from "../../isa/operand.js";
import type { Site } from "../site.js";
import { Untranslated, type V } from "./emission.js";
import { perLane, setResult, wanted } from "./integer.js";
import { Op } from "./opcodes.js";
import type { Segment } from "./segment.js";
import type { Emitters } from "./table.js";

/** Bytes of a and c by the nibbles of a constant. */
function chosen(e: Segment, a: V, c: V, selector: number): V {
  const bytes: number[] = [];
  const signs: number[] = [0, 0, 0, 0];
  for (let lane = 0; lane < 4; lane++)
    for (let i = 0; i < 4; i++) {
      const n = (selector >>> (4 * i)) & 15;
      if (n & 8) signs[i] = 0xff;
      const byte = n & 7;
      bytes.push(byte < 4 ? 4 * lane + byte : 16 + 4 * lane + byte - 4);
    }
  const r = e.shuffled(a, c, bytes);
  const mask = signs.reduce((m, x, i) => m | (x << (8 * i)), 0);
  return mask === 0 ? r : e.v(Op.bitselect, e.shifted(Op.i8x16ShrS, r, 7), r, e.words(mask));
}

/** The same by the nibbles of a register. */
function chosenBy(e: Segment, a: V, c: V, selector: V): V {
  const nibble = e.words(0x0f0f0f0f);
  const low = e.v(Op.and, selector, e.words(0xff));
  const high = e.shifted(Op.i32x4Shl, e.v(Op.and, selector, e.words(0xff00)), 8);
  const pairs = e.v(Op.or, low, high);
  const n = e.v(Op.and, e.v(Op.or, pairs, e.shifted(Op.i32x4Shl, pairs, 4)), nibble);
  // Numbers of bytes among the 16 of four lanes; those of the other operand are none, which give 0.
  const own = e.v(Op.or, e.v(Op.and, n, e.words(0x03030303)), e.words(0, 0x04040404, 0x08080808, 0x0c0c0c0c));
  const other = e.shifted(Op.i32x4Shl, e.v(Op.and, n, e.words(0x04040404)), 5);
  const fromA = e.v(Op.swizzle, a, e.v(Op.or, own, other));
  const fromC = e.v(Op.swizzle, c, e.v(Op.or, own, e.v(Op.xor, other, e.words(0x80808080))));
  const r = e.v(Op.or, fromA, fromC);
  const signs = e.shifted(Op.i8x16ShrS, e.shifted(Op.i32x4Shl, e.v(Op.and, n, e.words(0x08080808)), 4), 7);
  return e.v(Op.bitselect, e.shifted(Op.i8x16ShrS, r, 7), r, signs);
}

function prmt(e: Segment, s: Site): void {
  const o = s.operand("b");
  if (s.inst.form.mods.length > 0) throw new Untranslated("selector");
  const [a, c] = [e.int(s, "a"), e.int(s, "c")];
  if (o.kind === Kind.Imm) setResult(e, s, chosen(e, a, c, o.value));
  else setResult(e, s, chosenBy(e, a, c, e.int(s, "b")));
}

/** Bits in reverse: the nibbles of each byte by a table, the bytes by their numbers. */
function brev(e: Segment, s: Site): void {
  const b = e.int(s, "b");
  const reversed = (upper: boolean): V => {
    const table = [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15].map((x) => (upper ? x << 4 : x));
    const w = [0, 1, 2, 3].map((i) => table.slice(4 * i, 4 * i + 4).reduce((m, x, k) => m | (x << (8 * k)), 0));
    return e.words(w[0]!, w[1]!, w[2]!, w[3]!);
  };
  const nibble = e.words(0x0f0f0f0f);
  const low = e.v(Op.swizzle, reversed(true), e.v(Op.and, b, nibble));
  const high = e.v(Op.swizzle, reversed(false), e.v(Op.and, e.shifted(Op.i32x4ShrU, b, 4), nibble));
  const v = e.v(Op.or, low, high);
  setResult(e, s, e.shuffled(v, v, [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12]));
}

/** b ones from bit a on. */
function bmsk(e: Segment, s: Site): void {
  const wrap = s.has("W");
  const r = perLane(e, [e.int(s, "a"), e.int(s, "b")], ([a, b]) => {
    const { out } = e;
    // 2^b − 1 in 64 bits, then up by a; what is too large gives all, or none.
    const amount = (x: number): void => {
      if (wrap) out.get(x).i32(31).op(Op.i32And);
      else out.get(x).i32(32).get(x).i32(32).op(Op.i32LtU).op(Op.select);
      out.op(Op.i64ExtendI32U);
    };
    out.i32(1).op(Op.i64ExtendI32U);
    amount(b!);
    out.op(Op.i64Shl).i32(1).op(Op.i64ExtendI32U).op(Op.i64Sub);
    amount(a!);
    out.op(Op.i64Shl).op(Op.i32WrapI64);
  });
  setResult(e, s, r);
}

function popc(e: Segment, s: Site): void {
  const bytes = e.v(Op.i8x16Popcnt, e.int(s, "b"));
  setResult(e, s, e.v(Op.i32x4PairwiseU, e.v(Op.i16x8PairwiseU, bytes)));
}

function flo(e: Segment, s: Site): void {
  const unsigned = s.has("U32");
  const shift = s.has("SH");
  if (wanted(s, "pout")) throw new Untranslated("predicate result");
  let b = e.int(s, "b");
  if (!unsigned) b = e.v(Op.xor, b, e.shifted(Op.i32x4ShrS, b, 31));
  const r = perLane(e, [b], ([x]) => {
    // 31 − clz, or clz; −1 of zero, whose clz is 32.
    if (shift) e.out.i32(-1).get(x!).op(Op.i32Clz).get(x!).op(Op.i32Eqz).op(Op.select);
    else e.out.i32(31).get(x!).op(Op.i32Clz).op(Op.i32Sub);
  });
  setResult(e, s, r);
}

function sgxt(e: Segment, s: Site): void {
  const wrap = s.has("W");
  const unsigned = s.has("U32");
  const o = s.operand("b");
  if (o.kind !== Kind.Imm) throw new Untranslated("width in a register");
  const n = wrap ? o.value & 31 : Math.min(o.value >>> 0, 32);
  const a = e.int(s, "a");
  if (n === 0) setResult(e, s, e.words(0));
  else if (n === 32) setResult(e, s, a);
  else setResult(e, s, e.shifted(unsigned ? Op.i32x4ShrU : Op.i32x4ShrS, e.shifted(Op.i32x4Shl, a, 32 - n), 32 - n));
}

export const bits: Emitters = {
  PRMT: { emit: prmt },
  BREV: { emit: brev },
  BMSK: { emit: bmsk },
  POPC: { emit: popc },
  FLO: { emit: flo },
  SGXT: { emit: sgxt },
};
