/**
 * Copies of predicates: PLOP3 over fewer than two different inputs is a copy, a negation or a constant. Its readers, guards
 * among them, read the input instead, negated where it is.
 *
 *     PLOP3.LUT %P4, PT, !%P3, PT, PT, 0x80, 0x0          (dead now)
 *     @%P4 STG.E …                                   →    @!%P3 STG.E …
 *
 * Guards that turn out constant stay: what they guard has the old value on the other side.
 */
import { type Definitions, unitOf } from "../analysis/index.js";
import { isPhi } from "../ori/flow.js";
import { isReg } from "../ori/operand.js";
import { File, type Inst, Kind, Mod, type Operand, ZERO_REG } from "../ori/types.js";

/** A predicate register (PT with ZERO_REG) or its opposite. */
interface Literal {
  readonly id: number;
  readonly not: boolean;
}

/** Returns how many reads changed; `across`: also where the copy stands in another block. */
export function propagatePredicates(defs: Definitions, across = true): number {
  const { units, def, flat } = defs;
  const copies = new Map<number, Literal>();
  for (let i = 0; i < flat.insts.length; i++) {
    const inst = flat.insts[i] as Inst;
    const copied = copiedBy(inst);
    const d = inst.dsts[0] as Operand;
    if (copied === null || !isReg(d) || def[unitOf(units, d)] !== i) continue;
    const from = inst.srcs.find((o) => isReg(o) && o.id === copied.id);
    if (from === undefined || defs.holds(from, i)) copies.set(d.id, copied);
  }
  if (copies.size === 0) return 0;
  const origin = (id: number, at: number): Literal | null => {
    let [last, not, n] = [id, false, 0];
    for (let l = copies.get(last); l !== undefined && last !== ZERO_REG; l = copies.get(last)) {
      last = l.id;
      not = not !== l.not;
      n++;
    }
    const u = units.base[id] as number;
    if (!across && flat.block[def[u] as number] !== flat.block[at]) return null;
    return n > 0 && defs.before(def[u] as number, at) ? { id: last, not } : null;
  };
  let changed = 0;
  flat.insts.forEach((inst, i) => {
    if (isPhi(inst)) return;
    for (const o of inst.srcs) {
      if (o.kind !== Kind.Reg || o.file !== File.P || o.id === ZERO_REG) continue;
      const l = origin(o.id, i);
      if (l === null) continue;
      o.id = l.id;
      if (l.not) o.mods ^= Mod.Not;
      changed++;
    }
    const g = inst.guard;
    if (g === null || g.file !== File.P || g.id === ZERO_REG) return;
    const l = origin(g.id, i);
    if (l === null || l.id === ZERO_REG) return;
    inst.guard = { file: g.file, id: l.id, not: g.not !== l.not };
    changed++;
  });
  return changed;
}

/** What PLOP3 makes of its one result whatever its inputs; null: it is no constant. */
export function constantPredicate(inst: Inst): boolean | null {
  const copied = copiedBy(inst);
  return copied !== null && copied.id === ZERO_REG ? !copied.not : null;
}

/** What PLOP3 copies into its one result; null: it is no copy. */
function copiedBy(inst: Inst): Literal | null {
  if (inst.form.name !== "PLOP3.LUT" || inst.guard !== null) return null;
  const [d, q] = inst.dsts as [Operand, Operand];
  const [a, b, c, lut] = inst.srcs as [Operand, Operand, Operand, Operand];
  if (!isReg(d) || isReg(q) || lut.kind !== Kind.Imm) return null;
  if ([a, b, c].some((o) => o.kind !== Kind.Reg || o.file !== File.P)) return null;
  const ids = [...new Set([a, b, c].map((o) => o.id).filter((id) => id !== ZERO_REG))];
  if (ids.length > 1) return null;
  /** The result with the input true or false. */
  const at = (input: boolean): boolean => {
    const index = [a, b, c].reduce((n, o) => {
      const value = (o.id === ZERO_REG || input) !== ((o.mods & Mod.Not) !== 0);
      return (n << 1) | (value ? 1 : 0);
    }, 0);
    return ((lut.value >> index) & 1) === 1;
  };
  const [no, yes] = [at(false), at(true)];
  if (no === yes) return { id: ZERO_REG, not: !yes };
  return ids[0] === undefined ? null : { id: ids[0], not: no };
}
