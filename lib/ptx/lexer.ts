import { type Diagnostic, diagnostic, type Span } from "../diagnostics.js";
import { longestName } from "./spec/instructions.js";

/**
 * The scanner: one pass over the text on demand, one token ahead, no token objects.
 *
 * The current token lives in the scanner's fields. Words are interned by a hash taken while their characters are read, so a name that occurs a
 * thousand times is one string, and no substring is made to look it up. What counts as one token follows ptxas, because its messages quote the
 * token at which the parser gave up: a dotted word with its dot (`.u32`), `.version 9.0` as a whole, `08` as `0` and `8`.
 */

/** Token kinds; punctuation has its character code, two-character operators those below. */
export const T = {
  eof: 0,
  word: 1,
  /** `.word`; the scanner's `value` has no dot. */
  dotted: 2,
  int: 3,
  float: 4,
  string: 5,
  sink: 6,
  version: 7,
  dwarf: 8,
  unknown: 9,
  shl: 256,
  shr: 257,
  le: 258,
  ge: 259,
  eq: 260,
  ne: 261,
  and: 262,
  or: 263,
} as const;

const START = 1;
const PART = 2;
const DIGIT = 4;
const HEX = 8;

const CLASS: Uint8Array = (() => {
  const t = new Uint8Array(256);
  const mark = (chars: string, bits: number): void => {
    for (const c of chars) t[c.charCodeAt(0)] = (t[c.charCodeAt(0)] as number) | bits;
  };
  const letters = "abcdefghijklmnopqrstuvwxyz";
  mark(`${letters}${letters.toUpperCase()}_$%`, START);
  mark(`${letters}${letters.toUpperCase()}_$0123456789`, PART);
  mark("0123456789", DIGIT);
  mark("0123456789abcdefABCDEF", HEX);
  return t;
})();

/** Characters to their class; everything above ASCII has none (the text was checked to be ASCII before). */
function classOf(c: number): number {
  return c < 128 ? (CLASS[c] as number) : 0;
}

/** Names to one string each, found by hash of their characters in the source text. */
export class Interner {
  private slots: Int32Array = new Int32Array(4096).fill(-1);
  private readonly strings: string[] = [];
  private readonly hashes: number[] = [];

  get(text: string, start: number, end: number, hash: number): string {
    const mask = this.slots.length - 1;
    let at = hash & mask;
    for (;;) {
      const id = this.slots[at] as number;
      if (id < 0) break;
      if (this.hashes[id] === hash && same(this.strings[id] as string, text, start, end))
        return this.strings[id] as string;
      at = (at + 1) & mask;
    }
    const s = text.slice(start, end);
    this.slots[at] = this.strings.length;
    this.strings.push(s);
    this.hashes.push(hash);
    if (this.strings.length * 2 > this.slots.length) this.grow();
    return s;
  }

  private grow(): void {
    const slots = new Int32Array(this.slots.length * 4).fill(-1);
    const mask = slots.length - 1;
    for (let id = 0; id < this.strings.length; id++) {
      let at = (this.hashes[id] as number) & mask;
      while ((slots[at] as number) >= 0) at = (at + 1) & mask;
      slots[at] = id;
    }
    this.slots = slots;
  }
}

function same(s: string, text: string, start: number, end: number): boolean {
  if (s.length !== end - start) return false;
  for (let i = 0; i < s.length; i++) if (s.charCodeAt(i) !== text.charCodeAt(start + i)) return false;
  return true;
}

/** An opcode with its modifiers, one object for every spelling that occurs. */
export interface Mnemonic {
  readonly opcode: string;
  readonly modifiers: readonly string[];
}

/** Thrown (and caught inside this room) to leave a construct after its syntax error was recorded. */
export const SYNTAX: unique symbol = Symbol("syntax error");

const MAX_ERRORS = 100;
const MAX_DEPTH = 200;

export class Scanner {
  readonly text: string;
  readonly diagnostics: Diagnostic[] = [];
  /** Current token. */
  kind: number = T.eof;
  start: number = 0;
  end: number = 0;
  line: number = 1;
  column: number = 1;
  /** Interned text of words, without dot; content of strings; digits and all of numbers are left in the source. */
  value: string = "";
  lo: number = 0;
  hi: number = 0;
  unsigned: boolean = false;
  width: 32 | 64 = 64;
  /** End of the token before the current one. */
  previousEnd: number = 0;
  private pos: number = 0;
  private nextLine: number = 1;
  private lineStart: number = 0;
  private depth: number = 0;
  private gaveUp: boolean = false;
  private readonly names: Interner = new Interner();
  private readonly mnemonics: Map<string, Mnemonic> = new Map();
  private readonly spellings: Interner = new Interner();

