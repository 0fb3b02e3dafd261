/**
 * Allocation of tensor memory for one CTA (`alloc`, `dealloc`, `relinquish_alloc_permit`): a unit finds free runs of 32 columns (UTCATOMSWS), and what the
 * CTA has is noted in shared memory that the system reserves, for the guardrails. As ptxas has it on sm_100a; its guardrails call routines
 * that trap, ours trap in place.
 *
 * Reserved, from byte 64 on: + 0x14 columns that are taken, a bit for each 32, + 0x18 first columns of allocations, + 0x1c the permit is given back.
 */
import { imm, not, PT, RZ, sreg, URZ } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { Operand as PtxOperand } from "../../ptx/ast.js";
import { sharedAddress } from "../async/operands.js";
import { toUniform } from "../async/uniform.js";
import type { Context } from "../context.js";
import { convergeWarp } from "../converge.js";
import { type Lowering, operands } from "../family.js";
import { allTogether } from "../matrix/together.js";
import { skip } from "../place.js";
import { Refusal } from "../refusal.js";
import { CGA_CTA_ID } from "../special.js";
import { U32 } from "../types.js";

const RESERVED = 64;
const TAKEN = 0x14;
const STARTS = 0x18;
const GIVEN_BACK = 0x1c;
/** log2 of the columns that a bit stands for. */
const RUN = 5;
/** Count of the wait that ptxas has before each search. */
const BEFORE = 0x36;
/** What ptxas -O3 gives back to the pool of the SM. */
const POOL = 0x80;

/** Address of the reserved bytes. */
function reserved(c: Context): Operand {
  return c.op("LEA", [c.op("S2R", [sreg(CGA_CTA_ID)]), c.op("MOV", [imm(RESERVED)]), imm(24)]);
}

const place = (base: Operand, offset: number): Operand[] => [base, skip(), imm(offset)];

/** A bit for each run of so many columns. */
function runs(c: Context, columns: Operand): Operand {
  const count = c.op("SHF.R.U32.HI", [RZ(), imm(RUN), columns]);
  return c.op("LOP3.LUT", [
    c.op("SHF.L.U32", [c.op("MOV", [imm(0xffffffff)]), count, RZ()]),
    RZ(),
    RZ(),
    imm(0x0f),
    not(PT()),
  ]);
}

/** Emits `body` for one lane of those that are here. */
function oneLane(c: Context, body: () => void): void {
  const [act, done] = [c.newBlock(), c.newBlock()];
  const elected = c.predicate();
  c.emit("ELECT", [elected], []);
  c.branch(done, c.when(elected, true));
  c.start(act);
  body();
  c.start(done);
}

/** Traps where the predicate holds. */
function trapIf(c: Context, p: Operand): void {
  const [trap, on] = [c.newBlock(), c.newBlock()];
  c.branch(on, c.when(p, true));
  c.start(trap);
  c.emit("BPT.TRAP", [], [imm(1)]);
  c.start(on);
}

/** Traps unless all bits are set in the word. */
function demand(c: Context, word: Operand, bits: Operand): void {
  const missing = c.predicate();
  c.emit("ISETP.NE.U32.AND", [missing], [c.op("LOP3.LUT", [word, bits, RZ(), imm(0xc0), not(PT())]), bits]);
  trapIf(c, missing);
}

/** Looks for free runs until there are enough: the number of the first. */
function search(c: Context, columns: Operand): Operand {
  const [again, found] = [c.newBlock(), c.newBlock()];
  const start = c.temp();
  const attempt = (): Operand => {
    const length = toUniform(c, [c.op("SHF.R.U32.HI", [RZ(), imm(RUN), columns])]);
    const [first, ok, one, told] = [c.builder.ur(1), c.builder.up(), c.builder.ur(1), c.builder.ur(1)];
    c.emit("DEPBAR.LE", [], [imm(0), imm(BEFORE)]);
    c.emit("UTCATOMSWS.FIND_AND_SET.ALIGN", [ok, first], [length]);
    c.emit("MOV", [start], [first]);
    c.emit("UMOV", [one], [imm(1)]);
    c.emit("USEL", [told], [one, URZ(), ok]);
    const done = c.predicate();
    c.emit("ISETP.NE.U32.AND", [done], [c.op("MOV", [told]), RZ()]);
    return done;
  };
  c.branch(found, c.when(attempt()));
  c.start(again);
  c.emit("NANOSLEEP", [], [imm(100)]);
  c.branch(again, c.when(attempt(), true));
  c.start(found);
  return start;
}

