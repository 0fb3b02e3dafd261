/**
 * Batches of words through `nvdisasm --binary SMxx -raw`, a black box of which only what it prints is used. It reads a
 * whole file, names bad words on stderr, nearly always by address, and then prints no text at all. So everything is asked
 * at once; where that fails, the words named are taken out and the rest is asked again. Errors without an address are
 * pinned by sentinels (a word of no opcode behind each candidate ends its part of the error stream), a tool that ends
 * early by halving. Some opcodes are taken and print no line: lines are matched by address, never by order.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Ran, tool } from "../../test/oracle/tools.js";
import { keyOf, type Word, wordOf } from "./word.js";

export interface Answer {
  /** Null where the word is refused, or taken and printed as nothing. */
  readonly text: string | null;
  /** `printed`; `hidden` words are taken and printed as nothing; `unknown` ones have an opcode that the target lacks. */
  readonly state: "printed" | "hidden" | "refused" | "unknown";
  /** Byte address at which the word stood: texts of branches depend on it. */
  readonly address: number;
}

export interface Decoder {
  decode(words: readonly Word[]): Answer[];
}

const REFUSED: Answer = { text: null, state: "refused", address: 0 };
const UNKNOWN: Answer = { text: null, state: "unknown", address: 0 };
const HIDDEN: Answer = { text: null, state: "hidden", address: 0 };
const SENTINEL = wordOf(0x00007fff, 0, 0, 0x000fc000);
const AT = / at address 0x([0-9a-f]+)$/;
const ILLEGAL = "Illegal instruction found";

export interface DecoderFigures {
  words: number;
  runs: number;
  seconds: number;
  sentinelRuns: number;
  halvings: number;
}

export class Nvdisasm implements Decoder {
  readonly figures: DecoderFigures = { words: 0, runs: 0, seconds: 0, sentinelRuns: 0, halvings: 0 };
  private readonly sm: string;
  private readonly batch: number;
  /** Keys with words that end the tool: asked apart, so that they do not break the runs of the others. */
  private readonly fatal = new Set<number>();
  private readonly dir = mkdtempSync(join(tmpdir(), "harvest-"));

  /** `sm` as the tool names it: `90a`. */
  constructor(sm: string, batch = 40000) {
    this.sm = sm;
    this.batch = batch;
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
    if (!apart.includes(true) || !apart.includes(false)) return this.part(words);
    const safe = this.part(words.filter((_, i) => !apart[i])).values();
    const risky = this.part(words.filter((_, i) => apart[i])).values();
    return words.map((_, i) => (apart[i] ? risky : safe).next().value!);
  }

  private run(words: readonly Word[]): Ran {
    const data = new Uint32Array(4 * words.length);
    words.forEach((w, i) => {
      data.set(w, 4 * i);
    });
    const file = join(this.dir, "words.bin");
    writeFileSync(file, new Uint8Array(data.buffer));
    const start = performance.now();
    const ran = tool("nvdisasm", ["--binary", `SM${this.sm}`, "-raw", file]);
    this.figures.seconds += (performance.now() - start) / 1000;
    this.figures.runs++;
    return ran;
  }

  private part(words: readonly Word[]): Answer[] {
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

  /** Slow and sure: sentinels, then halves. */
  private pinned(words: readonly Word[]): Answer[] {
    this.figures.sentinelRuns++;
    const verdicts = betweenSentinels(this.run(words.flatMap((w) => [w, SENTINEL])).stderr, words.length);
    if (verdicts !== null) {
      const kept = words.map((_, i) => i).filter((i) => verdicts[i] === null);
      const answers = verdicts.map((v) => v ?? undefined);
      if (kept.length === 0) return answers.map((a) => a ?? REFUSED);
      const ran = this.run(kept.map((i) => words[i]!));
      if (ran.status === 0) return this.filled(ran.stdout, kept, answers);
    }
    // A single word that ends the tool: refused, as far as anyone can see.
    if (words.length === 1) {
      this.fatal.add(keyOf(words[0]!));
      return [REFUSED];
    }
    this.figures.halvings++;
    const half = words.length >> 1;
    return [...this.part(words.slice(0, half)), ...this.part(words.slice(half))];
  }
}

/** Bad words by index, or null where the stream has errors that belong to no address. */
function located(stderr: string, count: number): Map<number, Answer> | null {
  const bad = new Map<number, Answer>();
  let pending = false;
  for (const line of stderr.split("\n")) {
    if (line === "") continue;
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

/** Per candidate null (taken) or what it is; null where the stream is cut short. */
function betweenSentinels(stderr: string, count: number): (Answer | null)[] | null {
  const out: (Answer | null)[] = new Array(count).fill(null);
  let at = 0;
  let current: Answer | null = null;
  let own = false;
  for (const line of stderr.split("\n")) {
    if (line === "") continue;
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
  return at === count ? out : null;
}
