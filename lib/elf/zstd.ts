/**
 * Zstandard (RFC 8878), as fatbinary packs cubins: frames of raw, run-length and compressed blocks. Dictionaries are
 * refused, checksums are skipped: what comes out is read as an ELF file anyway. All tables are bounded by the format, and no
 * more than the size that the caller expects is written.
 */
import { Malformed, need } from "./zstd-error.js";
import { BackwardBits, ForwardBits, type Fse, fseTable, readFse } from "./zstd-fse.js";
import { type Huffman, huffmanStream, readHuffman } from "./zstd-huffman.js";

const MAGIC = 0xfd2fb528;

/** What a frame's blocks hand on to each other. */
interface Frame {
  readonly bytes: Uint8Array;
  readonly out: Uint8Array;
  /** Bytes written, and where the frame's first one is. */
  at: number;
  readonly start: number;
  huffman: Huffman | null;
  lengths: Fse | null;
  offsets: Fse | null;
  matches: Fse | null;
  readonly repeats: [number, number, number];
}

/** The `size` bytes that `packed` stands for, null when it is malformed. */
export function decodeZstd(packed: Uint8Array, size: number): Uint8Array | null {
  // A block of four bytes makes at most 128 KiB.
  if (size < 0 || size > (packed.length / 4 + 1) * 0x20000) return null;
  const out = new Uint8Array(size);
  try {
    let [from, to] = [0, 0];
    while (from < packed.length) [from, to] = frame(packed, from, out, to);
    return to === size ? out : null;
  } catch (e) {
    if (e instanceof Malformed) return null;
    throw e;
  }
}

function little(bytes: Uint8Array, at: number, n: number): number {
  need(at + n <= bytes.length);
  let v = 0;
  for (let i = n - 1; i >= 0; i--) v = v * 256 + bytes[at + i]!;
  return v;
}

/** One frame; where the next one starts, in both. */
function frame(bytes: Uint8Array, from: number, out: Uint8Array, to: number): [number, number] {
  const magic = little(bytes, from, 4);
  // Skippable frames.
  if (magic >>> 4 === 0x184d2a5) return [from + 8 + little(bytes, from + 4, 4), to];
  need(magic === MAGIC);
  const descriptor = little(bytes, from + 4, 1);
  const single = (descriptor >> 5) & 1;
  need((descriptor & 3) === 0 && (descriptor & 8) === 0);
  const sizes = [single, 2, 4, 8][descriptor >> 6]!;
  let at = from + 5 + (single ? 0 : 1) + sizes;
  const f: Frame = {
    bytes,
    out,
    at: to,
    start: to,
    huffman: null,
    lengths: null,
    offsets: null,
    matches: null,
    repeats: [1, 4, 8],
  };
  for (let last = false; !last; ) {
    const header = little(bytes, at, 3);
    at += 3;
    last = (header & 1) === 1;
    at += block(f, at, (header >> 1) & 3, header >> 3);
  }
  const next = at + (descriptor & 4 ? 4 : 0);
  need(next <= bytes.length);
  return [next, f.at];
}

/** Bytes that the block takes. */
function block(f: Frame, at: number, kind: number, size: number): number {
  const { bytes, out } = f;
  const stored = kind === 1 ? 1 : size;
  need(kind < 3 && size <= 0x20000 && at + stored <= bytes.length);
  if (kind === 2) {
    compressed(f, at, at + size);
    return size;
  }
  need(f.at + size <= out.length);
  if (kind === 0) out.set(bytes.subarray(at, at + size), f.at);
  else out.fill(bytes[at]!, f.at, f.at + size);
  f.at += size;
  return stored;
}

function compressed(f: Frame, from: number, end: number): void {
  const { bytes } = f;
  const first = little(bytes, from, 1);
  const kind = first & 3;
  const format = (first >> 2) & 3;
  let at: number;
  let literals: Uint8Array;
  if (kind < 2) {
    const n = format === 1 ? 2 : format === 3 ? 3 : 1;
    const size = little(bytes, from, n) >> (n === 1 ? 3 : 4);
    at = from + n;
    need(size <= 0x20000 && at + (kind === 0 ? size : 1) <= end);
    literals = kind === 0 ? bytes.subarray(at, at + size) : new Uint8Array(size).fill(bytes[at]!);
    at += kind === 0 ? size : 1;
  } else {
    const n = format < 2 ? 3 : format + 2;
    const bits = format < 2 ? 10 : format === 2 ? 14 : 18;
    const header = Math.floor(little(bytes, from, n) / 16);
    const size = header % 2 ** bits;
    const stored = Math.floor(header / 2 ** bits);
    at = from + n;
    need(size <= 0x20000 && at + stored <= end);
    const data = bytes.subarray(at, at + stored);
    let used = 0;
    if (kind === 2) [f.huffman, used] = readHuffman(data);
    need(f.huffman !== null);
    literals = huffmanLiterals(f.huffman, data.subarray(used), size, format === 0 ? 1 : 4);
    at += stored;
  }
  sequences(f, literals, at, end);
}

