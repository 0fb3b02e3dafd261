/** What is translated: by mnemonic, as in ops/; those of the uniform datapath share the entry of the name without U. */
import type { MachineInst } from "../../isa/operand.js";
import type { Site } from "../site.js";
import type { Access, Group } from "./access.js";
import { atomic } from "./atomic.js";
import { bits } from "./bits.js";
import { float } from "./float.js";
import { integer } from "./integer.js";
import { matrices } from "./matrix-moves.js";
import { move } from "./move.js";
import type { Segment } from "./segment.js";

export interface Emitter {
  /** Emits the instruction with number `index`, or throws Untranslated; what it does not ask the site for makes it untranslated, too. */
  readonly emit: (e: Segment, s: Site, index: number, group: Group | null) => void;
  /** Its access to memory. */
  readonly access?: (s: Site, inst: MachineInst) => Access;
  /** Registers, and predicates, of which it reads other lanes: they must stand since before the segment. */
  readonly rows?: (s: Site, inst: MachineInst) => readonly number[];
  readonly predicates?: (s: Site) => readonly number[];
  /** false: it does more than to give values to registers and predicates. */
  readonly pure?: false;
  /** true: it does nothing here. */
  readonly nothing?: true;
  /** Says in `Segment.mask` which lanes access memory, where these are not all that execute the instruction. */
  readonly accessing?: (e: Segment, s: Site) => void;
  /** Instead of four lanes at a time it is emitted once for all of them, in a segment of its own; it writes to registers in memory. */
  readonly whole?: true;
  /** A fault for some of the lanes: translated for warps with all lanes active only. */
  readonly together?: true;
}
export type Emitters = Readonly<Record<string, Emitter>>;

const all: ReadonlyMap<string, Emitter> = new Map(
  [integer, bits, float, move, atomic, matrices].flatMap((family) => Object.entries(family)),
);

/** Mnemonics that are translated into segments; BRA, CALL, BSYNC, WARPSYNC, YIELD and the matrix products of a warp stand between them (translate.ts). */
export const translatedMnemonics: readonly string[] = [...all.keys()].sort();

export function emitterOf(op: string): Emitter | undefined {
  return all.get(op) ?? (op.startsWith("U") ? all.get(op.slice(1)) : undefined);
}
