import type { Severity } from "../diagnostics.js";
import { sizeOf } from "./operand-types.js";
import { type Form, type Gate, instructions, longestName, TYPE_WORDS, type Words } from "./spec/instructions.js";
import { ATOMIC_OPERATIONS, CAS_TYPES } from "./spec/rules.js";

/**
 * A mnemonic against the specification: which instruction it names, which forms its types leave, and everything ptxas has to say that does not depend
 * on the operands. Worked out once per spelling and target.
 */
export interface GateContext {
  readonly target: { readonly name: string; readonly sm: number };
  /** PTX version times ten: 78 for 7.8. */
  readonly version: number;
}

export interface Complaint {
  readonly severity: Severity;
  readonly message: string;
}

/** What is known from the mnemonic. */
export interface Resolved {
  readonly name: string;
  readonly types: readonly string[];
  /** Length of vectors, 1 without a vector modifier. */
  readonly vector: number;
  readonly forms: readonly Form[];
  /** Found while reading the mnemonic. */
  readonly early: readonly Complaint[];
  /** Nothing more can be said. */
  readonly stop: boolean;
  /** Found when the arguments are right. */
  readonly late: readonly Complaint[];
  readonly words: readonly string[];
}

const ATOMICS: ReadonlySet<string> = new Set(["atom", "red"]);
const ROUNDING: string = "Illegal rounding modifier for instruction '@'";
const COMPARISON: string = "Comparison qualifier is not allowed for instruction '@'";
const LATE: ReadonlySet<string> = new Set([
  ROUNDING,
  COMPARISON,
  "No state space qualifier expected for instruction '@'",
  "Vector qualifier is not allowed for instruction '@'",
]);
const LATE_WORDS: ReadonlySet<string> = new Set(["ftz", "sat", "cc"]);

export function resolve(opcode: string, modifiers: readonly string[], context: GateContext): Resolved {
  const spec = instructions();
  const found = longestName(opcode, modifiers);
  const none = { types: [], vector: 1, forms: [], late: [], words: [] };
  if (found === null) {
    const message = `Not a name of any known instruction: '${opcode}'`;
    return { ...none, name: opcode, early: [{ severity: "error", message }], stop: true };
  }
  const { name, used } = found;
  const early: Complaint[] = [];
  const rest = modifiers.slice(used);
  const forms = spec.forms.get(name) as readonly Form[];
  const open = forms.some((f) => f.open);
  const words = rest.filter((w) => !TYPE_WORDS.has(w));
  const types = rest.filter((w) => TYPE_WORDS.has(w));
  for (const w of words)
    if (!spec.refusals.has(w) && !spec.inert.has(w) && !MATRIX_SHAPE.test(w) && !(open && KNOWN_IN_OPEN.has(w)))
      early.push({ severity: "error", message: `Unknown modifier '.${w}'` });
  if (words.filter((w) => spec.refusals.get(w) === COMPARISON).length > 1 && COMPARING.has(name))
    early.push({ severity: "error", message: "Multiple comparisons set" });
  if (words.filter((w) => spec.refusals.get(w) === ROUNDING && !w.startsWith("rs")).length > 1 && !open)
    early.push({ severity: "error", message: "Multiple rounding modifiers specified" });
  const typeList = types.join(".");
  for (const key of ["*", name]) gates(spec.earlyGates.get(key) ?? [], name, types, words, context, early);
  if ((name === "shfl" || name === "vote") && !words.includes("sync") && context.version >= 64)
    early.push({
      severity: "error",
      message: `Instruction '${name}' without '.sync' is not supported on .target sm_70 and higher from PTX ISA version 6.4`,
    });
  const matching = forms.filter((f) => f.types === null || f.types.has(typeList));
  const table = spec.words.get(`${name} ${typeList}`);
  const late: Complaint[] = [];
  for (const w of words) refuse(w, name, typeList, table, early, late);
  const vector = vectorLength(words);
  // With .sync the member mask is no longer optional.
  const full =
    SHUFFLES.has(name) && words.includes("sync")
      ? matching.filter((f) => f.args.length === longest(matching))
      : matching;
  const base = { name, types, vector, forms: full, words, early, late };
  if (matching.length === 0) strangers(words, name, early);
  if (matching.length === 0 || (name === "atom" && words.includes("cas") && !CAS_TYPES.has(typeList))) {
    early.push({ severity: "error", message: `Unexpected instruction types specified for '${name}'` });
    return { ...base, stop: true };
  }
  if (name === "ld" || name === "st") memoryOrder(name, words, late);
  if (table !== undefined && !ATOMICS.has(name)) demand(table, words, name, typeList, late);
  const wide = (name === "ld" || name === "st") && vector * sizeOf(typeList) === WIDE_ACCESS.bits;
  if (wide && context.target.sm < WIDE_ACCESS.from) late.push({ severity: "error", message: WIDE_ACCESS.message });
  if (name === "atom" || name === "red") atomic(name, typeList, words, context, late);
  gates(spec.gates.get(name) ?? [], name, types, words, context, late);
  return { ...base, stop: false };
}

