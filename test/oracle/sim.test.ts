import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Argument, type LaunchOptions, type Run, simulate } from "../../lib/sim/index.js";
import { describeOracle, tool } from "./tools.js";

/**
 * Code of the real compiler in the simulator: kernels of sim/kernels.cu for three SMs at three optimization levels, each
 * against a reference computed here.
 */
const dir = mkdtempSync(join(tmpdir(), "ptxlab-sim-"));
const SMS = [75, 90, 100];
const LEVELS = [0, 1, 3];
const ptx = new Map<number, string>();
const cubins = new Map<string, Uint8Array>();

function cubinOf(sm: number, level: number): Uint8Array {
  const key = `${sm}.${level}`;
  let bytes = cubins.get(key);
  if (bytes === undefined) {
    let source = ptx.get(sm);
    if (source === undefined) {
      source = join(dir, `k.${sm}.ptx`);
      const made = tool("nvcc", ["-ptx", `-arch=sm_${sm}`, "-o", source, join(__dirname, "sim/kernels.cu")]);
      if (made.status !== 0) throw new Error(made.stderr);
      ptx.set(sm, source);
    }
    const out = join(dir, `k.${key}.cubin`);
    const made = tool("ptxas", [`-arch=sm_${sm}`, `-O${level}`, "-o", out, source]);
    if (made.status !== 0) throw new Error(made.stderr);
    bytes = new Uint8Array(readFileSync(out));
    cubins.set(key, bytes);
  }
  return bytes;
}

type Launch = (options: LaunchOptions) => Run;

/** One kernel on every target and level. */
function onAll(name: string, body: (launch: Launch) => void): void {
  test.each(SMS.flatMap((sm) => LEVELS.map((level) => [sm, level] as const)))(`${name}: sm_%i -O%i`, (sm, level) => {
    body((options) => {
      const r = simulate(cubinOf(sm, level), { maxInstructions: 1_000_000, ...options });
      if (!r.ok) throw new Error(r.diagnostics.map((d) => d.message).join("\n"));
      expect(r.value.fault).toBeNull();
      return r.value;
    });
  });
}

/** A small generator with a period of 2^32; values are spread over all bit patterns. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    let x = state;
    x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d);
    x = Math.imul(x ^ (x >>> 12), 0x297a2d39);
    return (x ^ (x >>> 15)) >>> 0;
  };
}

function floats(n: number, seed: number, from: number, to: number): Float32Array {
  const next = generator(seed);
  return Float32Array.from({ length: n }, () => from + ((to - from) * next()) / 2 ** 32);
}

function doubles(n: number, seed: number, from: number, to: number): Float64Array {
  const next = generator(seed);
  return Float64Array.from({ length: n }, () => from + ((to - from) * (next() + next() / 2 ** 32)) / 2 ** 32);
}

function ints(n: number, seed: number): Int32Array {
  const next = generator(seed);
  return Int32Array.from({ length: n }, () => next() | 0);
}

const special32 = [
  0,
  -0,
  1,
  -1,
  1.5,
  3,
  1e-45,
  -1e-45,
  1e-40,
  1.17549435e-38,
  3.4e38,
  -3.4e38,
  1e-30,
  1e30,
  Infinity,
  -Infinity,
  NaN,
];

/** All pairs of special values, and random bit patterns. */
function floatPairs(seed: number, extra: number): [Float32Array, Float32Array] {
  const a: number[] = [];
  const b: number[] = [];
  for (const x of special32)
    for (const y of special32) {
      a.push(x);
      b.push(y);
    }
  const next = generator(seed);
  const bits = new Uint32Array(1);
  const value = new Float32Array(bits.buffer);
  const random = (): number => {
    bits[0] = next();
    return value[0]!;
  };
  for (let i = 0; i < extra; i++) {
    a.push(random());
    b.push(random());
  }
  return [Float32Array.from(a), Float32Array.from(b)];
}

const s32 = (value: number): Argument => ({ s32: value });
const f = Math.fround;

