import { T } from "./tokens.js";

/** Hexadecimal digits by their byte; 255 for all others. */
const DIGIT: Uint8Array = (() => {
  const t = new Uint8Array(256).fill(255);
  for (let d = 0; d < 16; d++) for (const c of [d.toString(16), d.toString(16).toUpperCase()]) t[c.charCodeAt(0)] = d;
  return t;
})();

/** The scanner (lexer.ts) as the numbers see it. */
interface NumberToken {
  readonly text: string;
  readonly bytes: Uint8Array;
  kind: number;
  start: number;
  end: number;
  lo: number;
  hi: number;
  unsigned: boolean;
  width: 32 | 64;
  /** Says that the current token is a constant too large. */
  overflow(): void;
}

/** The number that begins at `pos`, with a digit or with a dot and a digit. */
export function readNumber(s: NumberToken, pos: number): void {
  const bytes = s.bytes;
  const c = bytes[pos] as number;
  const d = (bytes[pos + 1] as number) | 32;
  s.unsigned = false;
  if (c === 48 && d === 120 && digit(s, pos + 2) < 16) radix(s, pos + 2, 16);
  else if (c === 48 && d === 98 && ((bytes[pos + 2] as number) & 0xfe) === 48) radix(s, pos + 2, 2);
  else if (c === 48 && d === 102 && hexRun(s, pos + 2, 8)) hexFloat(s, pos, 8);
  else if (c === 48 && d === 100 && hexRun(s, pos + 2, 16)) hexFloat(s, pos, 16);
  else decimalNumber(s, pos, c);
}

/** The digit at `p`; 255 if there is none of any radix. */
function digit(s: NumberToken, p: number): number {
  return DIGIT[s.bytes[p] as number] as number;
}

function decimalNumber(s: NumberToken, pos: number, c: number): void {
  const { bytes, text } = s;
  let p = pos;
  while (digit(s, p) < 10) p++;
  const after = bytes[p];
  const float = after === 46 || after === 101 || after === 69 ? decimalFloatAt(text, pos) : null;
  if (float !== null && float.length > p - pos) decimalFloat(s, pos, float);
  else if (c !== 48 || p === pos + 1) decimal(s, pos, p);
  else if (((bytes[pos + 1] as number) & 0xf8) === 48) radix(s, pos, 8);
  else decimal(s, pos, pos + 1);
}

function hexRun(s: NumberToken, p: number, n: number): boolean {
  for (let i = 0; i < n; i++) if (digit(s, p + i) >= 16) return false;
  return true;
}

function decimal(s: NumberToken, pos: number, end: number): void {
  s.kind = T.int;
  if (end - pos > 400) {
    // No loop over the digits of nonsense.
    s.end = end;
    s.lo = 0;
    s.hi = 0;
    s.overflow();
  } else if (end - pos <= 15) {
    let v = 0;
    for (let i = pos; i < end; i++) v = v * 10 + (s.bytes[i] as number) - 48;
    s.lo = v >>> 0;
    s.hi = Math.floor(v / 0x100000000);
  } else big(s, BigInt(s.text.slice(pos, end)), pos, end);
  suffix(s, end);
}

function radix(s: NumberToken, pos: number, radix: 2 | 8 | 16): void {
  const shift = radix === 16 ? 4 : radix === 8 ? 3 : 1;
  let lo = 0;
  let hi = 0;
  let p = pos;
  let overflow = false;
  for (; ; p++) {
    const d = digit(s, p);
    if (d >= radix) break;
    // ptxas notices an overflow only where the value so far has its top bit set.
    if (hi >>> 31 !== 0) overflow = true;
    hi = ((hi << shift) | (lo >>> (32 - shift))) >>> 0;
    lo = ((lo << shift) | d) >>> 0;
  }
  s.kind = T.int;
  s.lo = lo;
  s.hi = hi;
  s.end = p;
  suffix(s, p);
  if (overflow) s.overflow();
}

function big(s: NumberToken, v: bigint, pos: number, end: number): void {
  // As in `radix`: the value wraps, and the top bit set before a digit is the overflow that ptxas sees.
  let before = 0n;
  let overflow = false;
  for (let i = pos; i < end; i++) {
    if (before >> 63n !== 0n) overflow = true;
    before = BigInt.asUintN(64, before * 10n + BigInt((s.bytes[i] as number) - 48));
  }
  if (overflow) {
    s.end = end;
    s.start = pos;
    s.overflow();
  }
  s.lo = Number(v & 0xffffffffn);
  s.hi = Number((v >> 32n) & 0xffffffffn);
}

function suffix(s: NumberToken, end: number): void {
  const u = s.bytes[end] === 85;
  s.end = u ? end + 1 : end;
  s.unsigned = u || s.hi >= 0x80000000;
}

function hexFloat(s: NumberToken, pos: number, digits: 8 | 16): void {
  s.kind = T.float;
  s.width = digits === 8 ? 32 : 64;
  s.end = pos + 2 + digits;
  const high = Number.parseInt(s.text.slice(pos + 2, pos + 10), 16);
  s.lo = digits === 8 ? high : Number.parseInt(s.text.slice(pos + 10, pos + 18), 16);
  s.hi = digits === 8 ? 0 : high;
}

function decimalFloat(s: NumberToken, pos: number, digits: string): void {
  s.kind = T.float;
  s.width = 64;
  s.end = pos + digits.length;
  const v = Number(digits);
  FLOATS[0] = v;
  s.lo = WORDS[0] as number;
  s.hi = WORDS[1] as number;
  if (!Number.isFinite(v)) s.overflow();
}

const FLOAT: RegExp = /(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?/y;

function decimalFloatAt(text: string, at: number): string | null {
  FLOAT.lastIndex = at;
  return FLOAT.exec(text)?.[0] ?? null;
}

const FLOATS: Float64Array = new Float64Array(1);
const WORDS: Uint32Array = new Uint32Array(FLOATS.buffer);
