/** Fields of a 128-bit word kept as four u32, little endian. A field is a list of pieces, least significant first. */
import type { Loc } from "./syntax.js";

/** `width` ≤ 32 bits from bit `lo` on; they may cross a u32. */
export function getBits(words: Uint32Array, at: number, lo: number, width: number): number {
  const i = at + (lo >> 5);
  const shift = lo & 31;
  let v = words[i]! >>> shift;
  if (shift + width > 32) v |= words[i + 1]! << (32 - shift);
  return width === 32 ? v >>> 0 : (v & ((1 << width) - 1)) >>> 0;
}

export function setBits(words: Uint32Array, at: number, lo: number, width: number, value: number): void {
  let done = 0;
  while (done < width) {
    const bit = lo + done;
    const shift = bit & 31;
    const n = Math.min(32 - shift, width - done);
    const mask = n === 32 ? 0xffffffff : ((1 << n) - 1) << shift;
    const i = at + (bit >> 5);
    words[i] = (words[i]! & ~mask) | (((value / 2 ** done) << shift) & mask);
    done += n;
  }
}

/** Value of a field, unsigned (up to 53 bits). */
export function getField(words: Uint32Array, at: number, loc: Loc): number {
  const first = loc[0]!;
  if (loc.length === 1 && first.width <= 32) return getBits(words, at, first.lo, first.width);
  return wide(words, at, loc, false);
}

export function getSigned(words: Uint32Array, at: number, loc: Loc): number {
  const first = loc[0]!;
  if (loc.length === 1 && first.width <= 32) {
    const v = getBits(words, at, first.lo, first.width);
    return v >= 2 ** (first.width - 1) ? v - 2 ** first.width : v;
  }
  return wide(words, at, loc, true);
}

/** From the top down, so that small negative numbers stay exact in fields wider than 53 bits. */
function wide(words: Uint32Array, at: number, loc: Loc, signed: boolean): number {
  let v = 0;
  let top = true;
  for (let k = loc.length - 1; k >= 0; k--) {
    const p = loc[k]!;
    for (let left = p.width; left > 0; ) {
      const n = Math.min(16, left);
      left -= n;
      let part = getBits(words, at, p.lo + left, n);
      if (top && signed && part >= 2 ** (n - 1)) part -= 2 ** n;
      top = false;
      v = v * 2 ** n + part;
    }
  }
  return v;
}

/** Stores an integer, two's complement when negative. */
export function setField(words: Uint32Array, at: number, loc: Loc, value: number): void {
  let rest = value;
  for (const p of loc) {
    for (let done = 0; done < p.width; ) {
      const n = Math.min(16, p.width - done);
      const high = Math.floor(rest / 2 ** n);
      setBits(words, at, p.lo + done, n, rest - high * 2 ** n);
      rest = high;
      done += n;
    }
  }
}

/** Value of a field of any width. */
export function getWide(words: Uint32Array, at: number, loc: Loc, signed: boolean): bigint {
  let v = 0n;
  let width = 0;
  for (const p of loc) {
    for (let done = 0; done < p.width; done += 32) {
      const n = Math.min(32, p.width - done);
      v |= BigInt(getBits(words, at, p.lo + done, n)) << BigInt(width);
      width += n;
    }
  }
  return signed ? BigInt.asIntN(width, v) : v;
}

export function setWide(words: Uint32Array, at: number, loc: Loc, value: bigint): void {
  let rest = value;
  for (const p of loc) {
    for (let done = 0; done < p.width; done += 32) {
      const n = Math.min(32, p.width - done);
      setBits(words, at, p.lo + done, n, Number(BigInt.asUintN(n, rest)));
      rest >>= BigInt(n);
    }
  }
}
