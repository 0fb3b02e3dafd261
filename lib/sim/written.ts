/**
 * Reads of registers and predicates that nobody has written. A lane reads what its instruction names (sass/live.ts), under the guard;
 * a copy of such a register (MOV and the like) is no use of it: the copy is as little written. What is stored to local memory and loaded
 * again counts as written: functions save registers that may hold nothing. So does what PRMT makes, which puts halves together of which one may
 * hold nothing.
 *
 * Code of -O0 does so where the PTX does. Above, ptxas and we compute ahead with what a branch would have kept from being used, and drop the result:
 * 5 of 309 kernels of the corpus and the programs (-O0 and -O3 by us, -O3 by ptxas), none of them at -O0.
 */
import { File, Kind, type MachineInst } from "../isa/operand.js";
import { withTrueWidths } from "../isa/texture-widths.js";
import { type RegisterName, registerUse } from "../sass/live.js";
import type { Target } from "../target/types.js";
import type { Program } from "./program.js";
import type { Cta, Warp } from "./state.js";
import { type CodePlace, placeOf } from "./where.js";

/** An instruction that uses a register that nobody has written. */
export interface UnwrittenRegister extends CodePlace {
  /** As in the code: `R4`, `P0`, `UR6`. */
  readonly register: string;
  /** CTA index in the grid. */
  readonly block: readonly [number, number, number];
  /** The lowest thread that used it so first. */
  readonly thread: readonly [number, number, number];
  /** Times a warp did. */
  count: number;
}

const fileNames: Readonly<Record<number, string>> = {
  [File.R]: "R",
  [File.UR]: "UR",
  [File.P]: "P",
  [File.UP]: "UP",
};
/** First index of each file: a mask of lanes for every register. */
const firstOf: Readonly<Record<number, number>> = { [File.R]: 0, [File.UR]: 256, [File.P]: 512, [File.UP]: 520 };
const COUNT = 528;

const indexOf = ({ file, id }: RegisterName): number => firstOf[file]! + id;
const isUniform = (index: number): boolean => (index >= 256 && index < 512) || index >= 520;

/** Copies: nothing is computed of the register. */
const copies: ReadonlySet<string> = new Set(["MOV", "UMOV", "R2UR", "R2UP"]);

interface Use {
  readonly reads: readonly number[];
  readonly writes: readonly number[];
  /** Index of the guard, −1 none. */
  readonly guard: number;
  /** A copy is no use, and as little written as what is copied; a save is no use. */
  readonly kind: "use" | "copy" | "save";
}

/** Instructions of translated code that are told of together. */
interface Together {
  /** Registers that they read as they are before. */
  readonly given: readonly number[];
  /** Registers that they write, each with the guard of the write (7: none) and what it is combined with (program.ts). */
  readonly writes: readonly (readonly [register: number, guard: number, invert: number])[];
}

export class RegisterWatch {
  private readonly together = new Map<readonly number[], Together>();
  private readonly uses: (Use | undefined)[];
  private readonly written = new Map<Warp, Int32Array>();
  private readonly found = new Map<string, UnwrittenRegister>();

  constructor(private readonly program: Program) {
    this.uses = new Array(program.insts.length);
  }

  findings(): readonly UnwrittenRegister[] {
    return [...this.found.values()];
  }

  /** A block starts. */
  start(cta: Cta): void {
    for (const w of cta.warps) {
      const known = this.written.get(w);
      if (known === undefined) this.written.set(w, new Int32Array(COUNT));
      else known.fill(0);
    }
  }

  /** Routines of the driver have run for lanes: what they leave is written. */
  called(w: Warp, mask: number): void {
    const written = this.written.get(w)!;
    for (let i = 0; i < COUNT; i++) written[i] = written[i]! | mask;
  }

