/**
 * Capsule Mercury of code that has moved (sm_100 on; lib/elf/cubin/capmerc.ts, mercury.ts): the items of a capsule go where
 * their instructions went, and the sections beside it get the new addresses. Nothing is invented: what an item says stays, and where the
 * tables know the size of each Mercury instruction the file itself must agree, in the sizes of its symbols and its attributes.
 */
import { type CapsuleUnit, CUT, readCapsule, SEVERAL, writeCapsule } from "../../elf/cubin/capmerc.js";
import { GENERATED, unitAddresses } from "../../elf/cubin/capmerc-derive.js";
import { decodeInfo, encodeInfo, type InfoRecord, infoWords, wordsRecord } from "../../elf/cubin/info.js";
import { SHF_MERCURY } from "../../elf/cubin/sections.js";
import { type ElfSection, RELA_SIZE, readRelocations, SYM_SIZE, view } from "../../elf/elf64.js";
import type { Cubin } from "../../elf/index.js";
import { placeOf } from "../encode.js";
import { moveFrames, type Places } from "./frame.js";
import { layouts } from "./info.js";
import type { CodeMap } from "./map.js";

/** New contents of Mercury sections by their index, or why the sections must go. */
export type MovedMercury = ReadonlyMap<number, Uint8Array> | string;

class Refused extends Error {}

/** `maps`: changed functions by text section; `info`: their new `.nv.info.NAME`. */
export function moveMercury(
  cubin: Cubin,
  maps: ReadonlyMap<number, CodeMap>,
  info: ReadonlyMap<number, readonly InfoRecord[]>,
): MovedMercury {
  try {
    return new Mover(cubin, maps, info).move();
  } catch (e) {
    if (e instanceof Refused) return e.message;
    throw e;
  }
}

/** A function's Mercury instructions, before and after. */
class Moved implements Places {
  readonly capsule: Uint8Array;
  private readonly old: Uint32Array;
  private readonly now: Uint32Array;
  /** Word that begins at a Mercury address. */
  private readonly wordAt = new Map<number, number>();
  readonly name: string;

  constructor(
    readonly map: CodeMap,
    readonly section: ElfSection,
    /** Bytes of its Mercury instructions. */
    readonly oldSize: number,
  ) {
    const { source } = map.lifted;
    this.name = source.name;
    const capsule = readCapsule(section.data);
    const words = capsule?.units.reduce((n, u) => n + u.words, 0);
    if (capsule === null || words !== source.words.length / 4)
      throw new Refused(`the capsule of ${this.name} does not fit its code`);
    const { paramBase } = map.lifted.func.target.constants;
    const old = unitAddresses(source.words, capsule.units, { paramBase, size: oldSize });
    if (old === null) throw new Refused(`sizes in the capsule of ${this.name} are not known`);
    this.old = old;
    const order = map.order();
    const units = this.units(capsule.units, order);
    this.capsule = writeCapsule({ textSection: capsule.textSection, units });
    this.now = this.addresses(units, order);
    // Words that are no Mercury instruction have the address of the next.
    for (let i = old.length - 1; i >= 0; i--)
      if (i === old.length - 1 || old[i] !== old[i + 1] || !this.wordAt.has(old[i]!)) this.wordAt.set(old[i]!, i);
  }

  private units(before: readonly CapsuleUnit[], order: Int32Array): CapsuleUnit[] {
    const unitOf = new Map(before.map((u) => [u.first, u]));
    const last = before[before.length - 1]!;
    const units: CapsuleUnit[] = [];
    for (let n = 0; n < order.length; ) {
      const id = order[n]!;
      const u = id < 0 ? { first: -1, words: 1, item: GENERATED } : unitOf.get(id);
      // What fills the section up is one unit, of however many words.
      const words = u === last ? order.length - n : (u?.words ?? 0);
      let together = u !== undefined;
      for (let k = 1; k < words; k++) if (order[n + k] !== id + k && u !== last) together = false;
      if (u === undefined || !together) throw new Refused(`words of ${this.name} that are one instruction came apart`);
      if (id >= 0) this.sameItem(u, n);
      const tail = (SEVERAL << 4) | (words << 7);
      units.push({ first: n, words, item: u === last ? Uint8Array.of(tail & 0xff, tail >> 8) : u.item });
      n += words;
    }
    return units;
  }

