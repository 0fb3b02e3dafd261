import type { Span } from "../diagnostics.js";
import type { Expr } from "./ast-expressions.js";
import type { Operand } from "./ast-operands.js";

export type * from "./ast-expressions.js";
export type * from "./ast-operands.js";

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
  /** `.target`; null when the text has none. */
  readonly target: TargetDirective | null;
  /** `.address_size`; null when the text has none. */
  readonly addressSize: AddressSizeDirective | null;
  /** Everything at module scope in source order. */
  readonly items: readonly Item[];
}

/** An instruction of which a syntax error leaves its name and modifiers. */
export interface Unfinished {
  /** Its first word: `add`. */
  readonly opcode: string;
  /** As written, without their dots. */
  readonly modifiers: readonly string[];
  /** Where name and modifiers stand. */
  readonly span: Span;
}

/** What stands at the top of a module. */
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

/** `.version 9.0` */
export interface VersionDirective {
  readonly kind: "version";
  /** Number before the point. */
  readonly major: number;
  /** Number after the point. */
  readonly minor: number;
  /** Where it stands in the text. */
  readonly span: Span;
}

/** `.target sm_90, texmode_unified` */
export interface TargetDirective {
  readonly kind: "target";
  /** The SM and what else is named, in order. */
  readonly names: readonly string[];
  /** Where it stands in the text. */
  readonly span: Span;
}

/** `.address_size 64` */
export interface AddressSizeDirective {
  readonly kind: "address_size";
  /** 32 or 64. */
  readonly bits: number;
  /** Where it stands in the text. */
  readonly span: Span;
}

/** Linkage directives; null for none. */
export type Linkage = "extern" | "visible" | "weak" | "common" | null;

/** `.attribute(.managed)`, `.attribute(.unified(1, 2))` */
export interface Attribute {
  /** Name of the attribute: `managed`, `unified`. */
  readonly name: string;
  /** What stands in its parentheses. */
  readonly args: readonly Expr[];
  /** Where it stands in the text. */
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
  /** Who sees it; null for the module alone. */
  readonly linkage: Linkage;
  /** `.attribute` in order. */
  readonly attributes: readonly Attribute[];
  /** What is declared, in order. */
  readonly variables: readonly Variable[];
  /** Where it stands in the text. */
  readonly span: Span;
}

/** A variable of a declaration. */
export interface Variable {
  /** Its name; `x<4>` stands for four. */
  readonly name: string;
  /** `%r<100>` declares %r0 … %r99: 100; null for a plain name. */
  readonly count: number | null;
  /** Array extents, outermost first; null for `[]`. Empty for scalars. */
  readonly dims: readonly (number | null)[];
  /** Its initial value; null for none. */
  readonly init: Initializer | null;
  /** Where it stands in the text. */
  readonly span: Span;
}

/** What a variable holds at first. */
export type Initializer =
  | {
      readonly kind: "list";
      /** The elements in order. */
      readonly elements: readonly Initializer[];
      /** Where it stands in the text. */
      readonly span: Span;
    }
  | Expr;

/** Kernel or function parameter, return value, prototype parameter. */
export interface Parameter extends VariableType {
  /** `_` where a prototype leaves it unnamed. */
  readonly name: string;
  /** As in Variable. */
  readonly count: number | null;
  /** Elements along each dimension, null where left open; empty for a single one. */
  readonly dims: readonly (number | null)[];
  /** `.ptr .global .align 16`; null where not written. */
  readonly pointer: {
    /** State space that it points to; null for generic. */
    readonly space: string | null;
    /** Bytes that the address is a multiple of; null when not given. */
    readonly align: number | null;
  } | null;
  /** Old-style `.const`-qualified and opaque types need nothing more. */
  readonly attributes: readonly Attribute[];
  /** Where it stands in the text. */
  readonly span: Span;
}

/** A kernel or function, declared or defined. */
export interface FunctionItem {
  readonly kind: "function";
  /** A kernel (`.entry`), else a `.func`. */
  readonly entry: boolean;
  /** Who sees it; null for the module alone. */
  readonly linkage: Linkage;
  /** `.attribute` in order. */
  readonly attributes: readonly Attribute[];
  /** Name of the function. */
  readonly name: string;
  /** Where the name stands. */
  readonly nameSpan: Span;
  /** null when no parentheses are written. */
  readonly returns: readonly Parameter[] | null;
  /** Parameters in order; null without parentheses. */
  readonly params: readonly Parameter[] | null;
  /** Performance-tuning and ABI directives between the signature and the body, in order. */
  readonly directives: readonly FunctionDirective[];
  /** null for a declaration. */
  readonly body: Block | null;
  /** Where it stands in the text. */
  readonly span: Span;
}

/** `.maxntid 256, 1, 1`, `.noreturn`, `.pragma "nounroll"` (name pragma, text in strings). */
export interface FunctionDirective {
  /** Name of the directive: `maxntid`, `minnctapersm` … */
  readonly name: string;
  /** Its numbers. */
  readonly values: readonly number[];
  /** What it quotes, in order; empty for most. */
  readonly strings: readonly string[];
  /** Where it stands in the text. */
  readonly span: Span;
}

/** `.alias name, function;` */
export interface AliasDirective {
  readonly kind: "alias";
  /** The new name. */
  readonly name: string;
  /** The function that it names. */
  readonly aliasee: string;
  /** Where it stands in the text. */
  readonly span: Span;
}

/** `.pragma "nounroll";`: a wish for what follows. */
export interface PragmaDirective {
  readonly kind: "pragma";
  /** What the pragma says. */
  readonly strings: readonly string[];
  /** Where it stands in the text. */
  readonly span: Span;
}

