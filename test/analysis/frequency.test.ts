/** How often blocks run: loops make ten trips, branches go either way as often. */
import { analysis, blockFrequencies } from "../../lib/analysis/index.js";
import { parseFunc } from "../../lib/ori/parse.js";
import { unwrap } from "../../lib/result.js";

function frequencies(body: string, trips?: number): number[] {
  const func = unwrap(parseFunc(`func "k" entry sm_90 virtual expanded\n${body}`));
  const made = blockFrequencies(analysis(func, "cfg"), analysis(func, "loops"), trips);
  if (trips === undefined) expect(analysis(func, "frequencies")).toEqual(made);
  return [...made].map((f) => Math.round(f * 1e6) / 1e6);
}

test("straight code and a diamond", () => {
  expect(frequencies("b0\nNOP\nb1\nEXIT")).toEqual([1, 1]);
  expect(frequencies("b0\n@%P0 BRA b2\nb1\nBRA b3\nb2\nNOP\nb3\nEXIT")).toEqual([1, 0.5, 0.5, 1]);
});

test("a loop of one block, one of two, one left in its middle", () => {
  expect(frequencies("b0\nNOP\nb1\n@%P0 BRA b1\nb2\nEXIT")).toEqual([1, 10, 1]);
  expect(frequencies("b0\nNOP\nb1\nNOP\n@%P1 BRA b4\nb2\n@%P0 BRA b1\nb3\nNOP\nb4\nEXIT")).toEqual([
    1, 10, 9, 0.9, 1.9,
  ]);
  expect(frequencies("b0\nNOP\nb1\n@%P0 BRA b1\nb2\nEXIT", 4)).toEqual([1, 4, 1]);
});

test("a loop in a loop, and one that is left from the inner one", () => {
  expect(frequencies("b0\nNOP\nb1\nNOP\nb2\n@%P0 BRA b2\nb3\n@%P1 BRA b1\nb4\nEXIT")).toEqual([1, 10, 100, 10, 1]);
  expect(frequencies("b0\nNOP\nb1\nNOP\nb2\n@%P2 BRA b4\nb5\n@%P0 BRA b2\nb3\n@%P1 BRA b1\nb4\nEXIT")).toEqual([
    1, 10, 100, 90, 9, 10.9,
  ]);
});

test("an endless loop, what nothing reaches, and no more than a million", () => {
  expect(frequencies("b0\nNOP\nb1\nBRA b1\nb2\nEXIT")).toEqual([1, 10, 0]);
  const deep = Array.from({ length: 8 }, (_, k) => `b${k + 1}\nNOP`).join("\n");
  const back = Array.from({ length: 8 }, (_, k) => `b${20 - k}\n@%P0 BRA b${8 - k}`).join("\n");
  expect(Math.max(...frequencies(`b0\nNOP\n${deep}\n${back}\nb30\nEXIT`))).toBe(1e6);
});
