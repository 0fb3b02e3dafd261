/** Functions of vectors that modules bring along beside their segments: what writes them. */
import { Code, Fn, Type } from "./encoder.js";
import { Op } from "./opcodes.js";

export const LOW_PAIR: readonly number[] = [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23];
export const HIGH_PAIR: readonly number[] = [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31];
export const EVEN_WORDS: readonly number[] = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];
export const ODD_WORDS: readonly number[] = [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31];
export const LOW_HALVES: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
export const HIGH_HALVES: readonly number[] = [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31];
export const UPPER: readonly number[] = [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15];

/** A function without results in the making: instructions go to `code`, constants before it. */
export class Vectors {
  readonly code: Code = new Code();
  private readonly fn: Fn;
  private readonly known = new Map<string, number>();
  private readonly constants = new Code();

  /** Parameters are addresses. */
  constructor(params: number) {
    this.fn = new Fn(new Array<Type>(params).fill(Type.i32), []);
  }

  finish(): Fn {
    this.fn.code.append(this.constants).append(this.code);
    return this.fn;
  }

  local(type: Type = Type.v128): number {
    return this.fn.local(type);
  }

  v(op: number, ...args: readonly number[]): number {
    for (const a of args) this.code.get(a);
    const d = this.local();
    this.code.op(op).set(d);
    return d;
  }

  shuffled(a: number, b: number, bytes: readonly number[]): number {
    const d = this.local();
    this.code.get(a).get(b).shuffle(bytes).set(d);
    return d;
  }

  shifted(op: number, a: number, n: number): number {
    const d = this.local();
    this.code.get(a).i32(n).op(op).set(d);
    return d;
  }

  /** A word four times. */
  splat(x: number): number {
    return this.pairs(x, x);
  }

  /** Two words twice. */
  pairs(low: number, high: number): number {
    return this.words(low, high, low, high);
  }

  /** Four words. */
  words(a: number, b: number, c: number, d: number): number {
    const key = `${a} ${b} ${c} ${d}`;
    let known = this.known.get(key);
    if (known === undefined) {
      known = this.local();
      this.constants.words(a, b, c, d).set(known);
      this.known.set(key, known);
    }
    return known;
  }

  /** A vector that gathers, from what the word says four times on. */
  gathering(x: number): number {
    const d = this.local();
    this.code.words(x, x, x, x).set(d);
    return d;
  }

  load(op: number, address: number, offset: number): number {
    const d = this.local();
    this.code.get(address).memory(op, offset).set(d);
    return d;
  }

  store(address: number, v: number, offset: number): void {
    this.code.get(address).get(v).memory(Op.store, offset);
  }

  /** f32 of lanes 0 and 1, 2 and 3 as f64. */
  promoted(v: number): readonly [number, number] {
    return [this.v(Op.f64x2Promote, v), this.v(Op.f64x2Promote, this.shuffled(v, v, UPPER))];
  }

  /** Does it `times` times; pointers are copies of addresses, moved on by their bytes after each round. */
  rounds(
    times: number,
    pointers: readonly (readonly [from: number, bytes: number])[],
    body: (at: number[]) => void,
  ): void {
    const { code } = this;
    const count = this.local(Type.i32);
    const at = pointers.map(([from]) => {
      const d = this.local(Type.i32);
      code.get(from).set(d);
      return d;
    });
    code.i32(times).set(count).open(Op.loop);
    body(at);
    at.forEach((p, i) => {
      code.get(p).i32(pointers[i]![1]).op(Op.i32Add).set(p);
    });
    code.get(count).i32(1).op(Op.i32Sub).tee(count).index(Op.brIf, 0).end();
  }
}
