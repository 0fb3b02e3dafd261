/** The scripts of the kernel as a person calls them: help and version, and no stack trace where something is missing. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

const { version } = JSON.parse(readFileSync(resolve(__dirname, "../../package.json"), "utf8")) as { version: string };
const kernel = resolve(__dirname, "../../kernel");
const run = (script: string, ...args: string[]): readonly [number | null, string, string] => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [resolve(kernel, script), ...args], {
    encoding: "utf8",
  });
  return [status, stdout, stderr];
};

test.each(["kernel.cjs", "start.cjs", "lab.cjs", "run-notebook.cjs", "drive.cjs"])("%s", (script) => {
  expect(run(script, "--help")).toEqual([0, expect.stringMatching(/^usage: n/), ""]);
  expect(run(script, "--version")).toEqual([0, `ptxlab ${version}\n`, ""]);
});

test.each([
  ["kernel.cjs", [], /^usage: node kernel/],
  ["kernel.cjs", ["--config-path", "none.json"], /^cannot read 'none.json'\n$/],
  ["run-notebook.cjs", [], /^usage: node kernel/],
  ["run-notebook.cjs", ["none.ipynb"], /^cannot read '.*none.ipynb'\n$/],
  ["drive.cjs", ["http://localhost"], /^usage: node kernel/],
] as const)("%s %j", (script, args, message) => {
  expect(run(script, ...args)).toEqual([2, "", expect.stringMatching(message)]);
});
