/**
 * Kernels that were once compiled or simulated wrongly, mostly found by tools/interpreter.ts and tools/random-cuda.ts: the simulator runs our
 * code to what the PTX interpreter gives for the text. Each says what it is about.
 */
import { compile } from "../../lib/compile.js";
import { unwrap } from "../../lib/result.js";
import { simulate } from "../../lib/sim/index.js";
import { PtxDevice } from "../../lib/sim/ptx/index.js";
import type { TargetName } from "../../lib/target/index.js";

const THREADS = 64;

/** Each thread has its number in %r0; %r9 is its result, %p1 to %p3, %r1 to %r39, %rd1 to %rd9, %h, %f, %d are free. */
const kernel = (body: string, before = ""): string => `.version 9.0
.target sm_75
.address_size 64
${before}
.visible .entry k(.param .u64 out) {
.reg .pred %p<5>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %rd<10>, %rd_out; .reg .f32 %f<9>; .reg .f64 %d<9>;
ld.param.u64 %rd_out, [out];
mov.u32 %r0, %tid.x;
mad.wide.u32 %rd_out, %r0, 4, %rd_out;
${body}
st.global.b32 [%rd_out], %r9;
ret;
}
`;

const call = (name: string, argument: string, result: string): string =>
  `{ .param .b32 a; .param .b32 b; st.param.b32 [a], ${argument}; call (b), ${name}, (a); ld.param.b32 ${result}, [b]; }`;

/** Calls itself when the argument is odd, so that no inlining takes its frame away. */
const recursive = (name: string, body: string): string => `.func (.param .b32 r) ${name}(.param .b32 n) {
.reg .pred %p<3>; .reg .b32 %r<20>; .reg .b64 %rd<9>;
ld.param.b32 %r1, [n];
${body}
and.b32 %r8, %r1, 1;
setp.eq.u32 %p1, %r8, 0;
@%p1 bra END;
sub.u32 %r8, %r1, 1;
${call(name, "%r8", "%r7")}
add.u32 %r2, %r2, %r7;
END:
st.param.b32 [r], %r2;
ret;
}
`;

/** Results of a few instructions on scrambled numbers, added up. */
function several(lines: readonly string[]): string {
  const scrambled =
    "mad.lo.u32 %r1, %r0, 2654435761, 99; mad.lo.u32 %r2, %r0, 2246822519, 7; mad.lo.u32 %r3, %r0, 3266489917, 5;";
  return `${scrambled} mov.u32 %r9, 0;\n${lines.map((l) => `${l}\nmad.lo.u32 %r9, %r9, 31, %r10;`).join("\n")}`;
}

