import type { Severity } from "../diagnostics.js";
import { type AccessWords, accessComplaints } from "./access-rules.js";
import { ATOMICS, foreignWords, takenByAtomics } from "./foreign.js";
import { isBits, isFloat, sizeOf } from "./operand-types.js";
import { accessRules } from "./spec/accesses.js";
import { EXCLUSIVE_GROUPS, OPERATIONS, orderOf } from "./spec/exclusive.js";
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
  /** Of the target. */
  readonly sm: number;
  readonly types: readonly string[];
  /** Length of vectors, 1 without a vector modifier. */
  readonly vector: number;
  readonly forms: readonly Form[];
  /** Found while the modifiers are read, before the operands. */
  readonly read: readonly Complaint[];
  /** Found before the arguments are looked at: words that the target lacks, … */
  readonly early: readonly Complaint[];
  /** … an unknown name, types that do not belong. */
  readonly unnamed: readonly Complaint[];
  /** Said when all else was. */
  readonly closing: readonly Complaint[];
  /** Nothing more can be said. */
  readonly stop: boolean;
  /** Found when the arguments fit: what version and target lack, … */
  readonly gated: readonly Complaint[];
  /** … modifiers that do not belong (said after what is wrong with single arguments), … */
  readonly refused: readonly Complaint[];
  /** … and those that are missing (said after the lengths of vectors). */
  readonly demanded: readonly Complaint[];
  readonly words: readonly string[];
}

const ROUNDING: string = "Illegal rounding modifier for instruction '@'";
const COMPARISON: string = "Comparison qualifier is not allowed for instruction '@'";
/** Wordings of what atom and red refuse as others do. */
const COMMON: ReadonlySet<string> = new Set([
  ROUNDING,
  COMPARISON,
  "No state space qualifier expected for instruction '@'",
  "Vector qualifier is not allowed for instruction '@'",
]);

const SEES_PRED: ReadonlySet<string> = new Set([
  "activemask",
  "redux",
  "testp",
  "vote",
  "mov",
  "ld",
  "txq",
  "txq.level",
  "suq",
]);

export function resolve(opcode: string, modifiers: readonly string[], context: GateContext): Resolved {
  const spec = instructions();
  const found = longestName(opcode, modifiers);
  const name = found?.name ?? opcode;
  const rest = modifiers.slice(found?.used ?? 0);
  const forms = spec.forms.get(name) ?? [];
  const open = forms.some((f) => f.open);
  const words = rest.filter((w) => !TYPE_WORDS.has(w));
  const given = rest.filter((w) => TYPE_WORDS.has(w));
  // ptxas overlooks a .pred after other types, but for some.
  const types =
    given.length > 1 && !SEES_PRED.has(name) && given[given.length - 1] === "pred" ? given.slice(0, -1) : given;
  const typeList = types.join(".");
  const { repeats, apart } = repeated(rest);
  const read = [...strange(words, open), ...repeats];
  const early: Complaint[] = [];
  const unnamed: Complaint[] = [];
  // Types as they stand, then the rest.
  const earlyGates = [...spec.earlyGates.get("*"), ...spec.earlyGates.get(name)];
  for (const t of types) gates(earlyGates.filter(typed), name, [t], words, context, early);
  gates(
    earlyGates.filter((g) => !typed(g)),
    name,
    types,
    words,
    context,
    early,
  );
  const none = {
    sm: context.target.sm,
    name,
    types,
    words,
    read,
    early,
    unnamed,
    gated: [],
    refused: [],
    demanded: [],
    closing: apart ? [VECTOR_APART] : [],
    vector: 1,
    forms: [],
  };
  if (found === null) {
    if (words.includes("v8")) read.push(error("Illegal vector size: 8"));
    unnamed.push(error(`Not a name of any known instruction: '${opcode}'`));
    return { ...none, stop: true };
  }
  if ((name === "shfl" || name === "vote") && !words.includes("sync") && context.version >= 64)
    unnamed.push(
      error(
        `Instruction '${name}' without '.sync' is not supported on .target sm_70 and higher from PTX ISA version 6.4`,
      ),
    );
  const foreign = foreignWords(name, words);
  unnamed.push(...foreign.map(([, message]) => error(message)));
  if (foreign.length > 0) return { ...none, stop: true };
  const matching = forms.filter((f) => f.types === null || f.types.has(typeList));
  const odd =
    (name === "atom" && words.includes("cas") && !CAS_TYPES.has(typeList)) || smallElsewhere(name, typeList, words);
  if (matching.length === 0 || odd) {
    unnamed.push(error(`Unexpected instruction types specified for '${name}'`));
    return { ...none, stop: true };
  }
  // With .sync the member mask is no longer optional.
  const full =
    SHUFFLES.has(name) && words.includes("sync")
      ? matching.filter((f) => f.args.length === longest(matching))
      : matching;
  const belonging = modifierComplaints(name, types, words, context);
  return { ...none, ...belonging, vector: vectorLength(words), forms: full, stop: false };
}

