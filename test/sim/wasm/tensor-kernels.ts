/** Kernels of products in tensor memory of all kinds over given bytes, for equality of the engines and for their rates: sparse, scaled, of few rows, of pairs of CTAs. */

import { fillTile } from "./block-kernels.js";

export interface RowsForm {
  readonly name: string;
  /** What follows `tcgen05.mma`, without the group of CTAs. */
  readonly text: string;
  readonly of: "bits" | "float8" | "half" | "word" | "tiny";
  /** Bits of the descriptor, shape but for columns and rows. */
  readonly bits: number;
  /** Rows and columns of D. */
  readonly rows: number;
  readonly columns: number;
  readonly sparse: boolean;
  readonly scaled: boolean;
  /** Of two CTAs. */
  readonly pair: boolean;
  /** A is in tensor memory. */
  readonly held: boolean;
  /** Operands that follow the predicate, or the lanes that are left out before it. */
  readonly more: string;
  readonly leftOut: string;
}

const [F32, S32] = [1 << 4, 2 << 4];
const POWERS = 1 << 23;
/** Neighbours of factors in shared memory are not along k. */
const TURNED = (1 << 15) | (1 << 16);

type Rest = Partial<Omit<RowsForm, "name" | "text" | "of" | "bits">>;
function form(name: string, text: string, of: RowsForm["of"], bits: number, rest: Rest = {}): RowsForm {
  const sparse = text.startsWith(".sp") || text.startsWith(".ws.sp");
  const scaled = text.includes("block_scale");
  const plain = { rows: 128, columns: 32, pair: false, held: false, more: "", leftOut: "" };
  return { name, text, of, bits: bits | (sparse ? 4 : 0), sparse, scaled, ...plain, ...rest };
}

const scale = (kind: string, vector: string): string => `.kind::${kind}.block_scale.scale_vec::${vector}`;
/** e4m3 and e5m2; e2m1 and e3m2; e2m1 of four bits. */
const [FLOATS, TINY, NIBBLES] = [1 << 10, (5 << 7) | (4 << 10), (1 << 7) | (1 << 10)];

export const rowsForms: readonly RowsForm[] = [
  form("f16, f16", ".kind::f16", "half", 0),
  form("f16, divided", ".kind::f16", "half", F32 | (1 << 13), { more: ", 3" }),
  form("f16, f16, divided", ".kind::f16", "half", 0, { more: ", 1" }),
  form("f16, rows left out", ".kind::f16", "half", F32, { leftOut: "{1, 0x80000000, 0, %left}, " }),
  form("f16, 64 rows", ".kind::f16", "half", F32, { rows: 64 }),
  form("f16, A held", ".kind::f16", "half", F32, { held: true }),
  form("f16, both turned", ".kind::f16", "half", F32 | TURNED),
  form("e4m3, both turned", ".kind::f8f6f4", "float8", F32 | TURNED),
  form("f16, sparse, both turned", ".sp.kind::f16", "half", F32 | TURNED),
  form("e2m1 and e3m2", ".kind::f8f6f4", "tiny", F32 | TINY),
  form("s8, saturated", ".kind::i8", "bits", S32 | (1 << 7) | (1 << 10) | 8),
  form("f16, sparse", ".sp.kind::f16", "half", F32 | (1 << 14)),
  form("tf32, sparse", ".sp.kind::tf32", "word", F32 | (2 << 7) | (2 << 10) | 1),
  form("e4m3, sparse", ".sp.kind::f8f6f4", "float8", F32 | FLOATS),
  form("s8, sparse", ".sp.kind::i8", "bits", S32 | (1 << 7)),
  form("e4m3, sparse, 64 rows", ".sp.kind::f8f6f4", "float8", F32, { rows: 64 }),
  form("f16, .ws, 32 rows", ".ws.kind::f16", "half", F32, { rows: 32, columns: 64 }),
  form("f16, .ws, 64 rows", ".ws.kind::f16", "half", F32, { rows: 64, columns: 64 }),
  form("f16, .ws, zero columns", ".ws.kind::f16", "half", F32, { rows: 64, columns: 64, more: ", %zero" }),
  form("e4m3, .ws, sparse", ".ws.sp.kind::f8f6f4", "float8", F32, { rows: 64, columns: 64 }),
  form("f16, pair", ".kind::f16", "half", F32, { rows: 256, pair: true }),
  form("e4m3, pair, 64 rows each", ".kind::f8f6f4", "float8", F32 | FLOATS, { rows: 128, pair: true }),
  form("s8, pair, sparse", ".sp.kind::i8", "bits", S32 | (1 << 10), { rows: 256, pair: true }),
  form("mxf8", scale("mxf8f6f4", "1X"), "float8", FLOATS | POWERS | (1 << 4) | (2 << 29)),
  form("mxf8 of e2m1 and e3m2", scale("mxf8f6f4", "1X"), "tiny", TINY | POWERS),
  form("mxf8, A held", scale("mxf8f6f4", "1X"), "float8", POWERS, { held: true }),
  form("mxf8, sparse", `.sp${scale("mxf8f6f4", "1X")}`, "float8", FLOATS | POWERS),
  form("mxf8, pair", scale("mxf8f6f4", "1X"), "float8", POWERS, { rows: 256, pair: true }),
  form("mxf4", scale("mxf4", "2X"), "tiny", NIBBLES | POWERS | (2 << 4)),
  form("mxf4, sparse", `.sp${scale("mxf4", "2X")}`, "tiny", NIBBLES | POWERS),
  form("nvf4", scale("mxf4nvf4", "4X"), "tiny", NIBBLES),
  form("nvf4, sparse", `.sp${scale("mxf4nvf4", "4X")}`, "tiny", NIBBLES),
];

