/** EIATTR_INDIRECT_BRANCH_TARGETS: for each branch its offset, 0, the number of targets, the targets (measured on ptxas 13.0.88, names from wiki pages 59 and 71). */
import { infoWords } from "./info.js";
import type { CubinFunction } from "./types.js";

/** Byte offset of each indirect branch → byte offsets of its targets. */
export function branchTargets(f: CubinFunction): Map<number, number[]> {
  const targets = new Map<number, number[]>();
  for (const record of f.info) {
    if (record.name !== "INDIRECT_BRANCH_TARGETS") continue;
    const words = infoWords(record);
    for (let i = 0; i + 2 < words.length; i += 3 + words[i + 2]!) {
      targets.set(words[i]!, words.slice(i + 3, i + 3 + words[i + 2]!));
    }
  }
  return targets;
}
