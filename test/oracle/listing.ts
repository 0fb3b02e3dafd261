/** nvdisasm's listing of a whole cubin, taken apart: text per instruction and function, labels as byte offsets. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inScratch, type Ran, tool } from "./tools.js";

export interface RealListing {
  readonly ran: Ran;
  /** Section name without `.text.` → text of the instruction at 16·index, labels replaced by `0xOFFSET`. */
  readonly functions: ReadonlyMap<string, readonly string[]>;
}

export function nvdisasm(cubin: Uint8Array): RealListing {
  const ran = inScratch((dir) => {
    writeFileSync(join(dir, "k.cubin"), cubin);
    return tool("nvdisasm", ["k.cubin"], { cwd: dir });
  });
  const functions = new Map<string, string[]>();
  for (const section of ran.stdout.split(/^\/\/-+ \.text\./m).slice(1)) {
    const name = /^\S+/.exec(section)![0];
    const labels = new Map<string, number>();
    const texts: string[] = [];
    for (const line of section.split(/^\/\/-+ /m)[0]!.split("\n")) {
      const label = /^(\S+):\s*$/.exec(line);
      if (label) labels.set(label[1]!, texts.length * 16);
      const code = /^\s+\/\*([0-9a-f]{4,})\*\/\s+([^;]*?)\s*;/.exec(line);
      if (code) texts[Number.parseInt(code[1]!, 16) >> 4] = code[2]!.replace(/\s+/g, " ");
    }
    functions.set(
      name,
      texts.map((t) => withOffsets(t, labels)),
    );
  }
  return { ran, functions };
}

/** `` `(.L_x_3) `` → `` `(0x120) `` for labels of the function itself, also in the list of an indirect branch. */
export function withOffsets(text: string, labels: ReadonlyMap<string, number>): string {
  return text.replace(/(`\(|BRANCH_TARGETS |,)([.\w$]+)(?=[),"])/g, (all, before: string, name: string) => {
    const offset = labels.get(name);
    return offset === undefined ? all : `${before}0x${offset.toString(16)}`;
  });
}
