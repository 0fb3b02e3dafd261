/** Brings lanes of a warp to one instruction. */
import { imm } from "../ori/operand.js";
import { Kind, type Operand } from "../ori/types.js";
import type { Context } from "./context.js";

/** Waits for all lanes: barriers and warp-wide instructions are executed by all of them at once. */
export function convergeWarp(c: Context): void {
  if (c.target.has("warpsyncAll")) c.emit("WARPSYNC.ALL", [], []);
  else c.emit("WARPSYNC", [], [imm(0xffffffff)]);
}

/** Waits for the lanes of a mask. */
export function convergeMask(c: Context, mask: Operand): void {
  if (mask.kind === Kind.Imm && mask.value === 0xffffffff) convergeWarp(c);
  else c.emit("WARPSYNC", [], [c.materialize(mask)]);
}