describeOracle("arithmetic", () => {
  onAll("saxpy", (launch) => {
    const n = 1000;
    const x = floats(n, 1, -10, 10);
    const y = floats(n, 2, -10, 10);
    // The product of two f32 is exact in a double, the sum is not: a fused result differs from a twice rounded one.
    const expected = y.map((v, i) => f(2.5 * x[i]! + v));
    launch({ kernel: "saxpy", grid: 8, block: 128, params: [s32(n), { f32: 2.5 }, x, y] });
    expect(y).toEqual(expected);
  });

  onAll("tiled matrix product", (launch) => {
    const n = 32;
    const a = Float32Array.from({ length: n * n }, (_, i) => (i % 7) - 3);
    const b = Float32Array.from({ length: n * n }, (_, i) => (i % 5) - 2);
    const c = new Float32Array(n * n);
    launch({ kernel: "sgemm", grid: [2, 2], block: [16, 16], params: [a, b, c, s32(n)] });
    for (let r = 0; r < n; r++)
      for (let k = 0; k < n; k++) {
        let sum = 0;
        for (let i = 0; i < n; i++) sum += a[r * n + i]! * b[i * n + k]!;
        expect(c[r * n + k]).toBe(sum);
      }
  });

  onAll("f32 division, square root, reciprocal", (launch) => {
    const [a, b] = floatPairs(3, 700);
    const n = a.length;
    const [q, s, r] = [new Float32Array(n), new Float32Array(n), new Float32Array(n)];
    launch({ kernel: "fdivk", grid: Math.ceil(n / 128), block: 128, params: [a, b, q, s, r, s32(n)] });
    // Quotients and roots of f32 rounded from double precision are correctly rounded (Figueroa).
    expect(q).toEqual(a.map((x, i) => f(x / b[i]!)));
    expect(s).toEqual(a.map((x) => f(Math.sqrt(x))));
    expect(r).toEqual(b.map((x) => f(1 / x)));
  });

  onAll("f64 division, square root, reciprocal", (launch) => {
    const next = generator(9);
    const specials = [0, -0, 1, -3, 5e-324, 1e-310, 2.2250738585072014e-308, 1e308, -1e308, Infinity, NaN, 0.1, 7];
    const a: number[] = [];
    const b: number[] = [];
    for (const x of specials)
      for (const y of specials) {
        a.push(x);
        b.push(y);
      }
    const bits = new Uint32Array(2);
    const value = new Float64Array(bits.buffer);
    for (let i = 0; i < 400; i++) {
      for (const list of [a, b]) {
        bits[0] = next();
        bits[1] = next();
        list.push(value[0]!);
      }
    }
    const n = a.length;
    const [q, s, r] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
    const [A, B] = [Float64Array.from(a), Float64Array.from(b)];
    launch({ kernel: "ddiv", grid: Math.ceil(n / 128), block: 128, params: [A, B, q, s, r, s32(n)] });
    expect(q).toEqual(A.map((x, i) => x / B[i]!));
    expect(s).toEqual(A.map((x) => Math.sqrt(x)));
    expect(r).toEqual(B.map((x) => 1 / x));
  });

  onAll("integer division", (launch) => {
    const n = 256;
    const a = ints(n, 4);
    const b = ints(n, 5).map((v, i) => (i % 3 === 0 ? v : (v >> 20) | 1));
    const [q, r] = [new Int32Array(n), new Int32Array(n)];
    const [uq, ur] = [new Uint32Array(n), new Uint32Array(n)];
    const [lq, lr] = [new BigInt64Array(n), new BigUint64Array(n)];
    launch({ kernel: "idiv", grid: 2, block: 128, params: [a, b, q, r, uq, ur, lq, lr, s32(n)] });
    for (let i = 0; i < n; i++) {
      const [x, y] = [a[i]!, b[i]!];
      expect([q[i], r[i]]).toEqual([(x / y) | 0, (x % y) | 0]);
      expect([uq[i], ur[i]]).toEqual([Math.floor((x >>> 0) / (y >>> 0)), (x >>> 0) % (y >>> 0)]);
      expect(lq[i]).toBe(BigInt.asIntN(64, BigInt(x) * 12345678901n) / BigInt(y));
      expect(lr[i]).toBe(BigInt.asUintN(64, BigInt(x) * 98765432101n) % BigInt(y >>> 0));
    }
  });

  onAll("64-bit integers", (launch) => {
    const n = 128;
    const next = generator(6);
    const random = (): bigint => (BigInt(next()) << 32n) | BigInt(next());
    const a = BigUint64Array.from({ length: n }, random);
    const b = BigUint64Array.from({ length: n }, random);
    const o = new BigUint64Array(n);
    launch({ kernel: "i64", grid: 1, block: 128, params: [a, b, o, s32(n)] });
    const u = (v: bigint): bigint => BigInt.asUintN(64, v);
    for (let i = 0; i < n; i++) {
      let x = a[i]!;
      const y = b[i]!;
      x ^= x >> 33n;
      x = u(x * 0xff51afd7ed558ccdn);
      x ^= u(y << (y & 63n));
      x = u(x + ((x * y) >> 64n));
      x = u(x - (BigInt.asIntN(64, y) >> (x & 63n)));
      expect(o[i]).toBe(x > y ? x : u(~y));
    }
  });

  onAll("bits and bytes", (launch) => {
    const x = Uint32Array.from(ints(32, 7));
    const o = new Uint32Array(256);
    launch({ kernel: "bitsk", block: 32, params: [x, o] });
    for (let t = 0; t < 32; t++) {
      const v = x[t]!;
      const w = ~v >>> 0;
      const pool = [0, 1, 2, 3]
        .map((i) => (v >>> (8 * i)) & 255)
        .concat([0, 1, 2, 3].map((i) => (w >>> (8 * i)) & 255));
      let perm = 0;
      for (let i = 0; i < 4; i++) perm |= pool[((v & 0x7777) >>> (4 * i)) & 7]! << (8 * i);
      const bfe = t >= 32 ? 0 : (v << Math.max(0, 32 - t - 5)) >> (32 - Math.min(5, 32 - t));
      const field = (((1 << 5) - 1) << t) | 0;
      const bfi = (w & ~field) | ((v << t) & field);
      const expected0 = (((perm + bfe) ^ bfi) + (31 - Math.clz32(v))) >>> 0;
      expect(o[t * 8]).toBe(expected0);
      const k = v & 31;
      // __funnelshift_l(lo, hi, n): the upper word of hi:lo << n.
      expect(o[t * 8 + 1]).toBe(k === 0 ? w : ((w << k) | (v >>> (32 - k))) >>> 0);
      const dot = [4, 3, 2, 1].reduce((sum, weight, i) => sum + ((v >>> (8 * i)) & 255) * weight, 7);
      expect(o[t * 8 + 2]).toBe(dot);
      expect(o[t * 8 + 3]).toBe((((v + v) & 0xffff) | (((v >>> 16) + (v >>> 16)) << 16)) >>> 0);
      expect(o[t * 8 + 4]).toBe((Math.abs((v | 0) - 5) + t) >>> 0);
      expect(o[t * 8 + 5]).toBe((Math.abs(v - 5) + t) >>> 0);
      expect(o[t * 8 + 6]).toBe(Math.imul((v << 8) >> 8, t) >>> 0);
      expect(o[t * 8 + 7]).toBe(Number(BigInt.asUintN(32, (BigInt(v | 0) * BigInt(Math.imul(v, 3))) >> 32n)));
    }
  });

  onAll("roundings, minimum, maximum", (launch) => {
    const a = floats(32, 11, -3, 3);
    const b = floats(32, 12, -1e-3, 1e-3);
    const c = doubles(32, 13, -3, 3);
    const d = doubles(32, 14, -1e-3, 1e-3);
    [a[0], b[0]] = [NaN, 1];
    [a[1], b[1]] = [2, NaN];
    [a[2], b[2]] = [-0, 0];
    [a[3], b[3]] = [2.5, 2.5];
    [c[0], d[0]] = [NaN, 1];
    [c[1], d[1]] = [2, NaN];
    const o = new Float32Array(32 * 12);
    const p = new Float64Array(32 * 6);
    launch({ kernel: "rnd", block: 32, params: [a, b, c, d, o, p] });
    for (let t = 0; t < 32; t++) {
      const [x, y] = [a[t]!, b[t]!];
      const row = o.subarray(t * 12, t * 12 + 12);
      if (t !== 0 && t !== 1) {
        expect(row[0]).toBe(directed32(x, 1, y, "z"));
        expect(row[1]).toBe(directed32(x, 1, y, "u"));
        expect(row[2]).toBe(x * y === 0 ? x * y : directed32(x, y, 0, "d"));
        expect(row[3]).toBe(directed32(x, y, x, "z"));
        if (y !== 0) expect(bracket(row[4]!, x / y, "u")).toBe(true);
        if (x > 0) expect(bracket(row[5]!, Math.sqrt(x), "d")).toBe(true);
      }
      const nan = (v: number, w: number, m: number): number => (Number.isNaN(v) ? w : Number.isNaN(w) ? v : m);
      expect(row[6]).toBe(nan(x, y, Math.min(x, y)));
      expect(row[7]).toBe(nan(x, y, Math.max(x, y)));
      expect(row[8]).toBe(x > 0 ? Math.min(x, 1) : 0);
      expect(row[9]).toBe(Math.floor(x));
      if (!Number.isNaN(y)) expect(Math.abs(row[10]! - y)).toBeLessThanOrEqual(0.5);
      if (!Number.isNaN(y)) expect(row[11]).toBe(Math.sign(y) * Math.floor(Math.abs(y) + 0.5));
      const [z, w] = [c[t]!, d[t]!];
      const out = p.subarray(t * 6, t * 6 + 6);
      if (t > 1) {
        expect(out[0]).toBe(directed64(z, 1, w, "z"));
        expect(out[1]).toBe(directed64(z, w, 0, "u"));
        expect(out[2]).toBe(directed64(z, w, z, "d"));
      }
      expect(out[3]).toBe(nan(z, w, Math.min(z, w)));
      expect(out[4]).toBe(Math.ceil(z));
      expect(out[5]).toBe(z % w);
    }
  });
});