/** `.file 1 "name", 1700000000, 4096` */
export interface FileDirective {
  readonly kind: "file";
  /** Number that `.loc` names it by. */
  readonly index: number;
  /** Path of the file. */
  readonly name: string;
  /** Seconds since 1970 of its last change; null when not given. */
  readonly timestamp: number | null;
  /** Bytes of the file; null when not given. */
  readonly size: number | null;
  /** Where it stands in the text. */
  readonly span: Span;
}

/** `.loc 1 20 5, function_name $L__info0+4, inlined_at 1 30 2` */
export interface LocDirective {
  readonly kind: "loc";
  /** Number of a `.file`. */
  readonly file: number;
  /** Line, from 1. */
  readonly line: number;
  /** Column, from 1; 0 for none. */
  readonly column: number;
  /** The call that brought the line in; null for none. */
  readonly inlined: {
    /** Label of the inlined function's name in `.debug_str`. */
    readonly functionName: string;
    /** Bytes added to that label. */
    readonly offset: number;
    /** File of the call, number of a `.file`. */
    readonly file: number;
    /** Line of the call, from 1. */
    readonly line: number;
    /** Column of the call, from 1. */
    readonly column: number;
  } | null;
  /** Where it stands in the text. */
  readonly span: Span;
}

/** `.section .debug_info { … }` */
export interface SectionDirective {
  readonly kind: "section";
  /** Name of the section, `.debug_info` … */
  readonly name: string;
  /** What stands in it. */
  readonly lines: readonly SectionLine[];
  /** Where it stands in the text. */
  readonly span: Span;
}

/** A line of a debug section: label or data. */
export type SectionLine =
  | {
      readonly kind: "label";
      /** Name of the label. */
      readonly name: string;
      /** Where it stands in the text. */
      readonly span: Span;
    }
  /** Plain literals as numbers (debug sections are long), everything else as expressions. */
  | {
      readonly kind: "data";
      /** Type of the values: `.b8` … `.b64`. */
      readonly type: string;
      /** The values in order. */
      readonly values: readonly (number | Expr)[];
      /** Where it stands in the text. */
      readonly span: Span;
    };

/** One `@@DWARF …` line of old debug information, kept as text. */
export interface DwarfLine {
  readonly kind: "dwarf";
  /** The line as it stands. */
  readonly text: string;
  /** Where it stands in the text. */
  readonly span: Span;
}

// ---------------------------------------------------------------------------------------------------------------- statements

/** What stands in the body of a function. */
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
  /** How many statements there are. */
  readonly length: number;
  /** Counted from the end where negative. */
  at(index: number): Statement | undefined;
  /** What `f` gives for each statement, in order. */
  map<T>(f: (statement: Statement, index: number) => T): T[];
  /** The few that are no instructions, in order. */
  others(): readonly Exclude<Statement, Instruction>[];
}

/** Statements in braces: names declared there hold there. */
export interface Block {
  readonly kind: "block";
  /** Its statements in order. */
  readonly statements: StatementList;
  /** Where it stands in the text. */
  readonly span: Span;
  /** The closing brace. */
  readonly endSpan: Span;
}

/** A place in the code that branches name. */
export interface Label {
  readonly kind: "label";
  /** Its name, which holds in its block. */
  readonly name: string;
  /** Where it stands in the text. */
  readonly span: Span;
}

/** `table: .branchtargets L1, L2;` */
export interface BranchTargets {
  readonly kind: "branchtargets";
  /** Name that the branch gives. */
  readonly label: string;
  /** Names of the places that may be meant. */
  readonly targets: readonly string[];
  /** Where each of them stands. */
  readonly targetSpans: readonly Span[];
  /** Where it stands in the text. */
  readonly span: Span;
}

/** `.calltargets`: functions that a call through an address may mean. */
export interface CallTargets {
  readonly kind: "calltargets";
  /** Name that the call gives. */
  readonly label: string;
  /** Names of the places that may be meant. */
  readonly targets: readonly string[];
  /** Where each of them stands. */
  readonly targetSpans: readonly Span[];
  /** Where it stands in the text. */
  readonly span: Span;
}

/** `p: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;` */
export interface CallPrototype {
  readonly kind: "callprototype";
  /** Name that the call gives. */
  readonly label: string;
  /** Results; null without parentheses. */
  readonly returns: readonly Parameter[] | null;
  /** Parameters; null without parentheses. */
  readonly params: readonly Parameter[] | null;
  /** What else is said of the call. */
  readonly directives: readonly FunctionDirective[];
  /** Where it stands in the text. */
  readonly span: Span;
}

/** `@!%p1`; equal ones of a module may be one object, as operands. */
export interface Guard {
  /** Name of the predicate. */
  readonly name: string;
  /** It executes where the predicate is false. */
  readonly negated: boolean;
}

/** An instruction with its guard and operands. */
export interface Instruction {
  readonly kind: "instruction";
  /** The predicate under which it executes; null for always. */
  readonly guard: Guard | null;
  /** First word: `ld`, `cp`, `tcgen05`. */
  readonly opcode: string;
  /**
   * What follows, in order, without dots: `["global", "L1::no_allocate", "v4", "u32"]`. The same array object for every instruction of a parse
   * with the same words, so it can key a cache.
   */
  readonly modifiers: readonly string[];
  /** Operands in order. */
  readonly operands: readonly Operand[];
  /** Where it stands in the text. */
  readonly span: Span;
}
