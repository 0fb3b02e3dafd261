/**
 * Operands of the instruction kernels: one buffer that all of them read. A pool is a kind of value (32-bit integers, f16 pairs, shift
 * counts …) with four columns, one for each source of an instruction; a column has one cell of 8 bytes for each row (thread). The first two
 * columns meet every edge value with every other one; the rest is edge values and random bits of random length.
 */

/** Threads of a launch, and threads per block. */
export const ROWS = 1024;
export const BLOCK = 128;
export const COLUMNS = 4;

export const pools = ["i16", "i32", "i64", "count", "byte", "f16", "bf16", "f32", "f64", "f16x2", "bf16x2"] as const;
export type Pool = (typeof pools)[number];

/** Byte offset of a row's cell in a column from the row's first cell. */
export function columnOffset(pool: Pool, column: number): number {
  return (pools.indexOf(pool) * COLUMNS + (column % COLUMNS)) * ROWS * 8;
}

/** xorshift64*, upper bits. */
function stream(seed: bigint): (bits: number) => bigint {
  const all = (1n << 64n) - 1n;
  let x = (seed * 0x9e3779b97f4a7c15n) & all;
  return (bits) => {
    x ^= (x << 13n) & all;
    x ^= x >> 7n;
    x ^= (x << 17n) & all;
    return ((x * 0x2545f4914f6cdd1dn) & all) >> BigInt(64 - bits);
  };
}
type Stream = ReturnType<typeof stream>;

const powers = (bits: readonly number[]): bigint[] => bits.map((b) => 1n << BigInt(b));

function integerEdges(bits: number): bigint[] {
  const top = 1n << BigInt(bits - 1);
  const full = (1n << BigInt(bits)) - 1n;
  const wide =
    bits === 16
      ? []
      : bits === 32
        ? [0x7fffn, 0x8000n, 0xffffn, 0x10000n, 0xffff8000n]
        : [...powers([31, 32, 33]), 0x7fffffffn, 0xffffffffn, 0xffffffff80000000n, 0xffffffff7fffffffn];
  return [
    0n,
    1n,
    2n,
    3n,
    full,
    full - 1n,
    top,
    top - 1n,
    top + 1n,
    0x7fn,
    0x80n,
    0xffn,
    0x100n,
    full - 0x7fn,
    full - 0x80n,
    ...wide,
  ];
}

interface Format {
  readonly bits: number;
  /** Bits of the fraction. */
  readonly fraction: number;
}
const formats: Readonly<Record<"f16" | "bf16" | "f32" | "f64", Format>> = {
  f16: { bits: 16, fraction: 10 },
  bf16: { bits: 16, fraction: 7 },
  f32: { bits: 32, fraction: 23 },
  f64: { bits: 64, fraction: 52 },
};

const exponentBits = (f: Format): number => f.bits - 1 - f.fraction;
const biasOf = (f: Format): bigint => (1n << BigInt(exponentBits(f) - 1)) - 1n;
const scaled = (f: Format, exponent: number, fraction = 0n): bigint =>
  ((biasOf(f) + BigInt(exponent)) << BigInt(f.fraction)) | fraction;

/** Zeros, ones, least and largest numbers of each kind, infinities, quiet and signalling NaNs with payloads, both signs. */
function floatEdges(f: Format): bigint[] {
  const one = 1n << BigInt(f.fraction);
  const infinity = ((1n << BigInt(exponentBits(f))) - 1n) << BigInt(f.fraction);
  const some = [
    0n,
    1n,
    one - 1n,
    one,
    one + 1n,
    scaled(f, 0),
    scaled(f, 0, 1n),
    scaled(f, 0) - 1n,
    scaled(f, 1),
    scaled(f, -1),
    scaled(f, 0, one >> 1n),
    infinity - 1n,
    infinity,
    infinity | 1n,
    infinity | (one >> 1n),
    infinity | (one >> 1n) | 5n,
  ];
  const sign = 1n << BigInt(f.bits - 1);
  return some.flatMap((x) => [x, x | sign]);
}

/** A number near the places where conversions to integers and sums change their behaviour. */
function randomFloat(f: Format, next: Stream): bigint {
  const kind = Number(next(3));
  const bits = next(f.bits);
  if (kind < 3) return bits;
  // Around one, up to the integers of 64 bits; fractions with few bits, so that ties occur.
  const span = f.bits === 16 && f.fraction === 10 ? 28 : 80;
  const exponent = (Number(next(16)) % span) - (span === 28 ? 13 : 12);
  let fraction = bits & ((1n << BigInt(f.fraction)) - 1n);
  if (kind < 6) fraction = (fraction >> BigInt(f.fraction - 3)) << BigInt(f.fraction - 3);
  if (kind === 6) fraction = (fraction & 1n) === 0n ? (1n << BigInt(f.fraction)) - 1n : 0n;
  return scaled(f, exponent, fraction) | (next(1) << BigInt(f.bits - 1));
}

