/** What the kernels of latency-kernels.ts read: registers per thread, and their third parameter. */

/** Threads of a block at most, and fields of four words that a thread loads. */
const THREADS = 1024;
const FIELDS = 9;
/** The field whose second word is so large that sums carry half of the time. */
const LARGE = 7;
const PARAMETER_BYTES = 1024;

/** Numbers below 2³², always the same. */
function random(seed: number): () => number {
  let x = seed;
  return () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return x >>> 0;
  };
}

/** Per field and thread four words, whose halves are numbers between 0.5 and 2: harmless as floats and doubles too. */
export function inputs(): Uint8Array {
  const next = random(20261122);
  const words = new Uint32Array(FIELDS * THREADS * 4);
  for (let i = 0; i < words.length; i++) {
    const large = Math.floor(i / (THREADS * 4)) === LARGE && i % 4 === 1;
    words[i] = large ? 0xe0000000 + (next() >>> 3) : ((0x3f00 + (next() & 0xff)) << 16) | (0x3800 + (next() & 0x7ff));
  }
  return new Uint8Array(words.buffer);
}

/** [bytes from one turn's results to the next's][turns][uniform values, that serve as addresses too][random words]. */
export function parameters(stride: number, turns: number): Uint8Array {
  const next = random(5);
  const words = new Uint32Array(PARAMETER_BYTES / 4).map(next);
  words.set([stride, turns, 0x110, 0x120, 0x130, 0x140, 0x40, 0x100, 0x50, 0x60]);
  words.set([0x1a0, 0x1b0, 0x1c0, 0x1d0, 0x230, 0x240, 0x250, 0x260], 10);
  return new Uint8Array(words.buffer);
}
