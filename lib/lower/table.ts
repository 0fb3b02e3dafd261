/**
 * Opcode → lowering. A new instruction is a line here (or in the table of its family) and a function in its family's file. Where
 * one opcode serves several number types, `byType` chooses by the last type modifier.
 */
import { approximateFamily } from "./approximate.js";
import { withClusters } from "./async/cluster.js";
import { asyncFamily } from "./async/index.js";
import { withTensorMaps } from "./async/tensor-map.js";
import { atomicFamily } from "./atomic.js";
import { bitsFamily } from "./bits.js";
import { policyFamily } from "./cache-policy.js";
import { callFamily } from "./call.js";
import { compareFamily } from "./compare.js";
import { controlFamily } from "./control.js";
import { convertFamily } from "./convert.js";
import { floatDivide, integerDivide, rcp, rsqrt, sqrt } from "./divide.js";
import type { Family, Lowering } from "./family.js";
import { findFamily } from "./find.js";
import { copysign, floatAdd, floatExtremum, floatFma, floatMul, floatSign } from "./float.js";
import { extremum3, mixed, pairs } from "./float-pairs.js";
import { queryFamily } from "./graphics/query.js";
import { surfaceFamily } from "./graphics/surface.js";
import { textureFamily } from "./graphics/texture.js";
import { dot, halfAdd, halfExtremum, halfFma, halfMul, halfSign, halfSub } from "./half.js";
import { integer } from "./integer.js";
import { pairAdd, pairExtremum, reluExtremum } from "./integer-pairs.js";
import { matrixFamily } from "./matrix/index.js";
import { memoryFamily } from "./memory.js";
import { moveFamily } from "./move.js";
import { multimemFamily } from "./multimem.js";
import { Refusal } from "./refusal.js";
import { spaceFamily } from "./spaces.js";
import { stackFamily } from "./stack.js";
import { syncFamily } from "./sync.js";
import { tensorMemoryFamily } from "./tensor-memory/index.js";
import { type PtxType, typeNamed } from "./types.js";
import { videoFamily } from "./video.js";
import { warpFamily } from "./warp.js";

interface Kinds {
  readonly integer?: Lowering;
  /** f32 and f64. */
  readonly float?: Lowering;
  /** f16, bf16 and their pairs. */
  readonly half?: Lowering;
  /** f32x2. */
  readonly pair?: Lowering;
  /** f32 with operands of f16 or bf16. */
  readonly mixed?: Lowering;
  /** u16x2 and s16x2. */
  readonly integerPair?: Lowering;
}

function kindOf(type: PtxType, words: readonly string[]): keyof Kinds {
  if (type.cls !== "f" && type.cls !== "bf") return type.lanes === 2 ? "integerPair" : "integer";
  if (type.bits === 16) return words.includes("f32") ? "mixed" : "half";
  return type.lanes === 2 ? "pair" : "float";
}

function byType(kinds: Kinds): Lowering {
  return (c, i, m) => {
    // `.relu` may stand after the type (as nvcc's headers write it).
    const type = i.modifiers.reduceRight<PtxType | null>((found, w) => found ?? typeNamed(w), null);
    if (type === null) throw new Refusal();
    const lower = kinds[kindOf(type, i.modifiers)];
    if (lower === undefined) throw new Refusal();
    lower(c, i, m);
  };
}

const families: Family = {
  ...moveFamily,
  ...spaceFamily,
  ...policyFamily,
  ...videoFamily,
  ...findFamily,
  ...bitsFamily,
  ...compareFamily,
  ...controlFamily,
  ...memoryFamily,
  ...convertFamily,
  ...stackFamily,
  ...syncFamily,
  ...warpFamily,
  ...atomicFamily,
  ...approximateFamily,
  ...callFamily,
  ...textureFamily,
  ...surfaceFamily,
  ...queryFamily,
  ...multimemFamily,
  ...matrixFamily,
  ...tensorMemoryFamily,
  ...asyncFamily,
  ...integer,
  add: byType({
    integer: integer.add,
    float: floatAdd(false),
    half: halfAdd,
    pair: pairs.add,
    mixed: mixed.add,
    integerPair: pairAdd,
  }),
  sub: byType({ integer: integer.sub, float: floatAdd(true), half: halfSub, pair: pairs.sub, mixed: mixed.sub }),
  mul: byType({ integer: integer.mul, float: floatMul, half: halfMul, pair: pairs.mul }),
  mad: byType({ integer: integer.mad, float: floatFma }),
  fma: byType({ float: floatFma, half: halfFma, pair: pairs.fma, mixed: mixed.fma }),
  neg: byType({ integer: integer.neg, float: floatSign(false), half: halfSign(false) }),
  abs: byType({ integer: integer.abs, float: floatSign(true), half: halfSign(true) }),
  min: byType({
    integer: (c, i, m) => (i.modifiers.includes("relu") ? reluExtremum(false) : (integer.min as Lowering))(c, i, m),
    float: (c, i, m) => (i.operands.length === 4 ? extremum3(false) : floatExtremum(false))(c, i, m),
    half: halfExtremum(false),
    integerPair: pairExtremum(false),
  }),
  max: byType({
    integer: (c, i, m) => (i.modifiers.includes("relu") ? reluExtremum(true) : (integer.max as Lowering))(c, i, m),
    float: (c, i, m) => (i.operands.length === 4 ? extremum3(true) : floatExtremum(true))(c, i, m),
    half: halfExtremum(true),
    integerPair: pairExtremum(true),
  }),
  div: byType({ integer: integerDivide(false), float: floatDivide }),
  rem: byType({ integer: integerDivide(true) }),
  rcp: byType({ float: rcp }),
  sqrt: byType({ float: sqrt }),
  rsqrt: byType({ float: rsqrt }),
  copysign,
  dp4a: dot(true),
  dp2a: dot(false),
};

export const lowerings: Family = withTensorMaps(withClusters(families));

/** Transfers of control: they carry their guard themselves. */
export const transfers: ReadonlySet<string> = new Set(["bra", "brx", "exit", "ret"]);
