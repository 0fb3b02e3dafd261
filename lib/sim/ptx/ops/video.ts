/** Video instructions (PTX ISA 9.7.18): parts of words, a scalar or two or four at once, a clamp, then a second operation or a merge. */
import type { Operand } from "../../../ptx/index.js";
import type { Build, Read, Site } from "../code.js";
import { maskOf, type Type, typeNamed, type Value } from "../types.js";

const U32: Type = typeNamed("u32")!;

/** A part of a word: where it begins and how many bits it has. */
type Part = readonly [at: number, bits: number];

function partOf(component: string | null): Part {
  if (component === null) return [0, 32];
  const n = Number(component[1]);
  return component[0] === "b" ? [8 * n, 8] : [16 * n, 16];
}

const extract = (v: Value, [at, bits]: Part, signed: boolean): bigint => {
  const x = (v >> BigInt(at)) & maskOf(bits);
  return signed ? BigInt.asIntN(bits, x) : x;
};

function clamp(v: bigint, bits: number, signed: boolean): bigint {
  const low = signed ? -(1n << BigInt(bits - 1)) : 0n;
  const top = low + maskOf(bits);
  return v < low ? low : v > top ? top : v;
}

interface Source {
  readonly read: Read;
  /** As written: `b3210` of the SIMD instructions, `h1` of the scalar ones. */
  readonly component: string | null;
  readonly negated: boolean;
}

function source(s: Site, o: Operand): Source {
  const inner = o.kind === "neg" ? o.operand : o;
  const component = inner.kind === "name" ? inner.component : null;
  const whole: Operand = inner.kind === "name" ? { ...inner, component: null } : inner;
  return { read: s.read(whole, U32), component, negated: o.kind === "neg" };
}

type Scalar = (a: bigint, b: bigint) => bigint;
const pick = (a: bigint, b: bigint, first: boolean): bigint => (first ? a : b);
const arithmetic: Readonly<Record<string, Scalar>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  absdiff: (a, b) => (a > b ? a - b : b - a),
  min: (a, b) => pick(a, b, a < b),
  max: (a, b) => pick(a, b, a > b),
  // Halves go away from zero.
  avrg: (a, b) => (a + b >= 0n ? a + b + 1n : a + b) >> 1n,
};
const relations: Readonly<Record<string, (a: bigint, b: bigint) => boolean>> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
};

/** Which operation the mnemonic names, after its modifiers. */
function operation(s: Site, name: string): Scalar {
  if (name === "set") {
    const holds = relations[s.words.need("eq", "ne", "lt", "le", "gt", "ge")]!;
    return (a, b) => (holds(a, b) ? 1n : 0n);
  }
  if (name !== "shl" && name !== "shr") return arithmetic[name] ?? s.refuse(name);
  const wrap = s.words.need("clamp", "wrap") === "wrap";
  return (a, b) => {
    const n = wrap ? b & 31n : b > 32n ? 32n : b;
    return name === "shl" ? a << n : a >> n;
  };
}

const seconds = ["add", "min", "max"] as const;

function scalar(name: string): Build {
  return (s) => {
    const types = s.words.types();
    const [ta, tb] = types.slice(-2);
    const to = types.length === 3 ? types[0]! : U32;
    if (ta === undefined || tb === undefined) return s.refuse("no types");
    const sat = s.words.take("sat");
    const f = operation(s, name);
    const second = s.words.oneOf(...seconds);
    s.words.done();
    const d = s.operand(0);
    const component = d.kind === "name" ? d.component : null;
    const part = partOf(component);
    const write = s.write(d.kind === "name" ? { ...d, component: null } : d, U32);
    const [a, b] = [source(s, s.operand(1)), source(s, s.operand(2))];
    const c = s.ins.operands.length > 3 ? source(s, s.operand(3)) : null;
    const signed = to.kind === "s";
    const [pa, pb] = [partOf(a.component), partOf(b.component)];
    return (t) => {
      let v = f(extract(a.read(t), pa, ta.kind === "s"), extract(b.read(t), pb, tb.kind === "s"));
      if (sat) v = clamp(v, part[1], signed);
      const third = c === null ? 0n : c.read(t);
      if (second !== null) v = arithmetic[second]!(v, extract(third, [0, 32], signed));
      if (component !== null) {
        const mask = maskOf(part[1]) << BigInt(part[0]);
        v = ((v << BigInt(part[0])) & mask) | (third & ~mask);
      }
      write(t, BigInt.asUintN(32, v));
    };
  };
}

