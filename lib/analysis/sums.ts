/** Sums of atoms and what is known of bits (affine.ts makes them of code). */

/** Terms of a sum: atom, coefficient, atom, coefficient …; by rising atom, coefficients are signed and not zero. */
export interface Sum {
  /** Atom and coefficient in turn, ascending by atom. */
  readonly terms: readonly number[];
  /** Signed. */
  readonly constant: number;
  /** Two sums with the same terms have the same number. */
  readonly shape: number;
}

/** Bits that may be one, greatest value (unsigned), bits that are one. */
export interface Bits {
  /** Bits that may be one. */
  readonly may: number;
  /** Greatest value, unsigned. */
  readonly most: number;
  /** Bits that must be one. */
  readonly must: number;
}

export const MOST = 0xffffffff;
export const ANY: Bits = { may: -1, most: MOST, must: 0 };

export const spread = (may: number): Bits => ({ may, most: may >>> 0, must: 0 });

/** All bits up to the highest one of a number. */
export function below(most: number): number {
  return most <= 0 ? 0 : most >= 0x80000000 ? -1 : 2 ** (32 - Math.clz32(most)) - 1;
}

/** The lowest bit of a number as an unsigned number, 0 of 0. */
export const lowest = (x: number): number => (x & -x) >>> 0;

/** By row of a truth table of three operands (bit 2 is the first): the places in which the row may occur. */
export function combinations(operands: readonly Bits[]): number[] {
  const out: number[] = [];
  for (let t = 0; t < 8; t++) {
    let possible = -1;
    for (let k = 0; k < 3; k++) {
      const { may, must } = operands[k] as Bits;
      possible &= ((t >> (2 - k)) & 1) === 1 ? may : ~must;
    }
    out.push(possible);
  }
  return out;
}

/** a + factor · b over lists of terms; coefficients that become 0 are left out. */
export function combine(a: readonly number[], b: readonly number[], factor: number): number[] {
  const out: number[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const x = i < a.length ? (a[i] as number) : Number.POSITIVE_INFINITY;
    const y = j < b.length ? (b[j] as number) : Number.POSITIVE_INFINITY;
    let n = 0;
    if (x <= y) n = a[i + 1] as number;
    if (y <= x) n = (n + Math.imul(b[j + 1] as number, factor)) | 0;
    if (n !== 0) out.push(Math.min(x, y), n);
    if (x <= y) i += 2;
    if (y <= x) j += 2;
  }
  return out;
}
