/**
 * The state of lowering one function: where instructions go, what names mean, and the two ways between PTX operands
 * and machine operands. Instruction families see nothing else.
 *
 * Values: a PTX register is one virtual value: R of width 1 for 8, 16 and 32 bits, width 2 for 64, width 4 for 128, P for
 * predicates. The upper half of a register that holds 16 bits means nothing: whoever needs it extends it.
 *
 * Order: read the sources first, then ask for the destination. A destination that was also read is replaced by a fresh value
 * and copied at the end of the instruction, so multi-step expansions never overwrite what they still need; `inPlace`
 * asks for the register itself, for expansions that read everything before or with their only write.
 */
import type { Diagnostic, Span } from "../diagnostics.js";
import { InternalError } from "../errors.js";
import { type Form, tryForm } from "../isa/form.js";
import type { Builder } from "../ori/builder.js";
import { newInst } from "../ori/func.js";
import { clone, hi, imm, label, lo, not, PT, part, RZ } from "../ori/operand.js";
import {
  type Block,
  File,
  type Guard,
  type Inst,
  Kind,
  type Operand,
  type ReferenceWord,
  ZERO_REG,
} from "../ori/types.js";
import type {
  Block as Body,
  Declaration,
  FunctionItem,
  Operand as PtxOperand,
  Variable as PtxVariable,
  VectorOperand,
} from "../ptx/ast.js";
import type { Signature } from "./call.js";
import { EntryValues, names } from "./entry-values.js";
import type { MeetingPlace } from "./gather.js";
import { floatLiteral, integerLiteral } from "./literals.js";
import { place, type ToRegister } from "./place.js";
import { Refusal } from "./refusal.js";
import type { Entity, Scope, Variable } from "./scope.js";
import { specialRegister } from "./special.js";
import { type PtxType, registersOf } from "./types.js";

/** What the function needs of the module around it. */
export interface ModuleContext {
  /** All functions, those without a body too. */
  readonly declared: ReadonlyMap<string, FunctionItem>;
  /** ERRBAR stands after fences of the device and of the system. */
  readonly errorBarriers: boolean;
  /** Products and sums without rounding modifier may become one instruction. */
  readonly contracts: boolean;
  /** Infos about products of warp groups are wanted. */
  readonly remarks: boolean;
  /** Functions that are inlined where they are called. */
  readonly inlined: ReadonlySet<string>;
  /** How functions find each other: see call.ts. */
  readonly convention: "merged" | "table" | "relocatable";
  /** Bytes that calls may need for arguments on the stack: the most of any function or prototype of the module. */
  readonly stackArguments: number;
  /** Notes that the code calls a function by the ABI. */
  need(name: string): void;
  /** Notes that the code takes the address of a function. */
  take(name: string): void;
  /** Notes that the code calls through an address. */
  indirect(s: Signature): void;
  /** Functions with a body, by name: the callees. */
  readonly functions: ReadonlyMap<string, FunctionItem>;
  /** Other names of functions. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Notes that this function mentions a module symbol. */
  use(symbol: string): void;
  /** Bytes of the constants that the module declares; null where others are linked to it. */
  constantBytes(): number | null;
  /** Adds a variable declared inside the function. */
  declare(d: Declaration, v: PtxVariable): Variable;
  /** Textures and samplers have names of their own (`texmode_independent`). */
  readonly independent: boolean;
  /** The words of a kernel for the textures, samplers and surfaces that it names. */
  references(kernel: FunctionItem): readonly ReferenceWord[];
  /** The module's names. */
  readonly outer: Scope;
}

const noConstant: ToRegister = (o) => {
  throw new InternalError("a destination is no constant", { detail: String(o.value) });
};

