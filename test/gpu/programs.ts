/**
 * node tools/run-ts.cjs test/gpu/programs.ts DIR [--only NAME,…] [--variants NAME,…]
 *
 * Whole CUDA programs (test/gpu/programs) for sm_90, translated by nvcc, with the machine code of several makers in them, for
 * programs.py to run on a machine with a GPU. Each program compares its results with the host's. Needs the real tools,
 * g++ and objcopy. DIR gets one folder for each maker of variants.ts.
 */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { program } from "../oracle/tools.js";
import { sourceOf, variants } from "./variants.js";

const target = "sm_90";
const source = resolve(__dirname, "programs");
const root = resolve(__dirname, "../..");
const toolkit = realpathSync(join(root, ".oracle/lib/python3.11/site-packages/nvidia/cu13"));

function run(command: string, ...args: readonly string[]): void {
  const ran = program(command, args);
  if (ran.status !== 0) throw new Error(`${command} ${args.join(" ")}\n${ran.stdout}${ran.stderr}`);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string" }, variants: { type: "string" } },
});
const [dir] = positionals;
const chosen = values.variants?.split(",") ?? Object.keys(variants);
const unknown = chosen.find((v) => variants[v] === undefined);
if (dir === undefined || unknown !== undefined) {
  console.error(`usage: programs.ts DIR [--only NAME,…] [--variants ${Object.keys(variants).join(",")}]`);
  process.exit(2);
}
const names = readdirSync(source)
  .filter((f) => f.endsWith(".cu"))
  .map((f) => f.slice(0, -3))
  .filter((n) => values.only === undefined || values.only.split(",").includes(n));

const made = new Map<string, number>(chosen.map((v) => [v, 0]));
mkdirSync(dir, { recursive: true });
copyFileSync(join(toolkit, "lib/libcudart.so.13"), join(dir, "libcudart.so.13"));
for (const name of names) {
  const scratch = mkdtempSync(join(tmpdir(), "ptxlab-"));
  try {
    const at = (file: string): string => join(scratch, file);
    const nvcc = [`-arch=${target}`, "-O2", "--extended-lambda", "--keep", "--keep-dir", scratch];
    run(join(toolkit, "bin/nvcc"), ...nvcc, "-c", join(source, `${name}.cu`), "-o", at("host.o"));
    const ptx = readFileSync(at(`${name}.ptx`), "utf8");
    const code = sourceOf(ptx, target);
    for (const variant of chosen) {
      // One maker's failure leaves the others.
      try {
        const cubin = at(`${variant}.cubin`);
        writeFileSync(cubin, variants[variant]!(code));
        run(
          join(toolkit, "bin/fatbinary"),
          "-64",
          `--create=${at("fat")}`,
          `--image3=kind=elf,sm=${target.slice(3)},file=${cubin}`,
        );
        run("objcopy", "--update-section", `.nv_fatbin=${at("fat")}`, at("host.o"), at(`${variant}.o`));
        mkdirSync(join(dir, variant), { recursive: true });
        const libraries = [join(dir, "libcudart.so.13"), "-Wl,-rpath,$ORIGIN/.."];
        run("g++", at(`${variant}.o`), ...libraries, "-o", join(dir, variant, name));
        made.set(variant, made.get(variant)! + 1);
      } catch (error) {
        console.error(`${name}, ${variant}: ${(error as Error).message.slice(0, 2000)}`);
      }
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
console.log([...made].map(([v, n]) => `${v}: ${n} of ${names.length}`).join("; "));
