/** An instruction set of two opcodes that only these tests know: a decoder without a tool. */
import type { Answer, Decoder } from "../../tools/harvest/decoder";
import { bitOf, fieldOf, keyOf, type Word } from "../../tools/harvest/word";

const bits = (lo: number, n: number): number[] => Array.from({ length: n }, (_, i) => lo + i);
const value = (w: Word, lo: number, n: number): number => Number(fieldOf(w, bits(lo, n)));
const register = (w: Word, lo: number): string => (value(w, lo, 8) === 255 ? "RZ" : `R${value(w, lo, 8)}`);

/** Text of a word at an address; null where it is refused. */
export function fakeText(w: Word, address: number): string | null {
  const p = value(w, 12, 3);
  const guard = p === 7 && !bitOf(w, 15) ? "" : `@${bitOf(w, 15) ? "!" : ""}${p === 7 ? "PT" : `P${p}`} `;
  switch (keyOf(w)) {
    // d, a, b or an immediate: bit 80 chooses the shape; three types, one undefined, value 3 refused; a pair as n and n + 1.
    case 0x210: {
      const type = value(w, 73, 2);
      if (type === 3) return null;
      const name = `FOO${["", ".X", ".INVALID2"][type]}`;
      const d = value(w, 16, 7);
      const b = bitOf(w, 80) ? `0x${value(w, 32, 32).toString(16)}` : `${bitOf(w, 75) ? "-" : ""}${register(w, 32)}`;
      return `${guard}${name} R${d}, R${d + 1}, ${register(w, 24)}, ${b}`;
    }
    // A branch, whose text is an address, and an address whose offset is left out when it is 0.
    case 0x1947: {
      const offset = (value(w, 34, 24) << 8) >> 8;
      const at = `0x${(address + 16 + 4 * offset).toString(16)}`.replace("0x-", "-0x");
      const base = register(w, 24);
      const more = value(w, 64, 8);
      const inside = base === "RZ" ? `0x${more.toString(16)}` : more === 0 ? base : `${base}+0x${more.toString(16)}`;
      return `${guard}JUMP [${inside}], ${at}`;
    }
    default:
      return null;
  }
}

export class Fake implements Decoder {
  words = 0;
  /** Runs until it breaks down. */
  left = Number.POSITIVE_INFINITY;

  decode(words: readonly Word[]): Answer[] {
    if (this.left-- <= 0) throw new Error("interrupted");
    this.words += words.length;
    return words.map((w, i) => {
      const text = fakeText(w, 16 * i);
      return text === null
        ? { text: null, state: keyOf(w) === 0x210 ? "refused" : "unknown", address: 0 }
        : { text, state: "printed", address: 16 * i };
    });
  }
}
