/**
 * Figures of decoder, printer, parser and encoder:
 *
 *     node tools/run-ts.cjs tools/sass-figures.ts [SM …] [--cccl] [--asm] [--keep DIR]
 *
 * What ptxas -O0 … -O3 makes of the corpus, and with --cccl of CCCL's sort, scan and reduce, for each SM (default: all): how
 * many instructions decode to nvdisasm's text, encode to the same words, and come back as the same text from the words that
 * their text is assembled to. Distinct words are asked once; every instruction counts. --asm instead: of how many cubins `asm(dis(x))`,
 * without --like, has the same code, and is the same file where the text holds all of it. --keep names a folder where the cubins
 * stay (default: a temporary one).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assembleCubin, assemblyText } from "../lib/assemble.js";
import { type Cubin, readCubin } from "../lib/elf/index.js";
import { parseInst } from "../lib/isa/parse.js";
import { renderInst } from "../lib/isa/text.js";
import { unwrap } from "../lib/result.js";
import { decodeInst } from "../lib/sass/decode.js";
import { encodeInst } from "../lib/sass/encode.js";
import { type Target, type TargetName, target } from "../lib/target/index.js";
import { disassembleWords, textSections } from "../test/oracle/nvdisasm.js";
import { readArguments, smsOf } from "./arguments.js";
import { ccclCubins, corpusCubins, type Made } from "./sass/cubins.js";

const levels = [0, 1, 2, 3];

interface Sample {
  /** Distinct words; the place of a word is its index. */
  readonly words: Uint32Array;
  /** How often each stands in the code. */
  readonly counts: readonly number[];
}

function sampleOf(cubins: readonly Made[]): Sample {
  const seen = new Map<string, number>();
  const all: number[] = [];
  const counts: number[] = [];
  for (const { path } of cubins)
    for (const words of textSections(path).values())
      for (let at = 0; at + 3 < words.length; at += 4) {
        const key = `${words[at]},${words[at + 1]},${words[at + 2]},${words[at + 3]}`;
        const known = seen.get(key);
        if (known !== undefined) counts[known]!++;
        else {
          seen.set(key, counts.length);
          counts.push(1);
          for (let k = 0; k < 4; k++) all.push(words[at + k]!);
        }
      }
  return { words: Uint32Array.from(all), counts };
}

const questions = ["decode to nvdisasm's text", "encode to the same words", "text → words → text"] as const;

function judge(what: string, sm: number, cubins: readonly Made[]): boolean {
  const t = target(`sm_${sm}` as TargetName);
  const { words, counts } = sampleOf(cubins);
  const theirs = disassembleWords(sm, words);
  const right = [0, 0, 0];
  const wrong = new Map<string, string>();
  let all = 0;
  counts.forEach((n, i) => {
    all += n;
    oneWord(t, words, i, theirs[i]!).forEach((complaint, q) => {
      if (complaint === "") right[q]! += n;
      else wrong.set(`${questions[q]}: ${complaint.split(" ").slice(0, 2).join(" ")}`, complaint);
    });
  });
  const figures = questions.map((q, i) => `${q} ${right[i] === all ? "100 %" : ((100 * right[i]!) / all).toFixed(4)}`);
  console.log(`sm_${sm} ${what}: ${all} instructions (${counts.length} distinct): ${figures.join(", ")}`);
  for (const complaint of [...wrong.values()].slice(0, 10)) console.log(`    ${complaint}`);
  return wrong.size === 0;
}

/** What is wrong with a word, by question; "" when nothing. */
function oneWord(t: Target, words: Uint32Array, i: number, theirs: string | null): readonly string[] {
  const inst = decodeInst(words, 4 * i, t, 16 * i);
  if (inst === null) return questions.map(() => `unknown: ${theirs}`);
  const ours = renderInst(inst, { isa: t.isa });
  const again = new Uint32Array(4);
  encodeInst(inst, t, again, 0, 16 * i);
  const same = again.every((w, k) => w === words[4 * i + k]);
  const texts = [ours === theirs ? "" : `${theirs} | ${ours}`, same ? "" : `${ours} | other words`];
  const parsed = parseInst(ours, { isa: t.isa });
  if (!parsed.ok) return [...texts, `${ours} | ${parsed.message}`];
  encodeInst({ ...parsed.inst, control: inst.control }, t, again, 0, 16 * i);
  const back = decodeInst(again, 0, t, 16 * i);
  const text = back === null ? "nothing" : renderInst(back, { isa: t.isa });
  return [...texts, text === ours ? "" : `${ours} | ${text}`];
}

function assembled(what: string, sm: number, cubins: readonly Made[]): boolean {
  let [code, whole, file] = [0, 0, 0];
  const wrong: string[] = [];
  for (const { name, bytes } of cubins) {
    const original = unwrap(readCubin(bytes));
    const text = assemblyText(original);
    const made = assembleCubin(text);
    const again = made.ok ? readCubin(made.value) : made;
    const complaint = again.ok ? "" : (again.diagnostics[0]?.message ?? "");
    if (again.ok && codeOf(again.value) === codeOf(original)) code++;
    else wrong.push(`${name}: ${complaint || "other code"}`);
    if (!/^\.container/m.test(text)) continue;
    whole++;
    if (made.ok && Buffer.from(made.value).equals(bytes)) file++;
  }
  console.log(
    `sm_${sm} ${what}: asm(dis(x)) has the same .text bytes for ${code} of ${cubins.length} cubins; of ${whole} written with their container ${file} are the same file`,
  );
  for (const w of wrong.slice(0, 10)) console.log(`    ${w}`);
  return code === cubins.length && file === whole;
}

const codeOf = (cubin: Cubin): string => cubin.functions.map((f) => `${f.name} ${f.words.join()}`).join("\n");

const { values: options, positionals } = readArguments({
  asm: { type: "boolean", default: false },
  cccl: { type: "boolean", default: false },
  keep: { type: "string" },
});
const { keep } = options;
const dir = keep ?? mkdtempSync(join(tmpdir(), "ptxlab-"));
try {
  for (const sm of smsOf(positionals)) {
    const figure = options.asm ? assembled : judge;
    let good = figure("corpus", sm, corpusCubins(sm, levels, dir));
    if (options.cccl) good = figure("CCCL", sm, ccclCubins(sm, levels, dir)) && good;
    if (!good) process.exitCode = 1;
  }
} finally {
  if (keep === undefined) rmSync(dir, { recursive: true, force: true });
}
