/** Cuts straight-line code into segments (segment.ts says what may be in one), and turns a segment into a function. */
import { File, Kind, type MachineInst } from "../../isa/operand.js";
import { meetsOperations } from "../async/access-kind.js";
import { isSupported } from "../build.js";
import { functionAt, type Program } from "../program.js";
import { Site, Unsupported } from "../site.js";
import { type Access, basesOf, type Group, groupsOf } from "./access.js";
import { lookAtGroup, Notes, nextRound, testAccesses, testGroup } from "./bounds.js";
import { BASE, type FmaMode, Untranslated } from "./emission.js";
import { Code, type Fn } from "./encoder.js";
import { BANK_BYTES, HINT_WORDS, HINTS } from "./layout.js";
import { Op } from "./opcodes.js";
import { Segment } from "./segment.js";
import { type Emitter, emitterOf } from "./table.js";

/** Most instructions of a segment: bounds the time the host's compiler takes. */
const LONGEST = 96;

/** Most instructions that are done again where the addresses of a segment are tested. */
const LONGEST_SLICE = 24;

/** What cutting needs to know of an instruction. */
export interface Translation {
  readonly index: number;
  readonly inst: MachineInst;
  readonly site: Site;
  readonly emitter: Emitter;
  readonly uniform: boolean;
  readonly access: Access | null;
  /** Registers and predicates of which other lanes are read: they must stand since before the segment. */
  readonly stands: readonly string[];
  /** What its access depends on: stands, or is made of what stands by pure instructions, which the test of the addresses repeats. */
  readonly bases: readonly string[];
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Its results depend on what it reads alone, and are exact at the first attempt. */
  readonly pure: boolean;
  /** The first attempt may be wrong. */
  readonly risky: boolean;
}

const fileName = (file: File): string =>
  file === File.R ? "R" : file === File.UR ? "U" : file === File.P ? "P" : file === File.UP ? "UP" : "?";

/** Registers and predicates that a `dsts` operand of the instruction names. */
function writesOf(inst: MachineInst): string[] {
  const { form, dsts } = inst;
  return dsts.flatMap((o, i) => {
    if (o.kind !== Kind.Reg || o.id < 0) return [];
    const width = Math.max(o.width, form.dsts[i]!.width, 1);
    return Array.from({ length: width }, (_, k) => `${fileName(o.file)}${o.id + k}`);
  });
}

export function siteOf(program: Program, index: number): Site {
  return new Site(program, index, functionAt(program, index).first, program.insts[index]!);
}

/** Uses of a segment in which instructions are tried. */
const TRIALS = 64;
let trial: Segment = new Segment(true, "quick");
let trials = 0;

/** How an instruction is done in a segment, as far as it matters to it: products of f32 have no short path. */
const waysOf = ({ form }: MachineInst): readonly FmaMode[] =>
  form.op === "DFMA" ? ["quick", "short", "exact"] : ["quick", "exact"];

/** Emits an instruction for what can be seen of it: the registers and predicates that it reads, and whether the first attempt may be wrong; null: not all of it was looked at. */
function tried(
  program: Program,
  index: number,
  emitter: Emitter,
  group: Group | null,
): Pick<Translation, "reads" | "risky" | "site"> | null {
  if (++trials % TRIALS === 0) trial = new Segment(true, "quick");
  trial.forget();
  let site: Site;
  for (const fma of waysOf(program.insts[index]!)) {
    trial.startRound(fma);
    site = siteOf(program, index);
    emitInstruction(trial, { site, emitter, index }, group);
    trial.finishRound();
    if (site.leftover().length > 0) return null;
    // All are the same where the quick one is certain.
    if (!trial.risky) break;
  }
  return { reads: [...trial.touched], risky: trial.risky, site: site! };
}

/** How an instruction is translated; null: it is not. */
export function translationOf(program: Program, index: number): Translation | null {
  const inst = program.insts[index];
  if (!inst) return null;
  const emitter = emitterOf(inst.form.op);
  if (emitter === undefined || !isSupported(program, index)) return null;
  // What operations in flight may meet, or wait for them, must be seen.
  if (program.asynchronous && meetsOperations(inst)) return null;
  try {
    const site = siteOf(program, index);
    const access = emitter.access?.(site, inst) ?? null;
    const seen = tried(
      program,
      index,
      emitter,
      access === null ? null : { first: access, accesses: [{ index, access }], id: 0 },
    );
    if (seen === null) return null;
    const stands = [
      ...(emitter.rows?.(site, inst) ?? []).map((r) => `R${r}`),
      ...(emitter.predicates?.(site) ?? []).map((p) => `P${p}`),
    ];
    const bases = access === null ? [] : basesOf(access);
    return {
      index,
      inst,
      emitter,
      uniform: site.uniform,
      access,
      stands,
      bases,
      writes: writesOf(inst),
      ...seen,
      reads: [...new Set([...seen.reads, ...bases])],
      pure: emitter.whole !== true && !seen.risky && access === null && emitter.pure !== false && stands.length === 0,
    };
  } catch (e) {
    if (e instanceof Untranslated || e instanceof Unsupported) return null;
    throw e;
  }
}

