/**
 * Lanes of one member mask that meet at different places of the program.
 *
 * `shfl.sync`, `vote.sync`, `match.sync`, `redux.sync` and `bar.warp.sync` wait for all lanes of the mask that have not
 * exited to execute an instruction "with the same qualifiers and the same membermask" (PTX ISA 9.7.9.6, 9.7.13.2, .9, .10,
 * .12), and not for the same instruction. SHFL, VOTE, MATCH and REDUX work on the lanes that execute them together, so such
 * lanes must be brought to one place first. What ptxas does (measured on sm_75 to sm_121; test/oracle/gather.test.ts):
 *
 * - -O0: always, whatever the mask and the control flow. From sm_90 on
 *       MOV R2, a; …; MOV R5, mask; WARPSYNC.COLLECTIVE R5, L; SHFL.BFLY P0, R4, R2, R3, R4; ENDCOLLECTIVE; L: …
 *   before sm_90 a subroutine for each set of qualifiers, with its own registers for arguments and result:
 *       CALL.REL.NOINC $__cuda_sm70_shflsync_bfly     where  WARPSYNC R5; SHFL.BFLY …; RET.REL.NODEC
 * - above -O0: the bare instruction where it shows that the lanes are together; else `BRA.DIV` around it to the form above.
 *   `bar.sync` never; `activemask` is VOTE.ANY of whoever is there.
 *
 * The code between WARPSYNC.COLLECTIVE and ENDCOLLECTIVE is executed once for all lanes gathered, at one of the places: in a
 * function it is the same everywhere, down to the register numbers, for the same qualifiers. Here they are bound values.
 * Nothing may be moved into or out of that code, bound values must not be replaced by what was copied to them, and all that the
 * code starts must be complete at its end: lanes that came from elsewhere go on with other control words.
 *
 * Where all lanes of a mask must meet at the same instruction, WARPSYNC before it does. That is so (`inOrder`) when
 * the instructions with these qualifiers and this constant mask come in one order on all paths: a lane's n-th is then every
 * lane's n-th, and lanes that wait for each other cannot be at different ones. So a reduction by five shuffles in a row
 * stays bare, whoever has exited before, also in a loop that all lanes leave together (`meeting-order.ts`). A mask in a register may be any mask; then only an instruction that is the only one with
 * its qualifiers stays bare. Instructions that know no mask (VOTE.ALL, MATCH.ALL, REDUX) tell lanes with several masks in
 * one place apart only when gathered: they stay bare with constant masks alone. Before sm_90 WARPSYNC.EXCLUSIVE does it, used for
 * REDUX; the others become ballots, as in ptxas's subroutines.
 *
 * Both forms let the lanes of each mask go on by themselves. Where masks in registers may differ from lane to lane (tiles of a warp),
 * BSSY and BSYNC around it bring together again who came together, as in ptxas's code; what follows would run once for each tile else.
 */
import { notSupported } from "../diagnostics.js";
import { InternalError } from "../errors.js";
import { form } from "../isa/form.js";
import { breg, clone, imm, label, lo, PT, part, RZ } from "../ori/operand.js";
import { fillSlots } from "../ori/slots.js";
import { type Block, File, type Func, type Inst, Kind, type Operand, ZERO_REG } from "../ori/types.js";
import type { Context } from "./context.js";
import { convergeMask } from "./converge.js";
import { inOrder, uniformBranches } from "./meeting-order.js";

/** One instruction of the PTX that waits for the lanes of a mask. */
export interface MeetingPlace {
  /** Opcode and qualifiers: lanes meet only where they are the same. */
  readonly kind: string;
  readonly mask: Operand;
  /** The code takes whoever executes it for the lanes of the mask. */
  readonly exact: boolean;
  /** WARPSYNC, and after it what the lanes execute together. */
  readonly sync: Inst;
  readonly body: readonly Inst[];
}

/** Emits WARPSYNC and `body`, straight code for lanes that are together. */
export function together(c: Context, kind: string, mask: Operand, exact: boolean, body: () => void): void {
  convergeMask(c, mask);
  const { block } = c.builder;
  const at = block.insts.length;
  body();
  if (c.builder.block !== block) throw new InternalError(`${kind} is more than straight code`);
  const [sync, ...rest] = block.insts.splice(at - 1) as [Inst, ...Inst[]];
  // Constants that an instruction wants in registers are nobody else's business.
  const constants = rest.filter(isConstant);
  const code = rest.filter((i) => !isConstant(i));
  block.insts.push(...constants, sync, ...code);
  c.meetings.push({ kind, mask, exact, sync, body: code });
}

/** Barrier and count in one register, made right before the barrier: the form has no room for that. */
function packsBarrier(m: MeetingPlace): boolean {
  return m.kind.startsWith("barrier.") && m.body.some((i) => i.form.op === "SHF");
}

