/**
 * Values that a function has from its entry block on, made where the first instruction asks for them: memory descriptor, stack pointer, what alloca
 * has given, registers of the ABI.
 */
import { InternalError } from "../errors.js";
import { tryForm } from "../isa/form.js";
import type { Builder } from "../ori/builder.js";
import { newInst } from "../ori/func.js";
import { clone, constBank } from "../ori/operand.js";
import { type Block, File, type Func, type Inst, Kind, type Operand } from "../ori/types.js";
import type { Target } from "../target/types.js";
import { place, skip } from "./place.js";
import { Refusal } from "./refusal.js";

/** A register operand of the same value. */
export function names(o: Operand, value: Operand): boolean {
  if (o.kind === Kind.Const) return o.index === value.id && o.file === value.file;
  return o.kind === Kind.Reg && o.id === value.id && o.file === value.file;
}

export class EntryValues {
  readonly target: Target;
  readonly func: Func;
  readonly builder: Builder;
  /** Calls by the ABI. */
  readonly calls: Inst[] = [];
  /** Values bound to registers of the ABI, by register. */
  private readonly machines: Map<number, Operand> = new Map();
  private descriptorValue: Operand | null = null;
  private topValue: Operand | null = null;
  private stackValue: Operand | null = null;

  constructor(builder: Builder) {
    this.builder = builder;
    this.func = builder.func;
    this.target = builder.func.target;
  }

  /** The memory descriptor (UR pair), `skip()` where the target has none. Loaded once, in the entry block. */
  get descriptor(): Operand {
    const offset = this.target.constants.memoryDescriptor;
    if (offset === null) return skip();
    if (this.descriptorValue === null) {
      this.descriptorValue = this.builder.ur(2, "descriptor");
      const load = this.target.has("ldcu") ? "LDCU.64" : "ULDC.64";
      this.atEntry(load, this.descriptorValue, offset, 2);
    }
    return this.descriptorValue;
  }

  /** The stack pointer, bound to R1. */
  get stack(): Operand {
    if (this.stackValue === null) throw new InternalError("the stack pointer is not loaded");
    return this.stackValue;
  }

  /** The lowest address of what alloca has given, the stack pointer at first. */
  get top(): Operand {
    this.topValue ??= this.builder.r(1, "top");
    return clone(this.topValue);
  }

  /** Starts `top` off, once the function is complete. False where calls would write over what was allocated. */
  startTop(): boolean {
    if (this.topValue === null) return true;
    const entry = (this.func.blocks[0] as Block).insts;
    const loaded = entry.findIndex((inst) => inst.dsts.some((o) => names(o, this.stack)));
    entry.splice(loaded + 1, 0, this.detached("MOV", [clone(this.topValue)], [this.stack]));
    return this.calls.length === 0;
  }

  /** The value that stands for registers of the ABI from `n` on. */
  machine(n: number, width = 1): Operand {
    let o = this.machines.get(n);
    if (o === undefined) {
      o = this.builder.value(File.R, width, "", n);
      this.machines.set(n, o);
    }
    return clone(o);
  }

  /** All registers of the ABI that the function has named. */
  get machineRegisters(): Operand[] {
    return [...this.machines.values()].map(clone);
  }

  /** The stack pointer of a function that is called: it comes in its register. */
  takeStackPointer(): void {
    this.stackValue = this.builder.value(File.R, 1, "SP", 1);
  }

  /** First instruction of the function. */
  loadStackPointer(): void {
    this.stackValue = this.builder.value(File.R, 1, "SP", 1);
    this.atEntry("LDC", this.stackValue, this.target.constants.stackPointer, 1);
  }

  /** An instruction that is in no block. */
  detached(name: string, dsts: readonly Operand[], srcs: readonly Operand[]): Inst {
    const form = tryForm(name);
    if (form === null) throw new Refusal();
    const same = (o: Operand): Operand => o;
    return newInst(this.func, form, place(form, form.dsts, dsts, same), place(form, form.srcs, srcs, same));
  }

  /** Replaces the descriptor that was loaded once by one for each stretch of a block without calls. */
  loadDescriptorWhereUsed(): void {
    const once = this.descriptorValue;
    if (once === null) return;
    const offset = this.target.constants.memoryDescriptor as number;
    const load = this.target.has("ldcu") ? "LDCU.64" : "ULDC.64";
    for (const block of this.func.blocks) {
      const out: Inst[] = [];
      let own: Operand | null = null;
      for (const inst of block.insts) {
        if (inst.dsts.some((o) => names(o, once))) continue;
        if (inst.srcs.some((o) => names(o, once))) {
          if (own === null) {
            own = this.builder.ur(2, "descriptor");
            out.push(this.detached(load, [clone(own)], [constBank(0, offset, 2)]));
          }
          for (const o of inst.srcs) if (names(o, once)) o.id = own.id;
        }
        if (inst.form.flow === "call") own = null;
        out.push(inst);
      }
      block.insts = out;
    }
    this.func.generation++;
  }

  private atEntry(name: string, d: Operand, offset: number, width: number): void {
    const form = tryForm(name);
    if (form === null) throw new Refusal();
    const source = constBank(0, offset, width);
    const entry = this.func.blocks[0];
    const inst = this.builder.emit(
      form,
      [clone(d)],
      place(form, form.srcs, [source], (o) => o),
      { loc: null },
    );
    const block = this.builder.block;
    block.insts.pop();
    const position = this.descriptorValue === null ? 0 : 1;
    (entry ?? block).insts.splice(position, 0, inst);
  }
}
