/** Sparse products in tensor memory (`tcgen05.mma.sp`) of 16- and 8-bit elements, against plain sums over the whole matrix; products of 64 rows, sums in f16. */
import { compile } from "../../lib/compile";
import { unwrap } from "../../lib/result";
import { simulate } from "../../lib/sim/index";
import { random } from "../corpus/random";

const [M, N] = [128, 16];
/** 0 … 3. */
const HALVES = [0, 0x3c00, 0x4000, 0x4200];
const E4M3 = [0, 0x38, 0x40, 0x44];

/** Thread t brings row t of A (32 bytes), of B (64 bytes), and two words of metadata to lane t. Pieces without swizzle, along k 2048 and 256 bytes apart. */
const kernel = (op: string, shape: number): string => `.version 9.0
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 e, .param .u64 to)
{
  .shared .align 128 .b8 ta[4096]; .shared .align 128 .b8 tb[1024]; .shared .align 8 .b64 bar; .shared .b32 where;
  .reg .b64 %q<8>,%da,%db; .reg .b32 %w<16>,%t,%s,%d,%m,%i,%lane; .reg .pred %p,%z;
  ld.param.u64 %q0,[a]; ld.param.u64 %q1,[b]; ld.param.u64 %q2,[e]; ld.param.u64 %q3,[to]; mov.u32 %t,%tid.x; setp.eq.u32 %z,%t,0;
  setp.ge.u32 %p,%t,32; @%p bra MADE;
  mov.u32 %s, where; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%s],64;
MADE: mov.u32 %s, bar; @%z mbarrier.init.shared.b64 [%s], 1;
  shl.b32 %lane,%t,4; mov.u32 %s,ta; add.u32 %s,%s,%lane; mad.wide.u32 %q4,%t,32,%q0;
  ld.global.v4.b32 {%w0,%w1,%w2,%w3},[%q4]; st.shared.v4.b32 [%s],{%w0,%w1,%w2,%w3};
  ld.global.v4.b32 {%w0,%w1,%w2,%w3},[%q4+16]; st.shared.v4.b32 [%s+2048],{%w0,%w1,%w2,%w3};
  setp.ge.u32 %p,%t,${N}; @%p bra READY;
  mov.u32 %s,tb; add.u32 %s,%s,%lane; mad.wide.u32 %q4,%t,64,%q1;
  ${[0, 1, 2, 3].map((i) => `ld.global.v4.b32 {%w0,%w1,%w2,%w3},[%q4+${16 * i}]; st.shared.v4.b32 [%s+${256 * i}],{%w0,%w1,%w2,%w3};`).join(" ")}
READY: fence.proxy.async.shared::cta; bar.sync 0;
  ld.shared.b32 %d,[where]; shr.u32 %lane,%t,5; shl.b32 %lane,%lane,21; add.u32 %lane,%lane,%d; mad.wide.u32 %q4,%t,8,%q2;
  ld.global.v2.b32 {%w0,%w1},[%q4];
  tcgen05.st.sync.aligned.32x32b.x2.b32 [%lane+32],{%w0,%w1}; tcgen05.wait::st.sync.aligned;
  tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;
  @!%z bra WAIT;
  mov.u32 %s,ta; shr.u32 %s,%s,4; cvt.u64.u32 %da,%s; mov.u32 %s,tb; shr.u32 %s,%s,4; cvt.u64.u32 %db,%s;
  or.b64 %da,%da,${(1n << 46n) | (8n << 32n) | (128n << 16n)}; or.b64 %db,%db,${(1n << 46n) | (8n << 32n) | (16n << 16n)};
  mov.u32 %i,${shape}; add.u32 %m,%d,32; setp.ne.u32 %p,%d,%d;
  ${op}
  mov.u32 %s,bar; tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%s];
WAIT: mov.u32 %s,bar; mbarrier.try_wait.parity.shared.b64 %p,[%s],0; @!%p bra WAIT; tcgen05.fence::after_thread_sync;
  tcgen05.ld.sync.aligned.32x32b.x16.b32 {${Array.from({ length: 16 }, (_, i) => `%w${i}`).join()}},[%lane]; tcgen05.wait::ld.sync.aligned;
  mad.wide.u32 %q4,%t,64,%q3;
  ${Array.from({ length: 16 }, (_, i) => `st.global.b32 [%q4+${4 * i}],%w${i};`).join(" ")}
  bar.sync 0; setp.ge.u32 %p,%t,32; @%p bra END;
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %d,64;
END: ret;
}
`;