const multiplyAdd: Build = (s) => {
  const [, ta, tb] = s.words.types();
  if (ta === undefined || tb === undefined) return s.refuse("no types");
  const po = s.words.take("po");
  const sat = s.words.take("sat");
  const scale = s.words.oneOf("shr7", "shr15");
  s.words.done();
  const write = s.write(s.operand(0), U32);
  const [a, b, c] = [1, 2, 3].map((i) => source(s, s.operand(i)));
  const [pa, pb] = [partOf(a!.component), partOf(b!.component)];
  const negated = a!.negated !== b!.negated;
  const signed = ta.kind === "s" || tb.kind === "s" || negated || c!.negated;
  const shift = scale === null ? 0n : BigInt(scale.slice(3));
  return (t) => {
    let product = extract(a!.read(t), pa, ta.kind === "s") * extract(b!.read(t), pb, tb.kind === "s");
    let third = extract(c!.read(t), [0, 32], signed);
    let one = 0n;
    if (po) one = 1n;
    else if (negated) [product, one] = [~product, 1n];
    else if (c!.negated) [third, one] = [extract(BigInt.asUintN(32, ~third), [0, 32], signed), 1n];
    const v = (product + third + one) >> shift;
    write(t, BigInt.asUintN(32, sat ? clamp(v, 32, signed) : v));
  };
};

/** The n parts that a selector such as `b7531` or `h10` names: digits from the upper part down, from 4 (2) on those of the second word. */
function chosen(s: Site, component: string | null, n: number, own: number): readonly number[] {
  if (component === null) return Array.from({ length: n }, (_, i) => i + own * n);
  const digits = [...component.slice(1)].map(Number).reverse();
  return digits.length === n ? digits : s.refuse(`.${component}`);
}

function simd(name: string, n: number): Build {
  return (s) => {
    const types = s.words.types();
    const [ta, tb] = types.slice(-2);
    const to = types.length === 3 ? types[0]! : U32;
    if (ta === undefined || tb === undefined) return s.refuse("no types");
    const sat = s.words.take("sat");
    const f = operation(s, name);
    const sum = s.words.take("add");
    s.words.done();
    const bits = 32 / n;
    const d = s.operand(0);
    const letter = n === 4 ? "b" : "h";
    const marks = d.kind === "name" && d.component !== null ? d.component : `${letter}${n === 4 ? "3210" : "10"}`;
    const lanes = [...marks.slice(1)].map(Number);
    const write = s.write(d.kind === "name" ? { ...d, component: null } : d, U32);
    const [a, b] = [source(s, s.operand(1)), source(s, s.operand(2))];
    const c = s.ins.operands.length > 3 ? s.read(s.operand(3), U32) : (): Value => 0n;
    const [fromA, fromB] = [chosen(s, a.component, n, 0), chosen(s, b.component, n, 1)];
    const signed = to.kind === "s";
    const part = (both: Value, k: number, t: Type): bigint => extract(both, [k * bits, bits], t.kind === "s");
    return (t) => {
      const both = (b.read(t) << 32n) | a.read(t);
      const third = c(t);
      let all = sum ? extract(third, [0, 32], signed) : third;
      for (let i = 0; i < n; i++) {
        if (!lanes.includes(i)) continue;
        let v = f(part(both, fromA[i]!, ta), part(both, fromB[i]!, tb));
        if (sat) v = clamp(v, bits, signed);
        if (sum) {
          all += v;
          continue;
        }
        const mask = maskOf(bits) << BigInt(i * bits);
        all = (all & ~mask) | ((v << BigInt(i * bits)) & mask);
      }
      write(t, BigInt.asUintN(32, all));
    };
  };
}

const names = ["add", "sub", "absdiff", "min", "max", "set"];
export const video: Readonly<Record<string, Build>> = {
  ...Object.fromEntries([...names, "shl", "shr"].map((n) => [`v${n}`, scalar(n)])),
  vmad: multiplyAdd,
  ...Object.fromEntries([2, 4].flatMap((n) => [...names, "avrg"].map((x) => [`v${x}${n}`, simd(x, n)]))),
};
