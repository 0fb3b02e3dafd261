/** Completion and explanation of words in `%%ptx`, `%%cuda` and `%%sass` cells, from the tables that check and encode them. */

import { type Arg, type Form, instructions, TYPE_WORDS } from "../ptx/spec/instructions.js";
import { SPECIAL_REGISTERS } from "../ptx/spec/sregs.js";
import { STATE_SPACES, VARIABLE_TYPES } from "../ptx/words.js";
import { isaPage, mnemonics, modifiersOf as sassModifiersOf } from "../sass/index.js";
import { targetNames } from "../target/index.js";
import { type Declarations, declarationsFor } from "./cuda-headers.js";
import { cppKeywords, cudaBuiltins } from "./cuda-words.js";

/** What could stand where the cursor is. */
export interface Completions {
  /** What the candidates replace, as offsets in the cell. */
  readonly start: number;
  /** Offset after the text that a candidate replaces. */
  readonly end: number;
  /** The words, best first. */
  readonly candidates: readonly string[];
}

/** Directives of PTX that cells complete and colour. */
export const directives: readonly string[] =
  ".address_size .align .alias .branchtargets .callprototype .calltargets .const .entry .extern .file .func .global .loc .local .maxnreg .maxntid .minnctapersm .noreturn .param .pragma .reg .reqntid .section .shared .target .version .visible .weak".split(
    " ",
  );

/**
 * What can stand where the cursor is. In `%%cuda` cells these are words of C++ and CUDA, what the headers of the nvcc declare
 * that is found from `folder`, and within `asm("…")` the words of PTX.
 */
export function completeCell(source: string, offset: number, folder: string = process.cwd()): Completions {
  const before = source.slice(0, offset);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const head = line.trimStart().startsWith("%%");
  const language = languageAt(source, before);
  const pattern = language === "cuda" && !head ? /[\w.]*$/ : language === "asm" ? /%?[.\w:]*$/ : /[%.\w:-]*$/;
  const word = pattern.exec(before)![0];
  const start = offset - word.length;
  const list = head
    ? headWords(line)
    : language === "cuda"
      ? cudaWordsFor(word, source, folder)
      : wordsOf(language, word, source);
  const candidates = [...new Set(list)].filter((c) => c.startsWith(word) && c !== word).sort();
  return { start, end: offset, candidates };
}

const languageOf = (source: string): string => /%%(\w*)/.exec(source)?.[1] ?? "";

/** PTX within the first string of an `asm` of CUDA C++ is a language of its own. */
function languageAt(source: string, before: string): string {
  const language = languageOf(source);
  if (language !== "cuda") return language;
  const last = before.lastIndexOf("asm");
  const since = before.slice(Math.max(0, last)).replace(/"(?:\\.|[^"\\])*"/g, "");
  return last >= 0 && /^asm\b\s*(?:volatile|__volatile__)?\s*\(\s*"/.test(since) ? "asm" : language;
}

const members: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  ["threadIdx", "blockIdx", "blockDim", "gridDim"].map((v) => [v, ["x", "y", "z"].map((m) => `${v}.${m}`)]),
);

function cudaWordsFor(word: string, source: string, folder: string): readonly string[] {
  const point = word.lastIndexOf(".");
  if (point >= 0) return members[word.slice(0, point)] ?? [];
  const own = source.slice(source.indexOf("\n") + 1).match(/[A-Za-z_]\w{2,}/g) ?? [];
  return [...cppKeywords, ...cudaBuiltins, ...own, ...declarationsFor(source, folder).keys()];
}

function headWords(line: string): readonly string[] {
  if (!/\s/.test(line.trimStart())) return ["%%ptx", "%%cuda", "%%sass"];
  if (/-arch[ =]\S*$/.test(line)) return targetNames.flatMap((t) => [t, `-arch=${t}`]);
  return ["-arch", "-O0", "-O1", "-O2", "-O3", "-maxrregcount", "-lineinfo", "-g", "-v"];
}

function wordsOf(language: string, word: string, source: string): readonly string[] {
  if (language === "sass") return word.includes(".") ? oneMore(word, sassModifiersOf) : mnemonics;
  if (language !== "ptx" && language !== "asm") return [];
  const { forms } = instructions();
  if (word.startsWith("%")) return [...SPECIAL_REGISTERS.keys(), ...(source.match(/%[\w$]+/g) ?? [])];
  if (word.startsWith(".")) return [...directives, ...[...VARIABLE_TYPES, ...STATE_SPACES].map((w) => `.${w}`)];
  if (!word.includes(".")) return [...forms.keys()];
  return [...forms.keys(), ...oneMore(word, modifiersOf)];
}

