import { type Diagnostic, diagnostic, type Span } from "../diagnostics.js";
import type {
  Block,
  CallPrototype,
  Expr,
  FunctionItem,
  Item,
  Linkage,
  LocDirective,
  Module,
  SectionDirective,
  SectionLine,
  TargetDirective,
  Unfinished,
} from "./ast.js";
import {
  parseAttributes,
  parseDeclaration,
  parseDirectives,
  parseParameters,
  parseStrings,
  smallInt,
  wideInt,
} from "./declarations.js";
import { parseExpr } from "./expressions.js";
import { asciiBytes } from "./interner.js";
import { Scanner, SYNTAX } from "./lexer.js";
import { parseCall, parseOperands } from "./operands.js";
import { T } from "./tokens.js";
import { ENTRY_DIRECTIVES, FUNC_DIRECTIVES, LINKAGES, SECTION_TYPES } from "./words.js";
import { BodyWriter } from "./writer.js";

/**
 * Modules, functions and statements by recursive descent.
 *
 * A syntax error is recorded and the parser goes on after the next semicolon (or before the brace that closes the block), so one run reports
 * several; ptxas stops at the first. Whatever was understood becomes part of the tree, which the checker may look at even after errors.
 */
export interface Parsed {
  readonly module: Module;
  /** In order of discovery; any failure here means that the tree has gaps. */
  readonly diagnostics: readonly Diagnostic[];
  /** The first instruction whose operands hold a syntax error: its modifiers have been read by then, and ptxas has judged them. */
  readonly unfinished: Unfinished | null;
}

/** What no PTX text may hold, comments included. */
const NOT_TEXT: RegExp = /[\0\u0080-\uffff]/;

export function parseModule(text: string, file: string | null): Parsed {
  const bytes = asciiBytes(text);
  if (bytes === null) return notText(text, text.search(NOT_TEXT), file);
  const s = new Scanner(text, bytes);
  const w = new BodyWriter(s.mnemonics.list, s.words, text.length);
  const items: Item[] = [];
  try {
    header(s, items, file);
    while (!s.at(T.eof) && s.alive) itemOrSkip(s, w, items);
  } catch (e) {
    if (e !== SYNTAX) throw e;
  }
  return { module: assemble(items, text, file), diagnostics: s.diagnostics, unfinished: s.unfinished };
}

function assemble(items: readonly Item[], text: string, file: string | null): Module {
  return {
    kind: "module",
    file,
    text,
    version: items.find((i) => i.kind === "version") ?? null,
    target: items.find((i) => i.kind === "target") ?? null,
    addressSize: items.find((i) => i.kind === "address_size") ?? null,
    items,
  };
}

/** ptxas refuses the whole file, comments included, and names the line without the file. */
function notText(text: string, at: number, file: string | null): Parsed {
  let line = 1;
  for (let i = text.indexOf("\n"); i >= 0 && i < at; i = text.indexOf("\n", i + 1)) line++;
  const what = text.charCodeAt(at) === 0 ? "EOF" : "non-ASCII character";
  const message = `Unexpected ${what} encountered on line ${line}`;
  return { module: assemble([], text, file), diagnostics: [diagnostic("fatal", message)], unfinished: null };
}

function to(at: Span, end: number): Span {
  return { start: at.start, end, line: at.line, column: at.column };
}

// --------------------------------------------------------------------------------------------------------------- module scope

function header(s: Scanner, items: Item[], file: string | null): void {
  const name = file ?? "";
  if (!s.at(T.version)) {
    // ptxas reads a .target list to its end before it misses the version.
    const at = s.atWord("target") ? s.span() : null;
    if (at !== null) items.push(target(s));
    s.report("fatal", `Missing .version directive at start of file '${name}'`, s.span());
    if (at !== null) return;
    if (s.atWord("version")) skipHeaderLine(s);
    if (s.at(T.eof)) throw SYNTAX;
  } else {
    items.push({ kind: "version", major: s.lo, minor: s.hi, span: s.span() });
    s.next();
  }
  if (!s.atWord("target")) {
    if (s.diagnostics.length === 0) s.report("fatal", `Missing .target directive at start of file '${name}'`, s.span());
    return;
  }
  while (s.atWord("target")) items.push(target(s));
  if (s.atWord("address_size")) addressSize(s, items);
}