  constructor(text: string) {
    this.text = text;
    this.next();
  }

  /** Reads the next token into the fields. */
  next(): void {
    this.previousEnd = this.end;
    this.skipSpace();
    const pos = this.pos;
    this.start = pos;
    this.line = this.nextLine;
    this.column = pos - this.lineStart + 1;
    if (pos >= this.text.length) {
      this.kind = T.eof;
      this.end = pos;
      return;
    }
    const c = this.text.charCodeAt(pos);
    const cls = classOf(c);
    if (cls & START) this.word(pos, c);
    else if (cls & DIGIT) this.number(pos);
    else if (c === 46) this.dotted(pos);
    else this.punctuation(pos, c);
    this.pos = this.end;
  }

  /** Blanks are those of ptxas (measured): the SUB that ends DOS files (26) is one, the vertical tab is none. */
  private skipSpace(): void {
    const text = this.text;
    let pos = this.pos;
    for (;;) {
      const c = text.charCodeAt(pos);
      if (c === 10) {
        pos++;
        this.nextLine++;
        this.lineStart = pos;
      } else if (c === 32 || c === 9 || c === 13 || c === 12 || c === 26) pos++;
      else if (c === 47 && text.charCodeAt(pos + 1) === 47) {
        const end = text.indexOf("\n", pos);
        pos = end < 0 ? text.length : end;
      } else if (c === 47 && text.charCodeAt(pos + 1) === 42) pos = this.blockComment(pos);
      else if (c === 35 && LINE_MARKER.test(text.slice(pos, pos + 40))) {
        const end = text.indexOf("\n", pos);
        pos = end < 0 ? text.length : end;
      } else break;
    }
    this.pos = pos;
  }

  private blockComment(pos: number): number {
    const close = this.text.indexOf("*/", pos + 2);
    if (close < 0) {
      const at = { start: pos, end: this.text.length, line: this.nextLine, column: pos - this.lineStart + 1 };
      this.report("fatal", "Parsing error near '': unexpected EOF while scanning", at);
      return this.text.length;
    }
    for (let nl = this.text.indexOf("\n", pos); nl >= 0 && nl < close; nl = this.text.indexOf("\n", nl + 1)) {
      this.nextLine++;
      this.lineStart = nl + 1;
    }
    return close + 2;
  }

  private word(pos: number, first: number): void {
    const text = this.text;
    let hash = first;
    let p = pos + 1;
    for (;;) {
      const c = text.charCodeAt(p);
      if (!(c < 128) || !((CLASS[c] as number) & PART)) break;
      hash = (Math.imul(hash, 31) + c) | 0;
      p++;
    }
    this.end = p;
    if (p === pos + 1 && first === 95) this.kind = T.sink;
    else if (p === pos + 1 && first === 37) this.kind = 37;
    else {
      this.kind = T.word;
      this.value = this.names.get(text, pos, p, hash);
    }
  }

