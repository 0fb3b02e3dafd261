/** Phases on small texts: the IR before, the phase's name, the IR after. */
import { parseFunc } from "../../lib/ori/parse.js";
import { printFunc } from "../../lib/ori/print.js";
import type { Func } from "../../lib/ori/types.js";
import { verify } from "../../lib/ori/verify.js";
import { bodies } from "../../lib/phases/bodies.js";
import { listening } from "../../lib/phases/notes.js";
import type { PhaseParameters } from "../../lib/phases/parameters.js";
import { RewriteCounter } from "../../lib/phases/rewrites.js";
import type { PhaseName } from "../../lib/phases/table.js";

type Asked = PhaseName | ((func: Func) => unknown);

/** Runs the bodies of phases, or functions of their own, on a function in text form (text.test.ts tells what may be left out of it). */
export function after(text: string, ...phases: readonly Asked[]): string {
  return afterWith(text, {}, ...phases);
}

/** As `after`, with parameters of the phases. */
export function afterWith(text: string, parameters: Partial<PhaseParameters>, ...phases: readonly Asked[]): string {
  return told(text, parameters, ...phases).made;
}

/** As `afterWith`, at a level (0), with what the phases tell of their decisions: `2 copy joined`, sorted. */
export function told(
  text: string,
  { level = 0, ...parameters }: Partial<PhaseParameters> & { readonly level?: 0 | 1 | 2 },
  ...phases: readonly Asked[]
): { readonly made: string; readonly says: readonly string[] } {
  const read = parseFunc(text);
  if (!read.ok) throw new Error(read.diagnostics.map((d) => `line ${d.span?.line}: ${d.message}`).join("\n"));
  const func = read.value;
  const says = new Map<string, number>();
  for (const asked of phases) {
    const phase = typeof asked === "function" ? "NOP" : asked;
    const body = typeof asked === "function" ? asked : bodies[asked];
    if (typeof body !== "function") throw new Error(`${phase} has no body: ${body.none}`);
    const [before, generation] = [printFunc(func, { details: false }), func.generation];
    const run = (): void =>
      void body(func, {
        phase,
        level,
        parameter: null,
        options: { parameters },
        rewrites: new RewriteCounter(),
        report: () => {},
      });
    listening(func, ({ what }) => says.set(what, (says.get(what) ?? 0) + 1), run);
    // Analyses are kept by generation.
    if (func.generation === generation && printFunc(func, { details: false }) !== before)
      throw new Error(`${phase} changes the function and does not say so`);
    const findings = verify(func, func.milestone, { skipDefinedness: true });
    if (findings.length > 0) throw new Error(`${phase}: ${findings.map((f) => f.message).join("\n")}`);
  }
  return {
    made: normalize(printFunc(func, { details: false })),
    says: [...says].map(([what, n]) => `${n} ${what}`).sort(),
  };
}

/** Without indentation and empty lines, so that expectations can be written as they look best. */
export function normalize(text: string): string {
  return text
    .split("\n")
    .map((l) => l.trim())
    .filter((l) => l !== "")
    .join("\n");
}
