import type { AddressOperand, Expr, FloatOperand, IntOperand, NameOperand, Operand } from "./ast.js";
import { evaluate, floatBits, parseExpr } from "./expressions.js";
import type { Scanner } from "./lexer.js";
import { T } from "./tokens.js";
import { type BodyWriter, SINK } from "./writer.js";

/**
 * Operands. What may stand where follows ptxas, since its syntax errors name the first token that cannot continue: `_` and `p|q` only first,
 * no names inside parentheses, only a constant after `+`. Those of an instruction go to the writer; all others are returned as its numbers.
 */

const NONE: readonly never[] = [];

/** Operands up to the semicolon, which is consumed. */
export function parseOperands(s: Scanner, w: BodyWriter): void {
  if (s.at(59)) {
    s.next();
    return;
  }
  for (let first = true; ; first = false) {
    if (s.at(T.word)) {
      // Most operands are a name with its separator directly after it.
      const separator = s.following;
      if ((separator === 44 || separator === 59) && !s.warpSize) {
        w.push(w.name(s.id));
        s.nextButOne();
        if (separator === 59) return;
        continue;
      }
    }
    w.push(first ? destination(s, w) : operand(s, w));
    if (s.at(59)) break;
    if (!s.at(44)) s.syntaxError();
    s.next();
  }
  s.next();
}

function destination(s: Scanner, w: BodyWriter): number {
  if (s.accept(T.sink)) return s.at(124) ? pair(s, w, SINK) : SINK;
  const paired = s.at(T.word) || s.at(123);
  const first = operand(s, w);
  if (!paired || !s.at(124)) return first;
  const { kind } = w.of(first);
  return kind === "name" || kind === "vector" ? pair(s, w, first) : first;
}

function pair(s: Scanner, w: BodyWriter, first: number): number {
  s.next();
  // At least one of the two is wanted.
  const second = first !== SINK && s.accept(T.sink) ? SINK : plainName(s, w);
  return w.add({ kind: "pair", first: w.of(first), second: w.of(second) });
}

function plainName(s: Scanner, w: BodyWriter): number {
  if (!s.at(T.word)) s.syntaxError();
  const made = w.name(s.id);
  s.next();
  return made;
}

function operand(s: Scanner, w: BodyWriter): number {
  switch (s.kind) {
    case T.word:
      return name(s, w);
    case 91:
      return address(s, w);
    case 123:
      return vector(s, w);
    case 33:
    case 45:
      return prefixed(s, w);
    default:
      return constant(s, w);
  }
}

/** `!p`, `-c`; anything else that begins so is a constant expression. */
function prefixed(s: Scanner, w: BodyWriter): number {
  const kind = s.kind;
  const next = s.text.charCodeAt(s.end) | 0;
  if ((next >= 48 && next <= 57) || !nameFollows(s)) return constant(s, w);
  s.next();
  return w.add({ kind: kind === 33 ? "not" : "neg", operand: w.of(name(s, w)) });
}

const PREFIXED_NAME: RegExp = /[!-]\s*(?!WARP_SZ)[A-Za-z_$%]/y;

function nameFollows(s: Scanner): boolean {
  PREFIXED_NAME.lastIndex = s.start;
  return PREFIXED_NAME.test(s.text);
}

function name(s: Scanner, w: BodyWriter): number {
  if (s.warpSize) return constant(s, w);
  const plain = w.name(s.id);
  s.next();
  switch (s.kind) {
    case T.dotted: {
      const component = s.value;
      s.next();
      return w.add({ ...(w.of(plain) as NameOperand), component });
    }
    case 43: {
      s.next();
      return w.add({ ...(w.of(plain) as NameOperand), offset: constantNumber(s) });
    }
    case 91: {
      s.next();
      const index = s.at(T.word) && !s.warpSize ? s.expectWord() : constantNumber(s);
      s.expect(93);
      return w.add({ ...(w.of(plain) as NameOperand), index });
    }
    default:
      return plain;
  }
}

function constant(s: Scanner, w: BodyWriter): number {
  const c = constantOperand(s);
  return c.kind === "int" ? w.integer(c.lo, c.hi, c.unsigned) : w.add(c);
}

