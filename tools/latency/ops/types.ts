/**
 * PTX operations for chain kernels. `I` is what the chain brings, `O` what goes on; `A B C` are 32-bit values, `L M` 64-bit
 * ones and `P Q` predicates that nothing hands over in time, `X Y` kernel parameters. Types: r 32 bits, l 64 bits, p predicate,
 * u 32 bits alike in all threads, w a predicate alike in all threads. Several of the
 * machine's classes are reached only with the modifiers shown; what a target does not have is dropped when ptxas refuses it.
 */
export type ValueType = "r" | "l" | "p" | "u" | "w";

export interface ChainOp {
  readonly from: ValueType | "";
  readonly to: ValueType;
  readonly text: string;
}

/** Second writer of a register under a predicate: what a first write must be away from. */
export interface Rewrite {
  readonly to: ValueType;
  readonly text: string;
}

/** One operation per line. */
export function list(from: ChainOp["from"], to: ChainOp["to"], texts: string): ChainOp[] {
  return texts
    .split("\n")
    .map((t) => t.trim())
    .filter((t) => t !== "")
    .map((text) => ({ from, to, text }));
}

export function rewrite(to: ValueType, texts: string): Rewrite[] {
  return list("", to, texts).map(({ text }) => ({ to, text }));
}
