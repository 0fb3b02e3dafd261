/**
 * The fewest lines of a text on which a fault shows, found by random edits of texts that reach it (run by tools/faults/run.cjs, with the fault behind a
 * switch).
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseFunc } from "../../lib/ori/parse.js";
import { verify } from "../../lib/ori/verify.js";
import type { PhaseName } from "../../lib/phases/table.js";
import { random } from "../../test/corpus/random.js";
import { normalize, told } from "../../test/phases/texts.js";
import { edited } from "./edits.js";

export interface Asked {
  readonly fault: number;
  /** Folders of texts, NAME/*.ori. */
  readonly folders: readonly string[];
  /** Milliseconds of search. */
  readonly ms: number;
}

/** What is told of a fault; `text` null: no text shows it. */
export interface Found {
  readonly text: string | null;
  readonly phase: PhaseName;
  readonly after: string;
  readonly wrong: string;
  /** Texts that reach it. */
  readonly reaching: number;
  /** Edited texts that were tried. */
  readonly tries: number;
}

/** The switch: `on(n)` switches a fault on, −2 none; −1: none, and `reached` collects which ones are come by. */
export interface Switch {
  on(n: number): void;
  reached(): Set<number>;
}

interface Text {
  readonly phase: PhaseName;
  readonly lines: readonly string[];
  readonly reaches: ReadonlySet<number>;
}

let texts: readonly Text[] | null = null;

function read(folders: readonly string[], at: Switch): readonly Text[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((f) => f.endsWith(".ori"))
      .sort()
      .flatMap((f): Text[] => {
        const whole = readFileSync(join(folder, f), "utf8");
        const [before] = whole.split(/^; run .*$/m) as [string];
        const phase = /^; run (\S+)$/m.exec(whole)?.[1] as PhaseName | undefined;
        if (phase === undefined) return [];
        const lines = normalize(before.replace(/^;.*$/gm, "")).split("\n");
        at.on(-1);
        made(lines, phase);
        at.on(-2);
        return [{ phase, lines, reaches: at.reached() }];
      }),
  );
}

/** What a phase makes of it, with what it tells; null where it refuses or throws. */
function made(lines: readonly string[], phase: PhaseName): string | null {
  try {
    const { made: code, says } = told(lines.join("\n"), {}, phase);
    return `${code}\n${says.map((s) => `; says ${s}\n`).join("")}`;
  } catch {
    return null;
  }
}

function isValid(lines: readonly string[]): boolean {
  try {
    const parsed = parseFunc(lines.join("\n"));
    return parsed.ok && verify(parsed.value, parsed.value.milestone, { skipDefinedness: true }).length === 0;
  } catch {
    return false;
  }
}

export function answer({ fault, folders, ms }: Asked, at: Switch): Found {
  texts ??= read(folders, at);
  const with_ = (lines: readonly string[], phase: PhaseName, n: number): string | null => {
    at.on(n);
    try {
      return made(lines, phase);
    } finally {
      at.on(-2);
    }
  };
  const tells = (lines: readonly string[], phase: PhaseName): boolean => {
    if (!isValid(lines)) return false;
    const right = with_(lines, phase, -2);
    return right !== null && with_(lines, phase, fault) !== right;
  };
  const near = texts.filter((t) => t.reaches.has(fault)).sort((a, b) => a.lines.length - b.lines.length);
  const chance = random(fault + 1);
  const end = performance.now() + ms;
  let tries = 0;
  const none: Found = { text: null, phase: "NOP" as PhaseName, after: "", wrong: "", reaching: near.length, tries };
  if (near.length === 0) return none;
  let hit: { lines: readonly string[]; phase: PhaseName } | null = near.find((t) => tells(t.lines, t.phase)) ?? null;
  while (hit === null && performance.now() < end) {
    // Short texts more often.
    const t = near[Math.min(chance.below(near.length), chance.below(near.length))] as Text;
    let lines: string[] | null = [...t.lines];
    const [head = "", ...rest] = lines;
    lines = rest;
    for (let k = 1 + chance.below(3); k > 0 && lines !== null; k--) lines = edited(lines, chance.below) ?? lines;
    tries++;
    if (tells([head, ...lines], t.phase)) hit = { lines: [head, ...lines], phase: t.phase };
  }
  if (hit === null) return { ...none, tries };
  const { phase } = hit;
  const [head = "", ...rest] = hit.lines;
  const lines = fewest(rest, (l) => tells([head, ...l], phase));
  const all = [head, ...lines];
  return {
    text: `${all.map((l, k) => (k === 0 || /^b\d+/.test(l) ? l : `  ${l}`)).join("\n")}\n`,
    phase,
    after: with_(all, phase, -2) ?? "",
    wrong: with_(all, phase, fault) ?? "throws",
    reaching: near.length,
    tries,
  };
}

function fewest(all: readonly string[], tells: (lines: readonly string[]) => boolean): readonly string[] {
  let lines = all;
  for (let size = lines.length >> 1; size >= 1; size = size === 1 ? 0 : size >> 1)
    for (let again = true; again; ) {
      again = false;
      for (let k = lines.length - size; k >= 0; k -= size) {
        const fewer = [...lines.slice(0, k), ...lines.slice(k + size)];
        if (!tells(fewer)) continue;
        lines = fewer;
        again = true;
      }
    }
  return lines;
}
