/** Control words: there when the milestone says so, and every field within its bits (measured on ptxas 13.0.88). */
import type { Block, Control, Func, Inst } from "../types.js";
import type { Findings } from "./finding.js";

export function checkControl(func: Func, required: boolean, out: Findings): void {
  for (const block of func.blocks) {
    for (const inst of block.insts) {
      if (inst.control !== null) checkFields(block, inst, inst.control, out);
      else if (required) out.add("control-missing", `${inst.form.name} has no control word`, block, inst);
    }
  }
}

function within(x: number, max: number): boolean {
  return Number.isInteger(x) && x >= 0 && x <= max;
}

const isScoreboard = (x: number): boolean => within(x, 5) || x === 7;

function checkFields(block: Block, inst: Inst, c: Control, out: Findings): void {
  const wrong: string[] = [];
  if (!within(c.stall, 15)) wrong.push(`stall ${c.stall}`);
  if (!within(c.yield, 1)) wrong.push(`yield ${c.yield}`);
  if (!isScoreboard(c.writeSb)) wrong.push(`write scoreboard ${c.writeSb}`);
  if (!isScoreboard(c.readSb)) wrong.push(`read scoreboard ${c.readSb}`);
  if (!within(c.wait, 63)) wrong.push(`wait mask ${c.wait}`);
  if (!within(c.reuse, 15)) wrong.push(`reuse ${c.reuse}`);
  if (wrong.length > 0) out.add("control-range", `${inst.form.name}: ${wrong.join(", ")}`, block, inst);
}
