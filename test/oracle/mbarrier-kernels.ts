/** Kernels with barrier objects in shared memory and the copies that they count, and what they should compute. */
import { type LaunchOptions, simulate } from "../../lib/sim/index";

const kernel = (
  body: string,
  more = "",
  shared = 4096,
): string => `.visible .entry k(.param .u64 p, .param .u32 n) ${more}
{
  .shared .align 128 .b8 buf[${shared}]; .shared .align 8 .b64 bar[8];
  .reg .b64 %q, %q2, %st; .reg .b32 %l, %s, %t, %b, %e, %n, %d, %i, %x, %r; .reg .pred %p, %z; .reg .b16 %m;
  ld.param.u64 %q, [p]; ld.param.u32 %n, [n]; mov.u32 %l, %tid.x; mov.u32 %b, bar; mov.u32 %s, buf;
  setp.eq.u32 %z, %l, 0;
${body}
  ret;
}
`;
export const header = (arch: string): string => `.version 9.0\n.target ${arch}\n.address_size 64\n`;

/** Counts of pending arrivals, and which phases have ended. */
const counting = kernel(`
  @%z mbarrier.init.shared.b64 [%b], 70;
  bar.sync 0;
  mad.wide.u32 %q2, %l, 4, %q;
  mbarrier.arrive.shared.b64 %st, [%b];
  mbarrier.pending_count.b64 %d, %st;
  st.global.u32 [%q2], %d;
  bar.sync 0;
  mbarrier.test_wait.shared.b64 %p, [%b], %st; selp.u32 %d, 1, 0, %p; st.global.u32 [%q2+128], %d;
  bar.sync 0;
  mbarrier.arrive_drop.shared.b64 %st, [%b];
  mbarrier.pending_count.b64 %d, %st;
  st.global.u32 [%q2+256], %d;
  bar.sync 0;
  @%z mbarrier.arrive.noComplete.shared.b64 %st, [%b], 5;
  @%z mbarrier.arrive.shared.b64 %st, [%b];
  bar.sync 0;
W: mbarrier.test_wait.parity.shared.b64 %p, [%b], 0; @!%p bra W;
  mbarrier.test_wait.parity.shared.b64 %p, [%b], 1; selp.u32 %d, 1, 0, %p; st.global.u32 [%q2+384], %d;
  @%z mbarrier.arrive.shared.b64 %st, [%b];
  @%z mbarrier.pending_count.b64 %d, %st;
  @%z st.global.u32 [%q2+512], %d;
`);

/** A copy of each size with each number of bytes that it takes from memory, which a barrier counts. */
const sizes = [
  ["ca", 4],
  ["ca", 8],
  ["ca", 16],
  ["cg", 16],
] as const;
const copying = kernel(`
  mad.lo.u32 %s, %l, 64, %s;
  mad.wide.u32 %q2, %l, 64, %q;
  @%z mbarrier.init.shared.b64 [%b], 64;
  bar.sync 0;
${sizes.map(([c, n], i) => `  min.u32 %t, %l, ${n}; cp.async.${c}.shared.global [%s+${16 * i}], [%q2+${16 * i}], ${n}, %t;`).join("\n")}
  cp.async.mbarrier.arrive.shared.b64 [%b];
  cp.async.mbarrier.arrive.noinc.shared.b64 [%b];
  mbarrier.arrive.shared.b64 %st, [%b];
W: mbarrier.test_wait.parity.shared.b64 %p, [%b], 0; @!%p bra W;
  mov.u32 %i, 0;
C: ld.shared.u32 %t, [%s]; st.global.u32 [%q2+2048], %t; add.u32 %s, %s, 4; add.u64 %q2, %q2, 4;
  add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 16; @%p bra C;
`);

/**
 * Warp 0 copies n pieces of 512 bytes into four places in turn, warps 1 to 3 take what arrives, add it up and give the place back.
 */
