/**
 * One leaf: all words of a key whose bits under a mask have a value. It chooses a base word, learns fields from it, tests
 * itself on random and mutated words, and can tell which bit best separates the words that it gets right from the others.
 */
import type { Random } from "../../lib/sim/random.js";
import type { Answer } from "./decoder.js";
import { learnDependent, pickValue, wordWith } from "./groups.js";
import { type Base, clusters, flipBits, learnField } from "./learn.js";
import { type Field, type Group, predict } from "./model.js";
import { type Probe, together } from "./probe.js";
import { agree, relative, type Tokens, talkative, tokens } from "./text.js";
import {
  bitOf,
  FREE_BITS,
  flipped,
  holds,
  pick,
  REUSE_BITS,
  randomWord,
  settled,
  shuffle,
  type When,
  type Word,
} from "./word.js";

/** A word with what the tool made of it. */
export interface Sample {
  readonly word: Word;
  readonly answer: Answer;
}

/** `mode`: differs from the base word in a bit that changes the shape of the text. */
export type Verdict = "right" | "wrong" | "unknown" | "mode";

interface Judged extends Sample {
  verdict: Verdict;
}

export interface LeafOptions {
  /** Samples from which a leaf starts. */
  readonly samples: number;
  /** Words of a test. */
  readonly tests: number;
}

export class Leaf {
  readonly key: number;
  when: When;
  /** Null until a base word is found. */
  base: Base | null = null;
  fields: Field[] = [];
  groups: Group[] = [];
  illegal: number[] = [];
  silent: number[] = [];
  modes = new Set<number>();
  judged: Judged[] = [];
  /** Dependent fields have been looked for. */
  paired = false;
  private samples: Sample[];
  private readonly random: Random;
  private readonly options: LeafOptions;

  constructor(key: number, when: When, samples: readonly Sample[], random: Random, options: LeafOptions) {
    this.key = key;
    this.when = when;
    this.random = random;
    this.options = options;
    const fit = samples.filter((s) => holds(s.word, when));
    this.samples = fit.length > options.samples ? shuffle(random, fit).slice(0, options.samples) : fit;
  }

  private get bits(): number[] {
    return FREE_BITS.filter((b) => !bitOf(this.when.mask, b));
  }

  /** Finds a base word and its fields, and tests them. */
  *learn(): Probe<void> {
    const base = yield* this.findBase();
    if (base === null) return;
    this.base = base;
    const flips = yield* flipBits(base, [...this.bits, ...REUSE_BITS]);
    const parts = clusters(flips, base.tokens);
    const used = new Set(parts.flat());
    this.fields = yield* together(parts.map((bits) => learnField(base, bits, flips.effects)));
    this.modes = new Set(flips.modes);
    this.silent = [...flips.silent];
    this.illegal = [...flips.illegal].filter((b) => !used.has(b));
    this.judged = this.samples.map((s) => ({ ...s, verdict: "unknown" }));
    yield* this.test();
  }

  /** The most talkative accepted word, by climbing from the samples. */
  private *findBase(): Probe<Base | null> {
    let word: Word | null = null;
    let score = Number.NEGATIVE_INFINITY;
    for (const s of this.samples) {
      if (s.answer.text === null) continue;
      const n = talkative(tokens(s.answer.text));
      if (n > score) [word, score] = [s.word, n];
    }
    if (word === null) return null;
    const plain = asker(() => false);
    for (let round = 0; round < 3; round++) {
      const flips: Word[] = this.bits.map((b) => flipped(word!, b));
      const texts = yield* plain(flips);
      const better: { word: Word; score: number; bit: number }[] = [];
      texts.forEach((t, i) => {
        const n = t === null ? score : talkative(t);
        if (n > score) better.push({ word: flips[i]!, score: n, bit: this.bits[i]! });
      });
      if (better.length === 0) break;
      better.sort((a, b) => b.score - a.score || b.bit - a.bit);
      // All improvements at once if that works, else the best of them.
      const both = flipped(word, ...better.map((x) => x.bit));
      const [t] = yield* plain([both]);
      const n = t ? talkative(t) : Number.NEGATIVE_INFINITY;
      if (n > better[0]!.score) [word, score] = [both, n];
      else [word, score] = [better[0]!.word, better[0]!.score];
    }
    word = settled(word, this.when);
    const twice: readonly Answer[] = yield [word, word];
    const text = twice[0]!.text;
    if (text === null) return null;
    // The text of the same word at another address tells whether it is relative.
    const isRelative = text !== twice[1]!.text;
    const first = tokens(text);
    return {
      word,
      tokens: isRelative ? relative(first, twice[0]!.address) : first,
      relative: isRelative,
      random: this.random,
      ask: asker(() => isRelative),
    };
  }

