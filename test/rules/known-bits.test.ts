/** What is known of a value's bits: exactly, by hand, and never wrong on random code and operands. */
import { parseFunc } from "../../lib/ori/parse.js";
import type { Operand } from "../../lib/ori/types.js";
import { unwrap } from "../../lib/result.js";
import { Combining } from "../../lib/rules/combining.js";
import { evaluations } from "../../lib/rules/evaluate.js";
import { type KnownBits, knownBits, signBits } from "../../lib/rules/known-bits.js";
import { random } from "../corpus/random.js";

/** %R0 is a word, %R1 a byte, %R2 a half, %P3 a predicate; asks about what the last store stores. */
function asked(code: string, stored = "%R9"): { readonly c: Combining; readonly o: Operand } {
  const func = unwrap(
    parseFunc(`func "k" entry sm_90 virtual ssa
b0
LDG.E %R0, [RZ]
LDG.E.U8 %R1, [RZ]
LDG.E.U16 %R2, [RZ]
ISETP.LT.AND %P3, PT, %R0, 0x5, PT
${code}
STG.E [RZ], ${stored}
EXIT`),
  );
  const store = func.blocks[0]!.insts.at(-2)!;
  return { c: new Combining(func), o: store.srcs[store.form.srcs.findIndex((s) => s.name === "data")]! };
}

const hex = ({ zeros, ones }: KnownBits): string => `${zeros.toString(16)} ${ones.toString(16)}`;
const known = (code: string, stored?: string): string => {
  const { c, o } = asked(code, stored);
  return hex(knownBits(c, o));
};

test.each([
  // Bits that are 0, bits that are 1.
  ["MOV %R9, 0x5", "fffffffa 5"],
  ["MOV %R9, %R0", "0 0"],
  ["LOP3.LUT %R9, %R0, 0xf0, RZ, 0xc0, !PT", "ffffff0f 0"],
  ["LOP3.LUT %R9, %R0, 0xf0, RZ, 0xfc, !PT", "0 f0"],
  ["LOP3.LUT %R9, %R1, 0xf00, RZ, 0x3c, !PT", "fffff000 f00"],
  ["LOP3.LUT %R9, %R1, %R2, RZ, 0xc0, !PT", "ffffff00 0"],
  ["LOP3.LUT %R9, %R0, ~%R1, RZ, 0xfc, !PT", "0 ffffff00"],
  ["LDS.U8 %R9, [RZ]", "ffffff00 0"],
  ["LDS.S8 %R9, [RZ]", "0 0"],
  ["LDG.E.U16 %R9, [RZ]", "ffff0000 0"],
  ["SHF.L.U32 %R9, %R1, 0x4, RZ", "fffff00f 0"],
  ["SHF.L.U32 %R9, %R1, 0x1f, RZ", "7fffffff 0"],
  ["SHF.L.U32 %R9, %R1, 0x20, RZ", "0 0"],
  ["SHF.L.U32 %R9, %R0, 0x4, %R1", "0 0"],
  ["SHF.R.U32.HI %R9, RZ, 0x4, %R1", "fffffff0 0"],
  ["SHF.R.U32.HI %R9, RZ, 0x1c, %R0", "fffffff0 0"],
  ["LOP3.LUT %R4, %R0, 0x80000000, RZ, 0xfc, !PT\nSHF.R.S32.HI %R9, RZ, 0x4, %R4", "0 f8000000"],
  ["LOP3.LUT %R4, %R0, 0x80000000, RZ, 0xfc, !PT\nSHF.R.U32.HI %R9, RZ, 0x4, %R4", "f0000000 8000000"],
  ["SEL %R9, %R1, 0x300, %P3", "fffffc00 0"],
  ["SEL %R9, 0x3, 0x5, %P3", "fffffff8 1"],
  ["SGXT.U32 %R9, %R0, 0x6", "ffffffc0 0"],
  ["SGXT.U32 %R9, %R1, 0x20", "ffffff00 0"],
  ["SGXT.U32 %R9, %R1, %R0", "ffffff00 0"],
  ["LOP3.LUT %R4, %R0, 0xff, RZ, 0xfc, !PT\nSGXT.U32 %R9, %R4, 0x4", "fffffff0 f"],
  ["PRMT %R9, %R1, 0x3210, RZ", "ffffff00 0"],
  ["PRMT %R9, %R1, 0x0444, RZ", "ffffff 0"],
  ["PRMT %R9, %R2, 0x9321, RZ", "ffff00 0"],
  ["PRMT %R9, %R0, 0x5140, %R1", "ff000000 0"],
  ["LOP3.LUT %R4, %R0, 0x80, RZ, 0xfc, !PT\nPRMT %R9, %R4, 0x4480, RZ", "ffff0000 ff80"],
  ["IADD3 %R9, %R1, 0x100, RZ", "fffffe00 100"],
  ["IADD3 %R9, %R1, %R1, %R1", "fffffc00 0"],
  ["IADD3 %R9, %R1, -%R2, RZ", "0 0"],
  ["LOP3.LUT %R4, %R0, 0xfffffff0, RZ, 0xc0, !PT\nIADD3 %R9, %R4, 0x7, RZ", "8 7"],
  ["@%P3 LOP3.LUT %R9, %R0, 0xf0, RZ, 0xc0, !PT", "0 0"],
])("%s", (code, expected) => {
  expect(known(code)).toBe(expected);
});

