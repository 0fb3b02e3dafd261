/**
 * `st.async` and `red.async` with `.release`, in global memory: one store of a uniform register for each lane (USTGR, UREDGR; ptxas has the same
 * loop, and a fence of the CTA before each), strong stores behind a fence of their scope from sm_120 on. Measured on ptxas -O0 and -O3.
 */
import { imm } from "../../ori/operand.js";
import type { Instruction } from "../../ptx/ast.js";
import type { Context } from "../context.js";
import { at, operands } from "../family.js";
import { membar } from "../fence.js";
import { sizeModifier } from "../memory.js";
import type { Modifiers } from "../modifiers.js";
import { skip } from "../place.js";
import { Refusal } from "../refusal.js";
import { bytesOf, type PtxType, registersOf } from "../types.js";
import { addressIn, wideAddress } from "./operands.js";
import { eachLane, toUniform } from "./uniform.js";

interface Release {
  readonly scope: "gpu" | "sys";
  /** `.MMIO.SYS`, `.STRONG.GPU`. */
  readonly strength: string;
  readonly space: "global" | "generic";
}

function release(m: Modifiers): Release {
  const mmio = m.flag("mmio");
  m.need(["release"]);
  const scope = m.need(["gpu", "sys"] as const);
  if (mmio && scope !== "sys") throw new Refusal();
  const space = m.oneOf(["global"] as const) ?? "generic";
  return { scope, strength: mmio ? ".MMIO.SYS" : `.STRONG.${scope.toUpperCase()}`, space };
}

function emit(c: Context, i: Instruction, r: Release, type: PtxType, uniform: string, plain: string): void {
  const ops = operands(i, 2);
  const where = wideAddress(c, addressIn(at(ops, 0)), r.space);
  const words = registersOf(type);
  const data = c.materialize(c.read(at(ops, 1), type), words);
  if (!c.target.has("uniformStores")) {
    membar(c, "ALL", r.scope);
    c.emit(`${plain}${r.strength}`, [], [c.materialize(where, 2), skip(), imm(0), skip(), data]);
    return;
  }
  const base = c.materialize(where, 2);
  eachLane(c, () => {
    const [address, value] = [toUniform(c, [base]), toUniform(c, [data])];
    c.emit("MEMBAR.ALL.CTA", [], []);
    c.emit(`${uniform}${r.strength}`, [], [address, imm(0), value]);
  });
}

/** `st.async.release`: 16, 32 or 64 bits. */
export function storeReleased(c: Context, i: Instruction, m: Modifiers): void {
  const r = release(m);
  const type = m.type();
  if (type.lanes !== 1 || type.bits < 16 || type.bits > 64) throw new Refusal();
  const size = sizeModifier(bytesOf(type), type.cls === "s");
  emit(c, i, r, type, `USTGR.E.NA${size}`, `STG.E${size}`);
}

/** `red.async.release.add`: PTX ISA has sums alone (ptxas takes other operations and adds). */
export function addReleased(c: Context, i: Instruction, m: Modifiers): void {
  const r = release(m);
  m.need(["add"]);
  const type = m.type();
  if (type.lanes !== 1 || (type.cls !== "u" && type.cls !== "s") || type.bits < 32 || type.bits > 64)
    throw new Refusal();
  const size = type.bits === 64 ? ".64" : type.cls === "s" ? ".S32" : "";
  emit(c, i, r, type, `UREDGR.E.ADD.NA${size}`, `REDG.E.ADD${size}`);
}
