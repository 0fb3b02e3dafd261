/** Which source a module comes from: its `.file` and `.loc` directives as positions that hold from one place of the text on. */
import { type Diagnostic, diagnostic } from "./diagnostics.js";
import type { SourceLines } from "./elf/cubin/debug.js";
import type { Inlined, Position } from "./elf/cubin/line-program.js";
import type { Block, LocDirective, Module, SectionDirective } from "./ptx/ast.js";

/** The section, without its dot. */
const STRINGS = "debug_str";

export function sourceLines(module: Module, text: string): SourceLines {
  const files = module.items.flatMap((i) => (i.kind === "file" ? [i] : [])).sort((a, b) => a.index - b.index);
  const number = new Map(files.map((f, i) => [f.index, i + 1]));
  const strings = module.items.find((i): i is SectionDirective => i.kind === "section" && i.name === STRINGS);
  const { bytes, labels } = strings === undefined ? { bytes: null, labels: null } : stringBytes(strings);
  const places: { start: number; position: Position | null }[] = [];
  for (const item of module.items) {
    if (item.kind !== "function" || item.body === null) continue;
    places.push({ start: item.body.span.start, position: null });
    const known = new Map<string, Position>();
    const calls = new Map<string, Inlined>();
    for (const loc of locs(item.body)) {
      const file = number.get(loc.file);
      if (file === undefined) continue;
      const inlined = inlinedAt(loc, labels, known, calls);
      const key = `${loc.file} ${loc.line} ${loc.column}`;
      const before = known.get(key);
      const position = before?.inlined === inlined ? before : { file, line: loc.line, inlined };
      known.set(key, position);
      places.push({ start: loc.span.start, position });
    }
  }
  places.sort((a, b) => a.start - b.start);
  const named = places.some((p) => p.position?.inlined != null);
  return {
    text,
    files: files.map((f) => ({ path: f.name, time: f.timestamp ?? 0, size: f.size ?? 0 })),
    strings: named ? bytes : null,
    places,
  };
}

/** What ptxas 13.0.88 says of `.loc` in a module that names no file at all; null where there is nothing to say. */
export function strayLocs(module: Module): Diagnostic | null {
  if (module.items.some((i) => i.kind === "file")) return null;
  const stray = module.items.some((i) => i.kind === "function" && i.body !== null && !locs(i.body).next().done);
  const message =
    ".loc directive without .file directive is found, line information in generated binary may not be complete";
  return stray ? diagnostic("warning", message) : null;
}

/** The call stands as a `.loc` of its own before what was inlined; null where it or the name is not there. */
function inlinedAt(
  loc: LocDirective,
  labels: ReadonlyMap<string, number> | null,
  known: ReadonlyMap<string, Position>,
  calls: Map<string, Inlined>,
): Inlined | null {
  if (loc.inlined === null) return null;
  const { file, line, column, functionName, offset } = loc.inlined;
  const caller = known.get(`${file} ${line} ${column}`);
  const label = labels?.get(functionName);
  if (caller === undefined || label === undefined) return null;
  const key = `${functionName} ${offset} ${file} ${line} ${column}`;
  const found = calls.get(key);
  // The same line may be reached through several calls.
  if (found !== undefined && found.caller === caller) return found;
  const made = { name: label + offset, caller };
  calls.set(key, made);
  return made;
}

function* locs(block: Block): Generator<LocDirective> {
  for (const s of block.statements.others()) {
    if (s.kind === "loc") yield s;
    else if (s.kind === "block") yield* locs(s);
  }
}

/** Null where the section holds more than bytes. */
function stringBytes(s: SectionDirective): { bytes: Uint8Array | null; labels: Map<string, number> | null } {
  const bytes: number[] = [];
  const labels = new Map<string, number>();
  for (const line of s.lines) {
    if (line.kind === "label") labels.set(line.name, bytes.length);
    else
      for (const v of line.values) {
        if (typeof v !== "number" || line.type !== "b8") return { bytes: null, labels: null };
        bytes.push(v);
      }
  }
  return { bytes: Uint8Array.from(bytes), labels };
}
