/**
 * Census: which values of bits 0-11 and 91 a target decodes at all, with a few accepted words of each. Every key is tried
 * with several fillings of the other bits; keys that answered are tried further, and keys whose low nine bits answered
 * anywhere get many more random fillings, as some need rare combinations.
 */
import { hash32 } from "../../lib/experiment/random.js";
import { Random } from "../../lib/sim/random.js";
import type { Answer, Decoder } from "./decoder.js";
import {
  always,
  hexWord,
  keyName,
  keyNamed,
  pick,
  randomWord,
  setField,
  settled,
  type Word,
  wordFromHex,
} from "./word.js";

export interface CensusEntry {
  /** Base mnemonics, the most frequent first. */
  readonly names: readonly string[];
  /** Accepted words were printed as nothing. */
  readonly hidden: number;
  /** Printed words. */
  readonly words: readonly string[];
}

export type Census = Readonly<Record<string, CensusEntry>>;

interface Seen {
  readonly names: Map<string, number>;
  hidden: number;
  readonly words: Word[];
}

/** Words kept per key. */
const KEPT = 24;
const ALL_KEYS: readonly number[] = Array.from({ length: 0x2000 }, (_, k) => k);

/** Absent predicates and guard: PT. */
const PT: readonly (readonly [number, number, number])[] = [
  [12, 3, 7],
  [77, 3, 7],
  [81, 3, 7],
  [84, 3, 7],
  [87, 3, 7],
];
const PLAIN = [...PT, [16, 8, 1], [24, 8, 2], [32, 8, 3], [64, 8, 4]] as const;
const ABSENT = [...PT, [16, 16, 0xffff], [32, 8, 0xff], [64, 8, 0xff]] as const;

function filled(key: number, parts: readonly (readonly [number, number, number])[]): Word {
  const w = new Uint32Array(4);
  setField(w, range(0, 12), BigInt(key & 0xfff));
  for (const [lo, width, value] of parts) setField(w, range(lo, width), BigInt(value));
  setField(w, [91], BigInt(key >> 12));
  return settled(w, always());
}

function withKey(word: Word, key: number): Word {
  const w = word.slice();
  setField(w, range(0, 12), BigInt(key & 0xfff));
  setField(w, [91], BigInt(key >> 12));
  return w;
}

const range = (lo: number, n: number): number[] => Array.from({ length: n }, (_, i) => lo + i);

/** `@P0 IADD3.X R1, …` → `IADD3`. */
export const baseName = (text: string): string => text.replace(/^@!?U?P[0-9T] /, "").split(/[ .;]/)[0]!;

export function takeCensus(
  decoder: Decoder,
  options: { readonly seed: number; readonly also: readonly Word[] },
): Census {
  const seen = new Map<number, Seen>();
  const random = new Random(hash32(options.seed, 0xce45));
  const ask = (keys: readonly number[], fill: (key: number) => Word): void => {
    const words = keys.map(fill);
    decoder.decode(words).forEach((a, i) => {
      record(seen, keys[i]!, words[i]!, a);
    });
  };
  const anything = (key: number): Word => randomWord(key, random);
  ask(ALL_KEYS, (k) => filled(k, []));
  ask(ALL_KEYS, (k) => filled(k, PT));
  for (let i = 0; i < 2; i++) ask(ALL_KEYS, anything);
  const found = [...seen.keys()].sort((a, b) => a - b);
  ask(found, (k) => filled(k, PLAIN));
  ask(found, (k) => filled(k, ABSENT));
  for (let i = 0; i < 6; i++) ask(found, anything);
  // Rare ones: many fillings where another form of the operation is there, a few elsewhere.
  const low = new Set(found.map((k) => k & 0x1ff));
  for (const [rounds, related] of [
    [24, true],
    [4, false],
  ] as const) {
    const keys = ALL_KEYS.filter((k) => !seen.has(k) && low.has(k & 0x1ff) === related);
    ask(
      keys.flatMap((k) => new Array<number>(rounds).fill(k)),
      anything,
    );
  }
  // Rare forms take what other forms of the operation take.
  const words = new Map<number, Word[]>();
  for (const [k, s] of seen) words.set(k & 0x1ff, [...(words.get(k & 0x1ff) ?? []), ...s.words]);
  const rare = ALL_KEYS.filter((k) => !seen.has(k) && (words.get(k & 0x1ff)?.length ?? 0) > 0);
  ask(
    rare.flatMap((k) => new Array<number>(24).fill(k)),
    (k) => withKey(pick(random, words.get(k & 0x1ff)!), k),
  );
  // Words of compiled code show what random ones miss.
  ask(options.also.map(keyOfWord), eachOf(options.also));
  return Object.fromEntries(
    [...seen]
      .sort(([a], [b]) => a - b)
      .filter(([, s]) => s.words.length > 0 || s.hidden > 0)
      .map(([k, s]) => [
        keyName(k),
        {
          names: [...s.names].sort((a, b) => b[1] - a[1]).map(([n]) => n),
          hidden: s.hidden,
          words: s.words.map(hexWord),
        },
      ]),
  );
}

const keyOfWord = (w: Word): number => (w[0]! & 0xfff) | (((w[2]! >>> 27) & 1) << 12);

function eachOf(words: readonly Word[]): () => Word {
  let i = 0;
  return () => settled(words[i++]!, always());
}

function record(seen: Map<number, Seen>, key: number, word: Word, a: Answer): void {
  if (a.state === "unknown" || a.state === "unanswered") return;
  let s = seen.get(key);
  if (s === undefined) {
    s = { names: new Map(), hidden: 0, words: [] };
    seen.set(key, s);
  }
  if (a.state === "hidden") s.hidden++;
  if (a.text === null) return;
  const name = baseName(a.text);
  s.names.set(name, (s.names.get(name) ?? 0) + 1);
  if (s.words.length < KEPT) s.words.push(word);
}

/** Keys with a text, in order. */
export const printedKeys = (census: Census): number[] =>
  Object.entries(census)
    .filter(([, e]) => e.words.length > 0)
    .map(([k]) => keyNamed(k));

export const censusWords = (e: CensusEntry | undefined): Word[] => (e?.words ?? []).map(wordFromHex);

/** `MOV`, `A|B`, `(hidden)`. */
export const censusCell = (e: CensusEntry | undefined): string =>
  e === undefined ? "" : e.names.length > 0 ? e.names.join("|") : "(hidden)";
