/** Printed text of instructions as tokens, and rewriting of tokens. */

/** Rewrites tokens `from` … `to` − 1. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: readonly string[];
}

export type Tokens = readonly string[];

const NUMBER = String.raw`-?\d+\.\d+(?:e[+-]?\d+)?|-?0x[0-9a-f]+|[+-](?:INF|QNAN|SNAN)\b|-?\d+(?:e[+-]\d+)?(?![A-Za-z_])`;
const TOKEN = new RegExp(String.raw`(?:${NUMBER})|\.[A-Za-z0-9_?]+|[A-Za-z_?][A-Za-z0-9_?]*|\S`, "g");
const ONLY_NUMBER = new RegExp(`^(?:${NUMBER})$`);
const REGISTER = /^(R|UR|P|UP|B|SB|T|I)(\d+|Z)$|^(P|UP)(T)$/;
const HEX = /^-?0x[0-9a-f]+$/;
const DECIMAL = /^-?\d+$/;

/** Tokens of a text. `IMAD.MOV`, `.SHL` and `.IADD` are names for IMAD with certain operands: their last word is left out. */
export function tokens(text: string): string[] {
  const t = text.match(TOKEN) ?? [];
  for (let i = 0; i + 1 < t.length; i++)
    if ((t[i] === "IMAD" || t[i] === "UIMAD") && (t[i + 1] === ".MOV" || t[i + 1] === ".SHL" || t[i + 1] === ".IADD")) {
      t.splice(i + 1, 1);
      break;
    }
  return t;
}

/** Makes the last number relative to the next word. */
export function relative(t: string[], address: number): string[] {
  for (let i = t.length - 1; i >= 0; i--)
    if (HEX.test(t[i]!)) {
      t[i] = hexNumber(hexValue(t[i]!) - BigInt(address) - 16n);
      break;
    }
  return t;
}

export const isRegister = (token: string): boolean => REGISTER.test(token);
export const isHex = (token: string): boolean => HEX.test(token);

/** `-0x10` for −16. */
export const hexNumber = (n: bigint): string => (n < 0n ? `-0x${(-n).toString(16)}` : `0x${n.toString(16)}`);
export const hexValue = (token: string): bigint => (token[0] === "-" ? -BigInt(token.slice(1)) : BigInt(token));

/** What a token counts: `R` with its number, `hex` and `dec` numbers, `float`. Absent registers (RZ, PT) have no number. */
export interface Counted {
  readonly prefix: string;
  readonly value: bigint | null;
}

export function counted(token: string): Counted | null {
  const m = REGISTER.exec(token);
  if (m) return { prefix: m[1] ?? m[3]!, value: m[2] === undefined || m[2] === "Z" ? null : BigInt(m[2]) };
  if (HEX.test(token)) return { prefix: "hex", value: hexValue(token) };
  if (DECIMAL.test(token)) return { prefix: "dec", value: BigInt(token) };
  return ONLY_NUMBER.test(token) ? { prefix: "float", value: null } : null;
}

/** The token of a number after a prefix. */
export const numberToken = (prefix: string, n: bigint): string =>
  prefix === "hex" ? hexNumber(n) : prefix === "dec" ? String(n) : prefix + n;

/** Edits that turn `a` into `b`: token by token where the lengths agree, else by common runs. */
export function difference(a: Tokens, b: Tokens): Edit[] {
  const n = Math.min(a.length, b.length);
  let p = 0;
  while (p < n && a[p] === b[p]) p++;
  let s = 0;
  while (s < n - p && a[a.length - 1 - s] === b[b.length - 1 - s]) s++;
  const x = a.slice(p, a.length - s);
  const y = b.slice(p, b.length - s);
  if (x.length === 0 && y.length === 0) return [];
  if (x.length === y.length) {
    const out: Edit[] = [];
    for (let i = 0; i < x.length; i++) if (x[i] !== y[i]) out.push({ from: p + i, to: p + i + 1, text: [y[i]!] });
    if (out.length <= 3) return out;
  }
  if (!x.some((t) => y.includes(t))) return [{ from: p, to: p + x.length, text: y }];
  return blocks(x, y).map((e) => ({ from: p + e.from, to: p + e.to, text: e.text }));
}

