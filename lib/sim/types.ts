/** What goes into a launch and what comes out of it: plain data. */
import type { ProfileEntry } from "./profile.js";
import type { Findings } from "./races/findings.js";
import type { TypedArray } from "./scalar.js";
import type { Surface, Texture } from "./texture/object.js";
import type { TraceRecorder } from "./trace.js";
import type { CodePlace } from "./where.js";

/** Threads or CTAs per dimension; a number stands for `[n, 1, 1]`, missing dimensions are 1. */
export type Dim3 = number | readonly [x: number, y?: number, z?: number];

/** Scalar types of parameters and buffers (the launch file's names). */
export type ScalarType = "u8" | "s8" | "u16" | "s16" | "f16" | "bf16" | "u32" | "s32" | "f32" | "u64" | "s64" | "f64";

/** A number; 64-bit integers also as bigint or decimal string, any type as `"0x…"` bit pattern, `"nan"`, `"inf"`, `"-inf"`. */
export type ScalarValue = number | bigint | string;

/**
 * One kernel argument.
 * - A typed array is a buffer: copied to device memory before the launch, its address passed, copied back afterwards.
 *   The same array given twice is one buffer.
 * - `{ s32: 5 }`, `{ f32: 0.5 }`, `{ u64: "18446744073709551615" }`: a scalar of that type.
 * - `{ address }`: a device address (from `Device.alloc`).
 * - `{ bytes }`: the raw bytes of a parameter (a struct by value).
 * - `{ tensorMap }`: a descriptor of a tensor (128 bytes).
 * - `{ texture }`, `{ surface }`: the handle of a texture or surface object, which is there for the launch.
 */
export type Argument =
  | TypedArray
  | { readonly [T in ScalarType]?: ScalarValue }
  | {
      /** Address in the device's memory. */
      readonly address: number;
    }
  | {
      /** The parameter's bytes, little endian. */
      readonly bytes: Uint8Array;
    }
  | {
      /** A tensor in memory, for bulk copies. */
      readonly tensorMap: TensorMap;
    }
  | {
      /** A texture object. */
      readonly texture: Texture;
    }
  | {
      /** A surface object. */
      readonly surface: Surface;
    };

/** What stands for a name of PTX (`.texref`, `.samplerref`, `.surfref`). */
export type Bound =
  | {
      /** The texture; of a sampler, one whose filter, address modes, border, levels and comparison it has. */
      readonly texture: Texture;
    }
  | {
      /** The surface that stands for a `.surfref`. */
      readonly surface: Surface;
    };

/** A tensor in memory as bulk copies see it (CUDA driver API, cuTensorMapEncodeTiled). */
export interface TensorMap {
  /** The tensor's memory. */
  readonly data: TypedArray;
  /** Bytes of an element: 1, 2, 4 or 8. */
  readonly elementBytes: number;
  /** Elements along each dimension, fastest first; 1 to 5. */
  readonly dims: readonly number[];
  /** Bytes from one element to the next along dimensions 1 and above; without gaps when left out. */
  readonly strides?: readonly number[];
  /** Elements of a box along each dimension, at their steps; with `im2col` channels of a pixel and pixels of a column. */
  readonly box: readonly number[];
  /** Type of the elements, which reductions go by. Default: unsigned integers of `elementBytes`. */
  readonly type?: "u8" | "u16" | "u32" | "s32" | "u64" | "s64" | "f16" | "f32" | "f32.ftz" | "f64" | "bf16";
  /** Elements from one that is taken to the next, 1 to 8, along each dimension; the first counts as 1. Default 1. */
  readonly elementStrides?: readonly number[];
  /** A map for im2col (cuTensorMapEncodeIm2col): along W, H, D, the first pixel that a filter begins at, and the last, counted from the tensor's last. */
  readonly im2col?: {
    /** First pixel along W, H, D. */
    readonly lower: readonly number[];
    /** Last pixel along W, H, D, counted from the tensor's last. */
    readonly upper: readonly number[];
  };
  /** Bytes of the pattern in which shared memory is swizzled. Default 0: not at all. */
  readonly swizzle?: 0 | 32 | 64 | 128;
}

/**
 * What executes instructions: `closures`, a function for each instruction and warp; `wasm`, code translated to WebAssembly from the
 * start; `auto`, code translated where it has run often. Results, faults and counts are the same.
 */
export type EngineChoice = "closures" | "wasm" | "auto";

