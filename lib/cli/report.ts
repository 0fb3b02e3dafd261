/** The report of `-v`: what each kernel of a cubin uses, read from the cubin itself (wording and order: measured on ptxas 13.0.88). */
import { STT_CUDA } from "../elf/cubin/sections.js";
import type { Cubin, CubinFunction } from "../elf/index.js";
import type { Routine } from "../sass/code.js";
import { targetOfSm } from "../target/index.js";

/** What the cubin does not say. */
export interface KernelTimes {
  readonly spillStores: number;
  readonly spillLoads: number;
  /** Milliseconds. */
  readonly time: number;
  /** Functions in the code of the kernel. */
  readonly routines: readonly Routine[];
}

/** Constant banks are reported only where they are ALU operands (before sm_90). */
function showsBanks(cubin: Cubin): boolean {
  return !(targetOfSm(cubin.sm)?.has("rela") ?? true);
}

export function reportLines(cubin: Cubin, target: string, kernel: (name: string) => KernelTimes): string[] {
  const lines = [`ptxas info    : ${memoryLine(cubin)}`];
  const functions = cubin.kind === "relocatable" ? [...cubin.functions].reverse() : cubin.functions;
  for (const f of functions) {
    const { spillStores, spillLoads, time, routines } = kernel(f.name);
    if (f.kind === "entry") lines.push(`ptxas info    : Compiling entry function '${f.name}' for '${target}'`);
    lines.push(...properties({ name: f.name, frameBytes: f.frameBytes, spillStores, spillLoads }));
    if (f.kind === "entry") lines.push(`ptxas info    : ${usageLine(cubin, f)}`);
    lines.push(`ptxas info    : Compile time = ${time.toFixed(3)} ms`);
    for (const r of routines) lines.push(...properties(r));
  }
  return lines;
}

function properties(r: Omit<Routine, "offset">): string[] {
  return [
    `ptxas info    : Function properties for ${r.name}`,
    `    ${r.frameBytes} bytes stack frame, ${r.spillStores} bytes spill stores, ${r.spillLoads} bytes spill loads`,
  ];
}

function memoryLine(cubin: Cubin): string {
  const gmem = cubin.globals.reduce((n, g) => n + g.size, 0);
  const banks = showsBanks(cubin) ? cubin.banks : [];
  return [`${gmem} bytes gmem`, ...banks.map((b) => `${b.bytes.length} bytes cmem[${b.bank}]`)].join(", ");
}

/** Symbols of textures, surfaces and samplers that PTX names, in ptxas's order. */
const NAMED: readonly (readonly [type: number, what: string])[] = [
  [STT_CUDA.Texref, "textures"],
  [STT_CUDA.Surfref, "surfaces"],
  [STT_CUDA.Samplerref, "samplers"],
];

function usageLine(cubin: Cubin, f: CubinFunction): string {
  const parts = [`Used ${f.registers} registers`, `used ${f.barriers} barriers`];
  if (cubin.kind === "executable" && f.stackBytes > 0) parts.push(`${f.stackBytes} bytes cumulative stack size`);
  const shared = cubin.kind === "executable" ? f.sharedBytes - f.sharedReserved : f.sharedBytes;
  if (shared > 0) parts.push(`${shared} bytes smem`);
  if (showsBanks(cubin)) {
    if (f.constant0 !== null) parts.push(`${f.constant0.length} bytes cmem[0]`);
    if (f.constant2 !== null) parts.push(`${f.constant2.length} bytes cmem[2]`);
    for (const [type, what] of NAMED) {
      const names = new Set(f.constant0Relocs.filter((r) => r.symbol.type === type).map((r) => r.symbol.name));
      if (names.size > 0) parts.push(`${names.size} ${what}`);
    }
  }
  return parts.join(", ");
}