  /** A whole record holds operands: they must be those that it was made for. */
  private sameItem({ first, words, item }: CapsuleUnit, n: number): void {
    const form = item === null ? CUT : (item[0]! >> 4) & 7;
    // The words tell the operands, or are no instruction.
    if (form === CUT || (form === SEVERAL && (item![0]! & 15) === 0)) return;
    const [old, now] = [this.map.lifted.source.words, this.map.code.words];
    for (let k = 0; k < 4 * words; k++) {
      // The control word is no part of it.
      const mask = k % 4 === 3 ? 0x1ff : -1;
      if (((old[4 * first + k]! ^ now[4 * n + k]!) & mask) !== 0)
        throw new Refused(`the instruction at ${this.name}+0x${(16 * first).toString(16)} has other operands now`);
    }
  }

  private addresses(units: readonly CapsuleUnit[], order: Int32Array): Uint32Array {
    const out = new Uint32Array(order.length + 1);
    let at = 0;
    units.forEach((u, i) => {
      out.fill(at, u.first, u.first + u.words);
      const id = order[u.first]!;
      if (id >= 0 && i < units.length - 1) at += this.sizeAt(id, u.words);
    });
    out[order.length] = at;
    return out;
  }

  private sizeAt(id: number, words: number): number {
    return this.old[id + words]! - this.old[id]!;
  }

  /** Mercury address of a byte offset of the new code, and of the old. */
  at(offset: number): number {
    return this.now[offset >> 4]!;
  }

  was(offset: number): number {
    return this.old[offset >> 4]!;
  }

  private plain(address: number): number {
    const word = this.wordAt.get(address);
    if (word === undefined)
      throw new Refused(`no instruction of ${this.name} has the address 0x${address.toString(16)}`);
    return 16 * word;
  }

  place(address: number): number {
    const at = address === this.oldSize ? 4 * this.map.code.words.length : this.map.place(this.plain(address));
    return at < 0 ? at : this.at(at);
  }

  after(address: number): number {
    return this.at(this.map.after(this.plain(address)));
  }

  /** Where a call comes back that loads this address with instruction `id`; elsewhere the place itself. */
  target(address: number, id: number): number {
    const own = this.map.lifted.addresses.get(id);
    if (own !== undefined) return this.at(placeOf(own.target, this.map.code.offsets, this.map.lifted));
    const reloc = this.map.lifted.relocs.get(id)?.find((r) => r.target !== null);
    if (reloc?.target) return this.at(placeOf(reloc.target, this.map.code.offsets, this.map.lifted));
    return this.place(address);
  }

  /** The word whose Mercury instruction holds a byte, and where it begins. */
  holding(offset: number): { id: number; start: number } {
    // The last word that begins at or before it.
    let [id, end] = [0, this.old.length - 1];
    while (id + 1 < end) {
      const middle = (id + end) >> 1;
      if (this.old[middle]! <= offset) id = middle;
      else end = middle;
    }
    return { id, start: this.old[id]! };
  }
}

class Mover {
  private readonly out = new Map<number, Uint8Array>();
  private readonly moved = new Map<number, Moved>();
  private readonly sections: readonly ElfSection[];

  constructor(
    cubin: Cubin,
    maps: ReadonlyMap<number, CodeMap>,
    private readonly info: ReadonlyMap<number, readonly InfoRecord[]>,
  ) {
    this.sections = cubin.elf.sections;
    for (const map of maps.values()) {
      const { name } = map.lifted.source;
      const section = this.sections.find((s) => s.name === `.nv.capmerc.text.${name}`);
      if (section === undefined) throw new Refused(`${name} has no capsule`);
      this.moved.set(section.index, new Moved(map, section, this.sizeOf(map)));
    }
  }

