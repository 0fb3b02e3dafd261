/**
 * Where the words of our kernel first part from ptxas's, and by what kind: the order of instructions, an opcode, the number of a
 * register or uniform register, control bits, another operand.
 */
import type { ListedFunction, ListedInstruction } from "../../lib/disassemble.js";
import { controlText } from "../../lib/sass/index.js";

/** Mnemonic without guard and operands. */
const mnemonic = (text: string): string => (text.replace(/^@!?U?P\w+ /, "").split(" ")[0] as string).replace(/;$/, "");
const withoutNumbers = (text: string): string => text.replace(/\b(U?[RP]|B)\d+\b/g, "$1#");
const only = (text: string, file: RegExp): string => (text.match(file) ?? []).join();

const control = (x: ListedInstruction): string => (x.control === null ? "" : controlText(x.control));

/** A kind with what tells it from others of its kind, both short. */
export interface FirstDifference {
  readonly kind: string;
  /** Index of the instruction. */
  readonly at: number;
}

/** Null where all words are equal. */
export function firstDifference(ours: ListedFunction, theirs: ListedFunction): FirstDifference | null {
  const [a, b] = [ours.instructions, theirs.instructions];
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [x, y] = [a[at], b[at]];
    if (x === undefined || y === undefined) return { kind: "length", at };
    if (x.words.every((w, i) => w === y.words[i])) continue;
    return { kind: kindOf(x, y, a, b), at };
  }
  return null;
}

function kindOf(
  x: ListedInstruction,
  y: ListedInstruction,
  a: readonly ListedInstruction[],
  b: readonly ListedInstruction[],
): string {
  const [m, n] = [mnemonic(x.text), mnemonic(y.text)];
  const plain = (text: string): string => text.replaceAll(".reuse", "");
  if (x.text !== y.text && plain(x.text) === plain(y.text)) return `reuse ${m}`;
  if (m !== n || withoutNumbers(x.text) !== withoutNumbers(y.text)) {
    // The same instructions in another order, or an instruction that the other code has not.
    const all = (list: readonly ListedInstruction[]): string =>
      list
        .map((i) => mnemonic(i.text))
        .sort()
        .join(" ");
    if (all(a) === all(b)) return m === n ? `operand or order ${m}` : `order ${m}, ptxas ${n}`;
    return m === n ? `operand ${m}` : `opcode ${m}, ptxas ${n}`;
  }
  if (x.text === y.text) {
    const [c, d] = [control(x), control(y)];
    return c === d ? `bits ${m}` : `control ${m}: ${differing(c, d)}`;
  }
  for (const [name, file] of [
    ["uniform register", /\bUR\d+\b/g],
    ["register", /\bR\d+\b/g],
    ["predicate", /\bU?P\d\b/g],
  ] as const)
    if (only(x.text, file) !== only(y.text, file)) return `${name} ${m}`;
  return `barrier ${m}`;
}

/** The fields of two control texts that differ. */
function differing(c: string, d: string): string {
  const [x, y] = [c.split(" "), d.split(" ")];
  return x.flatMap((f, i) => (f === y[i] ? [] : [`${f}, ptxas ${y[i]}`])).join("; ");
}

/** Both listings beside each other, with their control bits; `*` where words differ. */
export function besides(ours: ListedFunction, theirs: ListedFunction): string {
  const width = Math.max(20, ...ours.instructions.map((x) => x.text.length));
  const rows: string[] = [];
  for (let i = 0; i < Math.max(ours.instructions.length, theirs.instructions.length); i++) {
    const [x, y] = [ours.instructions[i], theirs.instructions[i]];
    const same = x !== undefined && y !== undefined && x.words.every((w, k) => w === y.words[k]);
    const side = (s: ListedInstruction | undefined): string => (s === undefined ? "" : `${control(s)} ${s.text}`);
    rows.push(`${same ? " " : "*"} ${side(x).padEnd(width + 28)} | ${side(y)}`);
  }
  return rows.join("\n");
}
