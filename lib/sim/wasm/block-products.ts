/**
 * Products of a warp group, and what those of tensor memory need (tensor-rows.ts). Factors come as rows of 32 bytes, 256 bits along k; C and D are
 * registers of a warp, whose fragments are those of a warp's products side by side (ops/warpgroup.ts).
 */
import type { Pieces } from "../descriptor.js";
import { LANES, type Warp, ZERO_ROW } from "../state.js";
import type { Arena } from "./arena.js";
import { type Elements, isInteger, perWord } from "./elements.js";
import { ROW_BYTES } from "./layout.js";
import { fragments, type Sums } from "./matrix.js";
import { Gathering } from "./pieces.js";
import { Changed, GROUP, type GroupsKind, type GroupsRun, groupsRun, MOST_GROUPS } from "./product-groups.js";
import { type FactorKind, f64At, slotBytes } from "./slots.js";
import { TensorRows } from "./tensor-rows.js";

/** What makes such products differ in code. */
export interface BlockKind {
  readonly a: Elements;
  readonly b: Elements;
  readonly negA: boolean;
  readonly negB: boolean;
  readonly sums: Extract<Sums, "integer" | "saturated" | "and" | "float" | "half">;
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
/** A slot of sixteen rows, of eight columns of at most 32 elements. */
const SLOT_BYTES: number = slotBytes({ side: "a", rows: 16, depth: 32, elements: "E4M3", from: "rows" });
const B_SLOT_BYTES: number = f64At(32) + GROUP.columns * 32 * 8;
/** What is needed beside C and D: the slot of A and those of B, their words, offsets of pieces. */
const B_SLOTS: number = SLOT_BYTES;
const A_WORDS: number = B_SLOTS + MOST_GROUPS.columns * B_SLOT_BYTES;
const B_WORDS: number = A_WORDS + GROUP.rows * 4 * WORDS;
const B_PIECES: number = B_WORDS + MOST_GROUPS.columns * GROUP.columns * 4 * WORDS;
const A_PIECES: number = B_PIECES + 4 * 2 * MOST_GROUPS.columns * GROUP.columns;
const AREA_BYTES: number = A_PIECES + 4 * 2 * GROUP.rows;

/** Registers of D for eight columns. */
const resultRows = (kind: BlockKind): number => (kind.sums === "half" ? 2 : 4);

/** How a product with A there runs. */
function groupsOf(kind: BlockKind, from: FactorKind["from"]): GroupsKind {
  const depth = WORDS * perWord[kind.a];
  return {
    a: { side: "a", rows: GROUP.rows, depth, elements: kind.a, negated: kind.negA, from },
    b: { side: "b", rows: GROUP.columns, depth, elements: kind.b, negated: kind.negB, from: "rows" },
    product: { rows: GROUP.rows, depth, sums: kind.sums },
    to: fragments,
    line: 4 * WORDS,
    dStep: resultRows(kind) * ROW_BYTES,
    slotA: SLOT_BYTES,
    slotsB: B_SLOTS,
    slotB: B_SLOT_BYTES,
    scales: null,
  };
}

/** The products of an arena. */
export class BlockProducts {
  private readonly runs = new Map<string, GroupsRun>();
  private readonly known: Readonly<Record<FactorKind["from"], Map<BlockKind, GroupsRun>>> = {
    registers: new Map(),
    rows: new Map(),
  };
  /** Address of what products need beside C and D in this launch; 0: not yet known. */
  private area = 0;
  /** Of which B lies in the slots: made by what, for so many columns. */
  private last: GroupsRun | null = null;
  private lastColumns = 0;
  private readonly gathering: Gathering;
  /** Whose offsets are in the area: of A and of B. */
  private readonly placed: { a: Pieces | null; b: Pieces | null } = { a: null, b: null };

  /** Products in tensor memory. */
  readonly rows: TensorRows;

  constructor(private readonly arena: Arena) {
    this.gathering = new Gathering(arena);
    this.rows = new TensorRows(arena, this.gathering);
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

  private runOf(kind: BlockKind, from: FactorKind["from"]): GroupsRun {
    const known = this.known[from];
    let run = known.get(kind);
    if (run === undefined) {
      const key = `${kind.a} ${kind.b} ${kind.negA} ${kind.negB} ${kind.sums} ${from}`;
      run = this.runs.get(key) ?? groupsRun(this.arena, groupsOf(kind, from));
      this.runs.set(key, run);
      known.set(kind, run);
    }
    return run;
  }

  /** Puts pieces of shared memory in order as words of a factor; false: they are as they were. */
  private gathered(w: Warp, { pieces, transposed }: FactorPieces, side: "a" | "b"): boolean {
    const offsets = this.area + (side === "a" ? A_PIECES : B_PIECES);
    const to = this.area + (side === "a" ? A_WORDS : B_WORDS);
    if (this.placed[side] !== pieces) {
      this.arena.words.set(pieces.at, offsets >> 2);
      this.placed[side] = pieces;
    }
    return this.gathering.gather(offsets, pieces.at.length, w.cta.shared.bytes.byteOffset, to, transposed, WORDS);
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
    const run = this.runOf(kind, isHeld ? "registers" : "rows");
    const isOther = this.gathered(w, b, "b") || this.last !== run || this.lastColumns !== columns;
    const changed = Changed.a | (isOther ? Changed.b : 0);
    this.last = run;
    this.lastColumns = columns;
    const step = c < 0 ? 0 : resultRows(kind) * ROW_BYTES;
    const [toC, toD] = [base + 4 * (c < 0 ? ZERO_ROW * LANES : c), base + 4 * d];
    const wordsA = isHeld ? base + 4 * a : area + A_WORDS;
    run(area, wordsA, area + B_WORDS, 1, columns / GROUP.columns, toC, toD, step, 0, changed);
    return true;
  }
}
