/** Warps, barriers, calls and control flow, run in the simulator. */
import { targets } from "./harness";
import { lanes, registers, run } from "./kernel";

describe.each(targets)("warps and control flow on %s", (target) => {
  test("shuffles, votes and matches, also of part of a warp", () => {
    const out = new Uint32Array(32 * 14);
    const shuffle = target === "sm_75" ? "" : "redux.sync.add.s32 %r20, %r1, -1;\n redux.sync.max.u32 %r21, %r2, -1;";
    run(
      target,
      `.visible .entry k(.param .u64 a) {${registers}
      mov.u32 %r1, %tid.x;
      ld.param.u64 %rd1, [a];
      mul.wide.u32 %rd2, %r1, 56;
      add.u64 %rd1, %rd1, %rd2;
      mad.lo.u32 %r2, %r1, 7, 3;
      shfl.sync.up.b32 %r3|%p1, %r2, 3, 0, -1;
      shfl.sync.down.b32 %r4|%p2, %r2, 5, 31, -1;
      shfl.sync.bfly.b32 %r5, %r2, 9, 31, 0xffffffff;
      and.b32 %r6, %r1, 5;
      shfl.sync.idx.b32 %r7, %r2, %r6, 0x181f, -1;
      selp.u32 %r8, 1, 0, %p1;
      selp.u32 %r9, 2, 0, %p2;
      or.b32 %r8, %r8, %r9;
      st.global.u32 [%rd1], %r3;
      st.global.u32 [%rd1+4], %r4;
      st.global.u32 [%rd1+8], %r5;
      st.global.u32 [%rd1+12], %r7;
      st.global.u32 [%rd1+16], %r8;
      setp.gt.u32 %p3, %r1, 20;
      vote.sync.ballot.b32 %r10, %p3, -1;
      st.global.u32 [%rd1+20], %r10;
      shr.u32 %r11, %r1, 2;
      match.any.sync.b32 %r12, %r11, -1;
      st.global.u32 [%rd1+24], %r12;
      match.all.sync.b32 %r13|%p4, %r11, -1;
      match.all.sync.b32 %r14|%p5, 5, -1;
      selp.u32 %r15, 1, 0, %p4;
      selp.u32 %r16, 2, 0, %p5;
      or.b32 %r15, %r15, %r16;
      add.u32 %r15, %r15, %r13;
      st.global.u32 [%rd1+28], %r15;
      st.global.u32 [%rd1+32], %r14;
      mov.u32 %r20, 496;
      mov.u32 %r21, 220;
      ${shuffle}
      st.global.u32 [%rd1+36], %r20;
      st.global.u32 [%rd1+40], %r21;
      mov.u32 %r22, 0;
      setp.lt.u32 %p6, %r1, 12;
      @!%p6 bra OTHERS;
      vote.sync.any.pred %p7, %p3, 0xfff;
      setp.lt.u32 %p8, %r1, 3;
      vote.sync.ballot.b32 %r23, %p8, 0xfff;
      shfl.sync.idx.b32 %r24, %r2, 11, 31, 0xfff;
      vote.sync.all.pred %p9, %p6, 0xfff;
      selp.u32 %r22, 100, 200, %p7;
      @%p9 add.u32 %r22, %r22, 1000;
      add.u32 %r22, %r22, %r23;
      add.u32 %r22, %r22, %r24;
      bra JOIN;
      OTHERS:
      bar.warp.sync 0xfffff000;
      activemask.b32 %r22;
      JOIN:
      st.global.u32 [%rd1+44], %r22;
      vote.sync.uni.pred %p10, %p6, -1;
      vote.sync.uni.pred %p11, %p5, -1;
      selp.u32 %r25, 1, 0, %p10;
      @%p11 or.b32 %r25, %r25, 2;
      st.global.u32 [%rd1+48], %r25;
      mov.u32 %r26, %laneid;
      mov.u32 %r27, %lanemask_lt;
      add.u32 %r26, %r26, %r27;
      st.global.u32 [%rd1+52], %r26;
      ret;
    }`,
      { block: 32, params: [out] },
    );
    const v = (i: number): number => 7 * i + 3;
    const row = (i: number): number[] => [
      v(i >= 3 ? i - 3 : i),
      v(i + 5 < 32 ? i + 5 : i),
      v(i ^ 9),
      v((i & 0x18) | (i & 5 & ~0x18)),
      (i >= 3 ? 1 : 0) + (i + 5 < 32 ? 2 : 0),
      0xffe00000,
      (0xf << (i & ~3)) >>> 0,
      2,
      0xffffffff,
      496,
      220,
      i < 12 ? 200 + 1000 + 7 + v(11) : 0xfffff000,
      2,
      (i + 2 ** i - 1) >>> 0,
    ];
    expect([...out]).toEqual(lanes((i) => i).flatMap(row));
  });

  test("barriers with reduction and with a part of the CTA", () => {
    const out = new Uint32Array(96 * 4);
    run(
      target,
      `.shared .align 4 .b32 box[96];
      .visible .entry k(.param .u64 a) {${registers}
      mov.u32 %r1, %tid.x;
      ld.param.u64 %rd1, [a];
      mul.wide.u32 %rd2, %r1, 16;
      add.u64 %rd1, %rd1, %rd2;
      setp.lt.u32 %p1, %r1, 40;
      bar.red.popc.u32 %r2, 0, %p1;
      bar.red.or.pred %p2, 0, %p1;
      bar.red.and.pred %p3, 0, %p1;
      selp.u32 %r3, 1, 0, %p2;
      @%p3 add.u32 %r3, %r3, 2;
      st.global.u32 [%rd1], %r2;
      st.global.u32 [%rd1+4], %r3;
      shl.b32 %r4, %r1, 2;
      mov.u32 %r5, box;
      add.u32 %r4, %r4, %r5;
      shr.u32 %r6, %r1, 5;
      setp.eq.u32 %p4, %r6, 2;
      @%p4 bra PRODUCER;
      mov.u32 %r7, 3;
      bar.sync %r7, 96;
      ld.shared.u32 %r8, [box+256];
      st.global.u32 [%rd1+8], %r8;
      bra END;
      PRODUCER:
      st.shared.u32 [%r4], %r1;
      bar.arrive 3, 96;
      st.global.u32 [%rd1+8], 0;
      END:
      bar.sync 0;
      mov.u32 %r9, %ntid.x;
      mov.u32 %r10, %nctaid.x;
      mad.lo.u32 %r9, %r9, 10, %r10;
      st.global.u32 [%rd1+12], %r9;
      ret;
    }`,
      { block: 96, params: [out] },
    );
    expect([...out]).toEqual(lanes((i) => i, 96).flatMap((i) => [40, 1, i < 64 ? 64 : 0, 961]));
  });

  test("calls of device functions, nested and with an early return", () => {
    const out = new Uint32Array(64);
    run(
      target,
      `.func (.param .b32 r) clampto (.param .b32 x, .param .b32 top)
      {
        .reg .b32 %r<4>; .reg .pred %p<2>;
        ld.param.u32 %r1, [x];
        ld.param.u32 %r2, [top];
        setp.le.u32 %p1, %r1, %r2;
        @%p1 bra SMALL;
        st.param.b32 [r], %r2;
        ret;
        SMALL:
        st.param.b32 [r], %r1;
        ret;
      }
      .func (.reg .u32 d) twice (.reg .u32 x)
      {
        .reg .u32 %t;
        { .param .b32 p0; st.param.b32 [p0], %t; .param .b32 p1; st.param.b32 [p1], 20; .param .b32 q;
          st.param.b32 [p0], x;
          call.uni (q), clampto, (p0, p1);
          ld.param.b32 %t, [q]; }
        add.u32 d, %t, %t;
      }
      .visible .entry k(.param .u64 a) {${registers}
      mov.u32 %r1, %tid.x;
      ld.param.u64 %rd1, [a];
      mul.wide.u32 %rd2, %r1, 8;
      add.u64 %rd1, %rd1, %rd2;
      call (%r2), twice, (%r1);
      st.global.u32 [%rd1], %r2;
      setp.gt.u32 %p1, %r1, 7;
      mov.u32 %r3, 1;
      @%p1 call (%r3), twice, (%r3);
      st.global.u32 [%rd1+4], %r3;
      ret;
    }`,
      { block: 32, params: [out] },
    );
    expect([...out]).toEqual(lanes((i) => i).flatMap((i) => [2 * Math.min(i, 20), i > 7 ? 2 : 1]));
  });

  test("small arguments: stored as 32 bits, loaded as bytes and halves, with and without sign", () => {
    const out = new Int32Array(6);
    run(
      target,
      `.global .align 8 .b8 cells[24];
      .func (.param .b32 r) pick (.param .b32 a, .param .b32 b, .param .align 4 .b8 c[4])
      {${registers}
        ld.param.s8 %h1, [a];
        ld.param.u8 %h2, [a+1];
        ld.param.s16 %r1, [b];
        ld.param.s16 %rd1, [b+2];
        ld.param.u8 %h3, [c];
        cvt.s32.s16 %r2, %h1;
        cvt.u32.u16 %r3, %h2;
        cvt.u32.u16 %r4, %h3;
        cvt.u32.u64 %r5, %rd1;
        mov.u64 %rd2, cells;
        st.global.v2.u32 [%rd2], {%r1, %r2};
        st.global.v2.u32 [%rd2+8], {%r3, %r4};
        st.global.u32 [%rd2+16], %r5;
        st.param.b32 [r], %r1;
      }
      .visible .entry k(.param .u64 p) {${registers}
        mov.b16 %h1, 0x1f7;
        { .param .b32 a; st.param.b32 [a], 0x1234fe85;
          .param .b32 b; st.param.b32 [b], 0x80017ffe;
          .param .align 4 .b8 c[4]; st.param.b8 [c], %h1;
          .param .b32 r;
          call.uni (r), pick, (a, b, c);
          ld.param.b32 %r9, [r]; }
        ld.param.u64 %rd1, [p];
        ld.global.v2.u32 {%r1, %r2}, [cells];
        ld.global.v2.u32 {%r3, %r4}, [cells+8];
        ld.global.u32 %r5, [cells+16];
        st.global.v2.u32 [%rd1], {%r1, %r2};
        st.global.v2.u32 [%rd1+8], {%r3, %r4};
        st.global.v2.u32 [%rd1+16], {%r5, %r9};
        ret;
      }`,
      { block: 1, params: [out] },
    );
    expect([...out]).toEqual([0x7ffe, -123, 0xfe, 0xf7, -32767, 0x7ffe]);
  });

  test("a lane that waits for a lock does not keep its owner from giving it back", () => {
    const out = new Uint32Array(2);
    run(
      target,
      `.visible .entry k(.param .u64 a) {${registers}
      .shared .u32 lock;
      ld.param.u64 %rd1, [a];
      mov.u32 %r4, %tid.x;
      st.shared.u32 [lock], 0;
      bar.sync 0;
      AGAIN:
      atom.shared.cas.b32 %r1, [lock], 0, 1;
      setp.ne.s32 %p1, %r1, 0;
      @%p1 bra AGAIN;
      ld.global.u32 %r2, [%rd1];
      add.u32 %r2, %r2, %r4;
      st.global.u32 [%rd1], %r2;
      membar.cta;
      atom.shared.exch.b32 %r3, [lock], 0;
      ret;
    }`,
      { block: 64, params: [out] },
    );
    expect(out[0]).toBe((63 * 64) / 2);
  });

  test("divergent loops with breaks and early exits, jump tables, an irreducible loop", () => {
    const out = new Uint32Array(32 * 4);
    run(
      target,
      `.visible .entry k(.param .u64 a) {${registers}
      mov.u32 %r1, %tid.x;
      ld.param.u64 %rd1, [a];
      mul.wide.u32 %rd2, %r1, 16;
      add.u64 %rd1, %rd1, %rd2;
      // Collatz steps, at most 40, leaving out of the middle.
      add.u32 %r2, %r1, 1;
      mov.u32 %r3, 0;
      LOOP:
      setp.eq.u32 %p1, %r2, 1;
      @%p1 bra OUT;
      and.b32 %r4, %r2, 1;
      setp.eq.u32 %p2, %r4, 0;
      @%p2 bra EVEN;
      mad.lo.u32 %r2, %r2, 3, 1;
      bra.uni NEXT;
      EVEN:
      shr.u32 %r2, %r2, 1;
      NEXT:
      add.u32 %r3, %r3, 1;
      setp.lt.u32 %p3, %r3, 40;
      @%p3 bra LOOP;
      OUT:
      st.global.u32 [%rd1], %r3;
      // Nested loops of different lengths per lane.
      mov.u32 %r5, 0;
      mov.u32 %r6, 0;
      OUTER:
      setp.ge.u32 %p4, %r6, %r1;
      @%p4 bra NESTED;
      mov.u32 %r7, 0;
      INNER:
      add.u32 %r5, %r5, %r7;
      add.u32 %r7, %r7, 1;
      setp.le.u32 %p5, %r7, %r6;
      @%p5 bra INNER;
      add.u32 %r6, %r6, 1;
      bra OUTER;
      NESTED:
      st.global.u32 [%rd1+4], %r5;
      rem.u32 %r8, %r1, 5;
      ts: .branchtargets T0, T1, T2, T1, T3;
      brx.idx %r8, ts;
      T0: mov.u32 %r9, 100; bra TE;
      T1: mov.u32 %r9, 200; bra TE;
      T2: mov.u32 %r9, 300;
      T3: add.u32 %r9, %r8, 400;
      TE:
      st.global.u32 [%rd1+8], %r9;
      setp.eq.u32 %p6, %r1, 9;
      @%p6 exit;
      // Two entries into one cycle.
      mov.u32 %r10, 0;
      and.b32 %r11, %r1, 1;
      setp.eq.u32 %p7, %r11, 0;
      @%p7 bra MIDDLE;
      TOP:
      add.u32 %r10, %r10, 1;
      MIDDLE:
      add.u32 %r10, %r10, 16;
      setp.lt.u32 %p8, %r10, 64;
      @%p8 bra TOP;
      st.global.u32 [%rd1+12], %r10;
    }`,
      { block: 32, params: [out] },
    );
    const collatz = (n: number): number => {
      let x = n;
      let steps = 0;
      while (x !== 1 && steps < 40) {
        x = x % 2 ? 3 * x + 1 : x / 2;
        steps++;
      }
      return steps;
    };
    const nested = (n: number): number => lanes((i) => (i * (i + 1)) / 2, n).reduce((x, y) => x + y, 0);
    const cycle = (i: number): number => {
      let x = i % 2;
      for (;;) {
        x += 16;
        if (x >= 64) return x;
        x += 1;
      }
    };
    const row = (i: number): number[] => [
      collatz(i + 1),
      nested(i),
      [100, 200, 402, 200, 404][i % 5]!,
      i === 9 ? 0 : cycle(i),
    ];
    expect([...out]).toEqual(lanes((i) => i).flatMap(row));
  });
});
