/** Writes lib/target/latency/cells and evidence from what was observed on all SMs. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { holdsFor } from "../../lib/sass/isa/syntax.js";
import { rows } from "../../lib/sass/isa/table.js";
import {
  type Dependence,
  dependences,
  type FileName,
  fileNames,
  latencyTables,
} from "../../lib/target/latency/index.js";
import { isaOf, type Sm, sms } from "../../lib/target/table.js";
import { type CellSeen, Cells } from "./cells.js";
import { root } from "./ptxas.js";
import { published } from "./published.js";
import { kept, sourceNames } from "./sources.js";

/** SMs whose tables ptxas shares, as far as both were seen. */
const generations: readonly (readonly Sm[])[] = [[75], [80, 86, 87, 88, 89], [90], [100, 103, 110], [120, 121]];
/** So many observations bound a cell although none of them is free of other reasons. */
const MANY = 40;
/** So many neighbours outweigh SMs of the same generation. */
const SURE = 4;
/** Where nothing at all is known: longer than any fixed latency outside the tensor pipe. */
const UNKNOWN = 15;

export interface Cell {
  readonly value: number;
  /**
   * `tight`: a stall that nothing else explains; `bounded`: the least of many distances; `sibling`: as on SMs of the same generation;
   * `published`: NVIDIA's table for Mesa; `class`: from the other cells of the same earlier port.
   */
  readonly status: "tight" | "bounded" | "sibling" | "published" | "class";
  readonly seen: CellSeen | null;
}

export function observed(sm: number): Cells {
  const c = new Cells(sm);
  for (const s of sourceNames) c.add(kept(sm, s)?.pairs ?? [], s);
  return c;
}

const variable = new Set(["decoupled", "apart"]);

/** Classes that opcodes of an SM belong to. */
function classesOn(sm: Sm): Set<number> {
  const tables = latencyTables(sm);
  const out = new Set<number>();
  for (const row of rows) {
    if (!row.lines.some((l) => holdsFor(l.sm ?? "", isaOf[sm]))) continue;
    for (const c of tables.classesOf(row.op.split(".")[0]!)) out.add(c);
  }
  return out;
}

/** Ports of the classes of an SM: who can be earlier, who later. */
export function portsOf(
  sm: Sm,
  file: FileName,
  kind: Dependence,
): { readonly first: string[]; readonly second: string[] } {
  const reads = new Set<string>();
  const writes = new Set<string>();
  const on = classesOn(sm);
  for (const c of latencyTables(sm).classes.filter((_, i) => on.has(i)))
    for (const [side, into] of [
      [c.reads, reads],
      [c.writes, writes],
    ] as const)
      for (const [key, port] of side) if (fileOf(key) === file) into.add(port);
  if (file === "P") reads.add("guard");
  if (file === "UP") reads.add("uguard");
  const fixed = [...writes].filter((w) => !variable.has(w));
  if (kind === "raw") return { first: fixed, second: [...reads] };
  if (kind === "waw") return { first: fixed, second: [...writes] };
  return { first: [...reads], second: [...writes] };
}

/** Slots of their own are in file R. */
function fileOf(key: string): FileName {
  return fileNames.find((f) => key === f || key === `${f}c`) ?? "R";
}

export function cellsOf(all: ReadonlyMap<Sm, Cells>, file: FileName, kind: Dependence): Map<string, Map<Sm, Cell>> {
  const out = new Map<string, Map<Sm, Cell>>();
  for (const sm of sms) {
    const family = generations.find((g) => g.includes(sm))!;
    const { first, second } = portsOf(sm, file, kind);
    for (const a of first) {
      const known: number[] = [];
      for (const b of second) {
        const c = known_(all, family, sm, kind, file, a, b);
        if (c) {
          put(out, `${b} ${a}`, sm, c);
          known.push(c.value);
        }
      }
      const most = known.length > 0 ? Math.max(...known) : UNKNOWN;
      for (const b of second)
        if (!out.get(`${b} ${a}`)?.has(sm)) {
          // A register that has been read is free: only readers that some writer stays away from take longer.
          const otherwise = kind === "war" ? Math.max(1, ...known, variable.has(b) ? 2 : 1) : most;
          put(out, `${b} ${a}`, sm, guess(all, sm, kind, file, a, b, otherwise));
        }
    }
  }
  return out;
}

function isTight(c: CellSeen): boolean {
  return c.tight > 1 && (c.min > 1 || c.n >= MANY);
}

function put(out: Map<string, Map<Sm, Cell>>, key: string, sm: Sm, c: Cell): void {
  const row = out.get(key);
  if (row) row.set(sm, c);
  else out.set(key, new Map([[sm, c]]));
}

