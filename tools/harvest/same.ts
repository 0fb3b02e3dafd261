/**
 * Step `same`: which encodings print differently on two targets. Words of both (census, compiled code, mutations, random)
 * go to both; encodings that differ in text or acceptance need `fields` of their own, all others are as on the first.
 */
import { hash32 } from "../../lib/experiment/random.js";
import { Random } from "../../lib/sim/random.js";
import { censusWords, printedKeys } from "./census.js";
import type { Answer, Decoder } from "./decoder.js";
import type { Folder } from "./state.js";
import { always, distinct, FREE_BITS, flipped, keyName, keyOf, pick, randomWord, settled, type Word } from "./word.js";

export interface Sameness {
  readonly of: string;
  readonly words: number;
  /** Encodings that the second target decodes and that differ, or that only it has. */
  readonly replaced: readonly string[];
  /** Encodings that only the first has. */
  readonly absent: readonly string[];
}

/** Known words per key, and random and mutated ones. */
const KNOWN = 150;
const FRESH = 70;

export function findSame(a: Folder, b: Folder, decoders: readonly [Decoder, Decoder], seed: number): Sameness {
  const random = new Random(hash32(seed, 0x5a3e));
  const [ca, cb] = [a.census(), b.census()];
  const [ka, kb] = [new Set(printedKeys(ca)), new Set(printedKeys(cb))];
  const real = new Map<number, Word[]>();
  for (const f of [a, b])
    for (const w of [...f.words("words-O0.bin"), ...f.words("words-O3.bin")]) {
      const list = real.get(keyOf(w));
      if (list === undefined) real.set(keyOf(w), [w]);
      else if (list.length < 120) list.push(w);
    }
  const both = [...ka].filter((k) => kb.has(k)).sort((x, y) => x - y);
  const words = both.flatMap((k) => {
    const name = keyName(k);
    const known = distinct(
      [...censusWords(ca[name]), ...censusWords(cb[name]), ...(real.get(k) ?? [])].map((w) => settled(w, always())),
    ).slice(0, KNOWN);
    const fresh = Array.from({ length: FRESH }, () => randomWord(k, random));
    const mutated = Array.from({ length: FRESH }, () => flipped(pick(random, known), pick(random, FREE_BITS)));
    return [...known, ...fresh, ...mutated];
  });
  const [ta, tb] = decoders.map((d) => d.decode(words)) as [Answer[], Answer[]];
  const differ = new Set<number>();
  words.forEach((w, i) => {
    const [x, y] = [ta[i]!, tb[i]!];
    if (x.text === y.text) return;
    // The same text at another address.
    if (x.text !== null && y.text !== null && x.address !== y.address && numberless(x.text) === numberless(y.text))
      return;
    differ.add(keyOf(w));
  });
  const replaced = [...kb].filter((k) => differ.has(k) || !ka.has(k)).sort((x, y) => x - y);
  const absent = [...ka].filter((k) => !kb.has(k)).sort((x, y) => x - y);
  return { of: a.sm, words: words.length, replaced: replaced.map(keyName), absent: absent.map(keyName) };
}

const numberless = (text: string): string => text.replace(/-?0x[0-9a-f]+/g, "#");
