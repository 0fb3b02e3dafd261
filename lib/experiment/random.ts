/** Numbers that look random and are the same everywhere: experiments are repeatable by their seeds. */

/** A hash of some integers as an integer of 32 bits (the finalizer of MurmurHash3 after each). */
export function hash32(...parts: readonly number[]): number {
  let h = 0x9e3779b9;
  for (const p of parts) {
    h = Math.imul(h ^ (p | 0), 0x85ebca6b);
    h ^= h >>> 13;
    h = Math.imul(h, 0xc2b2ae35);
    h ^= h >>> 16;
  }
  return h >>> 0;
}

/** The same in [0, 1). */
export const unit = (...parts: readonly number[]): number => hash32(...parts) / 2 ** 32;
