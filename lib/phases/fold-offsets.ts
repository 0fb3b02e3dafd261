/**
 * Constants added to an address go into the offset of the access (SSA window; GeneralOptimizeMid), also where the sum has other
 * readers, as ptxas 13.0.88 does (asked on sm_90: loads, stores, atomics, both addresses of asynchronous copies, sums of sums, offsets to
 * 24 bits; of 32-bit addresses in shared memory on sm_75, 80, 90, 100).
 *
 *     IADD3 %R4:0, %P6, %R2:0, 0x1000, RZ
 *     IADD3.X %R4:1, %R2:1, RZ, RZ, %P6, !PT       →
 *     STG.E desc[%UR8][%R4.64+0x8], %R7                  STG.E desc[%UR8][%R2.64+0x1008], %R7
 *
 * Of a sum of three whose readers are all accesses and sums with constants, the two registers are added by themselves first (shared memory):
 *
 *     IADD3 %R4, %R2, 0x1000, %R3               IADD3 %R5, %R2, %R3, RZ
 *     STS [%R4+0x8], %R6                  →     STS [%R5+0x1008], %R6
 *
 * The same of distances from the stack pointer of a kernel, in local memory. A sum that goes round a loop (a phi reads it) stays the address: else the register before it would live beside it.
 */
import { analysis, Definitions, memoryEffect, unitOf } from "../analysis/index.js";
import { STACK_REGISTER } from "../isa/abi.js";
import type { Form } from "../isa/form.js";
import { isPhi } from "../ori/flow.js";
import { altered, clone, imm, isReg } from "../ori/operand.js";
import { File, type Func, type Inst, Kind, type Operand } from "../ori/types.js";
import { encodes } from "../rules/encodable.js";
import { fits, type Moved, split } from "./distances.js";
import type { RewriteCounter } from "./rewrites.js";
import { movedInShared, splitSums } from "./shared-offsets.js";

/** Returns how many accesses changed. */
export function foldOffsets(func: Func, rewrites: RewriteCounter): number {
  if (func.milestone !== "ssa") return 0;
  splitSums(func, rewrites);
  const defs = new Definitions(func);
  const carried = readByPhis(func);
  let count = 0;
  analysis(func, "flat").insts.forEach((inst, at) => {
    if (inst.form.memory === null) return;
    for (const { base, offset, shared } of addressesOf(inst.form)) {
      const [address, distance] = [inst.srcs[base], inst.srcs[offset]];
      if (address === undefined || distance === undefined || distance.kind !== Kind.Imm || !rewrites.open) continue;
      const moved =
        movedFrom(address, at, defs, carried) ??
        (shared ? movedInShared(address, at, defs, carried) : fromStack(func, inst, address, defs));
      if (moved === null) continue;
      const srcs = inst.srcs.map(clone);
      srcs[base] = altered(address, { id: moved.base.id, sub: moved.base.sub });
      srcs[offset] = imm(distance.value + moved.distance);
      if (!fits(distance.value + moved.distance) || !encodes(func, inst.form, inst.dsts, srcs)) continue;
      inst.srcs = srcs;
      rewrites.take(`offset of ${inst.form.op}`, inst);
      count++;
    }
  });
  if (count > 0) func.generation++;
  return count;
}

/** Source slots of an address. */
interface Slots {
  readonly base: number;
  readonly offset: number;
  /** In shared memory, by 32 bits. */
  readonly shared: boolean;
}

const addresses: (readonly Slots[] | undefined)[] = [];

/** The addresses of an access: a copy from global to shared memory has two. */
function addressesOf(form: Form): readonly Slots[] {
  let known = addresses[form.id];
  if (known === undefined) {
    const { base, offset } = memoryEffect(form);
    const copies = form.op === "LDGSTS";
    const first = base < 0 || offset < 0 ? [] : [{ base, offset, shared: copies || form.memory?.space === "shared" }];
    const slot = (name: string): number => form.srcs.findIndex((s) => s.name === name);
    known = copies ? [...first, { base: slot("addr"), offset: slot("goff"), shared: false }] : first;
    addresses[form.id] = known;
  }
  return known;
}

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