function allocate(c: Context, to: PtxOperand, columns: PtxOperand): void {
  const where = sharedAddress(c, to);
  const count = c.materialize(c.read(columns, U32));
  allTogether(c);
  const base = reserved(c);
  const late = c.predicate();
  c.emit("ISETP.NE.U32.AND", [late], [c.op("LDS.U8", place(base, GIVEN_BACK)), RZ()]);
  trapIf(c, late);
  oneLane(c, () => {
    const start = search(c, count);
    const mask = c.op("SHF.L.U32", [runs(c, count), start, RZ()]);
    c.emit("ATOMS.OR", [RZ()], [...place(base, TAKEN), mask]);
    c.emit("ATOMS.OR", [RZ()], [...place(base, STARTS), c.op("SHF.L.U32", [c.op("MOV", [imm(1)]), start, RZ()])]);
    c.emit("STS", [], [...place(where, 0), c.op("SHF.L.U32", [start, imm(RUN), RZ()])]);
  });
  convergeWarp(c);
}

function free(c: Context, address: PtxOperand, columns: PtxOperand): void {
  const from = c.materialize(c.read(address, U32));
  const count = c.materialize(c.read(columns, U32));
  allTogether(c);
  const base = reserved(c);
  const column = c.op("LOP3.LUT", [from, imm(0xffff), RZ(), imm(0xc0), not(PT())]);
  const start = c.op("SHF.R.U32.HI", [RZ(), imm(RUN), column]);
  const mask = c.op("SHF.L.U32", [runs(c, count), start, RZ()]);
  const first = c.op("SHF.L.U32", [c.op("MOV", [imm(1)]), start, RZ()]);
  demand(c, c.op("LDS", place(base, TAKEN)), mask);
  demand(c, c.op("LDS", place(base, STARTS)), first);
  const inverted = (x: Operand): Operand => c.op("LOP3.LUT", [x, RZ(), RZ(), imm(0x0f), not(PT())]);
  const kept = inverted(mask);
  oneLane(c, () => {
    c.emit("UTCATOMSWS.AND", [URZ()], [toUniform(c, [kept])]);
    c.emit("ATOMS.AND", [RZ()], [...place(base, TAKEN), kept]);
    c.emit("ATOMS.AND", [RZ()], [...place(base, STARTS), inverted(first)]);
  });
  convergeWarp(c);
}

function giveBack(c: Context): void {
  allTogether(c);
  const base = reserved(c);
  oneLane(c, () => {
    c.emit("UVIRTCOUNT.DEALLOC.SMPOOL", [], [imm(POOL)]);
    c.emit("STS.U8", [], [...place(base, GIVEN_BACK), c.op("MOV", [imm(1)])]);
  });
  convergeWarp(c);
}

/** With `cta_group::2` both CTAs agree on a place over a barrier in the reserved memory: not built. */
export const allocation: Lowering = (c, i, m) => {
  const [kind] = i.modifiers;
  m.need(["cta_group::1"]);
  for (const w of ["sync", "aligned"]) m.need([w]);
  if (kind === "relinquish_alloc_permit") {
    operands(i, 0);
    giveBack(c);
    return;
  }
  const [first, columns] = operands(i, 2) as [PtxOperand, PtxOperand];
  if (kind === "alloc") {
    // Generic addresses of shared memory have it in their low half.
    if (m.oneOf(["shared::cta"]) === null) throw new Refusal();
    m.need(["b32"]);
    allocate(c, first, columns);
  } else {
    m.need(["b32"]);
    free(c, first, columns);
  }
};
