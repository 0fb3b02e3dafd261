import { compile } from "../../lib/compile";
import { readCapsule, writeCapsule } from "../../lib/elf/cubin/capmerc";
import { capsuleOf } from "../../lib/elf/cubin/capmerc-derive";
import type { TargetName } from "../../lib/target/index";

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

/** Words with the loop after them that closes a function. */
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

/** Our own code of a statement: the words of the unit that has the first instruction with this name, else with this opcode, and its item. */
function unitOf(arch: TargetName, opt: number, statement: string, op: string): [ops: string, item: string] {
  const text = `.version 9.0
.target ${arch}
.address_size 64
.visible .entry k(.param .u64 p) {
.reg .b64 %d<5>; .reg .b32 %r<9>; .reg .pred %p<4>; .reg .b16 %h<3>;
ld.param.u64 %d1, [p]; ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1]; setp.lt.s32 %p1, %r4, 3;
${statement}
selp.b32 %r6, %r5, 7, %p2; st.global.u32 [%d1], %r6; st.global.u64 [%d1+8], %d2; ret; }`;
  const made = compile(text, { target: arch, opt, relocatable: true });
  expect(made.diagnostics).toEqual([]);
  const { insts, words: all, target } = made.functions[0]!.code!;
  const derived = capsuleOf(all, 1, { paramBase: target.constants.paramBase, compiled: true });
  if ("unknown" in derived) throw new Error(`${insts[derived.unknown]!.form.op} is not known`);
  const named = insts.findIndex((i) => i.form.name === op);
  const at = named >= 0 ? named : insts.findIndex((i) => i.form.op === op);
  const unit = derived.units.find((u) => u.first <= at && at < u.first + u.words)!;
  const ops = insts.slice(unit.first, unit.first + unit.words).map((i) => i.form.op);
  return [ops.join(" "), unit.item === null ? "1" : hex(unit.item)];
}

/** Record name and number of words; operands differ by level. */
const OWN: readonly (readonly [statement: string, op: string, ops: string, item: RegExp])[] = [
  ["bar.sync %r1, %r2;", "BAR", "SHF LOP3 BAR", /^d1010147540a/],
  ["bar.arrive %r1, %r2;", "BAR", "SHF LOP3 BAR", /^d10101470c0a/],
  ["bar.red.popc.u32 %r5, %r1, %r2, !%p1;", "BAR", "SHF LOP3 BAR B2R", /^510201473c04/],
  ["bar.red.and.pred %p2, %r1, %r2, %p1;", "BAR", "SHF LOP3 BAR B2R", /^510201472404/],
  ["bar.red.or.pred %p2, %r1, 64, !%p1;", "BAR", "BAR B2R", /^510102472624/],
  ["redux.sync.add.s32 %r5, %r1, %r2;", "REDUX", "WARPSYNC REDUX MOV ENDCOLLECTIVE", /^510202321806/],
  ["match.all.sync.b32 %r5|%p2, %r1, %r2;", "MATCH", "WARPSYNC MATCH ENDCOLLECTIVE", /^d101024a0806/],
  ["cvta.local.u64 %d2, %d1;", "LDC", "LDC", /^010b040a/],
  ["fma.rn.f16x2 %r5, %r1, %r2, %r3;", "HFMA2", "HFMA2", /^1$/],
  ["ld.v2.u16 {%h1, %h2}, [%d1]; mov.b32 %r5, {%h1, %h2};", "LD", "LD", /^0222/],
  ["fence.acq_rel.sys;", "MEMBAR", "MEMBAR ERRBAR CGAERRBAR CCTL", /^5102/],
];

const archs: readonly TargetName[] = ["sm_100", "sm_103", "sm_110", "sm_120", "sm_121"];

test.each(OWN)("in our own code: %s", (statement, op, ops, item) => {
  for (const opt of [0, 1, 3])
    for (const arch of archs)
      expect([arch, opt, ...unitOf(arch, opt, statement, op)]).toEqual([arch, opt, ops, expect.stringMatching(item)]);
});

/** Whether a logic table (bit 4a + 2b + c) gives another result for another value of the source with this weight in the index. */
const decidedBy = (logic: number, weight: number): boolean =>
  [0, 1, 2, 3, 4, 5, 6, 7].some((i) => ((logic >> i) & 1) !== ((logic >> (i ^ weight)) & 1));

test("LOP3: the word stands for an instruction of 32 bytes unless its table is one of A and B: that is AND, OR, XOR where C is zero", () => {
  const Z = 255;
  for (let logic = 0; logic < 256; logic++) {
    const two = decidedBy(logic, 4) && decidedBy(logic, 2) && !decidedBy(logic, 1);
    // MOV and NOT of one register have items of their own.
    const one = [0x33, 0xcc].includes(logic);
    for (const [a, b, c] of [
      [10, 11, 12],
      [10, 11, Z],
      [10, Z, 12],
      [Z, 11, 12],
      [10, Z, Z],
      [Z, 11, Z],
      [Z, Z, 12],
      [Z, Z, Z],
    ] as const) {
      const made = capsuleOf(
        closed([[0x212 | 0x7000 | (9 << 16) | (a << 24), b, c | (logic << 8) | 0x78e0000, 0]]),
        1,
        {
          ...PARAMS,
          compiled: true,
        },
      );
      if ("unknown" in made) throw new Error(`${logic.toString(16)} ${a} ${b} ${c}`);
      const { item } = made.units[0]!;
      const what = `${item === null ? "word" : hex(item).slice(0, 8)} ${made.addresses[1]!}`;
      const expected = two
        ? c === Z
          ? /^word 16|422a0014 32|01290004 16$/
          : /^422a0014 32$/
        : one && a === Z && c === Z
          ? /^word 32|012b000a 16$/
          : /^word 32$/;
      expect([logic.toString(16), a, b, c, what]).toEqual([
        logic.toString(16),
        a,
        b,
        c,
        expect.stringMatching(expected),
      ]);
    }
  }
});

test("cut or foreign bytes are not read", () => {
  const whole = capsule();
  for (let n = 0; n < whole.length; n++) expect(readCapsule(whole.subarray(0, n))).toBeNull();
  const foreign = whole.slice();
  foreign[4] = 2;
  expect(readCapsule(foreign)).toBeNull();
});
