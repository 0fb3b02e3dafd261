/**
 * Products in tensor memory (ops/tensor-products.ts), made in groups of 16 rows and 8 columns (product-groups.ts). Factors become rows of words: 256 bits along k,
 * of sparse ones 512, A with its zeros; scales are f64; C and D are rows of tensor memory.
 */
import type { SharedMemory } from "../memory.js";
import type { Cta } from "../state.js";
import type { Arena } from "./arena.js";
import { type Elements, half, isInteger, perWord } from "./elements.js";
import { encodeModule, type Fn } from "./encoder.js";
import { wasm } from "./host.js";
import { type Accumulators, rounded, roundedToHalf, type Sums, sumOfIntegers } from "./matrix.js";
import { Op } from "./opcodes.js";
import type { Gathering } from "./pieces.js";
import { Changed, GROUP, type GroupsRun, groupsRun, MOST_GROUPS } from "./product-groups.js";
import { MOST_RANGE, SCALES_BYTES, type Scaling } from "./scales.js";
import { MOST_SLOT_BYTES } from "./slots.js";
import { type SparsePlaces, spreadWords } from "./sparse.js";
import { Vectors } from "./vectors.js";

/** What makes such products differ in code. */
export interface RowsKind {
  readonly a: Elements;
  readonly b: Elements;
  readonly negA: boolean;
  readonly negB: boolean;
  readonly sums: Extract<Sums, "integer" | "saturated" | "float" | "half">;
  /** Words of a row of A with its zeros, of a column of B. */
  readonly words: 8 | 16;
  /** D is divided by 2 to this power before. */
  readonly exponent: number;
  readonly scaling: Scaling | null;
}

/** Scales by row and block, and how far the exponents of a row lie apart at most. */
export interface ScaleValues {
  readonly values: Float64Array;
  readonly range: number;
}

/** A factor as pieces of 16 bytes: their offsets from an address in the arena, in the order of tensor-descriptor.ts; its bytes where they are in no such order. */
export interface FactorRows {
  readonly from: { readonly address: number; readonly pieces: Int32Array; readonly turned: boolean } | Int32Array;
  /** Bits of its elements, of which sixteen are in a piece, where these become bytes. */
  readonly packed: 4 | 6 | null;
}

/** Metadata of a sparse A: index of the word of its first row. */
export interface MetadataAt {
  readonly at: number;
  readonly selector: number;
}

/** Index of the first word of D, its rows, its columns from the first one of B's, lanes from a group of 16 rows to the next. */
export interface RowsPlace {
  readonly at: number;
  readonly rows: number;
  readonly firstColumn: number;
  readonly columns: number;
  readonly lanes: number;
}

const translated: readonly string[] = [
  ...["F16", "BF16", "TF32", "E4M3", "E5M2", "E3M2", "E2M3", "E2M1", "E2M1.PACKED", "S8", "U8"],
];

/** The elements by their names, where products of them are made here; null: they are for the closures. */
export function rowElements(
  [a, b]: readonly [a: string, b: string],
  sums: RowsKind["sums"],
  scaling: Scaling | null,
): readonly [a: Elements, b: Elements] | null {
  if (!translated.includes(a) || !translated.includes(b)) return null;
  const [ea, eb] = [a as Elements, b as Elements];
  if (perWord[ea] !== perWord[eb]) return null;
  const isPacked = ea === "E2M1.PACKED";
  if (scaling === null ? isPacked : isPacked !== scaling.blocks > 1 || !(isPacked || scaling.powers)) return null;
  const isFloat = sums === "float" || sums === "half";
  return isFloat === (isInteger(ea) && !isPacked) ? null : [ea, eb];
}

/** Words of a row of A as it is stored. */
const STORED = 8;
const MOST_BLOCKS = 4;
const MOST_WORDS = 16;
const MOST = { rows: MOST_GROUPS.rows * GROUP.rows, columns: MOST_GROUPS.columns * GROUP.columns } as const;

/** What is needed beside D: slots of A and one of B, words, those of a sparse A before, offsets of pieces, what scaled products need, scales of groups. */
const B_SLOT: number = MOST_GROUPS.rows * MOST_SLOT_BYTES;
const A_WORDS: number = B_SLOT + MOST_SLOT_BYTES;
const B_WORDS: number = A_WORDS + 4 * MOST_WORDS * MOST.rows;
const KEPT: number = B_WORDS + 4 * MOST_WORDS * MOST.columns;
const PIECES: number = KEPT + 4 * STORED * MOST.rows;
const SCALED: number = PIECES + MOST_WORDS * MOST.columns;
const ROW_SCALES: number = SCALED + SCALES_BYTES;
const ROW_SCALES_BYTES: number = 8 * MOST_BLOCKS * GROUP.rows;
const COLUMN_SCALES: number = ROW_SCALES + MOST_GROUPS.rows * ROW_SCALES_BYTES;
const COLUMN_SCALES_BYTES: number = 8 * MOST_BLOCKS * GROUP.columns;
const AREA_BYTES: number = COLUMN_SCALES + MOST_GROUPS.columns * COLUMN_SCALES_BYTES;

