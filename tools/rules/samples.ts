/** Operands and literals on which rules are tried: edges first, then random ones from a fixed seed. */
import { evaluate } from "../../lib/rules/expression.js";
import type { PatternInst, Rule } from "../../lib/rules/syntax.js";

/** A generator of words (xorshift32). */
export function words(seed: number): () => number {
  let x = (seed * 0x9e3779b9 + 0x12345) >>> 0 || 1;
  return () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    x >>>= 0;
    return x;
  };
}

/** Integers, bits of f32, f64 (upper halves) and of pairs of f16 at which something changes. */
const edges: readonly number[] = [
  0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 24, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000,
  0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x3f800000, 0xbf800000, 0x3f000000,
  0x40000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x00800000, 0x007fffff, 0x80800000, 0x7f7fffff,
  0xff7fffff, 0x3f7fffff, 0x3f800001, 0x4f000000, 0xcf000000, 0x3ff00000, 0xbff00000, 0x7ff00000, 0xfff00000,
  0x7ff80000, 0x00100000, 0x3c003c00, 0xbc00bc00, 0x7c007c00, 0xfc000400, 0x7e000001, 0x04008400, 0x12345678,
];

/** Rows of eight words: all pairs of edges in the first two, then edges and random words mixed. */
export function operandRows(rows: number, seed: number): Uint32Array {
  const next = words(seed + 1);
  const some = (): number => (next() % 4 === 0 ? next() : edges[next() % edges.length]!);
  const out = new Uint32Array(rows * 8);
  for (let n = 0; n < rows; n++) {
    const wild = n % 3 === 0;
    for (let k = 0; k < 8; k++) out[8 * n + k] = wild ? next() : some();
    if (n >= edges.length * edges.length || wild) continue;
    out[8 * n] = edges[n % edges.length]!;
    out[8 * n + 1] = edges[Math.floor(n / edges.length)]!;
  }
  return out;
}

function literalNames(i: PatternInst, into: Set<string>): Set<string> {
  for (const s of i.srcs) {
    if (s.is === "literal" && s.name !== null) into.add(s.name);
    if (s.is === "inner") literalNames(s.inst, into);
  }
  return into;
}

/** Values for the literals of a rule under which its conditions hold, up to `count`; one empty map where it has none. */
export function literalSamples(rule: Rule, count: number): ReadonlyMap<string, number>[] {
  const names = [...literalNames(rule.left, new Set())];
  if (names.length === 0) return [new Map()];
  const next = words(7);
  const found: Map<string, number>[] = [];
  for (let tries = 0; tries < 200_000 && found.length < count; tries++) {
    const one = new Map(
      names.map((n) => [n, next() % 8 === 0 ? next() : next() % 2 === 0 ? next() % 33 : edges[next() % edges.length]!]),
    );
    if (rule.conditions.every((e) => evaluate(e, (n) => one.get(n)!) !== 0)) found.push(one);
  }
  if (found.length === 0) throw new Error(`${rule.name}: no literals meet its conditions`);
  return found;
}
