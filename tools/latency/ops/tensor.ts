/** Operations of chain kernels (types.ts): products of matrices. */
import { type ChainOp, list, type ValueType } from "./types.js";

/** Products by the class of their result on sm_80 to 90, that of DMMA apart: result and addend stand for `D` and `E`. */
const products = [
  "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {D}, {A,B,C,A}, {B,C}, {E};",
  "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {D}, {A,B}, {C}, {E};",
  "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {d}, {A}, {C}, {e};",
  "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {D}, {A,B,C,A}, {B,C}, {E};",
  "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {D}, {A,B}, {B,C}, {E}, A, 0x0;",
] as const;

/** What stands between two products that write the same registers x and y: reads them at once, leaves something in T. */
const between = [
  "mov.b64 q, {x, y}; mad.wide.u32 s, A, B, q; mov.b64 {T, U}, s;",
  "mul.wide.u32 s, x, y; mov.b64 {T, U}, s;",
  "mov.b64 q, {x, y}; add.f64 s, L, q; mov.b64 {T, U}, s;",
  "mov.b32 {h, g}, x; cvt.f32.f16 T, h;",
  "mov.b32 {h, g}, y; cvt.f32.f16 T, g;",
  "add.f16x2 T, x, B;",
  "fma.rn.f32 T, x, y, B;",
  "add.s32 T, x, y;",
  "mov.b64 q, {x, y}; mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {r, s}, {q}, {L}, {M, L}; mov.b64 {T, U}, s;",
] as const;

const registers = ".reg .b32 x, y, z, w; .reg .b64 q, r, s; .reg .b16 h, g;";
const product = (text: string, to: string, from: string): string => {
  const [d, e] = [to.split(","), from.split(",")];
  return text
    .replace("{D}", `{${d.join(",")}}`)
    .replace("{d}", `{${d.slice(0, 2).join(",")}}`)
    .replace("{E}", `{${e.join(",")}}`)
    .replace("{e}", `{${e.slice(0, 2).join(",")}}`);
};

const inBraces = (from: ValueType, to: ValueType, body: string): ChainOp => ({
  from,
  to,
  text: `{ ${registers} ${body} }`,
});

/** Products that meet others in the registers of their results, which no second writer of a single register does. */
const meetings: readonly ChainOp[] = products.flatMap((p) => [
  ...between.map((b) =>
    inBraces("r", "r", `${product(p, "x,y,z,w", "I,A,B,C")} ${b} ${product(p, "x,y,z,w", "x,y,z,w")} add.s32 O, x, T;`),
  ),
  inBraces("r", "l", `${product(p, "x,y,z,w", "I,A,B,C")} mov.b64 q, {x, y}; mad.wide.u32 O, A, B, q;`),
  inBraces("r", "l", `${product(p, "x,y,z,w", "I,A,B,C")} mov.b64 O, {x, y}; @P mov.u64 O, %clock64;`),
  inBraces("r", "l", `${product(p, "x,y,z,w", "I,A,B,C")} mov.b64 O, {x, y}; @P mad.wide.u32 O, A, B, L;`),
  inBraces(
    "r",
    "r",
    `mov.u64 q, %clock64; mov.b64 {x, y}, q; mov.b32 z, I; mov.b32 w, A; @Q ${product(p, "x,y,z,w", "A,I,B,C")} add.s32 O, x, y;`,
  ),
]);

