/** An instruction as the walks of observe.ts need it: what it reads and writes through which ports, and what it does to the issue. */

import { latencyTables, type PortHold } from "../../lib/isa/latency/index.js";
import { timingOf } from "../../lib/isa/latency.js";
import { Kind, type MachineInst, NO_INDEX, type Operand, ZERO_REG } from "../../lib/isa/operand.js";
import { File } from "../../lib/isa/types.js";
import type { Target } from "../../lib/target/types.js";

export const fileName: Readonly<Record<number, string>> = {
  [File.R]: "R",
  [File.UR]: "UR",
  [File.P]: "P",
  [File.UP]: "UP",
};

export interface Access {
  readonly file: number;
  readonly reg: number;
  readonly port: string;
}
/** An instruction as the walk needs it. */
export interface Step {
  readonly inst: MachineInst;
  readonly name: string;
  readonly reads: readonly Access[];
  readonly writes: readonly Access[];
  readonly stall: number;
  readonly waits: boolean;
  readonly set: boolean;
  /** Waits for what it may leave under its guard. */
  readonly keeps: boolean;
  /** Issue port; how long it stays taken; least stall after the instruction. */
  readonly issue: string;
  readonly interval: number;
  readonly least: number;
  /** Other ports that it keeps from issuing. */
  readonly holds: readonly PortHold[];
}

/** Guards that cannot both hold. */
export function exclusive(a: Step, b: Step): boolean {
  const x = a.inst.guard;
  const y = b.inst.guard;
  return x !== null && y !== null && x.file === y.file && x.id === y.id && x.not !== y.not;
}

export function fallsThrough(inst: MachineInst): boolean {
  switch (inst.form.flow) {
    case "branch":
    case "exit":
      return (
        inst.guard !== null || inst.srcs.some((o) => o.kind === Kind.Reg && o.file !== File.B && o.id !== ZERO_REG)
      );
    case "indirect":
    case "return":
    case "call":
    case "trap":
      return false;
    default:
      return true;
  }
}

const blocking = new Set([
  "BAR",
  "DEPBAR",
  "NANOSLEEP",
  "YIELD",
  "WARPSYNC",
  "BSYNC",
  "WARPGROUP",
  "CALL",
  "ERRBAR",
  "MEMBAR",
]);

/** Instructions that move all predicates of a mask at once. */
const predicateMoves: Readonly<Record<string, { readonly reads: boolean; readonly file: File }>> = {
  P2R: { reads: true, file: File.P },
  R2P: { reads: false, file: File.P },
  UP2UR: { reads: true, file: File.UP },
  UR2UP: { reads: false, file: File.UP },
};

export function stepOf(inst: MachineInst, target: Target): Step {
  const reads: Access[] = [];
  const writes: Access[] = [];
  const { form } = inst;
  const { name } = form;
  for (const [i, o] of inst.srcs.entries()) addUse(reads, o, `${name}:${form.srcs[i]!.name}`);
  if (inst.guard) add(reads, inst.guard.file, inst.guard.id, 1, `${name}:guard`);
  for (const [i, o] of inst.dsts.entries())
    if (o.kind === Kind.Reg) add(writes, o.file, o.id, o.width, `${name}:${form.dsts[i]!.name}`);
  const move = predicateMoves[form.op];
  if (move) {
    const mask = inst.srcs[1]!;
    for (let p = 0; p < 7; p++)
      if (mask.kind !== Kind.Imm || (mask.value >>> p) & 1)
        add(move.reads ? reads : writes, move.file, p, 1, `${name}:`);
  }
  const c = inst.control!;
  const t = timingOf(inst, target);
  return {
    inst,
    name,
    reads,
    writes,
    stall: c.stall,
    waits: c.wait !== 0 || blocking.has(form.op),
    set: c.writeSb !== 7,
    keeps: inst.guard !== null && inst.guard.id !== ZERO_REG && target.has("guardedWritesRead"),
    issue: latencyTables(target.sm).issuePortOf(form.op, form.mods) ?? t.pipe,
    interval: t.interval,
    least: t.minStall,
    holds: latencyTables(target.sm).holdsOf(form.op, form.mods),
  };
}

function addUse(out: Access[], o: Operand, port: string): void {
  if (o.kind === Kind.Reg) add(out, o.file, o.id, o.width, port);
  else if (o.kind === Kind.Const && o.index !== NO_INDEX) add(out, o.file, o.index, o.id === -1 ? 2 : 1, `${port}!`);
}

function add(out: Access[], file: number, id: number, width: number, port: string): void {
  if (id === ZERO_REG || fileName[file] === undefined) return;
  const n = Math.max(1, width);
  for (let k = 0; k < n; k++) out.push({ file, reg: id + k, port: n === 1 ? port : `${port}+${k}` });
}
