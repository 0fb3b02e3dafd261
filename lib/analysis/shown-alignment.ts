/**
 * Alignment that accesses show: where 8 or 16 bytes of global memory are loaded or stored at a base register plus a multiple of as many bytes, the
 * base is a multiple of them, or the access is a fault. ptxas 13.0.88 takes this from every unguarded access of the same block and of blocks that
 * dominate it, by generic addresses, too, not from atomics, and from nothing else: not from `.align` of parameters (measured on 75 and 90).
 */
import { isReg, isZeroReg } from "../ori/operand.js";
import { type Func, type Inst, Kind, type Operand } from "../ori/types.js";
import { analysis } from "./cache.js";
import { dominates } from "./dominators.js";
import { memoryEffect } from "./memory.js";

/** An access that showed it: as long as nothing leaves the block between, the place in the block does not matter. */
interface Shown {
  readonly block: number;
  /** Transfers of control in the block before it. */
  readonly segment: number;
  readonly bytes: number;
}

const wide = /^(LD|LDG|ST|STG)$/;

/** Base and uniform register of an access by registers, as text; null: it has another address. */
export function baseOf(inst: Inst): string | null {
  const { base, uniform } = memoryEffect(inst.form);
  const key = [base, uniform].map((slot) => registerOf(inst.srcs[slot]));
  return key.includes("?") || key.every((k) => k === "") ? null : key.join();
}

/** "" for none, "?" for what is not a register as it is. */
function registerOf(o: Operand | undefined): string {
  if (o === undefined || o.kind === Kind.None || isZeroReg(o)) return "";
  return isReg(o) && o.mods === 0 ? `${o.file}:${o.id}:${o.sub}:${o.part}` : "?";
}

/** By how many bytes the bases of accesses to global memory are aligned (SSA window). Holds while no transfer of control is added to a block. */
export class ShownAlignments {
  private readonly known = new Map<string, Shown[]>();

  constructor(private readonly func: Func) {
    func.blocks.forEach((b, block) => {
      let segment = 0;
      for (const inst of b.insts) {
        const { form, guard } = inst;
        if (form.flow !== "next") segment++;
        const bytes = form.memory?.bytes ?? 0;
        if (guard !== null || (bytes !== 8 && bytes !== 16) || !wide.test(form.op)) continue;
        const offset = inst.srcs[memoryEffect(form).offset];
        const key = offset?.kind === Kind.Imm && offset.value % bytes === 0 ? baseOf(inst) : null;
        if (key === null) continue;
        const list = this.known.get(key);
        if (list === undefined) this.known.set(key, [{ block, segment, bytes }]);
        else list.push({ block, segment, bytes });
      }
    });
  }

  /** Nothing is known of any base. */
  get none(): boolean {
    return this.known.size === 0;
  }

  /** Of a base (as `baseOf` names it) that has one definition, where it is read in a block; 1: not known. */
  of(base: string, block: number, at: Inst): number {
    let most = 1;
    for (const s of this.known.get(base) ?? []) {
      if (s.bytes <= most) continue;
      if (s.block === block ? s.segment <= this.segmentOf(block, at) : this.above(s.block, block)) most = s.bytes;
    }
    return most;
  }

  private above(a: number, b: number): boolean {
    return dominates(analysis(this.func, "dominators"), a, b);
  }

  private segmentOf(block: number, at: Inst): number {
    let segment = 0;
    for (const inst of this.func.blocks[block]?.insts ?? []) {
      if (inst.form.flow !== "next") segment++;
      if (inst === at) break;
    }
    return segment;
  }
}
