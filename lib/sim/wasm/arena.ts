/** The WebAssembly memory of a device: layout.ts says what is where. */
import { GLOBAL_BASE, type GlobalMemory, SharedMemory } from "../memory.js";
import { type Cta, LANES, POISON, type Warp } from "../state.js";
import type { Slot } from "./access.js";
import { encodeModule, Fn, Type } from "./encoder.js";
import { type HostMemory, MOST_PAGES, wasm } from "./host.js";
import {
  BANK_BYTES,
  BANK_COUNT,
  BANK_ROOM,
  BANKS,
  EXCHANGE,
  EXCHANGE_WORDS,
  Exchange,
  GLOBAL,
  GLOBAL_LEAST,
  PREDICATES,
  ROW_BYTES,
  SLOT_BYTES,
  SLOTS,
  SLOTS_END,
  STATE,
  STATE_END,
  THREADS,
  WARP_BYTES,
} from "./layout.js";
import { Op } from "./opcodes.js";

/** Address of a warp's state, how many registers it has: as before the first instruction. */
type Clear = (base: number, registers: number) => void;

function clearFunction(): Fn {
  const fn = new Fn([Type.i32, Type.i32], []);
  const { code } = fn;
  const at = fn.local(Type.i32);
  const end = fn.local(Type.i32);
  const value = fn.local(Type.v128);
  const ROW = 128;
  const store = (): void => {
    code.get(0).set(at).open(Op.loop);
    for (let k = 0; k < ROW; k += 16) code.get(at).get(value).memory(Op.store, k);
    code.get(at).i32(ROW).op(Op.i32Add).tee(at).get(end).op(Op.i32LtU).index(Op.brIf, 0).end();
  };
  code.words(POISON, POISON, POISON, POISON).set(value);
  code.get(0).get(1).i32(ROW_BYTES).op(Op.i32Mul).op(Op.i32Add).set(end);
  store();
  code.words(0, 0, 0, 0).set(value);
  code.get(0).i32(EXCHANGE).op(Op.i32Add).set(end);
  code.get(0).i32(PREDICATES).op(Op.i32Add).set(0);
  store();
  return fn;
}

const PAGE = 0x10000;

const arenas = new WeakMap<GlobalMemory, Arena>();

/** The arena of a global memory, which moves into it; null: the host has no room or no WebAssembly. */
export function arenaOf(global: GlobalMemory): Arena | null {
  const known = arenas.get(global);
  if (known !== undefined) return known;
  if (wasm === null) return null;
  try {
    const initial = (GLOBAL + GLOBAL_LEAST) / PAGE;
    const arena = new Arena(new wasm.Memory({ initial, maximum: MOST_PAGES }), global);
    if (!global.move((bytes) => arena.room(bytes))) return null;
    arenas.set(global, arena);
    return arena;
  } catch {
    return null;
  }
}

/** The arena of a global memory that threads share, in the memory that the thread was given. */
export function shareArena(global: GlobalMemory, memory: HostMemory): void {
  arenas.set(global, new Arena(memory, global));
}

export class Arena {
  words: Int32Array;
  private readonly slots: Slot[] = [];
  private readonly bankBytes = new Int32Array(BANK_COUNT);
  /** Address for the next CTA of this launch. */
  private next: number = STATE;
  private ctaBytes = 0;
  /** Local memory lies from here on, up to the end of what is for CTAs. */
  private lowestLocal: number = STATE_END;

  private readonly clear: Clear;

  constructor(
    readonly memory: HostMemory,
    private readonly global: GlobalMemory,
  ) {
    this.words = new Int32Array(memory.buffer);
    const module = new wasm!.Module(encodeModule([], [clearFunction()]));
    this.clear = new wasm!.Instance(module, { env: { memory } }).exports.run as Clear;
  }

  /** Room for so many bytes of global memory. */
  room(bytes: number): { readonly buffer: ArrayBufferLike; readonly at: number } | null {
    const missing = GLOBAL + bytes - this.memory.buffer.byteLength;
    if (missing > 0) {
      try {
        this.memory.grow(Math.ceil(missing / PAGE));
      } catch {
        return null;
      }
    }
    this.words = new Int32Array(this.memory.buffer);
    return { buffer: this.memory.buffer, at: GLOBAL };
  }

