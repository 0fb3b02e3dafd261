import { type Diagnostic, diagnostic, type Span } from "../diagnostics.js";
import type { Unfinished } from "./ast.js";
import { Interner } from "./interner.js";
import { Mnemonics } from "./mnemonics.js";
import { readNumber } from "./numbers.js";
import { longestName } from "./spec/instructions.js";
import { T } from "./tokens.js";

/**
 * The scanner: one pass over the text on demand, one token ahead, no token objects.
 *
 * It reads bytes (PTX is ASCII), which costs half of what reading a string's characters does. The current token lives in the scanner's fields. Words
 * are interned by a hash taken while they are read, so a name that occurs a thousand times is one string and one number, and no substring is made to
 * look it up. What counts as one token follows ptxas, because its messages quote the token at which the parser gave up: a dotted word with its dot
 * (`.u32`), `.version 9.0` as a whole, `08` as `0` and `8`.
 */

const START = 1;
const PART = 2;
const DIGIT = 4;
/** May begin a blank or a comment, other than the space, the tab and the newline. */
const BLANK = 8;

const CLASS: Uint8Array = (() => {
  const t = new Uint8Array(256);
  const mark = (chars: string, bits: number): void => {
    for (const c of chars) t[c.charCodeAt(0)] = (t[c.charCodeAt(0)] as number) | bits;
  };
  const letters = "abcdefghijklmnopqrstuvwxyz";
  mark(`${letters}${letters.toUpperCase()}_$%`, START);
  mark(`${letters}${letters.toUpperCase()}_$0123456789`, PART);
  mark("0123456789", DIGIT);
  // Blanks are those of ptxas (measured): the SUB that ends DOS files (26) is one, the vertical tab is none.
  mark("\r\f\x1a/#", BLANK);
  return t;
})();

/** Thrown (and caught inside this component) to leave a construct after its syntax error was recorded. */
export const SYNTAX: unique symbol = Symbol("syntax error");

const MAX_ERRORS = 100;
const MAX_DEPTH = 200;

export class Scanner {
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly diagnostics: Diagnostic[] = [];
  /** Current token: its kind, first byte, and the byte after it. */
  kind: number = T.eof;
  start: number = 0;
  end: number = 0;
  line: number = 1;
  /** Of a number: its bits in two halves, whether an integer is unsigned, the width of a floating constant. */
  lo: number = 0;
  hi: number = 0;
  unsigned: boolean = false;
  width: 32 | 64 = 64;
  /** End of the token before the current one. */
  previousEnd: number = 0;
  /** Opcodes with their modifiers, each once. */
  readonly mnemonics: Mnemonics;
  /** First byte of the current token's line. */
  private lineStart: number = 0;
  /** The same for the byte after the current token: a string may hold newlines. */
  private nextLine: number = 1;
  private nextLineStart: number = 0;
  /** Of the current word: its number once that was asked for, else -1. */
  private wordId: number = -1;
  /** Of other tokens: what `value` says. */
  private content: string = "";
  private depth: number = 0;
  private gaveUp: boolean = false;
  private readonly length: number;
  private readonly names: Interner;

  /** `bytes` are those of `text`, from `asciiBytes`. */
  constructor(text: string, bytes: Uint8Array) {
    this.text = text;
    this.bytes = bytes;
    this.length = text.length;
    this.names = new Interner(text, bytes);
    this.mnemonics = new Mnemonics(text, bytes);
    this.next();
  }

  /** Of a word: the number that stands for it in this text, dense from 0. */
  get id(): number {
    if (this.wordId < 0) this.wordId = this.names.id(this.start, this.end);
    return this.wordId;
  }

  /** Text of words, one string for every spelling, without the dot; content of strings; digits of numbers are left in the source. */
  get value(): string {
    return this.kind === T.word ? (this.names.strings[this.id] as string) : this.content;
  }

  /** The words of the text by their numbers. */
  get words(): readonly string[] {
    return this.names.strings;
  }

  /** Whether the current word is `WARP_SZ`, which is a constant and no name. */
  get warpSize(): boolean {
    return this.end - this.start === 7 && this.value === "WARP_SZ";
  }

  /** Column of the current token, from 1. */
  get column(): number {
    return this.start - this.lineStart + 1;
  }

  /** Reads the next token into the fields. */
  next(): void {
    const bytes = this.bytes;
    let p = this.end;
    this.previousEnd = p;
    let c = bytes[p] as number;
    for (;;) {
      if (c === 32 || c === 9) p++;
      else if (c === 10) {
        p++;
        this.nextLine++;
        this.nextLineStart = p;
      } else {
        if (((CLASS[c] as number) & BLANK) === 0) break;
        const q = this.blank(p, c);
        if (q === p) break;
        p = q;
      }
      c = bytes[p] as number;
    }
    this.start = p;
    this.line = this.nextLine;
    this.lineStart = this.nextLineStart;
    const cls = CLASS[c] as number;
    if (cls & START) this.word(p, c);
    else if (c === 44 || c === 59) {
      this.kind = c;
      this.end = p + 1;
    } else if (cls & DIGIT) readNumber(this, p);
    else if (c === 46) this.dotted(p);
    else if (c === 0) {
      this.kind = T.eof;
      this.end = p;
    } else this.punctuation(p, c);
  }

