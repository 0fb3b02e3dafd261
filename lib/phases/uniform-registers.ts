/**
 * ConvertToUniformReg: what all lanes of a warp compute alike moves to the uniform datapath, once per warp in place of
 * once per lane, and frees registers of the lanes.
 *
 *     S2R %R4, SR_CTAID.X                      S2UR %UR4, SR_CTAID.X
 *     LDC %R5, c[0x0][0x210]            →      ULDC %UR5, c[0x0][0x210]
 *     IMAD %R6, %R7, %R4, %R0                  IMAD %R6, %R7, %UR4, %R0
 *     ISETP.GE.AND %P0, PT, %R6, %R5, PT       ISETP.GE.AND %P0, PT, %R6, %UR5, PT
 *
 * A register moves as a whole: every definition is one that the uniform datapath has, on operands that are uniform too, at
 * a place where the lanes are together; and every reader is such a definition or has a slot for a uniform register. An
 * instruction has one such slot: of two registers that want it the one that stands first gets it, however often the other
 * is read elsewhere (measured: ptxas 13.0.88 gives the slot of `mad d, ctaid, ntid, tid` to ctaid). Loop counters move like everything else, and results of comparisons that only choose between uniform
 * registers or, on SMs where a branch takes a uniform predicate beside its own, decide a branch: `BRA.U` (measured; `@P EXIT` keeps its P).
 * Neighbouring words of a bank are loaded together first, so that they move or stay together.
 *
 * After the closing of the SSA window, so that a counter and its copies are one register; branches are settled first, since
 * what is a straight line after `@P EXIT` is no arm in which lanes are apart. SMs whose arithmetic reads constant banks
 * have the words of the banks in the same slot, and keep them there.
 */
import { analysis, type Divergence, isLanewise, isWholeMove, memoryEffect } from "../analysis/index.js";
import { type Form, tryForm } from "../isa/form.js";
import { touch } from "../ori/editor.js";
import { altered, clone, isReg, isZeroReg, RZ, upreg } from "../ori/operand.js";
import { fillSlots } from "../ori/slots.js";
import { File, type Func, type Guard, type Inst, Kind, Mod, NO_INDEX, type Operand, ZERO_REG } from "../ori/types.js";
import { encodes } from "../rules/encodable.js";
import { saying } from "./notes.js";
import { mirrored, orders } from "./operand-orders.js";
import { pairLoads } from "./pair-loads.js";
import { type PhaseParameters, phaseParameters } from "./parameters.js";
import { addUniformInAccess, withUniformAddress } from "./uniform-addresses.js";

/** Most registers that move: where lanes part each keeps its place throughout. */
const MOST = 40;

/** Uniform twins of opcodes; their forms have the same modifiers and slots. */
const twins: Readonly<Record<string, string>> = {
  IADD3: "UIADD3",
  IMAD: "UIMAD",
  LEA: "ULEA",
  LOP3: "ULOP3",
  MOV: "UMOV",
  PRMT: "UPRMT",
  S2R: "S2UR",
  SHF: "USHF",
  SEL: "USEL",
  ISETP: "UISETP",
};

/** What has no place for a literal and reads it from a uniform register, as in ptxas 13.0.88's code; others read it from the lane's. */
const fromUniform: ReadonlySet<string> = new Set(["I2F", "IDP", "DADD", "DMUL", "DFMA", "DSETP"]);

/** Special registers that are the same for a block and that S2UR reads: block index, place in the cluster. */
const blockRegisters: ReadonlySet<number> = new Set([37, 38, 39, 136]);

/** Returns how many registers moved. */
export function toUniformRegisters(func: Func, p: PhaseParameters = phaseParameters): number {
  if (!func.virtual || func.kind !== "entry" || func.target.has("constantOperands")) return 0;
  if (!p.DisableReadVectorization) pairLoads(func);
  if (p.DisableUreg) return 0;
  const moving = new Moving(func, p);
  return moving.settle() ? moving.move() : 0;
}