/** Bytes of a lane of tensor memory. */
const LINE = 4 * 512;

/** What D was as f64, divided. */
function before(w: Vectors, floats: number, exponent: number): readonly number[] {
  const list = w.promoted(floats);
  return exponent === 0 ? list : list.map((x) => w.v(Op.f64x2Mul, x, w.pairs(0, (1023 - exponent) << 20)));
}

/** Rows of tensor memory: a vector is four columns. */
function tensorRows(exponent: number): Accumulators {
  const floats =
    (value: (w: Vectors, x: number) => number, result: (w: Vectors, x: readonly [number, number]) => number) =>
    (w: Vectors, sums: readonly number[], c: number, d: number): void => {
      for (let h = 0; h < 2; h++)
        for (let n = 0; n < 2; n++) {
          const at = 8 * h * LINE + 16 * n;
          const old = before(w, value(w, w.load(Op.load, c, at)), exponent);
          const [x, y] = old.map((v, i) => w.v(Op.f64x2Add, sums[4 * h + 2 * n + i]!, v));
          w.store(d, result(w, [x!, y!]), at);
        }
    };
  return {
    step: LINE,
    floats: floats((_, x) => x, rounded),
    halves: floats((w, x) => half(w, x, false, "F16"), roundedToHalf),
    integers: (w, sums, c, d, saturated) => {
      sums.forEach((sum, i) => {
        const at = 8 * (i >> 1) * LINE + 16 * (i & 1);
        w.store(d, sumOfIntegers(w, sum, w.load(Op.load, c, at), saturated), at);
      });
    },
  };
}

/** The run of a kind. */
function runOf(arena: Arena, { a, b, negA, negB, sums, words, exponent, scaling }: RowsKind): GroupsRun {
  const depth = words * perWord[a];
  return groupsRun(arena, {
    a: { side: "a", rows: GROUP.rows, depth, elements: a, negated: negA, from: "rows" },
    b: { side: "b", rows: GROUP.columns, depth, elements: b, negated: negB, from: "rows" },
    product: { rows: GROUP.rows, depth, sums, ...(scaling === null ? {} : { scaling }) },
    to: tensorRows(exponent),
    line: 4 * words,
    dStep: 4 * GROUP.columns,
    slotA: MOST_SLOT_BYTES,
    slotsB: B_SLOT,
    slotB: 0,
    scales:
      scaling === null
        ? null
        : {
            at: SCALED,
            ofRows: ROW_SCALES,
            rowsStep: ROW_SCALES_BYTES,
            ofColumns: COLUMN_SCALES,
            columnsStep: COLUMN_SCALES_BYTES,
          },
  });
}

/** Addresses of stored words of 16 rows, of the word of tensor memory with metadata of the first, of the words with zeros. */
type Spread = (from: number, metadata: number, to: number) => void;

/** Metadata of small elements are two words of the row; of others that of a half of k is in the row itself, of the other half eight rows on (ops/tensor-memory-factors.ts). */
function spreadFunction(elements: Elements, selector: number): Fn {
  const w = new Vectors(3);
  const places: SparsePlaces = {
    steps: [4 * STORED, LINE, 8 * STORED],
    word: (n, h) => 32 * STORED * h + 4 * n,
    metadata: (c, h) => (perWord[elements] <= 2 ? 8 * LINE * (c >> 2) + 4 * selector : 8 * LINE * h + 4 * (c >> 3)),
    result: (n, h) => 64 * STORED * h + 4 * n,
  };
  spreadWords(w, elements, STORED, places, [0, 1, 2]);
  return w.finish();
}

/** The products in tensor memory of an arena. */
export class TensorRows {
  private readonly runs = new Map<string, GroupsRun>();
  private readonly known = new Map<RowsKind, GroupsRun>();
  private readonly spreads = new Map<string, Spread>();
  /** Addresses of the tensor memory of CTAs that have this shared memory, one after the other. */
  private readonly tensors = new WeakMap<SharedMemory, number>();
  /** Address of what products need beside D in this launch; 0: not yet known. */
  private area = 0;

  constructor(
    private readonly arena: Arena,
    private readonly gathering: Gathering,
  ) {}

  /** A launch begins. */
  begin(): void {
    this.area = 0;
  }

  /** Is there room? */
  private hasArea(): boolean {
    if (this.area === 0) this.area = this.arena.reserve(AREA_BYTES);
    return this.area !== 0;
  }

  /** Tensor memory, [lane][column], in the arena: what it was moves there; null: there is no room. */
  wordsOf(cta: Cta, words: Int32Array): Int32Array | null {
    const { memory } = this.arena;
    if (!this.hasArea()) return null;
    if (words.buffer === memory.buffer) return words;
    const at = this.tensors.get(cta.shared) ?? this.arena.reserve(4 * words.length);
    if (at === 0) return null;
    this.tensors.set(cta.shared, at);
    const moved = new Int32Array(memory.buffer, at, words.length);
    moved.set(words);
    return moved;
  }

