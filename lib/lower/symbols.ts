/** Variables of the module: layout, initial bytes, and which functions mention them. */
import type { ModuleSymbol } from "../ori/types.js";
import type { Declaration, Expr, Initializer, Variable as PtxVariable } from "../ptx/ast.js";
import { f32Bits, f64Bits } from "./float-bits.js";
import { Refusal } from "./refusal.js";
import type { Space, Variable } from "./scope.js";
import { bytesOf, type PtxType, typeNamed } from "./types.js";
import { layoutOf } from "./variables.js";

const spaces: Readonly<Record<string, ModuleSymbol["space"]>> = {
  global: "global",
  const: "const",
  shared: "shared",
  "shared::cta": "shared",
};

interface Draft extends Omit<ModuleSymbol, "users"> {
  readonly users: Set<string>;
}

export class Symbols {
  private readonly drafts: Map<string, Draft>;

  constructor() {
    this.drafts = new Map();
  }

  /**
   * Adds a variable, of the module or of the function `owner`, and returns what its name means. A name that is taken gets
   * the function's name in front.
   */
  declare(d: Declaration, v: PtxVariable, owner: string | null): Variable {
    const base = d.space.replace(/\[.*$/, "");
    const space = Object.hasOwn(spaces, base) ? spaces[base] : undefined;
    if (space === undefined || v.count !== null) throw new Refusal();
    const managed = d.attributes.some((a) => a.name === "managed");
    if (d.attributes.length > (managed ? 1 : 0)) throw new Refusal();
    const bank = base === d.space ? 0 : Number(/\[(\d+)\]/.exec(d.space)?.[1] ?? Number.NaN);
    if (bank !== 0) throw new Refusal();
    const { type, dims } = sized(d, v);
    const layout = layoutOf(d.type, d.vector, dims, d.align);
    const taken = this.drafts.get(v.name);
    const name = taken !== undefined && owner !== null ? `$${owner}$${v.name}` : v.name;
    if (taken === undefined || name !== v.name || taken.linkage === "extern") {
      const data = initialBytes(v.init, type, d.vector ?? 1, dims, layout.size);
      this.drafts.set(name, {
        name,
        space,
        bank,
        size: layout.size,
        align: layout.align,
        linkage: d.linkage ?? "internal",
        ...(managed && { managed }),
        init: data.bytes,
        pointers: data.pointers,
        users: taken !== undefined && name === v.name ? taken.users : new Set(),
      });
    }
    // ptxas gives a function the shared variables declared in it, mentioned or not; of the module's those that it mentions.
    if (owner !== null && space === "shared" && d.linkage !== "extern") this.use(name, owner);
    return {
      kind: "variable",
      space: space as Space,
      symbol: name,
      offset: 0,
      size: layout.size,
      element: layout.element,
      bank,
    };
  }

  use(symbol: string, func: string): void {
    this.drafts.get(symbol)?.users.add(func);
  }

  /** What one function mentions, another mentions too. */
  share(from: string, to: string): void {
    for (const d of this.drafts.values()) if (d.users.has(from)) d.users.add(to);
  }

  /** Bytes of static shared memory that a function mentions, laid out in order of declaration. */
  sharedBytes(func: string): number {
    let size = 0;
    for (const d of this.drafts.values()) {
      if (d.space !== "shared" || !d.users.has(func)) continue;
      size = Math.ceil(size / d.align) * d.align + d.size;
    }
    return size;
  }

  /** Bytes of all constants, laid out in order of declaration. */
  constantBytes(): number {
    let size = 0;
    for (const d of this.drafts.values()) {
      if (d.space === "const") size = Math.ceil(size / d.align) * d.align + d.size;
    }
    return size;
  }

  /** `whole`: nobody links it, so that variables from outside become its own, as ptxas does with a warning. */
  list(whole = true): ModuleSymbol[] {
    return [...this.drafts.values()].map((d) => {
      const own = whole && d.linkage === "extern" && d.space !== "shared";
      return { ...d, linkage: own ? "visible" : d.linkage, users: [...d.users] };
    });
  }
}

/** Extents with a first `[]` counted from the initializer. */
function sized(d: Declaration, v: PtxVariable): { type: PtxType; dims: (number | null)[] } {
  const type = typeNamed(d.type);
  if (type === null) throw new Refusal();
  const dims = v.dims.slice();
  if (dims.length > 0 && dims[0] === null && v.init !== null) {
    if (v.init.kind !== "list") throw new Refusal();
    dims[0] = v.init.elements.length;
  }
  return { type, dims };
}

type Pointer = ModuleSymbol["pointers"][number];

function initialBytes(
  init: Initializer | null,
  type: PtxType,
  vector: number,
  dims: readonly (number | null)[],
  size: number,
): { bytes: Uint8Array | null; pointers: Pointer[] } {
  if (init === null) return { bytes: null, pointers: [] };
  // Only as far as the text goes: an array may be far larger than its initial values.
  const bytes = new Uint8Array(Math.min(size, endOf(init, dims, vector, bytesOf(type))));
  const pointers: Pointer[] = [];
  const extents = dims.map((n) => n ?? 0);
  if (vector > 1) extents.push(vector);
  const fill = (node: Initializer, level: number, at: number): void => {
    if (node.kind !== "list") {
      store(bytes, pointers, at, type, node);
      return;
    }
    // Braces may be left out around inner rows: a flat list fills elements in order.
    const flat = level >= extents.length || node.elements.some((e) => e.kind !== "list");
    let stride = bytesOf(type);
    if (!flat) for (const n of extents.slice(level + 1)) stride *= n;
    node.elements.forEach((e, i) => {
      if (flat && e.kind === "list") throw new Refusal();
      fill(e, level + 1, at + i * stride);
    });
  };
  fill(init, 0, 0);
  return { bytes, pointers };
}

/** Bytes up to the end of the last initial value. */
function endOf(init: Initializer, dims: readonly (number | null)[], vector: number, element: number): number {
  const extents = dims.map((n) => n ?? 0);
  if (vector > 1) extents.push(vector);
  const end = (node: Initializer, level: number): number => {
    if (node.kind !== "list") return element;
    const flat = level >= extents.length || node.elements.some((e) => e.kind !== "list");
    const stride = flat ? element : extents.slice(level + 1).reduce((n, d) => n * d, element);
    return node.elements.reduce((most, e, i) => Math.max(most, i * stride + end(e, level + 1)), 0);
  };
  return end(init, 0);
}

function store(bytes: Uint8Array, pointers: Pointer[], at: number, type: PtxType, e: Expr): void {
  const size = bytesOf(type);
  if (at + size > bytes.length) throw new Refusal();
  const address = symbolAddress(e);
  if (address !== null) {
    if (address.byte === undefined ? size !== 8 && size !== 4 : size !== 1) throw new Refusal();
    pointers.push({ offset: at, ...address, bytes: size });
    return;
  }
  const view = new DataView(bytes.buffer);
  const [low, high] = constantBits(e, type);
  if (size === 8) {
    view.setUint32(at, low, true);
    view.setUint32(at + 4, high, true);
  } else if (size === 4) view.setUint32(at, low, true);
  else if (size === 2) view.setUint16(at, low & 0xffff, true);
  else if (size === 1) view.setUint8(at, low & 0xff);
  else throw new Refusal();
}

interface SymbolAddress {
  readonly symbol: string;
  readonly addend: number;
  readonly generic: boolean;
  readonly byte?: number;
}

/** The byte that 0xff, 0xff00 … leaves of an address; null for other masks. */
function byteOfMask(mask: { readonly lo: number; readonly hi: number }): number | null {
  for (let n = 0; n < 8; n++) {
    const word = (0xff << (8 * (n % 4))) >>> 0;
    if (mask.lo >>> 0 === (n < 4 ? word : 0) && mask.hi >>> 0 === (n < 4 ? 0 : word)) return n;
  }
  return null;
}

function symbolAddress(e: Expr): SymbolAddress | null {
  if (e.kind === "apply" && e.mask?.kind === "int") {
    const [byte, address] = [byteOfMask(e.mask), symbolAddress(e.arg)];
    return byte === null || address === null ? null : { ...address, byte };
  }
  if (e.kind === "symbol") return { symbol: e.name, addend: 0, generic: false };
  if (e.kind === "apply" && e.name === "generic" && e.mask === null) {
    const address = symbolAddress(e.arg);
    return address === null ? null : { ...address, generic: true };
  }
  if (e.kind === "binary" && (e.op === "+" || e.op === "-")) {
    const base = symbolAddress(e.left);
    if (base === null || e.right.kind !== "int") return null;
    const n = e.right.hi === 0 ? e.right.lo >>> 0 : e.right.lo | 0;
    return { ...base, addend: base.addend + (e.op === "+" ? n : -n) };
  }
  return null;
}

function constantBits(e: Expr, type: PtxType): [number, number] {
  if (e.kind === "unary" && e.op === "-") {
    const [low, high] = constantBits(e.arg, type);
    if (e.arg.kind === "float") return type.bits === 64 ? [low, high ^ 0x80000000] : [low ^ 0x80000000, 0];
    return [-low | 0, low === 0 ? -high | 0 : ~high];
  }
  if (e.kind === "int" && type.cls !== "f") return [e.lo, e.hi];
  if (e.kind === "float" && (type.cls === "f" || type.cls === "b")) {
    if (type.bits === 64) return e.width === 64 ? [e.lo, e.hi] : f64Bits(e.lo);
    if (type.bits === 32) return [e.width === 32 ? e.lo : f32Bits(e.lo, e.hi), 0];
  }
  throw new Refusal();
}
