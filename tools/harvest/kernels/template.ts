/**
 * One-instruction PTX kernels from lines of templates:
 *
 *     INSTRUCTION | DESTINATIONS | SOURCES | SOURCE KINDS
 *
 * `<a|b>` stands for either; all combinations are made, also those that the compiler refuses (its refusals are facts too).
 * Destinations and sources are letters: p predicate, h 16, r 32, l 64 bits, f f32, d f64; `@` is the letter of the last
 * type in the instruction, `@2` of the last but one, `@w` twice as wide as the last. Where the instruction has no
 * `$d0 … $s0 …`, destinations and sources follow it. Source kinds: per source R loaded from memory, U loaded from a
 * uniform address, C kernel parameter, I constant; several lists separated by spaces. Left out: all R, all C, and every
 * source once as I and as C.
 */

export interface Kernel {
  readonly name: string;
  /** Declarations at module level. */
  readonly declarations: string;
  readonly parameters: string;
  readonly before: string;
  /** The PTX under test: one line. */
  readonly tested: string;
  readonly after: string;
}

const TYPE_LETTERS: Readonly<Record<string, string>> = {
  pred: "p",
  ...Object.fromEntries("u8 s8 b8 u16 s16 b16 f16 bf16".split(" ").map((t) => [t, "h"])),
  ...Object.fromEntries("u32 s32 b32 f16x2 bf16x2 u16x2 s16x2".split(" ").map((t) => [t, "r"])),
  ...Object.fromEntries("u64 s64 b64 f32x2".split(" ").map((t) => [t, "l"])),
  f32: "f",
  f64: "d",
};

const BITS: Readonly<Record<string, string>> = { h: "b16", r: "b32", l: "b64", f: "f32", d: "f64" };
const CONSTANTS: Readonly<Record<string, string>> = {
  h: "7",
  r: "0x12345",
  l: "0x123456",
  f: "0f3FC00000",
  d: "0d3FF8000000000000",
};
const WIDER: Readonly<Record<string, string>> = { h: "r", r: "l" };

const PREAMBLE =
  ".reg .pred %p<9>, %q<9>; .reg .b16 %h<40>; .reg .b32 %r<90>, %x<40>; .reg .b64 %l<60>, %y<20>; " +
  ".reg .f32 %f<60>; .reg .f64 %d<40>; mov.u32 %x0, %tid.x; mov.u32 %x1, %ntid.x; mov.u32 %x2, %ctaid.x; " +
  "mad.lo.s32 %x3, %x1, %x2, %x0; ld.param.b64 %y0, [out]; cvta.to.global.u64 %y0,%y0; mul.wide.s32 %y1, %x3, 64; " +
  "add.s64 %y2, %y0, %y1; add.s64 %y3,%y2,4096;";

/** Text of a kernel; `marked` puts line information around the tested line: 1 before it, 2, 3 after it. */
export function kernelText(k: Kernel, marked = false): string {
  const at = (line: number): string => (marked ? `.loc 1 ${line} 0\n` : "");
  const body = `${at(1)}${PREAMBLE} ${k.before}\n${at(2)}${k.tested}\n${at(3)}${k.after}\nret;\n`;
  const text = `.visible .entry ${k.name}(.param .b64 out${k.parameters}) {\n${body}}\n`;
  return (k.declarations + text).replaceAll("@N", k.name);
}

/** All combinations of `<a|b>`, innermost first, each once. */
export function expand(text: string): string[] {
  const m = /<([^<>]*)>/.exec(text);
  if (!m) return [text];
  const choices = m[1]!.split("|");
  // An inner choice repeats what its outer one does not take.
  return [...new Set(choices.flatMap((c) => expand(text.slice(0, m.index) + c + text.slice(m.index + m[0].length))))];
}

export interface Parts {
  readonly declarations?: string;
  readonly parameters?: string;
  readonly before?: string;
  readonly after?: string;
}

export class Kernels {
  readonly list: Kernel[] = [];

  add(tested: string, parts: Parts = {}): void {
    this.list.push({
      name: `k${this.list.length + 1}`,
      declarations: parts.declarations ?? "",
      parameters: parts.parameters ?? "",
      before: parts.before ?? "",
      tested,
      after: parts.after ?? "",
    });
  }