export class Context extends EntryValues {
  readonly module: ModuleContext;
  readonly diagnostics: Diagnostic[];
  scope: Scope;
  /** Where `ret` goes in an inlined body; null in the kernel itself. */
  returnTo: { readonly block: Block; used: boolean } | null;
  /** Lowers `{ … }`; given by function.ts, since instructions that inline a body need it. */
  readonly lowerBody: (c: Context, body: Body) => void;
  /** Position of everything inside an inlined routine; null outside. */
  position: Span | null;
  /** The body of the kernel; null in a `.func` of its own. */
  kernelBody: Body | null;
  /** Functions whose bodies are being inlined, outermost first. */
  readonly inside: FunctionItem[];
  /** Loads of what other threads may write meanwhile, where the form does not say so, and loops that try a swap again. */
  readonly watching: { readonly insts: Set<Inst>; readonly retries: Set<Block> };
  /** Instructions that wait for the lanes of a mask. */
  readonly meetings: MeetingPlace[];
  /** Code for rare cases, emitted after everything else. */
  private readonly rare: (() => void)[];
  /** Calls inlined so far. */
  inlinedCalls: number;
  /** Bytes at the bottom of the frame for arguments on the stack. */
  readonly outgoing: number;
  /** Guard of a transfer of control being lowered. */
  guard: Guard | null;
  /** Greatest alignment of a variable on the stack: the frame's size is a multiple of it. */
  frameAlign: number;
  /** Carry of add.cc … as a predicate value; null until the first use. */
  carry: Operand | null;
  private reads: Set<number>;
  private copies: { to: Operand; from: Operand }[];
  /** Where the instruction being lowered begins. */
  private origin: { readonly values: number; readonly block: Block; readonly insts: number };

  constructor(builder: Builder, scope: Scope, module: ModuleContext, lowerBody: (c: Context, body: Body) => void) {
    super(builder);
    this.lowerBody = lowerBody;
    this.position = null;
    this.module = module;
    this.scope = scope;
    this.diagnostics = [];
    this.returnTo = null;
    this.inside = [];
    this.kernelBody = null;
    this.watching = { insts: new Set(), retries: new Set() };
    this.meetings = [];
    this.rare = [];
    this.inlinedCalls = 0;
    this.outgoing = module.stackArguments;
    this.guard = null;
    this.carry = null;
    this.frameAlign = 8;
    this.reads = new Set();
    this.copies = [];
    this.origin = { values: 0, block: builder.block, insts: 0 };
  }

  // ------------------------------------------------------------------------------------------------ emission

  /** Appends a machine instruction; operands in slot order, `skip()` passes over an optional slot. Operands may be shared. */
  emit(name: string | Form, dsts: readonly Operand[], srcs: readonly Operand[], guard: Guard | null = null): Inst {
    const form = typeof name === "string" ? tryForm(name) : name;
    if (form === null) throw new Refusal();
    const d = place(form, form.dsts, dsts, noConstant);
    const s = place(form, form.srcs, srcs, (o, width) => this.materialize(o, width));
    const { builder } = this;
    if (builder.ended) builder.start(builder.newBlock());
    const inst = newInst(this.func, form, d, s, guard, builder.loc);
    builder.block.insts.push(inst);
    this.func.generation++;
    return inst;
  }

  /** As `emit` with one fresh general register of `width` as the only definition, which is returned. */
  op(name: string, srcs: readonly Operand[], width = 1): Operand {
    const d = this.temp(width);
    this.emit(name, [d], srcs);
    return d;
  }

  temp(width = 1): Operand {
    return this.builder.r(width);
  }

  predicate(): Operand {
    return this.builder.p();
  }

  /** The operand in `width` general registers: itself, or a fresh value set to the constant. */
  materialize(o: Operand, width = 1): Operand {
    if (o.kind === Kind.Reg && o.file === File.R) return o;
    if (o.kind === Kind.Imm && o.value === 0 && o.high === 0) return RZ(width);
    const d = this.temp(width);
    this.move(d, o);
    return d;
  }

  /** d = o, register by register; also between predicates. `said`: of copies of registers that nobody reads past. */
  move(d: Operand, o: Operand, said?: "kept" | "apart"): void {
    if (d.file === File.P) {
      this.emit("PLOP3.LUT", [d, PT()], [o, PT(), PT(), imm(0x80), imm(0x0)]);
      return;
    }
    for (let i = 0; i < d.width; i++) {
      const from = this.word(o, i);
      const to = part(d, i);
      if (from.kind === Kind.Const) this.emit("LDC", [to], [from]);
      else this.emit("MOV", [to], [from]);
      if (said !== undefined) (this.builder.block.insts.at(-1) as Inst).said = said;
    }
  }

  /** A fresh copy of a register that nobody reads past (`saids`). */
  copied(o: Operand, said: "kept" | "apart"): Operand {
    const d = this.temp(o.width);
    this.move(d, o, said);
    return d;
  }

