import { balancePipes } from "../../lib/phases/balance-pipes.js";
import { after, normalize } from "./texts.js";

const code = (sm: number, ...lines: string[]): string =>
  normalize(
    `func "k" entry sm_${sm} virtual initial\n    b0\n${lines.map((l) => `      ${l}`).join("\n")}\n      EXIT`,
  );
const busy = ["ISETP.LT.AND %P9, PT, %R2, %R3, PT", "SEL %R8, %R2, %R3, %P9"];
const sums = ["IADD3 %R4, %R2, -%R3, RZ", "SHF.L.U32 %R5, %R2, 0x4, RZ"];

test("what the ALU has beyond the other pipe goes over while that evens them out", () => {
  const expected = ["IMAD.IADD %R4, %R2, 0x1, -%R3", "SHF.L.U32 %R5, %R2, 0x4, RZ"];
  expect(after(code(90, ...busy, ...sums), balancePipes)).toBe(code(90, ...busy, ...expected));
});

test("a difference of two is none from sm_90 on", () => {
  const few = [busy[0]!, sums[0]!];
  expect(after(code(90, ...few), balancePipes)).toBe(code(90, ...few));
});

test("sm_120 has no sums on the other pipe, sm_90 has those with literals as VIADD", () => {
  const lines = [...busy, "IADD3 %R4, %R2, 0x11, RZ"];
  const late = [...busy, "IADD3 %R4, PT, PT, %R2, 0x11, RZ"];
  expect(after(code(120, ...late), balancePipes)).toBe(code(120, ...late));
  expect(after(code(90, ...lines), balancePipes)).toBe(code(90, ...busy, "VIADD %R4, %R2, 0x11"));
});

test("a sum that gives a carry stays, one that takes it goes", () => {
  const lines = [...busy, "IADD3 %R4, %P7, %R2, %R3, RZ", "IADD3.X %R5, ~%R2, %R3, RZ, %P7, !PT"];
  const expected = [...busy, "IADD3 %R4, %P7, %R2, %R3, RZ", "IMAD.X %R5, %R3, 0x1, ~%R2, %P7"];
  expect(after(code(90, ...lines), balancePipes)).toBe(code(90, ...expected));
});

test("products with 2^n ± 1 go to an idle ALU", () => {
  const fma = ["IMAD %R8, %R2, %R3, RZ", "IMAD %R9, %R2, %R3, RZ"];
  const lines = [...fma, "IMAD %R4, %R2, 0x9, RZ"];
  expect(after(code(90, ...lines), balancePipes)).toBe(code(90, ...fma, "LEA %R4, %R2, %R2, 0x3"));
  expect(after(code(75, ...lines), balancePipes)).toBe(code(75, ...lines));
  const one = (factor: string): string => after(code(90, ...fma, `IMAD %R4, %R2, ${factor}, RZ`), balancePipes);
  for (const [factor, lea] of [
    ["0x3", "LEA %R4, %R2, %R2, 0x1"],
    ["0x7", "LEA %R4, %R2, -%R2, 0x3"],
    ["0x11", "LEA %R4, %R2, %R2, 0x4"],
    ["0x7fffffff", "LEA %R4, %R2, -%R2, 0x1f"],
  ] as const)
    expect(one(factor)).toBe(code(90, ...fma, lea));
  expect(one("0x2")).toBe(code(90, ...fma, "IMAD.SHL %R4, %R2, 0x2, RZ"));
  for (const factor of ["0x6", "0xa", "-0x1"])
    expect(one(factor)).toBe(code(90, ...fma, `IMAD %R4, %R2, ${factor}, RZ`));
});

test("a sum of a shifted register is a product and a sum, one of a register with itself stays", () => {
  const one = (lea: string): string => after(code(90, ...busy, lea), balancePipes);
  expect(one("LEA %R4, %R2, %R3, 0x3")).toBe(code(90, ...busy, "IMAD %R4, %R2, 0x8, %R3"));
  expect(one("LEA %R4, %R2, %R3, 0x1f")).toBe(code(90, ...busy, "IMAD %R4, %R2, -0x80000000, %R3"));
  for (const lea of [
    "LEA %R4, %R2, %R2, 0x3",
    "LEA %R4, -%R2, %R3, 0x3",
    "LEA %R4, %R2, -%R3, 0x3",
    "LEA %R4, %P7, %R2, %R3, 0x3",
  ])
    expect(one(lea)).toBe(code(90, ...busy, lea));
});

test("a negation is a sum with nothing", () => {
  const sum = "IADD3 %R4, -%R2, RZ, RZ";
  expect(after(code(90, ...busy, sum), balancePipes)).toBe(code(90, ...busy, "IMAD.MOV %R4, RZ, RZ, -%R2"));
});

const moved = ["IMAD.IADD %R4, %R2, 0x1, -%R3", "IMAD.SHL.U32 %R5, %R2, 0x10, RZ", "IMAD.IADD %R6, %R2, 0x1, %R3"];

test("sm_75 wants a difference of four and evens out half of it", () => {
  expect(after(code(75, busy[0]!, ...sums), balancePipes)).toBe(code(75, busy[0]!, ...sums));
  expect(after(code(75, ...busy, ...sums), balancePipes)).toBe(code(75, ...busy, moved[0]!, moved[1]!));
});

test("of three that could go on sm_75 the second goes last, of others the first", () => {
  const three = [...sums, "IADD3 %R6, %R2, %R3, RZ"];
  expect(after(code(75, busy[0]!, ...three), balancePipes)).toBe(code(75, busy[0]!, moved[0]!, three[1]!, moved[2]!));
  const two = [sums[0]!, three[2]!];
  const four = [busy[0]!, ...two, "IADD3 %R10, %R2, -%R3, RZ", "IADD3 %R11, %R2, -%R3, RZ"];
  const expected = [...four.slice(0, 3), "IMAD.IADD %R10, %R2, 0x1, -%R3", "IMAD.IADD %R11, %R2, 0x1, -%R3"];
  expect(after(code(75, ...four), balancePipes)).toBe(code(75, ...expected));
});

test("on sm_75 copies of literals go first", () => {
  const lines = ["MOV %R10, 0x5", "MOV %R11, 0x6", ...busy, ...sums];
  const expected = [...lines.slice(0, 5), moved[1]!];
  expect(after(code(75, ...lines), balancePipes)).toBe(code(75, ...expected));
});

test("a sum with a uniform register is VIADD where there is one", () => {
  const add = "IADD3 %R4, %R2, -%UR15, RZ";
  expect(after(code(90, ...busy, add), balancePipes)).toBe(code(90, ...busy, "VIADD %R4, %R2, -%UR15"));
});
