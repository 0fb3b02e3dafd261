/** Constant expressions, as written. */
import type { Span } from "../diagnostics.js";

/** Constant expressions of initializers, array sizes and debug sections. */
export type Expr =
  | {
      readonly kind: "int";
      /** Lower 32 bits. */
      readonly lo: number;
      /** Upper 32 bits. */
      readonly hi: number;
      /** It has the suffix `U`. */
      readonly unsigned: boolean;
      /** Where it stands in the text. */
      readonly span: Span;
    }
  | {
      readonly kind: "float";
      /** Bits of the number. */
      readonly width: 32 | 64;
      /** Lower 32 bits. */
      readonly lo: number;
      /** Upper 32 bits. */
      readonly hi: number;
      /** Where it stands in the text. */
      readonly span: Span;
    }
  | {
      readonly kind: "symbol";
      /** Name of the symbol, operator or field. */
      readonly name: string;
      /** Where it stands in the text. */
      readonly span: Span;
    }
  /** `generic(sym)`; `0xff00(sym)` has a mask instead of a name. */
  | {
      readonly kind: "apply";
      /** Name of the symbol, operator or field. */
      readonly name: string;
      /** Which byte is taken; null for all. */
      readonly mask: Expr | null;
      /** What it applies to. */
      readonly arg: Expr;
      /** Where it stands in the text. */
      readonly span: Span;
    }
  /** `filter_mode = linear` in the initializer of an opaque variable. */
  | {
      readonly kind: "field";
      /** Name of the symbol, operator or field. */
      readonly name: string;
      /** What it applies to. */
      readonly arg: Expr;
      /** Where it stands in the text. */
      readonly span: Span;
    }
  | {
      readonly kind: "unary";
      /** The operator. */
      readonly op: "+" | "-" | "!" | "~";
      /** What it applies to. */
      readonly arg: Expr;
      /** Where it stands in the text. */
      readonly span: Span;
    }
  /** `(.s64) x` */
  | {
      readonly kind: "cast";
      /** Type that it is taken to. */
      readonly type: string;
      /** What it applies to. */
      readonly arg: Expr;
      /** Where it stands in the text. */
      readonly span: Span;
    }
  | {
      readonly kind: "binary";
      /** The operator. */
      readonly op: BinaryOperator;
      /** Left operand. */
      readonly left: Expr;
      /** Right operand. */
      readonly right: Expr;
      /** Where it stands in the text. */
      readonly span: Span;
    }
  | {
      readonly kind: "conditional";
      /** What decides. */
      readonly test: Expr;
      /** Value where the test is not 0. */
      readonly then: Expr;
      /** Value where it is. */
      readonly else: Expr;
      /** Where it stands in the text. */
      readonly span: Span;
    };

/** Operators between two operands. */
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
