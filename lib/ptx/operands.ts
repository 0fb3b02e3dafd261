import type { Span } from "../diagnostics.js";
import type { AddressOperand, Expr, Operand, VectorOperand } from "./ast.js";
import { evaluate, floatBits, parseExpr } from "./expressions.js";
import { type Scanner, T } from "./lexer.js";

/**
 * Operands. What may stand where follows ptxas, since its syntax errors name the first token that cannot continue: `_` and `p|q` only first,
 * no names inside parentheses, only a constant after `+`.
 */

function from(start: number, line: number, column: number, end: number): Span {
  return { start, end, line, column };
}

/**
 * Operands up to the semicolon, which is consumed. The array is made by a literal of its final length for the usual counts: an array grown by
 * `push` reserves 17 slots, which for millions of instructions is most of the tree.
 */
export function parseOperands(s: Scanner): readonly Operand[] {
  if (s.at(59)) {
    s.next();
    return [];
  }
  const a = destination(s);
  if (!s.accept(44)) return finish(s, [a]);
  const b = operand(s);
  if (!s.accept(44)) return finish(s, [a, b]);
  const c = operand(s);
  if (!s.accept(44)) return finish(s, [a, b, c]);
  const d = operand(s);
  if (!s.accept(44)) return finish(s, [a, b, c, d]);
  const out = [a, b, c, d];
  do out.push(operand(s));
  while (s.accept(44));
  return finish(s, out);
}

function finish(s: Scanner, out: readonly Operand[]): readonly Operand[] {
  if (!s.at(59)) s.syntaxError();
  s.next();
  return out;
}

function destination(s: Scanner): Operand {
  const { start, line, column } = s;
  if (s.at(T.sink)) {
    const first: Operand = { kind: "sink", span: s.span() };
    s.next();
    return s.at(124) ? pair(s, first, start, line, column) : first;
  }
  const first = operand(s);
  return s.at(124) && (first.kind === "name" || first.kind === "vector") ? pair(s, first, start, line, column) : first;
}

function pair(s: Scanner, first: Operand, start: number, line: number, column: number): Operand {
  s.next();
  const second: Operand = s.at(T.sink) ? { kind: "sink", span: s.span() } : plainName(s);
  if (second.kind === "sink") s.next();
  return { kind: "pair", first, second, span: from(start, line, column, s.previousEnd) };
}

function plainName(s: Scanner): Operand {
  const span = s.span();
  return { kind: "name", name: s.expectWord(), component: null, offset: 0, index: null, span };
}

function operand(s: Scanner): Operand {
  switch (s.kind) {
    case T.word:
      return name(s);
    case 91:
      return address(s);
    case 123:
      return vector(s);
    case 33:
    case 45:
      return prefixed(s);
    default:
      return constant(s);
  }
}

/** `!p`, `-c`; anything else that begins so is a constant expression. */
function prefixed(s: Scanner): Operand {
  const { start, line, column, kind } = s;
  const next = s.text.charCodeAt(s.end) | 0;
  if (next >= 48 && next <= 57) return constant(s);
  if (!nameFollows(s)) return constant(s);
  s.next();
  const inner = name(s);
  return { kind: kind === 33 ? "not" : "neg", operand: inner, span: from(start, line, column, s.previousEnd) };
}

const PREFIXED_NAME: RegExp = /[!-]\s*(?!WARP_SZ)[A-Za-z_$%]/y;

function nameFollows(s: Scanner): boolean {
  PREFIXED_NAME.lastIndex = s.start;
  return PREFIXED_NAME.test(s.text);
}

function name(s: Scanner): Operand {
  const { start, line, column } = s;
  const text = s.value;
  if (text === "WARP_SZ") return constant(s);
  s.next();
  let component: string | null = null;
  let offset = 0;
  let index: number | string | null = null;
  if (s.at(T.dotted)) {
    component = s.value;
    s.next();
  } else if (s.at(43)) {
    s.next();
    offset = constantNumber(s);
  } else if (s.at(91)) {
    s.next();
    if (s.at(T.word) && s.value !== "WARP_SZ") index = s.expectWord();
    else index = constantNumber(s);
    s.expect(93);
  }
  return { kind: "name", name: text, component, offset, index, span: from(start, line, column, s.previousEnd) };
}