  move(): MovedMercury {
    for (const [index, m] of this.moved) this.out.set(index, m.capsule);
    this.symbols();
    for (const s of this.sections) {
      if ((s.flags & SHF_MERCURY) === 0 || s.size === 0) continue;
      const m = this.moved.get(s.info);
      if (s.name.startsWith(".nv.merc.nv.info.")) this.attributes(s, m);
      else if (s.name.startsWith(".nv.merc.rela.")) this.relocations(s);
      else if (s.name === ".nv.merc.debug_frame") this.frames(s);
      else if (/^\.nv\.merc\.(nv_)?debug_/.test(s.name) && this.moved.size > 0)
        throw new Refused(`${s.name} is not followed`);
    }
    return this.out;
  }

  private get symtab(): { data: Uint8Array; section: ElfSection } {
    const section = this.sections.find((s) => s.name === ".nv.merc.symtab");
    if (section === undefined) throw new Refused("there is no .nv.merc.symtab");
    return { data: section.data, section };
  }

  /** Mercury bytes of a function: the size of its symbol, which has the same index as in the plain table. */
  private sizeOf(map: CodeMap): number {
    const at = map.lifted.source.symbol.index * SYM_SIZE;
    const { data } = this.symtab;
    if (at + SYM_SIZE > data.length) throw new Refused(`.nv.merc.symtab has no ${map.lifted.source.name}`);
    return Number(view(data).getBigUint64(at + 16, true));
  }

  private symbols(): void {
    const { data, section } = this.symtab;
    const copy = data.slice();
    const v = view(copy);
    for (let at = 0; at + SYM_SIZE <= copy.length; at += SYM_SIZE) {
      const m = this.moved.get(v.getUint16(at + 6, true));
      const [value, size] = [Number(v.getBigUint64(at + 8, true)), Number(v.getBigUint64(at + 16, true))];
      if (m === undefined || size === 0) continue;
      const [from, to] = [m.place(value), m.place(value + size)];
      if (from < 0 || to < from) throw new Refused(`code of ${m.name} that a symbol names is gone`);
      v.setBigUint64(at + 8, BigInt(from), true);
      v.setBigUint64(at + 16, BigInt(to - from), true);
    }
    this.out.set(section.index, copy);
  }

  private attributes(s: ElfSection, m: Moved | undefined): void {
    if (m === undefined) return;
    const { source } = m.map.lifted;
    const records = decodeInfo(s.data);
    const plain = this.info.get(source.section);
    if (!records.ok || plain === undefined) throw new Refused(`${s.name} is not readable`);
    const made = records.value.map((r) => {
      if (r.name === "MERCURY_FINALIZER_OPTIONS") return r;
      const stride = strideOf(r.name);
      if (stride === 0) {
        if (!silent(r, source.info) || !(silent(r, plain) || r.name === "COOP_GROUP_MASK_REGIDS"))
          throw new Refused(`attribute ${r.name} of ${m.name} is not followed`);
        if (r.name !== "COOP_GROUP_MASK_REGIDS") return r;
        const now = plain.find((p) => p.code === r.code);
        if (now === undefined) throw new Refused(`attribute ${r.name} of ${m.name} is gone`);
        return now;
      }
      const [was, now] = [source.info, plain].map((list) => list.find((p) => p.code === r.code));
      if (was === undefined || now === undefined) throw new Refused(`attribute ${r.name} of ${m.name} stands alone`);
      if (addressed(was, stride, (o) => m.was(o)).join() !== infoWords(r).join())
        throw new Refused(`${r.name} of ${m.name} has other addresses than the tables give`);
      return wordsRecord(
        r.code,
        addressed(now, stride, (o) => m.at(o)),
      );
    });
    this.out.set(s.index, encodeInfo(made));
  }