/** Elements of less than a byte, in factors of another shape than theirs. */
function smallElsewhere(name: string, type: string, words: readonly string[]): boolean {
  const shape = SMALL_SHAPES.get(type);
  return (name === "wmma.load.a" || name === "wmma.load.b") && shape !== undefined && !words.includes(shape);
}

const SMALL_SHAPES: ReadonlyMap<string, string> = new Map([
  ["s4", "m8n8k32"],
  ["u4", "m8n8k32"],
  ["b1", "m8n8k128"],
]);

function error(message: string): Complaint {
  return { severity: "error", message };
}

function strange(words: readonly string[], open: boolean): Complaint[] {
  const spec = instructions();
  const known = (w: string): boolean =>
    spec.refusals.has(w) || spec.inert.has(w) || MATRIX_SHAPE.test(w) || (open && KNOWN_IN_OPEN.has(w));
  return words.filter((w) => !known(w)).map((w) => error(`Unknown modifier '.${w}'`));
}

const VECTOR_APART: Complaint = { severity: "warning", message: "Vector Type not specified properly" };

/** Second modifiers where there is room for one, and vector modifiers without a type after them; `apart` where nothing at all comes after one. */
function repeated(rest: readonly string[]): { readonly repeats: Complaint[]; readonly apart: boolean } {
  const seen = new Set<number>();
  const repeats: Complaint[] = [];
  let apart = false;
  for (const w of rest) {
    const isVector = VECTORS.has(w);
    if (apart && !isVector && !TYPE_WORDS.has(w)) repeats.push(VECTOR_APART);
    apart = w === "v2" || w === "v4";
    const of = EXCLUSIVE_GROUPS.get(w);
    if (of === undefined) continue;
    if (seen.has(of.group)) repeats.push(error(of.message.replace("%", w)));
    seen.add(of.group);
  }
  return { repeats, apart };
}

/** ptxas does not warn of .v8. */
const VECTORS: ReadonlySet<string> = new Set(["v2", "v4", "v8"]);

/** What ptxas says of the modifiers when the arguments fit. */
function modifierComplaints(
  name: string,
  types: readonly string[],
  words: readonly string[],
  context: GateContext,
): Pick<Resolved, "gated" | "refused" | "demanded"> {
  const spec = instructions();
  const typeList = types.join(".");
  const table = spec.words.get(`${name} ${typeList}`);
  const gated: Complaint[] = [];
  const refused: Complaint[] = [];
  const demanded: Complaint[] = [];
  const list = spec.gates.get(name);
  // The instruction itself, then its modifiers.
  gates(list.filter(bare), name, types, words, context, gated);
  if (words.filter((w) => OPERATIONS.has(w)).length > 1 && (OPERATING.has(name) || words.some((w) => ODD.has(w))))
    gated.push(error("Multiple instruction post-operation flags set"));
  const access = name === "ld" || name === "st" ? accessOf(name, typeList, words, context) : null;
  const wide = access?.bits === WIDE_ACCESS.bits;
  if (name === "ldu" && vectorLength(words) === 8 && sizeOf(typeList) < 32) gated.push(error("Illegal vector size: 8"));
  if (wide && context.version < WIDE_ACCESS.version)
    gated.push(error(`${WIDE_ACCESS.feature} requires PTX ISA .version 8.8 or later`));
  if (wide && context.target.sm < WIDE_ACCESS.from)
    gated.push(error(`${WIDE_ACCESS.feature} requires .target sm_100 or higher`));
  if (wide && access !== null && access.space !== null && access.space !== "global")
    gated.push(error(`global state space expected for ${WIDE_ACCESS.feature.toLowerCase()}`));
  if (words.filter((w) => STATE_SPACES.has(w)).length > 1 && SPACED.has(name))
    gated.push(error(`Unexpected number of state spaces specified in instruction '${name}'`));
  gates(spec.gates.get("*"), name, types, words, context, gated);
  gates(
    list.filter((g) => !bare(g)),
    name,
    types,
    words,
    context,
    gated,
  );
  const ordered = [...words].sort((a, b) => orderOf(a) - orderOf(b));
  for (const w of ordered) refuse(w, name, typeList, table, refused);
  closed(name, typeList, ordered, refused);
  comparisons(name, types, words, refused);
  if (access !== null) {
    gated.push(...accessComplaints(accessRules().before, access).map(error));
    demanded.push(...accessComplaints(accessRules().after, access).map(error));
  }
  if (table !== undefined && !ATOMICS.has(name)) demand(table, words, name, typeList, demanded);
  indispensable(name, typeList, words, demanded);
  if (ATOMICS.has(name)) {
    atomic(name, typeList, words, context, gated);
    for (const w of ordered)
      if ((w === "noftz" && !NOFTZ.has(typeList)) || (name === "red" && (w === "acquire" || w === "acq_rel")))
        refused.push(error(`Illegal modifier '.${w}' for instruction '${name}'`));
  }
  if (types.includes("f32x2"))
    gated.sort((a, b) => Number(NEEDS_SM.test(b.message)) - Number(NEEDS_SM.test(a.message)));
  return { gated, refused, demanded };
}

