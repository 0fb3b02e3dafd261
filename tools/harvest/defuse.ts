/**
 * Step `defuse`: registers that an instruction reads and writes, with widths, off the life ranges that `nvdisasm -plr`
 * prints for functions of one instruction. Each entry of a map gives a word with distinct registers, and one more for each
 * value of its modifiers.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tool } from "../../test/oracle/tools.js";
import { baseName } from "./census.js";
import { functionsOf, type Template, templateOf } from "./cubin.js";
import type { Decoder } from "./decoder.js";
import type { MapReader, ReadEntry } from "./map.js";
import { progress } from "./progress.js";
import { hexWord, setField, type Word, wordFromHex } from "./word.js";

/** Field's lowest bit → marks with counts: `v4` reads four registers, `^2` writes two, `x` both; `extra`: others. */
export type Marks = Readonly<Record<string, string>>;

export interface DefUse {
  readonly opcode: string;
  readonly bit91: number;
  readonly when?: { readonly mask: string; readonly value: string };
  readonly mnemonic: string;
  readonly word: string;
  readonly base: Marks;
  /** Field → value → marks, where they differ from the base. */
  readonly by?: Readonly<Record<string, Readonly<Record<string, Marks>>>>;
}

/** Control flow: a function of one such word is none; the tool refuses the whole file for one bad branch. */
const CONTROL: ReadonlySet<string> = new Set(
  "BRA BRX BRXU JMP JMX JMXU CALL RET EXIT KILL BPT RTT BREAK BSYNC BSSY WARPSYNC YIELD LEPC BMOV B2R R2B RPCMOV PREEXIT NANOTRAP ACQBULK".split(
    " ",
  ),
);

type File = "GPR" | "PRED" | "UGPR" | "UPRED";

interface Place {
  readonly lo: number;
  readonly file: File;
  readonly first: number;
}

interface Question {
  readonly entry: ReadEntry;
  readonly places: readonly Place[];
  readonly word: Word;
  /** Null for the base. */
  readonly field: number | null;
  readonly value: string;
}

/** Registers far from each other, so that runs of them do not meet. */
const FIRST: Readonly<Record<number, number>> = { 16: 72, 24: 8, 32: 28, 64: 48 };

function distinctRegisters(e: ReadEntry): { word: Word; places: Place[] } {
  const word = wordFromHex(e.map.base);
  const places: Place[] = [];
  let [other, uniform, predicate, upredicate] = [224, 4, 0, 0];
  for (const { map: f, bits } of e.fields) {
    const lo = bits[0]!;
    const set = (file: File, first: number, value = first): void => {
      places.push({ lo, file, first });
      setField(word, bits, BigInt(value));
    };
    if (lo === 12) setField(word, bits, 7n);
    else if (f.kind === "reg" && f.width === 8) {
      set("GPR", FIRST[lo] ?? other);
      if (FIRST[lo] === undefined) other += 6;
    } else if (f.kind === "ureg" && f.width >= 6) {
      set("UGPR", uniform);
      uniform += 8;
    } else if ((f.kind === "pred" || f.kind === "upred") && (f.width === 3 || f.width === 4)) {
      const up = f.kind === "upred";
      const n = up ? upredicate++ % 6 : predicate++ % 6;
      set(
        up ? "UPRED" : "PRED",
        n,
        f.width === 4 && JSON.stringify(f.values?.[String(n)] ?? "").includes("!") ? n | 8 : n,
      );
    }
  }
  return { word, places };
}

const NO_MODIFIER =
  /^(reg|ureg|pred|upred|imm|fimm|abs|neg|const-offset|const-bank|mem-offset|reuse|rel|barrier|scoreboard)$/;

function questionsOf(e: ReadEntry): Question[] {
  const { word, places } = distinctRegisters(e);
  const out: Question[] = [{ entry: e, places, word, field: null, value: "" }];
  for (const { map: f, bits } of e.fields) {
    if (NO_MODIFIER.test(f.kind) || bits[0]! >= 105 || f.width > 6) continue;
    for (const value of Object.keys(f.values ?? {})) {
      const w = word.slice();
      setField(w, bits, BigInt(value));
      if (hexWord(w) !== hexWord(word)) out.push({ entry: e, places, word: w, field: bits[0]!, value });
    }
  }
  return out;
}

type Live = ReadonlyMap<File, ReadonlyMap<number, string>>;

/** Functions per file. */
const PART = 400;