describeOracle("memory and control", () => {
  onAll("reduction with dynamic shared memory and a float atomic", (launch) => {
    const n = 1000;
    const x = Float32Array.from({ length: n }, (_, i) => i % 13);
    const o = new Float32Array(1);
    launch({ kernel: "reduce", grid: 4, block: 128, sharedBytes: 512, params: [x, o, s32(n)] });
    expect(o[0]).toBe(x.reduce((a, b) => a + b, 0));
  });

  onAll("histogram with shared atomics", (launch) => {
    const n = 3000;
    const d = Uint8Array.from(ints(n, 21), (v) => (v & 3 ? v & 15 : v & 255));
    const h = new Uint32Array(256);
    launch({ kernel: "hist", grid: 3, block: 96, params: [d, h, s32(n)] });
    const expected = new Uint32Array(256);
    for (const v of d) expected[v]!++;
    expect(h).toEqual(expected);
  });

  onAll("function calls", (launch) => {
    const o = new Int32Array(32);
    const p = Int32Array.from([5, 6, 7]);
    launch({ kernel: "calls", block: 32, params: [o, p] });
    const callee = (x: number): number => (x > 10 ? p[x % 3]! * x : x + 1);
    expect(o).toEqual(Int32Array.from({ length: 32 }, (_, i) => callee(i) + callee(i * 2)));
  });

  onAll("switch", (launch) => {
    const n = 128;
    const x = Int32Array.from(ints(n, 22), (v) => (v >>> 4) % 12);
    const o = new Int32Array(n);
    launch({ kernel: "sw", grid: 1, block: n, params: [x, o, s32(n)] });
    const cases = (i: number): number[] => [i * 3, i ^ 0x55, (i / 7) | 0, i << 2, -i, ~i, i % 11, i * i, i + 100, 77];
    expect(o).toEqual(x.map((v, i) => cases(i)[v] ?? -1));
  });

  onAll("local arrays", (launch) => {
    const n = 64;
    const x = Int32Array.from(ints(n, 23), (v) => v & 1023);
    const o = new Int32Array(n);
    launch({ kernel: "local", grid: 2, block: 32, params: [x, o, s32(n)] });
    for (let i = 0; i < n; i++) {
      const a = new Int32Array(32);
      for (let k = 0; k < 32; k++) a[(k * 7 + i) & 31] = x[(i + k) % n]!;
      let sum = 0;
      for (let k = 0; k < 32; k++) sum += a[(x[i % n]! + k) & 31]! * k;
      expect(o[i]).toBe(sum);
    }
  });

  onAll("divergent loops with break", (launch) => {
    const o = new Int32Array(128);
    launch({ kernel: "diverge", grid: 2, block: 64, params: [o] });
    for (let t = 0; t < 64; t++) {
      let s = 0;
      for (let i = 0; i < t; i++) {
        if (i & 1) s += i * t;
        else {
          s ^= i;
          if (i > 20) break;
        }
      }
      expect([o[t], o[t + 64]]).toEqual([s, s]);
    }
  });

  onAll("a lock that the threads of a warp fight for", (launch) => {
    const lock = new Int32Array(1);
    const count = new Int32Array(1);
    launch({ kernel: "spin", grid: 2, block: 64, params: [lock, count] });
    expect([lock[0], count[0]]).toEqual([0, 256]);
  });

  onAll("named barriers and barrier reductions", (launch) => {
    const o = new Int32Array(128);
    launch({ kernel: "named", block: 128, params: [o] });
    const expected = Int32Array.from({ length: 128 }, (_, t) => (t < 64 ? 0 : t - 64));
    expected.set([64, 1, 0]);
    expect(o).toEqual(expected);
  });

  onAll("generic addresses in global, shared and local memory", (launch) => {
    const g = Int32Array.from([10, 11, 12, 13]);
    for (const sel of [0, 1, 2]) {
      const o = new Int32Array(64);
      launch({ kernel: "gen", block: 64, params: [g, s32(sel), o] });
      const expected = (t: number): number => (sel === 0 ? g[t & 3]! : sel === 1 ? t & 3 : (t & 3) * t);
      if (sel !== 1) expect(o).toEqual(Int32Array.from(o, (_, t) => expected(t)));
      // Other threads add to the first shared word while this one may read it.
      else for (let t = 0; t < 64; t++) if (t & 3) expect(o[t]).toBe(expected(t));
    }
  });

  onAll("a struct by value", (launch) => {
    const bytes = new Uint8Array(40);
    const view = new DataView(bytes.buffer);
    view.setInt32(0, 7, true);
    for (let i = 0; i < 5; i++) view.setFloat32(4 + 4 * i, i + 0.5, true);
    view.setFloat64(24, 2.25, true);
    view.setInt8(32, -3);
    const o = new Float64Array(10);
    launch({ kernel: "strct", block: 10, params: [{ bytes }, o] });
    expect(o).toEqual(Float64Array.from({ length: 10 }, (_, t) => 7 + (t % 5) + 0.5 + 2.25 - 3));
  });

  onAll("variables of the module", (launch) => {
    const x = Int32Array.from({ length: 32 }, (_, i) => i);
    const o = new Float32Array(32);
    launch({ kernel: "cons", block: 32, params: [x, o] });
    expect(o).toEqual(new Float32Array(32).fill(5));
  });
});

