/**
 * Fat binaries: the container in which nvcc and fatbinary put the code of one source for several SMs, alone in a
 * `.fatbin` file or in the sections `.nv_fatbin` and `__nv_relfatbin` of a host object, where several follow each other.
 *
 * Layout (measured on fatbinary 13.0.88's files of our own kernels, all compression modes):
 *
 *     container  +0 magic 0xba55ed50, +4 version 1 (u16), +6 size of this header (u16), +8 size of what follows (u64)
 *     member     +0 kind (u16: 1 PTX, 2 cubin), +4 size of this header (u32), +8 size of the data after it (u64),
 *                +16 size of the compressed data (u32), +28 SM (u32), +40 flags (u64: 0x2000 LZ4, 0x8000 Zstandard),
 *                +56 size of the data when unpacked (u64)
 */
import { notSupported } from "../diagnostics.js";
import { fail, ok, type Result } from "../result.js";
import { readCubin } from "./cubin/read.js";
import { CUBIN_MACHINE } from "./cubin/sections.js";
import type { Cubin } from "./cubin/types.js";
import { elfError, readElf, view } from "./elf64.js";
import { decodeLz4 } from "./lz4.js";
import { decodeZstd } from "./zstd.js";

const MAGIC = 0xba55ed50;
const CONTAINER_HEADER = 16;
const MEMBER_HEADER = 64;
const FLAG_LZ4 = 0x2000;
const FLAG_ZSTD = 0x8000;

/** One image of a fat binary. */
export interface FatMember {
  /** What it holds. */
  readonly kind: "cubin" | "ptx" | "other";
  /** 75 … 121. */
  readonly sm: number;
  /** How its bytes are packed in the file. */
  readonly compression: "none" | "lz4" | "zstd";
  /** Bytes when unpacked. */
  readonly size: number;
  /** As they stand in the file (a view). */
  readonly stored: Uint8Array;
}

/** Every image in a `.fatbin` file or a host object, in file order; empty for a host object without device code. */
export function readFatbin(bytes: Uint8Array): Result<readonly FatMember[]> {
  if (isContainer(bytes, 0)) return containers(bytes);
  const elf = readElf(bytes);
  if (!elf.ok) return elf;
  const members: FatMember[] = [];
  for (const s of elf.value.sections) {
    if (s.name !== ".nv_fatbin" && s.name !== "__nv_relfatbin") continue;
    const found = containers(s.data);
    if (!found.ok) return found;
    members.push(...found.value);
  }
  return ok(members);
}

function isContainer(bytes: Uint8Array, at: number): boolean {
  return at + CONTAINER_HEADER <= bytes.length && view(bytes).getUint32(at, true) === MAGIC;
}

/** Size fields are believed up to 2^53 only. */
function size64(v: DataView, at: number): number {
  return v.getUint32(at + 4, true) * 2 ** 32 + v.getUint32(at, true);
}

function containers(bytes: Uint8Array): Result<FatMember[]> {
  const v = view(bytes);
  const members: FatMember[] = [];
  let at = 0;
  while (isContainer(bytes, at)) {
    const version = v.getUint16(at + 4, true);
    if (version !== 1) return fail([notSupported(`fat binary of version ${version}`, null)]);
    const start = at + v.getUint16(at + 6, true);
    const end = start + size64(v, at + 8);
    if (start < at + CONTAINER_HEADER || end > bytes.length) return fail([elfError("fat binary is cut off")]);
    const found = membersIn(bytes, start, end, members);
    if (!found.ok) return found;
    at = end;
    // Containers in a section are aligned to 8 bytes.
    while (at < bytes.length && bytes[at] === 0) at++;
  }
  return at >= bytes.length ? ok(members) : fail([elfError(`fat binary: no header at offset ${at}`)]);
}

function membersIn(bytes: Uint8Array, start: number, end: number, out: FatMember[]): Result<null> {
  const v = view(bytes);
  for (let at = start; at < end; ) {
    if (at + MEMBER_HEADER > end) return fail([elfError("fat binary: member header is cut off")]);
    const header = v.getUint32(at + 4, true);
    const data = at + header;
    const length = size64(v, at + 8);
    if (header < MEMBER_HEADER || data + length > end) return fail([elfError("fat binary: member is cut off")]);
    const flags = v.getUint32(at + 40, true);
    const compression = flags & FLAG_LZ4 ? "lz4" : flags & FLAG_ZSTD ? "zstd" : "none";
    const packed = compression === "none" ? length : v.getUint32(at + 16, true);
    if (packed > length) return fail([elfError("fat binary: compressed data is cut off")]);
    const kind = v.getUint16(at, true);
    out.push({
      kind: kind === 2 ? "cubin" : kind === 1 ? "ptx" : "other",
      sm: v.getUint32(at + 28, true),
      compression,
      size: compression === "none" ? length : size64(v, at + 56),
      stored: bytes.subarray(data, data + packed),
    });
    at = data + length;
  }
  return ok(null);
}

/** A header that promises more is not believed, so that memory stays bounded: bytes. */
const MOST_UNPACKED = 2 ** 28;

/** The bytes of an image, unpacked. */
export function unpackMember(m: FatMember): Result<Uint8Array> {
  if (m.compression === "none") return ok(m.stored);
  const [name, decode] =
    m.compression === "zstd" ? (["Zstandard", decodeZstd] as const) : (["LZ4", decodeLz4] as const);
  if (m.size > MOST_UNPACKED)
    return fail([notSupported(`images of more than ${MOST_UNPACKED} bytes in fat binaries`, null)]);
  const bytes = decode(m.stored, m.size);
  return bytes === null ? fail([elfError(`fat binary: bad ${name} data`)]) : ok(bytes);
}

/** A cubin with the bytes it was read from. */
export interface CubinFile {
  /** The cubin's bytes, unpacked. */
  readonly bytes: Uint8Array;
  /** The cubin, read. */
  readonly cubin: Cubin;
}

/** The cubins in a file: the file itself, or the images of a fat binary or a host object. At least one. */
export function readCubins(bytes: Uint8Array): Result<readonly CubinFile[]> {
  if (!isContainer(bytes, 0)) {
    const elf = readElf(bytes);
    if (!elf.ok) return elf;
    const host = elf.value.machine !== CUBIN_MACHINE && elf.value.sections.some((s) => /nv_(rel)?fatbin$/.test(s.name));
    if (!host) return single(bytes);
  }
  const members = readFatbin(bytes);
  if (!members.ok) return members;
  const files: CubinFile[] = [];
  for (const m of members.value) {
    if (m.kind !== "cubin") continue;
    const image = unpackMember(m);
    if (!image.ok) return image;
    const one = single(image.value);
    if (!one.ok) return one;
    files.push(...one.value);
  }
  return files.length > 0 ? ok(files) : fail([elfError("no cubin in this fat binary")]);
}

function single(bytes: Uint8Array): Result<CubinFile[]> {
  const cubin = readCubin(bytes);
  return cubin.ok ? ok([{ bytes, cubin: cubin.value }]) : cubin;
}