  /** Are the words in the arena, and so what products need? */
  holds(words: Int32Array): boolean {
    return this.area !== 0 && words.buffer === this.arena.memory.buffer;
  }

  private runOf(kind: RowsKind): GroupsRun {
    let run = this.known.get(kind);
    if (run === undefined) {
      const { a, b, negA, negB, sums, words, exponent, scaling } = kind;
      const key = `${a} ${b} ${negA} ${negB} ${sums} ${words} ${exponent} ${scaling?.blocks} ${scaling?.powers}`;
      run = this.runs.get(key) ?? runOf(this.arena, kind);
      this.runs.set(key, run);
      this.known.set(kind, run);
    }
    return run;
  }

  /** Puts so many words of a factor, of rows of so many, at an address. */
  private take({ from, packed }: FactorRows, to: number, words: number): void {
    const { arena, area, gathering } = this;
    if (from instanceof Int32Array) arena.words.set(from, to >> 2);
    else {
      const { address, pieces, turned } = from;
      arena.words.set(pieces, (area + PIECES) >> 2);
      gathering.gather(area + PIECES, pieces.length, address, to, turned, words);
      if (packed !== null) gathering.expand(packed, to, pieces.length);
    }
  }

  /** Takes so many columns of B from column `first` on. */
  takeColumns(kind: RowsKind, factor: FactorRows, first: number): void {
    this.take(factor, this.area + B_WORDS + 4 * kind.words * first, kind.words);
  }

  /** Makes zeros of columns of B. */
  clearColumns({ words }: RowsKind, zeros: readonly boolean[]): void {
    const at = (this.area + B_WORDS) >> 2;
    zeros.forEach((zero, j) => {
      if (zero) this.arena.words.fill(0, at + words * j, at + words * (j + 1));
    });
  }

  /** Takes the rows of A; of a sparse one with its metadata in these words of tensor memory. */
  takeRows(
    kind: RowsKind,
    factor: FactorRows,
    { rows, lanes }: RowsPlace,
    words: Int32Array,
    meta: MetadataAt | null,
  ): void {
    const { area } = this;
    if (meta === null) {
      this.take(factor, area + A_WORDS, STORED);
      return;
    }
    this.take(factor, area + KEPT, STORED);
    const { selector, at } = meta;
    const key = `${kind.a} ${selector}`;
    let spread = this.spreads.get(key);
    if (spread === undefined) {
      const module = new wasm!.Module(encodeModule([], [spreadFunction(kind.a, selector)]));
      spread = new wasm!.Instance(module, { env: { memory: this.arena.memory } }).exports.run as Spread;
      this.spreads.set(key, spread);
    }
    const first = words.byteOffset + 4 * at;
    for (let g = 0; g < rows / GROUP.rows; g++)
      spread(
        area + KEPT + 4 * STORED * GROUP.rows * g,
        first + LINE * lanes * g,
        area + A_WORDS + 8 * STORED * GROUP.rows * g,
      );
  }

  /** Takes the scales of rows and of columns. */
  takeScales({ scaling }: RowsKind, a: ScaleValues, b: ScaleValues): void {
    const { arena, area } = this;
    this.place(a, scaling!.blocks, GROUP.rows, area + ROW_SCALES);
    this.place(b, scaling!.blocks, GROUP.columns, area + COLUMN_SCALES);
    arena.words[(area + SCALED) >> 2] = a.range + b.range <= MOST_RANGE ? 1 : 0;
  }

  /** Scales of groups of rows or columns: by block, then by row in the group. */
  private place({ values }: ScaleValues, blocks: number, size: number, at: number): void {
    const to = new Float64Array(this.arena.memory.buffer, at, (values.length / blocks / size) * MOST_BLOCKS * size);
    for (let i = 0, row = 0; i < values.length; row++) {
      const first = Math.floor(row / size) * MOST_BLOCKS * size + (row % size);
      for (let b = 0; b < blocks; b++) to[first + b * size] = values[i++]!;
    }
  }

  /** Adds the product of what was taken to rows of tensor memory; `sameRows`: A is what it was for the product before. */
  add(words: Int32Array, kind: RowsKind, place: RowsPlace, sameRows: boolean): void {
    const { at, rows, firstColumn, columns, lanes } = place;
    const { area } = this;
    const d = words.byteOffset + 4 * at;
    const b = area + B_WORDS + 4 * kind.words * firstColumn;
    const groups = [rows / GROUP.rows, columns / GROUP.columns] as const;
    const changed = Changed.b | (sameRows ? 0 : Changed.a);
    this.runOf(kind)(area, area + A_WORDS, b, ...groups, d, d, 4 * GROUP.columns, lanes * LINE, changed);
  }
}
