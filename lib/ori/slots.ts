/**
 * Operands by slot. An instruction holds one operand for every slot of its form; whoever makes one names only those
 * that matter, either by slot name (`{ d, a, b }`) or as a list in slot order, and the rest take their defaults.
 *
 * A list is placed greedily: each operand goes to the next slot that takes it; an optional slot is passed over when it
 * cannot take the operand or when the operands left are needed by the required slots after it. So `["d"]` of
 * `LOP3.LUT pout?, d` fills d, and `[d, p]` of `IADD3 d, pout?, pout2?` fills d and pout.
 */
import { InternalError } from "../errors.js";
import type { Form, SlotInfo } from "../isa/form.js";
import { imm, none, notPT, PT, RZ, URZ } from "./operand.js";
import { File, Kind, type Operand, ZERO_REG } from "./types.js";

/** Operands in slot order, or by slot name. */
export type Given = readonly Operand[] | Readonly<Record<string, Operand | undefined>>;

const predicate = (file: File): boolean => file === File.P || file === File.UP;

/** What the slot holds when the text leaves it out. */
export function slotDefault(slot: SlotInfo): Operand {
  switch (slot.optional) {
    case "PT":
      return slot.file === File.UP ? { ...PT(), file: File.UP } : PT();
    case "!PT":
      return slot.file === File.UP ? { ...notPT(), file: File.UP } : notPT();
    case "RZ":
      return RZ(Math.max(1, slot.width));
    case "URZ":
      return URZ(Math.max(1, slot.width));
    case "none":
      return none();
    case null:
      throw new InternalError(`slot ${slot.name} has no default`);
    default:
      return imm(Number(slot.optional));
  }
}

/** The kind of an operand in the words of `SlotInfo.accepts`. */
export function kindName(o: Operand): string {
  switch (o.kind) {
    case Kind.Reg:
      return o.file === File.UR || o.file === File.UP ? "ureg" : "reg";
    case Kind.Imm:
      return "imm";
    case Kind.Const:
      return "const";
    case Kind.Label:
      return "label";
    case Kind.Sreg:
      return "sreg";
    case Kind.Sym:
      return "sym";
    default:
      return "none";
  }
}

/** Whether the slot takes an operand of this kind and register file (widths are the verifier's business). */
export function slotAccepts(slot: SlotInfo, o: Operand): boolean {
  if (o.kind === Kind.None) return slot.optional === "none";
  // A label as a number is the address of its block in the function.
  if (o.kind === Kind.Label) return slot.accepts.includes("label") || slot.accepts.includes("sym");
  if (o.kind !== Kind.Reg) return slot.accepts.includes(kindName(o));
  if (o.file === slot.file) return true;
  // A register of another file: a uniform register in a slot for R, a uniform predicate in a slot for P.
  if (o.file === File.UR) return !predicate(slot.file) && slot.accepts.includes("ureg");
  return o.file === File.UP && predicate(slot.file) && slot.accepts.includes("ureg");
}

function fillByName(
  form: Form,
  slots: readonly SlotInfo[],
  given: Readonly<Record<string, Operand | undefined>>,
): Operand[] {
  const out: Operand[] = [];
  let used = 0;
  for (const slot of slots) {
    const o = given[slot.name];
    if (o !== undefined) used++;
    else if (slot.optional === null) throw new InternalError(`${form.name}: slot ${slot.name} is missing`);
    out.push(o ?? slotDefault(slot));
  }
  const names = Object.keys(given).filter((n) => given[n] !== undefined);
  if (used !== names.length) {
    const unknown = names.filter((n) => !slots.some((s) => s.name === n));
    throw new InternalError(
      `${form.name}: no slot ${unknown.join(", ")} (slots: ${slots.map((s) => s.name).join(", ")})`,
    );
  }
  return out;
}

/**
 * One operand per slot from a list in slot order. Optional slots are passed over when they cannot hold the next operand
 * or when the operands left are needed after them; a None operand stands for the default of its slot.
 */
export function fillInOrder(
  form: Form,
  slots: readonly SlotInfo[],
  given: readonly Operand[],
  accepts: (slot: SlotInfo, o: Operand) => boolean = slotAccepts,
): Operand[] {
  let required = 0;
  for (const s of slots) if (s.optional === null) required++;
  const out: Operand[] = [];
  let next = 0;
  for (const slot of slots) {
    const o = given[next];
    const mayTake = o !== undefined && accepts(slot, o);
    if (slot.optional === null) {
      required--;
      if (!mayTake) {
        const what = o === undefined ? "missing" : kindName(o);
        throw new InternalError(`${form.name}: slot ${slot.name} cannot hold operand ${next} (${what})`);
      }
      out.push(o);
      next++;
    } else if (o !== undefined && given.length - next > required && (mayTake || o.kind === Kind.None)) {
      out.push(mayTake ? o : slotDefault(slot));
      next++;
    } else out.push(slotDefault(slot));
  }
  if (next !== given.length) throw new InternalError(`${form.name}: ${given.length - next} operands too many`);
  return out;
}

/**
 * Zero registers and constants are as wide as their slot, whatever width they were made with. The base of an address
 * keeps its own: there the width says whether the address is 32 or 64 bits.
 */
export function fitWidths(slots: readonly SlotInfo[], operands: Operand[]): Operand[] {
  for (let i = 0; i < slots.length; i++) {
    const o = operands[i] as Operand;
    const slot = slots[i] as SlotInfo;
    const free = o.kind === Kind.Const || (o.kind === Kind.Reg && o.id === ZERO_REG && slot.name !== "base");
    if (free) o.width = slot.width;
  }
  return operands;
}

/**
 * One operand for every slot; the operands of a variadic form are taken as they are. Throws InternalError when the
 * operands do not fit the form.
 */
export function fillSlots(form: Form, slots: readonly SlotInfo[], given: Given): Operand[] {
  if (form.variadic && Array.isArray(given)) return given.slice();
  const operands = Array.isArray(given)
    ? fillInOrder(form, slots, given as readonly Operand[])
    : fillByName(form, slots, given as Readonly<Record<string, Operand | undefined>>);
  return fitWidths(slots, operands);
}
