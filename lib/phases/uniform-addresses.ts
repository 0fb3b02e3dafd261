/**
 * A uniform register that is added to an address of shared memory goes into the access (ConvertToUniformReg), where all that read the
 * sum are accesses that take it. ptxas 13.0.88 does so for LDS, STS, LDSM and atomics but CAS, also where the sum has other readers
 * (asked on sm_90, seen in its code of Triton's kernels on 100); of asynchronous copies, and of a parameter, it computes the sum.
 *
 *     IADD3 %R3, %R2, %UR4, RZ
 *     STS [%R3+0x40], %R5           →     STS [%R2+%UR4+0x40], %R5
 */
import { Definitions, memoryEffect, unitOf } from "../analysis/index.js";
import { rewriteBlock, touch } from "../ori/editor.js";
import { clone, isReg, isZeroReg } from "../ori/operand.js";
import { File, type Func, type Inst, Kind, type Operand } from "../ori/types.js";
import { encodes } from "../rules/encodable.js";

/** What an address is the sum of. */
interface Parts {
  readonly lane: Operand;
  readonly uniform: Operand;
}

/** What an instruction that has an address in shared memory, and no uniform register in it yet, becomes with these; null: it takes none. */
export function withUniformAddress(func: Func, inst: Inst, { lane, uniform }: Parts): Operand[] | null {
  const { base, uniform: at } = memoryEffect(inst.form);
  const slot = inst.srcs[at];
  if (inst.form.memory?.space !== "shared" || base < 0 || slot === undefined) return null;
  if (slot.kind !== Kind.None && !isZeroReg(slot)) return null;
  const part = inst.srcs[base]?.part ?? "";
  if (part !== "") return null;
  const srcs = inst.srcs.map((o, k) => (k === base ? clone(lane) : k === at ? clone(uniform) : clone(o)));
  return encodes(func, inst.form, inst.dsts, srcs) ? srcs : null;
}

/** Returns how many sums went. */
export function addUniformInAccess(func: Func): number {
  const defs = new Definitions(func);
  const sums = new Map<number, { readonly inst: Inst; readonly parts: Parts; readonly readers: Inst[] }>();
  defs.flat.insts.forEach((inst, at) => {
    const parts = partsOf(inst);
    const d = inst.dsts[0];
    if (parts === null || d === undefined || !isWord(d)) return;
    const u = unitOf(defs.units, d);
    if (defs.def[u] === at && defs.holds(parts.lane, at) && defs.holds(parts.uniform, at))
      sums.set(u, { inst, parts, readers: [] });
  });
  if (sums.size === 0) return 0;
  defs.flat.insts.forEach((inst, at) => {
    const address = inst.srcs[memoryEffect(inst.form).base];
    if (address === undefined || !isWord(address)) return;
    const sum = sums.get(unitOf(defs.units, address));
    if (sum !== undefined && defs.holds(address, at) && withUniformAddress(func, inst, sum.parts) !== null)
      sum.readers.push(inst);
  });
  const gone = new Set<Inst>();
  for (const [u, { inst, parts, readers }] of sums) {
    if (readers.length === 0 || readers.length !== defs.uses[u]) continue;
    for (const reader of readers) reader.srcs = withUniformAddress(func, reader, parts) ?? reader.srcs;
    gone.add(inst);
  }
  if (gone.size === 0) return 0;
  for (const block of func.blocks)
    rewriteBlock(func, block, (inst, out) => {
      if (!gone.has(inst)) out.push(inst);
    });
  touch(func);
  return gone.size;
}

function isWord(o: Operand): boolean {
  return isReg(o) && !isZeroReg(o) && o.file === File.R && o.width === 1 && o.mods === 0 && o.part === "";
}

/** `IADD3 d, a, u, RZ` that gives no carry. */
function partsOf(inst: Inst): Parts | null {
  if (inst.form.name !== "IADD3" || inst.guard !== null || inst.said !== undefined) return null;
  if (inst.dsts.slice(1).some((d) => isReg(d) && !isZeroReg(d))) return null;
  const three = inst.srcs.filter((o) => !isZeroReg(o));
  const lane = three.find(isWord);
  const uniform = three.find((o) => isReg(o) && o.file === File.UR && o.mods === 0 && o.width === 1 && o.part === "");
  if (three.length !== 2 || lane === undefined || uniform === undefined) return null;
  return { lane, uniform };
}
