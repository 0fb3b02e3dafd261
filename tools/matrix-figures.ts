/**
 * ptxas's code of every `mma`, `ldmatrix`, `stmatrix` and `movmatrix` in the simulator, on all SMs: `node tools/run-ts.cjs tools/matrix-figures.ts
 * [SM…] [-O 0,1,3]`.
 */
import { matrixFindings } from "../test/oracle/mma-run.js";
import { numberOf, readArguments, smsOf } from "./arguments.js";

const { values: options, positionals } = readArguments({
  levels: { type: "string", short: "O", default: "0,1,3" },
});
let failed = false;
for (const sm of smsOf(positionals))
  for (const level of options.levels.split(",").map(numberOf)) {
    const { kernels, wrong } = matrixFindings(sm, level);
    console.log(`sm_${sm} -O${level}: ${kernels - wrong.length} of ${kernels} right`);
    for (const text of wrong) console.log(`  ${text}`);
    if (wrong.length > 0) failed = true;
  }
process.exitCode = failed ? 1 : 0;
