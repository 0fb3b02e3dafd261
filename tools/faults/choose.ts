/**
 * Makes and thins out test/phases/bodies.jsonl:
 *
 *   node tools/run-ts.cjs tools/faults/choose.ts make FILE [--seed 1] [--bodies 150] [--flow 100] [--sm 75 --sm 90 …]
 *   node tools/run-ts.cjs tools/faults/choose.ts keep FILE STATE…
 *
 * `make`: random bodies of which our code has ptxas's mnemonics and leaves what ptxas's leaves, with what the real ptxas makes of them. `keep`: of a file whose
 * test was run by tools/plant-faults.ts (--suites bodies) only the rows that killed a fault, by the state files.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { compile } from "../../lib/compile.js";
import { isTargetName } from "../../lib/target/index.js";
import { numberOf, readArguments, usage } from "../arguments.js";
import { makeBodies } from "../bodies/generate.js";
import { makeKernels } from "../flow/kernels.js";
import { ptxasCubin } from "../ptxas.js";
import { codeIn, leavesOf, type Row, registersIn, textOf } from "./bodies.js";

const { values, positionals } = readArguments({
  seed: { type: "string", default: "1" },
  bodies: { type: "string", default: "150" },
  flow: { type: "string", default: "100" },
  sm: { type: "string", multiple: true, default: ["75", "90", "100", "120"] },
});
const [command, file = usage("make FILE or keep FILE STATE…"), ...states] = positionals;

interface Asked {
  readonly frame: Row["frame"];
  readonly body: string;
  /** Its output depends on the order of lanes. */
  readonly unordered: boolean;
}

/** With what ptxas makes of it; null where that is not what we make of it. */
function rowOf({ frame, body, unordered }: Asked, sm: number): Row | null {
  const target = `sm_${sm}`;
  if (!isTargetName(target)) return usage(`no SM of that name: ${sm}`);
  const text = textOf({ sm, frame, body });
  const [theirs, ours] = [ptxasCubin(text, target), compile(text, { target, opt: 3 }).cubin];
  if (theirs === null || ours === null || codeIn(ours) !== codeIn(theirs)) return null;
  const leaves = unordered ? "" : leavesOf(theirs, frame);
  if (!unordered && leavesOf(ours, frame) !== leaves) return null;
  const registers = registersIn(theirs);
  return { sm, frame, body, code: codeIn(theirs), registers: registersIn(ours) === registers ? registers : -1, leaves };
}

const linesOf = (rows: readonly string[]): string => rows.map((r) => `${r}\n`).join("");

if (command === "make") {
  const seed = numberOf(values.seed);
  const rows = values.sm.map(Number).flatMap((sm, k) => {
    const bodies = makeBodies(seed + k, numberOf(values.bodies)).map(
      (body): Asked => ({ frame: "body", body, unordered: false }),
    );
    const kernels = makeKernels(seed + k, numberOf(values.flow)).map(
      ({ body, kind, sizes }): Asked => ({ frame: "flow", body, unordered: kind === "stg" || sizes.store === true }),
    );
    return [...bodies, ...kernels].flatMap((asked) => rowOf(asked, sm) ?? []);
  });
  writeFileSync(file, linesOf(rows.map((r) => JSON.stringify(r))));
  console.log(`${rows.length} rows`);
} else if (command === "keep") {
  const rows = readFileSync(file, "utf8").trim().split("\n");
  const killers = new Set<number>();
  for (const s of states) {
    const { outcomes } = JSON.parse(readFileSync(s, "utf8")) as { outcomes: Record<number, { by: string }> };
    for (const { by } of Object.values(outcomes)) {
      const row = /bodies\.test\.ts (\d+):/.exec(by)?.[1];
      if (row !== undefined) killers.add(Number(row) - 1);
    }
  }
  const kept = rows.filter((_, k) => killers.has(k));
  writeFileSync(file, linesOf(kept));
  console.log(`${kept.length} rows of ${rows.length}`);
} else usage("make FILE or keep FILE STATE…");
