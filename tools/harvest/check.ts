/**
 * The independent check: texts predicted from a map file alone, on words in which all bits but the opcode are random, and
 * on words of compiled code that the classifier did not use.
 */
import { hash32 } from "../../lib/experiment/random.js";
import { Random } from "../../lib/sim/random.js";
import type { Decoder } from "./decoder.js";
import { type MapReader, predictText, printedTokens } from "./map.js";
import { agree } from "./text.js";
import { hexWord, keyName, keyOf, randomWord, type Word } from "./word.js";

export interface CheckFigures {
  readonly right: number;
  readonly wrong: number;
  readonly unknown: number;
  readonly "no entry": number;
  readonly refused: number;
  /** Words that end the tool or keep it beyond its time. */
  readonly unanswered: number;
}

export interface CheckReport {
  readonly figures: CheckFigures;
  /** By key: how many were not right, and one of them. */
  readonly faults: Readonly<Record<string, { count: number; readonly example: string }>>;
  /** [right, wrong, unknown] by entry, named by opcode, bit 91 and condition. */
  readonly entries: ReadonlyMap<string, [number, number, number]>;
}

export const entryName = (e: { opcode: string; bit91: number; when?: { mask: string; value: string } }): string =>
  `${e.opcode} ${e.bit91} ${e.when?.mask ?? ""} ${e.when?.value ?? ""}`;

export function checkWords(decoder: Decoder, map: MapReader, words: readonly Word[]): CheckReport {
  const figures = { right: 0, wrong: 0, unknown: 0, "no entry": 0, refused: 0, unanswered: 0 };
  const faults: Record<string, { count: number; example: string }> = {};
  const entries = new Map<string, [number, number, number]>();
  const answers = decoder.decode(words);
  words.forEach((w, i) => {
    const { text, state, address } = answers[i]!;
    if (text === null) {
      figures[state === "unanswered" ? state : "refused"]++;
      return;
    }
    const e = map.find(w);
    const p = e === null ? null : predictText(e, w);
    const result =
      e === null ? "no entry" : p === null ? "unknown" : agree(p, printedTokens(e, text, address)) ? "right" : "wrong";
    figures[result]++;
    if (e !== null) {
      const name = entryName(e.map);
      const tally = entries.get(name) ?? [0, 0, 0];
      tally[result === "right" ? 0 : result === "wrong" ? 1 : 2]++;
      entries.set(name, tally);
    }
    if (result === "right") return;
    const name = keyName(keyOf(w));
    faults[name] ??= { count: 0, example: `${result} ${hexWord(w)} ${text} | ${p?.join(" ") ?? ""}` };
    faults[name].count++;
  });
  return { figures, faults, entries };
}

/** `count` words per key, every bit random but the opcode and the control word. */
export function randomWords(keys: readonly number[], count: number, seed: number): Word[] {
  const random = new Random(hash32(seed, 0xc4ec));
  return keys.flatMap((k) => Array.from({ length: count }, () => randomWord(k, random)));
}
