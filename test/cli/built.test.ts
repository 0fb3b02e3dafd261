/** The command as it is installed: a process from the start-up snapshot, from the bundle where that does not fit, and from the bundle alone. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { processHost } from "../../lib/cli/host";
import { ptxas as inProcess } from "../../lib/cli/ptxas";
import { corpusPtx } from "../corpus/cases";

const command = resolve(__dirname, "../../bin/ptxas");
const folder = mkdtempSync(join(tmpdir(), "ptxlab-built-"));
afterAll(() => rmSync(folder, { recursive: true }));

const output = join(folder, "k.cubin");

/** The command line that compiles a text. */
function args(ptx: string, target: string): string[] {
  const input = join(folder, "k.ptx");
  writeFileSync(input, ptx);
  return [`-arch=${target}`, input, "-o", output];
}

/** A way to start the command: the program, its first arguments, the environment. */
type Way = readonly [name: string, file: string, args: readonly string[], env: NodeJS.ProcessEnv];

const link = join(folder, "ptxas");
symlinkSync(command, link);

const ways: readonly Way[] = [
  ["from the snapshot", command, [], { NODE_OPTIONS: "" }],
  ["by a symbolic link", link, [], { NODE_OPTIONS: "" }],
  // No snapshot for these options of V8.
  ["from the bundle", command, [], { NODE_OPTIONS: "--max-old-space-size=2000" }],
  // V8 refuses compiled code that was made under other flags.
  ["from the bundle without its code", process.execPath, ["--no-opt", `${command}.cjs`], {}],
];

test("V8 takes the code that was kept, under the options that the command gives", () => {
  const engine = /^engine="(.*)"$/m.exec(readFileSync(command, "utf8").replaceAll("\\\n", ""))?.[1] ?? "";
  const bundled = JSON.stringify(resolve(command, "../bundled.cjs"));
  const asked = `const { load, compiledCode } = require(${bundled}); console.log(load(compiledCode()).script.cachedDataRejected)`;
  const run = spawnSync(process.execPath, [...engine.split(" "), "-e", asked], { encoding: "utf8" });
  expect([run.stdout, run.stderr]).toEqual(["false\n", ""]);
});

describe.each(ways)("%s", (_, file, first, env) => {
  const ptxas = (line: readonly string[]) =>
    spawnSync(file, [...first, ...line], { encoding: "utf8", env: { ...process.env, ...env } });

  test.each(["sm_75", "sm_90"] as const)("the bytes of the library, %s", (target) => {
    const line = args(corpusPtx("saxpy", target), target);
    expect(inProcess(line, processHost)).toBe(0);
    const bytes = readFileSync(output);
    rmSync(output);
    const run = ptxas(line);
    expect([run.status, run.stderr]).toEqual([0, ""]);
    expect(readFileSync(output).equals(bytes)).toBe(true);
  });

  test("a mistake in the input", () => {
    const run = ptxas(args(corpusPtx("saxpy", "sm_90").replace("ret;", "rot;"), "sm_90"));
    expect(run.status).toBe(255);
    expect(run.stderr).toMatch(/line \d+; error +: .*rot/);
  });
});
