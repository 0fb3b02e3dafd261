/**
 * Shapes of loads and stores of tensor memory against each other: what is stored as rows of 32 bits is read in every other shape, and the other way round, where PTX ISA
 * 9.7.16.2.3.1 puts it (as fragments of products of warps have it). Copies from shared memory, shifts, sparse products.
 */
import { compile } from "../../lib/compile";
import { unwrap } from "../../lib/result";
import { simulate } from "../../lib/sim/index";

const braces = (n: number): string => `{${Array.from({ length: n }, (_, i) => `%w${i}`).join()}}`;

/** Warp 0 fills 32 lanes of 32 columns: lane l, column c is 1000 l + c; then `body`; `words` registers of each thread come out. */
const kernel = (target: string, body: string, words: number): string => `.version 9.0
.target ${target}
.address_size 64
.visible .entry k(.param .u64 to)
{
  .shared .align 1024 .b8 tile[8192]; .shared .align 8 .b64 bar; .shared .b32 where;
  .reg .b64 %q<4>,%l<4>; .reg .b32 %w<32>,%t,%s,%d,%x,%y,%e; .reg .pred %p,%z;
  ld.param.u64 %q1,[to]; mov.u32 %t,%tid.x; setp.eq.u32 %z,%t,0;
  mov.u32 %s, where; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%s],128;
  mov.u32 %s, bar; @%z mbarrier.init.shared.b64 [%s], 1; bar.warp.sync -1;
  ld.shared.b32 %d,[where];
  ${Array.from({ length: 32 }, (_, i) => `mad.lo.u32 %w${i},%t,1000,${i};`).join(" ")}
  tcgen05.st.sync.aligned.32x32b.x32.b32 [%d],${braces(32)}; tcgen05.wait::st.sync.aligned;
  ${body}
  mad.wide.u32 %q2,%t,${4 * words},%q1;
  ${Array.from({ length: words }, (_, i) => `st.global.b32 [%q2+${4 * i}],%w${i};`).join(" ")}
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %d,128;
  ret;
}
`;

function run(body: string, words: number, target: "sm_100a" | "sm_103a" = "sm_100a"): number[] {
  const results = [0, 2].map((opt) => {
    const { cubin, diagnostics } = compile(kernel(target, body, words), { target, opt, verify: true });
    expect(diagnostics).toEqual([]);
    const to = new Uint32Array(32 * words);
    expect(unwrap(simulate(cubin!, { block: 32, params: [to] })).fault).toBeNull();
    return [...to];
  });
  expect(results[0]).toEqual(results[1]);
  return results[0]!;
}

/** Lane and column of register i of thread t. */
type Place = (t: number, i: number) => readonly [lane: number, column: number];
const shapes: readonly (readonly [string, number, Place])[] = [
  ["32x32b.x4", 4, (t, i) => [t, i]],
  ["16x64b.x4", 4, (t, i) => [Math.floor(t / 4) + 8 * (t % 2), 2 * i + (Math.floor(t / 2) % 2)]],
  ["16x128b.x2", 4, (t, i) => [Math.floor(t / 4) + 8 * (i % 2), 4 * Math.floor(i / 2) + (t % 4)]],
  [
    "16x256b.x2",
    8,
    (t, i) => [Math.floor(t / 4) + 8 * (Math.floor(i / 2) % 2), 8 * Math.floor(i / 4) + 2 * (t % 4) + (i % 2)],
  ],
  ["16x32bx2.x4", 4, (t, i) => [t % 16, i + (t < 16 ? 0 : 8)]],
];
const second = (shape: string): string => (shape.startsWith("16x32bx2") ? ",8" : "");

test.each(shapes)("ld %s", (shape, words, place) => {
  const got = run(
    `tcgen05.ld.sync.aligned.${shape}.b32 ${braces(words)},[%d+2]${second(shape)}; tcgen05.wait::ld.sync.aligned;`,
    words,
  );
  const expected = got.map((_, e) => {
    const [lane, column] = place(Math.floor(e / words), e % words);
    return 1000 * lane + column + 2;
  });
  expect(got).toEqual(expected);
});

