/**
 * The shape of the instruction table. A `Row` is one instruction (a mnemonic, with the modifiers that change its
 * operands) for all SMs; its `Line`s say how it is written and encoded, each for a range of SMs.
 *
 * How to read a row:
 *
 *     { op: "IADD3", does: "d = a + b + c", slots: "d co:P=PT co2:P=PT <- a b c", imm: "s32", lines: [
 *       { as: "RRR=210 RIR=810 RCR=a10 RXR=a10u RUR=c10u", text: "IADD3 d, co@81?, co2@84?, -a, -b, -c",
 *         is: "74=0", fill: "77:4=15 87:4=15", sm: "-90" },
 *       … ] }
 *
 * `slots`   Operands in printed order, definitions before `<-`. `name`, then `:FILE` (R when left out; `I` marks a
 *           number, `L` a label, `S` a special register, `C` a constant-bank operand), `*width` in registers (or the
 *           name of a modifier group whose value says it), and `=default`, what the slot holds when the text leaves it
 *           out. `s...` takes any number of operands (pseudo instructions).
 * `as`      Where the operands a, b, c sit, and bits 11:0 of the word in hex (`u`: bit 91 is set). One letter for each
 *           of the slots named a, b, c: R register, I 32-bit immediate, C constant bank, X constant bank indexed by a
 *           uniform register, U uniform register. Registers sit at bits 24 (a), 32 (b), 64 (c); an I, C, X or U sits
 *           at bit 32 and moves the b register to 64. A lower-case `r` is a register at 64, a `q` one at
 *           32 that counts as the third source for reuse. Rows whose slots all name
 *           their bits have a bare opcode instead.
 * `text`    What nvdisasm prints: mnemonic, modifier groups in braces, operands. `name@81` says where a slot's bits are
 *           (for d: 16); `-a` allows a sign, `|a|` an absolute value, `~a` and `!p` inversion, `?` leaves the operand
 *           out when it holds its default, `{group}` after an operand is its part selector. `desc?101[desc@32]` is
 *           a descriptor that is printed only if bit 101 is set.
 * `is`      Bits that tell this line from others with the same opcode.
 * `fill`    Bits that no text shows, as ptxas sets them.
 * `sm`      SMs where the line holds: `75-90`, `100-`, `-90`, `75`; all when left out.
 *
 * More for `text`: `name{word|word@61:3}` of a `:WORD` slot is an operand that is a word; `[ur@24?+off@40:24ss]` leaves a
 * zero register of a sum out, `ss` keeps a lone offset signed, `su` makes it an address as soon as the base is zero;
 * `gdesc[a@24]{…}` puts the part after the bracket, several groups combine; `a+1` is the register after that of slot a
 * (`a@@+1`: there is no zero register); `%122` names the bit that keeps an operand for reuse. A width `mma/2` divides what
 * the group says. Rows may share a name when their operands tell them apart; `form(name)` then means the first.
 *
 * What nvdisasm refuses or prints as nothing: a value `!` of a group is refused, `...!` at its end all that are not listed;
 * a value `~` is printed as nothing. Undefined values of `:WORD` slots read `???n` with `...?` at the end, `INVALIDn` with
 * `...I`; `a@@24` has no zero register: the highest number is undefined.
 * `not` and `hidden` of a row or line are conditions such as `73:3=5-7,1 76=1; 80- 72=!0` (alternatives of conjunctions of
 * fields with their values, `!` all but these, each perhaps for some SMs only).
 *
 * Bit positions: `lo`, `lo:width`, or pieces from low to high joined by `+`. Facts: nvdisasm 13.2.51 (read off its text;
 * every line is compared with it on random words in test/oracle/sass-table.test.ts).
 */
import type { Flow, Space } from "./types.js";

