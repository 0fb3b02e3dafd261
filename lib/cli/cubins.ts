/** What commands on cubins share: reading the cubins of a file, and telling what is wrong with it. */
import { type Diagnostic, renderDiagnostic } from "../diagnostics.js";
import { type CubinFile, readCubins } from "../elf/index.js";
import type { Host } from "./host.js";
import { bytesOf, UsageError } from "./usage.js";

/** Diagnostics on stderr, one per line. */
export function printAll(diagnostics: readonly Diagnostic[], file: string, host: Host): void {
  for (const d of diagnostics) {
    const line = d.span === null ? `ptxlab ${file}; ${d.severity}: ${d.message}` : renderDiagnostic(d, file);
    host.err(`${line.replace(/^ptxas/, "ptxlab")}\n`);
  }
}

/** The cubins of a file (a fat binary may hold several), those of one target when it is named; null after an error. */
export function cubinsOf(path: string, arch: string | undefined, host: Host): readonly CubinFile[] | null {
  const files = readCubins(bytesOf(path, host));
  if (!files.ok) {
    printAll(files.diagnostics, path, host);
    return null;
  }
  if (arch === undefined) return files.value;
  // A cubin does not say that it was made for a family: those of sm_100f are as those of sm_100.
  const found = files.value.filter((f) => f.cubin.target === arch.replace(/f$/, ""));
  if (found.length > 0) return found;
  throw new UsageError(`no cubin for ${arch} in '${path}': ${files.value.map((f) => f.cubin.target).join(", ")}`);
}

/** The cubin of a file; null after an error. `choose`: what the user can do where there are several. */
export function oneCubinOf(path: string, arch: string | undefined, host: Host, choose = ""): CubinFile | null {
  const files = cubinsOf(path, arch, host);
  if (files === null || files.length === 1) return files?.[0] ?? null;
  throw new UsageError(`'${path}' holds several cubins (${files.map((f) => f.cubin.target).join(", ")})${choose}`);
}
