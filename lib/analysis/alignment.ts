/**
 * Alignment: the greatest power of two that certainly divides what a register of the SSA window holds, up to MOST_ALIGNED. Low zero bits are
 * followed through sums, products, shifts, logic, selections; where loops bring a value back to itself, it is at least as aligned as
 * all that enters the loop.
 *
 * The stack pointer of a kernel is a multiple of 16 less the frame, a multiple of 8.
 */
import { type Func, type Inst, Kind, Mod, type Operand, ZERO_REG } from "../ori/types.js";
import type { Affine, Atom } from "./affine.js";
import type { Definitions } from "./definitions.js";
import { lowest, type Sum } from "./sums.js";
import { unitOf } from "./units.js";

/** Bytes of the widest access. */
export const MOST_ALIGNED = 16;
const MAX_DEPTH = 64;
/** R1. */
const STACK_POINTER = 1;

const atMost = (n: number): number => (n === 0 ? MOST_ALIGNED : Math.min(n, MOST_ALIGNED));
const ofNumber = (n: number): number => atMost(lowest(n | 0));

/** By how many bytes registers are known to be aligned (powers of two up to `MOST_ALIGNED`), found on demand. */
export class Alignments {
  private readonly known = new Map<number, number>();
  /** Units in flight: what a loop brings back. */
  private readonly open = new Set<number>();
  private leant = false;

  constructor(
    private readonly func: Func,
    private readonly defs: Definitions,
    private readonly affine: Affine,
  ) {}

  /** What divides all terms of a sum, its constant left out. */
  ofTerms(sum: Sum): number {
    let least = MOST_ALIGNED;
    for (let k = 0; k < sum.terms.length; k += 2) {
      const atom = this.affine.atoms[sum.terms[k] as number] as Atom;
      least = Math.min(least, atMost(this.ofAtom(atom) * lowest(sum.terms[k + 1] as number)));
    }
    return least;
  }

  private ofAtom(atom: Atom): number {
    if (atom.what === "symbol") return this.ofSymbol(atom.symbol);
    if (atom.what === "constant") return this.ofConstant(atom.id, atom.offset);
    const shown = ofNumber(atom.may);
    if (atom.what !== "name" || atom.offset !== 0) return shown;
    const { entry, first, flat } = this.affine.names;
    const d = entry[atom.id];
    if (d === undefined) return shown;
    return Math.max(shown, this.ofUnit((flat.defUnit[d] as number) + atom.id - (first[d] as number)));
  }

  private ofSymbol(name: string): number {
    return atMost(this.func.alignments?.get(name) ?? 1);
  }

  private ofConstant(bank: number, offset: number): number {
    if (bank !== 0 || offset !== this.func.target.constants.stackPointer || this.func.kind !== "entry") return 1;
    return this.func.frame.localBytes % MOST_ALIGNED === 0 ? MOST_ALIGNED : 8;
  }

  private ofUnit(unit: number): number {
    const known = this.known.get(unit);
    if (known !== undefined) return known;
    if (this.open.has(unit)) {
      this.leant = true;
      return MOST_ALIGNED;
    }
    const at = this.defs.def[unit] as number;
    if (this.isStackPointer(unit)) return this.ofConstant(0, this.func.target.constants.stackPointer);
    if (at < 0 || this.open.size > MAX_DEPTH) return 1;
    const inst = this.defs.flat.insts[at] as Inst;
    const d = inst.dsts.find((o) => o.kind === Kind.Reg && o.id !== ZERO_REG && unitOf(this.defs.units, o) === unit);
    if (d === undefined || d.part !== "") return 1;
    if (this.open.size === 0) this.leant = false;
    this.open.add(unit);
    const found = this.ofResult(inst);
    this.open.delete(unit);
    // What leans on a value in flight is only true together with it.
    if (!this.leant || this.open.size === 0) this.known.set(unit, found);
    return found;
  }

  private isStackPointer(unit: number): boolean {
    return this.func.values.fixed(this.defs.units.owner[unit] as number) === STACK_POINTER;
  }

  private of(o: Operand | undefined): number {
    if (o === undefined || (o.mods & (Mod.Abs | Mod.Not)) !== 0) return 1;
    switch (o.kind) {
      case Kind.None:
        return MOST_ALIGNED;
      case Kind.Imm:
        return ofNumber(o.value);
      case Kind.Const:
        return o.index >= 0 ? 1 : this.ofConstant(o.id, o.value);
      case Kind.Sym:
        return o.part === "32@lo" ? Math.min(this.ofSymbol(o.sym), ofNumber(o.value)) : 1;
      case Kind.Reg:
        return o.id === ZERO_REG ? MOST_ALIGNED : o.part === "" ? this.ofUnit(unitOf(this.defs.units, o)) : 1;
      default:
        return 1;
    }
  }

  private ofResult(inst: Inst): number {
    const { op, mods } = inst.form;
    const named = (name: string): Operand | undefined => inst.srcs[inst.form.srcs.findIndex((s) => s.name === name)];
    const shift = (o: Operand | undefined): number => (o?.kind === Kind.Imm && o.value >>> 0 < 32 ? 2 ** o.value : 1);
    const least = (...all: number[]): number => Math.min(MOST_ALIGNED, ...all);
    if (inst.form.pseudo) return mods.includes("PHI") ? least(...inst.srcs.map((o) => this.of(o))) : 1;
    switch (op) {
      case "MOV":
      case "UMOV":
        return inst.srcs.length < 2 || inst.srcs[1]?.value === 15 ? this.of(inst.srcs[0]) : 1;
      case "LDC":
      case "ULDC":
      case "LDCU":
        return this.of(inst.srcs[0]);
      case "IADD3":
      case "UIADD3":
        return mods.length === 0 ? least(...["a", "b", "c"].map((n) => this.of(named(n)))) : 1;
      case "IMAD":
      case "UIMAD": {
        if (!mods.every((m) => m === "U32" || m === "WIDE")) return 1;
        return least(this.of(named("a")) * this.of(named("b")), this.of(named("c")));
      }
      case "LEA":
      case "ULEA":
        return mods.length === 0 ? least(this.of(named("a")) * shift(named("n")), this.of(named("b"))) : 1;
      case "SHF":
      case "USHF":
        return mods.includes("L") && !mods.includes("HI") ? least(this.of(named("a")) * shift(named("b"))) : 1;
      case "SEL":
      case "USEL":
        return least(this.of(named("a")), this.of(named("b")));
      case "LOP3":
      case "ULOP3":
        return this.ofLogic(inst);
      default:
        return 1;
    }
  }

  /** The lowest bit that may be one. */
  private ofLogic(inst: Inst): number {
    const place = (name: string): number => inst.form.srcs.findIndex((s) => s.name === name);
    const lut = inst.srcs[place("lut")];
    if (lut?.kind !== Kind.Imm) return 1;
    const inputs = ["a", "b", "c"].map((n) => inst.srcs[place(n)]);
    const aligned = inputs.map((o) => this.of(o));
    for (let bit = 1; bit < MOST_ALIGNED; bit *= 2) {
      for (let row = 0; row < 8; row++) {
        const possible = inputs.every((o, k) => {
          const one = ((row >> (2 - k)) & 1) === 1;
          if (o?.kind === Kind.Imm && o.mods === 0) return ((o.value & bit) !== 0) === one;
          return !one || (aligned[k] as number) <= bit;
        });
        if (possible && ((lut.value >> row) & 1) === 1) return bit;
      }
    }
    return MOST_ALIGNED;
  }
}
