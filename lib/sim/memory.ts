/**
 * Memory of the simulated device. Global memory is one growing byte array after a 64-bit base address; allocations
 * keep guard bytes between them, so a byte past the end is told from a byte of the neighbour. Shared and local memory
 * have windows in the generic address space whose low words are zero, as code of every SM expects.
 */
import { InternalError } from "../errors.js";

/** First global address: above 4 GiB, so that 64-bit address arithmetic is exercised. */
export const GLOBAL_BASE: number = 0x7_0000_0000;
/** Upper words of the generic windows. */
export const SHARED_WINDOW: number = 0x7fff;
export const LOCAL_WINDOW: number = 0x7ffe;
/** Bytes of local memory that a thread may use; its stack pointer starts there. */
export const LOCAL_TOP: number = 0x80000;

const GUARD = 256;
const LIMIT = 0xf000_0000;

export interface Allocation {
  /** Offset from GLOBAL_BASE. */
  readonly start: number;
  readonly end: number;
}

/** A place for so many bytes; null: the host has none. */
type Room = (bytes: number) => { readonly buffer: ArrayBufferLike; readonly at: number } | null;

/** Byte storage with views of every width; the views are replaced when it grows. */
export class GlobalMemory {
  bytes: Uint8Array;
  half: Uint16Array;
  words: Int32Array;
  /** Other threads work on the bytes, too. */
  shared: boolean = false;
  private used: number = GUARD;
  /** In ascending order. */
  private readonly list: Allocation[] = [];
  /** There may be room between allocations. */
  private holes = false;
  /** Where bytes are found when they are not this memory's own. */
  private room: Room | null = null;
  /** Bounds of the allocation of the last access: nearly always the one of the next. */
  start: number = 0;
  end: number = 0;

  constructor() {
    this.bytes = new Uint8Array(1 << 16);
    this.half = new Uint16Array(this.bytes.buffer);
    this.words = new Int32Array(this.bytes.buffer);
  }

  /** Zeroed memory at an address that is a multiple of `align` (a power of two, at least 256 is used). 0: no room. */
  allocate(bytes: number, align: number = 256): number {
    const step = Math.max(256, align);
    const hole = this.holes ? this.holeFor(bytes, step) : null;
    if (hole !== null) return hole;
    const start = Math.ceil((this.used + GUARD) / step) * step;
    const end = start + bytes;
    if (end + GUARD > LIMIT) return 0;
    if (end + GUARD > this.bytes.length && !this.grow(end + GUARD)) return 0;
    this.used = end;
    this.list.push({ start, end });
    return GLOBAL_BASE + start;
  }

  /** The same where something has been released. */
  private holeFor(bytes: number, step: number): number | null {
    let before = GUARD;
    for (let i = 0; i < this.list.length; i++) {
      const start = Math.ceil((before + GUARD) / step) * step;
      const next = this.list[i]!;
      if (start + bytes + GUARD <= next.start) {
        this.list.splice(i, 0, { start, end: start + bytes });
        return GLOBAL_BASE + start;
      }
      before = next.end;
    }
    return null;
  }

  /** Gives an allocation back; its bytes are zero for the next. */
  release(address: number): void {
    const at = this.list.findIndex((x) => x.start === address - GLOBAL_BASE);
    if (at < 0) throw new InternalError(`device memory 0x${address.toString(16)} is not allocated`);
    const [{ start, end }] = this.list.splice(at, 1) as [Allocation];
    this.bytes.fill(0, start, end);
    if (at === this.list.length) this.used = this.list[at - 1]?.end ?? GUARD;
    else this.holes = true;
    this.start = 0;
    this.end = 0;
  }

  /** Where the bytes lie from now on. Their views are these; all that came before are stale. */
  private view(buffer: ArrayBufferLike, at: number, length: number): void {
    this.shared = typeof SharedArrayBuffer !== "undefined" && buffer instanceof SharedArrayBuffer;
    this.bytes = new Uint8Array(buffer, at, length);
    this.half = new Uint16Array(buffer, at, length >>> 1);
    this.words = new Int32Array(buffer, at, length >>> 2);
  }

  /**
   * Moves the bytes into a memory that `make` gives for their number, or gives for more of them later; null: the host has no room.
   */
  move(room: Room): boolean {
    const { bytes } = this;
    const place = room(bytes.length);
    if (place === null) return false;
    this.view(place.buffer, place.at, bytes.length);
    this.bytes.set(bytes);
    this.room = room;
    return true;
  }

