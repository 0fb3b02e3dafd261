import { readCubin } from "../elf/cubin/read.js";
import { relocationName } from "../elf/cubin/relocations.js";
import type { CubinFunction, CubinSymbol } from "../elf/index.js";
import { fail, ok, type Result } from "../result.js";
import type { Target } from "../target/types.js";
import { type ArgumentDevice, inputError, placeArguments, surfaceHandle, textureHandle } from "./arguments.js";
import { Heap } from "./host.js";
import type { Launch } from "./launched.js";
import { bankWords, INDEPENDENT_SIZES, type Loaded, load } from "./load.js";
import { GridMachine } from "./machine.js";
import { GlobalMemory, LOCAL_TOP, LOCAL_WINDOW, SHARED_WINDOW } from "./memory.js";
import type { Program } from "./program.js";
import { placeReferences, type ReferencedWord } from "./references.js";
import type { TypedArray } from "./scalar.js";
import type { Image, Surface, Texture } from "./texture/object.js";
import { ObjectTable, SAMPLER_PART, SURFACE_PART, TEXTURE_PART } from "./texture/record.js";
import { beginOnThreads, finish } from "./threads/pool.js";
import type { Dim3, LaunchOptions, Run } from "./types.js";

/** A cubin in a device's memory. */
export interface Module {
  /** Names of the kernels. */
  readonly kernels: readonly string[];
  /** Address and size in bytes of a global variable; null when there is none of that name. */
  symbol(name: string): {
    /** Address in global memory. */
    readonly address: number;
    /** Bytes of the variable. */
    readonly bytes: number;
  } | null;
  /** Bytes of a `__constant__`/`.const` variable, a view: writing to it changes what launches see. Null: none. */
  constant(name: string): Uint8Array | null;
}

class LoadedModule implements Module {
  readonly kernels: readonly string[];
  constructor(readonly loaded: Loaded) {
    this.kernels = loaded.cubin.functions.filter((f) => f.kind === "entry").map((f) => f.name);
  }

  private find(name: string, has: (s: CubinSymbol) => boolean): CubinSymbol | undefined {
    return this.loaded.cubin.symbols.find((s) => s.name === name && has(s));
  }

  symbol(name: string): { readonly address: number; readonly bytes: number } | null {
    const s = this.find(name, (x) => this.loaded.sections.has(x.section));
    return s === undefined ? null : { address: this.loaded.sections.get(s.section)! + s.value, bytes: s.size };
  }

  constant(name: string): Uint8Array | null {
    const s = this.find(name, (x) => x.sectionName === ".nv.constant3");
    const bank = this.loaded.banks.get(3);
    return s === undefined || bank === undefined ? null : bank.subarray(s.value, s.value + s.size);
  }
}

const DEFAULT_BUDGET = 2_000_000_000;
/** Milliseconds between two times that a launch gives way. */
const GIVE_WAY = 20;

/** What is known of a launch before it runs. */
export interface LaunchFacts {
  /** Name of the kernel. */
  readonly kernel: string;
  /** The SM that it was compiled for. */
  readonly target: Target;
  /** CTAs along x, y, z. */
  readonly grid: readonly [number, number, number];
  /** Threads of a CTA along x, y, z. */
  readonly block: readonly [number, number, number];
  /** Registers per thread. */
  readonly registers: number;
  /** Bytes of shared memory per block, static, dynamic and reserved. */
  readonly sharedBytes: number;
  /** Bytes of shared memory per block that belong to the system. */
  readonly sharedReserved: number;
}

/** What a launch has in the device's memory while it runs: arrays with their addresses, textures and surfaces. */
interface Held {
  readonly buffers: Map<TypedArray, number>;
  readonly handles: bigint[];
}

const nothingHeld = (): Held => ({ buffers: new Map(), handles: [] });

