/**
 * `.param` space of functions and calls: registers by byte offset, or local memory where the ABI passes it there. What one store
 * filled, or several, may be loaded in other pieces: small arguments are stored as 32 bits and loaded as what they are.
 */
import { imm, part as partOf, RZ } from "../ori/operand.js";
import type { Operand } from "../ori/types.js";
import type { AddressOperand, Operand as PtxOperand } from "../ptx/ast.js";
import { assign } from "./assign.js";
import type { Context } from "./context.js";
import { skip } from "./place.js";
import { Refusal } from "./refusal.js";
import type { Entity, SlotMemory, SlotPart } from "./scope.js";
import { bytesOf, type PtxType, registersOf } from "./types.js";

export type Slots = Extract<Entity, { kind: "slots" }>;

export function newSlots(bytes: number, align: number, memory: SlotMemory | null = null): Slots {
  return { kind: "slots", bytes, align, parts: new Map(), memory };
}

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
  if (offset < 0 || offset + bytes > slots.bytes) throw new Refusal();
  if (slots.memory !== null) return loadMemory(c, slots.memory, offset, type);
  const whole = covering(slots, offset, bytes);
  if (whole !== null && bytes >= 4) return partOf(whole.part.operand, whole.skipped >> 2, registersOf(type));
  if (bytes > 4) {
    const d = c.temp(registersOf(type));
    for (let k = 0; k < bytes / 4; k++) c.move(partOf(d, k), wordAt(c, slots, offset + 4 * k));
    return d;
  }
  if (bytes === 4) return wordAt(c, slots, offset);
  const word = whole === null ? wordAt(c, slots, offset & ~3) : partOf(whole.part.operand, whole.skipped >> 2);
  const low = (whole === null ? offset : whole.skipped) & 3;
  const high = low + bytes - 1;
  if (high > 3) throw new Refusal();
  // Byte by byte: the field, then its sign or byte 7, which is zero.
  const above = type.cls === "s" ? high | 8 : 7;
  const selector = [low, bytes === 2 ? high : above, above, above].reduce((sum, b, k) => sum | (b << (4 * k)), 0);
  return c.op("PRMT", [word, imm(selector), RZ()]);
}

/** The part that holds these bytes, whole registers at register boundaries. */
function covering(slots: Slots, offset: number, bytes: number): { part: SlotPart; skipped: number } | null {
  for (const [start, part] of slots.parts) {
    const skipped = offset - start;
    if (skipped < 0 || skipped + bytes > part.bytes) continue;
    if (bytes < 4 || skipped % 4 === 0) return { part, skipped };
  }
  return null;
}

/** The 32 bits at a multiple of 4; bytes that nothing was stored to are anything. */
export function wordAt(c: Context, slots: Slots, offset: number): Operand {
  const whole = covering(slots, offset, 4);
  if (whole !== null) return partOf(whole.part.operand, whole.skipped >> 2);
  let word: Operand | null = null;
  for (let at = offset; at < offset + 4; ) {
    const small = slots.parts.get(at);
    if (small === undefined || small.bytes >= 4) {
      if (covering(slots, at, 1) !== null) throw new Refusal();
      at++;
      continue;
    }
    word = inserted(c, word ?? RZ(), small.operand, at - offset, small.bytes);
    at += small.bytes;
  }
  return word ?? RZ();
}

/** `word` with the low bytes of `value` in the place of its bytes from `at` on. */
function inserted(c: Context, word: Operand, value: Operand, at: number, bytes: number): Operand {
  let selector = 0;
  for (let k = 0; k < 4; k++) selector |= (k >= at && k < at + bytes ? 4 + k - at : k) << (4 * k);
  return c.op("PRMT", [word, imm(selector), value]);
}

export function storeSlot(c: Context, where: AddressOperand, values: readonly Operand[], type: PtxType): void {
  const slots = slotsAt(c, where);
  if (slots === null) throw new Refusal();
  const bytes = bytesOf(type);
  values.forEach((v, k) => {
    const offset = where.offset + k * bytes;
    if (offset < 0 || offset + bytes > slots.bytes) throw new Refusal();
    if (slots.memory !== null) storeMemory(c, slots.memory, offset, c.materialize(v, registersOf(type)), bytes);
    else storePart(c, slots, offset, v, bytes);
  });
}

/** Puts a value into a slot in registers. */
export function storePart(c: Context, slots: Slots, offset: number, v: Operand, bytes: number): void {
  const same = slots.parts.get(offset);
  if (same === undefined ? overlaps(slots, offset, bytes) : same.bytes !== bytes) {
    storePieces(c, slots, offset, v, bytes);
    return;
  }
  const part = same ?? { operand: c.temp(Math.max(1, bytes >> 2)), bytes };
  slots.parts.set(offset, part);
  c.move(part.operand, v);
}

function overlaps(slots: Slots, offset: number, bytes: number): boolean {
  for (const [start, part] of slots.parts) if (start < offset + bytes && offset < start + part.bytes) return true;
  return false;
}

/** Over parts of other sizes: word by word, or into a word. */
function storePieces(c: Context, slots: Slots, offset: number, v: Operand, bytes: number): void {
  for (const [start, part] of [...slots.parts]) {
    if (part.bytes <= 4 || start >= offset + bytes || offset >= start + part.bytes) continue;
    slots.parts.delete(start);
    for (let k = 0; k < part.bytes / 4; k++)
      slots.parts.set(start + 4 * k, { operand: partOf(part.operand, k), bytes: 4 });
  }
  if (bytes < 4) {
    const word = slots.parts.get(offset & ~3);
    if (word === undefined || word.bytes !== 4 || (offset & 3) + bytes > 4) throw new Refusal();
    c.move(word.operand, inserted(c, word.operand, c.materialize(v), offset & 3, bytes));
    return;
  }
  for (let k = 0; k < bytes / 4; k++) {
    const at = offset + 4 * k;
    const known = slots.parts.get(at);
    if (known === undefined ? overlaps(slots, at, 4) : known.bytes !== 4) throw new Refusal();
    const part = known ?? { operand: c.temp(), bytes: 4 };
    slots.parts.set(at, part);
    c.move(part.operand, c.word(v, k));
  }
}

// ------------------------------------------------------------------------------------------------ in local memory

function sizeSuffix(bytes: number, signed: boolean): string {
  if (bytes < 4) return `.${signed ? "S" : "U"}${8 * bytes}`;
  return bytes === 4 ? "" : `.${8 * bytes}`;
}

function loadMemory(c: Context, m: SlotMemory, offset: number, type: PtxType): Operand {
  const d = c.temp(registersOf(type));
  if (type.bits === 128) {
    // The stack pointer is a multiple of 8 only.
    for (const k of [0, 8]) c.emit("LDL.64", [partOf(d, k / 4, 2)], [m.base, skip(), imm(m.offset + offset + k)]);
    return d;
  }
  const name = `LDL${sizeSuffix(bytesOf(type), type.cls === "s")}`;
  c.emit(name, [d], [m.base, skip(), imm(m.offset + offset)]);
  return d;
}

/** Stores registers to local memory. */
export function storeMemory(c: Context, m: SlotMemory, offset: number, v: Operand, bytes: number): void {
  if (bytes === 16) {
    for (const k of [0, 8]) storeMemory(c, m, offset + k, partOf(v, k / 4, 2), 8);
    return;
  }
  c.emit(`STL${sizeSuffix(bytes, false)}`, [], [m.base, skip(), imm(m.offset + offset), skip(), v]);
}
