/**
 * Allocation of tensor memory (`alloc`, `dealloc`, `relinquish_alloc_permit`): a unit finds free runs of 32 columns (UTCATOMSWS), and what the
 * CTA has is noted in shared memory that the system reserves, for the guardrails. As ptxas has it on sm_100a; its guardrails call routines
 * that trap, ours trap in place.
 *
 * Reserved, from byte 64 on: + 0x8 an mbarrier and + 0x10 the parity of its next wait (of pairs), + 0x14 columns that are taken, a bit for each 32,
 * + 0x18 first columns of allocations, + 0x1c the permit is given back.
 *
 * A pair of CTAs has the same columns in both: the even one looks for them once the odd one has taken note of those before, and tells
 * it the first through the odd one's memory and mbarrier. Each gives back its own.
 */
import { imm, not, PT, RZ, sreg, URZ } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { Operand as PtxOperand } from "../../ptx/ast.js";
import { genericShared, sharedAddress } from "../async/operands.js";
import { toUniform } from "../async/uniform.js";
import type { Context } from "../context.js";
import { convergeWarp } from "../converge.js";
import { type Lowering, operands } from "../family.js";
import { allTogether } from "../matrix/together.js";
import { skip } from "../place.js";
import { CGA_CTA_ID } from "../special.js";
import { U32 } from "../types.js";
import { takePair } from "./moves.js";

const RESERVED = 64;
const BARRIER = 0x8;
const PARITY = 0x10;
const TAKEN = 0x14;
const STARTS = 0x18;
const GIVEN_BACK = 0x1c;
/** log2 of the columns that a bit stands for. */
const RUN = 5;
/** Bytes of the word that tells the odd CTA the first column. */
const TOLD_BYTES = 4;
/** Nanoseconds that a wait for the other CTA sleeps before it looks again. */
const SLEEP = 10_000_000;
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

