/** mov in all its shapes, cvta, and the packing of elements into wider registers. */
import { imm, lo, part, RZ } from "../ori/operand.js";
import { Kind, type Operand } from "../ori/types.js";
import type { NameOperand, Operand as PtxOperand, VectorOperand } from "../ptx/ast.js";
import { addressOf } from "./address.js";
import { functionAddress } from "./call.js";
import type { Context } from "./context.js";
import { at, type Family, type Lowering, operands } from "./family.js";
import { referenceAddress } from "./graphics/references.js";
import { Refusal } from "./refusal.js";
import { type PtxType, totalBits, typeNamed } from "./types.js";

const mov: Lowering = (c, i, m) => {
  const ops = operands(i, 2);
  const [to, from] = [at(ops, 0), at(ops, 1)];
  const vector = m.oneOf(["v2", "v4"]);
  const type = m.type();
  if (vector !== null) {
    moveElements(c, to, from, type);
    return;
  }
  // ptxas takes `mov.b32 {a}, b` too, but moves a quarter of it, or ends in a segmentation fault: PTX gives it no meaning.
  if ([to, from].some((o) => o.kind === "vector" && o.elements.length === 1)) throw new Refusal();
  if (from.kind === "vector") {
    const value = pack(c, from, type);
    c.settle(c.out(to, type), value);
  } else if (to.kind === "vector") unpack(c, to, c.read(from, type), type);
  else {
    const address = from.kind === "name" ? variableAddress(c, from) : null;
    const value = address === null ? c.read(from, type) : extendAddress(c, address, type);
    c.settle(c.inPlace(to, type), value);
  }
};

/** Each element to its place, all at once. */
function moveElements(c: Context, to: PtxOperand, from: PtxOperand, type: PtxType): void {
  if (to.kind !== "vector" || from.kind !== "vector" || to.elements.length !== from.elements.length)
    throw new Refusal();
  const values = from.elements.map((e) => {
    const value = c.read(e, type);
    const kept = c.temp(value.width);
    c.move(kept, value);
    return kept;
  });
  to.elements.forEach((e, k) => {
    if (e.kind !== "sink") c.move(c.out(e, type), values[k] as Operand);
  });
}

/** The address a variable's name means in mov: in its own space, 32 or 64 bits wide. Null for other names. */
export function variableAddress(c: Context, o: NameOperand): Operand | null {
  const v = c.variableOf(o.name);
  if (v === null) return referenceAddress(c, o) ?? functionAddress(c, o);
  if (o.component !== null || typeof o.index === "string") throw new Refusal();
  return addressOf(c, v, o.offset + (o.index ?? 0) * v.element);
}

/** A variable's address as a value of the type. */
export function extendAddress(c: Context, address: Operand, type: PtxType): Operand {
  if (type.bits === 64) return address.width === 2 ? address : c.pair(address, RZ());
  if (type.bits === 32 && type.cls !== "f") return lo(address);
  throw new Refusal();
}

function elementType(type: PtxType, count: number): PtxType {
  const t = typeNamed(`b${totalBits(type) / count}`);
  if (t === null) throw new Refusal();
  return t;
}

/** `{a, b, …}` as one value, the first element lowest. */
function pack(c: Context, v: VectorOperand, type: PtxType): Operand {
  const element = elementType(type, v.elements.length);
  const values = v.elements.map((e) => c.read(e, element));
  return packValues(c, values, element.bits, type);
}

/** Joins elements of 8, 16, 32 or 64 bits into a value of `type`. */
export function packValues(c: Context, values: readonly Operand[], bits: number, type: PtxType): Operand {
  const words: Operand[] = [];
  if (bits >= 32) for (const v of values) for (let w = 0; w < bits / 32; w++) words.push(c.word(v, w));
  else {
    const per = 32 / bits;
    for (let k = 0; k < values.length; k += per) words.push(joinWord(c, values.slice(k, k + per), bits));
  }
  const one = words[0] as Operand;
  if (totalBits(type) <= 32) return one;
  const d = c.temp(words.length);
  words.forEach((w, k) => {
    c.move(part(d, k), w);
  });
  return d;
}

/** 2 halves, or up to 4 bytes, in one word. */
function joinWord(c: Context, parts: readonly Operand[], bits: number): Operand {
  const p = (k: number): Operand => parts[k] ?? RZ();
  if (bits === 16) return c.op("PRMT", [p(0), imm(0x5410), p(1)]);
  const low = c.op("PRMT", [p(0), imm(0x0040), p(1)]);
  if (parts.length <= 2) return low;
  const high = c.op("PRMT", [p(2), imm(0x0040), p(3)]);
  return c.op("PRMT", [low, imm(0x5410), high]);
}

/** Element k of a packed value, in the low bits of a register. */
export function elementOf(c: Context, value: Operand, k: number, bits: number): Operand {
  if (bits === 64) return value.kind === Kind.Reg ? part(value, 2 * k, 2) : value;
  if (bits === 32) return c.word(value, k);
  const per = 32 / bits;
  const word = c.word(value, Math.floor(k / per));
  const n = k % per;
  if (n === 0) return word;
  return c.op("PRMT", [word, imm(bits === 16 ? 0x7732 : 0x7770 + n), RZ()]);
}

function unpack(c: Context, to: VectorOperand, value: Operand, type: PtxType): void {
  const element = elementType(type, to.elements.length);
  const parts = to.elements.map((_, k) => elementOf(c, value, k, element.bits));
  to.elements.forEach((e, k) => {
    if (e.kind === "sink") return;
    c.move(c.out(e, element), parts[k] as Operand);
  });
}

export const moveFamily: Family = { mov };
