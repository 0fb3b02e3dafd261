/**
 * Step `compile`: every one-instruction kernel through ptxas. Keeps the distinct words of the code (samples and check of
 * the classifier) and, per tested PTX line, the machine instructions that line information attributes to it, or the
 * refusal. Resumable by parts of the kernel list.
 */
import { textSections } from "../../test/oracle/nvdisasm.js";
import { tool } from "../../test/oracle/tools.js";
import { type CompileOptions, compileKernels, ENDED } from "./compile.js";
import { allKernels, type Kernel } from "./kernels/index.js";
import { progress } from "./progress.js";
import type { Folder } from "./state.js";
import { hexWord, sameBits, type Word, wordFromHex } from "./word.js";

export type Level = "O0" | "O3";

/** One line of ptx-O3.jsonl. */
interface PartResult {
  readonly part: number;
  /** Of which parts: kernels in each, and every how many-th kernel. */
  readonly of: string;
  /** PTX under test, machine instructions or the refusal. */
  readonly rows: readonly (readonly [ptx: string, sass: string])[];
  /** Words that no earlier part had. */
  readonly words: readonly string[];
}

const PART = 1200;
export const REFUSED = "refused: ";

/**
 * `suspects`: names of kernels that ended ptxas on a target or level before; they are asked alone, as finding them again
 * is dear. The set grows.
 */
export function runCompile(
  folder: Folder,
  sm: string,
  level: Level,
  every: number,
  only: string,
  suspects: Set<string>,
): void {
  const kernels = allKernels().filter((k, i) => i % every === 0 && k.tested.includes(only));
  const file = `ptx-${level}.jsonl`;
  const of = `${PART} ${every} ${only}`;
  const done = partsOf(folder, level, of);
  const seen = new Set(done.flatMap((p) => p.words.map((w) => sameBits(wordFromHex(w)))));
  const finished = new Set(done.map((p) => p.part));
  const parts = Math.ceil(kernels.length / PART);
  const bar = progress(`sm_${sm} -${level}, parts of ${PART} kernels`, parts, finished.size);
  for (let part = 0; part < parts; part++) {
    if (finished.has(part)) continue;
    const r = compilePart(kernels.slice(part * PART, (part + 1) * PART), sm, level, seen, suspects);
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
      for (const [, data] of textSections(c.cubin))
        for (let i = 0; i < data.length; i += 4) {
          const w = data.subarray(i, i + 4) as Word;
          const key = sameBits(w);
          if (seen.has(key)) continue;
          seen.add(key);
          words.push(hexWord(w));
        }
      const by = testedInstructions(c.cubin);
      for (const k of c.kernels) rows.push([testedText(k), by.get(k.name)?.join(" ; ") ?? "(none)"]);
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

/** Instructions between the line marks 2 and 3, by kernel. */
function testedInstructions(cubin: string): Map<string, string[]> {
  const out = new Map<string, string[]>();
  let name = "";
  let line = 0;
  for (const text of tool("nvdisasm", ["-c", "-g", cubin]).stdout.split("\n")) {
    const section = /^\s*\.section\s+\.text\.(\w+)/.exec(text);
    if (section) {
      name = section[1]!;
      line = 0;
      continue;
    }
    const at = /^\s*\/\/## File ".*", line (\d+)/.exec(text);
    if (at) {
      line = Number(at[1]);
      continue;
    }
    const inst = line === 2 ? /^\s*\/\*[0-9a-f]+\*\/\s+(.*?)\s*;/.exec(text) : null;
    if (!inst) continue;
    const list = out.get(name);
    const t = inst[1]!.replace(/\s+/g, " ");
    if (list) list.push(t);
    else out.set(name, [t]);
  }
  return out;
}

const partsOf = (folder: Folder, level: Level, of: string): PartResult[] =>
  folder
    .lines(`ptx-${level}.jsonl`)
    .map((l) => JSON.parse(l) as PartResult)
    .filter((p) => p.of === of);

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
