/** The real ptxas as a black box, with its answers kept in .cache/latency. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const root = resolve(__dirname, "../..");
export const cache = join(root, ".cache", "latency");
const ptxas = join(root, ".oracle", "bin", "ptxas");

/** `a` where there is one: it takes everything that the plain target takes. */
export function archOf(sm: number): string {
  return `sm_${sm}${sm >= 90 ? "a" : ""}`;
}

export interface Compiled {
  readonly cubin: Uint8Array | null;
  readonly stderr: string;
}

/** Milliseconds. */
const TIMEOUT = 40000;

/** Cubin of a PTX text; the same question is asked once. */
export function compile(ptx: string, arch: string, opt: number, more: readonly string[] = []): Compiled {
  const id = createHash("sha256")
    .update(`${[arch, opt, ...more].join(" ")}\n${ptx}`)
    .digest("hex")
    .slice(0, 24);
  const dir = join(cache, "cubin", arch);
  const out = join(dir, `${id}.cubin`);
  const err = join(dir, `${id}.txt`);
  if (existsSync(out)) return { cubin: new Uint8Array(readFileSync(out)), stderr: "" };
  if (existsSync(err)) return { cubin: null, stderr: readFileSync(err, "utf8") };
  mkdirSync(dir, { recursive: true });
  const input = join(dir, `${id}.ptx`);
  writeFileSync(input, ptx);
  const r = spawnSync(ptxas, [`-arch=${arch}`, `-O${opt}`, ...more, input, "-o", out], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    timeout: TIMEOUT,
  });
  rmSync(input);
  // A few texts keep ptxas busy for minutes and gigabytes: they teach nothing more than the others.
  if (r.signal) {
    writeFileSync(err, "timeout");
    return { cubin: null, stderr: "timeout" };
  }
  if (r.error) throw r.error;
  if (r.status === 0) return { cubin: new Uint8Array(readFileSync(out)), stderr: r.stderr };
  writeFileSync(err, r.stderr);
  return { cubin: null, stderr: r.stderr };
}

/** A module of kernels; those that ptxas refuses are left out. Null when none is left. */
export function compileKernels(
  head: string,
  kernels: readonly string[],
  arch: string,
  opt: number,
): { readonly cubin: Uint8Array | null; readonly taken: readonly number[]; readonly ptx: string } {
  let taken = kernels.map((_, i) => i);
  while (taken.length > 0) {
    let text = head;
    const starts: number[] = [];
    for (const i of taken) {
      starts.push(text.split("\n").length);
      text += kernels[i]!;
    }
    const { cubin, stderr } = compile(text, arch, opt);
    if (cubin) return { cubin, taken, ptx: text };
    if (stderr === "timeout") break;
    const bad = new Set<number>();
    for (const m of stderr.matchAll(/line (\d+); (?:error|fatal)/g)) {
      const line = Number(m[1]);
      let k = starts.length - 1;
      while (k >= 0 && starts[k]! > line) k--;
      if (k >= 0) bad.add(taken[k]!);
    }
    for (const m of stderr.matchAll(/(?:error|fatal)\s*:.*'(\w+)'/g)) {
      const k = taken.find((i) => kernels[i]!.includes(`.entry ${m[1]}(`));
      if (k !== undefined) bad.add(k);
    }
    if (bad.size === 0) {
      if (taken.length === 1) break;
      // Nothing is named: halves tell.
      const good = taken.flatMap((i) => (compileKernels(head, [kernels[i]!], arch, opt).cubin ? [i] : []));
      if (good.length === taken.length)
        throw new Error(`ptxas refuses kernels together that it takes alone: ${stderr}`);
      taken = good;
      continue;
    }
    taken = taken.filter((i) => !bad.has(i));
  }
  return { cubin: null, taken: [], ptx: "" };
}
