/** What the timing model needs of each instruction of a program, as columns. */
import { timingOf } from "../isa/latency.js";
import { File, Kind, type MachineInst, Mod } from "../isa/operand.js";
import type { Program } from "../sim/program.js";
import { constantLine } from "../sim/trace.js";
import type { Target } from "../target/types.js";
import { productWork } from "./products.js";

/** Kinds of instructions that the model treats apart. */
export const Special = {
  None: 0,
  Memory: 1,
  Barrier: 2,
  Exit: 3,
  Jump: 4,
  Depbar: 5,
  Arrive: 6,
  /** A product of a warp group, and the wait for groups of them. */
  Product: 7,
  GroupWait: 8,
  /** An operation on an mbarrier; the wait for the end of its phase; copies (LDGSTS) and the operation after them; a bulk copy. */
  PhaseArrive: 9,
  PhaseWait: 10,
  Copy: 11,
  CopyArrive: 12,
  Bulk: 13,
  /** The end of a group of copies (LDGDEPBAR): its scoreboard is at zero when they are done. */
  CopyGroup: 14,
  /** An arrival when the products in tensor memory so far are done. */
  ProductArrive: 15,
} as const;

/** Register-file banks of a sub-core. */
export const BANKS = 2;
export const SLOTS = 3;

export interface TimedCode {
  readonly count: number;
  readonly pipes: readonly string[];
  /** Index into `pipes`. */
  readonly pipe: Uint8Array;
  readonly interval: Uint8Array;
  readonly latency: Uint16Array;
  readonly special: Uint8Array;
  /** Control word. */
  readonly stall: Uint8Array;
  readonly yield: Uint8Array;
  readonly wait: Uint8Array;
  readonly writeSb: Uint8Array;
  readonly readSb: Uint8Array;
  /** Registers at the three operand slots of a fixed-latency instruction, −1 none; bit n of `reuse` keeps slot n. */
  readonly operands: Int16Array;
  readonly reuse: Uint8Array;
  /** DEPBAR: scoreboard and count; BAR: barrier and threads (0: all). */
  readonly first: Int16Array;
  readonly second: Int16Array;
  /** Its result comes through the memory queue of the sub-core, and which scoreboard stall its waiters see. */
  readonly queued: Uint8Array;
  readonly long: Uint8Array;
  /** Bytes per thread. */
  readonly bytes: Uint8Array;
  readonly load: Uint8Array;
  /** Multiply-adds of 16-bit elements that a product costs its sub-core; 1 where a product closes its group. */
  readonly work: Uint32Array;
  readonly closes: Uint8Array;
  /** 1: an operation on a phase of an mbarrier. */
  readonly arrives: Uint8Array;
  /** Line of the constant that it reads, as an operand or as a load, −1 none; loads whose address is in a register: the access says. */
  readonly operand: Int32Array;
  readonly constant: Int32Array;
}

const barriers: readonly string[] = ["SYNC", "RED", "SCAN"];

export function timedCode(program: Program): TimedCode {
  const n = program.insts.length;
  const pipes: string[] = [];
  const u8 = (): Uint8Array => new Uint8Array(n);
  const code: TimedCode = {
    count: n,
    pipes,
    pipe: u8(),
    interval: u8(),
    latency: new Uint16Array(n),
    special: u8(),
    stall: u8(),
    yield: u8(),
    wait: u8(),
    writeSb: u8().fill(7),
    readSb: u8().fill(7),
    operands: new Int16Array(SLOTS * n).fill(-1),
    reuse: u8(),
    first: new Int16Array(n),
    second: new Int16Array(n),
    queued: u8(),
    long: u8(),
    bytes: u8(),
    load: u8(),
    work: new Uint32Array(n),
    closes: u8(),
    arrives: u8(),
    operand: new Int32Array(n).fill(-1),
    constant: new Int32Array(n).fill(-1),
  };
  program.insts.forEach((inst, i) => {
    if (inst) fill(code, pipes, i, inst, program.target);
  });
  return code;
}

