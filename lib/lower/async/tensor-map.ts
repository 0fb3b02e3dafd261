/**
 * Tensor maps: kernels get them as parameters (`__grid_constant__`), whose generic address they take by `cvta.param` and give to the copies, or make their own
 * in memory: `tensormap.replace` writes a field of one (`isa/tensor-map.ts`), `tensormap.cp_fenceproxy` brings one from shared to global memory, a word
 * for each lane, and a fence forgets what the unit has kept of it.
 */
import {
  boxField,
  dimensionField,
  elementCode,
  elementStrideField,
  type MapField,
  MOST_DIMENSIONS,
  mapFields,
  roundedField,
  strideFields,
  swizzleExtra,
} from "../../isa/tensor-map.js";
import { hi, imm, lo, RZ, sreg } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { Operand as PtxOperand } from "../../ptx/ast.js";
import { type Address, memoryAddress } from "../address.js";
import { scopeName } from "../atomic-types.js";
import type { Context } from "../context.js";
import { at, type Family, type Lowering, operands } from "../family.js";
import { allTogether } from "../matrix/together.js";
import type { Modifiers } from "../modifiers.js";
import { skip } from "../place.js";
import { Refusal } from "../refusal.js";
import { B64, U32 } from "../types.js";
import { addressIn, sharedAddress, wideAddress } from "./operands.js";
import { eachLane, toUniform } from "./uniform.js";

/** SR_LANEID. */
const LANE_ID = 0;

const prefetchMap: Lowering = (c, i, m) => {
  m.need(["tensormap"]);
  if (!c.target.has("clusters")) throw new Refusal();
  const map = wideAddress(c, addressIn(at(operands(i, 1), 0)), "generic");
  eachLane(c, () => c.emit("UTMACCTL.PF", [], [toUniform(c, [map])]));
};

// ------------------------------------------------------------------------------------------------ fields

type MapSpace = "global" | "shared" | "generic";

/** A map in memory. */
interface Map {
  readonly space: MapSpace;
  readonly where: Address;
}

function takeMap(c: Context, m: Modifiers, o: PtxOperand): Map {
  const word = m.oneOf(["global", "shared::cta"]);
  const space = word === null ? "generic" : word === "global" ? "global" : "shared";
  return { space, where: memoryAddress(c, addressIn(o), space) };
}

const names = { global: ["LDG.E", "STG.E"], generic: ["LD.E", "ST.E"], shared: ["LDS", "STS"] } as const;

const placeIn = (c: Context, map: Map, byte: number): Operand[] => [
  map.where.base,
  skip(),
  imm(map.where.offset + byte),
  ...(map.space === "shared" ? [] : [c.descriptor]),
];

const store = (c: Context, map: Map, byte: number, value: Operand): void => {
  const size = value.width === 2 ? ".64" : "";
  c.emit(`${names[map.space][1]}${size}`, [], [...placeIn(c, map, byte), value]);
};

const maskOf = (f: MapField): number => (((f.bits === 32 ? 0 : 1 << f.bits) - 1) << f.shift) | 0;

/** Puts values into the fields of one word. */
function replace(c: Context, map: Map, fields: readonly (readonly [MapField, Operand])[]): void {
  const [[first, whole]] = fields as [[MapField, Operand]];
  if (first.bits === 32) {
    store(c, map, first.byte, c.materialize(whole));
    return;
  }
  let word = c.op(names[map.space][0], placeIn(c, map, first.byte));
  for (const [f, value] of fields) {
    const shifted = f.shift === 0 ? value : c.op("SHF.L.U32", [value, imm(f.shift), RZ()]);
    word = c.op("LOP3.LUT", [word, imm(maskOf(f)), shifted, imm(0xb8)]);
  }
  store(c, map, first.byte, word);
}

const lessOne = (c: Context, o: PtxOperand): Operand => c.op("IADD3", [c.read(o, U32), imm(-1), RZ()]);

/** A literal from 0 to `most`. */
function number(o: PtxOperand, most: number): number {
  if (o.kind !== "int" || o.hi !== 0 || o.lo > most) throw new Refusal();
  return o.lo;
}

type Field = (c: Context, map: Map, list: readonly PtxOperand[]) => void;

const literal = (c: Context, value: number): Operand => c.materialize(imm(value));

/** Greatest numbers of the fields that take a literal: as the check has them. */
const literals = {
  elemtype: 15,
  interleave_layout: 2,
  swizzle_mode: 3,
  fill_mode: 1,
  swizzle_atomicity: 3,
};