/** Looks for free runs until there are enough, in both CTAs of a pair: the number of the first. */
function search(c: Context, columns: Operand, pair: string): Operand {
  const [again, found] = [c.newBlock(), c.newBlock()];
  const start = c.temp();
  const attempt = (): Operand => {
    const length = toUniform(c, [c.op("SHF.R.U32.HI", [RZ(), imm(RUN), columns])]);
    const [first, ok, one, told] = [c.builder.ur(1), c.builder.up(), c.builder.ur(1), c.builder.ur(1)];
    c.emit("DEPBAR.LE", [], [imm(0), imm(BEFORE)]);
    c.emit(`UTCATOMSWS${pair}.FIND_AND_SET.ALIGN`, [ok, first], [length]);
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

/** Traps where the permit was given back. */
function demandPermit(c: Context, base: Operand): void {
  const late = c.predicate();
  c.emit("ISETP.NE.U32.AND", [late], [c.op("LDS.U8", place(base, GIVEN_BACK)), RZ()]);
  trapIf(c, late);
}

/** Notes what was found, and stores its address. */
function note(c: Context, base: Operand, where: Operand, start: Operand, count: Operand): void {
  const mask = c.op("SHF.L.U32", [runs(c, count), start, RZ()]);
  c.emit("ATOMS.OR", [RZ()], [...place(base, TAKEN), mask]);
  c.emit("ATOMS.OR", [RZ()], [...place(base, STARTS), c.op("SHF.L.U32", [c.op("MOV", [imm(1)]), start, RZ()])]);
  c.emit("STS", [], [...place(where, 0), c.op("SHF.L.U32", [start, imm(RUN), RZ()])]);
}

function allocate(c: Context, where: Operand, count: Operand): void {
  allTogether(c);
  const base = reserved(c);
  demandPermit(c, base);
  oneLane(c, () => note(c, base, where, search(c, count, ""), count));
  convergeWarp(c);
}

// ------------------------------------------------------------------------------------------------ pairs

/** Waits until the other CTA has arrived: twice without sleeping, as ptxas has it. */
function waitForPeer(c: Context, base: Operand): void {
  const parity = c.op("SHF.L.U32", [c.op("LDS", place(base, PARITY)), imm(31), RZ()]);
  const at = [base, URZ(), imm(BARRIER)];
  const arrived = c.newBlock();
  const look = (): Operand => {
    const p = c.predicate();
    c.emit("SYNCS.PHASECHK.TRANS64.TRYWAIT", [p], [...at, parity]);
    return p;
  };
  for (let k = 0; k < 2; k++) {
    c.branch(arrived, c.when(look()));
    c.start(c.newBlock());
  }
  const [again, sleep] = [c.newBlock(), c.newBlock()];
  c.start(again);
  c.branch(arrived, c.when(look()));
  c.start(sleep);
  c.emit("NANOSLEEP.SYNCS", [], [PT(), imm(SLEEP)]);
  const p = c.predicate();
  c.emit("SYNCS.PHASECHK.TRANS64", [p], [...at, parity]);
  c.branch(again, c.when(p, true));
  c.start(arrived);
}

/** An address of this CTA's shared memory in that of another. */
const inCta = (c: Context, rank: Operand, address: Operand): Operand => c.op("PRMT", [rank, imm(0x654), address]);

function allocatePair(c: Context, where: Operand, count: Operand): void {
  allTogether(c);
  const base = reserved(c);
  demandPermit(c, base);
  const rank = c.op("S2R", [sreg(CGA_CTA_ID)]);
  const peer = c.op("LOP3.LUT", [rank, imm(1), RZ(), imm(0x3c), not(PT())]);
  const isOdd = c.predicate();
  c.emit("ISETP.EQ.U32.AND", [isOdd], [c.op("LOP3.LUT", [rank, imm(1), RZ(), imm(0xc0), not(PT())]), imm(1)]);
  const barrier = inCta(c, peer, c.op("IADD3", [base, imm(BARRIER), RZ()]));
  const turn = (): void => {
    c.emit("ATOMS.XOR", [RZ()], [...place(base, PARITY), c.op("MOV", [imm(1)])]);
  };
  const [even, odd, done] = [c.newBlock(), c.newBlock(), c.newBlock()];
  c.branch(odd, c.when(isOdd));
  c.start(even);
  oneLane(c, () => {
    const start = search(c, count, ".2CTA");
    waitForPeer(c, base);
    c.emit("SYNCS.ARRIVE.TRANS64.RED", [RZ(2)], [barrier, URZ(), imm(0), c.op("MOV", [imm(TOLD_BYTES)])]);
    c.emit("STAS", [], [c.pair(inCta(c, peer, where), barrier), URZ(2), imm(0), start]);
    note(c, base, where, start, count);
    turn();
  });
  c.branch(done);
  c.start(odd);
  oneLane(c, () => {
    waitForPeer(c, base);
    note(c, base, where, c.op("LDS", place(where, 0)), count);
    c.emit("SYNCS.ARRIVE.TRANS64.RED.A1T0", [RZ(2)], [barrier, URZ(), imm(0), RZ()]);
    turn();
  });
  c.start(done);
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

/** What is given back is each CTA's own: `cta_group::2` says nothing else (ptxas has the same code for both). */
export const allocation: Lowering = (c, i, m) => {
  const [kind] = i.modifiers;
  const pair = takePair(m) !== "";
  for (const w of ["sync", "aligned"]) m.need([w]);
  if (kind === "relinquish_alloc_permit") {
    operands(i, 0);
    giveBack(c);
    return;
  }
  const [first, columns] = operands(i, 2) as [PtxOperand, PtxOperand];
  if (kind === "alloc") {
    const generic = m.oneOf(["shared::cta"]) === null;
    m.need(["b32"]);
    const where = generic ? genericShared(c, first) : sharedAddress(c, first);
    const count = c.materialize(c.read(columns, U32));
    (pair ? allocatePair : allocate)(c, where, count);
  } else {
    m.need(["b32"]);
    free(c, first, columns);
  }
};