  /** `.word`, `.2d`, `.L2::128B`; `.5` is a number; `.version 9.0` one token. */
  private dotted(pos: number): void {
    const text = this.text;
    const p = this.dottedEnd(pos + 1);
    if (p === pos + 1) {
      this.kind = 46;
      this.end = p;
      return;
    }
    if (classOf(text.charCodeAt(pos + 1)) & DIGIT && FRACTION.test(text.slice(pos, p))) {
      this.number(pos);
      return;
    }
    let hash = 0;
    for (let i = pos + 1; i < p; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
    this.kind = T.dotted;
    this.end = p;
    this.value = this.names.get(text, pos + 1, p, hash);
    if (this.value === "version") {
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
    const text = this.text;
    let at = p;
    for (;;) {
      const c = text.charCodeAt(at);
      if (c < 128 && (CLASS[c] as number) & PART) at++;
      else if (c === 58 && at > p && text.charCodeAt(at + 1) === 58 && classOf(text.charCodeAt(at + 2)) & PART) at += 2;
      else return at;
    }
  }

  /**
   * The current word as an opcode with the dotted words that follow it; afterwards the current token is what comes next.
   * The common case, no space inside, costs one look-up.
   */
  mnemonic(): Mnemonic {
    const text = this.text;
    let p = this.end;
    let m: Mnemonic;
    if (text.charCodeAt(p) === 46) {
      let hash = 7;
      for (let i = this.start; i < p; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
      while (text.charCodeAt(p) === 46) {
        const q = this.dottedEnd(p + 1);
        if (q === p + 1) break;
        for (let i = p; i < q; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
        p = q;
      }
      m = this.spelled(this.spellings.get(text, this.start, p, hash));
      this.end = p;
      this.pos = p;
    } else m = this.spelled(this.value);
    this.next();
    if (this.kind !== T.dotted) return m;
    let spelling = [m.opcode, ...m.modifiers].join(".");
    while (this.kind === T.dotted) {
      spelling += `.${this.value}`;
      this.next();
    }
    return this.spelled(spelling);
  }

  private spelled(text: string): Mnemonic {
    const known = this.mnemonics.get(text);
    if (known !== undefined) return known;
    const [opcode, ...modifiers] = text.split(".");
    const m = { opcode: opcode as string, modifiers };
    this.mnemonics.set(text, m);
    return m;
  }

  private number(pos: number): void {
    const text = this.text;
    const c = text.charCodeAt(pos);
    const d = text.charCodeAt(pos + 1) | 32;
    this.unsigned = false;
    if (c === 48 && d === 120 && classOf(text.charCodeAt(pos + 2)) & HEX) this.radix(pos + 2, 16);
    else if (c === 48 && d === 98 && (text.charCodeAt(pos + 2) & 0xfe) === 48) this.radix(pos + 2, 2);
    else if (c === 48 && d === 102 && this.hexRun(pos + 2, 8)) this.hexFloat(pos, 8);
    else if (c === 48 && d === 100 && this.hexRun(pos + 2, 16)) this.hexFloat(pos, 16);
    else this.decimalNumber(pos, c);
  }

  private decimalNumber(pos: number, c: number): void {
    const text = this.text;
    let p = pos;
    while (classOf(text.charCodeAt(p)) & DIGIT) p++;
    const after = text.charCodeAt(p);
    FLOAT.lastIndex = pos;
    const float = after === 46 || after === 101 || after === 69 ? FLOAT.exec(text) : null;
    if (float !== null && float[0].length > p - pos) this.decimalFloat(pos, float[0]);
    else if (c !== 48 || p === pos + 1) this.decimal(pos, p);
    else if ((text.charCodeAt(pos + 1) & 0xf8) === 48) this.radix(pos, 8);
    else this.decimal(pos, pos + 1);
  }

  private hexRun(p: number, n: number): boolean {
    for (let i = 0; i < n; i++) if (!(classOf(this.text.charCodeAt(p + i)) & HEX)) return false;
    return true;
  }

  private decimal(pos: number, end: number): void {
    this.kind = T.int;
    if (end - pos > 400) {
      // No loop over the digits of nonsense.
      this.end = end;
      this.lo = 0;
      this.hi = 0;
      this.report("error", "Constant overflow", this.span());
    } else if (end - pos <= 15) {
      let v = 0;
      for (let i = pos; i < end; i++) v = v * 10 + this.text.charCodeAt(i) - 48;
      this.lo = v >>> 0;
      this.hi = Math.floor(v / 0x100000000);
    } else this.big(BigInt(this.text.slice(pos, end)), pos, end);
    this.suffix(end);
  }

  private radix(pos: number, radix: 2 | 8 | 16): void {
    const shift = radix === 16 ? 4 : radix === 8 ? 3 : 1;
    let lo = 0;
    let hi = 0;
    let p = pos;
    let overflow = false;
    for (; ; p++) {
      const c = this.text.charCodeAt(p);
      if (!(classOf(c) & HEX)) break;
      const digit = c < 58 ? c - 48 : (c | 32) - 87;
      if (digit >= radix) break;
      // ptxas notices an overflow only where the value so far has its top bit set.
      if (hi >>> 31 !== 0) overflow = true;
      hi = ((hi << shift) | (lo >>> (32 - shift))) >>> 0;
      lo = ((lo << shift) | digit) >>> 0;
    }
    this.kind = T.int;
    this.lo = lo;
    this.hi = hi;
    this.end = p;
    this.suffix(p);
    if (overflow) this.report("error", "Constant overflow", this.span());
  }

  private big(v: bigint, pos: number, end: number): void {
    // As in `radix`: the value wraps, and the top bit set before a digit is the overflow that ptxas sees.
    let before = 0n;
    let overflow = false;
    for (let i = pos; i < end; i++) {
      if (before >> 63n !== 0n) overflow = true;
      before = BigInt.asUintN(64, before * 10n + BigInt(this.text.charCodeAt(i) - 48));
    }
    if (overflow) {
      this.end = end;
      this.start = pos;
      this.report("error", "Constant overflow", this.span());
    }
    this.lo = Number(v & 0xffffffffn);
    this.hi = Number((v >> 32n) & 0xffffffffn);
  }

  private suffix(end: number): void {
    const u = this.text.charCodeAt(end) === 85;
    this.end = u ? end + 1 : end;
    this.unsigned = u || this.hi >= 0x80000000;
  }

  private hexFloat(pos: number, digits: 8 | 16): void {
    this.kind = T.float;
    this.width = digits === 8 ? 32 : 64;
    this.end = pos + 2 + digits;
    const high = Number.parseInt(this.text.slice(pos + 2, pos + 10), 16);
    this.lo = digits === 8 ? high : Number.parseInt(this.text.slice(pos + 10, pos + 18), 16);
    this.hi = digits === 8 ? 0 : high;
  }

  private decimalFloat(pos: number, digits: string): void {
    this.kind = T.float;
    this.width = 64;
    this.end = pos + digits.length;
    const v = Number(digits);
    FLOATS[0] = v;
    this.lo = WORDS[0] as number;
    this.hi = WORDS[1] as number;
    if (!Number.isFinite(v)) this.report("error", "Constant overflow", this.span());
  }

  private punctuation(pos: number, c: number): void {
    const text = this.text;
    this.end = pos + 1;
    this.kind = c;
    const d = text.charCodeAt(pos + 1);
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
    else if (c === 64 && text.startsWith("@@DWARF", pos)) {
      const nl = text.indexOf("\n", pos);
      this.kind = T.dwarf;
      this.end = nl < 0 ? text.length : nl;
      this.value = text.slice(pos, this.end);
    }
  }

  private string(pos: number): void {
    const close = this.text.indexOf('"', pos + 1);
    if (close < 0) {
      this.end = this.text.length;
      this.kind = T.unknown;
      return;
    }
    this.kind = T.string;
    this.end = close + 1;
    this.value = this.text.slice(pos + 1, close);
    for (let nl = this.text.indexOf("\n", pos); nl >= 0 && nl < close; nl = this.text.indexOf("\n", nl + 1)) {
      this.nextLine++;
      this.lineStart = nl + 1;
    }
  }

  // ------------------------------------------------------------------------------------------------------------ for the parser

  span(): Span {
    return { start: this.start, end: this.end, line: this.line, column: this.column };
  }

  report(severity: "fatal" | "error" | "warning", message: string, at: Span | null): void {
    if (this.diagnostics.length < MAX_ERRORS) this.diagnostics.push(diagnostic(severity, message, at));
    else this.gaveUp = true;
  }

  /** Records ptxas's syntax error at the current token and leaves the construct. */
  syntaxError(): never {
    const token = this.tokenText();
    const last = this.diagnostics[this.diagnostics.length - 1];
    const repeated = this.kind === T.eof && last?.severity === "fatal" && last.span?.end === this.text.length;
    if (!repeated) this.report("fatal", `Parsing error near '${token}': syntax error`, this.span());
    throw SYNTAX;
  }

  /** The current token as ptxas quotes it: names of instructions are one token with their dots. */
  private tokenText(): string {
    if (this.kind === T.dwarf) return "@@DWARF";
    const word = this.text.slice(this.start, this.end);
    if (this.kind !== T.word || this.text.charCodeAt(this.end) !== 46) return word;
    let end = this.end;
    while (this.text.charCodeAt(end) === 46 && this.dottedEnd(end + 1) > end + 1) end = this.dottedEnd(end + 1);
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
const FLOAT: RegExp = /(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?/y;
const FLOATS: Float64Array = new Float64Array(1);
const WORDS: Uint32Array = new Uint32Array(FLOATS.buffer);
