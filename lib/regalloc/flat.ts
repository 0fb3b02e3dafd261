/**
 * Which register units each instruction reads and writes, one entry per unit: the columns of `analysis/flat` spread
 * out, so that the passes here have a single loop. A unit is one register of one value (value × sub-register).
 */
import { analysis } from "../analysis/index.js";
import { type Func, type Guard, type Inst, ZERO_REG } from "../ori/types.js";

export interface Flat {
  readonly func: Func;
  readonly units: number;
  /** Value → its first unit; one entry more than values. */
  readonly unitBase: Int32Array;
  /** Unit → its value and register file. */
  readonly owner: Int32Array;
  readonly fileOf: Uint8Array;
  /** In layout order. */
  readonly insts: readonly Inst[];
  /** Position of a block in the layout → its first instruction; one entry more than blocks. */
  readonly blockStart: Int32Array;
  /** Instruction → first entry in `uses`, `defs`; one entry more than instructions. */
  readonly useStart: Int32Array;
  readonly uses: Int32Array;
  readonly defStart: Int32Array;
  readonly defs: Int32Array;
  /** Parallel to `defs`: the old contents may survive (guarded, or a half of the register) and be read. */
  readonly partial: Uint8Array;
  /** Block id → position in the layout. */
  readonly position: Int32Array;
}

/** A guard that is not simply `@PT`. */
export function isGuarded(g: Guard | null): g is Guard {
  return g !== null && (g.id !== ZERO_REG || g.not);
}

export function flatten(func: Func): Flat {
  const f = analysis(func, "flat");
  const uses = spread(f.useStart, f.useUnit, f.useWidth);
  const defs = spread(f.defStart, f.defUnit, f.defWidth);
  const partial = new Uint8Array(defs.units.length);
  for (let d = 0, k = 0; d < f.defUnit.length; d++) {
    for (let w = f.defWidth[d] as number; w > 0; w--) partial[k++] = f.defBegins[d] === 1 ? 0 : 1;
  }
  const position = new Int32Array(func.nextBlock).fill(-1);
  func.blocks.forEach((b, k) => {
    position[b.id] = k;
  });
  return {
    func,
    units: f.units.count,
    unitBase: f.units.base,
    owner: f.units.owner,
    fileOf: f.units.file,
    insts: f.insts,
    blockStart: f.first,
    useStart: uses.start,
    uses: uses.units,
    defStart: defs.start,
    defs: defs.units,
    partial,
    position,
  };
}

/** From one entry per operand to one per unit. */
function spread(start: Int32Array, unit: Int32Array, width: Uint8Array): { start: Int32Array; units: Int32Array } {
  const spreadStart = new Int32Array(start.length);
  let total = 0;
  for (let i = 0; i < width.length; i++) total += width[i] as number;
  const units = new Int32Array(total);
  let k = 0;
  for (let i = 0; i + 1 < start.length; i++) {
    for (let e = start[i] as number; e < (start[i + 1] as number); e++) {
      for (let w = 0; w < (width[e] as number); w++) units[k++] = (unit[e] as number) + w;
    }
    spreadStart[i + 1] = k;
  }
  return { start: spreadStart, units };
}
