import type { Span } from "../diagnostics.js";

/**
 * The tree of a PTX module as written: nothing is resolved, folded (except constant operands) or checked here.
 *
 * Names stay names: whether `r1` is a register, a variable, a function or a label is a matter of scopes (scope.ts), because
 * PTX lets any identifier be any of them. All dotted words (types, state spaces, modifiers, directives) are stored without their dot.
 * Discriminated unions on `kind`; the nodes are plain data, but that a parsed instruction makes its span when it is asked for.
 */
export interface Module {
  readonly kind: "module";
  /** Name for messages; null when the text came from nowhere. */
  readonly file: string | null;
  /** What was parsed; spans count in it. Empty for a tree that no text was parsed to. */
  readonly text: string;
  /** The first of each, for convenience; they also stand in `items`. */
  readonly version: VersionDirective | null;
  readonly target: TargetDirective | null;
  readonly addressSize: AddressSizeDirective | null;
  /** Everything at module scope in source order. */
  readonly items: readonly Item[];
}

export type Item =
  | VersionDirective
  | TargetDirective
  | AddressSizeDirective
  | Declaration
  | FunctionItem
  | AliasDirective
  | PragmaDirective
  | FileDirective
  | SectionDirective
  | DwarfLine;

export interface VersionDirective {
  readonly kind: "version";
  readonly major: number;
  readonly minor: number;
  readonly span: Span;
}

/** `.target sm_90, texmode_unified` */
export interface TargetDirective {
  readonly kind: "target";
  readonly names: readonly string[];
  readonly span: Span;
}

export interface AddressSizeDirective {
  readonly kind: "address_size";
  readonly bits: number;
  readonly span: Span;
}

export type Linkage = "extern" | "visible" | "weak" | "common" | null;

/** `.attribute(.managed)`, `.attribute(.unified(1, 2))` */
export interface Attribute {
  readonly name: string;
  readonly args: readonly Expr[];
  readonly span: Span;
}

/** What declarations and parameters have in common. */
export interface VariableType {
  /** reg, sreg, const, global, local, param, shared, tex, or a sub-space such as `shared::cta`. */
  readonly space: string;
  /** Bytes; null where not written. */
  readonly align: number | null;
  /** 2, 4, 8 … ; null for scalars. */
  readonly vector: number | null;
  /** Fundamental type or texref, samplerref, surfref; empty for `.tex` declarations without one. */
  readonly type: string;
}

/** `.global .align 4 .v4 .f32 a[2][3] = { … }, b;` — also in functions, also registers. */
export interface Declaration extends VariableType {
  readonly kind: "declaration";
  readonly linkage: Linkage;
  readonly attributes: readonly Attribute[];
  readonly variables: readonly Variable[];
  readonly span: Span;
}

export interface Variable {
  readonly name: string;
  /** `%r<100>` declares %r0 … %r99: 100; null for a plain name. */
  readonly count: number | null;
  /** Array extents, outermost first; null for `[]`. Empty for scalars. */
  readonly dims: readonly (number | null)[];
  readonly init: Initializer | null;
  readonly span: Span;
}

export type Initializer =
  | { readonly kind: "list"; readonly elements: readonly Initializer[]; readonly span: Span }
  | Expr;

/** Kernel or function parameter, return value, prototype parameter. */
export interface Parameter extends VariableType {
  /** `_` where a prototype leaves it unnamed. */
  readonly name: string;
  /** As in Variable. */
  readonly count: number | null;
  readonly dims: readonly (number | null)[];
  /** `.ptr .global .align 16`; null where not written. */
  readonly pointer: { readonly space: string | null; readonly align: number | null } | null;
  /** Old-style `.const`-qualified and opaque types need nothing more. */
  readonly attributes: readonly Attribute[];
  readonly span: Span;
}

export interface FunctionItem {
  readonly kind: "function";
  readonly entry: boolean;
  readonly linkage: Linkage;
  readonly attributes: readonly Attribute[];
  readonly name: string;
  readonly nameSpan: Span;
  /** null when no parentheses are written. */
  readonly returns: readonly Parameter[] | null;
  readonly params: readonly Parameter[] | null;
  /** Performance-tuning and ABI directives between the signature and the body, in order. */
  readonly directives: readonly FunctionDirective[];
  /** null for a declaration. */
  readonly body: Block | null;
  readonly span: Span;
}