function huffmanLiterals(h: Huffman, data: Uint8Array, size: number, streams: number): Uint8Array {
  const out = new Uint8Array(size);
  if (streams === 1) {
    huffmanStream(h, data, out);
    return out;
  }
  need(size >= 6);
  const each = (size + 3) >> 2;
  need(3 * each <= size);
  let at = 6;
  for (let k = 0; k < 4; k++) {
    const end = k < 3 ? at + little(data, 2 * k, 2) : data.length;
    need(at <= end && end <= data.length);
    huffmanStream(h, data.subarray(at, end), out.subarray(k * each, k < 3 ? (k + 1) * each : size));
    at = end;
  }
  return out;
}

// ---------------------------------------------------------------------------------------------- sequences

/** Of each code what the value starts from, and how many bits are added (RFC 8878 §3.1.1.3.2.1.1). */
function codes(first: number, extra: readonly number[]): readonly (readonly [base: number, bits: number])[] {
  let base = first;
  return extra.map((bits) => {
    const entry = [base, bits] as const;
    base += 2 ** bits;
    return entry;
  });
}
const zeros = (n: number): number[] => new Array<number>(n).fill(0);
const literalCodes = codes(0, [...zeros(16), 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
const matchCodes = codes(3, [...zeros(32), 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);

/** Distributions that need not be said (§3.1.1.3.2.2). */
const usual = {
  lengths: fseTable(
    [4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1],
    6,
  ),
  offsets: fseTable([1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1], 5),
  matches: fseTable([1, 4, 3, 2, 2, 2, 2, 2, 2, ...new Array<number>(37).fill(1), ...new Array<number>(7).fill(-1)], 6),
} as const;

function sequences(f: Frame, literals: Uint8Array, from: number, end: number): void {
  const { bytes } = f;
  let at = from;
  let count = little(bytes, at++, 1);
  if (count >= 128) {
    if (count < 255) count = ((count - 128) << 8) + little(bytes, at++, 1);
    else {
      count = little(bytes, at, 2) + 0x7f00;
      at += 2;
    }
  }
  need(at <= end);
  if (count === 0) {
    need(at === end);
    copyLiterals(f, literals);
    return;
  }
  const modes = little(bytes, at++, 1);
  need((modes & 3) === 0);
  const table = (mode: number, known: Fse | null, standard: Fse, most: number, log: number): Fse => {
    if (mode === 0) return standard;
    if (mode === 3) {
      need(known !== null);
      return known;
    }
    if (mode === 1) {
      const symbol = little(bytes, at++, 1);
      need(symbol <= most);
      return { symbols: Uint8Array.of(symbol), bits: Uint8Array.of(0), next: Uint16Array.of(0), log: 0 };
    }
    const stream = new ForwardBits(bytes.subarray(at, end));
    const made = readFse(stream, most, log);
    at += stream.bytesRead();
    return made;
  };
  f.lengths = table(modes >> 6, f.lengths, usual.lengths, 35, 9);
  f.offsets = table((modes >> 4) & 3, f.offsets, usual.offsets, 31, 8);
  f.matches = table((modes >> 2) & 3, f.matches, usual.matches, 52, 9);
  need(at < end);
  execute(f, literals, count, new BackwardBits(bytes.subarray(at, end)));
}

function copyLiterals(f: Frame, literals: Uint8Array): void {
  need(f.at + literals.length <= f.out.length);
  f.out.set(literals, f.at);
  f.at += literals.length;
}

function execute(f: Frame, literals: Uint8Array, count: number, stream: BackwardBits): void {
  const lengths = f.lengths!;
  const offsets = f.offsets!;
  const matches = f.matches!;
  let l = stream.read(lengths.log);
  let o = stream.read(offsets.log);
  let m = stream.read(matches.log);
  let used = 0;
  for (let k = 0; k < count; k++) {
    const code = offsets.symbols[o]!;
    const value = 2 ** code + stream.read(code);
    const [matchBase, matchBits] = matchCodes[matches.symbols[m]!]!;
    const match = matchBase + stream.read(matchBits);
    const [literalBase, literalBits] = literalCodes[lengths.symbols[l]!]!;
    const length = literalBase + stream.read(literalBits);
    need(used + length <= literals.length);
    copyLiterals(f, literals.subarray(used, used + length));
    used += length;
    copyMatch(f, offsetOf(f.repeats, value, length), match);
    if (k === count - 1) break;
    l = lengths.next[l]! + stream.read(lengths.bits[l]!);
    m = matches.next[m]! + stream.read(matches.bits[m]!);
    o = offsets.next[o]! + stream.read(offsets.bits[o]!);
  }
  need(stream.finished());
  copyLiterals(f, literals.subarray(used));
}

/** The distance, and the three last ones moved on (§3.1.1.5). */
function offsetOf(repeats: [number, number, number], value: number, literals: number): number {
  if (value > 3) {
    repeats[2] = repeats[1];
    repeats[1] = repeats[0];
    repeats[0] = value - 3;
    return repeats[0];
  }
  const which = value - 1 + (literals === 0 ? 1 : 0);
  const offset = which === 3 ? repeats[0] - 1 : repeats[which]!;
  if (which > 1) repeats[2] = repeats[1];
  if (which > 0) repeats[1] = repeats[0];
  repeats[0] = offset;
  return offset;
}

function copyMatch(f: Frame, offset: number, length: number): void {
  const { out } = f;
  need(offset > 0 && offset <= f.at - f.start && f.at + length <= out.length);
  for (let end = f.at + length; f.at < end; f.at++) out[f.at] = out[f.at - offset]!;
}
