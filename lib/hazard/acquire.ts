/**
 * Acquires. A load or atomic that acquires is a strong access followed by CCTL.IVALL, which throws away what the first-level
 * cache holds: what is loaded after it comes from memory again. That helps only once the strong access is done; else a load
 * after may still see what was there before. So ptxas has CCTL.IVALL wait for the strong access before it (13.0.88, -O3,
 * sm_75, 80, 90, 120), and for nothing where a MEMBAR.SC stands between; here any MEMBAR without a guard ends it.
 *
 * That a MEMBAR does so is believed, as the control pass believes it (lib/analysis/acquire.ts). Not looked at: the NOP at which an
 * acquire of a CTA's scope waits, and whether a release waits for the end of its fence (`fenceTellsEnd`): both rest on
 * ptxas's words alone, which tools/control-fidelity.ts compares.
 */
import { File, Kind, type MachineInst, ZERO_REG } from "../isa/operand.js";

export const Role = { None: 0, Acquires: 1, Ends: 2, Invalidates: 3 } as const;

/** What an instruction has to do with acquires. */
export function roleOf(inst: MachineInst): number {
  const { op, mods, memory } = inst.form;
  if (op === "MEMBAR") return Role.Ends;
  if (op === "CCTL") return mods.includes("IVALL") ? Role.Invalidates : Role.None;
  if (memory === null || !mods.includes("STRONG")) return Role.None;
  if (memory.space !== "global" && memory.space !== "generic") return Role.None;
  // ptxas has nothing wait for an atomic whose result nobody wants, not even CCTL.IVALL (sm_90, 100, 120: `@P0 ATOM … RZ`).
  const unwanted = inst.dsts.every((o) => o.kind !== Kind.Reg || o.id === ZERO_REG || o.file !== File.R);
  if (memory.access === "atomic") return unwanted ? Role.None : Role.Acquires;
  return memory.access === "load" ? Role.Acquires : Role.None;
}