/** `.maxntid 256, 1, 1`, `.noreturn`, `.pragma "nounroll"` (name pragma, text in strings). */
export interface FunctionDirective {
  readonly name: string;
  readonly values: readonly number[];
  readonly strings: readonly string[];
  readonly span: Span;
}

export interface AliasDirective {
  readonly kind: "alias";
  readonly name: string;
  readonly aliasee: string;
  readonly span: Span;
}

export interface PragmaDirective {
  readonly kind: "pragma";
  readonly strings: readonly string[];
  readonly span: Span;
}

/** `.file 1 "name", 1700000000, 4096` */
export interface FileDirective {
  readonly kind: "file";
  readonly index: number;
  readonly name: string;
  readonly timestamp: number | null;
  readonly size: number | null;
  readonly span: Span;
}

/** `.loc 1 20 5, function_name $L__info0+4, inlined_at 1 30 2` */
export interface LocDirective {
  readonly kind: "loc";
  readonly file: number;
  readonly line: number;
  readonly column: number;
  readonly inlined: {
    readonly functionName: string;
    readonly offset: number;
    readonly file: number;
    readonly line: number;
    readonly column: number;
  } | null;
  readonly span: Span;
}

/** `.section .debug_info { … }` */
export interface SectionDirective {
  readonly kind: "section";
  readonly name: string;
  readonly lines: readonly SectionLine[];
  readonly span: Span;
}

export type SectionLine =
  | { readonly kind: "label"; readonly name: string; readonly span: Span }
  /** Plain literals as numbers (debug sections are long), everything else as expressions. */
  | { readonly kind: "data"; readonly type: string; readonly values: readonly (number | Expr)[]; readonly span: Span };

/** One `@@DWARF …` line of old debug information, kept as text. */
export interface DwarfLine {
  readonly kind: "dwarf";
  readonly text: string;
  readonly span: Span;
}

// ---------------------------------------------------------------------------------------------------------------- statements

export type Statement =
  | Instruction
  | Label
  | Block
  | Declaration
  | LocDirective
  | PragmaDirective
  | BranchTargets
  | CallTargets
  | CallPrototype
  /** A function declaration inside a body. */
  | FunctionItem;

/**
 * Statements in source order, read like an array. The parser keeps instructions as numbers and makes an object of one each
 * time it is asked for, so compare instructions by index or by content, not by identity; equal operands and the lists of modifiers stay one object.
 */
export interface StatementList extends Iterable<Statement> {
  readonly length: number;
  /** Counted from the end where negative. */
  at(index: number): Statement | undefined;
  map<T>(f: (statement: Statement, index: number) => T): T[];
  /** The few that are no instructions, in order. */
  others(): readonly Exclude<Statement, Instruction>[];
}

export interface Block {
  readonly kind: "block";
  readonly statements: StatementList;
  readonly span: Span;
  /** The closing brace. */
  readonly endSpan: Span;
}

export interface Label {
  readonly kind: "label";
  readonly name: string;
  readonly span: Span;
}

/** `table: .branchtargets L1, L2;` */
export interface BranchTargets {
  readonly kind: "branchtargets";
  readonly label: string;
  readonly targets: readonly string[];
  readonly targetSpans: readonly Span[];
  readonly span: Span;
}

export interface CallTargets {
  readonly kind: "calltargets";
  readonly label: string;
  readonly targets: readonly string[];
  readonly targetSpans: readonly Span[];
  readonly span: Span;
}

/** `p: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;` */
export interface CallPrototype {
  readonly kind: "callprototype";
  readonly label: string;
  readonly returns: readonly Parameter[] | null;
  readonly params: readonly Parameter[] | null;
  readonly directives: readonly FunctionDirective[];
  readonly span: Span;
}

/** `@!%p1`; equal ones of a module may be one object, as operands. */
export interface Guard {
  readonly name: string;
  readonly negated: boolean;
}

export interface Instruction {
  readonly kind: "instruction";
  readonly guard: Guard | null;
  /** First word: `ld`, `cp`, `tcgen05`. */
  readonly opcode: string;
  /**
   * What follows, in order, without dots: `["global", "L1::no_allocate", "v4", "u32"]`. The same array object for every instruction of a parse
   * with the same words, so it can key a cache.
   */
  readonly modifiers: readonly string[];
  readonly operands: readonly Operand[];
  readonly span: Span;
}

// ------------------------------------------------------------------------------------------------------------------ operands

/**
 * Operands are forms without a position: within one module equal names and plain addresses are one object, so that a tree stays small. Where an
 * operand stands is read from the instruction's text again when a message needs it (locate.ts).
 */