describeOracle("warps and atomics", () => {
  onAll("shuffle sum", (launch) => {
    const x = ints(128, 31);
    const o = new Int32Array(4);
    launch({ kernel: "wsum", grid: 2, block: 64, params: [x, o] });
    const sum = (w: number): number => x.subarray(w * 32, w * 32 + 32).reduce((a, b) => (a + b) | 0, 0);
    expect(o).toEqual(Int32Array.from([0, 1, 2, 3].map(sum)));
  });

  onAll("sums of eight lanes in loops of different lengths", (launch) => {
    const x = ints(32, 33);
    const o = new Int32Array(32);
    launch({ kernel: "eights", block: 32, params: [o, x, { s32: 1 }] });
    const expected = [0, 8, 16, 24].flatMap((first) => {
      const sum = x.subarray(first, first + 8).reduce((a, b) => (a + b) | 0, 0);
      // From the second round on eight equal numbers are added.
      return Array<number>(8).fill(Math.imul(sum, 8 ** (x[first >> 3]! & 3)));
    });
    expect([...o]).toEqual(expected);
  });

  onAll("votes, shuffles, match of whole warps", (launch) => {
    const x = Int32Array.from(ints(32, 32), (v) => (v >>> 3) % 11);
    const o = new Uint32Array(32 * 6);
    launch({ kernel: "votes", block: 32, params: [x, o] });
    let ballot = 0;
    x.forEach((v, i) => {
      if (v > 3) ballot |= 1 << i;
    });
    for (let t = 0; t < 32; t++) {
      let same = 0;
      x.forEach((v, i) => {
        if (v === x[t]) same |= 1 << i;
      });
      const idx = (t & 16) | ((t >> 1) & 15);
      const row = [ballot >>> 0, +x.some((v) => v > 8), +x.every((v) => v > 8), x[t ^ 5], x[idx], same >>> 0];
      expect([...o.subarray(t * 6, t * 6 + 6)]).toEqual(row);
    }
  });

  onAll("votes and shuffles of divergent halves", (launch) => {
    const x = Int32Array.from(ints(32, 33), (v) => v & 7);
    const o = new Uint32Array(128);
    launch({ kernel: "votes2", block: 32, params: [x, o] });
    let ballot = 0;
    x.forEach((v, i) => {
      if (i & 1 && v > 3) ballot |= 1 << i;
    });
    const reverse = (v: number): number => {
      let r = 0;
      for (let i = 0; i < 32; i++) if ((v >>> i) & 1) r |= 1 << (31 - i);
      return r;
    };
    const ones = (v: number): number => v.toString(2).replaceAll("0", "").length;
    for (let t = 0; t < 32; t++) {
      const v = x[t]!;
      if (t & 1) {
        expect(o[t]).toBe((ballot + 0xaaaaaaaa) >>> 0);
        expect(o[t + 32]).toBe(t >= 2 ? x[t - 2] : v);
      } else {
        const ffs = v === 0 ? 0 : 32 - Math.clz32(v & -v);
        expect(o[t]).toBe((ones(v) + ffs + Math.clz32(v) + reverse(v)) >>> 0);
        expect(o[t + 32]).toBe(1);
      }
      expect([o[t + 64], o[t + 96]]).toEqual([0, 0]);
    }
  });

  onAll("atomics on global memory", (launch) => {
    const p = Int32Array.from([0, -5, 7, 0, 0]);
    const u = Uint32Array.from([0xffffffff, 0, 0, 0, 50]);
    const x = new Float32Array(1);
    const d = new Float64Array(1);
    const l = new BigUint64Array(3);
    const old = new Int32Array(64);
    launch({ kernel: "atoms", grid: 2, block: 32, params: [p, u, x, d, l, old] });
    expect([p[0], p[1], p[2]]).toEqual([2016, 63, 0]);
    expect(p[3]! >= 0 && p[3]! < 64 && p[4]! >= 1 && p[4]! <= 64).toBe(true);
    expect([...u]).toEqual([0, 0xffffffff, 0, 64, (50 - 64 + 101) % 101]);
    expect([x[0], d[0]]).toEqual([64, 32]);
    expect([...l]).toEqual([192n, 63n, 5n]);
    // Every old value of the sum is the sum of those that came before.
    const order = [...old.keys()].sort((a, b) => old[a]! - old[b]! || a - b);
    expect(order.reduce((sum, t) => (old[t] === sum ? sum + t : Number.NaN), 0)).toBe(2016);
  });
});