/** What observations or publications say, null when they say too little. */
function known_(
  all: ReadonlyMap<Sm, Cells>,
  family: readonly Sm[],
  sm: Sm,
  kind: Dependence,
  file: FileName,
  a: string,
  b: string,
): Cell | null {
  const id = `${kind} ${file} ${a} ${b}`;
  const own = all.get(sm)?.cells.get(id) ?? null;
  const relatives = family.flatMap((s) => (s === sm ? [] : [all.get(s)?.cells.get(id)])).filter((c) => c !== undefined);
  const best = relatives.filter((c) => isTight(c)).sort((x, y) => x.min - y.min)[0];
  const limit = own?.min ?? 255;
  if (own && isTight(own) && (!best || best.min >= limit || own.tight >= SURE))
    return { value: limit, status: "tight", seen: own };
  if (best && best.min <= limit) return { value: best.min, status: "sibling", seen: own };
  const many = relatives.filter((c) => c.n >= MANY).sort((x, y) => x.min - y.min)[0];
  const pub = published(kind, file, a, b, sm);
  if (
    pub !== null &&
    pub <= limit &&
    (kind !== "raw" || (own?.n ?? 0) < MANY) &&
    (many === undefined || many.min > pub)
  )
    return { value: pub, status: "published", seen: own };
  if (kind === "war") return null;
  if (own && own.n >= MANY) return { value: own.min, status: "bounded", seen: own };
  if (many && many.min <= limit) return { value: many.min, status: "sibling", seen: own };
  return null;
}

/** By the rest of its column, never above what was seen. */
function guess(
  all: ReadonlyMap<Sm, Cells>,
  sm: Sm,
  kind: Dependence,
  file: FileName,
  a: string,
  b: string,
  most: number,
): Cell {
  const own = all.get(sm)?.cells.get(`${kind} ${file} ${a} ${b}`) ?? null;
  const pub = published(kind, file, a, b, sm);
  const value = Math.min(own?.min ?? 255, Math.max(most, pub ?? 0));
  return { value, status: "class", seen: own };
}

const letter = { tight: "t", bounded: "b", sibling: "s", published: "p", class: "c" } as const;

export function writeTables(): void {
  const all = new Map<Sm, Cells>(sms.map((sm) => [sm, observed(sm)]));
  const base = join(root, "lib", "target", "latency");
  mkdirSync(join(base, "cells"), { recursive: true });
  mkdirSync(join(base, "evidence"), { recursive: true });
  const total = { tight: 0, bounded: 0, sibling: 0, published: 0, class: 0 };
  for (const file of fileNames)
    for (const kind of dependences) {
      const table = cellsOf(all, file, kind);
      const name = `${file.toLowerCase()}-${kind}`;
      const width = Math.max(10, ...[...table.keys()].map((k) => k.length));
      const lines: string[] = [];
      const evidence = [`later,earlier,${sms.join(",")}`];
      for (const [key, cells] of table) {
        lines.push(`${key.padEnd(width)} ${sms.map((s) => String(cells.get(s)?.value ?? "-").padStart(3)).join("")}`);
        evidence.push(`${key.replace(" ", ",")},${sms.map((s) => text(cells.get(s))).join(",")}`);
        for (const c of cells.values()) total[c.status]++;
      }
      writeFileSync(join(base, "cells", `${name}.ts`), moduleText(file, kind, lines));
      writeFileSync(join(base, "evidence", `${name}.csv`), `${evidence.join("\n")}\n`);
    }
  console.log(
    `cells: ${Object.entries(total)
      .map(([k, n]) => `${n} ${k}`)
      .join(", ")}`,
  );
}

function text(c: Cell | undefined): string {
  if (!c) return "";
  return c.seen ? `${letter[c.status]} ${c.seen.min}/${c.seen.tight}/${c.seen.chain}/${c.seen.n}` : letter[c.status];
}

const words: Readonly<Record<Dependence, string>> = {
  raw: "from a write (second name) to a read (first name)",
  waw: "from a write (second name) to the next write (first name)",
  war: "from a read (second name) to the next write (first name)",
};

function moduleText(file: FileName, kind: Dependence, lines: readonly string[]): string {
  return `/**
 * ${file}: least issue cycles ${words[kind]}; one column per SM:
 * ${sms.join(", ")}.
 * Written by tools/harvest-latency.ts; where each cell comes from: ../evidence/${file.toLowerCase()}-${kind}.csv.
 */
export default \`
${lines.join("\n")}
\`;
`;
}
