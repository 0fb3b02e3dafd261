/** The hazard checker over a whole cubin. */

import { branchTargets } from "./elf/cubin/branches.js";
import { relocationName } from "./elf/cubin/relocations.js";
import type { Cubin, CubinFunction } from "./elf/index.js";
import { type CodeToVerify, type Finding, verifyHazards } from "./hazard/index.js";
import { type Target, targetOfSm } from "./target/index.js";

export { type Finding, findingKinds, findingText, verifyHazards } from "./hazard/index.js";

/**
 * Hazards of every function of a cubin (`readCubin` gives it), ours, ptxas's or a library's, in the order of the file;
 * empty when it is safe. Null for an SM that is not a target.
 */
export function verifyCubin(cubin: Cubin): readonly Finding[] | null {
  const target: Target | null = targetOfSm(cubin.sm);
  return target === null ? null : cubin.functions.flatMap((f) => verifyHazards(codeToVerify(f), target));
}

/** What the checker is told of a function. */
export function codeToVerify(f: CubinFunction): CodeToVerify {
  return {
    name: f.name,
    words: f.words,
    entries: f.ranges.map((r) => r.offset).filter((offset) => offset > 0),
    targets: branchTargets(f),
    relocated: new Set(
      f.relocs.filter((r) => /_PC|_ABS|FUNC|CODE/.test(relocationName(r.type))).map((r) => r.offset & ~15),
    ),
  };
}
