import type { Span } from "../diagnostics.js";
import type { Guard, Instruction, Operand, Statement, StatementList } from "./ast.js";

/**
 * The statements of a block, its instructions in columns of numbers.
 *
 * Instructions are nearly all of a module. As an object with an array of operands each, they keep the garbage collector busy for as long as the parser
 * is with the text; as rows of an Int32Array they cost it nothing. What the numbers mean is kept once for a module (`Forms`); the other statements are
 * objects as they were parsed. Written by writer.ts.
 */

/** An opcode with its modifiers, one object for every spelling that occurs. */
export interface Mnemonic {
  readonly opcode: string;
  readonly modifiers: readonly string[];
}

export type OtherStatement = Exclude<Statement, Instruction>;

/** What the statements of a module are made of; numbers in rows are indices into these. */
export interface Forms {
  readonly mnemonics: readonly Mnemonic[];
  readonly operands: readonly Operand[];
  readonly guards: readonly Guard[];
  /** Statements other than instructions. */
  readonly others: readonly OtherStatement[];
  /** The operands of all instructions, each one's in a row. */
  readonly numbers: Int32Array;
}

/** Numbers of a row. */
export const ROW = 6;
/** Twice the mnemonic's number, and one more if a guard's number stands before those of the operands. Of other statements `~` their index. */
export const WHAT = 0;
export const START = 1;
export const END = 2;
export const LINE = 3;
export const COLUMN = 4;
/** Where the numbers of its operands begin; they end where the next row says the same. */
export const OPERANDS = 5;

const NONE: readonly never[] = [];

/** One instruction as read from its row. Its span is made when asked for: few are. */
class ParsedInstruction implements Instruction {
  readonly kind = "instruction";
  readonly guard: Guard | null;
  readonly opcode: string;
  readonly modifiers: readonly string[];
  readonly operands: readonly Operand[];
  readonly #rows: Int32Array;
  readonly #at: number;

  constructor(guard: Guard | null, m: Mnemonic, operands: readonly Operand[], rows: Int32Array, at: number) {
    this.guard = guard;
    this.opcode = m.opcode;
    this.modifiers = m.modifiers;
    this.operands = operands;
    this.#rows = rows;
    this.#at = at;
  }

  get span(): Span {
    const rows = this.#rows;
    const at = this.#at;
    return {
      start: rows[at + START] as number,
      end: rows[at + END] as number,
      line: rows[at + LINE] as number,
      column: rows[at + COLUMN] as number,
    };
  }
}

/** Rows of a column that others may share. */
export interface Rows {
  readonly rows: Int32Array;
}

export class ParsedStatements implements StatementList {
  readonly length: number;
  readonly #forms: Forms;
  readonly #column: Rows;
  readonly #from: number;
  readonly #operandsEnd: number;

  /** The rows from `from` to before `to`, counted in numbers; the operands of the last one end at `operandsEnd`. */
  constructor(forms: Forms, column: Rows, from: number, to: number, operandsEnd: number) {
    this.length = (to - from) / ROW;
    this.#forms = forms;
    this.#column = column;
    this.#from = from;
    this.#operandsEnd = operandsEnd;
  }

  at(index: number): Statement | undefined {
    const k = index < 0 ? this.length + index : index;
    return k >= 0 && k < this.length ? this.statement(k) : undefined;
  }

  map<T>(f: (statement: Statement, index: number) => T): T[] {
    return Array.from(this, f);
  }

  others(): readonly OtherStatement[] {
    const { others } = this.#forms;
    const { rows } = this.#column;
    const to = this.#from + this.length * ROW;
    const out: OtherStatement[] = [];
    for (let at = this.#from; at < to; at += ROW) {
      const what = rows[at + WHAT] as number;
      if (what < 0) out.push(others[~what] as OtherStatement);
    }
    return out;
  }

  [Symbol.iterator](): Iterator<Statement> {
    return new Each(this);
  }

  /** That of an index which is there. */
  statement(k: number): Statement {
    const { mnemonics, operands, guards, others, numbers } = this.#forms;
    const { rows } = this.#column;
    const at = this.#from + k * ROW;
    const what = rows[at + WHAT] as number;
    if (what < 0) return others[~what] as OtherStatement;
    const end = k + 1 < this.length ? (rows[at + ROW + OPERANDS] as number) : this.#operandsEnd;
    let p = rows[at + OPERANDS] as number;
    const guard = (what & 1) === 0 ? null : (guards[numbers[p++] as number] as Guard);
    return new ParsedInstruction(guard, mnemonics[what >> 1] as Mnemonic, pick(operands, numbers, p, end), rows, at);
  }
}

/** Literals of their final length for the usual counts: they are a fifth of an array grown by `push`. */
function pick(all: readonly Operand[], numbers: Int32Array, p: number, end: number): readonly Operand[] {
  switch (end - p) {
    case 0:
      return NONE;
    case 1:
      return [all[numbers[p] as number] as Operand];
    case 2:
      return [all[numbers[p] as number] as Operand, all[numbers[p + 1] as number] as Operand];
    case 3:
      return [
        all[numbers[p] as number] as Operand,
        all[numbers[p + 1] as number] as Operand,
        all[numbers[p + 2] as number] as Operand,
      ];
    default:
      return Array.from(numbers.subarray(p, end), (n) => all[n] as Operand);
  }
}

class Each implements Iterator<Statement> {
  readonly #list: ParsedStatements;
  #next: number = 0;

  constructor(list: ParsedStatements) {
    this.#list = list;
  }

  next(): IteratorResult<Statement> {
    if (this.#next >= this.#list.length) return { done: true, value: undefined };
    return { done: false, value: this.#list.statement(this.#next++) };
  }
}
