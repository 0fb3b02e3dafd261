/** `ptxlab elf`: sections, symbols, relocations and attributes of cubins. */
import { parseArgs } from "node:util";
import { describeCubin } from "../elf/index.js";
import { cubinsOf, printAll } from "./cubins.js";
import type { Host } from "./host.js";
import { oneFile, UNUSABLE } from "./usage.js";

/** Exit status 0, 2 when the input cannot be used. */
export function elf(args: readonly string[], host: Host): number {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { arch: { type: "string" }, contents: { type: "boolean" } },
  });
  const path = oneFile(positionals);
  const files = cubinsOf(path, values.arch, host);
  if (files === null) return UNUSABLE;
  files.forEach((file, i) => {
    const lines = describeCubin(file.bytes, { contents: values.contents ?? false });
    if (i > 0) host.out("\n");
    if (lines.ok) host.out(`${lines.value.join("\n")}\n`);
    else printAll(lines.diagnostics, path, host);
  });
  return 0;
}
