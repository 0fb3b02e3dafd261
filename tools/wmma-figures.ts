/**
 * Whole products by `wmma` (load, multiply, store; every layout, space and kind of stride) in the simulator, ours and ptxas's code:
 * `node tools/run-ts.cjs tools/wmma-figures.ts [SM…] [-O 0,1,2]`.
 */
import { wmmaFindings } from "../test/oracle/wmma-run.js";
import { numberOf, readArguments, smsOf } from "./arguments.js";

const { values: options, positionals } = readArguments({
  levels: { type: "string", short: "O", default: "0,1,2" },
});
let failed = false;
for (const sm of smsOf(positionals))
  for (const level of options.levels.split(",").map(numberOf))
    for (const own of [true, false]) {
      const { kernels, wrong, refused } = wmmaFindings(sm, level, own);
      const right = kernels - wrong.length - refused.length;
      console.log(
        `sm_${sm} -O${level} ${own ? "ours" : "ptxas"}: ${right} of ${kernels} right, ${refused.length} refused`,
      );
      for (const text of [...wrong, ...refused]) console.log(`  ${text.slice(0, 300)}`);
      if (wrong.length > 0) failed = true;
    }
process.exitCode = failed ? 1 : 0;
