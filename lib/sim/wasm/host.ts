/** The part of the WebAssembly interface of the host that is used here; browsers and Node have it. */

/** Under it a thread of several on one memory says its number (threads/worker.ts), and layout.ts asks for it. */
export const threadSymbol: unique symbol = Symbol.for("ptxlab.simulator.thread") as never;

/** Pages of 64 KiB that a memory may grow to. */
export const MOST_PAGES = 0x10000;

export interface HostMemory {
  readonly buffer: ArrayBufferLike;
  /** Adds pages of 64 KiB; throws where there is no room. */
  grow(pages: number): number;
}

interface Host {
  readonly Memory: new (size: { initial: number; maximum: number; shared?: boolean }) => HostMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, unknown>> };
  validate(bytes: Uint8Array): boolean;
}

/** Null where the host has no WebAssembly. */
export const wasm: Host | null = (globalThis as { WebAssembly?: Host }).WebAssembly ?? null;
