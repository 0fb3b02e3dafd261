/**
 * What integer instructions compute, as functions of the 32-bit values of their sources (signs and inversions applied), for the
 * folding of constants. null: not folded for these values. Tested against the simulator on edge and random operands.
 */
const u32 = (n: number): number => n >>> 0;

/** The truth table applied to each bit. */
export function lut3(a: number, b: number, c: number, table: number): number {
  let out = 0;
  for (let k = 0; k < 8; k++) {
    if (((table >> k) & 1) === 0) continue;
    out |= ((k & 4) !== 0 ? a : ~a) & ((k & 2) !== 0 ? b : ~b) & ((k & 1) !== 0 ? c : ~c);
  }
  return u32(out);
}

/** Bytes of a (0 to 3) and c (4 to 7) by the nibbles of b; bit 3 of a nibble spreads the byte's sign. */
export function permute(a: number, b: number, c: number): number {
  let out = 0;
  for (let k = 0; k < 4; k++) {
    const n = (b >>> (4 * k)) & 15;
    const byte = (((n & 4) !== 0 ? c : a) >>> (8 * (n & 3))) & 255;
    out |= ((n & 8) !== 0 ? (byte >= 128 ? 255 : 0) : byte) << (8 * k);
  }
  return u32(out);
}

type Evaluate = (v: readonly number[]) => number | null;

/** By name of the form; sources in slot order, what is no 32-bit value left out. */
export const evaluations: Readonly<Record<string, Evaluate>> = {
  IADD3: ([a, b, c]) => u32(a! + b! + c!),
  IMAD: ([a, b, c]) => u32(Math.imul(a!, b!) + c!),
  "LOP3.LUT": ([a, b, c, table]) => lut3(a!, b!, c!, table!),
  "SHF.L.U32": ([a, n, c]) => (n! > 31 || c !== 0 ? null : u32(a! << n!)),
  "SHF.R.U32.HI": ([a, n, c]) => (n! > 31 || a !== 0 ? null : c! >>> n!),
  "SHF.R.S32.HI": ([a, n, c]) => (n! > 31 || a !== 0 ? null : u32((c! | 0) >> n!)),
  "SHF.L.U64.HI": ([a, n, c]) => (n! > 31 ? null : n === 0 ? c! : u32((c! << n!) | (a! >>> (32 - n!)))),
  "SHF.L.W.U32.HI": ([a, n, c]) => ((n! & 31) === 0 ? c! : u32((c! << (n! & 31)) | (a! >>> (32 - (n! & 31))))),
  "SHF.R.U64": ([a, n, c]) => (n! > 31 ? null : n === 0 ? a! : u32((a! >>> n!) | (c! << (32 - n!)))),
  LEA: ([a, b, n]) => (n! > 31 ? null : u32((a! << n!) + b!)),
  PRMT: ([a, b, c]) => permute(a!, b!, c!),
  BMSK: ([a, b]) => (a! > 31 ? 0 : u32((b! > 31 ? -1 : (1 << b!) - 1) << a!)),
  SGXT: ([a, b]) => (b === 0 || b! > 31 ? null : u32((a! << (32 - b!)) >> (32 - b!))),
  "SGXT.U32": ([a, b]) => (b! > 31 ? a! : u32(a! & ((1 << b!) - 1))),
  IABS: ([a]) => u32(Math.abs(a! | 0)),
  POPC: ([a]) => {
    let n = 0;
    for (let x = a!; x !== 0; x &= x - 1) n++;
    return n;
  },
};

const words = new DataView(new ArrayBuffer(4));
const floatOf = (bits: number): number => {
  words.setUint32(0, bits);
  return words.getFloat32(0);
};
const bitsOf = (x: number): number => {
  words.setFloat32(0, x);
  return words.getUint32(0);
};
/** Denormal numbers become zeros of their sign. */
const flushed = (x: number): number => (Math.abs(x) < 2 ** -126 ? x * 0 : x);

function nearestEven(x: number): number {
  const below = Math.floor(x);
  const rest = x - below;
  if (rest < 0.5 || (rest === 0.5 && below % 2 === 0)) return below === 0 ? x * 0 : below;
  return below + 1 === 0 ? -0 : below + 1;
}

const integrals: Readonly<Record<string, (x: number) => number>> = {
  "": nearestEven,
  ".FLOOR": Math.floor,
  ".CEIL": Math.ceil,
  ".TRUNC": Math.trunc,
};

/** Conversions of one word that are folded, by name of the form: bits to bits. No numbers are not folded. */
export const conversions: Readonly<Record<string, (bits: number) => number | null>> = Object.fromEntries([
  ...["", ".FTZ"].flatMap((ftz) =>
    Object.entries(integrals).flatMap(([rounding, round]) => {
      const source = (bits: number): number => (ftz === "" ? floatOf(bits) : flushed(floatOf(bits)));
      const folded = (from: (x: number) => number) => (bits: number) =>
        Number.isNaN(source(bits)) ? null : from(source(bits));
      const clamped = (least: number, most: number) => (x: number) => u32(Math.min(most, Math.max(least, round(x))));
      return [
        [`FRND${ftz}${rounding}`, folded((x) => bitsOf(round(x)))],
        [`F2I${ftz}${rounding}.NTZ`, folded(clamped(-(2 ** 31), 2 ** 31 - 1))],
        [`F2I${ftz}.U32${rounding}.NTZ`, folded(clamped(0, 2 ** 32 - 1))],
      ];
    }),
  ),
  ...["I2F", "I2FP.F32.S32"].map((name) => [name, (n: number) => bitsOf(n | 0)]),
  ...["I2F.U32", "I2FP.F32.U32"].map((name) => [name, (n: number) => bitsOf(n)]),
  ["I2F.U8", (n: number) => bitsOf(n & 0xff)],
  ["I2F.U16", (n: number) => bitsOf(n & 0xffff)],
  ["I2F.S8", (n: number) => bitsOf((n << 24) >> 24)],
  ["I2F.S16", (n: number) => bitsOf((n << 16) >> 16)],
]);

/** Comparisons of ISETP by the word of its name, with the one that holds where it does not. */
export const comparisons: Readonly<Record<string, { opposite: string; holds: (a: number, b: number) => boolean }>> = {
  LT: { opposite: "GE", holds: (a, b) => a < b },
  EQ: { opposite: "NE", holds: (a, b) => a === b },
  LE: { opposite: "GT", holds: (a, b) => a <= b },
  GT: { opposite: "LE", holds: (a, b) => a > b },
  NE: { opposite: "EQ", holds: (a, b) => a !== b },
  GE: { opposite: "LT", holds: (a, b) => a >= b },
};

/** Comparisons of FSETP with their opposites: what one says of an unordered pair the other denies. */
export const floatOpposites: Readonly<Record<string, string>> = {
  LT: "GEU",
  EQ: "NEU",
  LE: "GTU",
  GT: "LEU",
  NE: "EQU",
  GE: "LTU",
  GEU: "LT",
  NEU: "EQ",
  GTU: "LE",
  LEU: "GT",
  EQU: "NE",
  LTU: "GE",
  NUM: "NAN",
  NAN: "NUM",
};
