/**
 * Kernels in which lanes of one mask meet at different instructions, as the PTX ISA allows (the same qualifiers and the same mask),
 * and what each lane then holds, worked out by hand. One warp; `%l` is the lane, `%n` a parameter (13), the result is `%d`.
 */
export interface GatherKernel {
  readonly name: string;
  readonly code: string;
  readonly expected: (lane: number) => number;
  /** Does not exist before. */
  readonly from?: number;
  /** Functions before the kernel. */
  readonly functions?: string;
  /** Before sm_90 ptxas has two subroutines, with and without the predicate result, and does not gather lanes of both. */
  readonly mixesPredicates?: true;
  /** First SM that needs gathering; before, or ever, the lanes come to one instruction in one order. 0 when left out. */
  readonly gathersFrom?: number;
}

export const N = 13;
export const LANES: readonly number[] = Array.from({ length: 32 }, (_, l) => l);

export function gatherText(k: GatherKernel, target: string): string {
  return `.version 9.0
.target ${target}
.address_size 64
${k.functions ?? ""}
.visible .entry k(.param .u64 out, .param .u32 n)
{
  .reg .pred %p<12>, %low;
  .reg .b32 %r<24>, %l, %n, %d, %m, %x, %y;
  .reg .b64 %q<8>, %o;
  .shared .align 4 .b8 %s[256];
  ld.param.u64 %o, [out];
  ld.param.u32 %n, [n];
  cvta.to.global.u64 %o, %o;
  mov.u32 %l, %laneid;
  mul.wide.u32 %q0, %l, 4;
  add.s64 %o, %o, %q0;
  setp.lt.u32 %low, %l, %n;
  mad.lo.u32 %x, %l, %l, 7;
  mov.u32 %y, 1000;
  mov.u32 %d, 0;
  ${k.code.trim()}
  st.global.u32 [%o], %d;
  ret;
}
`;
}

const low = (l: number): boolean => l < N;
const x = (l: number): number => l * l + 7;
const popcount = (v: number): number => LANES.reduce((n, l) => n + ((v >>> l) & 1), 0);
const lanesWhere = (f: (l: number) => boolean): number => LANES.reduce((m, l) => m | (f(l) ? 1 << l : 0), 0) >>> 0;
const branches = (a: string, b: string): string => `@%low bra THEN;\n${b}\nbra DONE;\nTHEN:\n${a}\nDONE:`;

/** What the lanes exchange when those below N hold one thing and the others another. */
const either = (l: number): number => (low(l) ? x(l) + 100 : x(l));

/** Three rounds of `v = v of the next lane + own lane`, wherever each lane does them. */
function rounds(lane: number): number {
  let v = LANES.map(x);
  for (let r = 0; r < 3; r++) v = v.map((_, l) => (v[(l + 1) & 31] as number) + l);
  return v[lane] as number;
}

const half = (l: number): number => (l < 16 ? 0xffff : 0xffff0000) >>> 0;
const HALF = "setp.lt.u32 %p1, %l, 16; selp.b32 %m, 0xffff, 0xffff0000, %p1;";
const ODD = "and.b32 %r9, %l, 1; setp.eq.u32 %p2, %r9, 1;";