describeOracle("conversions and short floats", () => {
  onAll("conversions", (launch) => {
    const n = 64;
    const x = Float32Array.from(floats(n, 41, -3e9, 3e9), (v, i) => (i & 1 ? v : f(v / 1e7)));
    const d = Float64Array.from(doubles(n, 42, -3e9, 3e9), (v, i) => (i & 1 ? v : v / 1e5));
    const special = [0, -0, 0.5, 1.5, -2.5, 2147483648, -2147483648, 4294967296, 1e20, -1e20, Infinity, -Infinity, NaN];
    x.set(special);
    d.set(special);
    const k = ints(n, 43);
    const l = BigInt64Array.from(
      { length: n },
      (_, i) => (BigInt(k[i]!) << 32n) | BigInt(ints(n, 44)[i]! >>> (i & 31)),
    );
    const oi = new Int32Array(n);
    const ol = new BigInt64Array(n);
    const of = new Float32Array(n);
    const od = new Float64Array(n);
    const oc = new Uint8Array(n);
    const os = new Int16Array(n);
    launch({ kernel: "conv", block: n, params: [x, d, k, l, oi, ol, of, od, oc, os, s32(n)] });
    for (let i = 0; i < n; i++) {
      const [a, b, c, e] = [x[i]!, d[i]!, k[i]!, l[i]!];
      const nanHigh = -2147483648;
      const int = toInt(Math.trunc(a), 0) + toInt(even(a), 0) + toUint(Math.ceil(a)) + toInt(Math.floor(b), nanHigh);
      expect(oi[i]).toBe(int | 0);
      const long = toLong(Math.trunc(a), true) + toLong(Math.trunc(b), true) + toLong(Math.trunc(b), false);
      expect(ol[i]).toBe(BigInt.asIntN(64, long));
      const u = BigInt.asUintN(64, e);
      expect(of[i]).toBe(f(f(f(f(f(c) + f(c >>> 0)) + f(b)) + longToF32(e)) + longToF32(u)));
      expect(od[i]).toBe(c + Number(e) + a + Number(u));
      if (a >= 0 && a < 256) expect(oc[i]).toBe(Math.trunc(Math.abs(a)));
      if (Math.abs(b) < 32768) expect(os[i]).toBe(Math.trunc(b) + 0);
    }
  });

  onAll("half precision", (launch) => {
    const n = 256;
    const bits = (seed: number): Uint16Array =>
      Uint16Array.from(ints(n, seed), (v, i) => (i < 4 ? [0, 0x8000, 1, 0x3c00][i]! : v & 0xbfff));
    const [a, b] = [bits(51), bits(52)];
    const o = new Uint16Array(n);
    launch({ kernel: "half1", grid: 2, block: 128, params: [a, b, o, s32(n)] });
    for (let i = 0; i < n; i++) {
      const [x, y] = [half(a[i]!), half(b[i]!)];
      const sum = half(roundHalf(exactSum(x, 1, y)));
      expect(o[i]).toBe(roundHalf(exactSum(x, y, sum)));
    }
    const o2 = new Uint16Array(n);
    launch({ kernel: "half2k", grid: 1, block: 128, params: [a, b, o2, s32(n / 2)] });
    for (let i = 0; i < n; i++) {
      const [x, y] = [half(a[i]!), half(b[i]!)];
      expect(o2[i]).toBe(roundHalf(exactSum(x, y, half(roundHalf(exactSum(x, y, 0))))));
    }
  });

  onAll("bfloat16 to f32", (launch) => {
    const a = Uint16Array.from(ints(64, 53), (v) => v & 0xffff);
    const o = new Float32Array(64);
    launch({ kernel: "bfk", block: 64, params: [a, o, s32(64)] });
    const value = new Float32Array(1);
    const word = new Uint32Array(value.buffer);
    for (let i = 0; i < 64; i++) {
      word[0] = a[i]! << 16;
      expect(o[i]).toBe(f(value[0]! * 2));
    }
  });
});

