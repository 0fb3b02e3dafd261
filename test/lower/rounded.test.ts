/**
 * f32 division, reciprocal and square root rounded to nearest, in line and by the routine after the gate: against the same operation
 * in f64 rounded to f32, which is right since f64 has more than 2·24 + 2 bits (Figueroa).
 */
import { compile } from "../../lib/compile";
import { simulate } from "../../lib/sim/index";
import { fma32 } from "../../lib/sim/number/f32";
import { moduleHeader } from "./harness";

const floats = new Float32Array(1);
const words = new Uint32Array(floats.buffer);
const value = (bits: number): number => {
  words[0] = bits;
  return floats[0]!;
};
const bitsOf = (x: number): number => {
  floats[0] = x;
  return Number.isNaN(x) ? 0x7fc00000 : words[0]!;
};
const leastNormal = 2 ** -126;
const flush = (x: number): number => (Math.abs(x) < leastNormal ? (x < 0 || Object.is(x, -0) ? -0 : 0) : x);

const operations: Record<string, (a: number, b: number) => number> = {
  div: (a, b) => a / b,
  rcp: (a) => 1 / a,
  sqrt: (a) => Math.sqrt(a),
};

/** Significands m of 25 bits with a·2ᵏ − b·m = c small: a/b as near to the middle of two floats as can be. */
function nearMiddle(b: number, k: 24 | 25, c: number): number | null {
  // Inverse of the odd b modulo 2ᵏ by Newton's steps.
  let inverse = 1n;
  const [big, modulus] = [BigInt(b), 1n << BigInt(k)];
  for (let i = 0; i < 5; i++) inverse = (inverse * (2n - big * inverse)) & (modulus - 1n);
  let m = (-BigInt(c) * inverse) & (modulus - 1n);
  if (m < 1n << 24n) m += modulus;
  const a = Number((big * m + BigInt(c)) >> BigInt(k));
  return m < 1n << 25n && a >= 2 ** 23 && a < 2 ** 24 ? a : null;
}

let state = 0x2545f491;
function random(): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return state >>> 0;
}

const edges = [
  0, 1, 2, 0x003fffff, 0x00400000, 0x007fffff, 0x00800000, 0x00800001, 0x00ffffff, 0x01000000, 0x0cffffff, 0x0d000000,
  0x0d000001, 0x33800000, 0x3effffff, 0x3f000000, 0x3f000001, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fffffff,
  0x40000000, 0x40490fdb, 0x4b7fffff, 0x7e7fffff, 0x7e800000, 0x7e800001, 0x7effffff, 0x7f000000, 0x7f000001,
  0x7f7ffffe, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff,
].flatMap((x) => [x, (x | 0x80000000) >>> 0]);
for (let e = 1; e < 255; e++) edges.push(e << 23);

const hardAndRandom = 5e4;

/** Edges against each other, then `more` pairs: hard quotients at random exponents, and random bits. */
function operands(more: number): [Uint32Array, Uint32Array] {
  const a: number[] = [];
  const b: number[] = [];
  for (const x of edges)
    for (const y of edges) {
      a.push(x);
      b.push(y);
    }
  const count = a.length + more;
  while (a.length < count) {
    const r = random();
    if (r & 1) {
      const divisor = 0x800001 | (random() & 0x7fffff);
      const dividend = nearMiddle(divisor, r & 2 ? 24 : 25, [-5, -3, -1, 1, 3, 5][random() % 6]!);
      if (dividend === null) continue;
      // Quotients from the subnormal to the overflowing.
      const e = 1 + (random() % 254);
      a.push((e << 23) | (dividend & 0x7fffff));
      b.push((Math.max(1, Math.min(254, e + (random() % 300) - 150)) << 23) | (divisor & 0x7fffff));
    } else {
      a.push(random());
      b.push(random());
    }
  }
  const n = Math.ceil(a.length / 128) * 128;
  const [x, y] = [new Uint32Array(n), new Uint32Array(n)];
  x.set(a);
  y.set(b);
  return [x, y];
}

const kernel = (code: string): string => `.visible .entry k(.param .u64 pd, .param .u64 pa, .param .u64 pb)
{
  .reg .u64 %p, %o; .reg .u32 %i, %n, %t; .reg .f32 %a, %b, %d;
  mov.u32 %i, %ctaid.x; mov.u32 %n, %ntid.x; mov.u32 %t, %tid.x; mad.lo.u32 %i, %i, %n, %t; mul.wide.u32 %o, %i, 4;
  ld.param.u64 %p, [pa]; add.u64 %p, %p, %o; ld.global.f32 %a, [%p];
  ld.param.u64 %p, [pb]; add.u64 %p, %p, %o; ld.global.f32 %b, [%p];
  ${code}
  ld.param.u64 %p, [pd]; add.u64 %p, %p, %o; st.global.f32 [%p], %d;
  ret;
}`;

