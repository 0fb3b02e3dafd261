/** Seeded damage to a text: bytes, tokens, lines, cuts, and pieces of another text. */
import { random } from "../corpus/random.js";

const scraps = [
  "",
  " ",
  "\0",
  "\n",
  "{",
  "}",
  "[",
  "]",
  "(",
  ")",
  ",",
  ";",
  "@",
  "!",
  "|",
  "<",
  ">",
  "%r",
  "%rd1",
  ".v4",
  ".b8",
  ".u64",
  ".f32",
  ".reg",
  ".entry",
  ".func",
  ".param",
  "0x",
  "0f3F800000",
  "0d7FF0000000000000",
  "-1",
  "18446744073709551616",
  "1e999",
  "/*",
  "*/",
  "//",
  '"',
  "\\",
  "%p1",
  "%tid.x",
  "bra",
  "call",
  "ret",
  ".version 9.9",
  ".target sm_90a",
  "\u00e9",
  "$L",
  ".align 3",
];

/** The same seed and texts give the same result. */
export function mutate(texts: readonly string[], seed: number): string {
  const r = random(seed * 2654435761);
  let text = texts[r.below(texts.length)]!;
  const rounds = 1 + r.below(4);
  for (let k = 0; k < rounds; k++) text = once(text, texts, r);
  return text;
}

function once(text: string, texts: readonly string[], r: ReturnType<typeof random>): string {
  const at = text.length === 0 ? 0 : r.below(text.length);
  const put = (from: number, to: number, by: string): string => text.slice(0, from) + by + text.slice(to);
  switch (r.below(9)) {
    case 0:
      return put(at, at + 1, String.fromCharCode(r.below(128)));
    case 1:
      return put(at, at, scraps[r.below(scraps.length)]!);
    case 2: {
      const [from, to] = token(text, at);
      return put(from, to, scraps[r.below(scraps.length)]!);
    }
    case 3: {
      const [from, to] = token(text, at);
      const [a, b] = token(text, r.below(text.length || 1));
      return put(from, to, text.slice(a, b));
    }
    case 4: {
      const [from, to] = line(text, at);
      return put(from, to, "");
    }
    case 5: {
      const [from, to] = line(text, at);
      return put(from, from, text.slice(from, to));
    }
    case 6:
      return text.slice(0, at);
    case 7: {
      const other = texts[r.below(texts.length)]!;
      const from = r.below(other.length || 1);
      return put(at, at, other.slice(from, from + r.below(200)));
    }
    default: {
      const digits = /\d+/g;
      digits.lastIndex = at;
      const m = digits.exec(text);
      if (m === null) return text;
      return put(m.index, m.index + m[0].length, String([0, 1, 7, 255, 4096, 2 ** 31, 2 ** 32 - 1][r.below(7)]));
    }
  }
}

function token(text: string, at: number): [number, number] {
  let from = at;
  let to = at;
  while (from > 0 && /[\w$%.]/.test(text[from - 1]!)) from--;
  while (to < text.length && /[\w$%.]/.test(text[to]!)) to++;
  return [from, Math.max(to, at + 1)];
}

function line(text: string, at: number): [number, number] {
  const from = text.lastIndexOf("\n", Math.max(0, at - 1)) + 1;
  const to = text.indexOf("\n", at);
  return [from, to < 0 ? text.length : to + 1];
}
