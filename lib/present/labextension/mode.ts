/** PTX, SASS and CUDA C++ as languages of CodeMirror: the words of `tokens.ts` under CodeMirror's names, which JupyterLab's themes colour. */
import type { WordKind } from "../../view/index.js";
import type { Tokenizer } from "../tokens.js";
import type { ModeState, Stream, StreamParser } from "./shared.js";

/** Tags of @lezer/highlight to which JupyterLab's style of editors gives a colour of the theme. */
const styles: Readonly<Record<WordKind, string | null>> = {
  opcode: "keyword",
  modifier: "propertyName",
  register: "variableName.special",
  special: "variableName.standard",
  directive: "meta",
  number: "number",
  string: "string",
  name: null,
  comment: "comment",
};

/** A language whose lines the tokenizer cuts. Its first line may name the language of a cell. */
export function mode(name: string, tokenize: Tokenizer): StreamParser {
  return {
    name,
    startState: () => ({ comment: false, rest: [] }),
    copyState: ({ comment, rest }) => ({ comment, rest }),
    token(stream, state) {
      if (stream.sol()) {
        if (/^\s*%%/.test(stream.string)) {
          stream.skipToEnd();
          return "meta";
        }
        state.rest = wordsOf(stream, state, tokenize);
      }
      const [word, ...rest] = state.rest;
      state.rest = rest;
      if (word === undefined) stream.skipToEnd();
      else stream.pos = word.end;
      return word?.style ?? null;
    },
    languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } } },
  };
}

/** The words of a line; a comment that is open before or after it is kept in the state. */
function wordsOf({ string }: Stream, state: ModeState, tokenize: Tokenizer): ModeState["rest"] {
  let at = 0;
  const rest: { end: number; style: string | null }[] = [];
  if (state.comment) {
    const close = string.indexOf("*/");
    at = close < 0 ? string.length : close + 2;
    state.comment = close < 0;
    rest.push({ end: at, style: styles.comment });
  }
  for (const { text, kind } of tokenize(string.slice(at))) {
    at += text.length;
    rest.push({ end: at, style: kind === null ? null : styles[kind] });
    if (kind === "comment" && text.startsWith("/*") && !text.endsWith("*/")) state.comment = true;
  }
  return rest;
}
