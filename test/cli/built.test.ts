/** The command as it is installed: a process from the start-up snapshot, from the bundle where that does not fit, and from the bundle alone. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { processHost } from "../../lib/cli/host";
import { ptxas as inProcess } from "../../lib/cli/ptxas";
import { ptxlab as inProcessPtxlab } from "../../lib/cli/ptxlab";
import { corpusPtx } from "../corpus/cases";

const command = resolve(__dirname, "../../bin/ptxas");
const ptxlab = resolve(__dirname, "../../bin/ptxlab");
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

/** Whether V8 refuses the kept code of a command, in a Node with these options that has done `first`. */
function refuses(name: string, options: readonly string[], first: string): string {
  const bundled = JSON.stringify(resolve(command, "../bundled.cjs"));
  const asked = `${first}; const { load, compiledCode } = require(${bundled}); console.log(load("${name}", compiledCode("${name}")).script.cachedDataRejected)`;
  const run = spawnSync(process.execPath, [...options, "-e", asked], { encoding: "utf8" });
  return run.stdout + run.stderr;
}

test("V8 takes the code that was kept, under the options that the commands give", () => {
  const engine = /^engine="(.*)"$/m.exec(readFileSync(command, "utf8").replaceAll("\\\n", ""))?.[1] ?? "";
  expect(refuses("ptxas", engine.split(" "), "")).toBe("false\n");
  const flags = readFileSync(ptxlab, "utf8").match(/\bsetFlagsFromString\("[^"]+"\);/g) ?? [];
  expect(flags.length).toBeGreaterThan(0);
  expect(refuses("ptxlab", [], `const { setFlagsFromString } = require("node:v8"); ${flags.join(" ")}`)).toBe(
    "false\n",
  );
});

test("ptxlab from its bundle: the page and the bytes of the library, a mistake, a file that is not there", async () => {
  const input = join(folder, "p.ptx");
  writeFileSync(input, corpusPtx("saxpy", "sm_90"));
  const made = (line: readonly string[]) => spawnSync(process.execPath, [ptxlab, ...line], { encoding: "utf8" });
  for (const [name, file] of [
    ["view", "p.html"],
    ["compile", "p.cubin"],
  ] as const) {
    const [here, there] = [join(folder, file), join(folder, `bundled-${file}`)];
    expect(await inProcessPtxlab([name, input, "-o", here], processHost)).toBe(0);
    expect(made([name, input, "-o", there])).toMatchObject({ status: 0, stderr: "" });
    expect(readFileSync(there).equals(readFileSync(here))).toBe(true);
  }
  writeFileSync(input, "garbage");
  expect(made(["compile", input])).toMatchObject({ status: 1, stderr: expect.stringMatching(/garbage/) });
  expect(made(["view", join(folder, "none.ptx")])).toMatchObject({
    status: 2,
    stderr: expect.not.stringMatching(/ at /),
  });
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
