/** Integer arithmetic, logic, shifts and bits: a line per instruction. Numbers come signed where their type is, results are cut to it. */
import type { Build, Site } from "../code.js";
import { integerOf, maskOf, type Type, type Value } from "../types.js";

type Function = (a: bigint, b: bigint, c: bigint, t: Type) => bigint;

/** One or more sources of the instruction's own type, one result of it. */
function same(arity: number, f: Function): Build {
  return (s) => pure(s, s.words.types()[0] ?? s.refuse("no type"), arity, f);
}

/** The sources in `t`, the result in `to`. */
function pure(s: Site, t: Type, arity: number, f: Function, to: Type = t): ReturnType<Build> {
  s.words.done();
  const write = s.write(s.operand(0), to);
  const sources = Array.from({ length: arity }, (_, i) => s.read(s.operand(i + 1), t));
  const [a, b = () => 0n, c = () => 0n] = sources;
  const mask = maskOf(to.bits);
  if (t.lanes > 1) return packed(sources, write, t, f);
  if (t.kind === "s") {
    const { bits } = t;
    return (x) =>
      write(x, mask & f(BigInt.asIntN(bits, a!(x)), BigInt.asIntN(bits, b(x)), BigInt.asIntN(bits, c(x)), t));
  }
  return (x) => write(x, mask & f(a!(x), b(x), c(x), t));
}

type Sources = readonly ((t: Parameters<ReturnType<Build>>[0]) => Value)[];
function packed(sources: Sources, write: ReturnType<Site["write"]>, t: Type, f: Function): ReturnType<Build> {
  const one = { ...t, bits: t.element, lanes: 1 };
  const part = (v: Value, i: number): bigint => integerOf((v >> BigInt(i * t.element)) & maskOf(t.element), one);
  return (x) => {
    const [a = 0n, b = 0n, c = 0n] = sources.map((r) => r(x));
    let all = 0n;
    for (let i = 0; i < t.lanes; i++)
      all |= BigInt.asUintN(t.element, f(part(a, i), part(b, i), part(c, i), one)) << BigInt(i * t.element);
    write(x, all);
  };
}

const U32: Type = { name: "u32", bits: 32, kind: "u", lanes: 1, element: 32, format: null };

const clampTo = (v: bigint, bits: number): bigint => {
  const top = (1n << BigInt(bits - 1)) - 1n;
  return v > top ? top : v < -top - 1n ? -top - 1n : v;
};

/** `.sat` of 32-bit signed sums. */
const saturating =
  (arity: number, f: Function): Build =>
  (s) => {
    const sat = s.words.take("sat");
    return same(arity, sat ? (a, b, c, t) => clampTo(f(a, b, c, t), t.bits) : f)(s);
  };

/** Sums with a carry in and out: bits above the type are the carry. A difference carries no borrow. */
const carrying =
  (arity: number, withIn: boolean, less: boolean, f: (a: bigint, b: bigint, c: bigint, t: Type) => bigint): Build =>
  (s) => {
    const out = s.words.take("cc");
    const t = s.words.types()[0] ?? s.refuse("no type");
    s.words.done();
    const write = s.write(s.operand(0), t);
    const [a, b, c = () => 0n] = Array.from({ length: arity }, (_, i) => s.read(s.operand(i + 1), t));
    const width = BigInt(t.bits);
    const mask = maskOf(t.bits);
    return (x) => {
      const carry = withIn ? x.carry : less ? 1n : 0n;
      const all = f(a!(x), b!(x), c(x), t) + carry;
      if (out) x.carry = (all >> width) & 1n;
      write(x, all & mask);
    };
  };

const multiply = (a: bigint, b: bigint, t: Type, part: string | null): bigint => {
  const all = integerOf(BigInt.asUintN(t.bits, a), t) * integerOf(BigInt.asUintN(t.bits, b), t);
  return part === "hi" ? all >> BigInt(t.bits) : all;
};

const product =
  (arity: number): Build =>
  (s) => {
    const part = s.words.oneOf("lo", "hi", "wide");
    if (s.words.take("cc")) return chained(s, part, false, true);
    const sat = s.words.take("sat");
    const t = s.words.types()[0] ?? s.refuse("no type");
    const to = part === "wide" ? { ...t, bits: 2 * t.bits } : t;
    s.words.done();
    const write = s.write(s.operand(0), to);
    const [a, b] = [s.read(s.operand(1), t), s.read(s.operand(2), t)];
    const c = arity === 3 ? s.read(s.operand(3), to) : (): bigint => 0n;
    const mask = maskOf(to.bits);
    return (x) => {
      const all = multiply(a(x), b(x), t, part);
      if (!sat) write(x, mask & (all + c(x)));
      else write(x, mask & clampTo(all + integerOf(c(x), to), to.bits));
    };
  };

