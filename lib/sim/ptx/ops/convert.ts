/** Conversions: `cvt` between all scalar and packed types, `cvt.pack` (PTX ISA 9.7.9.21, 9.7.9.22). */
import type { Build, Site, Step } from "../code.js";
import {
  decode,
  encode,
  F32,
  type Float,
  type Format,
  flushed,
  integer,
  type Mode,
  quantize,
  type Rounding,
} from "../exact.js";
import { integerOf, maskOf, type Type, typeNamed, type Value } from "../types.js";

type Convert = (v: Value) => Value;

const clamp = (v: bigint, t: Type): bigint => {
  const [low, top] =
    t.kind === "s" ? [-(1n << BigInt(t.bits - 1)), (1n << BigInt(t.bits - 1)) - 1n] : [0n, maskOf(t.bits)];
  return v < low ? low : v > top ? top : v;
};

const WHOLE: Readonly<Record<string, Mode>> = { rni: "rn", rzi: "rz", rmi: "rm", rpi: "rp" };

/** To an integer: clamped to its range; NaN gives 0, or the top bit alone where 64 bits take part (PTX ISA, cvt). */
function toInteger(from: Type, to: Type, mode: Mode, ftz: boolean): Convert {
  const format = from.format!;
  const nan = from.bits === 64 || to.bits === 64 ? 1n << BigInt(to.bits - 1) : 0n;
  return (v) => {
    const raw = decode(v, format);
    const x = ftz ? flushed(raw, format) : raw;
    if (x.kind === "nan") return nan;
    const far = 1n << 80n;
    const n = x.kind === "inf" || (x.m !== 0n && x.e > 80) ? far : quantize(x, 0, mode);
    return BigInt.asUintN(to.bits, clamp(x.negative ? -n : n, to));
  };
}

interface FloatRules extends Rounding {
  /** To a whole number, in this direction. */
  readonly whole: Mode | null;
  readonly ftzIn: boolean;
}

function toFloat(source: Format, to: Format, r: FloatRules): Convert {
  return (v) => {
    const raw = decode(v, source);
    let x: Float = r.ftzIn ? flushed(raw, source) : raw;
    if (r.whole !== null && x.kind === "finite" && x.e < 0)
      x = { kind: "finite", negative: x.negative, m: quantize(x, 0, r.whole), e: 0 };
    return encode(x, to, r);
  };
}

const isFloat = (t: Type): boolean => t.format !== null;

function scalar(s: Site, to: Type, from: Type): Step {
  const { words } = s;
  const whole = words.oneOf("rni", "rzi", "rmi", "rpi");
  const mode = words.oneOf("rn", "rz", "rm", "rp", "rna") ?? "rn";
  const [ftz, sat, relu, satfinite] = ["ftz", "sat", "relu", "satfinite"].map((w) => words.take(w));
  words.done();
  const write = s.write(s.operand(0), to);
  const read = s.read(s.operand(1), from);
  const ftzIn = ftz! && from.name === "f32";
  let convert: Convert;
  if (to.name === "tf32") convert = (v) => tensorFloat(v, mode, relu!, satfinite!);
  else if (isFloat(from) && isFloat(to))
    convert = toFloat(from.format!, to.format!, {
      mode,
      sat: sat!,
      relu: relu!,
      satfinite: satfinite!,
      ftz: ftz! && to.name === "f32",
      ftzIn,
      whole: whole === null ? null : WHOLE[whole]!,
    });
  else if (isFloat(from)) convert = toInteger(from, to, whole === null ? "rz" : WHOLE[whole]!, ftzIn);
  else if (isFloat(to)) convert = (v) => encode(integer(integerOf(v, from)), to.format!, { mode, sat: sat! });
  else convert = (v) => BigInt.asUintN(to.bits, sat ? clamp(integerOf(v, from), to) : integerOf(v, from));
  return (x) => write(x, convert(read(x)));
}

