/** Runs a launch file: sets variables, launches kernels, prints buffers, checks expectations. */

import type { Result } from "../result.js";
import { readScalar, scalarBytes } from "./arguments.js";
import { Device, type Module } from "./device.js";
import {
  type Buffer,
  type Expectation,
  type LaunchFile,
  type LaunchStep,
  packValues,
  parseLaunchFile,
} from "./launch-file.js";
import type { Argument, Bound, Fault, LaunchOptions, Run, ScalarType } from "./types.js";

/** Outcome of a launch file. */
export interface LaunchFileResult {
  /** 0 all expectations hold, 1 one does not, 2 the input is unusable, 3 a kernel faulted. */
  readonly status: 0 | 1 | 2 | 3;
  /** What the command prints, line by line: printed buffers, differences, the fault, messages about the input. */
  readonly lines: readonly string[];
  /** Of status 2: which of the two files cannot be used. What is said of a launch file begins with the path of a value in it. */
  readonly about: "launch file" | "cubin" | null;
  /** The same as plain data (`--json`). */
  readonly json: LaunchFileJson;
}

/** What came of a launch file, as JSON. */
export interface LaunchFileJson {
  /** Exit status: 0 as expected, 1 not, 2 unusable input. */
  readonly status: number;
  /** Why the input is unusable, null otherwise. */
  readonly error: string | null;
  /** Without the memory address when there is none; as a decimal string otherwise. */
  readonly fault:
    | (Omit<Fault, "memoryAddress"> & {
        /** Address of the access that failed, as a decimal string. */
        readonly memoryAddress: string | null;
      })
    | null;
  /** Launches that ran, in their order. */
  readonly launches: readonly {
    /** Name of the kernel. */
    readonly kernel: string;
    /** Instructions that warps issued. */
    readonly warpInstructions: number;
    /** Sum over them of the threads that executed each. */
    readonly threadInstructions: number;
  }[];
  /** Printed buffers: numbers, 64-bit integers as decimal strings, what JSON cannot hold as "nan", "inf", "-inf". */
  readonly buffers: Readonly<Record<string, readonly (number | string)[]>>;
  /** Buffers that are not as expected. */
  readonly differences: readonly Difference[];
}

/** A buffer that is not as expected. */
export interface Difference {
  /** Name of the buffer. */
  readonly name: string;
  /** Elements that differ. */
  readonly count: number;
  /** Its elements. */
  readonly length: number;
  /** The first of them. */
  readonly first: readonly {
    /** Index of the element. */
    readonly index: number;
    /** What should be there. */
    readonly expected: number | string;
    /** What is there. */
    readonly actual: number | string;
  }[];
}

/** What running a launch file needs from outside. */
export interface LaunchHost {
  /** The bytes of a file named in the launch file (relative to it); null or an exception: there is none. */
  readonly readFile: (path: string) => Uint8Array | null;
  /** Launches in place of `device.launch`. */
  readonly launch?: (device: Device, module: Module, options: LaunchOptions) => Result<Run>;
  /** Called at the end, where no kernel faulted, with what each buffer and each variable that was set or is expected holds. */
  readonly contents?: (name: string, bytes: Uint8Array) => void;
}

/** Differences shown per buffer. */
const SHOWN = 10;

/** What runs a launch file: memory, and a way to load and launch what is to be run. */
export interface LaunchRunner {
  readonly device: Pick<Device, "alloc" | "read" | "write">;
  readonly load: () => Result<Module>;
  readonly launch: (module: Module, options: LaunchOptions) => Result<Run>;
}

interface State {
  readonly device: LaunchRunner["device"];
  readonly module: Module;
  readonly file: LaunchFile;
  readonly addresses: Map<string, number>;
  readonly runs: { kernel: string; warpInstructions: number; threadInstructions: number }[];
  /** Lines that kernels printed. */
  readonly printed: string[];
  readonly launch: LaunchRunner["launch"];
}

/**
 * Runs a launch file (the object parsed from its JSON) on a cubin. Never throws for bad input: status 2 and a message
 * that names the place.
 */
export function runLaunchFile(cubin: Uint8Array, launch: unknown, host: LaunchHost): LaunchFileResult {
  const device = new Device();
  const run = host.launch ?? launchOn;
  return runLaunchFileOn(
    { device, load: () => device.load(cubin), launch: (module, options) => run(device, module, options) },
    launch,
    host,
  );
}