export const gatherKernels: readonly GatherKernel[] = [
  {
    name: "shfl.bfly in both branches, full mask",
    code: branches(
      "add.u32 %x, %x, 100;\nshfl.sync.bfly.b32 %d, %x, 1, 31, -1;",
      "shfl.sync.bfly.b32 %d, %x, 1, 31, -1;",
    ),
    expected: (l) => either(l ^ 1),
  },
  {
    name: "shfl.idx with other registers, lanes and a predicate result in one branch",
    mixesPredicates: true,
    code: branches(
      "add.u32 %r1, %x, 100;\nsub.u32 %r2, 31, %l;\nshfl.sync.idx.b32 %d|%p1, %r1, %r2, 31, -1;\nselp.u32 %r3, 5000, 0, %p1;\nadd.u32 %d, %d, %r3;",
      "mov.u32 %y, 31;\nshfl.sync.idx.b32 %d, %x, 3, %y, -1;",
    ),
    expected: (l) => (low(l) ? either(31 - l) + 5000 : either(3)),
  },
  {
    name: "guarded shuffles of both kinds",
    code: "@%low shfl.sync.down.b32 %d, %x, 1, 31, -1;\n@!%low shfl.sync.down.b32 %d, %l, 1, 31, -1;",
    expected: (l) => {
      const of = (k: number): number => (low(k) ? x(k) : k);
      return of(Math.min(31, l + 1));
    },
  },
  {
    name: "partial constant masks",
    code: `setp.lt.u32 %p1, %l, 16; @%p1 bra LOWER;
shfl.sync.bfly.b32 %d, %x, 3, 31, 0xffff0000; bra DONE;
LOWER: setp.lt.u32 %p2, %l, 5; @%p2 bra FIVE;
shfl.sync.bfly.b32 %d, %x, 15, 31, 0xffff; bra DONE;
FIVE: add.u32 %x, %x, 50; shfl.sync.bfly.b32 %d, %x, 15, 31, 0xffff;
DONE:`,
    expected: (l) => (l >= 16 ? x(l ^ 3) : x(l ^ 15) + ((l ^ 15) < 5 ? 50 : 0)),
  },
  {
    name: "masks in registers, two of them at each place",
    code: `${HALF} ${ODD}
@%p2 bra ODD; shfl.sync.bfly.b32 %d, %x, 1, 31, %m; bra DONE;
ODD: add.u32 %x, %x, 9; shfl.sync.bfly.b32 %d, %x, 1, 31, %m;
DONE:`,
    expected: (l) => x(l ^ 1) + ((l ^ 1) & 1 ? 9 : 0),
  },
  {
    name: "loops of different length",
    code: `and.b32 %r1, %l, 1; add.u32 %r1, %r1, 1; mov.u32 %r2, 0; add.u32 %r3, %l, 1; and.b32 %r3, %r3, 31;
FIRST: shfl.sync.idx.b32 %x, %x, %r3, 31, -1; add.u32 %x, %x, %l;
add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra FIRST;
SECOND: shfl.sync.idx.b32 %x, %x, %r3, 31, -1; add.u32 %x, %x, %l;
add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 3; @%p1 bra SECOND;
mov.u32 %d, %x;`,
    expected: rounds,
  },
  {
    name: "one shuffle in a loop that lanes leave one by one",
    code: `mov.u32 %r1, 0;
LOOP: setp.gt.u32 %p1, %r1, %l; @%p1 bra OUT;
vote.sync.ballot.b32 %r2, %low, -1; add.u32 %d, %d, %r2; add.u32 %r1, %r1, 1;
setp.lt.u32 %p2, %r1, 3; @%p2 bra LOOP;
OUT: @%p1 exit;`,
    // Lanes 0 and 1 leave before the third round, by an exit that comes late: nobody waits for them then.
    expected: (l) => {
      if (l < 2) return 0;
      const all = lanesWhere(low);
      const second = (all & ~1) >>> 0;
      const third = (all & ~3) >>> 0;
      return (all + second + third) >>> 0;
    },
    gathersFrom: Number.POSITIVE_INFINITY,
  },
  {
    name: "votes in both branches",
    code: branches(
      `setp.lt.u32 %p1, %l, 4; vote.sync.ballot.b32 %d, %p1, -1;
       setp.lt.u32 %p1, %l, 40; vote.sync.all.pred %p2, %p1, -1; selp.u32 %r1, 1, 0, %p2; add.u32 %d, %d, %r1;
       vote.sync.any.pred %p2, !%p1, -1; selp.u32 %r1, 2, 0, %p2; add.u32 %d, %d, %r1;
       vote.sync.uni.pred %p2, %p1, -1; selp.u32 %r1, 4, 0, %p2; add.u32 %d, %d, %r1;`,
      `setp.gt.u32 %p3, %l, 20; vote.sync.ballot.b32 %d, !%p3, -1;
       vote.sync.all.pred %p2, %p3, -1; selp.u32 %r1, 1, 0, %p2; add.u32 %d, %d, %r1;
       vote.sync.any.pred %p2, %p3, -1; selp.u32 %r1, 2, 0, %p2; add.u32 %d, %d, %r1;
       vote.sync.uni.pred %p2, 1, -1; selp.u32 %r1, 4, 0, %p2; add.u32 %d, %d, %r1;`,
    ),
    expected: () => lanesWhere((l) => (low(l) ? l < 4 : l <= 20)) + 2 + 4,
  },
  {
    name: "votes of two masks in registers at one place",
    gathersFrom: 90,
    code: `${HALF} setp.ne.u32 %p2, %l, 3;
vote.sync.all.pred %p3, %p2, %m; selp.u32 %d, 1, 0, %p3;
vote.sync.any.pred %p3, !%p2, %m; selp.u32 %r1, 2, 0, %p3; add.u32 %d, %d, %r1;
vote.sync.uni.pred %p3, %p2, %m; selp.u32 %r1, 4, 0, %p3; add.u32 %d, %d, %r1;
vote.sync.ballot.b32 %r1, %p2, %m; shl.b32 %r1, %r1, 3; add.u32 %d, %d, %r1;`,
    expected: (l) => ((l < 16 ? 2 : 5) + ((half(l) & ~(1 << 3)) << 3)) >>> 0,
  },
  {
    name: "match.any and match.all in both branches",
    code: branches(
      `mov.u32 %r1, 5; match.any.sync.b32 %d, %r1, -1; mov.u64 %q1, 77; match.all.sync.b64 %r2|%p1, %q1, -1;
       selp.u32 %r3, 1, 0, %p1; add.u32 %d, %d, %r2; add.u32 %d, %d, %r3;
       match.all.sync.b32 %r2|%p1, %l, -1; add.u32 %d, %d, %r2; selp.u32 %r3, 16, 0, %p1; add.u32 %d, %d, %r3;`,
      `and.b32 %r1, %l, 7; match.any.sync.b32 %d, %r1, -1; mov.u64 %q2, 77; match.all.sync.b64 %r2|%p1, %q2, -1;
       selp.u32 %r3, 1, 0, %p1; add.u32 %d, %d, %r2; add.u32 %d, %d, %r3;
       match.all.sync.b32 %r2, %r1, -1; add.u32 %d, %d, %r2;`,
    ),
    expected: (l) => {
      const v = (k: number): number => (low(k) ? 5 : k & 7);
      return (lanesWhere((k) => v(k) === v(l)) + 0xffffffff + 1) >>> 0;
    },
  },
  {
    name: "match.all of two masks in registers at one place",
    gathersFrom: 90,
    code: `${HALF} shr.u32 %r1, %l, 4; match.all.sync.b32 %d|%p3, %r1, %m; selp.u32 %r2, 1, 0, %p3; add.u32 %d, %d, %r2;
match.any.sync.b32 %r1, %l, %m; add.u32 %d, %d, %r1;`,
    expected: (l) => (half(l) + 1 + (1 << l)) >>> 0,
  },
  {
    name: "redux in both branches, two masks at each place",
    from: 80,
    code: `${HALF} ${ODD}
@%p2 bra ODD;
redux.sync.add.u32 %d, %l, %m; redux.sync.min.s32 %r1, %l, %m; redux.sync.or.b32 %r2, %l, -1; bra DONE;
ODD: redux.sync.add.u32 %d, %x, %m; redux.sync.min.s32 %r1, 3, %m; redux.sync.or.b32 %r2, 64, -1;
DONE: shl.b32 %r1, %r1, 16; add.u32 %d, %d, %r1; shl.b32 %r2, %r2, 24; add.u32 %d, %d, %r2;`,
    expected: (l) => {
      const mine = LANES.filter((k) => half(k) === half(l));
      const sum = mine.reduce((s, k) => s + (k & 1 ? x(k) : k), 0);
      const least = Math.min(...mine.map((k) => (k & 1 ? 3 : k)));
      const or = LANES.reduce((s, k) => s | (k & 1 ? 64 : k), 0);
      return (sum + (least << 16) + (or << 24)) >>> 0;
    },
  },
  {
    name: "bar.warp.sync in both branches",
    code: `mov.u32 %r1, %s; mad.lo.u32 %r2, %l, 4, %r1; xor.b32 %r3, %l, 31; mad.lo.u32 %r3, %r3, 4, %r1;
${branches(
  "add.u32 %x, %x, 100; st.shared.u32 [%r2], %x; bar.warp.sync -1; ld.shared.u32 %d, [%r3];",
  "st.shared.u32 [%r2], %x; bar.warp.sync -1; ld.shared.u32 %d, [%r3];",
)}`,
    expected: (l) => either(31 - l),
  },
  {
    name: "bar.warp.sync, masks in registers",
    code: `${HALF} ${ODD} mov.u32 %r1, %s; mad.lo.u32 %r2, %l, 4, %r1; xor.b32 %r3, %l, 15; mad.lo.u32 %r3, %r3, 4, %r1;
@%p2 bra ODD; st.shared.u32 [%r2], %x; bar.warp.sync %m; ld.shared.u32 %d, [%r3]; bra DONE;
ODD: add.u32 %x, %x, 5; st.shared.u32 [%r2], %x; bar.warp.sync %m; ld.shared.u32 %d, [%r3];
DONE:`,
    expected: (l) => x(l ^ 15) + ((l ^ 15) & 1 ? 5 : 0),
  },
  {
    name: "a function called in both branches",
    functions: `.func (.reg .b32 %out) swap(.reg .b32 %in) { shfl.sync.bfly.b32 %out, %in, 2, 31, -1; ret; }`,
    code: branches("add.u32 %r1, %x, 100; call (%d), swap, (%r1);", "call (%d), swap, (%x);"),
    expected: (l) => either(l ^ 2),
  },
  {
    name: "a reduction after some lanes have exited",
    code: `setp.ge.u32 %p1, %l, 24; @%p1 exit;
vote.sync.ballot.b32 %r1, 1, -1; popc.b32 %d, %r1; vote.sync.ballot.b32 %r2, %low, -1; popc.b32 %r2, %r2; shl.b32 %r2, %r2, 8; add.u32 %d, %d, %r2;`,
    expected: (l) => (l >= 24 ? 0 : popcount(lanesWhere((k) => k < 24)) + (N << 8)),
    gathersFrom: Number.POSITIVE_INFINITY,
  },
  {
    name: "five shuffles in a row",
    code: [16, 8, 4, 2, 1]
      .map((k) => `shfl.sync.bfly.b32 %r1, %x, ${k}, 31, -1; add.u32 %x, %x, %r1;`)
      .join("\n")
      .concat("\nmov.u32 %d, %x;"),
    expected: () => LANES.reduce((s, l) => s + x(l), 0),
    gathersFrom: Number.POSITIVE_INFINITY,
  },
  {
    name: "a loop of as many turns for all lanes and a shuffle after it, the mask in a register",
    code: `mov.u32 %m, -1; mov.u32 %r0, 0;
LOOP: shfl.sync.bfly.b32 %r1, %x, 1, 31, %m; add.u32 %x, %x, %r1;
add.u32 %r0, %r0, 1; setp.lt.u32 %p1, %r0, %n; @%p1 bra LOOP;
shfl.sync.bfly.b32 %d, %x, 2, 31, %m;`,
    expected: (l) => (x(l ^ 2) + x(l ^ 3)) * 2 ** (N - 1),
    gathersFrom: Number.POSITIVE_INFINITY,
  },
  {
    name: "branches inside a loop, everything live across",
    mixesPredicates: true,
    code: `mov.u32 %r1, 0; mul.lo.u32 %r10, %l, 3; mul.lo.u32 %r11, %l, 5; mul.lo.u32 %r12, %l, 7; mul.lo.u32 %r13, %l, 11;
LOOP: add.u32 %r2, %l, %r1; and.b32 %r2, %r2, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra EVEN;
shfl.sync.up.b32 %r3, %r10, 1, 0, -1; add.u32 %d, %d, %r3; bra NEXT;
EVEN: shfl.sync.up.b32 %r3|%p2, %r11, 1, 0, -1; add.u32 %d, %d, %r3; @%p2 add.u32 %d, %d, 1;
NEXT: add.u32 %r1, %r1, 1; setp.lt.u32 %p3, %r1, 4; @%p3 bra LOOP;
add.u32 %d, %d, %r10; add.u32 %d, %d, %r11; add.u32 %d, %d, %r12; add.u32 %d, %d, %r13; add.u32 %d, %d, %y;`,
    expected: (l) => {
      let d = 0;
      for (let i = 0; i < 4; i++) {
        const from = Math.max(0, l - 1);
        d += (from + i) & 1 ? from * 3 : from * 5;
        if (((l + i) & 1) === 0 && l > 0) d += 1;
      }
      return d + l * (3 + 5 + 7 + 11) + 1000;
    },
  },
];

