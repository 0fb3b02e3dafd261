/**
 * Code of a segment (segment.ts) as vectors of four lanes: instructions, constants, values in the forms in which they are asked for.
 */
import { Code, Fn, Type } from "./encoder.js";
import { Op } from "./opcodes.js";
import { EVEN_WORDS, LOW_HALVES, ODD_WORDS, UPPER } from "./vectors.js";

/** A local of type v128. */
export type V = number;

/** A value of four lanes: made when it is first asked for, in the forms in which it is asked for. */
export interface Value {
  readonly id: number;
  /** Its bits. */
  word: V | null;
  readonly make: () => V;
  /** An f32 whose NaNs may have any payload: float operations may use it instead of the bits. */
  readonly float: V | null;
  /** As two vectors of f64. */
  wide: readonly [V, V] | null;
  readonly makeWide: (() => readonly [V, V]) | null;
  /** Made in the prologue: the same in all rounds. */
  readonly fixed: boolean;
}

/**
 * How FMAs are done: with one instruction of the processor; quickly, noting lanes that may be wrong; exactly. "short": as quickly, and those of f64 as
 * product and sum, where the factors have few enough bits.
 */
export type FmaMode = "relaxed" | "short" | "quick" | "exact";

/** Numbers of the functions that segments call. */
export const Callee = { find: 0, fma64: 1, log2: 2, exp2: 3, sin: 4, cos: 5, tanh: 6, observe: 7, fma32x4: 8 } as const;

export const BASE = 0;
export const ACTIVE = 1;

/** Thrown for what is not translated; the instruction runs as before. */
export class Untranslated extends Error {}

export class Emission {
  readonly fn: Fn = new Fn([Type.i32, Type.i32], [Type.i32]);
  readonly prologue: Code = new Code();
  /** Where instructions go now. */
  out: Code = new Code();
  private ids = 0;
  private readonly constants = new Map<string, Value>();

  local(type: Type = Type.v128): number {
    return this.fn.local(type);
  }

  /** Applies an instruction to vectors. */
  v(op: number, ...args: readonly number[]): V {
    for (const a of args) this.out.get(a);
    const d = this.local();
    this.out.op(op).set(d);
    return d;
  }

  /** A shift by a constant. */
  shifted(op: number, a: V, n: number): V {
    const d = this.local();
    this.out.get(a).i32(n).op(op).set(d);
    return d;
  }

  shuffled(a: V, b: V, bytes: readonly number[]): V {
    const d = this.local();
    this.out.get(a).get(b).shuffle(bytes).set(d);
    return d;
  }

  /** A vector of four words known now. */
  words(a: number, b: number = a, c: number = a, d: number = a): V {
    return this.value(this.fixedWords(a, b, c, d));
  }

  protected fixedWords(a: number, b: number, c: number, d: number): Value {
    return this.fixed(`w${a | 0},${b | 0},${c | 0},${d | 0}`, (code) => code.words(a, b, c, d));
  }

  /** A pair of f64. */
  f64s(x: number): V {
    const bits = new Int32Array(Float64Array.of(x).buffer);
    return this.words(bits[0]!, bits[1]!, bits[0]!, bits[1]!);
  }

  /** An f32 in all lanes. */
  f32s(x: number): V {
    return this.words(new Int32Array(Float32Array.of(x).buffer)[0]!);
  }

  /** A vector that the prologue makes. */
  protected fixed(key: string, make: (code: Code) => Code): Value {
    let known = this.constants.get(key);
    if (known === undefined) {
      const d = this.local();
      make(this.prologue).set(d);
      known = this.newValue(d, true);
      this.constants.set(key, known);
    }
    return known;
  }

  /** Runs `emit` with its code in the prologue. */
  inPrologue<T>(emit: () => T): T {
    const { out } = this;
    this.out = this.prologue;
    const result = emit();
    this.out = out;
    return result;
  }

  // ------------------------------------------------------------------------------------------ values

  newValue(word: V, fixed: boolean = this.out === this.prologue): Value {
    return { id: this.ids++, word, make: () => word, float: null, wide: null, makeWide: null, fixed };
  }

  lazy(make: () => V, float: V | null = null, makeWide: (() => readonly [V, V]) | null = null): Value {
    return { id: this.ids++, word: null, make, float, wide: null, makeWide, fixed: this.out === this.prologue };
  }

  /** A float result: NaNs become the canonical one when its bits are asked for. */
  floatValue(float: V): Value {
    return this.lazy(
      () => this.v(Op.bitselect, this.words(0x7fffffff), float, this.v(Op.f32x4Ne, float, float)),
      float,
    );
  }

  value(x: Value): V {
    x.word ??= x.fixed ? this.inPrologue(x.make) : x.make();
    return x.word;
  }

  float(x: Value): V {
    return x.float ?? this.value(x);
  }

  /** The f32 as f64: lanes 0 and 1, lanes 2 and 3. */
  promoted(x: Value): readonly [V, V] {
    if (x.wide !== null) return x.wide;
    const make = (): readonly [V, V] => {
      if (x.makeWide !== null) return x.makeWide();
      const f = this.float(x);
      return [this.v(Op.f64x2Promote, f), this.v(Op.f64x2Promote, this.shuffled(f, f, UPPER))];
    };
    x.wide = x.fixed ? this.inPrologue(make) : make();
    return x.wide;
  }

  /** Two vectors of f64 rounded to f32. */
  demoted(low: V, high: V): V {
    return this.shuffled(this.v(Op.f32x4Demote, low), this.v(Op.f32x4Demote, high), LOW_HALVES);
  }

  lowHalves(a: V, b: V): V {
    return this.shuffled(a, b, LOW_HALVES);
  }

  evenWords(a: V, b: V): V {
    return this.shuffled(a, b, EVEN_WORDS);
  }

  oddWords(a: V, b: V): V {
    return this.shuffled(a, b, ODD_WORDS);
  }
}
