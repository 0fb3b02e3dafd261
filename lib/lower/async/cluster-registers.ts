/** Special registers of clusters (measured on sm_90a, 100a, 120a). */
import { constBank, imm, sreg } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { Context } from "../context.js";
import type { PtxType } from "../types.js";

/** Index of SR_CgaCtaId: this CTA's rank in its cluster. */
export const CGA_CTA_ID = 0x88;

/** A fresh value of the type, null for other names and types. */
export function clusterRegister(c: Context, name: string, component: string | null, type: PtxType): Operand | null {
  if (component !== null || !c.target.has("clusters")) return null;
  if (name === "%cluster_ctarank" && type.bits === 32) return c.op("S2R", [sreg(CGA_CTA_ID)]);
  if (name !== "%is_explicit_cluster" || type.cls !== "p") return null;
  const p = c.predicate();
  c.emit("ISETP.EQ.AND", [p], [c.op("LDC", [constBank(0, c.target.constants.explicitCluster as number)]), imm(1)]);
  return p;
}
