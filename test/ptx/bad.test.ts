import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { renderDiagnostic } from "../../lib/diagnostics.js";
import { analyze } from "../../lib/ptx/index.js";

/**
 * Malformed files and what ptxas 13.0.88 says about them (expected.json, written by tools/ptx-bad-expected.cjs): severity, text and line of our first
 * message are ptxas's. Of the 71 files as first written, before any of them was looked at, 66 agreed.
 */
interface Answer {
  readonly arch: string;
  readonly accepted: boolean;
  readonly messages: readonly string[];
}

const folder = join(__dirname, "bad");
const expected = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8")) as Record<string, Answer>;

test("every malformed file has an answer", () => {
  const files = readdirSync(folder).filter((f) => f.endsWith(".ptx"));
  expect(Object.keys(expected).sort()).toEqual(files.sort());
  expect(files.length).toBeGreaterThanOrEqual(60);
});

test.each(Object.entries(expected))("%s", (name, answer) => {
  const r = analyze(readFileSync(join(folder, name), "utf8"), { target: answer.arch, file: name });
  const first = r.diagnostics[0];
  expect(first === undefined ? undefined : renderDiagnostic(first, name)).toBe(answer.messages[0]);
  expect(r.ok).toBe(answer.accepted);
});
