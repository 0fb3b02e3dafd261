/**
 * Batches of words through `nvdisasm --binary SMxx -raw`, a black box of which only what it prints is used. It reads a
 * whole file, names bad words on stderr, nearly always by address, and then prints no text at all. So everything is asked
 * at once; where that fails, the words named are taken out and the rest is asked again. Errors without an address are
 * pinned by sentinels: a word of no opcode after each candidate ends its part of the error stream. A word that ends the
 * tool, or that keeps it beyond a time limit, is the one after the last sentinel named: it is kept as unanswered and the
 * rest asked again. Where the stream tells nothing, halving finds the word. Some opcodes are taken and print no line: lines
 * are matched by address, never by order.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Ran, tool } from "../../test/oracle/tools.js";
import { hexWord, keyOf, type Word, wordFromHex, wordOf } from "./word.js";

export interface Answer {
  /** Null where the word is refused, or taken and printed as nothing. */
  readonly text: string | null;
  /**
   * `printed`; `hidden` words are taken and printed as nothing; `unknown` ones have an opcode that the target lacks;
   * `unanswered` ones end the tool or keep it beyond the limit.
   */
  readonly state: "printed" | "hidden" | "refused" | "unknown" | "unanswered";
  /** Byte address at which the word stood: texts of branches depend on it. */
  readonly address: number;
}

export interface Decoder {
  decode(words: readonly Word[]): Answer[];
}

const REFUSED: Answer = { text: null, state: "refused", address: 0 };
const UNKNOWN: Answer = { text: null, state: "unknown", address: 0 };
const UNANSWERED: Answer = { text: null, state: "unanswered", address: 0 };
const HIDDEN: Answer = { text: null, state: "hidden", address: 0 };
const SENTINEL = wordOf(0x00007fff, 0, 0, 0x000fc000);
const AT = / at address 0x([0-9a-f]+)$/;
/** The tool gives up at this line; the address in it is not the word's. */
const FATAL = /^\S+ fatal\s*:/;
const ILLEGAL = "Illegal instruction found";

export interface DecoderFigures {
  words: number;
  runs: number;
  seconds: number;
  sentinelRuns: number;
  halvings: number;
}

/**
 * How the tool answers no question about a word: it ends, or it is still at it at the limit; `beside` words were not asked
 * by themselves, as too many around them end it.
 */
export type Silence = "ended" | "late" | "beside";

/**
 * Words of a key that are pinned one by one; after these each takes the rest of its chunk with it; chunks grow with
 * their number, so that a table of thousands of such values does not take thousands of runs.
 */
const PINNED = 24;
const CHUNK = 64;
const LARGEST_CHUNK = 2048;

export interface NvdisasmOptions {
  /** Words of one run. */
  readonly batch?: number;
  /** Words that an earlier run got no answer for, as `hexWord` writes them. */
  readonly unanswered?: Iterable<string>;
  /** Each word that gets no answer, once. */
  readonly silent?: (word: string, how: Silence) => void;
  /** Runs the tool on a file; a status of null where it had to be killed after `limit` milliseconds. */
  readonly ask?: (sm: string, file: string, limit: number) => Ran;
}

/** Milliseconds for a run: far above what a busy machine needs (a start takes half a second, 10,000 words a second). */
const LIMIT = 60_000;
const LIMIT_PER_WORD = 3;

const askTool = (sm: string, file: string, limit: number): Ran =>
  tool("nvdisasm", ["--binary", `SM${sm}`, "-raw", file], { timeout: limit });

export class Nvdisasm implements Decoder {
  readonly figures: DecoderFigures = { words: 0, runs: 0, seconds: 0, sentinelRuns: 0, halvings: 0 };
  private readonly sm: string;
  private readonly options: NvdisasmOptions;
  private readonly batch: number;
  private readonly unanswered: Set<string>;
  /** Keys with words that end the tool: how many; they are asked apart, so that they do not break the runs of the others. */
  private readonly fatal = new Map<number, number>();
  private readonly dir = mkdtempSync(join(tmpdir(), "harvest-"));

  /** `sm` as the tool names it: `90a`. */
  constructor(sm: string, options: NvdisasmOptions = {}) {
    this.sm = sm;
    this.options = options;
    this.batch = options.batch ?? 40000;
    this.unanswered = new Set(options.unanswered);
    for (const w of this.unanswered) this.count(wordFromHex(w));
  }

  close(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }

  decode(words: readonly Word[]): Answer[] {
    const out: Answer[] = [];
    this.figures.words += words.length;
    for (let i = 0; i < words.length; i += this.batch)
      for (const a of this.safely(words.slice(i, i + this.batch))) out.push(a);
    return out;
  }

  private safely(words: readonly Word[]): Answer[] {
    // The set grows while parts are asked: the split is made once.
    const apart = words.map((w) => this.fatal.has(keyOf(w)));
    if (!apart.includes(true)) return this.part(words);
    const safe = this.part(words.filter((_, i) => !apart[i])).values();
    const known = words.map((w, i) => apart[i]! && this.unanswered.has(hexWord(w)));
    const risky = this.part(words.filter((_, i) => apart[i] && !known[i])).values();
    return words.map((_, i) => (known[i] ? UNANSWERED : (apart[i] ? risky : safe).next().value!));
  }

  private run(words: readonly Word[]): Ran {
    const data = new Uint32Array(4 * words.length);
    words.forEach((w, i) => {
      data.set(w, 4 * i);
    });
    const file = join(this.dir, "words.bin");
    writeFileSync(file, new Uint8Array(data.buffer));
    const start = performance.now();
    const ran = (this.options.ask ?? askTool)(this.sm, file, LIMIT + LIMIT_PER_WORD * words.length);
    this.figures.seconds += (performance.now() - start) / 1000;
    this.figures.runs++;
    return ran;
  }

