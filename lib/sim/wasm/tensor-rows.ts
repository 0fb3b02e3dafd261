/**
 * Products in tensor memory (ops/tensor-products.ts), made as those of a warp are (matrix.ts) in groups of 16 rows and 8 columns. Factors come as rows of
 * words, those of a sparse A with their zeros: 256 bits along k, of sparse ones 512; scales as f64; C and D are rows of tensor memory.
 */
import type { Arena } from "./arena.js";
import { type Elements, half, isInteger, perWord } from "./elements.js";
import { encodeModule, Fn, Type } from "./encoder.js";
import { factorFunction, wideFunction } from "./factors.js";
import { wasm } from "./host.js";
import {
  type Accumulators,
  type ProductKind,
  productFunction,
  rounded,
  roundedToHalf,
  type Sums,
  sumOfIntegers,
} from "./matrix.js";
import { Op } from "./opcodes.js";
import { relaxedFmaIsExact } from "./relaxed.js";
import { MOST_RANGE, SCALES_BYTES, type Scaling } from "./scales.js";
import { type FactorKind, MOST_SLOT_BYTES, pairBytes } from "./slots.js";
import type { Vectors } from "./vectors.js";

/** What makes such products differ in code. */
export interface RowsKind {
  readonly a: Elements;
  readonly b: Elements;
  readonly negA: boolean;
  readonly negB: boolean;
  readonly sums: Extract<Sums, "integer" | "saturated" | "float" | "half">;
  /** Words of a row of A, of a column of B. */
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

export interface RowsFactors {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly scales: { readonly a: ScaleValues; readonly b: ScaleValues } | null;
}

/** Index of the first word of D, its rows and columns, lanes from a group of 16 rows to the next. */
export interface RowsPlace {
  readonly at: number;
  readonly rows: number;
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

const GROUP = { rows: 16, columns: 8 } as const;
const MOST = { rows: 8, columns: 32, blocks: 4, words: 16 } as const;

/** What is needed beside D: slots of A and one of B, words, what scaled products need, scales of groups of rows and of columns. */
const B_SLOT: number = MOST.rows * MOST_SLOT_BYTES;
const A_WORDS: number = B_SLOT + MOST_SLOT_BYTES;
const B_WORDS: number = A_WORDS + MOST.rows * GROUP.rows * 4 * MOST.words;
const SCALED: number = B_WORDS + MOST.columns * GROUP.columns * 4 * MOST.words;
const ROW_SCALES: number = SCALED + SCALES_BYTES;
const ROW_SCALES_BYTES: number = 8 * MOST.blocks * GROUP.rows;
const COLUMN_SCALES: number = ROW_SCALES + MOST.rows * ROW_SCALES_BYTES;
const COLUMN_SCALES_BYTES: number = 8 * MOST.blocks * GROUP.columns;
const AREA_BYTES: number = COLUMN_SCALES + MOST.columns * COLUMN_SCALES_BYTES;

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

/** Address of what is needed, groups of 16 rows, of 8 columns, address of the first D, bytes from a group of rows to the next. */
type Run = (area: number, rows: number, columns: number, d: number, lines: number) => void;

/** Numbers of the module's functions. */
const Callee = { factorA: 0, factorB: 1, product: 2, wideA: 3, wideB: 4 } as const;

function allGroups({ words, scaling }: RowsKind): Fn {
  const fn = new Fn(new Array<Type>(5).fill(Type.i32), []);
  const { code } = fn;
  const [area, rows, columns, d, lines] = [0, 1, 2, 3, 4];
  const [from, slot, slotB, count, toD, ofRows, ofColumns] = Array.from({ length: 7 }, () => fn.local(Type.i32)) as [
    ...[number, number, number, number, number, number, number],
  ];
  const at = (local: number, offset: number): void => {
    code.get(area).i32(offset).op(Op.i32Add).set(local);
  };
  const moved = (local: number, by: number): void => {
    code.get(local).i32(by).op(Op.i32Add).set(local);
  };
  const again = (local: number): void => {
    code.get(local).i32(1).op(Op.i32Sub).tee(local).index(Op.brIf, 0).end();
  };
  at(from, A_WORDS);
  at(slot, 0);
  code.get(rows).set(count).open(Op.loop);
  code.get(from).get(slot).i32(0).index(Op.call, Callee.factorA);
  moved(from, GROUP.rows * 4 * words);
  moved(slot, MOST_SLOT_BYTES);
  again(count);
  at(from, B_WORDS);
  at(slotB, B_SLOT);
  at(ofColumns, COLUMN_SCALES);
  code.open(Op.loop);
  code.get(from).get(slotB).i32(0).index(Op.call, Callee.factorB);
  at(slot, 0);
  at(ofRows, ROW_SCALES);
  code.get(rows).set(count).get(d).set(toD).open(Op.loop);
  code.get(slot).get(slotB).get(toD).get(toD);
  if (scaling !== null) code.get(area).i32(SCALED).op(Op.i32Add).get(ofRows).get(ofColumns);
  code.index(Op.call, Callee.product);
  moved(slot, MOST_SLOT_BYTES);
  moved(ofRows, ROW_SCALES_BYTES);
  code.get(toD).get(lines).op(Op.i32Add).set(toD);
  again(count);
  moved(from, GROUP.columns * 4 * words);
  moved(d, 4 * GROUP.columns);
  moved(ofColumns, COLUMN_SCALES_BYTES);
  again(columns);
  return fn;
}

function moduleOf(kind: RowsKind): Uint8Array {
  const depth = kind.words * perWord[kind.a];
  const a: FactorKind = { side: "a", rows: 16, depth, elements: kind.a, negated: kind.negA, from: "rows" };
  const b: FactorKind = { side: "b", rows: 8, depth, elements: kind.b, negated: kind.negB, from: "rows" };
  const more = kind.scaling === null ? {} : { scaling: kind.scaling };
  const product: ProductKind = { rows: 16, depth, sums: kind.sums, pairs: pairBytes(a), ...more };
  return encodeModule(
    [],
    [
      factorFunction(a),
      factorFunction(b),
      productFunction(product, [Callee.wideA, Callee.wideB], relaxedFmaIsExact(), tensorRows(kind.exponent)),
      ...(isInteger(kind.a) ? [] : [wideFunction(16, depth), wideFunction(8, depth)]),
      allGroups(kind),
    ],
  );
}

/** The products in tensor memory of an arena. */
export class TensorRows {
  private readonly runs = new Map<string, Run>();
  /** Address of what products need beside D in this launch; 0: not yet known. */
  private area = 0;