const cases: Readonly<Record<string, string>> = {
  vmad: kernel(
    several([
      "vmad.u32.u32.u32 %r10, %r1, %r2, %r3;",
      "vmad.s32.s32.u32 %r10, %r1.b2, %r2.h1, %r3;",
      "vmad.s32.s32.s32 %r10, -%r1.b1, %r2.b3, %r3;",
      "vmad.s32.u32.u32 %r10, %r1.b1, %r2, -%r3;",
      "vmad.u32.u32.u32.po %r10, %r1, %r2.h0, %r3;",
      "vmad.s32.s32.s32.shr7 %r10, %r1, %r2, %r3;",
      "vmad.s32.s32.s32.sat.shr15 %r10, %r1.h1, %r2, %r3;",
      "vmad.s32.s32.s32.sat %r10, %r1, %r2.h0, %r3;",
      "vmad.s32.s32.s32.po.sat.shr7 %r10, %r1.h0, %r2.b0, %r3;",
    ]),
  ),
  "parameters of a call and local variables by a range of names": kernel(
    `.local .align 4 .u32 save<3>; st.local.u32 [save0], %r0; st.local.u32 [save2], 7;
{ .param .b32 p<3>; st.param.b32 [p0], %r0; st.param.b32 [p1], 5; call (p2), twoArguments, (p0, p1); ld.param.b32 %r9, [p2]; }
ld.local.u32 %r1, [save0]; ld.local.u32 %r2, [save2]; mad.lo.u32 %r9, %r9, %r2, %r1;`,
    `.func (.param .b32 r) twoArguments(.param .b32 a, .param .b32 b) {
.reg .b32 %r<4>; ld.param.b32 %r1, [a]; ld.param.b32 %r2, [b]; shl.b32 %r1, %r1, %r2; sub.u32 %r1, %r1, %r2; st.param.b32 [r], %r1; ret; }`,
  ),
  // A lane's own store is elsewhere and comes late; what is read is the next lane's.
  "loads of what other lanes stored before the warp's barrier": kernel(
    `.shared .align 4 .b8 s[4096]; mov.u32 %r2, s; mad.lo.u32 %r3, %r0, 4, %r2; and.b32 %r5, %r0, 31; setp.lt.u32 %p1, %r5, 31;
mul.lo.u32 %r4, %r0, %r0; mad.lo.u32 %r4, %r4, %r4, 7; mad.lo.u32 %r4, %r4, %r4, 11; mad.lo.u32 %r4, %r4, %r4, %r0; st.shared.u32 [%r3], %r4;
bar.warp.sync -1; mov.u32 %r6, 5; @%p1 ld.shared.u32 %r6, [%r3+4]; mad.lo.u32 %r7, %r6, %r6, 3; mad.lo.u32 %r9, %r7, %r7, %r6;`,
  ),
  "loads again after the warp's barrier": kernel(
    `.shared .align 4 .b8 s[4096]; mov.u32 %r2, s; mad.lo.u32 %r3, %r0, 4, %r2; and.b32 %r5, %r0, 31; setp.lt.u32 %p1, %r5, 31;
st.shared.u32 [%r3], %r0; bar.warp.sync -1; ld.shared.u32 %r6, [%r3]; bar.warp.sync -1; mad.lo.u32 %r7, %r0, 3, 1; xor.b32 %r8, %r0, 31;
mad.lo.u32 %r8, %r8, 4, %r2; st.shared.u32 [%r8], %r7; bar.warp.sync -1; ld.shared.u32 %r4, [%r3]; mad.lo.u32 %r9, %r4, 17, %r6;`,
  ),
  "own store forwarded past the warp's barrier": kernel(
    `.shared .align 4 .b8 s[4096]; mov.u32 %r2, s; mad.lo.u32 %r3, %r0, 4, %r2; xor.b32 %r5, %r0, 1; mad.lo.u32 %r8, %r5, 4, %r2;
st.shared.u32 [%r3], %r0; bar.warp.sync -1; mad.lo.u32 %r7, %r0, 3, 1; st.shared.u32 [%r8], %r7; bar.warp.sync -1; ld.shared.u32 %r9, [%r3];`,
  ),
  "stores to the same place on both sides of the warp's barrier": kernel(
    `.shared .align 4 .b8 s[4096]; mov.u32 %r2, s; mad.lo.u32 %r3, %r0, 4, %r2; xor.b32 %r5, %r0, 1; mad.lo.u32 %r8, %r5, 4, %r2;
st.shared.u32 [%r3], %r0; bar.warp.sync -1; ld.shared.u32 %r6, [%r8]; bar.warp.sync -1; add.u32 %r7, %r6, 100; st.shared.u32 [%r3], %r7; bar.warp.sync -1; ld.shared.u32 %r9, [%r8];`,
  ),
  "HMUL2.FTZ.SAT flushes a subnormal result": kernel(
    "add.u32 %r1, %r0, 0x04000400; mov.b32 %r2, 0x38003400; mul.ftz.sat.f16x2 %r9, %r1, %r2;",
  ),
  "a NaN of f64 becomes the top bit of a narrow integer": kernel(
    `cvt.rn.f64.u32 %d1, %r0; sub.f64 %d1, %d1, %d1; div.rn.f64 %d1, %d1, %d1;
cvt.rzi.s16.f64 %h1, %d1; cvt.rzi.u8.f64 %h2, %d1; mov.b32 %r9, {%h1, %h2};`,
  ),
  "quads in the frame of a function whose callers have odd frames": kernel(
    `.local .align 8 .b8 own[24]; st.local.u32 [own+8], %r0; ld.local.u32 %r1, [own+8]; ${call("mid", "%r1", "%r9")}`,
    `${recursive(
      "leaf",
      `.local .align 16 .b8 d[48]; and.b32 %r2, %r1, 3; mul.wide.u32 %rd1, %r2, 4; mov.u64 %rd2, d; add.u64 %rd1, %rd1, %rd2;
mov.b32 %r3, 5; st.local.v4.u32 [d], {%r3, %r3, %r3, %r3}; st.local.u32 [%rd1], %r1; ld.local.v4.u32 {%r2, %r3, %r4, %r5}, [d]; add.u32 %r2, %r2, %r5;`,
    )}${recursive(
      "mid",
      `.local .align 8 .b8 d[24]; st.local.u32 [d+16], %r1; ld.local.u32 %r3, [d+16]; ${call("leaf", "%r3", "%r2")}`,
    )}`,
  ),
  "a load below its base in a function that is called": kernel(
    call("f", "%r0", "%r9"),
    recursive(
      "f",
      `.local .align 4 .b8 d[64]; mov.u64 %rd1, d; and.b32 %r2, %r1, 7; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd1, %rd1, %rd2;
st.local.u32 [%rd1+4], %r1; mov.u32 %r3, %ntid.x; shr.u32 %r3, %r3, 1; cvt.u64.u32 %rd2, %r3; add.u64 %rd1, %rd1, %rd2;
ld.local.u32 %r2, [%rd1+-28];`,
    ),
  ),
  // The guarded write of a result that nobody reads asked for the value before it, which nothing had written.
  "a guarded setp whose second result is dead": kernel(
    `.reg .pred %z; and.b32 %r1, %r0, 3; setp.lt.u32 %p1, %r1, 2; setp.eq.u32 %p2, %r1, 1; mov.pred %z, 0;
@!%p2 bra NO; setp.ge.s32 %z|%p2, 6, %r0; bra OUT; NO: @%p1 setp.lt.s32 %z|%p2, %r0, %r1; OUT: bar.sync 0;
selp.u32 %r9, 5, 9, %p2;`,
  ),
  "saturated products and sums": kernel(
    several([
      "mad.hi.sat.s32 %r10, %r1, %r2, %r3;",
      "mad.hi.sat.s32 %r10, %r1, %r1, 2147483000;",
      "mad24.hi.sat.s32 %r10, %r1, %r2, %r3;",
      "mad24.hi.sat.s32 %r10, %r2, %r1, -2147483000;",
    ]),
  ),
  // The root of a negative number is the machine's NaN, with its sign.
  "f64 roots of all signs": kernel(
    "cvt.rn.f64.u32 %d1, %r0; sub.f64 %d1, %d1, 0d4020000000000000; sqrt.rn.f64 %d1, %d1; mov.b64 {_, %r9}, %d1;",
  ),
  // ptxas keeps functions whose address only a variable has; nobody calls them here.
  "addresses of functions that nobody calls": kernel(
    "ld.global.u64 %rd1, [T]; ld.global.u64 %rd2, [T+8]; setp.eq.u64 %p1, %rd1, %rd2; selp.u32 %r9, 3, 7, %p1;",
    `${recursive("f", "mov.u32 %r2, %r1;")}${recursive("g", "add.u32 %r2, %r1, 1;")}.global .align 8 .u64 T[2] = {f, g};`,
  ),
};

