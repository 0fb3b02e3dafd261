/** Any bytes at all: diagnostics, never an exception, and no more memory than the input calls for. */

import { readElf } from "../../lib/elf/elf64";
import { containerModel, decodeInfo, describeCubin, link, readCubin } from "../../lib/elf/index";
import { code, inst, param, program, variable } from "./program";

/** xorshift32 (Marsaglia), so that failures can be repeated. */
function generator(seed: number): () => number {
  let x = seed | 0 || 1;
  return () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return x >>> 0;
  };
}

function sample(target: "sm_75" | "sm_90"): Uint8Array {
  const codes = [
    code("first", target, {
      params: [param(0, 8), param(8, 4)],
      paramBytes: 12,
      relocs: [{ offset: 0, symbol: "g", addend: 4, what: "32@lo" }],
    }),
    code("second", target, {
      insts: [inst("BSSY"), inst("EXIT")],
      locs: [null, { start: 0, end: 1, line: 5, column: 1 }],
    }),
  ];
  const symbols = [
    variable("g", "global", { size: 16 }),
    variable("c", "const", { init: new Uint8Array(4) }),
    variable("s", "shared", { users: ["first"] }),
  ];
  const bytes = link(codes, program(target, codes, symbols), {
    source: { text: ".version 9.0\nret;\n", files: [{ path: "a.cu", time: 0, size: 0 }], strings: null, places: [] },
  });
  if (!bytes.ok) throw new Error("no sample");
  return bytes.value;
}

const interesting = [0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff];

test("10,000 seeded mutations", () => {
  const originals = [sample("sm_75"), sample("sm_90")];
  let read = 0;
  for (let seed = 1; seed <= 10_000; seed++) {
    const next = generator(seed * 2654435761);
    const original = originals[seed % 2]!;
    let bytes = original.slice(0, next() % 8 === 0 ? next() % original.length : original.length);
    const v = new DataView(bytes.buffer);
    for (let n = next() % 6; n >= 0 && bytes.length > 4; n--) {
      // Half of the damage goes into the headers, where it hurts.
      const region = next() % 2 === 0 ? Math.min(64, bytes.length) : bytes.length;
      const at = next() % (region - 3);
      if (next() % 2 === 0) v.setUint32(at, interesting[next() % interesting.length]!, true);
      else bytes[at] = next() & 0xff;
    }
    if (next() % 16 === 0) bytes = Uint8Array.from([...bytes, ...bytes.subarray(0, next() % 64)]);
    const result = readCubin(bytes);
    if (result.ok) {
      read++;
      describeCubin(bytes, { contents: true });
    } else expect(result.diagnostics.every((d) => d.severity === "error" && d.message.length > 0)).toBe(true);
  }
  // Some survive (damage to words or names), most do not: both ways were taken.
  expect(read).toBeGreaterThan(100);
  expect(read).toBeLessThan(9_900);
});

test("noise of every length up to 300 bytes", () => {
  const next = generator(7);
  for (let n = 0; n < 300; n++) {
    const bytes = Uint8Array.from({ length: n }, () => next() & 0xff);
    expect(readCubin(bytes).ok).toBe(false);
    decodeInfo(bytes);
  }
});

/** Nothing but `count` sections of 5,000 bytes each, all the same, with a name of `letters` letters. */
function crowded(count: number, letters: number): Uint8Array {
  const names = 64 + 64 * count;
  const bytes = new Uint8Array(names + Math.max(5000, letters + 1));
  const v = new DataView(bytes.buffer);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  v.setBigUint64(40, 64n, true);
  v.setUint16(58, 64, true);
  v.setUint16(60, count, true);
  v.setUint16(62, 1, true);
  bytes.fill(97, names, names + letters);
  for (let i = 1; i < count; i++) {
    v.setUint32(64 + 64 * i + 4, 1, true);
    v.setBigUint64(64 + 64 * i + 24, BigInt(names), true);
    v.setBigUint64(64 + 64 * i + 32, BigInt(Math.max(i === 1 ? letters + 1 : 0, 5000)), true);
  }
  return bytes;
}

test("sections that share their bytes or a long name do not make more of a file than it is", () => {
  const read = (count: number, letters: number): number | string => {
    const elf = readElf(crowded(count, letters));
    return elf.ok ? elf.value.sections.length : elf.diagnostics[0]!.message;
  };
  expect(read(10, 8)).toBe(10);
  expect(read(60_000, 8)).toMatch(/sections overlap too much/);
  expect(read(100, 100_000)).toMatch(/names of sections overlap too much/);
});

test("an alignment of 2^39 bytes is not written out", () => {
  const bytes = sample("sm_90").slice();
  const models = [bytes, bytes].map((file, i) => {
    const v = new DataView(file.buffer);
    // Alignment of the first section.
    if (i === 1) v.setBigUint64(Number(v.getBigUint64(0x28, true)) + 64 + 48, 2n ** 39n, true);
    const read = readCubin(file);
    return read.ok ? containerModel(read.value) : undefined;
  });
  expect(models[0]).not.toBeNull();
  expect(models[1]).toBeNull();
});

test("attributes: truncated and unknown formats are refused", () => {
  expect(decodeInfo(Uint8Array.of(4, 0x2f, 8)).ok).toBe(false);
  expect(decodeInfo(Uint8Array.of(4, 0x2f, 8, 0, 1, 2)).ok).toBe(false);
  expect(decodeInfo(Uint8Array.of(9, 0x2f, 0, 0)).ok).toBe(false);
  const known = decodeInfo(Uint8Array.of(3, 0x1b, 0xff, 0, 4, 0x1c, 4, 0, 0x10, 0, 0, 0, 2, 0x4c, 3, 0, 1, 0x2b, 0, 0));
  expect(known.ok && known.value.map((r) => [r.name, r.format, r.value, r.payload.length])).toEqual([
    ["MAXREG_COUNT", 3, 0xff, 0],
    ["EXIT_INSTR_OFFSETS", 4, 0, 4],
    ["NUM_BARRIERS", 2, 3, 0],
    ["WMMA_USED", 1, 0, 0],
  ]);
});
