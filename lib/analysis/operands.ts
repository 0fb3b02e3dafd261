/**
 * Memory operands with what is known of their base: which kernel parameter, word of a constant bank, symbol, frame or
 * window an address starts from, and what is added to it.
 *
 * A base is a term of the address sum (affine.ts) with coefficient 1 of which nothing else qualifies better: the stack
 * pointer, a symbol, a 64-bit word of a constant bank. Through joins (pointers that a loop advances) it is the one base
 * that all paths agree on; what is added along them is then not known as a sum. Shared and local addresses without such a
 * term count from the start of their window.
 */

import { sregName } from "../isa/sreg.js";
import type { Space } from "../isa/types.js";
import { File, type Func, type Inst } from "../ori/types.js";
import { type Affine, type Atom, instOf } from "./affine.js";
import { type Address, apart, same } from "./alias.js";
import { analysis } from "./cache.js";
import { comparable, type MemoryEffect, memoryEffect, Order } from "./memory.js";
import type { Sum } from "./sums.js";

/** Where an address starts. */
export type AddressBase =
  /** A kernel parameter: byte offset in the parameters. */
  | {
      readonly kind: "parameter";
      /** Byte offset in the parameters. */
      readonly offset: number;
    }
  /** A word of a constant bank that is no parameter. */
  | {
      readonly kind: "constant";
      /** Number of the constant bank. */
      readonly bank: number;
      /** Byte offset in the bank. */
      readonly offset: number;
    }
  /** A variable or function by relocation. */
  | {
      readonly kind: "symbol";
      /** Name of the variable or function. */
      readonly name: string;
    }
  /** The stack pointer. */
  | { readonly kind: "stack" }
  /** The start of shared or local memory, or address 0 of global memory. */
  | { readonly kind: "window" }
  /** None of these, or several. */
  | { readonly kind: "unknown" };

/** A part of an address: a number of the thread times a coefficient. */
export interface IndexTerm {
  /** Signed, in bytes per unit. */
  readonly coefficient: number;
  /** `SR_TID.X`, `c[0x0][0x170]`, `R4 at +0x120` (the value that the instruction at that index of the function defines). */
  readonly value: string;
  /** Greatest unsigned value. */
  readonly most: number;
}

/** A memory access of an instruction, with what is known of its address. */
export interface MemoryOperand {
  /** The instruction that accesses memory. */
  readonly inst: Inst;
  /** Id of its block. */
  readonly block: number;
  /** State space of the access. */
  readonly space: Space;
  /** What is done: a read, a write, or both at once. */
  readonly access: "load" | "store" | "atomic" | "reduce";
  /** Bytes per thread, 0 when not known. */
  readonly bytes: number;
  /** Where the address starts. */
  readonly base: AddressBase;
  /** Bytes added to base and index terms (modulo 2^32, signed); null when the address is known only by its base. */
  readonly offset: number | null;
  /** What depends on the thread or on values, added to the base. */
  readonly index: readonly IndexTerm[];
  /** The address as a sum, for questions about which accesses may meet. */
  readonly address: Address;
}

/** Memory accesses of a function in layout order. Constant banks (LDC) and fences are none. */
export function memoryOperands(func: Func): MemoryOperand[] {
  const addresses = analysis(func, "addresses");
  const { flat } = addresses.affine.names;
  const bases = new Bases(func, addresses.affine);
  const out: MemoryOperand[] = [];
  flat.insts.forEach((inst, i) => {
    const { memory } = inst.form;
    const e = memoryEffect(inst.form);
    if (memory === null || memory.access === "prefetch" || memory.access === "fence") return;
    if (memory.space === "const" || memory.space === "param") return;
    const address = addresses.at(i);
    const { base, offset, index } = bases.describe(address.sum, memory.space);
    out.push({
      inst,
      block: (func.blocks[flat.block[i] as number] as Func["blocks"][number]).id,
      space: memory.space,
      access: memory.access,
      bytes: e.order === Order.Access ? e.bytes : memory.bytes,
      base,
      offset,
      index,
      address,
    });
  });
  return out;
}