function interpreted(ptx: string): readonly number[] {
  const device = new PtxDevice();
  const out = new Uint32Array(THREADS);
  const run = unwrap(device.launch(unwrap(device.load(ptx)), { block: THREADS, params: [out] }));
  expect(run.fault).toBeNull();
  return [...out];
}

function simulated(ptx: string, target: TargetName, opt: number): readonly number[] {
  const made = compile(ptx, { target, opt, verify: true });
  expect(made.diagnostics.map((d) => d.message)).toEqual([]);
  const out = new Uint32Array(THREADS);
  const run = unwrap(simulate(made.cubin!, { block: THREADS, params: [out] }));
  expect(run.fault).toBeNull();
  return [...out];
}

describe.each(Object.entries(cases))("%s", (_, ptx) => {
  const wanted = interpreted(ptx);
  test.each([
    ["sm_75", 0],
    ["sm_75", 3],
    ["sm_90", 0],
    ["sm_90", 1],
    ["sm_90", 3],
    ["sm_100", 3],
  ] as const)("%s -O%i", (target, opt) => {
    expect(simulated(ptx, target, opt)).toEqual(wanted);
  });
});

/** ptxas 13.0.88 takes a label in the form of a register of a range; no jump finds it. */
test("a label that has the name of a register", () => {
  const ptx = kernel("add.u32 %r9, %r0, 3; %r3: mov.u32 %r3, %r9; add.u32 %r9, %r3, %r3;");
  for (const opt of [0, 3]) expect(simulated(ptx, "sm_90", opt).slice(0, 3)).toEqual([6, 8, 10]);
});

/** ptxas 13.0.88 computes with the first element, and writes all. */
test.each(["sm_90", "sm_100"] as const)("a vector where a bf16 value belongs, %s", (target) => {
  const ptx = kernel(`cvt.rn.bf16.s32 {%h0, %h1}, %r0; mov.b16 %h2, 0x4000; mov.b16 %h3, 0x4080;
    fma.rn.bf16 {%h4, %h1}, {%h1, %h2}, %h2, {%h3};
    cvt.u32.u16 %r9, %h1;`).replace(".target sm_75", ".target sm_90");
  // 2n + 4 in bf16, exact below 64.
  const wanted = Array.from({ length: 30 }, (_, n) => new Uint32Array(Float32Array.of(2 * n + 4).buffer)[0]! >>> 16);
  expect(interpreted(ptx).slice(0, 30)).toEqual(wanted);
  for (const opt of [0, 3]) expect(simulated(ptx, target, opt).slice(0, 30)).toEqual(wanted);
});
