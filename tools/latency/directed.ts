/**
 * Chain kernels that go for named cells: which operations write and read through which ports is read off their own code,
 * then pairs of them are put one after the other.
 */
import { readCubin } from "../../lib/elf/index.js";
import type { Form } from "../../lib/isa/form.js";
import { type FileName, guardPort } from "../../lib/isa/latency/index.js";
import { Kind, type MachineInst, NO_INDEX } from "../../lib/isa/operand.js";
import { File } from "../../lib/isa/types.js";
import { decodeCode } from "../../lib/sass/decode.js";
import { targetOfSm } from "../../lib/target/index.js";
import { portName } from "./cells.js";
import { chainHead, chainKernel, type Step, type Vocabulary } from "./chains.js";
import type { ChainOp, Rewrite, ValueType } from "./ops/index.js";
import { archOf, compileKernels } from "./ptxas.js";
import { Random } from "./random.js";

/** A cell as `kind file earlier later`. */
export type CellName = string;

/** Ports by `FILE port`. */
interface Use {
  readonly writes: ReadonlySet<string>;
  readonly reads: ReadonlySet<string>;
}

interface Learned {
  readonly ops: ReadonlyMap<ChainOp, Use>;
  readonly rewrites: ReadonlyMap<Rewrite, Use>;
}

/** Longest kernel in steps. */
const STEPS = 60;
/** Kernels that ptxas gets at once. */
const PROBES = 200;
const files: Readonly<Record<number, FileName>> = { [File.R]: "R", [File.UR]: "UR", [File.P]: "P", [File.UP]: "UP" };

/** Modules of chain kernels that try each cell `tries` times with operations drawn by the seed. */
export function directedKernels(
  sm: number,
  words: Vocabulary,
  wanted: readonly CellName[],
  { seed, tries }: { readonly seed: number; readonly tries: number },
): string[] {
  const learned = learn(sm, words);
  const random = new Random(seed);
  const pairs: Step[][] = [];
  for (let round = 0; round < tries; round++)
    for (const cell of wanted) {
      const steps = stepsFor(cell, learned, random);
      if (steps !== null) pairs.push(steps);
    }
  return walk(pairs, words.ops);
}

/** The operations of one try, null when none is known to use the ports. */
function stepsFor(cell: CellName, { ops, rewrites }: Learned, random: Random): Step[] | null {
  const [kind, file, a, b] = cell.split(" ");
  const first = `${file} ${a}`;
  const second = `${file} ${b}`;
  const plain = { rewrite: null, back: 0 };
  // Of several instructions in one operation two may have the ports.
  const both = [...ops].filter(([, u]) =>
    kind === "raw"
      ? u.writes.has(first) && u.reads.has(second)
      : (kind === "waw" ? u.writes : u.reads).has(first) && u.writes.has(second),
  );
  const alone = (): Step[] | null => (both.length === 0 ? null : [{ op: random.pick(both)[0], ...plain }]);
  if (kind === "raw") {
    const from = [...ops].filter(([, u]) => u.writes.has(first));
    const to = [...ops].filter(([, u]) => u.reads.has(second));
    const fit = from.filter(([f]) => to.some(([t]) => t.from === f.to));
    if (fit.length === 0) return alone();
    const [f] = random.pick(fit);
    const [t] = random.pick(to.filter(([x]) => x.from === f.to));
    return [
      { op: f, ...plain },
      { op: t, ...plain },
    ];
  }
  const writers = [...rewrites].filter(([, u]) => u.writes.has(second));
  const fit = [...ops].flatMap(([op, u]) => {
    const uses = kind === "waw" ? u.writes : u.reads;
    const type = kind === "waw" ? op.to : op.from;
    return uses.has(first) && writers.some(([w]) => w.to === type) ? [op] : [];
  });
  if (fit.length === 0) return alone();
  const op = random.pick(fit);
  const type = kind === "waw" ? op.to : op.from;
  const [again] = random.pick(writers.filter(([w]) => w.to === type));
  return [kind === "waw" ? { op, rewrite: again.text, back: 0 } : { op, ...plain, overwrite: again.text }];
}

/** One after the other, so that what one pair makes the next one takes wherever the types fit. */
function walk(pairs: readonly Step[][], ops: readonly ChainOp[]): string[] {
  const waiting = new Map<ValueType | "", Step[][]>();
  for (const p of pairs) {
    const list = waiting.get(p[0]!.op.from);
    if (list) list.push(p);
    else waiting.set(p[0]!.op.from, [p]);
  }
  const kernels: string[] = [];
  let steps: Step[] = [];
  let type: ValueType | "" = "";
  const flush = (): void => {
    if (steps.length > 0) kernels.push(chainKernel(`d${kernels.length}`, steps));
    steps = [];
    type = "";
  };
  for (let left = pairs.length; left > 0; left--) {
    let list = waiting.get(type);
    if (!list || list.length === 0) {
      list = [...waiting.values()].find((l) => l.length > 0)!;
      const to = list[0]![0]!.op.from;
      const bridge = ops.find((op) => op.from === type && op.to === to);
      if (steps.length > 0 && bridge) steps.push({ op: bridge, rewrite: null, back: 0 });
    }
    const pair = list.pop()!;
    steps.push(...pair);
    type = pair.at(-1)!.op.to;
    if (steps.length >= STEPS) flush();
  }
  flush();
  return kernels;
}

