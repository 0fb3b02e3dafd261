import type { AddressOperand, Guard, IntOperand, NameOperand, Operand, SinkOperand, StatementList } from "./ast.js";
import {
  COLUMN,
  END,
  type Forms,
  LINE,
  type Mnemonic,
  OPERANDS,
  type OtherStatement,
  ParsedStatements,
  ROW,
  type Rows,
  START,
  WHAT,
} from "./statements.js";

const NONE: readonly never[] = [];

/** Integers from 0 on, and as many from -1 down, that every table of operands begins with: most constants are among them. */
const SMALL = 256;

const COMMON: readonly (IntOperand | SinkOperand)[] = [
  ...Array.from({ length: SMALL }, (_, lo): IntOperand => ({ kind: "int", lo, hi: 0, unsigned: false })),
  ...Array.from(
    { length: SMALL },
    (_, k): IntOperand => ({ kind: "int", lo: ~k >>> 0, hi: 0xffffffff, unsigned: false }),
  ),
  { kind: "sink" },
];

/** The number of `_`. */
export const SINK: number = COMMON.length - 1;

/**
 * Bytes of text for each row and for each operand that there is room for from the start: fewer than nvcc's code has (32 and 14), so that its columns
 * need not grow. What stays untouched of them costs address space and no memory.
 */
const BYTES_PER_ROW = 24;
const BYTES_PER_OPERAND = 12;

/** Makes the columns of statements.ts, for all blocks of a module. */
export class BodyWriter implements Forms, Rows {
  readonly mnemonics: readonly Mnemonic[];
  readonly operands: Operand[] = [...COMMON];
  readonly guards: Guard[] = [];
  readonly others: OtherStatement[] = [];
  rows: Int32Array;
  numbers: Int32Array;
  /** After the last row and the last operand. */
  row: number = 0;
  operand: number = 0;
  private readonly words: readonly string[];
  private readonly guardNumbers: Map<number, number> = new Map();
  /** By the word's number: that of the operand which is nothing but the name, and of the address which is nothing but a base; 0 for none yet. */
  private names: Int32Array = new Int32Array(64);
  private addresses: Int32Array = new Int32Array(64);

  /** The opcodes with their modifiers and the words of the text, which grow while it is read; its length. */
  constructor(mnemonics: readonly Mnemonic[], words: readonly string[], length: number) {
    this.mnemonics = mnemonics;
    this.words = words;
    this.rows = new Int32Array((16 + Math.floor(length / BYTES_PER_ROW)) * ROW);
    this.numbers = new Int32Array(16 + Math.floor(length / BYTES_PER_OPERAND));
  }

  // --------------------------------------------------------------------------------------------------------------- statements

  /** A statement other than an instruction. `operands` is where those of what follows begin, or of what it holds itself. */
  statement(s: OtherStatement, operands: number = this.operand): void {
    const at = this.newRow();
    this.rows[at + WHAT] = ~this.others.length;
    this.rows[at + OPERANDS] = operands;
    this.others.push(s);
  }

  /** `operands` is where the numbers of its operands, guard included, begin. */
  instruction(
    mnemonic: number,
    guarded: boolean,
    start: number,
    end: number,
    line: number,
    column: number,
    operands: number,
  ): void {
    const at = this.newRow();
    const rows = this.rows;
    rows[at + WHAT] = mnemonic * 2 + (guarded ? 1 : 0);
    rows[at + START] = start;
    rows[at + END] = end;
    rows[at + LINE] = line;
    rows[at + COLUMN] = column;
    rows[at + OPERANDS] = operands;
  }

  private newRow(): number {
    const at = this.row;
    if (at + ROW > this.rows.length) this.rows = larger(this.rows, at + ROW);
    this.row = at + ROW;
    return at;
  }

  /** Takes back the statement that was begun when these were `row` and `operand`. */
  cut(row: number, operand: number): void {
    this.row = row;
    this.operand = operand;
  }

  /** The statements since `row` was that, as those of a block. Rows of an inner block leave the column, where the outer goes on. */
  close(row: number, inner: boolean): StatementList {
    if (!inner) return new ParsedStatements(this, this, row, this.row, this.operand);
    const rows = this.rows.slice(row, this.row);
    this.row = row;
    return new ParsedStatements(this, { rows }, 0, rows.length, this.operand);
  }

  // ----------------------------------------------------------------------------------------------------------------- operands

  /** The next operand of the instruction, by its number. */
  push(number: number): void {
    const at = this.operand;
    if (at === this.numbers.length) this.numbers = larger(this.numbers, at + 1);
    this.numbers[at] = number;
    this.operand = at + 1;
  }

  /** The number of an operand that is not looked for among those there are. */
  add(o: Operand): number {
    return this.operands.push(o) - 1;
  }

  of(number: number): Operand {
    return this.operands[number] as Operand;
  }

  /** The number of the operand that is this word and nothing else. */
  name(word: number): number {
    const known = word < this.names.length ? (this.names[word] as number) : 0;
    return known !== 0 ? known : this.newName(word);
  }

  private newName(word: number): number {
    if (word >= this.names.length) this.names = larger(this.names, word + 1);
    const name = this.words[word] as string;
    const made: NameOperand = { kind: "name", name, component: null, offset: 0, index: null };
    const number = this.add(made);
    this.names[word] = number;
    return number;
  }

  /** The number of this word as an address without an offset. */
  address(word: number): number {
    const known = word < this.addresses.length ? (this.addresses[word] as number) : 0;
    return known !== 0 ? known : this.newAddress(word);
  }

  private newAddress(word: number): number {
    if (word >= this.addresses.length) this.addresses = larger(this.addresses, word + 1);
    const made: AddressOperand = { kind: "address", base: this.words[word] as string, offset: 0, rest: NONE };
    const number = this.add(made);
    this.addresses[word] = number;
    return number;
  }

  integer(lo: number, hi: number, unsigned: boolean): number {
    if (!unsigned) {
      if (hi === 0 && lo < SMALL) return lo;
      if (hi === 0xffffffff && lo >= 0x100000000 - SMALL) return SMALL + (~lo >>> 0);
    }
    return this.add({ kind: "int", lo, hi, unsigned });
  }

  guard(word: number, negated: boolean): number {
    const key = word * 2 + (negated ? 1 : 0);
    const known = this.guardNumbers.get(key);
    if (known !== undefined) return known;
    const number = this.guards.push({ name: this.words[word] as string, negated }) - 1;
    this.guardNumbers.set(key, number);
    return number;
  }
}

function larger(a: Int32Array, needed: number): Int32Array {
  const b = new Int32Array(Math.max(needed, a.length * 2));
  b.set(a);
  return b;
}
