/** What an instruction does to shared memory while it issues: that of asynchronous ones happens later. */

import type { MachineInst } from "../../isa/operand.js";
import type { Program } from "../program.js";
import { type Kind, meaningOf } from "../races/meaning.js";

/** Opcodes that operations in flight come from. */
const asynchronous = /^(LDGSTS|UBLK(CP|RED)|UTMA(LDG|STG|REDG)|STAS|REDAS|[HIQB]GMMA|UTC[HIQ]MMA|ARRIVES)$/;

/** Has the program operations that work on shared memory after their issue? */
export function isAsynchronous(op: string): boolean {
  return asynchronous.test(op);
}

const known = new WeakMap<object, Kind | "none">();

/** Null: nothing that counts. */
export function accessOf(program: Program, pc: number): Kind | null {
  const inst = program.insts[pc];
  if (!inst) return null;
  let kind = known.get(inst);
  if (kind === undefined) {
    kind = (isAsynchronous(inst.form.op) ? null : meaningOf(inst).kind("shared", "shared", 0)) ?? "none";
    known.set(inst, kind);
  }
  return kind === "none" ? null : kind;
}

/** Works on shared memory, orders or waits for operations: translated code would not tell. */
export function meetsOperations({ form }: MachineInst): boolean {
  const space = form.memory?.space;
  return space === "shared" || space === "generic" || /^(FENCE|DEPBAR|LDGDEPBAR)$/.test(form.op);
}
