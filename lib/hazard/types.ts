/** What the hazard checker is given and what it says. */

/**
 * - `raw`, `waw`, `war`: two instructions of fixed latency stand closer together than the latency tables allow.
 * - `result`: a register is read while a variable-latency instruction may still have to write it.
 * - `overwrite`: a register is written while a variable-latency instruction may still have to write it.
 * - `operand`: a register is written while a variable-latency instruction may still have to read it.
 * - `call`: control leaves for code that is not seen, or returns, while a register is still in flight.
 * - `reuse`: an operand comes from the reuse cache although its register has been written since.
 * - `group`: a counted wait (DEPBAR.LE sb, n) that does not see a group of asynchronous copies in flight.
 * - `arrive`: a product of a warp group reads what was not there at the last WARPGROUP.ARRIVE, or issues too soon after it.
 * - `acquire`: CCTL.IVALL throws the cache away before the strong access before it is done (acquire.ts).
 * - `stall`: the instruction does not hold back the next one as long as it must.
 * - `control`: the control word is not one that the machine knows.
 * - `unknown`: the word is not in the instruction table, or control goes where the words do not say; what is after it
 *   was not checked against what is in front.
 */
export const findingKinds = [
  "raw",
  "waw",
  "war",
  "result",
  "overwrite",
  "operand",
  "call",
  "reuse",
  "group",
  "arrive",
  "acquire",
  "stall",
  "control",
  "unknown",
] as const;
export type FindingKind = (typeof findingKinds)[number];

/** An instruction that a finding names. */
export interface FindingSite {
  /** Byte address in the section. */
  readonly address: number;
  /** nvdisasm's text. */
  readonly text: string;
}

/** A hazard in machine code. */
export interface Finding {
  /** Which rule it breaks. */
  readonly kind: FindingKind;
  /** Section's name. */
  readonly function: string;
  /** The later of the two instructions: the one that must not issue yet. */
  readonly at: FindingSite;
  /** The earlier one, null where a finding concerns one instruction alone. */
  readonly since: FindingSite | null;
  /** `R4`, `UP1`; "" where no register is concerned. */
  readonly register: string;
  /** Cycles that must lie between the issue of the two; null where a scoreboard must be waited for. */
  readonly required: number | null;
  /** Least cycles between them over all paths; null where no distance would do. */
  readonly actual: number | null;
  /** One line. */
  readonly reason: string;
}

/** The code of one section: words and what the words alone do not say. */
export interface CodeToVerify {
  /** Name of the function. */
  readonly name: string;
  /** Four u32 per instruction, low first. */
  readonly words: Uint32Array;
  /** Byte addresses where functions begin, besides 0: also what a `CALL.REL` through a register may call. */
  readonly entries?: readonly number[];
  /** Byte address of an indirect branch → those of its targets (EIATTR_INDIRECT_BRANCH_TARGETS). */
  readonly targets?: ReadonlyMap<number, readonly number[]>;
  /** Byte addresses of instructions whose target a relocation fills in: calls out of the section. */
  readonly relocated?: ReadonlySet<number>;
  /** As if no unit worked in order (order.ts): tells what rests on that alone. Default false. */
  readonly withoutOrder?: boolean;
}
