/**
 * ExpandJmxComputation: branches by tables get their address arithmetic, and the tables their places in constant bank 2 of the function,
 * one after the other. ptxas 13.0.88 does the same at all levels on all SMs:
 *
 *                                  SHF.L.U32 s, a, 0x2, RZ
 *     BRX.IDX a            →       LDC t, c[0x2][s + place of the table]
 *                                  SHF.R.S32.HI t', RZ, 0x1f, t
 *                                  BRX t:t', start of the code
 */
import { diagnostic } from "../diagnostics.js";
import { rewriteBlock } from "../ori/editor.js";
import { constIndexed, imm, label, RZ, reg } from "../ori/operand.js";
import { type Block, File, type Func, type Inst, type Operand } from "../ori/types.js";
import { make } from "./copy-blocks.js";
import { saying } from "./notes.js";
import type { PhaseContext } from "./types.js";

/** Bank of the tables. */
const TABLE_BANK = 2;
/** The distance of LDC is a signed number of 16 bits, and a bank has 64 KiB. */
const LAST_PLACE = 0x7fff;
const BANK_BYTES = 0x10000;

export function expandJumpTables(func: Func, { report }: PhaseContext): void {
  let offset = 0;
  for (const block of func.blocks) {
    const last = block.insts[block.insts.length - 1];
    if (last?.form.name !== "BRX.IDX" || last.table === undefined) continue;
    const end = offset + 4 * last.table.targets.length;
    if (offset > LAST_PLACE || end > BANK_BYTES) {
      report({ ...diagnostic("error", "not supported yet: jump tables of more than 64 KiB"), span: last.loc });
      return;
    }
    rewriteBlock(func, block, (inst, out) => out.push(...(inst === last ? expanded(func, inst, offset) : [inst])));
    offset = end;
  }
}

function expanded(func: Func, inst: Inst, offset: number): Inst[] {
  const [index] = inst.srcs as [Operand];
  const bytes = func.values.add(File.R);
  const address = func.values.add(File.R, 2);
  const branch = make(func, "BRX", [], [reg(address, 2), label(func.blocks[0] as Block)], inst, inst.guard);
  branch.table = { targets: inst.table?.targets ?? [], offset };
  const made = [
    make(func, "SHF.L.U32", [reg(bytes)], [index, imm(2), RZ()], inst),
    make(func, "LDC", [reg(address, 1, 0)], [constIndexed(TABLE_BANK, File.R, bytes, offset)], inst),
    make(func, "SHF.R.S32.HI", [reg(address, 1, 1)], [RZ(), imm(0x1f), reg(address, 1, 0)], inst),
    branch,
  ];
  for (const m of made) {
    m.origin = inst.id;
    saying(func)?.("jump by a table", m, "the target is read from constant bank 2", inst);
  }
  return made;
}
