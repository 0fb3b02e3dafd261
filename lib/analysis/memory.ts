/**
 * What an instruction does to memory, and which pairs must keep their order.
 *
 * Places are bit sets of state spaces: a generic address may be global, shared or local. Two accesses conflict when
 * one of them writes, their places meet, and their addresses may overlap; addresses are told apart by addresses.ts.
 * Constant banks are never written while a kernel runs; what `LDG.CONSTANT` reads must not be either (PTX ISA, ld.global.nc).
 *
 * Fences order everything but local memory. Which instructions are fences is decided here, conservatively: barriers,
 * MEMBAR, cache control, waits for asynchronous work, every instruction with an effect that is not a plain access, and
 * NOP, which ptxas leaves where an acquire of CTA scope needs no code (measured: `ld.acquire.cta` is LDG.STRONG, NOP).
 * A strong load or atomic may be an acquire: what follows it stays after; a strong store, atomic or reduction may be a
 * release: what precedes it stays ahead.
 */

import type { Form } from "../isa/form.js";
import { sregName } from "../isa/sreg.js";
import { Kind, type MachineInst } from "../ori/types.js";
import { type Address, apart } from "./alias.js";
import { isProduct } from "./products.js";

/**
 * State spaces as bits; `Group` is what is open of asynchronous copies: copies join it, LDGDEPBAR closes it. `Product` is the
 * order of warp-group products: they join it, and so do the instructions that hand registers to them and back.
 */
export const Place = {
  /** Global memory, and what a generic address may mean. */
  Global: 1,
  /** Shared memory, of other CTAs of the cluster too. */
  Shared: 2,
  /** Local memory of the thread. */
  Local: 4,
  /** Textures and surfaces. */
  Texture: 8,
  /** The open group of asynchronous copies. */
  Group: 16,
  /** The order of warp-group products. */
  Product: 32,
} as const;

/** How far an instruction restricts the order of others. */
export const Order = {
  /** Registers only. */
  Free: 0,
  /** A memory access. */
  Access: 1,
  /** Ordered with all memory accesses but local ones, and with everything that has an effect. */
  Fence: 2,
  /** Ordered with everything. */
  Full: 3,
} as const;
export type Order = (typeof Order)[keyof typeof Order];

/** What depends on the form alone. */
export interface MemoryEffect {
  /** How far it restricts the order of others. */
  readonly order: Order;
  /** Places read and written (accesses only). */
  readonly reads: number;
  /** Places written, as bits of `Place` (accesses only). */
  readonly writes: number;
  /** Later accesses must stay after it; earlier ones before it. */
  readonly acquires: boolean;
  /** Earlier accesses must stay before it. */
  readonly releases: boolean;
  /** Bytes per thread, 0 when not known. */
  readonly bytes: number;
  /** Source slots of the address: base register, uniform register, immediate offset; −1 for none. */
  readonly base: number;
  /** Source slot of the uniform register of the address, −1 for none. */
  readonly uniform: number;
  /** Source slot of the immediate offset, −1 for none. */
  readonly offset: number;
  /** Places that the address speaks of: of the two of a copy only the shared one; none where lanes share addresses. */
  readonly addressed: number;
}

const effects: (MemoryEffect | undefined)[] = [];

/** What instructions of this form do to memory. */
export function memoryEffect(form: Form): MemoryEffect {
  let e = effects[form.id];
  if (e === undefined) {
    e = make(form);
    effects[form.id] = e;
  }
  return e;
}

/** They change what belongs to the warp itself: its registers, its barriers' state, where it returns to. */
const warpState = /^(WARPGROUPSET|USETMAXREG|RPCMOV|SETCTAID|SETLMEMBASE|BMOV|PREEXIT|ACQBULK|ACQSHMINIT)$/;
/** Their results depend on what earlier instructions with effects did, although they name no memory. */
const stateful = /^(NOP|GETLMEMBASE|LDTM|QSPC)$/;
/** Parts of longer sequences. */
const unbroken = /^(B2R|MEMBAR|ERRBAR|CGAERRBAR)$/;
/** Surfaces and textures are reached through handles; their contents do not meet plain accesses without a fence. */
const texture = /^(TEX|TLD|TLD4|TMML|TXD|TXQ|FOOTPRINT|SULD|SUST|SUATOM|SURED|SUQUERY)$/;

const nothing = {
  reads: 0,
  writes: 0,
  acquires: false,
  releases: false,
  bytes: 0,
  base: -1,
  uniform: -1,
  offset: -1,
  addressed: 0,
} as const;

