/**
 * node tools/run-ts.cjs test/gpu/instructions.ts build DIR [--only REGEXP]: the instruction kernels compiled by us and by ptxas, and their
 * inputs, for instructions.py on a machine with a GPU. `simulate DIR [--modules FROM-TO]` runs all cubins of DIR in the simulator, writes what came out
 * (simulated.json) and prints where our code and ptxas's differ.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BLOCK, inputBytes, ROWS } from "./instruction-inputs.js";
import { type GpuKernel, gpuKernels, SCRATCH } from "./instruction-kernels.js";
import { hashOf, make, Simulation, TARGET, type Variant, variants } from "./instruction-modules.js";

/** Kernels of a module. */
const PART = 150;

interface ManifestModule {
  readonly name: string;
  readonly files: Partial<Record<Variant, string>>;
  readonly kernels: readonly { readonly name: string; readonly variants: readonly Variant[]; readonly stride: number; readonly scratch: boolean; readonly constants: readonly string[] }[];
}

function build(dir: string, only: RegExp): void {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "inputs.bin"), inputBytes());
  const kernels = gpuKernels().filter((k) => only.test(k.tested));
  const modules: ManifestModule[] = [];
  const refused: string[] = [];
  for (let from = 0; from < kernels.length; from += PART) {
    const part = kernels.slice(from, from + PART);
    const name = `m${from / PART}`;
    const made = new Map<GpuKernel, Variant[]>();
    const files: Partial<Record<Variant, string>> = {};
    for (const v of [...variants].reverse()) {
      // What ptxas refuses is no PTX; what we refuse at one level we refuse at all.
      const wanted = v === "ptxas-O3" ? part : [...made.keys()].filter((k) => v.startsWith("ptxas") || v === "ours-O2" || made.get(k)!.includes("ours-O2"));
      const m = make(wanted, v);
      for (const [k, message] of m.refused) refused.push(`${v}\t${k.tested}\t${message}`);
      if (m.cubin === null) continue;
      files[v] = `${name}.${v}.cubin`;
      writeFileSync(join(dir, files[v]!), m.cubin);
      for (const k of m.kernels) made.set(k, [...(made.get(k) ?? []), v]);
    }
    modules.push({
      name,
      files,
      kernels: [...made].map(([k, v]) => ({ name: k.name, variants: v, stride: k.stride, scratch: k.scratch, constants: k.constants.map(String) })),
    });
    writeFileSync(join(dir, "manifest.json"), JSON.stringify({ target: TARGET, rows: ROWS, block: BLOCK, scratch: SCRATCH, modules }));
    writeFileSync(join(dir, "refused.txt"), refused.join("\n"));
    console.log(`${from + part.length} of ${kernels.length}, ${made.size} of this module, ${process.uptime().toFixed(0)} s`);
  }
}

/** The first rows that differ, with their results. */
function differences(k: GpuKernel, a: Uint8Array, b: Uint8Array): string {
  const out: string[] = [];
  for (let i = 0; i < a.length && out.length < 3; i += 8) {
    const [x, y] = [a, b].map((m) => Buffer.from(m.subarray(i, i + 8)).readBigUInt64LE());
    if (x !== y) out.push(`${i < k.stride * ROWS ? `row ${Math.floor(i / k.stride)}` : `scratch ${i - k.stride * ROWS}`}: ${x!.toString(16)} ${y!.toString(16)}`);
  }
  return out.join(", ");
}

/** Hash of the output by kernel and variant; of a fault, its message. */
type Simulated = Record<string, Partial<Record<Variant, string>>>;

function simulateAll(dir: string, first: number, last: number): void {
  const file = join(dir, "simulated.json");
  const { modules } = JSON.parse(readFileSync(join(dir, "manifest.json"), "utf8")) as { modules: ManifestModule[] };
  const done: Simulated = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Simulated) : {};
  const inputs = inputBytes();
  const byName = new Map(gpuKernels().map((k) => [k.name, k]));
  for (const m of modules.slice(first, last)) {
    const real = new Map<string, Uint8Array>();
    for (const v of ["ptxas-O3", "ptxas-O0", "ours-O0", "ours-O1", "ours-O2"] as const) {
      if (m.files[v] === undefined) continue;
      const simulation = new Simulation(Uint8Array.from(readFileSync(join(dir, m.files[v]))), inputs);
      for (const { name, variants: has } of m.kernels) {
        if (!has.includes(v)) continue;
        const k = byName.get(name)!;
        const result = simulation.run(k);
        const all = (done[name] ??= {});
        all[v] = typeof result === "string" ? result : hashOf(result);
        if (typeof result === "string") console.log(`${v} stops\t${k.tested}\t${result}`);
        else if (v === "ptxas-O3") real.set(name, result);
        else if (real.has(name) && all[v] !== all["ptxas-O3"])
          console.log(`${v} differs\t${name} ${k.tested}\t${differences(k, result, real.get(name)!)}`);
      }
    }
    writeFileSync(file, JSON.stringify(done));
    console.log(`# ${m.name} ${process.uptime().toFixed(0)} s`);
  }
}

const [mode, dir, option, value = ""] = process.argv.slice(2);
if (mode === "build" && dir !== undefined) build(dir, option === "--only" ? new RegExp(value) : /(?:)/);
else if (mode === "simulate" && dir !== undefined) {
  const [first, last] = option === "--modules" ? value.split("-").map(Number) : [];
  simulateAll(dir, first ?? 0, last ?? Number.POSITIVE_INFINITY);
} else {
  console.error("usage: instructions.ts build DIR [--only REGEXP] | simulate DIR [--modules FROM-TO]");
  process.exitCode = 2;
}