/** `.version 9` without a minor number: step over it. */
function skipHeaderLine(s: Scanner): void {
  s.next();
  if (s.at(T.int) || s.at(T.float)) s.next();
}

function target(s: Scanner): TargetDirective {
  const at = s.span();
  s.next();
  const names: string[] = [];
  do names.push(s.expectWord());
  while (s.accept(44));
  return { kind: "target", names, span: to(at, s.previousEnd) };
}

function addressSize(s: Scanner, items: Item[]): void {
  const at = s.span();
  s.next();
  const bits = smallInt(s);
  items.push({ kind: "address_size", bits, span: to(at, s.previousEnd) });
}

function itemOrSkip(s: Scanner, w: BodyWriter, items: Item[]): void {
  const depth = s.mark();
  const start = s.start;
  const { row, operand } = w;
  try {
    item(s, w, items);
  } catch (e) {
    if (e !== SYNTAX) throw e;
    s.reset(depth);
    w.cut(row, operand);
    recoverItem(s, start);
  }
}

/** After the next semicolon or closing brace at this level, or before a directive that can only begin an item. */
function recoverItem(s: Scanner, start: number): void {
  if (s.start === start && !s.at(T.eof)) s.next();
  let braces = 0;
  while (!s.at(T.eof)) {
    if (braces === 0 && s.at(T.dotted) && ITEM_START.has(s.value)) return;
    if (s.at(123)) braces++;
    else if (s.at(125)) braces = Math.max(0, braces - 1);
    const done = braces === 0 && (s.at(59) || s.at(125));
    s.next();
    if (done) return;
  }
}

const ITEM_START: ReadonlySet<string> = new Set([
  "entry",
  "func",
  "visible",
  "extern",
  "weak",
  "file",
  "section",
  "alias",
]);

function item(s: Scanner, w: BodyWriter, items: Item[]): void {
  if (s.at(T.dwarf)) {
    items.push({ kind: "dwarf", text: s.value, span: s.span() });
    s.next();
    return;
  }
  if (!s.at(T.dotted)) s.syntaxError();
  const at = s.span();
  switch (s.value) {
    case "entry":
    case "func":
      items.push(functionItem(s, w, null, at));
      return;
    case "file":
      fileDirective(s, items, at);
      return;
    case "section":
      items.push(section(s, at));
      return;
    case "pragma":
      s.next();
      items.push({ kind: "pragma", strings: parseStrings(s), span: to(at, s.previousEnd) });
      return;
    case "alias":
      alias(s, items, at);
      return;
    default:
      linked(s, w, items, at);
      return;
  }
}

function linked(s: Scanner, w: BodyWriter, items: Item[], at: Span): void {
  const linkage = LINKAGES.has(s.value) ? (s.value as Linkage) : null;
  if (linkage !== null) s.next();
  if (s.at(T.dotted) && (s.value === "func" || s.value === "entry")) items.push(functionItem(s, w, linkage, at));
  else items.push(parseDeclaration(s, linkage, at));
}

function alias(s: Scanner, items: Item[], at: Span): void {
  s.next();
  const name = s.expectWord();
  s.expect(44);
  const aliasee = s.expectWord();
  s.expect(59);
  items.push({ kind: "alias", name, aliasee, span: to(at, s.previousEnd) });
}

/** No semicolon ends it. */
function fileDirective(s: Scanner, items: Item[], at: Span): void {
  s.next();
  const index = smallInt(s);
  if (!s.at(T.string)) s.syntaxError();
  const name = s.value;
  s.next();
  let timestamp: number | null = null;
  let size: number | null = null;
  if (s.accept(44)) {
    timestamp = wideInt(s);
    s.expect(44);
    size = wideInt(s);
  }
  items.push({ kind: "file", index, name, timestamp, size, span: to(at, s.previousEnd) });
}

function section(s: Scanner, at: Span): SectionDirective {
  s.next();
  if (!s.at(T.dotted)) s.syntaxError();
  const name = s.value;
  s.next();
  s.expect(123);
  const lines: SectionLine[] = [];
  while (!s.at(125)) lines.push(sectionLine(s));
  s.next();
  return { kind: "section", name, lines, span: to(at, s.previousEnd) };
}