/** Whether two accesses of one thread in one block touch the same bytes: never, always, or perhaps. */
export function aliasOf(a: MemoryOperand, b: MemoryOperand): "never" | "always" | "perhaps" {
  const first = memoryEffect(a.inst.form);
  const second = memoryEffect(b.inst.form);
  const places = (e: typeof first): number => e.reads | e.writes | e.addressed;
  const shared = places(first) & places(second);
  if (shared === 0 || readsOnly(first, second) || readsOnly(second, first)) return "never";
  if ((shared & ~(first.addressed & second.addressed)) !== 0 || !comparable(first, second)) return "perhaps";
  if (apart(a.address, b.address)) return "never";
  return same(a.address, b.address) ? "always" : "perhaps";
}

/** `LDG.CONSTANT` reads what nothing writes. */
function readsOnly(load: MemoryEffect, store: MemoryEffect): boolean {
  return load.order === Order.Free && store.writes !== 0;
}

interface Described {
  readonly base: AddressBase;
  readonly offset: number | null;
  readonly index: readonly IndexTerm[];
}

const unknown: AddressBase = { kind: "unknown" };

/** Names that are looked through for one base. */
const MAX_NAMES = 256;

class Bases {
  private readonly known = new Map<number, AddressBase>();
  private readonly stackUnits: ReadonlySet<number>;

  constructor(
    private readonly func: Func,
    private readonly affine: Affine,
  ) {
    const { units } = affine.names.flat;
    const at: number[] = [];
    if (!units.virtual) at.push((units.base[File.R] as number) + 1);
    else
      for (let v = 0; v < func.values.count; v++)
        if (func.values.file(v) === File.R && func.values.fixed(v) === 1) at.push(units.base[v] as number);
    this.stackUnits = new Set(at);
  }

  describe(sum: Sum | null, space: Space): Described {
    if (sum === null) return { base: unknown, offset: null, index: [] };
    const window = space === "shared" || space === "local";
    const own = this.best(sum, window);
    const taken = own?.term ?? -1;
    const index: IndexTerm[] = [];
    for (let k = 0; k < sum.terms.length; k += 2) {
      if (k === taken) continue;
      const atom = this.affine.atoms[sum.terms[k] as number] as Atom;
      index.push({ coefficient: sum.terms[k + 1] as number, value: this.text(atom), most: atom.most });
    }
    if (own !== null) return { base: own.base, offset: own.through ? null : sum.constant, index };
    return { base: window || index.length === 0 ? { kind: "window" } : unknown, offset: sum.constant, index };
  }

  /** The term that is the base, and whether it is one through joins; null for none or several. */
  private best(sum: Sum, window: boolean): { base: AddressBase; term: number; through: boolean } | null {
    for (const through of [false, true]) {
      let found: { base: AddressBase; term: number; through: boolean } | null = null;
      let rank = 0;
      let several = false;
      for (let k = 0; k < sum.terms.length; k += 2) {
        if (sum.terms[k + 1] !== 1) continue;
        const atom = this.affine.atoms[sum.terms[k] as number] as Atom;
        const base = through ? this.joined(atom) : this.direct(atom);
        if (base.kind === "unknown" || (window && base.kind !== "stack" && base.kind !== "symbol")) continue;
        const r = ranks[base.kind];
        several = r === rank;
        if (r < rank) continue;
        rank = r;
        found = { base, term: k, through };
      }
      if (found !== null) return several ? null : found;
    }
    return null;
  }

  private direct(atom: Atom): AddressBase {
    switch (atom.what) {
      case "symbol":
        return { kind: "symbol", name: atom.symbol };
      case "constant":
        return this.word(atom);
      case "name":
        return this.stackUnits.has(this.unit(atom.id)) ? { kind: "stack" } : unknown;
      default:
        return unknown;
    }
  }

  /** A word of a constant bank, when it may be the low half of a pointer. */
  private word({ id: bank, offset }: Atom): AddressBase {
    const { constants } = this.func.target;
    if (bank !== 0) return { kind: "constant", bank, offset };
    if (offset === constants.stackPointer) return { kind: "stack" };
    const at = offset - constants.paramBase;
    if (at < 0) {
      const { sharedWindow, localWindow, constantWindow } = constants;
      const pointer = [sharedWindow, localWindow, constantWindow].includes(offset);
      return pointer ? { kind: "constant", bank, offset } : unknown;
    }
    const param = this.func.params.find((p) => p.offset <= at && at < p.offset + p.size);
    const wide = param === undefined ? at % 8 === 0 : param.size >= 8 && (at - param.offset) % 8 === 0;
    return wide ? { kind: "parameter", offset: at } : unknown;
  }