export interface Line {
  readonly as: string;
  readonly text: string;
  readonly is?: string;
  readonly fill?: string;
  /** Where it differs from the row's. */
  readonly imm?: ImmFormat;
  readonly sm?: string;
  /** Where they differ from the row's. */
  readonly decoupled?: boolean;
  readonly sets?: Sets;
  /** Bits 124:122 that may be set beside bit 109 (−1: the unit is its own), where no operand says it. */
  readonly reuse?: number;
  /** Words that are refused, beside those that the row says. */
  readonly not?: string;
  /** Words that are printed as nothing, beside those that the row says. */
  readonly hidden?: string;
}

export interface Row {
  /** Mnemonic and the modifiers that belong to this row alone, e.g. `IADD3.X`. */
  readonly op: string;
  /** What it computes, in one line. */
  readonly does: string;
  readonly slots: string;
  /**
   * Widths that a slot cannot say: `.2CTA c=8` (`+`, `-`, `*` change it) under all of the modifiers, each beyond the one
   * before; `d2#4:4` as many registers as bits 7:4 of slot `mask` have ones (`-2`: two fewer); `.LC a@2,3,4` by the value of
   * slot `dim`. Alternatives stand between `;`. At least one register.
   */
  readonly widths?: string;
  /**
   * How the 32-bit immediate of slot a, b or c reads: hexadecimal u32 (default), s32, n32 (below an upper half of ones),
   * or a float.
   */
  readonly imm?: ImmFormat;
  /** Sign bit of what sits at bit 64 (its absolute-value bit is one below), 75 when left out. */
  readonly signOfC?: number;
  /**
   * Runs in a unit of its own: no operand is kept for reuse, and bits 124:122 are not looked at (nvdisasm; see `legal.ts`).
   * True for rows of variable latency and of control flow when left out.
   */
  readonly decoupled?: boolean;
  /** Words that nvdisasm refuses, and words that it takes and prints as nothing. */
  readonly not?: string;
  readonly hidden?: string;
  readonly lines: readonly Line[];
  /** Guarded by a uniform predicate. */
  readonly guard?: "UP" | "P";
  readonly flow?: Flow;
  /**
   * Names that nvdisasm prints instead under a condition on the operands: `MOV: a=RZ b=RZ`. They are text only: the
   * form is the one without the alias.
   */
  readonly alias?: readonly string[];
  /** Memory: space and access; its bytes come from the modifier group `bytes` names, or are a number. */
  readonly memory?: readonly [space: Space, access: "load" | "store" | "atomic" | "reduce" | "prefetch" | "fence"];
  readonly bytes?: string | number;
  /** Has an effect beyond its results. */
  readonly effect?: boolean;
  /** Latency: fixed, or variable (results and operands guarded by scoreboards). See `timing.ts`. */
  readonly time?: TimeClass;
  /**
   * Which scoreboards the control word may name; nvdisasm refuses the others. When left out, what `time` says, and none for
   * a `decoupled` row of fixed latency.
   */
  readonly sets?: Sets;
}

export type Sets = "none" | "read" | "write" | "any";

export type ImmFormat = "u32" | "s32" | "n32" | "f32" | "f64" | "h2" | "h1" | "bf2" | "b1";

/**
 * How ptxas -O0 guards an instruction (measured per opcode in test/oracle/control-o0.test.ts).
 * `fixed`: no scoreboard. `result`: write scoreboard for the result and read scoreboard for the operands.
 * `operands`: read scoreboard only (stores, reductions, barriers). `write`: write scoreboard only. `fp64`, `mma`, `imma`, `r2ur`: fixed
 * or result, as the target says.
 */
export type TimeClass = "fixed" | "result" | "operands" | "write" | "fp64" | "mma" | "imma" | "r2ur";

/** Declares rows: keeps the literal types out of the declaration file. */
export type Rows = readonly Row[];

/** Rows with what they have in common; a row that says otherwise is right. */
export function shared(common: Partial<Row>, rows: Rows): Rows {
  return rows.map((row) => ({ ...common, ...row }));
}
