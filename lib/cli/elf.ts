/** `ptxlab elf`: sections, symbols, relocations and attributes of cubins. */
import { describeCubin } from "../elf/index.js";
import { readCommandLine } from "./command-line.js";
import { cubinsOf, printAll } from "./cubins.js";
import type { Host } from "./host.js";
import { UNUSABLE } from "./usage.js";

/** Exit status 0, 2 when the input cannot be used. */
export function elf(args: readonly string[], host: Host): number {
  const { file: path, values } = readCommandLine("elf", args);
  const files = cubinsOf(path, values.arch, host);
  if (files === null) return UNUSABLE;
  files.forEach((file, i) => {
    const lines = describeCubin(file.bytes, { contents: values.contents });
    if (i > 0) host.out("\n");
    if (lines.ok) host.out(`${lines.value.join("\n")}\n`);
    else printAll(lines.diagnostics, path, host);
  });
  return 0;
}
