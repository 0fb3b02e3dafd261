/**
 * Which vector registers may be read again: translated code does not write back what nobody reads. Instructions without a translation count
 * as reading all that their slots, and a few registers more, could mean, and as writing nothing for certain.
 */
import { File, Kind, type MachineInst, Mod } from "../../isa/operand.js";
import { functionAt, type Program } from "../program.js";
import type { Translation } from "./segments.js";

/** Sets of registers as eight words. */
const WORDS = 8;
/** Registers beyond those of its slots that an instruction may read (program.ts). */
const BEYOND = 8;

/** Instructions of control after which lanes go on with the next one, if at all. */
const onward: ReadonlySet<string> = new Set(["EXIT", "BSSY", "BSYNC", "BREAK"]);

export class Liveness {
  private readonly before: Int32Array;
  /** Registers that other lanes read: lanes at other places may have them. */
  private readonly shared = new Int32Array(WORDS);
  private readonly count: number;

  constructor(
    private readonly program: Program,
    translation: (pc: number) => Translation | null | undefined,
  ) {
    const n = program.insts.length;
    this.count = n;
    this.before = new Int32Array(WORDS * (n + 1));
    const reads = new Int32Array(WORDS * n);
    const kills = new Int32Array(WORDS * n);
    for (let pc = 0; pc < n; pc++) {
      const t = translation(pc);
      if (!t) {
        const inst = program.insts[pc];
        if (inst) noteSlots(reads, pc, inst);
        continue;
      }
      for (const r of t.reads) note(reads, pc, r);
      for (const r of t.stands) note(this.shared, 0, r);
      if (t.inst.guard === null) for (const r of t.writes) note(kills, pc, r);
    }
    const { before } = this;
    const out = new Int32Array(WORDS);
    for (let changed = true; changed; ) {
      changed = false;
      for (let pc = n - 1; pc >= 0; pc--) {
        this.after(pc, out);
        for (let k = 0; k < WORDS; k++) {
          const live = reads[WORDS * pc + k]! | (out[k]! & ~kills[WORDS * pc + k]!);
          if (live === before[WORDS * pc + k]) continue;
          before[WORDS * pc + k] = live;
          changed = true;
        }
      }
    }
  }

  /** What is live after an instruction. */
  private after(pc: number, out: Int32Array): void {
    const inst = this.program.insts[pc];
    out.fill(0);
    if (!inst) return;
    const { op, flow } = inst.form;
    const add = (to: number): void => {
      if (to < 0 || to > this.count) out.fill(-1);
      else for (let k = 0; k < WORDS; k++) out[k]! |= this.before[WORDS * to + k]!;
    };
    if (flow === "branch") {
      const label = inst.srcs.find((o) => o.kind === Kind.Label);
      if (label === undefined || !Number.isInteger(label.value / 16)) out.fill(-1);
      else add(functionAt(this.program, pc).first + label.value / 16);
    } else if (op === "EXIT" && inst.guard === null && inst.srcs.every((o) => o.id < 0 && (o.mods & Mod.Not) === 0))
      return;
    else if (flow !== "next" && !onward.has(op)) out.fill(-1);
    add(pc + 1);
  }

  /** May the register be read after the instruction before `pc`? */
  isLive(register: number, pc: number): boolean {
    const at = register >> 5;
    return (((this.before[WORDS * pc + at]! | this.shared[at]!) >>> (register & 31)) & 1) === 1;
  }
}

function note(sets: Int32Array, pc: number, name: string): void {
  if (!name.startsWith("R")) return;
  const r = Number(name.slice(1));
  if (r < 32 * WORDS) sets[WORDS * pc + (r >> 5)]! |= 1 << (r & 31);
}

function noteSlots(reads: Int32Array, pc: number, inst: MachineInst): void {
  const { form, dsts, srcs } = inst;
  const add = (first: number, width: number): void => {
    for (let k = 0; k < width + BEYOND; k++) note(reads, pc, `R${first + k}`);
  };
  dsts.forEach((o, i) => {
    if (o.kind === Kind.Reg && o.file === File.R && o.id >= 0) add(o.id, Math.max(o.width, form.dsts[i]?.width ?? 1));
  });
  srcs.forEach((o, i) => {
    if (o.kind === Kind.Reg && o.file === File.R && o.id >= 0) add(o.id, Math.max(o.width, form.srcs[i]?.width ?? 1));
    if (o.kind === Kind.Const && o.index >= 0) add(o.index, 1);
  });
}
