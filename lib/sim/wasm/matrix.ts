/**
 * Products of 16 × k and k × 8 matrices of f16 or bf16 elements with f32 accumulators (HMMA.1688, HMMA.16816): ops/tensor.ts says where the
 * elements are and how the sums are made; here they are made in the same order, two columns at a time.
 */
import { Kind, type Operand } from "../../isa/operand.js";
import type { Site } from "../site.js";
import { TRASH_ROW, ZERO_ROW } from "../state.js";
import { Fn, Type } from "./encoder.js";
import { MATRIX_A, MATRIX_B, MATRIX_SUM, ROW_BYTES } from "./layout.js";
import { Op } from "./opcodes.js";

export interface Product {
  readonly depth: 8 | 16;
  readonly bf16: boolean;
  /** Offsets of the operands' first rows in the warp's state. */
  readonly rows: readonly [a: number, b: number, c: number, d: number];
}

/** The product of an instruction without guard; null for other ones. */
export function productOf(s: Site): Product | null {
  const { op, mods } = s.inst.form;
  if (op !== "HMMA" || s.inst.guard !== null || (s.pred("pin") & 7) !== 7) return null;
  if (mods.some((m) => !["1688", "16816", "F32", "BF16"].includes(m)) || !mods.includes("F32")) return null;
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
  const depth = mods.includes("16816") ? 16 : 8;
  return { depth, bf16: mods.includes("BF16"), rows: rows as [number, number, number, number] };
}

const LOW_PAIR = [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23];
const HIGH_PAIR = [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31];
const EVEN_WORDS = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];
const LOW_HALVES = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
const HIGH_HALVES = [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31];

class Writer {
  readonly fn: Fn = new Fn([Type.i32, Type.i32, Type.i32, Type.i32], []);
  private readonly code = this.fn.code;
  /** Offset of the round's four lanes in a row, of a row of A or of the sums, of a column of B. */
  private readonly lanes = this.fn.local(Type.i32);
  private readonly at = this.fn.local(Type.i32);
  private readonly constants = new Map<number, number>();

  constructor(
    private readonly depth: number,
    private readonly bf16: boolean,
  ) {}

  private v(op: number, ...args: readonly number[]): number {
    for (const a of args) this.code.get(a);
    return this.set(op);
  }

  private set(op: number): number {
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
    this.code.get(a).i32(n);
    return this.set(op);
  }

  private words(x: number): number {
    let known = this.constants.get(x);
    if (known === undefined) {
      known = this.fn.local(Type.v128);
      this.code.words(x, x, x, x).set(known);
      this.constants.set(x, known);
    }
    return known;
  }

  /** A vector at an address in a local. */
  private load(address: number, offset: number): number {
    const d = this.fn.local(Type.v128);
    this.code.get(address).memory(Op.load, offset).set(d);
    return d;
  }

  /** Row `j` of the operand that starts at parameter `p`, the round's lanes. */
  private row(p: number, j: number): number {
    const d = this.fn.local(Type.v128);
    this.code
      .get(p)
      .get(this.lanes)
      .op(Op.i32Add)
      .memory(Op.load, j * ROW_BYTES)
      .set(d);
    return d;
  }

  /** Lower or upper halves of words as f32; NaNs stay NaNs. */
  private halves(word: number, upper: boolean): number {
    if (this.bf16) return upper ? this.v(Op.and, word, this.words(0xffff0000)) : this.shifted(Op.i32x4Shl, word, 16);
    const top = upper ? word : this.shifted(Op.i32x4Shl, word, 16);
    const sign = this.v(Op.and, top, this.words(0x80000000));
    // The magnitude three places lower is the f32 but for a factor of 2^112, which makes subnormals right, too.
    const magnitude = this.shifted(Op.i32x4ShrU, this.v(Op.and, top, this.words(0x7fff0000)), 3);
    const scaled = this.v(Op.f32x4Mul, magnitude, this.words(0x77800000));
    const special = this.v(Op.or, magnitude, this.words(0x7f800000));
    const isSpecial = this.v(Op.i32x4GeS, magnitude, this.words(0x0f800000));
    return this.v(Op.or, sign, this.v(Op.bitselect, special, scaled, isSpecial));
  }

  /** The eight elements of four words in the order of k, as f64. */
  private elements(word: number): number[] {
    const low = this.halves(word, false);
    const high = this.halves(word, true);
    return [LOW_PAIR, HIGH_PAIR].flatMap((order) => {
      const pairs = this.shuffled(low, high, order);
      const upper = this.shuffled(pairs, pairs, HIGH_HALVES);
      return [this.v(Op.f64x2Promote, pairs), this.v(Op.f64x2Promote, upper)];
    });
  }

