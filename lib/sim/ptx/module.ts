/** A module in memory: variables laid out and initialized, functions built. */
import { type Diagnostic, notSupported } from "../../diagnostics.js";
import {
  type Declaration,
  type Expr,
  evaluate,
  type FunctionItem,
  type Initializer,
  type Module,
  type Variable,
} from "../../ptx/index.js";
import { fail, ok, type Result } from "../../result.js";
import type { GlobalMemory } from "../memory.js";
import type { Code, Named } from "./code.js";
import { encode, fromNumber, integer } from "./exact.js";
import { FunctionBuilder, layoutOf, type Surroundings } from "./function.js";
import { toGeneric } from "./memory.js";
import { Refusal, type Type, typeNamed, type Value } from "./types.js";

type Placed = { kind: "variable"; space: "global" | "shared" | "const" | "param"; address: Value; bytes: number };

export interface KernelParam {
  readonly offset: number;
  readonly size: number;
}

export interface Kernel {
  readonly code: Code;
  readonly params: readonly KernelParam[];
  readonly parameterBytes: number;
  readonly cluster: readonly [number, number, number] | null;
}

export interface Built {
  readonly kernels: ReadonlyMap<string, Kernel>;
  readonly functions: ReadonlyMap<Value, Code>;
  readonly variables: ReadonlyMap<string, Placed>;
  /** Textures, samplers and surfaces that the module names. */
  readonly references: readonly Referenced[];
  readonly constants: Uint8Array;
  /** Static shared memory of all functions, bytes; dynamic memory begins there. */
  readonly sharedBytes: number;
  readonly usesHeap: boolean;
}

const CODE_BASE = 0x10000n;
/** Where an alignment of shared memory is not given, dynamic memory begins at a multiple of this. */
const SHARED_ALIGN = 1024;
/** What the system keeps for itself at the beginning of shared memory, from sm_90 on; here on all. */
const SHARED_RESERVED = 1024;

const opaque: Readonly<Record<string, "texture" | "sampler" | "surface">> = {
  texref: "texture",
  samplerref: "sampler",
  surfref: "surface",
};

type Referenced = Extract<Named, { kind: "reference" }>;

class Loader implements Surroundings {
  private readonly references = new Map<string, Referenced>();
  private readonly functions = new Map<string, Code>();
  private readonly bodies: { readonly item: FunctionItem; readonly builder: FunctionBuilder }[] = [];
  private readonly aliases = new Map<string, string>();
  readonly variables = new Map<string, Placed>();
  private readonly pending: { readonly d: Declaration; readonly v: Variable; readonly at: Placed }[] = [];
  private readonly dynamic: Placed[] = [];
  private readonly kernels = new Map<string, Kernel>();
  private constantBytes = 0;
  private shared = SHARED_RESERVED;

  constructor(
    private readonly module: Module,
    private readonly global: GlobalMemory,
  ) {}

  lookup(name: string): Named | null {
    const code = this.functions.get(this.aliases.get(name) ?? name);
    if (code !== undefined) return { kind: "function", code: () => code };
    return this.variables.get(name) ?? this.references.get(name) ?? null;
  }

  function(item: FunctionItem): void {
    const known = this.functions.get(item.name);
    if (known !== undefined && (item.body === null || !known.outside)) return;
    const code: Code = {
      name: item.name,
      address: known?.address ?? CODE_BASE + 256n * BigInt(this.functions.size),
      steps: [],
      spans: [],
      registers: 0,
      frameBytes: 0,
      frameAlign: 16,
      params: [],
      returns: [],
      outside: item.body === null,
    };
    this.functions.set(item.name, code);
    const builder = new FunctionBuilder(item, code, this);
    this.bodies.push({ item, builder });
  }

  declare(d: Declaration, v: Variable): Placed {
    const space = d.space.replace(/::.*/, "");
    if (space !== "global" && space !== "const" && space !== "shared")
      throw new Refusal(`a variable in .${d.space}`, v.span);
    const { bytes, align } = layoutOf(d, v.dims, v.span);
    const at: Placed = { kind: "variable", space, address: 0n, bytes };
    if (space === "global") {
      const address = this.global.allocate(Math.max(1, bytes), align);
      if (address === 0) throw new Refusal(`${bytes} bytes of global memory`, v.span);
      at.address = BigInt(address);
    } else if (space === "const") {
      at.address = BigInt(Math.ceil(this.constantBytes / align) * align);
      this.constantBytes = Number(at.address) + bytes;
    } else if (bytes === 0) this.dynamic.push(at);
    else {
      at.address = BigInt(Math.ceil(this.shared / align) * align);
      this.shared = Number(at.address) + bytes;
    }
    if (v.init !== null) this.pending.push({ d, v, at });
    return at;
  }

  private variable(d: Declaration, v: Variable): void {
    const of = Object.hasOwn(opaque, d.type) ? opaque[d.type] : undefined;
    if (of !== undefined && v.dims.length === 0 && v.count === null)
      this.references.set(v.name, { kind: "reference", name: v.name, of });
    // Others are refused where they are used.
    if (typeNamed(d.type) === null) return;
    const known = this.variables.get(v.name);
    const defined = d.linkage !== "extern" || d.space.startsWith("shared");
    if (known !== undefined || !defined) return;
    this.variables.set(v.name, this.declare(d, v));
  }

