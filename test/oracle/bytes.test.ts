/** Kernels of one instruction whose `.text` at -O3 is ptxas's, word by word: order, registers and control bits (tools/single-instructions.ts --words). */
import { compile } from "../../lib/compile";
import type { TargetName } from "../../lib/target/index";
import { moduleOf, singleKernel } from "../../tools/single/kernel";
import { wordsOf } from "../../tools/single/mnemonics";
import { ptxas } from "./ptxas";
import { describeOracle } from "./tools";

const targets: readonly TargetName[] = ["sm_75", "sm_90a", "sm_100a", "sm_120a"];

/** Order of S2R and constants, banks of two and three operands, a result in the place of a pair, uniform registers from UR4 on. */
const lines: readonly string[] = [
  "add.f32 %f20, %f1, %f2;",
  "add.rp.ftz.f32 %f20, %f1, 0f3FC00000;",
  "cvt.rmi.s64.f32 %l20, %f1;",
  "dp4a.u32.u32 %r20, %r1, %r2, %r3;",
  "cvt.rz.f64.s8 %d20, %h1;",
];

describeOracle("one-instruction kernels with ptxas's words", () => {
  for (const target of targets)
    test(target, () => {
      const text = moduleOf(
        target,
        lines.map((line, i) => singleKernel(line, `k${i}`)),
      );
      const theirs = wordsOf(ptxas(text, target, 3));
      const ours = wordsOf(compile(text, { target, verify: true }).cubin as Uint8Array);
      expect(lines.filter((_, i) => ours.get(`k${i}`) !== theirs.get(`k${i}`))).toEqual([]);
    });
});
