/**
 * How long matrix products keep the tensor core of a sub-core busy: its multiply-adds over the rate of the data sheet
 * (`DeviceParameters.tensorMacs`). Elements of half the width go twice as fast, f64 a sixteenth (the same sheets). A product of a warp group is a quarter
 * on each of four sub-cores.
 */
import type { MachineInst } from "../isa/operand.js";

const WARP = /^(?:(16|8)8(4|8|16|32|64|128|256)|(16|8)x8x(4|8|16))$/;
const GROUP = /^64x(\d+)x(\d+)$/;

const bits: Readonly<Record<string, number>> = {
  TF32: 32,
  BF16: 16,
  E4M3: 8,
  E5M2: 8,
  E3M2: 8,
  E2M3: 8,
  E2M1: 8,
  S8: 8,
  U8: 8,
  S4: 4,
  U4: 4,
};

/** Bits that count for the speed: of the wider factor; f64 as 256. */
function widthOf(op: string, mods: readonly string[]): number {
  if (op === "DMMA") return 256;
  if (op === "BMMA" || op === "BGMMA") return 1;
  let width = 0;
  for (const m of mods) if (Object.hasOwn(bits, m)) width = Math.max(width, bits[m]!);
  return width === 0 ? 16 : width;
}

/** Multiply-adds of 16-bit elements that a product costs a sub-core; 0 for other instructions. */
export function productWork({ form: { op, mods } }: MachineInst): number {
  if (!/^(H|Q|I|B|D)G?MMA$/.test(op)) return 0;
  const scale = (widthOf(op, mods) / 16) * (mods.includes("SP") ? 0.5 : 1);
  for (const m of mods) {
    const group = GROUP.exec(m);
    if (group !== null) return 16 * Number(group[1]) * Number(group[2]) * scale;
    const warp = WARP.exec(m);
    if (warp !== null) return Number(warp[1] ?? warp[3]) * 8 * Number(warp[2] ?? warp[4]) * scale;
  }
  return 0;
}
