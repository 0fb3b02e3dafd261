/** What `readCubin` finds in a cubin: functions with their words, constants, variables, relocations, attributes. */
import type { Elf, ElfSymbol } from "../elf64.js";
import type { InfoRecord } from "./info.js";

export interface CubinSymbol extends ElfSymbol {
  /** Name of its section, "" when undefined or absolute. */
  readonly sectionName: string;
}

export interface CubinReloc {
  /** Byte offset in the section. */
  readonly offset: number;
  /** R_CUDA_* number; its name and field are in `relocations.ts`. */
  readonly type: number;
  readonly symbol: CubinSymbol;
  readonly addend: number;
}

/** A kernel parameter as the driver sees it. */
export interface CubinParam {
  readonly ordinal: number;
  /** Bytes from the parameter base. */
  readonly offset: number;
  readonly size: number;
}

/** A named piece of code inside a text section: the kernel itself, or a helper placed after it. */
export interface CodeRange {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
}

export interface LineEntry {
  /** Byte offset of the first instruction it holds for. */
  readonly offset: number;
  readonly file: number;
  readonly line: number;
}

/** A line of the source that the PTX was made of. */
export interface SourceLine extends LineEntry {
  /** As the table names it; "" when it does not. */
  readonly path: string;
}

/** One `.text.NAME` section with everything that belongs to it. */
export interface CubinFunction {
  readonly name: string;
  readonly kind: "entry" | "func";
  /** Index of its text section. */
  readonly section: number;
  readonly symbol: CubinSymbol;
  /** Four u32 per instruction. A view of the file when it is aligned, else a copy. */
  readonly words: Uint32Array;
  readonly relocs: readonly CubinReloc[];
  /** The function and its helpers, in order of offset. */
  readonly ranges: readonly CodeRange[];
  /** Registers per thread. */
  readonly registers: number;
  /** Bytes of the function's own stack frame (EIATTR_FRAME_SIZE). */
  readonly frameBytes: number;
  /** Bytes of local memory per thread that a launch must provide (EIATTR_MIN_STACK_SIZE). */
  readonly stackBytes: number;
  readonly barriers: number;
  /** Bytes of static shared memory, the system's reserved part at the bottom included. */
  readonly sharedBytes: number;
  /** Bytes at the bottom of shared memory that belong to the system; static variables begin there (sm_90+: 0x400). */
  readonly sharedReserved: number;
  readonly params: readonly CubinParam[];
  /** Offset of the parameters in constant bank 0. */
  readonly paramBase: number;
  readonly paramBytes: number;
  /** Constant bank 0 as in the file (zeros up to the parameters); null for functions without one. */
  readonly constant0: Uint8Array | null;
  /** Constant bank 2 (compiler constants), null when there is none. */
  readonly constant2: Uint8Array | null;
  /** `.maxntid` / `.reqntid`, null when not given. */
  readonly maxThreads: readonly [number, number, number] | null;
  readonly reqThreads: readonly [number, number, number] | null;
  readonly cluster: readonly [number, number, number] | null;
  /** All records of `.nv.info.NAME`, in order. */
  readonly info: readonly InfoRecord[];
  /** SASS offset → PTX line, from `.nv_debug_line_sass`; empty without -lineinfo or -g. */
  readonly ptxLines: readonly LineEntry[];
  /** SASS offset → source line, from `.debug_line`; of code that was inlined the line in the inlined function. */
  readonly sourceLines: readonly SourceLine[];
}

/** A bank shared by the whole module: 3 (`.const` variables), 4 (addresses of globals). */
export interface CubinBank {
  readonly bank: number;
  /** Index of its section. */
  readonly section: number;
  readonly bytes: Uint8Array;
  readonly relocs: readonly CubinReloc[];
}

/** A section of module variables in global memory. */
export interface CubinGlobals {
  readonly section: number;
  readonly size: number;
  readonly align: number;
  /** Initial bytes, null for zeros. */
  readonly init: Uint8Array | null;
  readonly relocs: readonly CubinReloc[];
}

export interface Cubin {
  readonly elf: Elf;
  readonly kind: "executable" | "relocatable" | "extensible";
  /** 75 … 121. */
  readonly sm: number;
  /** `sm_90`; `sm_90a` when `.nv.compat` says that the code uses an architecture-specific feature set. */
  readonly target: string;
  /** In section order (ptxas: last kernel of the source first). */
  readonly functions: readonly CubinFunction[];
  readonly symbols: readonly CubinSymbol[];
  /** By the index of the section that they apply to. */
  readonly relocs: ReadonlyMap<number, readonly CubinReloc[]>;
  /** Module-wide banks in ascending order. */
  readonly banks: readonly CubinBank[];
  readonly globals: readonly CubinGlobals[];
  /** All records of the module's `.nv.info`. */
  readonly info: readonly InfoRecord[];
  /** Lines of `.nv_debug_ptx_txt`, empty when absent. */
  readonly ptxText: readonly string[];
  /** Tool strings of `.note.nv.tkinfo`: name, version, build, options. */
  readonly tool: {
    readonly name: string;
    readonly version: string;
    readonly build: string;
    readonly options: string;
  } | null;
}
