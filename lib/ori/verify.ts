/**
 * The verifier: says everything that is wrong with a function at a milestone. It collects all findings instead of
 * stopping at the first, and shares no code with the passes it judges. The rules are listed in verify/finding.ts.
 *
 * What must hold grows with the milestone: always structure and operand rules; before allocation virtual registers,
 * afterwards physical ones that exist, are aligned and are counted; no pseudo instruction after expansion; inside the
 * SSA window (milestone "ssa") one dominating definition per register; after control a control word everywhere.
 */
import { InternalError } from "../errors.js";
import { type Form, rowOf } from "../isa/form.js";
import { linesFor } from "../isa/table.js";
import { isPhi } from "./flow.js";
import { type Func, Kind, type Milestone } from "./types.js";
import { checkControl } from "./verify/control.js";
import { checkDefinedness } from "./verify/definedness.js";
import { atLeast, type Finding, Findings } from "./verify/finding.js";
import { checkOperands } from "./verify/operands.js";
import { checkPhysical } from "./verify/physical.js";
import { checkSsa } from "./verify/ssa.js";
import { checkStructure } from "./verify/structure.js";

export { type Finding, type Rule, rules } from "./verify/finding.js";

/** What is asked of a function. */
export interface VerifyOptions {
  /**
   * Values that may be read undefined. PTX allows it, and LLVM writes such code for values that do not matter, so a
   * caller who verifies along the way takes `undefinedValues` of the function as lowered.
   */
  readonly mayBeUndefined?: ReadonlySet<number>;
  /** Leave definedness out altogether. */
  readonly skipDefinedness?: boolean;
}

/** All findings, in the order of blocks and instructions within each group of rules. Empty: the function is right. */
export function verify(func: Func, milestone: Milestone = func.milestone, options: VerifyOptions = {}): Finding[] {
  const out = new Findings();
  checkStructure(func, out);
  checkMode(func, milestone, out);
  checkOperands(func, out);
  checkForms(func, milestone, out);
  if (!func.virtual) checkPhysical(func, out);
  checkControl(func, atLeast(milestone, "controlled"), out);
  // Dataflow only makes sense on a sound graph and sound operands.
  if (out.list.length > 0 || func.blocks.length === 0) return out.list;
  if (milestone === "ssa") checkSsa(func, out);
  if (options.skipDefinedness !== true) checkDefinedness(func, options.mayBeUndefined ?? new Set(), out);
  return out.list;
}

/** Values that some path reads before it defines them, and those that are copies of such, since phases may drop the copy. */
export function undefinedValues(func: Func): Set<number> {
  const out = new Findings();
  checkDefinedness(func, new Set(), out);
  const found = new Set(out.list.map((f) => f.register));
  const copies = found.size === 0 ? [] : func.blocks.flatMap((b) => b.insts.filter((i) => i.form.name === "MOV"));
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const { srcs, dsts } of copies)
      if (srcs.some((o) => o.kind === Kind.Reg && found.has(o.id))) for (const o of dsts) found.add(o.id);
  }
  return found;
}

/** Throws InternalError with all findings when there are any. */
export function assertValid(func: Func, milestone: Milestone = func.milestone, options: VerifyOptions = {}): void {
  const findings = verify(func, milestone, options);
  if (findings.length > 0) {
    throw new InternalError(`the IR is wrong at milestone ${milestone}`, {
      func: func.name,
      detail: findings.map(renderFinding).join("\n"),
    });
  }
}

/** `block 3, instruction 17: message [rule]` */
export function renderFinding(f: Finding): string {
  const where = [f.block >= 0 ? `block ${f.block}` : "", f.inst >= 0 ? `instruction ${f.inst}` : ""];
  const at = where.filter(Boolean).join(", ");
  return `${at ? `${at}: ` : ""}${f.message} [${f.rule}]`;
}

function checkMode(func: Func, milestone: Milestone, out: Findings): void {
  const physical = atLeast(milestone, "allocated");
  if (func.virtual === physical) {
    const is = func.virtual ? "virtual" : "physical";
    out.add("mode", `registers are ${is} at milestone ${milestone}`);
  }
  if (!func.virtual) return;
  for (let v = 0; v < func.values.count; v++) {
    const fixed = func.values.fixed(v);
    if (fixed >= 0 && fixed + func.values.width(v) > 255) {
      out.add("fixed", `value ${v} does not fit at register ${fixed}`, null, null, v);
    }
  }
}

function checkForms(func: Func, milestone: Milestone, out: Findings): void {
  const expanded = atLeast(milestone, "expanded");
  const final = atLeast(milestone, "unsupported-ops-gone");
  const laidOut = atLeast(milestone, "attributes-set");
  const supported = new Map<Form, boolean>();
  for (const block of func.blocks) {
    for (const inst of block.insts) {
      const { form } = inst;
      if (form.pseudo) {
        const jump = form.flow === "indirect" && !laidOut;
        if (expanded && !jump && !(milestone === "ssa" && isPhi(inst))) {
          out.add("pseudo", `${form.name} at milestone ${milestone}`, block, inst);
        }
        continue;
      }
      if (!final) continue;
      let known = supported.get(form);
      if (known === undefined) {
        known = linesFor(rowOf(form), func.target.isa).length > 0;
        supported.set(form, known);
      }
      if (!known) {
        out.add("supported", `${form.name} does not exist on ${func.target.name}`, block, inst);
      }
    }
  }
}