function fill(code: TimedCode, pipes: string[], i: number, inst: MachineInst, target: Target): void {
  const t = timingOf(inst, target);
  let pipe = pipes.indexOf(t.pipe);
  if (pipe < 0) pipe = pipes.push(t.pipe) - 1;
  code.pipe[i] = pipe;
  code.interval[i] = t.interval;
  code.latency[i] = t.latency;
  code.queued[i] = t.pipe === "LSU" || t.pipe === "TEX" ? 1 : 0;
  const { op, memory, flow, mods } = inst.form;
  code.long[i] = t.pipe === "TEX" || (memory !== null && /global|local|generic/.test(memory.space)) ? 1 : 0;
  code.bytes[i] = memory?.bytes ?? 0;
  code.load[i] = memory?.access === "load" || memory?.access === "atomic" ? 1 : 0;
  code.special[i] = specialOf(inst);
  if (op === "DEPBAR" && mods.includes("LE")) {
    code.first[i] = immediateOf(inst, "sb");
    code.second[i] = immediateOf(inst, "n");
  } else if (op === "BAR") {
    code.first[i] = Math.max(0, immediateOf(inst, "id"));
    code.second[i] = Math.max(0, immediateOf(inst, "n"));
  }
  code.work[i] = productWork(inst);
  const special = code.special[i]!;
  if (special === Special.Product) code.closes[i] = immediateOf(inst, "sb") === 0 ? 1 : 0;
  else if (special === Special.GroupWait) code.second[i] = Math.max(0, immediateOf(inst, "n"));
  const arriving: readonly number[] = [Special.PhaseArrive, Special.CopyArrive, Special.Bulk, Special.ProductArrive];
  if (arriving.includes(special)) code.arrives[i] = 1;
  const { control } = inst;
  if (control !== null) {
    code.stall[i] = control.stall;
    code.yield[i] = control.yield;
    code.wait[i] = control.wait;
    code.writeSb[i] = control.writeSb;
    code.readSb[i] = control.readSb;
    code.reuse[i] = control.reuse;
  }
  if (!t.write && !t.read && flow === "next") operandSlots(code, i, inst);
  const c = inst.srcs.find((o) => o.kind === Kind.Const);
  if (c !== undefined)
    (t.write && memory?.space === "const" ? code.constant : code.operand)[i] = constantLine(c.id, c.value);
}

function specialOf(inst: MachineInst): number {
  const { op, mods, flow, memory } = inst.form;
  if (op === "BAR") return barriers.includes(mods[0] ?? "") ? Special.Barrier : mods[0] === "ARV" ? Special.Arrive : 0;
  if (op === "DEPBAR") return Special.Depbar;
  const asynchronous = asynchronousOf(op, mods);
  if (asynchronous !== Special.None) return asynchronous;
  if (flow === "exit") return Special.Exit;
  if (flow === "branch" || flow === "indirect" || flow === "call" || flow === "return") return Special.Jump;
  return memory !== null && memory.space !== "const" && memory.access !== "fence" ? Special.Memory : Special.None;
}

function asynchronousOf(op: string, mods: readonly string[]): number {
  if (/^[HQIB]GMMA$|^UTC[HQIO]MMA$/.test(op)) return Special.Product;
  if (op === "UTCBAR") return Special.ProductArrive;
  if (op === "WARPGROUP") return mods.includes("DEPBAR") ? Special.GroupWait : Special.None;
  if (op === "SYNCS") {
    if (mods.includes("PHASECHK")) return Special.PhaseWait;
    return mods.includes("ARRIVE") ? Special.PhaseArrive : Special.None;
  }
  if (op === "LDGSTS") return Special.Copy;
  if (op === "LDGDEPBAR") return Special.CopyGroup;
  if (op === "ARRIVES") return Special.CopyArrive;
  return ["UBLKCP", "UTMALDG", "UTMASTG"].includes(op) ? Special.Bulk : Special.None;
}

/** An immediate operand by its slot, −1 when it is something else. */
function immediateOf(inst: MachineInst, slot: string): number {
  const o = inst.srcs[inst.form.srcs.findIndex((s) => s.name === slot)];
  return o !== undefined && o.kind !== Kind.Reg ? o.value : -1;
}

/** R operands in order take the slots; reuse bits stand on the operands. */
function operandSlots(code: TimedCode, i: number, inst: MachineInst): void {
  let slot = 0;
  let reuse = 0;
  for (const o of inst.srcs) {
    if (slot === SLOTS) break;
    if (o.kind !== Kind.Reg || o.file !== File.R) {
      if (o.kind !== Kind.Reg) slot++;
      continue;
    }
    if (o.id >= 0) {
      code.operands[SLOTS * i + slot] = o.id;
      if ((o.mods & Mod.Reuse) !== 0) reuse |= 1 << slot;
    }
    slot++;
  }
  code.reuse[i] = reuse;
}
