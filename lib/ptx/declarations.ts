import type { Span } from "../diagnostics.js";
import type {
  Attribute,
  Declaration,
  Expr,
  FunctionDirective,
  Initializer,
  Linkage,
  Parameter,
  Variable,
} from "./ast.js";
import { evaluate, parseExpr } from "./expressions.js";
import type { Scanner } from "./lexer.js";
import { T } from "./tokens.js";
import { ATTRIBUTES, STATE_SPACES, VARIABLE_TYPES } from "./words.js";

/** Variables, registers, parameters, initializers, attributes. */

function to(at: Span, end: number): Span {
  return { start: at.start, end, line: at.line, column: at.column };
}

/** The empty list of whatever: most declarations have neither attributes nor extents. */
const NONE: readonly never[] = [];

/** What stands before the names. Order in PTX: space and alignment in any order, then vector, type. */
interface Prefix {
  space: string;
  align: number | null;
  vector: number | null;
  type: string;
  attributes: readonly Attribute[];
}

/** An unsigned literal of up to 64 bits as a number; ptxas takes no expressions here. */
export function wideInt(s: Scanner): number {
  if (s.at(T.word) && s.warpSize) {
    s.next();
    return 32;
  }
  if (!s.at(T.int)) s.syntaxError();
  const v = s.hi * 0x100000000 + s.lo;
  s.next();
  return v;
}

/** The same where only 32 bits have room: ptxas says so and goes on with the low ones (measured). */
export function smallInt(s: Scanner): number {
  if (s.at(T.int) && s.hi !== 0) s.report("error", "Constant overflow", s.span());
  return wideInt(s) % 0x100000000;
}

function prefix(s: Scanner, parameter: boolean): Prefix {
  const p: Prefix = { space: "", align: null, vector: null, type: "", attributes: NONE };
  while (s.at(T.dotted)) {
    const word = s.value;
    if (STATE_SPACES.has(word)) space(s, p, word);
    else if (word === "align") {
      s.next();
      p.align = smallInt(s);
    } else if (word === "attribute") p.attributes = [...p.attributes, ...parseAttributes(s)];
    else break;
  }
  if (s.at(T.dotted) && (s.value === "v2" || s.value === "v4")) {
    p.vector = Number(s.value.slice(1));
    s.next();
  }
  if (!s.at(T.dotted) || !VARIABLE_TYPES.has(s.value)) s.syntaxError();
  p.type = s.value;
  if (p.space === "" && !parameter) s.fatal("No variable storage specified", s.span());
  s.next();
  return p;
}

function space(s: Scanner, p: Prefix, word: string): void {
  if (p.space !== "") s.report("error", "Multiple state spaces specified", s.span());
  else p.space = word;
  s.next();
  if (word === "const" && s.at(91)) {
    s.report("error", "Deprecated feature: 'explicit constant banks' not supported as of PTX version 2.2", s.span());
    s.next();
    smallInt(s);
    s.expect(93);
  }
}

/** `.attribute(.managed, .unified(1, 2))` */
export function parseAttributes(s: Scanner): readonly Attribute[] {
  const out: Attribute[] = [];
  s.next();
  s.expect(40);
  do {
    if (!s.at(T.dotted) || !ATTRIBUTES.has(s.value)) s.syntaxError();
    const at = s.span();
    const name = s.value;
    s.next();
    const args: Expr[] = [];
    if (s.accept(40)) {
      do args.push(parseExpr(s, false));
      while (s.accept(44));
      s.expect(41);
    }
    out.push({ name, args, span: to(at, s.previousEnd) });
  } while (s.accept(44));
  s.expect(41);
  return out;
}

/** From the state space (linkage already read) to the semicolon. */
export function parseDeclaration(s: Scanner, linkage: Linkage, at: Span): Declaration {
  const p = prefix(s, false);
  // Not an empty array to push to: that would reserve 17 slots for the one variable that most declarations have.
  const variables: readonly Variable[] = s.at(59) ? NONE : variableList(s);
  if (!s.at(59)) s.syntaxError();
  s.next();
  const { space, align, vector, type, attributes } = p;
  return {
    kind: "declaration",
    linkage,
    space,
    align,
    vector,
    type,
    attributes,
    variables,
    span: to(at, s.previousEnd),
  };
}

