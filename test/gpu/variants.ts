/**
 * The makers whose machine code is compared on a GPU, each a function from PTX to a cubin:
 *
 *     ptxlab-O0 ptxlab-O1 ptxlab-O2   our code
 *     ptxas-O0 ptxas-O3               the real one's
 *     asm                             its -O3 code, disassembled to text and assembled to a new cubin
 *     keep new                        its -O3 code with our control words: in its own order, in an order of ours
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assembleCubin, assemblyText } from "../../lib/assemble.js";
import { compile } from "../../lib/compile.js";
import { readCubin } from "../../lib/elf/index.js";
import { reschedule } from "../../lib/reschedule.js";
import { type Result, unwrap } from "../../lib/result.js";
import type { TargetName } from "../../lib/target/index.js";
import { inScratch, tool } from "../oracle/tools.js";

type Maker = (ptx: string, target: TargetName) => Uint8Array;

function ours(opt: number): Maker {
  return (ptx, target) => {
    const made = compile(ptx, { target, opt });
    if (made.cubin === null) throw new Error(made.diagnostics.map((d) => d.message).join("; "));
    return made.cubin;
  };
}

export function real(level: number): Maker {
  return (ptx, target) =>
    inScratch((dir) => {
      const [input, output] = [join(dir, "k.ptx"), join(dir, "k.cubin")];
      writeFileSync(input, ptx);
      const ran = tool("ptxas", [`-arch=${target}`, `-O${level}`, input, "-o", output]);
      if (ran.status !== 0) throw new Error(ran.stderr);
      return readFileSync(output);
    });
}

/** From ptxas's -O3 cubin of the PTX. */
function from(change: (cubin: Uint8Array) => Result<Uint8Array>): Maker {
  return (ptx, target) => unwrap(change(real(3)(ptx, target)));
}

function ordered(order: "keep" | "new"): Maker {
  return from((cubin) => {
    const made = reschedule(cubin, { order, controls: "new" });
    return made.ok ? { ...made, value: made.value.bytes } : made;
  });
}

export const variants: Readonly<Record<string, Maker>> = {
  "ptxlab-O0": ours(0),
  "ptxlab-O1": ours(1),
  "ptxlab-O2": ours(2),
  "ptxas-O0": real(0),
  "ptxas-O3": real(3),
  asm: from((cubin) => assembleCubin(assemblyText(unwrap(readCubin(cubin))))),
  keep: ordered("keep"),
  new: ordered("new"),
};
