/**
 * `cp.async`: copies of 4, 8 or 16 bytes from global to shared memory that go on while the thread does other things, and the groups that
 * they are waited for in (LDGSTS, LDGDEPBAR, DEPBAR).
 *
 * Zero fill (measured at -O0 and -O3): with .ZFILL the low bits of the source address say how many bytes at the end are zero, and a false
 * predicate that all are. A source predicate (ignore-src) is that predicate without .ZFILL.
 */
import { hi, imm, lo, not, RZ } from "../../ori/operand.js";
import { Kind, type Operand } from "../../ori/types.js";
import type { Operand as PtxOperand } from "../../ptx/ast.js";
import { type Address, memoryAddress } from "../address.js";
import type { Context } from "../context.js";
import { at, type Lowering, operands } from "../family.js";
import type { Modifiers } from "../modifiers.js";
import { skip } from "../place.js";
import { Refusal } from "../refusal.js";
import { B64, PRED, U32 } from "../types.js";
import { bulk, reduceBulk } from "./bulk.js";
import { arriveAfterCopies } from "./mbarrier.js";
import { addressIn } from "./operands.js";

const sizes: Readonly<Record<number, string>> = { 4: "", 8: ".64", 16: ".128" };

/** What the operand after the size says, null when there is none. */
interface Source {
  readonly fill: boolean;
  /** The copy happens; otherwise all bytes are zero. */
  readonly pin: Operand | null;
  readonly base: Operand;
  readonly offset: number;
}

/** A sum of a 64-bit base and a 32-bit number. */
function plus(c: Context, base: Operand, add: Operand): Operand {
  const sum = c.temp(2);
  const carry = c.predicate();
  c.emit("IADD3", [lo(sum), carry], [lo(base), add, RZ()]);
  c.emit("IADD3.X", [hi(sum)], [hi(base), RZ(), RZ(), carry]);
  return sum;
}

function isPredicate(c: Context, o: PtxOperand): boolean {
  const name = o.kind === "not" ? o.operand : o;
  return c.registerOf(name)?.type.cls === "p";
}

/** Bytes that are copied; the rest of the destination becomes zero. */
function partly(c: Context, from: Address, size: PtxOperand, bytes: number): Source {
  const count = c.read(size, U32);
  if (count.kind === Kind.Imm) {
    if (count.value > bytes) throw new Refusal();
    const { base, offset } = from;
    if (count.value === bytes) return { fill: false, pin: null, base, offset };
    if (count.value === 0) return { fill: true, pin: not(always(c)), base, offset };
    return { fill: true, pin: null, base: plus(c, base, imm(bytes - count.value)), offset };
  }
  const some = c.predicate();
  c.emit("ISETP.NE.U32.AND", [some], [count, RZ()]);
  const missing = c.op("LOP3.LUT", [c.op("IADD3", [minus(count), imm(bytes), RZ()]), imm(bytes - 1), RZ(), imm(0xc0)]);
  return { fill: true, pin: some, base: plus(c, from.base, missing), offset: from.offset };
}

const minus = (o: Operand): Operand => ({ ...o, mods: o.mods ^ 1 });

function always(c: Context): Operand {
  const p = c.predicate();
  c.emit("ISETP.EQ.U32.AND", [p], [RZ(), RZ()]);
  return p;
}

function sourceOf(c: Context, from: Address, rest: readonly PtxOperand[], bytes: number): Source {
  const [o] = rest;
  if (o === undefined) return { fill: false, pin: null, base: from.base, offset: from.offset };
  if (!isPredicate(c, o)) return partly(c, from, o, bytes);
  return { fill: false, pin: not(c.read(o, PRED)), base: from.base, offset: from.offset };
}

/** Offsets of LDGSTS are narrower than those of loads. */
function within(c: Context, base: Operand, offset: number, bits: number): { base: Operand; offset: number } {
  const limit = 2 ** (bits - 1);
  if (offset >= -limit && offset < limit) return { base, offset };
  if (base.width === 1) return { base: c.op("IADD3", [base, imm(offset), RZ()]), offset: 0 };
  const sum = c.temp(2);
  const carry = c.predicate();
  c.emit("IADD3", [lo(sum), carry], [lo(base), imm(offset), RZ()]);
  c.emit("IADD3.X", [hi(sum)], [hi(base), imm(Math.floor(offset / 2 ** 32)), RZ(), carry]);
  return { base: sum, offset: 0 };
}

/** Bits of the offsets of LDGSTS in shared and in global memory (lib/isa/rows/global.ts). */
const SHARED_OFFSET = 20;
const GLOBAL_OFFSET = 12;

function copy(c: Context, list: readonly PtxOperand[], m: Modifiers): void {
  const how = m.need(["ca", "cg"]);
  m.need(["shared", "shared::cta"]);
  m.need(["global"]);
  const hinted = m.flag("L2::cache_hint");
  const prefetch = m.oneOf(["L2::64B", "L2::128B", "L2::256B"]);
  const size = at(list, 2);
  if (list.length < 3 || list.length > (hinted ? 5 : 4) || size.kind !== "int") throw new Refusal();
  const bytes = size.lo;
  const suffix = sizes[bytes];
  if (suffix === undefined || size.hi !== 0 || (how === "cg" && bytes !== 16)) throw new Refusal();
  const rest = list.slice(3, hinted ? -1 : undefined);
  // The policy changes no value; what is written must be a register.
  if (hinted) c.read(at(list, list.length - 1), B64);
  const to = memoryAddress(c, addressIn(at(list, 0)), "shared");
  const source = sourceOf(c, memoryAddress(c, addressIn(at(list, 1)), "global"), rest, bytes);
  const dst = within(c, to.base, to.offset, SHARED_OFFSET);
  const src = within(c, source.base, source.offset, GLOBAL_OFFSET);
  const words = `${how === "cg" ? ".BYPASS" : ""}${prefetch === null ? "" : `.LTC${prefetch.slice(4)}`}${suffix}`;
  c.emit(
    `LDGSTS.E${words}${source.fill ? ".ZFILL" : ""}`,
    [],
    [dst.base, imm(dst.offset), c.descriptor, src.base, imm(src.offset), source.pin ?? skip()],
  );
}

/** The greatest count that DEPBAR can wait for; greater ones become it (as ptxas does). */
const MOST_GROUPS = 63;

/** `cp.async…`, and `cp.reduce.async.bulk`. */
export const cp: Lowering = (c, i, m) => {
  if (!c.target.has("asyncCopy")) throw new Refusal();
  const reduces = m.flag("reduce");
  m.need(["async"]);
  if (m.flag("bulk")) {
    (reduces ? reduceBulk : bulk)(c, i.operands, m);
    return;
  }
  if (m.flag("mbarrier")) {
    arriveAfterCopies(c, i.operands, m);
    return;
  }
  const kind = m.oneOf(["commit_group", "wait_group", "wait_all"]);
  if (kind === null) {
    copy(c, i.operands, m);
    return;
  }
  const list = operands(i, kind === "wait_group" ? 1 : 0);
  if (kind === "commit_group") {
    c.emit("LDGDEPBAR", [], []);
    return;
  }
  if (kind === "wait_all") c.emit("LDGDEPBAR", [], []);
  const groups = kind === "wait_all" ? 0 : groupsOf(at(list, 0));
  c.emit("DEPBAR.LE", [], [imm(0), imm(groups)]);
};

function groupsOf(o: PtxOperand): number {
  if (o.kind !== "int" || o.hi !== 0) throw new Refusal();
  return Math.min(o.lo >>> 0, MOST_GROUPS);
}
