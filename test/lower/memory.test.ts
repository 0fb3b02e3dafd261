/** Memory spaces, vectors, atomics, run in the simulator. */
import { compile } from "../../lib/compile";
import { targets } from "./harness";
import { lanes, registers, run } from "./kernel";

describe.each(targets)("memory on %s", (target) => {
  test("prefetches are instructions: of a line of global and of local memory", () => {
    const text = `.version 9.0\n.target ${target}\n.address_size 64
      .visible .entry k(.param .u64 a) { .reg .b64 %rd<3>; .local .b32 l[4];
        ld.param.u64 %rd1, [a];
        prefetch.global.L1 [%rd1+128]; prefetch.L2 [%rd1]; prefetchu.L1 [%rd1+256]; prefetch.local.L2 [l];
        ret; }`;
    for (const opt of [0, 3]) {
      const made = compile(text, { target, opt });
      expect(made.functions[0]!.code!.insts.map((i) => i.form.name).filter((n) => n.startsWith("CCTL"))).toEqual([
        "CCTL.E.PF1",
        "CCTL.E.PF2",
        "CCTL.E.PF1",
        "CCTLL.PF2",
      ]);
    }
    run(target, text.slice(text.indexOf(".visible")), { block: 1, params: [new Uint32Array(128)] });
  });

  test("vectors of one element, atomics without a result", () => {
    const out = new Uint32Array([7, 0, 100, 5]);
    run(
      target,
      `.visible .entry k(.param .u64 out) {${registers}
        ld.param.u64 {%rd1}, [out];
        mov.u32 %r1, 1;
        setp.ne.u32 %p1, %r1, 1;
        mov.u32 %r2, 9;
        ld.global.b32 {%r3}, [%rd1];
        @%p1 ld.global.b32 {%r2}, [%rd1];
        add.u32 %r2, %r2, %r3;
        st.global.b32 [%rd1+4], {%r2};
        atom.global.add.u32 _, [%rd1+8], %r3;
        atom.exch.b32 _, [%rd1+12], %r3;
        ret; }`,
      { block: 1, params: [out] },
    );
    expect([...out]).toEqual([7, 16, 107, 7]);
  });

  test("a frame's size is a multiple of what its variables are aligned to", () => {
    const out = new Uint32Array(4);
    const text = `.func f(.reg .u64 %o) {
        .reg .b32 %r<5>; .reg .b64 %rd<3>;
        .local .align 16 .b8 a[32]; .local .align 4 .b8 b[8];
        mov.u32 %r1, 11; mov.u32 %r2, 22;
        st.local.v4.u32 [a], {%r1, %r2, %r2, %r1};
        st.local.u32 [b], %r2;
        ld.local.v4.u32 {%r1, %r2, %r3, %r4}, [a];
        st.global.v4.u32 [%o], {%r1, %r2, %r3, %r4};
        ret; }
      .visible .entry k(.param .u64 out) { .reg .b64 %rd<3>;
        ld.param.u64 %rd1, [out];
        call f, (%rd1);
        ret; }`;
    run(target, text, { block: 1, params: [out] });
    expect([...out]).toEqual([11, 22, 22, 11]);
    const made = compile(`.version 9.0\n.target ${target}\n.address_size 64\n${text}`, { target, opt: 0 });
    // ptxas -O0 -v: 48 bytes stack frame.
    expect(made.functions[0]?.code?.frameBytes).toBe(48);
  });

  test("vector loads and stores of all element sizes, with extension", () => {
    const input = new Uint8Array(64).map((_, i) => (i * 37 + 150) & 255);
    const out = new Uint8Array(256);
    run(
      target,
      `.visible .entry k(.param .u64 a, .param .u64 b) {${registers}
      .reg .b64 %v<8>;
      ld.param.u64 %rd1, [a];
      ld.param.u64 %rd2, [b];
      ld.global.v4.u8 {%h1, %h2, %h3, %h4}, [%rd1];
      st.global.v4.u8 [%rd2], {%h4, %h3, %h2, %h1};
      ld.global.v2.s8 {%r1, %r2}, [%rd1+4];
      st.global.v2.b32 [%rd2+8], {%r1, %r2};
      ld.global.v4.s16 {%r3, %r4, %r5, %r6}, [%rd1+8];
      st.global.v4.b32 [%rd2+16], {%r3, %r4, %r5, %r6};
      ld.global.v2.u16 {%h5, %h6}, [%rd1+16];
      st.global.v2.u16 [%rd2+32], {%h6, %h5};
      ld.global.v2.b64 {%rd3, %rd4}, [%rd1+16];
      st.global.v2.u64 [%rd2+48], {%rd4, %rd3};
      ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+32];
      st.global.v4.f32 [%rd2+64], {%f4, %f3, %f2, %f1};
      ld.global.s8 %rd5, [%rd1+3];
      st.global.u64 [%rd2+80], %rd5;
      ld.global.u16 %rd6, [%rd1+2];
      st.global.u64 [%rd2+88], %rd6;
      ld.global.s32 %rd7, [%rd1+40];
      st.global.u64 [%rd2+96], %rd7;
      ld.volatile.global.s16 %r7, [%rd1+6];
      st.volatile.global.u32 [%rd2+104], %r7;
      ld.global.nc.u32 %r8, [%rd1+12];
      st.relaxed.gpu.global.u32 [%rd2+108], %r8;
      ld.acquire.gpu.global.u32 %r9, [%rd1+12];
      st.release.gpu.global.u32 [%rd2+112], %r9;
      ld.u32 %r10, [%rd1+20];
      st.u8 [%rd2+116], %r10;
      st.global.v4.u16 [%rd2+120], {%h1, %h2, 7, %h4};
      mov.b64 %rd8, {%h1, %h2, %h3, %h4};
      st.global.u64 [%rd2+128], %rd8;
      mov.b64 {%r11, %r12}, %rd8;
      mov.b32 {%h7, %h8}, %r12;
      st.global.u16 [%rd2+136], %h8;
      mov.b64 {%h9, _, %h10, _}, %rd8;
      st.global.u16 [%rd2+138], %h10;
      mov.b64 {%r12, %r11}, %rd8;
      mov.b64 %rd8, {%r12, %r11};
      st.global.u64 [%rd2+144], %rd8;
      ret;
    }`,
      { params: [input, out] },
    );
    const v = new DataView(input.buffer);
    const o = new DataView(out.buffer);
    expect([...out.slice(0, 4)]).toEqual([input[3], input[2], input[1], input[0]]);
    expect([o.getInt32(8, true), o.getInt32(12, true)]).toEqual([v.getInt8(4), v.getInt8(5)]);
    expect([0, 1, 2, 3].map((k) => o.getInt32(16 + 4 * k, true))).toEqual(
      [0, 1, 2, 3].map((k) => v.getInt16(8 + 2 * k, true)),
    );
    expect([o.getUint16(32, true), o.getUint16(34, true)]).toEqual([v.getUint16(18, true), v.getUint16(16, true)]);
    expect([o.getBigUint64(48, true), o.getBigUint64(56, true)]).toEqual([
      v.getBigUint64(24, true),
      v.getBigUint64(16, true),
    ]);
    expect([0, 1, 2, 3].map((k) => o.getUint32(64 + 4 * k, true))).toEqual(
      [3, 2, 1, 0].map((k) => v.getUint32(32 + 4 * k, true)),
    );
    expect(o.getBigInt64(80, true)).toBe(BigInt(v.getInt8(3)));
    expect(o.getBigInt64(88, true)).toBe(BigInt(v.getUint16(2, true)));
    expect(o.getBigInt64(96, true)).toBe(BigInt(v.getInt32(40, true)));
    expect(o.getInt32(104, true)).toBe(v.getInt16(6, true));
    expect(o.getUint32(108, true)).toBe(v.getUint32(12, true));
    expect(o.getUint32(112, true)).toBe(v.getUint32(12, true));
    expect([o.getUint8(116), o.getUint8(117)]).toEqual([v.getUint8(20), 0]);
    expect([0, 1, 2, 3].map((k) => o.getUint16(120 + 2 * k, true))).toEqual([input[0], input[1], 7, input[3]]);
    const packed =
      BigInt(input[0]!) | (BigInt(input[1]!) << 16n) | (BigInt(input[2]!) << 32n) | (BigInt(input[3]!) << 48n);
    expect(o.getBigUint64(128, true)).toBe(packed);
    expect([o.getUint16(136, true), o.getUint16(138, true)]).toEqual([input[3], input[2]]);
    expect(o.getBigUint64(144, true)).toBe(packed);
  });

  test("shared, local, constant and global variables, generic pointers to them", () => {
    const out = new Uint32Array(32 * 8);
    run(
      target,
      `.const .align 4 .b32 table[4] = {10, 20, 30, 40};
      .global .align 4 .u32 counter = 5;
      .global .align 8 .u64 pointer = generic(counter)+0;
      .shared .align 4 .b8 tile[128];
      .extern .shared .align 16 .b8 dynamic[];
      .visible .entry k(.param .u64 a, .param .align 4 .b8 s[12]) {${registers}
      .shared .align 8 .b64 mine[32];
      .local .align 8 .b8 depot[64];
      mov.u32 %r1, %tid.x;
      ld.param.u64 %rd1, [a];
      mul.wide.u32 %rd2, %r1, 32;
      add.u64 %rd1, %rd1, %rd2;
      mov.u32 %r2, tile;
      shl.b32 %r3, %r1, 2;
      add.u32 %r2, %r2, %r3;
      mul.lo.u32 %r4, %r1, 3;
      st.shared.u32 [%r2], %r4;
      mov.u32 %r5, dynamic;
      add.u32 %r5, %r5, %r3;
      st.shared.u32 [%r5], %r1;
      bar.sync 0;
      xor.b32 %r6, %r3, 124;
      mov.u32 %r7, tile;
      add.u32 %r7, %r7, %r6;
      cvt.u64.u32 %rd3, %r7;
      cvta.shared.u64 %rd4, %rd3;
      ld.u32 %r8, [%rd4];
      st.global.u32 [%rd1], %r8;
      cvta.to.shared.u64 %rd5, %rd4;
      ld.shared.u32 %r9, [%rd5];
      st.global.u32 [%rd1+4], %r9;
      mov.u64 %rd6, depot;
      and.b32 %r10, %r1, 7;
      mul.wide.u32 %rd7, %r10, 8;
      add.u64 %rd8, %rd6, %rd7;
      st.local.v2.u32 [depot+16], {%r1, %r4};
      st.local.u64 [%rd8], %rd7;
      cvta.local.u64 %rd9, %rd8;
      ld.u32 %r11, [%rd9];
      st.global.u32 [%rd1+8], %r11;
      ld.local.u32 %r12, [depot+20];
      st.global.u32 [%rd1+12], %r12;
      and.b32 %r13, %r1, 3;
      mul.wide.u32 %rd10, %r13, 4;
      mov.u64 %rd11, table;
      add.u64 %rd11, %rd11, %rd10;
      ld.const.u32 %r14, [%rd11];
      ld.const.u32 %r15, [table+8];
      add.u32 %r14, %r14, %r15;
      st.global.u32 [%rd1+16], %r14;
      ld.global.u64 %rd12, [pointer];
      ld.u32 %r16, [%rd12];
      st.global.u32 [%rd1+20], %r16;
      mov.u64 %rd13, s;
      rem.u32 %r17, %r1, 3;
      mul.wide.u32 %rd14, %r17, 4;
      add.u64 %rd13, %rd13, %rd14;
      ld.param.u32 %r18, [%rd13];
      ld.param.u16 %r19, [s+2];
      add.u32 %r18, %r18, %r19;
      st.global.u32 [%rd1+24], %r18;
      mov.u32 %r20, dynamic;
      add.u32 %r20, %r20, %r6;
      ld.shared.u32 %r21, [%r20];
      st.shared.u64 [mine+8], %rd7;
      st.global.u32 [%rd1+28], %r21;
      ret;
    }`,
      {
        block: 32,
        sharedBytes: 128,
        params: [out, { bytes: new Uint8Array(Uint32Array.of(0x10001, 0x20002, 0x30003).buffer) }],
      },
    );
    const row = (i: number): number[] => {
      const j = i ^ 31;
      const c = [10, 20, 30, 40][i & 3]! + 30;
      const s = [0x10001, 0x20002, 0x30003][i % 3]! + 1;
      // The store through %rd8 hits the pair at depot+16 where 8·(i & 7) is 16.
      return [3 * j, 3 * j, 8 * (i & 7), (i & 7) === 2 ? 0 : 3 * i, c, 5, s, j];
    };
    expect([...out]).toEqual(lanes((i) => i).flatMap(row));
  });

  test("atomics on shared and global memory", () => {
    const sums = new BigUint64Array(32);
    const old = new Uint32Array(32);
    run(
      target,
      `.shared .align 8 .b64 s[16];
      .visible .entry k(.param .u64 a, .param .u64 b) {${registers}
      mov.u32 %r1, %tid.x;
      ld.param.u64 %rd1, [a];
      ld.param.u64 %rd2, [b];
      mul.wide.u32 %rd3, %r1, 4;
      add.u64 %rd2, %rd2, %rd3;
      setp.ge.u32 %p1, %r1, 16;
      @%p1 bra ZEROED;
      shl.b32 %r2, %r1, 3;
      mov.u32 %r3, s;
      add.u32 %r3, %r3, %r2;
      mov.u64 %rd4, 0;
      st.shared.u64 [%r3], %rd4;
      ZEROED:
      bar.sync 0;
      add.u32 %r4, %r1, 1;
      cvt.u64.u32 %rd5, %r4;
      shl.b64 %rd6, %rd5, 31;
      neg.s32 %r5, %r4;
      cvt.s64.s32 %rd7, %r5;
      cvt.rn.f32.u32 %f1, %r4;
      cvt.rn.f64.u32 %d1, %r4;
      atom.shared.add.u32 %r6, [s], %r4;
      red.shared.max.s32 [s+4], %r4;
      atom.shared.add.f32 %f2, [s+8], %f1;
      atom.shared.add.u64 %rd8, [s+16], %rd6;
      atom.shared.min.s64 %rd9, [s+24], %rd7;
      atom.shared.or.b64 %rd10, [s+32], %rd6;
      atom.shared.add.f64 %d2, [s+40], %d1;
      atom.shared.inc.u32 %r7, [s+48], 9;
      atom.shared.xor.b32 %r8, [s+52], %r4;
      atom.global.add.u32 %r9, [%rd1+64], %r4;
      red.global.add.u64 [%rd1+72], %rd6;
      red.global.min.s64 [%rd1+80], %rd7;
      red.global.add.f32 [%rd1+88], %f1;
      atom.global.add.f64 %d3, [%rd1+96], %d1;
      atom.global.exch.b64 %rd11, [%rd1+104], 77;
      red.global.and.b32 [%rd1+112], 0xfffffff0;
      atom.add.u32 %r10, [%rd1+116], 2;
      atom.acq_rel.gpu.global.add.u32 %r11, [%rd1+120], 1;
      RETRY:
      ld.volatile.shared.u32 %r12, [s+56];
      mad.lo.u32 %r13, %r4, 3, %r12;
      atom.shared.cas.b32 %r14, [s+56], %r12, %r13;
      setp.ne.u32 %p2, %r14, %r12;
      @%p2 bra RETRY;
      AGAIN:
      ld.volatile.global.u64 %rd12, [%rd1+128];
      add.u64 %rd13, %rd12, %rd5;
      atom.global.cas.b64 %rd14, [%rd1+128], %rd12, %rd13;
      setp.ne.u64 %p3, %rd14, %rd12;
      @%p3 bra AGAIN;
      atom.global.dec.u32 %r15, [%rd1+136], 100;
      st.global.u32 [%rd2], %r15;
      bar.sync 0;
      @%p1 bra DONE;
      mov.u32 %r3, s;
      shl.b32 %r2, %r1, 3;
      add.u32 %r3, %r3, %r2;
      ld.shared.u64 %rd15, [%r3];
      setp.ge.u32 %p4, %r1, 8;
      @%p4 bra DONE;
      mul.wide.u32 %rd16, %r1, 8;
      add.u64 %rd16, %rd16, %rd1;
      st.global.u64 [%rd16], %rd15;
      DONE:
      ret;
    }`,
      { block: 32, params: [sums, old] },
    );
    const all = lanes((i) => i + 1);
    const total = all.reduce((x, y) => x + y, 0);
    const u64 = (v: bigint): bigint => BigInt.asUintN(64, v);
    const view = new DataView(sums.buffer);
    expect([view.getUint32(0, true), view.getInt32(4, true), view.getFloat32(8, true)]).toEqual([total, 32, total]);
    expect(sums[2]).toBe(BigInt(total) << 31n);
    expect(sums[3]).toBe(u64(-32n));
    expect(sums[4]).toBe(all.reduce((x, y) => x | (BigInt(y) << 31n), 0n));
    expect(view.getFloat64(40, true)).toBe(total);
    expect([view.getUint32(48, true), view.getUint32(52, true)]).toEqual([32 % 10, all.reduce((x, y) => x ^ y, 0)]);
    expect(view.getUint32(56, true)).toBe(3 * total);
    expect(view.getUint32(64, true)).toBe(total);
    expect(sums[9]).toBe(BigInt(total) << 31n);
    expect(sums[10]).toBe(u64(-32n));
    expect(view.getFloat32(88, true)).toBe(total);
    expect(view.getFloat64(96, true)).toBe(total);
    expect(sums[13]).toBe(77n);
    expect([view.getUint32(112, true), view.getUint32(116, true), view.getUint32(120, true)]).toEqual([0, 64, 32]);
    expect(sums[16]).toBe(BigInt(total));
    // dec from 0 wraps to 100, then counts down: the old values are 0, 100, 99, …
    expect([...old].sort((x, y) => x - y)).toEqual([0, ...lanes((i) => 70 + i, 31)]);
  });
});
