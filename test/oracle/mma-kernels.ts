/**
 * Kernels of one `mma` each, and what they should compute. Every register of a fragment is loaded from and stored to memory as it
 * is; which element it holds comes from the formulas of the PTX ISA (9.7.14.5.1 to .13), written here once more, element by element.
 */

/** Row and column of element `i` that lane `l` holds. */
type Place = (g: number, t: number, i: number) => readonly [row: number, column: number];

interface Layout {
  readonly rows: number;
  readonly depth: number;
  readonly a: Place;
  /** Row is along k. */
  readonly b: Place;
}

const low = (i: number, n: number): boolean => i % (2 * n) < n;

/** Keyed by shape and bits of an element. */
const layouts: Readonly<Record<string, Layout>> = {
  "m8n8k4/64": { rows: 8, depth: 4, a: (g, t) => [g, t], b: (g, t) => [t, g] },
  "m8n8k16/8": { rows: 8, depth: 16, a: (g, t, i) => [g, t * 4 + i], b: (g, t, i) => [t * 4 + i, g] },
  "m8n8k32/4": { rows: 8, depth: 32, a: (g, t, i) => [g, t * 8 + i], b: (g, t, i) => [t * 8 + i, g] },
  "m8n8k128/1": { rows: 8, depth: 128, a: (g, t, i) => [g, t * 32 + i], b: (g, t, i) => [t * 32 + i, g] },
  "m16n8k4/32": { rows: 16, depth: 4, a: (g, t, i) => [i === 0 ? g : g + 8, t], b: (g, t) => [t, g] },
  "m16n8k4/64": { rows: 16, depth: 4, a: (g, t, i) => [i === 0 ? g : g + 8, t], b: (g, t) => [t, g] },
  "m16n8k8/16": {
    rows: 16,
    depth: 8,
    a: (g, t, i) => [i < 2 ? g : g + 8, t * 2 + (i & 1)],
    b: (g, t, i) => [t * 2 + i, g],
  },
  "m16n8k8/32": {
    rows: 16,
    depth: 8,
    a: (g, t, i) => [i === 0 || i === 2 ? g : g + 8, i < 2 ? t : t + 4],
    b: (g, t, i) => [i === 0 ? t : t + 4, g],
  },
  "m16n8k8/64": {
    rows: 16,
    depth: 8,
    a: (g, t, i) => [i === 0 || i === 2 ? g : g + 8, i < 2 ? t : t + 4],
    b: (g, t, i) => [i === 0 ? t : t + 4, g],
  },
  "m16n8k16/16": {
    rows: 16,
    depth: 16,
    a: (g, t, i) => [i < 2 || (i >= 4 && i < 6) ? g : g + 8, t * 2 + (i & 1) + (i < 4 ? 0 : 8)],
    b: (g, t, i) => [t * 2 + (i & 1) + (i < 2 ? 0 : 8), g],
  },
  "m16n8k16/64": {
    rows: 16,
    depth: 16,
    a: (g, t, i) => (i % 2 === 0 ? [g, i * 2 + t] : [g + 8, i * 2 - 2 + t]),
    b: (g, t, i) => [t + i * 4, g],
  },
  "m16n8k16/8": {
    rows: 16,
    depth: 16,
    a: (g, t, i) => [i < 4 ? g : g + 8, t * 4 + (i & 3)],
    b: (g, t, i) => [t * 4 + i, g],
  },
  "m16n8k32/4": {
    rows: 16,
    depth: 32,
    a: (g, t, i) => [i < 8 ? g : g + 8, t * 8 + (i & 7)],
    b: (g, t, i) => [t * 8 + (i & 7), g],
  },
  "m16n8k32/8": {
    rows: 16,
    depth: 32,
    a: (g, t, i) => [low(i, 4) ? g : g + 8, t * 4 + (i & 3) + (i < 8 ? 0 : 16)],
    b: (g, t, i) => [t * 4 + (i & 3) + (i < 4 ? 0 : 16), g],
  },
  "m16n8k64/4": {
    rows: 16,
    depth: 64,
    a: (g, t, i) => [low(i, 8) ? g : g + 8, t * 8 + (i & 7) + (i < 16 ? 0 : 32)],
    b: (g, t, i) => [t * 8 + (i & 7) + (i < 8 ? 0 : 32), g],
  },
  "m16n8k128/1": {
    rows: 16,
    depth: 128,
    a: (g, t, i) => [i < 32 ? g : g + 8, t * 32 + (i & 31)],
    b: (g, t, i) => [t * 32 + i, g],
  },
  "m16n8k256/1": {
    rows: 16,
    depth: 256,
    a: (g, t, i) => [low(i, 32) ? g : g + 8, t * 32 + (i & 31) + (i < 64 ? 0 : 128)],
    b: (g, t, i) => [t * 32 + (i & 31) + (i < 32 ? 0 : 128), g],
  },
};

