/** Bytes after the end of the text, all 0, so that no look-ahead leaves the array. */
const PADDING = 64;

/** The bytes of an ASCII text, padded; null if it holds a character that no PTX text may hold, in comments neither. */
export function asciiBytes(text: string): Uint8Array | null {
  if (text.includes("\0")) return null;
  const bytes = new Uint8Array(text.length + PADDING);
  const { read, written } = new TextEncoder().encodeInto(text, bytes);
  return read === text.length && written === read ? bytes : null;
}

/** Of a word of four bytes, the first 0 to 4. */
const FIRST: Int32Array = Int32Array.of(0, 0xff, 0xffff, 0xffffff, -1);

/** Numbers of a slot: the piece's id plus 1 (0 in a free one), its length, its first eight bytes. */
const SLOT = 4;

const MIX = 0x9e3779b1;

/**
 * Pieces of a text to small numbers, dense from 0, and one string each. No substring is made to look one up: four bytes at a time are hashed and
 * compared. Of pieces of up to eight bytes, which most names are, the table itself holds what is compared.
 */
export class Interner {
  /** Id to string. */
  readonly strings: string[] = [];
  private readonly text: string;
  private readonly bytes: DataView;
  private slots: Int32Array = new Int32Array(256 * SLOT);
  /** Where each piece stands first, by id. */
  private readonly starts: number[] = [];

  constructor(text: string, bytes: Uint8Array) {
    this.text = text;
    this.bytes = new DataView(bytes.buffer);
  }

  id(start: number, end: number): number {
    const { slots, bytes } = this;
    const length = end - start;
    const a = bytes.getInt32(start, true) & (length < 4 ? (FIRST[length] as number) : -1);
    const b = length <= 4 ? 0 : bytes.getInt32(start + 4, true) & (length < 8 ? (FIRST[length - 4] as number) : -1);
    const mask = slots.length - 1;
    let at = (this.hash(a, b, length, start) << 2) & mask;
    for (;;) {
      const id = slots[at] as number;
      if (id === 0) return this.add(at, start, length, a, b);
      if (
        slots[at + 2] === a &&
        slots[at + 3] === b &&
        slots[at + 1] === length &&
        (length <= 8 || this.same((this.starts[id - 1] as number) + 8, start + 8, end))
      )
        return id - 1;
      at = (at + SLOT) & mask;
    }
  }

  private hash(a: number, b: number, length: number, start: number): number {
    let h = Math.imul(a ^ length, MIX);
    h = Math.imul(((h << 15) | (h >>> 17)) ^ b, MIX);
    if (length > 8) h = this.rest(h, start + 8, start + length);
    return h ^ (h >>> 15);
  }

  /** The hash goes on from the ninth byte. */
  private rest(begun: number, start: number, end: number): number {
    const bytes = this.bytes;
    let h = begun;
    let p = start;
    for (; p + 4 <= end; p += 4) {
      h = Math.imul(h ^ bytes.getInt32(p, true), MIX);
      h = (h << 15) | (h >>> 17);
    }
    return Math.imul(h ^ (bytes.getInt32(p, true) & (FIRST[end - p] as number)), MIX);
  }

  private same(from: number, start: number, end: number): boolean {
    const bytes = this.bytes;
    let known = from;
    let p = start;
    for (; p + 4 <= end; p += 4, known += 4) if (bytes.getInt32(p) !== bytes.getInt32(known)) return false;
    return ((bytes.getInt32(p, true) ^ bytes.getInt32(known, true)) & (FIRST[end - p] as number)) === 0;
  }

  private add(at: number, start: number, length: number, a: number, b: number): number {
    const { slots } = this;
    const id = this.strings.push(this.text.slice(start, start + length)) - 1;
    this.starts.push(start);
    slots[at] = id + 1;
    slots[at + 1] = length;
    slots[at + 2] = a;
    slots[at + 3] = b;
    if ((id + 1) * 2 * SLOT > slots.length) this.grow();
    return id;
  }

  private grow(): void {
    const old = this.slots;
    const slots = new Int32Array(old.length * 4);
    const mask = slots.length - 1;
    for (let from = 0; from < old.length; from += SLOT) {
      const id = old[from] as number;
      if (id === 0) continue;
      const length = old[from + 1] as number;
      const a = old[from + 2] as number;
      const b = old[from + 3] as number;
      let at = (this.hash(a, b, length, this.starts[id - 1] as number) << 2) & mask;
      while (slots[at] !== 0) at = (at + SLOT) & mask;
      slots[at] = id;
      slots[at + 1] = length;
      slots[at + 2] = a;
      slots[at + 3] = b;
    }
    this.slots = slots;
  }
}
