/**
 * Products of 16 × k and k × 8 matrices of f16, bf16 or tf32 elements with f32 accumulators (HMMA): ops/tensor.ts says where the elements are and how
 * the sums are made; here they are made in the same order, two columns at a time. The four lanes of a round hold two rows of A, C and D, or a
 * column of B.
 */
import { Kind, type Operand } from "../../isa/operand.js";
import type { Site } from "../site.js";
import { TRASH_ROW, ZERO_ROW } from "../state.js";
import { Fn, Type } from "./encoder.js";
import { MATRIX_A, MATRIX_B, ROW_BYTES } from "./layout.js";
import { Op } from "./opcodes.js";

export type Elements = "F16" | "BF16" | "TF32";

/** What makes products differ in code. */
export interface ProductKind {
  readonly depth: number;
  readonly elements: Elements;
}

export interface Product extends ProductKind {
  /** Offsets of the operands' first rows in the warp's state. */
  readonly rows: readonly [a: number, b: number, c: number, d: number];
}

const depths: Readonly<Record<string, number>> = { "1684": 4, "1688": 8, "16816": 16 };

/** The product of an instruction without guard; null for other ones. */
export function productOf(s: Site): Product | null {
  const { op, mods } = s.inst.form;
  if (op !== "HMMA" || s.inst.guard !== null || (s.pred("pin") & 7) !== 7) return null;
  if (!mods.includes("F32") || mods.some((m) => !(m in depths) && !["F32", "BF16", "TF32"].includes(m))) return null;
  const pin = s.find("pin");
  if (pin !== null && pin.mods & 4) return null;
  const names = ["a", "b", "c", "d"] as const;
  const operands = names.map((n) => s.find(n));
  const first = (o: Operand | null, zero: number): number | null =>
    o === null || o.kind !== Kind.Reg || o.mods & 7 || !/^(\.ROW|\.COL)?$/.test(o.part)
      ? null
      : (o.id < 0 ? zero : o.id) * ROW_BYTES;
  const rows = operands.map((o, i) => first(o, i === 3 ? TRASH_ROW : ZERO_ROW));
  if (rows.includes(null)) return null;
  const elements = mods.includes("BF16") ? "BF16" : mods.includes("TF32") ? "TF32" : "F16";
  const depth = depths[mods.find((m) => m in depths) ?? ""];
  if (depth === undefined || !(elements === "TF32" ? [4, 8] : [8, 16]).includes(depth)) return null;
  return { depth, elements, rows: rows as [number, number, number, number] };
}

const LOW_PAIR = [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23];
const HIGH_PAIR = [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31];
const EVEN_WORDS = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];
const ODD_WORDS = [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31];
const LOW_HALVES = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
const UPPER = [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15];

/** Parameters: addresses of the operands' first rows. */
const [A, B, C, D] = [0, 1, 2, 3] as const;

/** Four f32 of a word of four lanes: the elements k = start + step · lane. */
interface Elements4 {
  readonly v: number;
  readonly start: number;
  readonly step: number;
}

class Writer {
  readonly fn: Fn = new Fn([Type.i32, Type.i32, Type.i32, Type.i32], []);
  private readonly code = this.fn.code;
  /** Offset of the round's four lanes in a row; of its columns in a row of B. */
  private readonly lanes = this.fn.local(Type.i32);
  private readonly column = this.fn.local(Type.i32);
  private readonly nowhere = this.fn.local(Type.i32);
  private readonly constants = new Map<number, number>();

  constructor(
    private readonly kind: ProductKind,
    /** Infinities and NaNs of f16 may be there. */
    private readonly special: boolean,
    /** The processor's fused multiply-add is there: products of two elements are exact, so that it is the same as product and sum. */
    private readonly fused: boolean,
  ) {}

  /** Registers of A and of B. */
  private get words(): readonly [number, number] {
    const each = this.kind.elements === "TF32" ? 4 : 8;
    return [(2 * this.kind.depth) / each, this.kind.depth / each];
  }

  private v(op: number, ...args: readonly number[]): number {
    for (const a of args) this.code.get(a);
    const d = this.fn.local(Type.v128);
    this.code.op(op).set(d);
    return d;
  }

  private shuffled(a: number, b: number, bytes: readonly number[]): number {
    const d = this.fn.local(Type.v128);
    this.code.get(a).get(b).shuffle(bytes).set(d);
    return d;
  }

  private shifted(op: number, a: number, n: number): number {
    const d = this.fn.local(Type.v128);
    this.code.get(a).i32(n).op(op).set(d);
    return d;
  }