function make(form: Form): MemoryEffect {
  const m = form.memory;
  if (isFull(form)) return { ...nothing, order: Order.Full };
  // It names a label and sets a convergence barrier; the branch it belongs to ends the block.
  if (form.flow === "region" && form.op === "BSSY") return { ...nothing, order: Order.Free };
  if (stateful.test(form.op)) return { ...nothing, order: Order.Fence };
  if (form.op === "R2P") return { ...nothing, order: Order.Free };
  // Products read shared memory until they are waited for; registers: products.ts.
  if (isProduct(form.op) || form.op === "WARPGROUP")
    return {
      ...nothing,
      order: Order.Access,
      reads: form.mods.includes("ARRIVE") ? 0 : Place.Shared,
      writes: Place.Product,
    };
  if (form.op === "LDGDEPBAR") return { ...nothing, order: Order.Access, writes: Place.Group };
  if (m === null) return { ...nothing, order: form.sideEffect ? Order.Fence : Order.Free };
  if (m.access === "fence" || m.access === "prefetch" || form.op === "SYNCS") return { ...nothing, order: Order.Fence };
  if (m.space === "const" || m.space === "param") return { ...nothing, order: Order.Free };
  if (form.mods.includes("CONSTANT")) {
    return { ...access(form, m.access, placeOf(form, m.space), m.bytes), order: Order.Free, reads: 0 };
  }
  return access(form, m.access, placeOf(form, m.space), m.bytes);
}

function isFull(form: Form): boolean {
  if (form.op === "BSSY") return false;
  if (form.op === "WARPGROUP" && form.mods.includes("WAIT")) return true;
  // In Mercury a fence is one instruction, and a reduction with the read of its result: nothing may come between their words.
  if (unbroken.test(form.op)) return true;
  if (form.op === "BAR" ? form.mods.includes("RED") : form.op === "CCTL" && form.mods.includes("IVALL")) return true;
  return form.flow !== "next" || warpState.test(form.op);
}

function placeOf(form: Form, space: string): number {
  if (texture.test(form.op)) return Place.Texture;
  switch (space) {
    case "global":
      return Place.Global;
    case "shared":
      return Place.Shared;
    case "local":
      return Place.Local;
    default:
      return Place.Global | Place.Shared | Place.Local;
  }
}

function access(form: Form, kind: string, place: number, bytes: number): MemoryEffect {
  const slot = (name: string): number => form.srcs.findIndex((s) => s.name === name);
  const strong = form.mods.some((m) => m === "STRONG" || m === "MMIO" || m === "ORDERED");
  const copies = form.op === "LDGSTS";
  // Matrix loads and stores take the addresses of other lanes.
  const compared = form.op !== "LDSM" && form.op !== "STSM";
  const writes = copies ? Place.Shared : kind === "load" ? 0 : place;
  return {
    order: Order.Access,
    reads: copies ? Place.Global | Place.Group : kind === "store" ? 0 : place,
    writes,
    acquires: strong && (kind === "load" || kind === "atomic"),
    releases: strong && kind !== "load",
    bytes,
    base: slot("base"),
    uniform: slot("ur"),
    offset: slot("off"),
    addressed: compared ? (copies ? Place.Shared : place) : 0,
  };
}

/** Reads of clocks and counters keep their place among everything that takes time on purpose. */
export function readsClock(inst: MachineInst): boolean {
  for (const o of inst.srcs) if (o.kind === Kind.Sreg && clocks.has(o.id)) return true;
  return false;
}

/** Clocks, timers and performance counters among the special registers. */
const clockName = /CLOCK|TIMER|_PM/;
const clocks: ReadonlySet<number> = new Set(
  Array.from({ length: 256 }, (_, index) => index).filter((index) => clockName.test(sregName(index))),
);

/**
 * How the order of an instruction with others is restricted, its operands included. A volatile access whose form is strong has its
 * order from there; those of shared memory have no such form. A barrier whose number is in a register is one
 * Mercury instruction with those that put it there (lib/lower/sync.ts).
 */
export function orderOf(inst: MachineInst): Order {
  const { order, acquires, releases } = memoryEffect(inst.form);
  if (inst.said === "volatile" && !acquires && !releases) return Order.Fence;
  if (order === Order.Fence && inst.form.op === "BAR" && inst.srcs[0]?.kind === Kind.Reg) return Order.Full;
  return order === Order.Free && readsClock(inst) ? Order.Fence : order;
}

/** Places where an access and a later one must keep their order if they overlap. */
function meeting(first: MemoryEffect, second: MemoryEffect): number {
  return (first.writes & (second.reads | second.writes)) | (first.reads & second.writes);
}

/** Whether both addresses speak of every place where the two meet, and count in the same way. */
export function comparable(first: MemoryEffect, second: MemoryEffect): boolean {
  const both = first.addressed & second.addressed;
  return (meeting(first, second) & ~both) === 0 && counting(first) === counting(second);
}

/** Shared and local addresses count from the start of their windows, generic ones are those of global memory. */
function counting(effect: MemoryEffect): number {
  return effect.addressed === Place.Shared || effect.addressed === Place.Local ? effect.addressed : Place.Global;
}

/** Whether an access and a later one must stay in this order. */
export function conflicts(first: MemoryEffect, a: Address, second: MemoryEffect, b: Address): boolean {
  return meeting(first, second) !== 0 && !(comparable(first, second) && apart(a, b));
}

/** Places that a fence orders: local memory is the thread's own. */
export const fenced: number = Place.Global | Place.Shared | Place.Texture | Place.Group | Place.Product;
