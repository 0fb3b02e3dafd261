/** Products of a warp in ptxas's code, run in the simulator, against plain matrix products. All SMs and levels: `tools/matrix-figures.ts`. */
import { matrixFindings } from "./mma-run";
import { describeOracle } from "./tools";

describeOracle("products of a warp, and matrices to and from shared memory", () => {
  const most = [75, 80, 89, 90, 100, 120].map((sm) => [sm, 3] as const);
  test.each([...most, [80, 0], [90, 0]] as const)("sm_%i -O%i", (sm, level) => {
    expect(matrixFindings(sm, level).wrong).toEqual([]);
  });
});
