/** Tables that are constants of their components get their looks here: in notebooks a sentence and a table, not every field. */
import { shownAs } from "../inspect.js";
import { type Knob, knobs, namedKnobs, shownDefault } from "../knobs/index.js";
import { rules } from "../ori/index.js";
import { bodies, type PhaseRow, phaseNames, phases } from "../phases/index.js";
import { constraintKinds } from "../regalloc/index.js";
import { mnemonics } from "../sass/index.js";
import { isStrategy, type Policy, schedulePolicies } from "../sched/index.js";
import { supportedMnemonics } from "../sim/index.js";
import { asTable, type LooksRow } from "./looks.js";

/** A list of words: how many, and the words. */
function asWords(words: readonly string[], what: string): void {
  shownAs(
    words,
    (w) => `${w.length} ${what}: ${w.join(", ")}`,
    (w) => `[${w.length} ${what}]`,
  );
}

/** A phase in one row: as `phases.phases` has it, and whether it is built. */
const phaseLine = ({ index, name, category, from, upTo, does }: PhaseRow): LooksRow => ({
  place: index,
  phase: name,
  about: category,
  "runs at": upTo === 0 ? "-O0" : `-O${from} and above`,
  does,
  built: typeof bodies[name] === "function",
});

const knobLine = (knob: Knob): LooksRow => ({
  knob: knob.name,
  number: knob.number ?? "",
  type: knob.type,
  default: shownDefault(knob),
  "read by": knob.readBy ?? "(nothing)",
});

function policyLooks(policy: Policy): void {
  const title = ({ name, does }: Policy): string => `Policy ${name}: ${does}`;
  asTable(policy, title, (p) =>
    isStrategy(p)
      ? p.passes.map(({ policy: { name, does } }, k) => ({ pass: k + 1, policy: name, does }))
      : p.ladder.map(({ why }, k) => ({ rung: k + 1, "prefers by": why })),
  );
}

/** Gives the tables their looks; once. */
export function showTables(): void {
  asTable(
    phases,
    (p) => `${p.length} phases in true order, ${p.filter((r) => typeof bodies[r.name] === "function").length} built`,
    (p) => p.map(phaseLine),
  );
  asTable(
    bodies,
    () => "What each phase does: a function, or why there is none",
    (b) =>
      phases.flatMap((r) => {
        const body = b[r.name];
        return typeof body === "function" ? [] : [{ phase: r.name, "has no body": body.none }];
      }),
  );
  asTable(
    schedulePolicies,
    (p) => `${p.length} policies and strategies of the scheduler`,
    (p) =>
      p.map((x) => ({ policy: x.name, kind: isStrategy(x) ? `${x.passes.length} passes` : x.direction, does: x.does })),
  );
  for (const policy of schedulePolicies) policyLooks(policy);
  asTable(
    knobs,
    (k) => `${k.length} named knobs, ${k.filter((x) => x.readBy !== null).length} of them read`,
    (k) => k.map(knobLine),
  );
  asTable(
    namedKnobs,
    (k) => `${k.length} named knobs as the wiki has them`,
    (k) => k.map(([number, name, type, value]) => ({ number: number ?? "", knob: name, type, default: value ?? "" })),
  );
  asTable(
    rules,
    (r) => `${Object.keys(r).length} rules of the IR that the verifier checks`,
    (r) => Object.entries(r).map(([rule, meaning]) => ({ rule, meaning })),
  );
  asTable(
    constraintKinds,
    (c) => `${Object.keys(c).length} kinds of wishes that the allocator knows`,
    (c) => Object.entries(c).map(([kind, { meaning }]) => ({ kind, meaning })),
  );
  asWords(phaseNames, "phases");
  asWords(mnemonics, "mnemonics");
  asWords(supportedMnemonics, "mnemonics that the simulator runs");
}
