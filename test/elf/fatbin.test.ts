/** Fat binaries made by hand: the layout itself is compared with nvcc's files in test/oracle/fatbin.test.ts. */
import { readCubins, readFatbin, unpackMember } from "../../lib/elf/index";
import { decodeLz4 } from "../../lib/elf/lz4";
import { decodeZstd } from "../../lib/elf/zstd";
import { compile } from "../../lib/index";
import { corpusPtx } from "../corpus/cases";
import { random } from "../corpus/random";

interface Made {
  readonly kind: number;
  readonly sm: number;
  readonly flags?: number;
  readonly data: Uint8Array;
  readonly size?: number;
}

function fatbin(...members: readonly Made[]): Uint8Array {
  const total = members.reduce((n, m) => n + 64 + m.data.length, 0);
  const out = new Uint8Array(16 + total);
  const v = new DataView(out.buffer);
  v.setUint32(0, 0xba55ed50, true);
  v.setUint16(4, 1, true);
  v.setUint16(6, 16, true);
  v.setUint32(8, total, true);
  let at = 16;
  for (const m of members) {
    v.setUint16(at, m.kind, true);
    v.setUint32(at + 4, 64, true);
    v.setUint32(at + 8, m.data.length, true);
    if (m.flags) v.setUint32(at + 16, m.data.length, true);
    v.setUint32(at + 28, m.sm, true);
    v.setUint32(at + 40, m.flags ?? 0, true);
    v.setUint32(at + 56, m.size ?? 0, true);
    out.set(m.data, at + 64);
    at += 64 + m.data.length;
  }
  return out;
}

/** Literals only: what any LZ4 reader takes. */
function stored(data: Uint8Array): Uint8Array {
  const length: number[] = [];
  for (let n = data.length - 15; n >= 0; n -= 255) length.push(Math.min(n, 255));
  if (length.at(-1) === 255) length.push(0);
  return Uint8Array.from([0xf0, ...length, ...data]);
}

const cubins = (["sm_75", "sm_90"] as const).map((t) => compile(corpusPtx("saxpy", t), { target: t, opt: 0 }).cubin!);

test("several cubins, one of them compressed, PTX between them", () => {
  const file = fatbin(
    { kind: 2, sm: 75, data: cubins[0]! },
    { kind: 1, sm: 90, data: Uint8Array.of(10) },
    { kind: 2, sm: 90, flags: 0x2000, data: stored(cubins[1]!), size: cubins[1]!.length },
  );
  const members = readFatbin(file);
  expect(members.ok && members.value.map((m) => [m.kind, m.sm, m.compression, m.size])).toEqual([
    ["cubin", 75, "none", cubins[0]!.length],
    ["ptx", 90, "none", 1],
    ["cubin", 90, "lz4", cubins[1]!.length],
  ]);
  const read = readCubins(file);
  expect(read.ok && read.value.map((f) => f.cubin.target)).toEqual(["sm_75", "sm_90"]);
  expect(read.ok && Buffer.from(read.value[1]!.bytes).equals(cubins[1]!)).toBe(true);
});

/** Raw blocks: what any Zstandard reader takes. */
function rawZstd(data: Uint8Array): Uint8Array {
  const out = [0x28, 0xb5, 0x2f, 0xfd, 0xa0];
  const little = (v: number, n: number): void => {
    for (let i = 0; i < n; i++) out.push((v >>> (8 * i)) & 255);
  };
  little(data.length, 4);
  for (let at = 0; at < data.length; at += 0x10000) {
    const part = data.subarray(at, at + 0x10000);
    little((part.length << 3) | (at + 0x10000 >= data.length ? 1 : 0), 3);
    out.push(...part);
  }
  return Uint8Array.from(out);
}

const words = Buffer.from("the quick brown fox jumps over the lazy dog; the quick brown fox sleeps. ".repeat(4));
const numbers = Buffer.from(
  Array.from({ length: 120 }, (_, i) => `${((i + 1) * (i + 1)) % 97} ${((i + 1) * 7919) % 1009}\n`).join(""),
);
/** zstd 1.5 -19, without and with checksum: plain literals; Huffman literals and described tables. */
const packedWords = Buffer.from(
  "KLUv/WAkAO0BAFJDDBGQPQZQ+kPpD6XP/1/T1NiZHAc0GtPoA4Lleot2k+qnufA0Orue4fnDcI4zoqy8STUCAFgmULyQVmU=",
  "base64",
);
const packedNumbers = Buffer.from(
  `KLUv/WQrAu0LALZyXgmwOyQxVIEYwI1aAFsAWgBmnHkraEAdoqlqvK8wtOmPdlTOk9TH8vQnFJWOElYZUl3DhHChKBUVIcU7x6tpEEOqFo5ZgxeNYphb54j0QbNX6FNt/FVPrF/v9JWEf3SCdVIy
YaZHgepJY3Xgq81PyVgQJSKQ1E7xNIREVDPPVmLUVY5kd4xH0StGvFOcmkrRoipFm3WKE72ilTtGi1SOt5dYQjUTrhpC+dXOshIRHiWjnNQmfTrCO6qJMdYzDoAbwbv7YYA0vfNgemIQ1caxVWh0fTDs1jkU
jaL5DbqmFj6qQayyztFREb5cKFZIwwR7ZShCpSNZ9efJ1UexykkS/fFMCsP41DhHHaLdWkEDuGacux/aRSPoec94oJpYUx1htK0/T1c6GrgyNEXDvF8oFk1FCFGdo5Q1iOVaCOUGJaRRpHrrvKA+GFYVjlxtvOqJ
IdE7x6QkNJlO0Ecl87ce666n75q/KLD+mgDUU6Z6JLiSCdMJCkRJSCMBAB9JziE=`,
  "base64",
);