/** A simulated GPU: global memory and the modules loaded into it. */
export class Device {
  private readonly global: GlobalMemory = new GlobalMemory();
  /** Copies of the constants and parameters of a module: addresses, 0 for none, and room for so many bytes of parameters. */
  private readonly copies: Map<Loaded, { parameters: number; bytes: number }> = new Map();
  private heap: Heap | null = null;
  private readonly objects: ObjectTable = new ObjectTable(this.global);

  /** Reserves zeroed global memory; the address is aligned to 256 bytes. 0 when the memory is exhausted. */
  alloc(bytes: number): number {
    return this.global.allocate(bytes);
  }

  /** Throws for memory that was not allocated. */
  write(address: number, bytes: Uint8Array): void {
    this.global.write(address, bytes);
  }

  /** A copy of `length` bytes. Throws for memory that was not allocated. */
  read(address: number, length: number): Uint8Array {
    return this.global.read(address, length);
  }

  /** The handle of a texture object that stays until `destroyObject`; its texels are at an address. */
  createTexture(texture: Texture): Result<bigint> {
    return this.create(texture, textureHandle);
  }

  /** The handle of a surface object that stays until `destroyObject`; its texels are at an address. */
  createSurface(surface: Surface): Result<bigint> {
    return this.create(surface, surfaceHandle);
  }

  private create<T extends Image>(
    object: T,
    make: (object: T, device: ArgumentDevice) => bigint | string,
  ): Result<bigint> {
    if (ArrayBuffer.isView(object.data)) return fail([inputError("what stays needs texels at an address")]);
    const handle = make(object, this.holder(nothingHeld()));
    return typeof handle === "string" ? fail([inputError(handle)]) : ok(handle);
  }

  /** Ends a texture or surface object. */
  destroyObject(handle: bigint): void {
    this.objects.remove(handle);
  }

  /** Where arguments go: arrays are copied into memory once. */
  private holder(held: Held): ArgumentDevice {
    return {
      addressOf: (array) => {
        let address = held.buffers.get(array);
        if (address === undefined) {
          address = this.global.allocate(array.byteLength);
          if (address !== 0) this.global.write(address, bytesOf(array));
          held.buffers.set(array, address);
        }
        return address;
      },
      addObject: (record, kind) => {
        const handle = this.objects.add(record, kind);
        if (handle !== 0n) held.handles.push(handle);
        return handle;
      },
    };
  }

  /** Loads a cubin: lays out its variables, applies its relocations, decodes its code. */
  load(cubin: Uint8Array): Result<Module> {
    const parsed = readCubin(cubin);
    if (!parsed.ok) return parsed;
    const loaded = load(parsed.value, this.global);
    return loaded.ok ? ok(new LoadedModule(loaded.value)) : loaded;
  }

  /** Checks a launch without running it. */
  facts(module: Module, options: LaunchOptions): Result<LaunchFacts> {
    if (!(module instanceof LoadedModule)) return fail([inputError("the module was not made by Device.load")]);
    const kernel = chooseKernel(module.loaded, options.kernel);
    if (!kernel.ok) return kernel;
    const shape = checkShape(kernel.value, module.loaded.target, options);
    if (!shape.ok) return shape;
    const { name, registers, sharedReserved } = kernel.value;
    return ok({ ...shape.value, kernel: name, target: module.loaded.target, registers, sharedReserved });
  }

  /** Runs a grid to its end or its fault. Typed arrays among the arguments are copied in and back. */
  launch(module: Module, options: LaunchOptions): Result<Run> {
    const ready = this.prepare(module, options);
    if (!ready.ok) return ready;
    const { launch } = ready.value;
    const threaded = beginOnThreads(launch, options.threads ?? 1);
    const run = threaded === null ? new GridMachine(launch).run() : finish(threaded);
    this.copyBack(ready.value.held);
    return ok(run);
  }

