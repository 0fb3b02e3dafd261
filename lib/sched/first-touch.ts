/**
 * Of loads in a row those come first that ask for a sector of 32 bytes which no load of the block before has asked for: what is waited for
 * in the end is the last sector to come, and what lies in one asked for before comes with it.
 *
 *     LDG.E R8, [R12.64]            LDG.E R8, [R12.64]
 *     LDG.E R10, [R12.64+0x10]      LDG.E R9, [R2.64]
 *     LDG.E R9, [R2.64]        →    LDG.E R16, [R14.64]
 *     LDG.E R11, [R2.64+0x10]       LDG.E R10, [R12.64+0x10]
 *     LDG.E R16, [R14.64]           LDG.E R11, [R2.64+0x10]
 *
 * Lines of L1 are filled by sectors (CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory"). That the base itself stands at the start of
 * a sector is taken for likely, not known. ptxas 13.0.88 keeps such loads in the order of the text.
 */
import { memoryEffect, Order } from "../analysis/memory.js";
import { type Inst, Kind, type Operand, ZERO_REG } from "../ori/types.js";
import type { Candidate } from "./candidate.js";
import type { Rung, SchedulePolicy } from "./policy.js";
import type { SchedState } from "./state.js";

/** Bytes of a sector. */
const SECTOR = 32;

/** Where loads in a row stand, and which of them ask for a sector first. */
interface Touches {
  /** By place in the starting order: the number of the row that an instruction stands in, −1 for none. */
  readonly row: Int32Array;
  /** 1: it asks for a sector first. */
  readonly first: Uint8Array;
  /** Some row has such a load after one that is none. */
  readonly matters: boolean;
}

const isRegister = (o: Operand | undefined): o is Operand => o?.kind === Kind.Reg && o.id !== ZERO_REG;
const registerName = ({ file, id }: Operand): string => `${file}:${id}`;

/** Base and sector of a plain load of global memory, null for anything else. */
function sectorOf(inst: Inst): { readonly base: string; readonly key: string } | null {
  if (inst.form.memory?.space !== "global") return null;
  const e = memoryEffect(inst.form);
  if (e.order === Order.Fence || e.order === Order.Full || e.writes !== 0) return null;
  const [base, uniform, offset] = [inst.srcs[e.base], inst.srcs[e.uniform], inst.srcs[e.offset]];
  if (!isRegister(base) || offset?.kind !== Kind.Imm) return null;
  const name = registerName(base);
  const more = isRegister(uniform) ? registerName(uniform) : "";
  return { base: name, key: `${name} ${more} ${Math.floor((offset.value | 0) / SECTOR)}` };
}

function touchesOf(code: readonly Inst[]): Touches {
  const row = new Int32Array(code.length).fill(-1);
  const first = new Uint8Array(code.length);
  const asked = new Map<string, Set<string>>();
  let matters = false;
  let again = false;
  let rows = 0;
  code.forEach((inst, place) => {
    const sector = sectorOf(inst);
    if (sector === null) {
      again = false;
      rows++;
    } else {
      const of = asked.get(sector.base);
      row[place] = rows;
      if (of?.has(sector.key) === true) again = true;
      else {
        first[place] = 1;
        matters ||= again;
        if (of === undefined) asked.set(sector.base, new Set([sector.key]));
        else of.add(sector.key);
      }
    }
    for (const d of inst.dsts)
      if (isRegister(d)) for (let k = 0; k < d.width; k++) asked.delete(registerName({ ...d, id: d.id + k }));
  });
  return { row, first, matters };
}

/** Whether loads that ask for a sector first stand after others in some row of the block. */
export const asksLate = (code: readonly Inst[]): boolean => touchesOf(code).matters;

/** The rows, and the first place whose instruction still waits. */
class Rows {
  private front = 0;
  private readonly placed: Uint8Array;
  private readonly touches: Touches;
  private readonly nodes: Int32Array;

  constructor(private readonly state: SchedState) {
    const code: Inst[] = [];
    this.nodes = new Int32Array(state.total);
    for (let node = 0; node < state.total; node++) {
      const place = state.placeOf(node);
      code[place] = state.inst(node);
      this.nodes[place] = node;
    }
    this.touches = touchesOf(code);
    this.placed = new Uint8Array(state.total);
  }

  /** It asks for a sector first, and issues no later than the first that waits would: its address does not come late. */
  comesFirst({ position, issue }: Candidate): boolean {
    const { row, first } = this.touches;
    if (first[position] !== 1 || row[position] !== row[this.front]) return false;
    return issue <= this.state.issueCycle(this.nodes[this.front] as number);
  }

  take(node: number): void {
    this.placed[this.state.placeOf(node)] = 1;
    while (this.placed[this.front] === 1) this.front++;
  }
}

const rung: Rung<Rows> = { why: "asks for a sector first", by: (c, rows) => (rows.comesFirst(c) ? 1 : 0) };

export const firstTouch: SchedulePolicy<Rows> = {
  name: "first-touch",
  does: "the order given; of loads in a row those first that ask for a sector of memory first",
  direction: "forward",
  ladder: [rung],
  start: (state) => new Rows(state),
  after: (_, winner, rows) => rows.take(winner),
};
