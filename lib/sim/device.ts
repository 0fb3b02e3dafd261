import { InternalError } from "../errors.js";
import type { Result } from "../result.js";
import type { LaunchOptions, Run } from "./types.js";

/** A cubin in a device's memory. */
export interface Module {
  /** Names of the kernels. */
  readonly kernels: readonly string[];
  /** Address and size in bytes of a `__device__`/`.global` variable; null when there is none of that name. */
  symbol(name: string): { readonly address: number; readonly bytes: number } | null;
}

/** A simulated GPU: global memory and the modules loaded into it. */
export class Device {
  /** Reserves zeroed global memory; the address is aligned to 256 bytes. */
  alloc(_bytes: number): number {
    throw new InternalError("not built");
  }
  write(_address: number, _bytes: Uint8Array): void {
    throw new InternalError("not built");
  }
  /** A copy of `length` bytes. */
  read(_address: number, _length: number): Uint8Array {
    throw new InternalError("not built");
  }
  /** Loads a cubin: lays out its variables, applies its relocations, decodes its code. */
  load(_cubin: Uint8Array): Result<Module> {
    throw new InternalError("not built");
  }
  /** Runs a grid to its end or its fault. Typed arrays among the arguments are copied in and back. */
  launch(_module: Module, _options: LaunchOptions): Result<Run> {
    throw new InternalError("not built");
  }
}