  /** A launch begins: its constants, and how much room a CTA takes. */
  begin(banks: readonly Int32Array[], warps: number, sharedBytes: number): void {
    for (let b = 0; b < BANK_COUNT; b++) {
      const bank = banks[b];
      const bytes = Math.min(bank?.byteLength ?? 0, BANK_ROOM);
      const at = (BANKS + b * BANK_ROOM) >> 2;
      if (bytes < this.bankBytes[b]!) this.words.fill(0, at, at + (this.bankBytes[b]! >> 2));
      if (bank !== undefined) this.words.set(bank.subarray(0, bytes >> 2), at);
      this.bankBytes[b] = bytes;
      this.words[(BANK_BYTES >> 2) + b] = bytes;
    }
    // What was allocated then need not be now.
    this.words.fill(0, SLOTS >> 2, (SLOTS + SLOT_BYTES * this.slots.length) >> 2);
    this.ctaBytes = warps * WARP_BYTES + ((sharedBytes + 127) & ~127);
    this.next = STATE;
    this.lowestLocal = STATE_END;
  }

  /** Moves a CTA that has its own arrays into the arena, if there is room; its warps serve later CTAs there. */
  adopt(cta: Cta): void {
    const at = this.next;
    if (at + this.ctaBytes > this.lowestLocal) return;
    this.next += this.ctaBytes;
    const { buffer } = this.memory;
    const sharedAt = at + cta.warps.length * WARP_BYTES;
    const shared = new SharedMemory(cta.shared.size, buffer, sharedAt);
    shared.bytes.set(cta.shared.bytes);
    cta.shared = shared;
    cta.warps.forEach((w, i) => {
      const base = at + i * WARP_BYTES;
      w.move(buffer, base);
      w.clear = this.clear;
      w.exchange = new Int32Array(buffer, base + EXCHANGE, EXCHANGE_WORDS);
      w.exchange[Exchange.sharedAt] = sharedAt;
      w.exchange[Exchange.sharedSize] = shared.size;
      // The launch before may have left its local memory here.
      w.exchange[Exchange.localSize] = 0;
      w.local.settle((words) => this.localRoom(w, words));
      w.tid.forEach((row, k) => {
        new Int32Array(buffer, base + THREADS + k * ROW_BYTES, LANES).set(row);
      });
    });
    this.place(cta);
  }

  /** Address of so many bytes until the launch ends, a multiple of 16; 0: there is no room. */
  reserve(bytes: number): number {
    const at = this.lowestLocal - ((bytes + 15) & ~15);
    if (at < this.next) return 0;
    this.lowestLocal = at;
    return at;
  }

  /** Room for so many words of a warp's local memory; translated code finds nothing of it where there is none. */
  private localRoom({ exchange }: Warp, words: number): Int32Array | null {
    const at = this.reserve(4 * words);
    exchange[Exchange.localSize] = 0;
    if (at === 0) return null;
    exchange[Exchange.localAt] = at;
    exchange[Exchange.localSize] = (4 * words) / LANES;
    return new Int32Array(this.memory.buffer, at, words).fill(0);
  }

  /** What of a CTA in the arena is not the same for the one before. */
  place(cta: Cta): void {
    for (const { exchange } of cta.warps) {
      exchange[Exchange.sharedFirst] = cta.rank * 0x1000000;
      exchange[Exchange.rank] = cta.rank;
      exchange.set(cta.index, Exchange.block);
    }
  }

  /** A new slot; when there are no more the first, which never holds an allocation: the access is for the closures. */
  slot(s: Slot): number {
    if (this.slots.length === 0) this.slots.push(s);
    if (SLOTS + SLOT_BYTES * (this.slots.length + 1) > SLOTS_END) return 0;
    return this.slots.push(s) - 1;
  }

  /** Looks for the allocation that an access at this address touches. */
  find(id: number, low: number, high: number): void {
    if (id === 0) return;
    const s = this.slots[id]!;
    const found = this.global.allocationAt(high * 2 ** 32 + (low >>> 0) + s.lowest - GLOBAL_BASE);
    if (found === null) return;
    const from = Math.max(0, found.start - s.lowest);
    const count = found.end - s.end - from + 1;
    const at = (SLOTS + SLOT_BYTES * id) >> 2;
    this.words[at] = from;
    this.words[at + 1] = Math.max(0, count);
  }
}
