/** Handles of texture and surface objects, and the parts of their operands. */
import { imm, part } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { AddressOperand, Operand as PtxOperand } from "../../ptx/ast.js";
import { toUniform } from "../async/uniform.js";
import type { Context } from "../context.js";
import { skip } from "../place.js";
import { Refusal } from "../refusal.js";
import { B64, type PtxType, typeNamed } from "../types.js";

export const B32: PtxType = typeNamed("b32") as PtxType;

/**
 * From sm_90 on ptxas takes handles for the same in all lanes and brings them to uniform registers; before, they are in constant banks or packed with
 * coordinates, which is not built.
 */
export function needHandles(c: Context): void {
  if (!c.target.has("uniformHandles")) throw new Refusal();
}

/** `[handle, coordinates]` of an object, not of a `.texref`, `.samplerref` or `.surfref`; a sampler of its own is refused. */
export function object(o: PtxOperand): { readonly handle: PtxOperand; readonly coordinates: readonly PtxOperand[] } {
  if (o.kind !== "address" || o.base === null || o.offset !== 0 || o.rest.length !== 1) throw new Refusal();
  const { base, rest } = o as AddressOperand & { base: string };
  const [where] = rest as [PtxOperand];
  const handle = { kind: "name", name: base, component: null, offset: 0, index: null } as const;
  return { handle, coordinates: where.kind === "vector" ? where.elements : [where] };
}

/** The handle's 20 bits of texture and 12 of sampler, with a zero above where the slot takes two registers. */
export function uniformHandle(c: Context, handle: PtxOperand, width: 1 | 2): Operand {
  const value = c.materialize(c.read(handle, B64), 2);
  return toUniform(c, width === 1 ? [part(value, 0)] : [part(value, 0), imm(0)]);
}

/** The slot of a sampler of its own: unused, and left out from sm_100 on. */
export const noSampler = (c: Context): Operand => (c.target.has("ldcu") ? skip() : imm(0));

/** Consecutive registers with these words. */
export function row(c: Context, words: readonly Operand[]): Operand {
  const d = c.temp(words.length);
  words.forEach((w, k) => {
    c.move(part(d, k), w);
  });
  return d;
}

export const read32 = (c: Context, o: PtxOperand): Operand => c.read(o, B32);
