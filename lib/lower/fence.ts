/** Memory fences as machine instructions, shared by fences, ordered accesses and atomics. */
import type { Context } from "./context.js";

export type Scope = "cta" | "cluster" | "gpu" | "sys";

const names: Readonly<Record<Scope, string>> = { cta: "CTA", cluster: "GPU", gpu: "GPU", sys: "SYS" };

/** Waits until earlier accesses are visible in the scope. `SC`: sequentially consistent; `ALL`: acquire-release. */
export function membar(c: Context, kind: "SC" | "ALL", scope: Scope): void {
  c.emit(`MEMBAR.${kind}.${names[scope]}`, [], []);
  if (scope === "cta" || !c.module.errorBarriers) return;
  c.emit("ERRBAR", [], []);
  if (c.target.has("clusters")) c.emit("CGAERRBAR", [], []);
}

/** Later loads do not see old lines of L1. */
function invalidateL1(c: Context): void {
  c.emit("CCTL.IVALL", [], []);
}

/**
 * After a strong access that acquires: what follows is loaded afterwards. At the scope of a CTA that needs no invalidation; nor does
 * shared memory, where there are no clusters and so nobody else comes (measured on sm_75 to 89).
 */
export function acquired(c: Context, scope: Scope, shared = false): void {
  if (scope === "cta") c.emit("NOP", [], []);
  else if (!shared || c.target.has("clusters")) invalidateL1(c);
}

/** A full fence: `membar`, `fence`. */
export function fence(c: Context, kind: "SC" | "ALL", scope: Scope): void {
  membar(c, kind, scope);
  if (scope !== "cta") invalidateL1(c);
}