const accumulator: Place = (g, t, i) => [i < 2 ? g : g + 8, t * 2 + (i & 1)];

// ------------------------------------------------------------------------------------------------ values

/** A float that the format holds exactly, as its bits. */
function encode(x: number, exponentBits: number, fractionBits: number): number {
  const sign = x < 0 || Object.is(x, -0) ? 1 : 0;
  const m = Math.abs(x);
  const bias = 2 ** (exponentBits - 1) - 1;
  let pattern = 0;
  if (m !== 0) {
    const e = Math.max(Math.floor(Math.log2(m)), 1 - bias);
    const significand = (m / 2 ** e) * 2 ** fractionBits;
    pattern =
      significand < 2 ** fractionBits ? significand : (e + bias) * 2 ** fractionBits + significand - 2 ** fractionBits;
  }
  if (!Number.isInteger(pattern)) throw new Error(`${x} is not exact`);
  return sign * 2 ** (exponentBits + fractionBits) + pattern;
}

interface Type {
  readonly bits: number;
  readonly bitsOf: (x: number) => number;
  /** A value from a random 32-bit number. */
  readonly pick: (r: number) => number;
}

const smallValues = [0, 0.5, 1, 1.5, 2, 3, -0.5, -1, -1.5, -2, -3, 4, -4];
const small = (r: number): number => smallValues[r % smallValues.length]!;
const float = (bits: number, e: number, f: number): Type => ({ bits, bitsOf: (x) => encode(x, e, f), pick: small });
const integer = (bits: number, signed: boolean): Type => ({
  bits,
  bitsOf: (x) => x & (2 ** bits - 1),
  pick: (r) => (r & (2 ** bits - 1)) - (signed ? 2 ** (bits - 1) : 0),
});

export const types: Readonly<Record<string, Type>> = {
  f16: float(16, 5, 10),
  bf16: float(16, 8, 7),
  tf32: float(32, 8, 23),
  f32: float(32, 8, 23),
  f64: { bits: 64, bitsOf: (x) => x, pick: small },
  e4m3: float(8, 4, 3),
  e5m2: float(8, 5, 2),
  e3m2: float(8, 3, 2),
  e2m3: float(8, 2, 3),
  // In the middle four bits of the byte.
  e2m1: { bits: 8, bitsOf: (x) => encode(x, 2, 1) << 2, pick: small },
  s8: integer(8, true),
  u8: integer(8, false),
  s4: integer(4, true),
  u4: integer(4, false),
  b1: integer(1, false),
  s32: { bits: 32, bitsOf: (x) => x >>> 0, pick: (r) => r | 0 },
};

/** Numbers that are the same each time. */
export function random(seed: number): () => number {
  let x = seed >>> 0;
  return () => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    return (x ^ (x >>> 15)) >>> 0;
  };
}

// ------------------------------------------------------------------------------------------------ cases

export interface MmaCase {
  readonly ptx: string;
  readonly shape: string;
  readonly a: string;
  readonly b: string;
  readonly c: string;
  /** SMs, as 10 · number; `120` alone: the target with all its features. */
  readonly sms: readonly number[];
  readonly saturates: boolean;
  readonly and: boolean;
}

const all = [75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121];
const from = (sm: number): number[] => all.filter((x) => x >= sm);

function mma(shape: string, d: string, a: string, b: string, sms: readonly number[], more = ""): MmaCase {
  const [before, after] = more.startsWith(".kind") || more === ".satfinite" ? [more, ""] : ["", more];
  const ptx = `mma.sync.aligned.${shape}.row.col${before}.${d}.${a}.${b}.${d}${after}`;
  return { ptx, shape, a, b, c: d, sms, saturates: more === ".satfinite", and: more === ".and.popc" };
}