/** How to run a kernel. */
export interface LaunchOptions {
  /** Name of the kernel as in the cubin (mangled for C++). May be left out when the module has one kernel. */
  readonly kernel?: string;
  /** CTAs. Default 1. */
  readonly grid?: Dim3;
  /** Threads per CTA. Default 1. */
  readonly block?: Dim3;
  /** CTAs per cluster. Default 1. */
  readonly cluster?: Dim3;
  /** In the order of the kernel's parameters. */
  readonly params?: readonly Argument[];
  /** Textures, samplers and surfaces that the kernel names, by these names. */
  readonly references?: Readonly<Record<string, Bound>>;
  /** Dynamic shared memory per CTA, bytes. Default 0. */
  readonly sharedBytes?: number;
  /** Stop with a `budget` fault after this many warp-instructions. Default 2 000 000 000. */
  readonly maxInstructions?: number;
  /** Stop with a `budget` fault after this many seconds. Default: no limit. */
  readonly maxSeconds?: number;
  /** Stop with an `interrupted` fault once it is aborted. What aborts it must come to its turn: see `simulateGivingWay`. */
  readonly signal?: StopSignal;
  /** Count executions of every instruction, and its memory traffic. Default false. */
  readonly profile?: boolean;
  /** Look for races and for reads of shared and local memory that nobody has written; slow: what touches memory runs in closures. Default false. */
  readonly races?: boolean;
  /** Look for uses of registers and predicates that nobody has written; slow. Default false. */
  readonly registers?: boolean;
  /** Default auto. */
  readonly engine?: EngineChoice;
  /**
   * Threads of this machine that run blocks, at most 16 (default 1). The result is the same on any number of them: launches whose
   * result the code may make depend on the order of the blocks (results of atomics, sums of floats, flags, clocks, printing) run on
   * one. Needs Node; elsewhere, and with a profile, races or a tracer, one runs all.
   */
  readonly threads?: number;
  /** Seed of an order in which blocks start; default: in the order of their numbers. The same seed gives the same result again. */
  readonly order?: number;
  /**
   * When asynchronous copies, stores and products end: a seed (default 0: as late as anything allows), or at once, when they issue. Other seeds
   * also choose the warp of each block that runs first. Programs that wait for them give the same on every seed. With `races`, and for the timing model, they end at once.
   */
  readonly completion?: number | "at-once";
  /** Records what chosen blocks do, for the timing model. */
  readonly tracer?: TraceRecorder;
  /** Numbers of the blocks that run (x fastest; with clusters, theirs run whole); the others don't, and what they would write is missing. */
  readonly only?: ReadonlySet<number>;
}

/** What can stop a launch from outside: the part of an AbortSignal that is asked. */
export interface StopSignal {
  /** True from when the launch is to stop. */
  readonly aborted: boolean;
}

/** Kinds of faults. */
export type FaultKind =
  | "out-of-bounds"
  | "misaligned"
  | "illegal-instruction"
  | "not-supported"
  | "illegal-address-space"
  | "stack-overflow"
  | "barrier"
  /** An access meets an asynchronous operation in flight. */
  | "asynchronous"
  | "deadlock"
  | "trap"
  | "breakpoint"
  | "budget"
  | "interrupted";

/** Why a kernel stopped. */
export interface Fault {
  /** What kind of fault it is. */
  readonly kind: FaultKind;
  /** One sentence: what happened. */
  readonly message: string;
  /** Name of the kernel. */
  readonly kernel: string;
  /** CTA index in the grid. */
  readonly block: readonly [number, number, number];
  /** Thread index in the CTA: the lowest faulting lane of the warp. */
  readonly thread: readonly [number, number, number];
  /** Lanes of the warp that faulted, a bit mask. */
  readonly lanes: number;
  /** Byte offset of the instruction in its function; −1 when no instruction is at fault. */
  readonly address: number;
  /** The function (kernel or device function) that holds the instruction. */
  readonly function: string;
  /** The instruction as text, "" when there is none. */
  readonly instruction: string;
  /** Line of the PTX the instruction comes from; null without line information. */
  readonly ptxLine: number | null;
  /** The memory address at fault as the instruction gave it (generic, shared or local), null for other faults. */
  readonly memoryAddress: bigint | null;
}

/** What a launch did. */
export interface Run {
  /** null: every thread exited. */
  readonly fault: Fault | null;
  /** Instructions issued by warps. */
  readonly warpInstructions: number;
  /** Threads of this machine that ran blocks. */
  readonly threadsUsed: number;
  /** Sum over warp-instructions of the threads executing them (guard true). */
  readonly threadInstructions: number;
  /** With `profile: true`: every instruction that was issued at least once, in code order, with what it moved. */
  readonly profile: readonly ProfileEntry[] | null;
  /** With `profile: true`: what no warp issued of the functions in which something ran, without the padding at their ends. */
  readonly missed: readonly CodePlace[] | null;
  /** With `races: true` or `registers: true`: what was found. */
  readonly findings: Findings | null;
  /** What the kernel printed, and the text of an assertion that failed. */
  readonly output: string;
}
