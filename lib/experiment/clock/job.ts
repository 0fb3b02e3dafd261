/** A launch file as the clock's process takes it (case.py): every buffer as bytes, every launch with the name of its kernel. */
import type { Cubin } from "../../elf/index.js";
import { type LaunchFile, type LaunchParam, packValues } from "../../sim/index.js";

type Bytes =
  | { readonly type: string; readonly base64: string }
  /** So many bytes, all zero. */
  | { readonly type: "u8"; readonly length: number };

type JobParam = { readonly buffer: string; readonly offset: number } | { readonly bytes: string };

export interface JobLaunch {
  readonly kernel: string;
  readonly grid: readonly number[];
  readonly block: readonly number[];
  readonly sharedBytes: number;
  readonly params: readonly JobParam[];
}

export interface Job {
  readonly buffers: Readonly<Record<string, Bytes>>;
  readonly globals: Readonly<Record<string, Bytes>>;
  readonly launches: readonly JobLaunch[];
  readonly expect: Readonly<
    Record<string, { type?: string; base64: string; abs?: number; rel?: number; nanBits?: boolean }>
  >;
}

/** Bytes that a line may carry. */
const MOST = 256 << 20;

/** The launches of the file on a cubin; a text says why they cannot be made. */
export function launchesOf(file: LaunchFile, cubin: Cubin): readonly JobLaunch[] | string {
  const entries = cubin.functions.filter((f) => f.kind === "entry");
  const launches: JobLaunch[] = [];
  for (const [i, l] of file.launches.entries()) {
    const kernel =
      l.kernel === undefined && entries.length === 1 ? entries[0] : entries.find((f) => f.name === l.kernel);
    if (kernel === undefined) return `launches[${i}]: there are the kernels ${entries.map((f) => f.name).join(", ")}`;
    if (l.cluster !== undefined && String(l.cluster) !== String(kernel.cluster ?? [1, 1, 1]))
      return `launches[${i}]: clusters that the kernel does not have by itself are not supported by the clock`;
    const table = [...kernel.params].sort((a, b) => a.ordinal - b.ordinal);
    if (table.length !== l.params.length)
      return `launches[${i}]: the kernel has ${table.length} parameters, ${l.params.length} arguments were given`;
    const params = l.params.map((p) => paramOf(p));
    const object = params.indexOf(null);
    if (object >= 0) return `launches[${i}].params[${object}]: textures and surfaces are not supported by the clock`;
    const known = params as JobParam[];
    const wrong = table.findIndex((p, k) => bytesIn(known[k]!) !== p.size);
    if (wrong >= 0)
      return `launches[${i}].params[${wrong}]: ${bytesIn(known[wrong]!)} bytes for a parameter of ${table[wrong]!.size}`;
    const { grid, block, sharedBytes } = l;
    launches.push({ kernel: kernel.name, grid, block, sharedBytes, params: known });
  }
  return launches;
}

const bytesIn = (p: JobParam): number => ("bytes" in p ? p.bytes.length / 2 : 8);
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

/** Null: the clock has no such parameters. */
function paramOf(p: LaunchParam): JobParam | null {
  if (p.kind === "object") return null;
  if (p.kind === "buffer") return { buffer: p.name, offset: p.offset };
  if (p.kind === "bytes") return { bytes: hex(p.bytes) };
  const packed = packValues([p.value], p.type);
  // No bytes fit no parameter, so the place is told.
  return { bytes: typeof packed === "string" ? "" : hex(packed) };
}

/** The whole job; a text says why there is none. */
export function jobOf(file: LaunchFile, launches: readonly JobLaunch[]): Job | string {
  if (file.expect.length === 0) return "expect: the results of a code that runs on a GPU need to be known";
  const all = [...file.buffers.values(), ...file.globals.values()];
  let size = all.reduce((n, b) => n + b.bytes.length, 0);
  const full = (): string => `buffers: ${size} bytes with what is expected of them; the clock takes ${MOST}`;
  if (size > MOST) return full();
  const named = (list: LaunchFile["buffers"]): Record<string, Bytes> =>
    Object.fromEntries(
      [...list].map(([name, { type, bytes }]) => [
        name,
        bytes.every((b) => b === 0) ? { type: "u8", length: bytes.length } : { type, base64: base64(bytes) },
      ]),
    );
  const expect: Record<string, Job["expect"][string]> = {};
  for (const e of file.expect) {
    const buffer = file.buffers.get(e.name) ?? file.globals.get(e.name);
    const type = e.type ?? buffer?.type ?? "u32";
    const packed = e.bytes ?? packValues(e.values!, type);
    if (typeof packed === "string") return `expect.${e.name}.values${packed}`;
    size += packed.length;
    if (size > MOST) return full();
    const room = file.buffers.get(e.name)?.bytes.length ?? packed.length;
    if (packed.length > room) return `expect.${e.name}: ${packed.length} bytes are expected of a buffer of ${room}`;
    expect[e.name] = {
      type,
      base64: base64(packed),
      ...(e.abs !== null && { abs: e.abs }),
      ...(e.rel !== null && { rel: e.rel }),
      ...(e.nanBits && { nanBits: true }),
    };
  }
  return { buffers: named(file.buffers), globals: named(file.globals), launches, expect };
}
