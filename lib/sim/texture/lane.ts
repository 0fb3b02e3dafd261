/** How instructions of the texture and surface units reach objects and memory: handles, texels at the address of a lane. */
import { Kind } from "../../isa/operand.js";
import { locate, place } from "../access.js";
import type { Site } from "../site.js";
import type { Machine, Warp } from "../state.js";
import { ObjectReader, SAMPLER_SHIFT, type Sampled, type Stored } from "./record.js";

/** Low words of the handles of lanes. */
export type HandleOf = (w: Warp, lane: number) => number;

const present = (s: Site, slot: string): boolean => {
  const o = s.find(slot);
  return o !== null && o.kind !== Kind.None && !(o.kind === Kind.Reg && o.id < 0);
};

/**
 * The handle that the instruction names in uniform registers (the second has a sampler's number, or zero) or a constant bank; null: in a register, which
 * the caller knows. A sampler beside them is refused.
 */
export function namedHandle(s: Site): HandleOf | null {
  for (const slot of ["sampler", "word2"]) {
    const o = s.find(slot);
    if (o !== null && o.kind !== Kind.None && (o.kind !== Kind.Imm || o.value !== 0))
      s.unsupported("a sampler beside the texture");
  }
  if (present(s, "uoff")) s.unsupported("a uniform offset");
  if (present(s, "ur")) {
    const o = s.operand("ur");
    const get = s.scalar(o)!;
    if (o.width < 2) return (w) => get(w) >>> 0;
    const sampler = s.scalar(o, 1)!;
    return (w) => (get(w) | (sampler(w) << SAMPLER_SHIFT)) >>> 0;
  }
  const bank = s.find("bank");
  if (bank === null || bank.kind !== Kind.Imm) return null;
  const [number, word] = [bank.value, s.imm("word")];
  return (w) => (w.machine.banks[number]?.[word] ?? 0) >>> 0;
}

const readers: WeakMap<Machine, ObjectReader> = new WeakMap();

/** The object of a handle; null: a fault is noted. */
export function objectAt(w: Warp, handle: number, lane: number, kind: "texture"): Sampled | null;
export function objectAt(w: Warp, handle: number, lane: number, kind: "surface"): Stored | null;
export function objectAt(w: Warp, handle: number, lane: number, kind: "any"): Sampled | Stored | null;
export function objectAt(w: Warp, handle: number, lane: number, kind: string): Sampled | Stored | null {
  let reader = readers.get(w.machine);
  if (reader === undefined) {
    reader = new ObjectReader(w.machine.global, w.machine.objects);
    readers.set(w.machine, reader);
  }
  const object = reader.find(handle);
  if (object !== null && (kind === "any" || object.kind === kind)) return object;
  const what = kind === "any" ? "texture or surface" : kind;
  w.fault("illegal-instruction", 1 << lane, `there is no ${what} of the handle 0x${handle.toString(16)}`);
  return null;
}

/** Memory as one lane reaches it; `failed`: a fault is noted. */
export class LaneMemory {
  failed = false;
  private warp: Warp | null = null;
  private lane = 0;

  /** From now on for this lane. */
  of(w: Warp, lane: number): this {
    this.failed = false;
    this.warp = w;
    this.lane = lane;
    return this;
  }

  private find(address: number, bytes: number): boolean {
    if (this.failed || !locate(this.warp!, "global", address, bytes, this.lane)) this.failed = true;
    return !this.failed;
  }

  readonly read = (address: number, bytes: number): number => {
    if (!this.find(address, bytes)) return 0;
    if (bytes === 4) return place.words[place.at >> 2]! >>> 0;
    return bytes === 2 ? place.half[place.at >> 1]! : place.bytes[place.at]!;
  };

  readonly write = (address: number, bytes: number, value: number): void => {
    if (!this.find(address, bytes)) return;
    if (bytes === 4) place.words[place.at >> 2] = value;
    else if (bytes === 2) place.half[place.at >> 1] = value;
    else place.bytes[place.at] = value;
  };
}
