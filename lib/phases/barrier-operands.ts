/** Operands of barriers in registers. */
import { Definitions } from "../analysis/index.js";
import { isReg } from "../ori/operand.js";
import { File, type Func, type Inst } from "../ori/types.js";

/**
 * What puts number and count of a barrier into one register: Capsule Mercury has one item for it and the barrier together, so that these
 * instructions stay as they are. None where the target has no capsules.
 */
export function barrierOperands(func: Func): ReadonlySet<Inst> {
  const found = new Set<Inst>();
  if (!func.target.has("capmerc") || !func.blocks.some((b) => b.insts.some(takesRegister))) return found;
  const defs = new Definitions(func);
  for (const barrier of defs.flat.insts.filter(takesRegister))
    for (const o of barrier.srcs) {
      const joined = isReg(o) && o.file === File.R ? defs.definition(o) : null;
      if (joined === null) continue;
      found.add(joined);
      for (const s of joined.srcs) {
        const shifted = isReg(s) ? defs.definition(s) : null;
        if (shifted?.form.op === "SHF") found.add(shifted);
      }
    }
  return found;
}

const takesRegister = ({ form, srcs }: Inst): boolean =>
  form.op === "BAR" && srcs.some((o) => isReg(o) && o.file === File.R);