const cases = ["div", "rcp", "sqrt"].flatMap((op) => [
  [op, "", "sm_75", 3] as const,
  [op, ".ftz", "sm_90", 3] as const,
  [op, "", "sm_120", 0] as const,
  [op, ".ftz", "sm_120", 3] as const,
]);

test.each(cases)("%s.rn%s.f32 on %s at -O%i", (op, ftz, target, opt) => {
  const [a, b] = operands(hardAndRandom);
  const made = compile(moduleHeader(target) + kernel(`${op}.rn${ftz}.f32 %d, %a${op === "div" ? ", %b" : ""};`), {
    target,
    opt,
    verify: true,
  });
  expect([made.diagnostics, made.internalErrors]).toEqual([[], []]);
  const d = new Uint32Array(a.length);
  const run = simulate(made.cubin!, { kernel: "k", grid: a.length / 128, block: 128, params: [d, a, b] });
  expect(run.ok && run.value.fault === null).toBe(true);
  const put = ftz === "" ? (x: number): number => x : flush;
  const wrong: string[] = [];
  a.forEach((bits, i) => {
    const exact = operations[op]!(put(value(bits)), put(value(b[i]!)));
    // Where .ftz makes a result zero, PTX leaves open whether before rounding or after.
    const wanted = [bitsOf(put(Math.fround(exact)))];
    if (ftz !== "") wanted.push(bitsOf(Math.fround(put(exact))));
    if (!wanted.includes(bitsOf(value(d[i]!)))) {
      wrong.push(`${[bits, b[i]!, d[i]!, ...wanted].map((x) => x.toString(16)).join(" ")}`);
    }
  });
  expect(wrong.slice(0, 8)).toEqual([]);
});

describe("whatever MUFU gives within its bound", () => {
  const fma = (a: number, b: number, c: number): number => fma32(a, b, c);
  const { fround } = Math;
  /** The floats beside x within `bound` of it. */
  const around = (x: number, bound: number): number[] =>
    [-3, -2, -1, 0, 1, 2, 3].map((k) => value(bitsOf(fround(x)) + k)).filter((y) => Math.abs(y - x) <= bound);
  const refined = (b: number, r: number): number => fma(r, fma(-b, r, 1), r);

  test("reciprocals and quotients", () => {
    const wrong: string[] = [];
    // A prime stride over all odd significands, and the largest one.
    for (let m = 0x800001; m < 0x1000000; m += m + 2 * 251 < 0x1000000 || m === 0xffffff ? 2 * 251 : 0xffffff - m) {
      const b = m / 2 ** 23;
      for (const r of around(1 / b, 2 ** -24)) {
        const y = refined(b, r);
        if (y !== fround(1 / b)) wrong.push(`rcp ${bitsOf(b).toString(16)} from ${bitsOf(r).toString(16)}`);
        for (const k of [24, 25] as const)
          for (const c of [-5, -3, -1, 1, 3, 5]) {
            const n = nearMiddle(m, k, c);
            if (n === null || y !== fround(1 / b)) continue;
            const a = n / 2 ** 23;
            const q = fma(a, y, 0);
            if (fma(y, fma(-b, q, a), q) !== fround(a / b)) wrong.push(`${n} / ${m} from ${bitsOf(r).toString(16)}`);
          }
      }
    }
    // The exception that the docstring of lower/rounded.ts names.
    expect(wrong).toEqual(["rcp 3fffffff from 3f000000"]);
  });

  test("square roots", () => {
    const wrong: string[] = [];
    const tried = [0x3ffc114a, 0x406e9372];
    for (let x = 0x3f800000; x < 0x40800000; x += 251) tried.push(x);
    for (const bits of tried) {
      const x = value(bits);
      const exact = 1 / Math.sqrt(x);
      for (const r of around(exact, exact * 2 ** -22.9)) {
        const s = fround(x * r);
        if (fma(fma(-s, s, x), fround(r / 2), s) !== fround(Math.sqrt(x)))
          wrong.push(`${bits.toString(16)} from ${bitsOf(r).toString(16)}`);
      }
    }
    expect(wrong).toEqual(["3ffc114a from 3f366d09", "406e9372 from 3f049780"]);
  });
});
