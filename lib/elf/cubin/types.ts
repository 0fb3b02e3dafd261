/** What `readCubin` finds in a cubin: functions with their words, constants, variables, relocations, attributes. */
import type { Elf, ElfSymbol } from "../elf64.js";
import type { InfoRecord } from "./info.js";

/** A symbol with its section's name. */
export interface CubinSymbol extends ElfSymbol {
  /** Name of its section, "" when undefined or absolute. */
  readonly sectionName: string;
}

/** A relocation with its symbol. */
export interface CubinReloc {
  /** Byte offset in the section. */
  readonly offset: number;
  /** R_CUDA_* number; its name and field are in `relocations.ts`. */
  readonly type: number;
  /** The symbol whose address is filled in. */
  readonly symbol: CubinSymbol;
  /** What is added to that address, in bytes. */
  readonly addend: number;
}

/** A kernel parameter as the driver sees it. */
export interface CubinParam {
  /** Its number in the parameter list, from 0. */
  readonly ordinal: number;
  /** Bytes from the parameter base. */
  readonly offset: number;
  /** Bytes of the parameter. */
  readonly size: number;
}

/** A named piece of code inside a text section: the kernel itself, or a helper placed after it. */
export interface CodeRange {
  /** Name of the symbol that marks it. */
  readonly name: string;
  /** Byte offset in the text section. */
  readonly offset: number;
  /** Bytes of the code. */
  readonly size: number;
}

/** From which instruction on code comes from a line. */
export interface LineEntry {
  /** Byte offset of the first instruction it holds for. */
  readonly offset: number;
  /** Number of the file, from 1. */
  readonly file: number;
  /** Line, from 1. */
  readonly line: number;
}

/** A line of the source that the PTX was made of. */
export interface SourceLine extends LineEntry {
  /** As the table names it; "" when it does not. */
  readonly path: string;
}

/** One `.text.NAME` section with everything that belongs to it. */
export interface CubinFunction {
  /** Name of its symbol. */
  readonly name: string;
  /** A kernel, or a function that others call. */
  readonly kind: "entry" | "func";
  /** Index of its text section. */
  readonly section: number;
  /** The symbol of the function. */
  readonly symbol: CubinSymbol;
  /** Four u32 per instruction. A view of the file when it is aligned, else a copy. */
  readonly words: Uint32Array;
  /** Relocations of its code. */
  readonly relocs: readonly CubinReloc[];
  /** The function and its helpers, in order of offset. */
  readonly ranges: readonly CodeRange[];
  /** Registers per thread. */
  readonly registers: number;
  /** Bytes of the function's own stack frame (EIATTR_FRAME_SIZE). */
  readonly frameBytes: number;
  /** Bytes of local memory per thread that a launch must provide (EIATTR_MIN_STACK_SIZE). */
  readonly stackBytes: number;
  /** CTA barriers used, 0 to 16. */
  readonly barriers: number;
  /** Bytes of static shared memory, the system's reserved part at the bottom included. */
  readonly sharedBytes: number;
  /** Bytes at the bottom of shared memory that belong to the system; static variables begin there (sm_90+: 0x400). */
  readonly sharedReserved: number;
  /** Parameters in their order. */
  readonly params: readonly CubinParam[];
  /** Offset of the parameters in constant bank 0. */
  readonly paramBase: number;
  /** Bytes of all parameters. */
  readonly paramBytes: number;
  /** Constant bank 0 as in the file (zeros up to the parameters); null for functions without one. */
  readonly constant0: Uint8Array | null;
  /** Relocations of bank 0: words that the driver fills with the numbers of textures, samplers and surfaces. */
  readonly constant0Relocs: readonly CubinReloc[];
  /** Constant bank 2 (compiler constants), null when there is none. */
  readonly constant2: Uint8Array | null;
  /** `.maxntid` / `.reqntid`, null when not given. */
  readonly maxThreads: readonly [number, number, number] | null;
  /** `.reqntid`: threads per CTA that a launch must have, null when not given. */
  readonly reqThreads: readonly [number, number, number] | null;
  /** CTAs per cluster (`.reqnctapercluster`), null when not given. */
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
  /** Number of the bank. */
  readonly bank: number;
  /** Index of its section. */
  readonly section: number;
  /** What it holds. */
  readonly bytes: Uint8Array;
  /** Relocations of its words. */
  readonly relocs: readonly CubinReloc[];
}

/** A section of module variables in global memory. */
export interface CubinGlobals {
  /** Index of the section. */
  readonly section: number;
  /** Bytes in memory. */
  readonly size: number;
  /** Bytes that its address is a multiple of. */
  readonly align: number;
  /** Initial bytes, null for zeros. */
  readonly init: Uint8Array | null;
  /** Relocations of its words. */
  readonly relocs: readonly CubinReloc[];
}

/** A cubin, read. */
export interface Cubin {
  /** The ELF file that it lies in. */
  readonly elf: Elf;
  /** Loadable, to be linked (-c), or with functions that a linker may add to. */
  readonly kind: "executable" | "relocatable" | "extensible";
  /** 75 … 121. */
  readonly sm: number;
  /** `sm_90`; `sm_90a` when `.nv.compat` says that the code uses an architecture-specific feature set. */
  readonly target: string;
  /** In section order (ptxas: last kernel of the source first). */
  readonly functions: readonly CubinFunction[];
  /** All symbols in the order of the table. */
  readonly symbols: readonly CubinSymbol[];
  /** By the index of the section that they apply to. */
  readonly relocs: ReadonlyMap<number, readonly CubinReloc[]>;
  /** Module-wide banks in ascending order. */
  readonly banks: readonly CubinBank[];
  /** Sections of variables in global memory. */
  readonly globals: readonly CubinGlobals[];
  /** All records of the module's `.nv.info`. */
  readonly info: readonly InfoRecord[];
  /** Lines of `.nv_debug_ptx_txt`, empty when absent. */
  readonly ptxText: readonly string[];
  /** Tool strings of `.note.nv.tkinfo`: name, version, build, options. */
  readonly tool: {
    /** Name of the tool: `ptxas`. */
    readonly name: string;
    /** Its release and version. */
    readonly version: string;
    /** Its build, as its makers number them. */
    readonly build: string;
    /** Options that it was called with. */
    readonly options: string;
  } | null;
}