  /**
   * d = o, where o is not needed any more: if o is a fresh value that nothing reads yet, what makes it writes d instead, provided
   * that d is not needed in between.
   */
  settle(d: Operand, o: Operand): void {
    if (!this.retarget(d, o)) this.move(d, o);
  }

  private retarget(d: Operand, o: Operand): boolean {
    const { values } = this.func;
    const start = this.origin;
    if (o.kind !== Kind.Reg || o.file !== d.file || o.width !== d.width || o.id < start.values) return false;
    if (this.builder.block !== start.block || o.sub !== 0 || o.width !== values.width(o.id) || o.mods !== 0)
      return false;
    if (values.name(o.id) !== "") return false;
    const definitions: Operand[] = [];
    for (let k = start.insts; k < start.block.insts.length; k++) {
      const inst = start.block.insts[k] as Inst;
      for (const s of inst.srcs) {
        if (names(s, o)) return false;
        if (definitions.length > 0 && names(s, d)) return false;
      }
      for (const t of inst.dsts) {
        if (names(t, d)) return false;
        if (names(t, o)) definitions.push(t);
      }
    }
    for (const t of definitions) {
      t.id = d.id;
      t.sub += d.sub;
    }
    return definitions.length > 0;
  }

  /** 32-bit word i of a register value or constant; zero beyond its end. */
  word(o: Operand, i: number): Operand {
    if (o.kind === Kind.Imm) return imm(i === 0 ? o.value : i === 1 ? o.high : 0);
    if (o.kind === Kind.Reg) return o.id === ZERO_REG || i >= o.width ? RZ() : part(o, i);
    if (i > 0) throw new InternalError("only registers and immediates have several words");
    return o;
  }

  /** Both words of a 64-bit operand. */
  words(o: Operand): [Operand, Operand] {
    return [this.word(o, 0), this.word(o, 1)];
  }

  /** A register pair from two words. */
  pair(low: Operand, high: Operand, said?: "kept"): Operand {
    const d = this.temp(2);
    this.move(lo(d), low, said);
    this.move(hi(d), high, said);
    return d;
  }

  newBlock(name = ""): Block {
    return this.builder.newBlock(name);
  }

  start(block: Block): void {
    this.builder.start(block);
  }

  branch(to: Block, guard: Guard | null = null): void {
    this.emit("BRA", [], [label(to)], guard);
  }

  /** A guard that holds when predicate operand `p` (which may be inverted) is true. */
  when(p: Operand, inverted = false): Guard {
    return { file: p.file, id: p.id, not: ((p.mods & 4) !== 0) !== inverted };
  }

  /** Has `body` emit its blocks at the end of the function, at the position of the instruction being lowered. */
  later(body: () => void): void {
    const { loc } = this.builder;
    this.rare.push(() => {
      this.builder.loc = loc;
      body();
    });
  }

  /** Emits what was put off. The function must have ended. */
  emitRare(): void {
    for (const body of this.rare) body();
  }

  // ------------------------------------------------------------------------------------------------ reading

  find(name: string): Entity | null {
    return this.scope.find(name);
  }

  /** The value of a source operand read as `type`: registers, an immediate (`high` set for 64 bits), or a predicate. */
  read(o: PtxOperand, type: PtxType): Operand {
    switch (o.kind) {
      case "int":
        return integerLiteral(o.lo, o.hi, type);
      case "float":
        return floatLiteral(o, type);
      case "not": {
        if (type.cls !== "p") throw new Refusal();
        return not(this.read(o.operand, type));
      }
      case "name":
        return this.readName(o, type);
      case "vector":
        return this.read(firstOf(o, type), type);
      default:
        throw new Refusal();
    }
  }

  private readName(o: Extract<PtxOperand, { kind: "name" }>, type: PtxType): Operand {
    if (o.offset !== 0 || o.index !== null) throw new Refusal();
    const entity = this.scope.find(o.name);
    if (entity === null) {
      const value = specialRegister(this, o.name, o.component, type);
      if (value === null) throw new Refusal();
      return value;
    }
    if (entity.kind !== "register") throw new Refusal();
    return this.fit(this.lane(entity, o.component), type);
  }

