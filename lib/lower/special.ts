/**
 * Special registers: hardware registers read by S2R or CS2R, launch constants in bank 0, and a few computed from one
 * of them (measured on ptxas 13.0.88).
 */
import { constBank, constIndexed, hi, imm, lo, neg, RZ, sreg } from "../ori/operand.js";
import { File, type Operand } from "../ori/types.js";
import type { ConstantBank } from "../target/types.js";
import { clusterRegister } from "./async/cluster-registers.js";
import type { Context } from "./context.js";
import { minMax32 } from "./integer.js";
import { Refusal } from "./refusal.js";
import type { PtxType } from "./types.js";

type Source =
  | { readonly s2r: number }
  /** CS2R of a 32-bit half, or of the whole 64 bits. */
  | { readonly cs2r: number; readonly wide: boolean }
  | { readonly bank0: keyof ConstantBank; readonly plus: number }
  /** A bit field of a hardware register. */
  | { readonly s2r: number; readonly shift: number; readonly bits: number }
  | { readonly value: number }
  /** Warps that an SM can hold: a number before there were clusters, a field of a register since. */
  | { readonly warps: { readonly s2r: number; readonly shift: number; readonly bits: number } }
  /** SR_SMEMSZ less what the system takes. */
  | { readonly total: number }
  /** The smaller of SR_SMEMSZ and a launch's value. */
  | { readonly most: number };

const SMEMSZ = 0x32;
const sources: Readonly<Record<string, Source>> = {
  "%tid.x": { s2r: 0x21 },
  "%tid.y": { s2r: 0x22 },
  "%tid.z": { s2r: 0x23 },
  "%ctaid.x": { s2r: 0x25 },
  "%ctaid.y": { s2r: 0x26 },
  "%ctaid.z": { s2r: 0x27 },
  "%ntid.x": { bank0: "ntid", plus: 0 },
  "%ntid.y": { bank0: "ntid", plus: 4 },
  "%ntid.z": { bank0: "ntid", plus: 8 },
  "%nctaid.x": { bank0: "nctaid", plus: 0 },
  "%nctaid.y": { bank0: "nctaid", plus: 4 },
  "%nctaid.z": { bank0: "nctaid", plus: 8 },
  "%laneid": { s2r: 0x00 },
  "%warpid": { s2r: 0x03, shift: 8, bits: 7 },
  "%smid": { s2r: 0x43 },
  "%lanemask_eq": { s2r: 0x38 },
  "%lanemask_lt": { s2r: 0x39 },
  "%lanemask_le": { s2r: 0x3a },
  "%lanemask_gt": { s2r: 0x3b },
  "%lanemask_ge": { s2r: 0x3c },
  "%clock": { cs2r: 0x50, wide: false },
  "%clock_hi": { cs2r: 0x51, wide: false },
  "%clock64": { cs2r: 0x50, wide: true },
  "%globaltimer": { cs2r: 0x52, wide: true },
  "%globaltimer_lo": { cs2r: 0x52, wide: false },
  "%globaltimer_hi": { cs2r: 0x53, wide: false },
  WARP_SZ: { value: 32 },
  "%total_smem_size": { total: SMEMSZ },
  "%nwarpid": { warps: { s2r: 0x02, shift: 8, bits: 8 } },
  "%cluster_ctarank": { s2r: 0x88 },
  // Before sm_90 the system's part lies at the end.
  "%reserved_smem_offset_begin": { total: SMEMSZ },
  "%reserved_smem_offset_0": { total: SMEMSZ },
  "%reserved_smem_offset_cap": { s2r: SMEMSZ },
  "%aggr_smem_size": { most: SMEMSZ },
  ...Object.fromEntries(
    [0, 1, 2, 3, 4, 5, 6, 7].flatMap((n): [string, Source][] => [
      [`%pm${n}`, { cs2r: 0x64 + n, wide: false }],
      [`%pm${n}_64`, { cs2r: 0x64 + n, wide: true }],
    ]),
  ),
};

/** Index of SR_CgaSize. */
const CGA_SIZE = 0x8a;

function launchConstant(c: Context, name: string): Operand | null {
  const at = c.target.constants.specialRegisters[name];
  if (at === undefined) return null;
  if (typeof at === "number") return c.op("LDC", [constBank(0, at)]);
  if ("value" in at) return imm(at.value);
  if (!("byCluster" in at)) return c.pair(c.op("LDC", [constBank(0, at[0])]), c.op("LDC", [constBank(0, at[0] + 4)]));
  const back = c.op("IMAD", [c.op("CS2R.32", [sreg(CGA_SIZE)]), imm(-0xa0), RZ()]);
  return c.op("LDC", [constIndexed(0, File.R, back.id, at.byCluster)]);
}

