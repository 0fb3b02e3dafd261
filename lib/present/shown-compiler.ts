/** Stages of the compiler whose results show themselves in notebooks: a sentence and a table, not field by field. */

import { type AssembledModule, assemble as assembled } from "../assemble-read.js";
import { type ListedFunction, disassemble as listed, listingText } from "../disassemble.js";
import type { Cubin, CubinFunction } from "../elf/index.js";
import { counted, shownAs } from "../inspect.js";
import { registerName } from "../isa/text.js";
import {
  type Lifted,
  type LiftOptions,
  liftCubin as liftedCubin,
  liftFunction as liftedFunction,
} from "../lift/index.js";
import type { Block, Func } from "../ori/types.js";
import {
  runPhases as allPhases,
  runPhase as onePhase,
  type PhaseName,
  type PhaseOptions,
  type PhaseRecord,
  type PhaseRun,
} from "../phases/index.js";
import { type AllocationOptions, type AllocationResult, allocate as allocated } from "../regalloc/index.js";
import { type Rescheduled, type RescheduleOptions, reschedule as rescheduled } from "../reschedule.js";
import type { Result } from "../result.js";
import {
  rulePlaces as placesOfRule,
  allRulePlaces as placesOfRules,
  type RulePlace,
  ruleTexts as textsOfRules,
} from "../rules/index.js";
import {
  type Dag,
  type DagOptions,
  edgeKinds,
  buildDag as graphOf,
  type Policy,
  type ScheduleOptions,
  type ScheduleReport,
  scheduleFunc as scheduled,
} from "../sched/index.js";
import { type Finding, findingText, verifyCubin as verified } from "../verify.js";
import { asTable, type LooksRow } from "./looks.js";

/** The result of a stage, with looks for its value. */
function withLooks<T extends object>(result: Result<T>, looks: (value: T) => T): Result<T> {
  return result.ok ? { ...result, value: looks(result.value) } : result;
}

/** What phases that changed something did. */
const changes = (records: readonly PhaseRecord[]): Record<string, string | number>[] =>
  records
    .filter((r) => r.ran && r.edits > 0)
    .map(({ phase, edits, instructions, values }) => ({ phase, edits, instructions, "virtual registers": values }));

const runLooks = ({ func, records }: PhaseRun): PhaseRun => {
  const ran = records.filter((r) => r.ran).length;
  const insts = func.blocks.reduce((n, b) => n + b.insts.length, 0);
  const state = `now ${counted(insts, "instruction")}, ${func.milestone}`;
  return asTable(
    { func, records: asTable(records, () => `${records.length} phases, ${ran} ran`, changes) },
    () => {
      const [only] = records;
      const why = records.length === 1 && only?.ran === false ? ` (${only.phase}: ${only.why})` : "";
      return `Phases of ${func.name}: ${ran} of ${records.length} ran${why}; ${state}`;
    },
    (run) => changes(run.records),
  );
};

/** `phases.runPhases`; the result shows itself as a table of the phases that changed something. */
export function runPhases(func: Func, options: PhaseOptions = {}): Result<PhaseRun> {
  return withLooks(allPhases(func, options), runLooks);
}

/** `phases.runPhase`; the result shows itself. */
export function runPhase(func: Func, phase: PhaseName, options: PhaseOptions = {}): Result<PhaseRun> {
  return withLooks(onePhase(func, phase, options), runLooks);
}

/** `regalloc.allocate`; the result shows itself: registers, and what was spilled where. */
export function allocate(func: Func, options: AllocationOptions = {}): Result<AllocationResult> {
  return withLooks(allocated(func, options), allocationLooks);
}

