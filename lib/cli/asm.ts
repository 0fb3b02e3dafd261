/** `ptxlab asm`: a cubin from the text of `dis --asm`. */
import { parseArgs } from "node:util";
import { assembleCubin } from "../assemble.js";
import { printAll } from "./cubins.js";
import type { Host } from "./host.js";
import { bytesOf, oneFile, save } from "./usage.js";

/** Exit status 0, 1 when the text has mistakes, 2 when a file cannot be used. */
export function asm(args: readonly string[], host: Host): number {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { like: { type: "string" }, output: { type: "string", short: "o", default: "a.cubin" } },
  });
  const path = oneFile(positionals);
  const text = Buffer.from(bytesOf(path, host)).toString("latin1");
  const cubin = assembleCubin(text, values.like === undefined ? null : bytesOf(values.like, host));
  if (cubin.ok) return save(values.output, cubin.value, host);
  printAll(cubin.diagnostics, path, host);
  return 1;
}