/**
 * The cluster's place in the grid, and this CTA's in the cluster: the CTA's place times the reciprocal of the cluster's size, which the driver
 * rounds so that the integral part is right.
 */
function placeOfCluster(c: Context, name: string, component: string | null): Operand | null {
  if (component === null || (name !== "%clusterid" && name !== "%cluster_ctaid")) return null;
  const cell = launchConstant(c, `reciprocal.${component}`);
  const size = launchConstant(c, `%cluster_nctaid.${component}`);
  const place = sources[`%ctaid.${component}`];
  if (cell === null || size === null || place === undefined) return null;
  const cta = readSource(c, place);
  const cluster = c.op("F2I.U32.TRUNC.NTZ", [c.op("FMUL", [c.op("I2FP.F32.U32", [cta]), cell])]);
  if (name === "%clusterid") return cluster;
  return c.op("IADD3", [cta, neg(c.op("IMAD", [cluster, size, RZ()])), RZ()]);
}

/** Index of SR_CgaCtaId: this CTA's rank in its cluster. */
export const CGA_CTA_ID = 0x88;
/** Index of SR_SWINHI: upper half of the generic address of shared memory. */
export const SHARED_WINDOW_HIGH = 0x2f;

/** A fresh value holding the special register, null when the name is none that is known here. */
export function specialRegister(c: Context, name: string, component: string | null, type: PtxType): Operand | null {
  const ofCluster = clusterRegister(c, name, component, type);
  if (ofCluster !== null) return ofCluster;
  const whole = component === null ? name : `${name}.${component}`;
  const source = sources[whole];
  if (type.cls === "f") return null;
  if (type.cls === "p") return whole === "%is_explicit_cluster" ? explicitCluster(c) : null;
  const value =
    launchConstant(c, whole) ??
    placeOfCluster(c, name, component) ??
    (source === undefined ? null : readSource(c, source));
  if (value === null) return null;
  if (type.bits === 64) return value.width === 2 ? value : c.pair(value, RZ());
  return value.width === 2 ? lo(value) : value;
}

/** 1 in a launch with clusters. */
function explicitCluster(c: Context): Operand | null {
  const at = c.target.constants.explicitCluster;
  if (at === null) return null;
  const p = c.predicate();
  c.emit("ISETP.EQ.U32.AND", [p], [c.op("LDC", [constBank(0, at)]), imm(1)]);
  return p;
}

function readSource(c: Context, source: Source): Operand {
  if ("warps" in source) {
    return c.target.has("clusters") ? readSource(c, source.warps) : imm(c.target.limits.maxWarpsPerSm);
  }
  if ("total" in source) {
    const size = c.op("S2R", [sreg(source.total)]);
    const system = c.target.constants.systemShared;
    if (system === null) return size;
    return c.op("IADD3", [size, neg(c.op("LDC", [constBank(0, system)])), RZ()]);
  }
  if ("most" in source) {
    const limit = launchConstant(c, "most shared");
    if (limit === null) throw new Refusal();
    const d = c.temp();
    minMax32(c, d, c.op("S2R", [sreg(source.most)]), limit, false, false);
    return d;
  }
  if ("value" in source) return imm(source.value);
  if ("bank0" in source) {
    return c.op("LDC", [constBank(0, (c.target.constants[source.bank0] as number) + source.plus)]);
  }
  if ("cs2r" in source) return c.op(source.wide ? "CS2R" : "CS2R.32", [sreg(source.cs2r)], source.wide ? 2 : 1);
  const raw = c.op("S2R", [sreg(source.s2r)]);
  if (!("shift" in source)) return raw;
  return c.op("SGXT.U32", [c.op("SHF.R.U32.HI", [RZ(), imm(source.shift), raw]), imm(source.bits)]);
}

export type Window = "sharedWindow" | "localWindow" | "constantWindow" | "paramWindow" | "paramEnd";

/** The 64-bit generic address of an address in a window whose base stands in bank 0. */
export function windowBase(c: Context, which: Window): [Operand, Operand] {
  const at = c.target.constants[which];
  // Mercury has two words for it (measured: ptxas never loads them as one where there are capsules).
  if (c.target.has("capmerc") && which !== "constantWindow")
    return [c.op("LDC", [constBank(0, at)]), c.op("LDC", [constBank(0, at + 4)])];
  const base = c.op("LDC.64", [constBank(0, at, 2)], 2);
  return [lo(base), hi(base)];
}
