import { jsonError } from "../../lib/cli/json-error.js";
import { random } from "../corpus/random.js";

test.each([
  ["{}", -1],
  [' [1, -2.5e3, "a\\u00e9\\n", true, null, {"b": []}] ', -1],
  ["", 0],
  ['{"launches": [', 14],
  ['{"a": [1,}', 9],
  ['{"a" 1}', 5],
  ["{a: 1}", 1],
  ["[1 2]", 3],
  ["[01]", 1],
  ['{"a": 1,}', 8],
  ['"a\nb"', 0],
  ["[]]", 2],
])("%j: %i", (text, at) => {
  expect(jsonError(text)).toBe(at);
});

test("says yes and no as JSON.parse does", () => {
  const chance = random(7);
  const parts = ["{", "}", "[", "]", ",", ":", '"a"', "1", "-0.5", "null", " ", "x", '"', "\n", "1e", "true"];
  for (let i = 0; i < 3000; i++) {
    const text = Array.from({ length: 1 + chance.below(7) }, () => parts[chance.below(parts.length)]).join("");
    let valid = true;
    try {
      JSON.parse(text);
    } catch {
      valid = false;
    }
    expect([text, jsonError(text) < 0]).toEqual([text, valid]);
  }
});
