/** Registers that only texture instructions write and nothing reads: nvcc names one for each component of a texel, wanted or not. */
import type { Block as Body } from "../../ptx/ast.js";
import type { Context } from "../context.js";

/** How often each name stands in a body, and how often as a result of a texture instruction. */
interface Mentions {
  readonly all: ReadonlyMap<string, number>;
  readonly results: ReadonlyMap<string, number>;
}

const mentionsOf: WeakMap<Body, Mentions> = new WeakMap();

/** Counts all texts in a part of the tree. */
function tally(node: unknown, into: Map<string, number>): void {
  if (typeof node === "string") into.set(node, (into.get(node) ?? 0) + 1);
  else if (typeof node === "object" && node !== null) for (const x of Object.values(node)) tally(x, into);
}

function mentions(body: Body): Mentions {
  const known = mentionsOf.get(body);
  if (known !== undefined) return known;
  const [all, results] = [new Map<string, number>(), new Map<string, number>()];
  const walk = (b: Body): void => {
    for (const s of b.statements) {
      if (s.kind === "block") {
        walk(s);
        continue;
      }
      if (s.kind !== "instruction") continue;
      tally([s.guard, s.operands], all);
      if (s.opcode === "tex" || s.opcode === "tld4") tally(s.operands[0], results);
    }
  };
  walk(body);
  const made = { all, results };
  mentionsOf.set(body, made);
  return made;
}

/** Does nothing in the kernel read the register? False where that is not known. */
export function isUnread(c: Context, name: string): boolean {
  if (c.kernelBody === null || c.inside.length > 0) return false;
  const { all, results } = mentions(c.kernelBody);
  const count = results.get(name) ?? 0;
  return count > 0 && count === all.get(name);
}