describeOracle("elementary functions", () => {
  /** Distance in units of the last place of an f32 near the expected value. */
  const ulps32 = (actual: number, expected: number): number =>
    Math.abs(actual - expected) / Math.max(2 ** (Math.floor(Math.log2(Math.abs(expected))) - 23), 2 ** -149);

  onAll("f32: within the bounds that CUDA documents", (launch) => {
    const n = 128;
    const x = floats(n, 61, -12, 12);
    x.set([1e-3, -1e-5, 5000.25, 123456.5, 1]);
    const o = new Float32Array(n * 8);
    launch({ kernel: "trans", grid: 1, block: 128, params: [x, o, s32(n)] });
    for (let i = 0; i < n; i++) {
      const v = x[i]!;
      const row = o.subarray(i * 8, i * 8 + 8);
      const m = Math.abs(v);
      expect(ulps32(row[0]!, Math.sin(v))).toBeLessThanOrEqual(2);
      expect(ulps32(row[1]!, Math.cos(v))).toBeLessThanOrEqual(2);
      if (m < 80) expect(ulps32(row[2]!, Math.exp(v))).toBeLessThanOrEqual(2);
      // The bound of logf is 1 ulp; near a zero of the function the distance is counted in the argument's terms.
      expect(Math.abs(row[3]! - Math.log(m))).toBeLessThanOrEqual(Math.max(2 ** -22 * Math.abs(Math.log(m)), 2 ** -24));
      expect(ulps32(row[4]!, m ** f(1.7))).toBeLessThanOrEqual(8);
      expect(ulps32(row[5]!, Math.tanh(v))).toBeLessThanOrEqual(2);
      if (m < Math.PI) expect(Math.abs(row[6]! - Math.sin(v))).toBeLessThanOrEqual(2 ** -20);
      if (m < 80) expect(ulps32(row[7]!, 2 ** v)).toBeLessThanOrEqual(2);
    }
  });

  onAll("f64: within the bounds that CUDA documents", (launch) => {
    const n = 96;
    const x = doubles(n, 62, -30, 30);
    x.set([1e-3, -1e-9, 1e6 + 0.125, 3e9]);
    const o = new Float64Array(n * 4);
    launch({ kernel: "dtrans", grid: 1, block: n, params: [x, o, s32(n)] });
    const relative = (a: number, b: number): number => (a === b ? 0 : Math.abs(a - b) / Math.abs(b) / 2 ** -52);
    for (let i = 0; i < n; i++) {
      const v = x[i]!;
      const row = o.subarray(i * 4, i * 4 + 4);
      expect(relative(row[0]!, Math.sin(v))).toBeLessThanOrEqual(4);
      if (Math.abs(v) < 700) expect(relative(row[1]!, Math.exp(v))).toBeLessThanOrEqual(4);
      expect(relative(row[2]!, Math.log(Math.abs(v)))).toBeLessThanOrEqual(4);
      expect(relative(row[3]!, Math.abs(v) ** 1.7)).toBeLessThanOrEqual(4);
    }
  });
});

