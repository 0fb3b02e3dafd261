/**
 * Our code of `mma`, `ldmatrix`, `stmatrix`, `movmatrix` in the simulator, against plain products and copies (test/oracle/mma-kernels.ts).
 * Figures of all SMs: `tools/matrix-own.ts`.
 */
import { ownFindings } from "../oracle/mma-run";

/** `mma.m8n8k4` on f16 from sm_80 on: ptxas calls a routine that multiplies without looking at other lanes. */
const expected = /^mma\.sync\.aligned\.m8n8k4\.\w+\.\w+\.f(16|32)\.f16/;

test.each([
  [75, 2],
  [80, 0],
  [80, 2],
  [89, 2],
  [90, 0],
  [90, 2],
  [100, 2],
  [120, 2],
])("sm_%i -O%i: right or refused", (sm, level) => {
  const { wrong, refused } = ownFindings(sm, level);
  expect(wrong).toEqual([]);
  expect(refused.filter((r) => !expected.test(r))).toEqual([]);
});
