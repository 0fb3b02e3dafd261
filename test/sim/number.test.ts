import fc from "fast-check";
import { add32, fma32, fma32Mode, mul32, nextF32 } from "../../lib/sim/number/f32.js";
import { add64, fma64, mul64 } from "../../lib/sim/number/f64.js";
import { BF16, bf16Value, F16, f16Value, type Short, shortBits, shortFma } from "../../lib/sim/number/half.js";
import { Rounding } from "../../lib/sim/number/rounding.js";
import { exact } from "../oracle/sim/exact.js";
import { runText } from "./assemble.js";

/**
 * Against exact rational arithmetic: a number is m·2^e with a bigint m; the result must be the representable value on
 * the right side of (or nearest to) the exact one. Nothing of the implementation is used to find it.
 */
interface Exact {
  readonly m: bigint;
  readonly e: number;
}

function combine(a: number, b: number, c: number): Exact {
  const [x, y, z] = [exact(a), exact(b), exact(c)];
  const e = Math.min(x.e + y.e, z.e);
  return { m: ((x.m * y.m) << BigInt(x.e + y.e - e)) + (z.m << BigInt(z.e - e)), e };
}

/** Sign of x − v. */
function compare(x: number, v: Exact): number {
  if (!Number.isFinite(x)) return x > 0 ? 1 : -1;
  const w = exact(x);
  const e = Math.min(w.e, v.e);
  const d = (w.m << BigInt(w.e - e)) - (v.m << BigInt(v.e - e));
  return d > 0n ? 1 : d < 0n ? -1 : 0;
}

/** Is r the rounding of v? `next` gives the neighbours of r in its format. */
function isRounded(r: number, v: Exact, mode: Rounding, next: (x: number, up: boolean) => number): boolean {
  const side = compare(r, v);
  if (side === 0) return true;
  const other = next(r, side < 0);
  // The exact value must lie strictly between r and its neighbour.
  if (Number.isFinite(r) && compare(other, v) * side >= 0) return false;
  const towardZero = v.m > 0n ? side < 0 : side > 0;
  if (mode === Rounding.RM) return side < 0;
  if (mode === Rounding.RP) return side > 0;
  if (mode === Rounding.RZ) return towardZero;
  if (!Number.isFinite(r) || !Number.isFinite(other)) return true;
  const mid = exactMid(r, other);
  const e = Math.min(mid.e, v.e);
  const d = (v.m << BigInt(v.e - e)) - (mid.m << BigInt(mid.e - e));
  if (d === 0n) return evenLast(r, next);
  return d > 0n === r > other;
}

function exactMid(a: number, b: number): Exact {
  const [x, y] = [exact(a), exact(b)];
  const e = Math.min(x.e, y.e);
  return { m: (x.m << BigInt(x.e - e)) + (y.m << BigInt(y.e - e)), e: e - 1 };
}

/** Of two neighbours the even one is a multiple of twice the distance. */
function evenLast(r: number, next: (x: number, up: boolean) => number): boolean {
  const ulp = Math.abs(next(r, true) - r);
  return Number.isInteger(r / (2 * ulp));
}

function step32(x: number, up: boolean): number {
  return x === 0 ? (up ? 2 ** -149 : -(2 ** -149)) : nextF32(x, up);
}

function step64(x: number, up: boolean): number {
  if (x === 0) return up ? 5e-324 : -5e-324;
  const bits = new BigInt64Array(1);
  const value = new Float64Array(bits.buffer);
  value[0] = x;
  bits[0] = bits[0]! + (up === x > 0 ? 1n : -1n);
  return value[0]!;
}

const modes = [Rounding.RN, Rounding.RM, Rounding.RP, Rounding.RZ];
/** Few bits, all scales: many exact ties and cancellations. */
const short = fc
  .tuple(fc.integer({ min: -4100, max: 4100 }), fc.integer({ min: -140, max: 110 }))
  .map(([m, e]) => Math.fround(m * 2 ** e));
const single = fc.oneof(short, fc.float({ noNaN: true, noDefaultInfinity: true }));
const near = fc
  .tuple(fc.integer({ min: -4100, max: 4100 }), fc.integer({ min: -30, max: 30 }))
  .map(([m, e]) => m * 2 ** e);
