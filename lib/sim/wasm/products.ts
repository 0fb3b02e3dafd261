/** Which matrix products of a warp are translated (matrix.ts, doubles.ts, quads.ts): by mnemonic, modifiers and operands. */
import { File, Kind, type Operand } from "../../isa/operand.js";
import type { Site } from "../site.js";
import { TRASH_ROW, ZERO_ROW, ZERO_UNIFORM } from "../state.js";
import type { Elements } from "./elements.js";
import { ROW_BYTES, UNIFORM } from "./layout.js";
import type { Product, ScalesAt, Sums } from "./matrix.js";
import type { Scaling } from "./scales.js";
import { type Factor, pairBytes, type Quads } from "./slots.js";
import { isSelector } from "./sparse.js";

/** Rows and depth by the modifier. */
const shapes: Readonly<Record<string, readonly [rows: 8 | 16, depth: number]>> = {
  "884": [8, 4],
  "8x8x4": [8, 4],
  "8816": [8, 16],
  "8832": [8, 32],
  "88128": [8, 128],
  "1684": [16, 4],
  "1688": [16, 8],
  "16816": [16, 16],
  "16832": [16, 32],
  "16864": [16, 64],
  "168128": [16, 128],
  "168256": [16, 256],
  "16x8x4": [16, 4],
  "16x8x8": [16, 8],
  "16x8x16": [16, 16],
};

/** Depths that elements have: of eight rows, of sixteen. */
const nibbles = [[32], [32, 64]] as const;
const bytes = [[16], [16, 32]] as const;
const halves = [[], [8, 16]] as const;
const smallFloats = [[], [16, 32]] as const;
const possible: Readonly<Record<Elements, readonly [readonly number[], readonly number[]]>> = {
  F16: halves,
  BF16: halves,
  TF32: [[], [4, 8]],
  E4M3: smallFloats,
  E5M2: smallFloats,
  E3M2: smallFloats,
  E2M3: smallFloats,
  E2M1: smallFloats,
  S8: bytes,
  U8: bytes,
  S4: nibbles,
  U4: nibbles,
  "E2M1.PACKED": [[], [64]],
  B1: [[128], [128, 256]],
  F64: [[4], [4, 8, 16]],
};
/** Depths of sparse products, of sixteen rows. */
const sparseDepths: Readonly<Partial<Record<Elements, readonly number[]>>> = {
  F16: [16, 32],
  BF16: [16, 32],
  TF32: [8, 16],
  S8: [32, 64],
  U8: [32, 64],
  S4: [64, 128],
  U4: [64, 128],
  E4M3: [32, 64],
  E5M2: [32, 64],
  E3M2: [32, 64],
  E2M3: [32, 64],
  E2M1: [32, 64],
  "E2M1.PACKED": [128],
};
const smallNames: readonly string[] = ["E4M3", "E5M2", "E3M2", "E2M3", "E2M1"];
const integerNames: readonly string[] = ["S8", "U8", "S4", "U4"];

type Types = readonly [a: Elements, b: Elements, sums: Sums, scaling?: Scaling];

/** Of two modifiers among `names` the first is A's; null where there are others than they, and `more`. */
function twoOf(
  mods: readonly string[],
  names: readonly string[],
  more: readonly string[],
): [Elements, Elements] | null {
  const types = mods.filter((m) => names.includes(m)) as Elements[];
  if (types.length !== 2 || mods.some((m) => !names.includes(m) && !more.includes(m))) return null;
  return [types[0]!, types[1]!];
}

/** Elements of A and B, and what is summed up, by the modifiers but the shape; null: other ones. */
const typesOf: Readonly<Record<string, (mods: readonly string[]) => Types | null>> = {
  HMMA: (mods) => {
    if (mods.length === 1 && mods[0] === "F16") return ["F16", "F16", "half"];
    if (!mods.includes("F32") || mods.some((m) => m !== "F32" && m !== "BF16" && m !== "TF32")) return null;
    const elements = mods.includes("BF16") ? "BF16" : mods.includes("TF32") ? "TF32" : "F16";
    return [elements, elements, "float"];
  },
  QMMA: (mods) => {
    const types = twoOf(mods, smallNames, ["F32", "F16", "SF", "E8"]);
    if (types === null) return null;
    if (mods.includes("SF"))
      return mods.includes("E8") && mods.includes("F32") && mods.length === 5
        ? [...types, "float", { blocks: 1, powers: true }]
        : null;
    return mods.length !== 3 ? null : [...types, mods.includes("F16") ? "half" : "float"];
  },
  OMMA: (mods) => {
    if (twoOf(mods, ["E2M1"], ["SF", "F32", "E8", "UE4M3", "4X"]) === null || !mods.includes("SF")) return null;
    const powers = mods.includes("E8");
    if (powers === mods.includes("UE4M3") || !mods.includes("F32")) return null;
    return ["E2M1.PACKED", "E2M1.PACKED", "float", { blocks: mods.includes("4X") ? 4 : 2, powers }];
  },
  IMMA: (mods) => {
    const types = twoOf(mods, integerNames, ["SAT"]);
    return types === null ? null : [...types, mods.includes("SAT") ? "saturated" : "integer"];
  },
  BMMA: (mods) => {
    const [op, count] = mods;
    if (mods.length !== 2 || count !== "POPC" || (op !== "AND" && op !== "XOR")) return null;
    return ["B1", "B1", op === "AND" ? "and" : "xor"];
  },
  DMMA: (mods) => (mods.length === 0 ? ["F64", "F64", "double"] : null),
};

