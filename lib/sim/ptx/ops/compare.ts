/** Comparisons and selection (PTX ISA 9.7.6, 9.7.7). */
import type { Build, Read, Site } from "../code.js";
import { compare, decode, encode, type Float, flushed, integer } from "../exact.js";
import { integerOf, maskOf, type Type, typeNamed, type Value } from "../types.js";

const PRED: Type = typeNamed("pred")!;

/** Of the order −1, 0, 1; null where one is NaN. */
const relations: Readonly<Record<string, (d: number | null) => boolean>> = {
  eq: (d) => d === 0,
  ne: (d) => d !== null && d !== 0,
  lt: (d) => d !== null && d < 0,
  le: (d) => d !== null && d <= 0,
  gt: (d) => d !== null && d > 0,
  ge: (d) => d !== null && d >= 0,
  lo: (d) => d !== null && d < 0,
  ls: (d) => d !== null && d <= 0,
  hi: (d) => d !== null && d > 0,
  hs: (d) => d !== null && d >= 0,
  equ: (d) => d === null || d === 0,
  neu: (d) => d === null || d !== 0,
  ltu: (d) => d === null || d < 0,
  leu: (d) => d === null || d <= 0,
  gtu: (d) => d === null || d > 0,
  geu: (d) => d === null || d >= 0,
  num: (d) => d !== null,
  nan: (d) => d === null,
};
const combine: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

/** The order of one element of two registers. */
function ordering(t: Type, ftz: boolean): (a: Value, b: Value) => number | null {
  const { format } = t;
  const one = { ...t, bits: t.element };
  if (format === null)
    return (a, b) => {
      const [x, y] = [integerOf(a, one), integerOf(b, one)];
      return x < y ? -1 : x > y ? 1 : 0;
    };
  const of = (v: Value): Float => (ftz ? flushed(decode(v, format), format) : decode(v, format));
  return (a, b) => {
    const [x, y] = [of(a), of(b)];
    return x.kind === "nan" || y.kind === "nan" ? null : compare(x, y);
  };
}

interface Comparison {
  readonly a: Read;
  readonly b: Read;
  /** The truth of element i before the combination with the third source. */
  readonly test: (a: Value, b: Value, i: number) => bigint;
  readonly join: ((a: bigint, b: bigint) => bigint) | null;
  readonly c: Read | null;
}

function comparison(s: Site, t: Type, from: number): Comparison {
  const name = s.words.oneOf(...Object.keys(relations)) ?? s.refuse("no comparison");
  const boolean = s.words.oneOf("and", "or", "xor");
  const ftz = s.words.take("ftz");
  s.words.done();
  const order = ordering(t, ftz);
  const holds = relations[name]!;
  const mask = maskOf(t.element);
  const part = (v: Value, i: number): Value => (v >> BigInt(i * t.element)) & mask;
  return {
    a: s.read(s.operand(from), t),
    b: s.read(s.operand(from + 1), t),
    test: (a, b, i) => (holds(order(part(a, i), part(b, i))) ? 1n : 0n),
    join: boolean === null ? null : combine[boolean]!,
    c: boolean === null ? null : s.read(s.operand(from + 2), PRED),
  };
}

const setp: Build = (s) => {
  const [t] = s.words.types();
  if (t === undefined) return s.refuse("no type");
  const { a, b, test, join, c } = comparison(s, t, 1);
  const first = s.operand(0);
  const [p, q] = first.kind === "pair" ? [first.first, first.second] : [first, null];
  const writeP = s.write(p, PRED);
  const writeQ = q === null ? null : s.write(q, PRED);
  return (x) => {
    const [u, v] = [a(x), b(x)];
    const third = c === null ? 0n : c(x);
    const of = (truth: bigint): bigint => (join === null ? truth : join(truth, third));
    // Of packed types the first predicate is that of the lower element, the second that of the upper; else the complement.
    const truth = test(u, v, 0);
    const other = t.lanes > 1 ? test(u, v, 1) : truth ^ 1n;
    writeP(x, of(truth));
    writeQ?.(x, of(other));
  };
};

const set: Build = (s) => {
  const [to, t] = s.words.types();
  if (to === undefined || t === undefined) return s.refuse("no types");
  const { a, b, test, join, c } = comparison(s, t, 1);
  const write = s.write(s.operand(0), to);
  const width = to.bits / t.lanes;
  const yes = to.format === null ? maskOf(width) : encode(integer(1n), to.format);
  return (x) => {
    let all = 0n;
    for (let i = 0; i < t.lanes; i++) {
      const truth = test(a(x), b(x), i);
      if ((join === null ? truth : join(truth, c!(x))) === 1n) all |= yes << BigInt(i * width);
    }
    write(x, all);
  };
};

const selp: Build = (s) => {
  const [t] = s.words.types();
  if (t === undefined) return s.refuse("no type");
  s.words.done();
  const [write, a, b, p] = [
    s.write(s.operand(0), t),
    s.read(s.operand(1), t),
    s.read(s.operand(2), t),
    s.read(s.operand(3), PRED),
  ];
  return (x) => write(x, p(x) === 1n ? a(x) : b(x));
};

const slct: Build = (s) => {
  const ftz = s.words.take("ftz");
  const [t, by] = s.words.types();
  if (t === undefined || by === undefined) return s.refuse("no types");
  s.words.done();
  const [write, a, b, c] = [
    s.write(s.operand(0), t),
    s.read(s.operand(1), t),
    s.read(s.operand(2), t),
    s.read(s.operand(3), by),
  ];
  const order = ordering(by, ftz);
  return (x) => {
    const d = order(c(x), 0n);
    write(x, d !== null && d >= 0 ? a(x) : b(x));
  };
};

export const comparisons: Readonly<Record<string, Build>> = { setp, set, selp, slct };