function constant(s: Scanner): Operand {
  const { start, line, column } = s;
  if (s.at(T.int)) {
    const { lo, hi, unsigned, end } = s;
    s.next();
    if (s.at(44) || s.at(59) || s.at(125))
      return { kind: "int", lo, hi, unsigned, span: from(start, line, column, end) };
    return folded(s, parseExpr(s, false, { kind: "int", lo, hi, unsigned, span: from(start, line, column, end) }));
  }
  if (s.at(T.float) && exactFloat(s)) {
    const e: Operand = { kind: "float", width: s.width, lo: s.lo, hi: s.hi, span: s.span() };
    s.next();
    return e;
  }
  return folded(s, parseExpr(s, false));
}

/** `0f…` and `0d…` stand alone: no operator applies to them. */
function exactFloat(s: Scanner): boolean {
  const second = s.text.charCodeAt(s.start + 1) | 32;
  return second === 102 || second === 100;
}

function folded(s: Scanner, e: Expr): Operand {
  const v = evaluate(e);
  if (typeof v === "string") {
    if (v.startsWith("Constant expression")) s.fatal(v, e.span);
    s.report("error", v, e.span);
    return { kind: "int", lo: 0, hi: 0, unsigned: false, span: e.span };
  }
  if (v.kind === "float") {
    const [lo, hi] = floatBits(v.value);
    return { kind: "float", width: 64, lo, hi, span: e.span };
  }
  const bits = BigInt.asUintN(64, v.value);
  return { kind: "int", lo: Number(bits & 0xffffffffn), hi: Number(bits >> 32n), unsigned: v.unsigned, span: e.span };
}

/** A constant as a signed number. */
export function constantNumber(s: Scanner): number {
  const c = constant(s);
  if (c.kind === "int") return (c.hi | 0) * 0x100000000 + c.lo;
  if (c.kind !== "float") s.syntaxError();
  s.report("error", "Integer constant expression expected", c.span);
  return 0;
}

function address(s: Scanner): AddressOperand {
  const { start, line, column } = s;
  s.next();
  let base: string | null = null;
  let offset = 0;
  let plain = true;
  if (s.at(T.word) && s.value !== "WARP_SZ") {
    base = s.value;
    s.next();
    if (s.at(43)) {
      s.next();
      offset = constantNumber(s);
      plain = false;
    }
  } else offset = constantNumber(s);
  const rest: Operand[] = s.at(44) ? [] : NONE;
  while (plain && s.accept(44)) rest.push(s.at(123) ? vector(s) : plainName(s));
  if (!s.at(93)) s.syntaxError();
  s.next();
  return { kind: "address", base, offset, rest, span: from(start, line, column, s.previousEnd) };
}

const NONE: Operand[] = [];

function vector(s: Scanner): VectorOperand {
  const { start, line, column } = s;
  s.next();
  const elements = vectorElements(s);
  if (!s.at(125)) s.syntaxError();
  s.next();
  return { kind: "vector", elements, span: from(start, line, column, s.previousEnd) };
}

function vectorElements(s: Scanner): Operand[] {
  const a = element(s);
  if (!s.accept(44)) return [a];
  const b = element(s);
  if (!s.accept(44)) return [a, b];
  const out = [a, b];
  do out.push(element(s));
  while (s.accept(44));
  return out;
}

function element(s: Scanner): Operand {
  if (s.at(T.word)) return name(s);
  if (s.at(T.sink)) {
    const sink: Operand = { kind: "sink", span: s.span() };
    s.next();
    return sink;
  }
  return constant(s);
}

/** `call (ret), f, (args), prototype;` with its semicolon. */
export function parseCall(s: Scanner): readonly Operand[] {
  const out: Operand[] = [];
  if (s.at(40)) {
    out.push(list(s));
    s.expect(44);
  }
  out.push(callee(s));
  if (s.accept(44)) {
    if (s.at(40)) {
      out.push(list(s));
      if (s.accept(44)) out.push(plainName(s));
    } else out.push(plainName(s));
  }
  if (!s.at(59)) s.syntaxError();
  s.next();
  return out;
}

function callee(s: Scanner): Operand {
  if (!s.at(T.word)) s.syntaxError();
  return plainName(s);
}

function list(s: Scanner): Operand {
  const { start, line, column } = s;
  s.next();
  const elements: Operand[] = [];
  if (!s.at(41)) {
    do elements.push(element(s));
    while (s.accept(44));
  }
  if (!s.at(41)) s.syntaxError();
  s.next();
  return { kind: "list", elements, span: from(start, line, column, s.previousEnd) };
}
