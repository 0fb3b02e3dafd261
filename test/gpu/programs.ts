/**
 * node tools/run-ts.cjs test/gpu/programs.ts DIR [--only NAME,…] [--variants NAME,…]
 *
 * Whole CUDA programs (test/gpu/programs) for sm_90, translated by nvcc, with the machine code of several makers in them, for
 * programs.py to run on a machine with a GPU. Each program compares its results with the host's. Needs the real tools,
 * g++ and objcopy, and the built library (npm run build). DIR gets one folder for each variant:
 *
 *     ptxlab-O0 ptxlab-O1 ptxlab-O2   our code
 *     ptxas-O0 ptxas-O3               the real one's
 *     asm                             its -O3 code, disassembled to text and assembled again
 *     keep new                        its -O3 code with new control words: in its own order, in a new order
 */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { program } from "../oracle/tools.js";

const target = "sm_90";
const source = resolve(__dirname, "programs");
const root = resolve(__dirname, "../..");
const toolkit = realpathSync(join(root, ".oracle/lib/python3.11/site-packages/nvidia/cu13"));

/** What a variant makes of the program's PTX (or of ptxas's -O3 cubin of it). */
const makers: Readonly<Record<string, (ptx: string, real: string, cubin: string) => void>> = {
  "ptxlab-O0": (ptx, _, cubin) => ours("ptxas", `-arch=${target}`, "-O0", ptx, "-o", cubin),
  "ptxlab-O1": (ptx, _, cubin) => ours("ptxas", `-arch=${target}`, "-O1", ptx, "-o", cubin),
  "ptxlab-O2": (ptx, _, cubin) => ours("ptxas", `-arch=${target}`, "-O2", ptx, "-o", cubin),
  "ptxas-O0": (ptx, _, cubin) => run(join(toolkit, "bin/ptxas"), `-arch=${target}`, "-O0", ptx, "-o", cubin),
  "ptxas-O3": (_, real, cubin) => copyFileSync(real, cubin),
  asm: (_, real, cubin) => {
    const text = program(process.execPath, [join(root, "bin/ptxlab"), "dis", "--asm", real]);
    if (text.status !== 0) throw new Error(text.stderr);
    writeFileSync(`${cubin}.sass`, text.stdout);
    ours("ptxlab", "asm", `${cubin}.sass`, "--like", real, "-o", cubin);
  },
  keep: (_, real, cubin) => ours("ptxlab", "reschedule", real, "--order", "keep", "--controls", "new", "-o", cubin),
  new: (_, real, cubin) => ours("ptxlab", "reschedule", real, "--order", "new", "-o", cubin),
};

function run(command: string, ...args: readonly string[]): void {
  const ran = program(command, args);
  if (ran.status !== 0) throw new Error(`${command} ${args.join(" ")}\n${ran.stdout}${ran.stderr}`);
}

function ours(command: string, ...args: readonly string[]): void {
  run(process.execPath, join(root, "bin", command), ...args);
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: "string" }, variants: { type: "string" } } });
const [dir] = positionals;
const variants = values.variants?.split(",") ?? Object.keys(makers);
const unknown = variants.find((v) => makers[v] === undefined);
if (dir === undefined || unknown !== undefined) {
  console.error(`usage: programs.ts DIR [--only NAME,…] [--variants ${Object.keys(makers).join(",")}]`);
  process.exit(2);
}
const names = readdirSync(source)
  .filter((f) => f.endsWith(".cu"))
  .map((f) => f.slice(0, -3))
  .filter((n) => values.only === undefined || values.only.split(",").includes(n));

const made = new Map<string, number>(variants.map((v) => [v, 0]));
mkdirSync(dir, { recursive: true });
copyFileSync(join(toolkit, "lib/libcudart.so.13"), join(dir, "libcudart.so.13"));
for (const name of names) {
  const scratch = mkdtempSync(join(tmpdir(), "ptxlab-"));
  try {
    const at = (file: string): string => join(scratch, file);
    const nvcc = [`-arch=${target}`, "-O2", "--extended-lambda", "-Xptxas", "-O3", "--keep", "--keep-dir", scratch];
    run(join(toolkit, "bin/nvcc"), ...nvcc, "-c", join(source, `${name}.cu`), "-o", at("host.o"));
    const real = at(`${name}.${target}.cubin`);
    for (const variant of variants) {
      // One maker's failure leaves the others.
      try {
        const cubin = at(`${variant}.cubin`);
        makers[variant]!(at(`${name}.ptx`), real, cubin);
        run(join(toolkit, "bin/fatbinary"), "-64", `--create=${at("fat")}`, `--image3=kind=elf,sm=${target.slice(3)},file=${cubin}`);
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
