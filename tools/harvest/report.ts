/** Step `report`: data/summary.md, the figures of all targets that were harvested and what the harvest could not see. */
import type { Sameness } from "./same.js";
import type { Folder } from "./state.js";
import type { EntryHead, SmMap } from "./types.js";
import { keyName } from "./word.js";

/** What the step `compare` found. */
export interface CompareFigures {
  readonly encodings: number;
  readonly without: readonly string[];
  readonly words: number;
  readonly known: number;
}

export interface Harvest {
  readonly folder: Folder;
  readonly map: SmMap;
  /** Null where it has not been compared. */
  readonly compare: CompareFigures | null;
  /** Word → how the tool was silent about it. */
  readonly unanswered: ReadonlyMap<string, string>;
}

const HEAD = `# Harvest of encodings: figures, and what it could not see

Written by \`node tools/run-ts.cjs tools/harvest/index.ts report\` from the results of \`all\`, for the targets that stand in them;
the others are kept from earlier.
An encoding is a value of bits 0-11 and 91 (\`u\`: bit 91 is 1). Right / wrong / unknown / no entry: printed words against the text
that the map alone predicts; "compiled" are words of ptxas that the classifier did not see.

`;

const COLUMNS =
  "SM | encodings decoded (printing nothing) | map of | own encodings harvested (taken over) | entries | left out | random words | compiled words | unanswered words | line in lib/isa | values known to it";

/** `earlier`: the text of an earlier report, whose targets stay where they were not harvested again; `order` of all targets. */
export function reportText(harvests: readonly Harvest[], earlier: string, order: readonly string[]): string {
  const titles = COLUMNS.split(" | ");
  const rows = new Map<string, string>();
  for (const m of earlier.matchAll(/^\| (sm_\w+) .*$/gm)) {
    const cells = m[0].split("|").map((c) => c.trim());
    rows.set(m[1]!, cells.slice(1, -1).join(" | "));
  }
  const sections = new Map<string, string>();
  for (const text of earlier.split(/^(?=## )/m).slice(1)) sections.set(/^## (\S+)/.exec(text)![1]!, `${text.trim()}\n`);
  for (const h of harvests) {
    rows.set(h.map.sm, row(h).join(" | "));
    sections.set(h.map.sm, unseen(h));
  }
  const sms = order.filter((sm) => rows.has(sm));
  const table = [titles.join(" | "), titles.map(() => "---").join(" | "), ...sms.map((sm) => rows.get(sm)!)];
  return `${HEAD}${table.map((r) => `| ${r} |`).join("\n")}\n\n${sms.map((sm) => sections.get(sm)!).join("\n")}`;
}

const keyed = (e: EntryHead): string => keyName(Number.parseInt(e.opcode, 16) | (e.bit91 << 12));

function row({ folder, map, compare, unanswered }: Harvest): string[] {
  const census = Object.values(folder.census());
  const hidden = census.filter((e) => e.words.length === 0).length;
  const own = new Set(map.encodings.map(keyed)).size;
  const adopted = map.adopted ?? 0;
  const checked = (name: string): string => {
    const f = map.checked?.[name];
    if (f === undefined || f.right === 0) return "not asked";
    return `${f.right} / ${f.wrong} / ${f.unknown} / ${f["no entry"]}`;
  };
  return [
    map.sm,
    `${census.length} (${hidden})`,
    map.same_as ?? "its own",
    `${own - adopted} (${adopted})`,
    `${map.encodings.length}`,
    `${map.omitted.length}`,
    checked("random"),
    checked("compiler"),
    `${unanswered.size}`,
    compare === null ? "" : `${compare.encodings - compare.without.length} of ${compare.encodings}`,
    compare === null ? "" : `${compare.known} of ${compare.words}`,
  ];
}

/** What stays dark of a target, as a list. */
function unseen({ folder, map, compare, unanswered }: Harvest): string {
  const name = (e: EntryHead): string => `${keyed(e)} ${e.mnemonic ?? ""}`.trim();
  const unique = (names: readonly string[]): string => [...new Set(names)].sort().join(", ");
  const same = folder.has("same.json") ? folder.json<Sameness>("same.json") : null;
  const silent = new Map<string, Map<string, number>>();
  for (const [word, how] of unanswered) {
    const key = keyName(
      Number.parseInt(word.slice(-3), 16) | (Number.parseInt(word.slice(11, 12), 16) & 8 ? 0x1000 : 0),
    );
    const by = silent.get(key) ?? new Map<string, number>();
    silent.set(key, by.set(how, (by.get(how) ?? 0) + 1));
  }
  const lines: [string, string][] = [
    [
      "taken and printed as nothing",
      unique(Object.entries(folder.census()).flatMap(([k, e]) => (e.words.length === 0 ? [k] : []))),
    ],
    ["left out", unique(map.omitted.map((o) => `${name(o)}${o.why ? ` (${o.why})` : ""}`))],
    ["wrong on a tested word", unique(map.encodings.filter((e) => e.inexact).map(name))],
    ["not all values tried", unique(map.encodings.filter((e) => e.fields.some((f) => f.partial)).map(name))],
    [
      "words that end or keep the tool",
      unique([...silent].map(([k, by]) => `${k} (${[...by].map(([how, n]) => `${n} ${how}`).join(", ")})`)),
    ],
    ["of its own beside the base", same === null ? "" : same.replaced.join(", ")],
    ["of the base, absent here", same === null ? "" : same.absent.join(", ")],
    ["no line in lib/isa", unique([...(compare?.without ?? [])])],
  ];
  const kept = lines.filter(([, text]) => text !== "");
  const bits = map.encodings.reduce((n, e) => n + e.unprinted.length, 0);
  return `## ${map.sm}\n\n${[...kept, ["bits that no text shows, summed over the entries", `${bits}`] as const]
    .map(([what, text]) => `* ${what}: ${text}`)
    .join("\n")}\n`;
}