function variableList(s: Scanner): readonly Variable[] {
  const first = variable(s);
  if (!s.accept(44)) return [first];
  const out = [first];
  do out.push(variable(s));
  while (s.accept(44));
  return out;
}

function variable(s: Scanner): Variable {
  const at = s.span();
  const name = s.expectWord();
  const count = range(s);
  const dims = extents(s);
  const init = s.accept(61) ? initializer(s) : null;
  return { name, count, dims, init, span: to(at, s.previousEnd) };
}

/** `<100>` */
function range(s: Scanner): number | null {
  if (!s.accept(60)) return null;
  const n = smallInt(s);
  s.expect(62);
  return n;
}

function extents(s: Scanner): readonly (number | null)[] {
  if (!s.at(91)) return NONE;
  const dims: (number | null)[] = [];
  while (s.accept(91)) {
    dims.push(s.at(93) ? null : wideInt(s));
    s.expect(93);
  }
  return dims;
}

function initializer(s: Scanner): Initializer {
  if (!s.at(123)) {
    const e = parseExpr(s, true);
    const fault = evaluate(e);
    if (typeof fault === "string" && fault !== "symbol") s.fatal(fault, e.span);
    return s.at(61) ? samplerField(s, e) : e;
  }
  const at = s.span();
  const elements: Initializer[] = [];
  s.enter();
  s.next();
  if (!s.at(125)) {
    do elements.push(initializer(s));
    while (s.accept(44));
  }
  s.expect(125);
  s.leave();
  return { kind: "list", elements, span: to(at, s.previousEnd) };
}

/** `filter_mode = linear` of opaque variables: a node of its own. */
function samplerField(s: Scanner, field: Expr): Expr {
  if (field.kind !== "symbol") s.syntaxError();
  s.next();
  const arg = parseExpr(s, true);
  return { kind: "field", name: field.name, arg, span: to(field.span, s.previousEnd) };
}

// ----------------------------------------------------------------------------------------------------------------- parameters

/** `( … )`; `_` stands for a missing name. */
export function parseParameters(s: Scanner): readonly Parameter[] {
  const out: Parameter[] = [];
  s.expect(40);
  if (!s.at(41)) {
    do out.push(parameter(s));
    while (s.accept(44));
  }
  s.expect(41);
  return out;
}

function parameter(s: Scanner): Parameter {
  const at = s.span();
  const p = prefix(s, true);
  const pointer = pointerAttribute(s);
  let name = "_";
  if (s.at(T.sink)) s.next();
  else name = s.expectWord();
  const count = range(s);
  const dims = extents(s);
  // Field by field: a spread takes a tenth of the whole parse of a file of small kernels.
  const { space, align, vector, type, attributes } = p;
  return { space, align, vector, type, attributes, name, count, dims, pointer, span: to(at, s.previousEnd) };
}

function pointerAttribute(s: Scanner): Parameter["pointer"] {
  if (!s.at(T.dotted) || (s.value !== "ptr" && s.value !== "align")) return null;
  if (s.value === "ptr") s.next();
  let space: string | null = null;
  if (s.at(T.dotted) && STATE_SPACES.has(s.value)) {
    space = s.value;
    s.next();
  }
  let align: number | null = null;
  if (s.atWord("align")) {
    s.next();
    align = smallInt(s);
  }
  return { space, align };
}

/** Directives of the table while they last. */
export function parseDirectives(
  s: Scanner,
  table: ReadonlyMap<string, readonly [number, number]>,
  pragmas: boolean,
): readonly FunctionDirective[] {
  const out: FunctionDirective[] = [];
  while (s.at(T.dotted)) {
    const at = s.span();
    const name = s.value;
    const counts = table.get(name);
    if (counts !== undefined) {
      s.next();
      const values: number[] = [];
      while (values.length < counts[1]) {
        values.push(smallInt(s));
        if (values.length === counts[1] || !s.accept(44)) break;
      }
      out.push({ name, values, strings: [], span: to(at, s.previousEnd) });
    } else if (pragmas && name === "pragma") {
      s.next();
      out.push({ name, values: [], strings: parseStrings(s), span: to(at, s.previousEnd) });
    } else break;
  }
  return out;
}

/** `"a", "b";` */
export function parseStrings(s: Scanner): readonly string[] {
  const out: string[] = [];
  do {
    if (!s.at(T.string)) s.syntaxError();
    out.push(s.value);
    s.next();
  } while (s.accept(44));
  s.expect(59);
  return out;
}
