/**
 * Loads and stores of all state spaces, scalar and vector.
 *
 * A vector is one access of the whole width; its elements are taken from, or joined into, one wide value. Orderings follow
 * ptxas (facts/ptx-to-sass): volatile is a strong access of system scope, acquire a strong load followed by an invalidation
 * of L1, release a fence followed by a strong store.
 */
import { clone, constBank, constIndexed, imm, part, RZ } from "../ori/operand.js";
import { File, type Operand, ZERO_REG } from "../ori/types.js";
import type { AddressOperand, Operand as PtxOperand } from "../ptx/ast.js";
import { type Address, clusterAddress, memoryAddress, moved } from "./address.js";
import { assign } from "./assign.js";
import { policyDescriptor } from "./cache-policy.js";
import type { Context } from "./context.js";
import { at, type Family, type Lowering, operands } from "./family.js";
import { acquired, membar, type Scope } from "./fence.js";
import type { Modifiers } from "./modifiers.js";
import { elementOf, packValues } from "./move.js";
import { skip } from "./place.js";
import { Refusal } from "./refusal.js";
import { loadSlot, storeSlot } from "./slots.js";
import { bytesOf, type PtxType, registersOf, typeNamed } from "./types.js";

export type AccessSpace = "global" | "shared" | "cluster" | "local" | "const" | "param" | "generic";

interface Access {
  readonly space: AccessSpace;
  /** Elements that are moved, … */
  readonly vector: number;
  /** … and those that are written in braces. */
  readonly braced: number;
  readonly type: PtxType;
  readonly order: "weak" | "volatile" | "relaxed" | "acquire" | "release" | "mmio";
  readonly scope: Scope;
  /** Modifiers of the machine instruction for caching. */
  readonly cache: string;
  /** The last operand is a cache policy. */
  readonly hint: boolean;
}

const spaces: Readonly<Record<string, AccessSpace>> = {
  global: "global",
  shared: "shared",
  "shared::cta": "shared",
  "shared::cluster": "cluster",
  local: "local",
  const: "const",
  param: "param",
  "param::entry": "param",
  "param::func": "param",
};

export function takeSpace(m: Modifiers): AccessSpace {
  const word = m.oneOf(Object.keys(spaces));
  return word === null ? "generic" : (spaces[word] as AccessSpace);
}

export function takeScope(m: Modifiers): Scope {
  return m.need(["cta", "cluster", "gpu", "sys"]);
}

const evictions: Readonly<Record<string, string>> = {
  "L1::evict_normal": "",
  "L1::evict_unchanged": ".EU",
  "L1::evict_first": ".EF",
  "L1::evict_last": ".EL",
  "L1::no_allocate": ".NA",
};

/** How accesses of 256 bits, and they alone, say it. */
const evictionsOfL2: Readonly<Record<string, string>> = {
  "L2::evict_normal": ".ENL2",
  "L2::evict_first": ".EFL2",
  "L2::evict_last": ".ELL2",
};

function access(m: Modifiers, load: boolean): Access {
  const mmio = m.flag("mmio");
  const order = m.oneOf(["weak", "volatile", "relaxed", load ? "acquire" : "release"] as const) ?? "weak";
  const scope = order === "weak" ? "cta" : order === "volatile" ? "sys" : takeScope(m);
  if (mmio && (order !== "relaxed" || scope !== "sys")) throw new Refusal();
  const space = takeSpace(m);
  const readOnly = load && m.flag("nc");
  const cacheWord = m.oneOf(load ? ["ca", "cg", "cs", "lu", "cv"] : ["wb", "cg", "cs", "wt"]);
  const evict = m.oneOf(Object.keys(evictions));
  const level2 = m.oneOf(["L2::evict_first", "L2::evict_last", "L2::evict_normal"]);
  const prefetch = load ? m.oneOf(["L2::64B", "L2::128B", "L2::256B"]) : null;
  const hint = m.flag("L2::cache_hint");
  const braced = Number((m.oneOf(["v2", "v4", "v8"]) ?? "v1").slice(1));
  const type = m.type();
  // PTX knows no vectors of eight narrow elements. ptxas takes them and moves the first alone; where it loads 16 bits, it ends in a segmentation fault.
  const narrow = braced === 8 && type.bits < 32;
  if (narrow && load && type.bits !== 8) throw new Refusal();
  const vector = narrow ? 1 : braced;
  const bits = type.bits * vector;
  if (type.cls === "p" || type.lanes !== 1 || bits > (space === "global" || space === "generic" ? 256 : 128))
    throw new Refusal();
  let cache = evict === null ? "" : (evictions[evict] as string);
  // Caching hints (.ca, .cg, .wt …) are performance only; evict-first and last-use have a modifier of their own.
  if (cacheWord === "cs" && evict === null) cache += ".EF";
  if (cacheWord === "lu" && evict === null) cache += ".LU";
  if (bits === 256) cache += level2 === null ? ".ENL2" : (evictionsOfL2[level2] as string);
  else if (level2 !== null) throw new Refusal();
  if (prefetch !== null) cache += `.LTC${prefetch.slice(4)}`;
  if (readOnly && (space !== "global" || order !== "weak")) throw new Refusal();
  if (bits === 256) cache += ".256";
  if (readOnly) cache += ".CONSTANT";
  const made = { space, vector, braced, type, cache, hint };
  if (mmio && space !== "global" && space !== "generic") throw new Refusal();
  if (mmio) return { ...made, order: "mmio", scope };
  return cacheWord === "cv" && order === "weak"
    ? { ...made, order: "volatile", scope: "sys" }
    : { ...made, order, scope };
}

