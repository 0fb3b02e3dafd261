/**
 * Kernels of one PTX instruction each for the GPU: a thread loads its operands from the common buffer (instruction-inputs.ts), executes
 * the instruction and stores every result. The arithmetic comes from the templates of tools/harvest, the rest from here.
 */
import { CONVERSIONS, FLOATING, INTEGERS } from "../../tools/harvest/kernels/arithmetic.js";
import { bitsOfLetter, expand, letters } from "../../tools/harvest/kernels/template.js";
import { columnOffset, constantOf, type Pool, ROWS } from "./instruction-inputs.js";
import { addMemory } from "./instruction-memory.js";
import { FURTHER, WARP } from "./instruction-tables.js";

export interface GpuKernel {
  readonly name: string;
  /** The PTX under test, one line: what names the kernel in recorded results. */
  readonly tested: string;
  /** Letter of each result: p predicate, h 16, r 32, l 64 bits, f f32, d f64. */
  readonly results: string;
  /** Bytes of results of a row. */
  readonly stride: number;
  /** Has 64 bytes of memory per row after the results of all rows. */
  readonly scratch: boolean;
  /** The parameters a0 … a3. */
  readonly constants: readonly bigint[];
  readonly text: string;
}

/** Bytes of scratch memory per row. */
export const SCRATCH = 64;

/** Bytes that a kernel writes to, results and scratch. */
export const outputBytes = (k: GpuKernel): number => ROWS * (k.stride + (k.scratch ? SCRATCH : 0));

const PREAMBLE =
  ".reg .pred %p<9>, %q<9>;\n.reg .b8 %t<9>;\n.reg .b16 %h<40>;\n.reg .b32 %r<90>, %x<40>;\n.reg .b64 %l<60>, %y<20>;\n.reg .f32 %f<60>;\n.reg .f64 %d<40>;\n" +
  "mov.u32 %x0, %tid.x;\nmov.u32 %x1, %ntid.x;\nmov.u32 %x2, %ctaid.x;\nmad.lo.u32 %x3, %x1, %x2, %x0;\n" +
  "ld.param.u64 %y0, [in];\nld.param.u64 %y1, [out];\nmul.wide.u32 %y2, %x3, 8;\nadd.u64 %y2, %y0, %y2;\n";

export interface Body {
  /** What stands before the instruction. */
  readonly before?: string;
  /** Registers to store, each with its letter (p h r l f d). */
  readonly results: readonly (readonly [letter: string, register: string])[];
  readonly after?: string;
  readonly scratch?: boolean;
  /** Declarations at module level; @N is the kernel's name. */
  readonly declarations?: string;
  readonly constants?: readonly bigint[];
}

export class GpuKernels {
  readonly list: GpuKernel[] = [];
  private readonly seen = new Set<string>();

  add(tested: string, b: Body): void {
    if (this.seen.has(tested)) return;
    this.seen.add(tested);
    const name = `k${this.list.length + 1}`;
    const stride = b.results.length * 8;
    const stores = b.results.map(([letter, r], i) =>
      letter === "p"
        ? `selp.b32 %x3${i},1,2,${r};\nst.global.b32 [%y3+${8 * i}],%x3${i};\n`
        : `st.global.${letter === "t" ? "b8" : bitsOfLetter(letter)} [%y3+${8 * i}],${r};\n`,
    );
    const scratch = b.scratch === true;
    const where = `mul.wide.u32 %y3, %x3, ${stride};\nadd.u64 %y3, %y1, %y3;\n${scratch ? `mul.wide.u32 %y4, %x3, ${SCRATCH};\nadd.u64 %y4, %y1, %y4;\nadd.u64 %y4, %y4, ${stride * ROWS};\n` : ""}`;
    const body = `${PREAMBLE}${where}${b.before ?? ""}\n${tested}\n${b.after ?? ""}${stores.join("")}ret;\n`;
    const text = `${b.declarations ?? ""}.visible .entry ${name}(.param .u64 in, .param .u64 out, .param .b64 a0, .param .b64 a1, .param .b64 a2, .param .b64 a3) {\n${body}}\n`;
    const constants = [0, 1, 2, 3].map((i) => b.constants?.[i] ?? 0n);
    const letters = b.results.map(([l]) => l).join("");
    this.list.push({ name, tested, results: letters, stride, scratch, constants, text: text.replaceAll("@N", name) });
  }

  /** All kernels of a table of template lines (tools/harvest/kernels/template.ts). */
  table(text: string): void {
    for (const line of text.trim().split("\n")) {
      const [op, d = "", s = "", kinds = ""] = line.split(" | ").map((c) => c.trim());
      for (const x of expand(op!)) {
        const sources = letters(x, s);
        const list = kinds === "" ? defaultKinds(sources) : kinds.split(" ");
        list.forEach((k, salt) => {
          if (!(x.startsWith("cvt") && k.includes("C")))
            this.instruction(x, letters(x, d), sources, k.replaceAll("U", "R"), salt);
        });
      }
    }
  }

