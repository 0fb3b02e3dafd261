/**
 * Conversions that F2FP and I2IP do: two numbers into the halves or bytes of a word and back, f32 to f16, bf16 and tf32 with .relu or
 * .satfinite, all floats of 8, 6 and 4 bits, cvt.pack. Instructions as ptxas chooses them (facts/ptx-to-sass).
 */
import { abs, imm, RZ } from "../ori/operand.js";
import type { Operand } from "../ori/types.js";
import type { Instruction, Operand as PtxOperand } from "../ptx/ast.js";
import type { Context } from "./context.js";
import { at, operands } from "./family.js";
import type { Modifiers } from "./modifiers.js";
import { Refusal } from "./refusal.js";
import { F32, type PtxType, typeNamed, U32 } from "./types.js";

/** Narrow floats: their name in the machine, and the bits of two of them. */
const tiny: Readonly<Record<string, { readonly name: string; readonly bits: 8 | 16 }>> = {
  e4m3x2: { name: "E4M3", bits: 16 },
  e5m2x2: { name: "E5M2", bits: 16 },
  e2m3x2: { name: "E2M3", bits: 16 },
  e3m2x2: { name: "E3M2", bits: 16 },
  ue8m0x2: { name: "E8", bits: 16 },
  e2m1x2: { name: "E2M1", bits: 8 },
};
const halves: Readonly<Record<string, string>> = { f16x2: "F16", bf16x2: "BF16", f16: "F16", bf16: "BF16" };
const fours = ["e4m3x4", "e5m2x4", "e2m3x4", "e3m2x4", "e2m1x4"] as const;

const own: ReadonlySet<string> = new Set([
  ...["pack", "tf32", "relu", "satfinite", "rs", ...fours, ...Object.keys(tiny), "f16x2", "bf16x2"],
]);

/** Does this cvt belong here? */
export function isPacked(i: Instruction): boolean {
  return i.modifiers.some((m) => own.has(m));
}

interface Packing {
  /** `.RZ`, `.RP`, `.RS`, or nothing for to-nearest. */
  readonly rounding: string;
  /** `.SATFINITE.RELU`. */
  readonly clamp: string;
}

const roundings = { rn: "", rz: ".RZ", rp: ".RP", rs: ".RS", rna: ".RNA" } as const;

export function convertPacked(c: Context, i: Instruction, m: Modifiers): void {
  if (m.flag("pack")) {
    packIntegers(c, i, m);
    return;
  }
  const rounding = roundings[m.need(["rn", "rz", "rp", "rs", "rna"])];
  const relu = m.flag("relu");
  const satfinite = m.flag("satfinite");
  const k: Packing = { rounding, clamp: `${satfinite ? ".SATFINITE" : ""}${relu || m.flag("relu") ? ".RELU" : ""}` };
  if (m.flag("tf32")) {
    m.need(["f32"]);
    toTf32(c, i, k, satfinite);
    return;
  }
  if (rounding === ".RNA") throw new Refusal();
  const words = [...Object.keys(halves), ...Object.keys(tiny), ...fours, "f32"];
  const [to, from] = [m.need(words), m.need(words)];
  if (from === "f32") fromSingle(c, i, k, to);
  else if (halves[to] !== undefined && tiny[from] !== undefined) fromTiny(c, i, k, to, from);
  else if (tiny[to] !== undefined && from.endsWith("f16x2")) fromHalves(c, i, k, to, from);
  else throw new Refusal();
}

function typeOf(name: string): PtxType {
  const t = typeNamed(name);
  if (t === null) throw new Refusal();
  return t;
}

/** The name of a conversion of halves: before sm_89 from f32 alone, and f16 is not written. */
function toHalf(c: Context, name: string): string {
  if (c.target.has("f2fpTypes")) return `.${name}.F32`;
  return name === "BF16" ? ".BF16" : "";
}

function fromSingle(c: Context, i: Instruction, k: Packing, to: string): void {
  if (!c.target.has("memoryDescriptor")) throw new Refusal();
  const half = halves[to];
  if ((fours as readonly string[]).includes(to)) fourSingles(c, i, k, to);
  else if (half === undefined) {
    const kind = tiny[to];
    if (kind === undefined) throw new Refusal();
    const [a, b] = pair(c, operands(i, 3));
    const d = c.inPlace(at(i.operands, 0), typeOf(`b${kind.bits}`));
    c.emit(`F2FP${k.clamp}.${kind.name}.F32.PACK_AB_MERGE_C${k.rounding}`, [d], [a, b, RZ()]);
  } else if (to.endsWith("x2")) {
    const random = k.rounding === ".RS";
    const ops = operands(i, random ? 4 : 3);
    const values = [...pair(c, ops), ...(random ? [c.materialize(c.read(at(ops, 3), U32))] : [])];
    c.emit(`F2FP${k.clamp}${toHalf(c, half)}.PACK_AB${k.rounding}`, [c.inPlace(at(ops, 0), typeOf(to))], values);
  } else {
    const ops = operands(i, 2);
    const x = c.materialize(c.read(at(ops, 1), F32));
    const form = `F2FP${k.clamp}${toHalf(c, half)}.MERGE_C${k.rounding}`;
    c.emit(form, [c.inPlace(at(ops, 0), typeOf(to))], [x, RZ()]);
  }
}

