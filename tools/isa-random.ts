/**
 * The instruction table against nvdisasm on words in which the opcode (bits 11:0 and 91) is fixed and every other bit is
 * random, control word and guard included: is the word taken or refused by both, is the text the same, do the words come
 * back from the instruction and from its text. Differences are grouped by opcode and rule.
 *
 *     node tools/run-ts.cjs tools/isa-random.ts [SM…] [--opcodes 210,c10u] [--count 300] [--seed N] [--census CSV] [--special]
 *                                               [--examples N] [--json FILE]
 *
 * With --special, places of operands often hold the value that stands for none (RZ, PT), which other rows may claim.
 * Opcodes are those of the table and, with a census (columns opcode_hex, bit91, sm_NN), those that the target decodes.
 * Needs the real tools (npm run oracle:setup). The random control word is refused by the tool in about a third of the
 * cases, whatever the instruction.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { setBits } from "../lib/isa/bits.js";
import { tableFor } from "../lib/isa/compiled.js";
import type { MachineInst } from "../lib/isa/operand.js";
import { parseInst } from "../lib/isa/parse.js";
import { renderInst } from "../lib/isa/text.js";
import { decodeInst } from "../lib/sass/decode.js";
import { encodeInst } from "../lib/sass/encode.js";
import { type TargetName, target } from "../lib/target/index.js";
import { askWords, nop } from "../test/oracle/nvdisasm.js";
import { numberOf, readArguments, smsOf } from "./arguments.js";
import { explainSplit } from "./isa-split.js";

const { values: options, positionals } = readArguments({
  opcodes: { type: "string" },
  count: { type: "string", default: "300" },
  seed: { type: "string", default: "1" },
  census: { type: "string" },
  special: { type: "boolean", default: false },
  examples: { type: "string", default: "1" },
  json: { type: "string" },
});
const sms = smsOf(positionals);
const [count, seed, examples] = [numberOf(options.count), numberOf(options.seed), numberOf(options.examples)];
const { census, json, special } = options;

const nameOf = (opcode: number): string => (opcode & 0xfff).toString(16).padStart(3, "0") + (opcode >> 12 ? "u" : "");
const codeOf = (name: string): number => Number.parseInt(name, 16) | (name.endsWith("u") ? 0x1000 : 0);

/** sfc32: unlike xorshift32's, 128 bits in a row are not linear in 32. */
function randomBits(seed: number): () => number {
  let [a, b, c, d] = [seed, 0x9e3779b9, 0x243f6a88, 1];
  const next = (): number => {
    const t = (a! + b! + d!) | 0;
    d = (d! + 1) | 0;
    a = b! ^ (b! >>> 9);
    b = (c! + (c! << 3)) | 0;
    c = (((c! << 21) | (c! >>> 11)) + t) | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 12; i++) next();
  return next;
}

/** Some of the places where operands lie get the value that stands for none: the bits of `r` say which. */
function absent(words: Uint32Array, at: number, r: number): void {
  for (const [k, lo] of [16, 24, 32, 64].entries()) if (((r >>> (2 * k)) & 3) === 0) setBits(words, at, lo, 8, 255);
  if (((r >>> 8) & 7) === 0) setBits(words, at, 40, 24, 0);
  for (const [k, lo] of [12, 68, 77, 81, 84, 87].entries())
    if (((r >>> (11 + 3 * k)) & 7) === 0) setBits(words, at, lo, 3, 7);
}

/** Opcodes of a target, bit 91 as bit 12. */
function opcodesOf(sm: number): number[] {
  if (options.opcodes) return options.opcodes.split(",").map(codeOf);
  const found = new Set(tableFor(sm).opcodes);
  if (census) {
    const [head, ...lines] = readFileSync(census, "utf8").trim().split("\n");
    // sm_87 and sm_88 decode what sm_86 does.
    const like = sm === 87 || sm === 88 ? 86 : sm;
    const column = head!.split(",").findIndex((c) => new RegExp(`^sm_${like}a?$`).test(c));
    for (const line of lines) {
      const cells = line.split(",");
      if (cells[column]) found.add(Number.parseInt(cells[0]!, 16) | (cells[2] === "1" ? 0x1000 : 0));
    }
  }
  return [...found].sort((a, b) => a - b);
}