const ring = kernel(`
  @!%z bra START;
  mov.u32 %i, 0; mov.u32 %t, %b;
I: mbarrier.init.shared.b64 [%t], 1; mbarrier.init.shared.b64 [%t+32], 96;
  add.u32 %t, %t, 8; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 4; @%p bra I;
  fence.mbarrier_init.release.cluster;
START: bar.sync 0;
  mov.u32 %i, 0; mov.u32 %x, 0;
  setp.ge.u32 %p, %l, 32; @%p bra TAKE;
  @!%z bra END;
GIVE: setp.ge.u32 %p, %i, %n; @%p bra END;
  and.b32 %d, %i, 3; shl.b32 %t, %d, 3; add.u32 %e, %b, %t; shl.b32 %t, %d, 9; add.u32 %t, %s, %t;
  shr.u32 %d, %i, 2; xor.b32 %d, %d, 1; and.b32 %d, %d, 1;
WE: mbarrier.try_wait.parity.shared.b64 %p, [%e+32], %d; @!%p bra WE;
  mbarrier.arrive.expect_tx.shared.b64 %st, [%e], 512;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%t], [%q], 512, [%e];
  add.u64 %q, %q, 512; add.u32 %i, %i, 1; bra GIVE;
TAKE: setp.ge.u32 %p, %i, %n; @%p bra TAKEN;
  and.b32 %d, %i, 3; shl.b32 %t, %d, 3; add.u32 %e, %b, %t; shl.b32 %t, %d, 9; add.u32 %t, %s, %t;
  shr.u32 %d, %i, 2; and.b32 %d, %d, 1;
WF: mbarrier.try_wait.parity.shared.b64 %p, [%e], %d; @!%p bra WF;
  mad.lo.u32 %t, %l, 4, %t; ld.shared.u32 %t, [%t+-128]; mad.lo.u32 %x, %x, 3, %t;
  mbarrier.arrive.shared.b64 %st, [%e+32];
  add.u32 %i, %i, 1; bra TAKE;
TAKEN: mad.wide.u32 %q2, %n, 512, %q; mad.wide.u32 %q2, %l, 4, %q2; st.global.u32 [%q2], %x;
END: bar.sync 0;
  @!%z bra LAST;
  mov.u32 %t, 7; st.shared.u32 [%s], %t; fence.proxy.async.shared::cta;
  mad.wide.u32 %q2, %n, 512, %q; cvt.u64.u32 %st, %n; ld.param.u64 %q, [p]; mad.wide.u32 %q2, %n, 512, %q;
  cp.async.bulk.global.shared::cta.bulk_group [%q2], [%s], 16;
  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
LAST:
`);

/** Two CTAs: one copy for both, a copy to the other, a store and arrivals there. */
const cluster = kernel(
  `
  mov.u32 %r, %cluster_ctarank;
  @%z mbarrier.init.shared.b64 [%b], 34; @%z mbarrier.init.shared.b64 [%b+8], 1;
  fence.mbarrier_init.release.cluster;
  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
  xor.b32 %d, %r, 1;
  mapa.shared::cluster.u32 %e, %b, %d; mapa.shared::cluster.u32 %t, %s, %d;
  @%z mbarrier.arrive.expect_tx.shared.b64 %st, [%b], 1156;
  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%e];
  @!%z bra W;
  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%e], 1;
  mov.b16 %m, 3; setp.ne.u32 %p, %r, 0; @%p bra NOT;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%s], [%q], 512, [%b], %m;
NOT: mad.wide.u32 %q2, %r, 512, %q;
  mbarrier.arrive.expect_tx.shared.b64 %st, [%b+8], 640;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s+1024], [%q2+512], 640, [%b+8];
V: mbarrier.try_wait.parity.shared.b64 %p, [%b+8], 0; @!%p bra V;
  cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%t+2048], [%s+1024], 640, [%e];
  add.u32 %x, %r, 77;
  st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%t+3072], %x, [%e];
W: mbarrier.try_wait.parity.shared.b64 %p, [%b], 0, 100; @!%p bra W;
  mul.wide.u32 %q2, %r, 1024; add.u64 %q2, %q2, %q; mad.wide.u32 %q2, %l, 4, %q2; mad.lo.u32 %s, %l, 4, %s;
  ld.shared.u32 %t, [%s]; st.global.u32 [%q2+4096], %t;
  ld.shared.u32 %t, [%s+2048]; st.global.u32 [%q2+4224], %t;
  ld.shared.u32 %t, [%s+2560]; st.global.u32 [%q2+4352], %t;
  @%z ld.shared.u32 %t, [%s+3072]; @%z st.global.u32 [%q2+4480], %t;
  barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
`,
  ".reqnctapercluster 2",
);

