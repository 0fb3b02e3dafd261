/** What is known of the timing of the instructions of one SM, as numbers. Cycles are issue cycles of one warp. */

/** Execution pipes, as profilers name them. */
export type Pipe =
  | "ALU"
  | "FMA"
  | "FP16"
  | "FP64"
  | "XU"
  | "LSU"
  | "TEX"
  | "TENSOR"
  | "UDP"
  | "CBU"
  | "ADU"
  | "DISPATCH";

/** Register files that have tables. */
export type FileName = "R" | "P" | "UR" | "UP";

/** A class of instructions that are timed alike. */
export interface LatencyClass {
  readonly name: string;
  readonly pipe: Pipe;
  /** Issue cycles before the pipe takes another instruction of the warp. */
  readonly interval: number;
  /** Cycles from issue to the results, for estimates. */
  readonly latency: number;
  /** Least stall that the instruction itself carries. */
  readonly minStall: number;
  /** Write and read ports by register file: columns and rows of the tables. */
  readonly writes: Readonly<Partial<Record<FileName, string>>>;
  readonly reads: Readonly<Partial<Record<FileName, string>>>;
}

/** One table of issue distances: `value(row, column)`, with the names of both. */
export interface DistanceTable {
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** Row-major; 0 where the table says nothing (a scoreboard guards it, or it cannot happen). */
  readonly cells: Uint8Array;
}

/** Tables of one register file: the later instruction is the row, the earlier one the column. */
export interface FileTables {
  /** Reader behind writer. */
  readonly raw: DistanceTable;
  /** Second writer behind first writer. */
  readonly waw: DistanceTable;
  /** Writer behind reader. */
  readonly war: DistanceTable;
}
