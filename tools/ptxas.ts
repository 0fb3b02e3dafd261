/** The real ptxas (npm run oracle:setup) as tools ask it: a cubin of a text. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TargetName } from "../lib/target/index.js";

export const ptxasPath: string = join(__dirname, "../.oracle/bin/ptxas");

/** ptxas's cubin of a module; null where it refuses. Throws where there is no ptxas. */
export function ptxasCubin(text: string, target: TargetName, level = 3): Uint8Array | null {
  const dir = mkdtempSync(join(tmpdir(), "ptxlab-"));
  try {
    const [source, out] = [join(dir, "k.ptx"), join(dir, "k.cubin")];
    writeFileSync(source, text);
    const ran = spawnSync(ptxasPath, [`-arch=${target}`, `-O${level}`, source, "-o", out]);
    if (ran.error !== undefined) throw ran.error;
    return ran.status === 0 ? new Uint8Array(readFileSync(out)) : null;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Numbered bodies → the cubin that holds each, as many as compile together in one; bodies that do not compile have none. */
export function cubinsOf<T extends { readonly k: number }>(
  list: readonly T[],
  moduleOf: (part: readonly T[]) => string,
  make: (text: string) => Uint8Array | null,
): Map<number, Uint8Array> {
  const found = new Map<number, Uint8Array>();
  const cubin = make(moduleOf(list));
  if (cubin !== null) for (const { k } of list) found.set(k, cubin);
  else if (list.length > 1) {
    const half = list.length >> 1;
    for (const part of [list.slice(0, half), list.slice(half)])
      for (const [k, c] of cubinsOf(part, moduleOf, make)) found.set(k, c);
  }
  return found;
}
