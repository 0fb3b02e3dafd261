/**
 * Control flow of decoded code: basic blocks found from the words alone, without the compiler's IR. A block begins at
 * the start of the section, at a named place (a function inside the section), at every target, and after everything
 * that may leave the straight line; an instruction under a guard or a predicate operand may also go on. Code that cannot
 * be told (an indirect branch without a table, a word that is not in the instruction table) ends a block without
 * successors, and says so.
 */
import { Kind, type MachineInst, Mod, type Operand, ZERO_REG } from "../isa/operand.js";
import { File } from "../isa/types.js";

/** A basic block of machine code. */
export interface CodeBlock {
  /** Number of the block, from 0 in order of address. */
  readonly id: number;
  /** Instruction indices: first, and one after the last. */
  readonly start: number;
  /** Index after its last instruction. */
  readonly end: number;
  /** Blocks that may follow, ascending, each once. A call goes on after itself; `call` names where it goes. */
  readonly succ: readonly number[];
  /** Block that the call at the end goes to, null when there is none or it is outside this code. */
  readonly call: number | null;
  /** Where it goes is not known (indirect without a table). */
  readonly open: boolean;
}

/** What is known of the code besides its words. */
export interface FlowFacts {
  /** Byte addresses where a function begins, besides 0. */
  readonly entries?: readonly number[];
  /** Byte address of an indirect branch → those of its targets. */
  readonly targets?: ReadonlyMap<number, readonly number[]>;
}

/** What one instruction does to the flow; addresses in bytes, those outside the code are left out. */
interface Leave {
  readonly to: readonly number[];
  readonly falls: boolean;
  readonly call: number | null;
  readonly open: boolean;
}

/** Blocks in order of address; every instruction is in exactly one. */
export function codeFlow(insts: readonly (MachineInst | null)[], facts: FlowFacts = {}): readonly CodeBlock[] {
  const n = insts.length;
  const leaves = insts.map((inst, i) => leaveOf(inst, i, n, facts));
  const starts = new Uint8Array(n + 1);
  if (n > 0) starts[0] = 1;
  for (const address of facts.entries ?? []) if (inside(address, n)) starts[address >> 4] = 1;
  leaves.forEach((l, i) => {
    if (l === null) return;
    starts[i + 1] = 1;
    for (const address of l.to) starts[address >> 4] = 1;
    if (l.call !== null) starts[l.call >> 4] = 1;
  });
  return blocksOf(leaves, starts, n);
}

function blocksOf(leaves: readonly (Leave | null)[], starts: Uint8Array, n: number): CodeBlock[] {
  const blockAt = new Int32Array(n + 1).fill(-1);
  const first: number[] = [];
  for (let i = 0; i < n; i++) {
    if (starts[i] === 1) first.push(i);
    blockAt[i] = first.length - 1;
  }
  return first.map((start, id) => {
    const end = first[id + 1] ?? n;
    const leave = leaves[end - 1] ?? null;
    const succ = new Set<number>();
    if ((leave === null || leave.falls) && end < n) succ.add(id + 1);
    for (const address of leave?.to ?? []) succ.add(blockAt[address >> 4]!);
    const call = leave === null || leave.call === null ? null : blockAt[leave.call >> 4]!;
    return { id, start, end, succ: [...succ].sort((a, b) => a - b), call, open: leave?.open ?? false };
  });
}

const inside = (address: number, n: number): boolean => address >= 0 && address % 16 === 0 && address < 16 * n;

/** Null for what goes on to the next instruction only. */
function leaveOf(inst: MachineInst | null, i: number, n: number, facts: FlowFacts): Leave | null {
  if (inst === null) return null;
  const falls = isConditional(inst);
  const to = (addresses: readonly number[]): number[] => addresses.filter((a) => inside(a, n));
  switch (inst.form.flow) {
    case "branch":
      return { to: to(labelsOf(inst)), falls, call: null, open: false };
    case "indirect": {
      const table = facts.targets?.get(16 * i);
      return { to: to(table ?? []), falls, call: null, open: table === undefined };
    }
    case "call":
      return { to: [], falls: true, call: isIndirect(inst) ? null : (to(labelsOf(inst))[0] ?? null), open: false };
    case "return":
    case "exit":
      return { to: [], falls, call: null, open: false };
    default:
      return null;
  }
}

/** A register is added to the label. */
function isIndirect(inst: MachineInst): boolean {
  return inst.srcs.some((o) => o.kind === Kind.Reg && (o.file === File.R || o.file === File.UR) && o.id >= 0);
}

function labelsOf(inst: MachineInst): number[] {
  return inst.srcs.filter((o) => o.kind === Kind.Label).map((o) => o.value);
}

/** May the instruction do nothing in some lanes: a guard, a predicate operand other than PT, a test of the warp? */
export function isConditional(inst: MachineInst): boolean {
  const g = inst.guard;
  if (g !== null && (g.id !== ZERO_REG || g.not)) return true;
  if (inst.form.flow === "next") return false;
  return inst.form.mods.some((m) => m === "DIV" || m === "CONV") || inst.srcs.some(mayFail);
}

function mayFail(o: Operand): boolean {
  const predicate = o.kind === Kind.Reg && (o.file === File.P || o.file === File.UP);
  return predicate && (o.id !== ZERO_REG || (o.mods & Mod.Not) !== 0);
}
