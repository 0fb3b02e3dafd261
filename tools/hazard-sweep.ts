/**
 * The hazard checker on what ptxas makes: test corpus, CUDA units (own and CUB/Thrust) and kernels with products of warp groups,
 * every SM, -O0 … -O3.
 *
 *   node tools/run-ts.cjs tools/hazard-sweep.ts [SM …] [--levels=0123] [--corpus] [--ours] [--show=3]
 *
 * `--corpus`: the test corpus alone. `--products`: the module with products of warp groups alone. `--ours`: our own cubins of
 * the corpus instead of ptxas's. A finding on ptxas's code says that the checker or a latency table is wrong. PTX of the CUDA
 * units and ptxas's cubins are kept in .cache/hazard.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../lib/compile.js";
import { readCubin } from "../lib/elf/index.js";
import { type Finding, findingText } from "../lib/hazard/index.js";
import type { TargetName } from "../lib/target/types.js";
import { verifyCubin } from "../lib/verify.js";
import { numberOf, readArguments, smsOf } from "./arguments.js";
import { wgmmaModule } from "./hazard/wgmma.js";

const { values: options, positionals } = readArguments({
  levels: { type: "string", default: "0123" },
  show: { type: "string", default: "3" },
  corpus: { type: "boolean", default: false },
  products: { type: "boolean", default: false },
  ours: { type: "boolean", default: false },
});
const root = join(__dirname, "..");
const bin = join(root, ".oracle/bin");
const cache = join(root, ".cache/hazard");
const show = numberOf(options.show);

const version = (sm: number): number => (sm >= 100 ? 100 : sm >= 90 ? 90 : 75);

function corpus(sm: number): string[] {
  const folder = join(root, "test/corpus/ptx", `sm_${version(sm)}`);
  return readdirSync(folder)
    .sort()
    .map((f) => join(folder, f));
}

/** PTX of the CUDA units for a virtual architecture; a unit that needs a newer one is left out. */
function units(sm: number): string[] {
  const nvcc = join(bin, "nvcc");
  const python = readdirSync(join(root, ".oracle/lib")).find((d) => d.startsWith("python"))!;
  const include = join(root, ".oracle/lib", python, "site-packages/nvidia/cu13/include");
  mkdirSync(cache, { recursive: true });
  const sources = [join(root, "tools/hazard"), join(root, "tools/latency/kernels")].flatMap((d) =>
    existsSync(d) ? readdirSync(d).map((f) => join(d, f)) : [],
  );
  return sources
    .filter((f) => f.endsWith(".cu"))
    .sort()
    .flatMap((source) => {
      const v = version(sm);
      const text = readFileSync(source, "utf8");
      if (v < Number(/compute_(\d+)/.exec(text)?.[1] ?? 0)) return [];
      const ptx = join(cache, `${source.split("/").slice(-2).join("-").replace(/\.cu$/, "")}.${v}.ptx`);
      if (!existsSync(ptx)) {
        const options = ["-std=c++17", "--extended-lambda", "--expt-relaxed-constexpr", "-ptx", `-arch=compute_${v}`];
        const ran = spawnSync(nvcc, [...options, `-I${join(include, "cccl")}`, source, "-o", ptx], {
          encoding: "utf8",
        });
        if (ran.status !== 0) throw new Error(`${source}: ${ran.stderr}`);
      }
      return [ptx];
    });
}

/** Products of warp groups are for sm_90a alone. */
function products(sm: number): string[] {
  if (sm !== 90) return [];
  const file = join(cache, "wgmma.90a.ptx");
  writeFileSync(file, wgmmaModule);
  return [file];
}

/** ptxas takes most of the time: what it made of a text is kept. */
function theirs(plain: TargetName, file: string, level: string): Uint8Array {
  const text = readFileSync(file);
  const arch = text.includes(".target sm_90a") ? "sm_90a" : plain;
  const id = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const out = join(cache, "cubins", `${id}.${arch}.O${level}.cubin`);
  if (existsSync(out)) return readFileSync(out);
  const made = `${out}.${process.pid}`;
  const ran = spawnSync(join(bin, "ptxas"), [`-O${level}`, "-arch", arch, file, "-o", made], { encoding: "utf8" });
  if (ran.status !== 0) throw new Error(`${file}: ${ran.stderr}`);
  renameSync(made, out);
  return readFileSync(out);
}

function ours(arch: TargetName, file: string, level: string): Uint8Array {
  const c = compile(readFileSync(file, "latin1"), { target: arch, file, opt: Number(level) });
  if (c.cubin === null) throw new Error(`${file}: ${c.diagnostics[0]?.message}`);
  return c.cubin;
}

let total = 0;
mkdirSync(join(cache, "cubins"), { recursive: true });
for (const sm of smsOf(positionals)) {
  const arch = `sm_${sm}` as TargetName;
  const files = options.products
    ? products(sm)
    : options.corpus || options.ours
      ? corpus(sm)
      : [...corpus(sm), ...units(sm), ...products(sm)];
  for (const level of options.levels) {
    let [cubins, instructions, clean] = [0, 0, 0];
    const found: Finding[] = [];
    for (const file of files) {
      const cubin = readCubin(new Uint8Array((options.ours ? ours : theirs)(arch, file, level)));
      if (!cubin.ok) throw new Error(`${file}: unreadable`);
      const findings = verifyCubin(cubin.value)!;
      cubins++;
      if (findings.length === 0) clean++;
      instructions += cubin.value.functions.reduce((n, f) => n + f.words.length / 4, 0);
      found.push(...findings);
    }
    total += found.length;
    console.log(
      `${arch} -O${level}: ${clean} of ${cubins} cubins clean, ${instructions} instructions, ${found.length} findings`,
    );
    for (const f of found.slice(0, show)) console.log(`    ${findingText(f)}`);
  }
}
process.exitCode = total === 0 ? 0 : 1;
