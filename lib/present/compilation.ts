/** How a compilation looks in a notebook. */
import type { Compilation } from "../compile.js";
import type { Span } from "../diagnostics.js";
import { inNotebook } from "../view/index.js";
import { presentCubin } from "./cubin.js";

/** The text that the PTX was made of, and the place in it for each line of the PTX. */
export interface PtxOrigin {
  readonly text: string;
  readonly places: readonly (Span | null)[];
}

/** MIME bundle of a compilation: as for its cubin, with the PTX (and what that came from) beside each instruction. */
export function presentCompilation(c: Compilation, text: string, origin?: PtxOrigin): Promise<Record<string, unknown>> {
  const codes = new Map(c.functions.map((f) => [f.name, f.code]));
  const notes = {
    title: text.split("\n")[0]!,
    name: c.functions[0]?.name ?? "module",
    file: c.file,
    diagnostics: c.diagnostics,
    source: c.text,
    pictures: !inNotebook(),
    more: "Phase by phase, with dependences, live intervals and decisions: <code>await view.pipeline(c)</code>, or <code>ptxlab view FILE -o PAGE.html</code>. Knobs that were read, by whom, with which value: <code>c.knobs</code>.",
    lineOf: (func: string, index: number) => codes.get(func)?.locs[index]?.line ?? null,
    ...(origin && { cuda: origin.text, cudaLineOf: (line: number) => origin.places[line - 1]?.line ?? null }),
  };
  return presentCubin(c.cubin, notes, text);
}
