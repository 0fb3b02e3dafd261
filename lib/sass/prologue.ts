/**
 * What ptxas puts before every function of sm_87 and of no other SM (measured, -O0 to -O3; the wiki does not have it): all
 * convergence barriers are emptied once in a warp's life. UR2, zero when a warp starts, says that it is done.
 *
 *     ISETP.NE.U32.AND P0, PT, RZ, UR2, PT
 *     @P0 BRA body
 *     BMOV.32 B0, 0xffffffff
 *     BMOV.32.CLEAR B1, B0 … BMOV.32.CLEAR B15, B14
 *     BMOV.32 B15, 0x0
 *     UMOV UR2, 0x1
 *
 * The last UMOV may still be in flight when the body writes UR2: both are fixed in latency and end in order.
 */
import { InternalError } from "../errors.js";
import { type Form, form, formsNamed } from "../isa/form.js";
import type { Control, MachineInst, Operand } from "../isa/operand.js";
import { breg, imm, label, PT, preg, RZ, ureg } from "../ori/operand.js";
import { File } from "../ori/types.js";

const BARRIERS = 16;

/** Bytes of the prologue. */
export const PROLOGUE_BYTES: number = 16 * (BARRIERS + 4);

/** Stalls are ptxas's. */
function control(stall: number, yielding: number): Control {
  return { stall, yield: yielding, writeSb: 7, readSb: 7, wait: 0, reuse: 0 };
}

/** Of the rows of a name that which writes a barrier from a constant, or from a barrier named by its number. */
function barrierForm(name: string): Form {
  const found = formsNamed(name).find((f) => f.dsts[0]?.file === File.B && f.srcs[0]?.accepts.includes("imm"));
  if (found === undefined) throw new InternalError(`no ${name} of a barrier and a constant`);
  return found;
}

/** Its instructions, control words included. */
export function clearBarriers(): MachineInst[] {
  const body = label(-1);
  body.value = PROLOGUE_BYTES;
  const first: MachineInst = instOf(form("ISETP.NE.U32.AND"), [preg(0), PT()], [RZ(), ureg(2), PT()], control(13, 0));
  const skip: MachineInst = instOf(form("BRA"), [], [PT(), body], control(5, 1));
  const [set, clear] = [barrierForm("BMOV.32"), barrierForm("BMOV.32.CLEAR")];
  const out = [first, { ...skip, guard: { file: File.P, id: 0, not: false } }];
  out.push(instOf(set, [breg(0)], [imm(0xffffffff)], control(4, 1)));
  for (let i = 1; i < BARRIERS; i++) out.push(instOf(clear, [breg(i)], [imm(i - 1)], control(4, 1)));
  out.push(instOf(set, [breg(BARRIERS - 1)], [imm(0)], control(4, 1)));
  out.push(instOf(form("UMOV"), [ureg(2)], [imm(1)], control(2, 1)));
  return out;
}

function instOf(form: Form, dsts: Operand[], srcs: Operand[], control: Control): MachineInst {
  return { form, dsts, srcs, guard: null, control };
}
