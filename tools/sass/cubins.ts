/**
 * ptxas's cubins for the figures of the disassembler: the corpus, and device-wide sort, scan and reduce of CCCL, at -O0 …
 * -O3. Files are kept in a folder and made once.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { corpus, corpusPtx, corpusTargets } from "../../test/corpus/cases.js";
import { tool } from "../../test/oracle/tools.js";

export interface Made {
  readonly name: string;
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** The PTX of the corpus that an SM takes. */
export function sourceOf(sm: number): (typeof corpusTargets)[number] {
  return [...corpusTargets].reverse().find((t) => Number(t.slice(3)) <= sm) ?? corpusTargets[0];
}

export function corpusCubins(sm: number, levels: readonly number[], dir: string): Made[] {
  return corpus.flatMap((c) =>
    levels.map((level) => made(`${c.name} sm_${sm} -O${level}`, corpusPtx(c.name, sourceOf(sm)), sm, level, dir)),
  );
}

function made(name: string, ptx: string, sm: number, level: number, dir: string): Made {
  mkdirSync(dir, { recursive: true });
  const path = join(dir, `${name.replaceAll(" ", "")}.cubin`);
  if (!existsSync(path)) {
    const source = join(dir, "source.ptx");
    writeFileSync(source, ptx);
    const ran = tool("ptxas", [`-arch=sm_${sm}`, `-O${level}`, source, "-o", path]);
    if (ran.status !== 0) throw new Error(`${name}: ${ran.stderr}`);
  }
  return { name, path, bytes: new Uint8Array(readFileSync(path)) };
}

// ---------------------------------------------------------------------------------------------- CCCL

const units: Readonly<Record<string, string>> = {
  sort: `#include <cub/device/device_radix_sort.cuh>
void f(void* t, size_t& n, const unsigned* in, unsigned* out) { cub::DeviceRadixSort::SortKeys(t, n, in, out, 1000); }`,
  scan: `#include <cub/device/device_scan.cuh>
void f(void* t, size_t& n, const int* in, int* out) { cub::DeviceScan::InclusiveSum(t, n, in, out, 1000); }`,
  reduce: `#include <cub/device/device_reduce.cuh>
void f(void* t, size_t& n, const float* in, float* out) { cub::DeviceReduce::Sum(t, n, in, out, 1000); }`,
};

/** SMs whose PTX is made with nvcc; others take that of the highest one below. */
const sources = [75, 90, 100] as const;

function includeFolder(): string {
  const lib = resolve(__dirname, "../../.oracle/lib");
  const python = readdirSync(lib).find((f) => f.startsWith("python3"));
  return join(lib, python ?? "", "site-packages/nvidia/cu13/include/cccl");
}

export function ccclCubins(sm: number, levels: readonly number[], dir: string): Made[] {
  const from = [...sources].reverse().find((s) => s <= sm) ?? sources[0];
  return Object.entries(units).flatMap(([unit, text]) => {
    const ptx = unitPtx(unit, text, from, dir);
    return levels.map((level) => made(`cccl-${unit} sm_${sm} -O${level}`, ptx, sm, level, dir));
  });
}

function unitPtx(unit: string, text: string, sm: number, dir: string): string {
  mkdirSync(dir, { recursive: true });
  const path = join(dir, `${unit}_${sm}.ptx`);
  if (!existsSync(path)) {
    const source = join(dir, `${unit}.cu`);
    writeFileSync(source, text);
    const args = ["-std=c++17", "-ptx", `-arch=compute_${sm}`, `-I${includeFolder()}`, source, "-o", path];
    const ran = tool("nvcc", args);
    if (ran.status !== 0) throw new Error(ran.stderr);
  }
  return readFileSync(path, "utf8");
}