/** `mad.cc`, `madc`: the product's half as bits, then a sum with carry. */
function chained(s: Site, part: string | null, withIn: boolean, out: boolean): ReturnType<Build> {
  const t = s.words.types()[0] ?? s.refuse("no type");
  const half = (a: bigint, b: bigint): bigint => BigInt.asUintN(t.bits, multiply(a, b, t, part));
  s.words.done();
  const write = s.write(s.operand(0), t);
  const [a, b, c] = [1, 2, 3].map((i) => s.read(s.operand(i), t));
  const mask = maskOf(t.bits);
  return (x) => {
    const all = half(a!(x), b!(x)) + c!(x) + (withIn ? x.carry : 0n);
    if (out) x.carry = all >> BigInt(t.bits);
    write(x, all & mask);
  };
}

const product24 =
  (arity: number): Build =>
  (s) => {
    const high = s.words.need("lo", "hi") === "hi";
    const sat = s.words.take("sat");
    const short = (v: bigint, t: Type): bigint => (t.kind === "s" ? BigInt.asIntN(24, v) : BigInt.asUintN(24, v));
    return same(arity, (a, b, c, t) => {
      const all = (short(a, t) * short(b, t)) >> (high ? 16n : 0n);
      const sum = (sat ? BigInt.asIntN(32, all) : all) + c;
      return sat ? clampTo(sum, 32) : sum;
    })(s);
  };

const extreme =
  (max: boolean): Build =>
  (s) => {
    const relu = s.words.take("relu");
    const three = s.ins.operands.length === 4;
    const pick = (a: bigint, b: bigint): bigint => (a > b === max ? a : b);
    return same(three ? 3 : 2, (a, b, c) => {
      const v = three ? pick(pick(a, b), c) : pick(a, b);
      return relu && v < 0n ? 0n : v;
    })(s);
  };

/** Division by zero: all ones, as the code of ptxas gives; the manual leaves it open. */
const divide: Function = (a, b) => (b === 0n ? -1n : a / b);
const remainder: Function = (a, b) => (b === 0n ? -1n : a % b);

const ones = (v: bigint): number => {
  let n = 0;
  for (let x = v; x !== 0n; x &= x - 1n) n++;
  return n;
};
const lengthOf = (v: bigint): number => (v === 0n ? 0 : v.toString(2).length);

/** The result has 32 bits. */
const counted =
  (f: (v: bigint, t: Type) => number): Build =>
  (s) => {
    const t = s.words.types()[0] ?? s.refuse("no type");
    return pure(s, t, 1, (a) => BigInt(f(a, t)), U32);
  };

const find: Build = (s) => {
  const shift = s.words.take("shiftamt");
  return counted((v, t) => {
    const n = lengthOf(v < 0n ? ~v : v) - 1;
    return n < 0 ? -1 : shift ? t.bits - 1 - n : n;
  })(s);
};

function reversed(v: bigint, bits: number): bigint {
  return BigInt(`0b${[...v.toString(2).padStart(bits, "0")].reverse().join("")}`);
}

/** The shift's amount has 32 bits whatever the type. */
const shift =
  (f: (v: bigint, n: bigint, t: Type) => bigint): Build =>
  (s) => {
    const t = s.words.types()[0] ?? s.refuse("no type");
    s.words.done();
    const [write, a, n] = [s.write(s.operand(0), t), s.read(s.operand(1), t), s.read(s.operand(2), U32)];
    const mask = maskOf(t.bits);
    return (x) => {
      const by = n(x);
      write(x, mask & f(integerOf(a(x), t), by > BigInt(t.bits) ? BigInt(t.bits) : by, t));
    };
  };

/** All operands as given: types of each. */
const typed =
  (types: readonly ("same" | "u32")[], f: (v: readonly bigint[], t: Type) => bigint): Build =>
  (s) => {
    const t = s.words.types()[0] ?? s.refuse("no type");
    s.words.done();
    const write = s.write(s.operand(0), t);
    const sources = types.map((k, i) => s.read(s.operand(i + 1), k === "same" ? t : U32));
    const mask = maskOf(t.bits);
    return (x) =>
      write(
        x,
        mask &
          f(
            sources.map((r) => r(x)),
            t,
          ),
      );
  };