  /** The base that all values which may be in a name agree on. */
  private joined(atom: Atom): AddressBase {
    if (atom.what !== "name") return unknown;
    let base = this.known.get(atom.id);
    if (base === undefined) {
      base = this.common(atom.id);
      this.known.set(atom.id, base);
    }
    return base;
  }

  private common(start: number): AddressBase {
    const seen = new Set([start]);
    let base: AddressBase | null = null;
    for (const name of seen) {
      if (seen.size > MAX_NAMES) return unknown;
      const sums = this.sumsIn(name);
      if (sums === null) return unknown;
      for (const sum of sums) {
        const own = this.own(sum, seen);
        if (own === null) continue;
        if (own.kind === "unknown" || (base !== null && !sameBase(base, own))) return unknown;
        base = own;
      }
    }
    return base ?? unknown;
  }

  /** What may be in a name, as sums; null when that is not known. */
  private sumsIn(name: number): Sum[] | null {
    const { names } = this.affine;
    const joined = names.joins.get(name);
    if (joined !== undefined) return joined.map((n) => this.affine.of(n));
    const before = names.before[name] ?? -1;
    if (before < 0) return this.choices(name);
    const written = this.affine.written(name);
    return written === null ? null : [this.affine.of(before), written];
  }

  /** Sources of a selection, or of a move between files. */
  private choices(name: number): Sum[] | null {
    const { flat, entry, first } = this.affine.names;
    const d = entry[name];
    if (d === undefined || name !== first[d]) return null;
    const at = instOf(flat.defStart, d);
    const { form } = flat.insts[at] as Inst;
    const slots = form.op === "SEL" || form.op === "USEL" ? ["a", "b"] : form.op === "R2UR" ? ["a"] : [];
    const sums = slots.map((s) =>
      this.affine.source(
        at,
        form.srcs.findIndex((x) => x.name === s),
      ),
    );
    return sums.length > 0 && sums.every((s) => s !== null) ? sums : null;
  }

  /** The base of one way; null when it is one of the names that are looked at, or becomes one. */
  private own(sum: Sum, seen: Set<number>): AddressBase | null {
    const own = this.best1(sum);
    if (own !== null) return own;
    // One name with coefficient 1 that is itself made of several.
    let next = -1;
    for (let k = 0; k < sum.terms.length; k += 2) {
      const atom = this.affine.atoms[sum.terms[k] as number] as Atom;
      if (sum.terms[k + 1] !== 1 || atom.what !== "name") continue;
      if (seen.has(atom.id)) return null;
      if (this.sumsIn(atom.id) === null) continue;
      if (next >= 0) return unknown;
      next = atom.id;
    }
    if (next < 0) return unknown;
    seen.add(next);
    return null;
  }

  private best1(sum: Sum): AddressBase | null {
    let found: AddressBase | null = null;
    for (let k = 0; k < sum.terms.length; k += 2) {
      if (sum.terms[k + 1] !== 1) continue;
      const base = this.direct(this.affine.atoms[sum.terms[k] as number] as Atom);
      if (base.kind === "unknown") continue;
      if (found !== null) return unknown;
      found = base;
    }
    return found;
  }

  private unit(name: number): number {
    const { names } = this.affine;
    const d = names.entry[name];
    return d === undefined ? names.unitOf(name) : (names.flat.defUnit[d] as number) + name - (names.first[d] as number);
  }

  private text(atom: Atom): string {
    if (atom.what === "special") return sregName(atom.id);
    if (atom.what === "constant") return `c[0x${atom.id.toString(16)}][0x${atom.offset.toString(16)}]`;
    if (atom.what === "symbol") return atom.offset === 0 ? atom.symbol : `${atom.symbol}+0x${atom.offset.toString(16)}`;
    const { names } = this.affine;
    const { units } = names.flat;
    const unit = this.unit(atom.id);
    const file = units.file[unit] === File.UR ? "UR" : "R";
    const register = units.virtual ? `%${units.owner[unit]}` : `${file}${units.owner[unit]}`;
    const d = names.entry[atom.id];
    if (d === undefined) return register;
    const { id, form } = names.flat.insts[instOf(names.flat.defStart, d)] as Inst;
    return `${register} of ${form.name} #${id}`;
  }
}

const ranks: Readonly<Record<AddressBase["kind"], number>> = {
  unknown: 0,
  window: 0,
  constant: 1,
  parameter: 1,
  symbol: 2,
  stack: 3,
};

function sameBase(a: AddressBase, b: AddressBase): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