function isConstant(i: Inst): boolean {
  return i.form.op === "MOV" && i.srcs[0]?.kind === Kind.Imm;
}

/** Makes lanes meet wherever they may come to different places. The control flow must be complete; edges are outdated after. */
export function gather(c: Context): boolean {
  const places = new Map<Inst, MeetingPlace>();
  const numbers = constants(c.func);
  for (const m of c.meetings) places.set(m.sync, withConstantMask(c, m, numbers));
  const found = new Map<string, MeetingPlace[]>();
  for (const b of c.func.blocks) {
    for (const i of b.insts) {
      const m = places.get(i);
      if (m === undefined) continue;
      const list = found.get(m.kind);
      if (list === undefined) found.set(m.kind, [m]);
      else list.push(m);
    }
  }
  const apart = new Set<Inst>();
  let uniform: ReadonlySet<Block> | null = null;
  const together = (): ReadonlySet<Block> => {
    uniform ??= uniformBranches(c.func, c.watching);
    return uniform;
  };
  for (const list of found.values()) {
    for (const group of byMask(list)) if (!meetsByItself(c, group, together)) for (const m of group) apart.add(m.sync);
  }
  if (apart.size === 0) return false;
  for (const sync of apart) {
    const m = places.get(sync) as MeetingPlace;
    if (packsBarrier(m)) c.diagnostics.push(notSupported("barrier in registers where lanes part", m.sync.loc));
  }
  const work = new Gathering(c);
  for (const b of [...c.func.blocks]) {
    for (let k = b.insts.length - 1; k >= 0; k--) {
      const sync = b.insts[k] as Inst;
      if (apart.has(sync)) work.convert(b, k, places.get(sync) as MeetingPlace);
    }
  }
  return true;
}

/** Values that never hold anything but one number, by value. */
function constants(func: Func): ReadonlyMap<number, number> {
  const out = new Map<number, number | null>();
  for (const b of func.blocks)
    for (const i of b.insts)
      for (const d of i.dsts) {
        if (d.kind !== Kind.Reg || d.file !== File.R || d.id < 0) continue;
        const from = i.form.op === "MOV" ? i.srcs[0] : undefined;
        const number = from?.kind === Kind.Imm && from.mods === 0 && d.width === 1 && d.sub === 0 ? from.value : null;
        const known = out.get(d.id);
        out.set(d.id, known === undefined || known === number ? number : null);
      }
  return new Map([...out].filter((e): e is [number, number] => e[1] !== null));
}

/** nvcc keeps masks in registers: one that holds the same number always is that number. */
function withConstantMask(c: Context, m: MeetingPlace, numbers: ReadonlyMap<number, number>): MeetingPlace {
  const value = m.mask.kind === Kind.Reg && m.mask.sub === 0 ? numbers.get(m.mask.id) : undefined;
  if (value === undefined) return m;
  if (value >>> 0 === 0xffffffff) {
    const all = c.target.has("warpsyncAll");
    m.sync.form = form(all ? "WARPSYNC.ALL" : "WARPSYNC");
    m.sync.srcs = fillSlots(m.sync.form, m.sync.form.srcs, all ? {} : { b: imm(value) });
  }
  return { ...m, mask: imm(value) };
}

// ------------------------------------------------------------------------------------------------ which places

/** Places whose masks may be equal. */
function byMask(list: readonly MeetingPlace[]): MeetingPlace[][] {
  if (list.some((m) => m.mask.kind !== Kind.Imm)) return [[...list]];
  const groups = new Map<number, MeetingPlace[]>();
  for (const m of list) groups.set(m.mask.value, [...(groups.get(m.mask.value) ?? []), m]);
  return [...groups.values()];
}

function meetsByItself(c: Context, group: readonly MeetingPlace[], together: () => ReadonlySet<Block>): boolean {
  const constant = group.every((m) => m.mask.kind === Kind.Imm);
  if (!constant && group.some((m) => m.exact)) return false;
  return group.length === 1 || (constant && inOrder(c.func, new Set(group.map((m) => m.sync)), together));
}

// ------------------------------------------------------------------------------------------------ the form

/**
 * Registers of gathered code, alike everywhere in a function: arguments from R2 on (a pair fits there), results R4 and R6
 * (R4 may have been the third argument), the mask R5, before sm_90 the return address R7, then R2 and R3. Low numbers, so
 * that small register limits can be met.
 */
const ARGUMENTS = 2;
const RESULTS: readonly number[] = [4, 6];
const MASK = 5;
const RETURN = 7;
const UNIFORM = 4;

class Gathering {
  private readonly c: Context;
  private readonly values = new Map<string, Operand>();

  constructor(c: Context) {
    this.c = c;
  }

