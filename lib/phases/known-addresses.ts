/**
 * Addresses of variables whose places are known are constants, before the first phase (levels 1 and above), as in ptxas's code for
 * executables. With clusters the window of shared memory is known to the linker only; there they stay symbols.
 */
import { clone, imm } from "../ori/operand.js";
import { type Func, Kind } from "../ori/types.js";

/** `addresses`: bytes in the variable's own space, by symbol. Returns how many reads became numbers. */
export function settleAddresses(func: Func, addresses: ReadonlyMap<string, number>): number {
  let count = 0;
  for (const { insts } of addresses.size === 0 ? [] : func.blocks)
    for (const inst of insts) {
      if (inst.form.name !== "MOV") continue;
      const from = inst.srcs[0];
      const address = from?.kind === Kind.Sym && from.part === "32@lo" ? addresses.get(from.sym) : undefined;
      if (from === undefined || address === undefined) continue;
      inst.srcs = [imm(address + from.value), ...inst.srcs.slice(1).map(clone)];
      count++;
    }
  if (count > 0) func.generation++;
  return count;
}
