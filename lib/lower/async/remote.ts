/**
 * Copies of global memory into `.shared::cluster` on SMs whose unit reaches the CTA's own shared memory alone (sm_120, 121). As ptxas does
 * there (13.0.88, every dimension and mode at -O1 and -O3): what stays in the CTA goes to the unit, the rest to a routine of the driver.
 *
 *     one CTA               the unit, where the address names this CTA (its upper eight bits, SR_CgaCtaId)
 *     several (multicast)   the unit, where the mask says CTA 0 alone and the launch has no clusters
 *
 * The routine has every argument at its place, whether the form has it or not (registers of the ABI, lib/isa/abi.ts; test/oracle/remote-copies.test.ts):
 *
 *     bytes   R4:R5 destination, R6:R7 source, R8 bytes, R9 mask, R10:R11 barrier, R12:R13 policy
 *     boxes   R4:R5 destination, R6:R7 map, R8 … R12 coordinates, R13 mask, R14:R15 barrier, on the stack the policy;
 *             with im2col its offsets, 16 bits each, and the policy after eight bytes
 */
import { constBank, imm, RZ, sreg } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { Instruction } from "../../ptx/ast.js";
import type { Target } from "../../target/types.js";
import { callDriver, type Passed } from "../call.js";
import type { Context } from "../context.js";
import { storeMemory } from "../slots.js";
import { CGA_CTA_ID } from "./cluster-registers.js";

const PREFIX = "__cuda_syscall_cp_async_bulk";
/** Bytes of arguments on the stack. */
export const REMOTE_STACK_BYTES = 16;

/** May the instruction call such a routine with arguments on the stack? */
export function mayBeRemote(i: Instruction, target: Target): boolean {
  if (target.has("bulkCopiesToCluster") || i.opcode !== "cp") return false;
  return ["bulk", "tensor", "shared::cluster", "global"].every((m) => i.modifiers.includes(m));
}

interface Common {
  readonly to: Operand;
  readonly barrier: Operand;
  readonly mask: Operand | null;
  readonly policy: Operand | null;
}

export interface RemoteBytes extends Common {
  readonly from: Operand;
  readonly bytes: Operand;
}

export interface RemoteBox extends Common {
  readonly map: Operand;
  readonly coordinates: readonly Operand[];
  /** Of im2col; null in tile mode. */
  readonly offsets: readonly Operand[] | null;
}

const castOf = (x: Common): string => (x.mask === null ? "unicast" : "multicast");

const wide = (n: number, low: Operand, high: Operand = RZ()): Passed[] => [
  [n, low],
  [n + 1, high],
];

function policyWords(c: Context, policy: Operand | null): [Operand, Operand] {
  return policy === null ? [RZ(), RZ()] : [c.word(policy, 0), c.word(policy, 1)];
}

const masked = (n: number, mask: Operand | null): Passed[] => (mask === null ? [] : [[n, mask]]);

/** The unit's code and the routine's, one of them for each lane. */
function either(c: Context, x: Common, unit: () => void, routine: () => void): void {
  const own = x.mask === null ? inOwnCta(c, x.to) : alone(c, x.mask);
  const [near, far, done] = [c.newBlock(), c.newBlock(), c.newBlock()];
  c.branch(far, c.when(own, true));
  c.start(near);
  unit();
  c.branch(done);
  c.start(far);
  routine();
  c.branch(done);
  c.start(done);
}

/** Does the address of shared memory of the cluster name this CTA? */
function inOwnCta(c: Context, address: Operand): Operand {
  const own = c.predicate();
  const rank = c.op("SHF.R.U32.HI", [RZ(), imm(24), address]);
  c.emit("ISETP.EQ.U32.AND", [own], [rank, c.op("S2R", [sreg(CGA_CTA_ID)])]);
  return own;
}

/** Is the mask CTA 0, in a launch without clusters? */
function alone(c: Context, mask: Operand): Operand {
  const at = c.target.constants.explicitCluster as number;
  const explicit = c.predicate();
  c.emit("ISETP.NE.AND", [explicit], [c.op("LDC", [constBank(0, at)]), imm(1)]);
  const own = c.predicate();
  c.emit("ISETP.EQ.U32.AND", [own], [mask, imm(1), explicit]);
  return own;
}

/** A run of bytes; `unit` emits the instruction of the unit, without mask. */
export function remoteBytes(c: Context, x: RemoteBytes, unit: () => void): void {
  either(c, x, unit, () => {
    callDriver(c, `${PREFIX}_${castOf(x)}`, [
      ...wide(4, x.to),
      ...wide(6, c.word(x.from, 0), c.word(x.from, 1)),
      [8, x.bytes],
      ...masked(9, x.mask),
      ...wide(10, x.barrier),
      ...wide(12, ...policyWords(c, x.policy)),
    ]);
  });
}

/** A box of a tensor. */
export function remoteBox(c: Context, x: RemoteBox, unit: () => void): void {
  const { offsets, coordinates } = x;
  either(c, x, unit, () => {
    const words = policyWords(c, x.policy);
    const stack = { base: c.stack, offset: 0 };
    offsets?.forEach((o, i) => {
      storeMemory(c, stack, 2 * i, c.materialize(o), 2);
    });
    words.forEach((w, i) => {
      storeMemory(c, stack, (offsets === null ? 0 : 8) + 4 * i, c.materialize(w), 4);
    });
    const mode = offsets === null ? "tile" : "im2col";
    callDriver(c, `${PREFIX}_tensor_${coordinates.length}d_${mode}_${castOf(x)}`, [
      ...wide(4, x.to),
      ...wide(6, c.word(x.map, 0), c.word(x.map, 1)),
      ...coordinates.map((o, i): Passed => [8 + i, o]),
      ...masked(13, x.mask),
      ...wide(14, x.barrier),
    ]);
  });
}
