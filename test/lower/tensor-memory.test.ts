/** Products in tensor memory of every dense kind, A from shared or tensor memory, against plain sums. */
import { compile } from "../../lib/compile";
import { unwrap } from "../../lib/result";
import { simulate } from "../../lib/sim/index";
import { random } from "../corpus/random";

interface Kind {
  readonly name: string;
  /** Bits of an element, its code in the descriptor of the instruction, and the pattern of a small integer. */
  readonly bits: number;
  readonly code: number;
  readonly pattern: (x: number) => number;
  readonly sums: "f32" | "s32";
}

const f32 = (x: number): number => new Uint32Array(Float32Array.of(x).buffer)[0]!;
/** 0 … 3 in floats of 8 bits: three fraction bits, two. */
const E4M3 = [0, 0x38, 0x40, 0x44];
const E5M2 = [0, 0x3c, 0x40, 0x42];

const kinds: readonly Kind[] = [
  { name: "f16", bits: 16, code: 0, pattern: (x) => [0, 0x3c00, 0x4000, 0x4200][x]!, sums: "f32" },
  { name: "f16", bits: 16, code: 1, pattern: (x) => f32(x) >>> 16, sums: "f32" },
  { name: "tf32", bits: 32, code: 2, pattern: f32, sums: "f32" },
  { name: "f8f6f4", bits: 8, code: 0, pattern: (x) => E4M3[x]!, sums: "f32" },
  { name: "f8f6f4", bits: 8, code: 1, pattern: (x) => E5M2[x]!, sums: "f32" },
  { name: "i8", bits: 8, code: 1, pattern: (x) => x, sums: "s32" },
];

const [M, N] = [128, 16];

/** Words of A by rows (8 to a row), then of B; out: D by rows. Pieces of 16 bytes without swizzle: eight rows beside each other, two along k. */
const kernel = (k: Kind, inTensor: boolean): string => `.version 9.0
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 from, .param .u64 to)
{
  .shared .align 128 .b8 a[4096]; .shared .align 128 .b8 b[512]; .shared .align 8 .b64 bar; .shared .b32 where;
  .reg .b64 %q<4>,%da,%db; .reg .b32 %w<20>,%t,%s,%d,%x,%i,%lane; .reg .pred %p,%z;
  ld.param.u64 %q0,[from]; ld.param.u64 %q1,[to]; mov.u32 %t,%tid.x; setp.eq.u32 %z,%t,0;
  setp.ge.u32 %p,%t,32; @%p bra MADE;
  mov.u32 %s, where; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%s],64;
MADE: mov.u32 %s, bar; @%z mbarrier.init.shared.b64 [%s], 1;
  mad.wide.u32 %q2,%t,32,%q0;
  ld.global.v4.b32 {%w0,%w1,%w2,%w3},[%q2]; ld.global.v4.b32 {%w4,%w5,%w6,%w7},[%q2+16];
  shr.u32 %x,%t,3; mul.lo.u32 %x,%x,256; and.b32 %i,%t,7; mad.lo.u32 %x,%i,16,%x; mov.u32 %s,a; add.u32 %s,%s,%x;
  st.shared.v4.b32 [%s],{%w0,%w1,%w2,%w3}; st.shared.v4.b32 [%s+128],{%w4,%w5,%w6,%w7};
  setp.ge.u32 %p,%t,${N}; @%p bra READY;
  ld.global.v4.b32 {%w8,%w9,%w10,%w11},[%q2+4096]; ld.global.v4.b32 {%w12,%w13,%w14,%w15},[%q2+4112];
  mov.u32 %s,b; add.u32 %s,%s,%x;
  st.shared.v4.b32 [%s],{%w8,%w9,%w10,%w11}; st.shared.v4.b32 [%s+128],{%w12,%w13,%w14,%w15};
READY: fence.proxy.async.shared::cta; bar.sync 0;
  ld.shared.b32 %d,[where]; shr.u32 %lane,%t,5; shl.b32 %lane,%lane,21; add.u32 %lane,%lane,%d;
  tcgen05.st.sync.aligned.32x32b.x8.b32 [%lane+32],{%w0,%w1,%w2,%w3,%w4,%w5,%w6,%w7}; tcgen05.wait::st.sync.aligned;
  tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;
  @!%z bra WAIT;
  mov.u32 %s,a; shr.u32 %s,%s,4; cvt.u64.u32 %da,%s; mov.u32 %s,b; shr.u32 %s,%s,4; cvt.u64.u32 %db,%s;
  or.b64 %da,%da,${(1n << 46n) | (16n << 32n) | (8n << 16n)}; or.b64 %db,%db,${(1n << 46n) | (16n << 32n) | (8n << 16n)};
  mov.u32 %i,${((k.sums === "s32" ? 2 : 1) << 4) | (k.code << 7) | (k.code << 10) | ((N / 8) << 17) | ((M / 16) << 24)};
  add.u32 %x,%d,32; setp.ne.u32 %p,%d,%d;
  tcgen05.mma.cta_group::1.kind::${k.name} [%d],${inTensor ? "[%x]" : "%da"},%db,%i,%p;
  setp.eq.u32 %p,%d,%d;
  tcgen05.mma.cta_group::1.kind::${k.name} [%d],${inTensor ? "[%x]" : "%da"},%db,%i,%p;
  mov.u32 %s,bar; tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%s];
WAIT: mov.u32 %s,bar; mbarrier.try_wait.parity.shared.b64 %p,[%s],0; @!%p bra WAIT;
  tcgen05.fence::after_thread_sync;
  tcgen05.ld.sync.aligned.32x32b.x16.b32 {${Array.from({ length: 16 }, (_, i) => `%w${i}`).join()}},[%lane]; tcgen05.wait::ld.sync.aligned;
  mad.wide.u32 %q3,%t,64,%q1;
  ${Array.from({ length: 16 }, (_, i) => `st.global.b32 [%q3+${4 * i}],%w${i};`).join(" ")}
  bar.sync 0; setp.ge.u32 %p,%t,32; @%p bra END;
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %d,64;
END: ret;
}
`;

const asked = kinds.flatMap((k) => [false, true].map((t) => [k.name, k.code, t ? "tensor" : "shared", k, t] as const));

test.each(asked)("kind::%s, type %i, A in %s memory", (_, __, ___, k, inTensor) => {
  const depth = 256 / k.bits;
  const r = random(41 + k.code);
  const matrix = Array.from({ length: (M + N) * depth }, () => r.below(4));
  const from = new Uint32Array((M + N) * 8);
  matrix.forEach((x, i) => {
    const bit = i * k.bits;
    from[bit >> 5] = (from[bit >> 5]! | (k.pattern(x) << (bit & 31))) >>> 0;
  });
  const expected = Array.from({ length: M * N }, (_, e) => {
    let sum = 0;
    for (let x = 0; x < depth; x++) sum += matrix[Math.floor(e / N) * depth + x]! * matrix[(M + (e % N)) * depth + x]!;
    return 2 * sum;
  });
  const { cubin, diagnostics } = compile(kernel(k, inTensor), { target: "sm_100a", verify: true });
  expect(diagnostics).toEqual([]);
  const to = k.sums === "f32" ? new Float32Array(M * N) : new Int32Array(M * N);
  expect(unwrap(simulate(cubin!, { block: 128, params: [from, to] })).fault).toBeNull();
  expect([...to].findIndex((x, i) => x !== expected[i])).toBe(-1);
});
