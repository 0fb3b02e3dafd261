import type { Span } from "../diagnostics.js";
import type { BinaryOperator, Expr } from "./ast.js";
import type { Scanner } from "./lexer.js";
import { T } from "./tokens.js";

/**
 * Constant expressions: the parser (precedence climbing, C's table) and the evaluator.
 *
 * Integers are 64 bits wide, signed unless written with U, too large, or combined with an unsigned one; floats are doubles. Only operands such as
 * `(3+4)*2` and initializers come here, so BigInt is fine.
 */

interface Level {
  readonly op: BinaryOperator;
  readonly strength: number;
}

const BINARY: ReadonlyMap<number, Level> = new Map(
  (
    [
      [T.or, "||", 1],
      [T.and, "&&", 2],
      [124, "|", 3],
      [94, "^", 4],
      [38, "&", 5],
      [T.eq, "==", 6],
      [T.ne, "!=", 6],
      [60, "<", 7],
      [62, ">", 7],
      [T.le, "<=", 7],
      [T.ge, ">=", 7],
      [T.shl, "<<", 8],
      [T.shr, ">>", 8],
      [43, "+", 9],
      [45, "-", 9],
      [42, "*", 10],
      [47, "/", 10],
      [37, "%", 10],
    ] as const
  ).map(([token, op, strength]) => [token, { op, strength }]),
);

function join(from: Span, to: Span): Span {
  return { start: from.start, end: to.end, line: from.line, column: from.column };
}

/**
 * Whether symbols may stand in the expression: yes in initializers, no in operands (only WARP_SZ is constant there).
 * `first` is a literal that the caller has read already.
 */
export function parseExpr(s: Scanner, symbols: boolean, first: Expr | null = null): Expr {
  s.enter();
  const e = conditional(s, symbols, first);
  s.leave();
  return e;
}

function conditional(s: Scanner, symbols: boolean, first: Expr | null): Expr {
  const test = binary(s, 1, symbols, first);
  if (!s.accept(63)) return test;
  const then = parseExpr(s, symbols);
  s.expect(58);
  const other = parseExpr(s, symbols);
  return { kind: "conditional", test, then, else: other, span: join(test.span, other.span) };
}

function binary(s: Scanner, least: number, symbols: boolean, first: Expr | null): Expr {
  let left = first ?? unary(s, symbols);
  for (;;) {
    const level = BINARY.get(s.kind);
    if (level === undefined || level.strength < least) return left;
    s.next();
    const right = binary(s, level.strength + 1, symbols, null);
    left = { kind: "binary", op: level.op, left, right, span: join(left.span, right.span) };
  }
}

function unary(s: Scanner, symbols: boolean): Expr {
  const op = s.at(43) ? "+" : s.at(45) ? "-" : s.at(33) ? "!" : s.at(126) ? "~" : null;
  if (op === null) return primary(s, symbols);
  const at = s.span();
  s.enter();
  s.next();
  // ptxas's grammar has a sign before doubles, but none before 0f constants (measured).
  if (s.at(T.float) && s.width === 32) s.syntaxError();
  const arg = unary(s, symbols);
  s.leave();
  return { kind: "unary", op, arg, span: join(at, arg.span) };
}

function primary(s: Scanner, symbols: boolean): Expr {
  const span = s.span();
  if (s.at(T.int)) return literalOrMask(s, symbols, span);
  if (s.at(T.float)) {
    const e: Expr = { kind: "float", width: s.width, lo: s.lo, hi: s.hi, span };
    s.next();
    return e;
  }
  if (s.at(40)) return parenthesis(s, symbols, span);
  if (!s.at(T.word)) s.syntaxError();
  if (s.value === "WARP_SZ") {
    s.next();
    return { kind: "int", lo: 32, hi: 0, unsigned: false, span };
  }
  if (!symbols) s.syntaxError();
  const name = s.value;
  s.next();
  if (!s.at(40)) return { kind: "symbol", name, span };
  s.next();
  const arg = parseExpr(s, true);
  const end = s.span();
  s.expect(41);
  return { kind: "apply", name, mask: null, arg, span: join(span, end) };
}

/** `0xff00(sym)` picks bytes of an address. */
function literalOrMask(s: Scanner, symbols: boolean, span: Span): Expr {
  const literal: Expr = { kind: "int", lo: s.lo, hi: s.hi, unsigned: s.unsigned, span };
  s.next();
  if (!symbols || !s.at(40)) return literal;
  s.next();
  const arg = parseExpr(s, true);
  const end = s.span();
  s.expect(41);
  return { kind: "apply", name: "", mask: literal, arg, span: join(span, end) };
}

function parenthesis(s: Scanner, symbols: boolean, span: Span): Expr {
  s.next();
  if (s.at(T.dotted)) {
    const type = s.value;
    s.next();
    s.expect(41);
    const arg = unary(s, symbols);
    return { kind: "cast", type, arg, span: join(span, arg.span) };
  }
  const e = parseExpr(s, symbols);
  s.expect(41);
  return e;
}

// ----------------------------------------------------------------------------------------------------------------- evaluation

/** Value of a constant expression. */
export type Constant =
  | {
      readonly kind: "int";
      /** The number, 64 bits wide. */
      readonly value: bigint;
      /** It is unsigned: comparisons and shifts take it so. */
      readonly unsigned: boolean;
    }
  | {
      readonly kind: "float";
      /** The number in double precision. */
      readonly value: number;
    };

