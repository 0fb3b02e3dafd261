/** `ptxlab asm`: a cubin from the text of `dis --asm`. */
import { assembleCubin } from "../assemble.js";
import { readCommandLine } from "./command-line.js";
import { oneCubinOf, printAll } from "./cubins.js";
import type { Host } from "./host.js";
import { bytesOf, save, UNUSABLE, UsageError } from "./usage.js";

/** Exit status 0, 1 when the text has mistakes, 2 when a file cannot be used. */
export function asm(args: readonly string[], host: Host): number {
  const { file: path, values } = readCommandLine("asm", args);
  const text = Buffer.from(bytesOf(path, host)).toString("latin1");
  if (text.includes("\0")) throw new UsageError(`'${path}' is not text; dis --asm makes the text of a cubin`);
  const like = values.like === undefined ? null : oneCubinOf(values.like, undefined, host);
  if (values.like !== undefined && like === null) return UNUSABLE;
  const cubin = assembleCubin(text, like?.bytes ?? null);
  if (cubin.ok) return save(values.output ?? "a.cubin", cubin.value, host);
  printAll(cubin.diagnostics, path, host);
  return 1;
}
