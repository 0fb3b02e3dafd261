/** What the phases that make memory accesses wider or narrower have in common: how ptxas 13.0.88 covers words, forms by width. */
import { type Form, tryForm } from "../isa/form.js";

/** `count` elements from `first` on, of an aligned group of four. */
export interface Piece {
  readonly first: number;
  readonly count: number;
}

/**
 * The loads that bring the elements of a mask, of at most `most` elements each. Two neighbours with the lower one even come together;
 * from three of four on all four do, read or not (measured: shared, local, global loads alike).
 */
export function loadPieces(mask: number, most: number): Piece[] {
  let bits = 0;
  for (let m = mask; m !== 0; m &= m - 1) bits++;
  if (bits >= 3 && most >= 4) return [{ first: 0, count: 4 }];
  return storePieces(mask, Math.min(most, 2));
}

/** The stores that write the elements of a mask, and no other: runs that are aligned to their length. */
export function storePieces(mask: number, most: number): Piece[] {
  if (mask === 15 && most >= 4) return [{ first: 0, count: 4 }];
  const pieces: Piece[] = [];
  for (const first of [0, 2]) {
    const pair = (mask >> first) & 3;
    if (pair === 3 && most >= 2) pieces.push({ first, count: 2 });
    else {
      if ((pair & 1) !== 0) pieces.push({ first, count: 1 });
      if ((pair & 2) !== 0) pieces.push({ first: first + 1, count: 1 });
    }
  }
  return pieces;
}

const sizes: Readonly<Record<number, string>> = { 4: "", 8: ".64", 16: ".128" };

/** The form of the same access with another number of bytes; null: there is none. Accesses of 4, 8, 16 bytes. */
export function sized(form: Form, bytes: number): Form | null {
  const size = sizes[bytes];
  if (size === undefined) return null;
  const parts = form.name.split(".").filter((m) => m !== "64" && m !== "128");
  // The size stands after `.E` and `.U`, before everything else.
  const at = parts[1] === "E" || parts[1] === "U" ? 2 : 1;
  return tryForm([...parts.slice(0, at), ...size.split(".").filter(Boolean), ...parts.slice(at)].join("."));
}

/** Bytes of an access that moves whole words, 0 for others: narrow ones, those of 32 bytes with two results. */
export function wordsOf(form: Form): number {
  const bytes = form.memory?.bytes ?? 0;
  const narrow = form.mods.some((m) => /^[US](8|16)$/.test(m));
  return !narrow && (bytes === 4 || bytes === 8 || bytes === 16) ? bytes : 0;
}
