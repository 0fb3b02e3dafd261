/**
 * Products of a warp group and of tensor memory: many products of 16 rows and 8 columns with one A or B after the other, made as those of a warp are
 * (matrix.ts). Their factors come as rows of 32 bytes, 256 bits along k; C and D are registers of a warp, whose fragments are those of a warp's
 * products side by side (ops/warpgroup.ts), or rows of tensor memory.
 */
import type { Pieces } from "../descriptor.js";
import type { SharedMemory } from "../memory.js";
import { type Cta, LANES, type Warp, ZERO_ROW } from "../state.js";
import type { Arena } from "./arena.js";
import { type Elements, isInteger, perWord } from "./elements.js";
import { encodeModule, Fn, Type } from "./encoder.js";
import { factorFunction, wideFunction } from "./factors.js";
import { wasm } from "./host.js";
import { ROW_BYTES } from "./layout.js";
import { type Accumulators, fragments, type ProductKind, productFunction, rounded, type Sums } from "./matrix.js";
import { Op } from "./opcodes.js";
import { gatherFunction } from "./pieces.js";
import { relaxedFmaIsExact } from "./relaxed.js";
import { type FactorKind, f64At, pairBytes, slotBytes } from "./slots.js";
import { TensorRows } from "./tensor-rows.js";
import type { Vectors } from "./vectors.js";

/** What makes such products differ in code. */
export interface BlockKind {
  readonly a: Elements;
  readonly b: Elements;
  readonly negA: boolean;
  readonly negB: boolean;
  readonly sums: Extract<Sums, "integer" | "saturated" | "and" | "float" | "half">;
}

/** Its factors as rows of eight words. */
export interface FactorWords {
  readonly a: Int32Array;
  readonly b: Int32Array;
}

/** A factor as pieces of shared memory. */
export interface FactorPieces {
  readonly pieces: Pieces;
  /** Pieces are eight rows of one k. */
  readonly transposed: boolean;
}

/** Those of a warp group: A as pieces, too, or the index in Warp.I of the first of four registers that follow each other. */
export interface WarpGroupFactors {
  readonly a: FactorPieces | number;
  readonly b: FactorPieces;
}

const translatedElements: readonly string[] = [
  ...["F16", "BF16", "TF32", "E4M3", "E5M2", "E3M2", "E2M3", "E2M1", "S8", "U8", "B1"],
];

/** The kind by the names of elements; null: it is for the closures. */
export function blockKind(
  a: string,
  b: string,
  negA: boolean,
  negB: boolean,
  sums: BlockKind["sums"],
): BlockKind | null {
  if (!translatedElements.includes(a) || !translatedElements.includes(b)) return null;
  const kind = { a: a as Elements, b: b as Elements, negA, negB, sums };
  const isFloat = sums === "float" || sums === "half";
  return isFloat === isInteger(kind.a) || perWord[kind.a] !== perWord[kind.b] ? null : kind;
}

/** 256 bits along k. */
const WORDS = 8;
const GROUP = { rows: 16, columns: 8 } as const;
/** Most groups of a product. */
const MOST = { rows: 8, columns: 32 } as const;
/** A slot of sixteen rows, of eight columns of at most 32 elements. */
const SLOT_BYTES: number = slotBytes({ side: "a", rows: 16, depth: 32, elements: "E4M3", from: "rows" });
const B_SLOT_BYTES: number = f64At(32) + GROUP.columns * 32 * 8;
/** What is needed beside C and D: slots of A and B, their words, offsets of pieces. */
const B_SLOTS = MOST.rows * SLOT_BYTES;
const A_WORDS = B_SLOTS + MOST.columns * B_SLOT_BYTES;
const B_WORDS = A_WORDS + MOST.rows * GROUP.rows * 4 * WORDS;
const B_PIECES = B_WORDS + MOST.columns * GROUP.columns * 4 * WORDS;
const A_PIECES = B_PIECES + 4 * 2 * MOST.columns * GROUP.columns;
const AREA_BYTES = A_PIECES + 4 * 2 * GROUP.rows;

/** Lanes and columns of tensor memory. */
const TENSOR = { lanes: 128, columns: 512 } as const;
const LINE = 4 * TENSOR.columns;

/** Rows of tensor memory: a vector is four columns. */
function addFloatRows(w: Vectors, sums: readonly number[], c: number, d: number): void {
  for (let h = 0; h < 2; h++)
    for (let n = 0; n < 2; n++) {
      const at = 8 * h * LINE + 16 * n;
      const before = w.promoted(w.load(Op.load, c, at));
      const totals = before.map((x, i) => w.v(Op.f64x2Add, sums[4 * h + 2 * n + i]!, x));
      w.store(d, rounded(w, totals), at);
    }
}