const words = (n: number): Uint32Array => Uint32Array.from({ length: n }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 0);

export interface Case {
  readonly name: string;
  readonly text: string;
  readonly from: number;
  /** On sm_120 ptxas calls a function of the driver for bulk copies. */
  readonly to?: number;
  readonly launch: LaunchOptions;
  readonly n: number;
  readonly input: Uint32Array;
  /** The buffer afterwards, where it is not what it was. */
  readonly expected: (input: Uint32Array) => ReadonlyMap<number, number>;
}

export const cases: readonly Case[] = [
  {
    name: "counts",
    text: counting,
    from: 80,
    launch: { block: 32 },
    n: 0,
    input: new Uint32Array(160),
    expected: () => {
      const at = new Map<number, number>();
      for (let l = 0; l < 32; l++) {
        at.set(l, 70 - l);
        at.set(64 + l, 38 - l);
        // 32 dropped out: the next phase waits for 38.
        if (l === 0) at.set(128, 38);
      }
      return at;
    },
  },
  {
    name: "copies of some of the bytes",
    text: copying,
    from: 80,
    launch: { block: 32 },
    n: 0,
    input: words(1024),
    expected: (input) => {
      const at = new Map<number, number>();
      const bytes = new Uint8Array(input.buffer);
      for (let l = 0; l < 32; l++) {
        const piece = new Uint8Array(64);
        sizes.forEach(([, n], i) => {
          const from = 64 * l + 16 * i;
          piece.set(bytes.subarray(from, from + Math.min(l, n)), 16 * i);
        });
        const view = new Uint32Array(piece.buffer);
        sizes.forEach(([, n], i) => {
          for (let k = 0; k < n / 4; k++) at.set(512 + 16 * l + 4 * i + k, view[4 * i + k]!);
        });
      }
      return at;
    },
  },
  {
    name: "a ring of bulk copies",
    text: ring,
    from: 90,
    to: 110,
    launch: { block: 128 },
    n: 11,
    input: words(12 * 128),
    expected: (input) => {
      const at = new Map<number, number>();
      for (let l = 32; l < 128; l++) {
        let x = 0;
        for (let i = 0; i < 11; i++) x = (Math.imul(x, 3) + input[128 * i + l - 32]!) >>> 0;
        at.set(11 * 128 + l, x);
      }
      at.set(11 * 128, 7);
      return at;
    },
  },
  {
    name: "a cluster",
    text: cluster,
    from: 90,
    to: 110,
    launch: { grid: 2, block: 32 },
    n: 0,
    input: words(2048),
    expected: (input) => {
      const at = new Map<number, number>();
      for (const r of [0, 1])
        for (let l = 0; l < 32; l++) {
          const to = 1024 + 256 * r + l;
          const other = 128 + 128 * (1 - r);
          at.set(to, input[l]!);
          at.set(to + 32, input[other + l]!);
          at.set(to + 64, input[other + 128 + l]!);
          if (l === 0) at.set(to + 96, 78 - r);
        }
      return at;
    },
  },
];

export function wrong(c: Case, cubin: Uint8Array): string[] {
  const buffer = c.input.slice();
  const run = simulate(cubin, { ...c.launch, params: [buffer, { u32: c.n }] });
  if (!run.ok) return run.diagnostics.map((d) => d.message);
  const { fault } = run.value;
  if (fault !== null) return [`${fault.message} at 0x${fault.address.toString(16)} ${fault.instruction}`];
  const out: string[] = [];
  for (const [i, x] of c.expected(c.input)) if (buffer[i] !== x) out.push(`word ${i}: ${buffer[i]}, expected ${x}`);
  return out.slice(0, 4);
}
