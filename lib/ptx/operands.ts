import type { AddressOperand, Expr, IntOperand, NameOperand, Operand, SinkOperand, VectorOperand } from "./ast.js";
import { evaluate, floatBits, parseExpr } from "./expressions.js";
import { type Scanner, T } from "./lexer.js";

/**
 * Operands. What may stand where follows ptxas, since its syntax errors name the first token that cannot continue: `_` and `p|q` only first,
 * no names inside parentheses, only a constant after `+`.
 */

const SINK: SinkOperand = { kind: "sink" };
const NONE: readonly never[] = [];
/** The constants that most code is full of: one object for each. */
const SMALL: readonly IntOperand[] = Array.from({ length: 256 }, (_, lo) => ({
  kind: "int",
  lo,
  hi: 0,
  unsigned: false,
}));
const SMALL_NEGATIVE: readonly IntOperand[] = SMALL.map(({ lo }) => ({
  kind: "int",
  lo: -lo >>> 0,
  hi: lo === 0 ? 0 : 0xffffffff,
  unsigned: false,
}));

/** The operand that is a name and nothing else: one object for each name of the text. */
function nameOperand(s: Scanner): NameOperand {
  const { id, nameOperands } = s;
  // Without holes: an array with wide gaps becomes a dictionary.
  while (nameOperands.length <= id) nameOperands.push(undefined);
  const known = nameOperands[id];
  if (known !== undefined) return known;
  const made: NameOperand = { kind: "name", name: s.value, component: null, offset: 0, index: null };
  nameOperands[id] = made;
  return made;
}

/**
 * Operands up to the semicolon, which is consumed. The array is made by a literal of its final length for the usual counts: an array grown by
 * `push` reserves 17 slots, which for millions of instructions is most of the tree.
 */
export function parseOperands(s: Scanner): readonly Operand[] {
  if (s.at(59)) {
    s.next();
    return NONE;
  }
  const a = separated(s, true);
  if (!s.more) return [a];
  const b = separated(s, false);
  if (!s.more) return [a, b];
  const c = separated(s, false);
  if (!s.more) return [a, b, c];
  const d = separated(s, false);
  if (!s.more) return [a, b, c, d];
  const out = [a, b, c, d];
  while (s.more) out.push(separated(s, false));
  return out;
}

/** An operand with the comma or the semicolon behind it; `more` says that it was a comma. */
function separated(s: Scanner, first: boolean): Operand {
  if (s.at(T.word)) {
    // Most operands are a name with its separator directly behind it.
    const separator = s.following;
    if ((separator === 44 || separator === 59) && s.value !== "WARP_SZ") {
      const plain = nameOperand(s);
      s.more = separator === 44;
      s.nextButOne();
      return plain;
    }
  }
  const o = first ? destination(s) : operand(s);
  s.more = s.at(44);
  if (!s.more && !s.at(59)) s.syntaxError();
  s.next();
  return o;
}

function destination(s: Scanner): Operand {
  if (s.at(T.sink)) {
    s.next();
    return s.at(124) ? pair(s, SINK) : SINK;
  }
  const first = operand(s);
  return s.at(124) && (first.kind === "name" || first.kind === "vector") ? pair(s, first) : first;
}

function pair(s: Scanner, first: Operand): Operand {
  s.next();
  return { kind: "pair", first, second: s.accept(T.sink) ? SINK : plainName(s) };
}

function plainName(s: Scanner): Operand {
  if (!s.at(T.word)) s.syntaxError();
  const made = nameOperand(s);
  s.next();
  return made;
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
  const kind = s.kind;
  const next = s.text.charCodeAt(s.end) | 0;
  if (next >= 48 && next <= 57) return constant(s);
  if (!nameFollows(s)) return constant(s);
  s.next();
  return { kind: kind === 33 ? "not" : "neg", operand: name(s) };
}

const PREFIXED_NAME: RegExp = /[!-]\s*(?!WARP_SZ)[A-Za-z_$%]/y;

