/** Cycles of a launch without a GPU: the functional simulator runs it and records, the model of an SM plays it back. */

import { renderInst } from "../isa/text.js";
import { ok, type Result } from "../result.js";
import { Device, type LaunchFacts, type Module } from "../sim/device.js";
import { functionAt } from "../sim/program.js";
import { TraceRecorder } from "../sim/trace.js";
import type { LaunchOptions, Run } from "../sim/types.js";
import { type Occupancy, occupancy } from "../target/index.js";
import { differing } from "./alike.js";
import { type TimedCode, timedCode } from "./code.js";
import { type CoreResult, type Issue, StreamingMultiprocessor } from "./core.js";
import { type DeviceParameters, deviceParameters } from "./parameters.js";
import { type StallReason, stallReasons } from "./reasons.js";

export interface EstimateOptions extends LaunchOptions {
  /** What differs from the product that stands for the SM (`deviceParameters`). */
  readonly parameters?: Partial<DeviceParameters>;
  /** Blocks that are played back on the SM; the rest of its share is extrapolated. Default: two turns of what fits, at most 64. */
  readonly blocks?: number;
  /** Only the blocks that are played back are run: saves time on large grids; the results of the others are missing. Default false. */
  readonly partial?: boolean;
  /** Issues kept in `timeline`. Default 0. */
  readonly timeline?: number;
  /** Cycles after which playing back ends; the estimate then says more than these. Default: no limit. */
  readonly maxCycles?: number;
}

/** What warps spent at one instruction. */
export interface InstructionEstimate {
  /** Name of the function. */
  readonly function: string;
  /** Byte offset in the function. */
  readonly address: number;
  /** The instruction as text. */
  readonly instruction: string;
  /** Times a warp issued it, in the blocks that were played back. */
  readonly issues: number;
  /** Warp-cycles that warps spent at it. */
  readonly cycles: number;
  /** The same by reason; those that are 0 are left out. */
  readonly reasons: Readonly<Partial<Record<StallReason, number>>>;
}

/** What the timing model says of a launch. */
export interface Estimate {
  /** Name of the kernel. */
  readonly kernel: string;
  /** The SM: `sm_90`. */
  readonly target: string;
  /** Cycles of the whole launch. */
  readonly cycles: number;
  /** The same at the GPU's clock. */
  readonly microseconds: number;
  /** Cycles of the blocks that were played back on one SM, the slowest of those that were, and how many those are. */
  readonly simulatedCycles: number;
  /** Blocks that were played back. */
  readonly blocks: number;
  /** Blocks that the busiest SM gets. */
  readonly blocksPerSm: number;
  /** CTAs and warps that an SM holds at once. */
  readonly occupancy: Occupancy;
  /** Warp-instructions that the SM issued in the blocks that were played back, and per cycle. */
  readonly issued: number;
  /** Warp-instructions per cycle of the SM. */
  readonly ipc: number;
  /** Warp-instructions that all blocks of the grid issued, counted by the functional run. null with `partial`: not all ran. */
  readonly gridWarpInstructions: number | null;
  /** Sum over them of the threads that executed each (active and guard true); null as above. */
  readonly gridThreadInstructions: number | null;
  /** Warp-cycles by reason, all instructions together. */
  readonly reasons: Readonly<Record<StallReason, number>>;
  /** Accesses by where they were served, and cycles lost to bank conflicts. */
  readonly memory: CoreResult["memory"];
  /** In code order; those that were never issued are left out. */
  readonly instructions: readonly InstructionEstimate[];
  /** The first issues, as many as were asked for. */
  readonly timeline: readonly (Issue & {
    /** The instruction as text. */
    readonly instruction: string;
    /** Byte offset in the function. */
    readonly address: number;
    /** Name of the pipe that executes it. */
    readonly pipe: string;
  })[];
  /** The numbers of the model. */
  readonly parameters: DeviceParameters;
  /** The functional run: results and faults. */
  readonly run: Run;
}

const MOST_BLOCKS = 64;
/** SMs that are played back where each has one block. */
const MOST_SMS = 32;

/** Runs a kernel of a cubin and estimates its cycles. A fault of the kernel is `estimate.run.fault`. */
export function estimate(cubin: Uint8Array, options: EstimateOptions): Result<Estimate> {
  const device = new Device();
  const module = device.load(cubin);
  if (!module.ok) return module;
  return estimateLaunch(device, module.value, options);
}

/** A launch that has run, with what the chosen blocks did: played back as often as wanted, under other parameters too. */
export interface Recorded {
  readonly facts: LaunchFacts;
  readonly run: Run;
  readonly recorder: TraceRecorder;
  readonly code: TimedCode;
  readonly occupancy: Occupancy;
  readonly blocksPerSm: number;
  /** Blocks of each SM that is played back. */
  readonly sets: readonly (readonly number[])[];
}