  private splat(x: number): number {
    let known = this.constants.get(x);
    if (known === undefined) {
      known = this.fn.local(Type.v128);
      this.code.words(x, x, x, x).set(known);
      this.constants.set(x, known);
    }
    return known;
  }

  /** A vector at an address in a local. */
  private load(op: number, address: number, offset: number): number {
    const d = this.fn.local(Type.v128);
    this.code.get(address).memory(op, offset).set(d);
    return d;
  }

  /** Register `j` of the operand that starts at parameter `p`: the round's lanes, or those `ahead` bytes further on. */
  private row(p: number, j: number, ahead: number = 0): number {
    const d = this.fn.local(Type.v128);
    this.code
      .get(p)
      .get(this.lanes)
      .op(Op.i32Add)
      .memory(Op.load, j * ROW_BYTES + ahead)
      .set(d);
    return d;
  }

  private promoted(v: number): readonly [number, number] {
    return [this.v(Op.f64x2Promote, v), this.v(Op.f64x2Promote, this.shuffled(v, v, UPPER))];
  }

  // ------------------------------------------------------------------------------------------ elements

  /** The elements of word `j` of a row or column. */
  private elements(word: number, j: number): Elements4[] {
    if (this.kind.elements === "TF32")
      return [{ v: this.v(Op.and, word, this.splat(0xffffe000)), start: 4 * j, step: 1 }];
    return [0, 1].map((h) => ({ v: this.half(word, h === 1), start: 8 * j + h, step: 2 }));
  }

  /** Lower or upper halves of words as f32; NaNs stay NaNs. */
  private half(word: number, upper: boolean): number {
    if (this.kind.elements === "BF16")
      return upper ? this.v(Op.and, word, this.splat(0xffff0000)) : this.shifted(Op.i32x4Shl, word, 16);
    const top = upper ? word : this.shifted(Op.i32x4Shl, word, 16);
    // The magnitude three places lower is the f32 but for a factor of 2^112, which makes subnormals right, too.
    const scaled = this.v(
      Op.f32x4Mul,
      this.v(Op.and, this.shifted(Op.i32x4ShrS, top, 3), this.splat(0x8fffe000)),
      this.splat(0x77800000),
    );
    if (!this.special) return scaled;
    const isSpecial = this.v(Op.i32x4Eq, this.v(Op.and, top, this.splat(0x7c000000)), this.splat(0x7c000000));
    return this.v(Op.bitselect, this.v(Op.or, scaled, this.splat(0x7f800000)), scaled, isSpecial);
  }

  // ------------------------------------------------------------------------------------------ rounds

  private start(): void {
    this.code.i32(0).set(this.lanes).i32(0).set(this.column).open(Op.loop);
  }

  private next(bytes: number): void {
    const { code } = this;
    code.get(this.column).i32(16).op(Op.i32Add).set(this.column);
    code.get(this.lanes).i32(bytes).op(Op.i32Add).tee(this.lanes).i32(ROW_BYTES).op(Op.i32LtU).index(Op.brIf, 0).end();
  }

  write(slow: number): Fn {
    const { code } = this;
    for (const x of [0, 0xffff0000, 0xffffe000, 0x8fffe000, 0x77800000, 0x7f800000, 0x7c000000, 0x7fffffff, 0x7c007c00])
      this.splat(x);
    if (this.kind.elements === "F16" && !this.special) {
      this.findSpecial();
      code.open(Op.if);
      for (const p of [A, B, C, D]) code.get(p);
      code.index(Op.call, slow).op(Op.return).end();
    }
    this.unpackB();
    this.start();
    this.unpackA();
    this.accumulate(this.multiply());
    this.next(16);
    return this.fn;
  }

  /** Leaves on the stack whether a factor has an infinity or a NaN. */
  private findSpecial(): void {
    const { code } = this;
    const mask = this.splat(0x7c007c00);
    const most = [A, B].flatMap((p) =>
      Array.from({ length: this.words[p]! }, (_, j) =>
        Array.from({ length: 8 }, (_, n) => this.v(Op.and, this.load(Op.load, p, j * ROW_BYTES + 16 * n), mask)).reduce(
          (x, y) => this.v(Op.i16x8MaxU, x, y),
        ),
      ),
    );
    code
      .get(most.reduce((x, y) => this.v(Op.i16x8MaxU, x, y)))
      .get(mask)
      .op(Op.i16x8Eq)
      .op(Op.anyTrue);
  }

