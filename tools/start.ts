/**
 * Start of `bin/ptxas`: whole processes on one small kernel in turn with ptxas's and with a Node that does nothing, so that what
 * the machine does besides falls on all of them. Prints the lower quartiles and what they are over ptxas's; needs `npm run build`.
 * Node alone starts without the certificates that an environment may name, as it does under bin/ptxas.
 *
 *     node tools/run-ts.cjs tools/start.ts [--runs 21] [--kernel FILE.ptx] [--arch sm_90]
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const argument = (name: string, otherwise: string): string => {
  const at = process.argv.indexOf(name);
  return at < 0 ? otherwise : (process.argv[at + 1] ?? otherwise);
};
const root = join(__dirname, "..");
const runs = Number(argument("--runs", "21"));
const arch = argument("--arch", "sm_90");
const kernel = argument("--kernel", join(root, `test/corpus/ptx/${arch}/saxpy.ptx`));
const folder = mkdtempSync(join(tmpdir(), "ptxlab-start-"));
const options = [`-arch=${arch}`, kernel, "-o", join(folder, "k.cubin")];
const commands: readonly (readonly [name: string, file: string, args: readonly string[]])[] = [
  ["ptxas", join(root, ".oracle/bin/ptxas"), options],
  ["node", process.execPath, ["-e", "0"]],
  ["bin/ptxas", join(root, "bin/ptxas"), options],
];

const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
const times = commands.map((): number[] => []);
try {
  for (let run = 0; run < runs; run++)
    commands.forEach(([name, file, args], k) => {
      const start = performance.now();
      const { status, stderr } = spawnSync(file, args, { encoding: "utf8", env });
      if (status !== 0) throw new Error(`${name}: status ${status}: ${stderr}`);
      times[k]!.push(performance.now() - start);
    });
} finally {
  rmSync(folder, { recursive: true });
}
const quartiles = times.map((t) => t.sort((a, b) => a - b)[t.length >> 2]!);
commands.forEach(([name], k) => {
  console.log(`${name}: ${quartiles[k]!.toFixed(1)} ms, ${(quartiles[k]! / quartiles[0]!).toFixed(2)} times ptxas's`);
});