  /** A vector register named as a whole, as its elements; other operands as they are. */
  wholeVector(o: PtxOperand): PtxOperand {
    if (o.kind !== "name" || o.component !== null || o.offset !== 0 || o.index !== null) return o;
    const entity = this.scope.find(o.name);
    if (entity === null || entity.kind !== "register" || entity.lanes.length === 0) return o;
    const elements = entity.lanes.map((_, k) => ({ ...o, component: "xyzw"[k] as string }));
    return { kind: "vector", elements };
  }

  private lane(entity: Extract<Entity, { kind: "register" }>, component: string | null): Operand {
    if (component === null) {
      if (entity.lanes.length > 0) throw new Refusal();
      return entity.operand;
    }
    const index = Math.max("xyzw".indexOf(component), "rgba".indexOf(component));
    const lane = index < 0 || component.length !== 1 ? undefined : entity.lanes[index];
    if (lane === undefined) throw new Refusal();
    return lane;
  }

  /** The low part of a register that is wide enough for `type`. */
  private fit(o: Operand, type: PtxType): Operand {
    this.reads.add(o.id);
    if ((o.file === File.P) !== (type.cls === "p")) throw new Refusal();
    if (o.file === File.P) return clone(o);
    const width = registersOf(type);
    if (o.width < width) throw new Refusal();
    return part(o, 0, width);
  }

  /** A source that must be a register of its declared width (`mov`, `st`): the whole of it. */
  registerOf(o: PtxOperand): Extract<Entity, { kind: "register" }> | null {
    if (o.kind !== "name") return null;
    const entity = this.scope.find(o.name);
    return entity !== null && entity.kind === "register" ? entity : null;
  }

  /** The variable a name stands for, null for anything else. */
  variableOf(name: string): Variable | null {
    const entity = this.scope.find(name);
    return entity !== null && entity.kind === "variable" ? entity : null;
  }

  // ------------------------------------------------------------------------------------------------ writing

  /** The register a destination names, or a fresh one for `_`. Only for expansions that write it last. */
  inPlace(o: PtxOperand, type: PtxType): Operand {
    if (o.kind === "vector") return this.spread(o, type, this.inPlace(firstOf(o, type), type));
    if (o.kind === "sink") return type.cls === "p" ? this.predicate() : this.temp(registersOf(type));
    if (o.kind !== "name" || o.offset !== 0 || o.index !== null) throw new Refusal();
    const entity = this.scope.find(o.name);
    if (entity === null || entity.kind !== "register") throw new Refusal();
    const d = this.lane(entity, o.component);
    if ((d.file === File.P) !== (type.cls === "p")) throw new Refusal();
    if (d.file === File.R && d.width !== registersOf(type)) throw new Refusal();
    return clone(d);
  }

  /** As `inPlace`; a register that was also read is replaced by a fresh value, copied when the instruction is done. */
  out(o: PtxOperand, type: PtxType): Operand {
    if (o.kind === "vector") return this.spread(o, type, this.out(firstOf(o, type), type));
    const d = this.inPlace(o, type);
    if (!this.reads.has(d.id)) return d;
    const from = d.file === File.P ? this.predicate() : this.temp(d.width);
    this.copies.push({ to: d, from });
    return from;
  }

  /** What is written to the first element of a vector where one value belongs is written to all, as in ptxas's code. */
  private spread(o: VectorOperand, type: PtxType, first: Operand): Operand {
    for (const e of o.elements.slice(1)) this.copies.push({ to: this.inPlace(e, type), from: first });
    return first;
  }

  /** Declared type of the register a destination names; null for `_`. */
  typeOf(o: PtxOperand): PtxType | null {
    const entity = this.registerOf(o);
    return entity === null ? null : entity.type;
  }

  /** Runs one instruction's lowering; instructions of inlined bodies nest inside it. */
  instruction(body: () => void): void {
    const { reads, copies, origin } = this;
    this.reads = new Set();
    this.copies = [];
    this.origin = { values: this.func.values.count, block: this.builder.block, insts: this.builder.block.insts.length };
    try {
      body();
      for (const c of this.copies) this.settle(c.to, c.from);
    } finally {
      this.reads = reads;
      this.copies = copies;
      this.origin = origin;
    }
  }
}

/** The element that ptxas takes of a vector where a bf16 value belongs (lib/ptx/check-operands.ts); elsewhere no vector stands for a value. */
function firstOf(o: VectorOperand, type: PtxType): PtxOperand {
  const [first] = o.elements;
  if (type.cls !== "bf" || first === undefined) throw new Refusal();
  return first;
}