function sectionLine(s: Scanner): SectionLine {
  const at = s.span();
  if (s.at(T.word)) {
    const name = s.value;
    s.next();
    s.expect(58);
    return { kind: "label", name, span: to(at, s.previousEnd) };
  }
  if (!s.at(T.dotted) || !SECTION_TYPES.has(s.value)) s.syntaxError();
  const type = s.value;
  s.next();
  const values = [sectionValue(s)];
  while (s.accept(44)) values.push(sectionValue(s));
  return { kind: "data", type, values, span: to(at, s.previousEnd) };
}

/** A section's own name (`.debug_abbrev`) counts as a symbol. */
function sectionValue(s: Scanner): number | Expr {
  if (s.at(T.int) && s.hi < 0x200000) return plainOrExpr(s);
  if (!s.at(T.dotted)) return parseExpr(s, true);
  const symbol = { kind: "symbol", name: `.${s.value}`, span: s.span() } as const;
  s.next();
  if (!s.accept(43)) return symbol;
  const right = parseExpr(s, false);
  return { kind: "binary", op: "+", left: symbol, right, span: to(symbol.span, s.previousEnd) };
}

function plainOrExpr(s: Scanner): number | Expr {
  const { lo, hi, unsigned } = s;
  const span = s.span();
  s.next();
  if (s.at(44) || s.at(T.dotted) || s.at(T.word) || s.at(125)) return hi * 0x100000000 + lo;
  return parseExpr(s, true, { kind: "int", lo, hi, unsigned, span });
}

// ------------------------------------------------------------------------------------------------------------------ functions

function functionItem(s: Scanner, w: BodyWriter | null, linkage: Linkage, at: Span): FunctionItem {
  const entry = s.value === "entry";
  s.next();
  const attributes = s.atWord("attribute") ? parseAttributes(s) : [];
  const returns = !entry && s.at(40) ? parseParameters(s) : null;
  const nameSpan = s.span();
  const name = s.expectWord();
  const params = s.at(40) ? parseParameters(s) : null;
  const directives = parseDirectives(s, entry ? ENTRY_DIRECTIVES : FUNC_DIRECTIVES, true);
  const body = s.at(59) ? null : definition(s, w);
  if (body === null) s.next();
  return {
    kind: "function",
    entry,
    linkage,
    attributes,
    name,
    nameSpan,
    returns,
    params,
    directives,
    body,
    span: to(at, s.previousEnd),
  };
}

/** `w` is null where functions may only be declared. */
function definition(s: Scanner, w: BodyWriter | null): Block {
  if (!s.at(123) || w === null) s.syntaxError();
  return block(s, w, false);
}

function block(s: Scanner, w: BodyWriter, inner: boolean): Block {
  const at = s.span();
  const { row } = w;
  s.enter();
  s.next();
  while (!s.at(125) && !s.at(T.eof) && s.alive) statementOrSkip(s, w);
  const endSpan = s.span();
  if (!s.at(125)) s.syntaxError();
  s.next();
  s.leave();
  return { kind: "block", statements: w.close(row, inner), span: to(at, s.previousEnd), endSpan };
}

function statementOrSkip(s: Scanner, w: BodyWriter): void {
  const depth = s.mark();
  const start = s.start;
  const { row, operand } = w;
  try {
    statement(s, w);
  } catch (e) {
    if (e !== SYNTAX) throw e;
    s.reset(depth);
    w.cut(row, operand);
    recoverStatement(s, start);
  }
}

/** After the next semicolon, or before a brace. */
function recoverStatement(s: Scanner, start: number): void {
  if (s.start === start && !s.at(125) && !s.at(T.eof)) s.next();
  while (!s.at(125) && !s.at(T.eof)) {
    const done = s.at(59);
    s.next();
    if (done) return;
  }
}

function statement(s: Scanner, w: BodyWriter): void {
  switch (s.kind) {
    case T.word:
      labelOrInstruction(s, w);
      return;
    case 64:
      guarded(s, w);
      return;
    case T.dotted:
      directive(s, w);
      return;
    case 123:
      innerBlock(s, w);
      return;
    default:
      s.syntaxError();
  }
}

function innerBlock(s: Scanner, w: BodyWriter): void {
  const { operand } = w;
  w.statement(block(s, w, true), operand);
}

