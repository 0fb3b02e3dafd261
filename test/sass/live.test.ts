/** What instructions read and write, and what is live between them, on instructions written down. */

import { File, type MachineInst } from "../../lib/isa/operand.js";
import {
  columnsOf,
  decodeInst,
  type LifeMark,
  lifeRanges,
  liveCounts,
  parseInst,
  registerUse,
} from "../../lib/sass/index.js";
import { type Target, target } from "../../lib/target/index.js";

const prefixes: Readonly<Record<number, string>> = { [File.R]: "R", [File.UR]: "UR", [File.P]: "P", [File.UP]: "UP" };

function parsed(t: Target, text: string): MachineInst {
  const p = parseInst(text, { isa: t.isa });
  if (!p.ok) throw new Error(`${text}: ${JSON.stringify(p)}`);
  return p.inst;
}

const marksText = (marks: readonly LifeMark[]): string =>
  marks.map((m) => `${prefixes[m.file]}${m.id}${m.mark}`).join(" ");
const codeOf = (t: Target, lines: readonly string[]): MachineInst[] => lines.map((l) => parsed(t, l));

test.each([
  ["IMMA.16832.S8.U8 R0, R8.ROW, R16.COL, R24", "R8 R9 R10 R11 R16 R17 R24 R25 R26 R27"],
  ["IMMA.16832.S4.U4 R0, R8.ROW, R16.COL, R24", "R8 R9 R16 R24 R25 R26 R27"],
  ["IMMA.16864.U4.S4 R0, R8.ROW, R16.COL, R24", "R8 R9 R10 R11 R16 R17 R24 R25 R26 R27"],
  ["IMMA.16864.U8.S4 R0, R8.ROW, R16.COL, R24", "R8 R16 R24 R25 R26 R27"],
])("%s reads %s", (text, reads) => {
  const t = target("sm_80");
  const use = registerUse(parsed(t, text), t);
  expect(use.reads.map((r) => prefixes[r.file]! + r.id).join(" ")).toBe(reads);
});

test("LDGSTS reads the descriptor that its text does not show", () => {
  const t = target("sm_80");
  const word = Uint32Array.of(0xfb1fedae, 0x9afaf088, 0xbac19975, 0x000fe292);
  const inst = decodeInst(word, 0, t)!;
  const use = registerUse(inst, t);
  expect(use.reads.filter((r) => r.file === File.UR).map((r) => r.id)).toEqual([53, 54, 55]);
});

test("uniform registers end at 62 up to sm_90", () => {
  const lines = ["UMOV UR62, 0x1", "R2UR UR62, R4"];
  for (const name of ["sm_90", "sm_100"] as const) {
    const t = target(name);
    const wide = parsed(t, "ULDC.64 UR62, c[0x0][0x118]".replace("ULDC", name === "sm_90" ? "ULDC" : "LDCU"));
    const code = [...codeOf(t, lines), wide];
    expect(registerUse(wide, t).writes.map((r) => r.id)).toEqual(name === "sm_90" ? [62] : [62, 63]);
    expect(liveCounts(code, t).map((c) => c.ur)).toEqual(name === "sm_90" ? [1, 1, 1] : [1, 1, 2]);
  }
});

test("calls and returns as nvdisasm takes them", () => {
  const t = target("sm_90");
  const caller = codeOf(t, [
    "UMOV UR38, 0x1",
    "MOV R33, 0x1",
    "@!P1 CALL.ABS.NOINC P3, R20 0x1000",
    "RET.ABS.NODEC R20",
  ]);
  const callee = codeOf(t, ["MOV R41, R3"]);
  const registers = 38;
  const columns = columnsOf([
    { insts: caller, registers },
    { insts: callee, registers: 42 },
  ]);
  expect(columns).toEqual({ r: 42, ur: 39, p: 0, up: 0 });
  // R40 and R41 have columns, but the caller has not so many registers (nvdisasm on the corpus in one file).
  const marks = lifeRanges(caller, t, { asNvdisasm: { registers, columns } }).map(marksText);
  const range = (from: number, to: number, mark: string): string =>
    Array.from({ length: to - from + 1 }, (_, i) => `R${from + i}${mark}`).join(" ");
  const uniforms = Array.from({ length: 32 }, (_, i) => `UR${4 + i}^`).join(" ");
  expect(marks[2]).toBe(
    `R0x R1v R2: ${range(3, 15, "^")} ${range(16, 19, ":")} ${range(20, 21, "v")} ${range(22, 31, ":")} ` +
      `${range(32, 35, "^")} ${range(36, 37, ":")} ${uniforms} UR38:`,
  );
  expect(marks[3]).toBe(`R1: R2: ${range(16, 19, ":")} R20v R21v ${range(22, 31, ":")} R36: R37: UR38:`);
});

test("the stack pointer is live after every block to nvdisasm", () => {
  const t = target("sm_75");
  const code = codeOf(t, ["@P0 BRA 0x20", "MOV R7, 0x1", "MOV R1, 0x1", "EXIT"]);
  const live = (asNvdisasm: boolean): string[] =>
    lifeRanges(code, t, asNvdisasm ? { asNvdisasm: { registers: 8, columns: columnsOf([]) } } : {}).map(marksText);
  expect(live(false)).toEqual(["P0v", "R7^", "R1^", "R1:"]);
  expect(live(true)).toEqual(["R1: P0v", "R1: R7^", "R1^", "R1:"]);
});
