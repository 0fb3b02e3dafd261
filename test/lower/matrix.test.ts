/**
 * Our code of `mma`, `ldmatrix`, `stmatrix`, `movmatrix` in the simulator, against plain products and copies (test/oracle/mma-kernels.ts).
 * Figures of all SMs: `tools/matrix-own.ts`.
 */
import { ownFindings } from "../oracle/mma-run";

test.each([
  [75, 2],
  [80, 0],
  [80, 2],
  [89, 2],
  [90, 0],
  [90, 2],
  [100, 2],
  [120, 2],
])("sm_%i -O%i: right", (sm, level) => {
  const { wrong, refused } = ownFindings(sm, level);
  expect(wrong).toEqual([]);
  expect(refused).toEqual([]);
});
