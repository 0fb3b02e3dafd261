/** Operands that the asynchronous instructions have in common. */
import { hi, imm, lo, part, RZ } from "../../ori/operand.js";
import { Kind, type Operand } from "../../ori/types.js";
import type { AddressOperand, Operand as PtxOperand } from "../../ptx/ast.js";
import { memoryAddress } from "../address.js";
import type { Context } from "../context.js";
import { at } from "../family.js";
import { Refusal } from "../refusal.js";

/** The list of operands, taken from the front; a cache policy stands last. */
export class Operands {
  private readonly list: readonly PtxOperand[];
  private next = 0;

  constructor(list: readonly PtxOperand[]) {
    this.list = list;
  }

  take(): PtxOperand {
    return at(this.list, this.next++);
  }

  end(): void {
    if (this.next !== this.list.length) throw new Refusal();
  }
}

/** `[base+offset]` without coordinates or barrier after it. */
export function addressIn(o: PtxOperand): AddressOperand {
  if (o.kind !== "address" || o.rest.length > 0) throw new Refusal();
  return o;
}

/** A 32-bit address in shared memory of the cluster, as one value. */
export function sharedAddress(c: Context, o: PtxOperand): Operand {
  const where = memoryAddress(c, addressIn(o), "shared");
  return where.offset === 0 ? where.base : c.op("IADD3", [where.base, imm(where.offset), RZ()]);
}

/** The low half of a generic address, which is the one in shared memory of the cluster. */
export function genericShared(c: Context, o: PtxOperand): Operand {
  const { base, offset } = memoryAddress(c, addressIn(o), "generic");
  const low = part(base, 0, 1);
  return offset === 0 || base.kind !== Kind.Reg ? low : c.op("IADD3", [low, imm(offset), imm(0)]);
}

/** A 64-bit address, as one value. */
export function wideAddress(c: Context, a: AddressOperand, space: "global" | "generic"): Operand {
  const where = memoryAddress(c, a, space);
  if (where.offset === 0) return where.base;
  const sum = c.temp(2);
  const carry = c.predicate();
  c.emit("IADD3", [lo(sum), carry], [lo(where.base), imm(where.offset), RZ()]);
  c.emit("IADD3.X", [hi(sum)], [hi(where.base), imm(Math.floor(where.offset / 2 ** 32)), RZ(), carry]);
  return sum;
}
