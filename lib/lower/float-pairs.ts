/**
 * Pairs of f32 (`f32x2`), f32 with halves (`add.f32.f16`), extrema of three f32. Machine instructions where there are any, else one for
 * each number; what there is where: facts/ptx-to-sass and ptxas 13.0.88 for sm_103, 110, 120.
 */
import { abs, neg, not, PT, part } from "../ori/operand.js";
import { Kind, type Operand } from "../ori/types.js";
import { at, type Lowering, operands } from "./family.js";
import { negatedFloat } from "./float.js";
import type { Modifiers } from "./modifiers.js";
import { Refusal } from "./refusal.js";
import { F32, type PtxType, typeNamed } from "./types.js";

const roundings = { rn: "", rz: ".RZ", rm: ".RM", rp: ".RP" } as const;

/** `name` of both numbers: by one instruction, or one instruction each. */
const paired = (name: string, sources: number, subtract = false): Lowering => {
  return (c, i, m) => {
    const rounding = roundings[m.oneOf(["rn", "rz", "rm", "rp"]) ?? "rn"];
    const suffix = `${m.flag("ftz") ? ".FTZ" : ""}${rounding}`;
    const type = m.type();
    if (type.name !== "f32x2") throw new Refusal();
    const ops = operands(i, sources + 1);
    const values = ops.slice(1).map((o, k) => {
      const v = c.materialize(c.read(o, type), 2);
      return subtract && k === 1 ? neg(v) : v;
    });
    const d = c.out(at(ops, 0), type);
    if (c.target.has("packedF32")) {
      c.emit(
        `${name}2${suffix}`,
        [d],
        values.map((v) => ({ ...v, part: ".F32x2.HI_LO" })),
      );
      return;
    }
    for (const w of [0, 1])
      c.emit(
        `${name}${suffix}`,
        [part(d, w)],
        values.map((v) => ({ ...part(v, w), mods: v.mods })),
      );
  };
};

/** f32 with operands of a narrower type, which is the last word of the name. */
function mixedTypes(m: Modifiers): { suffix: string; half: PtxType } {
  const rounding = roundings[m.oneOf(["rn", "rz", "rm", "rp"]) ?? "rn"];
  const sat = m.flag("sat") ? ".SAT" : "";
  m.need(["f32"]);
  const half = typeNamed(m.need(["f16", "bf16"])) as PtxType;
  return { half, suffix: `${half.cls === "bf" ? ".BF16" : ""}${rounding}${sat}` };
}

const mixedAdd = (subtract: boolean): Lowering => {
  return (c, i, m) => {
    const ops = operands(i, 3);
    const { suffix, half } = mixedTypes(m);
    const a = c.materialize(c.read(at(ops, 1), half));
    const b = c.materialize(subtract ? negated(c.read(at(ops, 2), F32)) : c.read(at(ops, 2), F32));
    c.emit(`FHADD${suffix}`, [c.inPlace(at(ops, 0), F32)], [a, b]);
  };
};

function negated(o: Operand): Operand {
  return o.kind === Kind.Imm ? negatedFloat(o) : neg(o);
}

const mixedFma: Lowering = (c, i, m) => {
  const ops = operands(i, 4);
  const { suffix, half } = mixedTypes(m);
  const [a, b] = [1, 2].map((k) => c.materialize(c.read(at(ops, k), half))) as [Operand, Operand];
  c.emit(`FHFMA${suffix}`, [c.inPlace(at(ops, 0), F32)], [a, b, c.materialize(c.read(at(ops, 3), F32))]);
};

/** The largest or smallest of three. */
export const extremum3 = (max: boolean): Lowering => {
  return (c, i, m) => {
    const ops = operands(i, 4);
    const suffix = `${m.flag("ftz") ? ".FTZ" : ""}${m.flag("NaN") ? ".NAN" : ""}`;
    const absolute = m.flag("abs");
    if (m.type() !== F32) throw new Refusal();
    const bars = (o: Operand): Operand => (absolute ? abs(o) : o);
    const [x, y, z] = [1, 2, 3].map((k) => bars(c.materialize(c.read(at(ops, k), F32)))) as [Operand, Operand, Operand];
    const d = c.out(at(ops, 0), F32);
    const which = max ? not(PT()) : PT();
    if (c.target.has("fmnmx3")) c.emit(`FMNMX3${suffix}`, [d], [x, y, z, which]);
    else c.emit(`FMNMX${suffix}`, [d], [c.op(`FMNMX${suffix}`, [x, y, which]), z, which]);
  };
};

export const pairs: Readonly<Record<"add" | "sub" | "mul" | "fma", Lowering>> = {
  add: paired("FADD", 2),
  sub: paired("FADD", 2, true),
  mul: paired("FMUL", 2),
  fma: paired("FFMA", 3),
};

export const mixed: Readonly<Record<"add" | "sub" | "fma", Lowering>> = {
  add: mixedAdd(false),
  sub: mixedAdd(true),
  fma: mixedFma,
};