function addIntegerRows(w: Vectors, sums: readonly number[], c: number, d: number): void {
  sums.forEach((sum, i) => {
    const at = 8 * (i >> 1) * LINE + 16 * (i & 1);
    w.store(d, w.v(Op.i32x4Add, sum, w.load(Op.load, c, at)), at);
  });
}

const tensorRows: Accumulators = {
  step: LINE,
  floats: addFloatRows,
  halves: () => {
    throw new Error("tensor memory has no sums of 16 bits");
  },
  integers: addIntegerRows,
};

/** Addresses of what is needed and of the words of A, groups of 16 rows, of 8 columns, addresses of the first C and D, bytes from a group of columns of C to the next, whether B has changed. */
type Run = (
  area: number,
  a: number,
  rows: number,
  columns: number,
  c: number,
  d: number,
  cStep: number,
  changed: number,
) => void;

/** Addresses of offsets of pieces, how many, addresses of shared memory and of the words, whether pieces are eight rows of one k: 0 where the words were the same. */
type Gather = (pieces: number, count: number, shared: number, to: number, transposed: number) => number;

/** Numbers of the module's functions. */
const Callee = { factorA: 0, factorB: 1, product: 2, wideA: 3, wideB: 4 } as const;

/** Goes through all groups. `dStep`: bytes from a group of columns of D to the next; `lines`: from a group of rows to the next, of C, too. */
function allGroups(dStep: number, lines: number): Fn {
  const fn = new Fn(new Array<Type>(8).fill(Type.i32), []);
  const { code } = fn;
  const [area, a, rows, columns, c, d, cStep, changed] = [0, 1, 2, 3, 4, 5, 6, 7];
  const [from, slot, slotB, count, toC, toD] = Array.from({ length: 6 }, () => fn.local(Type.i32)) as [
    ...[number, number, number, number, number, number],
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
  at(slot, 0);
  code.get(rows).set(count).open(Op.loop);
  code.get(a).get(slot).i32(0).index(Op.call, Callee.factorA);
  moved(a, GROUP.rows * 4 * WORDS);
  moved(slot, SLOT_BYTES);
  again(count);
  at(from, B_WORDS);
  at(slotB, B_SLOTS);
  code.open(Op.loop);
  code.get(changed).open(Op.if).get(from).get(slotB).i32(0).index(Op.call, Callee.factorB).end();
  moved(from, GROUP.columns * 4 * WORDS);
  at(slot, 0);
  code.get(rows).set(count).get(c).set(toC).get(d).set(toD).open(Op.loop);
  code.get(slot).get(slotB).get(toC).get(toD).index(Op.call, Callee.product);
  moved(slot, SLOT_BYTES);
  moved(toC, lines);
  moved(toD, lines);
  again(count);
  code.get(c).get(cStep).op(Op.i32Add).set(c);
  moved(d, dStep);
  moved(slotB, B_SLOT_BYTES);
  again(columns);
  return fn;
}

/** Registers of D for eight columns. */
const resultRows = (kind: BlockKind): number => (kind.sums === "half" ? 2 : 4);

/** Where A is, and D. */
interface Places {
  readonly from: FactorKind["from"];
  readonly to: Accumulators;
}
const inRegisters: Places = { from: "registers", to: fragments };
const inShared: Places = { from: "rows", to: fragments };
const inTensors: Places = { from: "rows", to: tensorRows };

function moduleOf(kind: BlockKind, { from, to }: Places): Uint8Array {
  const depth = WORDS * perWord[kind.a];
  const a: FactorKind = { side: "a", rows: 16, depth, elements: kind.a, negated: kind.negA, from };
  const b: FactorKind = { side: "b", rows: 8, depth, elements: kind.b, negated: kind.negB, from: "rows" };
  const product: ProductKind = { rows: 16, depth, sums: kind.sums, pairs: pairBytes(a) };
  const isFloat = kind.sums === "float" || kind.sums === "half";
  const functions = [
    factorFunction(a),
    factorFunction(b),
    productFunction(product, [Callee.wideA, Callee.wideB], relaxedFmaIsExact(), to),
    ...(isFloat ? [wideFunction(16, depth), wideFunction(8, depth)] : []),
    to === fragments ? allGroups(resultRows(kind) * ROW_BYTES, 0) : allGroups(4 * GROUP.columns, 16 * LINE),
  ];
  return encodeModule([], functions);
}

/** The products of an arena. */
export class BlockProducts {
  private readonly runs = new Map<string, Run>();
  private readonly known = new Map<Places, Map<BlockKind, Run>>();
  /** Address of what products need beside C and D in this launch; 0: not yet known. */
  private area = 0;
  /** Of which B lies in the slots: made by what, for so many columns. */
  private last: Run | null = null;
  private lastColumns = 0;
  private gather: Gather | null = null;
  /** Whose offsets are in the area: of A and of B. */
  private readonly placed: { a: Pieces | null; b: Pieces | null } = { a: null, b: null };
  /** Addresses of the tensor memory of CTAs that have this shared memory, one after the other. */
  private readonly tensors = new WeakMap<SharedMemory, number>();

  /** Products in tensor memory of all other kinds. */
  readonly rows: TensorRows;

  constructor(private readonly arena: Arena) {
    this.rows = new TensorRows(arena);
  }

  /** A launch begins. */
  begin(): void {
    this.rows.begin();
    this.area = 0;
    this.last = null;
    this.placed.a = null;
    this.placed.b = null;
  }

  /** Is there room? */
  private hasArea(): boolean {
    if (this.area === 0) this.area = this.arena.reserve(AREA_BYTES);
    return this.area !== 0;
  }

  private runOf(kind: BlockKind, places: Places): Run {
    let known = this.known.get(places);
    if (known === undefined) {
      known = new Map();
      this.known.set(places, known);
    }
    let run = known.get(kind);
    if (run === undefined) {
      run = this.sharedRun(kind, places);
      known.set(kind, run);
    }
    return run;
  }

  private sharedRun(kind: BlockKind, places: Places): Run {
    const key = `${kind.a} ${kind.b} ${kind.negA} ${kind.negB} ${kind.sums} ${places.from} ${places.to.step}`;
    let run = this.runs.get(key);
    if (run === undefined) {
      const module = new wasm!.Module(moduleOf(kind, places));
      run = new wasm!.Instance(module, { env: { memory: this.arena.memory } }).exports.run as Run;
      this.runs.set(key, run);
    }
    return run;
  }

  /** Puts pieces of shared memory in order as words of a factor; 0: they are as they were. */
  private gathered(w: Warp, { pieces, transposed }: FactorPieces, side: "a" | "b"): number {
    const { memory, words } = this.arena;
    if (this.gather === null) {
      const module = new wasm!.Module(encodeModule([], [gatherFunction()]));
      this.gather = new wasm!.Instance(module, { env: { memory } }).exports.run as Gather;
    }
    const offsets = this.area + (side === "a" ? A_PIECES : B_PIECES);
    const to = this.area + (side === "a" ? A_WORDS : B_WORDS);
    if (this.placed[side] !== pieces) {
      words.set(pieces.at, offsets >> 2);
      this.placed[side] = pieces;
    }
    return this.gather(offsets, pieces.at.length, w.cta.shared.bytes.byteOffset, to, transposed ? 1 : 0);
  }

  /**
   * A product of a warp of a warp group: 16 rows of A, so many columns. `c`, `d`: indices in Warp.I of the first rows of C (−1: zeros) and D, whose registers
   * follow each other. False: the warp is not in the arena, nothing has been done.
   */
  ofWarp(w: Warp, kind: BlockKind, { a, b }: WarpGroupFactors, columns: number, c: number, d: number): boolean {
    const { base } = w;
    if (base === 0 || !this.hasArea()) return false;
    const { area } = this;
    const isHeld = typeof a === "number";
    if (!isHeld) this.gathered(w, a, "a");
    const run = this.runOf(kind, isHeld ? inRegisters : inShared);
    const isOther = this.gathered(w, b, "b") !== 0 || this.last !== run || this.lastColumns !== columns;
    this.last = run;
    this.lastColumns = columns;
    const step = c < 0 ? 0 : resultRows(kind) * ROW_BYTES;
    const from = c < 0 ? ZERO_ROW * LANES : c;
    const wordsA = isHeld ? base + 4 * a : area + A_WORDS;
    run(area, wordsA, 1, columns / GROUP.columns, base + 4 * from, base + 4 * d, step, isOther ? 1 : 0);
    return true;
  }

  /** Tensor memory, [lane][column], in the arena: what it was moves there; null: there is no room. */
  tensorWords(cta: Cta, words: Int32Array): Int32Array | null {
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

  /** Are the words in the arena? */
  holds(words: Int32Array): boolean {
    return words.buffer === this.arena.memory.buffer;
  }

  /** Adds a product of 16 to 128 rows to rows of tensor memory, which `tensorWords` has given, from index `at` on. */
  inTensorMemory(
    words: Int32Array,
    kind: BlockKind,
    { a, b }: FactorWords,
    [rows, columns]: readonly [number, number],
    at: number,
  ): void {
    const { area, arena } = this;
    arena.words.set(a.subarray(0, rows * WORDS), (area + A_WORDS) >> 2);
    arena.words.set(b.subarray(0, columns * WORDS), (area + B_WORDS) >> 2);
    this.last = null;
    const d = words.byteOffset + 4 * at;
    const run = this.runOf(kind, inTensors);
    run(area, area + A_WORDS, rows / GROUP.rows, columns / GROUP.columns, d, d, 4 * GROUP.columns, 1);
  }
}