/** The one gate that depends on the width of an access (measured). */
const WIDE_ACCESS = {
  bits: 256,
  from: 100,
  message: "Feature '256 bit wide load/store' requires .target sm_100 or higher",
} as const;

/** A scope needs a memory order and the other way round. */
function memoryOrder(name: string, words: readonly string[], late: Complaint[]): void {
  const scope = words.find((w) => w === "cta" || w === "cluster" || w === "gpu" || w === "sys");
  const order = words.find((w) => w === "relaxed" || w === "acquire" || w === "release");
  if (scope !== undefined && order === undefined)
    late.push({ severity: "error", message: `Modifier '.${scope}' requires memory order with '${name}' instruction` });
  if (order !== undefined && scope === undefined)
    late.push({ severity: "error", message: `Modifier '.${order}' requires scope with '${name}' instruction` });
}

/** Operation and type of atom and red. */
function atomic(name: string, type: string, words: readonly string[], context: GateContext, late: Complaint[]): void {
  const say = (message: string): void => {
    late.push({ severity: "error", message });
  };
  const op = words.find((w) => ATOMIC_OPERATIONS.has(w));
  if (op === undefined) {
    if (words.includes("cas")) return;
    say(`Illegal operation '' for instruction '${name}'`);
    say(`Operation  requires  type for instruction '${name}'`);
    say(`Reduction operation is required for instruction '${name}'`);
    return;
  }
  if (name === "red" && op === "exch") say("Illegal operation '.exch' for instruction 'red'");
  if (NOFTZ.has(type) && (op !== "add" || type.startsWith("b")) && context.target.sm < HALF_ATOMICS_FROM) {
    const space = words.find((w) => w === "global" || w.startsWith("shared"));
    const where = space === undefined ? " with generic state space" : `.${space}`;
    say(`Instruction '${name}.${op}.${type}${where}' requires .target sm_${HALF_ATOMICS_FROM} or higher`);
  }
  const [types, named] = ATOMIC_OPERATIONS.get(op) as readonly [string, string];
  if (NOFTZ.has(type) && !words.includes("noftz"))
    say(`'.noftz' modifier required for instruction '${name}' with type '.${type}'`);
  if (!types.split(" ").includes(type)) say(`Operation .${op} requires ${named} type for instruction '${name}'`);
}

const COMPARING: ReadonlySet<string> = new Set(["set", "setp"]);
const SHUFFLES: ReadonlySet<string> = new Set(["shfl", "vote"]);

function longest(forms: readonly Form[]): number {
  return Math.max(...forms.map((f) => f.args.length));
}

/** Modifiers that the instruction takes with no types at all; ptxas names them before it misses the types. */
function strangers(words: readonly string[], name: string, early: Complaint[]): void {
  const spec = instructions();
  const rows = [...spec.words].filter(([key]) => key.startsWith(`${name} `)).map(([, w]) => w);
  if (rows.length === 0 || rows.some((r) => !r.measured)) return;
  for (const w of words) {
    const usual = spec.refusals.get(w);
    if (usual === undefined || !usual.startsWith("Illegal modifier '.%'") || LATE_WORDS.has(w) || spec.inert.has(w))
      continue;
    if (rows.some((r) => r.accepted.has(w) || r.conditional.has(w) || r.demands.some((d) => d.group.has(w)))) continue;
    early.push({ severity: "error", message: fill(usual, name, "", w) });
  }
}