/** What an instruction becomes; without results of its own it keeps those it has. */
interface Twin {
  readonly form: Form;
  readonly dsts?: Operand[];
  readonly srcs: Operand[];
}

class Moving {
  private readonly func: Func;
  private readonly divergence: Divergence;
  /** 1 for registers that move. */
  private readonly moves: Uint8Array;
  /** 1 where some definition is no literal: literals are made again for lanes, cheaper than a slot. */
  private readonly varied: Uint8Array;

  constructor(
    func: Func,
    private readonly parameters: PhaseParameters,
  ) {
    this.func = func;
    this.divergence = analysis(func, "divergence");
    this.moves = new Uint8Array(func.values.count);
    this.varied = new Uint8Array(func.values.count);
    this.candidates();
  }

  /** Registers all of whose definitions have a uniform twin, where the lanes are together. */
  private candidates(): void {
    const { func, moves, divergence } = this;
    const never = new Uint8Array(func.values.count);
    for (const block of func.blocks) {
      for (let i = 0; i < block.insts.length; i++) {
        const inst = block.insts[i] as Inst;
        for (const o of inst.dsts) {
          if (!isReg(o)) continue;
          const fits =
            inst.guard === null &&
            divergence.varies[o.id] === 0 &&
            (o.file === File.R || o.file === File.P) &&
            o.part === "" &&
            func.values.fixed(o.id) < 0 &&
            this.twin(inst) !== null &&
            !divergence.apartAt(block, i);
          if (fits) moves[o.id] = 1;
          else never[o.id] = 1;
          if (inst.form.op !== "MOV" || isReg(inst.srcs[0] as Operand)) this.varied[o.id] = 1;
        }
      }
    }
    for (let v = 0; v < never.length; v++) if (never[v] === 1) moves[v] = 0;
  }

  /** The form on the uniform datapath, unless it is turned off. */
  private twin(inst: Inst): Form | null {
    const { DisableForceLDCTOLDCUConv: loads, DisableSopSr: special } = this.parameters;
    const off = (loads && inst.form.op === "LDC") || (special && inst.form.op === "S2R");
    return off ? null : twinOf(this.func, inst);
  }

  /** Takes back what cannot move until nothing more has to be; returns whether anything is left. */
  settle(): boolean {
    let insts = this.func.blocks.flatMap((b) => b.insts);
    for (let again = true; again; ) {
      again = false;
      // Registers only ever stop moving.
      insts = insts.filter((inst) => this.names(inst));
      for (const inst of insts) if (this.stay(inst)) again = true;
    }
    const left = this.moves.reduce((n, m) => n + m, 0);
    return left > 0 && left <= MOST;
  }

  private isMoving(o: Operand): boolean {
    return o.kind === Kind.Reg && o.id !== ZERO_REG && this.moves[o.id] === 1;
  }

  /** Some register of the instruction moves. */
  private names(inst: Inst): boolean {
    const { moves } = this;
    if (inst.guard !== null && inst.guard.id !== ZERO_REG && moves[inst.guard.id] === 1) return true;
    for (const o of inst.dsts) if (this.isMoving(o)) return true;
    for (const o of inst.srcs) {
      if (this.isMoving(o)) return true;
      if (o.kind === Kind.Const && o.index !== NO_INDEX && o.index !== ZERO_REG && moves[o.index] === 1) return true;
    }
    return false;
  }

  /** Takes back registers that stand in the way at one instruction; true when there were any. */
  private stay(inst: Inst): boolean {
    const results = inst.dsts.filter((o) => this.isMoving(o));
    const read = inst.srcs.filter((o) => this.isMoving(o));
    const indexes = inst.srcs.filter(
      (o) => o.kind === Kind.Const && o.index !== NO_INDEX && o.index !== ZERO_REG && this.moves[o.index] === 1,
    );
    for (const o of indexes) this.moves[o.index] = 0;
    const g = inst.guard;
    if (g !== null && g.id !== ZERO_REG && this.moves[g.id] === 1 && uniformBranch(this.func, inst) === null) {
      this.moves[g.id] = 0;
      return true;
    }
    if (results.length > 0) {
      if (this.uniform(inst) !== null) return indexes.length > 0;
      for (const o of results) this.moves[o.id] = 0;
      return true;
    }
    if (read.length === 0) return indexes.length > 0;
    const first = read.find((o) => this.withUniform(inst, o.id) !== null);
    const losers = read.filter((o) => o.id !== first?.id);
    for (const o of losers) this.moves[o.id] = 0;
    return losers.length + indexes.length > 0;
  }