function nameFollows(s: Scanner): boolean {
  PREFIXED_NAME.lastIndex = s.start;
  return PREFIXED_NAME.test(s.text);
}

function name(s: Scanner): Operand {
  if (s.value === "WARP_SZ") return constant(s);
  const plain = nameOperand(s);
  s.next();
  switch (s.kind) {
    case T.dotted: {
      const component = s.value;
      s.next();
      return { kind: "name", name: plain.name, component, offset: 0, index: null };
    }
    case 43: {
      s.next();
      return { kind: "name", name: plain.name, component: null, offset: constantNumber(s), index: null };
    }
    case 91: {
      s.next();
      const index = s.at(T.word) && s.value !== "WARP_SZ" ? s.expectWord() : constantNumber(s);
      s.expect(93);
      return { kind: "name", name: plain.name, component: null, offset: 0, index };
    }
    default:
      return plain;
  }
}

function constant(s: Scanner): Operand {
  if (s.at(T.int)) {
    const { lo, hi, unsigned, start, line, column, end } = s;
    s.next();
    if (s.at(44) || s.at(59) || s.at(125) || s.at(93)) {
      if (hi === 0 && lo < SMALL.length && !unsigned) return SMALL[lo] as IntOperand;
      return { kind: "int", lo, hi, unsigned };
    }
    return folded(s, parseExpr(s, false, { kind: "int", lo, hi, unsigned, span: { start, end, line, column } }));
  }
  if (s.at(T.float) && exactFloat(s)) {
    const e: Operand = { kind: "float", width: s.width, lo: s.lo, hi: s.hi };
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
  if (hi === 0 && lo < SMALL_NEGATIVE.length) return SMALL_NEGATIVE[lo] as IntOperand;
  return { kind: "int", lo: -lo >>> 0, hi: (lo === 0 ? -hi : ~hi) >>> 0, unsigned: false };
}

/** A constant as a signed number. */
export function constantNumber(s: Scanner): number {
  const { start, line, column } = s;
  const c = constant(s);
  if (c.kind === "int") return (c.hi | 0) * 0x100000000 + c.lo;
  if (c.kind !== "float") s.syntaxError();
  s.report("error", "Integer constant expression expected", { start, end: s.previousEnd, line, column });
  return 0;
}

function address(s: Scanner): AddressOperand {
  s.next();
  if (!s.at(T.word) || s.value === "WARP_SZ") return addressEnd(s, null, constantNumber(s), true);
  const { id, value: base } = s;
  s.next();
  if (s.accept(43)) return addressEnd(s, base, constantNumber(s), false);
  if (!s.at(93)) return addressEnd(s, base, 0, true);
  s.next();
  const { addressOperands } = s;
  while (addressOperands.length <= id) addressOperands.push(undefined);
  const known = addressOperands[id];
  if (known !== undefined) return known;
  const made: AddressOperand = { kind: "address", base, offset: 0, rest: NONE };
  addressOperands[id] = made;
  return made;
}

/** What follows the base: coordinates, where the address is `plain` (without an offset), and the bracket. */
function addressEnd(s: Scanner, base: string | null, offset: number, plain: boolean): AddressOperand {
  const rest = plain && s.at(44) ? coordinates(s) : NONE;
  if (!s.at(93)) s.syntaxError();
  s.next();
  return { kind: "address", base, offset, rest };
}

function coordinates(s: Scanner): readonly Operand[] {
  const out: Operand[] = [];
  while (s.accept(44)) out.push(s.at(123) ? vector(s) : plainName(s));
  return out;
}

function vector(s: Scanner): VectorOperand {
  s.next();
  const elements = vectorElements(s);
  if (!s.at(125)) s.syntaxError();
  s.next();
  return { kind: "vector", elements };
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
  return s.accept(T.sink) ? SINK : constant(s);
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
  s.next();
  const elements: Operand[] = [];
  if (!s.at(41)) {
    do elements.push(element(s));
    while (s.accept(44));
  }
  if (!s.at(41)) s.syntaxError();
  s.next();
  return { kind: "list", elements };
}