  /** Turns WARPSYNC at `insts[at]` of a block and the code after it into the gathered form; what follows gets a block of its own. */
  convert(block: Block, at: number, m: MeetingPlace): void {
    const { c } = this;
    const { builder, func } = c;
    const rest = block.insts.splice(at).slice(1 + m.body.length);
    const after = builder.newBlock("", block.freq);
    const splits = m.mask.kind !== Kind.Imm && (c.target.has("collective") || m.exact);
    const back = splits ? builder.newBlock("", block.freq) : after;
    func.blocks.splice(func.blocks.indexOf(block) + 1, 0, ...(splits ? [back, after] : [after]));
    builder.resume(block);
    builder.loc = m.sync.loc;
    const results: { to: Operand; from: Operand }[] = [];
    this.bindArguments(m);
    this.bindResults(m, results);
    const mask = this.bound(File.R, MASK);
    c.move(mask, m.mask);
    const barrier = splits ? func.values.add(File.B) : -1;
    if (splits) c.emit("BSSY", [breg(barrier)], [PT(), label(after)]);
    if (c.target.has("collective")) {
      c.emit("WARPSYNC.COLLECTIVE", [], [mask, label(back)]);
      block.insts.push(...m.body);
      c.emit("ENDCOLLECTIVE", [], []);
    } else this.callable(block, back, mask, m);
    if (splits) {
      builder.resume(back);
      c.emit("BSYNC", [], [PT(), breg(barrier)]);
    }
    builder.resume(after);
    for (const r of results) c.move(r.to, r.from);
    after.insts.push(...rest);
  }

  /**
   * Code that will be a subroutine: it begins at WARPSYNC, ends with its block and needs registers for returning. The
   * address of a block as a number stands nowhere else.
   */
  private callable(block: Block, after: Block, mask: Operand, m: MeetingPlace): void {
    const { c } = this;
    const address = this.bound(File.R, RETURN);
    const pair = this.bound(File.R, ARGUMENTS, 2);
    c.emit("MOV", [address], [label(after)]);
    c.emit(m.exact ? "WARPSYNC.EXCLUSIVE" : "WARPSYNC", [], [mask]);
    block.insts.push(...m.body);
    c.emit("MOV", [lo(pair)], [address]);
    c.emit("MOV", [part(pair, 1)], [RZ()]);
  }

  /** Copies what the code reads to its registers. */
  private bindArguments(m: MeetingPlace): void {
    const inside = new Set(m.body.flatMap((i) => i.dsts.map((o) => o.id)).filter((id) => id >= 0));
    const next = { [File.R]: ARGUMENTS, [File.P]: 0 };
    for (const inst of m.body) {
      inst.srcs.forEach((o, k) => {
        if (o.kind === Kind.Reg && o.id !== ZERO_REG && inside.has(o.id) && inst.form.op === "MOV") return;
        if (o.kind !== Kind.Reg && o.kind !== Kind.Imm) return;
        const slot = inst.form.srcs[k];
        if (inst.form.op === "MOV" || slot === undefined) return;
        // Numbers of a barrier belong to its kind, and stay.
        if (inst.form.op === "BAR" && o.kind === Kind.Imm) return;
        const file = slot.file === File.P ? File.P : File.R;
        const to = this.bound(file, next[file], o.width);
        next[file] += o.width;
        this.c.move(to, o.kind === Kind.Imm ? imm(o.value) : o);
        inst.srcs[k] = clone(to);
      });
    }
  }

  /** Lets the code write its registers; `results` says what is copied from them. */
  private bindResults(m: MeetingPlace, results: { to: Operand; from: Operand }[]): void {
    const moved = new Map<number, Operand>();
    let wide = 0;
    for (const inst of m.body) {
      inst.srcs.forEach((o, k) => {
        const to = o.kind === Kind.Reg ? moved.get(o.id) : undefined;
        if (to !== undefined && inst.form.op === "MOV") inst.srcs[k] = clone(to);
      });
      inst.dsts.forEach((o, k) => {
        const file = inst.form.dsts[k]?.file;
        if (o.kind !== Kind.Reg || file === undefined) return;
        // The predicate result of SHFL and MATCH is no qualifier: it is always there.
        const unused = o.id === ZERO_REG;
        if (unused && !(file === File.P && (inst.form.op === "SHFL" || inst.form.op === "MATCH"))) return;
        const to =
          file === File.P
            ? this.bound(File.P, 0)
            : file === File.UR
              ? this.bound(File.UR, UNIFORM)
              : this.bound(File.R, RESULTS[wide++] as number);
        if (!unused && file === File.UR) moved.set(o.id, to);
        else if (!unused) results.push({ to: clone(o), from: to });
        inst.dsts[k] = clone(to);
      });
    }
  }

  private bound(file: File, register: number, width = 1): Operand {
    const key = `${file}.${register}.${width}`;
    let value = this.values.get(key);
    if (value === undefined) {
      value = this.c.builder.value(file, width, "", register);
      this.values.set(key, value);
    }
    return clone(value);
  }
}