/** f32 with ten bits after the point; the bits below are zero. */
function tensorFloat(v: Value, mode: Mode, relu: boolean, satfinite: boolean): Value {
  const TF32: Format = { ...F32, bits: 19, mantissa: 10 };
  const x = decode(v, F32);
  return x.kind === "nan" ? F32.nan! : encode(x, TF32, { mode, relu, satfinite }) << 13n;
}

/** Two powers of two of eight bits: the exponent of the number, up or toward zero; 255 is NaN. */
function toExponent(v: Value, source: Format, mode: Mode): Value {
  const x = decode(v, source);
  if (x.kind === "nan") return 0xffn;
  if (x.kind === "inf") return 0xfen;
  if (x.m === 0n) return 0n;
  const top = x.m.toString(2).length - 1;
  const up = mode === "rp" && x.m !== 1n << BigInt(top);
  const e = x.e + top + (up ? 1 : 0) + 127;
  return BigInt(Math.max(0, Math.min(0xfe, e)));
}

/** Elements of `t` in a register: six bits lie in eight. */
const pitch = (t: Type): number => (t.element === 6 ? 8 : t.element);

function packed(s: Site, to: Type, from: Type): Step {
  const { words } = s;
  const mode = words.oneOf("rn", "rz", "rp") ?? "rn";
  const [relu, satfinite] = ["relu", "satfinite"].map((w) => words.take(w));
  words.done();
  const register = (t: Type): Type => ({ ...t, bits: pitch(t) * t.lanes, kind: "b" });
  const write = s.write(s.operand(0), register(to));
  const one: Convert =
    to.name === "ue8m0x2"
      ? (v) => toExponent(v, from.format!, mode)
      : from.name === "ue8m0x2"
        ? (v) =>
            v === 0xffn
              ? to.format!.nan!
              : encode({ kind: "finite", negative: false, m: 1n, e: Number(v) - 127 }, to.format!)
        : (v) =>
            encode(decode(v, from.format ?? s.refuse("the type")), to.format ?? s.refuse("the type"), {
              mode,
              relu: relu!,
              satfinite: satfinite!,
            });
  const at = BigInt(pitch(to));
  if (from.lanes === 1) {
    // The first source gives the upper element.
    const [upper, lower] = [s.read(s.operand(1), from), s.read(s.operand(2), from)];
    return (x) => write(x, (one(upper(x)) << at) | one(lower(x)));
  }
  const read = s.read(s.operand(1), register(from));
  const mask = maskOf(from.element);
  return (x) => {
    const v = read(x);
    write(x, (one((v >> BigInt(pitch(from))) & mask) << at) | one(v & mask));
  };
}

/** `cvt.pack.sat`: two numbers clamped and put above what is left of the third. */
function pack(s: Site): Step {
  s.words.need("sat");
  const small = s.words.oneOf("u2", "s2", "u4", "s4");
  const types = s.words.types();
  const to: Type =
    small === null
      ? types.shift()!
      : { ...typeNamed(`${small[0]}8`)!, bits: Number(small[1]), element: Number(small[1]) };
  const from = types.shift() ?? s.refuse("no type");
  s.words.done();
  const b32 = typeNamed("b32")!;
  const write = s.write(s.operand(0), b32);
  const [a, b] = [s.read(s.operand(1), from), s.read(s.operand(2), from)];
  const c = types.length === 0 ? null : s.read(s.operand(3), b32);
  const n = BigInt(to.bits);
  const one = (v: Value): Value => BigInt.asUintN(to.bits, clamp(integerOf(v, from), to));
  return (x) => {
    const pair = (one(a(x)) << n) | one(b(x));
    write(x, c === null ? pair : BigInt.asUintN(32, (c(x) << (2n * n)) | pair));
  };
}

export const convert: Build = (s) => {
  if (s.words.take("pack")) return pack(s);
  const [to, from] = s.words.types();
  if (to === undefined || from === undefined) return s.refuse("its types");
  return to.lanes > 1 ? packed(s, to, from) : scalar(s, to, from);
};
