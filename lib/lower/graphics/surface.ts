/**
 * `suld`, `sust` and `sured` through surface objects (bindless handles): texels at integer coordinates, as ptxas makes them. `.b` counts the first
 * coordinate in bytes (.BA) and moves bytes, `.p` goes through the format. The layer of an array stands last. Elements below a register are packed
 * and unpacked.
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
import { noSampler, object, read32, registerHandle, row, uniformHandle } from "./handle.js";

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
/** How far an access is seen, and whether its line goes first, by the word for caches. */
const caches: Readonly<Record<string, "own" | "system" | "first">> = {
  ca: "own",
  wb: "own",
  cg: "system",
  cv: "system",
  wt: "system",
  cs: "first",
};

const typeOfBits = (bits: number): PtxType => {
  const type = typeNamed(`b${bits}`);
  if (type === null) throw new Refusal();
  return type;
};

const takeGeometry = (m: Modifiers): Geometry => geometries[m.need(Object.keys(geometries))] as Geometry;
const takeClamp = (m: Modifiers): string => clamps[m.need(["trap", "zero", "clamp"])] as string;

/** `.EF`, and `.STRONG.SM` (`.CTA` before sm_80) or `.STRONG.SYS`. */
function cacheWords(
  c: Context,
  m: Modifiers,
  words: readonly string[],
): { readonly evict: string; readonly strength: string } {
  const kind = caches[m.oneOf(words) ?? "wb"];
  const own = c.target.has("memoryDescriptor") ? "SM" : "CTA";
  return { evict: kind === "first" ? ".EF" : "", strength: `.STRONG.${kind === "system" ? "SYS" : own}` };
}

/** Handle and coordinates. */
function place(c: Context, g: Geometry, o: PtxOperand): Readonly<Record<string, Operand>> {
  const { handle, coordinates } = object(c, o);
  if (!g.named.includes(coordinates.length)) throw new Refusal();
  const a = row(
    c,
    g.order.map((k) => read32(c, coordinates[k] as PtxOperand)),
  );
  switch (handle.kind) {
    case "constant":
      return { a, bank: imm(0), word: imm(handle.word) };
    case "register":
      return { a, handle: registerHandle(c, handle.value) };
    case "uniform":
    case "reference": {
      const word2 = noSampler(c);
      return { a, ur: uniformHandle(c, handle, 1), ...(word2.width === 0 ? {} : { word2 }) };
    }
  }
}

function elements(o: PtxOperand, n: number): readonly PtxOperand[] {
  if (o.kind === "vector" && o.elements.length === n) return o.elements;
  if (o.kind !== "vector" && n === 1) return [o];
  throw new Refusal();
}

const takeCount = (m: Modifiers): number => Number((m.oneOf(["v2", "v4"]) ?? "v1").slice(1));

function emit(
  c: Context,
  name: string,
  dsts: Readonly<Record<string, Operand>>,
  srcs: Readonly<Record<string, Operand>>,
): void {
  const form = tryForm(name);
  if (form === null) throw new Refusal();
  c.builder.emit(form, dsts, srcs);
}

// ------------------------------------------------------------------------------------------------ bytes

interface Access {
  readonly form: string;
  readonly geometry: Geometry;
  readonly type: PtxType;
  readonly count: number;
  readonly bytes: number;
}

function access(c: Context, m: Modifiers, op: "SULD" | "SUST"): Access {
  m.need(["b"]);
  const geometry = takeGeometry(m);
  const { evict, strength } = cacheWords(c, m, op === "SULD" ? ["ca", "cg", "cs", "cv"] : ["wb", "cg", "cs", "wt"]);
  const count = takeCount(m);
  const type = typeNamed(m.need(["b8", "b16", "b32", "b64"])) as PtxType;
  const clamp = takeClamp(m);
  const bytes = (type.bits * count) / 8;
  const size = sizes[bytes];
  if (size === undefined) throw new Refusal();
  return { form: `${op}.D.BA.${geometry.name}${evict}${size}${strength}${clamp}`, geometry, type, count, bytes };
}

