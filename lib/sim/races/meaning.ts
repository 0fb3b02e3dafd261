/** What an instruction is to the race detector. */
import { type MachineInst, Kind as Operands, ZERO_REG } from "../../isa/operand.js";

export interface Kind {
  readonly read: boolean;
  readonly write: boolean;
  /** Two strong accesses do not race (PTX ISA, memory consistency model: morally strong; scopes are not looked at). */
  readonly strong: boolean;
  /** An asynchronous copy: done when its thread has waited for it. */
  readonly copy: boolean;
}

export interface Meaning {
  /** What the `turn`-th access of a lane is; null: none that counts. `asked`: the space that the instruction names. */
  kind(space: "global" | "shared" | "local", asked: string, turn: number): Kind | null;
  readonly fence: boolean;
  /** Copies so far are a group from here on; waits until so many groups are left. */
  readonly commit: boolean;
  readonly waits: number | null;
  /** Makes an mbarrier. */
  readonly initializes: boolean;
  /** An arrival of the copies of the thread at an mbarrier. */
  readonly copiesArrive: boolean;
}

const READ: Kind = { read: true, write: false, strong: false, copy: false };
const WRITE: Kind = { read: false, write: true, strong: false, copy: false };
const STRONG_READ: Kind = { ...READ, strong: true };
const STRONG_WRITE: Kind = { ...WRITE, strong: true };
const ATOMIC: Kind = { read: true, write: true, strong: true, copy: false };
const COPY: Kind = { ...WRITE, copy: true };

type Of = Meaning["kind"];
const none: Of = () => null;

/** Instructions whose accesses are others than their row says. */
const special: Readonly<Record<string, Of>> = {
  LDGSTS: (space) => (space === "global" ? READ : COPY),
  // A chunk is read, then written.
  UBLKCP: (_, __, turn) => (turn % 2 === 0 ? READ : WRITE),
  UBLKRED: (_, __, turn) => (turn % 2 === 0 ? READ : ATOMIC),
  // The descriptor has a generic address.
  UTMALDG: (space, asked) => (space === "global" || asked === "generic" ? READ : WRITE),
  UTMASTG: (space, asked) => (space === "shared" || asked === "generic" ? READ : WRITE),
  SYNCS: none,
  ARRIVES: none,
};

function kindOf(inst: MachineInst): Of {
  const { op, mods, memory } = inst.form;
  const own = special[op];
  if (own !== undefined) return own;
  if (!memory || mods.includes("ARRIVE")) return none;
  const strong = mods.includes("STRONG") || mods.includes("MMIO");
  switch (memory.access) {
    case "load":
      return () => (strong ? STRONG_READ : READ);
    case "store":
      return () => (strong ? STRONG_WRITE : WRITE);
    case "atomic":
    case "reduce":
      return () => ATOMIC;
    default:
      return none;
  }
}

/** Instructions between the load of a loop that makes an atomic operation and its compare-and-swap: what is to be written is computed there. */
const BETWEEN = 32;

/**
 * The load reads what a compare-and-swap that tries again (.CAST.SPIN) compares with: both are one atomic operation of PTX, as
 * our code and ptxas's make it of 64 bits in shared memory.
 */
function beginsAtomic(insts: readonly (MachineInst | null)[], at: number): boolean {
  const load = insts[at] as MachineInst;
  const d = load.dsts.find((o) => o.kind === Operands.Reg && o.id !== ZERO_REG);
  if (load.form.memory?.access !== "load" || d === undefined) return false;
  for (const inst of insts.slice(at + 1, at + 1 + BETWEEN)) {
    if (inst === null) return false;
    const { form, srcs, dsts } = inst;
    if (form.mods.includes("CAST") && form.mods.includes("SPIN")) {
      const compared = srcs[form.srcs.findIndex((s) => s.name === "cmp")];
      return compared?.kind === Operands.Reg && compared.id === d.id;
    }
    if (dsts.some((o) => o.kind === Operands.Reg && o.file === d.file && o.id === d.id)) return false;
  }
  return false;
}

/** What the instruction at this place of a program is. */
export function meaningAt(insts: readonly (MachineInst | null)[], at: number): Meaning {
  const meaning = meaningOf(insts[at] as MachineInst);
  return beginsAtomic(insts, at) ? { ...meaning, kind: () => STRONG_READ } : meaning;
}

/** Does the instruction order accesses, or wait for them? */
export function ordersAccesses(inst: MachineInst): boolean {
  const { fence, commit, waits, initializes, copiesArrive } = meaningOf(inst);
  return fence || commit || waits !== null || initializes || copiesArrive;
}

export function meaningOf(inst: MachineInst): Meaning {
  const { op, mods } = inst.form;
  const counts = op === "DEPBAR" && mods.includes("LE") ? inst.form.srcs.findIndex((s) => s.name === "n") : -1;
  const wait = counts >= 0 && inst.srcs[counts]!.kind === Operands.Imm ? inst.srcs[counts] : undefined;
  return {
    kind: kindOf(inst),
    fence: op === "MEMBAR",
    commit: op === "LDGDEPBAR",
    waits: wait === undefined ? null : wait.value,
    initializes: op === "SYNCS" && mods.includes("EXCH"),
    copiesArrive: op === "ARRIVES",
  };
}