const extract = typed(["same", "u32", "u32"], ([a, p, n], t) => {
  const [at, count] = [Number(p! & 0xffn), Number(n! & 0xffn)];
  const top = t.bits - 1;
  const sign = t.kind !== "s" || count === 0 ? 0n : (a! >> BigInt(Math.min(at + count - 1, top))) & 1n;
  const kept = (a! >> BigInt(at)) & maskOf(Math.min(count, Math.max(0, t.bits - at)));
  const have = Math.min(count, Math.max(0, t.bits - at));
  return sign === 0n ? kept : kept | (maskOf(t.bits) ^ maskOf(have));
});

const insert = typed(["same", "same", "u32", "u32"], ([a, b, p, n], t) => {
  const [at, count] = [Number(p! & 0xffn), Number(n! & 0xffn)];
  const mask = (maskOf(count) << BigInt(at)) & maskOf(t.bits);
  return (b! & ~mask) | ((a! << BigInt(at)) & mask);
});

/** `.clamp` and `.wrap` of a count of bits. */
const amount = (n: bigint, word: string, most: bigint): bigint => (word === "wrap" ? n & 31n : n > most ? most : n);

const extendSign: Build = (s) => {
  const word = s.words.need("clamp", "wrap");
  return typed(["same", "u32"], ([a, n], t) => {
    const count = Number(amount(n!, word, 32n));
    return t.kind === "s" ? BigInt.asIntN(count, a!) : BigInt.asUintN(count, a!);
  })(s);
};

const bitMask: Build = (s) => {
  const word = s.words.need("clamp", "wrap");
  return typed(["same", "u32"], ([a, n]) => {
    const [at, count] = [amount(a!, word, 32n), amount(n!, word, 32n)];
    return at >= 32n ? 0n : maskOf(Number(count)) << at;
  })(s);
};

const funnel: Build = (s) => {
  const left = s.words.need("l", "r") === "l";
  const word = s.words.need("clamp", "wrap");
  return typed(["same", "same", "u32"], ([a, b, c]) => {
    const n = amount(c!, word, 32n);
    const both = (b! << 32n) | a!;
    return left ? (both << n) >> 32n : both >> n;
  })(s);
};

/** Selector of byte i in the modes of prmt (PTX ISA 9.7.9.7): rows of the table by the two low bits. */
const modes: Readonly<Record<string, readonly string[]>> = {
  f4e: ["3210", "4321", "5432", "6543"],
  b4e: ["5670", "6701", "7012", "0123"],
  rc8: ["0000", "1111", "2222", "3333"],
  ecl: ["3210", "3211", "3222", "3333"],
  ecr: ["0000", "1110", "2210", "3210"],
  rc16: ["1010", "3232", "1010", "3232"],
};

const permute: Build = (s) => {
  const mode = s.words.oneOf("f4e", "b4e", "rc8", "ecl", "ecr", "rc16");
  return typed(["same", "same", "u32"], ([a, b, c]) => {
    const all = (b! << 32n) | a!;
    let v = 0n;
    for (let i = 0; i < 4; i++) {
      const chosen = mode === null ? (c! >> BigInt(4 * i)) & 15n : BigInt(`0x${modes[mode]![Number(c! & 3n)]![3 - i]}`);
      const byte = (all >> (8n * (chosen & 7n))) & 0xffn;
      v |= (chosen & 8n ? (byte & 0x80n ? 0xffn : 0n) : byte) << BigInt(8 * i);
    }
    return v;
  })(s);
};

const logic3: Build = (s) => {
  const op = s.words.oneOf("or", "and");
  const t = s.words.types()[0] ?? s.refuse("no type");
  s.words.done();
  const first = s.operand(0);
  const [to, p] = first.kind === "pair" ? [first.first, first.second] : [first, null];
  const write = s.write(to, t);
  const [a, b, c] = [1, 2, 3].map((i) => s.read(s.operand(i), t));
  const table = s.read(s.operand(4), U32);
  const q = op === null ? null : s.read(s.operand(5), PRED);
  const writeP = p === null ? null : s.write(p, PRED);
  return (x) => {
    const [u, v, w, f] = [a!(x), b!(x), c!(x), table(x)];
    let r = 0n;
    for (let k = 0n; k < 8n; k++) {
      if (((f >> k) & 1n) === 0n) continue;
      r |= (k & 4n ? u : ~u) & (k & 2n ? v : ~v) & (k & 1n ? w : ~w);
    }
    r &= 0xffffffffn;
    write(x, r);
    if (writeP !== null && q !== null)
      writeP(x, op === "or" ? (r !== 0n ? 1n : 0n) | q(x) : (r !== 0n ? 1n : 0n) & q(x));
  };
};
const PRED: Type = { name: "pred", bits: 1, kind: "pred", lanes: 1, element: 1, format: null };

