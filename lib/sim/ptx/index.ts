/**
 * The PTX interpreter: runs PTX from its tree as the PTX ISA says, thread by thread, without any part of the compiler or of the
 * simulator of machine code but memory, launch files and printf's formatting. It is the second opinion on what a program means.
 */
import { parse, type Module as Tree } from "../../ptx/index.js";
import { fail, ok, type Result } from "../../result.js";
import { type ArgumentDevice, inputError, placeArguments } from "../arguments.js";
import type { Module } from "../device.js";
import { Heap } from "../host.js";
import { type LaunchFileResult, runLaunchFileOn } from "../launch.js";
import { GlobalMemory } from "../memory.js";
import { bindings } from "../references.js";
import type { TypedArray } from "../scalar.js";
import { ObjectReader, ObjectTable } from "../texture/record.js";
import type { Dim3, LaunchOptions, Run } from "../types.js";
import { type Built, type Kernel, loadModule } from "./module.js";
import { runGrid } from "./run.js";
import type { Launch } from "./state.js";
import { Faulted } from "./types.js";

export { knownInstructions } from "./table.js";

class PtxModule implements Module {
  readonly kernels: readonly string[];
  constructor(
    readonly built: Built,
    readonly target: string,
  ) {
    this.kernels = [...built.kernels.keys()];
  }

  symbol(name: string): { readonly address: number; readonly bytes: number } | null {
    const v = this.built.variables.get(name);
    return v?.space === "global" ? { address: Number(v.address), bytes: v.bytes } : null;
  }

  constant(name: string): Uint8Array | null {
    const v = this.built.variables.get(name);
    if (v?.space !== "const") return null;
    return this.built.constants.subarray(Number(v.address), Number(v.address) + v.bytes);
  }
}

/** Bits of addresses of references that `istypep` asks for. */
const kindBits: Readonly<Record<"texture" | "sampler" | "surface", bigint>> = {
  texture: 61n,
  sampler: 62n,
  surface: 63n,
};

const DEFAULT_BUDGET = 2_000_000_000;

function dimensions(d: Dim3 | undefined): readonly [number, number, number] {
  if (d === undefined) return [1, 1, 1];
  return typeof d === "number" ? [d, 1, 1] : [d[0], d[1] ?? 1, d[2] ?? 1];
}

const bytesOf = (a: TypedArray): Uint8Array => new Uint8Array(a.buffer, a.byteOffset, a.byteLength);

/** Global memory and modules of PTX: as `Device` is for cubins. */
export class PtxDevice {
  private readonly global: GlobalMemory = new GlobalMemory();
  private heap: Heap | null = null;
  private readonly objects: ObjectTable = new ObjectTable(this.global);

  /** As Device.alloc. */
  alloc(bytes: number): number {
    return this.global.allocate(bytes);
  }

  write(address: number, bytes: Uint8Array): void {
    this.global.write(address, bytes);
  }

  read(address: number, length: number): Uint8Array {
    return this.global.read(address, length);
  }

  /** Loads PTX text, or its tree. What the interpreter does not know is refused here, with its place. */
  load(ptx: string | Tree): Result<Module> {
    const tree = typeof ptx === "string" ? parse(ptx) : ok(ptx);
    if (!tree.ok) return tree;
    const built = loadModule(tree.value, this.global);
    if (!built.ok) return built;
    return ok(new PtxModule(built.value, tree.value.target?.names[0] ?? ""));
  }

