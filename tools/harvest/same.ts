/**
 * Steps `same` and `adopt`: which encodings of a target a map that is already there predicts. Known words of the target
 * (census, compiled code), mutations of them and random ones are asked; an encoding of which one printed word comes out
 * otherwise, or of which a base word of the map is refused, needs `fields` of its own. `same` refers to the map of another target, `adopt` takes entries over from an
 * earlier map of the same one.
 */
import { hash32 } from "../../lib/experiment/random.js";
import { Random } from "../../lib/sim/random.js";
import { baseName, type Census, type CensusEntry, censusWords, printedKeys } from "./census.js";
import type { Decoder } from "./decoder.js";
import { type MapReader, predictText, printedTokens } from "./map.js";
import type { Folder } from "./state.js";
import { agree } from "./text.js";
import {
  always,
  distinct,
  FREE_BITS,
  flipped,
  hexWord,
  keyName,
  keyOf,
  pick,
  randomWord,
  settled,
  type Word,
  wordFromHex,
} from "./word.js";

export interface Sameness {
  readonly of: string;
  /** Words asked, and how many of them were printed. */
  readonly words: number;
  readonly printed: number;
  /** Encodings that the target decodes and that the map does not predict. */
  readonly replaced: readonly string[];
  /** Encodings of the map that the target does not decode. */
  readonly absent: readonly string[];
}

/** Known words per key, and random and mutated ones. */
const KNOWN = 80;
const FRESH = 40;

/** Encodings of the map that the census missed, by their own words: it is written again with them. */
function completeCensus(map: MapReader, folder: Folder, decoder: Decoder): Census {
  const census: Record<string, CensusEntry> = { ...folder.census() };
  const words = [...map.byKey].flatMap(([k, entries]) =>
    (census[keyName(k)]?.words.length ?? 0) > 0 ? [] : entries.map((e) => wordFromHex(e.map.base)),
  );
  if (words.length === 0) return census;
  decoder.decode(words).forEach(({ text }, i) => {
    if (text === null) return;
    const name = keyName(keyOf(words[i]!));
    const before = census[name] ?? { names: [], hidden: 0, words: [] };
    census[name] = {
      names: [...new Set([...before.names, baseName(text)])],
      hidden: before.hidden,
      words: [...before.words, hexWord(words[i]!)],
    };
  });
  folder.write("census.json", JSON.stringify(census));
  return census;
}

/** Compiled words that the check keeps for itself are not asked. */
export function findSame(of: string, map: MapReader, folder: Folder, decoder: Decoder, seed: number): Sameness {
  const random = new Random(hash32(seed, 0x5a3e));
  const census = completeCensus(map, folder, decoder);
  const here = new Set(printedKeys(census));
  const real = new Map<number, Word[]>();
  for (const w of folder.realWords().seed) {
    const list = real.get(keyOf(w));
    if (list === undefined) real.set(keyOf(w), [w]);
    else if (list.length < KNOWN) list.push(w);
  }
  const shared = [...here].filter((k) => map.byKey.has(k)).sort((x, y) => x - y);
  const words = shared.flatMap((k) => {
    const known = distinct(
      [...censusWords(census[keyName(k)]), ...(real.get(k) ?? [])].map((w) => settled(w, always())),
    ).slice(0, KNOWN);
    const fresh = Array.from({ length: FRESH }, () => randomWord(k, random));
    const mutated = Array.from({ length: FRESH }, () => flipped(pick(random, known), pick(random, FREE_BITS)));
    return [...known, ...fresh, ...mutated];
  });
  const differ = new Set<number>();
  let printed = 0;
  decoder.decode(words).forEach(({ text, address }, i) => {
    if (text === null) return;
    printed++;
    const w = words[i]!;
    const e = map.find(w);
    const said = e === null ? null : predictText(e, w);
    if (said === null || !agree(said, printedTokens(e!, text, address))) differ.add(keyOf(w));
  });
  // What the target refuses of the map's own words no text shows.
  const bases = shared.flatMap((k) => map.byKey.get(k)!.map((e) => wordFromHex(e.map.base)));
  decoder.decode(bases).forEach(({ text }, i) => {
    if (text === null) differ.add(keyOf(bases[i]!));
  });
  const replaced = [...here].filter((k) => differ.has(k) || !map.byKey.has(k)).sort((x, y) => x - y);
  const absent = [...map.byKey.keys()].filter((k) => !here.has(k)).sort((x, y) => x - y);
  return { of, words: words.length, printed, replaced: replaced.map(keyName), absent: absent.map(keyName) };
}
