/** Work of the pass grows with the code, not with its square: counted, not timed. */
import { assignControl, type ControlDecision, likePtxas } from "../../../lib/sched/index.js";
import { func } from "./words.js";

/** Blocks of loads, sums and stores in a row, each with a branch over the next. */
function chain(blocks: number): string {
  const out: string[] = [];
  for (let b = 0; b < blocks; b++)
    out.push(
      `b${b}`,
      "LDG.E R4, desc[UR6][R2.64]",
      "IMAD R5, R4, R4, R5",
      "IADD3 R2, R2, 0x4, RZ",
      "STG.E desc[UR6][R2.64], R5",
      "ISETP.GE.AND P0, PT, R5, R4, PT",
      `@P0 BRA b${Math.min(b + 2, blocks)}`,
    );
  out.push(`b${blocks}`, "EXIT");
  return out.join("\n");
}

/** Questions to the policy and decisions reported, for a chain of so many blocks. */
function work(blocks: number): number {
  let n = 0;
  const count =
    <A extends unknown[], R>(f: (...a: A) => R) =>
    (...a: A): R => {
      n++;
      return f(...a);
    };
  assignControl(func(chain(blocks)), {
    policy: {
      scoreboard: count(likePtxas.scoreboard),
      branch: count(likePtxas.branch),
      yield: count(likePtxas.yield),
      reuse: count(likePtxas.reuse),
    },
    observe: (_: ControlDecision) => {
      n++;
    },
  });
  return n;
}

test("four times the code, four times the questions", () => {
  const one = work(100);
  expect(work(400)).toBeLessThan(4.1 * one);
});
