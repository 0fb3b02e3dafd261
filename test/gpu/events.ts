/**
 * What an H100 said of the corpus on the one day when one was at hand (results/corpus-sm_90.json): microseconds between two
 * events around a launch, medians of 20, of our code at -O0, -O1 and -O2, each measured in turn with ptxas -O0's code in a process
 * of its own per kernel and level, and cycles of two codes under the profiler with flushed caches. All 80 codes computed what is
 * expected; they are kept beside the times (results/corpus-sm_90.codes.br, one after the other).
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { brotliDecompressSync } from "node:zlib";

interface Recorded {
  readonly date: string;
  readonly card: string;
  readonly driver: string;
  /** Names of a kernel's codes; the first is the one that the others were measured beside. */
  readonly codes: readonly string[];
  /** Cycles in which the busiest SM had a warp, cycles from the first to the last, warp-instructions. */
  readonly profiled: Readonly<
    Record<string, Readonly<Record<string, { active: number; elapsed: number; instructions: number }>>>
  >;
  readonly kernels: Readonly<
    Record<
      string,
      {
        /** Of the codes after the first. */
        readonly us: readonly number[];
        /** Median of their times over those of the first code, measured in turn. */
        readonly ratio: readonly number[];
        /** Bytes of the cubins. */
        readonly bytes: readonly number[];
      }
    >
  >;
}

/** As they were taken: every launch right after copies of all its buffers, the profiled ones with flushed caches. */
export const behindCopies = { warm: true } as const;
export const flushed = { warm: false } as const;

export interface TimedCode {
  readonly kernel: string;
  readonly name: string;
  readonly cubin: Uint8Array;
  /**
   * Microseconds. What lies around a launch differs by microseconds from process to process, so what counts is the
   * difference to the first code in the same process: it is added to the median of the first code's times.
   */
  readonly us: number;
  /** The first code's times in the processes. */
  readonly first: readonly number[];
}

const file = (end: string): string => resolve(__dirname, `results/corpus-sm_90.${end}`);
export const recordedEvents = (): Recorded => JSON.parse(readFileSync(file("json"), "utf8")) as Recorded;

export const median = (list: readonly number[]): number => {
  const sorted = [...list].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

export function timedCodes(): TimedCode[] {
  const { codes, kernels } = recordedEvents();
  const cubins = brotliDecompressSync(readFileSync(file("codes.br")));
  let at = 0;
  return Object.entries(kernels).flatMap(([kernel, { us, ratio, bytes }]) => {
    const first = us.map((t, i) => t / ratio[i]!);
    return codes.map((name, i): TimedCode => {
      const cubin = cubins.subarray(at, at + bytes[i]!);
      at += bytes[i]!;
      const beside = i === 0 ? 0 : us[i - 1]! - first[i - 1]!;
      return { kernel, name, cubin, us: median(first) + beside, first };
    });
  });
}
