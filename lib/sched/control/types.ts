/** What the parts of the control pass tell each other, and what can be chosen from outside. */
import type { Inst } from "../../ori/types.js";
import type { Prepared } from "./prepare.js";

/** "No scoreboard" in the word. */
export const NONE = 7;
export const SCOREBOARDS = 6;
/** Waiter of a scoreboard that was set in another block: far from every instruction. */
export const OUTSIDE = -0x1000000;
/** The longest stall that four bits hold, cycles. */
export const LONGEST_STALL = 15;

/** Per instruction, in layout order. */
export interface Scoreboards {
  /** Counted up at issue, down when the result is there; NONE for none. */
  readonly write: Uint8Array;
  /** Counted up at issue, down when the operands are read; NONE for none. */
  readonly read: Uint8Array;
  /** Bit n: issue only when scoreboard n counts zero. */
  readonly wait: Uint8Array;
}

/** What a scoreboard is needed for. */
export interface ScoreboardRequest {
  /** Index of the instruction in layout order. */
  readonly inst: number;
  /** `result`: readers and writers of the result wait; `operands`: who overwrites an operand waits. */
  readonly side: "result" | "operands";
  /** First instruction of the block that has to wait; BEYOND when it is in another block. */
  readonly hit: number;
}

/** The six scoreboards as they stand before the instruction. */
export interface ScoreboardState {
  /** Bit n: something may be in flight on scoreboard n. */
  readonly busy: number;
  /** Bit n: scoreboard n may be used at all. */
  readonly allowed: number;
  /** First instruction of the block that waits for scoreboard n; OUTSIDE when it was set in another block. */
  readonly hits: Int32Array;
  /** Bit n: scoreboard n is in flight where a successor is entered from somewhere else. */
  readonly meets: number;
}

/** Something in flight where a block ends. */
export interface BranchQuestion {
  /** Index of the instruction that is in flight. */
  readonly inst: number;
  /** Whether its result or the reading of its operands is waited for. */
  readonly side: "result" | "operands";
  /** Cycles from its issue to that of the last instruction of the block. */
  readonly elapsed: number;
}

/** Shall the end of the block wait for it? A matter of taste: who needs it waits anyway. */
export type BranchRule = (p: Prepared, question: BranchQuestion) => boolean;

/** Chooses a scoreboard. Any that is allowed is safe: waits wait for everything on it. Others are refused by an error. */
export type ScoreboardRule = (p: Prepared, request: ScoreboardRequest, state: ScoreboardState) => number;

/** Chooses bit 109; never a matter of safety. `since`: cycles since the warp could last be left. */
export type YieldRule = (p: Prepared, inst: number, stall: number, since: number) => 0 | 1;

/** May an operand stay in the operand cache from instruction `inst` to instruction `next`? */
export type ReuseRule = (p: Prepared, inst: number, next: number, yields: Uint8Array, wait: Uint8Array) => boolean;

/** The choices of the control pass; everything else follows from the code and the latency tables. */
export interface AssignPolicy {
  /** Name of the policy. */
  readonly name: string;
  /** Chooses scoreboards. */
  readonly scoreboard: ScoreboardRule;
  /** Decides about waits at the ends of blocks. */
  readonly branch: BranchRule;
  /** Chooses the yield bit. */
  readonly yield: YieldRule;
  /** Decides what stays in the operand cache. */
  readonly reuse: ReuseRule;
}

/** Why the stall before an instruction is as long as it is. */
export type StallCause = "least" | "raw" | "waw" | "war" | "pipe" | "scoreboard" | "drain" | "call" | "carry";

/** One decision of the pass, for whoever asks why. */
export type ControlDecision =
  | {
      readonly what: "stall";
      /** Carries the stall. */
      readonly inst: Inst;
      /** Cycles of the stall, 0 to 15. */
      readonly stall: number;
      /** Why it is that long. */
      readonly cause: StallCause;
      /** The earlier instruction that asks for it, and the one after that needs it (null: whatever follows). */
      readonly producer: Inst;
      /** The instruction that needs the distance; null: whatever follows. */
      readonly consumer: Inst | null;
      /** Cycles between the two. */
      readonly distance: number;
      /** Slot of the consumer: source slot (−1 the guard), for `waw` and `war` definition slot, for `scoreboard` its number. */
      readonly slot: number;
    }
  | {
      readonly what: "scoreboard";
      /** The instruction that sets it. */
      readonly inst: Inst;
      /** Whether it is set by the result or by the reading of operands. */
      readonly side: "result" | "operands";
      /** Number of the scoreboard, 0 to 5. */
      readonly scoreboard: number;
      /** First instruction that has to wait, null when it is in another block. */
      readonly waiter: Inst | null;
    }
  | {
      readonly what: "wait";
      /** The instruction that waits. */
      readonly inst: Inst;
      /** Number of the scoreboard, 0 to 5. */
      readonly scoreboard: number;
      /** Instructions of the same block in flight on it; the others come from other blocks. */
      readonly producers: readonly Inst[];
    };
