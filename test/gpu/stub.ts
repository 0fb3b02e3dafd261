/** A libcuda in Python in place of the driver (stub/sitecustomize.py), on which every kernel is the corpus's saxpy. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { corpus } from "../corpus/cases.js";

/** `describe` for tests that need Python; where Jupyter is required, so is Python. */
export function describePython(name: string, body: () => void): void {
  const required = process.env.PTXLAB_JUPYTER === "required";
  if (required || spawnSync("python3", ["--version"]).status === 0) describe(name, body);
  else describe.skip(name, body);
}

export const sha = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
export const saxpy: (typeof corpus)[number] = corpus.find((k) => k.name === "saxpy")!;

/** See sitecustomize.py. */
export interface StubPlan {
  readonly us?: number;
  readonly drift?: number;
  readonly missing?: boolean;
  /** By `sha` of the cubin. */
  readonly codes?: Readonly<Record<string, object>>;
  /** Whether `PTXLAB_STUB`.log gets a line for each process. */
  readonly log?: boolean;
}

/** What a Python process needs in its environment to find the stub; files go into the folder. */
export function stubEnvironment(folder: string, { log, ...plan }: StubPlan): Readonly<Record<string, string>> {
  const param = saxpy.launch.launches[0]!.params.findIndex((p) => "buffer" in p && p.buffer === "y");
  const y = Float32Array.from(saxpy.launch.expect.y!.values as number[]);
  const file = join(folder, `stub-${sha(Buffer.from(JSON.stringify(plan))).slice(0, 16)}.json`);
  const bytes = Buffer.from(y.buffer).toString("base64");
  writeFileSync(file, JSON.stringify({ us: 10, param, bytes, ...plan, ...(log && { log: `${file}.log` }) }));
  return { PYTHONPATH: resolve(__dirname, "stub"), PTXLAB_STUB: file, PYTHONDONTWRITEBYTECODE: "1" };
}
