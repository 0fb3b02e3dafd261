import type { Lifted } from "../../lib/lift/index.js";
import { newInst } from "../../lib/ori/index.js";
import { form } from "../../lib/sass/index.js";

/** A NOP before every block and after its first instruction: everything moves, nothing else changes. */
export function insertNops(lifted: Lifted): void {
  const { func } = lifted;
  for (const b of func.blocks) {
    const places = b.insts.length > 1 ? [1, 0] : [0];
    for (const at of places) {
      const nop = newInst(func, form("NOP"), [], []);
      nop.control = { stall: 1, yield: 0, writeSb: 7, readSb: 7, wait: 0, reuse: 0 };
      b.insts.splice(at, 0, nop);
    }
  }
  func.generation++;
}