export type Operand =
  | NameOperand
  | IntOperand
  | FloatOperand
  | AddressOperand
  | VectorOperand
  | ListOperand
  | PairOperand
  | NotOperand
  | NegOperand
  | SinkOperand;

/**
 * Register, special register, variable, function, label, parameter: `%r1`, `%tid.x`, `sym+8`, `%v.y`, `%r1.h0`.
 * `%tid.x` is the name `%tid` with component `x`. `a[3]` has `index` 3: element 3 of an array (its contents in ld/st, its address in mov).
 */
export interface NameOperand {
  readonly kind: "name";
  readonly name: string;
  /** x y z w, r g b a, or b0…b3, h0, h1 of the video instructions, `b` and `h` pairs (`b0123`); null if none. */
  readonly component: string | null;
  /** Bytes; 0 where not written. */
  readonly offset: number;
  /** A constant, or the name of a register. */
  readonly index: number | string | null;
}

/** A 64-bit integer constant; two's complement in two u32 halves, sign applied. */
export interface IntOperand {
  readonly kind: "int";
  readonly lo: number;
  readonly hi: number;
  /** Written with U, or too large for a signed 64-bit number. */
  readonly unsigned: boolean;
}

/** `1.5`, `0d…` (width 64) or `0f…` (width 32). The exact bits: lo alone for width 32. */
export interface FloatOperand {
  readonly kind: "float";
  readonly width: 32 | 64;
  readonly lo: number;
  readonly hi: number;
}

/**
 * `[base+offset]`, `[123]` (base null), `[tex, sampler, {x, y}]`: `rest` is what follows the first comma. Coordinates and handles are operands.
 * The offset is signed, in bytes, exact up to 2^53.
 */
export interface AddressOperand {
  readonly kind: "address";
  readonly base: string | null;
  readonly offset: number;
  readonly rest: readonly Operand[];
}

/** `{%r1, %r2}` */
export interface VectorOperand {
  readonly kind: "vector";
  readonly elements: readonly Operand[];
}

/** `(a, b)` of a call: return values or arguments. */
export interface ListOperand {
  readonly kind: "list";
  readonly elements: readonly Operand[];
}

/** `p|q` */
export interface PairOperand {
  readonly kind: "pair";
  readonly first: Operand;
  readonly second: Operand;
}

/** `!p` */
export interface NotOperand {
  readonly kind: "not";
  readonly operand: Operand;
}

/** `-c` of the video instructions. */
export interface NegOperand {
  readonly kind: "neg";
  readonly operand: Operand;
}

/** `_` */
export interface SinkOperand {
  readonly kind: "sink";
}

// --------------------------------------------------------------------------------------------------------------- expressions

/** Constant expressions of initializers, array sizes and debug sections. */
export type Expr =
  | { readonly kind: "int"; readonly lo: number; readonly hi: number; readonly unsigned: boolean; readonly span: Span }
  | { readonly kind: "float"; readonly width: 32 | 64; readonly lo: number; readonly hi: number; readonly span: Span }
  | { readonly kind: "symbol"; readonly name: string; readonly span: Span }
  /** `generic(sym)`; `0xff00(sym)` has a mask instead of a name. */
  | {
      readonly kind: "apply";
      readonly name: string;
      readonly mask: Expr | null;
      readonly arg: Expr;
      readonly span: Span;
    }
  /** `filter_mode = linear` in the initializer of an opaque variable. */
  | { readonly kind: "field"; readonly name: string; readonly arg: Expr; readonly span: Span }
  | { readonly kind: "unary"; readonly op: "+" | "-" | "!" | "~"; readonly arg: Expr; readonly span: Span }
  /** `(.s64) x` */
  | { readonly kind: "cast"; readonly type: string; readonly arg: Expr; readonly span: Span }
  | {
      readonly kind: "binary";
      readonly op: BinaryOperator;
      readonly left: Expr;
      readonly right: Expr;
      readonly span: Span;
    }
  | {
      readonly kind: "conditional";
      readonly test: Expr;
      readonly then: Expr;
      readonly else: Expr;
      readonly span: Span;
    };

export type BinaryOperator =
  | "*"
  | "/"
  | "%"
  | "+"
  | "-"
  | "<<"
  | ">>"
  | "<"
  | ">"
  | "<="
  | ">="
  | "=="
  | "!="
  | "&"
  | "^"
  | "|"
  | "&&"
  | "||";
