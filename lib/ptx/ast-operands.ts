/** Operands of instructions, as written. */

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
  /** The name: register, label, variable, special register. */
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
  /** Lower 32 bits, unsigned. */
  readonly lo: number;
  /** Upper 32 bits, unsigned. */
  readonly hi: number;
  /** Written with U, or too large for a signed 64-bit number. */
  readonly unsigned: boolean;
}

/** `1.5`, `0d…` (width 64) or `0f…` (width 32). The exact bits: lo alone for width 32. */
export interface FloatOperand {
  readonly kind: "float";
  /** Bits of the number. */
  readonly width: 32 | 64;
  /** Lower 32 bits of the pattern. */
  readonly lo: number;
  /** Upper 32 bits of the pattern; 0 for single precision. */
  readonly hi: number;
}

/**
 * `[base+offset]`, `[123]` (base null), `[tex, sampler, {x, y}]`: `rest` is what follows the first comma. Coordinates and handles are operands.
 * The offset is signed, in bytes, exact up to 2^53.
 */
export interface AddressOperand {
  readonly kind: "address";
  /** Register or variable; null for an absolute address. */
  readonly base: string | null;
  /** Bytes added to it, signed. */
  readonly offset: number;
  /** Further operands in the brackets: coordinates, handles. */
  readonly rest: readonly Operand[];
}

/** `{%r1, %r2}` */
export interface VectorOperand {
  readonly kind: "vector";
  /** The elements in order. */
  readonly elements: readonly Operand[];
}

/** `(a, b)` of a call: return values or arguments. */
export interface ListOperand {
  readonly kind: "list";
  /** The elements in order. */
  readonly elements: readonly Operand[];
}

/** `p|q` */
export interface PairOperand {
  readonly kind: "pair";
  /** The first of the two. */
  readonly first: Operand;
  /** The second of the two. */
  readonly second: Operand;
}

/** `!p` */
export interface NotOperand {
  readonly kind: "not";
  /** What it applies to. */
  readonly operand: Operand;
}

/** `-c` of the video instructions. */
export interface NegOperand {
  readonly kind: "neg";
  /** What it applies to. */
  readonly operand: Operand;
}

/** `_`: a result that nobody wants. */
export interface SinkOperand {
  readonly kind: "sink";
}