/** The same on anything that loads and launches. */
export function runLaunchFileOn(
  runner: LaunchRunner,
  launch: unknown,
  host: Pick<LaunchHost, "readFile" | "contents">,
): LaunchFileResult {
  const file = parseLaunchFile(launch, host.readFile);
  if (typeof file === "string") return unusable(file, "launch file");
  const module = runner.load();
  if (!module.ok) return unusable(module.diagnostics.map((d) => d.message).join("; "), "cubin");
  const state: State = {
    device: runner.device,
    module: module.value,
    file,
    addresses: new Map(),
    runs: [],
    printed: [],
    launch: runner.launch,
  };
  const problem = prepare(state);
  if (problem !== "") return unusable(problem, "launch file");
  for (let i = 0; i < file.launches.length; i++) {
    const run = runStep(state, file.launches[i]!);
    if (typeof run === "string") return unusable(`launches[${i}]: ${run}`, "launch file");
    if (run.fault !== null) return faulted(state, run.fault);
  }
  if (host.contents !== undefined) {
    const names = [...file.buffers.keys(), ...file.globals.keys(), ...file.expect.map((e) => e.name)];
    for (const name of new Set(names)) host.contents(name, bufferOf(state, name, null)!.bytes);
  }
  return finish(state);
}

/** Puts buffers into device memory and sets variables; a text says why not. */
function prepare(s: State): string {
  for (const [name, b] of s.file.buffers) {
    const address = s.device.alloc(b.bytes.length);
    if (address === 0) return `buffers.${name}: device memory is exhausted`;
    s.device.write(address, b.bytes);
    s.addresses.set(name, address);
  }
  for (const [name, b] of s.file.globals) {
    const symbol = s.module.symbol(name);
    const constant = s.module.constant(name);
    const room = symbol?.bytes ?? constant?.length;
    if (room === undefined) return `globals.${name}: the cubin has no such variable`;
    if (b.bytes.length > room) return `globals.${name}: ${b.bytes.length} bytes for a variable of ${room}`;
    if (symbol !== null) s.device.write(symbol.address, b.bytes);
    else constant!.set(b.bytes);
  }
  for (const name of s.file.print) if (bufferOf(s, name, null) === null) return `print: there is no buffer "${name}"`;
  for (const e of s.file.expect) {
    const actual = bufferOf(s, e.name, e.type);
    if (actual === null) return `expect.${e.name}: there is no buffer or variable of that name`;
    const wanted = expectedBytes(e, actual.type);
    if (typeof wanted === "string") return `expect.${e.name}.values${wanted}`;
    if (wanted.length > actual.bytes.length)
      return `expect.${e.name}: ${wanted.length} bytes are expected of a buffer of ${actual.bytes.length}`;
  }
  return "";
}

function expectedBytes(e: Expectation, type: ScalarType): Uint8Array | string {
  return e.bytes ?? packValues(e.values!, type);
}

/** What a buffer or variable holds now. A variable has the type it was set with, else that of the expectation, else u32. */
function bufferOf(s: State, name: string, type: ScalarType | null): Buffer | null {
  const given = s.file.buffers.get(name);
  if (given !== undefined)
    return { type: type ?? given.type, bytes: s.device.read(s.addresses.get(name)!, given.bytes.length) };
  const as = type ?? s.file.globals.get(name)?.type ?? "u32";
  const symbol = s.module.symbol(name);
  if (symbol !== null) return { type: as, bytes: s.device.read(symbol.address, symbol.bytes) };
  const constant = s.module.constant(name);
  return constant === null ? null : { type: as, bytes: constant.slice() };
}

const launchOn = (device: Device, module: Module, options: LaunchOptions): Result<Run> =>
  device.launch(module, options);

/** A texture or surface whose texels are in a buffer. */
function objectArgument(s: State, name: string): Bound {
  const o = s.file.objects.get(name)!;
  const data = {
    address: s.addresses.get(o.buffer)! + o.offset,
    bytes: s.file.buffers.get(o.buffer)!.bytes.length - o.offset,
  };
  return o.kind === "texture" ? { texture: { ...o.of, data } } : { surface: { ...o.of, data } };
}

function runStep(s: State, step: LaunchStep): Run | string {
  const params = step.params.map((p): Argument => {
    if (p.kind === "buffer") return { address: s.addresses.get(p.name)! + p.offset };
    if (p.kind === "bytes") return { bytes: p.bytes };
    if (p.kind === "object") return objectArgument(s, p.name);
    return { [p.type]: p.value };
  });
  const run = s.launch(s.module, {
    ...(step.kernel === undefined ? {} : { kernel: step.kernel }),
    ...(step.cluster === undefined ? {} : { cluster: step.cluster }),
    ...(step.completion === undefined ? {} : { completion: step.completion }),
    ...(s.file.maxInstructions === undefined ? {} : { maxInstructions: s.file.maxInstructions }),
    grid: step.grid,
    block: step.block,
    sharedBytes: step.sharedBytes,
    params,
    references: Object.fromEntries([...s.file.references].map(([name, of]) => [name, objectArgument(s, of)])),
  });
  if (!run.ok) return run.diagnostics.map((d) => d.message).join("; ");
  const { warpInstructions, threadInstructions } = run.value;
  if (run.value.output !== "") s.printed.push(...run.value.output.replace(/\n$/, "").split("\n"));
  s.runs.push({ kernel: step.kernel ?? s.module.kernels[0]!, warpInstructions, threadInstructions });
  return run.value;
}

