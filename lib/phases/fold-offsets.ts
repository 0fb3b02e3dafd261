/**
 * Constants added to a 64-bit address go into the offset of the access (SSA window; GeneralOptimizeMid), also where the sum has other
 * readers, as ptxas 13.0.88 does (asked on sm_90: loads, stores, atomics, sums of sums, offsets to 24 bits).
 *
 *     IADD3 %R4:0, %P6, %R2:0, 0x1000, RZ
 *     IADD3.X %R4:1, %R2:1, RZ, RZ, %P6, !PT       →
 *     STG.E desc[%UR8][%R4.64+0x8], %R7                  STG.E desc[%UR8][%R2.64+0x1008], %R7
 *
 * The same of distances from the stack pointer of a kernel, in local memory. A sum that goes round a loop (a phi reads it) stays the address: else the register before it would live beside it.
 */
import { analysis, Definitions, memoryEffect, unitOf } from "../analysis/index.js";
import { STACK_REGISTER } from "../isa/abi.js";
import { isPhi } from "../ori/flow.js";
import { altered, clone, imm, isReg, isZeroReg } from "../ori/operand.js";
import { File, type Func, type Inst, Kind, type Operand } from "../ori/types.js";
import { encodes } from "../rules/encodable.js";
import type { RewriteCounter } from "./rewrites.js";

/** An address as another one and a distance in bytes. */
interface Moved {
  readonly base: Operand;
  readonly distance: number;
}

/** Returns how many accesses changed. */
export function foldOffsets(func: Func, rewrites: RewriteCounter): number {
  if (func.milestone !== "ssa") return 0;
  const defs = new Definitions(func);
  const carried = readByPhis(func);
  let count = 0;
  analysis(func, "flat").insts.forEach((inst, at) => {
    if (inst.form.memory === null || !rewrites.open) return;
    const { base, offset } = memoryEffect(inst.form);
    const [address, distance] = [inst.srcs[base], inst.srcs[offset]];
    if (address === undefined || distance === undefined || distance.kind !== Kind.Imm) return;
    const moved = movedFrom(address, at, defs, carried) ?? fromStack(func, inst, address, defs);
    if (moved === null) return;
    const srcs = inst.srcs.map(clone);
    srcs[base] = altered(address, { id: moved.base.id, sub: moved.base.sub });
    srcs[offset] = imm(distance.value + moved.distance);
    if (!fits(distance.value + moved.distance) || !encodes(func, inst.form, inst.dsts, srcs)) return;
    inst.srcs = srcs;
    rewrites.take(`offset of ${inst.form.op}`, inst);
    count++;
  });
  if (count > 0) func.generation++;
  return count;
}

const FARTHEST = 2 ** 23;
const fits = (distance: number): boolean => distance >= -FARTHEST && distance < FARTHEST;

function readByPhis(func: Func): ReadonlySet<number> {
  const found = new Set<number>();
  for (const block of func.blocks)
    for (const inst of block.insts) if (isPhi(inst)) for (const o of inst.srcs) if (isReg(o)) found.add(o.id);
  return found;
}

/** The stack pointer, which a kernel sets up once before everything else, and a constant. */
function fromStack(func: Func, inst: Inst, address: Operand, defs: Definitions): Moved | null {
  if (func.kind !== "entry" || inst.form.memory?.space !== "local" || address.width !== 1) return null;
  const sum = isReg(address) && address.mods === 0 ? defs.definition(address) : null;
  const parts = sum?.form.name === "IADD3" ? split(sum) : null;
  if (parts === null || func.values.fixed(parts.register.id) !== STACK_REGISTER) return null;
  return { base: parts.register, distance: parts.constant };
}

/** What the pair is the sum of, through sums of sums; null: no sum with a constant. */
function movedFrom(address: Operand, at: number, defs: Definitions, carried: ReadonlySet<number>): Moved | null {
  let found: Moved | null = null;
  for (let o = address; ; ) {
    if (!isReg(o) || o.file !== File.R || o.width !== 2 || o.mods !== 0 || o.part !== "" || carried.has(o.id)) break;
    const step = sumOf(o, defs);
    if (step === null || !defs.holds(step.base, at)) break;
    const distance: number = step.distance + (found?.distance ?? 0);
    if (!fits(distance)) break;
    found = { base: step.base, distance };
    o = step.base;
  }
  return found;
}

/** The pair as another pair and a constant: `IADD3 lo, p, a, c, RZ; IADD3.X hi, b, c', RZ, p, !PT`. */
function sumOf(pair: Operand, { units, def, flat }: Definitions): Moved | null {
  const u = unitOf(units, pair);
  const [low, high] = [flat.insts[def[u] as number], flat.insts[def[u + 1] as number]];
  if (low?.form.name !== "IADD3" || high?.form.name !== "IADD3.X") return null;
  const [a, b] = [split(low), split(high)];
  if (a === null || b === null || !carries(low, high)) return null;
  const [x, y] = [a.register, b.register];
  if (x.id !== y.id || x.sub + 1 !== y.sub || x.sub % 2 !== 0) return null;
  // As a signed number: its high word repeats the sign of the low one.
  if (b.constant !== a.constant >> 31) return null;
  return { base: altered(pair, { id: x.id, sub: x.sub }), distance: a.constant };
}

/** The one register and the constant that the first three sources add up to, as signed numbers. */
function split(sum: Inst): { readonly register: Operand; readonly constant: number } | null {
  let register: Operand | null = null;
  let constant = 0;
  for (const o of sum.srcs.slice(0, 3)) {
    if (o.kind === Kind.Imm) constant = (constant + o.value) | 0;
    else if (isZeroReg(o)) continue;
    else if (register !== null || !isReg(o) || o.file !== File.R || o.mods !== 0 || o.part !== "") return null;
    else register = o;
  }
  const numbers = sum.srcs.slice(0, 3).filter((o) => o.kind === Kind.Imm);
  return register === null || numbers.length > 1 || sum.guard !== null ? null : { register, constant };
}

/** The carry of the low half, and nothing else, goes into the high half. */
function carries(low: Inst, high: Inst): boolean {
  const predicates = (list: readonly Operand[]): Operand[] =>
    list.filter((o) => o.kind === Kind.Reg && o.file === File.P);
  const [out, ...more] = predicates(low.dsts).filter(isReg);
  const [first, second, ...rest] = predicates(high.srcs);
  if (out === undefined || more.length > 0 || first === undefined || second === undefined || rest.length > 0)
    return false;
  const isFalse = (o: Operand): boolean => !isReg(o) && o.mods !== 0;
  return (
    predicates(low.srcs).every(isFalse) &&
    first.id === out.id &&
    first.mods === 0 &&
    isFalse(second) &&
    predicates(high.dsts).every((o) => !isReg(o))
  );
}