/** `.64`, `.U8` …: size modifier of an access of `bytes`, with the extension of a narrow element. */
export function sizeModifier(bytes: number, signed: boolean): string {
  switch (bytes) {
    case 1:
      return signed ? ".S8" : ".U8";
    case 2:
      return signed ? ".S16" : ".U16";
    case 4:
      return "";
    case 8:
      return ".64";
    case 16:
      return ".128";
    default:
      throw new Refusal();
  }
}

/** `.STRONG.GPU`: how strong a global or generic access is. */
function strength(c: Context, a: Access): string {
  const old = !c.target.has("memoryDescriptor");
  if (a.order === "mmio") return ".MMIO.SYS";
  if (a.order === "weak") return old ? ".SYS" : "";
  const scopes = { cta: old ? "CTA" : "SM", cluster: "GPU", gpu: "GPU", sys: "SYS" } as const;
  return `.STRONG.${scopes[a.scope]}`;
}

function addressOperand(o: PtxOperand): AddressOperand {
  if (o.kind === "name" && o.index !== null) {
    throw new Refusal();
  }
  if (o.kind !== "address" || o.rest.length > 0) throw new Refusal();
  return o;
}

// ------------------------------------------------------------------------------------------------ loads

/** The descriptor of an access: none for devices and the cluster's window, a policy, or the usual one. */
function descriptorOf(c: Context, a: Access, policy: PtxOperand | undefined): Operand {
  if (policy !== undefined && (a.space === "global" || a.space === "generic")) return policyDescriptor(c, policy);
  if (policy !== undefined) throw new Refusal();
  if (a.space === "shared" || a.space === "local") return skip();
  return a.order === "mmio" || a.space === "cluster" ? skip() : c.descriptor;
}

/** The address of an access. One of 256 bits has an offset of whole ones (ptxas keeps it so). */
function addressOfAccess(c: Context, a: Access, o: AddressOperand, bytes: number): Address {
  if (a.space === "cluster") return clusterAddress(c, o);
  const where = memoryAddress(c, o, a.space);
  return bytes === 32 && where.offset % 32 !== 0 ? moved(c, where) : where;
}

const ld: Lowering = (c, i, m) => {
  const a = access(m, true);
  const ops = operands(i, a.hint ? 3 : 2);
  const where = addressOperand(at(ops, 1));
  const to = elements(at(ops, 0), a);
  if (a.space === "param" && loadSlot(c, where, to, a.type)) return;
  if (a.space === "const" || a.space === "param") {
    loadConstant(c, a, to, memoryAddress(c, where, a.space));
    return;
  }
  const bytes = bytesOf(a.type) * a.vector;
  const values = emitLoad(c, a, addressOfAccess(c, a, where, bytes), bytes, descriptorOf(c, a, ops[2]));
  if (a.order === "acquire" && a.space !== "local") acquired(c, a.scope, a.space === "shared");
  if (a.vector === 1) assign(c, at(to, 0), values[0], a.type);
  else {
    const per = a.vector / values.length;
    const signed = a.type.cls === "s" && a.type.bits === 8;
    const element = signed ? signedByte : elementOf;
    const parts = to.map((_, k) => element(c, values[Math.floor(k / per)] as Operand, k % per, a.type.bits));
    to.forEach((o, k) => {
      assign(c, o, signed ? (parts[k] as Operand) : extendElement(c, parts[k] as Operand, a.type), a.type);
    });
  }
};

