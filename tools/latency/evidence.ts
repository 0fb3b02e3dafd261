/**
 * What the cells of lib/isa/latency rest on: `evidence/FILE-KIND.csv` holds what was seen of each cell on each SM,
 * `evidence/stated.csv` the values that single places of ptxas's code show although the rules of `rules.ts` would say
 * otherwise; cells are made from these files alone. `evidence/runs.csv` says which kernels were looked at, `evidence/forms.csv`
 * what their instructions read and write (forms.ts), `evidence/explained.csv` why other kernels say otherwise (check.ts).
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Dependence, dependences, type FileName, fileNames } from "../../lib/isa/latency/index.js";
import { type Sm, sms } from "../../lib/target/table.js";
import { root } from "./ptxas.js";

/** What was seen of a cell on one SM. */
export interface Sight {
  /** Straight-line observations, of them in chain kernels; least distance in issue cycles. */
  n: number;
  chain: number;
  min: number;
  /** Contexts of stalls at that distance that have no other reason; those of one run are distinct. */
  tight: number;
}

/** By `kind file earlier later`. */
export type Sights = Map<string, Sight>;

/** A cell whose value stands by itself. */
export interface Stated {
  readonly value: number;
  readonly source: string;
}

export const latencyFolder: string = join(root, "lib", "isa", "latency");
const evidenceFolder = join(latencyFolder, "evidence");

export function cellId(kind: Dependence, file: FileName, earlier: string, later: string): string {
  return `${kind} ${file} ${earlier} ${later}`;
}

/** A cell that starts or ends at one of the ports. */
export function concerns(ports: ReadonlySet<string>, id: string): boolean {
  const [, file, earlier, later] = id.split(" ");
  return ports.has(`${file} ${earlier}`) || ports.has(`${file} ${later}`);
}

export function tableName(file: FileName, kind: Dependence): string {
  return `${file.toLowerCase()}-${kind}`;
}

/** Adds what others saw of a cell. */
export function addSight(to: Sights, id: string, s: Sight): void {
  const old = to.get(id);
  if (!old) {
    to.set(id, { n: s.n, chain: s.chain, min: s.min, tight: s.tight });
    return;
  }
  old.n += s.n;
  old.chain += s.chain;
  if (s.min < old.min) {
    old.min = s.min;
    old.tight = s.tight;
  } else if (s.min === old.min) old.tight += s.tight;
}

/** All that was seen, per SM. Throws on a malformed file. */
export function readSights(): Map<Sm, Sights> {
  const out = new Map<Sm, Sights>(sms.map((sm) => [sm, new Map()]));
  for (const file of fileNames)
    for (const kind of dependences)
      for (const [later, earlier, ...cells] of readCsv(`${tableName(file, kind)}.csv`, 2 + sms.length))
        for (const [i, text] of cells.entries()) {
          const seen = parseSight(text);
          if (seen) out.get(sms[i]!)!.set(cellId(kind, file, earlier!, later!), seen);
        }
  return out;
}

/** `t 4/1286/5632/26003`: status, least distance, tight, in chains, in all; the letter alone when nothing was seen. */
function parseSight(text: string): Sight | null {
  if (!text.includes(" ")) return null;
  const [min, tight, chain, n] = text.split(" ")[1]!.split("/").map(Number);
  if (![min, tight, chain, n].every(Number.isInteger)) throw new Error(`latency evidence: bad cell "${text}"`);
  return { n: n!, chain: chain!, min: min!, tight: tight! };
}

export function sightText(s: Sight): string {
  return `${s.min}/${s.tight}/${s.chain}/${s.n}`;
}

/** Stated cells by SM and id. Lines: `kind,file,earlier,later,sms,value,source`; sms as `80 86-90`. */
export function readStated(): Map<Sm, Map<string, Stated>> {
  const out = new Map<Sm, Map<string, Stated>>(sms.map((sm) => [sm, new Map()]));
  for (const [kind, file, earlier, later, range, value, source] of readCsv("stated.csv", 7))
    for (const sm of smsOf(range!))
      out
        .get(sm)!
        .set(cellId(kind as Dependence, file as FileName, earlier!, later!), { value: Number(value), source: source! });
  return out;
}

export function smsOf(range: string): Sm[] {
  return range.split(" ").flatMap((part) => {
    const [from, to] = part.split("-").map(Number);
    return sms.filter((sm) => sm >= from! && sm <= (to ?? from!));
  });
}

/** Why kernels of other seeds show another distance than the table has. */
export interface Explained {
  /** The distance that they show. */
  readonly seen: number;
  readonly because: string;
}

/** Explanations by SM and id. Lines: `kind,file,earlier,later,sms,seen,because`. */
export function readExplained(): Map<Sm, Map<string, Explained>> {
  const out = new Map<Sm, Map<string, Explained>>(sms.map((sm) => [sm, new Map()]));
  for (const [kind, file, earlier, later, range, seen, because] of readCsv("explained.csv", 7))
    for (const sm of smsOf(range!))
      out
        .get(sm)!
        .set(cellId(kind as Dependence, file as FileName, earlier!, later!), { seen: Number(seen), because: because! });
  return out;
}

/** Ranges of SMs as `smsOf` takes them. */
export function smsText(of: readonly Sm[]): string {
  const parts: string[] = [];
  for (let i = 0; i < sms.length; i++) {
    const from = i;
    while (i < sms.length && of.includes(sms[i]!)) i++;
    if (i > from) parts.push(i === from + 1 ? `${sms[from]}` : `${sms[from]}-${sms[i - 1]}`);
  }
  return parts.join(" ");
}

/** One look at kernels: what they were, with which seed, how many instructions. */
export interface Run {
  readonly sm: number;
  readonly source: string;
  readonly seed: number;
  readonly modules: number;
  readonly instructions: number;
  /** Ports (`FILE port`) that were taken anew since, without this run: what it showed of their cells counts no more. */
  readonly without: readonly string[];
}

export function readRuns(): Run[] {
  return readCsv("runs.csv", 6).map(([sm, source, seed, modules, instructions, without]) => ({
    sm: Number(sm),
    source: source!,
    seed: Number(seed),
    modules: Number(modules),
    instructions: Number(instructions),
    without: without!.split(";").flatMap((p) => (p === "" ? [] : [p])),
  }));
}

export function writeRuns(runs: readonly Run[]): void {
  const sorted = [...runs].sort((a, b) => a.sm - b.sm || (a.source < b.source ? -1 : 1) || a.seed - b.seed);
  const lines = sorted.map(
    (r) => `${r.sm},${r.source},${r.seed},${r.modules},${r.instructions},${r.without.join(";")}`,
  );
  writeEvidence("runs.csv", ["sm,source,seed,modules,instructions,without", ...lines]);
}

export function writeEvidence(name: string, lines: readonly string[]): void {
  mkdirSync(evidenceFolder, { recursive: true });
  writeFileSync(join(evidenceFolder, name), `${lines.join("\n")}\n`);
}

export function readCsv(name: string, columns: number): string[][] {
  const path = join(evidenceFolder, name);
  if (!existsSync(path)) return [];
  const [, ...lines] = readFileSync(path, "utf8").trimEnd().split("\n");
  return lines.map((line) => {
    const fields = line.split(",");
    if (fields.length !== columns) throw new Error(`${name}: bad line "${line}"`);
    return fields;
  });
}
