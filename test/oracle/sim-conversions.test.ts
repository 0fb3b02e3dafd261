/** Code of the real compiler in the simulator (sim/kernels.ts), each kernel against a reference computed here: conversions, short floats, elementary functions. */
import { even, exactSum, half, longToF32, roundHalf, toInt, toLong, toUint } from "./sim/exact.js";
import { doubles, f, floats, ints, onAll, s32 } from "./sim/kernels.js";
import { describeOracle } from "./tools.js";

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
