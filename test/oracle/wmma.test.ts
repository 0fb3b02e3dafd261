/** ptxas's code of `wmma` in the simulator: what our tests expect is what its code does. */
import { describeOracle } from "./tools";
import { wmmaFindings } from "./wmma-run";

describeOracle("wmma", () => {
  test.each([
    [75, 3],
    [80, 0],
    [90, 3],
    [120, 3],
  ])("sm_%i -O%i", (sm, level) => {
    expect(wmmaFindings(sm, level, false, 37).wrong).toEqual([]);
  });
});
