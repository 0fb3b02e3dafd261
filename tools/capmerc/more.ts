/**
 * Lines for words that the committed table does not know yet, from the programs of test/programs: what ptxas's objects of them say,
 * and what nvlink makes of our own words. What stands decides as before: the new lines come last; where one refuses (`?`, or a
 * zero register that was not measured), a line for just the words that were seen comes before it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { committed } from "../../lib/elf/cubin/capmerc-lines.js";
import type { TargetName } from "../../lib/target/index.js";
import { setBit } from "./bits.js";
import { isLegal, saidOf } from "./doubt.js";
import { linesOf, tablePath } from "./emit.js";
import { readEvidence } from "./evidence.js";
import { fitAll } from "./fit.js";
import { gatherOwnPrograms, gatherPrograms } from "./gather.js";
import { type Leaf, lineKnows } from "./leaf.js";

const SMS = ["100", "103", "110", "120"];
const NEW = /^(own-)?programs-/;
const BITS = 105;

/** Is there a line for a word that stands alone? */
function isKnown(word: Uint32Array): boolean {
  return SMS.some((sm) => saidOf(word, `sm_${sm}` as TargetName, committed()) !== null);
}

/** Lines of the new evidence that say something of a word that has no line, and such words. */
function newLeaves(): { leaves: Leaf[]; missing: Uint32Array[] } {
  const units = readEvidence((name) => NEW.test(name)).filter((u) => u.words.length === 1);
  const missing = units.map((u) => u.words[0]!).filter((w) => !isKnown(w));
  const leaves = fitAll(units).filter(
    (l) => l.shape.words === 1 && l.context === "-" && l.item !== "?" && missing.some((w) => lineKnows(l, w)),
  );
  return { leaves, missing };
}

/** The line for words that differ from one in registers only. */
function narrowed(l: Leaf, word: Uint32Array): Leaf {
  const mask = l.mask.slice();
  for (let b = 0; b < BITS; b++)
    if (!l.shape.operands.some((o) => b >= o.from && b < o.from + o.length)) setBit(mask, b);
  return { ...l, mask, value: mask.map((m, k) => (word[k]! & m) >>> 0) };
}

/** Value and mask of a line for one word anywhere, in bits 104:0; null for other lines. */
function single(line: string): { value: bigint; mask: bigint } | null {
  const found = /^\S+ ([0-9a-f]+)\/([0-9a-f]+) (?!\S+\/|@|low|next)/.exec(line);
  return found === null ? null : { value: BigInt(`0x${found[1]}`), mask: BigInt(`0x${found[2]}`) };
}

const number = (w: Uint32Array): bigint => w.reduceRight((n, v) => (n << 32n) | BigInt(v), 0n);

export function addLines(): void {
  for (const sm of SMS) gatherPrograms(sm);
  const before = newLeaves().leaves;
  const own: Uint32Array[] = [];
  for (const sm of SMS) {
    const arch = `sm_${sm}` as TargetName;
    gatherOwnPrograms(arch, (w) => {
      if (isKnown(w) || !isLegal(w, arch)) return true;
      own.push(w);
      return before.some((l) => lineKnows(l, w));
    });
  }
  const { leaves, missing } = newLeaves();
  const text = readFileSync(tablePath, "utf8");
  const end = text.lastIndexOf("\n`;");
  const lines = text.slice(0, end).split("\n");
  const ahead = new Map<number, Set<string>>();
  for (const w of [...missing, ...own]) {
    const leaf = leaves.find((l) => lineKnows(l, w));
    const n = number(w);
    const at = lines.findIndex((line) => {
      const r = single(line);
      return r !== null && (n & r.mask) === r.value;
    });
    if (leaf === undefined || at < 0) continue;
    const [line] = linesOf([narrowed(leaf, w)]);
    ahead.set(at, (ahead.get(at) ?? new Set()).add(line!));
  }
  const all = lines.flatMap((line, i) => [...[...(ahead.get(i) ?? [])].sort(), line]);
  // Of equal lines the first decides.
  const known = new Set<string>();
  const kept = [...all, ...linesOf(leaves)].filter((l) => !/^\S+ \S+\/\S+ /.test(l) || (!known.has(l) && known.add(l)));
  writeFileSync(tablePath, `${kept.join("\n")}${text.slice(end)}`);
  console.log(`${tablePath}: ${kept.length - lines.length} lines more`);
}
