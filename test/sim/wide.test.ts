import { runText } from "./assemble.js";

/** The 64-bit instructions of sm_120 on pairs of corner values, against BigInt. */
test("sums, comparisons, minimum, maximum and selection of 64 bits", () => {
  const corners = [
    0n,
    1n,
    0x7fffffffn,
    0x80000000n,
    0xffffffffn,
    0x100000000n,
    2n ** 63n - 1n,
    2n ** 63n,
    2n ** 64n - 1n,
  ];
  const pairs = Array.from(
    { length: 32 },
    (_, i) => [corners[(i * 7) % 9]!, corners[(i * 5 + (i >> 3)) % 9]!] as const,
  );
  const words = (v: bigint): number[] => [Number(v & 0xffffffffn) | 0, Number((v >> 32n) & 0xffffffffn) | 0];
  const { out } = runText(
    `S2R R0, SR_TID.X
     LDC.64 R4, c[0x0][0x388]
     LDC.64 R2, c[0x0][0x380]
     IMAD.WIDE.U32 R4, R0, 0x10, R4
     IMAD.WIDE.U32 R2, R0, 0x40, R2
     LDG.E.128 R8, desc[UR4][R4.64]
     IADD.64 R16, P1, R8, R10
     IADD.64.X R18, P2, R8, ~R10, P1
     IMNMX.S64 PT, PT, R20, R8, R10, PT, !PT
     IMNMX.U64 PT, PT, R22, R8, R10, !PT, !PT
     ISETP.LT.U64.AND P0, P3, R8, R10, PT
     ISETP.GE.S64.AND P3, PT, R8, -0x1, P3
     SEL.64 R24, R8, -0x2, P0
     SEL.64 R26, R8, R10, P3
     IADD.64 R28, R8, -R10
     IADD.64.X R30, RZ, RZ, P2
     STG.E.128 desc[UR4][R2.64], R16
     STG.E.128 desc[UR4][R2.64+0x10], R20
     STG.E.128 desc[UR4][R2.64+0x20], R24
     STG.E.128 desc[UR4][R2.64+0x30], R28
     EXIT`,
    { sm: "sm_120", words: 32 * 16, input: pairs.flatMap(([a, b]) => [...words(a), ...words(b)]) },
  );
  const u = (v: bigint): bigint => BigInt.asUintN(64, v);
  const s = (v: bigint): bigint => BigInt.asIntN(64, v);
  const expected = pairs.flatMap(([a, b]) => {
    const carry = (a + b) >> 64n;
    const second = a + u(~b) + carry;
    const [, greatest] = a < b ? [a, b] : [b, a];
    const results = [a + b, second, s(a) < s(b) ? a : b, greatest, a < b ? a : -2n];
    results.push(s(a) >= -1n && a >= b ? a : b, a - b, second >> 64n);
    return results.flatMap((v) => words(u(v)));
  });
  expect([...out]).toEqual(expected);
});

test("the uniform datapath of sm_120: 64-bit moves, selects and minima", () => {
  const { out } = runText(
    `S2R R0, SR_TID.X
     LDC.64 R2, c[0x0][0x380]
     IMAD.WIDE.U32 R2, R0, 0x10, R2
     UMOV.64 UR4, 0xfffffffffffffff0
     UMOV.64 UR6, 0x123456789
     UIMNMX.S64 UPT, UPT, UR8, UR4, UR6, UPT, !UPT
     UIMNMX.U64 UPT, UPT, UR10, UR4, 0x7, UPT, !UPT
     UVIMNMX.S32 UR12, UR4, 0x5, !UPT
     UISETP.LT.U64.AND UP0, UPT, UR6, UR4, UPT
     USEL.64 UR6, UR6, UR4, UP0
     MOV.64 R4, UR8
     IADD3 R4, PT, PT, R4, UR10, RZ
     IADD3 R5, PT, PT, R5, UR12, RZ
     MOV.64 R6, UR6
     STG.E.128 desc[UR4][R2.64], R4
     EXIT`,
    { sm: "sm_120", words: 128 },
  );
  expect([...out.subarray(0, 4)]).toEqual([-16 + 7, -1 + 5, 0x23456789, 1]);
});

/** The order of the halves and the packing under a mask: ptxas 13.0.88's code for `ld.global.v4.b64` (test/oracle/wide-access.test.ts). */
test("32 bytes at once, all of them and some words", () => {
  const { out } = runText(
    `S2R R0, SR_TID.X
     LDC.64 R4, c[0x0][0x388]
     LDC.64 R2, c[0x0][0x380]
     IMAD.WIDE.U32 R4, R0, 0x20, R4
     IMAD.WIDE.U32 R2, R0, 0x40, R2
     LDG.E.ENL2.256 R12, R8, desc[UR4][R4.64]
     STG.E.ENL2.256 desc[UR4][R2.64], R8, R12
     LDG.E.ENL2.256 R18, R16, desc[UR4][R4.64], 0xcc
     STG.E.128 desc[UR4][R2.64+0x20], R16
     EXIT`,
    { sm: "sm_120", words: 32 * 16, input: Array.from({ length: 32 * 8 }, (_, i) => i) },
  );
  const lane = (l: number): number[] => Array.from({ length: 8 }, (_, i) => 8 * l + i);
  const expected = Array.from({ length: 32 }, (_, l) => [
    ...lane(l),
    ...[2, 3, 6, 7].map((i) => 8 * l + i),
    ...[0, 0, 0, 0],
  ]).flat();
  expect([...out]).toEqual(expected);
});