  /** Words with all bits random, with random field values, and samples with some fields changed. */
  *test(count: number = this.options.tests): Probe<void> {
    const base = this.base!;
    const { random, fields } = this;
    const words: Word[] = [];
    const anyField = (): Word =>
      wordWith(
        base,
        fields.map((f) => [f, pickValue(base, f)]),
      );
    const noise = (w: Word, bits: readonly number[]): Word =>
      flipped(w, ...bits.filter((b) => b < 105 && random.word() & 1));
    for (let i = 0; i < count >> 1; i++) words.push(settled(randomWord(this.key, random), this.when));
    for (let i = 0; i < count >> 2; i++) words.push(noise(anyField(), this.silent));
    const sources = this.samples.filter((s) => holds(s.word, this.when)).map((s) => s.word);
    if (sources.length === 0) sources.push(base.word);
    for (let i = 0; i < count >> 2; i++) {
      const some = shuffle(random, [...fields]).slice(0, 2);
      const from = { ...base, word: pick(random, sources) };
      words.push(
        settled(
          wordWith(
            from,
            some.map((f) => [f, pickValue(base, f)]),
          ),
          this.when,
        ),
      );
    }
    if (this.modes.size > 0)
      for (let i = 0; i < count >> 2; i++) words.push(settled(noise(anyField(), [...this.modes]), this.when));
    const answers: readonly Answer[] = yield words;
    words.forEach((word, i) => {
      this.judged.push({ word, answer: answers[i]!, verdict: "unknown" });
    });
    this.judge();
  }

  /** Looks for dependent fields, then tests again. */
  *refine(): Probe<void> {
    this.paired = true;
    const { fields, groups } = yield* learnDependent(this.base!, this.fields, this.groups);
    this.fields = fields;
    this.groups = groups;
    yield* this.test();
  }

  /** Gives every tested word of the leaf its verdict; those without text have none. */
  judge(): void {
    const base = this.base!;
    const model = { base: base.word, tokens: base.tokens, fields: this.fields, groups: this.groups };
    const modes = [...this.modes];
    this.judged = this.judged.filter((j) => j.answer.text !== null && holds(j.word, this.when));
    for (const j of this.judged) {
      if (modes.some((b) => bitOf(j.word, b) !== bitOf(base.word, b))) {
        j.verdict = "mode";
        continue;
      }
      const p = predict(model, j.word);
      j.verdict = p === null ? "unknown" : agree(p, shown(j.answer, base.relative)) ? "right" : "wrong";
    }
  }

  get clean(): boolean {
    return this.judged.every((j) => j.verdict === "right");
  }

  count(verdict: Verdict): number {
    return this.judged.reduce((n, j) => n + (j.verdict === verdict ? 1 : 0), 0);
  }

  /** The bit whose value best separates right from wrong words; null where none does. */
  separator(): number | null {
    const n = this.judged.length;
    const good = this.count("right");
    if (n === 0 || good === n) return null;
    const whole = disorder(good, n - good);
    let best: { bit: number; mode: boolean; gain: number } | null = null;
    for (const bit of this.bits) {
      // Words with the base word's value of the bit, and the others: right ones and wrong ones.
      const counts = [0, 0, 0, 0];
      const own = bitOf(this.base!.word, bit);
      for (const j of this.judged) counts[(bitOf(j.word, bit) === own ? 0 : 2) + (j.verdict === "right" ? 0 : 1)]!++;
      const [a, b, c, d] = counts as [number, number, number, number];
      if (c + d === 0) continue;
      const gain = whole - disorder(a, b) - disorder(c, d);
      if (d / (c + d) <= b / Math.max(1, a + b)) continue;
      const mode = this.modes.has(bit) && d > 0;
      if (best === null || Number(mode) - Number(best.mode) > 0 || (mode === best.mode && gain >= best.gain))
        best = { bit, mode, gain };
    }
    return best !== null && (best.mode || best.gain > 6 || good === 0) ? best.bit : null;
  }

  /** Keeps only words with the base word's value of a bit. */
  narrow(when: When, bit: number): void {
    this.when = when;
    this.modes.delete(bit);
    this.judge();
  }
}

const shown = (a: Answer, isRelative: boolean): Tokens => {
  const t = tokens(a.text!);
  return isRelative ? relative(t, a.address) : t;
};

function asker(isRelative: () => boolean): Base["ask"] {
  return function* (words) {
    if (words.length === 0) return [];
    const answers: readonly Answer[] = yield words;
    return answers.map((a) => (a.text === null ? null : shown(a, isRelative())));
  };
}

/** Entropy times the number of words, in nats. */
const disorder = (a: number, b: number): number =>
  a === 0 || b === 0 ? 0 : -(a * Math.log(a / (a + b)) + b * Math.log(b / (a + b)));