test.each(shapes)("st %s", (shape, words, place) => {
  const got = run(
    `${Array.from({ length: words }, (_, i) => `mad.lo.u32 %w${i},%t,100,${100000 + i};`).join(" ")}
     tcgen05.st.sync.aligned.${shape}.b32 [%d]${second(shape)},${braces(words)}; tcgen05.wait::st.sync.aligned;
     tcgen05.ld.sync.aligned.32x32b.x16.b32 ${braces(16)},[%d]; tcgen05.wait::ld.sync.aligned;`,
    16,
  );
  const expected = got.map((_, e) => 1000 * Math.floor(e / 16) + (e % 16));
  for (let t = 0; t < 32; t++)
    for (let i = 0; i < words; i++) {
      const [lane, column] = place(t, i);
      expected[16 * lane + column] = 100 * t + 100000 + i;
    }
  expect(got).toEqual(expected);
});

test("two columns of 16 bits to a register, and back", () => {
  const got = run(
    `tcgen05.ld.sync.aligned.32x32b.x2.pack::16b.b32 {%w0,%w1},[%d+4]; tcgen05.wait::ld.sync.aligned;
     mov.b32 %w2,0x70005; tcgen05.st.sync.aligned.32x32b.x1.unpack::16b.b32 [%d],{%w2}; tcgen05.wait::st.sync.aligned;
     tcgen05.ld.sync.aligned.32x32b.x2.b32 {%w2,%w3},[%d]; tcgen05.wait::ld.sync.aligned;`,
    4,
  );
  const half = (t: number, c: number): number => (1000 * t + c) & 0xffff;
  const expected = Array.from({ length: 32 }, (_, t) => [
    half(t, 4) + 65536 * half(t, 5),
    half(t, 6) + 65536 * half(t, 7),
    5,
    7,
  ]).flat();
  expect(got).toEqual(expected);
});

const f32 = (x: number): number => new Uint32Array(Float32Array.of(x).buffer)[0]!;

test.each([
  ["32x32b.x4.max.u32", "", (t: number) => 1000 * t + 3],
  ["32x32b.x4.min.s32", "", (t: number) => 1000 * t],
  ["16x32bx2.x2.max.u32", ",8", (t: number) => (t < 16 ? 1000 * t + 1 : 1000 * (t - 16) + 9)],
])("ld.red %s", (form, more, expected) => {
  const count = form.includes("x4") ? 4 : 2;
  const got = run(`tcgen05.ld.red.sync.aligned.${form} ${braces(count)},%e,[%d]${more}; mov.b32 %w0,%e;`, 1, "sm_103a");
  expect(got).toEqual(got.map((_, t) => expected(t)));
});

test("ld.red of floats: absolute values, what is no number", () => {
  const values = [-4, 1.5, Number.NaN, 3];
  const set = `${values.map((x, i) => `mov.b32 %w${i},${f32(x)};`).join(" ")} tcgen05.st.sync.aligned.32x32b.x4.b32 [%d],${braces(4)}; tcgen05.wait::st.sync.aligned;`;
  const one = (form: string): number =>
    run(`${set} tcgen05.ld.red.sync.aligned.32x32b.x4.${form} ${braces(4)},%e,[%d]; mov.b32 %w0,%e;`, 1, "sm_103a")[0]!;
  expect(one("max.f32")).toBe(f32(3));
  expect(one("min.f32")).toBe(f32(-4));
  expect(one("max.abs.f32")).toBe(f32(4));
  expect(one("min.abs.f32")).toBe(f32(1.5));
  expect(one("max.NaN.f32")).toBe(0x7fffffff);
});

