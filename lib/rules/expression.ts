/**
 * Conditions and computations of rules: arithmetic on 32-bit literals, unsigned unless a function's name says otherwise.
 *
 *     n + m <= 31 and pow2(k)            log2(k)            ~k & 0xff
 *
 * One tree, read by whoever needs it: `evaluate` here, the prover as formulas.
 */
import { InternalError } from "../errors.js";

export type Expression =
  | { readonly is: "number"; readonly value: number }
  | { readonly is: "name"; readonly name: string }
  | { readonly is: "call"; readonly name: string; readonly args: readonly Expression[] };

/** Operators by how tightly they bind, loosest first. */
const levels: readonly (readonly string[])[] = [
  ["or"],
  ["and"],
  ["==", "!=", "<", "<=", ">", ">="],
  ["|"],
  ["^"],
  ["&"],
  ["<<", ">>", ">>>"],
  ["+", "-"],
  ["*"],
];

const token = /\s*(0x[0-9a-f]+|\d+|[a-z]\w*|<<|>>>|>>|[<>=!]=|[-+*&|^~<>(),])/giy;

/** Reads one expression; throws InternalError where the text is none. */
export function parseExpression(text: string): Expression {
  const tokens: string[] = [];
  token.lastIndex = 0;
  for (let m = token.exec(text); m !== null; m = token.exec(text)) tokens.push(m[1]!);
  if (tokens.join("") !== text.replace(/\s+/g, "")) throw new InternalError(`no expression: ${text}`);
  let at = 0;
  const expect = (t: string): void => {
    if (tokens[at++] !== t) throw new InternalError(`'${t}' is missing in ${text}`);
  };
  const binary = (level: number): Expression => {
    const operators = levels[level];
    if (operators === undefined) return unary();
    let left = binary(level + 1);
    while (operators.includes(tokens[at] ?? "")) {
      const name = tokens[at++]!;
      left = { is: "call", name, args: [left, binary(level + 1)] };
    }
    return left;
  };
  const unary = (): Expression => {
    const t = tokens[at++];
    if (t === undefined) throw new InternalError(`an operand is missing in ${text}`);
    if (t === "-" || t === "~") return { is: "call", name: t === "-" ? "neg" : "~", args: [unary()] };
    if (t === "(") {
      const e = binary(0);
      expect(")");
      return e;
    }
    if (/^\d/.test(t)) return { is: "number", value: Number(t) >>> 0 };
    if (tokens[at] !== "(") return { is: "name", name: t };
    at++;
    const args: Expression[] = [];
    while (tokens[at] !== ")") {
      args.push(binary(0));
      if (tokens[at] !== ")") expect(",");
    }
    at++;
    return { is: "call", name: t, args };
  };
  const e = binary(0);
  if (at !== tokens.length) throw new InternalError(`too much in ${text}`);
  return e;
}

const u = (n: number): number => n >>> 0;
const bit = (b: boolean): number => (b ? 1 : 0);

/** The table of a three-input operation whose inputs are tables themselves. */
export function composeTables(lut: number, a: number, b: number, c: number): number {
  let out = 0;
  for (let i = 0; i < 8; i++) {
    const index = (((a >> i) & 1) << 2) | (((b >> i) & 1) << 1) | ((c >> i) & 1);
    out |= ((lut >> index) & 1) << i;
  }
  return out;
}

/** Functions of literals by name. The prover (tools/rules) has the same as formulas. */
export const functions: Readonly<Record<string, (...v: number[]) => number>> = {
  or: (a, b) => bit(a !== 0 || b !== 0),
  and: (a, b) => bit(a !== 0 && b !== 0),
  "==": (a, b) => bit(a === b),
  "!=": (a, b) => bit(a !== b),
  "<": (a, b) => bit(a! < b!),
  "<=": (a, b) => bit(a! <= b!),
  ">": (a, b) => bit(a! > b!),
  ">=": (a, b) => bit(a! >= b!),
  "|": (a, b) => u(a! | b!),
  "^": (a, b) => u(a! ^ b!),
  "&": (a, b) => u(a! & b!),
  "<<": (a, b) => (b! > 31 ? 0 : u(a! << b!)),
  ">>": (a, b) => u(a! >> Math.min(b!, 31)),
  ">>>": (a, b) => (b! > 31 ? 0 : a! >>> b!),
  "+": (a, b) => u(a! + b!),
  "-": (a, b) => u(a! - b!),
  "*": (a, b) => u(Math.imul(a!, b!)),
  neg: (a) => u(-a!),
  "~": (a) => u(~a!),
  /** Exactly one bit is set. */
  pow2: (a) => bit(a !== 0 && (a! & (a! - 1)) === 0),
  /** Place of the highest set bit; 0 for 0. */
  log2: (a) => (a === 0 ? 0 : 31 - Math.clz32(a!)),
  smin: (a, b) => u(Math.min(a! | 0, b! | 0)),
  smax: (a, b) => u(Math.max(a! | 0, b! | 0)),
  umin: (a, b) => Math.min(a!, b!),
  umax: (a, b) => Math.max(a!, b!),
  /** Signed comparisons. */
  slt: (a, b) => bit((a! | 0) < (b! | 0)),
  sle: (a, b) => bit((a! | 0) <= (b! | 0)),
  compose: (l, a, b, c) => composeTables(l!, a!, b!, c!),
};

export function evaluate(e: Expression, value: (name: string) => number): number {
  if (e.is === "number") return e.value;
  if (e.is === "name") return value(e.name);
  const f = functions[e.name];
  if (f === undefined) throw new InternalError(`no function ${e.name}`);
  return f(...e.args.map((a) => evaluate(a, value)));
}

/** The names it reads. */
export function namesIn(e: Expression, into: Set<string> = new Set()): Set<string> {
  if (e.is === "name") into.add(e.name);
  if (e.is === "call") for (const a of e.args) namesIn(a, into);
  return into;
}
