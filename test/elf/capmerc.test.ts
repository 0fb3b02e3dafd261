import { readCapsule, writeCapsule } from "../../lib/elf/cubin/capmerc";
import { capsuleOf } from "../../lib/elf/cubin/capmerc-derive";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** ptxas -c -arch=sm_100: LDC R1, c[0x0][0x37c]; MOV R2, RZ; LDC.64 R2, c[0x0][R2+0x380]; BRA itself; NOP. */
const words = Uint32Array.from(
  [
    [0xff017b82, 0x0000df00, 0x00000800, 0x00321e00],
    [0x00027202, 0x000000ff, 0x00000f00, 0x003fde00],
    [0x02027b82, 0x0000e000, 0x00000a00, 0x00321e00],
    [0x00fc7947, 0xfffffffc, 0x0383ffff, 0x000fc000],
    [0x00007918, 0x00000000, 0x00000000, 0x000fc000],
  ].flat(),
);
const PARAMS = { paramBase: 0x380 };

function capsule(): Uint8Array {
  const made = capsuleOf(words, 12, PARAMS);
  if ("unknown" in made) throw new Error(`word ${made.unknown}`);
  return writeCapsule(made);
}

test("items follow a bit per instruction; the closing loop and its NOPs are one", () => {
  expect(hex(capsule())).toBe(
    [
      "0c000000010000c004000000" + "02000000",
      "010b040af80004000000410000040000",
      "02220c06f80052000000830040008000000a0000000000000000000000000000",
      "5001",
    ].join(""),
  );
  const read = readCapsule(capsule())!;
  expect(read.textSection).toBe(12);
  expect(read.units.map((u) => [u.first, u.words, u.item?.length ?? 0])).toEqual([
    [0, 1, 16],
    [1, 1, 0],
    [2, 1, 32],
    [3, 2, 2],
  ]);
});

test("a word without a line has no capsule, nor has a constant of the driver that is not known", () => {
  const other = words.slice();
  other[4] = 0xfff;
  expect(capsuleOf(other, 12, PARAMS)).toEqual({ unknown: 1 });
  const low = words.slice();
  low[1] = 0x0000d100;
  expect(capsuleOf(low, 12, PARAMS)).toEqual({ unknown: 0 });
});

/** Words with the loop behind them that closes a function. */
const closed = (list: readonly (readonly number[])[]): Uint32Array =>
  Uint32Array.from([...list.flat(), ...words.slice(12)]);

test("a fence of our own code is one instruction, as is ptxas's with what it puts before it", () => {
  // MEMBAR.SC.GPU; ERRBAR; CGAERRBAR; CCTL.IVALL (ptxas: @!PT LDS RZ, [RZ] four times and MEMBAR.ALL.CTA before).
  const fence = [
    [0x00007992, 0, 0x00002000, 0],
    [0x000079ab, 0, 0, 0],
    [0x000075ab, 0, 0, 0],
    [0xff00798f, 0, 0x02000000, 0],
  ];
  const load = [0xfffff984, 0, 0x00000800, 0];
  const cta = [0x00007992, 0, 0x00008000, 0];
  const mine = capsuleOf(closed(fence), 1, { ...PARAMS, compiled: true });
  if ("unknown" in mine) throw new Error(`word ${mine.unknown}`);
  expect(mine.units.map((u) => [u.words, hex(u.item!)])).toEqual([
    [4, "51020149100af8000c000000000000000000"],
    [2, "5001"],
  ]);
  expect(mine.addresses[4]).toBe(16);
  expect(capsuleOf(closed(fence), 1, PARAMS)).toHaveProperty("unknown");
  const theirs = capsuleOf(closed([load, load, load, load, cta, ...fence]), 1, { ...PARAMS, likely: true });
  expect("units" in theirs && theirs.units.map((u) => [u.words, hex(u.item!)])).toEqual([
    [9, "d1040149100af8000c000000000000000000"],
    [2, "5001"],
  ]);
});

test("of two MOVs to a pair the words do not tell whether they are one; in our own code they are two", () => {
  const moves = closed([
    [0x00007202 | (40 << 16), 0, 0xf00, 0],
    [0x00007202 | (41 << 16), 9, 0xf00, 0],
  ]);
  expect(capsuleOf(moves, 1, PARAMS)).toEqual({ unknown: 0 });
  const mine = capsuleOf(moves, 1, { ...PARAMS, compiled: true });
  expect("units" in mine && mine.units.map((u) => [u.words, u.item === null])).toEqual([
    [1, true],
    [1, true],
    [2, false],
  ]);
});

test("cut or foreign bytes are not read", () => {
  const whole = capsule();
  for (let n = 0; n < whole.length; n++) expect(readCapsule(whole.subarray(0, n))).toBeNull();
  const foreign = whole.slice();
  foreign[4] = 2;
  expect(readCapsule(foreign)).toBeNull();
});
