/** Functions of other components whose results show themselves in notebooks: in a few words and as HTML of a few kB, not field by field. */
import type { FinishedCompilation } from "../compile.js";
import { disassemble, flowFacts } from "../disassemble.js";
import { type Cubin, type CubinFunction, readCubin as read } from "../elf/index.js";
import { counted, shownAs } from "../inspect.js";
import type { Result } from "../result.js";
import { decodeCode, liveCounts } from "../sass/index.js";
import { describeFault, type LaunchOptions, type Module, Device as PlainDevice, type Run } from "../sim/index.js";
import { targetOfSm } from "../target/index.js";
import { type Estimate, type EstimateOptions, estimate as estimated, reasonTexts } from "../timing/index.js";
import { type HtmlView, type SourceRow, table, sourcePage as view } from "../view/index.js";
import type { CudaCompilation } from "./cells.js";
import { asTable, type LooksRow } from "./looks.js";

/** A cubin, or a compilation, which also knows the lines that its code came from. */
export type CodeOf = Uint8Array | FinishedCompilation | CudaCompilation;

const fromCuda = (c: FinishedCompilation): c is CudaCompilation => "cudaPlaces" in c;

const bytesOf = (code: CodeOf): Uint8Array => (code instanceof Uint8Array ? code : code.cubin);

/** `timing.estimate` of a cubin or a compilation; its result shows itself as the source page (`sourcePage`). */
export function estimate(code: CodeOf, options: EstimateOptions): Result<Estimate> {
  const made = estimated(bytesOf(code), options);
  if (!made.ok) return made;
  const shown = shownAs(
    made.value,
    (e) => sourcePage(code, e).text,
    (e) => `[${headline(e)}]`,
    (e) => bundle(sourcePage(code, e)),
  );
  return { ...made, value: shown };
}

const headline = (e: Estimate): string =>
  `${e.kernel} on ${e.target}: ${counted(e.cycles, "cycle")}, ${e.microseconds.toFixed(2)} us, ${counted(e.occupancy.warpsPerSm, "warp")} per SM, ${e.ipc.toFixed(2)} instructions per cycle`;

/**
 * Where the cycles of an estimate go: CUDA, PTX and SASS of its kernel with live registers, cycles as heat and what warps wait for, totals by line. A
 * bare cubin has the lines that are kept in it (-lineinfo) and no texts.
 */
export function sourcePage(code: CodeOf, e: Estimate): HtmlView {
  const compiled = code instanceof Uint8Array ? null : code;
  const cuda = compiled !== null && fromCuda(compiled) ? compiled : null;
  const cudaLine = (line: number | null): number | null =>
    line === null ? null : (cuda?.cudaPlaces[line - 1]?.line ?? null);
  const cubin = read(bytesOf(code));
  const functions = new Set([e.kernel, ...e.instructions.map((i) => i.function)]);
  const rows = !cubin.ok
    ? []
    : cubin.value.functions
        .filter((f) => functions.has(f.name))
        .flatMap((f) => rowsOf(cubin.value, f, e, compiled))
        .map((r) => ({ ...r, cudaLine: cudaLine(r.ptxLine) }));
  return view(rows, {
    title: headline(e),
    reasonTexts,
    ...(compiled !== null && { ptx: compiled.text }),
    ...(cuda !== null && { cuda: cuda.cuda }),
  });
}

function rowsOf(
  cubin: Cubin,
  f: CubinFunction,
  e: Estimate,
  compiled: FinishedCompilation | null,
): Omit<SourceRow, "cudaLine">[] {
  const target = targetOfSm(cubin.sm);
  const live = target === null ? [] : liveCounts(decodeCode(f.words, target), target, flowFacts(f));
  const spent = new Map(e.instructions.filter((i) => i.function === f.name).map((i) => [i.address, i]));
  const locs = compiled?.functions.find((x) => x.name === f.name)?.code?.locs;
  const [listed] = disassemble({ ...cubin, functions: [f] });
  return (listed?.instructions ?? []).flatMap((i, k) => {
    const at = spent.get(i.offset);
    // Padding after the end.
    if (at === undefined && /^NOP/.test(i.text)) return [];
    return [
      {
        address: i.offset,
        sass: i.text,
        live: live[k]?.r ?? null,
        cycles: at?.cycles ?? 0,
        issues: at?.issues ?? 0,
        reasons: at?.reasons ?? {},
        ptxLine: locs === undefined ? i.line : (locs[k]?.line ?? null),
      },
    ];
  });
}

