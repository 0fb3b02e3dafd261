/**
 * How a cubin and a compilation look in a notebook: what each function takes, pressure and code beside its source, the
 * diagnostics, and the file itself to download. Text only where no front end shows HTML.
 */
import { type Diagnostic, isFailure, renderDiagnostic } from "../diagnostics.js";
import { disassemble, flowFacts, type ListedFunction } from "../disassemble.js";
import { type Cubin, readCubin } from "../elf/index.js";
import { controlText, decodeCode, type LiveCount, liveCounts } from "../sass/index.js";
import { type Occupancy, occupancy, type Target, targetOfSm } from "../target/index.js";
import { download, htmlView, listing, notices, picture, pressureChart, section, table } from "../view/index.js";

/** What there is to show besides the bytes. */
export interface CubinNotes {
  /** First line: what this is and how it came about. */
  readonly title: string;
  /** Name of the file in the download, without `.cubin`. */
  readonly name: string;
  /** Name of the source in messages. */
  readonly file: string;
  readonly diagnostics: readonly Diagnostic[];
  /** Source text, for the column beside the code. Null: no such column. */
  readonly source: string | null;
  /** Source line of an instruction, from 1; null where there is none. Default: the lines kept in the cubin. */
  readonly lineOf?: (func: string, index: number) => number | null;
}

/** MIME bundle: `text/html`, and `text` as given for `text/plain`. Without a cubin it shows the diagnostics alone. */
export async function presentCubin(
  cubin: Uint8Array | null,
  notes: CubinNotes,
  text: string,
): Promise<Record<string, unknown>> {
  const parts = [section(notes.title, []), notices(notes.diagnostics.map((d) => told(d, notes.file)))];
  const read = cubin === null ? null : readCubin(cubin);
  const target = read?.ok ? targetOfSm(read.value.sm) : null;
  if (read?.ok && target !== null) {
    // A cubin holds its last function first.
    const functions = [...disassemble(read.value)].reverse();
    parts.push(table(functions.map((f) => resources(read.value, f, target))).html);
    for (const f of functions) parts.push(await functionPart(read.value, f, target, notes, functions.length === 1));
    parts.push(download(`${notes.name}.cubin`, cubin!));
  }
  return { "text/html": htmlView(parts.join(""), text).html, "text/plain": text };
}

function told(d: Diagnostic, file: string): { text: string; severe: boolean } {
  return { text: renderDiagnostic(d, file), severe: isFailure(d) };
}

/** Threads of a block: as the kernel demands, else what it allows, else 256. */
function threadsOf(cubin: Cubin, name: string): number {
  const f = cubin.functions.find((x) => x.name === name);
  const size = f?.reqThreads ?? f?.maxThreads ?? null;
  return size === null ? 256 : Math.max(1, size[0]! * size[1]! * size[2]!);
}

function resources(cubin: Cubin, f: ListedFunction, target: Target): Record<string, string | number> {
  const threadsPerBlock = threadsOf(cubin, f.name);
  const o: Occupancy = occupancy(target, { registers: f.registers, sharedBytes: f.sharedBytes, threadsPerBlock });
  return {
    function: f.name,
    instructions: f.instructions.length,
    registers: f.registers,
    "shared (bytes)": f.sharedBytes,
    "stack (bytes)": f.frameBytes,
    "threads per block": threadsPerBlock,
    "warps per SM": `${o.warpsPerSm} of ${target.limits.maxWarpsPerSm}`,
    "limited by": o.limitedBy.join(", "),
  };
}

async function functionPart(
  cubin: Cubin,
  f: ListedFunction,
  target: Target,
  notes: CubinNotes,
  open: boolean,
): Promise<string> {
  const source = cubin.functions.find((x) => x.name === f.name)!;
  const live = liveCounts(decodeCode(source.words, target), flowFacts(source));
  const chart = pressureChart(tracesOf(live), { limit: f.registers, title: `Live registers of ${f.name}` });
  const lines = notes.source?.split("\n") ?? null;
  const rows = f.instructions.map((i, k) => {
    const line = notes.lineOf ? notes.lineOf(f.name, k) : i.line;
    const label = f.labels.get(i.offset);
    return {
      sass: i.text,
      address: i.offset,
      ...(label !== undefined && { label }),
      ...(lines !== null && { ptxLine: line, ptx: line === null ? "" : (lines[line - 1] ?? "") }),
      live: live[k]?.r ?? 0,
      ...(i.control && { control: controlText(i.control) }),
    };
  });
  return section(f.name, [await picture(chart), listing(rows).html], open);
}

function tracesOf(live: readonly LiveCount[]): { file: string; live: number[] }[] {
  const traces = [
    { file: "R", live: live.map((c) => c.r) },
    { file: "UR", live: live.map((c) => c.ur) },
    { file: "P", live: live.map((c) => c.p) },
    { file: "UP", live: live.map((c) => c.up) },
  ];
  return traces.filter((t) => t.file === "R" || t.live.some((n) => n > 0));
}
