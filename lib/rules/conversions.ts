/**
 * Conversions of literals that ptxas 13.0.88 does while it compiles: to integers it rounds to the nearest or towards zero, and none to signed
 * integers of 8 or 16 bits or to bytes (asked on sm_75, 80, 90, 100, 120). No numbers are not folded. Tested against the simulator.
 */

const bytes = new DataView(new ArrayBuffer(8));
export const floatOf = (bits: number): number => {
  bytes.setUint32(0, bits);
  return bytes.getFloat32(0);
};
const doubleOf = (low: number, high: number): number => {
  bytes.setUint32(0, high);
  bytes.setUint32(4, low);
  return bytes.getFloat64(0);
};
export const bitsOf = (x: number): bigint => {
  bytes.setFloat32(0, x);
  return BigInt(bytes.getUint32(0));
};
const doubleBitsOf = (x: number): bigint => {
  bytes.setFloat64(0, x);
  return bytes.getBigUint64(0);
};
/** Denormal numbers become zeros of their sign. */
const flushed = (x: number): number => (Math.abs(x) < 2 ** -126 ? x * 0 : x);

function nearestEven(x: number): number {
  const below = Math.floor(x);
  const rest = x - below;
  if (!(rest >= 0.5) || (rest === 0.5 && below % 2 === 0)) return below === 0 ? x * 0 : below;
  return below + 1 === 0 ? -0 : below + 1;
}

const roundings: Readonly<Record<string, (x: number) => number>> = {
  "": nearestEven,
  ".FLOOR": Math.floor,
  ".CEIL": Math.ceil,
  ".TRUNC": Math.trunc,
};

/** Integers by their word in the name, with the least and the largest value. */
const ranges: Readonly<Record<string, readonly [least: bigint, most: bigint]>> = {
  "": [-(2n ** 31n), 2n ** 31n - 1n],
  ".U32": [0n, 2n ** 32n - 1n],
  ".U16": [0n, 2n ** 16n - 1n],
  ".S64": [-(2n ** 63n), 2n ** 63n - 1n],
  ".U64": [0n, 2n ** 64n - 1n],
};

export interface Conversion {
  /** Registers of source and result. */
  readonly from: 1 | 2;
  readonly to: 1 | 2;
  /** Bits of the result by the words of the source; null: not folded. */
  convert(low: number, high: number): bigint | null;
}

type Named = [name: string, conversion: Conversion];

/** Of numbers, not of what is none. */
const ofNumber =
  (to: (x: number) => bigint, from: (low: number, high: number) => number): Conversion["convert"] =>
  (low, high) => {
    const x = from(low, high);
    return Number.isNaN(x) ? null : to(x);
  };

function toIntegers(rounding: string): Named[] {
  const round = roundings[rounding]!;
  return Object.entries(ranges).flatMap(([type, [least, most]]): Named[] => {
    const to = least < -(2n ** 31n) || most > 2n ** 32n ? 2 : 1;
    const clamped = (x: number): bigint => {
      const y = round(x);
      if (!Number.isFinite(y)) return BigInt.asUintN(32 * to, y < 0 ? least : most);
      const n = BigInt(y);
      return BigInt.asUintN(32 * to, n < least ? least : n > most ? most : n);
    };
    const single = (ftz: boolean): Conversion => ({
      from: 1,
      to,
      convert: ofNumber(clamped, (bits) => (ftz ? flushed(floatOf(bits)) : floatOf(bits))),
    });
    const double: Named = [`F2I${type}.F64${rounding}`, { from: 2, to, convert: ofNumber(clamped, doubleOf) }];
    if (to === 2) return [[`F2I${type}${rounding}`, single(false)], double];
    return [[`F2I${type}${rounding}.NTZ`, single(false)], [`F2I.FTZ${type}${rounding}.NTZ`, single(true)], double];
  });
}

const toFloat = (from: (n: number) => number): Conversion => ({ from: 1, to: 1, convert: (n) => bitsOf(from(n)) });

/**
 * Functions of MUFU where ptxas has their results in place of them: rounded to the nearest, denormal arguments and results zeros; no logarithm of
 * zero, nothing that is no number. Sines are folded before the angle becomes turns, so not here.
 */
const functions: Readonly<Record<string, (x: number) => number>> = {
  RCP: (x) => 1 / x,
  RSQ: (x) => 1 / Math.sqrt(x),
  SQRT: (x) => Math.sqrt(x),
  EX2: (x) => 2 ** x,
  LG2: (x) => (x === 0 ? Number.NaN : Math.log2(x)),
};

const ofFunction = (f: (x: number) => number): Conversion => ({
  from: 1,
  to: 1,
  convert: (bits) => {
    const y = flushed(Math.fround(f(flushed(floatOf(bits)))));
    return Number.isNaN(y) ? null : bitsOf(y);
  },
});

/** Conversions and functions that are folded, by name of the form. */
export const conversions: Readonly<Record<string, Conversion>> = Object.fromEntries<Conversion>([
  ...["", ".TRUNC"].flatMap(toIntegers),
  ...["", ".FTZ"].flatMap((ftz) =>
    Object.entries(roundings).map(([rounding, round]): Named => {
      const source = (bits: number): number => (ftz === "" ? floatOf(bits) : flushed(floatOf(bits)));
      return [`FRND${ftz}${rounding}`, { from: 1, to: 1, convert: ofNumber((x) => bitsOf(round(x)), source) }];
    }),
  ),
  ...Object.entries(functions).map(([name, f]): Named => [`MUFU.${name}`, ofFunction(f)]),
  ["F2F.F32.F64", { from: 2, to: 1, convert: ofNumber(bitsOf, doubleOf) }],
  ["F2F.F64.F32", { from: 1, to: 2, convert: ofNumber(doubleBitsOf, floatOf) }],
  ...["I2F", "I2FP.F32.S32"].map((name): Named => [name, toFloat((n) => n | 0)]),
  ...["I2F.U32", "I2FP.F32.U32"].map((name): Named => [name, toFloat((n) => n)]),
  ["I2F.U8", toFloat((n) => n & 0xff)],
  ["I2F.U16", toFloat((n) => n & 0xffff)],
  ["I2F.S8", toFloat((n) => (n << 24) >> 24)],
  ["I2F.S16", toFloat((n) => (n << 16) >> 16)],
]);
