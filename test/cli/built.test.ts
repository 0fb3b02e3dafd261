/** The command as it is installed: a process over the built bundle, where V8's compiled code fits and where it does not. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

function ptxas(node: readonly string[], line: readonly string[]) {
  return spawnSync(process.execPath, [...node, command, ...line], { encoding: "utf8" });
}

// V8 refuses compiled code that was made under other flags.
describe.each([[[]], [["--no-opt"]]])("node %j", (flags: string[]) => {
  test.each(["sm_75", "sm_90"] as const)("the bytes of the library, %s", (target) => {
    const line = args(corpusPtx("saxpy", target), target);
    expect(inProcess(line, processHost)).toBe(0);
    const bytes = readFileSync(output);
    rmSync(output);
    const run = ptxas(flags, line);
    expect([run.status, run.stderr]).toEqual([0, ""]);
    expect(readFileSync(output).equals(bytes)).toBe(true);
  });
  test("a mistake in the input", () => {
    const run = ptxas(flags, args(corpusPtx("saxpy", "sm_90").replace("ret;", "rot;"), "sm_90"));
    expect(run.status).toBe(255);
    expect(run.stderr).toMatch(/line \d+; error +: .*rot/);
  });
});