  /** End of the rarer blank or the comment that begins at `p`; `p` if none does. */
  private blank(p: number, c: number): number {
    const d = this.bytes[p + 1];
    if (c === 47 && d === 42) return this.blockComment(p);
    if ((c === 47 && d === 47) || (c === 35 && LINE_MARKER.test(this.text.slice(p, p + 40)))) {
      const end = this.bytes.indexOf(10, p);
      return end < 0 ? this.length : end;
    }
    return c === 47 || c === 35 ? p : p + 1;
  }

  private blockComment(pos: number): number {
    const close = this.text.indexOf("*/", pos + 2);
    if (close < 0) {
      const at = { start: pos, end: this.length, line: this.nextLine, column: pos - this.nextLineStart + 1 };
      this.report("fatal", "Parsing error near '': unexpected EOF while scanning", at);
      return this.length;
    }
    this.newlines(pos, close);
    return close + 2;
  }

  /** Counts the newlines inside a token or comment. */
  private newlines(from: number, to: number): void {
    for (let nl = this.bytes.indexOf(10, from); nl >= 0 && nl < to; nl = this.bytes.indexOf(10, nl + 1)) {
      this.nextLine++;
      this.nextLineStart = nl + 1;
    }
  }

  private word(pos: number, first: number): void {
    const bytes = this.bytes;
    let p = pos + 1;
    while ((CLASS[bytes[p] as number] as number) & PART) p++;
    this.end = p;
    if (p === pos + 1 && first === 95) this.kind = T.sink;
    else if (p === pos + 1 && first === 37) this.kind = 37;
    else {
      this.kind = T.word;
      this.wordId = -1;
    }
  }

  /** `.word`, `.2d`, `.L2::128B`; `.5` is a number; `.version 9.0` one token. */
  private dotted(pos: number): void {
    const { bytes, text } = this;
    const p = this.dottedEnd(pos + 1);
    if (p === pos + 1) {
      this.kind = 46;
      this.end = p;
      return;
    }
    if ((CLASS[bytes[pos + 1] as number] as number) & DIGIT && FRACTION.test(text.slice(pos, p))) {
      readNumber(this, pos);
      return;
    }
    this.kind = T.dotted;
    this.end = p;
    this.content = this.names.strings[this.names.id(pos + 1, p)] as string;
    if (this.content === "version") {
      const m = VERSION.exec(text.slice(p, p + 40));
      if (m !== null) {
        this.kind = T.version;
        this.lo = Number(m[1]);
        this.hi = Number(m[2]);
        this.end = p + m[0].length;
      }
    }
  }

  /** End of the word that begins at `p`; `::` joins two words. */
  private dottedEnd(p: number): number {
    const bytes = this.bytes;
    let at = p;
    for (;;) {
      const c = bytes[at] as number;
      if ((CLASS[c] as number) & PART) at++;
      else if (c === 58 && at > p && bytes[at + 1] === 58 && (CLASS[bytes[at + 2] as number] as number) & PART) at += 2;
      else return at;
    }
  }

  /**
   * The number of the current word as an opcode with the dotted words that follow it; afterwards the current token is what comes next.
   * The common case, no space inside, costs one look-up.
   */
  mnemonic(): number {
    const bytes = this.bytes;
    let p = this.end;
    if (bytes[p] === 46)
      for (;;) {
        const c = bytes[p] as number;
        if (((CLASS[c] as number) & PART) === 0) {
          // A dot or `::` only with a word after it.
          const next = c === 46 ? p + 1 : c === 58 && bytes[p + 1] === 58 ? p + 2 : p;
          if (next === p || ((CLASS[bytes[next] as number] as number) & PART) === 0) break;
          p = next;
        }
        p++;
      }
    const m = this.mnemonics.number(this.start, p);
    this.end = p;
    this.next();
    if (this.kind !== T.dotted) return m;
    const more: string[] = [];
    for (; this.kind === T.dotted; this.next()) more.push(this.value);
    return this.mnemonics.longer(m, more);
  }

  /** The byte directly after the current token; 0 at the end of the text. */
  get following(): number {
    return this.bytes[this.end] as number;
  }

  /** Steps over the current token and the byte directly after it, which is a token of its own. */
  nextButOne(): void {
    this.end++;
    this.next();
  }

