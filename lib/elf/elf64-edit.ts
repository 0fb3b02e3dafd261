/**
 * An existing ELF file with other contents in some of its sections, everything else as it was. Sections that do not
 * change their size stay where they are; otherwise the file is laid out anew as ptxas does it: contents in the order of
 * the file, each at its alignment, then section headers, then program headers.
 */
import { fail, ok, type Result } from "../result.js";
import {
  EHDR_SIZE,
  type Elf,
  type ElfSection,
  type ElfSegment,
  elfError,
  heldInFile,
  PHDR_SIZE,
  PT,
  roundUp,
  SHDR_SIZE,
  SHT,
  view,
} from "./elf64.js";

export interface ElfEdit {
  /** New contents by section index. */
  readonly contents: ReadonlyMap<number, Uint8Array>;
  /** New sh_info by section index. */
  readonly info?: ReadonlyMap<number, number>;
  /** Sections from this index on are left out. */
  readonly keep?: number;
  /** New e_flags. */
  readonly flags?: number;
}

/** Fails on a file that cannot be laid out anew. */
export function editElf(elf: Elf, edit: ElfEdit): Result<Uint8Array> {
  const count = edit.keep ?? elf.sections.length;
  const sameSize = [...edit.contents].every(([i, data]) => elf.sections[i]!.size === data.length);
  return sameSize && count === elf.sections.length ? ok(inPlace(elf, edit)) : laidOut(elf, edit, count);
}

function inPlace(elf: Elf, edit: ElfEdit): Uint8Array {
  const out = elf.bytes.slice();
  const v = view(out);
  const shoff = Number(v.getBigUint64(40, true));
  for (const [i, data] of edit.contents) out.set(data, elf.sections[i]!.offset);
  for (const [i, info] of edit.info ?? []) v.setUint32(shoff + i * SHDR_SIZE + 44, info, true);
  if (edit.flags !== undefined) v.setUint32(48, edit.flags, true);
  return out;
}

interface Place {
  readonly offset: number;
  readonly size: number;
}

/** Bytes that a file may grow by beside its new contents; ptxas aligns to 128. */
const MOST_GROWTH = 2 ** 26;

function laidOut(elf: Elf, edit: ElfEdit, count: number): Result<Uint8Array> {
  const kept = elf.sections.slice(0, count);
  const places = placeSections(kept, edit);
  let end = EHDR_SIZE;
  for (const s of kept) if (heldInFile(s.type)) end = Math.max(end, places[s.index]!.offset + places[s.index]!.size);
  const contents = [...edit.contents.values()].reduce((n, data) => n + data.length, 0);
  if (end > elf.bytes.length + contents + MOST_GROWTH) {
    const coarse = kept.reduce((a, b) => (b.align > a.align ? b : a));
    const what = `the sections take ${end} bytes with the alignments that they have`;
    return fail([elfError(`${what}; ${coarse.name} is aligned to ${coarse.align}`)]);
  }
  const shoff = roundUp(end, 8);
  const phoff = shoff + count * SHDR_SIZE;
  const out = new Uint8Array(phoff + elf.segments.length * PHDR_SIZE);
  out.set(elf.bytes.subarray(0, EHDR_SIZE));
  const v = view(out);
  v.setBigUint64(40, BigInt(shoff), true);
  if (elf.segments.length > 0) v.setBigUint64(32, BigInt(phoff), true);
  // The count of a file with very many sections is in header 0 and not rewritten here.
  if (v.getUint16(60, true) !== 0) v.setUint16(60, count, true);
  else if (count !== elf.sections.length)
    return fail([elfError("sections cannot be left out of a file with extended numbering")]);
  if (edit.flags !== undefined) v.setUint32(48, edit.flags, true);
  const old = view(elf.bytes);
  const oldHeaders = Number(old.getBigUint64(40, true));
  for (const s of kept) {
    const place = places[s.index]!;
    const data = edit.contents.get(s.index) ?? s.data;
    if (heldInFile(s.type)) out.set(data, place.offset);
    const at = shoff + s.index * SHDR_SIZE;
    out.set(elf.bytes.subarray(oldHeaders + s.index * SHDR_SIZE, oldHeaders + (s.index + 1) * SHDR_SIZE), at);
    if (s.type === SHT.Null) continue;
    v.setBigUint64(at + 24, BigInt(place.offset), true);
    v.setBigUint64(at + 32, BigInt(place.size), true);
    const info = edit.info?.get(s.index);
    if (info !== undefined) v.setUint32(at + 44, info, true);
  }
  const oldPhoff = Number(old.getBigUint64(32, true));
  elf.segments.forEach((segment, i) => {
    const at = phoff + i * PHDR_SIZE;
    out.set(elf.bytes.subarray(oldPhoff + i * PHDR_SIZE, oldPhoff + (i + 1) * PHDR_SIZE), at);
    const moved = placeSegment(segment, kept, places, { old: oldPhoff, now: phoff });
    v.setBigUint64(at + 8, BigInt(moved.offset), true);
    v.setBigUint64(at + 32, BigInt(moved.filesz), true);
    v.setBigUint64(at + 40, BigInt(moved.memsz), true);
  });
  return ok(out);
}

/** New offset and size of each section; sections that share bytes go on sharing them. */
function placeSections(kept: readonly ElfSection[], edit: ElfEdit): Place[] {
  const places: Place[] = new Array(kept.length);
  const order = [...kept].sort((a, b) => a.offset - b.offset || a.index - b.index);
  const byOffset = new Map<number, number>();
  let at = EHDR_SIZE;
  for (const s of order) {
    const size = edit.contents.get(s.index)?.length ?? s.size;
    if (s.type === SHT.Null) {
      places[s.index] = { offset: 0, size: s.size };
      continue;
    }
    const shared = s.data.length > 0 ? byOffset.get(s.offset) : undefined;
    const offset = shared ?? roundUp(at, s.align);
    places[s.index] = { offset, size };
    if (!heldInFile(s.type)) {
      at = offset;
      continue;
    }
    if (s.data.length > 0) byOffset.set(s.offset, offset);
    at = Math.max(at, offset + size);
  }
  return places;
}

function placeSegment(
  s: ElfSegment,
  kept: readonly ElfSection[],
  places: readonly Place[],
  table: { readonly old: number; readonly now: number },
): { offset: number; filesz: number; memsz: number } {
  if (s.type === PT.Phdr || s.offset === table.old) return { offset: table.now, filesz: s.filesz, memsz: s.memsz };
  const inside = kept.filter(
    (x) => heldInFile(x.type) && x.offset >= s.offset && x.offset + x.size <= s.offset + s.filesz,
  );
  const first = inside.filter((x) => x.size > 0).sort((a, b) => a.offset - b.offset)[0];
  if (first === undefined) {
    // Only sections without contents: the segment begins where the first of them does.
    const none = kept.find((x) => x.type === SHT.Nobits && x.offset >= s.offset && (x.flags & 2) !== 0);
    return { offset: none === undefined ? s.offset : places[none.index]!.offset, filesz: s.filesz, memsz: s.memsz };
  }
  const offset = places[first.index]!.offset;
  let end = offset;
  let oldEnd = s.offset;
  for (const x of inside) {
    end = Math.max(end, places[x.index]!.offset + places[x.index]!.size);
    oldEnd = Math.max(oldEnd, x.offset + x.size);
  }
  // A segment may reach to where a section without contents would begin.
  const filesz = end - offset + (s.filesz - (oldEnd - s.offset));
  return { offset, filesz, memsz: s.memsz - s.filesz + filesz };
}
