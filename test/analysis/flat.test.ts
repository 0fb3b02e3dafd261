/** What instructions read and write, by units; routines inside a kernel and what they write. */
import { analysis, hasBit, unitAt } from "../../lib/analysis/index.js";
import { parseFunc } from "../../lib/ori/parse.js";
import { File, type Func, type Inst } from "../../lib/ori/types.js";
import { unwrap } from "../../lib/result.js";

const physical = (body: string): Func => unwrap(parseFunc(`func "k" entry sm_90 physical post-expanded\n${body}`));
const virtual = (body: string): Func => unwrap(parseFunc(`func "k" entry sm_90 virtual expanded\n${body}`));

/** `[unit, width]` of what instruction `i` reads or writes. */
function touched(func: Func, i: number, which: "use" | "def"): (readonly [number, number])[] {
  const flat = analysis(func, "flat");
  const [start, unit, width] =
    which === "use" ? [flat.useStart, flat.useUnit, flat.useWidth] : [flat.defStart, flat.defUnit, flat.defWidth];
  return Array.from({ length: start[i + 1]! - start[i]! }, (_, k) => [unit[start[i]! + k]!, width[start[i]! + k]!]);
}

test("registers that index a bank are read, of the file that they are of", () => {
  const func = physical("b0\nLDC R1, c[0x3][R6]\n@P2 LDC.64 R2, c[0x3][R7+0x10]\nMOV R4, cx[UR8][0x4]\nEXIT");
  const at = (file: File, id: number): number => unitAt(analysis(func, "flat").units, file, id, 0);
  expect(touched(func, 0, "use")).toEqual([[at(File.R, 6), 1]]);
  expect(touched(func, 0, "def")).toEqual([[at(File.R, 1), 1]]);
  expect(touched(func, 1, "use")).toEqual([
    [at(File.P, 2), 1],
    [at(File.R, 7), 1],
  ]);
  expect(touched(func, 1, "def")).toEqual([[at(File.R, 2), 2]]);
  expect(touched(func, 2, "use")).toEqual([[at(File.UR, 8), 2]]);
});

test("of functions of any size", () => {
  const n = 3000;
  const lines = Array.from({ length: n }, (_, k) => `IADD3 %R${k + 1}, %R${k}, 0x1, RZ`);
  const func = virtual(`b0\nLDG.E %R0, [RZ]\n${lines.join("\n")}\nSTG.E [RZ], %R${n}\nEXIT`);
  const { units } = analysis(func, "flat");
  for (const k of [0, 1, 1023, 1024, 1025, 2047, n - 1]) {
    expect(touched(func, k + 1, "use")).toEqual([[unitAt(units, File.R, k, 0), 1]]);
    expect(touched(func, k + 1, "def")).toEqual([[unitAt(units, File.R, k + 1, 0), 1]]);
  }
});

describe("routines", () => {
  const kernel = physical(`b0
    CALL.REL.NOINC b2
    CALL.REL.NOINC b4
    CALL.ABS.NOINC R20
  b1
    EXIT
  b2
    MOV R4, 1
    @P0 BRA b3
  b5
    MOV R5, 2
  b3
    MOV R6, 3
    RET.REL.NODEC R30 b0
  b4
    MOV R7, 1
    CALL.REL.NOINC b2
  b6
    MOV R8, 1
    RET.REL.NODEC R30 b0`);

  test("write what their blocks and the routines that they call write", () => {
    const { units, insts } = analysis(kernel, "flat");
    const calls = insts.filter((i) => i.form.flow === "call");
    const written = (call: Inst): number[] | null => {
      const set = analysis(kernel, "routines").writes(call);
      return set && [4, 5, 6, 7, 8, 9, 20, 30].filter((r) => hasBit(set, 0, unitAt(units, File.R, r, 0)));
    };
    expect(calls.map(written)).toEqual([[4, 5, 6], [4, 5, 6, 7, 8], null, [4, 5, 6]]);
  });
});
