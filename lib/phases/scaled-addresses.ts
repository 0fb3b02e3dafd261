/**
 * Shifts of an address in shared memory go into the access (SSA window; GeneralOptimizeMid), also where the shifted value has other
 * readers, as ptxas 13.0.88 does (asked on sm_75, 80, 89 with loads, stores, atomics; from sm_90 on it does not):
 *
 *     LEA %R2, %R1, 0x40, 0x4                                IADD3 %R2, %R1, 0x3, RZ
 *     LDS %R3, [%R2+0x8]      →  LDS %R3, [%R1.X16+0x48]     SHF.L.U32 %R4, %R2, 0x3, RZ
 *                                                            LDS %R3, [%R4]      →  LDS %R3, [%R1.X8+0x18]
 */
import { analysis, Definitions, memoryEffect, unitOf } from "../analysis/index.js";
import { isDefault } from "../isa/operand.js";
import { altered, clone, imm, isReg, isZeroReg } from "../ori/operand.js";

import { File, type Func, type Inst, Kind, type Operand } from "../ori/types.js";
import { encodes } from "../rules/encodable.js";
import type { RewriteCounter } from "./rewrites.js";

const accesses: ReadonlySet<string> = new Set(["LDS", "STS", "ATOMS"]);

/** How the base of an access names what it is multiplied with, by the shift. */
const scales: ReadonlyMap<number, string> = new Map([
  [2, ".X4"],
  [3, ".X8"],
  [4, ".X16"],
]);

/** A register times a power of two, and a distance in bytes. */
interface Scaled {
  readonly base: Operand;
  readonly shift: number;
  readonly distance: number;
}

/** Returns how many accesses changed. */
export function scaleAddresses(func: Func, rewrites: RewriteCounter): number {
  if (func.milestone !== "ssa" || !func.target.has("scaledShared")) return 0;
  const defs = new Definitions(func);
  let count = 0;
  analysis(func, "flat").insts.forEach((inst, at) => {
    if (!accesses.has(inst.form.op) || !rewrites.open) return;
    const { base, offset } = memoryEffect(inst.form);
    const [address, distance] = [inst.srcs[base], inst.srcs[offset]];
    if (address === undefined || !plain(address) || distance?.kind !== Kind.Imm) return;
    const found = scaledFrom(address, at, defs);
    if (found === null) return;
    const srcs = inst.srcs.map(clone);
    srcs[base] = altered(found.base, { part: scales.get(found.shift) as string });
    srcs[offset] = imm(distance.value + found.distance);
    if (!encodes(func, inst.form, inst.dsts, srcs)) return;
    inst.srcs = srcs;
    rewrites.take(`scale of ${inst.form.op}`, inst);
    count++;
  });
  if (count > 0) func.generation++;
  return count;
}

/** A register of 32 bits, as it is. */
function plain(o: Operand): boolean {
  return isReg(o) && !isZeroReg(o) && o.file === File.R && o.width === 1 && o.mods === 0 && o.part === "";
}

function scaledFrom(address: Operand, at: number, defs: Definitions): Scaled | null {
  const before = distanceOf(address, at, defs);
  const shifted = shiftOf(before.base, at, defs);
  if (shifted === null) return null;
  const after = distanceOf(shifted.base, at, defs);
  const distance = before.distance + shifted.distance + after.distance * 2 ** shifted.shift;
  return { base: after.base, shift: shifted.shift, distance };
}

/** The register as another one and a constant: `IADD3 d, a, c, RZ`. */
function distanceOf(o: Operand, at: number, defs: Definitions): { readonly base: Operand; readonly distance: number } {
  const inst = madeBy(o, defs);
  const [a, b, c] = inst?.srcs ?? [];
  const isSum = inst?.form.name === "IADD3" && inst.dsts.slice(1).every((d) => !isReg(d) || isZeroReg(d));
  if (!isSum || a === undefined || !plain(a) || b?.kind !== Kind.Imm || c === undefined || !isZeroReg(c))
    return { base: o, distance: 0 };
  return defs.holds(a, at) ? { base: a, distance: b.value | 0 } : { base: o, distance: 0 };
}

/** `SHF.L.U32 d, a, n, RZ`, `LEA d, a, c, n`, `IMAD d, a, 2^n, c`. */
function shiftOf(o: Operand, at: number, defs: Definitions): Scaled | null {
  const inst = madeBy(o, defs);
  if (inst === null) return null;
  const [a, b, c] = inst.srcs as [Operand, Operand, Operand];
  if (!plain(a) || !defs.holds(a, at)) return null;
  switch (inst.form.name) {
    case "SHF.L.U32":
      return isZeroReg(c) ? scaled(a, b, imm(0)) : null;
    case "LEA": {
      const unused = inst.srcs.every((s, k) => k < 3 || isDefault(s, inst.form.srcs[k]!.optional));
      return unused && inst.dsts.slice(1).every((d) => !isReg(d) || isZeroReg(d)) ? scaled(a, c, b) : null;
    }
    case "IMAD": {
      const power = b.kind === Kind.Imm ? Math.log2(b.value >>> 0) : -1;
      return Number.isInteger(power) ? scaled(a, imm(power), isZeroReg(c) ? imm(0) : c) : null;
    }
    default:
      return null;
  }
}

function scaled(base: Operand, by: Operand, plus: Operand): Scaled | null {
  if (by.kind !== Kind.Imm || plus.kind !== Kind.Imm || !scales.has(by.value)) return null;
  return { base, shift: by.value, distance: plus.value | 0 };
}

function madeBy(o: Operand, { units, def, flat }: Definitions): Inst | null {
  const inst = flat.insts[def[unitOf(units, o)] as number];
  return inst === undefined || inst.guard !== null || inst.dsts[0]?.width !== 1 ? null : inst;
}