/** What has been written up to the last point, with one modifier more than there are. */
function oneMore(word: string, modifiers: (opcode: string) => readonly string[]): readonly string[] {
  const stem = word.slice(0, word.lastIndexOf("."));
  const [opcode = "", ...there] = stem.split(".");
  return modifiers(opcode).flatMap((m) => (there.includes(m) ? [] : [`${stem}.${m}`]));
}

/** Modifiers and types that some form of an instruction takes. */
function modifiersOf(opcode: string): readonly string[] {
  const { forms, words, closed } = instructions();
  const mine = (name: string): boolean => name === opcode || name.startsWith(`${opcode}.`);
  return [
    ...[...forms].flatMap(([name, list]) => (mine(name) ? list.flatMap(typesOf) : [])),
    ...[...words].flatMap(([key, w]) => (mine(key.split(" ")[0]!) ? [...w.accepted, ...w.conditional] : [])),
    ...(closed.get(opcode)?.taken ?? []),
  ].filter((w) => w !== "");
}

const typesOf = (f: Form): readonly string[] => [...(f.types ?? [])].flatMap((t) => t.split("."));

/** What the word at an offset is, as text; null where nothing is known of it. `folder`: as for `completeCell`. */
export function inspectCell(source: string, offset: number, folder: string = process.cwd()): string | null {
  const language = languageAt(source, source.slice(0, offset));
  const left = (language === "cuda" ? /\w*$/ : /[%.\w:]*$/).exec(source.slice(0, offset))![0];
  const right = (language === "cuda" ? /^\w*/ : /^[.\w:]*/).exec(source.slice(offset))![0];
  const word = left + right;
  if (language === "sass") return sassText(word.split(".")[0] ?? "");
  if (language === "cuda") return declaredText(word, declarationsFor(source, folder));
  if (language !== "ptx" && language !== "asm") return null;
  // In `asm` a percent sign is written twice.
  if (word.startsWith("%")) return specialText(/%\w+/.exec(word)?.[0] ?? "");
  return ptxText(word);
}

/** How a name is declared, and what its header says of it. */
function declaredText(name: string, all: Declarations): string | null {
  const list = all.get(name);
  if (list === undefined) return null;
  const briefs = [...new Set(list.map((d) => d.brief))].filter((b) => b !== "");
  return [...list.map((d) => d.text), ...briefs.map((b) => `\n${b}`)].join("\n");
}

/** The head of the page of a mnemonic: what it does and its operands, without bits. */
function sassText(op: string): string | null {
  if (!mnemonics.includes(op)) return null;
  const pages = isaPage(op).split(/^## /m).slice(1);
  const heads = pages.map((p) => p.split(/^### /m)[0]!.replaceAll("`", "").replaceAll("\\", "").trim());
  return heads.length === 0 ? null : heads.join("\n\n");
}

function specialText(name: string): string | null {
  const known = SPECIAL_REGISTERS.get(name);
  if (known === undefined) return null;
  const { type, vector, sm, version } = known;
  const from = [...(sm === 0 ? [] : [`sm_${sm}`]), ...(version === 0 ? [] : [`PTX ${(version / 10).toFixed(1)}`])];
  return `${name}: special register, ${vector === 4 ? `.v4.${type} (.x .y .z .w)` : `.${type}`}${from.length === 0 ? "" : `, from ${from.join(" and ")} on`}`;
}

const roles: Readonly<Partial<Record<Arg["role"], string>>> = {
  def: "d",
  use: "a",
  defPred: "p",
  usePred: "pred",
  address: "[address]",
  int: "number",
  label: "label",
  vector: "{…}",
  sink: "_",
};

/** The forms of an instruction: types and operands, as they are checked; its modifiers. */
function ptxText(word: string): string | null {
  const { forms } = instructions();
  const parts = word.split(".");
  const name = parts.map((_, i) => parts.slice(0, parts.length - i).join(".")).find((n) => forms.has(n));
  if (name === undefined) return null;
  const lines = forms.get(name)!.map((f) => {
    const types = f.types === null ? ".*" : [...f.types].map((t) => (t === "" ? "" : `.${t}`)).join(" | ");
    const args = f.args.map((a, i) => (i >= f.required ? `{${roles[a.role] ?? a.role}}` : (roles[a.role] ?? a.role)));
    return `  ${types === "" ? "" : `${types}: `}${f.open ? "…" : args.join(", ")}`;
  });
  const modifiers = [...new Set(modifiersOf(name.split(".")[0]!))].filter((m) => !TYPE_WORDS.has(m)).sort();
  const more = modifiers.length === 0 ? "" : `\nmodifiers: ${modifiers.map((m) => `.${m}`).join(" ")}`;
  return `${name}\n${lines.join("\n")}${more}`;
}