/** Sums of products of bytes (`dp4a`) or of halves with bytes (`dp2a`). */
const dot =
  (count: number): Build =>
  (s) => {
    const high = count === 2 && s.words.need("lo", "hi") === "hi";
    const [ta, tb] = s.words.types();
    if (ta === undefined || tb === undefined) return s.refuse("two types");
    s.words.done();
    const to: Type = ta.kind === "s" || tb.kind === "s" ? { ...U32, kind: "s", name: "s32" } : U32;
    const write = s.write(s.operand(0), to);
    const [a, b, c] = [1, 2, 3].map((i) => s.read(s.operand(i), U32));
    const part = (v: bigint, i: number, bits: number, t: Type): bigint => {
      const x = (v >> BigInt(i * bits)) & maskOf(bits);
      return t.kind === "s" ? BigInt.asIntN(bits, x) : x;
    };
    return (x) => {
      let sum = c!(x);
      for (let i = 0; i < count; i++) sum += part(a!(x), i, 32 / count, ta) * part(b!(x), i + (high ? 2 : 0), 8, tb);
      write(x, BigInt.asUintN(32, sum));
    };
  };

/** The n-th set bit from a base on, upward or downward (PTX ISA, fns). */
const nthSet: Build = (s) => {
  s.words.types();
  s.words.done();
  const write = s.write(s.operand(0), U32);
  const [mask, base, offset] = [1, 2, 3].map((i) => s.read(s.operand(i), U32));
  return (x) => {
    const [m, b, n] = [mask!(x), Number(base!(x)), Number(BigInt.asIntN(32, offset!(x)))];
    const has = (i: number): boolean => ((m >> BigInt(i)) & 1n) === 1n;
    const step = n < 0 ? -1 : 1;
    let left = n === 0 ? 1 : Math.abs(n);
    for (let i = b; i >= 0 && i < 32; i += step) {
      if (has(i) && --left === 0) {
        write(x, BigInt(i));
        return;
      }
      if (n === 0) break;
    }
    write(x, 0xffffffffn);
  };
};

export const integers: Readonly<Record<string, Build>> = {
  add: (s) =>
    s.ins.modifiers.includes("cc") ? carrying(2, false, false, (a, b) => a + b)(s) : saturating(2, (a, b) => a + b)(s),
  // a − b − 1 + carry, in which carry means that nothing is borrowed.
  sub: (s) =>
    s.ins.modifiers.includes("cc")
      ? carrying(2, false, true, (a, b, _, t) => a + (b ^ maskOf(t.bits)))(s)
      : saturating(2, (a, b) => a - b)(s),
  addc: carrying(2, true, false, (a, b) => a + b),
  subc: carrying(2, true, true, (a, b, _, t) => a + (b ^ maskOf(t.bits))),
  mul: product(2),
  mad: product(3),
  madc: (s) => chained(s, s.words.need("lo", "hi"), true, s.words.take("cc")),
  mul24: product24(2),
  mad24: product24(3),
  sad: same(3, (a, b, c) => c + (a > b ? a - b : b - a)),
  div: same(2, divide),
  rem: same(2, remainder),
  abs: same(1, (a) => (a < 0n ? -a : a)),
  neg: same(1, (a) => -a),
  min: extreme(false),
  max: extreme(true),
  popc: counted(ones),
  clz: counted((v, t) => t.bits - lengthOf(v)),
  bfind: find,
  fns: nthSet,
  brev: same(1, (a, _, __, t) => reversed(a, t.bits)),
  bfe: extract,
  bfi: insert,
  szext: extendSign,
  bmsk: bitMask,
  dp4a: dot(4),
  dp2a: dot(2),
  and: same(2, (a, b) => a & b),
  or: same(2, (a, b) => a | b),
  xor: same(2, (a, b) => a ^ b),
  not: same(1, (a, _, __, t) => a ^ maskOf(t.bits)),
  cnot: same(1, (a) => (a === 0n ? 1n : 0n)),
  lop3: logic3,
  shl: shift((v, n) => v << n),
  shr: shift((v, n) => v >> n),
  shf: funnel,
  prmt: permute,
};
