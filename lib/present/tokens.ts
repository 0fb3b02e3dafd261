/** Lines of PTX, SASS and CUDA C++ as words of kinds, by lists of what is known. No tables here: JupyterLab's extension carries this file and the lists alone. */
import type { CodeWord, WordKind } from "../view/index.js";

/** What words there are. `highlight.ts` takes them from the tables. */
export interface WordLists {
  /** First parts of PTX's instructions: `ld`, `mbarrier`. */
  readonly opcodes: readonly string[];
  /** Directives, state spaces and types of PTX, with their point. */
  readonly directives: readonly string[];
  /** Special registers of PTX, with `%`. */
  readonly specials: readonly string[];
  /** Mnemonics of SASS. */
  readonly mnemonics: readonly string[];
  /** Keywords of C++. */
  readonly keywords: readonly string[];
  /** Variables and types that CUDA builds in. */
  readonly builtins: readonly string[];
}

/** Cuts a line into words; joined they are the line. */
export type Tokenizer = (line: string) => CodeWord[];

const PTX =
  /(\/\/.*|\/\*.*?(?:\*\/|$))|(%[\w$]+(?:\.[xyzw])?)|(0[fFdD][0-9a-fA-F]+|0[xX][0-9a-fA-F]+U?|\b\d[\w.]*)|([A-Za-z_$][\w$]*(?:(?:\.|::)[\w$]+)*)|(\.[A-Za-z_][\w]*)|([;:]|^\s*[{}])/g;

/** Of PTX. A comment that does not end on its line goes to the line's end. */
export function ptxTokenizer(lists: WordLists): Tokenizer {
  const opcodes = new Set(lists.opcodes);
  const directives = new Set(lists.directives);
  const specials = new Set(lists.specials);
  // `%tid.x` is in the table as it stands or without its component.
  const isSpecial = (name: string): boolean => specials.has(name) || specials.has(name.replace(/\.[xyzw]$/, ""));
  return (line) => {
    let first = true;
    return wordsOf(line, PTX, ([whole = "", comment, register, number, name, dotted, end]) => {
      if (comment !== undefined) return [{ text: comment, kind: "comment" }];
      if (register !== undefined) return [{ text: register, kind: isSpecial(register) ? "special" : "register" }];
      if (number !== undefined) return [{ text: number, kind: "number" }];
      if (dotted !== undefined) return [{ text: dotted, kind: directives.has(dotted) ? "directive" : null }];
      if (end !== undefined) first = true;
      if (name === undefined) return [{ text: whole, kind: null }];
      const opens = first && opcodes.has(stemOf(name));
      first = false;
      return opens ? operation(name) : [{ text: name, kind: "name" }];
    });
  };
}

const SASS =
  /(\/\/.*|\/\*.*?\*\/)|(\b(?:U?R|U?P|B|SB)\d+\b(?:\.(?:64|[HB]\d\w*))?|\bU?[RP][ZT]\b)|(\bSR_[\w.]+)|(\bc(?=\[)|-?0x[0-9a-f]+|-?\b\d[\w.+-]*)|([A-Za-z_][\w]*(?:\.[\w]+)*)|((?<=^\s*)\.[a-z]\w*)/g;

/** Of SASS, as listings print it and as it is assembled. */
export function sassTokenizer(lists: WordLists): Tokenizer {
  const mnemonics = new Set(lists.mnemonics);
  return (line) =>
    wordsOf(line, SASS, ([whole = "", comment, register, special, number, name, directive]) => {
      if (comment !== undefined) return [{ text: comment, kind: "comment" }];
      if (register !== undefined) return [{ text: register, kind: "register" }];
      if (special !== undefined) return [{ text: special, kind: "special" }];
      if (number !== undefined) return [{ text: number, kind: "number" }];
      if (directive !== undefined) return [{ text: directive, kind: "directive" }];
      return name !== undefined && mnemonics.has(stemOf(name)) ? operation(name) : [{ text: whole, kind: "name" }];
    });
}

const CUDA =
  /(\/\/.*|\/\*.*?(?:\*\/|$))|("(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])+')|(^\s*#\s*\w+(?:\s*<[^>]*>)?)|((?:\b\d|\.\d)(?:[eEpP][+-]|[\w.'])*)|([A-Za-z_]\w*)/g;

/** Of CUDA C++. A comment that does not end on its line goes to the line's end. */
export function cudaTokenizer(lists: WordLists): Tokenizer {
  const keywords = new Set(lists.keywords);
  const builtins = new Set(lists.builtins);
  return (line) =>
    wordsOf(line, CUDA, ([whole = "", comment, string, directive, number, name]) => {
      if (comment !== undefined) return [{ text: comment, kind: "comment" }];
      if (string !== undefined) return [{ text: string, kind: "string" }];
      if (directive !== undefined) return [{ text: directive, kind: "directive" }];
      if (number !== undefined) return [{ text: number, kind: "number" }];
      if (keywords.has(whole)) return [{ text: whole, kind: "opcode" }];
      const special = builtins.has(whole) || /^__[a-z]/.test(whole);
      return [{ text: name ?? whole, kind: special ? "special" : "name" }];
    });
}

const stemOf = (name: string): string => name.split(/\.|::/)[0] ?? "";

/** An instruction's name and its modifiers. */
function operation(name: string): Word[] {
  const stem = stemOf(name);
  return [
    { text: stem, kind: "opcode" },
    { text: name.slice(stem.length), kind: "modifier" },
  ];
}

interface Word {
  readonly text: string;
  readonly kind: WordKind | null;
}

/** What a pattern finds, by what `of` makes of it, and what lies between as it is. */
function wordsOf(
  line: string,
  pattern: RegExp,
  of: (match: readonly (string | undefined)[]) => readonly Word[],
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
