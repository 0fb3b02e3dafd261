/** Kernels of warp-group products and of products in tensor memory over given bytes: for equality of the engines and for their rates. */
import type { TargetName } from "../../../lib/target/index.js";

export interface BlockForm {
  /** What follows `wgmma.mma_async.sync.aligned.` or `tcgen05.mma.cta_group::1.`. */
  readonly text: string;
  readonly columns: number;
  /** Registers of D of a warp group's thread are this part of the columns: 2 (f32), 4 (f16). */
  readonly perRegister: 2 | 4;
  /** What the immediate operands of a warp-group product are after D, A, B and the predicate. */
  readonly more: string;
  /** Bits of the descriptor of a product in tensor memory, shape but for columns and rows; null: a product of a warp group. */
  readonly bits: number | null;
  readonly of: "bits" | "float8" | "half" | "word";
  /** A is in registers. */
  readonly held?: true;
}

const wgmma = (text: string, of: BlockForm["of"], more: string, perRegister: 2 | 4 = 2): BlockForm => {
  const columns = Number(/n(\d+)k/.exec(text)![1]);
  return { text, columns, perRegister, more, bits: null, of };
};
const tensor = (kind: string, columns: number, of: BlockForm["of"], bits: number): BlockForm => {
  return { text: `kind::${kind}`, columns, perRegister: 2, more: "", bits, of };
};

const [F32, S32] = [1 << 4, 2 << 4];

export const blockForms: readonly BlockForm[] = [
  wgmma("m64n128k16.f32.f16.f16", "half", ", 1, 1, 0, 0"),
  wgmma("m64n64k16.f32.f16.f16", "half", ", -1, 1, 0, 0"),
  wgmma("m64n32k16.f32.f16.f16", "half", ", 1, -1, 1, 1"),
  wgmma("m64n128k16.f16.f16.f16", "half", ", 1, 1, 0, 0", 4),
  wgmma("m64n8k16.f16.f16.f16", "half", ", 1, 1, 0, 1", 4),
  wgmma("m64n128k16.f32.bf16.bf16", "half", ", 1, 1, 0, 0"),
  wgmma("m64n128k8.f32.tf32.tf32", "word", ", 1, 1"),
  wgmma("m64n128k32.f32.e4m3.e4m3", "float8", ", 1, 1"),
  wgmma("m64n24k32.f32.e5m2.e4m3", "float8", ", -1, 1"),
  wgmma("m64n16k32.f16.e5m2.e5m2", "float8", ", 1, 1", 4),
  wgmma("m64n128k32.s32.s8.s8", "bits", ""),
  wgmma("m64n64k32.s32.u8.s8.satfinite", "bits", ""),
  wgmma("m64n128k256.s32.b1.b1.and.popc", "bits", ""),
  { ...wgmma("m64n64k16.f32.f16.f16", "half", ", -1, 1, 0"), held: true },
  { ...wgmma("m64n64k8.f32.tf32.tf32", "word", ", 1, 1"), held: true },
  { ...wgmma("m64n64k32.s32.s8.s8", "bits", ""), held: true },
];

export const tensorForms: readonly BlockForm[] = [
  tensor("f16", 128, "half", F32),
  tensor("f16", 256, "half", F32 | (1 << 7) | (1 << 10) | (1 << 13)),
  tensor("tf32", 64, "word", F32 | (2 << 7) | (2 << 10)),
  tensor("f8f6f4", 128, "float8", F32 | (1 << 10)),
  tensor("i8", 128, "bits", S32 | (1 << 7) | (1 << 10)),
];

export const targetOf = ({ bits }: BlockForm): TargetName => (bits === null ? "sm_90a" : "sm_100a");

/** Words of A and B in shared memory, as many for each thread, and of C and D. */
export const wordsOf = ({ columns, perRegister, bits }: BlockForm): { factors: number; sums: number } =>
  bits === null
    ? { factors: Math.ceil((64 + columns) / 16) * 128, sums: (128 * columns) / perRegister }
    : { factors: (128 + columns) * 8, sums: 128 * columns };

/** Factors are laid out without swizzle: pieces of eight rows of 16 bytes, two along k, then the next eight rows. */
const STRIDES = (8n << 16n) | (16n << 32n);

/** Copies so many words from [%p] on to `tile`, by 128 threads %t, and leaves where that lies, as descriptors have it, in %a. */
export const fillTile = (words: number): string => `mov.u32 %s, tile;
  shl.b32 %w, %t, 2;
  add.u32 %s, %s, %w;
  mov.u32 %i, 0;
copy:
  ld.global.b32 %w, [%p];
  st.shared.b32 [%s], %w;
  add.u64 %p, %p, 512;
  add.u32 %s, %s, 512;
  add.u32 %i, %i, 128;
  setp.lt.u32 %more, %i, ${words};
  @%more bra copy;
  fence.proxy.async;
  mov.u32 %s, tile;
  shr.b32 %s, %s, 4;
  cvt.u64.u32 %a, %s;`;