export const tensorOps: readonly ChainOp[] = [
  ...list(
    "r",
    "r",
    `
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {O,T,U,V}, {A,B,C,A}, {B,C}, {I,A,B,C};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {T,U,V,O}, {A,B,C,A}, {B,C}, {A,B,C,I};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {O,T,U,V}, {I,B,C,A}, {B,C}, {A,A,B,C};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {O,T,U,V}, {A,B,C,A}, {B,I}, {A,A,B,C};
    mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {O,T}, {A,B,C,A}, {B,C}, {I,A};
    mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {O,T,U,V}, {I,B}, {C}, {A,A,B,C};
    mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {O,T}, {A,B}, {I}, {A,B};
    mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {O,T,U,V}, {A,B}, {C}, {I,A,B,C};
    mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {O,T,U,V}, {A,B,C,A}, {B,C}, {I,A,B,C};
    mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {O,T,U,V}, {A,B,C,A}, {B,I}, {C,A,B,C};
    mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {O,T,U,V}, {A,B}, {I}, {C,A,B,C};
    mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {O,T,U,V}, {A,B,C,A}, {B,C}, {I,A,B,C};
    mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {O,T,U,V}, {I,B,C,A}, {B,C}, {A,A,B,C};
    mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {O,T,U,V}, {A,B}, {I}, {A,A,B,C};
    mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {O,T}, {A}, {I}, {B,C};
    mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {O,T}, {A}, {C}, {I,B};
    mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {O,T,U,V}, {A,B,C,A}, {B,C}, {I,A,B,C};
    mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {O,T,U,V}, {A,B,C,A}, {B,C}, {I,A,B,C};
    mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {O,T,U,V,T,U,V,T}, {A,B}, {C,I}, {A,A,B,C,A,B,C,A};
    mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {O,T,U,V}, {A,B,C,A}, {B,C}, {I,A,B,C};
    mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {O,T,U,V}, {A,B,C,A}, {B,C,A,B}, {I,A,B,C}, A, 0x0;
    mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {O,T}, {A}, {I}, {B,C};
    mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {O,T}, {A}, {C}, {I,B};
    mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {O,T}, {A}, {I}, {B,C};
    mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {O,T}, {A}, {C}, {I,B};
    mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32 {O,T,U,V}, {A,B}, {C}, {I,A,B,C};
    mma.sync.aligned.m16n8k32.row.col.s32.u4.u4.s32 {O,T,U,V}, {I,B}, {C}, {A,A,B,C};
    mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc {O,T,U,V}, {A,B}, {C}, {I,A,B,C};
    mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {O,T,U,V}, {A,B}, {C}, {I,A,B,C};
    mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {O,T,U,V}, {A,B}, {B,C}, {I,A,B,C}, A, 0x0;
    mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 {O,T,U,V}, {A,B,C,A}, {B,C,A,B}, {I,A,B,C}, A, 0x0;
    mma.sp::ordered_metadata.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {O,T,U,V}, {A,B}, {B,C}, {I,A,B,C}, A, 0x0;
    mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {O,T,U,V}, {A,B}, {B,C}, {I,A,B,C}, A, 0x0;
    mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {O,T,U,V}, {A,B,C,A}, {B,C,A,B}, {C,A,B,C}, I, 0x0;
  `,
  ),
  ...list(
    "l",
    "l",
    `
    mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {O,TL}, {L}, {M}, {I,L};
    mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {O,TL}, {I}, {M}, {M,L};
  `,
  ),
  ...list(
    "l",
    "r",
    `
    mov.b64 {T, U}, I; mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {O,V,T,U}, {A,B,C,A}, {B,C}, {T,U,A,B};
    mov.b64 {T, U}, I; mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {O,V,T,U}, {T,U,A,B}, {B,C}, {A,A,B,C};
    mov.b64 {T, U}, I; mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {O,V,T,U}, {A,B,C,A}, {T,U}, {A,A,B,C};
    mov.b64 {T, U}, I; mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {O,V,T,U}, {T,U}, {C}, {A,A,B,C};
    mov.b64 {T, U}, I; mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {O,V}, {A,B}, {C}, {T,U};
    mov.b64 {T, U}, I; mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {O,V}, {A}, {B}, {T,U};
    mov.b64 {T, U}, I; mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {O,V}, {T}, {U}, {A,B};
    mov.b64 {T, U}, I; mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {O,V,T,U}, {T,U}, {B}, {A,A,B,C};
  `,
  ),
  ...list(
    "r",
    "l",
    `
    { .reg .b64 q; mov.b64 q, {I, A}; mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {O,TL}, {q}, {L}, {M,L}; }
    { .reg .b64 q; mov.b64 q, {A, I}; mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {O,TL}, {L}, {M}, {q,L}; }
    mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {T,U}, {A,I}, {C}, {A,B}; mov.b64 O, {T, U};
    mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {T,U}, {I}, {B}, {C,A}; mov.b64 O, {T, U};
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {T,U,V,T}, {I,A,B,C}, {B,C}, {A,A,B,C}; mov.b64 O, {U, V};
  `,
  ),
  ...meetings,
  ...list(
    "l",
    "l",
    `
    { .reg .b64 q, s; mov.u64 q, %clock64; mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {O,s}, {q}, {I}, {M,L}; }
    { .reg .b64 q, s; mov.u64 q, %clock64; mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {O,s}, {I}, {M}, {q,L}; }
    { .reg .b64 q, s; mov.u64 q, %clock64; mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {O,s}, {I}, {q}, {M,L}; }
  `,
  ),
];
