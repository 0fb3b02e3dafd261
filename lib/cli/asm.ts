/** `ptxlab asm`: a cubin from the text of `dis --asm`. */
import { assembleCubin } from "../assemble.js";
import { readCommandLine } from "./command-line.js";
import { printAll } from "./cubins.js";
import type { Host } from "./host.js";
import { bytesOf, save } from "./usage.js";

/** Exit status 0, 1 when the text has mistakes, 2 when a file cannot be used. */
export function asm(args: readonly string[], host: Host): number {
  const { file: path, values } = readCommandLine("asm", args);
  const text = Buffer.from(bytesOf(path, host)).toString("latin1");
  const cubin = assembleCubin(text, values.like === undefined ? null : bytesOf(values.like, host));
  if (cubin.ok) return save(values.output ?? "a.cubin", cubin.value, host);
  printAll(cubin.diagnostics, path, host);
  return 1;
}
