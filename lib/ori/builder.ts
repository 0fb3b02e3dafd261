/**
 * Builds a function front to back: blocks in layout order, instructions appended to the current one. Edges are made
 * once, by `finish`, from the layout and the last instruction of each block.
 *
 *   const b = new Builder(newFunc("k", target("sm_90")));
 *   const x = b.r();
 *   b.emit("MOV", [x], [imm(1)]);
 *   b.emit("IADD3", { d: x, pout: p }, { a: x, b: y, c: RZ() }, { guard: guardOn(File.P, q) });
 *   b.emit("EXIT");
 *   const func = b.finish();
 */
import type { Span } from "../diagnostics.js";
import { InternalError } from "../errors.js";
import { type Form, form as lookUpForm } from "../isa/form.js";
import { connect, endsBlock } from "./flow.js";
import { newBlock, newInst } from "./func.js";
import { label as labelOf, register } from "./operand.js";
import { fillSlots, type Given } from "./slots.js";
import { type Block, File, type Func, type Guard, type Inst, type Operand } from "./types.js";

/** What an instruction has beside opcode and operands. */
export interface EmitOptions {
  /** The predicate under which it executes. Default: always. */
  readonly guard?: Guard | null;
  /** Overrides the builder's current position. */
  readonly loc?: Span | null;
  /** Where an indirect branch may go (jump tables). */
  readonly targets?: readonly Block[];
}

/** Writes instructions at the end of a function's current block. */
export class Builder {
  /** The function that is written. */
  readonly func: Func;
  /** Position given to the next instructions. */
  loc: Span | null;
  private current: Block | null;

  constructor(func: Func) {
    this.func = func;
    this.loc = null;
    this.current = func.blocks[func.blocks.length - 1] ?? null;
  }

  /** The block that receives instructions; the first use makes the entry block. */
  get block(): Block {
    return this.current ?? this.start(this.newBlock());
  }

  /** True when the current block has ended with a transfer of control: the next instruction needs a new block. */
  get ended(): boolean {
    const insts = this.current?.insts;
    const last = insts?.[insts.length - 1];
    return last !== undefined && endsBlock(last);
  }

  /** A block that is not in the layout yet: a target to branch to before its code exists. */
  newBlock(label = "", freq = 1): Block {
    return newBlock(this.func, label, freq);
  }

  /** Places the block at the end of the layout and makes it current. */
  start(block: Block): Block {
    this.func.blocks.push(block);
    this.func.generation++;
    this.current = block;
    return block;
  }

  /** Goes on at the end of a block that stands in the layout already. */
  resume(block: Block): void {
    this.current = block;
  }

  /** A fresh virtual register as an operand. */
  value(file: File, width = 1, name = "", fixed = -1): Operand {
    return register(file, this.func.values.add(file, width, name, fixed), width);
  }

  /** A new virtual register of file R, `width` registers wide. */
  r(width = 1, name = ""): Operand {
    return this.value(File.R, width, name);
  }

  /** A new virtual uniform register, `width` registers wide. */
  ur(width = 1, name = ""): Operand {
    return this.value(File.UR, width, name);
  }

  /** A new virtual predicate. */
  p(name = ""): Operand {
    return this.value(File.P, 1, name);
  }

  /** A new virtual uniform predicate. */
  up(name = ""): Operand {
    return this.value(File.UP, 1, name);
  }

  /** A new virtual convergence barrier. */
  b(name = ""): Operand {
    return this.value(File.B, 1, name);
  }

  /**
   * Appends an instruction to the current block. Operands are given by slot name or in slot order (slots.ts); slots
   * left out take their defaults. They are taken over: do not use an operand object twice, `clone` it.
   * Code after a transfer of control goes to a new block.
   */
  emit(form: string | Form, dsts: Given = [], srcs: Given = [], options: EmitOptions = {}): Inst {
    const f = typeof form === "string" ? lookUpForm(form) : form;
    if (this.ended) this.start(this.newBlock());
    const block = this.block;
    const loc = options.loc === undefined ? this.loc : options.loc;
    const inst = newInst(
      this.func,
      f,
      fillSlots(f, f.dsts, dsts),
      fillSlots(f, f.srcs, srcs),
      options.guard ?? null,
      loc,
    );
    block.insts.push(inst);
    this.func.generation++;
    if (options.targets !== undefined) {
      if (f.flow !== "indirect") throw new InternalError(`${f.name} has no indirect targets`, { func: this.func.name });
      block.succs = [...new Set(options.targets)];
    }
    return inst;
  }

  /** `BRA target`, conditional when guarded. */
  branch(target: Block, guard: Guard | null = null): Inst {
    return this.emit("BRA", [], [labelOf(target)], { guard });
  }

  /** Ends the threads for which the guard is true. */
  exit(guard: Guard | null = null): Inst {
    return this.emit("EXIT", [], [], { guard });
  }

  /** Makes the edges and returns the function. */
  finish(): Func {
    connect(this.func);
    this.func.generation++;
    return this.func;
  }
}
