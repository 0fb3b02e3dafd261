/** What the cells of each SM rest on, and whether every opcode of the instruction table has its rows. */

import { dependences, fileNames } from "../../lib/isa/latency/index.js";
import { latencyGaps } from "../../lib/isa/latency-gaps.js";
import { holdsFor } from "../../lib/isa/syntax.js";
import { rows } from "../../lib/isa/table.js";
import { targetOfSm } from "../../lib/target/index.js";
import { isaOf, type Sm, sms } from "../../lib/target/table.js";
import { readRuns, readSights, readStated } from "./evidence.js";
import { cellsOf, type Status, statuses } from "./rules.js";

/** One SM. */
export interface Summary {
  readonly sm: Sm;
  readonly cells: number;
  readonly by: Readonly<Record<Status, number>>;
  /** Of the published and by class: seen at least once, though never as the only reason of a stall. */
  readonly bounded: number;
  readonly opcodes: number;
  /** What `latencyGaps` finds: operands of instructions of this SM without cells. */
  readonly without: readonly string[];
  /** Instructions looked at by the runs of evidence/runs.csv. */
  readonly instructions: number;
}

export function summaries(): Summary[] {
  const evidence = { sights: readSights(), stated: readStated() };
  const runs = readRuns();
  const by = new Map(sms.map((sm) => [sm, Object.fromEntries(statuses.map((s) => [s, 0])) as Record<Status, number>]));
  const bounded = new Map<Sm, number>();
  for (const file of fileNames)
    for (const kind of dependences)
      for (const cells of cellsOf(evidence, file, kind).values())
        for (const [sm, c] of cells) {
          by.get(sm)![c.status]++;
          if ((c.status === "class" || c.status === "published") && c.seen) bounded.set(sm, (bounded.get(sm) ?? 0) + 1);
        }
  return sms.map((sm) => {
    const ops = opcodesOn(sm);
    return {
      sm,
      cells: Object.values(by.get(sm)!).reduce((a, b) => a + b),
      by: by.get(sm)!,
      bounded: bounded.get(sm) ?? 0,
      opcodes: ops.length,
      without: latencyGaps(targetOfSm(sm)!),
      instructions: runs.filter((r) => r.sm === sm).reduce((n, r) => n + r.instructions, 0),
    };
  });
}

function opcodesOn(sm: Sm): string[] {
  const names = rows.filter((r) => r.lines.some((l) => holdsFor(l.sm ?? "", isaOf[sm]))).map((r) => r.op);
  return [...new Set(names)].sort();
}

/** False when an opcode has no rows. */
export function printSummary(json: boolean): boolean {
  const all = summaries();
  if (json) console.log(JSON.stringify(all, null, 2));
  else {
    console.log(`sm      cells ${statuses.map((s) => s.padStart(9)).join("")}  (seen)  opcodes with rows`);
    for (const s of all)
      console.log(
        `sm_${String(s.sm).padEnd(4)}${String(s.cells).padStart(6)} ${statuses.map((k) => String(s.by[k]).padStart(9)).join("")}` +
          `${`(${s.bounded})`.padStart(8)}  ${s.opcodes - new Set(s.without.map((w) => w.split(/[,:]/)[0])).size} of ${s.opcodes}${s.without.map((w) => ` ${w};`).join("")}`,
      );
    const total = (of: (s: Summary) => number): number => all.reduce((n, s) => n + of(s), 0);
    console.log(
      `all    ${String(total((s) => s.cells)).padStart(6)} ${statuses.map((k) => String(total((s) => s.by[k])).padStart(9)).join("")}` +
        `${`(${total((s) => s.bounded)})`.padStart(8)}`,
    );
  }
  return all.every((s) => s.without.length === 0);
}
