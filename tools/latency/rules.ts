/** From what was seen of cells on all SMs to the cells: the rules by which an observation counts, and what stands in where nothing was seen. */

import { usesOfRow } from "../../lib/sass/isa/latency-gaps.js";
import { holdsFor } from "../../lib/sass/isa/syntax.js";
import { rows, rowsOf } from "../../lib/sass/isa/table.js";
import { guardsOfTime } from "../../lib/sass/isa/timing.js";
import { targetOfSm } from "../../lib/target/index.js";
import { type Dependence, type FileName, latencyTables, portOf } from "../../lib/target/latency/index.js";
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
 * `tight`: a stall that nothing else explains, or none at all; `bounded`: the least of many distances; `sibling`: as on SMs of the
 * same generation; `reached`: NVIDIA's table for Mesa and the least distance seen agree; `published`: that table alone; `class`:
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

/** Who can be earlier and who later: only what no scoreboard guards asks for a distance behind it. */
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
      const { scoreboards } = tables.timingOf(op!, member.mods)!;
      const c = tables.classes[member.value]!;
      for (const u of usesOfRow[i]!)
        for (const k of [0, 1]) {
          const port = portOf(u.written ? c.writes : c.reads, u.file, u.slot, k, u.inConstant);
          if (port === null) continue;
          const side = (s: Side): void => void found.push({ side: s, file: u.file, port, at: member.value });
          side(u.written ? "write" : "read");
          if (u.written && !guards.write && !scoreboards && port !== "apart") side("fixed");
          if (!u.written && (u.slot === "guard" || (!guards.read && !scoreboards))) side("unguarded");
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
  // Nothing is nearer than the next issue: on the SM itself one sight of that is enough.
  if (own?.min === 1) return { value: 1, status: "tight", seen: own };
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
    return { value: pub, status: pub === own?.min && own.n > 1 ? "reached" : "published", seen: own };
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
