/**
 * Kernels through ptxas, many in a file. It names the lines that it refuses: those kernels are taken out and the rest is
 * compiled again; kernels that it refuses without a line, or that end it, are found by halving and then taken out.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tool } from "../../test/oracle/tools.js";
import { type Kernel, kernelText } from "./kernels/index.js";

export interface Compiled {
  /** Path of the cubin of all kernels that were not refused, for the time of the callback. */
  readonly cubin: string;
  readonly kernels: readonly Kernel[];
}

/** Milliseconds for a run of ptxas; a second or two is usual. */
const LIMIT = 300_000;

/** What stands for the message of a kernel that ends the tool. */
export const ENDED = "the tool ends without a message";

export interface CompileOptions {
  /** `90a`. */
  readonly sm: string;
  readonly opt: "-O0" | "-O3";
  /** Line information around the tested lines. */
  readonly marked?: boolean;
  readonly compiled: (c: Compiled) => void;
  readonly refused: (k: Kernel, message: string) => void;
}

/** PTX of several kernels, and the line on which each begins. */
export function moduleText(kernels: readonly Kernel[], sm: string, marked = false): { text: string; starts: number[] } {
  let text = `.version 9.0\n.target sm_${sm}\n.address_size 64\n${marked ? '.file 1 "k.cu"\n' : ""}`;
  let line = text.split("\n").length;
  const starts: number[] = [];
  for (const k of kernels) {
    const t = kernelText(k, marked);
    starts.push(line);
    line += t.split("\n").length - 1;
    text += t;
  }
  return { text, starts };
}

/** Messages by kernel: those with a line, and those that name the kernel. */
export function refusals(stderr: string, kernels: readonly Kernel[], starts: readonly number[]): Map<number, string> {
  const out = new Map<number, string>();
  const add = (i: number, message: string): void => {
    if (i >= 0 && !out.has(i)) out.set(i, message);
  };
  const names = new Map(kernels.map((k, i) => [k.name, i]));
  for (const line of stderr.split("\n")) {
    const at = /line (\d+); (?:error|fatal)\s*: (.*)/.exec(line);
    if (at)
      add(
        starts.findLastIndex((s) => s <= Number(at[1])),
        at[2]!,
      );
    else if (/(?:error|fatal)\s*: /.test(line))
      for (const m of line.matchAll(/'(?:\w*?)(k\d+)'/g))
        add(names.get(m[1]!) ?? -1, line.replace(/^.*?(?:error|fatal)\s*: /, ""));
  }
  return out;
}

export function compileKernels(kernels: readonly Kernel[], options: CompileOptions): void {
  const dir = mkdtempSync(join(tmpdir(), "harvest-ptx-"));
  try {
    compilePart(kernels, options, dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function compilePart(kernels: readonly Kernel[], o: CompileOptions, dir: string): void {
  let left = kernels;
  while (left.length > 0) {
    const ran = ask(left, o, dir);
    if (ran.cubin !== null) {
      o.compiled({ cubin: ran.cubin, kernels: left });
      rmSync(ran.cubin);
      return;
    }
    if (ran.bad.size === 0) {
      const found = culprits(left, ran, o, dir);
      if (found.size === 0) {
        // Only together do they fail.
        const half = left.length >> 1;
        compilePart(left.slice(0, half), o, dir);
        compilePart(left.slice(half), o, dir);
        return;
      }
      for (const [k, message] of found) o.refused(k, message);
      left = left.filter((k) => !found.has(k));
      continue;
    }
    for (const [i, message] of ran.bad) o.refused(left[i]!, message);
    left = left.filter((_, i) => !ran.bad.has(i));
  }
}

interface Asked {
  /** Path; null where the tool refused. */
  readonly cubin: string | null;
  /** Messages by kernel. */
  readonly bad: ReadonlyMap<number, string>;
  readonly stderr: string;
}

function ask(kernels: readonly Kernel[], o: CompileOptions, dir: string): Asked {
  const ptx = join(dir, "k.ptx");
  const cubin = join(dir, "k.cubin");
  const { text, starts } = moduleText(kernels, o.sm, o.marked);
  writeFileSync(ptx, text);
  const line = o.marked ? ["-lineinfo"] : [];
  const ran = tool("ptxas", [...line, `-arch=sm_${o.sm}`, o.opt, ptx, "-o", cubin], { timeout: LIMIT });
  if (ran.status === 0 && existsSync(cubin)) return { cubin, bad: new Map(), stderr: "" };
  return { cubin: null, bad: refusals(ran.stderr, kernels, starts), stderr: ran.stderr };
}

/** Kernels that fail by themselves though no message names them. */
function culprits(kernels: readonly Kernel[], asked: Asked, o: CompileOptions, dir: string): Map<Kernel, string> {
  if (kernels.length === 1) return new Map([[kernels[0]!, asked.stderr.split("\n")[0] || ENDED]]);
  const half = kernels.length >> 1;
  const out = new Map<Kernel, string>();
  for (const part of [kernels.slice(0, half), kernels.slice(half)]) {
    const ran = ask(part, o, dir);
    // What a message names is taken out in the next round.
    if (ran.cubin !== null) rmSync(ran.cubin);
    else if (ran.bad.size === 0) for (const [k, message] of culprits(part, ran, o, dir)) out.set(k, message);
  }
  return out;
}

export const readBytes = (path: string): Uint8Array => Uint8Array.from(readFileSync(path));