interface Difference {
  readonly opcode: string;
  readonly mnemonic: string;
  readonly kind: "text" | "taken" | "refused" | "again" | "parse";
  readonly rule: string;
  readonly words: number;
  readonly examples: readonly string[];
}

const hexWord = (w: Uint32Array, i: number): string =>
  [3, 2, 1, 0].map((k) => w[4 * i + k]!.toString(16).padStart(8, "0")).join("");

interface Figures {
  readonly sm: number;
  readonly words: number;
  readonly accepted: number;
  readonly text: number;
  readonly agree: number;
  readonly again: number;
  readonly parsed: number;
  readonly differences: readonly Difference[];
}

/** Names and numbers that do not matter for a rule. */
const general = (text: string): string =>
  text
    .replace(/\.reuse/g, "")
    .replace(/-?0x[0-9a-f]+/g, "N")
    .replace(/(?<!\.)\?\?\?\d+/g, "???N")
    .replace(/\b(UR|UP|R|P|B|SB)\d+\b/g, "$1")
    .replace(/^@!?(U?P)T?\d* /, "");

/** First difference of two texts, word by word. */
function textRule(theirs: string, ours: string): string {
  const [a, b] = [general(theirs), general(ours)].map((t) => t.split(/(?=[., [\]])/));
  let i = 0;
  while (i < a!.length && a![i] === b![i]) i++;
  let [x, y] = [a!.length, b!.length];
  while (x > i && y > i && a![x - 1] === b![y - 1]) {
    x--;
    y--;
  }
  const cut = (t: string[], end: number): string => t.slice(i, end).join("").slice(0, 40) || "nothing";
  return `${cut(a!, x)} | ${cut(b!, y)}`;
}

