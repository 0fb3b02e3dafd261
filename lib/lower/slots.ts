/**
 * `.param` space of calls and of inlined bodies: no memory, but registers by byte offset. A load must lie within what one
 * store filled: small arguments are stored as 32 bits and loaded as what they are.
 */
import { imm, part as partOf, RZ } from "../ori/operand.js";
import type { Operand } from "../ori/types.js";
import type { AddressOperand, Operand as PtxOperand } from "../ptx/ast.js";
import { assign } from "./assign.js";
import type { Context } from "./context.js";
import { Refusal } from "./refusal.js";
import type { Entity } from "./scope.js";
import { bytesOf, type PtxType, registersOf } from "./types.js";

type Slots = Extract<Entity, { kind: "slots" }>;

function slotsAt(c: Context, where: AddressOperand): Slots | null {
  const entity = where.base === null ? null : c.find(where.base);
  return entity !== null && entity.kind === "slots" ? entity : null;
}

/** Loads from a slot; false when the address names none. */
export function loadSlot(c: Context, where: AddressOperand, to: readonly PtxOperand[], type: PtxType): boolean {
  const slots = slotsAt(c, where);
  if (slots === null) return false;
  to.forEach((o, k) => {
    assign(c, o, field(c, slots, where.offset + k * bytesOf(type), type), type);
  });
  return true;
}

/** The value at a byte offset; narrow ones are extended, since what was stored may have anything above them. */
function field(c: Context, slots: Slots, offset: number, type: PtxType): Operand {
  const bytes = bytesOf(type);
  for (const [start, part] of slots.parts) {
    const skipped = offset - start;
    if (skipped < 0 || skipped + bytes > part.bytes) continue;
    if (bytes >= 4) {
      if (skipped % 4 !== 0) throw new Refusal();
      return partOf(part.operand, skipped >> 2, registersOf(type));
    }
    const low = skipped & 3;
    const high = low + bytes - 1;
    if (high > 3) throw new Refusal();
    // Byte by byte: the field, then its sign or byte 7, which is zero.
    const above = type.cls === "s" ? high | 8 : 7;
    const selector = [low, bytes === 2 ? high : above, above, above].reduce((sum, b, k) => sum | (b << (4 * k)), 0);
    return c.op("PRMT", [partOf(part.operand, skipped >> 2), imm(selector), RZ()]);
  }
  throw new Refusal();
}

export function storeSlot(c: Context, where: AddressOperand, values: readonly Operand[], type: PtxType): void {
  const slots = slotsAt(c, where);
  if (slots === null) throw new Refusal();
  const bytes = bytesOf(type);
  values.forEach((v, k) => {
    const offset = where.offset + k * bytes;
    if (offset < 0 || offset + bytes > slots.bytes) throw new Refusal();
    let part = slots.parts.get(offset);
    if (part === undefined) {
      part = { operand: c.temp(registersOf(type)), bytes };
      slots.parts.set(offset, part);
    }
    if (part.bytes !== bytes) throw new Refusal();
    c.move(part.operand, v);
  });
}