  /** Runs a grid to its end or its fault. Typed arrays among the arguments are copied in and back. */
  launch(module: Module, options: LaunchOptions): Result<Run> {
    if (!(module instanceof PtxModule)) return fail([inputError("the module was not made by PtxDevice.load")]);
    const name = options.kernel ?? (module.kernels.length === 1 ? module.kernels[0]! : "");
    const kernel = module.built.kernels.get(name);
    if (kernel === undefined)
      return fail([inputError(`no kernel "${name}" in the module; it has: ${module.kernels.join(", ") || "none"}`)]);
    const buffers = new Map<TypedArray, number>();
    const handles: bigint[] = [];
    const ready = this.prepare(module, name, kernel, options, buffers, handles);
    if (!ready.ok) return ready;
    const fault = runGrid(ready.value);
    for (const handle of handles) this.objects.remove(handle);
    for (const [array, address] of buffers) bytesOf(array).set(this.global.read(address, array.byteLength));
    const { steps, output } = ready.value;
    return ok({
      fault,
      warpInstructions: 0,
      threadsUsed: 1,
      threadInstructions: steps,
      profile: null,
      missed: null,
      findings: null,
      output,
    });
  }

  private prepare(
    module: PtxModule,
    name: string,
    kernel: Kernel,
    options: LaunchOptions,
    buffers: Map<TypedArray, number>,
    handles: bigint[],
  ): Result<Launch> {
    const [grid, block] = [dimensions(options.grid), dimensions(options.block)];
    const clusterShape = dimensions(options.cluster ?? kernel.cluster ?? undefined);
    if (!grid.every((n, i) => n % clusterShape[i]! === 0))
      return fail([
        inputError(`grid [${grid.join(", ")}] is not a multiple of the cluster [${clusterShape.join(", ")}]`),
      ]);
    const parameters = new DataView(new ArrayBuffer(kernel.parameterBytes));
    const table = kernel.params.map((p, ordinal) => ({ ordinal, offset: p.offset, size: p.size }));
    const addressOf = (array: TypedArray): number => {
      const known = buffers.get(array);
      if (known !== undefined) return known;
      const address = this.global.allocate(array.byteLength);
      this.global.write(address, bytesOf(array));
      buffers.set(array, address);
      return address;
    };
    const addObject: ArgumentDevice["addObject"] = (record, kind) => {
      const handle = this.objects.add(record, kind);
      handles.push(handle);
      return handle;
    };
    const placed = placeArguments(parameters, 0, table, options.params ?? [], { addressOf, addObject });
    if (!placed.ok) return placed;
    const numberOf = bindings(options.references ?? {}, { addressOf, addObject });
    const bound = new Map<string, bigint>();
    for (const r of module.built.references) {
      const number = numberOf(r.name, r.of);
      // What a kernel does not name need not be bound.
      if (typeof number === "number") bound.set(r.name, BigInt(number));
      else if (Object.hasOwn(options.references ?? {}, r.name)) return fail([inputError(number)]);
    }
    const { built } = module;
    if (built.usesHeap) this.heap ??= new Heap(this.global);
    const dynamicShared = options.sharedBytes ?? 0;
    const { constants } = built;
    return ok({
      kernel: name,
      target: module.target,
      grid,
      block,
      clusterShape,
      explicitCluster: options.cluster !== undefined || kernel.cluster !== null,
      global: this.global,
      heap: this.heap,
      objects: new ObjectReader(this.global, this.objects.address),
      reference: (of, kind) => {
        const number = bound.get(of);
        if (number === undefined) throw new Faulted("illegal-instruction", `nothing is bound to the ${kind} "${of}"`);
        return number | (1n << kindBits[kind]);
      },
      constants: new DataView(constants.buffer, constants.byteOffset, constants.byteLength),
      parameters,
      entry: kernel.code,
      functions: built.functions,
      sharedBytes: built.sharedBytes + dynamicShared,
      dynamicShared,
      budget: options.maxInstructions ?? DEFAULT_BUDGET,
      steps: 0,
      output: "",
    });
  }
}

/** Runs a launch file (lib/sim/launch.ts) on PTX text. Never throws for bad input: status 2 and a message. */
export function interpretLaunchFile(
  ptx: string,
  launch: unknown,
  readFile: (path: string) => Uint8Array | null,
): LaunchFileResult {
  const device = new PtxDevice();
  return runLaunchFileOn(
    { device, load: () => device.load(ptx), launch: (module, options) => device.launch(module, options) },
    launch,
    { readFile },
  );
}
