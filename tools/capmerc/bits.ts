/** Bits of words, of several words (128 each), and of records; a record ends with zeros. */

export const RZ = 255;
export const PT = 7;

export const bitOf = (w: Uint32Array | Uint8Array, b: number): number =>
  w instanceof Uint8Array ? (w[b >> 3]! >> (b & 7)) & 1 : (w[b >> 5]! >>> (b & 31)) & 1;

export const setBit = (w: Uint32Array, b: number): void => {
  w[b >> 5] = (w[b >> 5]! | (1 << (b & 31))) >>> 0;
};

export const clear = (r: Uint8Array, from: number, length: number): void => {
  for (let b = from; b < from + length; b++) r[b >> 3]! &= ~(1 << (b & 7));
};

export const recordBits = (r: Uint8Array, from: number, length: number): number => {
  let v = 0;
  for (let i = length - 1; i >= 0; i--) v = v * 2 + (from + i < r.length * 8 ? bitOf(r, from + i) : 0);
  return v;
};

/** A guard as records have it. */
export const guardValue = (v: number): number => (v >> 3) | (((v & 7) === PT ? 31 : v & 7) << 3);

/** Sign extension to 64 bits, as `recordBits` reads them. */
export function wideBig(length: number): (v: number) => number {
  return (v) => {
    if (v < 2 ** (length - 1)) return v;
    let out = 0;
    for (let i = 63; i >= 0; i--) out = out * 2 + (i >= length ? 1 : Math.floor(v / 2 ** i) % 2);
    return out;
  };
}
