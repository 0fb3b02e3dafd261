/** Operations of chain kernels (types.ts): products of matrices. */
import { type ChainOp, list } from "./types.js";

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
];
