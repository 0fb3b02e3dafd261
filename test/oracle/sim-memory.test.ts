/** Code of the real compiler in the simulator (sim/kernels.ts), each kernel against a reference computed here: memory, control, warps, atomics, calls. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Run, simulate } from "../../lib/sim/index.js";
import { dir, ints, onAll, SMS, s32 } from "./sim/kernels.js";
import { describeOracle, tool } from "./tools.js";

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