  /**
   * The same, giving way every 20 ms to what else the host has to do: a page stays alive, and `options.signal` can be aborted.
   * The device must be left alone until it is done.
   */
  async launchGivingWay(module: Module, options: LaunchOptions): Promise<Result<Run>> {
    const ready = this.prepare(module, options);
    if (!ready.ok) return ready;
    const { launch } = ready.value;
    const threaded = beginOnThreads(launch, options.threads ?? 1);
    if (threaded === null) {
      const run = await new GridMachine(launch).runGivingWay(() => pause(0), GIVE_WAY);
      this.copyBack(ready.value.held);
      return ok(run);
    }
    while (!threaded.wait(0)) {
      await pause(1);
      if (options.signal?.aborted) threaded.stop();
    }
    const run = threaded.run();
    this.copyBack(ready.value.held);
    return ok(run);
  }

  /** The arrays of a launch get what is in memory, which is free for the next one. */
  private copyBack(held: Held): void {
    for (const [array, address] of held.buffers) bytesOf(array).set(this.global.read(address, array.byteLength));
    this.release(held);
  }

  private release({ buffers, handles }: Held): void {
    for (const address of [...buffers.values()].reverse()) if (address !== 0) this.global.release(address);
    for (const handle of handles) this.objects.remove(handle);
  }

  /** A launch that is ready to run, and what it holds. */
  private prepare(module: Module, options: LaunchOptions): Result<{ readonly launch: Launch; readonly held: Held }> {
    if (!(module instanceof LoadedModule)) return fail([inputError("the module was not made by Device.load")]);
    const { loaded } = module;
    const kernel = chooseKernel(loaded, options.kernel);
    if (!kernel.ok) return kernel;
    const shape = checkShape(kernel.value, loaded.target, options);
    if (!shape.ok) return shape;
    const held = nothingHeld();
    const bank0 = this.bank0(loaded, kernel.value, shape.value, options, held);
    if (!bank0.ok) {
      this.release(held);
      return bank0;
    }
    const banks: Int32Array[] = [];
    for (const [bank, bytes] of loaded.banks) banks[bank] = bankWords(bytes);
    banks[0] = bank0.value;
    if (kernel.value.constant2 !== null) banks[2] = bankWords(kernel.value.constant2);
    const launch: Launch = {
      program: loaded.program,
      kernel: kernel.value.name,
      entry: loaded.program.functions.find((f) => f.cubin.name === kernel.value.name)!.first,
      global: this.global,
      heap: this.heapFor(loaded.program),
      banks,
      objects: this.objects.address,
      grid: shape.value.grid,
      block: shape.value.block,
      cluster: shape.value.cluster,
      sharedBytes: shape.value.sharedBytes,
      dynamicShared: options.sharedBytes ?? 0,
      sharedReserved: kernel.value.sharedReserved,
      budget: options.maxInstructions ?? DEFAULT_BUDGET,
      ...(options.maxSeconds !== undefined && { seconds: options.maxSeconds }),
      ...(options.signal && { signal: options.signal }),
      profile: options.profile ?? false,
      races: options.races ?? false,
      registers: options.registers ?? false,
      ...(options.tracer && { tracer: options.tracer }),
      ...(options.only && { only: options.only }),
      ...(options.engine && { engine: options.engine }),
      ...(options.order !== undefined && { order: options.order }),
      ...(options.completion !== undefined && { completion: options.completion }),
    };
    return ok({ launch, held });
  }