  private part(words: readonly Word[]): Answer[] {
    if (words.length === 0) return [];
    const answers: (Answer | undefined)[] = new Array(words.length);
    let kept = words.map((_, i) => i);
    for (let round = 0; round < 3; round++) {
      const ran = this.run(kept.map((i) => words[i]!));
      if (ran.status === 0) return this.filled(ran.stdout, kept, answers);
      const bad = located(ran.stderr, kept.length);
      if (bad === null) break;
      for (const [j, a] of bad) answers[kept[j]!] = a;
      kept = kept.filter((_, j) => !bad.has(j));
      if (kept.length === 0) return answers.map((a) => a ?? REFUSED);
    }
    return this.pinned(words);
  }

  private filled(stdout: string, kept: readonly number[], answers: (Answer | undefined)[]): Answer[] {
    const line = /^\s*\/\*([0-9a-f]+)\*\/\s+(.*?)\s*;?\s*$/gm;
    for (let m = line.exec(stdout); m !== null; m = line.exec(stdout)) {
      const address = Number.parseInt(m[1]!, 16);
      const i = kept[address >> 4];
      if (i !== undefined) answers[i] = { text: m[2]!, state: "printed", address };
    }
    for (let i = 0; i < answers.length; i++) answers[i] ??= HIDDEN;
    return answers as Answer[];
  }

  /** Slow and sure: sentinels name each word, up to one that stops the tool; that one is left out and the rest asked again. */
  private pinned(words: readonly Word[]): Answer[] {
    const answers: (Answer | undefined)[] = new Array(words.length);
    for (let from = 0; from < words.length; ) {
      this.figures.sentinelRuns++;
      const before = this.fatal.get(keyOf(words[from]!)) ?? 0;
      const many = before > PINNED;
      const chunk = Math.min(CHUNK + before, LARGEST_CHUNK);
      const rest = words.slice(from, many ? from + chunk : words.length);
      const ran = this.run(rest.flatMap((w) => [w, SENTINEL]));
      const verdicts = betweenSentinels(ran.stderr, rest.length);
      if (verdicts === null) return this.halved(words);
      for (const v of verdicts) answers[from++] = v ?? undefined;
      if (verdicts.length === rest.length) continue;
      const word = words[from]!;
      // A slow machine is no fault of the word: it must keep the tool on its own too.
      if (ran.status === null && rest.length > 1 && this.run([word]).status !== null) return this.halved(words);
      const known = this.fatal.has(keyOf(word));
      answers[from++] = this.silent(word, ran.status === null ? "late" : "ended");
      // The first of its key: from here on such words are asked apart.
      if (!known) for (const a of this.safely(words.slice(from))) answers[from++] = a;
      else if (many) for (const w of rest.slice(verdicts.length + 1)) answers[from++] = this.silent(w, "beside");
    }
    const kept = words.map((_, i) => i).filter((i) => answers[i] === undefined);
    if (kept.length === 0) return answers as Answer[];
    const ran = this.run(kept.map((i) => words[i]!));
    return ran.status === 0 ? this.filled(ran.stdout, kept, answers) : this.halved(words);
  }

  private halved(words: readonly Word[]): Answer[] {
    if (words.length === 1) return [this.silent(words[0]!, this.run(words).status === null ? "late" : "ended")];
    this.figures.halvings++;
    const half = words.length >> 1;
    return [...this.part(words.slice(0, half)), ...this.part(words.slice(half))];
  }

  private count(word: Word): void {
    this.fatal.set(keyOf(word), (this.fatal.get(keyOf(word)) ?? 0) + 1);
  }

  private silent(word: Word, how: Silence): Answer {
    const hex = hexWord(word);
    if (!this.unanswered.has(hex)) {
      this.count(word);
      this.unanswered.add(hex);
      this.options.silent?.(hex, how);
    }
    return UNANSWERED;
  }
}

/** Bad words by index, or null where the stream has errors that belong to no address. */
function located(stderr: string, count: number): Map<number, Answer> | null {
  const bad = new Map<number, Answer>();
  let pending = false;
  for (const line of stderr.split("\n")) {
    if (line === "") continue;
    if (FATAL.test(line)) return null;
    const m = AT.exec(line);
    if (m) {
      const i = Number.parseInt(m[1]!, 16) >> 4;
      if (i >= count) return null;
      if (!bad.has(i) || line.includes("Unrecognized")) bad.set(i, line.includes("Unrecognized") ? UNKNOWN : REFUSED);
      pending = true;
    } else if (line.includes(ILLEGAL) && pending) pending = false;
    else return null;
  }
  return bad.size > 0 ? bad : null;
}

/**
 * Per candidate null (taken) or what it is, as far as the stream goes: fewer than asked where the tool was stopped by the
 * next one. Null where the stream is out of step.
 */
function betweenSentinels(stderr: string, count: number): (Answer | null)[] | null {
  const out: (Answer | null)[] = new Array(count).fill(null);
  let at = 0;
  let current: Answer | null = null;
  let own = false;
  for (const line of stderr.split("\n")) {
    if (line === "") continue;
    if (FATAL.test(line)) break;
    const m = AT.exec(line);
    if (m) {
      const address = Number.parseInt(m[1]!, 16) >> 4;
      if (address >> 1 !== at) return null;
      if (address & 1) {
        out[at++] = current;
        current = null;
        own = true;
      } else if (current !== UNKNOWN) current = line.includes("Unrecognized") ? UNKNOWN : REFUSED;
    } else if (line.includes(ILLEGAL) && own) own = false;
    else current ??= REFUSED;
  }
  return out.slice(0, at);
}