  /** All kernels of a table of template lines. */
  table(text: string): void {
    for (const line of text.trim().split("\n")) {
      const [op, d = "", s = "", kinds = ""] = line.split(" | ").map((c) => c.trim());
      for (const x of expand(op!)) this.instruction(x, letters(x, d), letters(x, s), kinds);
    }
  }

  private instruction(op: string, d: string, s: string, kinds: string): void {
    for (const k of kinds === "" ? defaultKinds(s) : kinds.split(" ")) {
      const { names, code, parameters } = operands(s, k);
      const out = [...d].map((t, i) => (t === "p" ? `%p${i + 1}` : `%${t}${20 + i}`));
      const plain = !/\$[ds]\d/.test(op);
      const text = plain
        ? `${op} ${[...out, ...names].join(", ")};`
        : `${op.replace(/\$([ds])(\d)/g, (_, x: string, i: string) => (x === "d" ? out : names)[Number(i)] ?? "?")};`;
      this.add(
        text
          .replaceAll(";;", ";")
          .replaceAll(" ;", ";")
          .replace(/};$/, op.startsWith("{") ? "}" : "};"),
        {
          before: code,
          parameters,
          after: [...d].map((t, i) => keep(t, out[i]!, i)).join(" "),
        },
      );
    }
  }
}

/** Stores a result, so that its instruction stays. */
export function keep(letter: string, register: string, place: number): string {
  if (letter !== "p") return `st.global.${BITS[letter]} [%y3+${place * 16}],${register};`;
  return `selp.b32 %r${70 + place},1,2,${register}; st.global.b32 [%y3+${place * 16}],%r${70 + place};`;
}

export const bitsOfLetter = (letter: string): string => BITS[letter]!;

/** The letters of a column of a template, by the types in the instruction. */
export function letters(op: string, column: string): string {
  const types = op
    .split(/[ ;]/)[0]!
    .split(".")
    .filter((w) => w in TYPE_LETTERS)
    .map((t) => TYPE_LETTERS[t]!);
  return column
    .replaceAll("@2", types.at(-2) ?? "r")
    .replaceAll("@w", WIDER[types.at(-1) ?? ""] ?? "l")
    .replaceAll("@", types.at(-1) ?? "r")
    .replaceAll(" ", "");
}

function defaultKinds(s: string): string[] {
  const n = s.length;
  const out = ["R".repeat(n)];
  if (n === 0) return out;
  out.push("C".repeat(n));
  for (let i = 0; i < n; i++) {
    if (s[i] === "p") continue;
    out.push(`${"R".repeat(i)}I${"R".repeat(n - i - 1)}`);
    if (n > 1) out.push(`${"R".repeat(i)}C${"R".repeat(n - i - 1)}`);
  }
  return out;
}

/** Loads sources of some kinds into registers %h1, %r1 … */
export function operands(
  types: string,
  kinds: string,
): { readonly names: string[]; readonly code: string; readonly parameters: string } {
  const counts: Record<string, number> = {};
  const names: string[] = [];
  let code = "";
  let parameters = "";
  [...types].forEach((t, i) => {
    counts[t] = (counts[t] ?? 0) + 1;
    if (t === "p") {
      code += ` ld.global.b32 %x${10 + i},[%y2+${i * 8 + 64}]; setp.gt.s32 %q${i},%x${10 + i},${i};`;
      names.push(`%q${i}`);
      return;
    }
    if (kinds[i] === "I") {
      names.push(CONSTANTS[t]!);
      return;
    }
    const r = `%${t}${counts[t]}`;
    names.push(r);
    if (kinds[i] === "C") {
      parameters += `, .param .${BITS[t]} a${i}`;
      code += ` ld.param.${BITS[t]} ${r},[a${i}];`;
    } else code += ` ld.global.${BITS[t]} ${r},[${kinds[i] === "U" ? `%y0+${i * 16}` : `%y2+${i * 8}`}];`;
  });
  return { names, code, parameters };
}