  private instruction(op: string, d: string, s: string, kinds: string, salt: number): void {
    const o = operands(op, s, kinds, salt);
    const out = [...d].map((t, i) => (t === "p" ? `%p${i + 1}` : `%${t}${20 + i}`));
    const plain = !/\$[ds]\d/.test(op);
    const code = plain
      ? `${op} ${[...out, ...o.names].join(", ")};`
      : `${op.replace(/\$([ds])(\d)/g, (_, x: string, i: string) => (x === "d" ? out : o.names)[Number(i)] ?? "?")};`;
    const tested = code
      .replaceAll(";;", ";")
      .replaceAll(" ;", ";")
      .replace(/};$/, op.startsWith("{") ? "}" : "};");
    this.add(tested, { before: o.code, results: [...d].map((t, i) => [t, out[i]!] as const), constants: o.constants });
  }
}

function defaultKinds(s: string): string[] {
  const n = s.length;
  const out = ["R".repeat(n)];
  for (let i = 0; i < n; i++) if (s[i] !== "p") out.push(`${"R".repeat(i)}I${"R".repeat(n - i - 1)}`);
  if (n > 0 && s[n - 1] !== "p") out.push(`${"R".repeat(n - 1)}C`);
  return out;
}

/** Which sources are positions and lengths of bit fields, and which are shift counts. */
const BYTES: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^bfe\./, [1, 2]],
  [/^bfi\./, [2, 3]],
];
const COUNTS: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^(shl|shr)\./, [1]],
  [/^shf\./, [2]],
  [/^bmsk\./, [0, 1]],
  [/^(szext|fns)\./, [1, 2]],
];

/** What kind of values the source `i` with this letter takes. */
function poolOf(op: string, letter: string, i: number): Pool {
  if (BYTES.some(([name, at]) => name.test(op) && at.includes(i))) return "byte";
  if (COUNTS.some(([name, at]) => name.test(op) && at.includes(i))) return "count";
  const types = op.startsWith("{") ? op.split(/[. ;]/) : op.split(/[ ;]/)[0]!.split(".");
  const last = types.filter((t) => /^(u|s|b|f|bf|e\dm\d)\d+(x\d)?$/.test(t)).at(-1) ?? "";
  switch (letter) {
    case "f":
      return "f32";
    case "d":
      return "f64";
    case "l":
      return "i64";
    case "h":
      return last === "bf16" ? "bf16" : last === "f16" ? "f16" : "i16";
    case "r":
      return last === "bf16x2" ? "bf16x2" : last === "f16x2" ? "f16x2" : "i32";
    default:
      return "i32";
  }
}

const DIGITS: Readonly<Record<string, number>> = { h: 4, r: 8, l: 16, f: 8, d: 16 };

function literal(letter: string, value: bigint): string {
  const hex = value.toString(16).toUpperCase().padStart(DIGITS[letter]!, "0").slice(-DIGITS[letter]!);
  return `${letter === "f" ? "0f" : letter === "d" ? "0d" : "0x"}${hex}`;
}

function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return h >>> 8;
}

/** Loads sources into registers %h1, %r1 …; C are parameters, I constants that the instruction's text chooses. */
export function operands(
  op: string,
  types: string,
  kinds: string,
  salt = 0,
): { readonly names: string[]; readonly code: string; readonly constants: bigint[] } {
  const names: string[] = [];
  const constants: bigint[] = [0n, 0n, 0n, 0n];
  let code = "";
  [...types].forEach((t, i) => {
    const pool = poolOf(op, t, i);
    if (t === "p") {
      code += `ld.global.b32 %x${10 + i},[%y2+${columnOffset("i32", i)}];\nand.b32 %x${10 + i},%x${10 + i},1;\nsetp.ne.u32 %q${i},%x${10 + i},0;\n`;
      names.push(`%q${i}`);
      return;
    }
    const value = constantOf(pool, hash(`${op} ${kinds} ${i}`) + salt);
    if (kinds[i] === "I") {
      names.push(literal(t, value));
      return;
    }
    const r = `%${t}${i + 1}`;
    names.push(r);
    if (kinds[i] === "C") {
      constants[i % 4] = BigInt.asUintN(64, value);
      code += `ld.param.${bitsOfLetter(t)} ${r},[a${i % 4}];\n`;
    } else code += `ld.global.${bitsOfLetter(t)} ${r},[%y2+${columnOffset(pool, i)}];\n`;
  });
  return { names, code, constants };
}

/** All kernels, in a fixed order. */
export function gpuKernels(): readonly GpuKernel[] {
  const k = new GpuKernels();
  for (const table of [INTEGERS, FLOATING, FURTHER, CONVERSIONS]) k.table(table);
  for (const line of WARP) k.add(line.tested, line);
  addMemory(k);
  return k.list;
}
