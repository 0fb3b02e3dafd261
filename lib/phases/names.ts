/**
 * Phases by name. Names are found without regard to case; one that does not exist is an error with suggestions
 * (wiki page 65: silently doing nothing for a misspelled phase helps nobody).
 *
 * `NamedPhases` and `DisablePhases` are lists: `+` stands between entries, `,` between a name and its parameter, as in
 * `OriCopyProp,2+AllocateRegisters`.
 */
import { type Diagnostic, diagnostic } from "../diagnostics.js";
import { suggestion } from "../knobs/nearest.js";
import { type PhaseName, type PhaseRow, phases } from "./table.js";

/** Names of all phases in their order. */
export const phaseNames: readonly PhaseName[] = phases.map((p) => p.name);

const indexByName: ReadonlyMap<string, number> = new Map(phases.map((p, i) => [p.name.toLowerCase(), i]));

/** True position of a phase, −1 for an unknown name. */
export function phaseIndex(name: string): number {
  return indexByName.get(name.toLowerCase()) ?? -1;
}

/** The row of a phase; undefined for an unknown name. */
export function phaseRow(name: string): PhaseRow | undefined {
  return phases[phaseIndex(name)];
}

/** An entry of a phase list. */
export interface PhaseRequest {
  /** Place of the phase in the table, from 0. */
  readonly index: number;
  /** Text after the first comma, null when there is none. */
  readonly parameter: string | null;
}

/** Reads `A,parameter+B`. Unknown names are reported under the name of the option. */
export function parsePhaseList(text: string, option: string, diagnostics: Diagnostic[]): PhaseRequest[] {
  const requests: PhaseRequest[] = [];
  for (const entry of text.split("+")) {
    const comma = entry.indexOf(",");
    const name = (comma < 0 ? entry : entry.slice(0, comma)).trim();
    if (name === "") continue;
    const index = phaseIndex(name);
    if (index < 0) {
      diagnostics.push(diagnostic("error", `${option}: unknown phase '${name}'${suggestion(name, phaseNames)}`));
    } else requests.push({ index, parameter: comma < 0 ? null : entry.slice(comma + 1) });
  }
  return requests;
}
