/**
 * The dotted words after an opcode. Every lowering takes the words it understands; what is left over at the end makes
 * the instruction unsupported, so that an unknown modifier never gives wrong code.
 */
import { Refusal } from "./refusal.js";
import { type PtxType, typeNamed } from "./types.js";

export class Modifiers {
  private readonly words: readonly string[];
  private taken: number;

  constructor(words: readonly string[]) {
    this.words = words;
    this.taken = 0;
  }

  /** Takes the word if it is there. */
  flag(word: string): boolean {
    for (let i = 0; i < this.words.length; i++) {
      if (this.words[i] === word && (this.taken & (1 << i)) === 0) {
        this.taken |= 1 << i;
        return true;
      }
    }
    return false;
  }

  /** Takes the first of these words that is there; null when none is. */
  oneOf<T extends string>(choices: readonly T[]): T | null {
    for (let i = 0; i < this.words.length; i++) {
      if ((this.taken & (1 << i)) !== 0) continue;
      for (const choice of choices) {
        if (choice === this.words[i]) {
          this.taken |= 1 << i;
          return choice;
        }
      }
    }
    return null;
  }

  /** As `oneOf`; the instruction is refused when none is there. */
  need<T extends string>(choices: readonly T[]): T {
    const word = this.oneOf(choices);
    if (word === null) throw new Refusal();
    return word;
  }

  /** Takes the next word that names a type. */
  type(): PtxType {
    const t = this.maybeType();
    if (t === null) throw new Refusal();
    return t;
  }

  maybeType(): PtxType | null {
    for (let i = 0; i < this.words.length; i++) {
      if ((this.taken & (1 << i)) !== 0) continue;
      const t = typeNamed(this.words[i] as string);
      if (t !== null) {
        this.taken |= 1 << i;
        return t;
      }
    }
    return null;
  }

  /** Refuses the instruction unless every word was taken. */
  finish(): void {
    if (this.words.length > 31 || this.taken !== 2 ** this.words.length - 1) throw new Refusal();
  }
}
