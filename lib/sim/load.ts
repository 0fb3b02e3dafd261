/**
 * Loading a cubin as a driver does: variables get addresses in global memory, constant banks are copied, relocations are
 * filled in with the addresses, the code becomes a program.
 */

import { relocationFields, relocationName } from "../elf/cubin/relocations.js";
import { STT } from "../elf/elf64.js";
import type { Cubin, CubinFunction, CubinReloc, CubinSymbol } from "../elf/index.js";
import { fail, ok, type Result } from "../result.js";
import { targetOfSm } from "../target/index.js";
import type { Target } from "../target/types.js";
import { inputError } from "./arguments.js";
import type { GlobalMemory } from "./memory.js";
import { CODE_BASE } from "./ops/control.js";
import { makeProgram } from "./prepare.js";
import type { Program } from "./program.js";
import { RECORD_BYTES } from "./texture/record.js";

export interface Loaded {
  readonly cubin: Cubin;
  readonly target: Target;
  readonly program: Program;
  /** Bytes of the module-wide constant banks, relocated. Bank 3 is where `.const` variables live. */
  readonly banks: ReadonlyMap<number, Uint8Array>;
  /** Address of each section of variables, by section index. */
  readonly sections: ReadonlyMap<number, number>;
  /** Generic address of bank 3: its bytes in device memory once more; 0 where there is none. */
  readonly constantWindow: number;
}

/** Those of modules that name samplers apart. */
export const INDEPENDENT_SIZES: readonly string[] = [
  ".nv.independent.texrefDescSize",
  ".nv.independent.samplerrefDescSize",
];
/** Symbols that stand for the size of a record of a texture or surface. */
const DRIVER_SIZES: ReadonlySet<string> = new Set([
  ".nv.unified.texrefDescSize",
  ".nv.surfrefDescSize",
  ...INDEPENDENT_SIZES,
]);

/** The only address space the symbols of a loaded module can be in. */
interface Space {
  readonly sections: ReadonlyMap<number, number>;
  /** Code address of each text section. */
  readonly code: ReadonlyMap<number, number>;
  readonly outside: Outside;
  /** Section of bank 3 and its generic address. */
  readonly constants: { readonly section: number; readonly window: number };
}

/** Functions that a driver brings along (vprintf, malloc …): each has an address after the code, where nothing is. */
class Outside {
  readonly names: string[] = [];
  /** `end`: number of instructions of the module. */
  constructor(private readonly end: number) {}

  /** Null for what is no function, or is defined. */
  address(symbol: CubinSymbol): number | null {
    if (symbol.section !== 0 || symbol.type !== STT.Func) return null;
    if (!this.names.includes(symbol.name)) this.names.push(symbol.name);
    return CODE_BASE + (this.end + this.names.indexOf(symbol.name)) * 16;
  }
}

const WINDOW_ALIGN = 256;

function addressOf(space: Space, symbol: CubinSymbol): number | null {
  const base = space.sections.get(symbol.section) ?? space.code.get(symbol.section);
  if (base !== undefined) return base + symbol.value;
  if (symbol.section === 0 && DRIVER_SIZES.has(symbol.name)) return RECORD_BYTES;
  // Symbols of constant banks and shared memory have their offset as value.
  return symbol.section === 0 ? null : symbol.value;
}

