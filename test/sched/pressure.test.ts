/** What a schedule believes to need: before allocation whole values count as long as any part of them is live. */
import { parseFunc } from "../../lib/ori/parse.js";
import type { Func } from "../../lib/ori/types.js";
import { policyNamed, scheduleFunc } from "../../lib/sched/index.js";

function func(code: string): Func {
  const read = parseFunc(code);
  if (!read.ok) throw new Error(read.diagnostics.map((d) => `line ${d.span?.line}: ${d.message}`).join("\n"));
  return read.value;
}

/** Registers of files R, UR and P live at once, in the order given. */
function live(code: string): number[] {
  const [block] = scheduleFunc(func(code), policyNamed("source-order")!).blocks;
  return block!.before.maxLive.slice(0, 3);
}

const values = `  value %R0 width 2
  value %R1 width 2
  value %R2
  value %R3
  value %R4 width 4`;
const virtual = (code: string): string => `func "k" entry sm_90 virtual scheduled\n${values}\nb0\n${code}\nEXIT`;

describe("live registers", () => {
  test("a pair of which one half is still needed takes two", () => {
    const code = `LDC.64 %R0, c[0x0][0x210]
MOV %R2, %R0:0
MOV %R3, 0x1
IADD3 %R2, %R2, %R3, %R0:1`;
    expect(live(virtual(code))[0]).toBe(4);
  });

  test("one that is made in parts takes all of them from the first on", () => {
    const code = `MOV %R4:0, 0x0
MOV %R4:1, 0x1
MOV %R4:2, 0x2
MOV %R4:3, 0x3
MOV %R2, %R4:3`;
    expect(live(virtual(code))[0]).toBe(4);
  });

  test("one that is not read any more takes none", () => {
    const code = `LDC.64 %R0, c[0x0][0x210]
MOV %R2, %R0:1
LDC.64 %R1, c[0x0][0x218]
IADD3 %R2, %R2, %R1:0, %R1:1`;
    expect(live(virtual(code))[0]).toBe(3);
  });

  test("above the budget single values take the places in a vector that were read for the last time; pairs do not", () => {
    const code = (more: string): string => `LDC.128 %R4, c[0x0][0x210]
MOV %R2, %R4:0
MOV %R3, %R4:1
${more}
IADD3 %R2, %R2, %R3, %R4:3`;
    const held = (text: string): number => {
      const f = func(virtual(text.replace("LDC.128 %R4, c[0x0][0x210]", "LDS.128 %R4, [URZ]")));
      return scheduleFunc(f, policyNamed("source-order")!, { parameters: { registerTarget: 1 } }).blocks[0]!.before
        .maxLive[0]!;
    };
    expect(held(code("NOP"))).toBe(4);
    expect(held(code("LDC.64 %R0, c[0x0][0x210]\nIADD3 %R2, %R2, %R0:0, %R0:1"))).toBe(6);
  });

  test("on physical registers each counts by itself", () => {
    const code = `LDC.64 R2, c[0x0][0x210]
MOV R4, R2
MOV R5, 0x1
IADD3 R4, R4, R5, R3`;
    expect(live(`func "k" entry sm_90 physical post-expanded\nb0\n${code}\nEXIT`)[0]).toBe(3);
  });
});
