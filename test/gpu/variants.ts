/**
 * The makers whose machine code is compared on a GPU, each a function from PTX to a cubin:
 *
 *     ptxlab-O0 … ptxlab-O3           our code
 *     ptxas-O0 … ptxas-O3             the real one's
 *     asm                             its -O3 code, disassembled to text and assembled to a new cubin
 *     keep new                        its -O3 code with our control words: in its own order, in an order of ours
 *     all others                      the same in orders of policies, with motion between blocks, shuffled
 *
 * For times there are also the orders that the search found under the timing model (orders-sm_90.json: moves on ptxas's own code,
 * which give the same order again).
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { assembleCubin, assemblyText } from "../../lib/assemble.js";
import { compile } from "../../lib/compile.js";
import { readCubin } from "../../lib/elf/index.js";
import { reorderCubin } from "../../lib/experiment/reorder.js";
import type { Move } from "../../lib/experiment/types.js";
import { reschedule } from "../../lib/reschedule.js";
import { type Result, unwrap } from "../../lib/result.js";
import type { TargetName } from "../../lib/target/index.js";
import { inScratch, tool } from "../oracle/tools.js";

/** PTX, and what the real ptxas makes of it at a level, asked once. */
export interface Source {
  readonly ptx: string;
  readonly target: TargetName;
  readonly ptxas: (level: number) => Uint8Array;
}

export function sourceOf(ptx: string, target: TargetName): Source {
  const known = new Map<number, Uint8Array>();
  const ptxas = (level: number): Uint8Array => {
    const cubin = known.get(level) ?? real(ptx, target, level);
    known.set(level, cubin);
    return cubin;
  };
  return { ptx, target, ptxas };
}

function real(ptx: string, target: TargetName, level: number): Uint8Array {
  return inScratch((dir) => {
    const [input, output] = [join(dir, "k.ptx"), join(dir, "k.cubin")];
    writeFileSync(input, ptx);
    const ran = tool("ptxas", [`-arch=${target}`, `-O${level}`, input, "-o", output]);
    if (ran.status !== 0) throw new Error(ran.stderr);
    return readFileSync(output);
  });
}

type Maker = (source: Source) => Uint8Array;

function ours(opt: number): Maker {
  return ({ ptx, target }) => {
    const made = compile(ptx, { target, opt });
    if (made.cubin === null) throw new Error(made.diagnostics.map((d) => d.message).join("; "));
    return made.cubin;
  };
}

/** From ptxas's -O3 cubin of the PTX. */
function from(change: (cubin: Uint8Array) => Result<Uint8Array>): Maker {
  return ({ ptxas }) => unwrap(change(ptxas(3)));
}

function ordered(order: "keep" | "new"): Maker {
  return from((cubin) => {
    const made = reschedule(cubin, { order, controls: "new" });
    return made.ok ? { ...made, value: made.value.bytes } : made;
  });
}

function moved(...moves: readonly Move[]): Maker {
  return from((cubin) => {
    const made = reorderCubin(cubin, moves);
    return made.ok ? { ...made, value: made.value.bytes } : made;
  });
}

const makers: Readonly<Record<string, Maker>> = {
  "ptxlab-O0": ours(0),
  "ptxlab-O1": ours(1),
  "ptxlab-O2": ours(2),
  "ptxlab-O3": ours(3),
  "ptxas-O0": ({ ptxas }) => ptxas(0),
  "ptxas-O1": ({ ptxas }) => ptxas(1),
  "ptxas-O2": ({ ptxas }) => ptxas(2),
  "ptxas-O3": ({ ptxas }) => ptxas(3),
  asm: from((cubin) => assembleCubin(assemblyText(unwrap(readCubin(cubin))))),
  keep: ordered("keep"),
  new: ordered("new"),
  balanced: moved({ policy: "balanced" }),
  "critical-path-backward": moved({ policy: "critical-path-backward" }),
  "hoist-loads": moved({ hoist: "loads" }, { policy: "post-schedule" }),
  "hoist-all": moved({ hoist: "all" }, { policy: "critical-path" }),
  "low-pressure": moved({ policy: "low-pressure" }),
  "shuffle-1": moved({ shuffle: 1, reach: 24, share: 1 }),
  "shuffle-2": moved({ shuffle: 2, reach: 8, share: 1 }),
};

const named = (...names: readonly string[]): Readonly<Record<string, Maker>> =>
  Object.fromEntries(names.map((n) => [n, makers[n]!]));

/** Those whose results are compared. */
export const variants: Readonly<Record<string, Maker>> = named(
  ...["ptxlab-O0", "ptxlab-O1", "ptxlab-O2", "ptxlab-O3", "ptxas-O0", "ptxas-O3", "asm", "keep", "new"],
);

/** Moves by kernel and name; null leaves the code as it is. */
export type Orders = Readonly<Record<string, Readonly<Record<string, readonly Move[] | null>>>>;

export const orders = (target: string): Orders =>
  JSON.parse(readFileSync(resolve(__dirname, `orders-${target}.json`), "utf8")) as Orders;

/** Those whose times are compared with the timing model's: all but the copy, and the orders of a kernel. */
export function timed(of: Orders[string] = {}): Readonly<Record<string, Maker>> {
  const { asm: _, ...rest } = makers;
  const found = Object.entries(of).filter((o): o is [string, readonly Move[]] => o[1] !== null);
  return { ...rest, ...Object.fromEntries(found.map(([name, moves]) => [name, moved(...moves)])) };
}