  /** Constants (load.ts) and parameters stand in global memory, too, for who has their generic addresses; bank 0 says where. */
  private windows(loaded: Loaded, parameters: Uint8Array, put: (at: number, ...values: number[]) => void): void {
    const c = loaded.target.constants;
    let copies = this.copies.get(loaded);
    if (copies === undefined) {
      copies = { parameters: 0, bytes: -1 };
      this.copies.set(loaded, copies);
    }
    if (copies.bytes < parameters.length) {
      copies.parameters = this.alloc(c.paramBase + parameters.length);
      copies.bytes = parameters.length;
    }
    put(c.constantWindow, ...wordsOf(loaded.constantWindow));
    if (copies.parameters === 0) return;
    // At the same distance from an aligned address as in the bank, so that they are aligned alike.
    const start = copies.parameters + c.paramBase;
    this.write(start, parameters);
    if (loaded.target.has("clusters")) {
      put(c.paramWindow, ...wordsOf(start));
      put(c.paramEnd, ...wordsOf(start + parameters.length));
    } else {
      // Before sm_90 bank 0 as a whole has an address.
      put(c.paramWindow, ...wordsOf(copies.parameters));
      put(c.paramEnd, c.paramBase + parameters.length);
    }
  }

  /** Made once a kernel may ask for it: device memory must not move while one runs. */
  private heapFor(program: Program): Heap | null {
    if (program.outside.includes("malloc")) this.heap ??= new Heap(this.global);
    return this.heap;
  }

  /** Constant bank 0 of a launch: dimensions, windows, stack pointer, arguments. */
  private bank0(
    loaded: Loaded,
    kernel: CubinFunction,
    shape: Shape,
    options: LaunchOptions,
    held: Held,
  ): Result<Int32Array> {
    const { target } = loaded;
    const words = bankWords(kernel.constant0, kernel.paramBase + kernel.paramBytes);
    const view = new DataView(words.buffer);
    const put = (at: number, ...values: number[]): void => {
      values.forEach((v, i) => {
        if (at + 4 * i + 4 <= view.byteLength) view.setInt32(at + 4 * i, v, true);
      });
    };
    const c = target.constants;
    put(c.ntid, ...shape.block);
    put(c.nctaid, ...shape.grid);
    put(c.sharedWindow, 0, SHARED_WINDOW);
    put(c.localWindow, 0, LOCAL_WINDOW);
    put(c.stackPointer, LOCAL_TOP);
    if (c.memoryDescriptor !== null) put(c.memoryDescriptor, 0, 0);
    if (c.explicitCluster !== null) put(c.explicitCluster, shape.explicitCluster ? 1 : 0);
    const placed = placeArguments(view, kernel.paramBase, kernel.params, options.params ?? [], this.holder(held));
    if (!placed.ok) return placed;
    const words0 = referencedWords(kernel);
    if (typeof words0 === "string") return fail([inputError(words0)]);
    const error = placeReferences(view, words0, options.references ?? {}, this.holder(held));
    if (error !== "") return fail([inputError(error)]);
    this.windows(loaded, new Uint8Array(words.buffer, kernel.paramBase, kernel.paramBytes), put);
    const objects = this.objects.address;
    const apart = loaded.cubin.symbols.some((s) => INDEPENDENT_SIZES.includes(s.name));
    const part = (bytes: number): number[] => wordsOf(objects === 0 ? 0 : objects + bytes);
    put(c.textureRecords, ...part(apart ? TEXTURE_PART : 0));
    put(c.samplerRecords, ...part(SAMPLER_PART));
    put(c.surfaceRecords, ...part(SURFACE_PART));
    const full = [...held.buffers.values()].includes(0);
    return full ? fail([inputError("device memory is exhausted")]) : ok(words);
  }
}

/** A 64-bit address as two words. */
function wordsOf(address: number): [number, number] {
  return [address | 0, Math.floor(address / 2 ** 32)];
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}

