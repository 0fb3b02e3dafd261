/** Sources in other orders give the same result. */
import { form } from "../../lib/isa/form.js";
import { imm, notPT, reg } from "../../lib/ori/operand.js";
import { mirrored, orders } from "../../lib/phases/operand-orders.js";
import { comparisons, lut3 } from "../../lib/rules/evaluate.js";
import { random } from "../corpus/random.js";

const sources = [reg(1), reg(2), reg(3)];
const ids = (name: string, more = [imm(0)]): string[] =>
  orders(form(name), [...sources, ...more]).map((o) =>
    o
      .slice(0, 3)
      .map((s) => s.id)
      .join(""),
  );

test("three terms in all orders, two factors in both, the given one first", () => {
  expect(ids("IADD3")[0]).toBe("123");
  expect(ids("IADD3").sort()).toEqual(["123", "132", "213", "231", "312", "321"]);
  for (const name of ["IMAD", "FFMA", "VIMNMX", "FMNMX"]) expect(ids(name)).toEqual(["123", "213"]);
  for (const name of ["LEA", "SHF.L.U32", "SEL", "PRMT"]) expect(ids(name)).toEqual(["123"]);
});

test("what stands after the sources that move stays", () => {
  for (const name of ["IADD3", "IMAD", "LOP3.LUT"])
    for (const o of orders(form(name), [...sources, imm(0x96), notPT()]))
      expect([o.length, o[4]]).toEqual([5, notPT()]);
});

test("a truth table goes with its inputs", () => {
  const r = random(5);
  expect(ids("LOP3.LUT", [imm(7)])).toHaveLength(6);
  expect(orders(form("LOP3.LUT"), [...sources, reg(4)])).toHaveLength(1);
  for (let n = 0; n < 100; n++) {
    const table = r.below(256);
    const values = [0, r.u32(), r.u32(), r.u32()];
    const result = lut3(values[1]!, values[2]!, values[3]!, table);
    for (const [a, b, c, t] of orders(form("LOP3.LUT"), [...sources, imm(table)]))
      expect(lut3(values[a!.id]!, values[b!.id]!, values[c!.id]!, t!.value)).toBe(result);
  }
});

test("a comparison of exchanged operands", () => {
  for (const word of Object.keys(comparisons))
    for (const name of [`ISETP.${word}.AND`, `ISETP.${word}.U32.OR`]) {
      const other = mirrored(form(name));
      expect(other?.name.replace(/^ISETP\.\w+/, "")).toBe(name.replace(/^ISETP\.\w+/, ""));
      const now = comparisons[other?.mods[0] ?? ""]!;
      for (const [a, b] of [
        [1, 2],
        [2, 2],
        [2, 1],
      ] as const)
        expect(now.holds(b, a)).toBe(comparisons[word]!.holds(a, b));
    }
  expect(mirrored(form("ISETP.LT.AND.EX"))).toBeNull();
  expect(mirrored(form("FSETP.LT.AND"))).toBeNull();
});