  /** Places that hold an address, and addresses in the code: of its functions, of branch tables, of returns. */
  private relocations(s: ElfSection): void {
    const list = readRelocations(s, true);
    if (!list.ok) throw new Refused(`${s.name} is not readable`);
    const symbols = view(this.symtab.data);
    const data = s.data.slice();
    const v = view(data);
    const inside = this.moved.get(s.info);
    const entries = list.value.map((r, i) => {
      let { offset } = r;
      let id = -1;
      if (inside !== undefined) {
        const held = inside.holding(offset);
        id = held.id;
        const now = inside.map.inst(16 * id);
        if (now < 0) throw new Refused(`an instruction of ${inside.name} that ${s.name} names is gone`);
        offset += inside.at(now) - held.start;
      }
      const of = this.moved.get(symbols.getUint16(r.symbol * SYM_SIZE + 6, true));
      const addend = of === undefined || r.addend === 0 ? r.addend : this.addend(of, symbols, r, id, inside);
      v.setBigUint64(i * RELA_SIZE, BigInt(offset), true);
      v.setBigInt64(i * RELA_SIZE + 16, BigInt(addend), true);
      return { offset, bytes: data.subarray(i * RELA_SIZE, (i + 1) * RELA_SIZE) };
    });
    // Those of code stand from its end to its beginning.
    if (inside !== undefined) entries.sort((a, b) => b.offset - a.offset);
    const out = new Uint8Array(data.length);
    entries.forEach((e, i) => {
      out.set(e.bytes, i * RELA_SIZE);
    });
    this.out.set(s.index, out);
  }

  private addend(
    of: Moved,
    symbols: DataView,
    r: { readonly symbol: number; readonly addend: number },
    id: number,
    inside: Moved | undefined,
  ): number {
    const value = Number(symbols.getBigUint64(r.symbol * SYM_SIZE + 8, true));
    const at = inside === of ? of.target(value + r.addend, id) : of.place(value + r.addend);
    const base = of.place(value);
    if (at < 0 || base < 0) throw new Refused(`code of ${of.name} that a relocation names is gone`);
    return at - base;
  }

  private frames(s: ElfSection): void {
    const data = s.data.slice();
    const found = new Map<number, { map: Places; start: number }>();
    for (const table of this.sections) {
      if ((table.flags & SHF_MERCURY) === 0 || table.info !== s.index || !table.name.startsWith(".nv.merc.rela."))
        continue;
      const list = readRelocations(table, true);
      if (!list.ok) throw new Refused(`${table.name} is not readable`);
      const symbols = view(this.symtab.data);
      for (const r of list.value) {
        const m = this.moved.get(symbols.getUint16(r.symbol * SYM_SIZE + 6, true));
        if (m !== undefined)
          found.set(r.offset, {
            map: m,
            start: Number(symbols.getBigUint64(r.symbol * SYM_SIZE + 8, true)) + r.addend,
          });
      }
    }
    const problem = moveFrames(data, found, 1);
    if (problem !== null) throw new Refused(`${s.name}: ${problem}`);
    this.out.set(s.index, data);
  }
}

/** One of the plain attributes is the same: it does not say where code is. */
function silent(r: InfoRecord, list: readonly InfoRecord[]): boolean {
  return list.some((p) => p.code === r.code && p.payload.join() === r.payload.join());
}

const BRANCHES = -1;

/** Words of an entry, whose first is a byte offset of code; 0 for attributes without. */
function strideOf(name: string): number {
  if (name === "INDIRECT_BRANCH_TARGETS") return BRANCHES;
  const layout = layouts[name];
  return layout === undefined || layout.offset !== 0 ? 0 : layout.stride;
}

function addressed(r: InfoRecord, stride: number, at: (offset: number) => number): readonly number[] {
  const words = infoWords(r);
  return stride === BRANCHES ? branchWords(words, at) : words.map((w, i) => (i % stride === 0 ? at(w) : w));
}

/** Instruction, zero, count, targets. */
function branchWords(words: readonly number[] | Uint32Array, at: (offset: number) => number): number[] {
  const out: number[] = [];
  for (let i = 0; i + 2 < words.length; i += 3 + words[i + 2]!) {
    out.push(at(words[i]!), words[i + 1]!, words[i + 2]!);
    for (let k = 0; k < words[i + 2]!; k++) out.push(at(words[i + 3 + k]!));
  }
  return out;
}
