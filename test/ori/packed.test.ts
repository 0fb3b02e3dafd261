import * as fc from "fast-check";
import * as o from "../../lib/ori/operand.js";
import { packOperand, unpackOperand } from "../../lib/ori/packed.js";
import { Mod, type Operand } from "../../lib/ori/types.js";

/** Wiki page 12, "Operand Decoding": the operand words of FADD R3, R1, R2. */
test("the golden vector: FADD R3, R1, R2", () => {
  const words = [o.reg(3), o.reg(1), o.reg(2)].map(packOperand);
  expect(words.map((w) => [w.word0.toString(16), w.word1])).toEqual([
    ["10000003", 0],
    ["10000001", 0],
    ["10000002", 0],
  ]);
});

test("a constant has type 5, the bank flag and its bank (page 12)", () => {
  const { word0, word1 } = packOperand(o.constBank(0, 0x10));
  expect((word0 >>> 28) & 7).toBe(5);
  expect(word0 & 0xfffff).toBe(0x10);
  expect(word1 & 0x1000000).not.toBe(0);
  expect(packOperand(o.constBank(3, 0x160)).word1 & 0xffffff).toBe(3);
});

test("sign in bit 31, absolute value in bit 26 of word 1, hard-wired registers 1023 and 31 (pages 12, 15)", () => {
  expect(packOperand(o.neg(o.reg(5))).word0 >>> 0).toBe(0x90000005);
  expect(packOperand(o.abs(o.reg(5))).word1).toBe(0x4000000);
  expect(packOperand(o.RZ()).word0).toBe(0x10000000 + 1023);
  expect(packOperand(o.PT()).word0).toBe(0x20000000 + 31);
  expect(packOperand(o.URZ()).word0).toBe(0x30000000 + 1023);
});

test("labels and barriers are refused, unknown types read as null", () => {
  expect(() => packOperand(o.label(1))).toThrow(/cannot hold/);
  expect(() => packOperand(o.breg(1))).toThrow(/register file/);
  expect(unpackOperand({ word0: 0x40000010, word1: 0 })).toBeNull();
});

test("unpack reads what pack writes", () => {
  const plain: fc.Arbitrary<Operand> = fc.oneof(
    fc.integer({ min: -1, max: 1022 }).map((n) => o.reg(n)),
    fc.integer({ min: -1, max: 30 }).map((n) => o.preg(n)),
    fc.integer({ min: -1, max: 30 }).map((n) => o.upreg(n)),
    fc.integer({ min: -1, max: 1022 }).map((n) => o.ureg(n)),
    fc.integer().map((n) => o.imm(n)),
    fc.tuple(fc.nat(17), fc.nat(0xffff)).map(([bank, offset]) => o.constBank(bank, offset)),
  );
  const any = fc
    .tuple(plain, fc.nat(15))
    .map(([x, mods]) => ({ ...x, mods: mods & (Mod.Neg | Mod.Abs | Mod.Not | Mod.Reuse) }));
  fc.assert(
    fc.property(any, (x) => {
      expect(unpackOperand(packOperand(x))).toEqual(x);
    }),
    { seed: 1, numRuns: 500 },
  );
});
