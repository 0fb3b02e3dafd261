/**
 * `clusterlaunchcontrol`: asks for the work of a cluster that has not started (UGETNEXTWORKID), and reads the answer. Its words are as ptxas reads them: x of the first CTA, y in the
 * low and z in the high half of the second, bit 0 of the third tells success.
 */
import { imm, not, PT, part, RZ } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { Operand as PtxOperand } from "../../ptx/ast.js";
import type { Context } from "../context.js";
import { at, type Family, type Lowering, operands } from "../family.js";
import { elementsOf } from "../matrix/fragment.js";
import type { Modifiers } from "../modifiers.js";
import { Refusal } from "../refusal.js";
import { PRED, type PtxType, typeNamed, U32 } from "../types.js";
import { genericShared, sharedAddress } from "./operands.js";
import { eachLane, toUniform } from "./uniform.js";

const B128: PtxType = typeNamed("b128") as PtxType;

function tryCancel(c: Context, list: readonly PtxOperand[], m: Modifiers): void {
  m.need(["async"]);
  const addressOf = m.oneOf(["shared::cta"]) === null ? genericShared : sharedAddress;
  m.need(["mbarrier::complete_tx::bytes"]);
  const all = m.flag("multicast::cluster::all");
  m.need(["b128"]);
  const [answer, barrier] = [c.materialize(addressOf(c, at(list, 0))), c.materialize(addressOf(c, at(list, 1)))];
  eachLane(c, () => {
    c.emit(`UGETNEXTWORKID.${all ? "BROADCAST" : "SELFCAST"}`, [], [toUniform(c, [answer, barrier])]);
  });
}

/** A coordinate of the first CTA in an answer. */
function coordinate(c: Context, answer: Operand, of: string): Operand {
  if (of === "x") return part(answer, 0, 1);
  const word = part(answer, 1, 1);
  return of === "y"
    ? c.op("LOP3.LUT", [word, imm(0xffff), RZ(), imm(0xc0), not(PT())])
    : c.op("SHF.R.U32.HI", [RZ(), imm(16), word]);
}

function query(c: Context, list: readonly PtxOperand[], m: Modifiers): void {
  const what = m.need([
    "is_canceled",
    "get_first_ctaid",
    "get_first_ctaid::x",
    "get_first_ctaid::y",
    "get_first_ctaid::z",
  ]);
  const vector = m.flag("v4");
  m.need([what === "is_canceled" ? "pred" : "b32"]);
  m.need(["b128"]);
  if (vector !== (what === "get_first_ctaid")) throw new Refusal();
  const answer = c.materialize(c.read(at(list, 1), B128), 4);
  const to = at(list, 0);
  if (what === "is_canceled") {
    const bit = c.op("LOP3.LUT", [part(answer, 2, 1), imm(1), RZ(), imm(0xc0), not(PT())]);
    c.emit("ISETP.NE.U32.AND", [c.inPlace(to, PRED)], [bit, RZ()]);
    return;
  }
  // All are read before the first is written: one may be part of the answer.
  const wanted = vector ? elementsOf(to, 4).slice(0, 3) : [to];
  const names = vector ? ["x", "y", "z"] : [what.slice(-1)];
  const values = wanted.map((o, k) => {
    if (o.kind === "sink") return null;
    const copy = c.temp();
    c.move(copy, coordinate(c, answer, names[k]!));
    return copy;
  });
  wanted.forEach((o, k) => {
    const value = values[k];
    if (value !== null && value !== undefined) c.move(c.inPlace(o, U32), value);
  });
}

const clusterlaunchcontrol: Lowering = (c, i, m) => {
  const list = operands(i, 2);
  (m.need(["try_cancel", "query_cancel"]) === "try_cancel" ? tryCancel : query)(c, list, m);
};

export const launchControlFamily: Family = { clusterlaunchcontrol };
