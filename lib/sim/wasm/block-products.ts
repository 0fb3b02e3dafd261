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
import type { Vectors } from "./vectors.js";

/** What makes such products differ in code. */
export interface BlockKind {
  readonly a: Elements;
  readonly b: Elements;
  readonly negA: boolean;
  readonly negB: boolean;
  readonly sums: Extract<Sums, "integer" | "saturated" | "and" | "float" | "half">;
}

/** Its factors as rows of eight words; B of a warp group as pieces of shared memory. */
export interface FactorWords {
  readonly a: Int32Array;
  readonly b: Int32Array;
}
export interface FactorPieces {
  readonly a: Int32Array;
  readonly b: Pieces;
  /** Of B: pieces are eight rows of one k. */
  readonly transposed: boolean;
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
const PIECES = B_WORDS + MOST.columns * GROUP.columns * 4 * WORDS;
const AREA_BYTES = PIECES + 4 * 512;

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

/** Address of what is needed, groups of 16 rows, of 8 columns, addresses of the first C and D, bytes from a group of columns of C to the next, whether B has changed. */
type Run = (area: number, rows: number, columns: number, c: number, d: number, cStep: number, changed: number) => void;

/** Numbers of the module's functions. */
const Callee = { factorA: 0, factorB: 1, product: 2, wideA: 3, wideB: 4 } as const;

/** Goes through all groups. `dStep`: bytes from a group of columns of D to the next; `lines`: from a group of rows to the next, of C, too. */
function allGroups(dStep: number, lines: number): Fn {
  const fn = new Fn(new Array<Type>(7).fill(Type.i32), []);
  const { code } = fn;
  const [area, rows, columns, c, d, cStep, changed] = [0, 1, 2, 3, 4, 5, 6];
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
  at(from, A_WORDS);
  at(slot, 0);
  code.get(rows).set(count).open(Op.loop);
  code.get(from).get(slot).i32(0).index(Op.call, Callee.factorA);
  moved(from, GROUP.rows * 4 * WORDS);
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

function moduleOf(kind: BlockKind, to: Accumulators): Uint8Array {
  const depth = WORDS * perWord[kind.a];
  const common = { depth, from: "rows" } as const;
  const a: FactorKind = { side: "a", rows: 16, elements: kind.a, negated: kind.negA, ...common };
  const b: FactorKind = { side: "b", rows: 8, elements: kind.b, negated: kind.negB, ...common };
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
  private readonly known = new Map<BlockKind, Run>();
  /** Address of what products need beside C and D in this launch; 0: not yet known. */
  private area = 0;
  /** Of which B lies in the slots: made by what, for so many columns. */
  private last: Run | null = null;
  private lastColumns = 0;
  private gather: ((pieces: number, count: number, shared: number, to: number, transposed: number) => number) | null =
    null;
  /** Addresses of the tensor memory of CTAs that have this shared memory, one after the other. */
  private readonly tensors = new WeakMap<SharedMemory, number>();

  constructor(private readonly arena: Arena) {}

  /** A launch begins. */
  begin(): void {
    this.area = 0;
    this.last = null;
  }

  /** Is there room? */
  private hasArea(): boolean {
    if (this.area === 0) this.area = this.arena.reserve(AREA_BYTES);
    return this.area !== 0;
  }

  private runOf(kind: BlockKind, to: Accumulators): Run {
    let run = this.known.get(kind);
    if (run === undefined) {
      run = this.sharedRun(kind, to);
      this.known.set(kind, run);
    }
    return run;
  }

  private sharedRun(kind: BlockKind, to: Accumulators): Run {
    const key = `${kind.a} ${kind.b} ${kind.negA} ${kind.negB} ${kind.sums} ${to.step}`;
    let run = this.runs.get(key);
    if (run === undefined) {
      const module = new wasm!.Module(moduleOf(kind, to));
      run = new wasm!.Instance(module, { env: { memory: this.arena.memory } }).exports.run as Run;
      this.runs.set(key, run);
    }
    return run;
  }

  /** Puts pieces of shared memory in order as words of B; 0: they are as they were. */
  private gathered(w: Warp, { at }: Pieces, transposed: boolean): number {
    const { memory, words } = this.arena;
    if (this.gather === null) {
      const module = new wasm!.Module(encodeModule([], [gatherFunction()]));
      this.gather = new wasm!.Instance(module, { env: { memory } }).exports.run as typeof this.gather;
    }
    const { area } = this;
    words.set(at, (area + PIECES) >> 2);
    const { byteOffset } = w.cta.shared.bytes;
    return this.gather!(area + PIECES, at.length, byteOffset, area + B_WORDS, transposed ? 1 : 0);
  }

  /**
   * A product of a warp of a warp group: 16 rows of A, so many columns. `c`, `d`: indices in Warp.I of the first rows of C (−1: zeros) and D, whose registers
   * follow each other. False: the warp is not in the arena, nothing has been done.
   */
  ofWarp(
    w: Warp,
    kind: BlockKind,
    { a, b, transposed }: FactorPieces,
    columns: number,
    [c, d]: readonly [number, number],
  ): boolean {
    if (w.base === 0 || !this.hasArea()) return false;
    const { area, arena } = this;
    arena.words.set(a.length === GROUP.rows * WORDS ? a : a.subarray(0, GROUP.rows * WORDS), (area + A_WORDS) >> 2);
    const run = this.runOf(kind, fragments);
    const isOther = this.gathered(w, b, transposed) !== 0 || this.last !== run || this.lastColumns !== columns;
    this.last = run;
    this.lastColumns = columns;
    const groups = columns / GROUP.columns;
    const step = c < 0 ? 0 : resultRows(kind) * ROW_BYTES;
    const from = c < 0 ? ZERO_ROW * LANES : c;
    run(area, 1, groups, w.base + 4 * from, w.base + 4 * d, step, isOther ? 1 : 0);
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
    this.runOf(kind, tensorRows)(area, rows / GROUP.rows, columns / GROUP.columns, d, d, 4 * GROUP.columns, 1);
  }
}