  /** False when the host has no room. */
  private grow(need: number): boolean {
    let size = this.bytes.length;
    while (size < need) size *= 2;
    if (this.room !== null) {
      const length = Math.min(size, LIMIT);
      const place = this.room(length);
      if (place !== null) this.view(place.buffer, place.at, length);
      return place !== null;
    }
    let bytes: Uint8Array;
    try {
      bytes = new Uint8Array(Math.min(size, LIMIT));
    } catch {
      return false;
    }
    bytes.set(this.bytes);
    this.bytes = bytes;
    this.half = new Uint16Array(bytes.buffer);
    this.words = new Int32Array(bytes.buffer);
    return true;
  }

  get allocations(): readonly Allocation[] {
    return this.list;
  }

  /** Stands for the memory of another thread: its bytes, from byte `at` of the buffer on, and its allocations. */
  attach(buffer: ArrayBufferLike, at: number, length: number, allocations: readonly Allocation[]): void {
    this.view(buffer, at, length);
    this.list.splice(0, this.list.length, ...allocations);
    this.start = 0;
    this.end = 0;
  }

  /** The allocation that holds the byte at `offset` (from GLOBAL_BASE). */
  allocationAt(offset: number): Allocation | null {
    return this.holds(offset, 1) ? { start: this.start, end: this.end } : null;
  }

  /** Are `size` bytes at `offset` (from GLOBAL_BASE) inside one allocation? */
  holds(offset: number, size: number): boolean {
    if (offset >= this.start && offset + size <= this.end) return true;
    let low = 0;
    let high = this.list.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.list[mid]!.start <= offset) low = mid + 1;
      else high = mid;
    }
    const found = this.list[low - 1];
    if (found === undefined || !(offset >= found.start && offset + size <= found.end)) return false;
    this.start = found.start;
    this.end = found.end;
    return true;
  }

  write(address: number, data: Uint8Array): void {
    this.bytes.set(data, this.range(address, data.length));
  }

  read(address: number, length: number): Uint8Array {
    const at = this.range(address, length);
    return this.bytes.slice(at, at + length);
  }

  private range(address: number, length: number): number {
    const at = address - GLOBAL_BASE;
    if (length > 0 && !this.holds(at, length))
      throw new InternalError(`device memory 0x${address.toString(16)}…+${length} is not allocated`);
    return at;
  }
}

/** Shared memory of one CTA. */
export class SharedMemory {
  readonly size: number;
  readonly bytes: Uint8Array;
  readonly half: Uint16Array;
  readonly words: Int32Array;

  /** At `at` of a buffer whose bytes are zero there, or in one of its own. */
  constructor(size: number, buffer: ArrayBufferLike = new ArrayBuffer((size + 15) & ~15), at: number = 0) {
    this.size = size;
    this.bytes = new Uint8Array(buffer, at, (size + 15) & ~15);
    this.half = new Uint16Array(buffer, at, this.bytes.length >>> 1);
    this.words = new Int32Array(buffer, at, this.bytes.length >>> 2);
  }
}

/**
 * Local memory of the 32 threads of a warp: word `n` below the top of lane `l` is at `n · 32 + l`, so it grows with the
 * depth that is used and not with the size that is allowed.
 */
export class LocalMemory {
  words: Int32Array = new Int32Array(0);
  bytes: Uint8Array = new Uint8Array(this.words.buffer);
  half: Uint16Array = new Uint16Array(this.words.buffer);
  /** Where zeros are found for so many words; null: in an array of its own. */
  private room: ((words: number) => Int32Array | null) | null = null;

  /** Index of the word at byte address `address` of a lane; the address is inside 0 … LOCAL_TOP. */
  index(address: number, lane: number): number {
    const n = (LOCAL_TOP - 4 - (address & ~3)) >>> 2;
    const at = n * 32 + lane;
    if (at >= this.words.length) this.grow(at);
    return at;
  }

  private grow(at: number): void {
    let size = Math.max(64 * 32, this.words.length);
    while (size <= at) size *= 2;
    this.resize(size);
  }

  /** Its words are found there from now on, as far as there is room; null: none. */
  settle(room: (words: number) => Int32Array | null): void {
    this.room = room;
    if (this.words.length > 0) this.resize(this.words.length);
  }

  private resize(size: number): void {
    const words = this.room?.(size) ?? new Int32Array(size);
    words.set(this.words);
    this.words = words;
    this.bytes = new Uint8Array(words.buffer, words.byteOffset, 4 * size);
    this.half = new Uint16Array(words.buffer, words.byteOffset, 2 * size);
  }

  clear(): void {
    this.words.fill(0);
  }
}