/** Runs a launch and records the blocks of one SM, or of several where each has one block. */
export function recordLaunch(
  device: Device,
  module: Module,
  options: EstimateOptions,
  p: DeviceParameters,
): Result<Recorded> {
  const known = device.facts(module, options);
  if (!known.ok) return known;
  const facts = known.value;
  const [gx, gy, gz] = facts.grid;
  const total = gx * gy * gz;
  const [bx, by, bz] = facts.block;
  const fits = occupancy(facts.target, {
    registers: facts.registers,
    sharedBytes: Math.max(0, facts.sharedBytes - facts.sharedReserved),
    threadsPerBlock: bx * by * bz,
  });
  const blocksPerSm = Math.ceil(total / p.sms);
  const most = options.blocks ?? Math.min(MOST_BLOCKS, 2 * Math.max(1, fits.blocksPerSm));
  const count = Math.max(1, Math.min(blocksPerSm, most));
  // An SM gets every `sms`-th block. Where it gets only one, the block with the most work decides, wherever it runs.
  const samples = blocksPerSm > 1 ? 1 : Math.min(total, MOST_SMS);
  const step = Math.max(1, Math.min(p.sms, Math.floor(total / count)));
  const sets = Array.from({ length: samples }, (_, k) =>
    samples > 1 ? [Math.floor((k * total) / samples)] : Array.from({ length: count }, (_, i) => i * step),
  );
  const only = new Set(sets.flat());
  const recorder = new TraceRecorder(only);
  const run = device.launch(module, { ...options, tracer: recorder, ...(options.partial === true && { only }) });
  if (!run.ok) return run;
  const code = timedCode(recorder.program!);
  return ok({ facts, run: run.value, recorder, code, occupancy: fits, blocksPerSm, sets }, run.diagnostics);
}

/** Plays a launch back; of several SMs the slowest, SMs with the same work once. `cycles` are those of the whole launch. */
export function play(
  r: Recorded,
  p: DeviceParameters,
  timeline = 0,
  most: number = Number.POSITIVE_INFINITY,
): { readonly result: CoreResult; readonly cycles: number } {
  const resident = Math.max(1, r.occupancy.blocksPerSm);
  const count = r.sets[0]!.length;
  const sharedBytes = Math.min(resident, count) * r.facts.sharedBytes;
  const loads = r.sets.map((blocks) => r.recorder.warps.filter((w) => blocks.includes(w.block)));
  const chosen = loads.length > 1 ? differing(loads, r.recorder.accesses, p, sharedBytes) : [0];
  const results = chosen.map((i) =>
    new StreamingMultiprocessor(r.code, p, loads[i]!, r.recorder.accesses, resident, sharedBytes, timeline).run(most),
  );
  const result = results.reduce((a, b) => (b.cycles > a.cycles ? b : a));
  return { result, cycles: extrapolate(result, count, r.blocksPerSm, resident) };
}

/** The same on a device that has other launches after it or before it. */
export function estimateLaunch(device: Device, module: Module, options: EstimateOptions): Result<Estimate> {
  const known = device.facts(module, options);
  if (!known.ok) return known;
  const p: DeviceParameters = { ...deviceParameters(known.value.target), ...options.parameters };
  const recorded = recordLaunch(device, module, options, p);
  if (!recorded.ok) return recorded;
  const { facts, run, recorder, code, occupancy: fits, blocksPerSm, sets } = recorded.value;
  const program = recorder.program!;
  const { result, cycles } = play(recorded.value, p, options.timeline ?? 0, options.maxCycles);
  const at = (pc: number): { function: string; address: number; instruction: string } => {
    const place = functionAt(program, pc);
    const inst = program.insts[pc];
    return {
      function: place.cubin.name,
      address: 16 * (pc - place.first),
      instruction: inst ? renderInst(inst, { isa: program.target.isa }) : "",
    };
  };
  const instructions: InstructionEstimate[] = [];
  for (let pc = 0; pc < code.count; pc++) {
    if (result.issues[pc] === 0) continue;
    const reasons: Partial<Record<StallReason, number>> = {};
    let sum = 0;
    stallReasons.forEach((name, k) => {
      const n = result.reasons[k]![pc]!;
      if (n > 0) reasons[name] = n;
      sum += n;
    });
    instructions.push({ ...at(pc), issues: result.issues[pc]!, cycles: sum, reasons });
  }
  const reasons = Object.fromEntries(
    stallReasons.map((name, k) => [name, result.reasons[k]!.reduce((a, b) => a + b, 0)]),
  ) as Record<StallReason, number>;
  return ok(
    {
      kernel: facts.kernel,
      target: facts.target.name,
      cycles: Math.round(cycles),
      microseconds: cycles / (p.clock * 1000),
      simulatedCycles: Math.round(result.cycles),
      blocks: sets[0]!.length,
      blocksPerSm,
      occupancy: fits,
      issued: result.issued,
      ipc: result.cycles === 0 ? 0 : result.issued / result.cycles,
      gridWarpInstructions: options.partial === true ? null : run.warpInstructions,
      gridThreadInstructions: options.partial === true ? null : run.threadInstructions,
      reasons,
      memory: result.memory,
      instructions,
      timeline: result.timeline.map((i) => {
        const { address, instruction } = at(i.pc);
        return { ...i, instruction, address, pipe: code.pipes[code.pipe[i.pc]!]! };
      }),
      parameters: p,
      run,
    },
    recorded.diagnostics,
  );
}

/** The rest of the SM's blocks at the rate of those after the first turn. */
function extrapolate(result: CoreResult, count: number, blocks: number, resident: number): number {
  if (blocks <= count) return result.cycles;
  const ends = [...result.blockEnds].sort((a, b) => a - b);
  const first = Math.min(resident, count - 1) - 1;
  const rate =
    first >= 0 && count - 1 > first
      ? (ends[count - 1]! - ends[first]!) / (count - 1 - first)
      : ends[count - 1]! / count;
  return result.cycles + (blocks - count) * rate;
}
