/** Addresses of memory accesses as sums (affine.ts). */
import { type Func, type Inst, Kind, type Operand, ZERO_REG } from "../ori/types.js";
import { Affine } from "./affine.js";
import type { Address } from "./alias.js";
import { memoryEffect } from "./memory.js";
import type { Names } from "./names.js";
import type { Sum } from "./sums.js";
import { unitOf } from "./units.js";

/** Which memory accesses of a function may touch the same bytes. */
export class Addresses {
  /** The sums that its addresses are. */
  readonly affine: Affine;
  private readonly known: (Address | undefined)[];

  constructor(func: Func, names: Names) {
    this.affine = new Affine(func, names);
    this.known = new Array(names.flat.insts.length);
  }

  /** The address of access `index` of the flattened function. */
  at(index: number): Address {
    let a = this.known[index];
    if (a === undefined) {
      a = this.make(index);
      this.known[index] = a;
    }
    return a;
  }

  private make(index: number): Address {
    const { affine } = this;
    const { flat } = affine.names;
    const inst = flat.insts[index] as Inst;
    const e = memoryEffect(inst.form);
    const { atoms } = affine;
    const off = inst.srcs[e.offset];
    if (off === undefined || off.kind !== Kind.Imm) return { sum: null, bytes: e.bytes, base: -1, atoms };
    const base = inst.srcs[e.base];
    const unit = base !== undefined && base.kind === Kind.Reg && base.id !== ZERO_REG ? unitOf(flat.units, base) : -1;
    let sum: Sum | null = affine.number(off.value);
    for (const slot of [e.base, e.uniform]) {
      const o = inst.srcs[slot];
      if (o === undefined || o.kind === Kind.None || (o.kind === Kind.Reg && o.id === ZERO_REG)) continue;
      const more: Sum | null = o.kind === Kind.Reg ? affine.read(index, slot) : null;
      sum = sum === null || more === null ? null : affine.add(sum, more, scaleOf(o));
    }
    return { sum, bytes: e.bytes, base: unit, atoms };
  }
}

/** `[R2.X4+0x10]`: what the base is multiplied with. */
function scaleOf(o: Operand): number {
  const scale = /X(4|8|16)/.exec(o.part);
  return scale === null ? 1 : Number(scale[1]);
}