function emitInstruction(
  e: Segment,
  { site, emitter, index }: Pick<Translation, "site" | "emitter" | "index">,
  group: Group | null,
): void {
  e.startInstruction(site.inst, site.uniform);
  if (!site.uniform) {
    emitter.emit(e, site, index, group);
    return;
  }
  // The prologue is not done again where something was wrong.
  const { fma } = e;
  e.fma = "exact";
  e.inPrologue(() => emitter.emit(e, site, index, group));
  e.fma = fma;
}

/** A piece of straight-line code that one function does. */
export interface Piece {
  readonly list: readonly Translation[];
  /** Those of the instructions that make addresses, and guards of accesses. */
  readonly slice: ReadonlySet<Translation>;
}

/** How what a segment has written was made: by these instructions of it; null: not by pure ones. */
type Makers = Map<string, ReadonlySet<Translation> | null>;

/** The instructions of the segment that make the registers, null where some are not pure, or too many. */
function makersOf(made: Makers, registers: readonly string[]): Set<Translation> | null {
  const all = new Set<Translation>();
  for (const r of registers) {
    const makers = made.get(r);
    if (makers === null) return null;
    for (const t of makers ?? []) all.add(t);
  }
  return all.size > LONGEST_SLICE ? null : all;
}

/**
 * May the access touch what an earlier one of the segment touches, so that the order of the lanes matters? Stores come at the end of a round; of local
 * memory each lane has its own.
 */
function mayMeet({ space, store }: Access, loads: ReadonlySet<string>, stores: ReadonlySet<string>): boolean {
  if (space === "local") return !store && stores.has(space);
  return stores.has(space) || (store && loads.has(space));
}

/** What must stand before a segment so that it can be told who takes part in the instruction, and what it touches. */
function toldBy(t: Translation): readonly string[] {
  const { guard, form } = t.inst;
  if (form.memory !== null && t.access === null) return t.reads;
  if (guard === null || guard.id < 0) return t.bases;
  return [...t.bases, `${fileName(guard.file)}${guard.id}`];
}

/** Cuts consecutive instructions into segments; `observed`: such that all that `toldBy` says stands before them. */
export function cut(list: readonly Translation[], observed: boolean): Piece[] {
  const pieces: Piece[] = [];
  let current: Translation[] = [];
  let slice = new Set<Translation>();
  let made: Makers = new Map();
  /** Spaces that are loaded from, stored to. */
  let loads = new Set<string>();
  let stores = new Set<string>();
  const end = (): void => {
    if (current.length > 0) pieces.push({ list: current, slice });
    current = [];
    slice = new Set();
    made = new Map();
    loads = new Set();
    stores = new Set();
  };
  for (const t of list) {
    const { access } = t;
    const alias = access !== null && mayMeet(access, loads, stores);
    let addresses = makersOf(made, t.bases);
    const hidden = observed && toldBy(t).some((x) => made.has(x));
    const alone = t.emitter.whole === true || current[0]?.emitter.whole === true;
    if (
      alone ||
      alias ||
      current.length >= LONGEST ||
      addresses === null ||
      hidden ||
      t.stands.some((x) => made.has(x))
    ) {
      end();
      addresses = null;
    }
    current.push(t);
    for (const maker of addresses ?? []) slice.add(maker);
    const makers = t.pure ? makersOf(made, t.reads)?.add(t) : null;
    for (const w of t.writes) made.set(w, makers ?? null);
    if (access !== null) (access.store ? stores : loads).add(access.space);
  }
  end();
  return pieces;
}

/** The groups of the accesses: those of the same group have the same addresses but for their offsets. */
function groupsIn(list: readonly Translation[], slot: (group: Group) => number): Map<number, Group> {
  const writer = new Map<string, number>();
  const placed = list.flatMap((t) => {
    const writers = t.bases.map((r) => writer.get(r) ?? -1).join();
    for (const w of t.writes) writer.set(w, t.index);
    return t.access === null ? [] : [{ index: t.index, access: t.access, writers }];
  });
  const groupOf = new Map<number, Group>();
  for (const g of groupsOf(placed).values()) {
    g.id = slot(g);
    for (const { index } of g.accesses) groupOf.set(index, g);
  }
  return groupOf;
}

/** The test of all accesses; nothing where there are none. */
function testCode(e: Segment, piece: Piece, groupOf: ReadonlyMap<number, Group>): Code {
  if (groupOf.size === 0) return new Code();
  const notes = new Notes(e);
  /** Does the same for the first access of each group, with what makes the addresses. */
  const round = (each: (group: Group) => void): Code => {
    e.startRound("quick");
    for (const t of piece.list) {
      const group = groupOf.get(t.index);
      if (piece.slice.has(t)) emitInstruction(e, t, null);
      else if (group !== undefined && group.accesses[0]!.index === t.index) {
        e.startInstruction(t.inst, false);
        t.emitter.accessing?.(e, t.site);
        each(group);
      }
    }
    return e.out;
  };
  const test = round((group) => {
    testGroup(e, group, notes);
  });
  const isGlobal = (group: Group): boolean => group.first.space === "global";
  const looks = [...groupOf.values()].some(isGlobal);
  const look = round((group) => {
    if (isGlobal(group)) lookAtGroup(e, group);
  });
  return testAccesses(e, notes, test, looks ? look : null);
}

