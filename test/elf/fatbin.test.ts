/** Fat binaries made by hand: the layout itself is compared with nvcc's files in test/oracle/fatbin.test.ts. */
import { readCubins, readFatbin, unpackMember } from "../../lib/elf/index";
import { decodeLz4 } from "../../lib/elf/lz4";
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

const cubins = (["sm_75", "sm_90"] as const).map((t) => compile(corpusPtx("saxpy", t), { target: t }).cubin!);

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

test("Zstandard: by what the caller brings, else refused", () => {
  const file = fatbin({ kind: 2, sm: 90, flags: 0x8000, data: Uint8Array.of(1, 2, 3), size: cubins[1]!.length });
  const without = readCubins(file);
  expect(!without.ok && without.diagnostics[0]!.message).toMatch(/Zstandard in fat binaries/);
  const seen: number[][] = [];
  const read = readCubins(file, (packed, size) => {
    seen.push([...packed, size]);
    return cubins[1]!;
  });
  expect(read.ok && read.value.map((f) => f.cubin.target)).toEqual(["sm_90"]);
  expect(seen).toEqual([[1, 2, 3, cubins[1]!.length]]);
  for (const bad of [null, new Uint8Array(3)]) {
    const refused = readCubins(file, () => bad);
    expect(!refused.ok && refused.diagnostics[0]!.message).toBe("fat binary: bad Zstandard data");
  }
  const huge = fatbin({ kind: 2, sm: 90, flags: 0x8000, data: Uint8Array.of(1), size: 2 ** 31 });
  expect(
    readCubins(huge, () => {
      throw new Error("asked");
    }).ok,
  ).toBe(false);
});

test("a cubin alone is taken as it is", () => {
  const read = readCubins(cubins[0]!);
  expect(read.ok && read.value.map((f) => f.cubin.target)).toEqual(["sm_75"]);
});

test("LZ4: literals, overlapping matches, lengths that go on in bytes behind", () => {
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
    fatbin({ kind: 2, sm: 90, flags: 0x8000, data: cubins[1]!, size: 1 << 30 }),
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
