/**
 * Numbers as nvdisasm writes them: `0x1f`, `-0x8`, floats with up to 20 significant digits, `+INF`, `+QNAN`, halves in
 * pairs. Immediates are kept as bit patterns.
 */
import type { ImmFormat } from "./row.js";

const view = new DataView(new ArrayBuffer(8));

export function hex(value: number): string {
  return `0x${value.toString(16)}`;
}

export function signedHex(value: number): string {
  return value < 0 ? `-0x${(-value).toString(16)}` : hex(value);
}

export function wideHex(value: bigint): string {
  return value < 0n ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`;
}

/** An integer of any size. */
export function wideOf(text: string): bigint | null {
  const m = /^(-?)(0x[0-9a-f]+|\d+)$/i.exec(text.trim());
  if (!m) return null;
  const v = BigInt(m[2]!);
  return m[1] ? -v : v;
}

export function f32Of(bits: number): number {
  view.setUint32(0, bits, true);
  return view.getFloat32(0, true);
}

export function bitsOfF32(value: number): number {
  view.setFloat32(0, value, true);
  return view.getUint32(0, true);
}

export function f64Of(high: number, low = 0): number {
  view.setUint32(0, low, true);
  view.setUint32(4, high, true);
  return view.getFloat64(0, true);
}

/** Upper half of a double. */
export function highOfF64(value: number): number {
  view.setFloat64(0, value, true);
  return view.getUint32(4, true);
}

export function f16Of(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 0x3ff;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24);
}

/** Half with exactly this value; other values are rounded to nearest even. */
export function bitsOfF16(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const a = Math.abs(value);
  if (a === Number.POSITIVE_INFINITY || a >= 65520) return sign | 0x7c00;
  if (a < 2 ** -14) return sign | roundEven(a * 2 ** 24);
  const exponent = Math.floor(Math.log2(a));
  return sign | (((exponent + 15) << 10) + roundEven((a / 2 ** exponent - 1) * 1024));
}

function roundEven(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}

/**
 * 20 significant digits as C's `%.20g` writes them, but from 1e9 on `%.20e`; measured: nvdisasm 13.2.51 on FADD
 * immediates.
 */
function general(value: number): string {
  if (value === 0) return Object.is(value, -0) ? "-0.0 " : "0";
  const size = Math.abs(value);
  if (size >= 1e9) return power(digits(value, 20), false);
  if (size < 1e-4) return power(digits(value, 19), true);
  return trim(plain(digits(value, 19)));
}

/** `1.25e+1` as `12.5`. */
function plain(text: string): string {
  const [mantissa, exponent] = text.split("e");
  const n = Number(exponent);
  const sign = mantissa!.startsWith("-") ? "-" : "";
  const all = mantissa!.replace(/[-.]/g, "");
  if (n < 0) return `${sign}0.${"0".repeat(-n - 1)}${all}`;
  return `${sign}${all.slice(0, n + 1)}.${all.slice(n + 1)}`;
}

/** Exponential form with `n` digits after the point; C rounds ties to even, JavaScript up. */
function digits(value: number, n: number): string {
  const text = value.toExponential(n);
  const exact = value.toExponential(100).split("e")[0]!;
  const cut = exact.indexOf(".") + 1 + n;
  if (!/^50*$/.test(exact.slice(cut)) || Number(exact[cut - 1]) % 2 === 1) return text;
  return `${exact.slice(0, cut)}e${text.split("e")[1]}`;
}

/** Exponents have at least two digits and a sign. */
function power(text: string, trimmed: boolean): string {
  const [mantissa, exponent] = text.split("e");
  const n = Number(exponent);
  return `${trimmed ? trim(mantissa!) : mantissa}e${n < 0 ? "-" : "+"}${String(Math.abs(n)).padStart(2, "0")}`;
}

function trim(text: string): string {
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
}

/** With the space that nvdisasm puts after them. */
function special(negative: boolean, nan: boolean, quiet: boolean): string {
  return `${negative ? "-" : "+"}${nan ? (quiet ? "QNAN" : "SNAN") : "INF"} `;
}

export function floatText(bits: number, format: "f32" | "f64" | "f16" | "bf16"): string {
  switch (format) {
    case "f32":
      if ((bits & 0x7f800000) === 0x7f800000)
        return special(bits >>> 31 === 1, (bits & 0x7fffff) !== 0, (bits & 0x400000) !== 0);
      return general(f32Of(bits));
    case "f64":
      if ((bits & 0x7ff00000) === 0x7ff00000)
        return special(bits >>> 31 === 1, (bits & 0xfffff) !== 0, (bits & 0x80000) !== 0);
      return general(f64Of(bits));
    case "f16":
      if ((bits & 0x7c00) === 0x7c00) return special((bits & 0x8000) !== 0, (bits & 0x3ff) !== 0, (bits & 0x200) !== 0);
      return general(f16Of(bits));
    case "bf16":
      if ((bits & 0x7f80) === 0x7f80) return special((bits & 0x8000) !== 0, (bits & 0x7f) !== 0, (bits & 0x40) !== 0);
      return general(f32Of(bits << 16));
  }
}

/** Text of an immediate; two values for a pair of halves. */
export function immediateText(value: number, high: number, format: ImmFormat | "hex"): string {
  switch (format) {
    case "n32":
      return signedHex(value - 2 ** 32);
    case "s32":
      return signedHex(value | 0);
    case "f32":
      return floatText(value, "f32");
    case "f64":
      return floatText(high, "f64");
    case "h2":
      return `${floatText(value >>> 16, "f16")}, ${floatText(value & 0xffff, "f16")}`;
    case "h1":
      return floatText(value & 0xffff, "f16");
    case "b1":
      return floatText(value & 0xffff, "bf16");
    case "bf2":
      return `${floatText(value >>> 16, "bf16")}, ${floatText(value & 0xffff, "bf16")}`;
    default:
      return hex(value >>> 0);
  }
}