/** Ports of the instructions that an operation adds to a kernel of its type. */
function learn(sm: number, words: Vocabulary): Learned {
  const byType = (type: ValueType): ChainOp => words.ops.find((op) => op.to === type && op.from === "")!;
  const opSteps = words.ops.map((op): Step => ({ op, rewrite: null, back: 0 }));
  const again = words.rewrites.map((r): Step => ({ op: byType(r.to), rewrite: r.text, back: 0 }));
  const bare = words.rewrites.map((r): Step => ({ op: byType(r.to), rewrite: null, back: 0 }));
  const uses = instructionsOf(sm, [...opSteps, ...again, ...bare]);
  const least = new Map<string, Map<string, number>>();
  for (const [i, op] of words.ops.entries()) {
    const key = `${op.from} ${op.to}`;
    const old = least.get(key);
    const now = counts(uses[i]!);
    if (!old) least.set(key, now);
    else for (const [name, n] of old) old.set(name, Math.min(n, now.get(name) ?? 0));
  }
  const ops = new Map(
    words.ops.map((op, i) => [op, usesOf(sm, added(uses[i]!, least.get(`${op.from} ${op.to}`)!))] as const),
  );
  const rewrites = new Map(
    words.rewrites.map((r, i) => {
      const at = opSteps.length + i;
      return [r, usesOf(sm, added(uses[at]!, counts(uses[at + again.length]!)))] as const;
    }),
  );
  return { ops, rewrites };
}

function instructionsOf(sm: number, steps: readonly Step[]): MachineInst[][] {
  const arch = archOf(sm);
  const kernels = steps.map((s, i) => chainKernel(`probe${i}`, [s]));
  const out: MachineInst[][] = steps.map(() => []);
  for (let k = 0; k < kernels.length; k += PROBES) {
    const { cubin } = compileKernels(chainHead(arch), kernels.slice(k, k + PROBES), arch, 3);
    const read = cubin && readCubin(cubin);
    if (!read?.ok) throw new Error("probes do not compile together");
    for (const f of read.value.functions)
      out[Number(/probe(\d+)/.exec(f.name)![1])] = decodeCode(f.words, targetOfSm(sm)!).filter((x) => x !== null);
  }
  return out;
}

const nameOf = (form: Form): string => form.name;

function counts(insts: readonly MachineInst[]): Map<string, number> {
  const out = new Map<string, number>();
  for (const i of insts) out.set(nameOf(i.form), (out.get(nameOf(i.form)) ?? 0) + 1);
  return out;
}

/** The last instructions of each form that are more than the others have. */
function added(insts: readonly MachineInst[], than: ReadonlyMap<string, number>): MachineInst[] {
  const left = counts(insts);
  for (const [name, n] of than) left.set(name, (left.get(name) ?? 0) - n);
  return [...insts].reverse().filter((i) => {
    const n = left.get(nameOf(i.form)) ?? 0;
    left.set(nameOf(i.form), n - 1);
    return n > 0;
  });
}

function usesOf(sm: number, insts: readonly MachineInst[]): Use {
  const writes = new Set<string>();
  const reads = new Set<string>();
  for (const { form, dsts, srcs, guard } of insts) {
    const note = (into: Set<string>, file: number, slot: string, written: boolean): void => {
      const name = files[file];
      const port = name && portName(sm, name, `${form.name}:${slot}`, written);
      if (port) into.add(`${name} ${port}`);
    };
    for (const [i, o] of dsts.entries())
      if (o.kind === Kind.Reg)
        for (let k = 0; k < Math.max(1, o.width); k++)
          note(writes, o.file, o.width > 1 ? `${form.dsts[i]!.name}+${k}` : form.dsts[i]!.name, true);
    for (const [i, o] of srcs.entries()) {
      const slot = form.srcs[i]!.name;
      if (o.kind === Kind.Reg)
        for (let k = 0; k < Math.max(1, o.width); k++) note(reads, o.file, o.width > 1 ? `${slot}+${k}` : slot, false);
      else if (o.kind === Kind.Const && o.index !== NO_INDEX) note(reads, o.file, `${slot}!`, false);
    }
    const name = guard && files[guard.file];
    if (name && guardPort[name]) reads.add(`${name} ${guardPort[name]}`);
  }
  return { writes, reads };
}
