/** Addresses: of variables, and of memory operands split into a register base and an immediate offset. */
import { hi, imm, lo, part, RZ, sreg, sym } from "../ori/operand.js";
import type { Operand } from "../ori/types.js";
import type { AddressOperand } from "../ptx/ast.js";
import { CGA_CTA_ID } from "./async/cluster-registers.js";
import type { Context } from "./context.js";
import { Refusal } from "./refusal.js";
import type { Space, Variable } from "./scope.js";
import { SHARED_WINDOW_HIGH } from "./special.js";
import { U32, U64 } from "./types.js";

/** Offsets of memory instructions are 24-bit signed numbers. */
const OFFSET_MIN = -(1 << 23);
const OFFSET_MAX = (1 << 23) - 1;

export interface Address {
  /** A register of the width that the space's instructions take, or RZ. */
  readonly base: Operand;
  /** Signed bytes. */
  readonly offset: number;
  /** Where the base is known to point. */
  readonly variable: Variable | null;
}

/** Registers of an address in this space: 64-bit for global, generic; 32-bit for the windows. */
export function addressWidth(space: Space | "generic"): 1 | 2 {
  return space === "global" || space === "generic" ? 2 : 1;
}

/**
 * The address of a variable in its own space, `plus` bytes in: global 64-bit, the others 32-bit. Shared addresses carry the
 * rank of the CTA in its cluster in bits 31:24 where there are clusters.
 */
export function addressOf(c: Context, v: Variable, plus: number): Operand {
  switch (v.space) {
    case "global": {
      const d = c.temp(2);
      c.module.use(v.symbol as string);
      c.emit("MOV", [lo(d)], [sym(v.symbol as string, plus, "32@lo")]);
      c.emit("MOV", [hi(d)], [sym(v.symbol as string, plus, "32@hi")]);
      return d;
    }
    case "shared": {
      c.module.use(v.symbol as string);
      const offset = c.op("MOV", [sym(v.symbol as string, plus, "32@lo")]);
      if (!c.target.has("clusters")) return offset;
      return c.op("LEA", [c.op("S2R", [sreg(CGA_CTA_ID)]), offset, imm(24)]);
    }
    case "const":
      if (v.bank !== 0) throw new Refusal();
      c.module.use(v.symbol as string);
      return c.op("MOV", [sym(v.symbol as string, plus, "32@lo")]);
    case "local":
      return c.op("IADD3", [c.stack, imm(v.offset + plus), RZ()]);
    case "param":
      return c.op("MOV", [imm(v.offset + plus)]);
  }
}

/** Name of the generic address that stands for one in the cluster's window; no PTX name begins so. */
export const CLUSTER_ADDRESS = "(shared::cluster)";

/** Splits `[base+offset]`. In generic space a variable's name means its generic address, which is refused. */
export function memoryAddress(c: Context, a: AddressOperand, space: Space | "generic"): Address {
  const width = addressWidth(space);
  if (a.base === null) return absolute(c, a.offset, width);
  const variable = c.variableOf(a.base);
  if (variable !== null) return inVariable(c, variable, a.offset, space);
  const register = c.scope.find(a.base);
  if (register === null || register.kind !== "register" || register.lanes.length > 0) throw new Refusal();
  const name = { kind: "name", name: a.base, component: null, offset: 0, index: null } as const;
  const wide = register.type.bits === 64;
  if (!wide && register.type.bits !== 32) throw new Refusal();
  const value = c.read(name, wide ? U64 : U32);
  const base = width === 1 ? part(value, 0) : wide ? value : c.pair(value, RZ());
  return withOffset(c, base, a.offset, null);
}

/** `[base+offset]` in the shared window of a cluster, as a generic address: SR_SWINHI over the 32-bit address. */
export function clusterAddress(c: Context, a: AddressOperand): Address {
  const where = memoryAddress(c, a, "shared");
  const window = c.op("S2R", [sreg(SHARED_WINDOW_HIGH)]);
  return { base: c.pair(where.base, window), offset: where.offset, variable: null };
}

/** The same place with everything in the base. */
export function moved(c: Context, where: Address): Address {
  if (where.base.width === 1)
    return { ...where, base: c.op("IADD3", [where.base, imm(where.offset), RZ()]), offset: 0 };
  return { ...where, base: sum64(c, where.base, where.offset), offset: 0 };
}

function absolute(c: Context, offset: number, width: 1 | 2): Address {
  const base = width === 1 ? c.op("MOV", [imm(offset)]) : c.pair(imm(offset), imm(Math.floor(offset / 2 ** 32)));
  return { base, offset: 0, variable: null };
}

function inVariable(c: Context, v: Variable, offset: number, space: Space | "generic"): Address {
  if (v.space !== space) throw new Refusal();
  if (v.space === "local") return withOffset(c, c.stack, v.offset + offset, v);
  if (v.space === "param") return { base: RZ(), offset: v.offset + offset, variable: v };
  if (offset >= 0 && offset <= v.size) return { base: addressOf(c, v, offset), offset: 0, variable: v };
  return withOffset(c, addressOf(c, v, 0), offset, v);
}

/** Adds what does not fit the instruction's offset field to the base. */
function withOffset(c: Context, base: Operand, offset: number, variable: Variable | null): Address {
  if (offset >= OFFSET_MIN && offset <= OFFSET_MAX) return { base, offset, variable };
  if (base.width === 1) return { base: c.op("IADD3", [base, imm(offset), RZ()]), offset: 0, variable };
  return { base: sum64(c, base, offset), offset: 0, variable };
}

function sum64(c: Context, base: Operand, offset: number): Operand {
  const sum = c.temp(2);
  const carry = c.predicate();
  c.emit("IADD3", [lo(sum), carry], [lo(base), imm(offset), RZ()]);
  c.emit("IADD3.X", [hi(sum)], [hi(base), imm(Math.floor(offset / 2 ** 32)), RZ(), carry]);
  return sum;
}