/** Looks of what an allocator decided. */
export const allocationLooks = (result: AllocationResult): AllocationResult =>
  asTable(
    result,
    ({ func, registers, spills, rounds, assignment }) => {
      const spilled =
        spills.length === 0 ? "nothing spilled" : `${spills.length} spilled in ${counted(rounds, "round")}`;
      const placed = assignment.reduce((n, r) => (r >= 0 ? n + 1 : n), 0);
      return `Allocation of ${func.name}: ${counted(registers, "register")}, ${counted(placed, "value")}, ${spilled}`;
    },
    ({ spills }) =>
      spills.map(({ value, name, file, offset, home }) => ({
        spilled: `%${registerName(file, value)}`,
        PTX: name,
        to: home >= 0 ? `value ${home}` : `[R1+0x${offset.toString(16)}]`,
      })),
  );

const scheduleLooks = (report: ScheduleReport): ScheduleReport =>
  asTable(
    report,
    ({ func, policy, before, after, moved }) =>
      `Schedule of ${func} by ${policy}: ${Math.round(before)} → ${Math.round(after)} cycles, ${counted(moved, "instruction")} moved`,
    ({ blocks }) =>
      blocks.map((b) => ({
        block: `b${b.block}`,
        instructions: b.instructions,
        frequency: b.frequency,
        "cycles before": b.before.drain,
        "cycles after": b.after.drain,
        "live R before": b.before.maxLive[0] ?? 0,
        "live R after": b.after.maxLive[0] ?? 0,
        "order of": b.policy === "" ? "(as it was)" : b.policy,
        moved: b.moved,
      })),
  );

/** `sched.scheduleFunc`; the report shows itself as a table of the blocks. */
export function scheduleFunc(func: Func, policy: Policy, options: ScheduleOptions = {}): ScheduleReport {
  return scheduleLooks(scheduled(func, policy, options));
}

const placeLooks = (places: readonly RulePlace[]): readonly RulePlace[] =>
  asTable(
    places,
    (p) =>
      `${counted(p.length, "place")} where a rule's root stands, ${p.filter((x) => x.refused === null).length} where it applies`,
    (p) =>
      p.map(({ inst, text, rule, refused }) => ({
        id: inst.id,
        instruction: text,
        rule,
        "does not apply because": refused ?? "(it applies)",
      })),
  );

/** `rules` of one name: where its root stands in a function, and why it does not apply there; the list shows itself as a table. */
export function rulePlaces(func: Func, name: string): Result<readonly RulePlace[]> {
  return withLooks(placesOfRule(func, name), placeLooks);
}

/** The same of several rules, or of all; the list shows itself as a table. */
export function allRulePlaces(func: Func, names?: readonly string[]): Result<readonly RulePlace[]> {
  return withLooks(placesOfRules(func, names), placeLooks);
}

/** Text of each rule that is one, by name; the map shows itself as a table. */
export function ruleTexts(): ReadonlyMap<string, string> {
  return asTable(
    textsOfRules(),
    (m) => `${m.size} rules that are texts`,
    (m) => [...m].map(([rule, text]) => ({ rule, "gates ; left side ; conditions ; right side": text })),
  );
}

/** Every function of a cubin with its instructions (`readCubin` gives it); the list shows itself as a listing. */
export function disassemble(cubin: Cubin): readonly ListedFunction[] {
  return shownAs(
    listed(cubin),
    (functions) => listingText(cubin, functions).trimEnd(),
    (functions) => `[${counted(functions.length, "disassembled function")}]`,
  );
}

/** Hazards of every function of a cubin, empty when it is safe, null for an SM that is not a target; the list shows itself as a table. */
export function verifyCubin(cubin: Cubin): readonly Finding[] | null {
  const findings = verified(cubin);
  if (findings === null) return null;
  return asTable(
    findings,
    (f) => (f.length === 0 ? "No hazards found" : counted(f.length, "hazard")),
    (f) => f.map((x) => ({ hazard: findingText(x) })),
  );
}

