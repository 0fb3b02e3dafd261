/** Words of code in colours that are read on light and on dark pages. What a word is, the caller says: nothing here knows a language. */
import { element, escapeHtml } from "./html.js";

/** What a word of code is. */
export type WordKind =
  | "opcode"
  | "modifier"
  | "register"
  | "special"
  | "directive"
  | "number"
  | "string"
  | "name"
  | "comment";

/** A stretch of code of one kind; null for what is no word. */
export interface CodeWord {
  /** The stretch as it stands in the text. */
  readonly text: string;
  /** What it is. */
  readonly kind: WordKind | null;
}

/** Colours of middle lightness: at least 3 to 1 against white and against JupyterLab's dark grey. */
const styles: Readonly<Record<WordKind, string>> = {
  opcode: "color:#3f7fd9;font-weight:600",
  modifier: "color:#3f7fd9",
  register: "color:#2a8f7e",
  special: "color:#a66bd0",
  directive: "color:#a66bd0;font-weight:600",
  number: "color:#c2691c",
  string: "color:#6b8e23",
  name: "",
  comment: "color:#808080;font-style:italic",
};

/** The words as HTML. */
export function highlighted(words: readonly CodeWord[]): string {
  return words
    .map(({ text, kind }) => {
      const style = kind === null ? "" : styles[kind];
      return style === "" ? escapeHtml(text) : element("span", style, escapeHtml(text));
    })
    .join("");
}
