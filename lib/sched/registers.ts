/** Register banks and the operand cache, as far as the order of instructions matters to them. */
import { File, Kind, type MachineInst, ZERO_REG } from "../ori/types.js";

/**
 * From Volta on R registers lie in two banks by parity, each with 64-bit ports: three sources of one bank take an extra
 * cycle (wiki page 33 has groups of four instead). An instruction with three different sources in one bank has one conflict.
 */
export const registerBank = {
  bankOf(register: number): number {
    return register & 1;
  },

  conflicts(inst: MachineInst): number {
    let even = 0;
    let odd = 0;
    for (let s = 0; s < inst.srcs.length; s++) {
      const o = inst.srcs[s];
      if (o === undefined || o.kind !== Kind.Reg || o.file !== File.R || o.id === ZERO_REG) continue;
      if (seenBefore(inst, s, o.id)) continue;
      if (registerBank.bankOf(o.id) === 0) even++;
      else odd++;
    }
    return Math.max(0, even - 2) + Math.max(0, odd - 2);
  },

  /** Source slots in which two instructions read the same register. */
  shared(first: MachineInst, second: MachineInst): number {
    let n = 0;
    for (let s = 0; s < second.srcs.length; s++) {
      const a = first.srcs[s];
      const b = second.srcs[s];
      if (a === undefined || b === undefined || a.kind !== Kind.Reg || b.kind !== Kind.Reg) continue;
      if (a.file === File.R && b.file === File.R && a.id === b.id && a.id !== ZERO_REG) n++;
    }
    return n;
  },
} as const;

function seenBefore(inst: MachineInst, slot: number, id: number): boolean {
  for (let s = 0; s < slot; s++) {
    const o = inst.srcs[s];
    if (o?.kind === Kind.Reg && o.file === File.R && o.id === id) return true;
  }
  return false;
}