/** Edits between the longest common runs (Ratcliff and Obershelp). */
function blocks(x: Tokens, y: Tokens): Edit[] {
  const matches: [number, number, number][] = [];
  const find = (a0: number, a1: number, b0: number, b1: number): void => {
    let [besti, bestj, size] = [a0, b0, 0];
    for (let i = a0; i < a1; i++)
      for (let j = b0; j < b1; j++) {
        let k = 0;
        while (i + k < a1 && j + k < b1 && x[i + k] === y[j + k]) k++;
        if (k > size) [besti, bestj, size] = [i, j, k];
      }
    if (size === 0) return;
    find(a0, besti, b0, bestj);
    matches.push([besti, bestj, size]);
    find(besti + size, a1, bestj + size, b1);
  };
  find(0, x.length, 0, y.length);
  matches.push([x.length, y.length, 0]);
  const out: Edit[] = [];
  let [i, j] = [0, 0];
  for (const [a, b, size] of matches) {
    if (a > i || b > j) out.push({ from: i, to: a, text: y.slice(j, b) });
    [i, j] = [a + size, b + size];
  }
  return out;
}

export const sameEdits = (a: readonly Edit[], b: readonly Edit[]): boolean =>
  a.length === b.length &&
  a.every((e, i) => e.from === b[i]!.from && e.to === b[i]!.to && sameTokens(e.text, b[i]!.text));

export const sameTokens = (a: Tokens, b: Tokens): boolean => a.length === b.length && a.every((t, i) => t === b[i]);

/**
 * Edits of several fields together; a deletion that contains another edit wins. Null where two edits overlap otherwise.
 */
export function applyEdits(base: Tokens, edits: readonly Edit[]): string[] | null {
  const all: Edit[] = [];
  for (const e of edits)
    if (!all.some((f) => f.from === e.from && f.to === e.to && sameTokens(f.text, e.text))) all.push(e);
  all.sort((a, b) => a.from - b.from || a.to - b.to);
  const out: string[] = [];
  let at = 0;
  for (const e of all) {
    if (all.length > 1 && all.some((f) => swallows(f, e))) continue;
    if (e.from < at) return null;
    for (let i = at; i < e.from; i++) out.push(base[i]!);
    for (const t of e.text) out.push(t);
    at = Math.max(at, e.to);
  }
  for (let i = at; i < base.length; i++) out.push(base[i]!);
  return out;
}

/** A deletion `f` makes edit `e` void: `e` lies in it, and is no insertion at its edge. */
function swallows(f: Edit, e: Edit): boolean {
  if (f === e || f.text.length > 0 || f.to <= f.from) return false;
  if (f.from > e.from || e.to > f.to || (f.from === e.from && f.to === e.to)) return false;
  return !(e.from === e.to && (e.from === f.from || e.from === f.to));
}

/** Begins a predicted token that is a float to be compared by value. */
export const FLOAT_MARK = "\0";

/** Predicted against printed tokens; floats by value, as the tool prints fewer digits than the value has. */
export function agree(predicted: Tokens | null, printed: Tokens): boolean {
  if (predicted === null || predicted.length !== printed.length) return false;
  for (let i = 0; i < printed.length; i++) {
    const [x, y] = [predicted[i]!, printed[i]!];
    if (x !== y && (x[0] !== FLOAT_MARK || !sameFloat(Number(x.slice(1)), floatValue(y)))) return false;
  }
  return true;
}

/** NaN for everything that is no number: the tool prints `+QNAN`, `-SNAN`. Null for other tokens. */
export function floatValue(token: string): number | null {
  if (/^[+-]?(QNAN|SNAN)$/.test(token)) return Number.NaN;
  if (/^[+-]?INF$/.test(token)) return token[0] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const m = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/.exec(token);
  return m ? Number(token) : null;
}

export const sameFloat = (a: number, b: number | null, tolerance = 1e-6): boolean =>
  b !== null && (a === b || (Number.isNaN(a) && Number.isNaN(b)) || Math.abs(a - b) <= tolerance * Math.abs(a));

const UNDEFINED = /^\.?(INVALID\d+|\?\?\?\d*)$/;
const ABSENT: ReadonlySet<string> = new Set(["RZ", "PT", "URZ", "UPT"]);
const SPECIAL_FLOATS: ReadonlySet<string> = new Set(["+INF", "-INF", "+QNAN", "-QNAN", "+SNAN", "-SNAN"]);

/** How much a text tells: many tokens, distinct registers, no absent operands, no sparse numbers. */
export function talkative(t: Tokens): number {
  let s = 10 * t.length;
  for (const x of t) {
    if (UNDEFINED.test(x)) s -= 4;
    else if (ABSENT.has(x)) s -= 6;
    else if (x === "0x0" || x === "-0x0") s -= 3;
    else if (HEX.test(x)) {
      if (x.length > 6 && ones(hexValue(x)) < 3) s -= 3;
    } else if (REGISTER.test(x)) {
      if (t.indexOf(x) !== t.lastIndexOf(x)) s -= 5;
    } else if (SPECIAL_FLOATS.has(x)) s -= 8;
  }
  return s;
}

function ones(n: bigint): number {
  let count = 0;
  for (let v = n < 0n ? -n : n; v > 0n; v >>= 1n) if (v & 1n) count++;
  return count;
}
