/** What the words of PTX and SASS are, by the tables that check and encode them; of CUDA C++ by its keywords. */
import { instructions, TYPE_WORDS } from "../ptx/spec/instructions.js";
import { SPECIAL_REGISTERS } from "../ptx/spec/sregs.js";
import { mnemonics } from "../sass/index.js";
import type { CodeWord } from "../view/index.js";
import { directives } from "./cell-words.js";
import { cppKeywords, cudaBuiltins } from "./cuda-words.js";
import { cudaTokenizer, ptxTokenizer, sassTokenizer, type Tokenizer, type WordLists } from "./tokens.js";

/** All words that are known, each list in alphabetical order. */
export function wordLists(): WordLists {
  const sorted = (words: Iterable<string>): readonly string[] => [...new Set(words)].sort();
  return {
    opcodes: sorted([...instructions().forms.keys()].map((f) => f.split(".")[0]!)),
    directives: sorted([...directives, ...[...TYPE_WORDS].map((t) => `.${t}`)]),
    specials: sorted(SPECIAL_REGISTERS.keys()),
    mnemonics: sorted(mnemonics),
    keywords: sorted(cppKeywords),
    builtins: sorted(cudaBuiltins),
  };
}

type Language = "ptx" | "sass" | "cuda";
let tokenizers: Readonly<Record<Language, Tokenizer>> | null = null;
function words(language: Language, line: string): CodeWord[] {
  if (tokenizers === null) {
    const lists = wordLists();
    tokenizers = { ptx: ptxTokenizer(lists), sass: sassTokenizer(lists), cuda: cudaTokenizer(lists) };
  }
  return tokenizers[language](line);
}

/** The words of a line of PTX. */
export const ptxWords = (line: string): CodeWord[] => words("ptx", line);

/** The words of an instruction of SASS. */
export const sassWords = (line: string): CodeWord[] => words("sass", line);

/** The words of a line of CUDA C++. */
export const cudaWords = (line: string): CodeWord[] => words("cuda", line);
