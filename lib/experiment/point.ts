/**
 * One point of an experiment: from its description to its row. A thread loads only what its points need: an order of machine
 * code needs no compiler, and nothing is simulated without a launch file.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Diagnostic, isFailure, renderDiagnostic } from "../diagnostics.js";
import { readCubin } from "../elf/cubin/read.js";
import { isTargetName } from "../target/index.js";
import { verifyCubin } from "../verify.js";
import { contentOf, launchHashOf, type Place, sha } from "./files.js";
import type { Point, Row } from "./types.js";

const packageFile = resolve(__dirname, "../../package.json");
/** Version of ptxlab: rows of another one are other experiments. */
export const version: string = (JSON.parse(readFileSync(packageFile, "utf8")) as { readonly version: string }).version;

/** What an outcome says of findings: the first failure. */
function told(diagnostics: readonly Diagnostic[], file: string): string {
  const d = diagnostics.find(isFailure) ?? diagnostics[0];
  return d === undefined ? "failed" : renderDiagnostic(d, file);
}

/**
 * The id that the row of a point has, known before it is run; `key` tells the objective that judges it, null the timing model.
 * Throws when a file of it cannot be read.
 */
export function pointId(point: Point, place: Place, key: string | null = null): string {
  return identify(point, place, key).id;
}

function identify(
  point: Point,
  place: Place,
  key: string | null,
): Pick<Row, "id" | "inputHash" | "launchHash"> & { source: Uint8Array } {
  const { bytes: source, hash: inputHash } = contentOf(place, point.input.ptx ?? point.input.cubin ?? "");
  const launchHash = point.input.launch === undefined ? "" : launchHashOf(place, point.input.launch);
  const { target, level, maxRegisters, knobs, moves, budget } = point;
  const sorted = Object.entries(knobs).sort(([a], [b]) => (a < b ? -1 : 1));
  const judge = key === null ? [] : [key];
  const limits = budget === undefined ? [] : [{ budget: Object.entries(budget).sort(([a], [b]) => (a < b ? -1 : 1)) }];
  const what = JSON.stringify([version, target, level, maxRegisters, sorted, moves, ...judge, ...limits]);
  return { source, inputHash, launchHash, id: sha(inputHash, launchHash, what).slice(0, 16) };
}

/** What a point needs; null where it does not. */
export interface Loaded {
  readonly compile: typeof import("../compile.js") | null;
  readonly reorder: typeof import("./reorder.js") | null;
  readonly launched: typeof import("./launched.js") | null;
}

/** Loads what a point needs, where that has not been done yet; `key` as in `pointId`: only the model needs the simulator. */
export async function load({ input, moves }: Point, key: string | null = null): Promise<Loaded> {
  return {
    compile: input.ptx !== undefined ? await import("../compile.js") : null,
    reorder: input.ptx === undefined && moves !== null ? await import("./reorder.js") : null,
    launched: input.launch !== undefined && key === null ? await import("./launched.js") : null,
  };
}

/** A row, and the cubin that it is about; null where none was made. */
export interface Ran {
  readonly row: Row;
  readonly cubin: Uint8Array | null;
}

/**
 * Runs a point: compiles or reorders, checks, and, where the timing model judges, executes in the simulator and estimates. Paths
 * are names in `place`. What cannot be done is said in `outcome`; throws only when a file cannot be read.
 */
export function runPoint(point: Point, place: Place, parts: Loaded, key: string | null = null): Ran {
  const { source, ...identity } = identify(point, place, key);
  const row = rowOf(point, identity);
  const made = point.input.ptx !== undefined ? compiled(point, source, parts) : reordered(point, source, parts);
  if (typeof made === "string") return { row: { ...row, outcome: made }, cubin: null };
  const { cubin, spillBytes, hazards, knobsNotRead = null } = made;
  const read = readCubin(cubin);
  if (!read.ok) return { row: { ...row, outcome: told(read.diagnostics, row.input) }, cubin: null };
  const functions = read.value.functions;
  const facts = {
    target: read.value.target,
    hazards: hazards ?? verifyCubin(read.value)?.length ?? null,
    instructions: functions.reduce((n, f) => n + f.words.length / 4, 0),
    registers: functions.reduce((n, f) => Math.max(n, f.registers), 0),
    spillBytes,
    knobsNotRead,
    cubinHash: sha(cubin),
  };
  const { launch } = point.input;
  const judged = launch === undefined ? undefined : parts.launched?.launched(cubin, launch, place, point.budget);
  return { row: { ...row, ...facts, ...judged }, cubin };
}

/** The row of a point that did not get to its end, for the reason given. Throws when a file of it cannot be read. */
export function failedRow(point: Point, place: Place, key: string | null, outcome: string): Row {
  const { source, ...identity } = identify(point, place, key);
  return { ...rowOf(point, identity), outcome };
}

/** What rows call the input of a point. */
export const nameOf = ({ input }: Point): string => input.name ?? input.ptx ?? input.cubin ?? "";

/** A row of which nothing is known yet. */
function rowOf(point: Point, identity: Pick<Row, "id" | "inputHash" | "launchHash">): Row {
  const fromPtx = point.input.ptx !== undefined;
  return {
    ...identity,
    input: nameOf(point),
    target: point.target,
    level: fromPtx ? point.level : null,
    maxRegisters: fromPtx ? point.maxRegisters : null,
    knobs: JSON.stringify(point.knobs),
    knobsNotRead: null,
    moves: JSON.stringify(point.moves),
    outcome: "ok",
    results: "not run",
    hazards: null,
    instructions: null,
    registers: null,
    spillBytes: null,
    cycles: null,
    microseconds: null,
    warpsPerSm: null,
    cubinHash: "",
    version,
    objective: null,
    card: null,
    driver: null,
    clockMhz: null,
    repetitions: null,
    inARow: null,
    median: null,
    least: null,
    ratio: null,
    spread: null,
    baseHash: null,
  };
}

/** A cubin to judge; `hazards` where they have been counted already. */
interface Made {
  readonly cubin: Uint8Array;
  readonly spillBytes: number | null;
  readonly hazards: number | null;
  readonly knobsNotRead?: string | null;
}

function compiled(point: Point, source: Uint8Array, parts: Loaded): Made | string {
  if (!isTargetName(point.target)) return `no such target: ${point.target}`;
  const c = parts.compile!.compile(Buffer.from(source).toString("latin1"), {
    target: point.target,
    file: point.input.ptx!,
    opt: point.level,
    knobs: point.knobs,
    ...(point.maxRegisters > 0 && { maxRegisters: point.maxRegisters }),
  });
  if (c.cubin === null) return told(c.diagnostics, point.input.ptx!);
  const spillBytes = c.functions.reduce((n, f) => n + (f.code ? f.code.spillLoads + f.code.spillStores : 0), 0);
  const unread = Object.keys(point.knobs).length === 0 ? [] : c.knobs.filter((k) => k.readers.length === 0);
  const knobsNotRead = unread.length === 0 ? null : unread.map((k) => k.knob).join(" ");
  return { cubin: c.cubin, spillBytes, hazards: null, knobsNotRead };
}

function reordered(point: Point, source: Uint8Array, parts: Loaded): Made | string {
  if (point.moves === null) return { cubin: source, spillBytes: null, hazards: null };
  const made = parts.reorder!.reorderCubin(source, point.moves);
  if (!made.ok) return told(made.diagnostics, point.input.cubin!);
  return { cubin: made.value.bytes, spillBytes: null, hazards: made.value.hazards };
}
