/** Logic, shifts, bytes and bits (and their uniform twins). */
import { File } from "../../isa/operand.js";
import { popcount } from "../groups.js";
import type { Makers, Site } from "../site.js";
import { high, type LaneFunction } from "../stamp.js";
import { type Exec, LANES, Step, type Warp } from "../state.js";
import { writesCarry } from "./integer.js";

// ------------------------------------------------------------------------------------------------ logic

/** Truth tables that compilers use, as plain operators. */
const tables: Readonly<Record<number, LaneFunction>> = {
  0: () => 0,
  255: () => -1,
  192: (a, b) => a & b,
  252: (a, b) => a | b,
  60: (a, b) => a ^ b,
  48: (a, b) => a & ~b,
  12: (a, b) => ~a & b,
  51: (_a, b) => ~b,
  15: (a) => ~a,
  240: (a) => a,
  204: (_a, b) => b,
  170: (_a, _b, c) => c,
  63: (a, b) => ~(a & b),
  3: (a, b) => ~(a | b),
  128: (a, b, c) => a & b & c,
  254: (a, b, c) => a | b | c,
  150: (a, b, c) => a ^ b ^ c,
  248: (a, b, c) => a | (b & c),
  234: (a, b, c) => (a & b) | c,
  226: (a, b, c) => (a & b) | (~b & c),
  202: (a, b, c) => (a & b) | (~a & c),
  184: (a, b, c) => (a & ~b) | (c & b),
  120: (a, b, c) => a ^ (b & c),
  106: (a, b, c) => (a & b) ^ c,
};

/** Three words under an 8-bit truth table (a 0xf0, b 0xcc, c 0xaa). */
export function lookup(lut: number): LaneFunction {
  const known = tables[lut];
  if (known !== undefined) return known;
  return (a, b, c) => {
    let r = 0;
    if (lut & 1) r |= ~a & ~b & ~c;
    if (lut & 2) r |= ~a & ~b & c;
    if (lut & 4) r |= ~a & b & ~c;
    if (lut & 8) r |= ~a & b & c;
    if (lut & 16) r |= a & ~b & ~c;
    if (lut & 32) r |= a & ~b & c;
    if (lut & 64) r |= a & b & ~c;
    if (lut & 128) r |= a & b & c;
    return r;
  };
}

function lop3(s: Site): Exec {
  s.has("LUT");
  const f = lookup(s.imm("lut") & 255);
  const sources = [s.int("a"), s.int("b"), s.int("c")];
  if (!writesCarry(s, "pout")) {
    s.has("PAND");
    return s.lanes(f, sources, { d: "i" });
  }
  const and = s.has("PAND");
  const test: LaneFunction = (a, b, c, p) => {
    const r = f(a, b, c);
    const nonzero = r !== 0 ? 1 : 0;
    high.word = and ? nonzero & p : nonzero | p;
    return r;
  };
  return s.lanes(test, [...sources, s.flag("pin")], { d: "i", preds: ["pout"] });
}

/** A predicate of all lanes, or the signs of a register. */
function truthMask(s: Site, name: string): (warp: Warp) => number {
  // Where some are registers the predicates among them are called pa and pc.
  const predicate = s.find(name) === null ? `p${name}` : name;
  const o = s.operand(predicate);
  if (o.file === File.P || o.file === File.UP) return s.predMask(predicate);
  const get = s.scalar(o);
  if (get !== null) return (w) => get(w) >> 31;
  const row = s.row(o);
  return (w) => {
    let mask = 0;
    for (let l = 0; l < LANES; l++) mask |= (w.I[row + l]! >>> 31) << l;
    return mask;
  };
}

function plop3(s: Site): Exec {
  s.has("LUT");
  const f = lookup(s.imm("lut") & 255);
  const g = lookup(s.imm("lut2") & 255);
  const [a, b, c] = [truthMask(s, "a"), truthMask(s, "b"), truthMask(s, "c")];
  const p = s.pred("p");
  const q = s.pred("q");
  return (w, m) => {
    const x = a(w);
    const y = b(w);
    const z = c(w);
    const rp = f(x, y, z);
    const rq = g(x, y, z);
    if ((p & 7) !== 7) w.P[p] = p >= 8 ? rp : (w.P[p]! & ~m) | (rp & m);
    if ((q & 7) !== 7) w.P[q] = q >= 8 ? rq : (w.P[q]! & ~m) | (rq & m);
    return Step.Next;
  };
}

// ------------------------------------------------------------------------------------------------ shifts

const left = (a: number, c: number, n: number, wantHigh: boolean): number => {
  if (wantHigh) return n === 0 ? c : n < 32 ? (c << n) | (a >>> (32 - n)) : n < 64 ? a << (n - 32) : 0;
  return n < 32 ? a << n : 0;
};

const right = (a: number, c: number, n: number, wantHigh: boolean, signed: boolean): number => {
  const fill = signed ? c >> 31 : 0;
  if (wantHigh) return n < 32 ? (signed ? c >> n : c >>> n) : fill;
  if (n === 0) return a;
  if (n < 32) return (a >>> n) | (c << (32 - n));
  return n < 64 ? (signed ? c >> (n - 32) : c >>> (n - 32)) : fill;
};