/** Values around powers of two, ± a half, as large as integer types end. */
function integralEdges(f: Format): bigint[] {
  const top = biasOf(f);
  return [7, 8, 15, 16, 31, 32, 63, 64]
    .filter((e) => BigInt(e) <= top)
    .flatMap((e) => {
      const x = scaled(f, e);
      const sign = 1n << BigInt(f.bits - 1);
      return [x, x - 1n, x + 1n, x | sign, (x - 1n) | sign, (x + 1n) | sign];
    });
}

interface Source {
  readonly edges: readonly bigint[];
  /** Further special values, of columns without crossing. */
  readonly more: readonly bigint[];
  readonly random: (next: Stream) => bigint;
}

function sourceOf(pool: Pool): Source {
  switch (pool) {
    case "i16":
    case "i32":
    case "i64": {
      const bits = Number(pool.slice(1));
      return { edges: integerEdges(bits), more: [], random: (next) => next(bits) >> BigInt(Number(next(8)) % bits) };
    }
    case "count":
      return {
        edges: [
          0n,
          1n,
          7n,
          8n,
          15n,
          16n,
          17n,
          31n,
          32n,
          33n,
          63n,
          64n,
          65n,
          127n,
          128n,
          255n,
          256n,
          257n,
          0x1_00n + 31n,
          0x7fffffffn,
          0x80000000n,
          0xffffffffn,
          0xffffff00n,
        ],
        more: [],
        random: (next) => (next(2) === 0n ? next(32) : next(6)),
      };
    case "byte":
      // What PTX restricts to 0 … 255.
      return {
        edges: [0n, 1n, 7n, 8n, 15n, 16n, 31n, 32n, 33n, 63n, 64n, 65n, 127n, 128n, 254n, 255n],
        more: [],
        random: (next) => (next(2) === 0n ? next(8) : next(6)),
      };
    case "f16x2":
    case "bf16x2": {
      const half = sourceOf(pool === "f16x2" ? "f16" : "bf16");
      const all = [...half.edges, ...half.more];
      const some = (next: Stream): bigint => (next(1) === 0n ? all[Number(next(16)) % all.length]! : half.random(next));
      return {
        edges: half.edges.map((e, i) => (half.edges[(i * 5 + 3) % half.edges.length]! << 16n) | e),
        more: [],
        random: (next) => (some(next) << 16n) | some(next),
      };
    }
    default: {
      const f = formats[pool];
      return { edges: floatEdges(f), more: integralEdges(f), random: (next) => randomFloat(f, next) };
    }
  }
}

/** −(a · b) in the format, where the crossing of fma's product and addend matters. */
function negatedProduct(pool: Pool, a: bigint, b: bigint): bigint {
  const view = new DataView(new ArrayBuffer(8));
  if (pool === "f64") {
    const value = (x: bigint): number => {
      view.setBigUint64(0, x);
      return view.getFloat64(0);
    };
    view.setFloat64(0, -(value(a) * value(b)));
    return view.getBigUint64(0);
  }
  const value = (x: bigint): number => {
    view.setUint32(0, Number(x));
    return view.getFloat32(0);
  };
  view.setFloat32(0, Math.fround(-(value(a) * value(b))));
  return BigInt(view.getUint32(0));
}

/** Rows in an order that spreads the edge values over all blocks. */
const shuffled = (row: number): number => (row * 389 + 17) % ROWS;

function columnsOf(pool: Pool): bigint[][] {
  const next = stream(BigInt(pools.indexOf(pool) + 1) * 7919n);
  const { edges, more, random } = sourceOf(pool);
  const special = [...edges, ...more];
  // At most 24 × 24 crossings, so that 448 rows are left.
  const crossed = edges.length <= 24 ? edges : edges.filter((_, i) => i % 2 === 0 || i % 4 === 1);
  const n = Math.min(24, crossed.length);
  const mixed = (): bigint => (next(1) === 0n ? special[Number(next(24)) % special.length]! : random(next));
  const columns: bigint[][] = Array.from({ length: COLUMNS }, () => []);
  for (let i = 0; i < ROWS; i++) {
    const cross = i < n * n;
    const row = [
      cross ? crossed[i % n]! : mixed(),
      cross ? crossed[Math.floor(i / n)]! : random(next),
      mixed(),
      mixed(),
    ];
    if (!cross && i % 8 === 0) row[1] = row[0]!;
    if (!cross && i % 8 === 1) row[1] = row[0]! ^ 1n;
    if (!cross && i % 4 === 2 && (pool === "f32" || pool === "f64")) row[2] = negatedProduct(pool, row[0]!, row[1]!);
    columns.forEach((c, k) => {
      c[shuffled(i)] = row[k]!;
    });
  }
  return columns;
}

/** The buffer: pool after pool, column after column. */
export function inputBytes(): Uint8Array {
  const out = new BigUint64Array(pools.length * COLUMNS * ROWS);
  pools.forEach((pool, p) => {
    columnsOf(pool).forEach((column, k) => {
      out.set(
        column.map((x) => BigInt.asUintN(64, x)),
        (p * COLUMNS + k) * ROWS,
      );
    });
  });
  return new Uint8Array(out.buffer);
}

/** Constants and parameters: a value of the pool chosen by a number. */
export function constantOf(pool: Pool, choice: number): bigint {
  const { edges, more } = sourceOf(pool);
  const special = [...edges, ...more];
  return special[choice % special.length]!;
}