/** Offset in the warp's state of the first row of an operand of registers as they are; null: another operand. */
function firstRow(o: Operand | null, zero: number): number | null {
  return o === null || o.kind !== Kind.Reg || o.mods & 7 || !/^(\.ROW|\.COL)?$/.test(o.part)
    ? null
    : (o.id < 0 ? zero : o.id) * ROW_BYTES;
}

/** Rows of A, B, C, D; null: some operand is another. */
function operandRows(s: Site): readonly [a: number, b: number, c: number, d: number] | null {
  const rows = (["a", "b", "c", "d"] as const).map((n) => firstRow(s.find(n), n === "d" ? TRASH_ROW : ZERO_ROW));
  return rows.includes(null) ? null : (rows as [number, number, number, number]);
}

/** A step of HMMA.884. */
function quadStep(s: Site): Product | null {
  const { mods } = s.inst.form;
  const rows = operandRows(s);
  const step = Number(mods.find((m) => m.startsWith("STEP"))?.slice(4) ?? 0);
  const types = mods.filter((m) => m === "F16" || m === "F32");
  if (rows === null || s.inst.guard !== null || types.length !== 2 || mods.length > 4 || mods.includes("SATFINITE"))
    return null;
  const [a, b, c, d] = rows;
  const [halfD, halfC] = types.map((t) => t === "F16") as [boolean, boolean];
  const common = { rows: 8, depth: 4, elements: "F16", from: "registers" } as const;
  const quadsOf = (byLane: boolean): Quads => (byLane ? "lanes" : "k");
  const factorA = { ...common, side: "a", row: a, quads: quadsOf(s.operand("a").part === ".ROW") } as const;
  const factorB = { ...common, side: "b", row: b, quads: quadsOf(s.operand("b").part !== ".ROW") } as const;
  const quads = { step, halfC, halfD };
  return { rows: 8, depth: 4, sums: halfD ? "half" : "float", pairs: 0, quads, a: factorA, b: factorB, c, d };
}

/** The product of an instruction without guard; null for other ones. */
export function productOf(s: Site): Product | null {
  const { op, mods } = s.inst.form;
  if (op === "HMMA" && mods.includes("884")) return quadStep(s);
  const name = mods.find((m) => m in shapes);
  const isSparse = mods.includes("SP");
  const types = typesOf[op]?.(mods.filter((m) => m !== name && m !== "SP")) ?? null;
  if (types === null || name === undefined || s.inst.guard !== null || (s.pred("pin") & 7) !== 7) return null;
  const pin = s.find("pin");
  if (pin !== null && pin.mods & 4) return null;
  const [rows, depth] = shapes[name]!;
  const depthsOf = (e: Elements): readonly number[] =>
    isSparse ? (rows === 8 ? [] : (sparseDepths[e] ?? [])) : possible[e][rows === 8 ? 0 : 1];
  if (!types.slice(0, 2).every((t) => depthsOf(t as Elements).includes(depth))) return null;
  const operands = operandRows(s);
  if (operands === null) return null;
  const [a, b, c, d] = operands;
  const sparse = isSparse ? { meta: firstRow(s.find("e"), ZERO_ROW), selector: s.imm("n") } : null;
  if (sparse !== null && sparse.meta === null) return null;
  const scaling = types[3];
  const scales = scaling === undefined ? undefined : scalesAt(s, isSparse);
  if (scales === null) return null;
  const factors = {
    a: {
      side: "a",
      rows,
      depth,
      elements: types[0],
      row: a,
      from: "registers",
      ...(sparse as Pick<Factor, "meta" | "selector"> | null),
    },
    b: { side: "b", rows: 8, depth, elements: types[1], row: b, from: "registers" },
  } as const;
  if (sparse !== null && !isSelector(factors.a, sparse.selector)) return null;
  const more = scaling === undefined || scales === undefined ? {} : { scaling, scales };
  return { rows, depth, sums: types[2], pairs: pairBytes(factors.a), ...factors, c, d, ...more };
}

/** Null: other operands than those of registers. Above the metadata of a sparse product is the register of A's scales. */
function scalesAt(s: Site, isSparse: boolean): ScalesAt | null {
  const [e, f, where] = ["e", "f", "ur"].map((n) => s.find(n));
  if (e?.kind !== Kind.Reg || f?.kind !== Kind.Reg || where?.kind !== Kind.Reg || where.file !== File.UR) return null;
  if ((e.mods | f.mods) & 7) return null;
  return {
    a: (e.id < 0 ? ZERO_ROW : e.id + (isSparse ? 1 : 0)) * ROW_BYTES,
    b: (f.id < 0 ? ZERO_ROW : f.id) * ROW_BYTES,
    where: UNIFORM + 4 * (where.id < 0 ? ZERO_UNIFORM : where.id),
  };
}
