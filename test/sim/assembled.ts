/** Kernels written as lines of code with their control columns, and what the timing model says of them. */
import { assembleCubin } from "../../lib/assemble.js";
import { type Estimate, type EstimateOptions, estimate } from "../../lib/timing/index.js";

/** A kernel of these lines; each has its control column. Labels may stand among them. */
export function code(...lines: string[]): Uint8Array {
  const text = [
    ".target sm_90",
    ".entry k",
    ".registers 32",
    ".code",
    "k:",
    ...lines,
    "B------ R- W- Y S05 EXIT ;",
    ".end",
  ];
  const made = assembleCubin(`${text.join("\n")}\n`);
  if (!made.ok) throw new Error(made.diagnostics.map((d) => d.message).join("\n"));
  return made.value;
}

export const nops = (n: number, stall: string): string[] =>
  Array.from({ length: n }, () => `B------ R- W- Y ${stall} NOP ;`);

export function estimated(cubin: Uint8Array, options: EstimateOptions = {}): Estimate {
  const made = estimate(cubin, options);
  if (!made.ok) throw new Error(made.diagnostics.map((d) => d.message).join("\n"));
  expect(made.value.run.fault).toBeNull();
  return made.value;
}
