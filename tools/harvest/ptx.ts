/**
 * Step `compile`: every one-instruction kernel through ptxas. Keeps the distinct words of the code (samples and check of
 * the classifier) and, per tested PTX line, the machine instructions that line information attributes to it, or the
 * refusal. Resumable by parts of the kernel list.
 */
import { readCubin } from "../../lib/elf/index.js";
import { unwrap } from "../../lib/result.js";
import { type CompileOptions, compileKernels, ENDED, readBytes } from "./compile.js";
import type { Decoder } from "./decoder.js";
import { mnemonicOf } from "./gates.js";
import { allKernels, type Kernel } from "./kernels/index.js";
import { progress } from "./progress.js";
import type { Folder } from "./state.js";
import { hexWord, sameBits, type Word, wordFromHex } from "./word.js";

export type Level = "O0" | "O3";

/** PTX under test, and machine instructions or the refusal. */
export type PtxRow = readonly [ptx: string, sass: string];

/** One line of ptx-O3.jsonl. */
interface PartResult {
  readonly part: number;
  /** Of which parts: kernels in each, and every how many-th kernel. */
  readonly of: string;
  readonly rows: readonly PtxRow[];
  /** Words that no earlier part had. */
  readonly words: readonly string[];
}

const PART = 1200;
export const REFUSED = "refused: ";

export interface CompileChoice {
  /** Every how many-th kernel. */
  readonly every: number;
  /** Part of the tested line, "" for all. */
  readonly only: string;
  /** How many kernels of each PTX instruction at most (in the order of the list: registers come first), 0 for all. */
  readonly each: number;
}

/** The kernels of a choice, in the order of the list. */
export function chosenKernels({ every, only, each }: CompileChoice): readonly Kernel[] {
  const list = allKernels().filter((k, i) => i % every === 0 && k.tested.includes(only));
  if (each === 0) return list;
  const had = new Map<string, number>();
  return list.filter((k) => {
    const name = mnemonicOf(k.tested);
    const n = (had.get(name) ?? 0) + 1;
    had.set(name, n);
    return n <= each;
  });
}

/**
 * `suspects`: names of kernels that ended ptxas on a target or level before; they are asked alone, as finding them again
 * is dear. The set grows.
 */
export function runCompile(
  folder: Folder,
  sm: string,
  level: Level,
  choice: CompileChoice,
  suspects: Set<string>,
  decoder: Decoder,
): void {
  const kernels = chosenKernels(choice);
  const texts = new TextOfWords(decoder);
  const file = `ptx-${level}.jsonl`;
  const of = `${PART} ${choice.every} ${choice.each} ${choice.only}`;
  const done = partsOf(folder, level, of);
  const seen = new Set(done.flatMap((p) => p.words.map((w) => sameBits(wordFromHex(w)))));
  const finished = new Set(done.map((p) => p.part));
  const parts = Math.ceil(kernels.length / PART);
  const bar = progress(`sm_${sm} -${level}, parts of ${PART} kernels`, parts, finished.size);
  for (let part = 0; part < parts; part++) {
    if (finished.has(part)) continue;
    const r = compilePart(kernels.slice(part * PART, (part + 1) * PART), sm, level, seen, suspects, texts);
    folder.append(file, JSON.stringify({ part, of, ...r }));
    bar.add();
  }
  bar.stop();
  collect(folder, level, of);
}

