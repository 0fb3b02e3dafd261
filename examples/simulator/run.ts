/** What the page does: PTX and a launch in, text out. Uses what a browser has, nothing of Node. */
import { compile } from "../../lib/compile.js";
import { type Argument, describeFault, profileByLine, type Run, simulateGivingWay } from "../../lib/sim/index.js";
import { isTargetName } from "../../lib/target/index.js";

export interface PageInput {
  readonly ptx: string;
  readonly target: string;
  readonly opt: 0 | 1 | 2 | 3;
  /** JSON: `{ kernel?, grid, block, sharedBytes?, params }`; a buffer is `{ "buffer": "f32", "values": […] }` or `{ "buffer": "f32", "length": n }`. */
  readonly launch: string;
  readonly races: boolean;
  readonly profile: boolean;
  readonly signal: { readonly aborted: boolean };
}

const arrays = {
  u8: Uint8Array,
  s8: Int8Array,
  u16: Uint16Array,
  s16: Int16Array,
  u32: Uint32Array,
  s32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;
type ArrayName = keyof typeof arrays;

/** Elements of a buffer that are shown. */
const SHOWN = 32;

interface Launch {
  readonly kernel?: string;
  readonly grid?: number | readonly [number, number, number];
  readonly block?: number | readonly [number, number, number];
  readonly sharedBytes?: number;
  readonly params?: readonly Readonly<Record<string, unknown>>[];
}

function argument(given: Readonly<Record<string, unknown>>): Argument {
  const { buffer, values, length } = given as { buffer?: ArrayName; values?: number[]; length?: number };
  if (buffer === undefined) return given as Argument;
  if (!Object.hasOwn(arrays, buffer)) throw new Error(`"${buffer}": a buffer is of ${Object.keys(arrays).join(", ")}`);
  const made = new arrays[buffer](length ?? values?.length ?? 0);
  made.set(values ?? []);
  return made;
}

function shown(array: ArrayLike<number>): string {
  const first = Array.from({ length: Math.min(SHOWN, array.length) }, (_, i) => array[i]!);
  return `${first.join(" ")}${array.length > SHOWN ? ` … (${array.length})` : ""}`;
}

function told(run: Run, params: readonly Argument[]): string[] {
  const lines = run.fault === null ? [] : describeFault(run.fault);
  lines.push(`${run.warpInstructions} warp-instructions, ${run.threadInstructions} thread-instructions`);
  if (run.output !== "") lines.push("printed:", run.output);
  params.forEach((p, i) => {
    if (ArrayBuffer.isView(p)) lines.push(`parameter ${i}: ${shown(p as unknown as ArrayLike<number>)}`);
  });
  if (run.findings !== null) {
    lines.push(`${run.findings.races.length} races, ${run.findings.uninitialized.length} uninitialised reads`);
    for (const { space, first, second } of run.findings.races)
      lines.push(
        `  ${space}: line ${first.ptxLine} (${first.instruction}) and line ${second.ptxLine} (${second.instruction})`,
      );
  }
  for (const l of run.profile === null ? [] : profileByLine(run.profile))
    if (l.line !== null)
      lines.push(
        `line ${l.line}: ${l.warps} issued, ${l.threads} by threads${l.memory.map((m) => `, ${m.space} ${m.bytes} bytes`).join("")}`,
      );
  return lines;
}

/** Compiles and runs; what went wrong is told in the text, too. */
export async function runPage(input: PageInput): Promise<string> {
  try {
    if (!isTargetName(input.target)) return `${input.target} is no target`;
    const launch = JSON.parse(input.launch) as Launch;
    const { cubin, diagnostics } = compile(input.ptx, { target: input.target, opt: input.opt, lineInfo: true });
    if (cubin === null) return diagnostics.map((d) => d.message).join("\n");
    const params = (launch.params ?? []).map(argument);
    const { races, profile, signal } = input;
    const run = await simulateGivingWay(cubin, { ...launch, params, races, profile, signal });
    if (!run.ok) return run.diagnostics.map((d) => d.message).join("\n");
    return told(run.value, params).join("\n");
  } catch (e) {
    return `error: ${e instanceof Error ? e.message : String(e)}`;
  }
}
