/** Our `wmma` in the simulator against plain products (test/oracle/wmma-kernels.ts); `tools/wmma-figures.ts` has all SMs and levels. */
import { wmmaFindings } from "../oracle/wmma-run";

test.each([
  [75, 2],
  [80, 0],
  [80, 2],
  [90, 2],
  [100, 1],
  [120, 2],
])("sm_%i -O%i", (sm, level) => {
  const { wrong, refused } = wmmaFindings(sm, level, true, 29);
  expect(wrong).toEqual([]);
  expect(refused).toEqual([]);
});