function check(sm: number): Figures {
  const t = target(`sm_${sm}` as TargetName);
  const opcodes = opcodesOf(sm);
  const words = new Uint32Array(4 * count * opcodes.length);
  const next = randomBits(seed * 1000 + sm);
  opcodes.forEach((opcode, n) => {
    for (let i = n * count; i < (n + 1) * count; i++) {
      for (let k = 0; k < 4; k++) words[4 * i + k] = next();
      if (special) absent(words, 4 * i, next());
      setBits(words, 4 * i, 0, 12, opcode & 0xfff);
      setBits(words, 4 * i, 91, 1, opcode >> 12);
    }
  });
  const total = words.length >> 2;
  const mnemonic = (i: number): string => (/^(?:@\S+ )?(\S+)/.exec(theirs[i] ?? "")?.[1] ?? "").split(".")[0]!;
  // Some words of ALD and AST end the tool: `fatal: More than one pattern matched`.
  const fatal = (i: number): boolean =>
    sm === 75 && /^32[12]$/.test(nameOf(opcodes[Math.floor(i / count)]!)) && ((words[4 * i + 2]! >>> 10) & 15) === 12;
  const { text: theirs, refused } = askWords(sm, words, fatal);
  const insts: (MachineInst | null)[] = Array.from({ length: total }, (_, i) => decodeInst(words, 4 * i, t, 16 * i));

  const found = new Map<
    string,
    { kind: Difference["kind"]; rule: string; n: number; op: string; examples: string[] }[]
  >();
  const add = (i: number, kind: Difference["kind"], rule: string, example: string): void => {
    const opcode = nameOf(opcodes[Math.floor(i / count)]!);
    let list = found.get(opcode);
    if (!list) {
      list = [];
      found.set(opcode, list);
    }
    let d = list.find((x) => x.kind === kind && x.rule === rule);
    if (!d) {
      d = { kind, rule, n: 0, op: mnemonic(i) || insts[i]?.form.op || "", examples: [] };
      list.push(d);
    }
    d.n++;
    if (d.examples.length < examples) d.examples.push(`${hexWord(words, i)} ${example}`);
  };

  const again = words.slice();
  const good: number[] = [];
  let accepted = 0;
  let equal = 0;
  let agree = 0;
  let parsed = 0;
  const word = new Uint32Array(4);
  for (let n = 0; n < opcodes.length; n++) {
    const wrongly: number[] = [];
    const rightly: number[] = [];
    const missed: number[] = [];
    const neither: number[] = [];
    for (let i = n * count; i < (n + 1) * count; i++) {
      const inst = insts[i]!;
      if (refused.has(i)) {
        if (inst === null) {
          agree++;
          neither.push(i);
        } else wrongly.push(i);
        continue;
      }
      accepted++;
      if (inst === null) {
        missed.push(i);
        continue;
      }
      agree++;
      rightly.push(i);
      const ours = renderInst(inst, { isa: sm });
      const text = theirs[i] ?? "";
      if (ours !== text) {
        add(i, "text", textRule(text, ours), `${text} | ${ours}`);
        continue;
      }
      equal++;
      try {
        encodeInst(inst, t, again, 4 * i, 16 * i);
        good.push(i);
      } catch (e) {
        add(i, "again", (e as Error).message, text);
      }
      if (text === "") {
        parsed++;
        continue;
      }
      const p = parseInst(text, { isa: sm });
      if (!p.ok) {
        add(i, "parse", general(p.message), text);
        continue;
      }
      try {
        // The control word stands beside the text: it may decide about a name (IMAD.MOV).
        encodeInst({ ...p.inst, control: insts[i]!.control }, t, word, 0, 16 * i);
        const back = decodeInst(word, 0, t, 16 * i);
        const shown = back && renderInst(back, { isa: sm });
        if (shown === text) parsed++;
        else add(i, "parse", textRule(text, shown ?? "(unknown)"), `${text} | ${shown}`);
      } catch (e) {
        add(i, "parse", (e as Error).message, text);
      }
    }
    for (const { label, of } of explainSplit(words, wrongly, rightly))
      for (const i of of) add(i, "taken", label, renderInst(insts[i]!, { isa: sm }));
    for (const { label, of } of explainSplit(words, missed, rightly.concat(neither)))
      for (const i of of) add(i, "refused", label, theirs[i] ?? "(hidden)");
  }
  // What came back is the same word, or has the same text at the same address and the same control word.
  const differs = good.filter((i) => [0, 1, 2, 3].some((k) => again[4 * i + k] !== words[4 * i + k]));
  const asked = new Uint32Array(words.length);
  for (let i = 0; i < total; i++) asked.set(nop, 4 * i);
  for (const i of differs) asked.set(again.subarray(4 * i, 4 * i + 4), 4 * i);
  const same = askWords(sm, asked);
  let identical = good.length - differs.length;
  for (const i of differs) {
    const control = (again[4 * i + 3]! ^ words[4 * i + 3]!) & 0x03fffe00;
    if (same.text[i] === theirs[i] && !same.refused.has(i) && control === 0) identical++;
    else add(i, "again", textRule(theirs[i] ?? "", same.text[i] ?? "(refused)"), `${theirs[i]} | ${same.text[i]}`);
  }
  const differences = [...found].flatMap(([opcode, list]) =>
    list.map((d) => ({ opcode, mnemonic: d.op, kind: d.kind, rule: d.rule, words: d.n, examples: d.examples })),
  );
  differences.sort((a, b) => b.words - a.words);
  return { sm, words: total, accepted, text: equal, agree, again: identical, parsed, differences };
}

const percent = (n: number, of: number): string => `${((100 * n) / of).toFixed(3)} %`;
const kinds = {
  text: "text differs (theirs | ours)",
  taken: "refused by nvdisasm, taken here",
  refused: "taken by nvdisasm, refused here",
  again: "decode → encode",
  parse: "text → words → text",
} as const;

const all: Figures[] = [];
for (const sm of sms) {
  const f = check(sm);
  all.push(f);
  console.log(
    `sm_${sm}: ${f.words} words, ${f.accepted} taken by nvdisasm; text equal ${percent(f.text, f.accepted)}, ` +
      `taken/refused agree ${percent(f.agree, f.words)}, decode → encode ${percent(f.again, f.text)}, ` +
      `text → words → text ${percent(f.parsed, f.text)}`,
  );
  for (const [kind, title] of Object.entries(kinds)) {
    const list = f.differences.filter((d) => d.kind === kind);
    if (list.length === 0) continue;
    console.log(`  ${title}: ${list.reduce((n, d) => n + d.words, 0)} words`);
    for (const d of list) {
      console.log(`    ${String(d.words).padStart(5)} ${d.opcode.padEnd(4)} ${d.mnemonic.padEnd(10)} ${d.rule}`);
      if (examples > 0) for (const e of d.examples) console.log(`          ${e}`);
    }
  }
}
if (json) writeFileSync(json, JSON.stringify(all, null, 1));
