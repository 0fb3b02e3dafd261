/** State spaces. Global addresses are themselves generic ones; the other spaces have a window each in the generic space. */
import { GLOBAL_BASE, type GlobalMemory, LOCAL_TOP, LOCAL_WINDOW, SHARED_WINDOW } from "../memory.js";
import type { Thread } from "./state.js";
import { Faulted, type Value } from "./types.js";

export type Space = "generic" | "global" | "shared" | "local" | "const" | "param";

/** Upper words of the windows of constants and of a kernel's parameters. */
const CONST_WINDOW = 0x7ffd;
const PARAM_WINDOW = 0x7ffc;
/** Bits of an offset in the shared memory of a CTA; above them stands its rank in the cluster, from 1, where an address names it. */
export const RANK_SHIFT: bigint = 24n;

const WINDOWS: readonly (readonly [Space, number])[] = [
  ["shared", SHARED_WINDOW],
  ["local", LOCAL_WINDOW],
  ["const", CONST_WINDOW],
  ["param", PARAM_WINDOW],
];

/** `cvta`: the generic address of an address of the space. */
export function toGeneric(space: Space, address: Value): Value {
  const window = WINDOWS.find((w) => w[0] === space);
  return window === undefined ? address : (BigInt(window[1]) << 32n) + address;
}

export function fromGeneric(space: Space, address: Value): Value {
  const window = WINDOWS.find((w) => w[0] === space);
  return window === undefined ? address : BigInt.asUintN(64, address - (BigInt(window[1]) << 32n));
}

/** The space whose window holds the generic address. */
export function spaceOf(address: Value): Exclude<Space, "generic"> {
  const upper = Number(address >> 32n);
  return (WINDOWS.find((w) => w[1] === upper)?.[0] as "shared" | undefined) ?? "global";
}

/** Local memory of a thread: grows down from LOCAL_TOP, and is as large as what was touched. */
export class Stack {
  private bytes: Uint8Array = new Uint8Array(0);
  view: DataView = new DataView(this.bytes.buffer);
  /** The lowest byte in use. */
  pointer: number = LOCAL_TOP;

  /** Index of the byte at the address, with `size` bytes after it. */
  index(address: number): number {
    const depth = LOCAL_TOP - address;
    if (depth > this.bytes.length) {
      const bytes = new Uint8Array(Math.max(depth, 256, 2 * this.bytes.length));
      bytes.set(this.bytes, bytes.length - this.bytes.length);
      this.bytes = bytes;
      this.view = new DataView(bytes.buffer);
    }
    return this.bytes.length - depth;
  }

  /** Moves the pointer down by at least `size` bytes. */
  reserve(size: number, align: number): number {
    const to = Math.floor((this.pointer - size) / align) * align;
    if (to < 0) throw new Faulted("stack-overflow", `more than ${LOCAL_TOP} bytes of local memory`);
    this.pointer = to;
    return to;
  }
}

/** Where `locate` found bytes. */
export const place: { view: DataView; at: number } = { view: new DataView(new ArrayBuffer(0)), at: 0 };

let globalView: DataView<ArrayBufferLike> = new DataView(new ArrayBuffer(0));
export function viewOf(memory: GlobalMemory): DataView {
  const { bytes } = memory;
  if (globalView.buffer !== bytes.buffer || globalView.byteLength !== bytes.byteLength)
    globalView = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return globalView;
}

function bounds(space: string, at: number, size: number, limit: number, address: Value): void {
  if (at < 0 || at + size > limit)
    throw new Faulted("out-of-bounds", `${space} address 0x${address.toString(16)}, ${size} bytes`, address);
}

/** Finds `size` bytes at an address, or faults. */
export function locate(t: Thread, space: Space, address: Value, size: number, align: number = size): void {
  if (address % BigInt(align) !== 0n)
    throw new Faulted("misaligned", `address 0x${address.toString(16)} is no multiple of ${align}`, address);
  const where = space === "generic" ? spaceOf(address) : space;
  const offset = space === "generic" ? fromGeneric(where, address) : address;
  const at = Number(offset);
  switch (where) {
    case "global":
      place.at = at - GLOBAL_BASE;
      if (!t.cta.launch.global.holds(place.at, size)) bounds("global", -1, size, 0, address);
      place.view = viewOf(t.cta.launch.global);
      return;
    case "shared": {
      const rank = offset >> RANK_SHIFT;
      const cta = rank === 0n ? t.cta : t.cta.cluster.ctas[Number(rank) - 1];
      place.at = Number(offset & ((1n << RANK_SHIFT) - 1n));
      bounds("shared", cta === undefined ? -1 : place.at, size, cta?.shared.byteLength ?? 0, address);
      place.view = cta!.shared;
      return;
    }
    case "local":
      bounds("local", at, size, LOCAL_TOP, address);
      place.at = t.stack.index(at);
      place.view = t.stack.view;
      return;
    default: {
      const bytes = where === "const" ? t.cta.launch.constants : t.cta.launch.parameters;
      place.at = at;
      bounds(where, at, size, bytes.byteLength, address);
      place.view = bytes;
    }
  }
}

/** Reads what `locate` found. */
export function take(size: number): Value {
  const { view, at } = place;
  switch (size) {
    case 1:
      return BigInt(view.getUint8(at));
    case 2:
      return BigInt(view.getUint16(at, true));
    case 4:
      return BigInt(view.getUint32(at, true));
    case 8:
      return view.getBigUint64(at, true);
    default:
      return view.getBigUint64(at, true) | (view.getBigUint64(at + 8, true) << 64n);
  }
}

export function put(size: number, v: Value): void {
  const { view, at } = place;
  if (size === 1) view.setUint8(at, Number(v & 0xffn));
  else if (size === 2) view.setUint16(at, Number(v & 0xffffn), true);
  else if (size === 4) view.setUint32(at, Number(v & 0xffffffffn), true);
  else {
    view.setBigUint64(at, v & 0xffffffffffffffffn, true);
    if (size === 16) view.setBigUint64(at + 8, v >> 64n, true);
  }
}

export function load(t: Thread, space: Space, address: Value, size: number): Value {
  locate(t, space, address, size);
  return take(size);
}

export function store(t: Thread, space: Space, address: Value, size: number, v: Value): void {
  if (space === "const") throw new Faulted("illegal-address-space", "a store to constants", address);
  locate(t, space, address, size);
  put(size, v);
}
