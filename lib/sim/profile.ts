/**
 * How often every instruction ran and what it moved: counted while a launch runs. Traffic is measured by what the timing model's
 * recorder says of an access (trace.ts): sectors of 32 bytes in global and local memory, passes over the banks in shared memory.
 */
import { Kind, type MachineInst } from "../isa/operand.js";
import { popcount } from "./groups.js";
import type { Program } from "./program.js";
import type { Warp } from "./state.js";
import { TraceRecorder, Where } from "./trace.js";
import { type CodePlace, placeOf } from "./where.js";

/** What an instruction moved between the threads and a memory. */
export interface Traffic {
  /** `bulk`: copies by the engine beside the SM. */
  readonly space: "global" | "shared" | "local" | "constant" | "bulk";
  /** Accesses of warps: of one executed by no thread there is none. */
  readonly requests: number;
  /** Bytes that the threads asked for, each for itself; 0 for bulk copies. */
  readonly bytes: number;
  /** Global and local memory, bulk copies: sectors of 32 bytes that the requests touched, each request for itself. Elsewhere 0. */
  readonly sectors: number;
  /** Shared memory: passes over the banks; as many as `requests` (twice, four times for 8 and 16 bytes a thread) where no conflicts are. */
  readonly passes: number;
}

/** Executions of one instruction. */
export interface ProfileEntry extends CodePlace {
  /** Times a warp issued it. */
  readonly warps: number;
  /** Sum of the threads for which it was active and its guard true. */
  readonly threads: number;
  /** Null for what touches no memory. */
  readonly memory: Traffic | null;
}

/** The instructions of one PTX line together. */
export interface LineProfile {
  /** null: of no known line. */
  readonly line: number | null;
  /** Warp-instructions issued. */
  readonly warps: number;
  /** Sum over its instructions of the threads that executed each. */
  readonly threads: number;
  /** By space, in the order of the code. */
  readonly memory: readonly Traffic[];
}

const spaceNames = new Map<number, Traffic["space"]>([
  [Where.Global, "global"],
  [Where.Shared, "shared"],
  [Where.Local, "local"],
  [Where.Constant, "constant"],
  [Where.Bulk, "bulk"],
]);

/** How often instructions of translated code were told of together, but for those whose threads or memory differ. */
interface Together {
  readonly plain: readonly number[];
  readonly single: readonly number[];
  warps: number;
  threads: number;
}

interface Count {
  where: number;
  requests: number;
  bytes: number;
  work: number;
}

export class Profiler {
  private readonly warps: Float64Array;
  private readonly threads: Float64Array;
  private readonly counts: (Count | null)[];
  private readonly meter = new TraceRecorder(new Set());
  private readonly together = new Map<readonly number[], Together>();

  constructor(private readonly program: Program) {
    const n = program.insts.length;
    this.warps = new Float64Array(n);
    this.threads = new Float64Array(n);
    this.counts = new Array<Count | null>(n).fill(null);
    this.meter.begin(program);
  }

  /** A warp is about to execute instruction `pc` for the lanes of `mask`. */
  issue(w: Warp, pc: number, mask: number): void {
    const n = popcount(mask);
    this.warps[pc]!++;
    this.threads[pc]! += n;
    if (mask === 0) return;
    const touched = this.meter.measure(w, pc, mask);
    if (touched === null) return;
    let c = this.counts[pc];
    if (!c) {
      c = { where: touched.where, requests: 0, bytes: 0, work: 0 };
      this.counts[pc] = c;
    }
    c.requests++;
    c.work += touched.work;
    c.bytes += n * (this.program.insts[pc]!.form.memory?.bytes ?? 0);
  }

