import type { Span } from "../diagnostics.js";
import type { Instruction } from "./ast.js";
import { asciiBytes } from "./interner.js";
import { Scanner } from "./lexer.js";
import { T } from "./tokens.js";

/**
 * Where operands stand. The tree does not keep it (ast.ts): the few operands that a message is about are found again in the instruction's text, by
 * commas and brackets alone.
 */
interface Place {
  readonly span: Span;
  /** In brackets, of `!p` and `-r`, and of `p|q`: the parts. Those of an address begin with its base. */
  readonly parts: readonly Place[];
}

/**
 * The position of every operand of `i`, parts included: operands of equal form share one object, so the answer is asked by path. `text` is that of
 * the module (`Module.text`). A tree that no text was parsed to has only the instruction's own span for all of them.
 */
export class OperandPlaces {
  private readonly whole: Span;
  private readonly places: readonly Place[];

  constructor(text: string, i: Instruction) {
    const whole = i.span;
    this.whole = whole;
    const piece = text.slice(whole.start, whole.end);
    const bytes = asciiBytes(piece);
    this.places = bytes === null ? [] : new Reader(new Scanner(piece, bytes), whole).instruction(i);
  }

  /** `path`: the operand's position, then that of the part in it, and so on, counted from 0. */
  span(...path: readonly number[]): Span {
    let places = this.places;
    let found: Place | undefined;
    for (const k of path) {
      found = places[k];
      if (found === undefined) break;
      places = found.parts;
    }
    return found?.span ?? this.whole;
  }
}

/** Brackets to the ones that close them. */
const CLOSING: ReadonlyMap<number, number> = new Map([
  [40, 41],
  [91, 93],
  [123, 125],
]);

class Reader {
  private readonly s: Scanner;
  private readonly whole: Span;

  constructor(s: Scanner, whole: Span) {
    this.s = s;
    this.whole = whole;
  }

  instruction(i: Instruction): readonly Place[] {
    const { s } = this;
    if (i.guard !== null) {
      s.next();
      s.accept(33);
      s.next();
    }
    if (!s.at(T.word)) return [];
    s.mnemonic();
    return s.at(59) ? [] : this.list();
  }

  /** Operands up to the bracket or semicolon that ends them, which stays the current token. */
  private list(): readonly Place[] {
    const out = [this.operand()];
    while (this.s.accept(44)) out.push(this.operand());
    return out;
  }

  private operand(): Place {
    const { s } = this;
    const { start, line, column } = s;
    let parts: readonly Place[] = [];
    if (s.at(33) || s.at(45)) {
      s.next();
      parts = [this.operand()];
    } else {
      const closing = CLOSING.get(s.kind);
      if (closing !== undefined) {
        s.next();
        if (!s.at(closing)) parts = this.list();
        s.next();
      }
      this.rest();
    }
    const first = { span: this.span(start, line, column), parts };
    if (!s.accept(124)) return first;
    const second = this.operand();
    return { span: this.span(start, line, column), parts: [first, second] };
  }

  /** What else belongs to the operand: components, an offset, an index, the tokens of an expression. */
  private rest(): void {
    const { s } = this;
    for (let depth = 0; !s.at(T.eof) && !s.at(59); s.next()) {
      if (CLOSING.has(s.kind)) depth++;
      else if (depth === 0 && (s.at(44) || s.at(124) || s.at(41) || s.at(93) || s.at(125))) return;
      else if (s.at(41) || s.at(93) || s.at(125)) depth--;
    }
  }

  /** From a token of the piece to the end of the one before the current. */
  private span(start: number, line: number, column: number): Span {
    const { whole } = this;
    return {
      start: whole.start + start,
      end: whole.start + this.s.previousEnd,
      line: whole.line + line - 1,
      column: line === 1 ? whole.column + column - 1 : column,
    };
  }
}
