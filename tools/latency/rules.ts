/** From what was seen of cells on all SMs to the cells: the rules by which an observation counts, and what stands in where nothing was seen. */
import { holdsFor } from "../../lib/sass/isa/syntax.js";
import { rows } from "../../lib/sass/isa/table.js";
import { type Dependence, type FileName, fileNames, latencyTables } from "../../lib/target/latency/index.js";
import { isaOf, type Sm, sms } from "../../lib/target/table.js";
import { cellId, type Sight, type Sights, type Stated } from "./evidence.js";
import { published } from "./published.js";

/** SMs whose tables ptxas shares, as far as both were seen. */
const generations: readonly (readonly Sm[])[] = [[75], [80, 86, 87, 88, 89], [90], [100, 103, 110], [120, 121]];
/** So many observations bound a cell although none of them is free of other reasons. */
const MANY = 40;
/** So many neighbours outweigh SMs of the same generation. */
const SURE = 4;
/** Where nothing at all is known: longer than any fixed latency outside the tensor pipe. */
const UNKNOWN = 15;

/**
 * `tight`: a stall that nothing else explains; `bounded`: the least of many distances; `sibling`: as on SMs of the same generation;
 * `published`: NVIDIA's table for Mesa; `class`: from the other cells of the same earlier port; `stated`: evidence/stated.csv.
 */
export const statuses = ["tight", "bounded", "sibling", "published", "class", "stated"] as const;
export type Status = (typeof statuses)[number];

export interface Cell {
  readonly value: number;
  readonly status: Status;
  readonly seen: Sight | null;
}

/** All that cells are made from. */
export interface Evidence {
  readonly sights: ReadonlyMap<Sm, Sights>;
  readonly stated: ReadonlyMap<Sm, ReadonlyMap<string, Stated>>;
}

/** The cells of one table: by `later earlier`, then by SM. */
export type CellTable = Map<string, Map<Sm, Cell>>;

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

export function cellsOf(evidence: Evidence, file: FileName, kind: Dependence): CellTable {
  const out: CellTable = new Map();
  for (const sm of sms) {
    const { first, second } = portsOf(sm, file, kind);
    for (const a of first) {
      const known = second.map((b) => known_(evidence, sm, kind, file, a, b));
      // One place says nothing about its neighbours: stated values stay out of what stands in for other cells.
      const values = known.flatMap((c) => (c ? [c.value] : []));
      const most = values.length > 0 ? Math.max(...values) : UNKNOWN;
      for (const [i, b] of second.entries()) {
        // A register that has been read is free: only readers that some writer stays away from take longer.
        const otherwise = kind === "war" ? Math.max(1, ...values, variable.has(b) ? 2 : 1) : most;
        const cell =
          stated(evidence, sm, kind, file, a, b) ?? known[i] ?? guess(evidence, sm, kind, file, a, b, otherwise);
        put(out, `${b} ${a}`, sm, cell);
      }
    }
  }
  return out;
}

function isTight(c: Sight): boolean {
  return c.tight > 1 && (c.min > 1 || c.n >= MANY);
}

function put(out: CellTable, key: string, sm: Sm, c: Cell): void {
  const row = out.get(key);
  if (row) row.set(sm, c);
  else out.set(key, new Map([[sm, c]]));
}

function stated(e: Evidence, sm: Sm, kind: Dependence, file: FileName, a: string, b: string): Cell | null {
  const id = cellId(kind, file, a, b);
  const s = e.stated.get(sm)!.get(id);
  return s ? { value: s.value, status: "stated", seen: e.sights.get(sm)!.get(id) ?? null } : null;
}

/** What observations or publications say, null when they say too little. */
function known_(e: Evidence, sm: Sm, kind: Dependence, file: FileName, a: string, b: string): Cell | null {
  const id = cellId(kind, file, a, b);
  const family = generations.find((g) => g.includes(sm))!;
  const own = e.sights.get(sm)!.get(id) ?? null;
  const relatives = family.flatMap((s) => (s === sm ? [] : [e.sights.get(s)!.get(id)])).filter((c) => c !== undefined);
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
function guess(e: Evidence, sm: Sm, kind: Dependence, file: FileName, a: string, b: string, most: number): Cell {
  const own = e.sights.get(sm)!.get(cellId(kind, file, a, b)) ?? null;
  const pub = published(kind, file, a, b, sm);
  const value = Math.min(own?.min ?? 255, Math.max(most, pub ?? 0));
  return { value, status: "class", seen: own };
}
