/** From what was seen of cells on all SMs to the cells: the rules by which an observation counts, and what stands in where nothing was seen. */

import { type Dependence, type FileName, latencyTables, portOf } from "../../lib/isa/latency/index.js";
import { usesOfRow } from "../../lib/isa/latency-gaps.js";
import { holdsFor } from "../../lib/isa/syntax.js";
import { rows, rowsOf } from "../../lib/isa/table.js";
import { guardsOfTime } from "../../lib/isa/timing.js";
import { targetOfSm } from "../../lib/target/index.js";
import { isaOf, type Sm, sms } from "../../lib/target/table.js";
import { cellId, type Sight, type Sights, type Stated } from "./evidence.js";
import { published } from "./published.js";

/** SMs whose tables ptxas shares, as far as both were seen. */
const generations: readonly (readonly Sm[])[] = [[75], [80, 86, 87, 88, 89], [90], [100, 103, 110], [120, 121]];
/** So many observations bound a cell although none of them is free of other reasons. */
const MANY = 40;
/** So many contexts whose stall has no other reason make a distance a fact. */
const CONTEXTS = 3;
/** So many where ptxas stays nearer on another SM of the generation. */
const SURE = 8;
/** Where nothing at all is known: longer than any fixed latency outside the tensor pipe. */
const UNKNOWN = 15;

/**
 * `tight`: contexts of stalls that nothing else explains, or nothing is nearer than the next issue; `bounded`: the least distance
 * of many, or one below what would stand there otherwise; `sibling`: as on SMs of the same generation; `reached`: NVIDIA's table for Mesa and the least distance seen agree; `published`: that table alone; `class`:
 * from the other cells of the same earlier port; `stated`: evidence/stated.csv.
 */
export const statuses = ["tight", "bounded", "sibling", "reached", "published", "class", "stated"] as const;
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

/** Ports of a file that dependences of a kind may start from and end at on an SM. */
export interface PortPair {
  readonly first: readonly string[];
  readonly second: readonly string[];
}

/** Sets of ports by side: fixed writers and unguarded readers come first, all writers and readers second. */
type Side = "write" | "fixed" | "read" | "unguarded";

const portsBySm = new Map<Sm, ReadonlyMap<string, ReadonlySet<string>>>();

/** Who can be earlier and who later: only what no scoreboard guards asks for a distance after it. */
export function portsOf(sm: Sm, file: FileName, kind: Dependence): PortPair {
  let all = portsBySm.get(sm);
  if (!all) {
    all = findPorts(sm);
    portsBySm.set(sm, all);
  }
  const of = (side: Side): string[] => [...(all.get(`${side} ${file}`) ?? [])];
  if (kind === "raw") return { first: of("fixed"), second: of("read") };
  if (kind === "waw") return { first: of("fixed"), second: of("write") };
  return { first: of("unguarded"), second: of("write") };
}

/** From the rows of the instruction table: their operands, the classes that their modifiers on this SM allow, their scoreboards. */
function findPorts(sm: Sm): Map<string, Set<string>> {
  const tables = latencyTables(sm);
  const target = targetOfSm(sm)!;
  const found: { readonly side: Side; readonly file: FileName; readonly port: string; readonly at: number }[] = [];
  for (const [i, row] of rows.entries()) {
    const lines = rowsOf(row.op.split(".")[0]!)
      .find((r) => r.row === row)!
      .lines.filter((l) => holdsFor(l.sm, isaOf[sm]));
    if (lines.length === 0) continue;
    const [op, ...mods] = row.op.split(".");
    for (const line of lines)
      for (const part of line.template.head)
        mods.push(...(part.kind === "fixed" ? [part.mod] : part.group.values.flatMap((v) => v.mods)));
    for (const member of tables.membersOf(op!)) {
      if (!member.mods.every((m) => mods.includes(m))) continue;
      const guards = guardsOfTime(row.time ?? "fixed", target);
      const c = tables.classes[member.value]!;
      for (const u of usesOfRow[i]!)
        for (const k of [0, 1]) {
          const port = portOf(u.written ? c.writes : c.reads, u.file, u.slot, k, u.inConstant);
          if (port === null) continue;
          const side = (s: Side): void => void found.push({ side: s, file: u.file, port, at: member.value });
          side(u.written ? "write" : "read");
          if (u.written && !guards.write && port !== "apart") side("fixed");
          if (!u.written && (u.slot === "guard" || !guards.read)) side("unguarded");
        }
    }
  }
  const out = new Map<string, Set<string>>();
  for (const f of found.sort((x, y) => x.at - y.at)) {
    const key = `${f.side} ${f.file}`;
    const ports = out.get(key);
    if (ports) ports.add(f.port);
    else out.set(key, new Set([f.port]));
  }
  return out;
}

