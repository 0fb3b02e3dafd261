/** Addresses of variables whose places are known become numbers. */
import { settleAddresses } from "../../lib/phases/known-addresses.js";
import { after, normalize } from "./texts.js";

const text = (body: string): string => normalize(`func "k" entry sm_90 virtual expanded\nb0\n${body}\nEXIT`);
const run = (body: string, places: Readonly<Record<string, number>>): string =>
  after(text(body), (func) => settleAddresses(func, new Map(Object.entries(places))));

test("low halves of known symbols, with what is added to them", () => {
  const moves = "MOV %R0, 32@lo(a)\nMOV %R1, 32@lo((b + 0x10))\nMOV %R2, 32@lo(c)\nMOV %R3, 32@hi(a)";
  expect(run(moves, { a: 0x400, b: 0 })).toBe(
    text("MOV %R0, 0x400\nMOV %R1, 0x10\nMOV %R2, 32@lo(c)\nMOV %R3, 32@hi(a)"),
  );
  expect(run(moves, {})).toBe(text(moves));
});

test("the function counts as changed where something became a number", () => {
  const generations: number[] = [];
  for (const places of [{ a: 4 }, { z: 4 }])
    after(text("MOV %R0, 32@lo(a)"), (func) => {
      const before = func.generation;
      expect(settleAddresses(func, new Map(Object.entries(places)))).toBe("a" in places ? 1 : 0);
      generations.push(func.generation - before);
    });
  expect(generations).toEqual([1, 0]);
});
