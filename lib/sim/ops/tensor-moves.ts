/**
 * Tensor memory and registers (LDTM, STTM), copies into it (UTCCP) and within (UTCSHIFT). Which register of which thread is which cell: PTX ISA 9.7.16.2.3, whose figures
 * say no more than the layouts of CUTLASS's copy traits (include/cute/atom/copy_traits_sm100.hpp, BSD-3-Clause), which are followed here.
 *
 * Copies: rows go to lanes, 64 rows to warps 0 and 2 (the lower ones), 1 and 3, or to 0 and 1, 2 and 3, 32 rows to all four (9.7.16.9.2). A pair copies from the
 * shared memory of each into its own. A shift moves rows 0 … 30 of a warp's lanes down by one, eight columns wide; row 0 stays: as the text of 9.7.16.9.3 is read here.
 */
import { begin, type Source } from "../async/in-flight.js";
import { bitsOfF32, f32OfBits, max32, min32 } from "../number/f32.js";
import type { Makers, Site } from "../site.js";
import { type Exec, LANES, Step, type Warp } from "../state.js";
import { factorOf, readRows, rowBytes } from "../tensor-descriptor.js";
import { operation } from "./copies.js";
import { dstRowsOf, rowsOf, together } from "./tensor.js";
import { COLUMNS, ctasOf, indexOf, memoryOf } from "./tensor-columns.js";

interface Shape {
  /** Lanes of tensor memory, registers of one repetition, and its columns. */
  readonly lanes: number;
  readonly words: number;
  readonly columns: number;
  /** Threads that take part. */
  readonly threads: readonly [first: number, end: number];
  readonly laneOf: (thread: number, register: number) => number;
  readonly columnOf: (thread: number, register: number) => number;
}

const all = [0, LANES] as const;
const half = (threads: Shape["threads"]): Shape => ({
  lanes: 16,
  words: 1,
  columns: 1,
  threads,
  laneOf: (t) => t & 15,
  columnOf: (_, i) => i,
});

const rows32: Shape = { lanes: 32, words: 1, columns: 1, threads: all, laneOf: (t) => t, columnOf: (_, i) => i };

const shapes: Readonly<Record<string, Shape>> = {
  "16dp64bit": {
    lanes: 16,
    words: 1,
    columns: 2,
    threads: all,
    laneOf: (t) => (t >> 2) + 8 * (t & 1),
    columnOf: (t, i) => 2 * i + ((t >> 1) & 1),
  },
  "16dp128bit": {
    lanes: 16,
    words: 2,
    columns: 4,
    threads: all,
    laneOf: (t, i) => (t >> 2) + 8 * (i & 1),
    columnOf: (t, i) => 4 * (i >> 1) + (t & 3),
  },
  "16dp256bit": {
    lanes: 16,
    words: 4,
    columns: 8,
    threads: all,
    laneOf: (t, i) => (t >> 2) + 8 * ((i >> 1) & 1),
    columnOf: (t, i) => 8 * (i >> 2) + 2 * (t & 3) + (i & 1),
  },
  "16dp32bit_t0_t15": half([0, 16]),
  "16dp32bit_t16_t31": half([16, 32]),
};

const repetitions = { x2: 2, x4: 4, x8: 8, x16: 16, x32: 32, x64: 64, x128: 128 };

interface Move {
  readonly shape: Shape;
  /** Registers of a thread, and columns that are touched. */
  readonly words: number;
  readonly columns: number;
  /** Two columns with 16 bits each to a register. */
  readonly packed: boolean;
}

function moveOf(s: Site): Move {
  const shape = s.choose(shapes, rows32);
  const times = s.choose(repetitions, 1);
  const packed = s.has("PACK16BIT") || s.has("EXPAND16BIT");
  return { shape, words: times * shape.words, columns: times * shape.columns * (packed ? 2 : 1), packed };
}

/** Index of the first word that a warp touches; −1: a fault is noted. */
function startOf(w: Warp, address: number, { shape, columns }: Move): number {
  const at = indexOf(w, address, shape.lanes, columns);
  const lane = address >>> 16;
  if (at < 0 || (lane >> 5 === (w.index & 3) && (lane & 31) + shape.lanes <= 32)) return at;
  w.fault("out-of-bounds", w.active, `lane ${lane} of tensor memory is not of warp ${w.index}`);
  return -1;
}

