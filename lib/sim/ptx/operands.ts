/** Operands as functions that read and write the state of a thread. */
import { floatValue, type Operand } from "../../ptx/index.js";
import type { Named, Read, Site, Write } from "./code.js";
import { BF16, encode, F32, fromNumber } from "./exact.js";
import { toGeneric } from "./memory.js";
import { special } from "./special.js";
import { maskOf, type Type, type Value } from "./types.js";

const constant = (v: Value): Read => {
  return () => v;
};

const COMPONENTS: Readonly<Record<string, number>> = { x: 0, y: 1, z: 2, w: 3, r: 0, g: 1, b: 2, a: 3 };

/** The slot of a register, with the component of a vector. */
function slotOf(s: Site, found: Named & { kind: "register" }, component: string | null): number {
  if (component === null) return found.slot;
  const n = COMPONENTS[component];
  if (n === undefined || n >= found.vector) return s.refuse(`component .${component}`);
  return found.slot + n;
}

/** The bits of a literal as the type has them. */
function literal(s: Site, o: Operand & { kind: "int" | "float" }, t: Type): Value {
  if (o.kind === "int") return BigInt.asUintN(t.bits, (BigInt(o.hi) << 32n) | BigInt(o.lo));
  if (t.lanes > 1) return s.refuse("a float for a packed type");
  if (o.width === 32 && t.bits === 32) return BigInt(o.lo);
  const bits = (BigInt(o.hi) << 32n) | BigInt(o.lo);
  if (o.width === 64 && t.bits === 64) return bits;
  const v = fromNumber(floatValue(o.width, o.lo, o.hi));
  if (t.format !== null) return encode(v, t.format);
  return t.bits === 32 ? encode(v, F32) : s.refuse("a float constant");
}

/** Address of a variable in its space, of one in the frame, or of a function. */
function addressOf(s: Site, name: string, offset: number): Read {
  const found = s.lookup(name);
  switch (found?.kind) {
    case "variable":
      return constant(found.address + BigInt(offset));
    case "frame": {
      const at = found.offset + offset;
      return (t) => BigInt(t.frame.base + at);
    }
    case "function":
      return constant(found.code().address);
    case "reference":
      return offset === 0 ? (t) => t.cta.launch.reference(found.name, found.of) : s.refuse("an offset");
    default:
      return s.refuse(`the name ${name}`);
  }
}

function readName(s: Site, o: Operand & { kind: "name" }, t: Type): Read {
  const found = s.lookup(o.name);
  if (found === null) {
    const value = special(o.name, o.component) ?? s.refuse(o.name);
    const mask = maskOf(t.bits);
    return (x) => value(x) & mask;
  }
  if (found.kind === "register") {
    const slot = slotOf(s, found, o.component);
    if (found.type.bits <= t.bits) return (x) => x.r[slot]!;
    const mask = maskOf(t.bits);
    return (x) => x.r[slot]! & mask;
  }
  if (o.component !== null || typeof o.index === "string") return s.refuse(o.name);
  const read = addressOf(s, o.name, o.offset + Number(o.index ?? 0));
  const mask = maskOf(t.bits);
  return (x) => read(x) & mask;
}

/** The element of a vector that stands for one value: the only one, or of bf16 the first, as ptxas takes it; the ISA gives the latter no meaning. */
function scalarOf(o: Operand & { kind: "vector" }, t: Type): Operand | null {
  return o.elements.length === 1 || t.format === BF16 ? o.elements[0]! : null;
}

export function readOperand(s: Site, o: Operand, t: Type): Read {
  switch (o.kind) {
    case "int":
    case "float":
      return constant(literal(s, o, t));
    case "name":
      return readName(s, o, t);
    case "not": {
      const read = readOperand(s, o.operand, t);
      return (x) => read(x) ^ 1n;
    }
    case "vector": {
      const element = scalarOf(o, t);
      return element === null ? s.refuse("a vector") : readOperand(s, element, t);
    }
    default:
      return s.refuse(`an operand of kind ${o.kind}`);
  }
}

/** Writes into a register that may be wider: signed types extend their sign, all others are extended with zeros. All elements of a vector get one value. */
export function writeOperand(s: Site, o: Operand, t: Type): Write {
  if (o.kind === "sink") return () => {};
  if (o.kind === "vector" && scalarOf(o, t) !== null) {
    const writes = o.elements.map((e) => writeOperand(s, e, t));
    return (x, v) => {
      for (const w of writes) w(x, v);
    };
  }
  const found = o.kind === "name" ? s.lookup(o.name) : null;
  if (o.kind !== "name" || found?.kind !== "register") return s.refuse("a destination that is no register");
  const slot = slotOf(s, found, o.component);
  const { bits } = found.type;
  if (t.kind === "s" && bits > t.bits)
    return (x, v) => {
      x.r[slot] = BigInt.asUintN(bits, BigInt.asIntN(t.bits, v));
    };
  if (bits < t.bits) {
    const mask = maskOf(bits);
    return (x, v) => {
      x.r[slot] = v & mask;
    };
  }
  return (x, v) => {
    x.r[slot] = v;
  };
}

/** The address in brackets. */
export function readAddress(s: Site, o: Operand): Read {
  if (o.kind !== "address") return s.refuse("an operand that is no address");
  const offset = BigInt(o.offset);
  if (o.base === null) return constant(BigInt.asUintN(64, offset));
  const found = s.lookup(o.base);
  if (found?.kind !== "register") return addressOf(s, o.base, o.offset);
  const { slot } = found;
  const { bits } = found.type;
  return offset === 0n ? (t) => t.r[slot]! : (t) => BigInt.asUintN(bits, t.r[slot]! + offset);
}

/** Where a name in brackets lies when the instruction names no space: generic addresses are asked for. */
export function genericOf(s: Site, o: Operand): Read {
  const read = readAddress(s, o);
  if (o.kind !== "address" || o.base === null) return read;
  const found = s.lookup(o.base);
  if (found?.kind === "variable") return (t) => toGeneric(found.space, read(t));
  if (found?.kind === "frame") return (t) => toGeneric("local", read(t));
  return read;
}
