/**
 * The PTX interpreter on the corpus and on the programs, against the results that a second source computed:
 *
 *   node tools/run-ts.cjs tools/interpreter.ts corpus|programs [NAME,…]
 *
 * prints what is refused or wrong, with the seconds of each that takes more than one, and the count.
 */
import { interpretLaunchFile } from "../lib/sim/ptx/index.js";
import { corpus, corpusPtx, corpusTargets } from "../test/corpus/cases.js";
import { programs } from "../test/programs/programs.js";

const [what = "corpus", names] = process.argv.slice(2);
const cases =
  what === "programs"
    ? programs.map((p) => ({ name: p.name, ptx: p.ptx, launch: p.launch }))
    : corpusTargets.flatMap((t) =>
        corpus.map((c) => ({ name: `${c.name} ${t}`, ptx: corpusPtx(c.name, t), launch: c.launch })),
      );
const wanted = names?.split(",");
let right = 0;
let all = 0;
for (const { name, ptx, launch } of cases) {
  if (wanted !== undefined && !wanted.includes(name.split(" ")[0]!)) continue;
  all++;
  const start = performance.now();
  let line = "";
  try {
    const ran = interpretLaunchFile(ptx, launch, () => null);
    if (ran.status === 0) right++;
    else line = ran.lines.join(" | ").slice(0, 300);
  } catch (e) {
    line = e instanceof Error ? (e.stack ?? "").split("\n").slice(0, 4).join(" ") : String(e);
  }
  const seconds = (performance.now() - start) / 1000;
  if (line !== "" || seconds > 1) console.log(`${name}: ${line === "" ? "right" : line} (${seconds.toFixed(1)} s)`);
}
console.log(`${right} of ${all} right`);
