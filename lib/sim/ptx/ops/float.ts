/** Arithmetic of f16, bf16, f32, f64 and their packed forms: exact, rounded once. A line per instruction. */
import type { Build, Read, Site, Step } from "../code.js";
import {
  abs,
  add,
  compare,
  decode,
  div,
  encode,
  type Float,
  type Format,
  flushed,
  type Mode,
  mul,
  NAN,
  neg,
  type Rounding,
  sqrt,
} from "../exact.js";
import { maskOf, type Type, type Value } from "../types.js";

type Function = (a: Float, b: Float, c: Float, mode: Mode) => Float;

export interface FloatWords {
  readonly mode: Mode;
  readonly ftz: boolean;
  readonly sat: boolean;
  readonly relu: boolean;
}

/** The modifiers that arithmetic shares. `noftz` of atomics says what is so anyway. */
export function floatWords(s: Site): FloatWords {
  return {
    mode: s.words.oneOf("rn", "rz", "rm", "rp") ?? "rn",
    ftz: s.words.take("ftz"),
    sat: s.words.take("sat"),
    relu: s.words.take("relu"),
  };
}

/** One element: source bits to result bits. */
export type Bits = (a: Value, b: Value, c: Value) => Value;

export function formatOf(s: Site, t: Type | undefined): Format {
  return t?.format ?? s.refuse("a type that is no float");
}

export function rounded(f: Function, from: readonly Format[], to: Format, w: FloatWords): Bits {
  const [fa, fb = fa!, fc = fb] = from as [Format, Format?, Format?];
  const r: Rounding = w;
  const get = (v: Value, format: Format): Float => {
    const x = decode(v, format);
    return w.ftz ? flushed(x, format) : x;
  };
  return (a, b, c) => encode(f(get(a, fa!), get(b, fb), get(c, fc), w.mode), to, r);
}

/** Applies a function of one element to the elements of packed registers. */
export function step(s: Site, types: readonly Type[], to: Type, f: Bits): Step {
  s.words.done();
  const write = s.write(s.operand(0), to);
  const [a, b = ZERO, c = ZERO]: Read[] = types.map((t, i) => s.read(s.operand(i + 1), t));
  if (to.lanes === 1) return (x) => write(x, f(a!(x), b(x), c(x)));
  const e = BigInt(to.element);
  const mask = maskOf(to.element);
  return (x) => {
    const [u, v, w] = [a!(x), b(x), c(x)];
    let all = 0n;
    for (let i = 0n; i < BigInt(to.lanes); i++)
      all |= f((u >> (i * e)) & mask, (v >> (i * e)) & mask, (w >> (i * e)) & mask) << (i * e);
    write(x, all);
  };
}
const ZERO: Read = () => 0n;

const repeat = (t: Type, n: number): Type[] => Array.from({ length: n }, () => t);

/** Sources and result of one type; or, mixed, f32 with the operands of `narrow` in a 16-bit type. */
function arithmetic(arity: number, f: Function, narrow: readonly number[] = []): Build {
  return (s) => {
    const w = floatWords(s);
    const [t, small] = s.words.types();
    const format = formatOf(s, t);
    if (small === undefined) return step(s, repeat(t!, arity), t!, rounded(f, [format], format, w));
    const types = Array.from({ length: arity }, (_, i) => (narrow.includes(i) ? small : t!));
    return step(
      s,
      types,
      t!,
      rounded(
        f,
        types.map((x) => formatOf(s, x)),
        format,
        w,
      ),
    );
  };
}

const down = (mode: Mode): boolean => mode === "rm";

const fma: Build = (s) => {
  const oob = s.words.take("oob");
  const build = arithmetic(3, (a, b, c, mode) => add(mul(a, b), c, down(mode)), [0, 1]);
  if (!oob) return build(s);
  const w = floatWords(s);
  const [t] = s.words.types();
  const format = formatOf(s, t);
  const plain = rounded((a, b, c, mode) => add(mul(a, b), c, down(mode)), [format], format, w);
  // An operand of all ones is out of bounds: the product counts as zero.
  return step(s, repeat(t!, 3), t!, (a, b, c) => {
    const ones = maskOf(t!.element);
    return a === ones || b === ones ? 0n : plain(a, b, c);
  });
};

