/**
 * Functions that the driver brings along: `vprintf`, `malloc`, `free`, `__assertfail`, copies into other CTAs (async/remote.ts), gradients of three
 * coordinates (texture/gradient.ts). A kernel calls them by the ABI (lib/isa/abi.ts): each
 * lane has its own arguments in R4 and up, its result in R4 and the address to go back to in R20:R21.
 */
import { locate, place } from "./access.js";
import { isRemoteCopy, remoteCopy } from "./async/remote.js";
import type { GlobalMemory } from "./memory.js";
import { formatted, type PrintfMemory, printfMemory } from "./printf.js";
import { LANES, type Warp } from "./state.js";
import { gradient, isGradient } from "./texture/gradient.js";

/** Bytes of the heap, as CUDA has it unless told otherwise. */
const HEAP_BYTES = 8 << 20;
const ALIGN = 16;
/** What kernels allocate: one piece of global memory, handed out from its start; pieces that were freed are used again for their size. */
export class Heap {
  private readonly start: number;
  private used = 0;
  private readonly sizes = new Map<number, number>();
  private readonly free_ = new Map<number, number[]>();

  constructor(global: GlobalMemory) {
    this.start = global.allocate(HEAP_BYTES);
  }

  /** An address, 0 when there is no room. */
  allocate(bytes: number): number {
    const size = Math.max(ALIGN, Math.ceil(bytes / ALIGN) * ALIGN);
    const again = this.free_.get(size)?.pop();
    if (again === undefined && (this.start === 0 || this.used + size > HEAP_BYTES)) return 0;
    const address = again ?? this.start + this.used;
    if (again === undefined) this.used += size;
    this.sizes.set(address, size);
    return address;
  }

  /** False for an address that was not allocated. */
  free(address: number): boolean {
    if (address === 0) return true;
    const size = this.sizes.get(address);
    if (size === undefined) return false;
    this.sizes.delete(address);
    const list = this.free_.get(size);
    if (list === undefined) this.free_.set(size, [address]);
    else list.push(address);
    return true;
  }
}

/** What such functions work on. */
export interface Host {
  readonly heap: Heap | null;
  /** False: more than a launch may print. */
  print(text: string): boolean;
}

type Routine = (w: Warp, lane: number, host: Host) => void;

const read32 = (w: Warp, n: number, lane: number): number => w.I[n * LANES + lane]! >>> 0;
const read64 = (w: Warp, n: number, lane: number): number => read32(w, n + 1, lane) * 2 ** 32 + read32(w, n, lane);

function write(w: Warp, n: number, lane: number, value: number): void {
  w.I[n * LANES + lane] = value | 0;
}

/** Bytes at generic addresses of a lane. */
function memoryOf(w: Warp, lane: number): PrintfMemory {
  const bytes = (address: number, size: number): Uint8Array | null => {
    const out = new Uint8Array(size);
    for (let k = 0; k < size; k++) {
      if (!locate(w, "generic", address + k, 1, lane)) return null;
      out[k] = place.bytes[place.at]!;
    }
    return out;
  };
  return printfMemory(bytes);
}

function vprintf(w: Warp, lane: number, host: Host): void {
  const memory = memoryOf(w, lane);
  const format = memory.text(read64(w, 4, lane));
  const text = format === null ? null : formatted(format, read64(w, 6, lane), memory);
  if (text === null) return;
  if (!host.print(text)) w.fault("budget", 1 << lane, "the kernel prints without end");
  // As the guide says: the number of arguments, or of what was parsed; programs look for negative numbers only.
  write(w, 4, lane, (format!.match(/%[^%]/g) ?? []).length);
}

function malloc(w: Warp, lane: number, host: Host): void {
  const address = host.heap?.allocate(read64(w, 4, lane)) ?? 0;
  write(w, 4, lane, address % 2 ** 32);
  write(w, 5, lane, Math.floor(address / 2 ** 32));
}

function free(w: Warp, lane: number, host: Host): void {
  const address = read64(w, 4, lane);
  if (host.heap?.free(address) !== true)
    w.fault("trap", 1 << lane, `free of 0x${address.toString(16)}, which malloc did not give`);
}

function assertfail(w: Warp, lane: number, host: Host): void {
  const memory = memoryOf(w, lane);
  const text = (n: number): string => memory.text(read64(w, n, lane)) ?? "?";
  const [message, file, name] = [text(4), text(6), text(10)];
  const at = (v: readonly number[]): string => `[${v.join(",")}]`;
  const thread = [w.tid[0][lane]!, w.tid[1][lane]!, w.tid[2][lane]!];
  const where = `block: ${at(w.cta.index)}, thread: ${at(thread)}`;
  host.print(`${file}:${read32(w, 8, lane)}: ${name}: ${where} Assertion \`${message}\` failed.\n`);
  w.fault("trap", 1 << lane, `assertion \`${message}\` failed`);
}

const routines: ReadonlyMap<string, Routine> = new Map([
  ["vprintf", vprintf],
  ["malloc", malloc],
  ["free", free],
  ["__assertfail", assertfail],
]);

export function isHostRoutine(name: string): boolean {
  return routines.has(name) || isRemoteCopy(name) || isGradient(name);
}

function routineNamed(name: string): Routine | undefined {
  if (isRemoteCopy(name)) return (w, lane) => remoteCopy(name, w, lane);
  return isGradient(name) ? (w, lane) => gradient(name, w, lane) : undefined;
}

/** Runs the function for the lanes of the mask, in their order; false where nothing is known of it. */
export function callHost(name: string, w: Warp, mask: number, host: Host): boolean {
  const routine = routines.get(name) ?? routineNamed(name);
  if (routine === undefined) return false;
  for (let lane = 0; lane < LANES; lane++) if ((mask >>> lane) & 1) routine(w, lane, host);
  return true;
}
