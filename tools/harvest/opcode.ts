/**
 * All words of one key: a tree of leaves. Where a leaf gets words wrong, it is split on the bit that best separates right
 * from wrong words; the base word's side keeps its fields, the other side gets a base word of its own.
 */
import { hash32 } from "../../lib/experiment/random.js";
import { Random } from "../../lib/sim/random.js";
import type { Answer } from "./decoder.js";
import { Leaf, type LeafOptions, type Sample } from "./leaf.js";
import { type Probe, together } from "./probe.js";
import {
  always,
  bitOf,
  CONTROL_BIT,
  distinct,
  FREE_BITS,
  flipped,
  holds,
  narrowed,
  pick,
  randomWord,
  sameBits,
  settled,
  shuffle,
  type Word,
} from "./word.js";

export interface OpcodeOptions extends LeafOptions {
  readonly seed: number;
  /** Leaves per key. */
  readonly leaves: number;
  /** Real words per key that are used as samples. */
  readonly real: number;
  /** Rounds of learning, testing and splitting. */
  readonly rounds: number;
}

export const defaultOptions: OpcodeOptions = { seed: 5, samples: 80, tests: 160, leaves: 40, real: 60, rounds: 14 };

/** Samples kept per key. */
const MOST_SAMPLES = 3000;

export interface Harvested {
  readonly key: number;
  readonly leaves: readonly Leaf[];
  /** Of how many random words are accepted. */
  readonly accepted: readonly [number, number];
}

/** `known`: words that were accepted before (census, compiled code). */
export function* harvestOpcode(
  key: number,
  known: { readonly census: readonly Word[]; readonly real: readonly Word[] },
  options: OpcodeOptions,
): Probe<Harvested> {
  const random = new Random(hash32(options.seed, key));
  const pool = new Pool();
  const accepted = yield* seed(key, known, random, options, pool);
  const leaf = (when = always()): Leaf =>
    new Leaf(key, when, pool.samples, new Random(hash32(options.seed, key, ++count)), options);
  let count = 0;
  const first = leaf();
  let jobs = [{ leaf: first, probe: first.learn() }];
  const done: Leaf[] = [];
  for (let round = 0; round < options.rounds && jobs.length > 0; round++) {
    yield* together(jobs.map((j) => j.probe));
    const last = round === options.rounds - 1;
    const next: typeof jobs = [];
    for (const { leaf: l } of jobs) {
      if (l.base === null) {
        done.push(l);
        continue;
      }
      for (const j of l.judged) pool.add(j.word, j.answer);
      let split = false;
      while (!last && !l.clean && count < options.leaves) {
        const bit = l.separator();
        if (bit === null) break;
        const own = bitOf(l.base.word, bit);
        const other = narrowed(l.when, bit, 1 - own);
        if (pool.samples.some((s) => holds(s.word, other))) {
          const sibling = leaf(other);
          next.push({ leaf: sibling, probe: sibling.learn() });
        }
        l.narrow(narrowed(l.when, bit, own), bit);
        split = true;
      }
      if (last) done.push(l);
      else if (!l.clean && !l.paired) next.push({ leaf: l, probe: l.refine() });
      else if (split) next.push({ leaf: l, probe: l.test() });
      else done.push(l);
    }
    jobs = next;
  }
  return { key, leaves: done, accepted };
}

/** Accepted words, each once. */
class Pool {
  readonly samples: Sample[] = [];
  private readonly seen = new Set<string>();

  add(word: Word, answer: Answer): void {
    const k = sameBits(word);
    if (answer.text === null || this.seen.has(k) || this.samples.length >= MOST_SAMPLES) return;
    this.seen.add(k);
    this.samples.push({ word, answer });
  }
}

const REGISTER_BITS = Array.from({ length: 16 }, (_, i) => i + 16);
const UPPER_BITS = FREE_BITS.filter((b) => b >= 68 && b < CONTROL_BIT);

/** Known words, random words and, where few of those are accepted, more of both and mutations. */
function* seed(
  key: number,
  known: { readonly census: readonly Word[]; readonly real: readonly Word[] },
  random: Random,
  options: OpcodeOptions,
  pool: Pool,
): Probe<readonly [number, number]> {
  const take = function* (words: readonly Word[]): Probe<number> {
    if (words.length === 0) return 0;
    const answers: readonly Answer[] = yield words;
    words.forEach((w, i) => {
      pool.add(w, answers[i]!);
    });
    return answers.reduce((n, a) => n + (a.text === null ? 0 : 1), 0);
  };
  const plain = (words: readonly Word[]): Word[] => distinct(words.map((w) => settled(w, always())));
  const fresh = Array.from({ length: 64 }, () => randomWord(key, random));
  const [, , good] = yield* together([
    take(shuffle(random, plain(known.real)).slice(0, options.real)),
    take(plain(known.census)),
    take(fresh),
  ]);
  if (good! >= 22) return [good!, 64];
  const sources = pool.samples.map((s) => s.word);
  const more = Array.from({ length: 700 }, () => randomWord(key, random));
  const mutated =
    sources.length === 0 ? [] : Array.from({ length: 700 }, () => mutation(pick(random, sources), random));
  const [n] = yield* together([take(more), take(mutated)]);
  return [good! + n!, 764];
}

function mutation(word: Word, random: Random): Word {
  const bits = Array.from({ length: pick(random, [1, 1, 2, 3]) }, () => pick(random, UPPER_BITS));
  return flipped(word, ...new Set(bits), ...REGISTER_BITS.filter(() => random.word() & 1));
}