  /** The uniform twin of a definition, if all it reads moves or is uniform already; null: it cannot be one. */
  private uniform(inst: Inst): (Twin & { readonly dsts: Operand[] }) | null {
    const twin = twinOf(this.func, inst);
    if (twin === null) return null;
    const uniform = (o: Operand): Operand | null => {
      if (o.kind !== Kind.Reg) return clone(o);
      const file = o.file === File.P ? File.UP : o.file === File.R ? File.UR : o.file;
      const is = isZeroReg(o) || file === o.file || (this.isMoving(o) && o.part === "");
      return is ? altered(o, { file }) : null;
    };
    const dsts = inst.dsts.map(uniform);
    const srcs = inst.srcs.slice(0, twin.srcs.length).map(uniform);
    const all = (list: (Operand | null)[]): list is Operand[] => list.every((o) => o !== null);
    if (!all(dsts) || !all(srcs)) return null;
    for (const order of orders(inst.form, srcs)) {
      if (encodes(this.func, twin, dsts, order)) return { form: twin, dsts, srcs: order };
    }
    return null;
  }

  /** The instruction with one of its registers in the uniform slot; null: it has none for it. */
  private withUniform(inst: Inst, value: number): Twin | null {
    if (inst.form.name === "R2UR") return inst.guard === null ? this.copied(inst) : null;
    if (inst.form.memory !== null) return this.address(inst, value);
    if (!isLanewise(inst) || inst.form.op === "MOV") return null;
    const places = inst.srcs.filter((o) => isReg(o) && o.id === value);
    const o = places[0] as Operand;
    const literal = this.varied[value] === 0;
    if (literal && !fromUniform.has(inst.form.op)) return null;
    if (places.length !== 1 || (o.width !== 1 && !literal) || o.part !== "" || o.file !== File.R) return null;
    const at = inst.srcs.indexOf(o);
    const srcs = inst.srcs.map((s, i) => (i === at ? altered(s, { file: File.UR }) : s));
    for (const order of orders(inst.form, srcs)) {
      if (encodes(this.func, inst.form, inst.dsts, order)) return { form: inst.form, srcs: order };
    }
    const swapped = mirrored(inst.form);
    if (swapped === null) return null;
    const order = [srcs[1] as Operand, srcs[0] as Operand, ...srcs.slice(2)];
    return encodes(this.func, swapped, inst.dsts, order) ? { form: swapped, srcs: order } : null;
  }

  /** An access of shared memory at an address that all lanes have. */
  private address(inst: Inst, value: number): Twin | null {
    const places = inst.srcs.filter((o) => isReg(o) && o.id === value);
    const o = places[0] as Operand;
    if (places.length !== 1 || o !== inst.srcs[memoryEffect(inst.form).base] || o.width !== 1) return null;
    const srcs = withUniformAddress(this.func, inst, { lane: RZ(), uniform: altered(o, { file: File.UR }) });
    return srcs === null ? null : { form: inst.form, srcs };
  }

  /** What takes a lane's register to the uniform file copies within it. */
  private copied(inst: Inst): Twin | null {
    const copy = tryForm("UMOV");
    const from = inst.srcs[0] as Operand;
    if (copy === null || !isReg(from) || from.file !== File.R || from.part !== "" || from.width !== 1) return null;
    const dsts = inst.dsts.filter((o) => o.file === File.UR);
    if (inst.dsts.some((o) => isReg(o) && !dsts.includes(o))) return null;
    const srcs = [altered(from, { file: File.UR })];
    return encodes(this.func, copy, dsts, srcs) ? { form: copy, dsts, srcs } : null;
  }

