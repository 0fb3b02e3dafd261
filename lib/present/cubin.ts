/**
 * How a cubin and a compilation look in a notebook: what each function takes, charts of pressure, occupancy and latency,
 * the code beside its source, the diagnostics, and the file itself to download. In words where no front end shows HTML.
 */

import { type Diagnostic, excerpt, isFailure, renderDiagnostic } from "../diagnostics.js";
import { disassemble, flowFacts, type ListedFunction, type ListedInstruction } from "../disassemble.js";
import { type Cubin, type CubinFunction, readCubin } from "../elf/index.js";
import { controlText, decodeCode, type LiveCount, liveCounts } from "../sass/index.js";
import { type KernelResources, type Occupancy, occupancy, type Target, targetOfSm } from "../target/index.js";
import {
  type Chart,
  download,
  htmlView,
  type ListingRow,
  listing,
  type MixEntry,
  mixChart,
  notices,
  occupancyChart,
  picture,
  pressureChart,
  section,
  table,
} from "../view/index.js";
import { cudaWords, ptxWords, sassWords } from "./highlight.js";
import { type BlockLatency, type FunctionLatency, staticLatency } from "./latency.js";
import { occupancyView } from "./occupancy.js";

/** Functions with charts; the others of a large module have their code alone. */
const MOST_CHARTED = 6;
/** Blocks in the chart of latencies. */
const MOST_BLOCKS = 12;

/** What there is to show besides the bytes. */
export interface CubinNotes {
  /** First line: what this is and how it came about. */
  readonly title: string;
  /** Name of the file in the download, without `.cubin`. */
  readonly name: string;
  /** Name of the source in messages. */
  readonly file: string;
  /** Messages that are shown with it. */
  readonly diagnostics: readonly Diagnostic[];
  /** Source text, for the column beside the code. Null: no such column. */
  readonly source: string | null;
  /** Source line of an instruction, from 1; null where there is none. Default: the lines kept in the cubin. */
  readonly lineOf?: (func: string, index: number) => number | null;
  /** Charts stand as pictures in the text. Default true; false where `chartsOfCubin` shows them live below it. */
  readonly pictures?: boolean;
  /** Words below the code: where more is to be seen. */
  readonly more?: string;
  /** CUDA C++ that the source was made of, and its line for a line of the source; a column more. */
  readonly cuda?: string;
  /** Line of the CUDA C++ that a line of PTX comes from, both from 1; null for none. */
  readonly cudaLineOf?: (line: number) => number | null;
}

/** A function as it is shown. */
interface Shown {
  readonly listed: ListedFunction;
  readonly source: CubinFunction;
  /** Without the padding after the last instruction. */
  readonly instructions: readonly ListedInstruction[];
  readonly used: KernelResources;
  readonly occupancy: Occupancy;
  readonly latency: FunctionLatency | null;
}

/** MIME bundle: `text/html`, and `text` and the charts in words for `text/plain`. Without a cubin the diagnostics alone. */
export async function presentCubin(
  cubin: Uint8Array | null,
  notes: CubinNotes,
  text: string,
): Promise<Record<string, unknown>> {
  const parts = [section(notes.title, []), notices(notes.diagnostics.map((d) => told(d, notes)))];
  const words = [text];
  const read = cubin === null ? null : readCubin(cubin);
  const target = read?.ok ? targetOfSm(read.value.sm) : null;
  if (read?.ok && target !== null) {
    const functions = functionsOf(read.value, target);
    if (functions.length > 0) parts.push(table(functions.map((f) => resources(f, target))).html, legend());
    for (const [i, f] of functions.entries()) {
      const live = liveOf(f, target);
      const charts = i < MOST_CHARTED ? chartsOf(f, live, target) : [];
      const pictures = (notes.pictures ?? true) ? await Promise.all(charts.map(picture)) : [];
      const open = functions.length === 1;
      parts.push(
        section(
          f.listed.name,
          [
            ...pictures,
            listing(rowsOf(f, live, notes), { words: { cuda: cudaWords, ptx: ptxWords, sass: sassWords } }).html,
            CONTROL,
          ],
          open,
        ),
      );
      words.push(...charts.map((c) => `  ${f.listed.name}: ${c.text}`));
    }
    parts.push(download(`${notes.name}.cubin`, cubin!));
    if (notes.more !== undefined) parts.push(small(notes.more));
  }
  return { "text/html": htmlView(parts.join(""), text).html, "text/plain": words.join("\n") };
}

/** A cubin holds its last function first. */
const functionsOf = (cubin: Cubin, target: Target): Shown[] =>
  [...disassemble(cubin)].reverse().map((f) => shownFunction(cubin, f, target));

const liveOf = (f: Shown, target: Target): LiveCount[] =>
  liveCounts(decodeCode(f.source.words, target), target, flowFacts(f.source)).slice(0, f.instructions.length);