function shf(s: Site): Exec {
  const toLeft = s.has("L");
  s.has("R");
  const wantHigh = s.has("HI");
  const wrap = s.has("W");
  const type = s.choose({ S64: "S64", U64: "U64", S32: "S32", U32: "U32" }, "U32");
  const limit = type.endsWith("64") ? 64 : 32;
  const signed = type.startsWith("S");
  const amount = (n: number): number => (wrap ? n & (limit - 1) : n >>> 0 > limit ? limit : n);
  const f: LaneFunction = toLeft
    ? (a, n, c) => left(a, c, amount(n), wantHigh) | 0
    : (a, n, c) => right(a, c, amount(n), wantHigh, signed) | 0;
  return s.lanes(f, [s.int("a"), s.int("b"), s.int("c")], { d: "i" });
}

// ------------------------------------------------------------------------------------------------ bytes and bits

function byteOf(a: number, c: number, i: number): number {
  return ((i < 4 ? a >>> (i * 8) : c >>> ((i - 4) * 8)) & 255) >>> 0;
}

const prmt: LaneFunction = (a, sel, c) => {
  let r = 0;
  for (let i = 0; i < 4; i++) {
    const n = (sel >>> (i * 4)) & 15;
    let v = byteOf(a, c, n & 7);
    if (n & 8) v = v & 128 ? 255 : 0;
    r |= v << (i * 8);
  }
  return r;
};

/** Byte numbers of the fixed modes of PRMT for selectors 0…3, most significant byte first (PTX ISA §9.7.9.7). */
const prmtModes: Readonly<Record<string, readonly (readonly number[])[]>> = {
  F4E: selectors("3210 4321 5432 6543"),
  B4E: selectors("5670 6701 7012 0123"),
  RC8: selectors("0000 1111 2222 3333"),
  ECL: selectors("3210 3211 3222 3333"),
  ECR: selectors("0000 1110 2210 3210"),
  RC16: selectors("1010 3232 1010 3232"),
};

function selectors(text: string): number[][] {
  return text.split(" ").map((bytes) => [...bytes].map(Number));
}

function permute(s: Site): Exec {
  const mode = s.choose<readonly (readonly number[])[] | null>(prmtModes, null);
  const f: LaneFunction =
    mode === null
      ? prmt
      : (a, sel, c) => {
          let r = 0;
          for (const i of mode[sel & 3]!) r = (r << 8) | byteOf(a, c, i);
          return r;
        };
  return s.lanes(f, [s.int("a"), s.int("b"), s.int("c")], { d: "i" });
}

const leading = (x: number): number => 31 - Math.clz32(x);

function flo(s: Site): Exec {
  const unsigned = s.has("U32");
  const shift = s.has("SH");
  const f: LaneFunction = (b) => {
    const x = unsigned || b >= 0 ? b : ~b;
    high.word = x === 0 ? 0 : 1;
    if (x === 0) return -1;
    return shift ? 31 - leading(x) : leading(x);
  };
  return s.lanes(f, [s.int("b")], { d: "i", preds: ["pout"] });
}

const reverse: LaneFunction = (x) => {
  let v = x;
  v = ((v >>> 1) & 0x55555555) | ((v & 0x55555555) << 1);
  v = ((v >>> 2) & 0x33333333) | ((v & 0x33333333) << 2);
  v = ((v >>> 4) & 0x0f0f0f0f) | ((v & 0x0f0f0f0f) << 4);
  v = ((v >>> 8) & 0x00ff00ff) | ((v & 0x00ff00ff) << 8);
  return (v >>> 16) | (v << 16);
};

const ones = (n: number): number => (n >= 32 ? -1 : (1 << n) - 1);

function bmsk(s: Site): Exec {
  const wrap = s.has("W");
  const f: LaneFunction = wrap
    ? (a, b) => ones(b & 31) << (a & 31)
    : (a, b) => (a >>> 0 > 31 ? 0 : ones(Math.min(b >>> 0, 32)) << a);
  return s.lanes(f, [s.int("a"), s.int("b")], { d: "i" });
}

function sgxt(s: Site): Exec {
  const wrap = s.has("W");
  const unsigned = s.has("U32");
  const f: LaneFunction = (a, b) => {
    const n = wrap ? b & 31 : Math.min(b >>> 0, 32);
    if (n === 0) return 0;
    return unsigned ? a & ones(n) : (a << (32 - n)) >> (32 - n);
  };
  return s.lanes(f, [s.int("a"), s.int("b")], { d: "i" });
}

export const bits: Makers = {
  LOP3: lop3,
  PLOP3: plop3,
  SHF: shf,
  PRMT: permute,
  POPC: (s) => s.lanes((b) => popcount(b), [s.int("b")], { d: "i" }),
  FLO: flo,
  BREV: (s) => s.lanes(reverse, [s.int("b")], { d: "i" }),
  BMSK: bmsk,
  SGXT: sgxt,
};