/** A cubin's code in another order (`ptxlab reschedule`), checked; the result shows itself as a table of its functions. */
export function reschedule(bytes: Uint8Array, options: RescheduleOptions = {}): Result<Rescheduled> {
  return withLooks(rescheduled(bytes, options), (value) =>
    asTable(
      value,
      (r) => `Re-scheduled cubin for ${r.target}: ${r.bytes.length} bytes, ${counted(r.functions.length, "function")}`,
      (r) =>
        r.functions.map(({ name, instructions, changed, schedule }) => ({
          function: name,
          instructions,
          "words changed": changed,
          "cycles before": schedule === null ? "" : Math.round(schedule.before),
          "cycles after": schedule === null ? "(order kept)" : Math.round(schedule.after),
        })),
    ),
  );
}

const liftedTitle = ({ func, entries, relocs, pinned }: Lifted): string => {
  const insts = func.blocks.reduce((n, b) => n + b.insts.length, 0);
  const more = [
    counted(func.blocks.length, "block"),
    counted(insts, "instruction"),
    entries.length > 1 ? `${entries.length - 1} called inside of it` : "",
    relocs.size > 0 ? `relocations at ${counted(relocs.size, "instruction")}` : "",
    pinned.length > 0 ? "must not move" : "",
  ];
  return `${func.name} lifted: ${more.filter((w) => w !== "").join(", ")}`;
};

const blocksOf = ({ func, blockAt }: Lifted): LooksRow[] => {
  const address = new Map([...blockAt].map(([offset, block]) => [block, offset]));
  return func.blocks.map((b) => ({
    block: `b${b.id}`,
    address: address.get(b.id)?.toString(16).padStart(4, "0") ?? "",
    instructions: b.insts.length,
    "goes to": b.succs.map((s) => `b${s.id}`).join(" "),
  }));
};

const liftedLooks = (lifted: Lifted): Lifted => asTable(lifted, liftedTitle, blocksOf);

/** `lift.liftFunction`; the result shows itself as a table of its blocks. */
export function liftFunction(cubin: Cubin, f: CubinFunction, options: LiftOptions = {}): Result<Lifted> {
  return withLooks(liftedFunction(cubin, f, options), liftedLooks);
}

/** `lift.liftCubin`; the list shows itself as a table of its functions. */
export function liftCubin(cubin: Cubin, options: LiftOptions = {}): Result<readonly Lifted[]> {
  return withLooks(liftedCubin(cubin, options), (all) =>
    asTable(
      all.map(liftedLooks),
      (l) => `${counted(l.length, "function")} lifted`,
      (l) => l.map((x) => ({ function: x.func.name, lifted: liftedTitle(x) })),
    ),
  );
}

/** `sched.buildDag`; the graph shows itself as a table of its edges. */
export function buildDag(block: Block, func: Func, options: DagOptions = {}): Dag {
  return asTable(
    graphOf(block, func, options),
    (d) => {
      const joins = d.count - d.insts.length;
      return `Dependences of b${block.id}: ${counted(d.insts.length, "instruction")}, ${joins > 0 ? `${counted(joins, "join")}, ` : ""}${counted(d.succ.length, "edge")}`;
    },
    (d) =>
      d.insts.flatMap((inst, i) =>
        Array.from(d.succ.subarray(d.succStart[i], d.succStart[i + 1]), (to, k) => {
          const e = (d.succStart[i] as number) + k;
          const other = d.insts[to];
          return {
            from: `${inst.id}: ${inst.form.name}`,
            to: other === undefined ? `join ${to - d.insts.length}` : `${other.id}: ${other.form.name}`,
            cycles: d.succLatency[e] as number,
            because: edgeKinds[d.succKind[e] as number] ?? "",
          };
        }),
      ),
  );
}

/** Assembly text read (`assemble`); the result shows itself as a table of its functions. */
export function assemble(text: string): Result<AssembledModule> {
  return withLooks(assembled(text), (m) =>
    asTable(
      m,
      (x) =>
        `Assembly for ${x.target.name}: ${counted(x.functions.length, "function")}, ${x.container === null ? "the file is to be made" : "in the file that the text tells"}`,
      (x) => x.functions.map((f) => ({ function: f.name, instructions: f.words.length / 4 })),
    ),
  );
}
