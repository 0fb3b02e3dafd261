/** One-instruction kernels (tools/single/kernel.ts) with the mnemonics of ptxas 13.0.88 -O3. */
import { compile } from "../../lib/compile.js";
import type { TargetName } from "../../lib/target/index.js";
import { moduleOf, singleKernel } from "../../tools/single/kernel.js";
import { mnemonicsOf } from "../../tools/single/mnemonics.js";
import { ptxas } from "./ptxas.js";
import { describeOracle } from "./tools.js";

const halves = (n: number): string =>
  Array.from({ length: n }, (_, k) => `st.global.b16 [%y3+${8 * k}],%h${k + 2};`).join(" ");
const constants = "mov.u64 %y5, cck0; mul.wide.u32 %y6,%x0,16; add.s64 %y5,%y5,%y6;";

const lines: readonly string[] = [
  `ld.global.v2.s8 {%h2,%h3},[%y2+-16]; ${halves(2)}`,
  `ld.global.v4.s8 {%h2,%h3,%h4,%h5},[%y2+-16]; ${halves(4)}`,
  "mad.hi.s32 %r20, %r1, %r2, %r3;",
  "mad.hi.u32 %r20, %r1, 0x12345, %r3;",
  "mad.wide.s16 %r20, %h1, %h2, 0x12345;",
  "nanosleep.u32 100;",
  // One register is the index of all elements.
  `${constants} ld.const.v4.b32 {%r2,%r3,%r4,%r5},[%y5]; st.global.b32 [%y3],%r2; st.global.b32 [%y3+4],%r3; st.global.b32 [%y3+8],%r4; st.global.b32 [%y3+12],%r5;`,
];

/** Literals that conversions and byte products read from a uniform register. */
const fromUniform: readonly string[] = [
  "cvt.rn.f64.u64 %d20, 0x123456;",
  "cvt.rm.f32.s64 %f20, 0x123456;",
  "dp4a.u32.u32 %r20, %r1, 0x12345, %r3;",
];

describeOracle("one-instruction kernels", () => {
  test.each<TargetName>(["sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120a"])("%s", (target) => {
    const all = Number.parseInt(target.slice(3), 10) < 90 ? lines : [...lines, ...fromUniform];
    const text = moduleOf(
      target,
      all.map((line, k) => singleKernel(line, `k${k}`)),
    );
    const made = compile(text, { target });
    expect(made.diagnostics).toEqual([]);
    const [ours, theirs] = [made.cubin!, ptxas(text, target, 3)].map((cubin) => {
      const code = mnemonicsOf(cubin);
      return all.map((line, k) => [line, code.get(`k${k}`)]);
    });
    expect(ours).toEqual(theirs);
  });
});
