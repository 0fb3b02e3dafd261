/** The whole road: every kernel of the corpus, compiled with all checkers on and run in the simulator. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../lib/compile.js";
import { runLaunchFile } from "../../lib/sim/index.js";
import { corpus, corpusPtx, corpusTargets, launchText } from "./cases.js";

const host = { readFile: () => null };

describe.each(corpusTargets)("%s -O0", (target) => {
  test.each(corpus.map((c) => [c.name, c] as const))("%s compiles, verifies and computes what it should", (name, c) => {
    const made = compile(corpusPtx(name, target), { target, opt: 0, verify: true });
    expect(made.diagnostics).toEqual([]);
    const ran = runLaunchFile(made.cubin!, c.launch, host);
    expect(ran.lines.filter(() => ran.status !== 0)).toEqual([]);
    expect(ran.status).toBe(0);
  });

  test("a wrong expectation is noticed", () => {
    const c = corpus.find((k) => k.name === "saxpy")!;
    const values = [...c.launch.expect.y!.values];
    values[500] = Number(values[500]) + 1;
    const made = compile(corpusPtx("saxpy", target), { target, opt: 0 });
    expect(runLaunchFile(made.cubin!, { ...c.launch, expect: { y: { values } } }, host).status).toBe(1);
  });

  test("the same input gives the same bytes", () => {
    const once = (): Uint8Array => compile(corpusPtx("sgemm", target), { target, opt: 0 }).cubin!;
    expect(Buffer.from(once()).equals(Buffer.from(once()))).toBe(true);
  });
});

test.each(corpus.map((c) => [c.name, c] as const))("launch/%s.json is the launch of the case", (name, c) => {
  expect(readFileSync(join(__dirname, "launch", `${name}.json`), "utf8")).toBe(launchText(c));
});
