/**
 * node tools/run-ts.cjs tools/make-corpus-launches.ts: the launches of `test/corpus/cases.ts` as launch files, test/corpus/launch/NAME.json, for
 * whoever runs the corpus from outside of the tests (sweeps, studies, notebooks).
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { corpus, launchText } from "../test/corpus/cases.js";

const folder = join(__dirname, "../test/corpus/launch");
mkdirSync(folder, { recursive: true });
for (const c of corpus) writeFileSync(join(folder, `${c.name}.json`), launchText(c));
console.log(`${corpus.length} launch files`);