function head(form: BlockForm, registers: string): string {
  const { factors } = wordsOf(form);
  return `.version 9.0
.target ${targetOf(form)}
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 given, .param .u64 out) {
  .shared .align 1024 .b8 tile[${4 * factors}];
  .reg .b32 %t, %i, %w, %s; .reg .b64 %p, %c, %q, %a, %b, %x; .reg .pred %more, %adds;
  ${registers}
  ld.param.u64 %p, [in];
  ld.param.u64 %c, [given];
  ld.param.u64 %q, [out];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %x, %t, 4;
  add.u64 %p, %p, %x;
  add.u64 %c, %c, %x;
  add.u64 %q, %q, %x;
  ${fillTile(factors)}`;
}

function warpGroupPtx(form: BlockForm, turns: number): string {
  const { text, columns, perRegister, more, held } = form;
  const n = columns / perRegister;
  const list = Array.from({ length: n }, (_, i) => `%d${i}`).join(", ");
  const each = (line: (i: number) => string): string => Array.from({ length: n }, (_, i) => line(i)).join("\n  ");
  const product = `wgmma.mma_async.sync.aligned.${text} {${list}}, ${held ? "{%e0, %e1, %e2, %e3}" : "%a"}, %b, %adds${more};`;
  return `${head(form, `.reg .b32 %d<${n}>, %e<4>;`)}
  ${held ? [1, 2, 3, 4].map((i) => `ld.global.b32 %e${i - 1}, [%p+${-512 * i}];`).join("\n  ") : ""}
  or.b64 %a, %a, ${STRIDES};
  add.u64 %b, %a, ${(64 * 32) / 16};
  ${each((i) => `ld.global.b32 %d${i}, [%c+${512 * i}];`)}
  bar.sync 0;
  mov.u32 %i, 0;
again:
  setp.ne.u32 %adds, %i, 2;
  wgmma.fence.sync.aligned;
  ${[0, 1, 2, 3].map(() => product).join("\n  ")}
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  add.u32 %i, %i, 1;
  setp.lt.u32 %more, %i, ${turns};
  @%more bra again;
  ${each((i) => `st.global.b32 [%q+${512 * i}], %d${i};`)}
  ret;
}`;
}

function tensorPtx(form: BlockForm, turns: number): string {
  const { text, columns, bits } = form;
  const shape = (bits ?? 0) | ((columns / 8) << 17) | ((128 / 16) << 24);
  const eight = Array.from({ length: 8 }, (_, i) => i);
  const list = eight.map((i) => `%d${i}`).join(", ");
  const product = `tcgen05.mma.cta_group::1.${text} [%d], %a, %b, ${shape}, %adds;`;
  return `${head(
    form,
    `.reg .b32 %d, %d<8>, %parity, %lanes; .reg .pred %first, %one, %done;
  .shared .align 8 .b64 bar; .shared .b32 where;`,
  )}
  or.b64 %a, %a, ${STRIDES | (1n << 46n)};
  add.u64 %b, %a, ${(128 * 32) / 16};
  setp.lt.u32 %first, %t, 32;
  @!%first bra allocated;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], ${columns};
  tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
allocated:
  setp.eq.u32 %one, %t, 0;
  @%one mbarrier.init.shared.b64 [bar], 1;
  fence.mbarrier_init.release.cluster;
  tcgen05.fence::before_thread_sync;
  bar.sync 0;
  tcgen05.fence::after_thread_sync;
  ld.shared.b32 %d, [where];
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
  setp.lt.u32 %more, %i, ${columns};
  @%more bra filled;
  tcgen05.fence::before_thread_sync;
  bar.sync 0;
  tcgen05.fence::after_thread_sync;
  mov.u32 %i, 0;
again:
  setp.ne.u32 %adds, %i, 2;
  @!%one bra multiplied;
  ${[0, 1, 2, 3].map(() => product).join("\n  ")}
  tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];
multiplied:
  and.b32 %parity, %i, 1;
waiting:
  mbarrier.try_wait.parity.shared.b64 %done, [bar], %parity;
  @!%done bra waiting;
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
  setp.lt.u32 %more, %i, ${columns};
  @%more bra results;
  tcgen05.fence::before_thread_sync;
  bar.sync 0;
  @!%first bra freed;
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %d, ${columns};
freed:
  ret;
}`;
}

/** A block of 128 threads multiplies the same factors four times in each turn; in turn 2 sums begin anew. */
export const blockPtx = (form: BlockForm, turns: number): string =>
  form.bits === null ? warpGroupPtx(form, turns) : tensorPtx(form, turns);
