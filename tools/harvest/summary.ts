/** What a finished map does not know: for whoever relies on it. */
import type { Folder } from "./state.js";
import type { EntryMap, SmMap } from "./types.js";

const nameOf = (e: { opcode: string; bit91: number; mnemonic?: string }): string =>
  `${e.opcode.slice(2)}${e.bit91 ? "u" : ""} ${e.mnemonic ?? ""}`.trim();

const list = (names: Iterable<string>): string => [...new Set(names)].join(", ") || "none";

export function summaryOf(folder: Folder, map: SmMap): string[] {
  const census = folder.has("census.json") ? Object.entries(folder.census()) : [];
  const met = map.encodings.filter((e) => e.defaults?.seen !== undefined);
  const out = [
    `${map.sm}: ${map.encodings.length} entries${map.same_as ? ` beside those of ${map.same_as}` : ""}`,
    `  accepted and printed as nothing, so unknown: ${list(census.filter(([, c]) => c.words.length === 0).map(([k]) => k))}`,
    `  omitted: ${list(map.omitted.map((o) => `${nameOf(o)}${o.why ? ` (${o.why})` : ""}`))}`,
    `  wrong on a tested word: ${list(map.encodings.filter((e) => e.inexact).map(nameOf))}`,
    `  fields of which not all values were tried: ${list(map.encodings.filter(partial).map(nameOf))}`,
    `  floats of unknown format: ${list(map.encodings.filter((e) => e.fields.some((f) => f.format === null)).map(nameOf))}`,
    `  met in compiled code: ${met.length} entries, ${met.filter((e) => e.defaults?.varies).length} with unprinted bits that vary`,
    `  unprinted bits inferred: ${inferred(map, "siblings")} entries from siblings, ${inferred(map, "zero")} all 0`,
  ];
  for (const [name, f] of Object.entries(map.checked ?? {}))
    out.push(
      `  check ${name}: ${Object.entries(f)
        .map(([k, n]) => `${n} ${k}`)
        .join(", ")}`,
    );
  return out;
}

const partial = (e: EntryMap): boolean => e.fields.some((f) => f.partial === true);
const inferred = (map: SmMap, how: "siblings" | "zero"): number =>
  map.encodings.filter((e) => e.defaults?.inferred === how).length;