/** Fills relocations in; an error text, or "". */
function relocate(bytes: Uint8Array, relocs: readonly CubinReloc[], space: Space): string {
  for (const r of relocs) {
    const fields = relocationFields(r.type);
    if (fields === null) {
      // Marks for tools and for scheduling repairs store nothing.
      if (/UNUSED|YIELD|NONE|INSTRUCTION|QUERY/.test(relocationName(r.type))) continue;
      return `relocation ${relocationName(r.type)} of ${r.symbol.name} is not supported by the simulator`;
    }
    const address = addressOf(space, r.symbol) ?? space.outside.address(r.symbol);
    if (address === null) return `${r.symbol.name} is not defined in the cubin`;
    const generic = /^R_CUDA_G/.test(relocationName(r.type)) && r.symbol.section === space.constants.section;
    const value = BigInt.asUintN(64, BigInt(address) + BigInt(r.addend) + BigInt(generic ? space.constants.window : 0));
    for (const { at, width, shift } of fields) {
      if (r.offset + Math.ceil((at + width) / 8) > bytes.length) return "relocation outside its section";
      storeField(bytes, r.offset * 8 + at, width, value >> BigInt(shift));
    }
  }
  return "";
}

function storeField(bytes: Uint8Array, at: number, width: number, value: bigint): void {
  for (let i = 0; i < width; i++) {
    const bit = at + i;
    const mask = 1 << (bit & 7);
    const byte = bytes[bit >> 3]!;
    bytes[bit >> 3] = (value >> BigInt(i)) & 1n ? byte | mask : byte & ~mask;
  }
}

export function load(cubin: Cubin, global: GlobalMemory): Result<Loaded> {
  const target = targetOfSm(cubin.sm);
  if (target === null) return fail([inputError(`sm_${cubin.sm} is not a target of this simulator`)]);
  if (cubin.kind === "relocatable")
    return fail([inputError("the cubin is a relocatable object (ptxas -c): link it first")]);
  const sections = new Map<number, number>();
  for (const g of cubin.globals) {
    const address = global.allocate(g.size, g.align);
    if (address === 0) return fail([inputError("device memory is exhausted")]);
    sections.set(g.section, address);
  }
  const code = new Map<number, number>();
  let first = 0;
  for (const f of cubin.functions) {
    code.set(f.section, CODE_BASE + first * 16);
    first += f.words.length >> 2;
  }
  const outside = new Outside(first);
  const bank3 = cubin.banks.find((b) => b.bank === 3);
  const constantWindow = bank3 === undefined ? 0 : global.allocate(bank3.bytes.length, WINDOW_ALIGN);
  if (bank3 !== undefined && constantWindow === 0) return fail([inputError("device memory is exhausted")]);
  const space: Space = {
    sections,
    code,
    outside,
    constants: { section: bank3?.section ?? -1, window: constantWindow },
  };
  const banks = new Map<number, Uint8Array>();
  for (const b of cubin.banks) {
    const bytes = b.bytes.slice();
    const error = relocate(bytes, b.relocs, space);
    if (error !== "") return fail([inputError(error)]);
    banks.set(b.bank, bytes);
    if (b.bank === 3) global.write(constantWindow, bytes);
  }
  for (const g of cubin.globals) {
    const bytes = new Uint8Array(g.size);
    if (g.init !== null) bytes.set(g.init.subarray(0, g.size));
    const error = relocate(bytes, g.relocs, space);
    if (error !== "") return fail([inputError(error)]);
    global.write(sections.get(g.section)!, bytes);
  }
  const functions: CubinFunction[] = [];
  for (const f of cubin.functions) {
    const linked = relocatedCode(f, space);
    if (typeof linked === "string") return fail([inputError(linked)]);
    functions.push(linked);
  }
  return ok({ cubin, target, program: makeProgram(target, functions, outside.names), banks, sections, constantWindow });
}

function relocatedCode(f: CubinFunction, space: Space): CubinFunction | string {
  if (f.relocs.length === 0) return f;
  const words = f.words.slice();
  const error = relocate(new Uint8Array(words.buffer), f.relocs, space);
  return error !== "" ? error : { ...f, words };
}

/** Whole words, for a constant bank. */
export function bankWords(bytes: Uint8Array | null, size: number = bytes?.length ?? 0): Int32Array {
  const words = new Int32Array((Math.max(size, bytes?.length ?? 0) + 3) >> 2);
  if (bytes !== null) new Uint8Array(words.buffer).set(bytes);
  return words;
}