function labelOrInstruction(s: Scanner, w: BodyWriter): void {
  if (!s.colonFollows()) {
    instruction(s, w, false, w.operand, s.start, s.line, s.column);
    return;
  }
  const span = s.span();
  const name = s.value;
  s.next();
  s.next();
  if (s.atWord("branchtargets")) w.statement({ kind: "branchtargets", label: name, ...targets(s, span) });
  else if (s.atWord("calltargets")) w.statement({ kind: "calltargets", label: name, ...targets(s, span) });
  else if (s.atWord("callprototype")) w.statement(prototype(s, name, span));
  else w.statement({ kind: "label", name, span });
}

/** `operands` is where those of the instruction begin, its guard's number included. */
function instruction(
  s: Scanner,
  w: BodyWriter,
  guarded: boolean,
  operands: number,
  start: number,
  line: number,
  column: number,
): void {
  const four = s.end - s.start === 4;
  const m = s.mnemonic();
  try {
    if (four && s.mnemonics.list[m]?.opcode === "call") parseCall(s, w);
    else parseOperands(s, w);
  } catch (e) {
    const read = s.mnemonics.list[m];
    if (e === SYNTAX && read !== undefined)
      s.unfinished ??= { ...read, span: { start, end: s.previousEnd, line, column } };
    throw e;
  }
  w.instruction(m, guarded, start, s.previousEnd, line, column, operands);
}

function guarded(s: Scanner, w: BodyWriter): void {
  const { start, line, column } = s;
  const { operand } = w;
  s.next();
  const negated = s.accept(33);
  if (!s.at(T.word)) s.syntaxError();
  w.push(w.guard(s.id, negated));
  s.next();
  if (!s.at(T.word)) s.syntaxError();
  instruction(s, w, true, operand, start, line, column);
}

function targets(s: Scanner, at: Span): { targets: readonly string[]; targetSpans: readonly Span[]; span: Span } {
  s.next();
  const names: string[] = [];
  const spans: Span[] = [];
  do {
    spans.push(s.span());
    names.push(s.expectWord());
  } while (s.accept(44));
  s.expect(59);
  return { targets: names, targetSpans: spans, span: to(at, s.previousEnd) };
}

function prototype(s: Scanner, label: string, at: Span): CallPrototype {
  s.next();
  const returns = s.at(40) ? parseParameters(s) : null;
  s.expect(T.sink);
  const params = s.at(40) ? parseParameters(s) : null;
  const directives = parseDirectives(s, FUNC_DIRECTIVES, false);
  s.expect(59);
  return { kind: "callprototype", label, returns, params, directives, span: to(at, s.previousEnd) };
}

function directive(s: Scanner, w: BodyWriter): void {
  const at = s.span();
  const word = s.value;
  if (word === "loc") w.statement(loc(s, at));
  else if (word === "pragma") {
    s.next();
    w.statement({ kind: "pragma", strings: parseStrings(s), span: to(at, s.previousEnd) });
  } // Functions may be declared, not defined, inside a body.
  else if (word === "func") w.statement(functionItem(s, null, null, at));
  else if (LINKAGES.has(word)) {
    s.next();
    if (!s.atWord("func")) s.syntaxError();
    w.statement(functionItem(s, null, word as Linkage, at));
  } else w.statement(parseDeclaration(s, null, at));
}

function loc(s: Scanner, at: Span): LocDirective {
  s.next();
  const file = smallInt(s);
  const line = smallInt(s);
  const column = smallInt(s);
  let inlined: LocDirective["inlined"] = null;
  if (s.accept(44)) {
    if (!s.at(T.word) || s.value !== "function_name") s.syntaxError();
    s.next();
    inlined = inlinedAt(s);
  }
  return { kind: "loc", file, line, column, inlined, span: to(at, s.previousEnd) };
}

function inlinedAt(s: Scanner): NonNullable<LocDirective["inlined"]> {
  const functionName = s.expectWord();
  let offset = 0;
  if (s.accept(43)) offset = smallInt(s);
  s.expect(44);
  if (!s.at(T.word) || s.value !== "inlined_at") s.syntaxError();
  s.next();
  return { functionName, offset, file: smallInt(s), line: smallInt(s), column: smallInt(s) };
}
