/**
 * Addresses of memory instructions, and where they lead: per lane `base (· scale) + uniform register + offset`, in
 * global, shared, local or generic space. `locate` finds the bytes or notes the fault.
 */
import { File, Kind } from "../isa/operand.js";
import { GLOBAL_BASE, LOCAL_TOP, LOCAL_WINDOW, SHARED_WINDOW } from "./memory.js";
import type { Site } from "./site.js";
import { LANES, type Warp, ZERO_ROW } from "./state.js";

const TWO32 = 4294967296;

export type AccessSpace = "global" | "shared" | "local" | "generic";

export interface Address {
  /** Lane indices of the base's words; ZERO_ROW where there is none. */
  readonly low: number;
  readonly high: number;
  /** Left shift of the base (LDS `.X4` …). */
  readonly shift: number;
  /** What all lanes add: uniform register and offset. */
  readonly add: (w: Warp) => number;
}

const ZERO = ZERO_ROW * LANES;

export function addressOf(s: Site): Address {
  const base = s.operand("base");
  const ur = s.find("ur");
  const off = s.imm("off");
  const wide = base.width === 2 && !base.part.includes("U32");
  const shift = base.part.includes("X16") ? 4 : base.part.includes("X8") ? 3 : base.part.includes("X4") ? 2 : 0;
  let add = (_: Warp): number => off;
  if (base.kind === Kind.Reg && base.file === File.UR) s.unsupported("uniform base register");
  if (ur !== null && ur.kind === Kind.Reg && ur.id >= 0) {
    const u = ur.id;
    add = ur.width === 2 ? (w) => w.U[u + 1]! * TWO32 + (w.U[u]! >>> 0) + off : (w) => w.U[u]! + off;
  }
  const isRegister = base.kind === Kind.Reg && base.id >= 0;
  return {
    low: isRegister ? s.row(base) : ZERO,
    high: isRegister && wide ? s.row(base, 1) : ZERO,
    shift,
    add,
  };
}

/** 64-bit address of a lane, as an exact number (negative ones stand for the top of the address space). */
export function wideAddress(w: Warp, a: Address, add: number, lane: number): number {
  return w.I[a.high + lane]! * TWO32 + (w.I[a.low + lane]! >>> 0) + add;
}

/** 32-bit address of a lane (shared, local). */
export function shortAddress(w: Warp, a: Address, add: number, lane: number): number {
  return ((w.I[a.low + lane]! << a.shift) + add) >>> 0;
}

/** Where an access landed: views and the index of its first byte; `stride` words between consecutive words. */
export class Place {
  bytes: Uint8Array = new Uint8Array(0);
  half: Uint16Array = new Uint16Array(0);
  words: Int32Array = new Int32Array(0);
  /** Byte index of the first byte. */
  at: number = 0;
  /** 1, or −32 in local memory. */
  stride: number = 1;
}

export const place: Place = new Place();

/** The space that a generic address is in. */
export function windowOf(address: number): "global" | "shared" | "local" {
  const window = Math.floor(address / TWO32);
  return window === SHARED_WINDOW ? "shared" : window === LOCAL_WINDOW ? "local" : "global";
}

/** Finds `size` bytes at an address of a lane. False: the fault is noted. */
export function locate(w: Warp, space: AccessSpace, address: number, size: number, lane: number): boolean {
  if (space === "generic") {
    const window = Math.floor(address / TWO32);
    if (window === SHARED_WINDOW) return locateShared(w, space, address - SHARED_WINDOW * TWO32, address, size, lane);
    if (window === LOCAL_WINDOW) return locateLocal(w, space, address - LOCAL_WINDOW * TWO32, address, size, lane);
    return locateGlobal(w, space, address, size, lane);
  }
  if (space === "shared") return locateShared(w, space, address, address, size, lane);
  if (space === "local") return locateLocal(w, space, address, address, size, lane);
  return locateGlobal(w, space, address, size, lane);
}

function locateGlobal(w: Warp, asked: AccessSpace, address: number, size: number, lane: number): boolean {
  const global = w.machine.global;
  const at = address - GLOBAL_BASE;
  if (at % size !== 0) return misaligned(w, "global", address, size, lane);
  if (!global.holds(at, size)) return outside(w, "global", address, size, lane);
  place.bytes = global.bytes;
  place.half = global.half;
  place.words = global.words;
  place.at = at;
  place.stride = 1;
  w.machine.watch?.access(w, asked, "global", null, at, size, lane, place);
  return true;
}

/** The upper byte of a shared address is the rank of the CTA in its cluster. */
function locateShared(w: Warp, asked: AccessSpace, offset: number, shown: number, size: number, lane: number): boolean {
  const rank = Math.floor(offset / 0x1000000);
  const shared = rank === w.cta.rank ? w.cta.shared : w.cta.cluster.ctas[rank]?.shared;
  const at = offset % 0x1000000;
  if (at % size !== 0) return misaligned(w, "shared", shown, size, lane);
  if (shared === undefined || at + size > shared.size) return outside(w, "shared", shown, size, lane);
  place.bytes = shared.bytes;
  place.half = shared.half;
  place.words = shared.words;
  place.at = at;
  place.stride = 1;
  const { watch, inFlight } = w.machine;
  if (watch === null && inFlight === null) return true;
  const owner = w.cta.cluster.ctas[rank] ?? w.cta;
  watch?.access(w, asked, "shared", owner, at, size, lane, place);
  return inFlight === null || inFlight.touch(w, owner, at, size, lane);
}

function locateLocal(w: Warp, asked: AccessSpace, offset: number, shown: number, size: number, lane: number): boolean {
  if (offset % size !== 0) return misaligned(w, "local", shown, size, lane);
  if (!(offset >= 0 && offset + size <= LOCAL_TOP)) return outside(w, "local", shown, size, lane);
  // The deepest word first: it is the one that may grow the memory.
  const first = w.local.index(offset, lane);
  place.bytes = w.local.bytes;
  place.half = w.local.half;
  place.words = w.local.words;
  place.at = first * 4 + (offset & 3);
  place.stride = -LANES;
  w.machine.watch?.access(w, asked, "local", null, offset, size, lane, place);
  return true;
}

function misaligned(w: Warp, space: string, address: number, size: number, lane: number): boolean {
  const text = `${space} address ${hex(address)} is not a multiple of ${size}`;
  w.fault("misaligned", 1 << lane, text, bits64(address));
  return false;
}

function outside(w: Warp, space: string, address: number, size: number, lane: number): boolean {
  const text = `${size} bytes at ${space} address ${hex(address)} are outside the memory of the program`;
  w.fault("out-of-bounds", 1 << lane, text, bits64(address));
  return false;
}

function bits64(address: number): bigint {
  return BigInt.asUintN(64, BigInt(address));
}

function hex(address: number): string {
  return `0x${bits64(address).toString(16)}`;
}
