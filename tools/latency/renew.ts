/** Takes evidence anew that was seen under another instruction table: drops what was seen of the ports concerned, looks again. */
import type { Sm } from "../../lib/target/table.js";
import { Cells } from "./cells.js";
import { addSight, concerns, type Run, readRuns, readSights, type Sights, writeRuns } from "./evidence.js";
import { accessOf, readForms, staleForms, writeForms } from "./forms.js";
import type { Place } from "./observations.js";
import { isSource, observeSource, type Source } from "./sources.js";
import { writeTables } from "./write.js";

export interface RenewOptions {
  /** Ports (`FILE port`) to take anew beside those of stale forms. */
  readonly ports: readonly string[];
  /** Seeds of the runs to repeat; all when empty. The others are marked as without these ports. */
  readonly seeds: readonly number[];
  readonly progress: (source: string) => (done: number, of: number) => void;
}

export interface Renewed {
  readonly stale: readonly string[];
  readonly ports: readonly string[];
  /** Cells that lost what was seen of them, and those that were seen again. */
  readonly dropped: number;
  readonly again: number;
  /** Files of tables and evidence that changed. */
  readonly changed: readonly string[];
}

/** What is left of the sights; the dropped ones by id. */
export function drop(sights: Sights, ports: ReadonlySet<string>): Sights {
  const dropped: Sights = new Map();
  for (const [id, s] of sights) if (concerns(ports, id)) dropped.set(id, s);
  for (const id of dropped.keys()) sights.delete(id);
  return dropped;
}

/**
 * Looks at the kernels of the runs of an SM again and takes from them the cells of the ports of stale forms (and those asked for). Nothing that
 * was seen of them before stays.
 */
export function renew(sm: Sm, { ports: asked, seeds, progress }: RenewOptions): Renewed {
  const forms = readForms();
  const stale = staleForms(forms.get(sm)!, sm);
  const ports = new Set([...asked, ...[...stale.values()].flatMap((p) => [...p])]);
  for (const guard of ["P guard", "UP uguard"]) ports.delete(guard);
  const sights = readSights();
  const dropped = drop(sights.get(sm)!, ports);
  const cells = new Cells(sm);
  const stalls = new Map<string, Place | null>();
  const seenForms = new Map<string, string>();
  const look = (source: Source, of: Pick<Run, "seed" | "modules">): number => {
    const seen = observeSource(sm, source, { ...of, folder: "", progress: progress(`${source} ${of.seed}`) });
    cells.add(seen.pairs, source);
    for (const [text, place] of seen.stalls) if (!stalls.has(text)) stalls.set(text, place);
    for (const name of seen.ops.keys()) seenForms.set(name, accessOf(name, sm));
    return seen.instructions;
  };
  const runs = readRuns().map((run): Run => {
    if (run.sm !== sm) return run;
    const others = run.without.filter((p) => !ports.has(p));
    if (!isSource(run.source) || run.source === "folder" || (seeds.length > 0 && !seeds.includes(run.seed)))
      return { ...run, without: [...others, ...ports].sort() };
    // What they show of other cells is counted already.
    const instructions = look(run.source, run);
    return { ...run, instructions: ports.size > 0 ? instructions : run.instructions, without: others };
  });
  cells.explain(stalls, sights.get(sm)!);
  let again = 0;
  for (const [id, c] of cells.cells) {
    if (!concerns(ports, id)) continue;
    addSight(sights.get(sm)!, id, c);
    if (dropped.has(id)) again++;
  }
  for (const name of stale.keys()) forms.get(sm)!.delete(name);
  for (const [name, access] of seenForms) forms.get(sm)!.set(name, access);
  writeForms(forms);
  writeRuns(runs);
  const changed = writeTables(sights);
  return { stale: [...stale.keys()], ports: [...ports].sort(), dropped: dropped.size, again, changed };
}
