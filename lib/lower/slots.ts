/**
 * `.param` space of calls and of inlined bodies: no memory, but registers by byte offset. An access must be the same size as the one that
 * filled its place.
 */

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
export function loadSlot(c: Context, where: AddressOperand, to: PtxOperand, type: PtxType, vector: number): boolean {
  const slots = slotsAt(c, where);
  if (slots === null) return false;
  const targets = vector === 1 ? [to] : to.kind === "vector" ? to.elements : [];
  if (targets.length !== vector) throw new Refusal();
  targets.forEach((o, k) => {
    const part = slots.parts.get(where.offset + k * bytesOf(type));
    if (part === undefined || part.bytes !== bytesOf(type)) throw new Refusal();
    assign(c, o, part.operand, type);
  });
  return true;
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