/** Columns beyond D: four of metadata, four and eight of scales, a gap, eight of A. */
export const EXTRA = 32;
const AT = { metadata: 0, scalesA: 4, scalesB: 8, a: 16 } as const;

/** Two columns become zeros, and two do not; the first of the second part are at their third. */
const ZERO_COLUMNS = 0x0001018100000200n;

interface Room {
  readonly ctas: number;
  /** Words along k of B. */
  readonly wordsB: number;
  /** Of each CTA: words of A and B in shared memory, words of tensor memory that are filled and read. */
  readonly factors: number;
  readonly cells: number;
}

export function roomOf({ columns, pair, sparse }: RowsForm): Room {
  const ctas = pair ? 2 : 1;
  const wordsB = sparse ? 16 : 8;
  return { ctas, wordsB, factors: 128 * 8 + (columns / ctas) * wordsB, cells: 128 * (columns + EXTRA) };
}

/** A block of 128 threads multiplies the same factors four times in each turn; in turn 2 sums begin anew. */
export function rowsPtx(f: RowsForm, turns: number): string {
  const { ctas, wordsB, factors, cells } = roomOf(f);
  const group = `cta_group::${ctas}`;
  const isScaled = f.scaled;
  const shape = f.bits | ((f.columns / 8) << 17) | (isScaled ? (f.rows / 128) << 27 : (f.rows / 16) << 24);
  const eight = Array.from({ length: 8 }, (_, i) => i);
  const list = eight.map((i) => `%d${i}`).join(", ");
  const ws = f.text.startsWith(".ws") ? ".ws" : "";
  const rest = f.text.slice(ws.length);
  const sp = rest.startsWith(".sp") ? ".sp" : "";
  const operands = [
    ...["[%d]", f.held ? "[%ta]" : "%a", "%b", ...(sp === "" ? [] : ["[%meta]"]), "%shape"],
    ...(isScaled ? ["[%sa]", "[%sb]"] : []),
  ];
  const product = `tcgen05.mma${ws}${sp}.${group}${rest.slice(sp.length)} ${operands.join(", ")}, ${f.leftOut}%adds${f.more};`;
  // Pieces of eight rows of 16 bytes, those along k after each other; strides of A and of B.
  const strides = (words: number): bigint => (8n << 16n) | (BigInt(2 * words) << 32n) | (1n << 46n);
  const meet = f.pair
    ? "barrier.cluster.arrive.release.aligned;\n  barrier.cluster.wait.acquire.aligned;"
    : "bar.sync 0;";
  const columns = 2 ** Math.ceil(Math.log2(f.columns + EXTRA));
  const commit = f.pair
    ? `tcgen05.commit.${group}.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [bar], %both;`
    : `tcgen05.commit.${group}.mbarrier::arrive::one.shared::cluster.b64 [bar];`;
  return `.version 9.0
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 given, .param .u64 out)
${f.pair ? ".explicitcluster\n.reqnctapercluster 2, 1, 1\n" : ""}{
  .shared .align 1024 .b8 tile[${4 * factors}];
  .shared .align 8 .b64 bar; .shared .b32 where;
  .reg .b16 %both;
  .reg .b32 %t, %i, %w, %s, %d, %d<8>, %parity, %lanes, %left, %shape, %meta, %sa, %sb, %ta, %rank;
  .reg .b64 %p, %c, %q, %a, %b, %x, %zero; .reg .pred %more, %adds, %first, %one, %done;
  ld.param.u64 %p, [in];
  ld.param.u64 %c, [given];
  ld.param.u64 %q, [out];
  mov.u32 %t, %tid.x;
  mov.u32 %rank, %ctaid.x;
  mov.u16 %both, 3;
  mov.u32 %left, 0xff;
  mov.b64 %zero, ${ZERO_COLUMNS};
  mul.wide.u32 %x, %t, 4;
  mad.wide.u32 %p, %rank, ${4 * factors}, %p;
  mad.wide.u32 %c, %rank, ${4 * cells}, %c;
  mad.wide.u32 %q, %rank, ${4 * cells}, %q;
  add.u64 %p, %p, %x;
  add.u64 %c, %c, %x;
  add.u64 %q, %q, %x;
  ${fillTile(factors)}
  add.u64 %b, %a, ${(128 * 32) / 16};
  or.b64 %a, %a, ${strides(8)};
  or.b64 %b, %b, ${strides(wordsB)};
  setp.lt.u32 %first, %t, 32;
  @!%first bra allocated;
  tcgen05.alloc.${group}.sync.aligned.shared::cta.b32 [where], ${columns};
  tcgen05.relinquish_alloc_permit.${group}.sync.aligned;
allocated:
  setp.eq.u32 %one, %t, 0;
  @%one mbarrier.init.shared.b64 [bar], 1;
  fence.mbarrier_init.release.cluster;
  tcgen05.fence::before_thread_sync;
  ${meet}
  tcgen05.fence::after_thread_sync;
  ld.shared.b32 %d, [where];
  add.u32 %meta, %d, ${f.columns + AT.metadata};
  add.u32 %sa, %d, ${f.columns + AT.scalesA};
  add.u32 %sb, %d, ${f.columns + AT.scalesB};
  add.u32 %ta, %d, ${f.columns + AT.a};
  mov.u32 %shape, ${shape | 0};
  and.b32 %lanes, %t, 96;
  shl.b32 %lanes, %lanes, 16;
  add.u32 %lanes, %lanes, %d;
  mov.u32 %i, 0;
filled:
  ${eight.map((i) => `ld.global.b32 %d${i}, [%c+${512 * i}];`).join("\n  ")}
  tcgen05.st.sync.aligned.32x32b.x8.b32 [%lanes], {${list}};
  tcgen05.wait::st.sync.aligned;
  add.u32 %lanes, %lanes, 8;
  add.u64 %c, %c, 4096;
  add.u32 %i, %i, 8;
  setp.lt.u32 %more, %i, ${f.columns + EXTRA};
  @%more bra filled;
  tcgen05.fence::before_thread_sync;
  ${meet}
  tcgen05.fence::after_thread_sync;
  add.u32 %w, %t, %rank;
  setp.eq.u32 %one, ${f.pair ? "%w" : "%t"}, 0;
  mov.u32 %i, 0;
again:
  setp.ne.u32 %adds, %i, 2;
  @!%one bra multiplied;
  ${[0, 1, 2, 3].map(() => product).join("\n  ")}
  ${commit}
multiplied:
  and.b32 %parity, %i, 1;
waiting:
  mbarrier.try_wait.parity.shared.b64 %done, [bar], %parity;
  @!%done bra waiting;
  ${meet}
  add.u32 %i, %i, 1;
  setp.lt.u32 %more, %i, ${turns};
  @%more bra again;
  tcgen05.fence::after_thread_sync;
  and.b32 %lanes, %t, 96;
  shl.b32 %lanes, %lanes, 16;
  add.u32 %lanes, %lanes, %d;
  mov.u32 %i, 0;
results:
  tcgen05.ld.sync.aligned.32x32b.x8.b32 {${list}}, [%lanes];
  tcgen05.wait::ld.sync.aligned;
  ${eight.map((i) => `st.global.b32 [%q+${512 * i}], %d${i};`).join("\n  ")}
  add.u32 %lanes, %lanes, 8;
  add.u64 %q, %q, 4096;
  add.u32 %i, %i, 8;
  setp.lt.u32 %more, %i, ${f.columns + EXTRA};
  @%more bra results;
  tcgen05.fence::before_thread_sync;
  ${meet}
  @!%first bra freed;
  tcgen05.dealloc.${group}.sync.aligned.b32 %d, ${columns};
freed:
  ret;
}`;
}
