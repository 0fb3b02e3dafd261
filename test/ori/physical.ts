/** The simplest correct allocation for tests: every value gets registers of its own. */
import { File, type Func, Kind, NO_INDEX, type Operand } from "../../lib/ori/types.js";

export function makePhysical(func: Func): Func {
  const next: Record<number, number> = { [File.R]: 2, [File.UR]: 0, [File.P]: 0, [File.UP]: 0, [File.B]: 0 };
  const home: number[] = [];
  for (let v = 0; v < func.values.count; v++) {
    const file = func.values.file(v);
    const width = func.values.width(v);
    const align = width === 1 ? 1 : width === 2 ? 2 : 4;
    const at = Math.ceil((next[file] as number) / align) * align;
    home.push(at);
    next[file] = at + width;
  }
  const rename = (o: Operand): void => {
    if (o.kind === Kind.Reg && o.id >= 0) {
      o.id = (home[o.id] as number) + o.sub;
      o.sub = 0;
    } else if (o.kind === Kind.Const && o.index !== NO_INDEX && o.index >= 0) o.index = home[o.index] as number;
  };
  for (const b of func.blocks) {
    for (const inst of b.insts) {
      inst.dsts.forEach(rename);
      inst.srcs.forEach(rename);
      if (inst.guard !== null && inst.guard.id >= 0) inst.guard.id = home[inst.guard.id] as number;
      inst.control = { stall: 15, yield: 0, writeSb: 7, readSb: 7, wait: 3, reuse: 0 };
    }
  }
  func.used = {
    R: next[1] as number,
    UR: next[2] as number,
    P: next[3] as number,
    UP: next[4] as number,
    B: next[5] as number,
  };
  func.virtual = false;
  func.milestone = "controlled";
  func.generation++;
  return func;
}
