/**
 * From observations to cells: what was seen between opcodes becomes what holds between the ports of classes, with the
 * evidence of each cell, and the opcodes that do not behave like their class.
 */
import { type FileName, latencyTables, portOf } from "../../lib/isa/latency/index.js";
import type { Sight, Sights } from "./evidence.js";
import type { Place, Seen } from "./observations.js";

export interface CellSeen extends Sight {
  readonly byOp: Map<string, { n: number; min: number }>;
  /** Where it was seen nearest, and the stalls that count in `tight`. */
  place: Place | null;
  readonly stalls: Place[];
}

/** One dependence of a stall: its cell, distance, and whether something was waited for in between. */
interface Reason {
  readonly id: string;
  readonly distance: number;
  readonly waited: boolean;
}

export class Cells {
  /** `kind file first second`. */
  readonly cells = new Map<string, CellSeen>();
  readonly unknown = new Set<string>();
  /** Contexts of stalls that were looked at, and of those that no dependence is near enough for. */
  contexts = 0;
  readonly unexplained: { readonly text: string; readonly place: Place | null }[] = [];

  constructor(readonly sm: number) {}

  add(
    pairs: Iterable<readonly [string, Omit<Seen, "place"> & { readonly place?: Place | null }]>,
    source: string,
  ): void {
    for (const [key, seen] of pairs) {
      if (seen.n === 0 || apart(key)) continue;
      const [kind, file, a, b] = key.split(" ") as [string, FileName, string, string];
      const first = portName(this.sm, file, a, kind !== "war");
      const second = portName(this.sm, file, b, kind !== "raw");
      if (first === null || second === null) {
        this.unknown.add(`${kind} ${file} ${first === null ? a : b}`);
        continue;
      }
      const id = `${kind} ${file} ${first} ${second}`;
      let c = this.cells.get(id);
      if (!c) {
        c = { n: 0, chain: 0, min: 255, tight: 0, byOp: new Map(), place: null, stalls: [] };
        this.cells.set(id, c);
      }
      c.n += seen.n;
      if (source === "chain") c.chain += seen.n;
      if (seen.min < c.min) {
        c.min = seen.min;
        c.place = seen.place ?? null;
      }
      for (const op of [`1 ${short(a)}`, `2 ${short(b)}`]) {
        const o = c.byOp.get(op);
        if (o) {
          o.n += seen.n;
          o.min = Math.min(o.min, seen.min);
        } else c.byOp.set(op, { n: seen.n, min: seen.min });
      }
    }
  }

  /**
   * Counts each context of a stall for the dependence that is its reason: all others were seen nearer elsewhere, here or in
   * `known`, so that they would have allowed less. To be called once, when all pairs are there.
   */
  explain(stalls: Iterable<readonly [string, Place | null]>, known: Sights): void {
    for (const [text, place] of stalls) {
      const candidates = this.candidates(text.split("#")[0]!);
      if (candidates === null) continue;
      this.contexts++;
      const reasons = candidates.filter((r) => r.distance <= this.least(r.id, known));
      if (reasons.length === 0) this.unexplained.push({ text, place });
      if (reasons.length !== 1 || reasons[0]!.waited) continue;
      const c = this.cells.get(reasons[0]!.id)!;
      if (c.min !== reasons[0]!.distance) continue;
      c.tight++;
      if (place) c.stalls.push(place);
    }
  }

  /** The nearest dependence of each cell; null when one has no cell. */
  private candidates(text: string): Reason[] | null {
    const nearest = new Map<string, Reason>();
    for (const part of text.split("|")) {
      const [key, rest] = part.split("@") as [string, string];
      if (apart(key)) return null;
      const id = this.idOf(key);
      if (id === null) return null;
      const distance = Number.parseInt(rest, 10);
      const old = nearest.get(id);
      if (!old || distance < old.distance) nearest.set(id, { id, distance, waited: rest.endsWith("~") });
    }
    return [...nearest.values()];
  }

  private least(id: string, known: Sights): number {
    return Math.min(this.cells.get(id)?.min ?? 255, known.get(id)?.min ?? 255);
  }

  private idOf(key: string): string | null {
    const [kind, file, a, b] = key.split(" ") as [string, FileName, string, string];
    const first = portName(this.sm, file, a, kind !== "war");
    const second = portName(this.sm, file, b, kind !== "raw");
    return first === null || second === null ? null : `${kind} ${file} ${first} ${second}`;
  }

  /** Ports of opcodes whose least distance is never that of their class although it was seen often. */
  strangers(least: number): string[] {
    const fit = new Set<string>();
    const off = new Map<string, string[]>();
    for (const [id, c] of this.cells) {
      const [kind, file] = id.split(" ");
      if (kind !== "raw") continue;
      for (const [op, o] of c.byOp) {
        const key = `${file} ${op}`;
        if (o.min === c.min) fit.add(key);
        else if (o.n >= least) {
          const list = off.get(key);
          const text = `${id}: ${o.min} of ${o.n}, class ${c.min}`;
          if (list) list.push(text);
          else off.set(key, [text]);
        }
      }
    }
    return [...off].flatMap(([key, list]) => list.map((l) => `${fit.has(key) ? " " : "*"} ${key}  ${l}`)).sort();
  }
}

/** Texture coordinates and results, halves of integer fragments: fewer are used than the slot has registers, the rest is no dependence. */
const coordinates =
  / (?:IMMA\.16832(?:\.[^ :]*)?\.[US]4\.[US]4(?:\.[^ :]*)?:(?:a\+[23]|b\+1)|(?:TEX|TLD|TLD4|TXD|TMML|TXQ|SULD|SUST|SUATOM|SURED|FOOTPRINT)(?:\.[^ :]*)?:(?:[abcd]\+[1-9]|d2))/;

/** Opcodes that some of their ports do not describe: they come nearer than all others of their class. */
const nearer = /^(?:raw|waw) R (?:IMNMX\.[SU]64:\S+ ISETP\.\S+|\S+ DMMA\.\S*:d\S*)$/;

function apart(key: string): boolean {
  return coordinates.test(key) || nearer.test(key);
}

/** Opcode with the modifiers that could matter, slot with its register. */
function short(text: string): string {
  const [name, slot] = text.split(":");
  const [op, ...mods] = name!.split(".");
  return `${[op, ...mods.filter((m) => matters.has(m))].join(".")}:${slot}`;
}
const matters = new Set(
  "WIDE HI X MMA F32 64 128 16816 1688 1684 884 8816 16832 16864 88128 168128 168256 SP CAS EX S64 U64 ALL 32 BF16 BF16_V2 TF32 S4 U4".split(
    " ",
  ),
);

/** `IMAD.WIDE.U32:c+1` → the port, null when the class has none in that file. */
export function portName(sm: number, file: FileName, text: string, writes: boolean): string | null {
  const [name, place] = text.split(":") as [string, string];
  const [op, ...mods] = name.split(".");
  const tables = latencyTables(sm);
  const index = tables.classOf(op!, mods);
  if (index < 0) return null;
  const [slot, k] = place.split("+");
  const inConstant = slot!.endsWith("!");
  const c = tables.classes[index]!;
  return portOf(writes ? c.writes : c.reads, file, inConstant ? slot!.slice(0, -1) : slot!, Number(k ?? 0), inConstant);
}
