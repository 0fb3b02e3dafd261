/** The part of the WebAssembly interface of the host that is used here; browsers and Node have it. */

export interface HostMemory {
  readonly buffer: ArrayBuffer;
  /** Adds pages of 64 KiB; throws where there is no room. */
  grow(pages: number): number;
}

interface Host {
  readonly Memory: new (size: { initial: number; maximum: number }) => HostMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, unknown>> };
  validate(bytes: Uint8Array): boolean;
}

/** Null where the host has no WebAssembly. */
export const wasm: Host | null = (globalThis as { WebAssembly?: Host }).WebAssembly ?? null;