function typed(g: Gate): boolean {
  return g.anyType;
}

function bare(g: Gate): boolean {
  return g.words.has("-");
}

/** State spaces among the modifiers. */
export const STATE_SPACES: ReadonlySet<string> = new Set([
  ..."const global local shared param shared::cta shared::cluster param::entry param::func tex".split(" "),
]);
/** Names that take one of them. */
const SPACED: ReadonlySet<string> = new Set(
  (
    "ld st ldu atom red isspacep cvta cvta.to prefetch prefetchu applypriority discard multimem.ld_reduce multimem.st multimem.red " +
    "mbarrier.arrive mbarrier.arrive_drop mbarrier.arrive.expect_tx mbarrier.arrive_drop.expect_tx wmma.load.a wmma.load.b wmma.load.c wmma.store.d"
  ).split(" "),
);
const OPERATING: ReadonlySet<string> = new Set(
  "set setp atom red redux multimem.red multimem.ld_reduce sured.b sured.p red.async cp.reduce.async.bulk".split(" "),
);
const ODD: ReadonlySet<string> = new Set(["dec", "exch", "inc"]);

/** The one gate that depends on the width of an access (measured). */
const WIDE_ACCESS = {
  bits: 256,
  from: 100,
  version: 88,
  feature: "Feature '256 bit wide load/store'",
} as const;

function accessOf(name: string, type: string, words: readonly string[], context: GateContext): AccessWords {
  const space = words.find((w) => STATE_SPACES.has(w)) ?? null;
  return { name, words, space, sm: context.target.sm, bits: vectorLength(words) * sizeOf(type) };
}

/** Operation and type of atom and red. */
function atomic(name: string, type: string, words: readonly string[], context: GateContext, out: Complaint[]): void {
  const say = (message: string): void => {
    out.push(error(message));
  };
  const op = words.find((w) => ATOMIC_OPERATIONS.has(w));
  const noftz = NOFTZ.has(type) && !words.includes("noftz");
  if (noftz) say(`'.noftz' modifier required for instruction '${name}' with type '.${type}'`);
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
  if (!types.split(" ").includes(type)) say(`Operation .${op} requires ${named} type for instruction '${name}'`);
}

const COMPARING: ReadonlySet<string> = new Set(["set", "setp"]);
const SHUFFLES: ReadonlySet<string> = new Set(["shfl", "vote"]);

