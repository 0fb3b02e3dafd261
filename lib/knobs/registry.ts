/**
 * The registry of knobs: what there is, what a setting may look like, and who reads it. `readBy` names the component and the
 * option that a knob sets; a knob that nothing reads is listed all the same, and setting it is refused, since a setting
 * without effect would spoil an experiment.
 */
import { type Diagnostic, diagnostic } from "../diagnostics.js";
import { fail, ok, type Result } from "../result.js";
import { ownDefaults } from "./defaults.js";
import { type KnobType, namedKnobs } from "./named.js";
import { suggestion } from "./nearest.js";
import { readers } from "./readers.js";

/** A knob of ptxas as the registry knows it. */
export interface Knob {
  /** In the OCG knob space; null where it is not known. */
  readonly number: number | null;
  /** Name as ptxas's own strings spell it. */
  readonly name: string;
  /** What values it takes. */
  readonly type: KnobType;
  /** Value in ptxas when it is not set, as the wiki names it; null where it names none. */
  readonly value: number | null;
  /** Value in ptxlab when it is not set, where it acts and the wiki names none or another one; null: what the reader's own rule says. */
  readonly ours?: KnobValue | null;
  /** Page of the wiki, and what it says the knob is for. */
  readonly page: string;
  /** What the page says of it. */
  readonly says: string;
  /** `component: option`, null when nothing reads it yet. */
  readonly readBy: string | null;
}

/** What a knob can be set to: a switch, a number, a text, a list of numbers. */
export type KnobValue = boolean | number | string | readonly number[];
/** Values of knobs by name or number. */
export type KnobValues = Readonly<Record<string, KnobValue>>;

/** All named knobs in the order of their numbers. */
export const knobs: readonly Knob[] = namedKnobs.map(([number, name, type, value, page, says]) => ({
  number,
  name,
  type,
  value,
  page,
  says,
  ...(ownDefaults.has(name) && { ours: ownDefaults.get(name) as KnobValue | null }),
  readBy: readers[name] ?? null,
}));

/** How many knobs ptxas 13.0.88 has (wiki page 63), numbered from 0; those that no page names are known by their number alone. */
export const knobCount = 1294;

const byName: ReadonlyMap<string, Knob> = new Map(knobs.map((k) => [k.name.toLowerCase(), k]));

/** A knob by name (case does not matter) or number, as a number or text; undefined when there is none. */
export function findKnob(name: string | number): Knob | undefined {
  if (typeof name === "string" && !/^\d+$/.test(name)) return byName.get(name.toLowerCase());
  const number = Number(name);
  return knobs.find((k) => k.number === number) ?? nameless(number);
}

/** A knob that no page names. */
function nameless(number: number): Knob | undefined {
  if (!Number.isInteger(number) || number < 0 || number >= knobCount) return undefined;
  return {
    number,
    name: String(number),
    type: "text",
    value: null,
    page: "63",
    says: "no page names it",
    readBy: null,
  };
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

/** Texts with a form of their own, and how it is told. */
const forms: Readonly<Record<string, readonly [form: RegExp, words: string]>> = {
  RegAllocEstimatedLoopIterations: [/^[1-9]\d{0,5}$/, "a number of trips"],
  SchedEstimatedLoopIterations: [/^[1-9]\d{0,5}$/, "a number of trips"],
  DUMPIR: [/^\w+([+,]\w+)*$/, "names of phases with + or , between them"],
  SchedResBusyOp: [/^[A-Z][A-Z0-9]*,\d{1,4}(,[A-Z][A-Z0-9]*,\d{1,4})*$/, "MNEMONIC,cycles,MNEMONIC,cycles …"],
  SchedResBusyMachineOpcode: [/^[A-Z][\w.]*,\d{1,4}(,[A-Z][\w.]*,\d{1,4})*$/, "MNEMONIC.MODIFIERS,cycles …"],
};

/** The options of one component (`phases`, `regalloc`, `sched`) that a set of values gives, by option name. */
export function optionsOf(component: string, values: KnobValues): Record<string, KnobValue> {
  const options: Record<string, KnobValue> = {};
  for (const [name, value] of Object.entries(values)) {
    const [reader, option] = (findKnob(name)?.readBy ?? "").split(": ");
    if (reader === component && option !== undefined) options[option] = value;
  }
  return options;
}

function unknown(name: string): Diagnostic {
  const names = knobs.map((k) => k.name);
  return diagnostic("error", `unknown knob '${name}'${suggestion(name, names)}`);
}

const typeWords: Readonly<Record<KnobType, string>> = {
  flag: "a flag (true, false, 1, 0)",
  int: "a whole number",
  budget: "a whole number",
  float: "a number",
  text: "a text",
  range: "a range (LOW..HIGH)",
  list: "a list of whole numbers (1,2,3)",
};

function problemOf(knob: Knob, text: string): Diagnostic | null {
  if (knob.readBy === null) return diagnostic("error", `knob '${knob.name}' has no effect: nothing reads it yet`);
  const [form, words] = forms[knob.name] ?? [null, ""];
  if (form !== null && !form.test(text)) return diagnostic("error", `knob '${knob.name}': '${text}' is not ${words}`);
  if (parseValue(knob.type, text) !== null) return null;
  return diagnostic("error", `knob '${knob.name}': '${text}' is not ${typeWords[knob.type]}`);
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