/** What an access moves; a single element may stand in braces. */
function elements(o: PtxOperand, { braced, vector }: Access): readonly PtxOperand[] {
  if (o.kind !== "vector" && braced === 1) return [o];
  if (o.kind === "vector" && o.elements.length === braced) return o.elements.slice(0, vector);
  throw new Refusal();
}

/** Byte k of a packed load with its sign: shifted down, then extended, as ptxas 13.0.88 has it at all levels. */
function signedByte(c: Context, value: Operand, k: number): Operand {
  const word = c.word(value, k >> 2);
  const down = (k & 3) === 0 ? word : c.op("SHF.R.S32.HI", [RZ(), imm(8 * (k & 3)), word]);
  const d = c.temp();
  c.emit("SGXT", [d], [down, imm(8)]).said = "kept";
  return d;
}

/** Elements of a packed load are zero extended; the sign of narrow signed ones is brought up. */
function extendElement(c: Context, o: Operand, type: PtxType): Operand {
  if (type.bits >= 32) return o;
  if (type.cls === "s") return c.op("PRMT", [o, imm(0x9910), RZ()]);
  const d = c.temp();
  c.emit("PRMT", [d], [o, imm(type.bits === 8 ? 0x7770 : 0x7710), RZ()]).said = "part";
  return d;
}

function emitLoad(c: Context, a: Access, where: Address, bytes: number, descriptor: Operand): [Operand, ...Operand[]] {
  const offset = imm(where.offset);
  if (bytes === 32) {
    // The upper half is a result of its own, named first; ptxas takes every address for one of global memory.
    const halves: [Operand, Operand] = [c.temp(4), c.temp(4)];
    const form = `LDG.E${a.cache}${strength(c, a)}`;
    const load = c.emit(form, [halves[1], halves[0]], [where.base, skip(), offset, descriptor]);
    if (a.order === "volatile" || a.order === "mmio") load.said = "volatile";
    return halves;
  }
  const d = c.temp(Math.max(1, bytes / 4));
  if (a.space !== "shared" && a.space !== "local") {
    const name = a.space === "global" ? "LDG" : "LD";
    const form = `${name}.E${sizeModifier(bytes, signed(a, true))}${a.cache}${strength(c, a)}`;
    const load = c.emit(form, [d], [where.base, skip(), offset, descriptor]);
    if (a.order === "volatile" || a.order === "mmio") load.said = "volatile";
    return [d];
  }
  const size = sizeModifier(bytes, signed(a, true));
  switch (a.space) {
    case "shared": {
      const load = c.emit(
        `LDS${c.target.has("memoryDescriptor") ? "" : ".U"}${size}`,
        [d],
        [where.base, skip(), offset],
      );
      if (a.order !== "weak") {
        c.watching.insts.add(load);
        load.said = "volatile";
      }
      return [d];
    }
    case "local":
      c.emit(`LDL${size}`, [d], [where.base, skip(), offset]);
      return [d];
    default:
      throw new Refusal();
  }
}

/** One signed element: a load brings up its sign, of two bytes too; of a store it says what ptxas says. */
function signed(a: Access, load: boolean): boolean {
  return a.type.cls === "s" && (a.vector === 1 || (load && a.vector * a.type.bits === 16));
}

