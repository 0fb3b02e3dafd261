/** How a compilation looks in a notebook. */
import type { Compilation } from "../compile.js";
import { presentCubin } from "./cubin.js";

/** MIME bundle of a compilation: as for its cubin, with the PTX that each instruction came from. */
export function presentCompilation(c: Compilation, text: string): Promise<Record<string, unknown>> {
  const codes = new Map(c.functions.map((f) => [f.name, f.code]));
  const notes = {
    title: text.split("\n")[0]!,
    name: c.functions[0]?.name ?? "module",
    file: c.file,
    diagnostics: c.diagnostics,
    source: c.text,
    lineOf: (func: string, index: number) => codes.get(func)?.locs[index]?.line ?? null,
  };
  return presentCubin(c.cubin, notes, text);
}
