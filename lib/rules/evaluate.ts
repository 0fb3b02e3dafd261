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
