/** How long an arm may be to run under a guard: as asked of ptxas (lib/phases/predication.ts, `limits`). */
import { limits } from "../../lib/phases/predication.js";
import { after } from "./texts.js";

const head = `func "k" entry sm_90 virtual expanded`;
const sums = (n: number, register: string): string =>
  Array.from({ length: n }, (_, k) => `IADD3 ${register}, ${register}, 0x${(k + 1).toString(16)}, RZ`).join("\n");

/** The branch stays. */
const stays = (code: string): boolean =>
  /\bBRA\b/.test(after(`${head}\n${code}`, "LateMergeEquivalentConditionalFlow"));

const condition = { varying: "S2R %R0, SR_TID.X", uniform: "LDC %R0, c[0x0][0x210]" } as const;

/** One arm, or two. */
const kernel = (kind: keyof typeof condition, first: string, second = "", before = ""): string => `b0
${condition[kind]}
${before}
MOV %R2, RZ
MOV %R3, RZ
ISETP.LT.AND %P1, PT, %R0, 0x7, PT
@%P1 BRA b2
b1
${first}
${second === "" ? "" : "BRA b3"}
b2
${second}
b3
STG.E [RZ], %R2
STG.E [RZ], %R3
EXIT`;

test("one arm, by whether its condition varies", () => {
  expect([7, 8, 9].map((n) => stays(kernel("varying", sums(n, "%R2"))))).toEqual([false, false, true]);
  expect([6, 7, 8].map((n) => stays(kernel("uniform", sums(n, "%R2"))))).toEqual([false, true, true]);
  expect(limits).toMatchObject({ varying: 8, uniform: 6 });
});

test("of two arms the jump of the first counts", () => {
  const both = (a: number, b: number): boolean => stays(kernel("varying", sums(a, "%R2"), sums(b, "%R3")));
  expect([both(7, 8), both(8, 1), both(1, 9)]).toEqual([false, true, true]);
});

test("an arm that loads may be longer, where another load is under way that it can start beside", () => {
  const loads = (n: number, before: string): boolean =>
    stays(kernel("varying", `LDG.E %R3, [%R0]\n${sums(n - 1, "%R2")}`, "", before));
  expect([27, 28, 29].map((n) => loads(n, "LDG.E %R3, [%R0+0x10]"))).toEqual([false, false, true]);
  expect([2, 9].map((n) => loads(n, ""))).toEqual([true, true]);
});

describe("a load in an arm", () => {
  const arm = "LDG.E %R3, [%R0]";
  const others = (n: number): string =>
    Array.from({ length: n }, (_, k) => `IADD3 %R${10 + k}, %R0, 0x${(k + 1).toString(16)}, RZ`).join("\n");

  test("may start beside four other instructions, in a loop beside one", () => {
    const once = (n: number): boolean => stays(kernel("varying", arm, "", others(n)));
    expect([0, 1, 2, 3, 4].map(once)).toEqual([true, true, false, false, false]);
    const turned = (n: number): boolean => stays(kernel("varying", arm, "", others(n)).replace("b0\n", "b0 freq 10\n"));
    expect([0, 1].map(turned)).toEqual([false, false]);
  });

  test("stands under a guard where the same predicate guards something before it, or decides what comes next", () => {
    const guarded = kernel("varying", arm).replace("@%P1 BRA b2", "@%P1 STS [%R0], %R2\n@%P1 BRA b2");
    expect(stays(guarded)).toBe(false);
    const other = kernel("varying", arm).replace("@%P1 BRA b2", "@%P4 STS [%R0], %R2\n@%P1 BRA b2");
    expect(stays(other)).toBe(true);
  });
});