/** The tile: byte i of word w is w; then one copy, awaited. */
const copy = (form: string, descriptor: bigint): string => `
  mov.u32 %x,%t; FILL: mov.u32 %s,tile; shl.b32 %y,%x,2; add.u32 %s,%s,%y; st.shared.b32 [%s],%x; add.u32 %x,%x,32; setp.lt.u32 %p,%x,2048; @%p bra FILL;
  fence.proxy.async.shared::cta; bar.warp.sync -1; @!%z bra WAIT;
  mov.u32 %s,tile; shr.u32 %s,%s,4; cvt.u64.u32 %l1,%s; or.b64 %l1,%l1,${descriptor};
  tcgen05.cp.cta_group::1.${form} [%d],%l1;
  mov.u32 %s,bar; tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%s];
WAIT: mov.u32 %s,bar; mbarrier.try_wait.parity.shared.b64 %p,[%s],0; @!%p bra WAIT; tcgen05.fence::after_thread_sync;`;

/** Pieces of 16 bytes without swizzle: eight rows in 128 bytes, groups of eight rows 128 bytes apart, the second piece of a row 4096. */
const PIECES = (1n << 46n) | (8n << 32n) | (256n << 16n);

test.each(["128x128b", "128x256b", "64x128b.warpx2::02_13", "64x128b.warpx2::01_23", "32x128b.warpx4"])(
  "cp %s",
  (form) => {
    const words = form.includes("256") ? 8 : 4;
    const got = run(
      `${copy(form, PIECES)} tcgen05.ld.sync.aligned.32x32b.x${words}.b32 ${braces(words)},[%d]; tcgen05.wait::ld.sync.aligned;`,
      words,
    );
    expect(got).toEqual(got.map((_, e) => 4 * Math.floor(e / words) + (e % 4) + 1024 * Math.floor((e % words) / 4)));
  },
);

test("cp of a swizzled tile; 4- and 6-bit elements become bytes", () => {
  const swizzled = (2n << 61n) | (1n << 46n) | (64n << 32n) | (1n << 16n);
  const read = `tcgen05.ld.sync.aligned.32x32b.x4.b32 ${braces(4)},[%d]; tcgen05.wait::ld.sync.aligned;`;
  const got = run(`${copy("32x128b.warpx4", swizzled)} ${read}`, 4);
  expect(got).toEqual(got.map((_, e) => 32 * (e >> 2) + 4 * ((e >> 2) & 7) + (e & 3)));
  /** Elements of the 16 bytes of row r, which are words 4 r … 4 r + 3. */
  const elements = (r: number, bits: number): number[] => {
    const whole = [0, 1, 2, 3].reduce((x, i) => x | (BigInt(4 * r + i) << BigInt(32 * i)), 0n);
    return Array.from({ length: 16 }, (_, e) => Number((whole >> BigInt(e * bits)) & BigInt(2 ** bits - 1)));
  };
  for (const [form, bits, place] of [
    ["b4x16_p64", 4, 2],
    ["b6x16_p32", 6, 0],
  ] as const) {
    const bytes = run(`${copy(`32x128b.warpx4.b8x16.${form}`, PIECES)} ${read}`, 4);
    const expected = Array.from({ length: 32 }, (_, r) => {
      const e = elements(r, bits);
      return [0, 1, 2, 3].map((i) =>
        e.slice(4 * i, 4 * i + 4).reduce((x, v, k) => (x | ((v << place) << (8 * k))) >>> 0, 0),
      );
    });
    expect(bytes).toEqual(expected.flat());
  }
});

test("shift moves rows of eight columns down", () => {
  const got = run(
    `@!%z bra WAIT; tcgen05.shift.cta_group::1.down [%d];
     mov.u32 %s,bar; tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%s];
     WAIT: mov.u32 %s,bar; mbarrier.try_wait.parity.shared.b64 %p,[%s],0; @!%p bra WAIT; tcgen05.fence::after_thread_sync;
     tcgen05.ld.sync.aligned.32x32b.x16.b32 ${braces(16)},[%d]; tcgen05.wait::ld.sync.aligned;`,
    16,
  );
  expect(got).toEqual(
    got.map((_, e) => 1000 * (e % 16 < 8 ? Math.max(0, Math.floor(e / 16) - 1) : Math.floor(e / 16)) + (e % 16)),
  );
});