test("Zstandard: the tool's frames, and what is left of them when they are damaged", () => {
  for (const [packed, text] of [
    [packedWords, words],
    [packedNumbers, numbers],
    [Buffer.concat([packedWords, packedNumbers]), Buffer.concat([words, numbers])],
  ] as const) {
    expect(Buffer.from(decodeZstd(packed, text.length)!).equals(text)).toBe(true);
    expect(decodeZstd(packed, text.length - 1)).toBeNull();
    expect(decodeZstd(packed, text.length + 1)).toBeNull();
    for (let n = 1; n < packed.length; n++) expect(decodeZstd(packed.subarray(0, n), text.length)).toBeNull();
  }
  let refused = 0;
  for (let seed = 1; seed <= 2000; seed++) {
    const r = random(seed);
    const bytes = Uint8Array.from(packedNumbers);
    for (let n = 1 + r.below(3); n > 0; n--) bytes[r.below(bytes.length)] = r.below(256);
    if (decodeZstd(bytes, numbers.length) === null) refused++;
  }
  expect(refused).toBeGreaterThan(500);
  expect(decodeZstd(Uint8Array.of(1, 2, 3), 2 ** 40)).toBeNull();
});

test("Zstandard in a fat binary", () => {
  const member = { kind: 2, sm: 90, flags: 0x8000, size: cubins[1]!.length };
  const read = readCubins(fatbin({ ...member, data: rawZstd(cubins[1]!) }));
  expect(read.ok && Buffer.from(read.value[0]!.bytes).equals(cubins[1]!)).toBe(true);
  const bad = readCubins(fatbin({ ...member, data: Uint8Array.of(1, 2, 3) }));
  expect(!bad.ok && bad.diagnostics[0]!.message).toBe("fat binary: bad Zstandard data");
  const huge = readCubins(fatbin({ ...member, data: Uint8Array.of(1), size: 2 ** 31 }));
  expect(!huge.ok && huge.diagnostics[0]!.message).toMatch(/images of more than/);
});

test("a cubin alone is taken as it is", () => {
  const read = readCubins(cubins[0]!);
  expect(read.ok && read.value.map((f) => f.cubin.target)).toEqual(["sm_75"]);
});

test("LZ4: literals, overlapping matches, lengths that go on in the next bytes", () => {
  // "ab" then 20 bytes from distance 2, then "c".
  expect(decodeLz4(Uint8Array.of(0x2f, 97, 98, 2, 0, 1, 0x10, 99), 23)).toEqual(
    Uint8Array.from(Buffer.from(`${"ab".repeat(11)}c`)),
  );
  expect(decodeLz4(Uint8Array.of(0x2f, 97, 98, 2, 0, 1, 0x10, 99), 22)).toBeNull();
  expect(decodeLz4(Uint8Array.of(0x2f, 97, 98, 3, 0, 1, 0x10, 99), 23)).toBeNull();
  expect(decodeLz4(Uint8Array.of(0x10, 97), 2 ** 40)).toBeNull();
});

test("2,000 seeded mutations: diagnostics, never an exception", () => {
  const files = [
    fatbin({ kind: 2, sm: 75, data: cubins[0]! }),
    fatbin({ kind: 2, sm: 90, flags: 0x2000, data: stored(cubins[1]!), size: cubins[1]!.length }),
    fatbin({ kind: 2, sm: 90, flags: 0x8000, data: rawZstd(cubins[1]!), size: cubins[1]!.length }),
  ];
  let good = 0;
  for (let seed = 1; seed <= 2000; seed++) {
    const r = random(seed);
    const original = files[seed % files.length]!;
    const bytes = original.slice(0, r.below(4) === 0 ? r.below(original.length) : original.length);
    for (let n = r.below(4); n > 0 && bytes.length > 0; n--) {
      const region = r.below(2) === 0 ? Math.min(80, bytes.length) : bytes.length;
      bytes[r.below(region)] = r.below(256);
    }
    const members = readFatbin(bytes);
    if (members.ok) for (const m of members.value) unpackMember(m);
    const read = readCubins(bytes);
    if (read.ok) good++;
    else expect(read.diagnostics[0]!.message).not.toBe("");
  }
  expect(good).toBeGreaterThan(100);
  expect(good).toBeLessThan(1900);
});