  /** A branch on a predicate that moved. */
  private branch(inst: Inst, predicate: number): void {
    const form = uniformBranch(this.func, inst) as Form;
    const condition = { ...upreg(predicate), mods: (inst.guard as Guard).not ? Mod.Not : 0 };
    const target = inst.srcs.find((o) => o.kind === Kind.Label) as Operand;
    inst.form = form;
    inst.srcs = fillSlots(form, form.srcs, { upin: condition, target });
    inst.guard = null;
  }

  move(): number {
    const { func, moves } = this;
    const to = new Map<number, number>();
    for (let v = 0; v < moves.length; v++) {
      if (moves[v] !== 1) continue;
      const file = func.values.file(v) === File.P ? File.UP : File.UR;
      to.set(v, func.values.add(file, func.values.width(v), func.values.name(v)));
    }
    const say = saying(func);
    for (const block of func.blocks) {
      for (const inst of block.insts) {
        if (!this.names(inst)) continue;
        const defines = inst.dsts.some((o) => this.isMoving(o));
        const read = inst.srcs.find((o) => this.isMoving(o));
        const g = inst.guard;
        const p = g === null || g.id === ZERO_REG ? undefined : to.get(g.id);
        if (p !== undefined) this.branch(inst, p);
        const now = defines ? this.uniform(inst) : read === undefined ? null : this.withUniform(inst, read.id);
        if (defines) say?.("on the uniform datapath", inst, "all lanes hold the same value: computed once per warp");
        else if (read !== undefined) say?.("reads a uniform register", inst, "its operand went there");
        else if (p !== undefined) say?.("branch of the whole warp", inst, "its predicate is the same in all lanes");
        if (now === null) continue;
        inst.form = now.form;
        if (now.dsts !== undefined) inst.dsts = now.dsts;
        inst.srcs = now.srcs;
      }
    }
    for (const block of func.blocks)
      for (const inst of block.insts)
        for (const list of [inst.dsts, inst.srcs])
          for (const o of list) {
            const v = o.kind === Kind.Reg && o.id !== ZERO_REG ? to.get(o.id) : undefined;
            if (v !== undefined) o.id = v;
          }
    touch(func);
    addUniformInAccess(func);
    return to.size;
  }
}

/** The form of the uniform datapath that computes the same; null: there is none. */
function twinOf(func: Func, inst: Inst): Form | null {
  const { form } = inst;
  if (form.op === "LDC") {
    const from = inst.srcs.find((o) => o.kind === Kind.Const);
    if (from === undefined || from.index !== NO_INDEX || form.mods.some((m) => m !== "64")) return null;
    return tryForm(form.name.replace("LDC", func.target.has("ldcu") ? "LDCU" : "ULDC"));
  }
  if (form.op === "S2R") return inst.srcs.some((o) => blockRegisters.has(o.id)) ? tryForm("S2UR") : null;
  if (form.op === "MOV" && (!isWholeMove(inst) || inst.said !== undefined)) return null;
  let known = twinForms[form.id];
  if (known === undefined) {
    const twin = form.name.startsWith("IMAD.") || form.name.startsWith("IADD3.") ? undefined : twins[form.op];
    known = twin === undefined ? null : tryForm(form.name.replace(form.op, twin));
    twinForms[form.id] = known;
  }
  return known;
}

/** By form; of those whose operands decide, too, what it is if they allow it. */
const twinForms: (Form | null | undefined)[] = [];

/** The form of the branch that goes by a uniform predicate; null: there is none, or it is no plain branch. */
function uniformBranch(func: Func, inst: Inst): Form | null {
  if (!func.target.has("uniformBranch") || inst.form.name !== "BRA" || !isZeroReg(inst.srcs[0] as Operand)) return null;
  return tryForm("BRA.U");
}
