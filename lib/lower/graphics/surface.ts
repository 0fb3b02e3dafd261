/**
 * `suld.b` and `sust.b` through surface objects (bindless handles): bytes of a texel at integer coordinates, the first one in bytes (.BA), as ptxas makes
 * them on sm_90 to 121. The layer of an array stands last. Elements below a register are packed and unpacked.
 */
import { tryForm } from "../../isa/form.js";
import { imm, part, RZ } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { Operand as PtxOperand } from "../../ptx/ast.js";
import type { Context } from "../context.js";
import { at, type Family, type Lowering, operands } from "../family.js";
import type { Modifiers } from "../modifiers.js";
import { elementOf, packValues } from "../move.js";
import { Refusal } from "../refusal.js";
import { type PtxType, typeNamed } from "../types.js";
import { needHandles, noSampler, object, read32, row, uniformHandle } from "./handle.js";

interface Geometry {
  readonly name: string;
  /** Coordinates in the machine's order, by their place in PTX. */
  readonly order: readonly number[];
  readonly named: readonly number[];
}

const geometries: Readonly<Record<string, Geometry>> = {
  "1d": { name: "1D", order: [0], named: [1] },
  "2d": { name: "2D", order: [0, 1], named: [2] },
  "3d": { name: "3D", order: [0, 1, 2], named: [3, 4] },
  a1d: { name: "1D_ARRAY", order: [1, 0], named: [2] },
  a2d: { name: "2D_ARRAY", order: [1, 2, 0], named: [3, 4] },
};

/** Outside the surface: a fault, nothing (and zeros), the nearest texel. */
const clamps: Readonly<Record<string, string>> = { trap: ".TRAP", zero: ".IGN", clamp: "" };
const sizes: Readonly<Record<number, string>> = { 1: ".U8", 2: ".U16", 4: "", 8: ".64", 16: ".128" };

interface Access {
  readonly form: string;
  readonly geometry: Geometry;
  readonly type: PtxType;
  readonly count: number;
  readonly bytes: number;
}

function access(m: Modifiers, op: string): Access {
  m.need(["b"]);
  const geometry = geometries[m.need(Object.keys(geometries))] as Geometry;
  const count = Number((m.oneOf(["v2", "v4"]) ?? "v1").slice(1));
  const type = typeNamed(m.need(["b8", "b16", "b32", "b64"])) as PtxType;
  const clamp = clamps[m.need(["trap", "zero", "clamp"])] as string;
  const bytes = (type.bits * count) / 8;
  const size = sizes[bytes];
  if (size === undefined) throw new Refusal();
  return { form: `${op}.D.BA.${geometry.name}${size}.STRONG.SM${clamp}`, geometry, type, count, bytes };
}

/** Handle and coordinates. */
function place(c: Context, a: Access, o: PtxOperand): Readonly<Record<string, Operand>> {
  const { handle, coordinates } = object(o);
  if (!a.geometry.named.includes(coordinates.length)) throw new Refusal();
  const where = row(
    c,
    a.geometry.order.map((k) => read32(c, coordinates[k] as PtxOperand)),
  );
  const word2 = noSampler(c);
  return { a: where, ur: uniformHandle(c, handle, 1), ...(word2.width === 0 ? {} : { word2 }) };
}

function elements(o: PtxOperand, n: number): readonly PtxOperand[] {
  if (o.kind === "vector" && o.elements.length === n) return o.elements;
  if (o.kind !== "vector" && n === 1) return [o];
  throw new Refusal();
}

/** Registers of PTX for bytes have 16 bits. */
const registerOf = (type: PtxType): PtxType => (type.bits === 8 ? (typeNamed("b16") as PtxType) : type);

const suld: Lowering = (c, i, m) => {
  needHandles(c);
  const a = access(m, "SULD");
  const list = operands(i, 2);
  const to = elements(at(list, 0), a.count);
  const form = tryForm(a.form);
  if (form === null) throw new Refusal();
  const from = place(c, a, at(list, 1));
  const d = c.temp(Math.max(1, a.bytes / 4));
  c.builder.emit(form, { d }, from);
  const values = to.map((_, k) => {
    if (a.type.bits === 8) return c.op("PRMT", [part(d, 0), imm(0x7770 + k), RZ()]);
    return a.count === 1 ? d : elementOf(c, d, k, a.type.bits);
  });
  to.forEach((e, k) => {
    c.move(c.inPlace(e, registerOf(a.type)), values[k] as Operand);
  });
};

const sust: Lowering = (c, i, m) => {
  needHandles(c);
  const a = access(m, "SUST");
  const list = operands(i, 2);
  const form = tryForm(a.form);
  if (form === null) throw new Refusal();
  const values = elements(at(list, 1), a.count).map((o) => c.read(o, registerOf(a.type)));
  const whole = typeNamed(`b${a.bytes * 8}`);
  if (whole === null) throw new Refusal();
  const packed = a.count === 1 ? (values[0] as Operand) : packValues(c, values, a.type.bits, whole);
  const data = c.materialize(packed, Math.max(1, a.bytes / 4));
  c.builder.emit(form, {}, { ...place(c, a, at(list, 0)), data });
};

export const surfaceFamily: Family = { suld, sust };
