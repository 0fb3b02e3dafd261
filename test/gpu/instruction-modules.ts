/** The instruction kernels as modules: compiled by us and by ptxas, and run in the simulator. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../lib/compile.js";
import { Device, type Module } from "../../lib/sim/index.js";
import { refusals } from "../../tools/harvest/compile.js";
import { inScratch, tool } from "../oracle/tools.js";
import { BLOCK, ROWS } from "./instruction-inputs.js";
import { type GpuKernel, outputBytes, SCRATCH } from "./instruction-kernels.js";

export const TARGET = "sm_90";
/** Who made a cubin, and at which level. */
export const variants = ["ours-O0", "ours-O1", "ours-O2", "ptxas-O0", "ptxas-O3"] as const;
export type Variant = (typeof variants)[number];

const HEADER = `.version 9.0\n.target ${TARGET}\n.address_size 64\n`;

export interface Made {
  /** Null where no kernel is left. */
  readonly cubin: Uint8Array | null;
  readonly kernels: readonly GpuKernel[];
  readonly refused: ReadonlyMap<GpuKernel, string>;
}

function moduleText(kernels: readonly GpuKernel[]): { text: string; starts: number[] } {
  const starts: number[] = [];
  let text = HEADER;
  let line = HEADER.split("\n").length;
  for (const k of kernels) {
    starts.push(line);
    text += k.text;
    line += k.text.split("\n").length - 1;
  }
  return { text, starts };
}

/** Compiles all kernels that are taken; those refused are told with the message. */
export function make(kernels: readonly GpuKernel[], variant: Variant): Made {
  const ask = variant.startsWith("ours") ? ours : theirs;
  const refused = new Map<GpuKernel, string>();
  let left = kernels;
  while (left.length > 0) {
    const { text, starts } = moduleText(left);
    const { cubin, bad } = ask(text, starts, left, Number(variant.at(-1)));
    if (cubin !== null) return { cubin, kernels: left, refused };
    for (const [i, message] of bad) refused.set(left[i]!, message);
    if (bad.size === 0) throw new Error(`${variant}: no message names a kernel`);
    left = left.filter((_, i) => !bad.has(i));
  }
  return { cubin: null, kernels: [], refused };
}

interface Asked {
  readonly cubin: Uint8Array | null;
  readonly bad: ReadonlyMap<number, string>;
}

function theirs(text: string, starts: readonly number[], kernels: readonly GpuKernel[], level: number): Asked {
  return inScratch((dir) => {
    const [ptx, cubin] = [join(dir, "k.ptx"), join(dir, "k.cubin")];
    writeFileSync(ptx, text);
    const ran = tool("ptxas", [`-arch=${TARGET}`, `-O${level}`, ptx, "-o", cubin]);
    if (ran.status === 0 && existsSync(cubin)) return { cubin: Uint8Array.from(readFileSync(cubin)), bad: new Map() };
    const named = kernels as unknown as Parameters<typeof refusals>[1];
    const bad = refusals(ran.stderr, named, starts);
    if (bad.size === 0) throw new Error(ran.stderr);
    return { cubin: null, bad };
  });
}

function ours(text: string, starts: readonly number[], _: readonly GpuKernel[], level: number): Asked {
  const made = compile(text, { target: TARGET, opt: level });
  if (made.cubin !== null) return { cubin: made.cubin, bad: new Map() };
  const bad = new Map<number, string>();
  for (const d of made.diagnostics) {
    const at = d.span === null || d.span === undefined ? -1 : starts.findLastIndex((s) => s <= d.span!.line);
    if (at >= 0 && !bad.has(at)) bad.set(at, d.message);
  }
  if (bad.size === 0) throw new Error(made.internalErrors.map((e) => String(e.stack)).join("\n"));
  return { cubin: null, bad };
}

// ------------------------------------------------------------------------------------------------ running

export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex").slice(0, 16);

/** What a kernel's output memory holds before it runs: zeros for the results, bytes of the inputs as scratch memory. */
export function initialOutput(k: GpuKernel, inputs: Uint8Array): Uint8Array {
  const out = new Uint8Array(outputBytes(k));
  if (k.scratch) out.set(inputs.subarray(0, ROWS * SCRATCH), ROWS * k.stride);
  return out;
}

/** Warp instructions after which a kernel is taken to run for ever. */
const BUDGET = 1_000_000;

export class Simulation {
  private readonly device = new Device();
  private readonly module: Module;
  private readonly input: number;
  private readonly output: number;

  constructor(
    cubin: Uint8Array,
    private readonly inputs: Uint8Array,
  ) {
    const m = this.device.load(cubin);
    if (!m.ok) throw new Error(m.diagnostics.map((d) => d.message).join("\n"));
    this.module = m.value;
    this.input = this.device.alloc(inputs.length);
    this.device.write(this.input, inputs);
    this.output = this.device.alloc(ROWS * (SCRATCH + 128));
  }

  /** The output memory after the run, or why there is none. */
  run(k: GpuKernel, rows: number = ROWS): Uint8Array | string {
    this.device.write(this.output, initialOutput(k, this.inputs));
    const constants = k.constants.map((c) => ({ u64: c }));
    const params = [{ address: this.input }, { address: this.output }, ...constants];
    const run = this.device.launch(this.module, {
      kernel: k.name,
      grid: rows / BLOCK,
      block: BLOCK,
      params,
      maxInstructions: BUDGET,
    });
    if (!run.ok) return run.diagnostics.map((d) => d.message).join("; ");
    if (run.value.fault !== null)
      return `${run.value.fault.kind}: ${run.value.fault.message} (${run.value.fault.instruction})`;
    return this.device.read(this.output, outputBytes(k));
  }
}
