/**
 * `P2R` and `R2P` name predicates by the bits of a mask. One instruction per predicate names them by operands, so that each
 * of them can be a value of its own:
 *
 * ```
 * P2R R4, PR, R5, 0x3          LOP3.LUT R4, R5, 0xfffffffc, RZ, 0xc0, !PT
 *                              @P0 LOP3.LUT R4, R4, 0x1, RZ, 0xfc, !PT
 *                              @P1 LOP3.LUT R4, R4, 0x2, RZ, 0xfc, !PT
 * R2P PR, R4, 0x3              LOP3.LUT P0, RZ, R4, 0x1, RZ, 0xc0, !PT
 *                              LOP3.LUT P1, RZ, R4, 0x2, RZ, 0xc0, !PT
 * ```
 */
import { type Diagnostic, notSupported } from "../diagnostics.js";
import { newInst } from "../ori/func.js";
import { clone, imm, notPT, PT, preg, RZ } from "../ori/operand.js";
import { File, type Func, type Guard, type Inst, Kind, type Operand, ZERO_REG } from "../ori/types.js";
import { form } from "../sass/index.js";

const PREDICATES = 7;
const AND = 0xc0;
const OR = 0xfc;

/** Splits what packs or unpacks predicates, in place. Returns why it cannot be, or null. */
export function splitPacks(func: Func): Diagnostic | null {
  for (const b of func.blocks) {
    if (!b.insts.some((inst) => packs.has(inst.form.op))) continue;
    const out: Inst[] = [];
    for (const inst of b.insts) {
      if (!packs.has(inst.form.op)) out.push(inst);
      else if (!split(func, inst, out))
        return notSupported(`virtual registers of ${func.name}: ${inst.form.name} as it stands here`, inst.loc);
    }
    b.insts = out;
  }
  return null;
}

const packs: ReadonlySet<string> = new Set(["P2R", "R2P", "UP2UR", "UR2UP"]);

function split(func: Func, inst: Inst, out: Inst[]): boolean {
  const [a, mask] = inst.srcs as [Operand, Operand];
  if (mask.kind !== Kind.Imm || a.kind !== Kind.Reg || a.file === File.UR) return false;
  const chosen = Array.from({ length: PREDICATES }, (_, p) => p).filter((p) => ((mask.value >>> p) & 1) === 1);
  const plain = clone(a);
  plain.part = "";
  switch (inst.form.op) {
    case "P2R": {
      const d = inst.dsts[0] as Operand;
      // With a guard each part would need two.
      if (inst.guard !== null || d.id === ZERO_REG) return false;
      const byte = byteOf(inst.form.mods.join("."));
      const cleared = ~((mask.value & ((1 << PREDICATES) - 1)) << byte);
      out.push(logic(func, inst, null, PT(), clone(d), plain, cleared, AND));
      for (const p of chosen) {
        const guard = { file: File.P, id: p, not: false };
        out.push(logic(func, inst, guard, PT(), clone(d), clone(d), 1 << (byte + p), OR));
      }
      return true;
    }
    case "R2P": {
      const byte = byteOf(a.part);
      // What guards it must not change before the last part.
      const last = inst.guard?.id ?? -1;
      for (const p of [...chosen.filter((k) => k !== last), ...chosen.filter((k) => k === last)])
        out.push(logic(func, inst, inst.guard, preg(p), RZ(), clone(plain), 1 << (byte + p), AND));
      return true;
    }
    default:
      return false;
  }
}

/** First bit of the byte that `.B1` … names. */
function byteOf(part: string): number {
  const byte = /B([0-3])/.exec(part);
  return byte === null ? 0 : 8 * Number(byte[1]);
}

function logic(
  func: Func,
  of: Inst,
  guard: Guard | null,
  p: Operand,
  d: Operand,
  a: Operand,
  b: number,
  lut: number,
): Inst {
  const made = newInst(func, form("LOP3.LUT"), [p, d], [a, imm(b), RZ(), imm(lut), notPT()], guard, of.loc);
  made.origin = of.id;
  return made;
}