/**
 * The cells of a table. Whatever else is known, no cell is larger than the least distance seen on its SM: one that ptxas left is
 * enough. Up to that it is raised only by stalls without another reason (`isTight`), or by many observations none of which is nearer:
 * a few stalls decide nothing, for their reason may be one that is not seen.
 */
export function cellsOf(evidence: Evidence, file: FileName, kind: Dependence): CellTable {
  const out: CellTable = new Map();
  for (const sm of sms) {
    const { first, second } = portsOf(sm, file, kind);
    for (const a of first) {
      const known = second.map((b) => cellKnown(evidence, sm, kind, file, a, b));
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

/** The least distance seen is what the machine asks for: `contexts` of stalls have no other reason, or nothing is nearer. */
function isTight(c: Sight, contexts: number): boolean {
  return c.min === 1 || c.tight >= contexts;
}

/** What was seen of a cell on the other SMs of a generation. */
function relativesOf(e: Evidence, sm: Sm, id: string): Sight[] {
  const family = generations.find((g) => g.includes(sm))!;
  return family.flatMap((s) => (s === sm ? [] : [e.sights.get(s)!.get(id)])).filter((c) => c !== undefined);
}

/** Where ptxas stays nearer on a relative more contexts are asked for: those of relatives with the same distance count, too. */
function isSure(own: Sight, relatives: readonly Sight[]): boolean {
  if (!relatives.some((c) => c.min < own.min)) return true;
  return relatives.reduce((n, c) => (c.min === own.min ? n + c.tight : n), own.tight) >= SURE;
}

const nearest = (sights: readonly Sight[]): Sight | undefined => [...sights].sort((x, y) => x.min - y.min)[0];

/** What observations or publications say, null when they say too little. */
function cellKnown(e: Evidence, sm: Sm, kind: Dependence, file: FileName, a: string, b: string): Cell | null {
  const id = cellId(kind, file, a, b);
  const own = e.sights.get(sm)!.get(id) ?? null;
  const limit = own?.min ?? 255;
  const relatives = relativesOf(e, sm, id);
  if (own && isTight(own, CONTEXTS) && (own.min === 1 || isSure(own, relatives)))
    return { value: limit, status: "tight", seen: own };
  const tight = nearest(relatives.filter((c) => isTight(c, CONTEXTS) && (c.min > 1 || c.n >= MANY)));
  const atMost = (value: number, status: Status): Cell =>
    limit < value ? { value: limit, status: "bounded", seen: own } : { value, status, seen: own };
  const pub = published(kind, file, a, b, sm);
  // Writes that are never read are rare: ptxas shows how near the next write may come too seldom for a bound.
  if (own && own.n >= MANY && (kind === "raw" || (kind === "waw" && pub === null)))
    return {
      value: limit,
      status: tight?.min === limit ? "sibling" : pub === limit ? "reached" : "bounded",
      seen: own,
    };
  if (tight) return atMost(tight.min, "sibling");
  const many = kind === "war" ? undefined : nearest(relatives.filter((c) => c.n >= MANY));
  if (pub !== null && (many === undefined || many.min > pub))
    return atMost(pub, pub === limit && own!.n > 1 ? "reached" : "published");
  return many ? atMost(many.min, "sibling") : null;
}

/** By the rest of its column, never above what was seen. */
function guess(e: Evidence, sm: Sm, kind: Dependence, file: FileName, a: string, b: string, most: number): Cell {
  const seen = e.sights.get(sm)!.get(cellId(kind, file, a, b)) ?? null;
  if (seen && seen.min <= most) return { value: seen.min, status: "bounded", seen };
  return { value: most, status: "class", seen };
}