/** Least SM of additions of bf16 and of minimum and maximum of 16-bit floats in memory (measured). */
const HALF_ATOMICS_FROM = 90;
const NOFTZ: ReadonlySet<string> = new Set(["f16", "f16x2", "bf16", "bf16x2"]);

const MATRIX_SHAPE: RegExp = /^m\d+n\d+(?:k\d+)?$/;
const KNOWN_IN_OPEN: ReadonlySet<string> = new Set(["p", "zfill", "sp"]);

function vectorLength(words: readonly string[]): number {
  for (const w of words) if (w === "v2" || w === "v4" || w === "v8") return Number(w[1]);
  return 1;
}

/** A modifier that does not belong. */
function refuse(
  w: string,
  name: string,
  types: string,
  table: Words | undefined,
  early: Complaint[],
  late: Complaint[],
): void {
  if (table === undefined || table.accepted.has(w) || !table.measured) return;
  const spec = instructions();
  const usual = spec.refusals.get(w);
  if (usual === undefined || spec.inert.has(w) || ((name === "atom" || name === "red") && !LATE.has(usual))) return;
  if (table.demands.some((d) => d.group.has(w))) return;
  const exclusive = usual === ROUNDING || usual === COMPARISON;
  if (table.conditional.has(w) && !exclusive) return;
  if (table.conditional.has(w) && usual === ROUNDING && !table.demands.some((d) => sameKind(d.group, usual))) return;
  const compared = usual === COMPARISON && COMPARING.has(name);
  const message = compared
    ? "Mismatch between instruction type and comparison qualifier"
    : (table.refused.get(w) ?? usual);
  const text = fill(message, name, types, w);
  (LATE.has(usual) || LATE_WORDS.has(w) ? late : early).push({ severity: "error", message: text });
}

function sameKind(group: ReadonlySet<string>, usual: string): boolean {
  const spec = instructions();
  for (const w of group) if (spec.refusals.get(w) === usual) return true;
  return false;
}

function fill(message: string, name: string, types: string, word: string): string {
  return message.replaceAll("@", name).replaceAll("%", word).replaceAll("&", types);
}

function demand(table: Words, words: readonly string[], name: string, types: string, late: Complaint[]): void {
  for (const d of table.demands) {
    if (words.some((w) => d.group.has(w))) continue;
    // A modifier of the same kind that does not belong was reported as such.
    if (words.some((w) => EXCLUSIVE.has(kindOf(w)) && sameKind(d.group, kindOf(w)))) continue;
    late.push({ severity: "error", message: fill(d.message, name, types, "") });
  }
}

const EXCLUSIVE: ReadonlySet<string> = new Set([ROUNDING, COMPARISON]);

/** Modifiers that exclude each other share the message of their refusal. */
function kindOf(word: string): string {
  return instructions().refusals.get(word) ?? "";
}

const NEEDS_SM: RegExp = /requires \.target sm_(\d+) or higher/;
const NEEDS_VERSION: RegExp = /requires PTX ISA \.version (\d+)\.(\d+) or later/;

function gates(
  list: readonly Gate[],
  name: string,
  types: readonly string[],
  words: readonly string[],
  context: GateContext,
  out: Complaint[],
): void {
  for (const g of list) {
    const typed = g.types === null || (g.anyType ? types.some((t) => g.types?.has(t)) : g.types.has(types.join(".")));
    const word = g.words.has("-") ? "" : words.find((w) => g.words.has(w));
    if (!typed || word === undefined || !isClosed(g, context)) continue;
    const beside = g.beside.get(word);
    if (beside !== undefined && !words.includes(beside)) continue;
    // "Modifier '.satfinite' on 'cvt.tf32.f32.rn'": measured with that rounding, and for it alone.
    const rounding = /\.(r[nzmp])' requires/.exec(g.message);
    if (rounding !== null && !words.includes(rounding[1] as string)) continue;
    out.push({
      severity: "error",
      message: fill(g.message, name, types.join("."), word).replace("#", context.target.name),
    });
  }
}

function isClosed(g: Gate, context: GateContext): boolean {
  const sm = NEEDS_SM.exec(g.message);
  if (sm !== null) return context.target.sm < Number(sm[1]);
  const version = NEEDS_VERSION.exec(g.message);
  if (version !== null) return context.version < Number(version[1]) * 10 + Number(version[2]);
  return g.targets.has(context.target.name) !== g.inverted;
}