  /** B as f64 by k and column. A round does two columns. */
  private unpackB(): void {
    const { code } = this;
    this.start();
    for (let j = 0; j < this.words[1]; j++) {
      const [left, right] = [0, 16].map((ahead) => this.elements(this.row(B, j, ahead), j)) as [
        Elements4[],
        Elements4[],
      ];
      left.forEach(({ v, start, step }, i) => {
        [LOW_PAIR, HIGH_PAIR].forEach((order, half) => {
          this.promoted(this.shuffled(v, right[i]!.v, order)).forEach((pair, t) => {
            code
              .get(this.column)
              .get(pair)
              .memory(Op.store, MATRIX_B + 64 * (start + step * (2 * half + t)));
          });
        });
      });
    }
    this.next(32);
  }

  private atA(row: number, k: number): number {
    return MATRIX_A + 8 * (row * this.kind.depth + k);
  }

  /** Two rows of A as f64. */
  private unpackA(): void {
    const { code } = this;
    for (let j = 0; j < this.words[0]; j++) {
      const list = this.elements(this.row(A, j), j >> 1);
      const stored = (v: number, k: number): void => {
        this.promoted(v).forEach((pair, t) => {
          code
            .i32(0)
            .get(pair)
            .memory(Op.store, this.atA(j & 1, k + 2 * t));
        });
      };
      if (list.length === 1) stored(list[0]!.v, list[0]!.start);
      else
        [LOW_PAIR, HIGH_PAIR].forEach((order, half) => {
          stored(this.shuffled(list[0]!.v, list[1]!.v, order), list[0]!.start + 4 * half);
        });
    }
  }

  /** The sums of the two rows, two columns to a vector. */
  private multiply(): number[] {
    const { code } = this;
    const zero = this.splat(0);
    const sums = Array.from({ length: 8 }, () => {
      const d = this.fn.local(Type.v128);
      code.get(zero).set(d);
      return d;
    });
    for (let k = 0; k < this.kind.depth; k++) {
      const b = [0, 1, 2, 3].map((n) => this.load(Op.load, this.nowhere, MATRIX_B + 64 * k + 16 * n));
      for (let i = 0; i < 2; i++) {
        const a = this.load(Op.load64Splat, this.nowhere, this.atA(i, k));
        b.forEach((x, n) => {
          const sum = sums[4 * i + n]!;
          if (this.fused) code.get(a).get(x).get(sum).op(Op.f64x2RelaxedMadd).set(sum);
          else code.get(sum).get(a).get(x).op(Op.f64x2Mul).op(Op.f64x2Add).set(sum);
        });
      }
    }
    return sums;
  }

  /** Adds c and rounds toward zero. */
  private accumulate(sums: readonly number[]): void {
    const { code } = this;
    for (let i = 0; i < 2; i++) {
      const [even, odd] = [this.row(C, 2 * i), this.row(C, 2 * i + 1)];
      const results = [LOW_PAIR, HIGH_PAIR].map((order, half) =>
        this.rounded(
          this.promoted(this.shuffled(even, odd, order)).map((c, n) =>
            this.v(Op.f64x2Add, sums[4 * i + 2 * half + n]!, c),
          ),
        ),
      ) as [number, number];
      [EVEN_WORDS, ODD_WORDS].forEach((order, j) => {
        const r = this.shuffled(results[0], results[1], order);
        code
          .get(D)
          .get(this.lanes)
          .op(Op.i32Add)
          .get(r)
          .memory(Op.store, (2 * i + j) * ROW_BYTES);
      });
    }
  }

  /** Four f64 of two vectors as f32, rounded toward zero; no number as the canonical one. */
  private rounded(totals: readonly number[]): number {
    const near = totals.map((t) => this.v(Op.f32x4Demote, t));
    // Of numbers with the same sign the one with the larger bits has the larger magnitude.
    const away = near.map((x, n) => this.v(Op.i64x2GtS, this.v(Op.f64x2Promote, x), totals[n]!));
    const r = this.shuffled(near[0]!, near[1]!, LOW_HALVES);
    const less = this.v(Op.i32x4Add, r, this.shuffled(away[0]!, away[1]!, EVEN_WORDS));
    return this.v(Op.bitselect, this.splat(0x7fffffff), less, this.v(Op.f32x4Ne, r, r));
  }
}

/**
 * The function of a kind of product: addresses of the first rows of A, B, C, D. `special`: for factors with infinities and NaNs, too; the other one
 * calls `slow` for them.
 */
export function productFunction(kind: ProductKind, special: boolean, slow: number, fused: boolean): Fn {
  return new Writer(kind, special, fused).write(slow);
}