const pairs = (names: readonly string[]): [string, string][] =>
  names.flatMap((a) => names.map((b): [string, string] => [a, b]));

export const mmaCases: readonly MmaCase[] = [
  mma("m16n8k8", "f16", "f16", "f16", all),
  mma("m16n8k8", "f32", "f16", "f16", all),
  mma("m16n8k16", "f16", "f16", "f16", from(80)),
  mma("m16n8k16", "f32", "f16", "f16", from(80)),
  mma("m16n8k8", "f32", "bf16", "bf16", from(80)),
  mma("m16n8k16", "f32", "bf16", "bf16", from(80)),
  mma("m16n8k4", "f32", "tf32", "tf32", from(80)),
  mma("m16n8k8", "f32", "tf32", "tf32", from(80)),
  mma("m8n8k4", "f64", "f64", "f64", from(80)),
  ...["m16n8k4", "m16n8k8", "m16n8k16"].map((s) => mma(s, "f64", "f64", "f64", from(90))),
  ...pairs(["s8", "u8"]).flatMap(([a, b]) => [
    ...["m8n8k16"].flatMap((s) => [mma(s, "s32", a, b, all), mma(s, "s32", a, b, all, ".satfinite")]),
    ...["m16n8k16", "m16n8k32"].flatMap((s) => [
      mma(s, "s32", a, b, from(80)),
      mma(s, "s32", a, b, from(80), ".satfinite"),
    ]),
  ]),
  ...pairs(["s4", "u4"]).flatMap(([a, b]) => [
    mma("m8n8k32", "s32", a, b, all),
    mma("m8n8k32", "s32", a, b, all, ".satfinite"),
    mma("m16n8k32", "s32", a, b, from(80)),
    mma("m16n8k64", "s32", a, b, from(80), ".satfinite"),
    mma("m16n8k64", "s32", a, b, from(80)),
  ]),
  mma("m8n8k128", "s32", "b1", "b1", all, ".xor.popc"),
  mma("m8n8k128", "s32", "b1", "b1", from(80), ".and.popc"),
  ...["m16n8k128", "m16n8k256"].flatMap((s) => [
    mma(s, "s32", "b1", "b1", from(80), ".xor.popc"),
    mma(s, "s32", "b1", "b1", from(80), ".and.popc"),
  ]),
  ...pairs(["e4m3", "e5m2"]).flatMap(([a, b]) => [
    mma("m16n8k16", "f16", a, b, from(89)),
    mma("m16n8k16", "f32", a, b, from(89)),
    mma("m16n8k32", "f16", a, b, from(89)),
    mma("m16n8k32", "f32", a, b, from(89)),
  ]),
  ...pairs(["e4m3", "e5m2", "e3m2", "e2m3", "e2m1"]).flatMap(([a, b]) => [
    mma("m16n8k32", "f32", a, b, [120, 121], ".kind::f8f6f4"),
    mma("m16n8k32", "f16", a, b, [120, 121], ".kind::f8f6f4"),
  ]),
];