  constructor(private readonly arena: Arena) {}

  /** A launch begins. */
  begin(): void {
    this.area = 0;
  }

  private runOf(kind: RowsKind): Run {
    const { a, b, negA, negB, sums, words, exponent, scaling } = kind;
    const key = `${a} ${b} ${negA} ${negB} ${sums} ${words} ${exponent} ${scaling?.blocks} ${scaling?.powers}`;
    let run = this.runs.get(key);
    if (run === undefined) {
      const module = new wasm!.Module(moduleOf(kind));
      run = new wasm!.Instance(module, { env: { memory: this.arena.memory } }).exports.run as Run;
      this.runs.set(key, run);
    }
    return run;
  }

  /** Scales of groups of rows or columns: by block, then by row in the group. */
  private place({ values }: ScaleValues, blocks: number, size: number, at: number): void {
    const to = new Float64Array(this.arena.memory.buffer, at, (values.length / blocks / size) * MOST.blocks * size);
    for (let i = 0, row = 0; i < values.length; row++) {
      const first = Math.floor(row / size) * MOST.blocks * size + (row % size);
      for (let b = 0; b < blocks; b++) to[first + b * size] = values[i++]!;
    }
  }

  /** Adds a product to rows of tensor memory, whose words are in the arena. False: there is no room, nothing has been done. */
  add(words: Int32Array, kind: RowsKind, { a, b, scales }: RowsFactors, place: RowsPlace): boolean {
    const { arena } = this;
    if (words.buffer !== arena.memory.buffer) return false;
    if (this.area === 0) this.area = arena.reserve(AREA_BYTES);
    const { area } = this;
    if (area === 0) return false;
    arena.words.set(a, (area + A_WORDS) >> 2);
    arena.words.set(b, (area + B_WORDS) >> 2);
    if (scales !== null) {
      const { blocks } = kind.scaling!;
      this.place(scales.a, blocks, GROUP.rows, area + ROW_SCALES);
      this.place(scales.b, blocks, GROUP.columns, area + COLUMN_SCALES);
      arena.words[(area + SCALED) >> 2] = scales.a.range + scales.b.range <= MOST_RANGE ? 1 : 0;
    }
    const { at, rows, columns, lanes } = place;
    const run = this.runOf(kind);
    run(area, rows / GROUP.rows, columns / GROUP.columns, words.byteOffset + 4 * at, lanes * LINE);
    return true;
  }
}