/** Signs alone: nothing is rounded. */
function sign(f: (bits: Value, top: bigint) => Value): Build {
  return (s) => {
    const ftz = s.words.take("ftz");
    const [t] = s.words.types();
    const format = formatOf(s, t);
    const top = 1n << BigInt(t!.element - 1);
    return step(s, [t!], t!, (a) => {
      const x = decode(a, format);
      if (x.kind === "nan" && t!.element !== 64) return format.nan!;
      return f(ftz ? encode(flushed(x, format), format) : a, top);
    });
  };
}

/** The greater (or lesser) of two; −0 is below +0. */
function pick(a: Float, b: Float, max: boolean, nan: boolean): Float {
  if (a.kind === "nan" || b.kind === "nan") return nan ? NAN : a.kind === "nan" ? b : a;
  const d = compare(a, b) || Number(b.negative) - Number(a.negative);
  return d > 0 === max ? a : b;
}

const extreme =
  (max: boolean): Build =>
  (s) => {
    const [nan, xorsign, magnitude] = ["NaN", "xorsign", "abs"].map((w) => s.words.take(w));
    const arity = s.ins.operands.length - 1;
    const of = (v: Float): Float => (magnitude ? abs(v) : v);
    const f: Function = (a, b, c) => {
      const v = pick(of(a), of(b), max, nan!);
      return arity === 3 ? pick(v, of(c), max, nan!) : v;
    };
    if (!xorsign) return arithmetic(arity, f)(s);
    const w = floatWords(s);
    const [t] = s.words.types();
    const format = formatOf(s, t);
    const plain = rounded(f, [format], format, w);
    const top = 1n << BigInt(t!.element - 1);
    // The sign is that of the product, whichever of the sources is taken.
    return step(s, repeat(t!, arity), t!, (a, b, c) => {
      const v = plain(a, b, c);
      return decode(v, format).kind === "nan" ? v : v ^ ((a ^ b ^ (arity === 3 ? c : 0n)) & top);
    });
  };

const copysign: Build = (s) => {
  const [t] = s.words.types();
  const top = 1n << BigInt(t!.bits - 1);
  return step(s, [t!, t!], t!, (a, b) => (a & top) | (b & (top - 1n)));
};

const tests: Readonly<Record<string, (v: Float, subnormal: boolean) => boolean>> = {
  finite: (v) => v.kind === "finite",
  infinite: (v) => v.kind === "inf",
  number: (v) => v.kind !== "nan",
  notanumber: (v) => v.kind === "nan",
  // Zeros count as normal (PTX ISA, testp).
  normal: (v, sub) => v.kind === "finite" && !sub,
  subnormal: (_, sub) => sub,
};

const testp: Build = (s) => {
  const test = tests[s.words.need("finite", "infinite", "number", "notanumber", "normal", "subnormal")]!;
  const [t] = s.words.types();
  const format = formatOf(s, t);
  const to: Type = { name: "pred", bits: 1, kind: "pred", lanes: 1, element: 1, format: null };
  return step(s, [t!], to, (a) => {
    const v = decode(a, format);
    const sub = v.kind === "finite" && v.m !== 0n && v.m >> BigInt(format.mantissa) === 0n;
    return test(v, sub) ? 1n : 0n;
  });
};

export const floats: Readonly<Record<string, Build>> = {
  add: arithmetic(2, (a, b, _, mode) => add(a, b, down(mode)), [0]),
  sub: arithmetic(2, (a, b, _, mode) => add(a, neg(b), down(mode)), [0]),
  mul: arithmetic(2, mul),
  fma,
  mad: arithmetic(3, (a, b, c, mode) => add(mul(a, b), c, down(mode))),
  div: arithmetic(2, div),
  rcp: arithmetic(1, (a) => div({ kind: "finite", negative: false, m: 1n, e: 0 }, a)),
  sqrt: arithmetic(1, sqrt),
  min: extreme(false),
  max: extreme(true),
  abs: sign((v, top) => v & (top - 1n)),
  neg: sign((v, top) => v ^ top),
  copysign,
  testp,
};
