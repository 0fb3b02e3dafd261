/** Completion of names that stand in strings and keys of TypeScript cells, where types do not know them: knobs, phases, policies. */
import { knobs, shownDefault } from "../knobs/index.js";
import { phases } from "../phases/index.js";
import { schedulePolicies } from "../sched/index.js";
import type { Completions } from "./cell-words.js";

/** By what they are a value or argument of. Where a type lists the names (`stopBefore`), TypeScript completes them itself. */
const phaseNames = (): readonly string[] => phases.map((p) => p.name);
const policyNames = (): readonly string[] => schedulePolicies.map((p) => p.name);
const values: Readonly<Record<string, () => readonly string[]>> = {
  disablePhases: phaseNames,
  namedPhases: phaseNames,
  DisablePhases: phaseNames,
  NamedPhases: phaseNames,
  DUMPIR: phaseNames,
  policies: policyNames,
  policyNamed: policyNames,
  findKnob: () => knobs.map((k) => k.name),
  phaseRow: phaseNames,
  phaseIndex: phaseNames,
};
/** By the object whose keys they are. */
const keys: Readonly<Record<string, () => readonly string[]>> = {
  // Those that act: the others are refused.
  knobs: () => knobs.filter((k) => k.readBy !== null).map((k) => k.name),
};

/** What can stand where the cursor is in a cell of TypeScript, as far as names of ptxlab go; null where none are wanted. */
export function completeNames(source: string, offset: number): Completions | null {
  const { inside, key, quoted } = placeOf(source.slice(0, offset));
  const word = (quoted ?? /\w*$/.exec(source.slice(0, offset))![0]).replace(/^.*[+, ]/, "");
  const list = key === null ? keys[inside ?? ""] : quoted === null ? undefined : values[key];
  if (list === undefined) return null;
  const candidates = [...new Set(list())].filter((c) => c.startsWith(word) && c !== word).sort();
  return { start: offset - word.length, end: offset, candidates };
}

/** What the word at an offset is where names of ptxlab are wanted, as text; null elsewhere, and for words that are none. */
export function inspectNames(source: string, offset: number): string | null {
  const left = /\w*$/.exec(source.slice(0, offset))![0];
  const word = left + /^\w*/.exec(source.slice(offset))![0];
  const { inside, key } = placeOf(source.slice(0, offset - left.length));
  if (key === null ? inside === "knobs" : key === "findKnob") {
    const knob = knobs.find((k) => k.name === word);
    if (knob === undefined) return null;
    const by = knob.readBy === null ? "nothing reads it" : `read by ${knob.readBy}`;
    const value = shownDefault(knob);
    return `${knob.name} (${knob.type}${value === "-" ? "" : `, ${value} when not set`}): ${knob.says}\n${by}`;
  }
  if (key === null || values[key] === undefined) return null;
  const says = phases.find((p) => p.name === word) ?? schedulePolicies.find((p) => p.name === word);
  return says === undefined ? null : `${says.name}: ${says.does}`;
}

interface Place {
  /** What the innermost open bracket belongs to: `knobs` in `knobs: {`, `f` in `f(`. */
  readonly inside: string | null;
  /** Of what the cursor stands in the value; null where a key of an object is being written. */
  readonly key: string | null;
  /** The text of the string that is open; null outside of strings. */
  readonly quoted: string | null;
}

/** A token at a time: comments, whole strings, names with the colon after them, brackets, anything else. */
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|(["'`])((?:\\[\s\S]|(?!\1)[^\\])*)(\1|$)|([A-Za-z_$][\w$]*)\s*(:(?!:))?|([{[(])|([}\])])|(,)|(:)|[^\s]/g;

function placeOf(before: string): Place {
  const stack: { of: string | null; object: boolean; key: string | null }[] = [];
  let name: string | null = null;
  let quoted: string | null = null;
  for (const [, quote, text, end, word, colon, open, close, comma, colonAlone] of before.matchAll(TOKEN)) {
    const top = stack.at(-1);
    if (quote !== undefined) {
      quoted = end === "" ? text! : null;
      // A key may be quoted: the colon comes next.
      name = end === "" ? name : text!;
    } else if (word !== undefined) {
      if (colon !== undefined && top?.object) top.key = word;
      name = word;
    } else if (open !== undefined) {
      // An array or object belongs to the key that it is the value of; arguments and indices to what is before them.
      const of = open === "{" || name === null ? (top?.key ?? null) : name;
      stack.push({ of, object: open === "{", key: null });
      name = null;
    } else if (close !== undefined) {
      stack.pop();
      name = null;
    } else if (colonAlone !== undefined) {
      if (top?.object && top.key === null) top.key = name;
      name = null;
    } else if (comma !== undefined) {
      if (top?.object) top.key = null;
      name = null;
    } else name = null;
  }
  const top = stack.at(-1);
  if (top === undefined) return { inside: null, key: "", quoted };
  return { inside: top.of, key: top.object ? top.key : (top.of ?? ""), quoted };
}
