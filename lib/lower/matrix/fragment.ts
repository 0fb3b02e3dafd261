/**
 * Fragments: PTX names their registers one by one in braces, the machine takes consecutive aligned ones. A fragment is one wide
 * value whose parts are copied from or to the PTX registers; the allocator makes most of these copies vanish.
 */
import { part, RZ } from "../../ori/operand.js";
import { Kind, type Operand } from "../../ori/types.js";
import { alignmentOf } from "../../ori/verify/physical.js";
import type { Operand as PtxOperand } from "../../ptx/ast.js";
import type { Context } from "../context.js";
import { packValues } from "../move.js";
import { Refusal } from "../refusal.js";
import { type PtxType, registersOf, typeNamed } from "../types.js";

/** The `count` elements in braces. */
export function elementsOf(o: PtxOperand, count: number): readonly PtxOperand[] {
  if (o.kind === "vector" && o.elements.length === count) return o.elements;
  throw new Refusal();
}

const isZero = (o: Operand): boolean => o.kind === Kind.Imm && o.value === 0 && o.high === 0;

/** `count` elements of `type` as one value; all zero: the zero register. */
export function readFragment(c: Context, o: PtxOperand, count: number, type: PtxType): Operand {
  const values = elementsOf(o, count).map((e) => c.read(e, type));
  const width = count * registersOf(type);
  if (values.every(isZero)) return RZ(width);
  return together(values, registersOf(type)) ?? joined(c, values, width, type);
}

/** The registers as one operand, if they are consecutive parts of one value and aligned as the machine wants them. */
function together(values: readonly Operand[], per: number): Operand | null {
  const [first] = values as [Operand];
  const width = values.length * per;
  if (first.kind !== Kind.Reg || first.mods !== 0 || first.sub % alignmentOf(width) !== 0) return null;
  const next = (o: Operand, k: number): boolean =>
    o.kind === Kind.Reg && o.id === first.id && o.mods === 0 && o.sub === first.sub + k * per;
  return values.every(next) ? part(first, 0, width) : null;
}

/**
 * Where an instruction that reads all its sources before it writes may put a fragment: the registers themselves if they lie
 * together, else a fresh value (`finishFragment` copies it).
 */
export function fragmentOut(c: Context, o: PtxOperand, count: number, type: PtxType): Operand {
  const elements = elementsOf(o, count);
  const registers = elements.every((e) => e.kind === "name") ? elements.map((e) => c.inPlace(e, type)) : [];
  const whole = registers.length === 0 ? null : together(registers, registersOf(type));
  return whole ?? c.temp(count * registersOf(type));
}

/** After the instruction: copies what was not written in place. */
export function finishFragment(c: Context, o: PtxOperand, value: Operand, type: PtxType): void {
  const per = registersOf(type);
  const elements = elementsOf(o, value.width / per);
  const [first] = elements as [PtxOperand];
  const target = first.kind === "name" ? c.inPlace(first, type) : null;
  if (target !== null && target.id === value.id) return;
  elements.forEach((e, k) => {
    c.move(c.inPlace(e, type), part(value, k * per, per));
  });
}

function joined(c: Context, values: readonly Operand[], width: number, type: PtxType): Operand {
  const whole = typeNamed(`b${width * 32}`);
  if (whole !== null && whole.bits <= 128) return packValues(c, values, Math.max(type.bits, 32), whole);
  const d = c.temp(width);
  const per = registersOf(type);
  values.forEach((v, k) => {
    c.move(part(d, k * per, per), v);
  });
  return d;
}