const F64: Float64Array = new Float64Array(1);
const F32: Float32Array = new Float32Array(1);
const W: Uint32Array = new Uint32Array(F64.buffer);
const W32: Uint32Array = new Uint32Array(F32.buffer);

/** The number that the bits of a literal stand for: `lo` and `hi` are its 32-bit halves. */
export function floatValue(width: 32 | 64, lo: number, hi: number): number {
  if (width === 32) {
    W32[0] = lo;
    return F32[0] as number;
  }
  W[0] = lo;
  W[1] = hi;
  return F64[0] as number;
}

/** The double's bits as [lo, hi]. */
export function floatBits(v: number): readonly [number, number] {
  F64[0] = v;
  return [W[0] as number, W[1] as number];
}

function int(v: bigint, unsigned: boolean): Constant {
  return { kind: "int", value: unsigned ? BigInt.asUintN(64, v) : BigInt.asIntN(64, v), unsigned };
}

/** The value of a constant expression, or the text of ptxas's complaint. Symbols have no value: "symbol". */
export function evaluate(e: Expr): Constant | string {
  switch (e.kind) {
    case "int":
      return int((BigInt(e.hi) << 32n) | BigInt(e.lo), e.unsigned);
    case "float":
      return { kind: "float", value: floatValue(e.width, e.lo, e.hi) };
    case "unary": {
      const a = evaluate(e.arg);
      return typeof a === "string" ? a : unaryValue(e.op, a);
    }
    case "binary":
      return binaryNode(e);
    case "conditional": {
      const t = evaluate(e.test);
      return typeof t === "string" ? t : evaluate(truth(t) ? e.then : e.else);
    }
    case "cast": {
      const a = evaluate(e.arg);
      return typeof a === "string" ? a : cast(e.type, a);
    }
    case "symbol":
    case "apply":
    case "field":
      return "symbol";
    default:
      return e satisfies never;
  }
}

function truth(c: Constant): boolean {
  return c.kind === "int" ? c.value !== 0n : c.value !== 0;
}

function cast(type: string, a: Constant): Constant | string {
  if (a.kind === "int" && type === "s64") return int(a.value, false);
  if (a.kind === "int" && type === "u64") return int(a.value, true);
  return "Unsupported cast operation";
}

function unaryValue(op: "+" | "-" | "!" | "~", a: Constant): Constant | string {
  if (op === "!") return int(truth(a) ? 0n : 1n, false);
  if (op === "+") return a;
  if (a.kind === "float")
    return op === "-" ? { kind: "float", value: -a.value } : "Integer constant expression expected";
  return int(op === "-" ? -a.value : ~a.value, a.unsigned);
}

function binaryNode(e: Expr & { kind: "binary" }): Constant | string {
  const a = evaluate(e.left);
  if (typeof a === "string") return a;
  const b = evaluate(e.right);
  if (typeof b === "string") return b;
  if (e.op === "&&") return int(truth(a) && truth(b) ? 1n : 0n, false);
  if (e.op === "||") return int(truth(a) || truth(b) ? 1n : 0n, false);
  if (a.kind === "int" && b.kind === "int") return integers(e.op, a.value, b.value, a.unsigned, b.unsigned);
  return floats(e.op, Number(a.value), Number(b.value));
}

function integers(op: BinaryOperator, x: bigint, y: bigint, xu: boolean, yu: boolean): Constant | string {
  if (op === "<<" || op === ">>") return shift(op, x, y, xu);
  const u = xu || yu;
  const a = u ? BigInt.asUintN(64, x) : x;
  const b = u ? BigInt.asUintN(64, y) : y;
  switch (op) {
    case "*":
      return int(a * b, u);
    case "/":
    case "%":
      if (b === 0n) return "Constant expression has division by zero";
      return int(op === "/" ? a / b : a % b, u);
    case "+":
      return int(a + b, u);
    case "-":
      return int(a - b, u);
    case "&":
      return int(a & b, u);
    case "|":
      return int(a | b, u);
    case "^":
      return int(a ^ b, u);
    default:
      return int(compare(op, a, b) ? 1n : 0n, false);
  }
}

function shift(op: "<<" | ">>", x: bigint, y: bigint, unsigned: boolean): Constant {
  const by = BigInt.asUintN(6, y);
  return int(op === "<<" ? x << by : x >> by, unsigned);
}

function compare(op: BinaryOperator, a: bigint | number, b: bigint | number): boolean {
  switch (op) {
    case "<":
      return a < b;
    case ">":
      return a > b;
    case "<=":
      return a <= b;
    case ">=":
      return a >= b;
    case "==":
      return a === b;
    default:
      return a !== b;
  }
}

function floats(op: BinaryOperator, a: number, b: number): Constant | string {
  switch (op) {
    case "*":
      return { kind: "float", value: a * b };
    case "/":
      return { kind: "float", value: a / b };
    case "+":
      return { kind: "float", value: a + b };
    case "-":
      return { kind: "float", value: a - b };
    case "<":
    case ">":
    case "<=":
    case ">=":
    case "==":
    case "!=":
      return int(compare(op, a, b) ? 1n : 0n, false);
    default:
      return "Illegal operation in constant expression";
  }
}