const fields: Readonly<Record<string, Field>> = {
  global_address: (c, map, [value]) => {
    store(c, map, 0, c.materialize(c.read(value as PtxOperand, B64), 2));
  },
  rank: (c, map, [value]) => {
    replace(c, map, [[mapFields.rank, c.materialize(c.read(value as PtxOperand, U32))]]);
  },
  elemtype: (c, map, [value]) => {
    const { code, rounded } = elementCode(number(value as PtxOperand, literals.elemtype));
    const type = [mapFields.elemtype, literal(c, code)] as const;
    replace(c, map, rounded ? [[roundedField, literal(c, 1)], type] : [type]);
  },
  swizzle_mode: (c, map, [value]) => {
    const mode = number(value as PtxOperand, literals.swizzle_mode);
    replace(c, map, [
      [mapFields.swizzle_mode, literal(c, mode)],
      [swizzleExtra, RZ()],
    ]);
  },
  global_dim: (c, map, [i, value]) => {
    const at = number(i as PtxOperand, MOST_DIMENSIONS - 1);
    replace(c, map, [[dimensionField(at), lessOne(c, value as PtxOperand)]]);
  },
  box_dim: (c, map, [i, value]) => {
    const at = number(i as PtxOperand, MOST_DIMENSIONS - 1);
    replace(c, map, [[boxField(at), lessOne(c, value as PtxOperand)]]);
  },
  element_stride: (c, map, [i, value]) => {
    const at = number(i as PtxOperand, MOST_DIMENSIONS - 1);
    replace(c, map, [[elementStrideField(at), lessOne(c, value as PtxOperand)]]);
  },
  global_stride: (c, map, [i, value]) => {
    const [low, high] = strideFields(number(i as PtxOperand, MOST_DIMENSIONS - 2));
    const bytes = c.materialize(c.read(value as PtxOperand, B64), 2);
    replace(c, map, [[low, c.op("SHF.R.U64", [lo(bytes), imm(4), hi(bytes)])]]);
    replace(c, map, [[high, c.op("SHF.R.U32.HI", [RZ(), imm(4), hi(bytes)])]]);
  },
};

/** `.interleave_layout` and others that are a number and nothing more. */
const plainField =
  (name: "interleave_layout" | "fill_mode" | "swizzle_atomicity"): Field =>
  (c, map, [value]) => {
    replace(c, map, [[mapFields[name], literal(c, number(value as PtxOperand, literals[name]))]]);
  };

const allFields: Readonly<Record<string, Field>> = {
  ...fields,
  interleave_layout: plainField("interleave_layout"),
  fill_mode: plainField("fill_mode"),
  swizzle_atomicity: plainField("swizzle_atomicity"),
};

const indexed: ReadonlySet<string> = new Set(["global_dim", "box_dim", "element_stride", "global_stride"]);

const replaceField: Lowering = (c, i, m) => {
  m.need(["tile"]);
  const name = m.need(Object.keys(allFields));
  const list = operands(i, indexed.has(name) ? 3 : 2);
  const map = takeMap(c, m, at(list, 0));
  m.need(["b1024"]);
  m.need([name === "global_address" || name === "global_stride" ? "b64" : "b32"]);
  (allFields[name] as Field)(c, map, list.slice(1));
};

// ------------------------------------------------------------------------------------------------ fences

/** `tensormap.cp_fenceproxy`: each lane exchanges one of the 32 words, as seen by the scope. */
const copyMap: Lowering = (c, i, m) => {
  for (const w of ["global", "shared::cta", "tensormap::generic", "release"]) m.need([w]);
  const scope = m.need(["cta", "cluster", "gpu", "sys"]);
  for (const w of ["sync", "aligned"]) m.need([w]);
  const [to, from, size] = operands(i, 3) as [PtxOperand, PtxOperand, PtxOperand];
  if (number(size, 128) !== 128) throw new Refusal();
  const [global, shared] = [wideAddress(c, addressIn(to), "global"), sharedAddress(c, from)];
  allTogether(c);
  const bytes = c.op("SHF.L.U32", [c.op("S2R", [sreg(LANE_ID)]), imm(2), RZ()]);
  const word = c.op("LDS", [c.op("IADD3", [shared, bytes, RZ()]), skip(), imm(0)]);
  const there = c.temp(2);
  const carry = c.predicate();
  c.emit("IADD3", [lo(there), carry], [lo(global), bytes, RZ()]);
  c.emit("IADD3.X", [hi(there)], [hi(global), RZ(), RZ(), carry]);
  const seen = scopeName(c, scope === "sys" ? "sys" : "gpu");
  c.emit(`ATOMG.E.EXCH${seen}`, [skip(), RZ()], [there, skip(), imm(0), c.descriptor, word]);
};

const tensormap: Lowering = (c, i, m) => {
  if (!c.target.has("clusters")) throw new Refusal();
  if (m.need(["replace", "cp_fenceproxy"]) === "replace") replaceField(c, i, m);
  else copyMap(c, i, m);
};

/** All that was loaded is there. */
const ALL_SCOREBOARDS = 0x3f;

/** `fence.proxy.tensormap::generic.acquire [map], 128`: what the unit kept of the map is forgotten. */
export function acquireMap(c: Context, list: readonly PtxOperand[]): void {
  const [where, size] = list as [PtxOperand, PtxOperand];
  if (list.length !== 2 || number(size, 128) !== 128) throw new Refusal();
  const map = wideAddress(c, addressIn(where), "generic");
  c.emit("DEPBAR", [], [imm(ALL_SCOREBOARDS)]);
  eachLane(c, () => c.emit("UTMACCTL.IV", [], [toUniform(c, [map])]));
}

/** Lowerings of opcodes that mean something more for tensor maps; `base` takes the rest. */
export function withTensorMaps(base: Family): Family {
  const { prefetch } = base;
  return {
    ...base,
    tensormap,
    prefetch: (c, i, m) => {
      if (i.modifiers.includes("tensormap") && !i.modifiers.includes("param")) prefetchMap(c, i, m);
      else if (prefetch === undefined) throw new Refusal();
      else prefetch(c, i, m);
    },
  };
}