/** Registers of PTX for bytes have 16 bits. */
const registerOf = (type: PtxType): PtxType => (type.bits === 8 ? (typeNamed("b16") as PtxType) : type);

const suld: Lowering = (c, i, m) => {
  const a = access(c, m, "SULD");
  const list = operands(i, 2);
  const to = elements(at(list, 0), a.count);
  const from = place(c, a.geometry, at(list, 1));
  const d = c.temp(Math.max(1, a.bytes / 4));
  emit(c, a.form, { d }, from);
  const values = to.map((_, k) => {
    if (a.type.bits === 8) return c.op("PRMT", [part(d, 0), imm(0x7770 + k), RZ()]);
    return a.count === 1 ? d : elementOf(c, d, k, a.type.bits);
  });
  to.forEach((e, k) => {
    c.move(c.inPlace(e, registerOf(a.type)), values[k] as Operand);
  });
};

function data(c: Context, o: PtxOperand, type: PtxType, count: number): Operand {
  const values = elements(o, count).map((e) => c.read(e, registerOf(type)));
  const bits = type.bits * count;
  const packed = count === 1 ? (values[0] as Operand) : packValues(c, values, type.bits, typeOfBits(bits));
  return c.materialize(packed, Math.max(1, bits / 32));
}

const sust: Lowering = (c, i, m) => {
  const list = operands(i, 2);
  if (m.flag("p")) {
    formatted(c, list, m);
    return;
  }
  const a = access(c, m, "SUST");
  const value = data(c, at(list, 1), a.type, a.count);
  emit(c, a.form, {}, { ...place(c, a.geometry, at(list, 0)), data: value });
};

// ------------------------------------------------------------------------------------------------ texels

/** Components that are stored. */
const channels: Readonly<Record<number, string>> = { 1: ".R", 2: ".RG", 4: "" };

function formatted(c: Context, list: readonly PtxOperand[], m: Modifiers): void {
  const geometry = takeGeometry(m);
  const { evict, strength } = cacheWords(c, m, ["wb", "cg", "cs", "wt"]);
  const count = takeCount(m);
  const type = typeNamed(m.need(["b32", "u32", "s32", "f32"])) as PtxType;
  const clamp = takeClamp(m);
  const value = data(c, at(list, 1), type, count);
  const name = `SUST.P.${geometry.name}${evict}${strength}${channels[count] as string}${clamp}`;
  emit(c, name, {}, { ...place(c, geometry, at(list, 0)), data: value });
}

/** Types of SURED; 32-bit numbers without a sign have no word. */
const types: Readonly<Record<string, string>> = { u32: "", b32: "", s32: ".S32", u64: ".U64", s64: ".S64" };
const operations = ["add", "min", "max", "and", "or"] as const;

const sured: Lowering = (c, i, m) => {
  const list = operands(i, 2);
  const raw = m.need(["b", "p"]) === "b";
  const op = m.need(operations);
  const geometry = takeGeometry(m);
  if (geometry.order.length !== geometry.named[0] || geometry.name.endsWith("ARRAY")) throw new Refusal();
  const type = m.need(raw ? Object.keys(types) : ["b32"]);
  const clamp = takeClamp(m);
  // Through the format the least and the greatest are those of its numbers.
  const word = !raw && (op === "min" || op === "max") ? ".SD32" : (types[type] as string);
  const name = `SURED.D${raw ? ".BA" : ""}.${geometry.name}.${op.toUpperCase()}${word}.STRONG.SYS${clamp}`;
  const value = data(c, at(list, 1), typeNamed(type) as PtxType, 1);
  emit(c, name, {}, { ...place(c, geometry, at(list, 0)), data: value });
};

export const surfaceFamily: Family = { suld, sust, sured };