/** Tiles of eight lanes, each with a mask of its own in %r3. The warp is together again after them, or the result is not what it should be. */
const tiled = (code: string): string => `and.b32 %r2, %l, -8; shl.b32 %r3, 255, %r2;
${code}
activemask.b32 %r9; setp.ne.u32 %p9, %r9, -1; @%p9 mov.u32 %d, %r9;`;

export const TILED: readonly GatherKernel[] = [
  {
    name: "three shuffles in tiles",
    code: tiled(`mov.u32 %d, %l;
${[4, 2, 1].map((k) => `shfl.sync.bfly.b32 %r4, %d, ${k}, 0x181f, %r3; add.u32 %d, %d, %r4;`).join("\n")}`),
    expected: (l) => 28 + 8 * (l & ~7),
  },
  {
    name: "redux in tiles",
    code: tiled("redux.sync.add.u32 %d, %l, %r3;"),
    expected: (l) => 28 + 8 * (l & ~7),
    from: 80,
  },
  {
    name: "match.all in tiles",
    code: tiled("match.all.sync.b32 %d|%p1, %r2, %r3;"),
    expected: (l) => (255 << (l & ~7)) >>> 0,
  },
  {
    name: "warp barriers of tiles, then the whole warp",
    code: tiled("bar.warp.sync %r3; bar.warp.sync %r3; shfl.sync.bfly.b32 %d, %l, 16, 31, -1;"),
    expected: (l) => l ^ 16,
  },
];
