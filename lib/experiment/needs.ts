/** What points need of the machine that runs them, and what a machine has. It decides where a point runs, never what comes of it. */
import { spawnSync } from "node:child_process";
import { availableParallelism, totalmem } from "node:os";

/** What a point needs of a machine; what is left out every machine has. */
export interface Needs {
  /** Cores of its own while it runs. Default 1. */
  readonly cores?: number;
  /** MiB of memory that the machine has in all. */
  readonly memory?: number;
  /** A GPU: any, or one whose name contains this text. */
  readonly gpu?: true | string;
}

/** What a machine has. */
export interface Machine {
  /** Cores that points may be given. */
  readonly cores: number;
  /** MiB. */
  readonly memory: number;
  /** Names of its GPUs. */
  readonly gpus: readonly string[];
}

/** Names of the GPUs by the driver's own tool; none where there is no such tool. */
function gpus(): readonly string[] {
  const { status, stdout } = spawnSync("nvidia-smi", ["--query-gpu=name", "--format=csv,noheader"], {
    encoding: "utf8",
    timeout: 10_000,
  });
  if (status !== 0) return [];
  return stdout
    .split("\n")
    .map((l) => l.trim())
    .filter((l) => l !== "");
}

/** This machine, with so many cores for points; GPUs are looked for where they are asked about. */
export function machineHere(cores: number = availableParallelism(), withGpus = true): Machine {
  return { cores, memory: Math.round(totalmem() / 2 ** 20), gpus: withGpus ? gpus() : [] };
}

/** Whether a GPU of this name is one that is needed. */
export const isGpu = (needed: true | string, name: string): boolean =>
  needed === true || name.toLowerCase().includes(needed.toLowerCase());

/** What a machine lacks, in words; empty where it has all. */
export function lacks({ cores = 1, memory = 0, gpu }: Needs, has: Machine): string {
  return needsText({
    ...(cores > has.cores && { cores }),
    ...(memory > has.memory && { memory }),
    ...(gpu !== undefined && !has.gpus.some((name) => isGpu(gpu, name)) && { gpu }),
  });
}

/** Needs in words. */
export function needsText({ cores = 1, memory = 0, gpu }: Needs): string {
  const parts = [cores > 1 ? `${cores} cores` : "", memory > 0 ? `${memory} MiB of memory` : ""];
  if (gpu !== undefined) parts.push(gpu === true ? "a GPU" : `a GPU named '${gpu}'`);
  return parts.filter((p) => p !== "").join(", ");
}

/** The same text for the same needs; empty where there are none. */
export function needsKey({ cores = 1, memory = 0, gpu }: Needs = {}): string {
  const parts = [cores > 1 ? `cores=${cores}` : "", memory > 0 ? `memory=${memory}` : ""];
  if (gpu !== undefined) parts.push(gpu === true ? "gpu" : `gpu=${encodeURIComponent(gpu.toLowerCase())}`);
  return parts.filter((p) => p !== "").join("&");
}

/** What is wrong with needs of parsed JSON; empty where nothing is. */
export function needsProblem(needs: unknown): string {
  if (needs === undefined) return "";
  const wanted = "wants an object of cores (from 1), memory (MiB, from 1), gpu (true or a part of its name)";
  if (typeof needs !== "object" || needs === null || Array.isArray(needs)) return wanted;
  for (const [name, value] of Object.entries(needs)) {
    const whole = Number.isInteger(value) && (value as number) > 0;
    const right = name === "gpu" ? value === true || (typeof value === "string" && value !== "") : whole;
    if (!["cores", "memory", "gpu"].includes(name) || !right) return `${name}: ${wanted}`;
  }
  return "";
}