interface Counts {
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

function layoutOf(c: MmaCase): Layout {
  return layouts[`${c.shape}/${types[c.a]!.bits}`]!;
}

/** 32-bit words per lane. */
function counts(c: MmaCase): Counts {
  const { rows, depth } = layoutOf(c);
  const words = (elements: number, type: string): number => (elements * types[type]!.bits) / 32 / 32;
  return { a: words(rows * depth, c.a), b: words(8 * depth, c.b), c: words(rows * 8, c.c) };
}

/** Register class of a type in PTX. */
const classOf = (type: string): string => (type === "f64" || type === "f32" ? type : "b32");

/** A kernel of one product: word w of a lane's A, then B, C, D is at 4 · (32 w + lane) of the buffer; f64 takes two. */
export function mmaKernel(name: string, c: MmaCase): string {
  const n = counts(c);
  const list = (prefix: string, type: string, words: number): string[] =>
    Array.from({ length: words / (type === "f64" ? 2 : 1) }, (_, i) => `%${prefix}${i}`);
  const wide = c.a === "f64";
  const load = (names: string[], type: string, first: number): string =>
    names
      .map((r, i) => `  ld.global.${classOf(type)} ${r}, [%q+${(first * (wide ? 1 : 1) + i * (wide ? 2 : 1)) * 128}];`)
      .join("\n");
  const [a, b, cc, d] = [list("a", c.a, n.a), list("b", c.b, n.b), list("c", c.c, n.c), list("d", c.c, n.c)];
  const declare = (prefix: string, type: string): string => `  .reg .${classOf(type)} %${prefix}<64>;`;
  return `.visible .entry ${name}(.param .u64 p)
{
  .reg .b64 %q; .reg .b32 %l;
${declare("a", c.a)}
${declare("b", c.b)}
${declare("c", c.c)}
${declare("d", c.c)}
  ld.param.u64 %q, [p]; mov.u32 %l, %tid.x; mad.wide.u32 %q, %l, ${wide ? 8 : 4}, %q;
${load(a, c.a, 0)}
${load(b, c.b, n.a)}
${load(cc, c.c, n.a + n.b)}
  ${c.ptx} {${d.join(",")}}, {${a.join(",")}}, {${b.join(",")}}, {${cc.join(",")}};
${d.map((r, i) => `  st.global.${classOf(c.c)} [%q+${(n.a + n.b + n.c + i * (wide ? 2 : 1)) * 128}], ${r};`).join("\n")}
  ret;
}
`;
}

export interface MmaData {
  /** The buffer before the launch. */
  readonly input: Uint32Array;
  /** Words of D, as at the end of the buffer. */
  readonly expected: Uint32Array;
}

/** Random matrices, their fragments, and the fragments of the product. */
export function mmaData(c: MmaCase, seed: number): MmaData {
  const layout = layoutOf(c);
  const { rows, depth } = layout;
  const n = counts(c);
  const next = random(seed);
  const matrix = (count: number, type: string): number[] =>
    Array.from({ length: count }, () => types[type]!.pick(next()));
  const A = matrix(rows * depth, c.a);
  const B = matrix(depth * 8, c.b);
  const C = matrix(rows * 8, c.c).map((x) =>
    c.saturates && x % 3 ? (x < 0 ? -0x80000000 + (x & 0xff) : 0x7fffffff - (x & 0xff)) : x,
  );
  const D = C.map((x, at) => {
    const [i, j] = [Math.floor(at / 8), at % 8];
    let sum = x;
    for (let k = 0; k < depth; k++) {
      const [p, q] = [A[i * depth + k]!, B[k * 8 + j]!];
      sum += c.a === "b1" ? (c.and ? p & q : p ^ q) : p * q;
    }
    if (c.saturates) return Math.max(-0x80000000, Math.min(0x7fffffff, sum));
    return c.c === "s32" ? Number(BigInt.asIntN(32, BigInt(sum))) : sum;
  });
  const input = new Uint32Array((n.a + n.b + 2 * n.c) * 32);
  const expected = new Uint32Array(n.c * 32);
  const put = (
    into: Uint32Array,
    first: number,
    words: number,
    type: string,
    place: Place,
    value: (r: number, c: number) => number,
  ): void => {
    const { bits, bitsOf } = types[type]!;
    const perWord = 32 / bits;
    const doubles = new Float64Array(into.buffer);
    for (let l = 0; l < 32; l++)
      for (let i = 0; i < words * perWord; i++) {
        const [r, k] = place(l >> 2, l & 3, i);
        const x = value(r, k);
        if (bits === 64) doubles[(first * 32) / 2 + i * 32 + l] = x;
        else into[(first + Math.floor(i / perWord)) * 32 + l]! |= bitsOf(x) << (bits * (i % perWord));
      }
  };
  put(input, 0, n.a, c.a, layout.a, (i, k) => A[i * depth + k]!);
  put(input, n.a, n.b, c.b, layout.b, (k, j) => B[k * 8 + j]!);
  put(input, n.a + n.b, n.c, c.c, accumulator, (i, j) => C[i * 8 + j]!);
  put(expected, 0, n.c, c.c, accumulator, (i, j) => D[i * 8 + j]!);
  return { input, expected };
}