const double = fc.oneof(
  near,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
);
const options = { seed: 20, numRuns: 3000 };

describe("f32", () => {
  test.each(modes)("a·b + c, mode %i", (mode) => {
    fc.assert(
      fc.property(single, single, single, (a, b, c) =>
        isRounded(fma32Mode(a, b, c, mode), combine(a, b, c), mode, step32),
      ),
      options,
    );
  });

  test("the multiply-add to nearest is exact where rounding twice is not", () => {
    // (1 + 2^-12)² is a tie; the tiny third term decides it, but is lost in a double.
    const a = 1 + 2 ** -12;
    expect(fma32(a, a, 0)).toBe(1 + 2 ** -11);
    expect(fma32(a, a, 2 ** -100)).toBe(1 + 2 ** -11 + 2 ** -23);
    expect(fma32(a, a, -(2 ** -100))).toBe(1 + 2 ** -11);
    expect(fma32(Infinity, 0, 1)).toBeNaN();
    expect(fma32(3e38, 3e38, -Infinity)).toBe(-Infinity);
    expect(Object.is(fma32(-0, 1, -0), -0)).toBe(true);
  });

  test.each(modes)("sum and product, mode %i", (mode) => {
    fc.assert(
      fc.property(single, single, (a, b) => {
        expect(isRounded(add32(a, b, mode), combine(a, 1, b), mode, step32)).toBe(true);
        expect(isRounded(mul32(a, b, mode), combine(a, b, 0), mode, step32)).toBe(true);
      }),
      options,
    );
  });

  test("the sign of an exact zero depends on the mode", () => {
    expect(Object.is(add32(1, -1, Rounding.RN), 0)).toBe(true);
    expect(Object.is(add32(1, -1, Rounding.RM), -0)).toBe(true);
    expect(Object.is(add32(0, 0, Rounding.RM), 0)).toBe(true);
  });
});

describe("f64", () => {
  test.each(modes)("a·b + c, a + b, a·b, mode %i", (mode) => {
    fc.assert(
      fc.property(double, double, double, (a, b, c) => {
        expect(isRounded(fma64(a, b, c, mode), combine(a, b, c), mode, step64)).toBe(true);
        expect(isRounded(add64(a, b, mode), combine(a, 1, b), mode, step64)).toBe(true);
        expect(isRounded(mul64(a, b, mode), combine(a, b, 0), mode, step64)).toBe(true);
      }),
      options,
    );
  });

  test("a fused result that two roundings would lose", () => {
    const a = 1 + 2 ** -30;
    expect(fma64(a, a, -(1 + 2 ** -29), Rounding.RN)).toBe(2 ** -60);
    expect(fma64(1e300, 1e300, -Infinity, Rounding.RN)).toBe(-Infinity);
    expect(fma64(2 ** -600, 2 ** -600, 0, Rounding.RP)).toBe(5e-324);
  });
});

describe.each([
  ["binary16", F16, f16Value],
  ["bfloat16", BF16, bf16Value],
] as const)("%s", (_, format: Short, value) => {
  const step = (x: number, up: boolean): number => {
    const bits = shortBits(x, 0, format, Rounding.RN);
    if ((bits & 0x7fff) === 0) return value(up ? 1 : 0x8001);
    return value(up === ((bits & 0x8000) === 0) ? bits + 1 : bits - 1);
  };

  test("values and bits are inverse", () => {
    for (let bits = 0; bits < 65536; bits++) {
      const v = value(bits);
      if (!Number.isNaN(v)) expect(shortBits(v, 0, format, Rounding.RN)).toBe(bits);
    }
  });

  test.each(modes)("rounding of doubles, mode %i", (mode) => {
    const numbers = fc.oneof(
      near,
      fc.double({ min: -7e4, max: 7e4, noNaN: true }),
      fc.double({ min: -1e-4, max: 1e-4, noNaN: true }),
    );
    fc.assert(
      fc.property(numbers, (x) => {
        const r = value(shortBits(x, 0, format, mode));
        if (Number.isFinite(r)) expect(isRounded(r, exact(x), mode, step)).toBe(true);
        else expect(Math.abs(x)).toBeGreaterThan(format.max);
      }),
      options,
    );
  });

  test("multiply-add", () => {
    const any = fc.integer({ min: 0, max: 65535 }).map(value).filter(Number.isFinite);
    fc.assert(
      fc.property(any, any, any, (a, b, c) => {
        const r = value(shortFma(a, b, c, format, Rounding.RN));
        if (Number.isFinite(r)) expect(isRounded(r, combine(a, b, c), Rounding.RN, step)).toBe(true);
        else expect(Math.abs(a * b + c)).toBeGreaterThan(format.max);
      }),
      options,
    );
  });
});