/** `elf.readCubin`; the result shows itself as a table of its functions. */
export function readCubin(bytes: Uint8Array): Result<Cubin> {
  const made = read(bytes);
  if (!made.ok) return made;
  const { value } = made;
  const title = `Cubin for ${value.target}: ${value.kind}, ${counted(value.functions.length, "function")}, ${value.elf.bytes.length} bytes`;
  const seen = (): HtmlView => table(value.functions.map(functionRow), { title });
  const functions = asTable(
    value.functions.map((f) => asTable(f, functionTitle, (x) => [functionRow(x)])),
    (all) => counted(all.length, "function"),
    (all) => all.map(functionRow),
  );
  const { elf } = value;
  const file = asTable(
    elf,
    (e) => `ELF file of ${e.bytes.length} bytes: ${counted(e.sections.length, "section")}`,
    (e) => e.sections.map((x, k) => ({ section: k, name: x.name, "offset (bytes)": x.offset, "size (bytes)": x.size })),
  );
  return {
    ...made,
    value: shownAs(
      { ...value, functions, elf: file },
      () => seen().text,
      () => `[${title}]`,
      () => bundle(seen()),
    ),
  };
}

const functionTitle = (f: CubinFunction): string =>
  `${f.kind} ${f.name}: ${counted(f.words.length / 4, "instruction")}, ${counted(f.registers, "register")}`;

const functionRow = (f: CubinFunction): LooksRow => ({
  function: f.name,
  kind: f.kind,
  instructions: f.words.length / 4,
  registers: f.registers,
  "stack (bytes)": f.stackBytes,
  "shared (bytes)": f.sharedBytes,
  "parameters (bytes)": f.paramBytes,
  barriers: f.barriers,
});

const bundle = ({ html, text }: HtmlView): Record<string, unknown> => ({ "text/html": html, "text/plain": text });

const runText = (r: Run): string =>
  [
    `${counted(r.warpInstructions, "warp-instruction")}, ${counted(r.threadInstructions, "thread-instruction")}`,
    r.fault === null ? "no fault" : describeFault(r.fault)[0],
    ...(r.findings === null
      ? []
      : [
          counted(r.findings.races.length, "race"),
          counted(r.findings.uninitialized.length + r.findings.registers.length, "uninitialized read"),
        ]),
  ].join(", ");

function shownRun(value: Run): Run {
  const seen = (r: Run): HtmlView => {
    const rows = (r.profile ?? []).map(({ function: name, address, instruction, warps }) => ({
      function: name,
      address: address.toString(16).padStart(4, "0"),
      instruction,
      "warps issued": warps,
    }));
    return table(rows, { title: `Run: ${runText(r)}` });
  };
  return shownAs(
    { ...value },
    (r) => seen(r).text.trimEnd(),
    (r) => `[Run: ${runText(r)}]`,
    (r) => bundle(seen(r)),
  );
}

/** `sim.simulate` of a cubin or a compilation; the result shows itself: what ran, and with `profile` where. */
export function simulate(code: CodeOf, options: LaunchOptions): Result<Run> {
  const device = new Device();
  const module = device.load(bytesOf(code));
  return module.ok ? device.launch(module.value, options) : module;
}

/** `sim.Device` whose modules and runs show themselves. */
export class Device extends PlainDevice {
  override load(cubin: Uint8Array): Result<Module> {
    const made = super.load(cubin);
    if (!made.ok) return made;
    const text = (m: Module): string => `Module: ${counted(m.kernels.length, "kernel")}: ${m.kernels.join(", ")}`;
    return { ...made, value: shownAs(made.value, text, (m) => `[${text(m)}]`) };
  }

  override launch(module: Module, options: LaunchOptions): Result<Run> {
    const made = super.launch(module, options);
    return made.ok ? { ...made, value: shownRun(made.value) } : made;
  }
}