function ran(op: string, shape: number, params: readonly Uint8Array[], out: Float32Array | Uint32Array): void {
  const { cubin, diagnostics } = compile(kernel(op, shape), { target: "sm_100a", verify: true });
  expect(diagnostics).toEqual([]);
  expect(unwrap(simulate(cubin!, { block: 128, params: [...params, out] })).fault).toBeNull();
}

const bytesOf = (values: readonly number[], bits: number): Uint8Array => {
  const patterns = values.map((x) => (bits === 16 ? HALVES : E4M3)[x]!);
  return bits === 16 ? new Uint8Array(Uint16Array.from(patterns).buffer) : Uint8Array.from(patterns);
};

const sizes = ((N / 8) << 17) | ((M / 16) << 24);

test.each([
  ["f16", 16],
  ["f8f6f4", 8],
])("kind::%s, two of four", (kind, bits) => {
  const depth = 512 / bits;
  const r = random(bits);
  const whole = new Array<number>(M * depth).fill(0);
  const kept: number[] = [];
  /** Four bits for each four elements of each row. */
  const places: number[][] = [];
  for (let row = 0; row < M; row++) {
    places.push([]);
    for (let chunk = 0; chunk < depth / 4; chunk++) {
      const first = r.below(3);
      const second = first + 1 + r.below(3 - first);
      places[row]!.push(first | (second << 2));
      for (const at of [first, second]) {
        const x = r.below(4);
        kept.push(x);
        whole[row * depth + 4 * chunk + at] = x;
      }
    }
  }
  const b = Array.from({ length: N * depth }, () => r.below(4));
  const meta = new Uint32Array(2 * M);
  places.forEach((of, row) => {
    of.forEach((x, chunk) => {
      // 8 bits: 16 nibbles of the row in its lane. 16 bits: k of 16 in lanes with bit 3 clear, then set; rows of eight in halves of the words.
      const [lane, column, bit] =
        bits === 8
          ? [row, chunk >> 3, 4 * (chunk & 7)]
          : [(row & ~8) | (chunk < 4 ? 0 : 8), 0, 16 * ((row >> 3) & 1) + 4 * (chunk & 3)];
      meta[2 * lane + column] = (meta[2 * lane + column]! | (x << bit)) >>> 0;
    });
  });
  const out = new Float32Array(M * N);
  const op = `tcgen05.mma.sp.cta_group::1.kind::${kind} [%d],%da,%db,[%m],%i,%p;`;
  ran(op, sizes | (1 << 4) | (1 << 2), [bytesOf(kept, bits), bytesOf(b, bits), new Uint8Array(meta.buffer)], out);
  const expected = Array.from({ length: M * N }, (_, e) => {
    let sum = 0;
    for (let k = 0; k < depth; k++) sum += whole[Math.floor(e / N) * depth + k]! * b[(e % N) * depth + k]!;
    return sum;
  });
  expect([...out].findIndex((x, i) => x !== expected[i])).toBe(-1);
});

test("64 rows in sixteen lanes of each warp, sums in f16, half of the old ones added", () => {
  const r = random(3);
  const a = Array.from({ length: M * 16 }, () => r.below(4));
  const b = Array.from({ length: N * 32 }, () => r.below(4));
  const out = new Uint32Array(M * N);
  const once = "tcgen05.mma.cta_group::1.kind::f16 [%d],%da,%db,%i,%p";
  const shape = ((N / 8) << 17) | (4 << 24);
  ran(`${once}; setp.eq.u32 %p,%d,%d; ${once},1;`, shape, [bytesOf(a, 16), bytesOf(b, 16), new Uint8Array(8 * M)], out);
  const value = (h: number): number => (h === 0 ? 0 : 2 ** ((h >> 10) - 15) * (1 + (h & 1023) / 1024));
  for (let row = 0; row < 64; row++)
    for (let j = 0; j < N; j++) {
      let sum = 0;
      for (let k = 0; k < 16; k++) sum += a[row * 16 + k]! * b[j * 32 + k]!;
      const lane = (row & 15) + 32 * (row >> 4);
      expect(value(out[lane * N + j]!)).toBe(1.5 * sum);
    }
});
