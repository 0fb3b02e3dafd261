/**
 * Puts the operands of one machine instruction into the slots of its form and makes them fit: zero becomes RZ, and an
 * immediate goes to a register where the slot has no immediate, or where the instruction already has one.
 */

import type { Form, SlotInfo } from "../isa/form.js";
import { clone, none, RZ } from "../ori/operand.js";
import { fillInOrder, fitWidths, slotAccepts } from "../ori/slots.js";
import { File, Kind, type Operand } from "../ori/types.js";

/** Brings a constant into registers; emits the moves. */
export type ToRegister = (o: Operand, width: number) => Operand;

function canHold(slot: SlotInfo, o: Operand): boolean {
  if (o.kind === Kind.Imm && slot.file === File.R) return true;
  if (o.kind === Kind.Imm && slot.file === File.None) return slot.accepts.includes("imm");
  return slotAccepts(slot, o);
}

/** One operand per slot from a list in slot order (`fillInOrder`), as copies that fit it. */
export function place(form: Form, slots: readonly SlotInfo[], given: readonly Operand[], toReg: ToRegister): Operand[] {
  const out = fillInOrder(form, slots, given, canHold).map(clone);
  // The number of a CTA barrier is an immediate of its own kind.
  if (form.op !== "BAR") legalize(slots, out, toReg);
  return fitWidths(slots, out);
}

function legalize(slots: readonly SlotInfo[], out: Operand[], toReg: ToRegister): void {
  let immediates = 0;
  for (let i = 0; i < out.length; i++) {
    const slot = slots[i] as SlotInfo;
    const o = out[i] as Operand;
    if (o.kind !== Kind.Imm || slot.file !== File.R) continue;
    const takesImm = slot.accepts.includes("imm");
    if (o.value === 0 && o.high === 0 && slot.accepts.includes("reg")) out[i] = RZ(slot.width);
    else if (!takesImm || immediates > 0 || (slot.width === 2 && o.value !== 0)) out[i] = toReg(o, slot.width);
    else immediates++;
  }
}

/** Passes over one optional slot. */
export function skip(): Operand {
  return none();
}