test("what is looked through ends after eight instructions", () => {
  const chain = (n: number): string =>
    Array.from({ length: n }, (_, k) => `LOP3.LUT %R${k + 10}, %R${k === 0 ? 1 : k + 9}, %R0, RZ, 0xc0, !PT`).join(
      "\n",
    );
  expect(known(chain(7), "%R16")).toBe("ffffff00 0");
  expect(known(chain(8), "%R17")).toBe("0 0");
});

test.each([
  ["MOV %R9, %R0", 1],
  ["MOV %R9, 0x5", 29],
  ["MOV %R9, 0xfffffff0", 28],
  ["LDS.U8 %R9, [RZ]", 24],
  ["SGXT %R9, %R0, 0x8", 25],
  ["SGXT %R9, %R0, 0x20", 1],
  ["SGXT %R9, %R0, 0x21", 1],
  ["SGXT %R9, %R0, %R1", 1],
  ["SHF.R.S32.HI %R9, RZ, 0x1f, %R0", 32],
  ["SHF.R.S32.HI %R9, RZ, 0x4, %R0", 5],
  ["SHF.R.U32.HI %R9, RZ, 0x4, %R0", 4],
  ["PRMT %R9, %R0, 0x8880, RZ", 25],
  ["PRMT %R9, %R0, 0x9991, RZ", 25],
  ["PRMT %R9, %R0, 0x9910, RZ", 17],
  ["PRMT %R9, %R0, 0xbb32, RZ", 17],
  ["PRMT %R9, %R0, 0x9920, RZ", 1],
  ["PRMT %R9, %R0, 0x8980, RZ", 1],
])("equal bits at the top: %s", (code, bits) => {
  const { c, o } = asked(code);
  expect(signBits(c, o)).toBe(bits);
});

test("never wrong", () => {
  const r = random(11);
  const word = (): number => (r.below(3) === 0 ? r.below(256) : r.u32());
  for (let n = 0; n < 400; n++) {
    const lines: string[] = [];
    const steps: ((v: number[]) => void)[] = [];
    for (let d = 10; d < 16; d++) {
      const any = (): number => (r.below(2) === 0 ? r.below(3) : 10 + r.below(Math.max(1, d - 10)));
      const of = (k: number): number => (k >= d ? 0 : k);
      const [a, b, k] = [of(any()), of(any()), r.below(32)];
      const [literal, lut] = [word(), r.below(256)];
      const step = (name: string, text: string, values: (v: number[]) => number[]): void => {
        lines.push(text);
        steps.push((v) => {
          v[d] = evaluations[name]!(values(v)) ?? 0;
        });
      };
      const shift = `0x${k.toString(16)}`;
      switch (r.below(7)) {
        case 0:
          step(
            "LOP3.LUT",
            `LOP3.LUT %R${d}, %R${a}, 0x${literal.toString(16)}, %R${b}, 0x${lut.toString(16)}, !PT`,
            (v) => [v[a]!, literal, v[b]!, lut],
          );
          break;
        case 1:
          step("SHF.L.U32", `SHF.L.U32 %R${d}, %R${a}, ${shift}, RZ`, (v) => [v[a]!, k, 0]);
          break;
        case 2:
          step("SHF.R.U32.HI", `SHF.R.U32.HI %R${d}, RZ, ${shift}, %R${a}`, (v) => [0, k, v[a]!]);
          break;
        case 3:
          step("SHF.R.S32.HI", `SHF.R.S32.HI %R${d}, RZ, ${shift}, %R${a}`, (v) => [0, k, v[a]!]);
          break;
        case 4:
          step("IADD3", `IADD3 %R${d}, %R${a}, 0x${literal.toString(16)}, %R${b}`, (v) => [v[a]!, literal, v[b]!]);
          break;
        case 5: {
          const selector = r.below(65536);
          step("PRMT", `PRMT %R${d}, %R${a}, 0x${selector.toString(16)}, %R${b}`, (v) => [v[a]!, selector, v[b]!]);
          break;
        }
        default:
          step("SGXT.U32", `SGXT.U32 %R${d}, %R${a}, ${shift}`, (v) => [v[a]!, k]);
      }
    }
    const { c, o } = asked(lines.join("\n"), "%R15");
    const { zeros, ones } = knownBits(c, o);
    const top = signBits(c, o);
    for (let m = 0; m < 20; m++) {
      const v = [word(), word() & 0xff, word() & 0xffff];
      for (const s of steps) s(v);
      const x = v[15]!;
      const equal = Math.max(Math.clz32(x), Math.clz32(~x));
      expect([lines, (x & zeros) >>> 0, (~x & ones) >>> 0, equal >= top]).toEqual([lines, 0, 0, true]);
    }
  }
});