function even(x: number): number {
  if (!Number.isFinite(x)) return x;
  const floor = Math.floor(x);
  const d = x - floor;
  return d < 0.5 || (d === 0.5 && floor % 2 === 0) ? floor : floor + 1;
}

function toInt(x: number, nan: number): number {
  return Number.isNaN(x) ? nan : Math.min(Math.max(x, -2147483648), 2147483647);
}

function toUint(x: number): number {
  return Number.isNaN(x) ? 0 : Math.min(Math.max(x, 0), 4294967295);
}

function toLong(x: number, signed: boolean): bigint {
  if (Number.isNaN(x)) return 1n << 63n;
  const [low, high] = signed ? [-(1n << 63n), (1n << 63n) - 1n] : [0n, (1n << 64n) - 1n];
  if (!Number.isFinite(x)) return x > 0 ? high : low;
  const v = BigInt(x);
  return v < low ? low : v > high ? high : v;
}

/** To nearest even, by looking at both neighbours of the doubly rounded value. */
function longToF32(v: bigint): number {
  const guess = f(Number(v));
  let best = guess;
  for (const r of [step32(guess, false), step32(guess, true)]) {
    const [near, far] = [abs(BigInt(r) - v), abs(BigInt(best) - v)];
    if (near < far || (near === far && (new Int32Array(Float32Array.of(r).buffer)[0]! & 1) === 0)) best = r;
  }
  return best;
}

const abs = (x: bigint): bigint => (x < 0n ? -x : x);

function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const e = (bits >> 10) & 31;
  const m = bits & 1023;
  if (e === 31) return m ? NaN : sign * Infinity;
  return e === 0 ? sign * m * 2 ** -24 : sign * (m + 1024) * 2 ** (e - 25);
}

/** a·b + c in units of 2^-48, which every half and every product of halves is a multiple of; the sign of a zero apart. */
function exactSum(a: number, b: number, c: number): bigint | number {
  if (!Number.isFinite(a * b) || !Number.isFinite(c) || a * b + c === 0) return a * b + c;
  return BigInt(a * b * 2 ** 48) + BigInt(c * 2 ** 48);
}

/** The half nearest to an exact value, ties to even: the best of all 63,488 finite ones, found by bisection. */
function roundHalf(v: bigint | number): number {
  if (typeof v === "number") {
    if (Number.isNaN(v)) return 0x7fff;
    return v === 0 ? (Object.is(v, -0) ? 0x8000 : 0) : v > 0 ? 0x7c00 : 0xfc00;
  }
  const m = abs(v);
  const sign = v < 0n ? 0x8000 : 0;
  const value = (bits: number): bigint => (bits === 0x7c00 ? 65536n << 48n : BigInt(half(bits) * 2 ** 48));
  let low = 0;
  let high = 0x7c00;
  while (high - low > 1) {
    const mid = (low + high) >> 1;
    if (value(mid) <= m) low = mid;
    else high = mid;
  }
  const [below, above] = [m - value(low), value(high) - m];
  return sign | (below < above || (below === above && (low & 1) === 0) ? low : high);
}

type Direction = "z" | "u" | "d";

