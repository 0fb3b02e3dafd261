/**
 * The generator after `{ "random": seed, "range": [lo, hi] }` in launch files. It is part of the format: the same seed
 * gives the same numbers everywhere and for ever.
 *
 * State: one unsigned 32-bit word, starts at `seed` (modulo 2^32). Each draw adds 0x9e3779b9 to the state and mixes a
 * copy: `x ^= x >>> 16; x *= 0x21f0aaad; x ^= x >>> 15; x *= 0x735a2d97; x ^= x >>> 15` (all modulo 2^32).
 * A floating-point element takes two draws, a (first) and b: u = (a · 2^21 + (b >>> 11)) / 2^53 in [0, 1), and is
 * `lo + (hi − lo) · u`, rounded to the element's type. An integer element takes two draws as well and is
 * `lo + floor(((a · 2^32 + b) · (hi − lo + 1)) / 2^64)`: lo and hi are both possible.
 */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** The next unsigned 32-bit word. */
  word(): number {
    this.state = (this.state + 0x9e3779b9) >>> 0;
    let x = this.state;
    x ^= x >>> 16;
    x = Math.imul(x, 0x21f0aaad);
    x ^= x >>> 15;
    x = Math.imul(x, 0x735a2d97);
    x ^= x >>> 15;
    return x >>> 0;
  }

  /** In [lo, hi): as a double. */
  float(lo: number, hi: number): number {
    const a = this.word();
    const b = this.word();
    return lo + (hi - lo) * ((a * 2097152 + (b >>> 11)) / 9007199254740992);
  }

  /** From lo to hi, both included. */
  integer(lo: bigint, hi: bigint): bigint {
    const a = BigInt(this.word());
    const b = BigInt(this.word());
    return lo + ((((a << 32n) | b) * (hi - lo + 1n)) >> 64n);
  }
}
