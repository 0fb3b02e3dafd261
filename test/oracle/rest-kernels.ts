/** Kernels of what is rare in PTX, for `rest.test.ts`: each takes a buffer of 32 bytes per thread and a number. */

export interface RestKernel {
  readonly name: string;
  /** Least SM. */
  readonly from: number;
  readonly text: string;
  /** Why ptxas -O3's code says nothing here, "" where it does. */
  readonly notBest: string;
}

/** `body` sees its thread's cell as %o, the number as %n, and stores what it finds. */
function kernel(name: string, body: string, { module = "", from = 75, notBest = "" } = {}): RestKernel {
  const text = `${module}
.visible .entry k(.param .u64 out, .param .u32 n)
{
  .reg .b32 %r<40>, %n, %t; .reg .b64 %l<40>, %o; .reg .b16 %h<20>; .reg .f32 %f<20>; .reg .pred %p<8>;
  ld.param.u64 %o, [out]; ld.param.u32 %n, [n];
  mov.u32 %t, %tid.x; mul.wide.u32 %l0, %t, 32; add.u64 %o, %o, %l0;
${body}
  ret;
}`;
  return { name, from, text, notBest };
}

const registers = (names: readonly string[]): string =>
  names.map((n, k) => `mov.u32 %r${k}, ${n}; st.global.u32 [%o+${4 * (k % 8)}], %r${k};`).join("\n");