function constantOperand(s: Scanner): IntOperand | FloatOperand {
  if (s.at(T.int)) {
    const { lo, hi, unsigned, start, line, column, end } = s;
    s.next();
    if (s.at(44) || s.at(59) || s.at(125) || s.at(93)) return { kind: "int", lo, hi, unsigned };
    return folded(s, parseExpr(s, false, { kind: "int", lo, hi, unsigned, span: { start, end, line, column } }));
  }
  if (s.at(T.float) && exactFloat(s)) {
    const e: FloatOperand = { kind: "float", width: s.width, lo: s.lo, hi: s.hi };
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

function folded(s: Scanner, e: Expr): IntOperand | FloatOperand {
  if (e.kind === "unary" && e.op === "-" && e.arg.kind === "int" && !e.arg.unsigned) return negated(e.arg.lo, e.arg.hi);
  const v = evaluate(e);
  if (typeof v === "string") {
    if (v.startsWith("Constant expression")) s.fatal(v, e.span);
    s.report("error", v, e.span);
    return { kind: "int", lo: 0, hi: 0, unsigned: false };
  }
  if (v.kind === "float") {
    const [lo, hi] = floatBits(v.value);
    return { kind: "float", width: 64, lo, hi };
  }
  const bits = BigInt.asUintN(64, v.value);
  return { kind: "int", lo: Number(bits & 0xffffffffn), hi: Number(bits >> 32n), unsigned: v.unsigned };
}

/** What most folded constants are, without `evaluate`'s BigInt. */
function negated(lo: number, hi: number): IntOperand {
  return { kind: "int", lo: -lo >>> 0, hi: (lo === 0 ? -hi : ~hi) >>> 0, unsigned: false };
}

/** A constant as a signed number. */
function constantNumber(s: Scanner): number {
  const { start, line, column } = s;
  const c = constantOperand(s);
  if (c.kind === "int") return (c.hi | 0) * 0x100000000 + c.lo;
  s.report("error", "Integer constant expression expected", { start, end: s.previousEnd, line, column });
  return 0;
}

function address(s: Scanner, w: BodyWriter): number {
  s.next();
  if (!s.at(T.word) || s.warpSize) return w.add(addressEnd(s, w, null, constantNumber(s), true));
  const { id, value: base } = s;
  s.next();
  if (s.accept(43)) return w.add(addressEnd(s, w, base, constantNumber(s), false));
  if (!s.at(93)) return w.add(addressEnd(s, w, base, 0, true));
  s.next();
  return w.address(id);
}

/** What follows the base: coordinates, where the address is `plain` (without an offset), and the bracket. */
function addressEnd(s: Scanner, w: BodyWriter, base: string | null, offset: number, plain: boolean): AddressOperand {
  const rest = plain && s.at(44) ? coordinates(s, w) : NONE;
  if (!s.at(93)) s.syntaxError();
  s.next();
  return { kind: "address", base, offset, rest };
}

function coordinates(s: Scanner, w: BodyWriter): readonly Operand[] {
  const out: Operand[] = [];
  while (s.accept(44)) out.push(w.of(s.at(123) ? vector(s, w) : plainName(s, w)));
  return out;
}

function vector(s: Scanner, w: BodyWriter): number {
  s.next();
  const elements = vectorElements(s, w);
  if (!s.at(125)) s.syntaxError();
  s.next();
  return w.add({ kind: "vector", elements });
}

/** The array is made by a literal of its final length for the usual counts: one grown by `push` reserves 17 slots. */
function vectorElements(s: Scanner, w: BodyWriter): Operand[] {
  const a = element(s, w);
  if (!s.accept(44)) return [a];
  const b = element(s, w);
  if (!s.accept(44)) return [a, b];
  const out = [a, b];
  do out.push(element(s, w));
  while (s.accept(44));
  return out;
}

function element(s: Scanner, w: BodyWriter): Operand {
  if (s.at(T.word)) return w.of(name(s, w));
  return w.of(s.accept(T.sink) ? SINK : constant(s, w));
}

/** `call (ret), f, (args), prototype;` with its semicolon. */
export function parseCall(s: Scanner, w: BodyWriter): void {
  if (s.at(40)) {
    w.push(list(s, w));
    s.expect(44);
  }
  w.push(plainName(s, w));
  if (s.accept(44)) {
    if (s.at(40)) {
      w.push(list(s, w));
      if (s.accept(44)) w.push(plainName(s, w));
    } else w.push(plainName(s, w));
  }
  s.expect(59);
}

function list(s: Scanner, w: BodyWriter): number {
  s.next();
  const elements: Operand[] = [];
  if (!s.at(41)) {
    do elements.push(element(s, w));
    while (s.accept(44));
  }
  s.expect(41);
  return w.add({ kind: "list", elements });
}
