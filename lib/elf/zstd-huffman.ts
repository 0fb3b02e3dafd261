/** Zstandard's Huffman codes (RFC 8878 §4.2). */
import { need } from "./zstd-error.js";
import { BackwardBits, ForwardBits, readFse } from "./zstd-fse.js";

/** By the next `log` bits: the symbol and how many of them are its code. */
export interface Huffman {
  readonly symbols: Uint8Array;
  readonly bits: Uint8Array;
  readonly log: number;
}

/** The code that the data begins with, and the bytes that its description takes. */
export function readHuffman(data: Uint8Array): [Huffman, number] {
  const header = data[0] ?? 0;
  need(data.length > 0);
  if (header < 128) {
    need(1 + header <= data.length);
    return [huffman(packedWeights(data.subarray(1, 1 + header))), 1 + header];
  }
  const n = header - 127;
  const used = 1 + ((n + 1) >> 1);
  need(used <= data.length);
  return [huffman(Array.from({ length: n }, (_, i) => (data[1 + (i >> 1)]! >> (i & 1 ? 0 : 4)) & 15)), used];
}

/** Two states take turns until the bits run out. */
function packedWeights(data: Uint8Array): number[] {
  const forward = new ForwardBits(data);
  const fse = readFse(forward, 255, 6);
  const stream = new BackwardBits(data.subarray(forward.bytesRead()));
  const states = [stream.read(fse.log), stream.read(fse.log)];
  const out: number[] = [];
  for (let turn = 0; ; turn ^= 1) {
    const state = states[turn]!;
    out.push(fse.symbols[state]!);
    need(out.length < 255);
    states[turn] = fse.next[state]! + stream.read(fse.bits[state]!);
    if (stream.overrun() > 0) {
      out.push(fse.symbols[states[turn ^ 1]!]!);
      return out;
    }
  }
}

/** The weight of the last symbol follows from the others. */
function huffman(weights: readonly number[]): Huffman {
  let sum = 0;
  for (const w of weights) {
    need(w <= 11);
    if (w > 0) sum += 2 ** (w - 1);
  }
  need(sum > 0);
  const log = 32 - Math.clz32(sum);
  need(log <= 11);
  const rest = 2 ** log - sum;
  need((rest & (rest - 1)) === 0);
  const all = [...weights, 32 - Math.clz32(rest)];
  need(all.length <= 256);
  const symbols = new Uint8Array(2 ** log);
  const bits = new Uint8Array(2 ** log);
  let at = 0;
  for (let w = 1; w <= log; w++)
    all.forEach((weight, s) => {
      if (weight !== w) return;
      const end = at + 2 ** (w - 1);
      symbols.fill(s, at, end);
      bits.fill(log + 1 - w, at, end);
      at = end;
    });
  return { symbols, bits, log };
}

/** Fills `out` with the symbols of one stream, which must end with them. */
export function huffmanStream(h: Huffman, data: Uint8Array, out: Uint8Array): void {
  const stream = new BackwardBits(data);
  for (let i = 0; i < out.length; i++) {
    const at = stream.peek(h.log);
    out[i] = h.symbols[at]!;
    stream.skip(h.bits[at]!);
  }
  need(stream.finished());
}