  /** Whether a colon follows the current word, at most blanks between: it is a label. */
  colonFollows(): boolean {
    const bytes = this.bytes;
    let p = this.end;
    while (bytes[p] === 32) p++;
    return bytes[p] === 58;
  }

  private punctuation(pos: number, c: number): void {
    this.end = pos + 1;
    this.kind = c;
    const d = this.bytes[pos + 1];
    let two = 0;
    if (c === 60) two = d === 60 ? T.shl : d === 61 ? T.le : 0;
    else if (c === 62) two = d === 62 ? T.shr : d === 61 ? T.ge : 0;
    else if (c === 61 && d === 61) two = T.eq;
    else if (c === 33 && d === 61) two = T.ne;
    else if (c === 38 && d === 38) two = T.and;
    else if (c === 124 && d === 124) two = T.or;
    if (two !== 0) {
      this.kind = two;
      this.end = pos + 2;
    } else if (c === 34) this.string(pos);
    else if (c === 64 && d === 64 && this.text.startsWith("@@DWARF", pos)) {
      const nl = this.bytes.indexOf(10, pos);
      this.kind = T.dwarf;
      this.end = nl < 0 ? this.length : nl;
      this.content = this.text.slice(pos, this.end);
    }
  }

  private string(pos: number): void {
    const close = this.text.indexOf('"', pos + 1);
    if (close < 0) {
      this.end = this.length;
      this.kind = T.unknown;
      return;
    }
    this.kind = T.string;
    this.end = close + 1;
    this.content = this.text.slice(pos + 1, close);
    this.newlines(pos, close);
  }

  // ------------------------------------------------------------------------------------------------------------ for the parser

  /** The first instruction that a syntax error among its operands ended. */
  unfinished: Unfinished | null = null;

  span(): Span {
    return { start: this.start, end: this.end, line: this.line, column: this.column };
  }

  overflow(): void {
    this.report("error", "Constant overflow", this.span());
  }

  report(severity: "fatal" | "error" | "warning", message: string, at: Span | null): void {
    if (this.diagnostics.length < MAX_ERRORS) this.diagnostics.push(diagnostic(severity, message, at));
    else this.gaveUp = true;
  }

  /** Records ptxas's syntax error at the current token and leaves the construct. */
  syntaxError(): never {
    const token = this.tokenText();
    const last = this.diagnostics[this.diagnostics.length - 1];
    const repeated = this.kind === T.eof && last?.severity === "fatal" && last.span?.end === this.length;
    if (!repeated) this.report("fatal", `Parsing error near '${token}': syntax error`, this.span());
    throw SYNTAX;
  }

  /** The current token as ptxas quotes it: names of instructions are one token with their dots. */
  private tokenText(): string {
    if (this.kind === T.dwarf) return "@@DWARF";
    const word = this.text.slice(this.start, this.end);
    if (this.kind !== T.word || this.bytes[this.end] !== 46) return word;
    let end = this.end;
    while (this.bytes[end] === 46 && this.dottedEnd(end + 1) > end + 1) end = this.dottedEnd(end + 1);
    return longestName(word, this.text.slice(this.end + 1, end).split("."))?.name ?? word;
  }

  /** Records a fatal error other than a plain syntax error, and leaves the construct. */
  fatal(message: string, at: Span): never {
    this.report("fatal", message, at);
    throw SYNTAX;
  }

  /** Whether the current token is of this kind (a method, since the type checker does not see that `next` changes fields). */
  at(kind: number): boolean {
    return this.kind === kind;
  }

  /** Whether it is the dotted word `word`. */
  atWord(word: string): boolean {
    return this.kind === T.dotted && this.value === word;
  }

  expect(kind: number): void {
    if (this.kind !== kind) this.syntaxError();
    this.next();
  }

  accept(kind: number): boolean {
    if (this.kind !== kind) return false;
    this.next();
    return true;
  }

  expectWord(): string {
    if (this.kind !== T.word) this.syntaxError();
    const name = this.value;
    this.next();
    return name;
  }

  /** True while it makes sense to go on after errors. */
  get alive(): boolean {
    return !this.gaveUp;
  }

  /** Guards recursion; text nested deeper than any real program is refused instead of exhausting the stack. */
  enter(): void {
    if (this.depth >= MAX_DEPTH) this.fatal("Parsing error: nested too deeply", this.span());
    this.depth++;
  }

  leave(): void {
    this.depth--;
  }

  mark(): number {
    return this.depth;
  }

  reset(depth: number): void {
    this.depth = depth;
  }
}

const LINE_MARKER: RegExp = /^#[ \t]+\d+[ \t]+"/;
const VERSION: RegExp = /^[ \t]+(\d+)\.(\d+)/;
const FRACTION: RegExp = /^\.\d+(?:[eE]\d*)?$/;