/** The two f32 of an instruction; the first stands in the upper half. */
function pair(c: Context, ops: readonly PtxOperand[]): Operand[] {
  return [c.materialize(c.read(at(ops, 1), F32)), c.read(at(ops, 2), F32)];
}

/** Four f32, the first uppermost, rounded with random bits: two at a time, the second pair below what the first left. */
function fourSingles(c: Context, i: Instruction, k: Packing, to: string): void {
  const ops = operands(i, 3);
  const vector = at(ops, 1);
  if (vector.kind !== "vector" || vector.elements.length !== 4 || k.rounding !== ".RS") throw new Refusal();
  const [p, q, r, s] = vector.elements.map((e) => c.materialize(c.read(e, F32))) as [
    Operand,
    Operand,
    Operand,
    Operand,
  ];
  const random = c.materialize(c.read(at(ops, 2), U32));
  const form = `F2FP${k.clamp}.${(tiny[`${to.slice(0, -1)}2`] as { name: string }).name}.F32.PACK_AB_MERGE_C.RS`;
  const upper = c.op(form, [p, q, random]);
  c.emit(form, [c.inPlace(at(ops, 0), typeOf(to === "e2m1x4" ? "b16" : "b32"))], [r, s, upper]);
}

/** Two narrow floats as halves: always exact. */
function fromTiny(c: Context, i: Instruction, k: Packing, to: string, from: string): void {
  const ops = operands(i, 2);
  const kind = tiny[from] as { name: string; bits: number };
  if (!to.endsWith("x2") || k.rounding !== "") throw new Refusal();
  const x = c.materialize(c.read(at(ops, 1), typeOf(`b${kind.bits}`)));
  c.emit(`F2FP${k.clamp}.${halves[to]}.${kind.name}.UNPACK_B`, [c.inPlace(at(ops, 0), typeOf(to))], [x]);
}

function fromHalves(c: Context, i: Instruction, k: Packing, to: string, from: string): void {
  const ops = operands(i, 2);
  const kind = tiny[to] as { name: string; bits: number };
  const x = c.materialize(c.read(at(ops, 1), typeOf(from)));
  const form = `F2FP${k.clamp}.${kind.name}.${halves[from]}.UNPACK_B_MERGE_C${k.rounding}`;
  c.emit(form, [c.inPlace(at(ops, 0), typeOf(`b${kind.bits}`))], [x, RZ()]);
}

const INFINITY = 0x7f800000;

/** To nearest with ties away from zero (.rna) by a sum on the bits, since the machine does not round so. */
function toTf32(c: Context, i: Instruction, k: Packing, satfinite: boolean): void {
  const ops = operands(i, 2);
  const x = c.materialize(c.read(at(ops, 1), F32));
  const d = c.out(at(ops, 0), typeOf("b32"));
  if (k.rounding !== ".RNA") {
    c.emit(`F2FP${k.clamp}.TF32.F32.PACK_B${k.rounding}`, [d], [x]);
    return;
  }
  if (k.clamp.includes("RELU")) throw new Refusal();
  const finite = c.predicate();
  c.emit("FSETP.LT.AND", [finite], [abs(x), imm(INFINITY)]);
  // What is no number is not less either; its bits stay.
  const raised = c.op("SEL", [c.op("IADD3", [x, imm(0x1000), RZ()]), x, finite]);
  const cut = c.op("LOP3.LUT", [raised, imm(0xffffe000), RZ(), imm(0xc0)]);
  if (!satfinite) {
    c.settle(d, cut);
    return;
  }
  const large = c.predicate();
  c.emit("FSETP.GEU.AND", [large], [abs(cut), imm(INFINITY)]);
  c.emit("SEL", [d], [c.op("IADD3", [cut, imm(-0x2000), RZ()]), cut, large]);
}

/** What is left of the third operand of a packing beside two numbers of so many bits: `.24` is its lower 24. */
const beside: Readonly<Record<string, string>> = { 8: "", 4: ".24", 2: ".28" };

/** Two integers saturated; narrower ones stand below the lower bits of a third operand. */
function packIntegers(c: Context, i: Instruction, m: Modifiers): void {
  m.need(["sat"]);
  const to = m.need(["u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"]);
  const bits = Number(to.slice(1));
  if (m.need(["s32", "u32"]) !== "s32") throw new Refusal();
  const wide = bits === 16;
  if (!wide) m.need(["b32"]);
  const ops = operands(i, wide ? 3 : 4);
  const [a, b] = [c.materialize(c.read(at(ops, 1), U32)), c.read(at(ops, 2), U32)];
  const rest = wide ? RZ() : { ...c.materialize(c.read(at(ops, 3), U32)), part: beside[bits] as string };
  c.emit(`I2IP.${to.toUpperCase()}.S32.SAT`, [c.inPlace(at(ops, 0), U32)], [a, b, rest]);
}
