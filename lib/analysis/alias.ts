/**
 * Whether two accesses may meet. The order of accesses of one thread is what is asked for, so both addresses are of the
 * same thread, while control goes through one block once.
 *
 * Different addresses are different places: the same memory mapped at two addresses needs a proxy fence (PTX ISA, memory
 * consistency model, virtual aliases), and fences keep their place anyway. That two pointers are different parameters,
 * or loaded from different places, says nothing.
 */
import type { Atom } from "./affine.js";
import { combine, lowest, type Sum } from "./sums.js";

/** The bytes that an access touches: `bytes` from `sum` on, modulo 2^32. */
export interface Address {
  /** Null: nothing is known. */
  readonly sum: Sum | null;
  /** Bytes that the access touches; 0 where that is not known. */
  readonly bytes: number;
  /** Unit of the base register, −1 without one. */
  readonly base: number;
  /** Atoms that the terms of the sum name by index. */
  readonly atoms: readonly Atom[];
}

const TWO32 = 2 ** 32;

/** Whether the two certainly do not overlap. Both addresses must count in the same way (memory.ts, `comparable`). */
export function apart(a: Address, b: Address): boolean {
  if (a.sum === null || b.sum === null || a.bytes === 0 || b.bytes === 0) return false;
  const distance = (a.sum.constant - b.sum.constant) | 0;
  // They overlap when −a.bytes < address of a − address of b < b.bytes.
  if (a.sum.shape === b.sum.shape) return distance >= b.bytes || distance <= -a.bytes;
  const terms = combine(a.sum.terms, b.sum.terms, -1);
  let [least, most, step] = [distance, distance, 0];
  for (let k = 0; k < terms.length; k += 2) {
    const atom = a.atoms[terms[k] as number] as Atom;
    const factor = terms[k + 1] as number;
    if (factor > 0) most += factor * atom.most;
    else least += factor * atom.most;
    step |= lowest(atom.may) * lowest(factor);
  }
  return missesByStep(distance, lowest(step), a.bytes, b.bytes) || missesByRange(least, most, a.bytes, b.bytes);
}

/** The distance is `distance` plus a multiple of `step`, a power of two (0: exactly that). */
function missesByStep(distance: number, step: number, aBytes: number, bBytes: number): boolean {
  const modulus = step === 0 ? TWO32 : step;
  const rest = ((distance % modulus) + modulus) % modulus;
  return rest >= bBytes && rest <= modulus - aBytes;
}

/** The distance is congruent to a number from `least` to `most`. */
function missesByRange(least: number, most: number, aBytes: number, bBytes: number): boolean {
  if (most - least >= TWO32) return false;
  for (let k = Math.floor((least - bBytes) / TWO32); k <= Math.ceil((most + aBytes) / TWO32); k++)
    if (least < k * TWO32 + bBytes && most > k * TWO32 - aBytes) return false;
  return true;
}

/** Whether both certainly are the same bytes. */
export function same(a: Address, b: Address): boolean {
  return (
    a.sum !== null &&
    b.sum !== null &&
    a.bytes > 0 &&
    a.bytes === b.bytes &&
    a.sum.shape === b.sum.shape &&
    a.sum.constant === b.sum.constant
  );
}