/** Of each register of each thread that takes part: the word's distance from the first one, registers after each other. */
function offsetsOf({ shape, words, packed }: Move): Int32Array {
  const [first, end] = shape.threads;
  const out = new Int32Array(words * (end - first));
  let n = 0;
  for (let i = 0; i < words; i++)
    for (let t = first; t < end; t++) out[n++] = shape.laneOf(t, i) * COLUMNS + shape.columnOf(t, i) * (packed ? 2 : 1);
  return out;
}

/** What a move does with a register: the rows of all lanes, index of the first thread's, words of tensor memory, distances of the threads' from the word at `at`, the register's number. */
type Row = (I: Int32Array, row: number, words: Int32Array, offsets: Int32Array, at: number, i: number) => void;

/** Moves registers `rows`, each as `body` does. */
function moving(s: Site, move: Move, rows: readonly number[], body: Row): Exec {
  const base = s.scalar(s.operand("a"))!;
  const off = s.imm("off");
  const all = offsetsOf(move);
  const threads = all.length / move.words;
  const offsets = rows.map((_, i) => all.subarray(threads * i, threads * (i + 1)));
  const [first] = move.shape.threads;
  return together((w) => {
    const at = startOf(w, (base(w) + off) | 0, move);
    if (at < 0) return Step.Fault;
    const { words } = memoryOf(w.cta);
    for (let i = 0; i < rows.length; i++) body(w.I, rows[i]! + first, words, offsets[i]!, at, i);
    return Step.Next;
  });
}

const loadWords: Row = (I, row, words, offsets, at) => {
  for (let t = 0; t < offsets.length; t++) I[row + t] = words[at + offsets[t]!]!;
};
const loadPairs: Row = (I, row, words, offsets, at) => {
  for (let t = 0; t < offsets.length; t++) {
    const index = at + offsets[t]!;
    I[row + t] = (words[index]! & 0xffff) | (words[index + 1]! << 16);
  }
};
const storeWords: Row = (I, row, words, offsets, at) => {
  for (let t = 0; t < offsets.length; t++) words[at + offsets[t]!] = I[row + t]!;
};
const storePairs: Row = (I, row, words, offsets, at) => {
  for (let t = 0; t < offsets.length; t++) {
    const index = at + offsets[t]!;
    const word = I[row + t]!;
    words[index] = word & 0xffff;
    words[index + 1] = word >>> 16;
  }
};

function load(s: Site): Exec {
  const move = moveOf(s);
  return moving(s, move, dstRowsOf(s, s.operand("d"), move.words), move.packed ? loadPairs : loadWords);
}

function store(s: Site): Exec {
  const move = moveOf(s);
  return moving(s, move, rowsOf(s, s.operand("data"), move.words), move.packed ? storePairs : storeWords);
}

type Reduction = (x: number, y: number) => number;

/** On the bits of words. */
function reductionOf(s: Site): Reduction {
  const name = s.choose({ MAX: "max", MAXABS: "maxabs", MIN: "min", MINABS: "minabs" } as const, "min");
  const least = name.startsWith("min");
  const keepsNaN = s.has("NAN");
  if (s.has("F32")) {
    const value = (x: number): number => (name.endsWith("abs") ? Math.abs(f32OfBits(x)) : f32OfBits(x));
    return (x, y) => {
      const [a, b] = [value(x), value(y)];
      if (keepsNaN && (Number.isNaN(a) || Number.isNaN(b))) return 0x7fffffff;
      return bitsOfF32(least ? min32(a, b) : max32(a, b));
    };
  }
  if (s.has("S32")) return (x, y) => (least ? Math.min(x, y) : Math.max(x, y));
  return (x, y) => (least ? Math.min(x >>> 0, y >>> 0) : Math.max(x >>> 0, y >>> 0)) | 0;
}

/** LDTM.STAT: e is the least or the greatest of what a thread loads. */
function loadAndReduce(s: Site): Exec {
  const reduce = reductionOf(s);
  const move = moveOf(s);
  const rows = dstRowsOf(s, s.operand("d"), move.words);
  const result = s.dstRow(s.operand("e")) + move.shape.threads[0];
  const body: Row = (I, row, words, offsets, at, i) => {
    for (let t = 0; t < offsets.length; t++) {
      const word = words[at + offsets[t]!]!;
      I[row + t] = word;
      I[result + t] = reduce(i === 0 ? word : I[result + t]!, word);
    }
  };
  return moving(s, move, rows, body);
}