export const restKernels: readonly RestKernel[] = [
  kernel("environment registers", registers(["%envreg0", "%envreg1", "%envreg15", "%envreg16", "%envreg31"])),
  kernel("sizes of shared memory", registers(["%total_smem_size", "%dynamic_smem_size"])),
  kernel(
    "the system's part of shared memory",
    registers(["begin", "end", "cap", "0", "1"].map((n) => `%reserved_smem_offset_${n}`)),
    { from: 80 },
  ),
  kernel(
    "registers of clusters",
    registers([
      "%clusterid.x",
      "%cluster_ctaid.x",
      "%cluster_nctaid.x",
      "%nclusterid.y",
      "%cluster_nctarank",
      "%aggr_smem_size",
    ]),
    { from: 90, notBest: "the simulator lacks UI2FP, which sm_120 has there" },
  ),
  kernel("relu after the type", "max.s32.relu %r1, %n, -7; st.global.u32 [%o], %r1;", { from: 90 }),
  kernel(
    "alloca",
    `.local .align 8 .b8 buf[24]; .reg .b32 %i, %s;
  st.local.u32 [buf+4], %t;
  stacksave.u64 %l5;
  mov.u32 %i, 0; mov.u32 %s, 0;
again:
  and.b32 %r1, %t, 3; add.u32 %r1, %r1, 1; mul.wide.u32 %l1, %r1, 4;
  alloca.u64 %l2, %l1, 16; alloca.u64 %l6, %l1;
  st.local.u32 [%l2], %i; st.local.u32 [%l6], %t;
  sub.u64 %l7, %l2, %l6; cvt.u32.u64 %r2, %l7; setp.ge.s32 %p1, %r2, %r1; selp.u32 %r2, 100, 0, %p1;
  ld.local.u32 %r3, [%l2]; ld.local.u32 %r4, [%l6];
  add.u32 %s, %s, %r2; mad.lo.u32 %s, %r3, 7, %s; add.u32 %s, %s, %r4;
  and.b32 %r5, %i, 1; setp.eq.u32 %p2, %r5, 1; @%p2 stackrestore.u64 %l5;
  add.u32 %i, %i, 1; setp.lt.u32 %p3, %i, 6; @%p3 bra again;
  ld.local.u32 %r6, [buf+4];
  st.global.u32 [%o], %s; st.global.u32 [%o+4], %r6;
  alloca.u64 %l8, 64, 32; and.b64 %l8, %l8, 31; st.global.u64 [%o+8], %l8;`,
    { notBest: "ptxas 13.0.88 keeps the variable and what was allocated in the same registers" },
  ),
  kernel(
    "alloca in a function",
    `{ .param .b32 a; .param .b32 b; st.param.b32 [a], %t; call (b), f, (a); ld.param.b32 %r1, [b]; }
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), f, (a); ld.param.b32 %r2, [b]; }
  st.global.u32 [%o], %r1; st.global.u32 [%o+4], %r2;`,
    {
      module: `.func (.param .b32 r) f(.param .b32 x) {
  .reg .b32 %x, %y; .reg .b64 %a<4>;
  ld.param.b32 %x, [x]; and.b32 %y, %x, 7; add.u32 %y, %y, 1; mul.wide.u32 %a0, %y, 4; alloca.u64 %a1, %a0;
  st.local.u32 [%a1], %x; ld.local.u32 %y, [%a1]; mad.lo.u32 %y, %y, 3, 1; st.param.b32 [r], %y; ret; }`,
    },
  ),
  kernel(
    "managed variables",
    "ld.global.u32 %r1, [many+4]; add.u32 %r1, %r1, %t; st.global.u32 [%o], %r1; ld.global.u32 %r2, [none+8]; st.global.u32 [%o+4], %r2;",
    {
      module: `.visible .global .attribute(.managed) .align 4 .u32 many[10] = {1, 20, 3};
.visible .global .attribute(.managed) .align 4 .u32 none[10];`,
    },
  ),
  kernel(
    "addresses in initial values",
    `ld.global.u64 %l1, [p]; ld.u64 %l2, [%l1]; st.global.u64 [%o], %l2;
  ld.global.u64 %l3, [p+8]; ld.u32 %r1, [%l3]; st.global.u32 [%o+8], %r1;
  ld.const.u64 %l4, [q]; ld.u32 %r2, [%l4]; st.global.u32 [%o+12], %r2;
  ld.global.u64 %l5, [p+16]; ld.const.u32 %r3, [%l5]; st.global.u32 [%o+16], %r3;
  ld.global.u64 %l6, [bytes]; ld.u64 %l7, [%l6]; st.global.u64 [%o+24], %l7;`,
    {
      module: `.global .align 8 .u64 g[3] = {5, 6, 7};
.const .align 8 .u32 c[4] = {50, 60, 70, 80};
.global .align 8 .u64 p[3] = {generic(g)+8, generic(c)+4, c+8};
.const .align 8 .u64 q[1] = {generic(c)+12};
.global .align 8 .u8 bytes[8] = {0xff(generic(c)), 0xff00(generic(c)), 0xff0000(generic(c)), 0xff000000(generic(c)),
  0xff00000000(generic(c)), 0xff0000000000(generic(c)), 0xff000000000000(generic(c)), 0xff00000000000000(generic(c))};`,
    },
  ),
  kernel(
    "vector registers as wholes",
    `.reg .v2 .u32 t; .reg .v4 .f32 v, w; .reg .v2 .b16 h;
  ld.global.v4.f32 v, [%o]; mov.v4.f32 w, v;
  cvt.rn.f32.u32 v.x, %t; add.f32 w.y, v.x, 0f3F800000; mov.f32 w.b, w.g; mov.f32 w.w, v.r;
  st.global.v4.f32 [%o], w;
  mov.u32 %r1, 7; mov.v2.u32 t, {%t, %r1}; mov.v2.u32 t, {t.y, t.x}; mov.b64 %l1, t; add.u64 %l1, %l1, 5;
  mov.b64 t, %l1; st.global.v2.u32 [%o+16], t;
  mov.b32 h, %t; mov.b32 %r2, h; st.global.u32 [%o+24], %r2;`,
  ),
  kernel(
    "variables from outside and common ones",
    `ld.global.u32 %r1, [outside]; add.u32 %r1, %r1, %t; st.global.u32 [outside], %r1; ld.global.u32 %r2, [common+4];
  add.u32 %r2, %r2, %n; st.global.u32 [%o], %r2; ld.global.u32 %r3, [outside]; sub.u32 %r3, %r3, %r1; st.global.u32 [%o+4], %r3;`,
    { module: ".extern .global .align 4 .u32 outside;\n.common .global .align 4 .u32 common[4];" },
  ),
];
