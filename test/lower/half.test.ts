/** What f16 and bf16 arithmetic computes, single and in pairs, against exact rational arithmetic. */
import { expectRows, randomBits, targets } from "./harness";
import * as soft from "./soft-float";

interface Case {
  readonly code: string;
  readonly format: soft.Format;
  readonly sources: number;
  readonly lanes: 1 | 2;
  readonly reference: (...v: bigint[]) => bigint;
}

const cases: Case[] = [];

for (const [type, f] of [
  ["f16", soft.f16],
  ["bf16", soft.bf16],
] as const) {
  const minus = (x: bigint): bigint => x ^ soft.signBit(f);
  const list: [string, number, Case["reference"]][] = [
    ["add", 2, (a, b) => soft.add(f, a!, b!, "rn")],
    ["sub", 2, (a, b) => soft.add(f, a!, minus(b!), "rn")],
    ["mul", 2, (a, b) => soft.mul(f, a!, b!, "rn")],
    ["fma.rn", 3, (a, b, c) => soft.fma(f, a!, b!, c!, "rn")],
    ["neg", 1, (a) => minus(a!)],
    ["abs", 1, (a) => a! & ~soft.signBit(f)],
    ["min", 2, (a, b) => extremum(f, a!, b!, false)],
    ["max", 2, (a, b) => extremum(f, a!, b!, true)],
  ];
  for (const [op, n, reference] of list) {
    const args = ["%a", "%b", "%c"].slice(0, n).join(", ");
    cases.push({ code: `${op}.${type} %d, ${args};`, format: f, sources: n, lanes: 1, reference });
    cases.push({ code: `${op}.${type}x2 %d, ${args};`, format: f, sources: n, lanes: 2, reference });
  }
}

function extremum(f: soft.Format, a: bigint, b: bigint, max: boolean): bigint {
  if (soft.isNan(f, a)) return b;
  if (soft.isNan(f, b)) return a;
  const o = soft.order(f, a, b)!;
  if (o === 0) return max ? a & b : a | b;
  return o > 0 === max ? a : b;
}

/** What PTX offers on a target: bf16 and min/max from sm_80 on, bf16 add, sub and mul from sm_90 on. */
const offered = (target: string, code: string): boolean =>
  target !== "sm_75" || !(code.includes("bf16") || /^(min|max)/.test(code));

describe.each(targets)("half precision on %s", (target) => {
  test.each(cases.filter((k) => offered(target, k.code)).map((k) => [k.code, k] as const))("%s", (_, k) => {
    const type = `b${16 * k.lanes}`;
    const rows = soft.floatRows(k.format, k.sources, 200, randomBits(77));
    const paired =
      k.lanes === 1 ? rows : rows.map((row, i) => row.map((v, s) => v | (rows[(i + 7) % rows.length]![s]! << 16n)));
    const same = soft.same(k.format);
    const low = (v: bigint): bigint => v & 0xffffn;
    expectRows(
      target,
      { code: k.code, sources: Array(k.sources).fill(type), result: type },
      paired,
      (...v) =>
        k.lanes === 1
          ? k.reference(...v)
          : k.reference(...v.map(low)) | (k.reference(...v.map((x) => x >> 16n)) << 16n),
      (a, b) => same(low(a), low(b)) && same(a >> 16n, b >> 16n),
    );
  });

  test("comparisons, with both predicates", () => {
    const rows = soft.floatRows(soft.f16, 2, 60, randomBits(78)).map(([a, b], i) => [a!, b!, BigInt(i & 1)]);
    const snippet = (cmp: string): string => `setp.${cmp}.and.f16 %d|%q0, %a, %b, %c; xor.pred %d, %d, %q0;`;
    for (const cmp of ["eq", "ne", "lt", "ge", "ltu", "num"]) {
      // One of the two holds exactly when the third does.
      expectRows(
        target,
        { code: snippet(cmp), sources: ["b16", "b16", "pred"], result: "pred" },
        rows,
        (_a, _b, c) => c!,
      );
    }
    const less = { code: "setp.lt.f16 %d, %a, %b;", sources: ["b16", "b16"], result: "pred" };
    expectRows(
      target,
      less,
      rows.map((r) => r.slice(0, 2)),
      (a, b) => BigInt((soft.order(soft.f16, a!, b!) ?? 1) < 0),
    );
    const pairs = {
      code: "setp.gt.f16x2 %d|%q0, %a, %b; selp.u32 %x0, 1, 0, %d; selp.u32 %x1, 2, 0, %q0; add.u32 %d, %x0, %x1;",
      sources: ["b32", "b32"],
      result: "b32",
    };
    const code = pairs.code.replaceAll("%d|", "%q1|").replace("0, %d;", "0, %q1;");
    const wide = rows.map(([a, b], i) => [
      a! | (rows[(i + 3) % rows.length]![0]! << 16n),
      b! | (rows[(i + 5) % rows.length]![1]! << 16n),
    ]);
    const greater = (a: bigint, b: bigint): bigint => BigInt((soft.order(soft.f16, a, b) ?? -1) > 0);
    expectRows(
      target,
      { ...pairs, code },
      wide,
      (a, b) => greater(a! & 0xffffn, b! & 0xffffn) + 2n * greater(a! >> 16n, b! >> 16n),
    );
  });

  test("dot products of bytes", () => {
    const next = randomBits(79);
    const rows = Array.from({ length: 100 }, () => [next(32), next(32), next(32)]);
    const part = (v: bigint, k: number, bits: number, signed: boolean): bigint => {
      const x = (v >> BigInt(k * bits)) & ((1n << BigInt(bits)) - 1n);
      return signed ? BigInt.asIntN(bits, x) : x;
    };
    for (const [a, b] of [
      ["u32", "u32"],
      ["s32", "u32"],
      ["u32", "s32"],
      ["s32", "s32"],
    ] as const) {
      const [sa, sb] = [a === "s32", b === "s32"];
      expectRows(
        target,
        { code: `dp4a.${a}.${b} %d, %a, %b, %c;`, sources: ["b32", "b32", "b32"], result: "b32" },
        rows,
        (x, y, z) =>
          BigInt.asUintN(
            32,
            [0, 1, 2, 3].reduce((sum, k) => sum + part(x!, k, 8, sa) * part(y!, k, 8, sb), z!),
          ),
      );
      for (const half of [0, 2]) {
        const code = `dp2a.${half ? "hi" : "lo"}.${a}.${b} %d, %a, %b, %c;`;
        expectRows(target, { code, sources: ["b32", "b32", "b32"], result: "b32" }, rows, (x, y, z) =>
          BigInt.asUintN(
            32,
            [0, 1].reduce((sum, k) => sum + part(x!, k, 16, sa) * part(y!, k + half, 8, sb), z!),
          ),
        );
      }
    }
  });
});