  /** The active lanes come to these instructions, one after the other. */
  issueAll(w: Warp, pcs: readonly number[], active: number): void {
    let t = this.together.get(pcs);
    if (t === undefined) {
      t = this.togetherOf(pcs);
      this.together.set(pcs, t);
    }
    const written = this.written.get(w)!;
    const { guard, invert } = this.program;
    let missing = 0;
    for (const r of t.given) missing |= active & ~written[r]!;
    if (missing !== 0) {
      for (const pc of pcs) this.issue(w, pc, active, active & (w.P[guard[pc]!]! ^ invert[pc]!));
      return;
    }
    // Then all that they read is written, whatever the guards say.
    for (const [r, g, inverted] of t.writes) {
      const m = active & (w.P[g]! ^ inverted);
      if (m !== 0) written[r] = isUniform(r) ? -1 : written[r]! | m;
    }
  }

  private togetherOf(pcs: readonly number[]): Together {
    const { guard, invert } = this.program;
    const given = new Set<number>();
    const made = new Set<number>();
    const writes: [number, number, number][] = [];
    for (const pc of pcs) {
      const use = this.useAt(pc);
      for (const r of use.guard < 0 ? use.reads : [...use.reads, use.guard]) if (!made.has(r)) given.add(r);
      for (const r of use.writes) {
        writes.push([r, guard[pc]!, invert[pc]!]);
        if (use.guard < 0) made.add(r);
      }
    }
    return { given: [...given], writes };
  }

  private useAt(pc: number): Use {
    let use = this.uses[pc];
    if (use === undefined) {
      use = useOf(this.program.insts[pc], this.program.target);
      this.uses[pc] = use;
    }
    return use;
  }

  /** The active lanes come to instruction `pc`, those of `mask` execute it. */
  issue(w: Warp, pc: number, active: number, mask: number): void {
    const written = this.written.get(w)!;
    const { reads, writes, guard, kind } = this.useAt(pc);
    if (guard >= 0) this.look(w, pc, guard, active, written);
    if (mask === 0) return;
    if (kind === "copy") {
      let known = mask;
      for (const r of reads) known &= written[r]!;
      for (const r of writes) written[r] = isUniform(r) ? (known === mask ? -1 : 0) : (written[r]! & ~mask) | known;
      return;
    }
    if (kind === "use") for (const r of reads) this.look(w, pc, r, mask, written);
    for (const r of writes) written[r] = isUniform(r) ? -1 : written[r]! | mask;
  }

  private look(w: Warp, pc: number, register: number, lanes: number, written: Int32Array): void {
    const missing = lanes & ~written[register]!;
    if (missing === 0) return;
    const key = `${pc} ${register}`;
    const known = this.found.get(key);
    if (known !== undefined) {
      known.count++;
      return;
    }
    const lane = 31 - Math.clz32(missing & -missing);
    this.found.set(key, {
      register: nameOf(register),
      block: w.cta.index,
      thread: [w.tid[0][lane]!, w.tid[1][lane]!, w.tid[2][lane]!],
      ...placeOf(this.program, pc),
      count: 1,
    });
  }
}

function nameOf(index: number): string {
  const file = [File.UP, File.P, File.UR, File.R].find((f) => index >= firstOf[f]!)!;
  return `${fileNames[file]}${index - firstOf[file]!}`;
}

function useOf(inst: MachineInst | null | undefined, target: Target): Use {
  if (!inst) return { reads: [], writes: [], guard: -1, kind: "use" };
  const { reads, writes } = registerUse(withTrueWidths(inst), target);
  const { op, mods, memory } = inst.form;
  const guard = inst.guard === null || inst.guard.id < 0 ? -1 : indexOf(inst.guard);
  const isCopy = copies.has(op) || (op === "IMAD" && mods.includes("MOV"));
  const isSave = op === "PRMT" || (memory?.space === "local" && memory.access === "store");
  const own = reads.map(indexOf).filter((r) => r !== guard || isOperand(inst));
  const all = writes.map(indexOf);
  // By a mask of which the operands say nothing.
  if (op === "R2P") for (let p = 0; p < 7; p++) all.push(firstOf[File.P]! + p);
  return { reads: own, writes: all, guard, kind: isCopy ? "copy" : isSave ? "save" : "use" };
}

/** Is the guard an operand, too? */
function isOperand({ guard, srcs }: MachineInst): boolean {
  return srcs.some((o) => o.kind === Kind.Reg && o.file === guard!.file && o.id === guard!.id);
}
