/** How long code takes one warp, told from the instructions alone: no launch, no memory, no other warps. */
import type { Cubin, CubinFunction } from "../elf/index.js";
import { InternalError } from "../errors.js";
import { liftFunction } from "../lift/index.js";
import type { Func } from "../ori/types.js";
import { type FuncLatency, funcLatency } from "../sched/index.js";
import { asTable, type LooksRow } from "./looks.js";

/** Static latency of a block. */
export interface BlockLatency {
  /** Byte offset of the block. */
  readonly address: number;
  /** Instructions of the block. */
  readonly instructions: number;
  /** Executions per run of the function: a loop is taken to make ten trips, the edges of a branch to be equally likely. */
  readonly frequency: number;
  /** Cycles until the last result of the block that is waited for is there. */
  readonly cycles: number;
}

/** Static latency of a function. */
export interface FunctionLatency {
  /** Cycles of one warp per run of the function: sum over the blocks of frequency × cycles. */
  readonly cycles: number;
  /** Its blocks in order of address. */
  readonly blocks: readonly BlockLatency[];
  /** Byte offset of what stands after the last instruction (a branch to itself and NOPs). */
  readonly end: number;
}

/**
 * Issue model of lib/sched/estimate.ts on the order as it stands: fixed distances and expected latencies from the tables.
 * Of a function between lowering and encoding, or of one in a cubin; null for code that cannot be lifted (unknown words).
 */
export function staticLatency(func: Func): FuncLatency;
export function staticLatency(cubin: Cubin, f: CubinFunction): FunctionLatency | null;
export function staticLatency(from: Func | Cubin, f?: CubinFunction): FuncLatency | FunctionLatency | null {
  if (f === undefined) return funcLooks(funcLatency(from as Func), (from as Func).name);
  const told = ofWords(from as Cubin, f);
  return told === null ? null : wordLooks(told, f.name);
}

const title = (name: string, cycles: number): string =>
  `Static latency of ${name}: ${Math.round(cycles)} cycles of one warp, loops taken to make ten trips`;

function funcLooks(told: FuncLatency, name: string): FuncLatency {
  const rows = ({ blocks }: FuncLatency): LooksRow[] => blocks.map((b) => ({ block: `b${b.block}`, ...columnsOf(b) }));
  return asTable(told, ({ cycles }) => title(name, cycles), rows);
}

function wordLooks(told: FunctionLatency, name: string): FunctionLatency {
  const rows = ({ blocks }: FunctionLatency): LooksRow[] =>
    blocks.map((b) => ({ address: b.address.toString(16).padStart(4, "0"), ...columnsOf(b) }));
  return asTable(told, ({ cycles }) => title(name, cycles), rows);
}

const columnsOf = (b: Omit<BlockLatency, "address">): LooksRow => ({
  instructions: b.instructions,
  "executions per run": b.frequency,
  "cycles each": b.cycles,
});

function ofWords(cubin: Cubin, f: CubinFunction): FunctionLatency | null {
  const lifted = liftFunction(cubin, f);
  if (!lifted.ok) return null;
  const { func, blockAt, tailOffset } = lifted.value;
  const address = new Map([...blockAt].map(([offset, block]) => [block, offset]));
  const { cycles, blocks } = funcLatency(func);
  const placed = blocks.map(({ block, ...b }) => {
    const at = address.get(block);
    if (at === undefined) throw new InternalError("a lifted block without an address", { func: f.name });
    return { address: at, ...b };
  });
  return { cycles, blocks: placed, end: tailOffset };
}