function longest(forms: readonly Form[]): number {
  return Math.max(...forms.map((f) => f.args.length));
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
function refuse(w: string, name: string, types: string, table: Words | undefined, out: Complaint[]): void {
  const spec = instructions();
  const usual = spec.refusals.get(w);
  const said = table !== undefined && (table.measured || (ATOMICS.has(name) && usual === ROUNDING));
  if (!said || table.accepted.has(w)) return;
  if (usual === undefined || spec.inert.has(w) || (ATOMICS.has(name) && !COMMON.has(usual) && takenByAtomics().has(w)))
    return;
  if (table.demands.some((d) => d.group.has(w))) return;
  const exclusive = usual === ROUNDING || usual === COMPARISON;
  if (table.conditional.has(w) && !exclusive) return;
  if (table.conditional.has(w) && usual === ROUNDING && !table.demands.some((d) => sameKind(d.group, usual))) return;
  const compared = usual === COMPARISON && COMPARING.has(name);
  const message = compared
    ? "Mismatch between instruction type and comparison qualifier"
    : (table.refused.get(w) ?? usual);
  out.push(error(fill(message, name, types, w)));
}

/** What does not belong to an instruction with open forms. */
function closed(name: string, types: string, words: readonly string[], out: Complaint[]): void {
  const spec = instructions();
  const list = spec.closed.get(name);
  if (list === undefined) return;
  const { taken, plainly } = list;
  // Those refused plainly come just before the components.
  const place = (w: string): number => (plainly.has(w) ? orderOf("a") - 0.5 : orderOf(w));
  for (const w of [...words].sort((a, b) => place(a) - place(b))) {
    const usual = plainly.has(w) ? "Illegal modifier '.%' for instruction '@'" : spec.refusals.get(w);
    if (usual !== undefined && !taken.has(w) && !spec.inert.has(w)) out.push(error(fill(usual, name, types, w)));
  }
}

/** Integers and bits take few of the comparisons; the types of set are those of its result first. */
function comparisons(name: string, types: readonly string[], words: readonly string[], out: Complaint[]): void {
  const type = types[types.length - 1];
  if (!COMPARING.has(name) || type === undefined || isFloat(type)) return;
  const spec = instructions();
  const taken = isBits(type) ? EQUALITY : type.startsWith("u") ? UNSIGNED_ORDER : SIGNED_ORDER;
  const odd = words.some((w) => spec.refusals.get(w) === COMPARISON && !taken.has(w));
  const message = "Mismatch between instruction type and comparison qualifier";
  if (odd && !out.some((c) => c.message === message)) out.push(error(message));
}

const EQUALITY: ReadonlySet<string> = new Set(["eq", "ne"]);
const SIGNED_ORDER: ReadonlySet<string> = new Set([...EQUALITY, "lt", "le", "gt", "ge"]);
const UNSIGNED_ORDER: ReadonlySet<string> = new Set([...SIGNED_ORDER, "lo", "ls", "hi", "hs"]);

/** What an instruction with open forms lacks. */
function indispensable(name: string, types: string, words: readonly string[], out: Complaint[]): void {
  for (const d of instructions().demanded.get(name) ?? []) {
    const message = fill(d.message, name, types, "");
    if (!words.some((w) => d.group.has(w)) && !out.some((c) => c.message === message)) out.push(error(message));
  }
}

function sameKind(group: ReadonlySet<string>, usual: string): boolean {
  const spec = instructions();
  for (const w of group) if (spec.refusals.get(w) === usual) return true;
  return false;
}

function fill(message: string, name: string, types: string, word: string): string {
  return message.replaceAll("@", name).replaceAll("%", word).replaceAll("&", types);
}

function demand(table: Words, words: readonly string[], name: string, types: string, out: Complaint[]): void {
  for (const d of table.demands) {
    if (words.some((w) => d.group.has(w))) continue;
    // A modifier of the same kind that does not belong was reported as such.
    if (words.some((w) => EXCLUSIVE.has(kindOf(w)) && sameKind(d.group, kindOf(w)))) continue;
    out.push(error(fill(d.message, name, types, "")));
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
    // "Modifier '.launch_dependents' requires": measured with it.
    const named = word === "" ? /^Modifier '\.([\w:]+)' requires/.exec(g.message) : null;
    if (named !== null && !words.includes(named[1] as string)) continue;
    const message = fill(g.message, name, types.join("."), word).replace("#", context.target.name);
    if (!out.some((c) => c.message === message)) out.push(error(message));
  }
}

function isClosed(g: Gate, context: GateContext): boolean {
  const sm = NEEDS_SM.exec(g.message);
  if (sm !== null) return context.target.sm < Number(sm[1]);
  const version = NEEDS_VERSION.exec(g.message);
  if (version !== null) return context.version < Number(version[1]) * 10 + Number(version[2]);
  return g.targets.has(context.target.name) !== g.inverted;
}