test("the value of every binary16", () => {
  // The bits in the places of an f32, whose exponent has a bias larger by 112: 2^112 puts that right, subnormals included.
  const word = new Int32Array(1);
  const value = new Float32Array(word.buffer);
  const wrong: number[] = [];
  for (let bits = 0; bits < 0x10000; bits++) {
    word[0] = ((bits & 0x8000) << 16) | ((bits & 0x7fff) << 13);
    const top = (bits & 0x7c00) === 0x7c00;
    const expected = top ? ((bits & 0x3ff) !== 0 ? Number.NaN : Math.sign(value[0]!) / 0) : value[0]! * 2 ** 112;
    if (!Object.is(f16Value(bits), expected)) wrong.push(bits);
  }
  expect(wrong).toEqual([]);
});

test("a half sum of constants alone, with signs and parts", () => {
  const { out } = runText(
    `S2R R0, SR_TID.X
     MOV R6, 0x4
     IMAD.WIDE.U32 R2, R0, R6, c[0x0][0x160]
     HFMA2 R8, -RZ.H0_H0, RZ.H0_H0, 1.5, -2
     STG.E.SYS [R2], R8
     EXIT`,
    { words: 32 },
  );
  expect(out[7]! >>> 0).toBe(0x3e00_c000);
});

test("a sum of a half and an f32 counts the f32 for both halves", () => {
  const { out } = runText(
    `S2R R0, SR_TID.X
     MOV R6, 0x4
     IMAD.WIDE.U32 R2, R0, R6, c[0x0][0x160]
     HADD2 R8, -RZ.H0_H0, c[0x0][0x1c0].F32
     STG.E.SYS [R2], R8
     EXIT`,
    { words: 32, constants: [[0x1c0, 0x42000000]] },
  );
  // 32: 0x42000000 in f32, 0x5000 in binary16.
  expect(out[0]).toBe(0x5000_5000);
});

test.each([
  [0x3f80_1fff, 0x3c00],
  [0xbf80_3fff, 0xbc01],
  [0x4b00_0000, 0x7bff],
  [0x3380_0000, 0x0001],
])("a half sum cuts an f32 toward zero: 0x%s", (f32, half) => {
  const { out } = runText(
    `S2R R0, SR_TID.X
     MOV R6, 0x4
     IMAD.WIDE.U32 R2, R0, R6, c[0x0][0x160]
     MOV R8, c[0x0][0x1c0]
     HADD2 R8, R8.F32, -RZ.H0_H0
     STG.E.SYS [R2], R8
     EXIT`,
    { words: 32, constants: [[0x1c0, f32]] },
  );
  expect(out[0]! & 0xffff).toBe(half);
});

test("the double of an immediate under RSQ64H and RCP64H", () => {
  const { out } = runText(
    `S2R R0, SR_TID.X
     MOV R6, 0x8
     IMAD.WIDE.U32 R2, R0, R6, c[0x0][0x160]
     MUFU.RSQ64H R8, 4
     MUFU.RCP64H R9, -4
     STG.E.64.SYS [R2], R8
     EXIT`,
    { words: 64 },
  );
  // 1/2 is 2^-1: exponent field 1022. -1/4: sign and 1021.
  expect([...out.subarray(0, 2)]).toEqual([1022 << 20, (1021 << 20) | (1 << 31)]);
});
