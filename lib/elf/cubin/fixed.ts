/** Sections whose bytes hardly depend on the program: notes, `.nv.compat`, call graph, unwind information. */

import { roundUp, view } from "../elf64.js";
import { asciiBytes, noteBytes, putU64 } from "../elf64-write.js";
import { COMPAT } from "./attributes.js";
import type { Container } from "./container.js";
import { byteRecord, encodeInfo, halfRecord, wordsRecord } from "./info.js";
import { NOTE_CUINFO, NOTE_TKINFO } from "./sections.js";

/** The banner of ptxas 13.0.88: consumers look for the release in it (`release (\d+\.\d+)`). */
export const TOOL_VERSION = "Cuda compilation tools, release 13.0, V13.0.88";
export const TOOL_BUILD = "Build cuda_13.0.r13.0/compiler.36424714_0";
/** CUDA 13.0 as API version. */
export const CUDA_API = 0x82;

const OWNER = "NVIDIA Corp";

/** `.note.nv.tkinfo`: six words (note version, offsets of four strings) and a string table (measured on ptxas 13.0.88). */
export function toolNote(options: string): Uint8Array {
  const strings = ["", "ptxas", TOOL_VERSION, TOOL_BUILD, options];
  const offsets: number[] = [];
  let at = 0;
  for (const s of strings) {
    offsets.push(at);
    at += s.length + 1;
  }
  const desc = new Uint8Array(24 + roundUp(at, 4));
  const v = view(desc);
  [2, ...offsets].forEach((w, i) => {
    v.setUint32(i * 4, w, true);
  });
  desc.set(asciiBytes(`${strings.join("\0")}\0`), 24);
  return noteBytes(OWNER, NOTE_TKINFO, desc);
}

/** `.note.nv.cuinfo`: note version, virtual architecture of `.target`, toolkit. */
export function cudaNote(virtualSm: number): Uint8Array {
  const desc = new Uint8Array(8);
  const v = view(desc);
  [2, virtualSm, CUDA_API, 0].forEach((w, i) => {
    v.setUint16(i * 2, w, true);
  });
  return noteBytes(OWNER, NOTE_CUINFO, desc);
}

/** Bit of CAN_FASTPATH_FINALIZE: the machine code of sm_100 is that of sm_103, and needs no finalizer. */
const SAME_IN_FAMILY = 0x08;
/** DMUL, DADD, DSETP, DFMA in bits 8:0 of the opcode. */
const float64: readonly number[] = [0x28, 0x29, 0x2a, 0x2b];
const FSETP_IMMEDIATE = 0x80b;

/** Measured on 270 objects of ptxas: exactly those with one of these instructions lack the bit. */
function differsInFamily(words: Uint32Array): boolean {
  for (let i = 0; i < words.length; i += 4) {
    const opcode = words[i]! & 0xfff;
    if (opcode === FSETP_IMMEDIATE || float64.includes(opcode & 0x1ff)) return true;
  }
  return false;
}

/** `.nv.compat` of a module (measured on ptxas 13.0.88). */
export function compatBytes(
  container: Container,
  architectureSpecific: boolean,
  codes: readonly Uint32Array[],
  units: boolean,
): Uint8Array {
  return encodeInfo([
    byteRecord(COMPAT.CUDA_ACCELERATOR_TARGET, architectureSpecific ? 1 : 0),
    byteRecord(COMPAT.ISA_CLASS, units ? 2 : 1),
    byteRecord(COMPAT.INST_TCGEN05_MMA, 5),
    halfRecord(COMPAT.MERCURY_ISA_MAJOR_MINOR_VERSION, container.mercuryIsa),
    byteRecord(COMPAT.INST_TENSORMAP_V1, 0),
    byteRecord(COMPAT.ENABLE_OPPORTUNISTIC_FINALIZATION, 1),
    wordsRecord(COMPAT.CAN_FASTPATH_FINALIZE, [
      codes.some(differsInFamily) ? container.fastpath & ~SAME_IN_FAMILY : container.fastpath,
      0,
    ]),
  ]);
}

/** `.nv.callgraph`: four lists of pairs, each after a sentinel. */
export function callgraphBytes(
  lists: readonly (readonly (readonly [number, number])[])[] = [[], [], [], []],
): Uint8Array {
  const pairs = lists.flatMap((list, i) => [[0, -1 - i] as const, ...list]);
  const out = new Uint8Array(8 * pairs.length);
  const v = view(out);
  pairs.forEach(([a, b], i) => {
    v.setInt32(i * 8, a, true);
    v.setInt32(i * 8 + 4, b, true);
  });
  return out;
}

