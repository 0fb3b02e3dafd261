/** Small kernels, each made so that a few knobs have something to decide. Most need sm_80, some sm_90. */

const each = (n: number, line: (i: number) => string): string =>
  Array.from({ length: n }, (_, i) => line(i)).join("\n");

/** A kernel of two pointers and a count: `%a`, `%b` hold them, `%t` the thread, `%n` the count. */
function kernel(body: string, target = "sm_80"): string {
  return `.version 8.6
.target ${target}
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q, .param .u32 m, .param .u32 c, .param .f32 e)
{
.reg .b64 %a, %b, %rd<200>; .reg .b32 %t, %n, %r<300>; .reg .f32 %f<300>; .reg .f64 %fd<200>; .reg .pred %p<40>; .reg .b16 %h<20>;
.shared .align 16 .b8 s[1024];
ld.param.u64 %a, [p];
ld.param.u64 %b, [q];
ld.param.u32 %n, [m];
mov.u32 %t, %tid.x;
${body}
ret;
}
`;
}

const turn = (label: string, counter: string, bound: string, p: number): string =>
  `add.s32 ${counter}, ${counter}, 1; setp.lt.s32 %p${p}, ${counter}, ${bound}; @%p${p} bra ${label};`;

/** A loop over `%r1` that adds to `%f1`, so many times. */
const sumLoop = (trips: string, work: string): string => `
mov.f32 %f1, 0f00000000; mov.u32 %r1, 0; mov.u64 %rd1, %a;
L: ${work}
${turn("L", "%r1", trips, 1)}
st.global.f32 [%b], %f1;`;
const load = "ld.global.f32 %f2, [%rd1]; fma.rn.f32 %f1, %f2, %f2, %f1; add.s64 %rd1, %rd1, 4;";

/** So many values, loaded and all wanted at the end, after `between`. */
const crowd = (n: number, between: string): string => `
${each(n, (i) => `ld.global.f32 %f${i + 100}, [%a+${4 * i}];`)}
${between}
${each(n, (i) => `mul.f32 %f${i + 100}, %f${i + 100}, %f${100 + ((i + 1) % n)};`)}
${each(n, (i) => `st.global.f32 [%b+${4 * i}], %f${i + 100};`)}`;

const nested = (work: string, after = ""): string => `
mov.u32 %r1, 0; mov.f32 %f1, 0f00000000;
.pragma "nounroll";
O: mov.u32 %r2, 0;
.pragma "nounroll";
I: ${work}
${turn("I", "%r2", "%n", 1)}
${after}
${turn("O", "%r1", "%n", 2)}
st.global.f32 [%b+4000], %f1;`;

const mma =
  "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4};";