// ------------------------------------------------------------------------------------------------ results

function unusable(error: string, about: "launch file" | "cubin"): LaunchFileResult {
  const json = { status: 2, error, fault: null, launches: [], buffers: {}, differences: [] };
  return { status: 2, lines: [`error: ${error}`], about, json };
}

/** A fault in two or three lines. */
export function describeFault(f: Fault): string[] {
  const at =
    f.address < 0 ? "" : ` at ${f.function}+0x${f.address.toString(16)}${f.instruction ? `: ${f.instruction}` : ""}`;
  const line = f.ptxLine === null ? "" : ` (PTX line ${f.ptxLine})`;
  return [
    `fault: ${f.kind} in kernel ${f.kernel}, block [${f.block.join(", ")}], thread [${f.thread.join(", ")}]${at}${line}`,
    `  ${f.message}`,
  ];
}

function faulted(s: State, fault: Fault): LaunchFileResult {
  const json = {
    status: 3,
    error: null,
    fault: { ...fault, memoryAddress: fault.memoryAddress === null ? null : fault.memoryAddress.toString() },
    launches: s.runs,
    buffers: {},
    differences: [],
  };
  return { status: 3, lines: [...s.printed, ...describeFault(fault)], about: null, json };
}

/** A number as JSON and text can hold it. */
function plain(x: number | bigint): number | string {
  if (typeof x === "bigint") return x.toString();
  if (Number.isNaN(x)) return "nan";
  return x === Number.POSITIVE_INFINITY ? "inf" : x === Number.NEGATIVE_INFINITY ? "-inf" : x;
}

function elements(b: Buffer): (number | bigint)[] {
  const size = scalarBytes[b.type];
  const view = new DataView(b.bytes.buffer, b.bytes.byteOffset, b.bytes.byteLength);
  return Array.from({ length: Math.floor(b.bytes.length / size) }, (_, i) => readScalar(view, i * size, b.type));
}

function finish(s: State): LaunchFileResult {
  const lines: string[] = [...s.printed];
  const buffers: Record<string, readonly (number | string)[]> = {};
  for (const name of s.file.print) {
    const b = bufferOf(s, name, null)!;
    const values = elements(b).map(plain);
    buffers[name] = values;
    lines.push(`${name} (${b.type}[${values.length}]): ${values.join(" ")}`);
  }
  const differences: Difference[] = [];
  for (const e of s.file.expect) {
    const d = compare(s, e);
    if (d === null) {
      lines.push(`${e.name}: as expected`);
      continue;
    }
    differences.push(d);
    lines.push(`${e.name}: ${d.count} of ${d.length} elements differ`);
    for (const x of d.first) lines.push(`  ${e.name}[${x.index}]: expected ${x.expected}, actual ${x.actual}`);
    if (d.count > d.first.length) lines.push("  …");
  }
  const status = differences.length > 0 ? 1 : 0;
  return {
    status,
    lines,
    about: null,
    json: { status, error: null, fault: null, launches: s.runs, buffers, differences },
  };
}

function compare(s: State, e: Expectation): Difference | null {
  const actual = bufferOf(s, e.name, e.type)!;
  const bytes = expectedBytes(e, actual.type) as Uint8Array;
  const expected = elements({ type: actual.type, bytes });
  const got = elements(actual);
  const size = scalarBytes[actual.type];
  const first: { index: number; expected: number | string; actual: number | string }[] = [];
  let count = 0;
  for (let i = 0; i < expected.length; i++) {
    if (equal(e, expected[i]!, got[i]!, () => sameBytes(bytes, actual.bytes, i * size, size))) continue;
    count++;
    if (first.length < SHOWN) first.push({ index: i, expected: plain(expected[i]!), actual: plain(got[i]!) });
  }
  return count === 0 ? null : { name: e.name, count, length: expected.length, first };
}

function sameBytes(a: Uint8Array, b: Uint8Array, at: number, size: number): boolean {
  for (let i = 0; i < size; i++) if (a[at + i] !== b[at + i]) return false;
  return true;
}

/** Bitwise, or within `abs + rel · |expected|` when a tolerance is given; any NaN equals any NaN unless nanBits. */
function equal(e: Expectation, expected: number | bigint, actual: number | bigint, same: () => boolean): boolean {
  if (same()) return true;
  const x = Number(expected);
  const y = Number(actual);
  if (Number.isNaN(x) || Number.isNaN(y)) return !e.nanBits && Number.isNaN(x) && Number.isNaN(y);
  if (e.abs === null && e.rel === null) return false;
  if (!Number.isFinite(x) || !Number.isFinite(y)) return x === y;
  const apart =
    typeof expected === "bigint" && typeof actual === "bigint"
      ? Number(expected > actual ? expected - actual : actual - expected)
      : Math.abs(x - y);
  return apart <= (e.abs ?? 0) + (e.rel ?? 0) * Math.abs(x);
}