function bytesOf(array: TypedArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function chooseKernel(loaded: Loaded, name: string | undefined): Result<CubinFunction> {
  const entries = loaded.cubin.functions.filter((f) => f.kind === "entry");
  const names = entries.map((f) => f.name).join(", ");
  if (name === undefined) {
    if (entries.length === 1) return ok(entries[0]!);
    return fail([inputError(`the cubin has ${entries.length} kernels, name one of: ${names}`)]);
  }
  const found = entries.find((f) => f.name === name);
  return found ? ok(found) : fail([inputError(`no kernel "${name}" in the cubin; it has: ${names || "none"}`)]);
}

interface Shape {
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  readonly cluster: readonly [number, number, number];
  /** The launch or the kernel says that there are clusters. */
  readonly explicitCluster: boolean;
  readonly sharedBytes: number;
}

function dimensions(d: Dim3 | undefined): readonly [number, number, number] {
  if (d === undefined) return [1, 1, 1];
  return typeof d === "number" ? [d, 1, 1] : [d[0], d[1] ?? 1, d[2] ?? 1];
}

function checkShape(kernel: CubinFunction, target: Target, options: LaunchOptions): Result<Shape> {
  const grid = dimensions(options.grid);
  const block = dimensions(options.block);
  const cluster = dimensions(options.cluster ?? kernel.cluster ?? undefined);
  const bad = (message: string): Result<Shape> => fail([inputError(message)]);
  for (const [what, d, limits] of [
    ["grid", grid, [2 ** 31 - 1, 65535, 65535]],
    ["block", block, [1024, 1024, 64]],
    ["cluster", cluster, [16, 16, 16]],
  ] as const) {
    for (let i = 0; i < 3; i++)
      if (!Number.isInteger(d[i]) || d[i]! < 1 || d[i]! > limits[i]!)
        return bad(`${what} [${d.join(", ")}]: every dimension must be an integer from 1 to ${limits.join(", ")}`);
  }
  const threads = block[0] * block[1] * block[2];
  if (threads > target.limits.maxThreadsPerCta)
    return bad(
      `block [${block.join(", ")}] has ${threads} threads, at most ${target.limits.maxThreadsPerCta} are possible`,
    );
  const exact = kernel.reqThreads;
  if (exact?.some((n, i) => n !== block[i]))
    return bad(`${kernel.name} must be launched with a block of [${exact.join(", ")}] (.reqntid)`);
  const most = kernel.maxThreads;
  if (most !== null && threads > most[0] * most[1] * most[2])
    return bad(`${kernel.name} allows at most ${most[0] * most[1] * most[2]} threads per block (.maxntid)`);
  if (!grid.every((n, i) => n % cluster[i]! === 0))
    return bad(`grid [${grid.join(", ")}] is not a multiple of the cluster [${cluster.join(", ")}]`);
  const dynamic = options.sharedBytes ?? 0;
  if (!Number.isInteger(dynamic) || dynamic < 0) return bad(`sharedBytes ${dynamic} is no number of bytes`);
  const sharedBytes = kernel.sharedBytes + dynamic;
  if (sharedBytes > target.limits.sharedPerCta + target.limits.reservedShared)
    return bad(`${sharedBytes} bytes of shared memory per block, ${target.name} has ${target.limits.sharedPerCta}`);
  const explicitCluster = options.cluster !== undefined || kernel.cluster !== null;
  return ok({ grid, block, cluster, explicitCluster, sharedBytes });
}

const referenceKinds: Readonly<Record<string, ReferencedWord["kind"]>> = {
  R_CUDA_TEX_HEADER_INDEX: "texture",
  R_CUDA_SAMP_HEADER_INDEX: "sampler",
  R_CUDA_SAMP_HEADER_INDEX_0: "sampler",
  R_CUDA_SURF_HEADER_INDEX: "surface",
};

/** Words of bank 0 that stand for textures, samplers and surfaces; a text says what is not known. */
function referencedWords(kernel: CubinFunction): readonly ReferencedWord[] | string {
  const words: ReferencedWord[] = [];
  for (const r of kernel.constant0Relocs) {
    const type = relocationName(r.type);
    const kind = Object.hasOwn(referenceKinds, type) ? referenceKinds[type] : undefined;
    if (kind === undefined) return `relocation ${type} of constant bank 0 is not supported by the simulator`;
    words.push({ name: r.symbol.name, kind, offset: r.offset, above: type === "R_CUDA_SAMP_HEADER_INDEX" });
  }
  return words;
}