/** An exact rational number ±m·2^e of a finite double. */
function exact(x: number): { m: bigint; e: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0);
  const field = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const m = field === 0 ? fraction : fraction | 0x10000000000000n;
  return { m: bits >> 63n ? -m : m, e: Math.max(field, 1) - 1075 };
}

/** Sign of r − (a·b + c), exactly. */
function compareExact(r: number, a: number, b: number, c: number): number {
  const [x, y, z, w] = [exact(a), exact(b), exact(c), exact(r)];
  const e = Math.min(x.e + y.e, z.e, w.e);
  const at = (m: bigint, k: number): bigint => m << BigInt(k - e);
  const d = at(w.m, w.e) - at(x.m * y.m, x.e + y.e) - at(z.m, z.e);
  return d > 0n ? 1 : d < 0n ? -1 : 0;
}

/** The f32 or f64 nearest to a·b + c in a direction: starts at the rounded value and steps. */
function directedResult(
  start: number,
  step: (x: number, up: boolean) => number,
  a: number,
  b: number,
  c: number,
  dir: Direction,
): number {
  let r = start;
  const sign = compareExact(0, a, b, c);
  const up = dir === "u" || (dir === "z" && sign > 0);
  for (let i = 0; i < 4; i++) {
    const s = compareExact(r, a, b, c);
    if (up ? s < 0 : s > 0) r = step(r, up);
    else if (
      up ? compareExact(step(r, false), a, b, c) >= 0 && s !== 0 : compareExact(step(r, true), a, b, c) <= 0 && s !== 0
    )
      r = step(r, !up);
    else break;
  }
  return r;
}

function step32(x: number, up: boolean): number {
  const bits = new Int32Array(1);
  const value = new Float32Array(bits.buffer);
  value[0] = x;
  if (x === 0) bits[0] = up ? 1 : 0x80000001 | 0;
  else bits[0] = bits[0]! + (up === x > 0 ? 1 : -1);
  return value[0]!;
}

function step64(x: number, up: boolean): number {
  const bits = new BigInt64Array(1);
  const value = new Float64Array(bits.buffer);
  value[0] = x;
  if (x === 0) return up ? 5e-324 : -5e-324;
  bits[0] = bits[0]! + (up === x > 0 ? 1n : -1n);
  return value[0]!;
}

const directed32 = (a: number, b: number, c: number, dir: Direction): number =>
  directedResult(f(a * b + c), step32, a, b, c, dir);
const directed64 = (a: number, b: number, c: number, dir: Direction): number =>
  directedResult(a * b + c, step64, a, b, c, dir);

/** Is r the f32 next to the (irrational or repeating) value v in the direction? v is known to double precision. */
function bracket(r: number, v: number, dir: "u" | "d"): boolean {
  return dir === "u" ? r >= v && step32(r, false) < v : r <= v && step32(r, true) > v;
}

/** `-g` calls by relocated addresses; vprintf is the driver's. */
const calling = (sm: number): string => `.version 8.6
.target sm_${sm}
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.visible .func (.param .b32 r) twice (.param .b32 x)
{ .reg .b32 %a<3>; ld.param.u32 %a1, [x]; shl.b32 %a2, %a1, 1; st.param.b32 [r], %a2; ret; }
.visible .entry k(.param .u64 p, .param .u32 print) {
.reg .b64 %d<3>; .reg .b32 %r<9>; .reg .pred %q;
ld.param.u64 %d1, [p]; ld.param.u32 %r1, [print]; setp.eq.u32 %q, %r1, 0;
@%q bra go;
{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %d1; st.param.b64 [b], %d1; call.uni (r), vprintf, (a, b); }
go: { .param .b32 x; .param .b32 r; st.param.b32 [x], 21; call.uni (r), twice, (x); ld.param.b32 %r2, [r]; }
st.global.u32 [%d1], %r2; ret; }
`;

describeOracle("calls of other sections", () => {
  test.each(SMS)("sm_%i: code for debuggers runs, with a function of the driver", (sm) => {
    const [source, out] = [join(dir, `call.${sm}.ptx`), join(dir, `call.${sm}.cubin`)];
    writeFileSync(source, calling(sm));
    expect(tool("ptxas", [`-arch=sm_${sm}`, "-g", "-O0", "-o", out, source]).status).toBe(0);
    const cubin = new Uint8Array(readFileSync(out));
    const result = new Int32Array(1);
    const run = (print: number): Run => {
      const ran = simulate(cubin, { kernel: "k", grid: 1, block: 1, params: [result, { u32: print }] });
      if (!ran.ok) throw new Error(ran.diagnostics[0]!.message);
      return ran.value;
    };
    expect(run(0).fault).toBeNull();
    expect(result[0]).toBe(42);
    // The format that it is given is the result itself, whose first byte is 0.
    result[0] = 0;
    const printing = run(1);
    expect([printing.fault, printing.output]).toEqual([null, ""]);
    expect(result[0]).toBe(42);
  });
});