export function findDefUse(sm: string, map: MapReader, decoder: Decoder, keys: readonly number[] | null): DefUse[] {
  const template = templateOf(sm);
  const entries = [...map.byKey].flatMap(([k, list]) => (keys === null || keys.includes(k) ? list : []));
  const all = entries
    .filter((e) => !CONTROL.has(e.map.mnemonic ?? "") && !(e.map.mnemonic ?? "").includes("GMMA"))
    .flatMap(questionsOf);
  const answers = decoder.decode(all.map((q) => q.word));
  const asked = all.filter((_, i) => {
    const text = answers[i]!.text;
    return text !== null && !CONTROL.has(baseName(text));
  });
  const bar = progress(`sm_${sm} life ranges`, asked.length);
  const found = new Map<ReadEntry, { base: Marks | null; by: Record<string, Record<string, Marks>> }>();
  for (let i = 0; i < asked.length; i += PART) {
    const part = asked.slice(i, i + PART);
    const live = liveRanges(template, part);
    part.forEach((q, j) => {
      const r = found.get(q.entry) ?? { base: null, by: {} };
      found.set(q.entry, r);
      const l = live[j];
      if (!l) return;
      const marks = marksOf(l, q.places);
      if (q.field === null) r.base = marks;
      else if (r.base !== null && JSON.stringify(r.base) !== JSON.stringify(marks)) {
        r.by[q.field] ??= {};
        r.by[q.field]![q.value] = marks;
      }
    });
    bar.add(part.length);
  }
  bar.stop();
  return [...found].flatMap(([e, { base, by }]) => {
    if (base === null || Object.keys(base).length === 0) return [];
    const { opcode, bit91, when, mnemonic } = e.map;
    const word = hexWord(distinctRegisters(e).word);
    const head = { opcode, bit91, ...(when ? { when } : {}), mnemonic: mnemonic ?? "?", word, base };
    return [Object.keys(by).length > 0 ? { ...head, by } : head];
  });
}

/** Marks of each function's first instruction; null where the tool refuses it, found by halving. */
function liveRanges(t: Template, part: readonly Question[]): (Live | null)[] {
  const dir = mkdtempSync(join(tmpdir(), "harvest-plr-"));
  try {
    const file = join(dir, "f.cubin");
    writeFileSync(
      file,
      functionsOf(
        t,
        part.map((q) => q.word),
      ),
    );
    const ran = tool("nvdisasm", ["-c", "-plr", file]);
    if (ran.status === 0) return readRanges(ran.stdout, part.length);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  if (part.length === 1) return [null];
  const half = part.length >> 1;
  return [...liveRanges(t, part.slice(0, half)), ...liveRanges(t, part.slice(half))];
}

/** Tables after `// |`: a line of files, a line of register numbers, then a column per register. */
export function readRanges(text: string, count: number): (Live | null)[] {
  const out: (Live | null)[] = new Array(count).fill(null);
  let current = -1;
  let files: string[] = [];
  let numbers: string[] = [];
  for (const line of text.split("\n")) {
    const label = /^f(\d+):/.exec(line);
    if (label) current = Number(label[1]);
    const at = line.lastIndexOf("// |");
    if (at < 0) continue;
    const body = line.slice(at + 3);
    if (/^\|[ A-Z|]*\bU?(GPR|PRED)\b/.test(body))
      files = body
        .trim()
        .replace(/^\||\|$/g, "")
        .split("|")
        .map((x) => x.trim());
    else if (/^\|\s+#/.test(body)) numbers = body.split("|").slice(1);
    else if (line.includes("/*0000*/") && current >= 0) {
      const cells = body.split("|").slice(1);
      const live = new Map<File, Map<number, string>>();
      files.forEach((file, i) => {
        for (const m of (numbers[i] ?? "").matchAll(/\d+/g)) {
          const mark = (cells[i] ?? "").slice(m.index, m.index + m[0].length).trim();
          if (mark !== "^" && mark !== "v" && mark !== "x") continue;
          const of = live.get(file as File) ?? new Map<number, string>();
          live.set(file as File, of.set(Number(m[0]), mark));
        }
      });
      out[current] = live;
    }
  }
  return out;
}

const PREFIX: Readonly<Record<File, string>> = { GPR: "R", PRED: "P", UGPR: "UR", UPRED: "UP" };

function marksOf(live: Live, places: readonly Place[]): Marks {
  const out: Record<string, string> = {};
  const used = new Set<string>();
  for (const { lo, file, first } of [...places].sort((a, b) => a.first - b.first)) {
    const marks: [string, number][] = [];
    const of = live.get(file);
    for (let n = first; of?.has(n) && !used.has(`${file}${n}`); n++) {
      used.add(`${file}${n}`);
      const mark = of.get(n)!;
      const last = marks.at(-1);
      if (last?.[0] === mark) last[1]++;
      else marks.push([mark, 1]);
      if (file === "PRED" || file === "UPRED") break;
    }
    if (marks.length > 0) out[lo] = marks.map(([m, n]) => m + n).join("");
  }
  const extra = [...live].flatMap(([file, of]) =>
    [...of].filter(([n]) => !used.has(`${file}${n}`)).map(([n, m]) => `${PREFIX[file]}${n}${m}`),
  );
  if (extra.length > 0) out.extra = extra.sort().join(" ");
  return out;
}