/** Constant banks and kernel parameters: one LDC per element. */
function loadConstant(c: Context, a: Access, targets: readonly PtxOperand[], where: Address): void {
  const bank = a.space === "param" ? 0 : 3;
  const start = where.offset + (a.space === "param" ? c.target.constants.paramBase : 0);
  const bytes = bytesOf(a.type);
  const plain = where.base.id === ZERO_REG;
  // The distance from an index is signed (asked: ptxas adds 0x10000 to the index where 65532 is added to it); one index for all elements.
  const near = start >= -32768 && start + targets.length * bytes <= (plain ? 65536 : 32768);
  const index = plain && near ? null : indexRegister(c, where.base, near ? 0 : start);
  const values = targets.map((_, k) => {
    const d = c.temp(registersOf(a.type));
    const source = (at: number, width: number): Operand => {
      const from = k * bytes + at;
      const place = near ? start + from : from;
      return index === null ? constBank(bank, place, width) : constIndexed(bank, File.R, index, place, width);
    };
    // 128 bits are loaded as two halves, as ptxas does.
    if (bytes === 16) for (const from of [0, 8]) c.emit("LDC.64", [part(d, from / 4, 2)], [source(from, 2)]);
    else c.emit(`LDC${sizeModifier(bytes, a.type.cls === "s")}`, [d], [source(0, d.width)]);
    return d;
  });
  targets.forEach((o, k) => {
    assign(c, o, values[k] as Operand, a.type);
  });
}

/** An index register is a value of its own (the operand names no part of one). */
function indexRegister(c: Context, base: Operand, plus: number): number {
  return (plus === 0 ? c.op("MOV", [base]) : c.op("IADD3", [base, imm(plus), RZ()])).id;
}

// ------------------------------------------------------------------------------------------------ stores

const st: Lowering = (c, i, m) => {
  const a = access(m, false);
  const ops = operands(i, a.hint ? 3 : 2);
  const where = addressOperand(at(ops, 0));
  const values = elements(at(ops, 1), a).map((o) => c.read(o, a.type));
  if (a.space === "param") {
    storeSlot(c, where, values, a.type);
    return;
  }
  if (a.order === "release") membar(c, "ALL", a.scope);
  const bytes = bytesOf(a.type) * a.vector;
  const at256 = bytes === 32;
  const whole = typeNamed(at256 ? "b128" : `b${bytes * 8}`);
  if (whole === null) throw new Refusal();
  const descriptor = descriptorOf(c, a, ops[2]);
  const address = addressOfAccess(c, a, where, bytes);
  const half = a.vector / 2;
  const data = at256
    ? [values.slice(0, half), values.slice(half)].map((v) => packValues(c, v, a.type.bits, whole))
    : [a.vector === 1 ? clone(values[0] as Operand) : packValues(c, values, a.type.bits, whole)];
  emitStore(c, a, address, bytes, data, descriptor);
};

function emitStore(
  c: Context,
  a: Access,
  where: Address,
  bytes: number,
  data: readonly Operand[],
  descriptor: Operand,
): void {
  const offset = imm(where.offset);
  if (a.space !== "shared" && a.space !== "local") {
    const name = a.space === "global" || bytes === 32 ? "STG" : "ST";
    const size = bytes === 32 ? "" : sizeModifier(bytes, signed(a, false));
    const form = `${name}.E${size}${a.cache}${strength(c, a)}`;
    c.emit(form, [], [where.base, skip(), offset, descriptor, ...data]);
    return;
  }
  const size = sizeModifier(bytes, signed(a, false));
  switch (a.space) {
    case "shared": {
      const store = c.emit(`STS${size}`, [], [where.base, skip(), offset, ...data]);
      if (a.order !== "weak") store.said = "volatile";
      return;
    }
    case "local":
      c.emit(`STL${size}`, [], [where.base, skip(), offset, skip(), ...data]);
      return;
    default:
      throw new Refusal();
  }
}

const levels: Readonly<Record<string, string>> = {
  L1: "PF1",
  L2: "PF2",
  "L2::evict_last": "PML2",
  "L2::evict_normal": "PF2",
};

/** A line is to come into a cache (ptxas 13.0.88, -O0 and -O3, sm_75 to 120; also for `prefetchu`). */
const prefetch: Lowering = (c, i, m) => {
  const space = takeSpace(m);
  const level = levels[m.need(Object.keys(levels))] as string;
  const o = i.operands[0];
  if (o === undefined || o.kind !== "address" || o.rest.length > 0) throw new Refusal();
  if (space === "local") {
    const where = memoryAddress(c, o, "local");
    c.emit(`CCTLL.${level}`, [], [where.base, skip(), imm(where.offset)]);
    return;
  }
  if (space !== "global" && space !== "generic") throw new Refusal();
  const where = memoryAddress(c, o, space);
  c.emit(`CCTL.E.${level}`, [], [where.base, skip(), imm(where.offset)]);
};

export const memoryFamily: Family = { ld, ldu: ld, st, prefetch, prefetchu: prefetch };