  private nextRound(step: number): void {
    const { code } = this;
    code.get(this.at).i32(step).op(Op.i32Add).set(this.at);
    code.get(this.lanes).i32(16).op(Op.i32Add).tee(this.lanes).i32(ROW_BYTES).op(Op.i32LtU).index(Op.brIf, 0).end();
  }

  private start(): void {
    this.code.i32(0).set(this.lanes).i32(0).set(this.at).open(Op.loop);
  }

  write(): Fn {
    for (const x of [0xffff0000, 0x80000000, 0x7fff0000, 0x77800000, 0x7f800000, 0x0f800000, 0x7fffffff, 0])
      this.words(x);
    this.unpack();
    this.multiply();
    this.accumulate();
    return this.fn;
  }

  /** A round has row and column number `lanes / 16` of each operand. */
  private unpack(): void {
    const { code, depth } = this;
    const rowBytes = 8 * depth;
    this.start();
    // `at` is 8 times the number of the round here.
    const rowOfA = this.fn.local(Type.i32);
    code.get(this.at).i32(depth).op(Op.i32Mul).set(rowOfA);
    for (let j = 0; j < depth / 4; j++)
      this.elements(this.row(0, j)).forEach((pair, t) => {
        const to = MATRIX_A + 8 * (j & 1) * rowBytes + 64 * (j >> 1) + 16 * t;
        code.get(rowOfA).get(pair).memory(Op.store, to);
      });
    for (let j = 0; j < depth / 8; j++)
      this.elements(this.row(1, j)).forEach((pair, t) => {
        for (let k = 0; k < 2; k++)
          code
            .get(this.at)
            .get(pair)
            .memory(Op.store64Lane, MATRIX_B + 64 * (8 * j + 2 * t + k), k);
      });
    this.nextRound(8);
  }

  /** Two rows at a time. */
  private multiply(): void {
    const { code, depth } = this;
    const zero = this.words(0);
    const row = this.fn.local(Type.i32);
    this.start();
    code
      .get(this.at)
      .i32(depth / 8)
      .op(Op.i32Mul)
      .set(row);
    const sums = Array.from({ length: 8 }, () => {
      const d = this.fn.local(Type.v128);
      code.get(zero).set(d);
      return d;
    });
    const nowhere = this.fn.local(Type.i32);
    for (let k = 0; k < depth; k++) {
      const b = [0, 1, 2, 3].map((n) => this.load(nowhere, MATRIX_B + 64 * k + 16 * n));
      for (let i = 0; i < 2; i++) {
        const a = this.fn.local(Type.v128);
        code
          .get(row)
          .memory(Op.load64Splat, MATRIX_A + 8 * (i * depth + k))
          .set(a);
        b.forEach((x, n) => {
          const sum = sums[4 * i + n]!;
          code.get(sum).get(a).get(x).op(Op.f64x2Mul).op(Op.f64x2Add).set(sum);
        });
      }
    }
    sums.forEach((sum, n) => {
      code
        .get(this.at)
        .get(sum)
        .memory(Op.store, MATRIX_SUM + 16 * n);
    });
    this.nextRound(128);
  }

  /** Adds c and rounds toward zero. */
  private accumulate(): void {
    const { code } = this;
    this.start();
    const results = [0, 1, 2, 3].map((j) => {
      const c = this.row(2, j);
      const sums = [0, 1, 2, 3].map((n) => this.load(this.at, MATRIX_SUM + 512 * (j >> 1) + 16 * n));
      const order = j & 1 ? HIGH_HALVES : LOW_HALVES;
      const halves = [0, 1].map((h) => {
        const upper = h === 0 ? c : this.shuffled(c, c, HIGH_HALVES);
        const sum = this.shuffled(sums[2 * h]!, sums[2 * h + 1]!, order);
        const total = this.v(Op.f64x2Add, sum, this.v(Op.f64x2Promote, upper));
        const rounded = this.v(Op.f32x4Demote, total);
        const back = this.v(Op.f64x2Promote, rounded);
        const away = this.v(Op.f64x2Gt, this.v(Op.f64x2Abs, back), this.v(Op.f64x2Abs, total));
        return { rounded, away };
      });
      const r = this.shuffled(halves[0]!.rounded, halves[1]!.rounded, LOW_HALVES);
      const away = this.shuffled(halves[0]!.away, halves[1]!.away, EVEN_WORDS);
      const nan = this.v(Op.f32x4Ne, r, r);
      return this.v(Op.bitselect, this.words(0x7fffffff), this.v(Op.i32x4Add, r, away), nan);
    });
    results.forEach((r, j) => {
      code
        .get(3)
        .get(this.lanes)
        .op(Op.i32Add)
        .get(r)
        .memory(Op.store, j * ROW_BYTES);
    });
    this.nextRound(64);
  }
}

/** The function of a kind of product: addresses of the first rows of A, B, C, D. */
export function productFunction(p: Product): Fn {
  return new Writer(p.depth, p.bf16).write();
}
