/**
 * Approximate functions. The manual gives bounds of their errors, no values; here they are computed in double precision and rounded
 * as the steps of the machine's sequence are (a quotient: reciprocal, then product; sine and cosine: turns of 2π first), so that
 * results lie within the bounds and equal those of a machine whose function unit rounds to nearest.
 */
import type { Build } from "../code.js";
import { decode, encode, F32, F64, type Float, type Format, flushed, fromNumber, mul, toNumber } from "../exact.js";
import { formatOf, step } from "./float.js";

type Real = (x: number) => number;

/** f(x) of one element, subnormals flushed before and after where `.ftz` stands. */
function real(f: Real, always = false): Build {
  return (s) => {
    s.words.need("approx");
    const ftz = s.words.take("ftz") || always;
    const [t] = s.words.types();
    const format = formatOf(s, t);
    return step(s, [t!], t!, (a) => {
      const x = decode(a, format);
      return encode(fromNumber(f(toNumber(ftz ? flushed(x, format) : x))), format, { ftz });
    });
  };
}

const INVERSE_TURN: Float = decode(0x3e22f983n, F32);

/** The phase of x in radians as the function unit gets it: turns, rounded toward zero. */
function phase(f: Real): Build {
  return (s) => {
    s.words.need("approx");
    const ftz = s.words.take("ftz");
    const [t] = s.words.types();
    const format = formatOf(s, t);
    return step(s, [t!], t!, (a) => {
      const x = decode(a, format);
      const product = mul(ftz ? flushed(x, format) : x, INVERSE_TURN);
      const turns = toNumber(decode(encode(product, F32, { mode: "rz", ftz }), F32));
      return encode(fromNumber(f((turns - Math.round(turns)) * 2 * Math.PI)), F32, { ftz });
    });
  };
}

/** The upper word of a function of the upper word, the lower word zero (`rcp.approx.ftz.f64`, `rsqrt.approx.f64`). */
function upper(f: Real): Build {
  return (s) => {
    s.words.need("approx");
    s.words.take("ftz");
    const [t] = s.words.types();
    return step(s, [t!], t!, (a) => {
      const x = flushed(decode((a >> 32n) << 32n, F64), F64);
      if (x.kind === "nan" || (x.kind === "finite" && x.negative && x.m !== 0n && f(-1) !== -1))
        return 0x7fffffff00000000n;
      return (encode(fromNumber(f(toNumber(x))), F64, { ftz: true }) >> 32n) << 32n;
    });
  };
}

const quotient: Build = (s) => {
  const full = s.words.need("approx", "full") === "full";
  const ftz = s.words.take("ftz");
  const [t] = s.words.types();
  const format: Format = formatOf(s, t);
  return step(s, [t!, t!], t!, (a, b) => {
    const of = (v: bigint): Float => (ftz ? flushed(decode(v, format), format) : decode(v, format));
    const [x, y] = [of(a), of(b)];
    const inverse = fromNumber(1 / toNumber(y));
    if (full) return encode(fromNumber(toNumber(x) / toNumber(y)), format, { ftz });
    return encode(mul(x, decode(encode(inverse, format, { ftz }), format)), format, { ftz });
  });
};

export const approximate: Readonly<Record<string, Build>> = {
  div: quotient,
  rcp: (s) => (s.ins.modifiers.includes("f64") ? upper((x) => 1 / x)(s) : real((x) => 1 / x)(s)),
  sqrt: real(Math.sqrt),
  rsqrt: (s) =>
    s.ins.modifiers.includes("f64") ? upper((x) => 1 / Math.sqrt(x))(s) : real((x) => 1 / Math.sqrt(x))(s),
  ex2: real((x) => 2 ** x),
  lg2: real(Math.log2),
  sin: phase(Math.sin),
  cos: phase(Math.cos),
  tanh: real(Math.tanh),
};
