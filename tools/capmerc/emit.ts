/** Writes lib/elf/cubin/capmerc-table.ts from the lines that fit.ts found. */
import { readFileSync } from "node:fs";
import type { Unit } from "./evidence.js";
import type { Leaf } from "./leaf.js";
import { ownLines } from "./own-lines.js";

export const tablePath = "lib/elf/cubin/capmerc-table.ts";
/** Keys that stand in so many lines get a name. */
const OFTEN = 6;

const word = (q: Uint32Array, k: number): string =>
  [3, 2, 1, 0]
    .map((i) => q[k * 4 + i]!.toString(16).padStart(8, "0"))
    .join("")
    .replace(/^0+(?=.)/, "");

const keysOf = (l: Leaf): string[] =>
  Array.from({ length: l.shape.words }, (_, k) => `${word(l.value, k)}/${word(l.mask, k)}`);

const sequence = (l: Leaf): number[] => Array.from({ length: l.shape.words }, (_, k) => l.value[k * 4]! & 0xfff);

/** Keys with names and lines, as the table has them. */
export interface TableParts {
  readonly keys: string;
  readonly lines: string;
}

export function tableParts(found: readonly Leaf[], units: readonly Unit[]): TableParts {
  const leaves = [...ownLines(found), ...found];
  const alone = new Map<number, { stand: number; all: number }>();
  for (const u of units) {
    if (u.words.length > 1 || u.item.length === 4) continue;
    const opcode = u.words[0]![0]! & 0xfff;
    const seen = alone.get(opcode) ?? { stand: 0, all: 0 };
    seen.all += u.count;
    if (u.item === "1") seen.stand += u.count;
    alone.set(opcode, seen);
  }
  const often = new Map<string, number>();
  for (const l of leaves) if (l.shape.words > 1) for (const k of keysOf(l)) often.set(k, (often.get(k) ?? 0) + 1);
  const names = new Map([...often].filter(([, n]) => n >= OFTEN).map(([key], i) => [key, `@${i}`]));
  // Longer units first, and those that look at what follows before those that do not; else in the order of the tree.
  const order = leaves.map((l, i) => ({ l, i }));
  order.sort((a, b) => b.l.shape.words - a.l.shape.words || Number(follows(b.l)) - Number(follows(a.l)) || a.i - b.i);
  const lines = order.map(({ l }) => {
    const seen = sequence(l).map((op) => alone.get(op));
    const apart = l.own !== true && l.shape.words > 1 && seen.every((x) => x !== undefined);
    // Words that mostly stand for themselves are only seldom one instruction.
    const mostly = apart && seen.every((x) => x!.stand * 2 > x!.all);
    const marks = `${l.either || (apart && !mostly) ? "~" : ""}${mostly ? "|" : ""}${l.own ? "^" : ""}`;
    const keys = keysOf(l).map((k) => names.get(k) ?? k);
    const context = l.context === "L" ? ["low"] : follows(l) ? [`next=${l.context}`] : [];
    return [l.shape.mnemonic, ...keys, ...context, `${marks}${l.item}`, ...l.fields].join(" ");
  });
  return { keys: [...names].map(([key, name]) => `${name} ${key}`).join("\n"), lines: lines.join("\n") };
}

/** Lines of single words that nothing else decides about, as the table has them. */
export function linesOf(leaves: readonly Leaf[]): string[] {
  return leaves.map((l) =>
    [l.shape.mnemonic, ...keysOf(l), `${l.either ? "~" : ""}${l.own ? "^" : ""}${l.item}`, ...l.fields].join(" "),
  );
}

export function tableText(found: readonly Leaf[], units: readonly Unit[]): string {
  const { keys, lines } = tableParts(found, units);
  const head = readFileSync("tools/capmerc/head.txt", "utf8");
  const different = new Set(units.map((u) => u.words.map((w) => w.join()).join("+"))).size;
  const text = head.replace("{WORDS}", different.toLocaleString("en-US")).split("{KEYS}\n");
  return `${text[0]!}${keys}\n${text[1]!.replace("{LINES}", lines)}`;
}

const follows = (l: Leaf): boolean => l.context !== "-" && l.context !== "L";
