/** Floats on the uniform datapath (sm_120): the bits that the same instruction makes on vector registers, in both engines. */
import { runText } from "./assemble.js";

const words = [0x3f800001, 0xbf7fffff, 0x00000001, 0x7f7fffff, 0xff800000, 0x7fc12345, 0x33800001, 0x80000000];

/** Mnemonic, modifiers and operands after the result: of vector registers R10, R11, R12 or uniform ones UR10, UR11, UR12. */
const cases = [
  "FFMA{} r10, r11, r12",
  "FFMA{} -r10, r11, -r12",
  "FFMA.SAT{} r10, r11, r12",
  "FFMA.FTZ{} r10, r11, r12",
  "FADD{} r10, |r11|",
  "FADD.FTZ{} -r10, r11",
  "FMUL{} r10, r11",
  "FMUL.SAT{} r10, -r11",
  "FMNMX{} r10, -r11, pT",
  "FRND.FLOOR{} r10",
  "I2FP.F32.S32{} r10",
] as const;

test.each(cases)("%s", (text) => {
  const [op, operands] = text.split("{} ") as [string, string];
  const vector = `${op} R13, ${operands.replace(/\br1/g, "R1").replace("pT", "PT")}`;
  const uniform = `U${op} UR13, ${operands.replace(/\br1/g, "UR1").replace("pT", "UPT")}`;
  const input = words.flatMap((a, i) => [a, words[(3 * i + 1) % 8]!, words[(5 * i + 2) % 8]!]);
  for (let at = 0; at < input.length; at += 3) {
    const setup = [0, 1, 2].flatMap((k) => {
      const word = `0x${(input[at + k]! >>> 0).toString(16)}`;
      return [`MOV R${10 + k}, ${word}`, `UMOV UR${10 + k}, ${word}`];
    });
    const code = `
      S2R R0, SR_TID.X
      MOV R2, c[0x0][0x380]
      MOV R3, c[0x0][0x384]
      ${setup.join("\n")}
      ${vector}
      ${uniform}
      MOV R14, UR13
      STG.E [R2], R13
      STG.E [R2+0x4], R14
      EXIT`;
    for (const engine of ["closures", "wasm"] as const) {
      const { run, out } = runText(code, { sm: "sm_120", engine });
      expect(run.fault).toBeNull();
      expect(out[1]).toBe(out[0]);
    }
  }
});