export const small: Readonly<Record<string, string>> = {
  /** Tests at its top, trips not known. */
  top: kernel(`mov.u32 %r1, %t;
T: setp.ge.s32 %p1, %r1, %n; @%p1 bra D;
mul.wide.s32 %rd1, %r1, 4; add.s64 %rd2, %a, %rd1; st.volatile.global.u32 [%rd2], %r1; add.s32 %r1, %r1, 32; bra T;
D: st.global.u32 [%b], %r1;`),
  many: kernel(sumLoop("1000", load)),
  few: kernel(sumLoop("4", load)),
  tiny: kernel(sumLoop("3900", "fma.rn.f32 %f1, %f1, 0f3F000000, 0f3F800000;")),
  unknown: kernel(sumLoop("%n", load)),
  branchy: kernel(
    sumLoop(
      "4",
      `${load} setp.gt.f32 %p2, %f2, 0f3F800000; @%p2 bra S; ${each(20, () => "mul.f32 %f1, %f1, %f2;")} S:`,
    ),
  ),
  branchyUnknown: kernel(
    sumLoop(
      "%n",
      `ld.global.f32 %f2, [%rd1]; add.s64 %rd1, %rd1, 4; setp.gt.f32 %p2, %f2, 0f3F800000; @%p2 bra S; add.f32 %f1, %f1, %f2; S:`,
    ),
  ),
  /** The counter starts anywhere: whether turns are sure may wrap. */
  anyStart: kernel(`mov.f32 %f1, 0f00000000; mov.u32 %r1, %t; mov.u64 %rd1, %a;
L: ${load}
${turn("L", "%r1", "%n", 1)}
st.global.f32 [%b], %f1;`),
  /** Addresses that are computed in every turn. */
  strided: kernel(
    sumLoop(
      "400",
      `${each(4, (i) => `mad.wide.s32 %rd${i + 10}, %r1, ${12 + 8 * i}, %a; ld.global.f32 %f${i + 2}, [%rd${i + 10}]; fma.rn.f32 %f1, %f${i + 2}, %f1, %f1;`)}`,
    ),
  ),
  /** A parameter that two loops around need. */
  constantNest: kernel(
    nested(
      "ld.param.u32 %r9, [c]; mad.lo.s32 %r8, %r9, %r2, %r1; st.volatile.global.u32 [%a], %r8; st.volatile.global.u32 [%b], %r9;",
    ),
    "sm_90",
  ),
  /** A store wants its literal in a register. */
  literalInLoop: kernel(sumLoop("%n", `${load} st.volatile.global.u32 [%b+64], 123456;`)),
  /** A condition that is copied, read in its block and in another one. */
  predicates: kernel(`setp.gt.s32 %p1, %t, %n; mov.pred %p2, %p1; not.pred %p3, %p2; ld.volatile.global.u32 %r1, [%a];
@%p3 st.volatile.global.u32 [%a], %t; setp.gt.s32 %p4, %n, 9; @%p4 bra S;
bar.sync 0; @%p3 st.volatile.global.u32 [%b], %r1; selp.b32 %r2, %t, %n, %p2; st.volatile.global.u32 [%b+4], %r2;
S:`),
  /** Both ways compute the same. */
  both: kernel(`ld.global.u32 %r1, [%a]; setp.gt.s32 %p1, %t, %n; @%p1 bra E;
mul.lo.s32 %r2, %r1, %r1; add.s32 %r3, %r2, 5; bra J;
E: mul.lo.s32 %r4, %r1, %r1; xor.b32 %r3, %r4, %n;
J: st.global.u32 [%b], %r3;`),
  /** Arms in a loop: how often they are come to depends on its trips. */
  nestedArms: kernel(
    crowd(
      8,
      `mov.u32 %r1, 0; .pragma "nounroll";
O: ld.volatile.global.u32 %r2, [%a]; setp.gt.s32 %p1, %r2, %n; @%p1 bra S;
${each(16, (i) => `ld.volatile.global.f32 %f${i}, [%a+${4 * i}];`)}
${each(16, (i) => `mul.f32 %f${i + 20}, %f${i}, %f${(i + 3) % 16}; st.volatile.global.f32 [%b+${4 * i}], %f${i + 20};`)}
bar.sync 0;
S: ${turn("O", "%r1", "%n", 2)}`,
    ),
  ),
  inner: kernel(`mov.f32 %f1, 0f00000000; mov.u32 %r1, 0; mov.u64 %rd1, %a;
O: mov.u32 %r2, 0;
I: ${load}
${turn("I", "%r2", "3", 1)}
${turn("O", "%r1", "3", 2)}
st.global.f32 [%b], %f1;`),
  parameters: kernel(sumLoop("20", `ld.param.f32 %f3, [e]; ${load} mul.f32 %f1, %f1, %f3;`), "sm_90"),
  /** Its handle comes from memory, so that a vector register has it. */
  texture: `.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 t, .param .u64 q)
{
.reg .b64 %a, %b; .reg .f32 %f<20>; .reg .b32 %r<4>; .reg .pred %p<3>;
ld.param.u64 %b, [q]; ld.global.b64 %a, [%b+8];
mov.f32 %f1, 0f00000000; mov.u32 %r1, 0;
L: cvt.rn.f32.s32 %f2, %r1;
tex.2d.v4.f32.f32 {%f5,%f6,%f7,%f8}, [%a, {%f2,%f2}];
add.f32 %f1, %f1, %f5; add.f32 %f1, %f1, %f6; add.f32 %f1, %f1, %f7; add.f32 %f1, %f1, %f8;
${turn("L", "%r1", "1000", 1)}
st.global.f32 [%b], %f1;
ret;
}
`,
  /** Texels and loaded values, more than there are registers. */
  texels: `.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 t, .param .u64 q)
{
.reg .b64 %a, %b; .reg .f32 %f<200>; .reg .b32 %r<4>;
ld.param.u64 %a, [t]; ld.param.u64 %b, [q];
${each(16, (i) => `ld.global.f32 %f${i + 150}, [%b+${4 * i}];`)}
${each(8, (i) => `tex.2d.v4.f32.f32 {%f${4 * i},%f${4 * i + 1},%f${4 * i + 2},%f${4 * i + 3}}, [%a, {%f${150 + i},%f${151 + i}}];`)}
bar.sync 0;
${each(16, (i) => `st.global.f32 [%b+${4 * i + 256}], %f${i + 150};`)}
${each(32, (i) => `mul.f32 %f${i + 50}, %f${i}, %f${(i + 5) % 32}; add.f32 %f${i + 50}, %f${i + 50}, %f${150 + (i % 16)};`)}
${each(32, (i) => `st.global.f32 [%b+${4 * i}], %f${i + 50};`)}
ret;
}
`,
  /** Three products that are the same in every turn. */
  invariant: kernel(
    sumLoop(
      "%n",
      `mul.lo.s32 %r5, %t, %n; xor.b32 %r6, %t, %n; add.s32 %r7, %r5, %r6; ld.volatile.global.f32 %f2, [%rd1]; cvt.rn.f32.s32 %f3, %r1; fma.rn.f32 %f1, %f2, %f3, %f1; st.volatile.global.u32 [%b], %r7; ld.param.u32 %r9, [c]; st.volatile.global.u32 [%b+8], %r9;`,
    ),
    "sm_90",
  ),
  nest: kernel(
    nested(
      `mul.lo.s32 %r5, %t, %n; xor.b32 %r6, %t, %n; add.s32 %r7, %r5, %r6; mul.lo.s32 %r8, %r7, %r1; st.volatile.global.u32 [%a], %r8; st.volatile.global.u32 [%b], %r7;`,
    ),
    "sm_90",
  ),
  /** One product in two blocks. */
  twice:
    kernel(`mul.lo.s32 %r1, %t, %n; xor.b32 %r2, %r1, 77; mul.lo.s32 %r8, %t, %n; st.volatile.global.u32 [%a+16], %r8;
st.global.u32 [%a], %r2; setp.gt.s32 %p1, %n, 9; @%p1 bra S;
mul.lo.s32 %r3, %t, %n; mad.lo.s32 %r3, %r3, %r3, %t; st.volatile.global.u32 [%b], %r3; bar.sync 0; st.volatile.global.u32 [%b+4], %t;
S:`),
  literals: kernel(`mov.b32 %r1, 0x12345678; mov.b32 %r2, 0x12345678;
mul.hi.u32 %r3, %t, %r1; mul.hi.u32 %r4, %t, %r2; st.volatile.global.u32 [%a], %r3; st.volatile.global.u32 [%b], %r4;`),
  copies: kernel(`mov.u64 %rd1, %a; mov.u32 %r1, %t; mov.u32 %r2, %r1; setp.gt.s32 %p1, %n, 9; @%p1 bra S;
ld.param.u32 %r5, [c]; add.s32 %r3, %r2, %r5; st.volatile.global.u32 [%rd1], %r3; bar.sync 0; xor.b32 %r4, %r3, %r2; st.volatile.global.u32 [%rd1+4], %r4;
S:`),
  overwritten: kernel("st.global.u32 [%a], %t; st.global.u32 [%a], %n;"),
  neighbours: kernel("shl.b32 %r1, %t, 3; st.shared.u32 [%r1], %t; st.shared.u32 [%r1+4], %n;"),
  arm: kernel(
    "mov.u32 %r1, 5; setp.gt.s32 %p1, %t, %n; @%p1 bra S; mul.lo.s32 %r1, %t, %n; S: st.global.u32 [%a], %r1;",
  ),
  arms: kernel(`mov.u32 %r1, 5; setp.gt.s32 %p1, %t, %n; @%p1 bra S; setp.gt.s32 %p2, %t, 7; @%p2 bra Q; mul.lo.s32 %r1, %t, %n; Q: xor.b32 %r1, %r1, 9;
S: st.global.u32 [%a], %r1;`),
  /** What all lanes share. */
  uniform: kernel(
    `mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.s32 %r3, %r1, %r2, %t; ld.param.u32 %r4, [c]; mad.lo.s32 %r5, %r3, %r4, %n;
mul.wide.s32 %rd1, %r5, 4; add.s64 %rd2, %a, %rd1; mul.lo.s32 %r6, %r1, %r4; add.s32 %r7, %r6, %t; st.global.u32 [%rd2], %r7; st.global.u32 [%rd2+4], %r5;`,
    "sm_90",
  ),
  floats:
    kernel(`ld.global.f32 %f1, [%a]; ld.global.f32 %f2, [%a+4]; mul.f32 %f3, %f1, 0f3F800000; neg.f32 %f4, %f2; add.f32 %f5, %f3, %f4;
st.global.f32 [%b], %f5;`),
  compares: kernel(
    `ld.global.u32 %r1, [%a]; and.b32 %r2, %r1, %n; setp.ne.s32 %p1, %r2, 0; selp.b32 %r3, 1, 0, %p1; setp.ne.s32 %p2, %r3, 0; @%p2 st.global.u32 [%b], %r1;`,
  ),
  addresses:
    kernel(`ld.global.u32 %r9, [%b]; mul.wide.s32 %rd1, %r9, 12; add.s64 %rd2, %a, %rd1; ld.global.u32 %r1, [%rd2];
mul.lo.s32 %r2, %r1, 4; add.s32 %r3, %r2, %n; shl.b32 %r4, %r1, 3; add.s32 %r5, %r4, %r3; mul.lo.s32 %r6, %r1, %n; add.s32 %r7, %r6, %r5; st.global.u32 [%b], %r7;`),
  constants: kernel("mov.u32 %r1, 6; mul.lo.s32 %r2, %r1, 7; add.s32 %r3, %r2, 8; st.global.u32 [%a], %r3;"),
  products: kernel(
    `ld.global.u32 %r1, [%a]; mul.lo.s32 %r2, %r1, 12; mul.lo.s32 %r3, %r2, 20; shl.b32 %r4, %r3, 3; st.global.u32 [%b], %r4;`,
  ),
  fence: kernel("st.global.u32 [%a], %t; membar.sys; ld.param.u32 %r1, [c]; st.global.u32 [%b], %r1;", "sm_90"),
  /** Loaded in one block, wanted in another one. */
  later:
    kernel(`ld.global.u32 %r1, [%a]; ld.shared.u32 %r2, [s]; setp.gt.s32 %p1, %n, 9; @%p1 bra S; ${each(12, () => "xor.b32 %r3, %t, 5; st.volatile.global.u32 [%b+64], %r3;")}
S: add.s32 %r4, %r1, %r2; st.global.u32 [%b], %r4;`),
  crowd: kernel(crowd(60, "bar.sync 0;")),
  /** Values that live through loops, some wanted in the inner one. */
  crowdedNest: kernel(
    crowd(
      34,
      nested(
        "ld.volatile.global.f32 %f2, [%a]; fma.rn.f32 %f1, %f2, %f100, %f1; fma.rn.f32 %f1, %f2, %f101, %f1;",
        each(30, (i) => `fma.rn.f32 %f1, %f1, %f${102 + i}, %f1;`),
      ),
    ),
  ),
  pairs: kernel(`${each(20, (i) => `ld.global.f64 %fd${i}, [%a+${8 * i}];`)}
bar.sync 0;
${each(20, (i) => `mul.f64 %fd${i}, %fd${i}, %fd${(i + 1) % 20};`)}
${each(20, (i) => `st.global.f64 [%b+${8 * i}], %fd${i};`)}`),
  banks: kernel(`${each(12, (i) => `ld.global.f32 %f${i}, [%a+${4 * i}];`)}
${each(24, (i) => `fma.rn.f32 %f${50 + i}, %f${i % 12}, %f${(i * 5 + 2) % 12}, %f${(i * 7 + 4) % 12};`)}
${each(24, (i) => `st.global.f32 [%b+${4 * i}], %f${50 + i};`)}`),
  /** Accumulators that are copied before a product. */
  matrix:
    kernel(`${each(6, (i) => `ld.global.u32 %r${i + 1}, [%a+${4 * i}];`)} ${each(4, (i) => `ld.global.f32 %f${i + 11}, [%a+${32 + 4 * i}];`)}
${each(4, (i) => `mov.f32 %f${i + 1}, %f${i + 11};`)}
mov.u32 %r20, 0;
L: ${mma}
${turn("L", "%r20", "%n", 1)}
${each(4, (i) => `st.global.f32 [%b+${4 * i}], %f${i + 1}; st.global.f32 [%b+${16 + 4 * i}], %f${i + 11};`)}`),
  matrices: kernel(`${each(40, (i) => `ld.global.u32 %r${i + 1}, [%a+${4 * i}];`)}
${each(4, (i) => `mov.f32 %f${i + 1}, 0f00000000;`)}
${each(7, (k) => mma.replace(/%r(\d)/g, (_, d: string) => `%r${Number(d) + 5 * k}`))}
${each(40, (i) => `st.global.u32 [%b+${64 + 4 * i}], %r${i + 1};`)}
${each(4, (i) => `st.global.f32 [%b+${4 * i}], %f${i + 1};`)}`),
  /** Called by the ABI. */
  called: `.version 8.6
.target sm_80
.address_size 64
.func (.param .b32 z) f(.param .b32 x, .param .b32 y)
{
.reg .b32 %r<9>;
ld.param.b32 %r1, [x]; ld.param.b32 %r2, [y]; mul.lo.s32 %r3, %r2, %r1; sub.s32 %r4, %r3, %r2; st.param.b32 [z], %r4; ret;
}
.visible .entry k(.param .u64 p)
{
.reg .b64 %a, %rd<3>; .reg .b32 %r<9>;
ld.param.u64 %a, [p]; ld.global.u32 %r1, [%a]; ld.global.u32 %r2, [%a+4]; mov.u64 %rd1, f;
{ .param .b32 x0; .param .b32 y0; .param .b32 z0; st.param.b32 [x0], %r2; st.param.b32 [y0], %r1;
call (z0), %rd1, (x0, y0), proto; proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _); ld.param.b32 %r3, [z0]; }
st.global.u32 [%a], %r3; st.global.u32 [%a+4], %r1; ret;
}
`,
  /** Products of three loaded values, more than there are registers. */
  crowdedBanks: kernel(`${each(28, (i) => `ld.global.f32 %f${i}, [%a+${4 * i}];`)}
bar.sync 0;
${each(40, (i) => `fma.rn.f32 %f${50 + i}, %f${(i * 3) % 28}, %f${(i * 5 + 2) % 28}, %f${(i * 7 + 4) % 28};\nst.volatile.global.f32 [%b+${4 * i}], %f${50 + i};`)}`),
  /** Copies into shared memory whose addresses are computed anew. */
  copied: kernel(
    `mov.u64 %rd1, %a; mov.u32 %r1, s;
${each(8, (i) => `cp.async.ca.shared.global [%r1], [%rd1], 16; add.s64 %rd1, %rd1, ${16 + 4 * i}; add.s32 %r1, %r1, 16; mad.lo.s32 %r2, %r1, %t, %n; xor.b32 %r3, %r2, %t; st.volatile.global.u32 [%b+${4 * i}], %r3;`)}
cp.async.wait_all; ld.shared.u32 %r9, [s]; st.global.u32 [%b+64], %r9;`,
  ),
  loads:
    kernel(`${each(24, (i) => `ld.global.f32 %f${i}, [%a+${4 * i}]; mul.f32 %f${i + 40}, %f${i}, %f${i}; sqrt.approx.f32 %f${i + 70}, %f${i + 40};`)}
${each(24, (i) => `st.global.f32 [%b+${4 * i}], %f${i + 70};`)}`),
  /** Work of many kinds side by side: arithmetic, shared memory, special functions, wide products, conversions. */
  mixed: kernel(
    `${each(
      8,
      (
        i,
      ) => `ld.global.f32 %f${i}, [%a+${16 * i}]; ld.shared.f32 %f${i + 10}, [s+${16 * i}]; ex2.approx.f32 %f${i + 20}, %f${i};
fma.rn.f32 %f${i + 30}, %f${i + 10}, %f${i}, %f${i + 20}; mad.lo.s32 %r${i}, %t, ${i + 3}, %n; mul.wide.s32 %rd${i}, %r${i}, ${12 + i}; add.s64 %rd${i + 20}, %rd${i}, %b;
st.global.f32 [%rd${i + 20}], %f${i + 30}; st.shared.f32 [s+${512 + 16 * i}], %f${i + 20}; xor.b32 %r${i + 20}, %r${i}, %t; st.global.u32 [%rd${i + 20}+64], %r${i + 20};`,
    )}`,
  ),
};
