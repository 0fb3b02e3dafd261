import { Interner } from "./interner.js";
import type { Mnemonic } from "./statements.js";

/** The opcodes with their modifiers that occur in a text, by number: blanks between the words do not make another one. */
export class Mnemonics {
  readonly list: Mnemonic[] = [];
  private readonly spellings: Interner;
  /** Numbers by the spelling's id. */
  private readonly bySpelling: number[] = [];
  private readonly byText: Map<string, number> = new Map();

  constructor(text: string, bytes: Uint8Array) {
    this.spellings = new Interner(text, bytes);
  }

  /** That which is spelled, without blanks, by these bytes of the text. */
  number(start: number, end: number): number {
    const known = this.bySpelling;
    const id = this.spellings.id(start, end);
    if (id === known.length) known.push(this.spelled(this.spellings.strings[id] as string));
    return known[id] as number;
  }

  /** The one of this number with modifiers more. */
  longer(number: number, more: readonly string[]): number {
    const { opcode, modifiers } = this.list[number] as Mnemonic;
    return this.spelled([opcode, ...modifiers, ...more].join("."));
  }

  private spelled(text: string): number {
    const known = this.byText.get(text);
    if (known !== undefined) return known;
    const [opcode, ...modifiers] = text.split(".");
    const number = this.list.push({ opcode: opcode as string, modifiers }) - 1;
    this.byText.set(text, number);
    return number;
  }
}
