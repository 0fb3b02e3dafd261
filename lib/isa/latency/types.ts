/** What is known of the timing of the instructions of one SM, as numbers. Cycles are issue cycles of one warp. */

/** Execution pipes, as profilers name them; DISPATCH is work that no pipe takes. */
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
export const fileNames = ["R", "P", "UR", "UP"] as const;
export type FileName = (typeof fileNames)[number];

/** Dependences through a register: a read after a write, a write after a write, a write after a read. */
export const dependences = ["raw", "waw", "war"] as const;
export type Dependence = (typeof dependences)[number];

/** Ports of a class on one side: by slot (`c+1`, `c`; file R), else by file (`URc` inside a constant operand). */
export type Ports = ReadonlyMap<string, string>;

/** A class of instructions that are timed alike. */
export interface LatencyClass {
  readonly name: string;
  readonly pipe: Pipe;
  readonly writes: Ports;
  readonly reads: Ports;
}

/** Issue distances of one register file and kind of dependence: the later instruction's port is the row, the earlier one's the column. */
export interface DistanceTable {
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** Row-major; 0: no instructions of the SM ask for the pair (a scoreboard guards it, or a port is not there). */
  readonly cells: Uint8Array;
  /** The largest cell: what holds for ports that the table does not know. */
  readonly largest: number;
}

/** Per opcode: issue interval, expected latency, least stall (issue cycles). */
export interface OpTiming {
  readonly interval: number;
  readonly latency: number;
  readonly minStall: number;
}

/** A port that takes nothing for some cycles after an instruction has issued elsewhere. */
export interface PortHold {
  readonly port: string;
  readonly cycles: number;
}

/** Least cycles from setting a scoreboard for a result to the first wait on it: by the waiter's pipe. */
export interface SetToWait {
  /** The waiter executes on the pipe of the setter. */
  readonly own: number;
  readonly other: number;
}
