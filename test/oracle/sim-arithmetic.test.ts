/** Code of the real compiler in the simulator (sim/kernels.ts), each kernel against a reference computed here: arithmetic. */
import { bracket, directed32, directed64 } from "./sim/exact.js";
import { doubles, f, floatPairs, floats, generator, ints, onAll, s32 } from "./sim/kernels.js";
import { describeOracle } from "./tools.js";

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