/** Pressure, occupancy and latency of a cubin's functions as charts, which a notebook shows live below it. */
export function chartsOfCubin(bytes: Uint8Array | null): Chart[] {
  const read = bytes === null ? null : readCubin(bytes);
  const target = read?.ok ? targetOfSm(read.value.sm) : null;
  if (!read?.ok || target === null) return [];
  const functions = functionsOf(read.value, target).slice(0, MOST_CHARTED);
  return functions.flatMap((f) => chartsOf(f, liveOf(f, target), target));
}

/** What stops the compilation is shown in its line, with a caret. */
function told(d: Diagnostic, { file, source }: CubinNotes): { text: string; severe: boolean } {
  const severe = isFailure(d);
  const lines = severe && source !== null ? excerpt(d, source) : [];
  return { text: [renderDiagnostic(d, file), ...lines].join("\n"), severe };
}

function shownFunction(cubin: Cubin, listed: ListedFunction, target: Target): Shown {
  const source = cubin.functions.find((x) => x.name === listed.name)!;
  // Threads of a block: as the kernel demands, else what it allows, else 256.
  const size = source.reqThreads ?? source.maxThreads ?? null;
  const threadsPerBlock = size === null ? 256 : Math.max(1, size[0]! * size[1]! * size[2]!);
  const used = { registers: listed.registers, sharedBytes: listed.sharedBytes, threadsPerBlock };
  const latency = staticLatency(cubin, source);
  return {
    listed,
    source,
    instructions: listed.instructions.slice(0, latency === null ? undefined : latency.end / 16),
    used,
    occupancy: occupancy(target, used),
    latency,
  };
}

function resources(f: Shown, target: Target): Record<string, string | number | null> {
  return {
    function: f.listed.name,
    instructions: f.instructions.length,
    registers: f.listed.registers,
    "shared (bytes)": f.listed.sharedBytes,
    "stack (bytes)": f.listed.frameBytes,
    "threads per block": f.used.threadsPerBlock,
    "warps per SM": `${f.occupancy.warpsPerSm} of ${target.limits.maxWarpsPerSm}`,
    "limited by": f.occupancy.limitedBy.join(", "),
    "latency (cycles)": f.latency === null ? null : f.latency.blocks.reduce((sum, b) => sum + spent(b), 0),
  };
}

const small = (words: string): string => `<div style="opacity:.7;font-size:90%;padding:2px 0 6px">${words}</div>`;

/** What the columns of the table rest on. */
function legend(): string {
  return small(
    "Threads per block: as the kernel says, else 256. Latency: one warp alone, told from the code: loops are taken to make ten trips.",
  );
}

const CONTROL: string = small(
  "live: registers in use after the instruction. control: B scoreboards waited for, R and W scoreboards set by reading operands and writing the result, Y may yield, S cycles to the next issue.",
);

function chartsOf(f: Shown, live: readonly LiveCount[], target: Target): Chart[] {
  const { name, registers } = f.listed;
  const title = `Live registers of ${name}`;
  const charts = [pressureChart(tracesOf(live), { limit: registers, limitName: "allocated", title })];
  if (f.listed.kind === "entry") charts.push(occupancyChart(occupancyView(target, f.used, name)));
  if (f.latency !== null) charts.push(latencyChart(f, f.latency));
  return charts;
}

/** Cycles of a block per run of its function. */
const spent = (b: BlockLatency): number => Math.round(b.frequency * b.cycles);

function latencyChart(f: Shown, latency: FunctionLatency): Chart {
  const hex = (n: number): string => n.toString(16).padStart(4, "0");
  const times = (n: number): string => (n === 1 ? "" : ` × ${Number.isInteger(n) ? n : n.toPrecision(2)}`);
  const entries = latency.blocks.map((b): MixEntry => {
    const last = b.address + 16 * (b.instructions - 1);
    return { name: `${hex(b.address)}–${hex(last)}${times(b.frequency)}`, count: spent(b) };
  });
  const title = `Estimated latency of ${f.listed.name} by block (addresses × executions)`;
  return mixChart(entries, { title, unit: "cycles of one warp", top: MOST_BLOCKS });
}

function rowsOf(f: Shown, live: readonly LiveCount[], notes: CubinNotes): ListingRow[] {
  const lines = notes.source?.split("\n") ?? null;
  const cuda = notes.cuda?.split("\n");
  return f.instructions.map((i, k) => {
    const line = notes.lineOf ? notes.lineOf(f.listed.name, k) : i.line;
    const label = f.listed.labels.get(i.offset);
    const cudaLine = line === null ? null : (notes.cudaLineOf?.(line) ?? null);
    return {
      sass: i.text,
      address: i.offset,
      ...(label !== undefined && { label }),
      ...(lines !== null && { ptxLine: line, ptx: line === null ? "" : (lines[line - 1] ?? "") }),
      ...(cuda !== undefined && { cudaLine, cuda: cudaLine === null ? "" : (cuda[cudaLine - 1] ?? "") }),
      live: live[k]?.r ?? 0,
      ...(i.control && { control: controlText(i.control) }),
    };
  });
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
