/** What the words of PTX and SASS are, by the tables that check and encode them. */
import { instructions, TYPE_WORDS } from "../ptx/spec/instructions.js";
import { SPECIAL_REGISTERS } from "../ptx/spec/sregs.js";
import { mnemonics } from "../sass/index.js";
import type { CodeWord, WordKind } from "../view/index.js";
import { directives } from "./cell-words.js";

const PTX =
  /(\/\/.*|\/\*.*?\*\/)|(%[\w$]+(?:\.[xyzw])?)|(0[fFdD][0-9a-fA-F]+|0[xX][0-9a-fA-F]+U?|\b\d[\w.]*)|([A-Za-z_$][\w$]*(?:(?:\.|::)[\w$]+)*)|(\.[A-Za-z_][\w]*)/g;

let opcodes: ReadonlySet<string> | null = null;
const isOpcode = (word: string): boolean => {
  opcodes ??= new Set([...instructions().forms.keys()].map((f) => f.split(".")[0]!));
  return opcodes.has(word);
};
const known = new Set(directives);
const operations = new Set(mnemonics);

/** `%tid.x` is in the table as it stands or without its component. */
const isSpecial = (name: string): boolean =>
  SPECIAL_REGISTERS.has(name) || SPECIAL_REGISTERS.has(name.replace(/\.[xyzw]$/, ""));

/** The words of a line of PTX. */
export function ptxWords(line: string): CodeWord[] {
  let first = true;
  return wordsOf(line, PTX, ([, comment, register, number, name, dotted]) => {
    if (comment !== undefined) return [{ text: comment, kind: "comment" }];
    if (register !== undefined) return [{ text: register, kind: isSpecial(register) ? "special" : "register" }];
    if (number !== undefined) return [{ text: number, kind: "number" }];
    if (dotted !== undefined)
      return [{ text: dotted, kind: known.has(dotted) || TYPE_WORDS.has(dotted.slice(1)) ? "directive" : null }];
    const [stem = ""] = (name as string).split(/\.|::/);
    const opens = first && isOpcode(stem);
    first = false;
    if (!opens) return [{ text: name as string, kind: "name" }];
    return [
      { text: stem, kind: "opcode" },
      { text: (name as string).slice(stem.length), kind: "modifier" },
    ];
  });
}

const SASS =
  /(\b(?:U?R|U?P|B|SB)\d+\b(?:\.(?:64|[HB]\d\w*))?|\bU?[RP][ZT]\b)|(\bSR_[\w.]+)|(\bc(?=\[)|-?0x[0-9a-f]+|-?\b\d[\w.+-]*)|([A-Za-z_][\w]*(?:\.[\w]+)*)/g;

/** The words of an instruction of SASS. */
export function sassWords(line: string): CodeWord[] {
  return wordsOf(line, SASS, ([, register, special, number, name]) => {
    if (register !== undefined) return [{ text: register, kind: "register" }];
    if (special !== undefined) return [{ text: special, kind: "special" }];
    if (number !== undefined) return [{ text: number, kind: "number" }];
    const [stem = ""] = (name as string).split(".");
    if (!operations.has(stem)) return [{ text: name as string, kind: "name" }];
    return [
      { text: stem, kind: "opcode" },
      { text: (name as string).slice(stem.length), kind: "modifier" },
    ];
  });
}

/** What a pattern finds, by what `of` makes of it, and what lies between as it is. */
function wordsOf(
  line: string,
  pattern: RegExp,
  of: (match: readonly (string | undefined)[]) => readonly { readonly text: string; readonly kind: WordKind | null }[],
): CodeWord[] {
  const words: CodeWord[] = [];
  let at = 0;
  for (const match of line.matchAll(pattern)) {
    if (match.index > at) words.push({ text: line.slice(at, match.index), kind: null });
    words.push(...of(match).filter((w) => w.text !== ""));
    at = match.index + match[0].length;
  }
  if (at < line.length) words.push({ text: line.slice(at), kind: null });
  return words;
}
