/**
 * What happens to the factors of a product of a warp before it: a sparse A gets its zeros back, and blocks of both get their scales.
 *
 * Sparse (PTX ISA 9.7.14.6): of four neighbours along k two are kept, and metadata has two bits of place for each of them, the first kept one's lowest. A
 * neighbour is 16 bits of A's row for f16, bf16 and (half an element) tf32, else 8 bits (one element, or two of four bits). The figures of the manual
 * that show which thread gives what agree with the order in which CUTLASS stores metadata (tools/util/host_reorder.h, BSD-3-Clause): with 16-bit
 * neighbours thread j of those chosen in a quad has 32 bytes of k, row g in its lower half and row g + 8 in its upper; with 8-bit ones thread 2 j + h has
 * 32 bytes of k of row g + 8 h.
 *
 * Scales (9.7.14.3): those of A come from two threads of a quad, for rows g and g + 8, those of B from one, for column g; a byte for each block.
 */
import { E4M3, float8Value } from "../number/float8.js";
import type { Site } from "../site.js";
import type { Warp } from "../state.js";

/** Rows of A, elements of a whole row, bits of an element of A in its row. */
export interface Extent {
  readonly rows: number;
  readonly depth: number;
  readonly bits: number;
}

/** Changes values of A and B, [row][k] and [column][k]. */
export type Change = (w: Warp, a: Float64Array, b: Float64Array) => void;

const NEIGHBOURS = 4;
const COLUMNS = 8;
const full: Float64Array = new Float64Array(16 * 128);

/** Puts the kept elements of A, `depth` / 2 of each row, where they belong. */
export function spread(s: Site, { rows, depth, bits }: Extent): Change {
  const meta = s.row(s.operand("e"));
  const selector = s.imm("n");
  const wide = bits >= 16;
  const unit = wide ? 16 : 8;
  /** Elements of a neighbour, or neighbours of an element. */
  const [perUnit, perElement] = [Math.max(1, unit / bits), Math.max(1, bits / unit)];
  const units = (depth * bits) / unit;
  // Threads of a quad that give metadata.
  const threads = units / 16;
  if (threads > 4 || (selector + 1) * threads > 4) s.unsupported("selector of metadata");
  const word = (w: Warp, row: number, chunk: number): number => {
    const [g, h, j] = [row & 7, row >> 3, chunk >> (wide ? 2 : 3)];
    const lane = 4 * g + threads * selector + (wide ? j : 2 * j + h);
    return wide ? w.I[meta + lane]! >>> (16 * h + 4 * (chunk & 3)) : w.I[meta + lane]! >>> (4 * (chunk & 7));
  };
  return (w, a) => {
    full.fill(0, 0, rows * depth);
    for (let row = 0; row < rows; row++)
      for (let chunk = 0; chunk < units / NEIGHBOURS; chunk++) {
        const places = word(w, row, chunk);
        for (let kept = 0; kept < 2; kept += perElement) {
          const to = NEIGHBOURS * chunk + ((places >>> (2 * kept)) & 3);
          const from = 2 * chunk + kept;
          for (let i = 0; i < perUnit; i++)
            full[row * depth + Math.floor((to * perUnit) / perElement) + i] =
              a[(row * depth) / 2 + (from * perUnit) / perElement + i]!;
        }
      }
    a.set(full.subarray(0, rows * depth));
  };
}

/** A power of two by its exponent alone; 255 is no number. */
const e8m0 = (byte: number): number => (byte === 255 ? Number.NaN : 2 ** (byte - 127));
const ue4m3 = (byte: number): number => float8Value(byte & 0x7f, E4M3);

/** Multiplies blocks of both factors with their scales: `e` are A's (above metadata where there is some), `f` B's, `ur` says from which bytes and threads. */
export function scale(s: Site, { rows, depth }: Extent, isSparse: boolean): Change {
  const [e, f] = [s.operand("e"), s.operand("f")];
  const [rowA, rowB] = [s.row(e, isSparse ? 1 : 0), s.row(f)];
  const where = s.scalar(s.operand("ur"))!;
  const blocks = s.inst.form.op.startsWith("OMMA") ? (s.has("4X") ? 4 : 2) : 1;
  const value = s.choose({ E8: e8m0, UE4M3: ue4m3 }, e8m0);
  const run = depth / blocks;
  return (w, a, b) => {
    const [byteA, pair] = [where(w) & 3, (where(w) >>> 2) & 1];
    const [byteB, thread] = [(where(w) >>> 3) & 3, (where(w) >>> 5) & 3];
    const apply = (of: Float64Array, line: number, word: number, byte: number): void => {
      for (let k = 0; k < depth; k++)
        of[line * depth + k]! *= value((word >>> (8 * (byte + Math.floor(k / run)))) & 255);
    };
    for (let i = 0; i < rows; i++) apply(a, i, w.I[rowA + 4 * (i & 7) + 2 * pair + (i >> 3)]!, byteA);
    for (let j = 0; j < COLUMNS; j++) apply(b, j, w.I[rowB + 4 * j + thread]!, byteB);
  };
}
