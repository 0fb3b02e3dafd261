/** Results of analyses in notebooks: what each says of the blocks, values or instructions of the function, not its arrays. */
import {
  type Analyses,
  analysis as analysed,
  type BlockUnits,
  type Cfg,
  type DominatorTree,
  type Flat,
  type Liveness,
  type Pressure,
} from "../analysis/index.js";
import { counted } from "../inspect.js";
import { registerName } from "../isa/text.js";
import { printInst } from "../ori/index.js";
import { File, type Func, type Inst } from "../ori/types.js";
import { asTable, type LooksRow } from "./looks.js";

/** What an analysis is called, and its rows. */
interface Looks<T> {
  readonly title: (result: T, func: Func) => string;
  readonly rows: (result: T, func: Func) => readonly LooksRow[];
}

const blockName = (func: Func, b: number): string => `b${func.blocks[b]?.id ?? b}`;
const names = (func: Func, blocks: Iterable<number>): string => Array.from(blocks, (b) => blockName(func, b)).join(" ");
const nothing = (): LooksRow[] => [];

/** A register unit as the IR's text has it. */
function unitName(func: Func, { units }: Flat, u: number): string {
  const [file, owner] = [units.file[u] as File, units.owner[u] as number];
  const name = registerName(file, owner);
  if (!func.virtual) return name;
  const part = u - (units.base[owner] as number);
  return func.values.width(owner) === 1 ? `%${name}` : `%${name}:${part}`;
}

function unitNames(func: Func, flat: Flat, units: BlockUnits, b: number): string {
  const all: string[] = [];
  units.forEach(b, (u) => void all.push(unitName(func, flat, u)));
  return all.length <= 12 ? all.join(" ") : `${all.slice(0, 12).join(" ")} … (${all.length})`;
}

const cfg: Looks<Cfg> = {
  title: (c, f) => `Control flow of ${f.name}: ${counted(c.count, "block")}, ${counted(c.succ.length, "edge")}`,
  rows: (c, f) =>
    f.blocks.map((b, i) => ({
      block: `b${b.id}`,
      label: b.label,
      from: names(f, c.pred.slice(c.predStart[i], c.predStart[i + 1])),
      to: names(f, c.succ.slice(c.succStart[i], c.succStart[i + 1])),
      "place in reverse post-order": (c.order[i] as number) < 0 ? "(never reached)" : (c.order[i] as number),
    })),
};

const dominators = (what: string): Looks<DominatorTree> => ({
  title: (d, f) => `${what} of ${f.name}: ${counted(d.order.length, "node")} reached`,
  rows: (d, f) =>
    f.blocks.map((b, i) => {
      const by = d.idom[i] as number;
      return {
        block: `b${b.id}`,
        "immediately by": by < 0 ? "" : by >= f.blocks.length ? "the end" : blockName(f, by),
        depth: d.depth[i] as number,
      };
    }),
});

const liveness: Looks<Liveness> = {
  title: (l, f) =>
    `Liveness of ${f.name}: ${counted(l.flat.units.count, "register")} of ${counted(f.blocks.length, "block")}`,
  rows: (l, f) =>
    f.blocks.map((b, i) => ({
      block: `b${b.id}`,
      "live before it": unitNames(f, l.flat, l.liveIn, i),
      "live after it": unitNames(f, l.flat, l.liveOut, i),
    })),
};

const pressure: Looks<Pressure> = {
  title: (p, f) =>
    `Live registers of ${f.name}: at most ${p.R.max} R, ${p.UR.max} UR, ${p.P.max} P, ${p.UP.max} UP, ${p.B.max} B`,
  rows: (p, f) => {
    const insts = f.blocks.flatMap((b) => b.insts);
    return (["R", "UR", "P", "UP", "B"] as const).map((file) => {
      const { max, where } = p[file];
      const inst: Inst | undefined = max > 0 ? insts[where] : undefined;
      return { file, "most live": max, "first at": inst === undefined ? "" : `${inst.id}: ${printInst(f, inst)}` };
    });
  },
};

/** By name; complete by type. */
const looks: { readonly [K in keyof Analyses]: Looks<Analyses[K]> } = {
  cfg,
  dominators: dominators("Dominators"),
  postDominators: dominators("Post-dominators"),
  loops: {
    title: ({ loops, irreducible }, f) =>
      `Loops of ${f.name}: ${loops.length}${irreducible.length > 0 ? `, and ${counted(irreducible.length, "edge")} into cycles that are none` : ""}`,
    rows: ({ loops }, f) =>
      loops.map((l) => ({
        header: blockName(f, l.header),
        depth: l.depth,
        blocks: names(f, l.blocks),
        "goes back from": names(f, l.latches),
        "leaves to": names(f, l.exits),
      })),
  },
  flat: {
    title: (x, f) =>
      `Definitions and reads of ${f.name}: ${counted(x.insts.length, "instruction")}, ${counted(x.defUnit.length, "definition")}, ${counted(x.useUnit.length, "read")}, ${counted(x.units.count, "register")}`,
    rows: nothing,
  },
  liveness,
  livenessOnEdges: liveness,
  defUse: {
    title: (_, f) => `Definitions of ${f.name}: those values that have a single one, and all reads of each`,
    rows: nothing,
  },
  pressure,
  pressureOnEdges: pressure,
  reaching: { title: (_, f) => `Which definitions reach which reads of ${f.name}`, rows: nothing },
  frequencies: {
    title: (x, f) => `Executions per run of ${f.name}: ${counted(x.length, "block")}, loops taken to make ten trips`,
    rows: (x, f) => f.blocks.map((b, i) => ({ block: `b${b.id}`, executions: x[i] as number })),
  },
  divergence: {
    title: (d, f) =>
      `Divergence of ${f.name}: ${counted(
        d.varies.reduce((n, v) => n + v, 0),
        "value",
      )} may differ between lanes, ${counted(d.regions.length, "convergence region")}`,
    rows: (d, f) =>
      d.regions.map((r) => ({
        barrier: registerName(File.B, r.barrier),
        "set up in": blockName(f, r.entry),
        "lanes may be apart in": names(f, r.blocks),
        "lanes meet in": names(f, r.joins),
      })),
  },
  routines: { title: (_, f) => `Which blocks of ${f.name} belong to which function inside of it`, rows: nothing },
  names: { title: (_, f) => `Names of what registers of ${f.name} hold: equal where the contents are`, rows: nothing },
  addresses: { title: (_, f) => `Addresses in ${f.name} as sums, and which accesses may meet`, rows: nothing },
};

/** Results that have their looks: a result is kept as long as the function stays as it is, and given to many. */
const shown = new WeakSet<object>();

/** `analysis.analysis` of a function as it is now; the result shows itself: a sentence, and what it says of each block. */
export function analysis<K extends keyof Analyses>(func: Func, name: K): Analyses[K] {
  const result: Analyses[K] = analysed(func, name);
  if (shown.has(result)) return result;
  shown.add(result);
  const { generation } = func;
  const { title, rows }: Looks<Analyses[K]> = looks[name];
  return asTable(
    result,
    (r) =>
      func.generation === generation ? title(r, func) : `${name} of ${func.name} as it was: it has changed since`,
    (r) => (func.generation === generation ? rows(r, func) : []),
  );
}
