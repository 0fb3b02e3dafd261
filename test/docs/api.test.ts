/** Everything public has its sentence, and the reference of the API is made without a warning (tools/api-sentences.cjs, through TypeDoc). */
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";

jest.setTimeout(300_000);

test("every public function, interface and property has its sentence", () => {
  const root = resolve(__dirname, "../..");
  const { stdout, status } = spawnSync(process.execPath, [join(root, "tools/api-sentences.cjs")], {
    cwd: root,
    encoding: "utf8",
  });
  expect(stdout.split("\n").filter((l) => l.startsWith("no sentence"))).toEqual([]);
  expect(stdout).toMatch(/^Property: (\d+) of \1$/m);
  expect(stdout).toContain("warnings: 0");
  expect(status).toBe(0);
});
