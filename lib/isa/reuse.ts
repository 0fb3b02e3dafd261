/**
 * The operand cache as the encoding sees it: which source of an instruction can be kept for the next reader, and in which
 * of the three slots (bits 122 to 124 of the word).
 */
import type { Target } from "../target/types.js";
import { tableFor } from "./compiled.js";
import { matchMods, rowOf } from "./form.js";
import { type CodeLine, Do } from "./lines.js";
import { Kind, type MachineInst, type Operand } from "./operand.js";
import type { Form } from "./types.js";

/** No source of the instruction can be kept. */
const none = new Int8Array(0);

/** By isa, form, kinds of the operands. */
const cache = new Map<number, Map<Form, Map<string, Int8Array>>>();

/**
 * Per source slot the operand-cache slot (0 … 2) that its register would be kept in, −1 where there is none; empty when
 * that is so for all. Asked for encodable instructions only.
 */
export function reuseSlots(inst: MachineInst, target: Target): Int8Array {
  let byForm = cache.get(target.isa);
  if (!byForm) {
    byForm = new Map();
    cache.set(target.isa, byForm);
  }
  let byKinds = byForm.get(inst.form);
  if (!byKinds) {
    byKinds = new Map();
    byForm.set(inst.form, byKinds);
  }
  const { srcs } = inst;
  let key = "";
  for (let s = 0; s < srcs.length; s++) key += String.fromCharCode(48 + srcs[s]!.kind * 8 + srcs[s]!.file);
  let slots = byKinds.get(key);
  if (!slots) {
    slots = find(inst, target);
    byKinds.set(key, slots);
  }
  return slots;
}

function find(inst: MachineInst, target: Target): Int8Array {
  for (const code of tableFor(target.isa).linesOfRow(rowOf(inst.form).index)) {
    if (!fits(code, inst) || !matchMods(code.line.template, inst.form.mods)) continue;
    const slots = Int8Array.from(inst.srcs, (o, s) => {
      const { reuse } = code.steps[code.dsts + s]!;
      return o.kind === Kind.Reg && reuse >= 0 ? reuse - 122 : -1;
    });
    return slots.some((s) => s >= 0) ? slots : none;
  }
  return none;
}

function fits(code: CodeLine, inst: MachineInst): boolean {
  return inst.srcs.every((o, s) => takes(code.steps[code.dsts + s]!, o));
}

/** Does the line take an operand of this kind in this place? */
function takes(step: CodeLine["steps"][number], o: Operand): boolean {
  switch (step.what) {
    case Do.Default:
      return true;
    case Do.Reg:
      return o.kind === Kind.Reg && o.file === step.file;
    case Do.Const:
      return o.kind === Kind.Const;
    case Do.Imm:
      return o.kind === Kind.Imm || o.kind === Kind.Sym;
    case Do.Sreg:
      return o.kind === Kind.Sreg;
    default:
      return o.kind === Kind.Label || o.kind === Kind.Sym;
  }
}
