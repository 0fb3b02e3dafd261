import { OPERATIONS, orderOf, saidEarly } from "./spec/exclusive.js";
import { instructions } from "./spec/instructions.js";

/** Modifiers that an instruction takes with no types at all: ptxas refuses some kinds of them before it looks at types and arguments (exclusive.ts). */
export const ATOMICS: ReadonlySet<string> = new Set(["atom", "red"]);

let ofAtomics: ReadonlySet<string> | null = null;

/** What some atomic instruction takes or asks for, with any operation and type. */
export function takenByAtomics(): ReadonlySet<string> {
  if (ofAtomics !== null) return ofAtomics;
  const taken = new Set(["acquire", "acq_rel", "release", "relaxed", "noftz", "async", "mmio", ...OPERATIONS]);
  for (const [key, w] of instructions().words) {
    if (!ATOMICS.has(key.split(" ")[0] as string)) continue;
    for (const list of [w.accepted, w.conditional, w.refused.keys(), ...w.demands.map((d) => d.group)])
      for (const word of list) taken.add(word);
  }
  ofAtomics = taken;
  return taken;
}

/** Modifiers that an instruction takes with no types at all, of the kinds that ptxas looks at first. */
export function foreignWords(name: string, words: readonly string[]): (readonly [word: string, message: string])[] {
  const early = words.filter(saidEarly);
  if (early.length === 0) return [];
  const spec = instructions();
  const taken = takenBy(name);
  if (taken === null) return [];
  return early
    .sort((a, b) => orderOf(a) - orderOf(b))
    .flatMap((w) => {
      const usual = spec.refusals.get(w);
      const known = usual === undefined || spec.inert.has(w) || taken.has(w);
      return known || usual.includes("&") ? [] : [[w, usual.replaceAll("@", name).replaceAll("%", w)] as const];
    });
}

const takenByName: Map<string, ReadonlySet<string> | null> = new Map();

/** All modifiers that a name is known to take or to speak of, whatever its types; null where nothing is known. */
function takenBy(name: string): ReadonlySet<string> | null {
  const known = takenByName.get(name);
  if (known !== undefined) return known;
  const spec = instructions();
  const taken = new Set(spec.closed.get(name)?.taken ?? []);
  let measured = spec.closed.has(name);
  for (const [key, w] of spec.words) {
    if (key.split(" ")[0] !== name) continue;
    measured ||= w.measured;
    for (const list of [w.accepted, w.conditional, w.refused.keys(), ...w.demands.map((d) => d.group)])
      for (const word of list) taken.add(word);
  }
  if (ATOMICS.has(name)) for (const w of takenByAtomics()) taken.add(w);
  const list = measured ? taken : null;
  takenByName.set(name, list);
  return list;
}
