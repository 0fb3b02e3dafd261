/**
 * `txq` and `suq` of width, height and depth through objects: TXQ asks the unit, of level 0 or the one that is given (measured). The other
 * properties ptxas reads from memory of the driver at the handle's place; they are not built.
 */
import { tryForm } from "../../isa/form.js";
import { imm, RZ } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import { at, type Family, type Lowering, operands } from "../family.js";
import { Refusal } from "../refusal.js";
import { B32, handleIn, noSampler, read32, registerHandle, row, uniformHandle } from "./handle.js";

/** Bits of the results that the unit writes. */
const masks: Readonly<Record<string, number>> = { width: 1, height: 2, depth: 4 };
/** TEX_HEADER_DIMENSION. */
const DIMENSION = 0;

const query: Lowering = (c, i, m) => {
  const withLevel = i.opcode === "txq" && m.flag("level");
  const mask = masks[m.need(Object.keys(masks))] as number;
  m.need(["b32"]);
  const list = operands(i, withLevel ? 3 : 2);
  const handle = handleIn(c, at(list, 1));
  const level = withLevel ? c.materialize(read32(c, at(list, 2))) : RZ();
  const form = tryForm(handle.kind === "register" ? "TXQ.B" : "TXQ");
  if (form === null) throw new Refusal();
  const d = c.temp();
  const from: Readonly<Record<string, Operand>> =
    handle.kind === "constant"
      ? { a: level, bank: imm(0), word: imm(handle.word) }
      : handle.kind === "register"
        ? { a: row(c, [registerHandle(c, handle.value), level]) }
        : { a: level, ur: uniformHandle(c, handle.value, 2), sampler: noSampler(c) };
  c.builder.emit(form, { d2: RZ(), d }, { ...from, what: imm(DIMENSION), mask: imm(mask) });
  c.move(c.inPlace(at(list, 0), B32), d);
};

export const queryFamily: Family = { txq: query, suq: query };