  private kernel(item: FunctionItem): Map<string, Named> {
    const names = new Map<string, Named>();
    const params: KernelParam[] = [];
    let end = 0;
    for (const p of item.params ?? []) {
      const { bytes, align } = layoutOf(p, p.dims, p.span);
      const offset = Math.ceil(end / align) * align;
      end = offset + bytes;
      params.push({ offset, size: bytes });
      names.set(p.name, { kind: "variable", space: "param", address: BigInt(offset), bytes });
    }
    const given = item.directives.find((x) => x.name === "reqnctapercluster")?.values;
    const cluster = given === undefined ? null : ([given[0] ?? 1, given[1] ?? 1, given[2] ?? 1] as const);
    this.kernels.set(item.name, { code: this.functions.get(item.name)!, params, parameterBytes: end, cluster });
    return names;
  }

  load(): Built {
    for (const item of this.module.items) {
      if (item.kind === "function") this.function(item);
      else if (item.kind === "alias") this.aliases.set(item.name, item.aliasee);
      else if (item.kind === "declaration") for (const v of item.variables) this.variable(item, v);
    }
    // Bodies may add declarations of functions.
    for (const { item, builder } of this.bodies) builder.declare(item.entry ? this.kernel(item) : new Map());
    const base =
      Math.ceil(this.shared / (this.dynamic.length > 0 ? SHARED_ALIGN : 16)) *
      (this.dynamic.length > 0 ? SHARED_ALIGN : 16);
    for (const d of this.dynamic) d.address = BigInt(base);
    const constants = new Uint8Array(this.constantBytes);
    for (const p of this.pending) this.initialize(p.d, p.v, p.at, constants);
    for (const { builder } of this.bodies) builder.build();
    const functions = new Map([...this.functions.values()].map((c) => [c.address, c]));
    const usesHeap = this.functions.has("malloc");
    const references = [...this.references.values()];
    const { kernels, variables } = this;
    return { kernels, functions, variables, references, constants, sharedBytes: base, usesHeap };
  }

  // ---------------------------------------------------------------------------------------------- initializers

  private initialize(d: Declaration, v: Variable, at: Placed, constants: Uint8Array): void {
    const type = typeNamed(d.type)!;
    const bytes = new Uint8Array(at.bytes);
    const dims = [...v.dims.map((n) => n ?? 0), ...(d.vector === null ? [] : [d.vector])];
    this.fill(bytes, 0, v.init!, type, dims);
    if (at.space === "global") this.global.write(Number(at.address), bytes);
    else constants.set(bytes, Number(at.address));
  }

  private fill(bytes: Uint8Array, at: number, init: Initializer, type: Type, dims: readonly number[]): void {
    const size = type.bits / 8;
    if (init.kind === "list") {
      const inner = dims.slice(1);
      const stride = inner.reduce((n, k) => n * k, size);
      init.elements.forEach((e, i) => {
        this.fill(bytes, at + i * stride, e, type, inner);
      });
      return;
    }
    const v = this.element(init, type);
    for (let i = 0; i < size; i++) bytes[at + i] = Number((v >> BigInt(8 * i)) & 0xffn);
  }

  private element(e: Expr, type: Type): Value {
    const c = evaluate(e);
    if (typeof c === "string") return BigInt.asUintN(type.bits, this.symbolic(e));
    if (type.format !== null) return encode(c.kind === "float" ? fromNumber(c.value) : integer(c.value), type.format);
    if (c.kind === "float") throw new Refusal("a float where an integer stands", e.span);
    return BigInt.asUintN(type.bits, c.value);
  }

  /** An expression with addresses in it. */
  private symbolic(e: Expr): bigint {
    switch (e.kind) {
      case "symbol": {
        const found = this.lookup(e.name);
        if (found?.kind === "function") return found.code().address;
        if (found?.kind === "variable") return found.address;
        break;
      }
      case "apply": {
        const v = this.symbolic(e.arg);
        if (e.mask !== null) {
          const mask = evaluate(e.mask);
          if (typeof mask === "string" || mask.kind !== "int" || mask.value === 0n) break;
          const low = mask.value & -mask.value;
          return (v & mask.value) / low;
        }
        const found = e.arg.kind === "symbol" ? this.lookup(e.arg.name) : null;
        if (e.name === "generic") return found?.kind === "variable" ? toGeneric(found.space, v) : v;
        break;
      }
      case "binary": {
        if (e.op === "+") return this.symbolic(e.left) + this.symbolic(e.right);
        if (e.op === "-") return this.symbolic(e.left) - this.symbolic(e.right);
        break;
      }
      case "cast":
        return this.symbolic(e.arg);
      default: {
        const c = evaluate(e);
        if (typeof c !== "string" && c.kind === "int") return c.value;
      }
    }
    throw new Refusal("this initializer", e.span);
  }
}

/** Lays out a parsed module in the memory of a device. What is not known is refused with its place. */
export function loadModule(module: Module, global: GlobalMemory): Result<Built> {
  try {
    return ok(new Loader(module, global).load());
  } catch (e) {
    if (e instanceof Refusal) {
      const refused: Diagnostic = notSupported(e.message, e.span);
      return fail([refused]);
    }
    throw e;
  }
}
