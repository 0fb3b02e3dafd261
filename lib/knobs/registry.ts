/**
 * The registry of knobs: what there is, what a setting may look like, and who reads it. `readBy` names the room and the
 * option that a knob sets; a knob that nothing reads is listed all the same, and setting it is refused, since a setting
 * without effect would spoil an experiment.
 */
import { type Diagnostic, diagnostic } from "../diagnostics.js";
import { fail, ok, type Result } from "../result.js";
import { type KnobType, namedKnobs } from "./named.js";
import { suggestion } from "./nearest.js";

export interface Knob {
  readonly number: number;
  readonly name: string;
  readonly type: KnobType;
  /** Value when it is not set; null where ptxas's is not known or there is none. */
  readonly value: number | null;
  /** `room: option`, null when nothing reads it yet. */
  readonly readBy: string | null;
}

export type KnobValue = boolean | number | string | readonly number[];
export type KnobValues = Readonly<Record<string, KnobValue>>;

/** Knobs that have a reader: the option that each sets. */
const readers: Readonly<Record<string, string>> = {
  DisablePhases: "phases: disablePhases",
  NamedPhases: "phases: namedPhases",
  RegAllocThresholdForDiscardConflicts: "regalloc: regAllocThreshold",
  RegAllocNumNonSpillTrials: "regalloc: attempts",
  RegAllocPerfDiffBackoff: "regalloc: bankAware",
  RegAllocPerfDiffBackoffBegin: "regalloc: relaxHead",
  RegAllocPerfDiffBackoffEnd: "regalloc: relaxTail",
  PostSchedForceReverseOrder: "sched: postForceReverse",
  PreserveSchedOrder: "sched: preserveOrder",
  SchedCountLoadsPerTex: "sched: batchStall",
  SchedCrossBlock: "sched: crossBlock",
  SchedDisableAll: "sched: disabled",
  SchedForceReverseOrder: "sched: forceReverse",
  SchedLDSLatency: "sched: ldsLatency",
  SchedMaxMemDep: "sched: memoryWindow",
  SchedMaxRLiveCarefulSlack: "sched: carefulSlack",
  SchedMaxRLiveOKslack: "sched: okSlack",
  SchedMaxRLiveOKslackColdBlocks: "sched: okSlackCold",
  SchedMaxRTarget: "sched: registerTarget",
  SchedMemNoAlias: "sched: noAlias",
  SchedReadAvailTarget: "sched: depth",
  SchedReadSBBaseLatency: "sched: readSbLatency",
  SchedReadSbDmmaLatency: "sched: readSbDmmaLatency",
  SchedReadSbLdgstsLatency: "sched: readSbLdgstsLatency",
  SchedResBusyADU: "sched: busyADU",
  SchedResBusyALU: "sched: busyALU",
  SchedResBusyCBU: "sched: busyCBU",
  SchedResBusyFMA: "sched: busyFMA",
  SchedResBusyFP16: "sched: busyFP16",
  SchedResBusyFP64: "sched: busyFP64",
  SchedResBusyLSU: "sched: busyLSU",
  SchedResBusyUDP: "sched: busyUDP",
  SchedResBusyXU64: "sched: busyXU",
  SchedSyncsLatency: "sched: syncsLatency",
  SchedTexBatchTargetSelectSchedulerTarget: "sched: batchTarget",
  SchedTexLatency: "sched: texLatency",
  SchedXU64Latency: "sched: xuLatency",
};

export const knobs: readonly Knob[] = namedKnobs.map(([number, name, type, value]) => ({
  number,
  name,
  type,
  value: value ?? null,
  readBy: readers[name] ?? null,
}));

const byName: ReadonlyMap<string, Knob> = new Map(knobs.map((k) => [k.name.toLowerCase(), k]));

/** A knob by name (case does not matter) or number; undefined when there is none. */
export function findKnob(name: string | number): Knob | undefined {
  return typeof name === "number" ? knobs.find((k) => k.number === name) : byName.get(name.toLowerCase());
}

/**
 * Reads settings such as `{ RegAllocThresholdForDiscardConflicts: "60" }` into values by the knobs' own names. Fails on
 * unknown names (with suggestions), malformed values and knobs without a reader.
 */
export function readKnobs(settings: Readonly<Record<string, string | number | boolean>>): Result<KnobValues> {
  const values: Record<string, KnobValue> = {};
  const diagnostics: Diagnostic[] = [];
  for (const [name, given] of Object.entries(settings)) {
    const knob = findKnob(name);
    const problem = knob === undefined ? unknown(name) : problemOf(knob, String(given));
    if (problem !== null) diagnostics.push(problem);
    else if (knob !== undefined) values[knob.name] = parseValue(knob.type, String(given)) as KnobValue;
  }
  return diagnostics.length > 0 ? fail(diagnostics) : ok(values);
}

/** The options of one room (`phases`, `regalloc`, `sched`) that a set of values gives, by option name. */
export function optionsOf(room: string, values: KnobValues): Record<string, KnobValue> {
  const options: Record<string, KnobValue> = {};
  for (const [name, value] of Object.entries(values)) {
    const [reader, option] = (findKnob(name)?.readBy ?? "").split(": ");
    if (reader === room && option !== undefined) options[option] = value;
  }
  return options;
}

function unknown(name: string): Diagnostic {
  const names = knobs.map((k) => k.name);
  return diagnostic("error", `unknown knob '${name}'${suggestion(name, names)}`);
}

function problemOf(knob: Knob, text: string): Diagnostic | null {
  if (knob.readBy === null) return diagnostic("error", `knob '${knob.name}' has no effect: nothing reads it yet`);
  if (parseValue(knob.type, text) !== null) return null;
  return diagnostic("error", `knob '${knob.name}': '${text}' is no ${knob.type}`);
}

const integer = /^[-+]?(0x[0-9a-f]+|\d+)$/i;

function parseInteger(text: string): number | null {
  if (!integer.test(text)) return null;
  const sign = text.startsWith("-") ? -1 : 1;
  return sign * Number(text.replace(/^[-+]/, ""));
}

/** Null when the text does not read as the type. */
export function parseValue(type: KnobType, text: string): KnobValue | null {
  switch (type) {
    case "flag":
      return text === "" || text === "true" || text === "1" ? true : text === "false" || text === "0" ? false : null;
    case "int":
    case "budget":
      return parseInteger(text);
    case "float":
      return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : null;
    case "text":
      return text;
    case "range":
      return parseRange(text);
    case "list":
      return parseList(text.split(","));
    default:
      return type satisfies never;
  }
}

/** `lo..hi`; a missing bound is the smallest or largest 32-bit integer. */
function parseRange(text: string): readonly number[] | null {
  const dots = text.indexOf("..");
  if (dots < 0 || text === "..") return null;
  const low = text.slice(0, dots);
  const high = text.slice(dots + 2);
  return parseList([low === "" ? "-2147483648" : low, high === "" ? "2147483647" : high]);
}

function parseList(items: readonly string[]): readonly number[] | null {
  const numbers: number[] = [];
  for (const item of items) {
    const n = parseInteger(item.trim());
    if (n === null) return null;
    numbers.push(n);
  }
  return numbers;
}