// ------------------------------------------------------------------------------------------------ copies

interface Copied {
  readonly rows: number;
  /** Bytes of a row. */
  readonly bytes: number;
  /** Warps that get 32 rows each, in order. */
  readonly to: readonly (readonly number[])[];
}

const copies: Readonly<Record<string, Copied | null>> = {
  "4dp256bit": null,
  "128dp128bit": { rows: 128, bytes: 16, to: [[0], [1], [2], [3]] },
  "2x64dp128bit_lw02_lw13": {
    rows: 64,
    bytes: 16,
    to: [
      [0, 2],
      [1, 3],
    ],
  },
  "2x64dp128bit_lw01_lw23": {
    rows: 64,
    bytes: 16,
    to: [
      [0, 1],
      [2, 3],
    ],
  },
  "4x32dp128bit": { rows: 32, bytes: 16, to: [[0, 1, 2, 3]] },
};
const whole: Copied = { rows: 128, bytes: 32, to: [[0], [1], [2], [3]] };

function copy(s: Site): Exec {
  for (const m of ["T", "S"]) s.has(m);
  const pair = s.has("2CTA");
  const what = s.choose<Copied | null>(copies, whole) ?? s.unsupported("copies of four rows");
  const bits = s.choose({ U4x16P64: 4, U6x16P32: 6 }, 8);
  const base = s.scalar(s.operand("a"))!;
  const off = s.imm("off");
  const from = s.operand("b");
  const [lo, hi] = [s.scalar(from)!, s.scalar(from, 1)!];
  return (w) => {
    const ctas = ctasOf(w, pair);
    if (ctas === null) return Step.Fault;
    const f = factorOf(w, lo(w), hi(w), { rows: what.rows, bytes: what.bytes, bits: 8, turned: false });
    const at = indexOf(w, (base(w) + off) | 0, 128, what.bytes / 4);
    if (f === null || at < 0) return Step.Fault;
    const act = (): Step => {
      for (const cta of ctas) {
        const rows = new Int32Array(rowBytes(readRows(cta, f), bits).buffer);
        const { words } = memoryOf(cta);
        what.to.forEach((warps, part) => {
          for (const warp of warps)
            for (let r = 0; r < 32; r++)
              for (let c = 0; c < what.bytes / 4; c++)
                words[at + (32 * warp + r) * COLUMNS + c] = rows[((32 * part + r) * what.bytes) / 4 + c]!;
        });
      }
      return Step.Next;
    };
    return inOrder(w, act, [f]);
  };
}

/** Begins an operation of the tensor units, which end in the order of their issue. */
export function inOrder(w: Warp, act: () => Step, sources: readonly Source[]): Step {
  const lane = 31 - Math.clz32(w.active & -w.active);
  const after = w.machine.inFlight?.lastOf(w, "tensor") ?? [];
  return begin(operation(w, lane, { grouping: "tensor", after, act, sources }));
}

const SHIFTED_COLUMNS = 8;

function shift(s: Site): Exec {
  const pair = s.has("2CTA");
  if (!s.has("DOWN")) s.unsupported("direction");
  const base = s.scalar(s.operand("a"))!;
  const off = s.imm("off");
  return (w) => {
    const ctas = ctasOf(w, pair);
    const address = (base(w) + off) | 0;
    const at = indexOf(w, address, LANES, SHIFTED_COLUMNS);
    if (ctas === null || at < 0) return Step.Fault;
    if ((address >>> 16) % LANES !== 0)
      return w.fault("out-of-bounds", w.active, `lane ${address >>> 16} of a shift is no multiple of 32`);
    const act = (): Step => {
      for (const cta of ctas) {
        const { words } = memoryOf(cta);
        for (let r = LANES - 1; r > 0; r--) {
          const from = at + (r - 1) * COLUMNS;
          words.copyWithin(from + COLUMNS, from, from + SHIFTED_COLUMNS);
        }
      }
      return Step.Next;
    };
    return inOrder(w, act, []);
  };
}

export const tensorMoves: Makers = {
  LDTM: (s) => (s.has("STAT") ? loadAndReduce(s) : load(s)),
  "LDTM.STAT": loadAndReduce,
  STTM: store,
  UTCCP: copy,
  UTCSHIFT: shift,
};
