import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inScratch, tool } from "./tools";

/** The cubin that the real ptxas makes of a PTX text; throws its messages. */
export function ptxas(text: string, arch: string, level: number): Uint8Array {
  return inScratch((dir) => {
    const source = join(dir, "k.ptx");
    writeFileSync(source, text);
    const out = join(dir, "k.cubin");
    const made = tool("ptxas", [`-arch=${arch}`, `-O${level}`, "-o", out, source]);
    if (made.status !== 0) throw new Error(made.stderr);
    return new Uint8Array(readFileSync(out));
  });
}
