/**
 * How many registers a texture instruction really names. The instruction table gives the largest number for each operand;
 * the dimension, the modifiers and the mask say how many there are. Read off the register life ranges of nvdisasm 13.2.51 for all
 * dimensions, levels, offsets, comparisons and masks on sm_75, 90 and 120 (`nvdisasm -plr`). With .SCR, where the split
 * between the two operands is another, the least number seen for each is used, also for TLD and TLD4.
 */
import { Kind, type MachineInst, type Operand } from "./operand.js";

/** Coordinates (and the number of the layer) by dimension: 1D, 2D, 3D, CUBE, ARRAY_1D, ARRAY_2D, –, ARRAY_CUBE. */
const coordinates: readonly number[] = [1, 2, 3, 3, 2, 3, 4, 4];

/** The instruction with the widths that it has; others as they are. */
export function withTrueWidths(inst: MachineInst): MachineInst {
  const { form } = inst;
  const scattered = form.mods.includes("SCR");
  if (form.op !== "TEX" && !(scattered && /^TLD4?$/.test(form.op))) return inst;
  const source = (name: string): Operand => inst.srcs[form.srcs.findIndex((s) => s.name === name)]!;
  const has = (mod: string): number => (form.mods.includes(mod) ? 1 : 0);
  const dim = coordinates[source("dim").value] ?? 4;
  const mask = source("mask").value;
  const more = has("LB") + has("LL") + has("AOFFI") + has("DC");
  const widths: Readonly<Record<string, number>> = {
    a: scattered ? Math.min(2, dim) : dim + has("LC"),
    b: scattered ? 1 : Math.max(1, more),
    ...results(mask, form.mods.includes("F16")),
  };
  const sized = (list: readonly Operand[], names: readonly { readonly name: string }[]): Operand[] =>
    list.map((o, i) => {
      const width = o.kind === Kind.Reg ? widths[names[i]!.name] : undefined;
      return width === undefined ? o : { ...o, width: Math.min(width, o.width) };
    });
  return { ...inst, dsts: sized(inst.dsts, form.dsts), srcs: sized(inst.srcs, form.srcs) };
}

/** Two components to the first register pair, the others to the second; halves share a register. */
function results(mask: number, halves: boolean): { readonly d: number; readonly d2: number } {
  let n = 0;
  for (let m = mask; m; m &= m - 1) n++;
  const perRegister = halves ? 2 : 1;
  const d = Math.ceil(Math.min(n, 2) / perRegister);
  return { d: Math.max(1, d), d2: Math.max(1, Math.ceil((n - 2) / perRegister)) };
}
