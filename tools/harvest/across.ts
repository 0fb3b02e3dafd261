/** The steps over all targets: they write the committed files in data/. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMPARED, FAULTS, mapName, type StepContext, TARGETS, unansweredWords } from "./context.js";
import { askVariant, compareGates, gateKernels, gateRows, gatesText, VARIANTS } from "./gates.js";
import { progress } from "./progress.js";
import { compiledRows } from "./ptx.js";
import { ptxMapText } from "./ptxmap.js";
import { type CompareFigures, type Harvest, reportText } from "./report.js";
import { Folder } from "./state.js";

const DATA = "tools/harvest/data";

/** All targets that have a map; no SM is named. */
export function report({ root }: StepContext): void {
  const harvests = TARGETS.map((sm) => new Folder(root, sm))
    .filter((f) => f.has(FAULTS) && f.has("census.json"))
    .map((folder): Harvest => {
      const compared = folder.has(COMPARED) ? folder.json<CompareFigures>(COMPARED) : null;
      return { folder, map: folder.json(mapName(folder.sm)), compare: compared, unanswered: unansweredWords(folder) };
    });
  const file = join(DATA, "summary.md");
  const order = TARGETS.map((sm) => `sm_${sm}`);
  writeFileSync(file, reportText(harvests, existsSync(file) ? readFileSync(file, "utf8") : "", order));
  console.log(`${file}: ${harvests.map((h) => h.map.sm).join(", ")}`);
}

/** All targets and levels that were compiled; no SM is named. */
export function ptxmap({ root }: StepContext): void {
  const tables = (["O0", "O3"] as const).flatMap((level) =>
    TARGETS.flatMap((sm) => {
      const rows = compiledRows(new Folder(root, sm), level);
      return rows === null ? [] : [[{ level, sm }, rows] as const];
    }),
  );
  const file = join(DATA, "ptx-sass.txt");
  writeFileSync(file, ptxMapText(tables));
  console.log(`${file}: ${tables.map(([c]) => `${c.level} ${c.sm}`).join(", ")}`);
}

const GATES = join(DATA, "gates.txt");

/** All variants at once; no SM is named. */
export function gates(): void {
  const kernels = gateKernels();
  const bar = progress("gates: variants", VARIANTS.length);
  const verdicts = new Map(
    VARIANTS.map((sm) => {
      const v = [sm, askVariant(sm, kernels)] as const;
      bar.add();
      return v;
    }),
  );
  bar.stop();
  const rows = gateRows(verdicts, kernels.keys());
  writeFileSync(GATES, gatesText(rows));
  const c = compareGates(rows, verdicts, kernels);
  console.log(
    `${GATES}: ${rows.length} rows, ${rows.reduce((n, r) => n + r.mnemonics.length, 0)} of ${kernels.size} mnemonics`,
  );
  console.log(`lib/ptx: ${c.alike} of ${c.questions} verdicts alike, ${c.message} with ptxas's message`);
  for (const [key, d] of [...c.differences].sort((a, b) => b[1].count - a[1].count))
    console.log(`${String(d.count).padStart(6)} ${key} (${d.example})`);
}
