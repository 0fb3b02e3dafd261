/**
 * Instructions whose operands are uniform registers, in code where each lane has operands of its own.
 *
 * `eachValue`: for instructions that act for every lane that executes them (arrivals). Lanes with the value of one of them go
 * together, the others come round again.
 *
 *     again:  R2UR UR4, R0; ISETP.EQ P0, R0, UR4; @!P0 BRA next; ARRIVES [UR4]
 *     next:   @!P0 BRA again
 *
 * `eachLane`: for instructions that act once, whoever executes them (bulk copies). One lane goes at a time.
 *
 *     again:  ELECT P0; @!P0 BRA next; R2UR UR4, R0; UBLKCP …
 *     next:   @!P0 BRA again
 *
 * ptxas -O0 makes the same loops (measured on sm_80, 90a, 100a) with predicates in place of branches.
 */
import { part } from "../../ori/operand.js";
import { File, type Operand } from "../../ori/types.js";
import type { Context } from "../context.js";

/** The registers of a value in uniform registers; in a register of width 1, 2 or 4. */
export function toUniform(c: Context, values: readonly Operand[]): Operand {
  const width = values.reduce((sum, v) => sum + v.width, 0);
  const d = c.builder.ur(width);
  let at = 0;
  for (const v of values)
    for (let k = 0; k < v.width; k++) {
      const word = c.word(v, k);
      const to = part(d, at++);
      if (word.file === File.R) c.emit("R2UR", [to], [word]);
      else c.emit("UMOV", [to], [word]);
    }
  return d;
}

/**
 * Emits `body` for some of the lanes that have come so far, those where the predicate that `choose` gives is true, then for the others in turn. What is done
 * lies within the loop: after it lanes would meet first.
 */
function inTurns(c: Context, choose: () => Operand, body: () => void): void {
  const [again, act, next, done] = [c.newBlock(), c.newBlock(), c.newBlock(), c.newBlock()];
  c.start(again);
  // Each turn is some lane's, so the others never wait for one that waits.
  c.watching.retries.add(again);
  const chosen = choose();
  c.branch(next, c.when(chosen, true));
  c.start(act);
  body();
  c.start(next);
  c.branch(again, c.when(chosen, true));
  c.start(done);
}

/** Emits `body` for lanes with equal `value`, which is given in a uniform register. */
export function eachValue(c: Context, value: Operand, body: (uniform: Operand) => void): void {
  const own = c.materialize(value);
  const uniform = c.builder.ur(1);
  const choose = (): Operand => {
    c.emit("R2UR", [uniform], [own]);
    const same = c.predicate();
    c.emit("ISETP.EQ.U32.AND", [same], [own, uniform]);
    return same;
  };
  inTurns(c, choose, () => body(uniform));
}

/** Emits `body` for one lane after the other. */
export function eachLane(c: Context, body: () => void): void {
  const choose = (): Operand => {
    const elected = c.predicate();
    c.emit("ELECT", [elected], []);
    return elected;
  };
  inTurns(c, choose, body);
}
