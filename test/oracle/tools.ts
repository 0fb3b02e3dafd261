/**
 * The real CUDA tools as black boxes (npm run oracle:setup). Without them the oracle tests are reported as skipped;
 * with PTXLAB_ORACLE=required a missing tool fails.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const bin = resolve(__dirname, "../../.oracle/bin");
export type Tool = "ptxas" | "nvcc" | "nvlink" | "nvdisasm" | "cuobjdump" | "fatbinary";

export const available: boolean = existsSync(join(bin, "ptxas")) && existsSync(join(bin, "nvdisasm"));
const required = process.env.PTXLAB_ORACLE === "required";

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a tool; never throws for its exit status. */
export function tool(name: Tool, args: readonly string[], options: { cwd?: string; input?: string } = {}): Ran {
  const r = spawnSync(join(bin, name), args, { encoding: "utf8", maxBuffer: 1 << 28, ...options });
  if (r.error) throw r.error;
  return { status: r.status, stdout: r.stdout, stderr: r.stderr };
}

/** A scratch folder for the duration of `body`. */
export function inScratch<T>(body: (dir: string) => T): T {
  const dir = mkdtempSync(join(tmpdir(), "ptxlab-"));
  try {
    return body(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** `describe` for tests that need the tools. */
export function describeOracle(name: string, body: () => void): void {
  if (available) describe(name, body);
  else if (required)
    describe(name, () => {
      test("the oracle tools are installed", () => {
        throw new Error("PTXLAB_ORACLE=required, but .oracle is missing: npm run oracle:setup");
      });
    });
  else describe.skip(name, body);
}