/**
 * For each instruction the registers that it may write back at once: those that it is the last of the segment to write, and whose value before
 * the segment is not needed again. `late` gets the rest that is live after the segment.
 */
function writesBack(piece: Piece, full: boolean, live: (register: number, pc: number) => boolean): WritesBack {
  const { list } = piece;
  const after = list[list.length - 1]!.index + 1;
  const risky = list.some((t) => t.risky);
  const given = new Set<string>();
  const written = new Set<string>();
  const last = new Map<string, Translation>();
  for (const t of list) {
    for (const r of t.reads) if (!written.has(r)) given.add(r);
    for (const r of t.writes) {
      written.add(r);
      last.set(r, t);
    }
  }
  const atOnce = new Map<Translation, number[]>();
  const late = new Set<number>();
  for (const [r, t] of last) {
    if (!r.startsWith("R")) continue;
    const n = Number(r.slice(1));
    if (!live(n, after)) continue;
    if (risky && (!full || given.has(r))) late.add(n);
    else atOnce.set(t, [...(atOnce.get(t) ?? []), n]);
  }
  return { atOnce, late };
}

interface WritesBack {
  readonly atOnce: ReadonlyMap<Translation, readonly number[]>;
  readonly late: ReadonlySet<number>;
}

/** Rounds in which short products are not tried after they were wrong. */
const WITHOUT_SHORT = 256;

/** Tries short products first, unless they have been wrong of late. */
function shortly(
  rounds: Code,
  piece: Piece,
  attempt: (fma: FmaMode, otherwise: () => void) => void,
  quickly: () => void,
): void {
  const hint = HINTS + 4 * (piece.list[0]!.index % HINT_WORDS);
  const hinted = (): Code => rounds.i32(0).memory(Op.i32Load, hint);
  rounds.open(Op.block);
  hinted().op(Op.i32Eqz).open(Op.if);
  attempt("short", () => {
    rounds.i32(0).i32(WITHOUT_SHORT).memory(Op.i32Store, hint);
  });
  hinted().op(Op.i32Eqz).index(Op.brIf, 1).end();
  rounds.i32(0);
  hinted().i32(1).op(Op.i32Sub).memory(Op.i32Store, hint);
  quickly();
  rounds.end();
}

const nothingBack: WritesBack = { atOnce: new Map(), late: new Set() };

/** The function of a segment: address of the warp's state and active lanes → threads that executed, or −1 with nothing done. */
export function segmentFunction(
  piece: Piece,
  full: boolean,
  relaxed: boolean,
  slot: (group: Group) => number,
  live: (register: number, pc: number) => boolean,
  observe: (code: Code) => void,
): { fn: Fn; fails: boolean } {
  const { list } = piece;
  const whole = list[0]!.emitter.whole === true;
  const { atOnce, late } = whole ? nothingBack : writesBack(piece, full, live);
  const groupOf = groupsIn(list, slot);
  const e = new Segment(full, relaxed ? "relaxed" : "quick");
  const test = testCode(e, piece, groupOf);
  const round = (fma: FmaMode): [Code, Code] => {
    e.startRound(fma);
    for (const t of list) {
      emitInstruction(e, t, groupOf.get(t.index) ?? null);
      for (const r of atOnce.get(t) ?? []) e.writeBack(r);
    }
    const body = e.out;
    e.out = new Code();
    return [body, e.finishRound(late)];
  };
  const rounds = new Code();
  const attempt = (fma: FmaMode, otherwise: () => void): void => {
    const [body, commit] = round(fma);
    if (!e.risky) {
      rounds.append(body).append(commit);
      return;
    }
    e.startRisk(rounds);
    rounds.append(body);
    e.endRisk(rounds);
    rounds.open(Op.if);
    otherwise();
    rounds.op(Op.else).append(commit).end();
  };
  const exactly = (): void => {
    for (const code of round("exact")) rounds.append(code);
  };
  const quickly = (): void => attempt("quick", exactly);
  if (relaxed) attempt("relaxed", exactly);
  else if (list.some((t) => t.inst.form.op === "DFMA")) shortly(rounds, piece, attempt, quickly);
  else quickly();
  const epilogue = e.epilogue();
  const { code } = e.fn;
  for (const [bank, bytes] of e.banks)
    code
      .i32(0)
      .memory(Op.i32Load, BANK_BYTES + 4 * bank)
      .i32(bytes)
      .op(Op.i32LtU)
      .open(Op.if)
      .i32(-1)
      .op(Op.return)
      .end();
  code.append(e.prologue).append(test);
  observe(code);
  if (whole) code.append(rounds);
  else if (!rounds.isEmpty) {
    code.get(BASE).set(e.row).i32(0).set(e.shift).open(Op.loop).append(rounds);
    nextRound(e, code);
    code.end();
  }
  code.append(epilogue);
  return { fn: e.fn, fails: groupOf.size > 0 || e.banks.size > 0 };
}