/** `.nv.rel.action` of sm_75…89, always these bytes. */
export function relActionBytes(): Uint8Array {
  return Uint8Array.from([0x73, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x25, 0, 0x05, 0x36]);
}

const cie: readonly number[] = [
  0xff, 0xff, 0xff, 0xff, 0x24, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x03, 0, 0x04,
  0x7c, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x0c, 0x81, 0x80, 0x80, 0x28, 0, 0x08, 0xff, 0x81, 0x80, 0x28, 0x08, 0x81, 0x80,
  0x80, 0x28, 0, 0, 0,
];

export interface FrameEntry {
  /** Bytes of the function, tail included. */
  readonly size: number;
  readonly frameBytes: number;
  /** Byte offset after the instruction that lowers the stack pointer; without a frame, after the first block. */
  readonly prologue: number;
  /** Byte offset of the last EXIT. */
  readonly end: number;
}

export interface FrameBytes {
  readonly bytes: Uint8Array;
  /** Per function: where its CIE begins, and where its address goes (the pointer to the CIE lies 8 bytes before). */
  readonly places: readonly { readonly cie: number; readonly location: number }[];
}

/** `legacy` before sm_90; `mercury`: in `.nv.merc.debug_frame`, where positions count single bytes. */
export type FrameKind = "legacy" | "modern" | "mercury";

/** Where the code alignment factor stands in a CIE. */
const CIE_UNIT = 22;

/**
 * `.debug_frame`: for each function a CIE (64-bit DWARF, version 3, code alignment 4; 1 for Mercury) and an FDE that says how large
 * the frame is once the stack pointer has moved.
 */
export function frameBytes(entries: readonly FrameEntry[], kind: FrameKind, relocatable: boolean): FrameBytes {
  const parts: number[] = [];
  const places: { cie: number; location: number }[] = [];
  for (const e of entries) {
    const start = parts.length;
    parts.push(...cie);
    const unit = kind === "mercury" ? 1 : 4;
    parts[start + CIE_UNIT] = unit;
    const program = kind === "modern" ? modernFrame(e) : splitFrame(e, unit);
    while ((24 + program.length) % 8 !== 4) program.push(0);
    // Length counts from after itself; CIE pointer, start, size are eight bytes each.
    const length = 24 + program.length;
    places.push({ cie: start, location: parts.length + 20 });
    parts.push(
      0xff,
      0xff,
      0xff,
      0xff,
      ...u64(length),
      ...u64(relocatable ? 0 : start),
      ...u64(0),
      ...u64(e.size),
      ...program,
    );
  }
  return { bytes: Uint8Array.from(parts), places };
}

/** Positions in ascending order. */
function modernFrame(e: FrameEntry): number[] {
  const define = defineFrame(e.frameBytes);
  return e.prologue <= e.end
    ? [...advance(e.prologue, 4), ...define, ...advance(e.end - e.prologue, 4)]
    : [...advance(e.end, 4), ...advance(e.prologue - e.end, 4), ...define];
}

/** A step over the first instruction. Steps may lead backwards; they then wrap at 32 bits of bytes, as ptxas has it. */
function splitFrame(e: FrameEntry, unit: number): number[] {
  return [
    ...advance(16, unit),
    ...advance(e.prologue - 16, unit),
    ...defineFrame(e.frameBytes),
    ...advance(e.end - e.prologue, unit),
  ];
}

/** DW_CFA_advance_loc4. */
function advance(bytes: number, unit: number): number[] {
  return [0x04, ...u32((bytes >>> 0) / unit)];
}

/** DW_CFA_def_cfa of the stack register with this offset. */
function defineFrame(bytes: number): number[] {
  return [0x0c, 0x81, 0x80, 0x80, 0x28, ...uleb(bytes)];
}

export function uleb(value: number): number[] {
  const out: number[] = [];
  let rest = value;
  do {
    const byte = rest & 0x7f;
    rest >>>= 7;
    out.push(rest === 0 ? byte : byte | 0x80);
  } while (rest !== 0);
  return out;
}

export function sleb(value: number): number[] {
  const out: number[] = [];
  let rest = value | 0;
  for (;;) {
    const byte = rest & 0x7f;
    rest >>= 7;
    const done = (rest === 0 && (byte & 0x40) === 0) || (rest === -1 && (byte & 0x40) !== 0);
    out.push(done ? byte : byte | 0x80);
    if (done) return out;
  }
}

function u32(value: number): number[] {
  return [value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, (value >>> 24) & 0xff];
}

function u64(value: number): number[] {
  const out = new Uint8Array(8);
  putU64(view(out), 0, value);
  return [...out];
}