  /** The active lanes are about to execute these instructions, one after the other. */
  issueAll(w: Warp, pcs: readonly number[], active: number): void {
    let t = this.together.get(pcs);
    if (t === undefined) {
      const isSingle = (pc: number): boolean =>
        this.program.insts[pc]?.guard != null || this.program.insts[pc]?.form.memory != null;
      t = { plain: pcs.filter((pc) => !isSingle(pc)), single: pcs.filter(isSingle), warps: 0, threads: 0 };
      this.together.set(pcs, t);
    }
    t.warps++;
    t.threads += popcount(active);
    const { guard, invert } = this.program;
    for (const pc of t.single) this.issue(w, pc, active & (w.P[guard[pc]!]! ^ invert[pc]!));
  }

  /** Counts for each instruction what was counted of several together. */
  private settle(): void {
    for (const t of this.together.values()) {
      for (const pc of t.plain) {
        this.warps[pc] = this.warps[pc]! + t.warps;
        this.threads[pc] = this.threads[pc]! + t.threads;
      }
      t.warps = 0;
      t.threads = 0;
    }
  }

  /** What was issued at least once, in code order. */
  entries(): ProfileEntry[] {
    this.settle();
    const list: ProfileEntry[] = [];
    this.warps.forEach((warps, i) => {
      if (warps > 0)
        list.push({ ...placeOf(this.program, i), warps, threads: this.threads[i]!, memory: this.traffic(i) });
    });
    return list;
  }

  /** What no warp issued of the functions in which something ran, up to the last instruction that is no padding. */
  missed(): CodePlace[] {
    this.settle();
    const { insts, functions } = this.program;
    return functions.flatMap(({ first, count }) => {
      if (!this.warps.subarray(first, first + count).some((n) => n > 0)) return [];
      let end = first + count;
      while (end > first && isPadding(insts[end - 1], end - 1 - first)) end--;
      const places: CodePlace[] = [];
      for (let i = first; i < end; i++) if (this.warps[i] === 0) places.push(placeOf(this.program, i));
      return places;
    });
  }

  private traffic(i: number): Traffic | null {
    const c = this.counts[i];
    if (!c) return null;
    const shared = c.where === Where.Shared;
    const { requests, bytes, work } = c;
    const sectors = shared || c.where === Where.Constant ? 0 : work;
    return {
      space: spaceNames.get(c.where)!,
      requests,
      bytes: c.where === Where.Bulk ? 0 : bytes,
      sectors,
      passes: shared ? work : 0,
    };
  }
}

/** NOPs and the branch to itself with which functions end. */
function isPadding(inst: MachineInst | null | undefined, index: number): boolean {
  if (inst?.form.op === "NOP") return true;
  return inst?.form.op === "BRA" && inst.srcs.some((o) => o.kind === Kind.Label && o.value === index * 16);
}

/** The entries of a profile by PTX line, in the order of the lines; those without line last. */
export function profileByLine(profile: readonly ProfileEntry[]): LineProfile[] {
  const lines = new Map<number | null, { warps: number; threads: number; memory: Map<string, Traffic> }>();
  for (const e of profile) {
    const known = lines.get(e.ptxLine) ?? { warps: 0, threads: 0, memory: new Map<string, Traffic>() };
    lines.set(e.ptxLine, known);
    known.warps += e.warps;
    known.threads += e.threads;
    if (e.memory !== null) known.memory.set(e.memory.space, sum(known.memory.get(e.memory.space), e.memory));
  }
  const order = (line: number | null): number => line ?? Number.POSITIVE_INFINITY;
  return [...lines]
    .map(([line, { memory, ...counts }]) => ({ line, ...counts, memory: [...memory.values()] }))
    .sort((a, b) => (a.line === b.line ? 0 : order(a.line) - order(b.line)));
}

function sum(a: Traffic | undefined, b: Traffic): Traffic {
  if (a === undefined) return b;
  return {
    space: b.space,
    requests: a.requests + b.requests,
    bytes: a.bytes + b.bytes,
    sectors: a.sectors + b.sectors,
    passes: a.passes + b.passes,
  };
}