function compilePart(
  kernels: readonly Kernel[],
  sm: string,
  level: Level,
  seen: Set<string>,
  suspects: Set<string>,
  texts: TextOfWords,
): Omit<PartResult, "part" | "of"> {
  const rows: [string, string][] = [];
  const words: string[] = [];
  const options: CompileOptions = {
    sm,
    opt: `-${level}`,
    marked: true,
    refused: (k, message) => {
      if (message === ENDED) suspects.add(k.name);
      rows.push([testedText(k), REFUSED + message.replaceAll(k.name, "k")]);
    },
    compiled: (c) => {
      const codes = codeOf(c.cubin);
      for (const { words: code } of codes.values())
        for (const w of code) {
          const key = sameBits(w);
          if (seen.has(key)) continue;
          seen.add(key);
          words.push(hexWord(w));
        }
      const tested = c.kernels.map((k) => codes.get(k.name)?.tested ?? []);
      const said = texts.of(tested.flat()).values();
      c.kernels.forEach((k, i) => {
        const sass = tested[i]!.map(() => said.next().value!);
        rows.push([testedText(k), sass.length > 0 ? sass.join(" ; ") : "(none)"]);
      });
    },
  };
  const alone = kernels.filter((k) => suspects.has(k.name));
  for (const k of alone) compileKernels([k], options);
  compileKernels(
    kernels.filter((k) => !alone.includes(k)),
    options,
  );
  return { rows, words };
}

const testedText = (k: Kernel): string => k.tested.replaceAll("@N", "").replace(/\s+/g, " ").trim();

interface KernelCode {
  readonly words: readonly Word[];
  /** Those between the line marks 2 and 3. */
  readonly tested: readonly Word[];
}

/** Code of the kernels of a file, by name. */
function codeOf(cubin: string): Map<string, KernelCode> {
  const out = new Map<string, KernelCode>();
  for (const f of unwrap(readCubin(readBytes(cubin))).functions) {
    const words = Array.from({ length: f.words.length >> 2 }, (_, i) => f.words.slice(4 * i, 4 * i + 4) as Word);
    const marks = [...f.sourceLines].sort((a, b) => a.offset - b.offset);
    let next = 0;
    let line = 0;
    const tested = words.filter((_, i) => {
      while (next < marks.length && marks[next]!.offset <= 16 * i) line = marks[next++]!.line;
      return line === 2;
    });
    out.set(f.name, { words, tested });
  }
  return out;
}

/** Texts of words, each asked once: those of branches hold the address at which the word was asked. */
class TextOfWords {
  private readonly known = new Map<string, string>();

  constructor(private readonly decoder: Decoder) {}

  of(words: readonly Word[]): string[] {
    const keys = words.map(hexWord);
    const fresh = new Map(words.map((w, i) => [keys[i]!, w] as const).filter(([k]) => !this.known.has(k)));
    const answers = this.decoder.decode([...fresh.values()]).values();
    for (const k of fresh.keys()) {
      const { text, state } = answers.next().value!;
      this.known.set(k, text === null ? `(${state} ${k})` : text.replace(/\s+/g, " "));
    }
    return keys.map((k) => this.known.get(k)!);
  }
}

const partsOf = (folder: Folder, level: Level, of: string): PartResult[] =>
  folder
    .lines(`ptx-${level}.jsonl`)
    .map((l) => JSON.parse(l) as PartResult)
    .filter((p) => p.of === of);

/** Rows of a level in the order of the kernels but for refusals; null where its compilation has not come to its end. */
export function compiledRows(folder: Folder, level: Level): PtxRow[] | null {
  if (!folder.has(`words-${level}.bin`)) return null;
  const parts = folder.lines(`ptx-${level}.jsonl`).map((l) => JSON.parse(l) as PartResult);
  const of = parts.at(-1)!.of;
  return parts
    .filter((p) => p.of === of)
    .sort((a, b) => a.part - b.part)
    .flatMap((p) => p.rows);
}

/** The word file and the table of all finished parts. */
function collect(folder: Folder, level: Level, of: string): void {
  const parts = partsOf(folder, level, of);
  const words = parts.flatMap((p) => p.words.map(wordFromHex));
  folder.writeWords(`words-${level}.bin`, words);
  const rows = [...new Set(parts.flatMap((p) => p.rows.map((r) => r.join("\t"))))].sort();
  folder.write(`ptx-${level}.tsv`, `${rows.join("\n")}\n`);
  const refused = rows.filter((r) => r.includes(`\t${REFUSED}`)).length;
  console.log(`${folder.path} -${level}: ${words.length} distinct words, ${rows.length} PTX lines, ${refused} refused`);
}
