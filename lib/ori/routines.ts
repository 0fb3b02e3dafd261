/**
 * Functions after a kernel: in an executable those that a kernel calls by the ABI, and those that they call, follow it in its own
 * code, as ptxas has it. Calls then go to labels, and addresses of functions count from the start of the kernel.
 */
import { renameTargets } from "./editor.js";
import { snapshot } from "./func.js";
import { imm, label } from "./operand.js";
import { type Block, type Func, Kind, type Operand } from "./types.js";

/** Names of the functions that the code calls, in order of appearance. */
export function calledBy(func: Func): string[] {
  const names = new Set<string>();
  for (const b of func.blocks)
    for (const inst of b.insts)
      if (inst.form.flow === "call") for (const o of inst.srcs) if (o.kind === Kind.Sym) names.add(o.sym);
  return [...names];
}

/** Some call goes to an address in registers. */
export function callsIndirectly(func: Func): boolean {
  return func.blocks.some((b) => b.insts.some((inst) => inst.passed !== undefined && throughRegister(inst.srcs)));
}

function throughRegister(srcs: readonly Operand[]): boolean {
  return srcs.some((o) => o.kind === Kind.Reg && o.id >= 0 && o.width === 2);
}

/**
 * The functions that can be reached from one by calls, in the order of `funcs`; `taken`: those that indirect calls may go to; `kept`: those
 * that a kernel has besides.
 */
export function reachedFrom(
  func: Func,
  funcs: readonly Func[],
  taken: readonly string[],
  kept: readonly string[] = [],
): Func[] {
  return reaching(funcs, taken, kept)(func);
}

/** The same as a function of where one begins: the code of each is looked through once, however many are asked about. */
export function reaching(
  funcs: readonly Func[],
  taken: readonly string[],
  kept: readonly string[] = [],
): (from: Func) => Func[] {
  const byName = new Map(funcs.map((f) => [f.name, f]));
  const known = new Map<Func, readonly Func[]>();
  const next = (f: Func): readonly Func[] => {
    let list = known.get(f);
    if (list === undefined) {
      const names = callsIndirectly(f) ? [...calledBy(f), ...taken] : calledBy(f);
      list = names.map((name) => byName.get(name)).filter((g) => g !== undefined && g.kind === "func") as Func[];
      known.set(f, list);
    }
    return list;
  };
  const places = new Map(funcs.map((f, k) => [f, k]));
  const place = (f: Func): number => places.get(f) ?? -1;
  return (from) => {
    const seen = new Set<Func>([from]);
    if (from.kind === "entry") for (const name of kept) seen.add(byName.get(name) ?? from);
    for (const f of seen) for (const g of next(f)) seen.add(g);
    return [...seen].filter((f) => f !== from && place(f) >= 0).sort((f, g) => place(f) - place(g));
  };
}

/** Bytes of the deepest stack of frames; a function that is entered again while it runs counts once. */
export function stackDepth(func: Func, funcs: readonly Func[], taken: readonly string[]): number {
  const byName = new Map(funcs.map((f) => [f.name, f]));
  const known = new Map<Func, number>();
  const depth = (f: Func, above: ReadonlySet<Func>): number => {
    const own = f.frame.localBytes + f.frame.spillBytes;
    const found = known.get(f);
    if (found !== undefined) return found;
    const inside = new Set([...above, f]);
    let most = 0;
    for (const name of callsIndirectly(f) ? [...calledBy(f), ...taken] : calledBy(f)) {
      const g = byName.get(name);
      if (g !== undefined && !inside.has(g)) most = Math.max(most, depth(g, inside));
    }
    known.set(f, own + most);
    return own + most;
  };
  return depth(func, new Set());
}

/** Several functions in one. */
export interface Joined {
  /** The function that holds all of them. */
  readonly func: Func;
  /** Block at which each routine begins. */
  readonly starts: ReadonlyMap<string, Block>;
}

/**
 * A copy of the kernel with copies of `routines` after it. Functions in `taken` have as address the offset in the code when
 * the module has one kernel, else 8 times their place in the kernel's table, counted from 1.
 */
export function joinRoutines(
  kernel: Func,
  routines: readonly Func[],
  taken: readonly string[],
  table: boolean,
): Joined {
  const func = snapshot(kernel);
  const starts = new Map<string, Block>();
  let place = table ? 8 * (taken.length + 1) : 0;
  place = moveTables(func, place);
  for (const r of routines) {
    const copy = snapshot(r);
    place = moveTables(copy, place);
    for (const b of copy.blocks) {
      b.id += func.nextBlock;
      for (const inst of b.insts) {
        inst.id += func.nextInst;
        for (const o of inst.srcs) if (o.kind === Kind.Label && o.id >= 0) o.id += func.nextBlock;
        renameTargets(inst, (id) => id + func.nextBlock);
      }
    }
    starts.set(r.name, copy.blocks[0] as Block);
    func.blocks.push(...copy.blocks);
    func.nextBlock += copy.nextBlock;
    func.nextInst += copy.nextInst;
    for (const file of ["R", "UR", "P", "UP", "B"] as const)
      func.used[file] = Math.max(func.used[file], copy.used[file]);
    func.barriers = Math.max(func.barriers, copy.barriers);
  }
  for (const b of func.blocks)
    for (const inst of b.insts)
      inst.srcs = inst.srcs.map((o) => (o.kind === Kind.Sym ? resolved(o, starts, taken, table) : o));
  func.generation++;
  return { func, starts };
}

/** Jump tables go after what lies in the bank already; returns where they end. */
function moveTables(func: Func, by: number): number {
  let end = by;
  for (const b of func.blocks)
    for (const inst of b.insts) {
      const { table } = inst;
      if (table !== undefined) {
        inst.table = { ...table, offset: table.offset + by };
        end = Math.max(end, inst.table.offset + 4 * table.targets.length);
      }
      if (inst.form.name === "LDC") for (const o of inst.srcs) if (o.kind === Kind.Const && o.id === 2) o.value += by;
    }
  return end;
}

function resolved(o: Operand, starts: ReadonlyMap<string, Block>, taken: readonly string[], table: boolean): Operand {
  const index = taken.indexOf(o.sym);
  const start = starts.get(o.sym);
  if (o.part !== "call" && table && index >= 0) return imm(8 * (index + 1));
  return start === undefined ? o : label(start);
}
