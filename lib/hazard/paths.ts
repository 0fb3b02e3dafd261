/**
 * The paths through the code of a section: basic blocks with edges into the functions that are called inside it and back
 * to every place that calls them. Calls out of the section are edges over which nothing may be in flight.
 */

import type { MachineInst } from "../isa/operand.js";
import { type CodeBlock, codeFlow } from "../sass/flow.js";
import type { CodeToVerify } from "./types.js";

export interface Paths {
  readonly blocks: readonly CodeBlock[];
  /** Blocks that may follow each block, calls and returns followed. */
  readonly next: readonly (readonly number[])[];
  /** Ends in a call out of the section, or returns out of it: registers in flight would be met by unknown code. */
  readonly leaves: Uint8Array;
  /** Ends in a call of code that never returns: ptxas leaves loops so, and holds back one cycle as for a branch. */
  readonly jumps: Uint8Array;
  /** Ends in an indirect branch without a table. */
  readonly open: Uint8Array;
  /** Blocks that the analysis starts from with nothing in flight. */
  readonly roots: readonly number[];
}

export function pathsOf(code: CodeToVerify, insts: readonly (MachineInst | null)[]): Paths {
  const blocks = codeFlow(insts, {
    ...(code.entries && { entries: code.entries }),
    ...(code.targets && { targets: code.targets }),
  });
  const lastOf = (b: CodeBlock): MachineInst | null => insts[b.end - 1] ?? null;
  const byStart = new Map(blocks.map((b) => [16 * b.start, b.id]));
  const calls = blocks.map((b) => {
    const last = lastOf(b);
    return last?.form.flow === "call" ? calleesOf(b, last, code, byStart) : null;
  });
  const returnsOf = returnBlocks(blocks, calls, lastOf);
  const next: number[][] = blocks.map(() => []);
  const leaves = new Uint8Array(blocks.length);
  const open = new Uint8Array(blocks.length);
  const jumps = new Uint8Array(blocks.length);
  const called = new Uint8Array(blocks.length);
  blocks.forEach((b, id) => {
    const callees = calls[id]!;
    if (b.open) open[id] = 1;
    if (callees === null) next[id]!.push(...b.succ);
    else if (callees.length === 0) {
      leaves[id] = 1;
      next[id]!.push(...b.succ);
    } else {
      next[id]!.push(...callees);
      const conditional = lastOf(b)!.guard !== null;
      const returns = callees.flatMap((callee) => returnsOf.get(callee)!);
      if (returns.length === 0) jumps[id] = 1;
      for (const r of returns) {
        called[r] = 1;
        next[r]!.push(...b.succ);
      }
      if (conditional || returns.length === 0) next[id]!.push(...b.succ);
    }
  });
  blocks.forEach((b, id) => {
    if (lastOf(b)?.form.flow === "return" && called[id] === 0) leaves[id] = 1;
  });
  // After the branch to itself at the end, and between functions.
  const isPadding = (b: CodeBlock): boolean => {
    for (let i = b.start; i < b.end; i++) if (insts[i]?.form.op !== "NOP") return false;
    return true;
  };
  const unique = next.map((list) => [...new Set(list)].sort((a, b) => a - b));
  return { blocks, next: unique, leaves, jumps, open, roots: rootsOf(blocks, unique, code, isPadding) };
}

/**
 * Blocks that a call may enter; none where it leaves the section. `CALL.REL` through a register counts from the section's
 * start (ptxas takes the offset from a table in bank 2): it may be any function there.
 */
function calleesOf(
  b: CodeBlock,
  call: MachineInst,
  code: CodeToVerify,
  byStart: ReadonlyMap<number, number>,
): readonly number[] {
  if (code.relocated?.has(16 * (b.end - 1))) return [];
  if (b.call !== null) return [b.call];
  if (!call.form.mods.includes("REL")) return [];
  return (code.entries ?? []).flatMap((entry) => byStart.get(entry) ?? []);
}

/** For each called block the blocks that return from there; calls inside are stepped over. */
function returnBlocks(
  blocks: readonly CodeBlock[],
  calls: readonly (readonly number[] | null)[],
  lastOf: (b: CodeBlock) => MachineInst | null,
): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (const entry of new Set(calls.flatMap((callees) => callees ?? []))) {
    const seen = new Uint8Array(blocks.length);
    const stack = [entry];
    const returns: number[] = [];
    seen[entry] = 1;
    while (stack.length > 0) {
      const b = blocks[stack.pop()!]!;
      if (lastOf(b)?.form.flow === "return") returns.push(b.id);
      for (const s of b.succ) {
        if (seen[s] === 1) continue;
        seen[s] = 1;
        stack.push(s);
      }
    }
    found.set(entry, returns);
  }
  return found;
}

/** The start of the code, its named places, and whatever no known path leads to (after indirect branches). */
function rootsOf(
  blocks: readonly CodeBlock[],
  next: readonly (readonly number[])[],
  code: CodeToVerify,
  isPadding: (b: CodeBlock) => boolean,
): number[] {
  if (blocks.length === 0) return [];
  const reached = new Uint8Array(blocks.length);
  const roots: number[] = [];
  const from = (id: number): void => {
    if (reached[id] === 1) return;
    roots.push(id);
    reached[id] = 1;
    const stack = [id];
    while (stack.length > 0) {
      for (const s of next[stack.pop()!]!) {
        if (reached[s] === 1) continue;
        reached[s] = 1;
        stack.push(s);
      }
    }
  };
  from(0);
  for (const address of code.entries ?? []) {
    const id = blocks.findIndex((b) => b.start === address >> 4);
    if (id >= 0) from(id);
  }
  for (const b of blocks) if (!isPadding(b)) from(b.id);
  return roots;
}
