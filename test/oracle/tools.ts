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
  /** Null where it was killed: by a signal, or because its time was up. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly input?: string;
  /** Milliseconds, after which it is killed; as long as it takes where none are given. */
  readonly timeout?: number;
}

/** Runs a tool; never throws for its exit status. */
export function tool(name: Tool, args: readonly string[], options: RunOptions = {}): Ran {
  return program(join(bin, name), args, options);
}

/** Runs any program; what it printed until it was killed is kept. */
export function program(path: string, args: readonly string[], options: RunOptions = {}): Ran {
  const r = spawnSync(path, args, { encoding: "utf8", maxBuffer: 1 << 28, killSignal: "SIGKILL", ...options });
  if (r.error && (r.error as NodeJS.ErrnoException).code !== "ETIMEDOUT") throw r.error;
  return { status: r.error ? null : r.status, stdout: r.stdout, stderr: r.stderr };
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
